"""Kubernetes objects as typed structs, one module a topic, with quantities and selectors."""
