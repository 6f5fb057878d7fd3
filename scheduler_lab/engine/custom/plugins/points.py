"""Each extension point of a plugin: what its expression may use and what it must give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from scheduler_lab.engine.custom.plugins.shapes import (
    AMOUNTS,
    INTEGER,
    STATE,
    claim_shape,
    list_of,
    node_shape,
    pod_shape,
    queued_shape,
    resource_claim_shape,
    status_shape,
    waiting_shape,
)
from scheduler_lab.engine.manifests.shapes import Shape


@dataclass(frozen=True, slots=True)
class Point:
    """`field` is the attribute of the document's spec, `variables` what is in scope beside args and variables.

    `results` are the CEL types an expression may have; a value of type dyn is judged when it comes.
    """

    name: str
    field: str
    variables: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def expected(self) -> str:
        """The results in words."""
        words = [_WORDS.get(result, result) for result in self.results]
        return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


_WORDS: Final = {"bool": "a bool", "int": "an int", "string": "a string", "list": "a list", "map": "a map"}
_STATUS: Final = ("bool", "string", "map")
_CLUSTER: Final = ("pod", "pods", "claims", "resourceClaims")
_CYCLE: Final = (*_CLUSTER, "nodes", "waitingPods", "state")
_ON_NODE: Final = (*_CYCLE, "node")

POINTS: Final[dict[str, Point]] = {
    point.name: point
    for point in (
        Point("queueSort", "queue_sort", ("a", "b"), ("bool",)),
        Point("preEnqueue", "pre_enqueue", _CLUSTER, _STATUS),
        Point("preFilter", "pre_filter", _CYCLE, _STATUS),
        Point("filter", "filter", _ON_NODE, _STATUS),
        Point("postFilter", "post_filter", (*_CYCLE, "statuses"), ("string", "list", "map")),
        Point("preScore", "pre_score", _CYCLE, _STATUS),
        Point("score", "score", _ON_NODE, ("int",)),
        Point("normalizeScore", "normalize_score", (*_ON_NODE, "score", "scores", "minScore", "maxScore"), ("int",)),
        Point("reserve", "reserve", _ON_NODE, _STATUS),
        Point("unreserve", "unreserve", _ON_NODE, ("list", "map")),
        Point("permit", "permit", _ON_NODE, _STATUS),
        Point("preBindPreFlight", "pre_bind_pre_flight", _ON_NODE, ("bool",)),
        Point("preBind", "pre_bind", _ON_NODE, _STATUS),
        Point("postBind", "post_bind", _ON_NODE, ("string",)),
    )
}
"""The extension points by their names in a document."""

REASON: Final = Point("reasonExpression", "", (), ("string",))
HINT: Final = Point("hintExpression", "", ("pod", "object", "oldObject"), ("bool",))

SERVED_BY: Final = {"normalizeScore": "score", "unreserve": "reserve", "preBindPreFlight": "preBind"}
"""Parts of a document that belong to another extension point of the configuration."""


@cache
def variable_shapes() -> Mapping[str, Shape]:
    """The shape of every variable but args, variables, object and oldObject, which depend on the document."""
    pod, node = pod_shape(), node_shape()
    return {
        "pod": pod,
        "pods": list_of(pod),
        "claims": list_of(claim_shape()),
        "resourceClaims": list_of(resource_claim_shape()),
        "node": node,
        "nodes": list_of(node),
        "waitingPods": list_of(waiting_shape()),
        "state": STATE,
        "statuses": Shape("map", inner=status_shape()),
        "score": INTEGER,
        "scores": AMOUNTS,
        "minScore": INTEGER,
        "maxScore": INTEGER,
        "a": queued_shape(),
        "b": queued_shape(),
    }


RESERVED: Final = frozenset({"args", "variables", "object", "oldObject"})
"""Names in scope that depend on the document."""
