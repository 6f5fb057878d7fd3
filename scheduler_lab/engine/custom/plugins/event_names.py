"""The events a plugin may list, by upstream's names."""

from __future__ import annotations

from typing import Final

from scheduler_lab.engine.framework.events import Action, Resource


def _spelled(action: Action) -> str:
    """UPDATE_NODE_LABEL → UpdateNodeLabel."""
    return "".join(word.capitalize() for word in (action.name or "").split("_"))


RESOURCES: Final[dict[str, Resource]] = {
    **{resource.value.rpartition("/")[2]: resource for resource in Resource if resource is not Resource.WILDCARD},
    **{resource.value: resource for resource in Resource if resource is not Resource.WILDCARD},
}
"""Resource by kind, or with its API group in front as upstream writes it."""

ACTIONS: Final[dict[str, Action]] = {
    **{_spelled(action): action for action in Action},
    "Update": Action.UPDATE,
    "All": Action.ALL,
    "*": Action.ALL,
}
"""What happened to an object, by upstream's names."""
