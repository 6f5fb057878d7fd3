"""Workloads: fewer pods of the template."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Set
from scheduler_lab.engine.explain.fixes.model import LARGE, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation

_KINDS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


def replicas(situation: Situation) -> Iterator[Candidate]:
    """As many as have a node."""
    maker = situation.book.maker(situation.pod_ref)
    placed = sum(bool(situation.node_of(key)) for key in situation.siblings)
    if maker is None or maker.kind not in _KINDS or not placed:
        return
    yield Candidate(
        "replicas",
        "pod",
        text(N_("Run %(count)d replicas of %(name)s"), count=placed, name=maker.name),
        text(N_("So many have a node.")),
        (Set(maker, ("spec", "replicas"), placed),),
        LARGE,
    )
