"""lab/v1 Plugin: a scheduler plugin of the learner's own, one CEL expression an extension point.

docs/lab-documents.md says what each expression may use and must give.
"""

from typing import Any, Literal

from msgspec import field

from scheduler_lab.engine.objects.base import KubeStruct
from scheduler_lab.engine.objects.meta import KubeObject

Rejection = Literal["Unschedulable", "UnschedulableAndUnresolvable", "Pending", "Error"]


class PluginVariable(KubeStruct):
    """A named part of expressions, read as `variables.<name>`; it is evaluated only where it is used."""

    name: str = ""
    expression: str = ""


class PluginExpression(KubeStruct):
    """An expression whose value is all that its extension point needs."""

    expression: str = ""


class PluginRule(KubeStruct):
    """An expression that judges, and how its rejection reads: the code, and a reason as text or as an expression."""

    expression: str = ""
    code: Rejection = "Unschedulable"
    reason: str = ""
    reason_expression: str = ""


class PluginPermit(PluginRule):
    """A Permit rule; `timeout_seconds` is how long "wait" waits at most (None: as long as the framework lets it)."""

    timeout_seconds: float | None = None


class PluginEvent(KubeStruct):
    """A kind of event that may make a rejected pod schedulable; the optional hint says for which objects."""

    resource: str = ""
    actions: list[str] = []
    hint_expression: str = ""


class PluginSpec(KubeStruct):
    """What the plugin does at each extension point; `events` None means that every event wakes its pods."""

    args: dict[str, Any] = {}
    variables: list[PluginVariable] = []
    events: list[PluginEvent] | None = None
    queue_sort: PluginExpression | None = None
    pre_enqueue: PluginRule | None = None
    pre_filter: PluginRule | None = None
    filter: PluginRule | None = None
    post_filter: PluginRule | None = None
    pre_score: PluginRule | None = None
    score: PluginExpression | None = None
    normalize_score: PluginExpression | None = None
    reserve: PluginRule | None = None
    unreserve: PluginExpression | None = None
    permit: PluginPermit | None = None
    pre_bind_pre_flight: PluginExpression | None = None
    pre_bind: PluginRule | None = None
    post_bind: PluginExpression | None = None


class Plugin(KubeObject):
    """The document; `metadata.name` is the plugin's name in a KubeSchedulerConfiguration."""

    api_version: str = "lab/v1"
    kind: str = "Plugin"
    spec: PluginSpec = field(default_factory=PluginSpec)
