"""From the value of an expression to the answer that its extension point gives the framework."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from scheduler_lab.engine.custom.plugins.evaluation import EvaluationError
from scheduler_lab.engine.framework.runtime import MAX_PERMIT_TIMEOUT_SECONDS
from scheduler_lab.engine.framework.status import Code, Status
from scheduler_lab.engine.objects.lab_plugin import PluginPermit, PluginRule

_JUDGED: Final = frozenset(
    {Code.SUCCESS, Code.ERROR, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING}
)
_CODES: Final[dict[str, frozenset[Code]]] = {"preFilter": _JUDGED | {Code.SKIP}, "preScore": _JUDGED | {Code.SKIP}}
_STATUS: Final = frozenset({"code", "reason", "reasons"})
_MORE: Final[dict[str, frozenset[str]]] = {
    "preFilter": frozenset({"nodes", "state"}),
    "preScore": frozenset({"state"}),
    "postFilter": frozenset({"node", "victims"}),
    "permit": frozenset({"action", "timeoutSeconds", "allow", "reject", "activate"}),
}
_UNRESERVE: Final = frozenset({"reject", "allow", "activate", "reason"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One extension point of a document: how it answers when its expression does not say."""

    point: str
    plugin: str
    written: PluginRule
    reason: Callable[[], str]

    @property
    def rejection(self) -> Status:
        """The answer of an expression that says no more than no."""
        return Status(Code(self.written.code), (self.reason(),))


@dataclass(frozen=True, slots=True)
class Wishes:
    """What Permit and Unreserve want done to pods that wait on the plugin, and to pods in the queue, as ns/name."""

    allow: list[str] = field(default_factory=list)
    reject: list[str] = field(default_factory=list)
    activate: list[str] = field(default_factory=list)


def status_of(value: object, rule: Rule) -> Status | None:
    """The status of a bool, a reason, or a map of code and reason; raises EvaluationError for anything else."""
    if isinstance(value, bool):
        return None if value else rule.rejection
    if isinstance(value, str):
        return Status(Code(rule.written.code), (value,)) if value else None
    if isinstance(value, dict):
        return _status_of_map(value, rule)
    raise _unusable(rule.point, value, "a bool, a string or a map")


def _status_of_map(value: dict[Any, Any], rule: Rule) -> Status | None:
    _check_members(value, _STATUS | _MORE.get(rule.point, frozenset()), rule.point)
    reasons = _strings(value, "reasons", rule.point)
    if "reason" in value:
        reasons = [_string(value, "reason", rule.point), *reasons]
    reasons = [reason for reason in reasons if reason]
    if "code" not in value:
        return Status(Code(rule.written.code), tuple(reasons)) if reasons else None
    text = _string(value, "code", rule.point)
    allowed = _CODES.get(rule.point, _JUDGED)
    code = next((code for code in allowed if code.value == text), None)
    if code is None:
        choices = ", ".join(sorted(code.value for code in allowed))
        raise EvaluationError(f"{rule.point} expression: {text!r} is no code of this extension point: {choices}")
    if code is Code.SUCCESS:
        return None
    if code is Code.SKIP:
        return Status(Code.SKIP)
    return Status(code, tuple(reasons) or (rule.reason(),))


def nodes_of(value: object) -> frozenset[str] | None:
    """The only nodes worth looking at, by PreFilter; None for all."""
    if not isinstance(value, dict) or "nodes" not in value:
        return None
    return frozenset(_strings(value, "nodes", "preFilter"))


def state_of(value: object, point: str) -> dict[str, Any]:
    """What PreFilter or PreScore wants remembered in this cycle."""
    state = value.get("state", {}) if isinstance(value, dict) else {}
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise _unusable(f"{point} state", state, "a map with strings as keys")
    return state


def score_of(value: object, point: str) -> int:
    """A node's score; its range is the framework's business."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _unusable(point, value, "an int")


def truth_of(value: object, point: str) -> bool:
    """A bool."""
    if isinstance(value, bool):
        return value
    raise _unusable(point, value, "a bool")


def text_of(value: object, point: str) -> str:
    """A string."""
    if isinstance(value, str):
        return value
    raise _unusable(point, value, "a string")


# -- Permit ----------------------------------------------------------------------------------------------------


def permit_of(value: object, rule: Rule) -> tuple[Status | None, float, Wishes]:
    """(status, seconds to wait at most, what else to do)."""
    if isinstance(value, bool):
        return (None if value else rule.rejection), 0.0, Wishes()
    wishes = wishes_of(value, "permit") if isinstance(value, dict) else Wishes()
    action, timeout, reason = value, None, ""
    if isinstance(value, dict):
        _check_members(value, _STATUS | _MORE["permit"], "permit")
        if "action" not in value:
            return _status_of_map(value, rule), 0.0, wishes
        action, timeout, reason = value["action"], value.get("timeoutSeconds"), _string(value, "reason", "permit")
    if action in ("allow", ""):
        return None, 0.0, wishes
    if action == "deny":
        code = _string(value, "code", "permit") if isinstance(value, dict) else ""
        status = {"code": code or rule.written.code, "reason": reason}
        return _status_of_map(status, rule), 0.0, wishes
    if action == "wait":
        reasons = (reason,) if reason else (rule.written.reason,) if rule.written.reason else ()
        return Status(Code.WAIT, reasons), _timeout(timeout, rule.written), wishes
    raise EvaluationError(f"permit expression: {_shown(action)} is no action: allow, deny or wait")


def _timeout(given: Any, written: PluginRule) -> float:
    if given is None:
        given = written.timeout_seconds if isinstance(written, PluginPermit) else None
    if given is None:
        return float(MAX_PERMIT_TIMEOUT_SECONDS)
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise _unusable("permit timeoutSeconds", given, "a number of seconds, 0 or more")
    return min(float(given), float(MAX_PERMIT_TIMEOUT_SECONDS))


def wishes_of(value: object, point: str) -> Wishes:
    """The pods to allow, reject and activate; for Unreserve a list is the pods to reject."""
    if isinstance(value, list):
        return Wishes(reject=_strings({"reject": value}, "reject", point))
    if not isinstance(value, dict):
        raise _unusable(point, value, "a list or a map")
    if point == "unreserve":
        _check_members(value, _UNRESERVE, point)
    return Wishes(*(_strings(value, name, point) for name in ("allow", "reject", "activate")))


# -- PostFilter ------------------------------------------------------------------------------------------------


def nomination_of(value: object) -> tuple[str, list[str]]:
    """(node to nominate or "", pods to evict as ns/name) of a node's name, a list of victims, or a map of both."""
    if isinstance(value, str):
        return value, []
    if isinstance(value, list):
        return "", _strings({"victims": value}, "victims", "postFilter")
    if isinstance(value, dict):
        return _string(value, "node", "postFilter"), _strings(value, "victims", "postFilter")
    raise _unusable("postFilter", value, "a string, a list or a map")


def no_nomination(value: object, rule: Rule) -> Status:
    """The answer of a PostFilter expression that names nothing."""
    if isinstance(value, dict):
        status = _status_of_map(value, rule)
        if status is not None:
            return status
    text = rule.written.reason or (rule.reason() if rule.written.reason_expression else "")
    return Status(Code(rule.written.code), (text,) if text else ())


# -- members of maps -------------------------------------------------------------------------------------------


def _check_members(value: dict[Any, Any], known: frozenset[str], point: str) -> None:
    for key in value:
        if key not in known:
            raise EvaluationError(f"{point} expression: there is no member {_shown(key)}: {', '.join(sorted(known))}")


def _string(value: object, name: str, point: str) -> str:
    found = value.get(name, "") if isinstance(value, dict) else ""
    if not isinstance(found, str):
        raise _unusable(f"{point} {name}", found, "a string")
    return found


def _strings(value: dict[Any, Any], name: str, point: str) -> list[str]:
    found = value.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise _unusable(f"{point} {name}", found, "a list of strings")
    return found


def _unusable(what: str, value: object, wanted: str) -> EvaluationError:
    return EvaluationError(f"{what} expression: {_shown(value)} is not {wanted}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
