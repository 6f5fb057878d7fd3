"""Coscheduling: gangs by a PodGroup object (kubernetes-sigs/scheduler-plugins)."""

from scheduler_lab.engine.plugins.coscheduling.plugin import Coscheduling

__all__ = ["Coscheduling"]
