"""HTTP extenders, scripted by `lab/v1 Extender` documents (kube-scheduler v1.35, HTTPExtender).

Nothing is ever called over the network: a configuration reaches a script through the host `lab-extender-<name>`, and
any other host answers as an unreachable one would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from scheduler_lab.engine.configuration.types import Extender as ExtenderConfiguration
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Code, Status, error
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.lab import Extender as Script
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.preemption import Candidate

HOST_PREFIX = "lab-extender-"
# 100, the range of a plugin's score, over 10, the range of an extender's.
SCALE = 10
T = TypeVar("T")


class Extenders:
    """All extenders of a configuration, ignorable ones after the others, shared by every profile."""

    def __init__(
        self,
        configured: Sequence[ExtenderConfiguration],
        scripts: Iterable[Script],
        bind: Callable[[PodInfo, str], str],
    ) -> None:
        by_name = {script.name: script for script in scripts}
        self._extenders = [_Extender(configuration, by_name) for configuration in configured]
        self._bind = bind
        self.cycle: Cycle | None = None

    def __bool__(self) -> bool:
        return bool(self._extenders)

    @property
    def score_or_filter(self) -> bool:
        """Whether any extender filters or prioritizes."""
        return any(e.configuration.filter_verb or e.configuration.prioritize_verb for e in self._extenders)

    def filter(
        self, pod: PodInfo, nodes: list[NodeInfo], cycle: Cycle, statuses: NodeStatuses
    ) -> tuple[list[NodeInfo], Status | None]:
        """(nodes that every extender leaves, failure); reasons go to `statuses`.

        An extender without nodeCacheCapable hands back bare nodes: later plugins see them without their pods.
        """
        for extender in self._extenders:
            if not nodes:
                break
            if not extender.configuration.filter_verb or not extender.interested(pod):
                continue
            left, failure = extender.filter(nodes, cycle, statuses)
            if failure is not None:
                if extender.configuration.ignorable:
                    continue
                return [], failure
            nodes = left
        return nodes, None

    def prioritize(self, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle) -> dict[str, dict[str, int]]:
        """What each interested extender adds to the totals, by urlPrefix and node; errors add nothing.

        An extender without a prioritize verb scores every node 0.
        """
        found: dict[str, dict[str, int]] = {}
        for extender in self._extenders:
            if not extender.interested(pod):
                continue
            if extender.configuration.prioritize_verb:
                scores = extender.prioritize(nodes, cycle)
            else:
                scores = dict.fromkeys((node.name for node in nodes), 0)
            if scores:
                found[extender.configuration.url_prefix] = scores
        return found

    def preempt(self, pod: PodInfo, candidates: list[Candidate]) -> tuple[list[Candidate], Status | None]:
        """(candidates that every extender with a preempt verb keeps, failure)."""
        for extender in self._extenders:
            if not candidates:
                break
            if not extender.configuration.preempt_verb or not extender.interested(pod):
                continue
            kept, failure = extender.preempt(candidates, self.cycle)
            if failure is not None:
                if extender.configuration.ignorable:
                    continue
                return [], failure
            candidates = kept
        return candidates, None

    def bind(self, pod: PodInfo, node: str, cycle: Cycle) -> tuple[bool, Status | None]:
        """(whether an extender took the binding, failure)."""
        for extender in self._extenders:
            if not extender.configuration.bind_verb or not extender.interested(pod):
                continue
            failure = extender.bind(node, cycle)
            if failure is None:
                refusal = self._bind(pod, node)
                return True, error(refusal) if refusal else None
            if not extender.configuration.ignorable:
                return True, failure
        return False, None


class _Extender:
    """One extender: its configuration and, if its host is scripted, the script."""

    def __init__(self, configuration: ExtenderConfiguration, scripts: dict[str, Script]) -> None:
        self.configuration = configuration
        host = urlsplit(configuration.url_prefix).hostname or ""
        self.name = host.removeprefix(HOST_PREFIX)
        self._script = scripts.get(self.name) if host.startswith(HOST_PREFIX) else None
        self._host = host
        self._managed = {resource.name for resource in configuration.managed_resources}

    def interested(self, pod: PodInfo) -> bool:
        """Every pod, or those with a managed resource in some container's requests or limits."""
        if not self._managed:
            return True
        spec = pod.pod.spec
        return any(
            name in self._managed
            for container in (*spec.containers, *spec.init_containers)
            for amounts in (container.resources.requests, container.resources.limits)
            for name in amounts
        )

    def _url(self, verb: str) -> str:
        return f"{self.configuration.url_prefix.rstrip('/')}/{verb}"

    def _note(self, cycle: Cycle | None, verb: str, result: dict[str, Any], **more: Any) -> None:
        if cycle is not None:
            cycle.extenders.append({"name": self.name, "verb": verb, "result": result, **more})

    def _unreachable(self, verb: str) -> Status:
        return error(f'Post "{self._url(verb)}": dial tcp: lookup {self._host}: no such host')

    def filter(
        self, nodes: list[NodeInfo], cycle: Cycle, statuses: NodeStatuses
    ) -> tuple[list[NodeInfo], Status | None]:
        """(nodes left, failure)."""
        verb, names = self.configuration.filter_verb, [node.name for node in nodes]
        if self._script is None:
            return [], self._unreachable(verb)
        answer = self._script.filter
        if answer is not None and answer.http_status not in (0, 200):
            self._note(cycle, verb, {"httpStatus": answer.http_status}, nodes=names)
            return [], error(f"failed {verb} with extender at URL {self._url(verb)}, code {answer.http_status}")
        if answer is not None and answer.error:
            self._note(cycle, verb, {"error": answer.error}, nodes=names)
            return [], error(answer.error)
        failed = _among(answer.failed, names) if answer is not None else {}
        unresolvable = _among(answer.failed_and_unresolvable, names) if answer is not None else {}
        left = [node for node in nodes if node.name not in failed and node.name not in unresolvable]
        result: dict[str, Any] = {"nodes": [node.name for node in left]} if left else {}
        result |= {"failed": failed} if failed else {}
        result |= {"failedAndUnresolvable": unresolvable} if unresolvable else {}
        self._note(cycle, verb, result, nodes=names)
        for name, reason in failed.items():
            statuses[name] = Status(Code.UNSCHEDULABLE, (reason,))
        for name, reason in unresolvable.items():
            statuses[name] = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
        if not self.configuration.node_cache_capable:
            left = [NodeInfo(node.node) for node in left]
        return left, None

    def prioritize(self, nodes: Sequence[NodeInfo], cycle: Cycle) -> dict[str, int]:
        """Score × weight × 10 for the nodes the script names; unbounded."""
        verb, names = self.configuration.prioritize_verb, [node.name for node in nodes]
        if self._script is None:
            return {}
        scores = _among(self._script.prioritize or {}, names)
        self._note(cycle, verb, {"scores": scores} if scores else {}, nodes=names)
        return {name: score * self.configuration.weight * SCALE for name, score in scores.items()}

    def preempt(self, candidates: list[Candidate], cycle: Cycle | None) -> tuple[list[Candidate], Status | None]:
        """(candidates kept, failure)."""
        verb = self.configuration.preempt_verb
        if self._script is None:
            return [], self._unreachable(verb)
        offered = {c.node: [victim.key for victim in c.victims] for c in candidates}
        answer = self._script.preempt
        if answer is not None and answer.error:
            self._note(cycle, verb, {"error": answer.error, "httpStatus": 500}, victimsIn=offered)
            return [], error(f"failed {verb} with extender at URL {self._url(verb)}, code 500")
        kept = candidates
        if answer is not None:
            kept = [
                c for c in candidates if (answer.keep is None or c.node in answer.keep) and c.node not in answer.drop
            ]
        result = {"victims": {c.node: offered[c.node] for c in kept}} if kept else {}
        self._note(cycle, verb, result, victimsIn=offered)
        return kept, None

    def bind(self, node: str, cycle: Cycle) -> Status | None:
        """None if the extender agrees to bind."""
        verb = self.configuration.bind_verb
        if self._script is None:
            return self._unreachable(verb)
        refusal = self._script.bind.error if self._script.bind is not None else ""
        self._note(cycle, verb, {"error": refusal} if refusal else {}, nodes=[node])
        return error(refusal) if refusal else None


def _among(by_node: dict[str, T], nodes: Sequence[str]) -> dict[str, T]:
    return {name: by_node[name] for name in nodes if name in by_node}
