"""NodePorts: a host port of the pod is in use."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Change, Remove, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, delete_pods
from scheduler_lab.engine.explain.fixes.model import LARGE, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.manifests.located import Path, parse_path
from scheduler_lab.engine.objects.containers import ContainerPort
from scheduler_lab.engine.objects.pod import Pod

_HIGHEST = 65535


def host_ports(situation: Situation) -> Iterator[Candidate]:
    """Another port, none, the pod's own network, or the pod gone that holds it."""
    rejected = situation.by("NodePorts")
    if not rejected:
        return
    pod = situation.spec_pod
    for rejection in rejected:
        taken = [(path, port) for path in _paths(rejection.paths("Pod", situation.name)) if (port := _port(pod, path))]
        yield from _other_ports(situation, taken)
    if pod.spec.host_network:
        yield Candidate(
            "own-network",
            "pod",
            text(N_("Give the pod its own network (no hostNetwork)")),
            text(N_("With hostNetwork every containerPort is a host port, and one pod of a node can have it.")),
            (Remove(situation.pod_ref, ("spec", "hostNetwork")),),
        )
    holders = [
        list(dict.fromkeys(key for row in rejection.failed_rows for key in row[1].split(", ")))
        for rejection in rejected[:SHOWN_NODES]
    ]
    yield from delete_pods(situation, holders)


def _paths(paths: list[str]) -> list[Path]:
    """The ports that the evidence marks, without members of a port."""
    found = []
    for path in map(parse_path, paths):
        if "ports" in path and len(path) > path.index("ports") + 1:
            found.append(path[: path.index("ports") + 2])
    return list(dict.fromkeys(found))


def _port(pod: Pod, path: Path) -> ContainerPort | None:
    containers = pod.spec.init_containers if path[1] == "initContainers" else pod.spec.containers
    container, index = path[2], path[4]
    if isinstance(container, int) and isinstance(index, int) and container < len(containers):
        ports = containers[container].ports
        return ports[index] if index < len(ports) else None
    return None


def _other_ports(situation: Situation, taken: list[tuple[Path, ContainerPort]]) -> Iterator[Candidate]:
    """New numbers for all the ports that are taken, or none."""
    written = [(path, port) for path, port in taken if port.host_port]
    if not written:
        return
    used = {
        port.host_port or port.container_port
        for other in situation.pods.values()
        for container in (*other.spec.containers, *other.spec.init_containers)
        for port in container.ports
    }
    changes: list[Change] = []
    numbers: list[str] = []
    for path, port in written:
        free = next((n for n in range(port.host_port + 1, _HIGHEST + 1) if n not in used), None)
        if free is None:
            return
        used.add(free)
        numbers.append(str(free))
        changes.append(Set(situation.pod_ref, (*path, "hostPort"), free))
        if situation.spec_pod.spec.host_network:
            changes.append(Set(situation.pod_ref, (*path, "containerPort"), free))
    old = ", ".join(str(port.host_port) for _, port in written)
    yield Candidate(
        "other-port",
        "pod",
        text(N_("Use host port %(new)s instead of %(old)s"), new=", ".join(numbers), old=old),
        text(N_("A host port belongs to one pod of a node.")),
        tuple(changes),
        SMALL,
    )
    if not situation.spec_pod.spec.host_network:
        yield Candidate(
            "no-host-port",
            "pod",
            text(N_("Do without host port %(old)s"), old=old),
            text(N_("A Service reaches the container without taking a port of the node.")),
            tuple(Remove(situation.pod_ref, (*path, "hostPort")) for path, _ in written),
            LARGE,
        )
