"""PodTopologySpread: pods of a kind spread over zones, nodes or any other topology (kube-scheduler v1.35).

PreFilter counts matching pods per domain for the DoNotSchedule constraints, Filter holds the skew within maxSkew;
PreScore, Score and Normalize prefer the less crowded domains for the ScheduleAnyway constraints. Arguments:
defaultingType (System or List) and defaultConstraints for pods without constraints of their own.
"""

from scheduler_lab.engine.plugins.pod_topology_spread.plugin import PodTopologySpread

__all__ = ["PodTopologySpread"]
