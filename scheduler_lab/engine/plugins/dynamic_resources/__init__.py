"""DynamicResources: devices for pods, through claims, classes and slices of resource.k8s.io."""

from scheduler_lab.engine.plugins.dynamic_resources.plugin import DynamicResources

__all__ = ["DynamicResources"]
