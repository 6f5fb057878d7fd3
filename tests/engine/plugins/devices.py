"""Runs of small clusters with devices, written as data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_lab.engine import ALL, run_text
from scheduler_lab.engine.evidence import Evidence

DRIVER = "gpu.lab.io"
API = "resource.k8s.io/v1"

Data = dict[str, Any]


def node(name: str = "n1", cpu: str = "8", **allocatable: str) -> Data:
    """A node with memory to spare; further allocatable resources by keyword (`__` for a slash, `_` for a dot)."""
    more = {key.replace("__", "/").replace("_", "."): value for key, value in allocatable.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"capacity": {"cpu": cpu, "memory": "64Gi", **more}},
    }


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Data:
    """A class with those CEL selectors."""
    selectors = [{"cel": {"expression": expression}} for expression in expressions]
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": selectors, **spec},
    }


def resource_slice(
    *devices: str | Data,
    on: str = "n1",
    pool: str = "",
    generation: int = 1,
    count: int = 1,
    name: str = "",
    **spec: Any,
) -> Data:
    """A slice of a complete pool with devices by name or as data; `on` "" leaves the placement to `spec`."""
    placed = {"nodeName": on} if on else {}
    pool = pool or on or "pool"
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name or f"{pool}-{generation}"},
        "spec": {
            "driver": DRIVER,
            **placed,
            "pool": {"name": pool, "generation": generation, "resourceSliceCount": count},
            "devices": [{"name": device} if isinstance(device, str) else device for device in devices],
            **spec,
        },
    }


def exactly(name: str = "g", device_class: str = "gpu", expression: str = "", **more: Any) -> Data:
    """A request for devices of a class."""
    if expression:
        more["selectors"] = [{"cel": {"expression": expression}}]
    return {"name": name, "exactly": {"deviceClassName": device_class, **more}}


def claim(name: str, *requests: Data, status: Data | None = None, **devices: Any) -> Data:
    """A claim with those requests (one device of class gpu by default)."""
    spec = {"devices": {"requests": list(requests) or [exactly()], **devices}}
    metadata = {"name": name}
    return {"apiVersion": API, "kind": "ResourceClaim", "metadata": metadata, "spec": spec, "status": status or {}}


def allocated(device: str, on: str = "n1", reserved: Sequence[str] = (), request: str = "g", **result: Any) -> Data:
    """The status of a claim that has a device on a node."""
    results = [{"request": request, "driver": DRIVER, "pool": on, "device": device, **result}]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    return {
        "allocation": {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": terms}},
        "reservedFor": [{"resource": "pods", "name": name, "uid": f"default/{name}"} for name in reserved],
    }


def pod(name: str = "p", *claims: str, templates: Sequence[str] = (), **spec: Any) -> Data:
    """A pod that names claims, and templates."""
    entries = [{"name": f"c{i}", "resourceClaimName": each} for i, each in enumerate(claims)]
    entries += [{"name": f"t{i}", "resourceClaimTemplateName": each} for i, each in enumerate(templates)]
    requests = spec.pop("requests", {})
    container = {"name": "c", "image": "x", "resources": {"requests": requests, "limits": {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"resourceClaims": entries, "containers": [container], **spec},
    }


def template(name: str, *requests: Data) -> Data:
    """A claim template."""
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": {"devices": {"requests": list(requests) or [exactly()]}}},
    }


class Run:
    """What came of the objects; `steps` are Timeline steps, given as data."""

    def __init__(
        self,
        *objects: Data,
        gates: Mapping[str, bool] | None = None,
        steps: Sequence[Data] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        settings = {"apiVersion": "lab/v1", "kind": "Options", "featureGates": dict(gates or {}), "maxErrorAttempts": 1}
        settings.update(options or {})
        timeline = {"apiVersion": "lab/v1", "kind": "Timeline", "steps": [_step(step) for step in steps]}
        text = "\n---\n".join(json.dumps(each) for each in (settings, *objects, timeline))
        record = run_text(text, ALL)
        self.evidence: list[Data] = [cycle.x_evidence for cycle in record.cycles]
        self.record: Data = json.loads(record.to_json())
        assert "scenarioError" not in self.record, self.record["scenarioError"]
        self.cycles: list[Data] = self.record.get("cycles", [])

    def nodes(self) -> dict[str, str]:
        """Pod name → node, "" for pods that wait."""
        return {key.removeprefix("default/"): p.get("nodeName", "") for key, p in self.record["pods"].items()}

    def verdict(self, on: str, cycle: int = -1) -> tuple[str, str]:
        """(code, reason) of DynamicResources' filter for a node."""
        verdicts = self.cycles[cycle]["filter"][on]
        found = next(verdict for verdict in verdicts if verdict["plugin"] == "DynamicResources")
        return found["code"], ", ".join(found.get("reasons", ()))

    def message(self, cycle: int = -1) -> str:
        """The text with which an attempt failed."""
        return str(self.cycles[cycle]["result"].get("message", ""))

    def explained(self, on: str, cycle: int = -1) -> Evidence:
        """DynamicResources' evidence about a node."""
        found = self.evidence[cycle]["filter"][on]["DynamicResources"]
        assert isinstance(found, Evidence)
        return found


def _step(step: Data) -> Data:
    return {**step, "apply": json.dumps(step["apply"])} if "apply" in step else step
