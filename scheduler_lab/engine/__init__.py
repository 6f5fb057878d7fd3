"""A kube-scheduler v1.35 simulator in pure Python: text in, record out.

from scheduler_lab.engine import run_text
print(run_text(open("pods.yaml").read()).to_json().decode())
"""

from scheduler_lab.engine.evidence.mode import ALL, NONE, EvidenceMode
from scheduler_lab.engine.manifests import Manifest, load
from scheduler_lab.engine.record import Record
from scheduler_lab.engine.simulation import run

__all__ = ["ALL", "NONE", "EvidenceMode", "Manifest", "Record", "load", "run", "run_text"]


def run_text(text: str, evidence: EvidenceMode = NONE) -> Record:
    """Run a text as it is; a text that is refused gives a record with `scenarioError`."""
    manifest = load(text)
    if manifest.has_errors:
        return Record(scenario_error="; ".join(str(problem) for problem in manifest.errors))
    return run(manifest, evidence)
