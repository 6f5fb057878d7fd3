"""Which events may wake which pods: the plugins' registrations, by profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_lab.engine.framework.events import Action, ClusterEvent, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo

_POD_KINDS = (Resource.ASSIGNED_POD, Resource.UNSCHEDULABLE_POD)

_DEFAULT_RESOURCES = (
    Resource.POD,
    Resource.NODE,
    Resource.PERSISTENT_VOLUME,
    Resource.PERSISTENT_VOLUME_CLAIM,
    Resource.CSI_NODE,
    Resource.CSI_DRIVER,
    Resource.CSI_STORAGE_CAPACITY,
    Resource.STORAGE_CLASS,
    Resource.RESOURCE_CLAIM,
    Resource.DEVICE_CLASS,
)


def default_registrations(generic_workload: bool) -> list[Registration]:
    """What a plugin that registers nothing is woken by."""
    resources = (*_DEFAULT_RESOURCES, Resource.WORKLOAD) if generic_workload else _DEFAULT_RESOURCES
    return [Registration(resource, Action.ALL) for resource in resources]


def with_taint_registration(registrations: Sequence[Registration]) -> list[Registration]:
    """Add what kube-scheduler adds silently: who listens for new nodes is woken by any taint change too."""
    result = list(registrations)
    node_actions = [r.action for r in registrations if r.resource is Resource.NODE]
    listens_for_add = any(action & Action.ADD for action in node_actions)
    listens_for_taints = any(action & Action.UPDATE_NODE_TAINT for action in node_actions)
    if listens_for_add and not listens_for_taints:
        result.append(Registration(Resource.NODE, Action.UPDATE_NODE_TAINT))
    return result


def matches(registration: Registration, event: ClusterEvent) -> bool:
    """Whether a registration covers an event: same kind, and every bit of the event's action registered."""
    if event.resource is Resource.WILDCARD:
        return True
    same = registration.resource is event.resource or (
        registration.resource is Resource.POD and event.resource in _POD_KINDS
    )
    return same and event.action & registration.action == event.action


@dataclass(frozen=True, slots=True)
class HintCall:
    """One hint that was asked, and its answer; one that `failed` counts as Queue."""

    plugin: str
    answer: Hint
    failed: bool = False


class HintMap:
    """The registrations of every plugin of every profile."""

    def __init__(self) -> None:
        self._by_profile: dict[str, list[tuple[str, Registration]]] = {}
        self._listening: dict[tuple[str, ClusterEvent], list[tuple[str, Registration]]] = {}

    def register(self, profile: str, plugin: str, registrations: Iterable[Registration]) -> None:
        """Remember what `plugin` of `profile` wants to hear of."""
        self._by_profile.setdefault(profile, []).extend((plugin, registration) for registration in registrations)
        self._listening.clear()

    def _listeners(self, profile: str, event: ClusterEvent) -> list[tuple[str, Registration]]:
        """The registrations that cover an event, in order; events are few and the same ones come again and again."""
        key = (profile, event)
        found = self._listening.get(key)
        if found is None:
            entries = self._by_profile.get(profile, ())
            found = self._listening[key] = [entry for entry in entries if matches(entry[1], event)]
        return found

    def interesting(self, event: ClusterEvent) -> bool:
        """Whether any plugin of any profile registered for the event."""
        return event.resource is Resource.WILDCARD or any(
            self._listeners(profile, event) for profile in self._by_profile
        )

    def listening(self, event: ClusterEvent) -> dict[str, frozenset[str]]:
        """By profile, the plugins that registered for the event."""
        return {
            profile: frozenset(plugin for plugin, _ in self._listeners(profile, event)) for profile in self._by_profile
        }

    def gate_listens(self, profile: str, plugin: str, event: ClusterEvent) -> bool:
        """Whether a gating plugin registered for the event; wildcards never match."""
        if event.resource is Resource.WILDCARD:
            return False
        return any(name == plugin for name, _ in self._listeners(profile, event))

    def ask(
        self,
        profile: str,
        rejectors: Mapping[str, bool] | set[str],
        pod: PodInfo,
        event: ClusterEvent,
        old: Any,
        new: Any,
    ) -> Iterable[HintCall]:
        """Ask, in order, the hints of the plugins that rejected the pod; an error or no hint counts as Queue."""
        for plugin, registration in self._listeners(profile, event):
            if plugin not in rejectors:
                continue
            if registration.hint is None:
                yield HintCall(plugin, Hint.QUEUE)
                continue
            try:
                answer = registration.hint(pod, old, new)
            except ValueError:
                yield HintCall(plugin, Hint.QUEUE, failed=True)
                continue
            yield HintCall(plugin, answer)
