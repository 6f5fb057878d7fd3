"""Several scheduler processes in one run (lab/v1 Scheduler): turns, views that lag, leases, what the record says."""

from scheduler_lab.engine.schedulers.documents import MAIN, Plan, plans
from scheduler_lab.engine.schedulers.fleet import Fleet
from scheduler_lab.engine.schedulers.summary import tell_schedulers

__all__ = ["MAIN", "Fleet", "Plan", "plans", "tell_schedulers"]
