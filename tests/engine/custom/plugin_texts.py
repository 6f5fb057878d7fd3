"""Texts with one learner-written plugin, and what a run makes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import yaml

from scheduler_lab.engine import ALL, load, run
from scheduler_lab.engine.manifests.problem import Problem

NAME = "Mine"
NODES = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: b}}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "10"}}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"


def plugin(spec: dict[str, Any], name: str = NAME) -> str:
    """The document of a plugin."""
    document = {"apiVersion": "lab/v1", "kind": "Plugin", "metadata": {"name": name}, "spec": spec}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def configuration(points: Sequence[str] = ("multiPoint",), args: Any = None, **more: Any) -> str:
    """A configuration that enables the plugin; queueSort in place of PrioritySort."""
    plugins: dict[str, Any] = {point: {"enabled": [{"name": NAME}]} for point in points}
    if "queueSort" in plugins:
        plugins["queueSort"]["disabled"] = [{"name": "*"}]
    for point, names in more.items():
        plugins.setdefault(point, {})["disabled"] = [{"name": name} for name in names]
    profile: dict[str, Any] = {"schedulerName": "default-scheduler", "plugins": plugins}
    if args is not None:
        profile["pluginConfig"] = [{"name": NAME, "args": args}]
    document = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return yaml.safe_dump({**document, "profiles": [profile]}, sort_keys=False)


def problems(spec: dict[str, Any], name: str = NAME) -> list[Problem]:
    """What loading refuses of the plugin's document."""
    return load(plugin(spec, name)).errors


def record(spec: dict[str, Any], *documents: str, config: str | None = None, nodes: str = NODES) -> dict[str, Any]:
    """The record of a run with the plugin enabled at every point it serves."""
    text = "---\n".join([plugin(spec), config or configuration(), nodes, *(documents or (POD,))])
    manifest = load(text)
    assert not manifest.errors, manifest.errors
    result: dict[str, Any] = json.loads(run(manifest, ALL).to_json())
    return result


def cycle(spec: dict[str, Any], *documents: str, **more: Any) -> dict[str, Any]:
    """The first cycle of such a run."""
    result: dict[str, Any] = record(spec, *documents, **more)["cycles"][0]
    return result


def verdicts(of: dict[str, Any], point: str) -> list[tuple[str, list[str]]]:
    """(code, reasons) of the plugin at a point that runs once a cycle."""
    return [(v["code"], v.get("reasons", [])) for v in of.get(point, []) if v["plugin"] == NAME]


def verdict_on(of: dict[str, Any], node: str) -> tuple[str, list[str]]:
    """(code, reasons) of the plugin's Filter on a node."""
    return next((v["code"], v.get("reasons", [])) for v in of["filter"][node] if v["plugin"] == NAME)


def scores(of: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The plugin's raw, normalized and weighted score by node."""
    return {node: row[NAME] for node, row in of["score"].items()}


def pod(name: str, *, labels: dict[str, str] | None = None, cpu: str = "100m", **spec: Any) -> str:
    """A pod with a CPU request."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"containers": [container], **spec},
    }
    return yaml.safe_dump(document, sort_keys=False)


def timeline(*steps: dict[str, Any]) -> str:
    """A Timeline of these steps."""
    return yaml.safe_dump({"apiVersion": "lab/v1", "kind": "Timeline", "steps": list(steps)})
