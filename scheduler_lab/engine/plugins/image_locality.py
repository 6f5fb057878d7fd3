"""ImageLocality: prefers nodes that already have the pod's images.

Extension points: Score (default weight 1). Arguments: none. No reasons, no queueing hints, no normalizing.
Names: `:latest` is appended when there is no tag (the last `:` is not behind the last `/`); the result must be equal
to a name in node.status.images, no registry is assumed.
Arithmetic, over init and app containers whose image the node has:
sum = Σ int(size × (nodes with the image ÷ all nodes)), size being what the first node with that name reported, and the
nodes with the image those known when the scored node last changed;
score = 100 × (clamp(sum, 23Mi, n × 1000Mi) − 23Mi) ÷ (n × 1000Mi − 23Mi), n the number of init and app containers.
"""

from __future__ import annotations

from typing import Any, ClassVar

from scheduler_lab.engine.evidence import N_, Evidence, Mark, Row, text
from scheduler_lab.engine.evidence.format import size
from scheduler_lab.engine.evidence.marks import node_mark, pod_mark
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.interfaces import Handle
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.status import Status
from scheduler_lab.engine.plugins.scoring import MAX_SCORE

_MI = 1024 * 1024
_LOWEST = 23 * _MI
_HIGHEST = 1000 * _MI


class ImageLocality:
    """Models kube-scheduler v1.35 ImageLocality."""

    name: ClassVar[str] = "ImageLocality"

    def __init__(self, args: Any, handle: Handle) -> None:
        self._handle = handle

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int | Status:
        """0–100 by the size of the pod's images on the node."""
        if not node.images:
            return 0
        images = _images(pod)
        total = sum(self._scaled(node.images[image]) for image in images if image in node.images)
        return _priority(total, len(images))

    def _scaled(self, image: tuple[int, int]) -> int:
        """An image's bytes, scaled down by the share of nodes that have it."""
        bytes_, nodes = image
        return int(float(bytes_) * (float(nodes) / float(len(self._handle.snapshot.nodes))))

    def explain_score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Evidence | None:
        """The images the node has, scaled, and how their sum becomes a score."""
        if node.node is None:
            return None
        images = _images(pod)
        paths = _paths(pod)
        rows: list[Row] = []
        marks: list[Mark] = []
        total = 0
        for image, path in zip(images, paths, strict=True):
            found = node.images.get(image)
            if found is None:
                rows.append(Row(text(N_("%(image)s: not on this node"), image=image), "0Mi", "+", amount=0))
                continue
            scaled = self._scaled(found)
            total += scaled
            mark = pod_mark(pod, path)
            marks += [mark, *_image_marks(node, image)]
            label = text(
                N_("%(image)s: %(size)s × %(count)d of %(total)d nodes have it"),
                image=image,
                size=size(found[0]),
                count=found[1],
                total=len(self._handle.snapshot.nodes),
            )
            rows.append(Row(label, size(scaled), "+", "ok", scaled, mark))
        if not marks:
            sentence = text(N_("%(node)s has none of the images of %(pod)s."), node=node.name, pod=pod.key)
            return Evidence(sentence, [*rows, Row(text(N_("score")), "0", "=", amount=0)])
        rows += _score_rows(total, len(images))
        sentence = text(
            N_("%(node)s already has %(size)s of the images of %(pod)s, counting how many nodes have each."),
            node=node.name,
            size=size(total),
            pod=pod.key,
        )
        return Evidence(sentence, rows, marks=marks)


def _score_rows(total: int, containers: int) -> list[Row]:
    highest = _HIGHEST * containers
    clamped = size(_clamped(total, highest))
    score = _priority(total, containers)
    formula = text(
        N_("score: 100 × (%(sum)s − 23Mi) ÷ (%(highest)s − 23Mi)"),
        sum=clamped,
        highest=size(highest),
    )
    return [
        Row(text(N_("sum")), size(total), "=", amount=total),
        Row(text(N_("counted from 23Mi up to 1000Mi a container")), clamped),
        Row(formula, str(score), "=", amount=score),
    ]


def _priority(total: int, containers: int) -> int:
    highest = _HIGHEST * containers
    return MAX_SCORE * (_clamped(total, highest) - _LOWEST) // (highest - _LOWEST)


def _clamped(total: int, highest: int) -> int:
    return _LOWEST if total < _LOWEST else min(total, highest)


def _images(pod: PodInfo) -> list[str]:
    """The normalized image names of init and app containers."""
    cached: list[str] | None = pod.derived.get("ImageLocality")
    if cached is None:
        spec = pod.pod.spec
        cached = [normalized(container.image) for container in (*spec.init_containers, *spec.containers)]
        pod.derived["ImageLocality"] = cached
    return cached


def normalized(image: str) -> str:
    """The image name with `:latest` when it has no tag; a registry's port is no tag.

    >>> normalized("registry.lab:5000/web")
    'registry.lab:5000/web:latest'
    """
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"


def _paths(pod: PodInfo) -> list[str]:
    spec = pod.pod.spec
    return [f"spec.initContainers[{index}].image" for index in range(len(spec.init_containers))] + [
        f"spec.containers[{index}].image" for index in range(len(spec.containers))
    ]


def _image_marks(node: NodeInfo, name: str) -> list[Mark]:
    images = node.node.status.images if node.node is not None else []
    return [
        node_mark(node, f"status.images[{index}].names") for index, image in enumerate(images) if name in image.names
    ]
