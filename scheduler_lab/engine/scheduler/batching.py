"""Opportunistic batching: the next pod of the same kind tries the runner-up of the last one first.

kube-scheduler v1.35 (beta, on by default) keeps the ranking of a cycle. If the very next pod has the same signature
and the node just chosen does not take it, the next node of the ranking becomes a hint and is treated like a nominated
node. With default args PodTopologySpread signs no pod, so the default profile never gives a hint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures, pod_requests
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.objects.codec import encode_hook
from scheduler_lab.engine.objects.volumes import Volume

_POINTS = ("preFilter", "filter", "preScore", "score")
_SYNTHETIC = ("config_map", "secret")


@dataclass(slots=True)
class _Ranking:
    """What is left of the ranking of a cycle, best first."""

    signature: bytes
    nodes: list[str]


class Batching:
    """The batch of one profile. `signing` are the plugins whose part in a signature is known."""

    def __init__(
        self,
        framework: Framework,
        cache: Cache,
        features: RequestFeatures,
        *,
        signing: frozenset[str],
        spreads_by_default: bool,
        allowed: bool,
    ) -> None:
        self._framework = framework
        self._cache = cache
        self._features = features
        used = {plugin.name for point in _POINTS for plugin in framework.at(point)}
        self._spreads = "PodTopologySpread" in used
        self._near = "InterPodAffinity" in used
        self._devices = "DynamicResources" in used
        self._eligible = allowed and used <= signing and not (self._spreads and spreads_by_default)
        self._ranking: _Ranking | None = None
        self._last_cycle = -1
        self._last_node = ""

    def hint(self, state: CycleState, pod: PodInfo, cycle: int) -> tuple[str, bytes]:
        """(node to try first or "", the pod's signature or b"" if it cannot be signed), after PreFilter."""
        if not self._eligible:
            return "", b""
        signature = self._sign(pod)
        ranking = self._ranking
        if ranking is None or not ranking.nodes or cycle != self._last_cycle + 1 or signature != ranking.signature:
            return "", signature
        node = self._cache.get(self._last_node)
        if node is None:
            return "", signature
        status, _ = self._framework.run_filters(state, pod, node)
        if status is None or not status.rejected:
            return "", signature
        return ranking.nodes.pop(0), signature

    def store(self, signature: bytes, hinted: str, chosen: str, totals: Mapping[str, int], cycle: int) -> None:
        """Remember the ranking of a cycle that chose a node; a hint that was followed keeps the older one."""
        if not self._eligible:
            return
        self._last_cycle, self._last_node = cycle, chosen
        if hinted == chosen:
            return
        others = sorted((name for name in totals if name != chosen), key=lambda name: (-totals[name], name))
        self._ranking = _Ranking(signature, others) if signature and others else None

    def _sign(self, pod: PodInfo) -> bytes:
        """What scheduling sees of the pod as text; b"" for pods whose place depends on other pods or devices."""
        spec = pod.pod.spec
        if self._spreads and spec.topology_spread_constraints:
            return b""
        if (self._near and pod.has_affinity) or (self._devices and spec.resource_claims):
            return b""
        containers = (*spec.init_containers, *spec.containers)
        seen: list[Any] = [
            pod.labels if self._near else None,
            sorted(spec.tolerations, key=lambda toleration: (toleration.key, toleration.value)),
            spec.node_selector,
            spec.affinity and spec.affinity.node_affinity,
            sorted({port for _, _, port in pod.host_ports}),
            pod_requests(pod.pod, self._features),
            pod_requests(pod.pod, self._features, pod_level=False, assume_for=("cpu", "memory")),
            [container.image for container in containers],
            [volume for volume in spec.volumes if not _synthetic(volume)],
        ]
        return msgspec.json.encode(seen, enc_hook=encode_hook, order="sorted")


def _synthetic(volume: Volume) -> bool:
    return any(getattr(volume, source, None) is not None for source in _SYNTHETIC)
