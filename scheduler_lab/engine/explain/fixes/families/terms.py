"""Required terms of a node affinity, loosened just so far that a node matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Remove, Set
from scheduler_lab.engine.explain.fixes.model import SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Rejection, Situation
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.objects.references import NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.plugins.node_affinity_evidence import requirement_text

_TERMS = (
    "spec",
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
_MOST = 6


def relaxed_terms(situation: Situation, rejected: list[Rejection]) -> Iterator[Candidate]:
    """For a node that fails one requirement of a term: accept its value too, or drop the requirement."""
    affinity = situation.spec_pod.spec.affinity
    node_affinity = affinity.node_affinity if affinity is not None else None
    required = node_affinity.required_during_scheduling_ignored_during_execution if node_affinity is not None else None
    if required is None:
        return
    seen: set[tuple[Path, str]] = set()
    for rejection in rejected:
        for index, term in enumerate(required.node_selector_terms):
            failed = [row for row in rejection.failed_rows if row[0] == str(index + 1)]
            if len(failed) != 1 or len(seen) >= _MOST:
                continue
            found = _find(term, failed[0][1])
            node = situation.nodes.get(rejection.node)
            if found is None or node is None:
                continue
            requirement, path = found
            value = node.metadata.labels.get(requirement.key, "")
            if ((*_TERMS, index, *path), value) not in seen:
                seen.add(((*_TERMS, index, *path), value))
                yield from _loosened(situation, (*_TERMS, index, *path), requirement, value, term)


def _find(term: NodeSelectorTerm, said: str) -> tuple[NodeSelectorRequirement, Path] | None:
    for position, requirement in enumerate(term.match_expressions):
        if requirement_text(requirement) == said:
            return requirement, ("matchExpressions", position)
    return None


def _loosened(
    situation: Situation, path: Path, requirement: NodeSelectorRequirement, value: str, term: NodeSelectorTerm
) -> Iterator[Candidate]:
    said = requirement_text(requirement)
    whole = _whole_number(requirement)
    if whole is not None:
        yield Candidate(
            "whole-number",
            "pod",
            text(N_("Compare %(key)s with %(value)d"), key=requirement.key, value=whole),
            text(N_("Gt and Lt compare whole numbers; with any other text the term matches no node.")),
            (Set(situation.pod_ref, (*path, "values"), [str(whole)]),),
            SMALL,
        )
    if requirement.operator == "In" and value:
        yield Candidate(
            "accept-value",
            "pod",
            text(N_("Accept %(label)s too"), label=f"{requirement.key}={value}"),
            text(N_("The values of In are alternatives: one of them is enough.")),
            (Append(situation.pod_ref, (*path, "values"), value),),
            SMALL,
        )
    if len(term.match_expressions) + len(term.match_fields) > 1:
        yield Candidate(
            "drop-requirement",
            "pod",
            text(N_("Do not require %(requirement)s"), requirement=said),
            text(N_("All requirements of one term must hold together.")),
            (Remove(situation.pod_ref, path),),
            SMALL,
        )


def _whole_number(requirement: NodeSelectorRequirement) -> int | None:
    """What the requirement can have meant, if its operand is a fraction."""
    if requirement.operator not in ("Gt", "Lt") or len(requirement.values) != 1:
        return None
    try:
        number = float(requirement.values[0])
    except ValueError:
        return None
    return None if requirement.values[0].lstrip("-").isdigit() or abs(number) > 1e15 else int(number)


def wished_label(key: str, operator: str, values: str | None, labels: Mapping[str, str]) -> str | None:
    """The value of a label with which a requirement holds; "" to take the label off; None when no label helps."""
    wanted = values.split(", ") if values else []
    if operator == "In" and wanted:
        return wanted[0]
    if operator == "Exists":
        return "true"
    if operator in ("NotIn", "DoesNotExist") and key in labels:
        return ""
    if operator in ("Gt", "Lt") and wanted and wanted[0].lstrip("-").isdigit():
        return str(int(wanted[0]) + (1 if operator == "Gt" else -1))
    return None
