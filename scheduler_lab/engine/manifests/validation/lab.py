"""The lab's own documents."""

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.objects.lab import Extender, Options, Timeline, TimelineStep

_ACTIONS = (
    "apply",
    "delete",
    "settle",
    "allowWaiting",
    "rejectWaiting",
    "advanceSeconds",
    "cordon",
    "uncordon",
    "taint",
    "untaint",
    "resize",
    "addNode",
    "removeNode",
    "stopScheduler",
    "terminateScheduler",
    "startScheduler",
)
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def check_options(options: Options, checker: Checker) -> None:
    """The bounds of a run."""
    for name, number in (("maxCycles", options.max_cycles), ("maxErrorAttempts", options.max_error_attempts)):
        if number < 0:
            checker.error(messages.NEGATIVE, (name,), value=str(number))


def check_extender(extender: Extender, checker: Checker) -> None:
    """That its answers are such as HTTP has."""
    if extender.latency_seconds < 0:
        checker.error(messages.NEGATIVE, ("latencySeconds",), value=f"{extender.latency_seconds:g}")
    if extender.http_status:
        checker.within(extender.http_status, 200, 599, ("httpStatus",))
    if extender.filter is not None and extender.filter.http_status:
        checker.within(extender.filter.http_status, 200, 599, ("filter", "httpStatus"))


def check_timeline(timeline: Timeline, checker: Checker) -> None:
    """That each step does something, and to whom."""
    for index, step in enumerate(timeline.steps):
        at = ("steps", index)
        actions = (step.apply, step.delete, step.settle or None, step.allow_waiting, step.reject_waiting)
        node_actions = (step.cordon, step.uncordon, step.taint, step.untaint, step.resize, step.add_node)
        processes = (step.stop_scheduler, step.terminate_scheduler, step.start_scheduler)
        given = sum(action is not None for action in (*actions, *node_actions, step.remove_node, *processes))
        if not given and step.advance_seconds is None:
            checker.error(messages.STEP_ACTION, at, choices=", ".join(_ACTIONS))
        if step.delete is not None:
            checker.required(step.delete.kind, (*at, "delete", "kind"))
            checker.required(step.delete.name, (*at, "delete", "name"))
        for name, pod in (("allowWaiting", step.allow_waiting), ("rejectWaiting", step.reject_waiting)):
            if pod is not None and len([part for part in pod.split("/") if part]) != 2:
                checker.error(messages.STEP_TARGET, (*at, name), value=cut(pod))
        if step.advance_seconds is not None and step.advance_seconds < 0:
            checker.error(messages.NEGATIVE, (*at, "advanceSeconds"), value=str(step.advance_seconds))
        _check_node_steps(step, checker, at)
        for name, process in zip(_ACTIONS[-3:], processes, strict=True):
            if process is not None:
                checker.required(process, (*at, name))


def _check_node_steps(step: TimelineStep, checker: Checker, at: tuple[str, int]) -> None:
    for name, node in (("cordon", step.cordon), ("uncordon", step.uncordon), ("removeNode", step.remove_node)):
        if node is not None:
            checker.required(node, (*at, name))
    for name, taint in (("taint", step.taint), ("untaint", step.untaint)):
        if taint is not None:
            checker.required(taint.node, (*at, name, "node"))
            checker.required(taint.key, (*at, name, "key"))
            checker.one_of(taint.effect, _EFFECTS, (*at, name, "effect"))
    if step.taint is not None:
        checker.required(step.taint.effect, (*at, "taint", "effect"))
    if step.resize is not None:
        checker.required(step.resize.node, (*at, "resize", "node"))
    if step.add_node is not None:
        checker.required(step.add_node.name, (*at, "addNode", "name"))
        checker.required(step.add_node.like, (*at, "addNode", "like"))
