"""Texts for gangs: nodes, pods and groups, as short as they can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scheduler_lab.engine import NONE, EvidenceMode, run_text

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"


def case(name: str) -> str:
    """The input of a case from the field."""
    return (CASES / f"{name}.yaml").read_text()


def record(text: str, evidence: EvidenceMode = NONE) -> dict[str, Any]:
    """The record of a text that the engine accepts."""
    result = run_text(text, evidence).to_builtins()
    assert "error" not in result and "scenarioError" not in result, result
    return result


def documents(*parts: str) -> str:
    """The documents as one text."""
    return "\n---\n".join(parts)


def configuration(**args: int) -> str:
    """A profile with Coscheduling in PrioritySort's place."""
    given = ", ".join(f"{name}: {value}" for name, value in args.items())
    return f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint: {{enabled: [{{name: Coscheduling}}], disabled: [{{name: PrioritySort}}]}}
  pluginConfig: [{{name: Coscheduling, args: {{{given}}}}}]"""


def node(name: str, cpu: str, more: str = "") -> str:
    """A node with 64Gi of memory."""
    return f"""apiVersion: v1
kind: Node
metadata: {{name: {name}}}
{more}
status: {{allocatable: {{cpu: "{cpu}", memory: 64Gi}}}}"""


def pod(name: str, cpu: str = "1", *, meta: str = "", spec: str = "", status: str = "") -> str:
    """A pod with one container; `meta`, `spec` and `status` are further members in flow style."""
    requests = f', resources: {{requests: {{cpu: "{cpu}"}}}}' if cpu else ""
    return f"""apiVersion: v1
kind: Pod
metadata: {{name: {name}{", " if meta else ""}{meta}}}
spec: {{{spec}{", " if spec else ""}containers: [{{name: c, image: "example/c:1"{requests}}}]}}
status: {{{status}}}"""


def pod_group(name: str, spec: str, more: str = "") -> str:
    """A PodGroup of scheduler-plugins."""
    return f"""apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {{name: {name}{more}}}
spec: {{{spec}}}"""


def member(name: str, group: str, cpu: str = "1", *, meta: str = "", spec: str = "") -> str:
    """A pod of a PodGroup of scheduler-plugins."""
    return pod(name, cpu, meta=f"labels: {{{GROUP_LABEL}: {group}}}{', ' if meta else ''}{meta}", spec=spec)


def timeline(*steps: str) -> str:
    """A Timeline with one line a step."""
    lines = "\n".join(f"- {step}" for step in steps)
    return f"apiVersion: lab/v1\nkind: Timeline\nsteps:\n{lines}"


def applied(text: str) -> str:
    """A Timeline's step that applies the text."""
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"apply: |\n{lines}"


def cycles_of(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The cycles of a pod of the default namespace, in order."""
    return [cycle for cycle in found.get("cycles", []) if cycle["pod"] == f"default/{name}"]


def nodes(found: dict[str, Any]) -> dict[str, str]:
    """The pods that have a node, by name."""
    return {key.partition("/")[2]: pod["nodeName"] for key, pod in found["pods"].items() if "nodeName" in pod}
