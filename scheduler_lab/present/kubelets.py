"""What the kubelets and the pod garbage collector made of pods that no scheduler of the run had placed."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_lab.present.facts import Json, short_name
from scheduler_lab.present.texts import translated
from scheduler_lab.present.verdicts import Verdict

MOST = 30


@dataclass(frozen=True)
class Judged:
    """One pod on a node: `message` is the kubelet's own text, `note` what it means, `advice` what to do instead."""

    pod: str
    node: str
    verdict: Verdict
    phase: str
    reason: str
    message: str
    note: str
    advice: str


def build(record: Json) -> tuple[list[Judged], int]:
    """(what is told, how much more is left out). Rejections that the schedulers' panel lists are not told twice."""
    entries = [entry for entry in record.get("x-kubelet", []) if not (record.get("x-schedulers") and _refused(entry))]
    return [_judged(entry) for entry in entries[:MOST]], max(0, len(entries) - MOST)


def _refused(entry: Json) -> bool:
    return entry.get("phase") == "Failed" and bool(entry.get("event"))


def _judged(entry: Json) -> Judged:
    phase = entry.get("phase", "")
    verdict: Verdict = {"Running": "pass", "Pending": "wait"}.get(phase, "reject")  # type: ignore[assignment]
    return Judged(
        short_name(entry["pod"]),
        entry.get("node", ""),
        verdict,
        phase,
        entry.get("reason", ""),
        entry.get("message", ""),
        translated(entry["note"]) if entry.get("note") else "",
        translated(entry["advice"]) if entry.get("advice") else "",
    )
