"""lab/v1 Scheduler: a further scheduler process beside the one that the KubeSchedulerConfiguration describes.

docs/lab-documents.md says what each field does.
"""

from typing import Any

from msgspec import field

from scheduler_lab.engine.objects.base import Int64, KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject


class SchedulerSpec(KubeStruct):
    """How many processes there are, with which configuration (None: one profile of the document's name).

    `view_lag` counts scheduling cycles of a process's own: so many it makes before it learns of another's binding.
    """

    configuration: dict[str, Any] | None = None
    replicas: Int64 = 1
    view_lag: Int64 = 0


class Scheduler(KubeObject):
    """The document; its replicas are called `<metadata.name>-0`, `<metadata.name>-1` and so on."""

    api_version: str = "lab/v1"
    kind: str = "Scheduler"
    spec: SchedulerSpec = field(default_factory=SchedulerSpec)
