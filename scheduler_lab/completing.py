"""A manifest from an explanation, with what it lacks to be run: nodes, or pods for its profiles to schedule."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _

PODS = frozenset(
    ("Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController")
)
_KIND = re.compile(r"^kind: *[\"']?(\w+)", re.M)
_PROFILE = re.compile(r"^ *-? *schedulerName: *[\"']?([\w.-]+)", re.M)
_NODES = """apiVersion: v1
kind: Node
metadata: {name: large, labels: {topology.kubernetes.io/zone: a}}
status: {allocatable: {cpu: 8, memory: 32Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: small, labels: {topology.kubernetes.io/zone: b}}
status: {allocatable: {cpu: 2, memory: 4Gi}}
"""
_POD = """apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
%(scheduler)s  containers: [{name: web, image: example/web, resources: {requests: {cpu: 500m, memory: 512Mi}}}]
"""


def completed(manifest: str) -> str:
    """The manifest with two nodes and a pod behind it, as far as it has none of its own."""
    kinds = set(_KIND.findall(manifest))
    parts = [manifest.rstrip("\n") + "\n"]
    if "Node" not in kinds:
        parts.append(f"# {_('Added, so that there is somewhere to go.')}\n{_NODES}")
    if not kinds & PODS:
        name = next(iter(_PROFILE.findall(manifest)), "")
        scheduler = f"  schedulerName: {name}\n" if name else ""
        parts.append(f"# {_('Added, so that there is something to schedule.')}\n{_POD % {'scheduler': scheduler}}")
    return "---\n".join(parts)
