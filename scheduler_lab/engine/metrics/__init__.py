"""What a run would show on kube-scheduler's /metrics and /metrics/resources, and when its events were told.

A run is measured by running it again with a meter: ordinary runs count nothing, and no record is changed by it.
"""

from scheduler_lab.engine.metrics.exposition import exposition
from scheduler_lab.engine.metrics.families import Family, Measurement, Sample
from scheduler_lab.engine.metrics.measuring import measure

__all__ = ["Family", "Measurement", "Sample", "exposition", "measure"]
