"""Requests and limits."""

from scheduler_lab.engine.evidence.format import amounts
from scheduler_lab.engine.framework.resources import CPU
from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.objects.base import ResourceList
from scheduler_lab.engine.objects.containers import ResourceRequirements
from scheduler_lab.engine.objects.names import is_qualified_name
from scheduler_lab.engine.objects.quantity import NANO, Quantity

_PLAIN = frozenset({"cpu", "memory", "ephemeral-storage"})


def check_resources(resources: ResourceRequirements, path: Path, checker: Checker) -> None:
    """Negative amounts, unknown names, requests above limits, and resources that cannot be overcommitted."""
    check_amounts(resources.requests, (*path, "requests"), checker)
    check_amounts(resources.limits, (*path, "limits"), checker)
    for name in resources.requests.keys() | resources.limits.keys():
        _check_pair(name, resources, path, checker)


def _check_pair(name: str, resources: ResourceRequirements, path: Path, checker: Checker) -> None:
    request, limit = resources.requests.get(name), resources.limits.get(name)
    at = (*path, "requests" if request is not None else "limits", name)
    plain = name in _PLAIN
    if not plain and not name.startswith("hugepages-") and ("/" not in name or not is_qualified_name(name)):
        checker.warning(messages.RESOURCE_NAME, at, value=cut(name))
    if request is not None and limit is not None:
        if request > limit:
            value, bound = _alike(name, request, limit)
            checker.error(messages.OVER_LIMIT, at, value=value, limit=bound)
        elif request != limit and not plain:
            value, bound = _alike(name, request, limit)
            checker.error(messages.LIMIT_EQUAL, at, value=value, limit=bound, resource=name)
    elif request is not None and not plain:
        checker.warning(messages.LIMIT_MISSING, at, resource=name)
    if not plain and "/" in name:
        for amount in (request, limit):
            if amount is not None and amount.nanos % NANO:
                checker.error(messages.NOT_INTEGER, at, value=amount.text, resource=name)


def _alike(name: str, request: Quantity, limit: Quantity) -> list[str]:
    """Both amounts in one unit, so that they can be compared at sight; as written where that would round them."""
    unit = NANO // 1000 if name == CPU else NANO
    if request.nanos % unit or limit.nanos % unit:
        return [request.text, limit.text]
    return amounts(name, [request.nanos // unit, limit.nanos // unit])


def check_amounts(written: ResourceList, path: Path, checker: Checker) -> None:
    """Report negative amounts."""
    for name, amount in written.items():
        if amount.nanos < 0:
            checker.error(messages.NEGATIVE, (*path, name), value=amount.text)
