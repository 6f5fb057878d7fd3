"""One HTTP extender as kube-scheduler v1.35 calls it (HTTPExtender), against the rules of a document.

Nothing is ever sent over the network: a configuration reaches a `lab/v1 Extender` document through the host
`lab-extender-<name>`, and any other host answers as an unreachable one would. The texts of such failures are those of
Go's HTTP client.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from scheduler_lab.engine.configuration.types import Extender as ExtenderConfiguration
from scheduler_lab.engine.custom import extender_rules as rules
from scheduler_lab.engine.custom import extender_wire as wire
from scheduler_lab.engine.custom.extender_calls import MOST_NAMES, MOST_NODES, CallLog
from scheduler_lab.engine.custom.extender_rules import OK, FilterAnswer, Role
from scheduler_lab.engine.custom.extender_wire import Victims
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Code, Status, error
from scheduler_lab.engine.framework.statuses import NodeStatuses
from scheduler_lab.engine.objects.lab import Extender as Script
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.preemption import Candidate

HOST_PREFIX = "lab-extender-"
# 100, the range of a plugin's score, over 10, the range of an extender's.
SCALE = 10
Json = dict[str, Any]


class HttpExtender:
    """One extender: its configuration and, if its host is scripted, the document that answers."""

    def __init__(self, configuration: ExtenderConfiguration, scripts: Mapping[str, Script], log: CallLog) -> None:
        self.configuration = configuration
        host = _host(configuration.url_prefix)
        self.name = host.removeprefix(HOST_PREFIX)
        self._script = scripts.get(self.name) if host.startswith(HOST_PREFIX) else None
        self._managed = {resource.name for resource in configuration.managed_resources}
        self._log = log

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

    # -- the four calls ------------------------------------------------------------------------------------------

    def filter(
        self, pod: PodInfo, nodes: list[NodeInfo], cycle: Cycle, statuses: NodeStatuses
    ) -> tuple[list[NodeInfo], Status | None]:
        """(nodes left, failure)."""
        names = [node.name for node in nodes]
        call, failure = self._begin("filter", cycle, names)
        if self._script is None or failure is not None:
            return [], failure
        answer = rules.filter_nodes(self._script, names)
        self._log.exchange(cycle, call, lambda: self._filter_exchange(pod, nodes, answer))
        failure = self._received(call, answer.status, answer.error)
        left = [node for node in nodes if answer.passes(node.name)] if failure is None else []
        if failure is not None:
            result: Json = {"error": answer.error} if answer.error else {"httpStatus": answer.status}
        else:
            result = {"nodes": [node.name for node in left]} if left else {}
            result |= {"failed": answer.failed} if answer.failed else {}
            result |= {"failedAndUnresolvable": answer.unresolvable} if answer.unresolvable else {}
        self._note(cycle, call, result, nodes=names)
        for name, reason in answer.failed.items():
            statuses[name] = Status(Code.UNSCHEDULABLE, (reason,))
        for name, reason in answer.unresolvable.items():
            statuses[name] = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
        if not self.configuration.node_cache_capable:
            left = [NodeInfo(node.node) for node in left]
        return left, failure

    def prioritize(self, pod: PodInfo, nodes: Sequence[NodeInfo], cycle: Cycle) -> dict[str, int]:
        """Score × weight × 10 for the nodes the reply names; unbounded, and none at all after a failure."""
        names = [node.name for node in nodes]
        call, failure = self._begin("prioritize", cycle, names)
        if self._script is None or failure is not None:
            call["ignored"] = True
            return {}
        answer = rules.prioritize_nodes(self._script, names)
        self._log.exchange(cycle, call, lambda: self._prioritize_exchange(pod, nodes))
        failure = self._received(call, answer.status)
        if failure is not None:
            call["ignored"] = True
            self._note(cycle, call, {"httpStatus": answer.status}, nodes=names)
            return {}
        self._note(cycle, call, {"scores": answer.scores} if answer.scores else {}, nodes=names)
        return {name: score * self.configuration.weight * SCALE for name, score in answer.scores.items()}

    def preempt(
        self, pod: PodInfo, candidates: list[Candidate], cycle: Cycle | None
    ) -> tuple[list[Candidate], Status | None]:
        """(candidates kept, failure)."""
        offered = {c.node: [victim.key for victim in c.victims] for c in candidates}
        call, failure = self._begin("preemption", cycle, list(offered), victimsIn=offered)
        if self._script is None or failure is not None:
            return [], failure
        answer = rules.keep_candidates(self._script, offered)
        self._log.exchange(cycle, call, lambda: self._preemption_exchange(pod, candidates))
        failure = self._received(call, answer.status)
        if failure is not None:
            result: Json = {"error": answer.error} if answer.error else {}
            self._note(cycle, call, result | {"httpStatus": answer.status}, victimsIn=offered)
            return [], failure
        kept = [candidate for candidate in candidates if candidate.node in answer.kept]
        result = {"victims": {c.node: offered[c.node] for c in kept}} if kept else {}
        self._note(cycle, call, result, victimsIn=offered)
        return kept, None

    def bind(self, pod: PodInfo, node: str, cycle: Cycle) -> Status | None:
        """None if the extender agrees to bind."""
        call, failure = self._begin("bind", cycle, [node])
        if self._script is None or failure is not None:
            return failure
        answer = rules.bind_pod(self._script)
        self._log.exchange(cycle, call, lambda: (wire.bind_request(pod.pod, node), wire.bind_reply(answer), 0))
        failure = self._received(call, answer.status, answer.error)
        result: Json = {"httpStatus": answer.status} if answer.status != OK else {}
        self._note(cycle, call, {"error": answer.error} if answer.error else result, nodes=[node])
        return failure

    # -- request and reply as JSON -------------------------------------------------------------------------------

    def _shown(self, nodes: Sequence[NodeInfo]) -> Sequence[NodeInfo]:
        return nodes[: MOST_NAMES if self.configuration.node_cache_capable else MOST_NODES]

    def _filter_exchange(
        self, pod: PodInfo, nodes: Sequence[NodeInfo], answer: FilterAnswer
    ) -> tuple[Json, wire.Reply, int]:
        shown, brief = self._shown(nodes), self.configuration.node_cache_capable
        request = wire.nodes_request(pod.pod, _objects(shown), names_only=brief)
        items = request["NodeNames"] if brief else request["Nodes"]["items"]
        if len(shown) < len(nodes) and self._script is not None:
            answer = rules.filter_nodes(self._script, [node.name for node in shown])
        named = zip((node.name for node in shown), items, strict=True)
        return request, wire.filter_reply(answer, named, names_only=brief), len(nodes) - len(shown)

    def _prioritize_exchange(self, pod: PodInfo, nodes: Sequence[NodeInfo]) -> tuple[Json, wire.Reply, int]:
        shown, brief = self._shown(nodes), self.configuration.node_cache_capable
        request = wire.nodes_request(pod.pod, _objects(shown), names_only=brief)
        answer = rules.prioritize_nodes(self._script or Script(), [node.name for node in shown])
        return request, wire.prioritize_reply(answer), len(nodes) - len(shown)

    def _preemption_exchange(self, pod: PodInfo, candidates: list[Candidate]) -> tuple[Json, wire.Reply, int]:
        shown, brief = candidates[:MOST_NODES], self.configuration.node_cache_capable
        whole = {c.node: ([victim.pod for victim in c.victims], c.violations) for c in shown}
        victims = {c.node: Victims([victim.uid for victim in c.victims], c.violations) for c in shown}
        answer = rules.keep_candidates(self._script or Script(), victims)
        request = wire.preemption_request(pod.pod, whole, uids_only=brief)
        return request, wire.preemption_reply(answer, victims), len(candidates) - len(shown)

    # -- the connection ------------------------------------------------------------------------------------------

    def _begin(self, role: Role, cycle: Cycle | None, nodes: Sequence[str], **more: Any) -> tuple[Json, Status | None]:
        """(the call as the record has it, why no reply comes)."""
        verb = {
            "filter": self.configuration.filter_verb,
            "prioritize": self.configuration.prioritize_verb,
            "preemption": self.configuration.preempt_verb,
            "bind": self.configuration.bind_verb,
        }[role]
        timeout = self.configuration.http_timeout.seconds
        url = f"{self.configuration.url_prefix.rstrip('/')}/{verb}"
        call: Json = {"extender": self.name, "role": role, "verb": verb, "url": url, "timeout": timeout}
        call["asked"] = len(nodes)
        if cycle is not None:
            cycle.x_calls.append(call)
        failure = ""
        if self._script is None:
            call["unscripted"] = True
            failure = _unreachable(url)
        elif (latency := self._script.latency_seconds) > 0:
            late = 0 < timeout <= latency
            call["seconds"] = timeout if late else latency
            failure = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)" if late else ""
        if not failure:
            return call, None
        call["error"] = f'Post "{url}": {failure}'
        if self._script is not None:
            self._note(cycle, call, {"error": call["error"]}, **(more or {"nodes": list(nodes)}))
        return call, self._failed(call)

    def _received(self, call: Json, status: int, failure: str = "") -> Status | None:
        """What the scheduler makes of a reply: None if it goes on with its content."""
        call["status"] = status
        if status != OK:
            failure = f"failed {call['verb']} with extender at URL {call['url']}, code {status}"
        if not failure:
            return None
        call["error"] = failure
        return self._failed(call)

    def _failed(self, call: Json) -> Status:
        if self.configuration.ignorable:
            call["ignored"] = True
        return error(call["error"])

    def _note(self, cycle: Cycle | None, call: Json, result: Json, **more: Any) -> None:
        if cycle is not None:
            call["entry"] = len(cycle.extenders)
            cycle.extenders.append({"name": self.name, "verb": call["verb"], "result": result, **more})


def _objects(nodes: Sequence[NodeInfo]) -> list[Node]:
    return [node.node for node in nodes if node.node is not None]


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _unreachable(url: str) -> str:
    """Why Go's client cannot connect, where nothing listens and no name but localhost resolves."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return "invalid URL"
    if parts.scheme not in ("http", "https"):
        return f'unsupported protocol scheme "{parts.scheme}"'
    host = parts.hostname or ""
    try:
        address = ipaddress.ip_address("127.0.0.1" if host in ("localhost", "") else host)
    except ValueError:
        return f"dial tcp: lookup {host}: no such host"
    shown = f"[{address}]" if address.version == 6 else str(address)
    return f"dial tcp {shown}:{port}: connect: connection refused"
