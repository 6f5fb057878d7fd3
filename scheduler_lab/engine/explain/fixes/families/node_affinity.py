"""NodeAffinity: labels that the pod asks for and nodes do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Remove, Set
from scheduler_lab.engine.explain.fixes.families.shared import SHOWN_NODES, label_node, written
from scheduler_lab.engine.explain.fixes.families.terms import relaxed_terms, wished_label
from scheduler_lab.engine.explain.fixes.model import INTENDED, LARGE, RELAXED, SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation, node_ref

_BASE = ("spec", "affinity", "nodeAffinity")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_REQUIREMENT = re.compile(r"(\S+) (In|NotIn|Exists|DoesNotExist|Gt|Lt)(?: \((.*)\))?")


def node_affinity(situation: Situation) -> Iterator[Candidate]:
    """Ask for a label that is there, ask for less, or label a node."""
    rejected = situation.by("NodeAffinity")
    blamed = any(verdict["plugin"] == "NodeAffinity" for verdict in situation.verdicts("preFilter"))
    blamed = blamed or "plugin(s) [NodeAffinity]" in situation.message
    if not rejected and not blamed:
        return
    yield from _selector(situation, rejected)
    for rejection in _nearest(rejected):
        yield from _label(situation, rejection)
    yield from relaxed_terms(situation, rejected)
    yield from _whole(situation)


def _nearest(rejected: list[Rejection]) -> list[Rejection]:
    """The nodes that lack least."""
    return sorted(rejected, key=lambda rejection: len(rejection.failed_rows))[:SHOWN_NODES]


# -- nodeSelector ------------------------------------------------------------------------------------------------


def _selector(situation: Situation, rejected: list[Rejection]) -> Iterator[Candidate]:
    selector = situation.spec_pod.spec.node_selector or {}
    seen: set[tuple[str, ...]] = set()
    for rejection in _nearest(rejected):
        lacking = [row[1].partition("=")[0] for row in rejection.failed_rows if row[0] == "nodeSelector"]
        keys = tuple(sorted(key for key in lacking if key in selector))
        if not keys or keys in seen:
            continue
        seen.add(keys)
        for key in keys:
            yield from _renamed(situation, key, selector[key])
        said = ", ".join(f"{key}={selector[key]}" for key in keys)
        yield Candidate(
            "drop-selector",
            "pod",
            text(N_("Do not ask for %(labels)s in nodeSelector"), labels=said),
            text(N_("Every label of nodeSelector is required, and %(node)s does not have it."), node=rejection.node),
            tuple(Remove(situation.pod_ref, ("spec", "nodeSelector", key)) for key in keys),
            LARGE,
        )


def _renamed(situation: Situation, key: str, value: str) -> Iterator[Candidate]:
    """The key under which nodes have the value today, or a value that they have."""
    labels = [node.metadata.labels for node in situation.nodes.values()]
    base = ("spec", "nodeSelector")
    for other in sorted({name for found in labels for name, present in found.items() if present == value}):
        if other != key and other.rpartition("/")[2] == key.rpartition("/")[2]:
            yield Candidate(
                "rename-selector",
                "pod",
                text(N_("Ask for %(new)s instead of %(old)s"), new=f"{other}={value}", old=f"{key}={value}"),
                text(N_("Nodes carry this label under another name.")),
                (Remove(situation.pod_ref, (*base, key)), Set(situation.pod_ref, (*base, other), value)),
                INTENDED,
            )
    values = sorted({found[key] for found in labels if key in found} - {value})
    near = get_close_matches(value, values, n=2, cutoff=0.7)
    for other in [*near, *(v for v in values if v not in near)][:3]:
        yield Candidate(
            "selector-value",
            "pod",
            text(N_("Ask for %(new)s instead of %(old)s"), new=f"{key}={other}", old=f"{key}={value}"),
            text(N_("There are nodes with this value.")),
            (Set(situation.pod_ref, (*base, key), other),),
            SMALL if other in near else LARGE,
        )


# -- nodes -------------------------------------------------------------------------------------------------------


def _label(situation: Situation, rejection: Rejection) -> Iterator[Candidate]:
    """The labels with which the node would match: those of nodeSelector and of the term that lacks least."""
    node = situation.nodes.get(rejection.node)
    if node is None:
        return
    failed: dict[str, list[str]] = {}
    for row in rejection.failed_rows:
        failed.setdefault(row[0], []).append(row[1])
    selector = failed.pop("nodeSelector", [])
    terms = {row[0] for row in rejection.rows} - {"nodeSelector"}
    wanted = [entry.partition("=")[::2] for entry in selector]
    changes: list[Change] = [Set(node_ref(node.metadata.name), ("metadata", "labels", k), v) for k, v in wanted]
    said = [f"{key}={value}" for key, value in wanted]
    if failed and not terms - set(failed):
        for requirement in min(failed.values(), key=len):
            match = _REQUIREMENT.fullmatch(requirement)
            label = wished_label(match[1], match[2], match[3], node.metadata.labels) if match else None
            if match is None or label is None:
                return
            if label == "":
                changes.append(Remove(node_ref(node.metadata.name), ("metadata", "labels", match[1])))
                said.append(f"{match[1]}-")
            else:
                changes.append(Set(node_ref(node.metadata.name), ("metadata", "labels", match[1]), label))
                said.append(f"{match[1]}={label}")
    if len(changes) == 1 and len(wanted) == 1:
        yield label_node(rejection.node, *wanted[0])
    elif changes:
        yield Candidate(
            "label-node",
            "cluster",
            text(N_("Label %(node)s with %(label)s"), node=rejection.node, label=", ".join(said)),
            text(N_("Then %(node)s is a node as the pod asks for."), node=rejection.node),
            tuple(changes),
            LARGE,
        )


# -- the whole rule ----------------------------------------------------------------------------------------------


def _whole(situation: Situation) -> Iterator[Candidate]:
    affinity = situation.spec_pod.spec.affinity
    node = affinity.node_affinity if affinity is not None else None
    required = node.required_during_scheduling_ignored_during_execution if node is not None else None
    if required is None:
        return
    by_name = any(term.match_fields for term in required.node_selector_terms)
    if required.node_selector_terms and not by_name:
        yield Candidate(
            "prefer-node",
            "pod",
            text(N_("Make the node affinity a preference")),
            text(N_("A preferred term gives points to the nodes that match, but does not exclude the others.")),
            (
                *(
                    Append(situation.pod_ref, (*_BASE, _PREFERRED), {"weight": 100, "preference": written(term)})
                    for term in required.node_selector_terms
                ),
                Remove(situation.pod_ref, (*_BASE, _REQUIRED)),
            ),
            RELAXED,
        )
    yield Candidate(
        "remove-node-affinity",
        "pod",
        text(N_("Remove the required node affinity")),
        text(N_("Then any node will do, as far as its labels and name go.")),
        (Remove(situation.pod_ref, (*_BASE, _REQUIRED)),),
        LARGE,
    )
