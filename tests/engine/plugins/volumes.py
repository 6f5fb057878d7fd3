"""Claims, volumes and classes for the tests of the volume plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.framework.resources import RequestFeatures
from scheduler_lab.engine.objects.codec import convert, decode
from scheduler_lab.engine.objects.pod import Pod

Data = dict[str, Any]
BOUND = "pv.kubernetes.io/bind-completed"


def claim(name: str, volume: str = "", size: str = "1Gi", **more: Any) -> Data:
    """A claim of class `wait`; with a volume it is completely bound. `meta` and spec members replace the rest."""
    meta: Data = {"name": name, "namespace": "default", "uid": f"default/{name}", **more.pop("meta", {})}
    if volume:
        meta.setdefault("annotations", {BOUND: "yes"})
    status = more.pop("status", {})
    spec = {
        "storageClassName": "wait",
        "accessModes": ["ReadWriteOnce"],
        "volumeName": volume,
        "resources": {"requests": {"storage": size}},
        **more,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec, "status": status}


def volume(name: str, size: str = "1Gi", node: str = "", **more: Any) -> Data:
    """An available CSI volume of class `wait`, usable on one node only if one is given."""
    meta: Data = {"name": name, "uid": name, **more.pop("meta", {})}
    status = more.pop("status", {"phase": "Available"})
    spec: Data = {
        "storageClassName": "wait",
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": size},
        **({} if "awsElasticBlockStore" in more else {"csi": {"driver": "disk.lab.io", "volumeHandle": name}}),
        **more,
    }
    if node:
        spec["nodeAffinity"] = reachable({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]})
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec, "status": status}


def reachable(*expressions: Data) -> Data:
    """Node affinity with one term of these expressions."""
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}


def storage_class(name: str = "wait", provisioner: str = "disk.lab.io", **more: Any) -> Data:
    """A class that waits for its first consumer."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
        **more,
    }


def csi_node(name: str, *drivers: Data, annotations: Mapping[str, str] | None = None) -> Data:
    """A CSINode with its drivers."""
    meta = {"name": name, "annotations": dict(annotations or {})}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": meta,
        "spec": {"drivers": [{"nodeID": name, "topologyKeys": [], **driver} for driver in drivers]},
    }


def limited(driver: str, count: int) -> Data:
    """A driver of a CSINode that can attach so many volumes."""
    return {"name": driver, "allocatable": {"count": count}}


def user(
    name: str, *claims: str, on: str = "", namespace: str = "default", volumes: list[Data] | None = None
) -> PodInfo:
    """A pod that mounts claims (and further volumes), on a node if one is given."""
    mounts = [{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in claims]
    spec: Data = {"containers": [{"name": "c", "image": "x"}], "volumes": [*mounts, *(volumes or [])]}
    if on:
        spec["nodeName"] = on
    meta = {"name": name, "namespace": namespace, "uid": f"{namespace}/{name}"}
    built = convert({"metadata": meta, "spec": spec}, Pod)
    assert isinstance(built, Pod)
    return PodInfo(built, RequestFeatures())


def obj(data: Data) -> Any:
    """The object that the data describes."""
    return decode(msgspec.convert(data, Data))
