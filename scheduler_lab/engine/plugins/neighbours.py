"""How the plugins that look at other pods name them, their selectors and the labels of nodes as evidence."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_lab.engine.evidence import Mark
from scheduler_lab.engine.evidence.marks import entry, node_mark, pod_mark
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement

SHOWN_PODS = 5


def names(pods: Sequence[PodInfo]) -> str:
    """The first few pods as ns/name, and how many more there are: `default/a, default/b, +3`."""
    shown = [pod.key for pod in pods[:SHOWN_PODS]]
    if len(pods) > SHOWN_PODS:
        shown.append(f"+{len(pods) - SHOWN_PODS}")
    return ", ".join(shown)


def pod_marks(pods: Sequence[PodInfo], path: str = "metadata.labels") -> list[Mark]:
    """The field at `path` of the first few pods."""
    return [pod_mark(pod, path) for pod in pods[:SHOWN_PODS]]


def label_mark(node: NodeInfo, key: str) -> Mark:
    """A label of a node, or all its labels when it lacks the key."""
    return node_mark(node, entry("metadata.labels", key) if key in node.labels else "metadata.labels")


def selector_text(selector: LabelSelector | None) -> str:
    """The selector in kubectl's notation: `app=web,tier in (a,b)`; `{}` selects all, `<none>` nothing."""
    if selector is None:
        return "<none>"
    parts = [f"{key}={value}" for key, value in sorted(selector.match_labels.items())]
    parts += [_requirement_text(requirement) for requirement in selector.match_expressions]
    return ",".join(parts) or "{}"


def _requirement_text(requirement: LabelSelectorRequirement) -> str:
    key, operator = requirement.key, requirement.operator
    if operator == "Exists":
        return key
    if operator == "DoesNotExist":
        return f"!{key}"
    word = {"In": "in", "NotIn": "notin"}.get(operator, operator)
    return f"{key} {word} ({','.join(requirement.values)})"
