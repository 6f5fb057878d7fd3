"""Small texts with several schedulers, and what is asked of their records."""

from __future__ import annotations

from typing import Any

from scheduler_lab.engine import ALL, EvidenceMode, load, run

Json = dict[str, Any]


def node(name: str, cpu: str = "4") -> str:
    return f"""
apiVersion: v1
kind: Node
metadata: {{name: {name}}}
status: {{allocatable: {{cpu: "{cpu}", memory: 8Gi}}}}
---"""


def pod(name: str, cpu: str = "1", scheduler: str = "", more: str = "") -> str:
    named = f"schedulerName: {scheduler}, " if scheduler else ""
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec: {{{named}{more}containers: [{{name: c, image: x, resources: {{requests: {{cpu: "{cpu}"}}}}}}]}}
---"""


def scheduler(name: str, spec: str = "{}") -> str:
    return f"""
apiVersion: lab/v1
kind: Scheduler
metadata: {{name: {name}}}
spec: {spec}
---"""


def configured(profile: str, election: str = "", **spec: int) -> str:
    """A spec with a configuration of one profile; without `election` the defaults hold."""
    leader = f", leaderElection: {election}" if election else ""
    others = "".join(f", {key}: {value}" for key, value in spec.items())
    return f"{{configuration: {{profiles: [{{schedulerName: {profile}}}]{leader}}}{others}}}"


def timeline(*steps: str) -> str:
    listed = "\n".join(f"- {step}" for step in steps)
    return f"""
apiVersion: lab/v1
kind: Timeline
steps:
{listed}
---"""


def later(name: str, scheduler: str = "") -> str:
    """A step that creates a pod."""
    text = "\n".join(f"    {line}" for line in pod(name, scheduler=scheduler).strip().removesuffix("---").splitlines())
    return f"apply: |\n{text}"


def record(text: str, evidence: EvidenceMode = ALL) -> Json:
    """The record of a text that has no errors."""
    manifest = load(text)
    assert not manifest.has_errors, [str(problem) for problem in manifest.errors]
    return run(manifest, evidence).to_builtins()


def took(found: Json) -> list[tuple[str, str, str]]:
    """(process, pod, node or code) of each cycle."""
    return [
        (
            cycle["x-scheduler"],
            cycle["pod"].removeprefix("default/"),
            cycle["result"].get("node") or cycle["result"]["code"],
        )
        for cycle in found.get("cycles", [])
    ]


def lease(found: Json, name: str) -> Json:
    return next(entry for entry in found["x-leases"] if entry["name"] == name)


def states(found: Json) -> dict[str, str]:
    return {replica["name"]: replica["state"] for entry in found["x-schedulers"] for replica in entry["replicas"]}


def messages(found: Json, reason: str) -> list[tuple[str, str]]:
    """(process, message) of the events of a reason."""
    return [(event["x-scheduler"], event["message"]) for event in found["events"] if event["reason"] == reason]
