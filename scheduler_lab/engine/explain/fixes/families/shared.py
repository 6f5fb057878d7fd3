"""Proposals that several kinds of obstacle have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Append, Change, Delete, Set
from scheduler_lab.engine.explain.fixes.model import DRASTIC, INTENDED, LARGE, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation, node_ref, pod_ref
from scheduler_lab.engine.objects.codec import encode_hook
from scheduler_lab.engine.objects.lab import Timeline

SHOWN_NODES = 4


def written(value: Any) -> Any:
    """An object's part as the plain data of a manifest."""
    return msgspec.to_builtins(value, enc_hook=encode_hook)


def then(situation: Situation, step: dict[str, Any]) -> Change | None:
    """A further step at the end of the Timeline, for what an earlier step did; None without a Timeline."""
    timelines = [ref for ref, item in situation.book.objects.items() if isinstance(item, Timeline)]
    return Append(timelines[-1], ("steps",), step) if timelines else None


def label_node(node: str, key: str, value: str, rank: int = LARGE) -> Candidate:
    """Give a node a label."""
    return Candidate(
        "label-node",
        "cluster",
        text(N_("Label %(node)s with %(label)s"), node=node, label=f"{key}={value}"),
        text(N_("The pod asks for a node with this label, and %(node)s does not have it."), node=node),
        (Set(node_ref(node), ("metadata", "labels", key), value),),
        rank,
    )


def delete_pods(situation: Situation, groups: Iterable[list[str]]) -> Iterator[Candidate]:
    """Take pods away that stand in the way, group by group: all of one group at once."""
    for group in groups:
        keys = [key for key in group if key in situation.pods and key != situation.pod_key]
        if not keys or len(keys) != len(group) or len(keys) > 2:
            continue
        leaving = all(situation.pods[key].metadata.deletion_timestamp is not None for key in keys)
        named = ", ".join(keys)
        if leaving:
            why = text(N_("%(pod)s is terminating, but counts until it is gone."), pod=named)
        else:
            why = text(N_("It frees what %(pod)s holds. %(pod)s is gone then."), pod=named)
        yield Candidate(
            "delete-terminating" if leaving else "delete-pod",
            "cluster",
            text(N_("Delete %(pod)s"), pod=named),
            why,
            tuple(Delete(pod_ref(key)) for key in keys),
            INTENDED if leaving else DRASTIC,
        )
