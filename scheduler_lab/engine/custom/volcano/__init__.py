"""Volcano beside kube-scheduler: gangs that start all at once or not at all."""

from scheduler_lab.engine.custom.volcano.jobs import VOLCANO, installed
from scheduler_lab.engine.custom.volcano.scheduler import Volcano

__all__ = ["VOLCANO", "Volcano", "installed"]
