"""NodePorts: a host port can be used by one pod of a node only.

Extension points: PreFilter, Filter. Arguments: none.
Wanted are the hostPorts > 0 of restartable init containers and app containers; hostIP defaults to 0.0.0.0, protocol
to TCP. PreFilter skips a pod without any.
Reason (Unschedulable): `node(s) didn't have free ports for the requested pod ports`.
Two ports conflict when protocol and number are equal and either IP is 0.0.0.0 or both are the same; `::` is an IP
like any other. Conflicts within one pod are not looked for.
Queueing hints: Pod/Delete, Queue when the deleted pod was assigned or nominated and held a wanted port; Node/Add
always Queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Table, text
from scheduler_lab.engine.evidence.marks import pod_mark
from scheduler_lab.engine.evidence.nominated import nominated_ahead, running
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.events import Action, Hint, Registration, Resource
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import ANY_IP, HostPort, NodeInfo, PodInfo, ports_conflict
from scheduler_lab.engine.framework.status import SKIP, Status, error, unschedulable

_TAKEN = unschedulable("node(s) didn't have free ports for the requested pod ports")
_KEY = "PreFilterNodePorts"
_NO_STATE = error(f'reading "{_KEY}" from cycleState: not found')


class _Wanted:
    """The host ports the pod wants."""

    __slots__ = ("ports",)

    def __init__(self, ports: tuple[HostPort, ...]) -> None:
        self.ports = ports

    def clone(self) -> _Wanted:
        return self


class NodePorts:
    """Models kube-scheduler v1.35 NodePorts."""

    name: ClassVar[str] = "NodePorts"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        """Skip without host ports."""
        if not pod.host_ports:
            return None, SKIP
        state.write(_KEY, _Wanted(pod.host_ports))
        return None, None

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        """Rejects a node where a wanted port is in use."""
        wanted: _Wanted | None = state.read(_KEY)
        if wanted is None:
            return _NO_STATE
        return _TAKEN if _conflicts(wanted.ports, node.used_ports) else None

    def events_to_register(self) -> Sequence[Registration]:
        """Deleted pods that held a wanted port, and any new node."""
        return [
            Registration(Resource.POD, Action.DELETE, _pod_deleted),
            Registration(Resource.NODE, Action.ADD),
        ]

    def explain_pre_filter(self, state: CycleState, pod: PodInfo) -> Evidence | None:
        """Which host ports the pod wants."""
        if not pod.host_ports:
            return Evidence(text(N_("%(pod)s asks for no hostPort."), pod=pod.key))
        sentence = text(N_("%(pod)s asks for host ports %(ports)s."), pod=pod.key, ports=_list(pod.host_ports))
        return Evidence(sentence, marks=_port_marks(pod, pod.host_ports))

    def explain_filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """Which pod uses which of the wanted ports."""
        if not pod.host_ports:
            return self.explain_pre_filter(state, pod)
        nominated = nominated_ahead(self._handle, pod, node)
        rows: list[list[str]] = []
        highlight: list[int] = []
        marks: list[Mark] = []
        taken: list[tuple[HostPort, PodInfo]] = []
        for port in dict.fromkeys(pod.host_ports):
            holders = [p for p in (*running(node, nominated), *nominated) if _conflicts((port,), p.host_ports)]
            if holders:
                highlight.append(len(rows))
                marks += _port_marks(pod, (port,))
            for holder in holders:
                taken.append((port, holder))
                marks += _port_marks(holder, [used for used in holder.host_ports if _conflicts((port,), (used,))])
            rows.append([port_text(port), ", ".join(holder.key for holder in holders) or "—"])
        table = Table([text(N_("Wanted host port")), text(N_("Held by"))], rows, highlight)
        if not taken:
            sentence = text(
                N_("The host ports that %(pod)s asks for (%(ports)s) are free on %(node)s."),
                pod=pod.key,
                ports=_list(pod.host_ports),
                node=node.name,
            )
            return Evidence(sentence, table=table, marks=_port_marks(pod, pod.host_ports))
        port, holder = taken[0]
        names = {"port": port_text(port), "pod": pod.key, "node": node.name, "holder": holder.key}
        if holder in nominated:
            sentence = text(
                N_("Host port %(port)s on %(node)s is kept for %(holder)s, which is nominated to it; %(pod)s waits."),
                **names,
            )
        else:
            sentence = text(N_("Host port %(port)s that %(pod)s asks for is held by %(holder)s on %(node)s."), **names)
        return Evidence(sentence, table=table, marks=list(dict.fromkeys(marks)))


def port_text(port: HostPort) -> str:
    """A host port as 8080/TCP, with the IP in front if it is a particular one."""
    ip, protocol, number = port
    return f"{number}/{protocol}" if ip == ANY_IP else f"[{ip}]:{number}/{protocol}"


def _list(ports: Sequence[HostPort]) -> str:
    return ", ".join(port_text(port) for port in dict.fromkeys(ports))


def _conflicts(wanted: Sequence[HostPort], used: Sequence[HostPort]) -> bool:
    return bool(used) and any(ports_conflict(port, used) for port in wanted)


def _port_marks(pod: PodInfo, ports: Sequence[HostPort]) -> list[Mark]:
    """The hostPort fields of a pod that ask for any of the ports."""
    spec = pod.pod.spec
    numbers = {(protocol, number) for _, protocol, number in ports}
    return [
        pod_mark(pod, f"spec.{field}[{index}].ports[{position}].hostPort")
        for field, containers in (("initContainers", spec.init_containers), ("containers", spec.containers))
        for index, container in enumerate(containers)
        if field == "containers" or container.restart_policy == "Always"
        for position, port in enumerate(container.ports)
        if (port.protocol or "TCP", port.host_port) in numbers
    ]


def _pod_deleted(waiting: PodInfo, old: PodInfo | None, new: PodInfo | None) -> Hint:
    if old is None or not (old.pod.spec.node_name or old.pod.status.nominated_node_name):
        return Hint.SKIP
    return Hint.QUEUE if _conflicts(waiting.host_ports, old.host_ports) else Hint.SKIP
