"""Plugins that a learner writes: lab/v1 Plugin documents with a CEL expression an extension point."""
