"""KubeSchedulerConfiguration and feature gates, as kube-scheduler v1.35 reads, checks and expands them."""

from scheduler_lab.engine.configuration.description import PluginUse, ProfileDescription, describe
from scheduler_lab.engine.configuration.errors import ConfigurationError
from scheduler_lab.engine.configuration.feature_gates import FeatureGates, resolve
from scheduler_lab.engine.configuration.loading import Configuration, ProfileConfiguration, load, load_object
from scheduler_lab.engine.configuration.registry import KNOWN_PLUGINS, PluginPoints

__all__ = [
    "KNOWN_PLUGINS",
    "Configuration",
    "ConfigurationError",
    "FeatureGates",
    "PluginPoints",
    "PluginUse",
    "ProfileConfiguration",
    "ProfileDescription",
    "describe",
    "load",
    "load_object",
    "resolve",
]
