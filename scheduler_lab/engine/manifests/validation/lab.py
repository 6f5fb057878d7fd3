"""The lab's own documents."""

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.objects.lab import Options, Timeline

_ACTIONS = ("apply", "delete", "settle", "allowWaiting", "rejectWaiting", "advanceSeconds")


def check_options(options: Options, checker: Checker) -> None:
    """The bounds of a run."""
    for name, number in (("maxCycles", options.max_cycles), ("maxErrorAttempts", options.max_error_attempts)):
        if number < 0:
            checker.error(messages.NEGATIVE, (name,), value=str(number))


def check_timeline(timeline: Timeline, checker: Checker) -> None:
    """That each step does something, and to whom."""
    for index, step in enumerate(timeline.steps):
        at = ("steps", index)
        actions = (step.apply, step.delete, step.settle or None, step.allow_waiting, step.reject_waiting)
        given = sum(action is not None for action in actions) + (step.advance_seconds is not None)
        if not given:
            checker.error(messages.STEP_ACTION, at, choices=", ".join(_ACTIONS))
        if step.delete is not None:
            checker.required(step.delete.kind, (*at, "delete", "kind"))
            checker.required(step.delete.name, (*at, "delete", "name"))
        for name, pod in (("allowWaiting", step.allow_waiting), ("rejectWaiting", step.reject_waiting)):
            if pod is not None and len([part for part in pod.split("/") if part]) != 2:
                checker.error(messages.STEP_TARGET, (*at, name), value=cut(pod))
        if step.advance_seconds is not None and step.advance_seconds < 0:
            checker.error(messages.NEGATIVE, (*at, "advanceSeconds"), value=str(step.advance_seconds))
