"""Short texts for the controllers' tests, and what their runs show."""

from __future__ import annotations

import json
from typing import Any

from scheduler_lab.engine import run_text

Json = dict[str, Any]


def node(name: str, cpu: str = "8", **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "memory": "32Gi"}},
    }


def pod_spec(cpu: str = "", **spec: Any) -> Json:
    container: Json = {"name": "c", "image": "example/app:1"}
    if cpu:
        container["resources"] = {"requests": {"cpu": cpu}}
    return {"containers": [container], **spec}


def pod(name: str, labels: dict[str, str] | None = None, owner: Json | None = None, **spec: Any) -> Json:
    meta: Json = {"name": name, "labels": labels or {}}
    if owner is not None:
        meta["ownerReferences"] = [{"apiVersion": "apps/v1", "uid": "u", "controller": True, **owner}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod_spec(**spec)}


def workload(kind: str, name: str = "web", labels: dict[str, str] | None = None, **spec: Any) -> Json:
    labels = labels or {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec.pop("pod", pod_spec())}
    return {
        "apiVersion": "v1" if kind == "ReplicationController" else "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {
            "selector": labels if kind == "ReplicationController" else {"matchLabels": labels},
            "template": template,
            **spec,
        },
    }


def job(name: str = "pi", **spec: Any) -> Json:
    template = {"spec": pod_spec(restartPolicy="Never")}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"template": template, **spec}}


def timeline(*steps: Json) -> Json:
    return {"apiVersion": "lab/v1", "kind": "Timeline", "steps": list(steps)}


def apply(*objects: Json) -> Json:
    return {"apply": "\n---\n".join(map(json.dumps, objects))}


def delete(kind: str, name: str, namespace: str = "") -> Json:
    return {"delete": {"kind": kind, "name": name, "namespace": namespace}}


class Run:
    """A run of some objects."""

    def __init__(self, *objects: Json) -> None:
        self.record: Json = run_text("\n---\n".join(map(json.dumps, objects))).to_builtins()
        assert "error" not in self.record and "scenarioError" not in self.record, self.record

    @property
    def tried(self) -> list[str]:
        """The pods in the order of their attempts, without namespaces."""
        return [cycle["pod"].rpartition("/")[2] for cycle in self.record.get("cycles", [])]

    @property
    def pods(self) -> list[str]:
        """Pods at the end, without namespaces."""
        return [key.rpartition("/")[2] for key in self.record.get("pods", {})]

    def nodes(self) -> dict[str, str]:
        """Node by pod."""
        return {key.rpartition("/")[2]: pod.get("nodeName", "") for key, pod in self.record["pods"].items()}

    def events(self, reason: str) -> list[tuple[str, str]]:
        """(about what, message) of the controllers' events with that reason."""
        found = [event for event in self.record.get("x-events", []) if event["reason"] == reason]
        return [(event["regarding"], event["message"]) for event in found]

    def problems(self) -> list[str]:
        """What the run could not do, in English."""
        said = [problem["message"] for problem in self.record.get("x-problems", [])]
        return [message["template"] % message["params"] for message in said]
