"""The lab's own documents (lab/v1): Options, Timeline, Extender and Permit."""

from typing import Literal

from msgspec import field

from scheduler_lab.engine.objects.base import Int64, KubeStruct, ResourceList
from scheduler_lab.engine.objects.meta import KubeObject


class Options(KubeObject):
    """How the run behaves: feature gates, whether evicted pods take their grace period, and where the run stops."""

    api_version: str = "lab/v1"
    kind: str = "Options"
    feature_gates: dict[str, bool] = {}
    graceful_eviction: bool = False
    max_cycles: Int64 = 200
    max_error_attempts: Int64 = 3


class DeleteStep(KubeStruct):
    """Which object a step deletes; an empty namespace means `default` for namespaced kinds."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    api_version: str = ""


class TaintStep(KubeStruct):
    """A taint that a step puts on a node, or takes off it (then an empty effect means every effect of the key)."""

    node: str = ""
    key: str = ""
    value: str = ""
    effect: str = ""


class ResizeStep(KubeStruct):
    """New amounts of a node's allocatable resources; those not named stay."""

    node: str = ""
    allocatable: ResourceList = {}


class AddNodeStep(KubeStruct):
    """A further node with the labels, taints and resources that the node `like` has at that moment."""

    name: str = ""
    like: str = ""


class TimelineStep(KubeStruct):
    """One action after the first settle; exactly one of the members (besides `message`) is set.

    From `cordon` on they are conveniences for what a person does to a cluster with kubectl or a node group; the last
    three are about scheduler processes (see lab_scheduler).
    """

    apply: str | None = None
    delete: DeleteStep | None = None
    settle: bool = False
    allow_waiting: str | None = None
    reject_waiting: str | None = None
    message: str = ""
    advance_seconds: float | None = None
    cordon: str | None = None
    uncordon: str | None = None
    taint: TaintStep | None = None
    untaint: TaintStep | None = None
    resize: ResizeStep | None = None
    add_node: AddNodeStep | None = None
    remove_node: str | None = None
    stop_scheduler: str | None = None
    terminate_scheduler: str | None = None
    start_scheduler: str | None = None


class Timeline(KubeObject):
    """What happens, step by step, after everything in the text has settled."""

    api_version: str = "lab/v1"
    kind: str = "Timeline"
    steps: list[TimelineStep] = []


class ExtenderFilter(KubeStruct):
    """The answer to a filter call: reasons by node, an error text, or an HTTP status other than 200."""

    failed: dict[str, str] = {}
    failed_and_unresolvable: dict[str, str] = {}
    error: str = ""
    http_status: Int64 = 0


class ExtenderBind(KubeStruct):
    """The answer to a bind call."""

    error: str = ""


class ExtenderPreempt(KubeStruct):
    """The answer to a preempt call: the candidate nodes to keep (absent: all) and to drop, or an error."""

    keep: list[str] | None = None
    drop: list[str] = []
    error: str = ""


class Extender(KubeObject):
    """A scripted HTTP extender, reached from a configuration as host `lab-extender-<name>`.

    `http_status` other than 200 and `latency_seconds` hold for every call; a call that takes as long as the
    configuration's httpTimeout has failed by then.
    """

    api_version: str = "lab/v1"
    kind: str = "Extender"
    name: str = ""
    http_status: Int64 = 0
    latency_seconds: float = 0
    filter: ExtenderFilter | None = None
    prioritize: dict[str, Int64] | None = None
    bind: ExtenderBind | None = None
    preempt: ExtenderPreempt | None = None


class PermitRule(KubeStruct):
    """What LabPermit does with pods that carry `pod_label` ("key=value"; empty matches every pod)."""

    pod_label: str = ""
    action: Literal["allow", "deny", "wait", "error"] = "allow"
    timeout_seconds: float = 0
    reason: str = ""


class Permit(KubeObject):
    """The rules of the scripted plugin LabPermit; the first that matches decides, no match allows."""

    api_version: str = "lab/v1"
    kind: str = "Permit"
    rules: list[PermitRule] = field(default_factory=list)
