"""LabPermit: the scripted plugin that turned the pod down at Permit."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_lab.engine.evidence import N_, text
from scheduler_lab.engine.explain.edits import Set
from scheduler_lab.engine.explain.edits.homes import ref_of
from scheduler_lab.engine.explain.fixes.model import SMALL, Candidate
from scheduler_lab.engine.explain.fixes.situation import Situation
from scheduler_lab.engine.objects.lab import Permit

PLUGIN = "LabPermit"


def permits(situation: Situation) -> Iterator[Candidate]:
    """Let the rule allow the pod."""
    blamed = PLUGIN in situation.message or any(v["plugin"] == PLUGIN for v in situation.verdicts("permit"))
    if not blamed:
        return
    labels = {f"{key}={value}" for key, value in situation.spec_pod.metadata.labels.items()}
    for item in situation.book.objects.values():
        if not isinstance(item, Permit):
            continue
        for index, rule in enumerate(item.rules):
            if rule.action != "allow" and (not rule.pod_label or rule.pod_label in labels):
                yield Candidate(
                    "permit-rule",
                    "cluster",
                    text(N_("Let LabPermit allow the pod (rule %(number)d)"), number=index + 1),
                    text(N_("The first rule that matches the pod decides.")),
                    (Set(ref_of(item), ("rules", index, "action"), "allow"),),
                    SMALL,
                )
                return
