"""A further node: like one that is there, with room for the pod."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.evidence.format import amount, is_bytes
from scheduler_lab.engine.explain.edits import Create
from scheduler_lab.engine.explain.fixes.families.terms import wished_label
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.framework.resources import CPU, MEMORY, RequestFeatures, pod_resource
from scheduler_lab.engine.objects.node import Node
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.quantity import Quantity

HOSTNAME = "kubernetes.io/hostname"
_TEMPLATES = 3
_GIBI = 2**30


def new_node(situation: Situation) -> Iterator[Candidate]:
    """Nodes like those that came closest, one of each set of labels; a plain one if there is none."""
    unserved = any(entry["pod"] == situation.pod_key for entry in situation.record.get("x-unserved", []))
    if situation.spec_pod.spec.scheduling_gates or unserved:
        return
    closest = [r.node for r in situation.rejections] or list(situation.nodes)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for name in closest:
        node = situation.nodes.get(name)
        if node is None:
            continue
        labels = tuple(sorted((k, v) for k, v in node.metadata.labels.items() if k != HOSTNAME))
        if labels in seen or len(seen) >= _TEMPLATES:
            continue
        seen.add(labels)
        yield _like(situation, node)
    if not situation.nodes:
        yield _plain(situation)


def _like(situation: Situation, node: Node) -> Candidate:
    labels = {key: value for key, value in node.metadata.labels.items() if key != HOSTNAME}
    offered = node.status.allocatable or node.status.capacity
    amounts, larger = _amounts(situation.spec_pod, offered)
    names = {"node": node.metadata.name, "amounts": ", ".join(larger)}
    if larger:
        title = text(N_("Add a node like %(node)s, with %(amounts)s"), **names)
    else:
        title = text(N_("Add a node like %(node)s"), node=node.metadata.name)
    why = text(N_("A new node is empty, without taints, and has the labels that the pod asks for."))
    document = _document(_free_name(situation, node.metadata.name), labels | _wanted(situation.spec_pod), amounts)
    return Candidate("add-node", "cluster", title, why, (Create(document),), LARGE)


def _plain(situation: Situation) -> Candidate:
    amounts, _larger = _amounts(situation.spec_pod, {})
    document = _document("node-1", _wanted(situation.spec_pod), amounts)
    return Candidate(
        "add-node",
        "cluster",
        text(N_("Add a node")),
        text(N_("The cluster has no node, so there is nothing to choose from.")),
        (Create(document),),
        INTENDED,
    )


def _document(name: str, labels: dict[str, str], amounts: dict[str, str]) -> dict[str, object]:
    metadata = {"name": name, "labels": labels} if labels else {"name": name}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": amounts}}


def _free_name(situation: Situation, base: str) -> str:
    return next(name for n in range(2, len(situation.nodes) + 3) if (name := f"{base}-{n}") not in situation.nodes)


def _wanted(pod: Pod) -> dict[str, str]:
    """The labels that the pod asks a node for: nodeSelector and the first required term."""
    labels = dict(pod.spec.node_selector or {})
    affinity = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity is not None else None
    for requirement in (
        required.node_selector_terms[0].match_expressions if required and required.node_selector_terms else ()
    ):
        value = wished_label(requirement.key, requirement.operator, ", ".join(requirement.values), labels)
        if value:
            labels.setdefault(requirement.key, value)
    return {key: value for key, value in labels.items() if key != HOSTNAME}


def _amounts(pod: Pod, offered: dict[str, Quantity]) -> tuple[dict[str, str], list[str]]:
    """What the node offers: as much as the template, and no less than the pod asks for; and what is more than that."""
    request = pod_resource(pod, RequestFeatures())
    amounts = {name: quantity.text for name, quantity in offered.items()}
    larger: list[str] = []
    for name in dict.fromkeys([CPU, MEMORY, *_names(pod)]):
        wanted = request.get(name)
        has = offered.get(name)
        present = 0 if has is None else has.milli() if name == CPU else has.value()
        if wanted > present or (not offered and name in (CPU, MEMORY)):
            amounts[name] = amount(name, _rounded(name, wanted))
            larger.append(f"{name} {amounts[name]}")
    return amounts, larger


def _names(pod: Pod) -> list[str]:
    return [
        name
        for container in (*pod.spec.containers, *pod.spec.init_containers)
        for name in (*container.resources.requests, *container.resources.limits)
    ]


def _rounded(name: str, value: int) -> int:
    """Up to whole CPUs and GiB, and at least one."""
    unit = 1000 if name == CPU else _GIBI if is_bytes(name) else 1
    return max(1, -(-value // unit)) * unit
