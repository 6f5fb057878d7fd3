"""Fixes for pending pods: every one that is called verified gives the pod a node when its text is run again."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from scheduler_lab.engine import ALL, load, run, run_text
from scheduler_lab.engine.explain.edits.homes import Book
from scheduler_lab.engine.explain.fixes import Budget, Fix, Suggestions, suggest
from scheduler_lab.engine.explain.fixes.trial import counterpart
from scheduler_lab.engine.record import Record
from tests.engine.clusters_strategy import Scenario, scenarios

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"
PATIENT = Budget(runs=80, seconds=60)
SOURCES = sorted(CASES.glob("*.yaml"))


def pending(record: Record) -> list[str]:
    waiting = record.queue.waiting_on_permit if record.queue else []
    return [key for key, pod in record.pods.items() if not pod.node_name and key not in waiting]


def fixes_of(name: str, pod: str) -> Suggestions:
    source = (CASES / f"{name}.yaml").read_text()
    return suggest(source, run(load(source), ALL), pod, budget=PATIENT)


def titles(found: Suggestions) -> list[str]:
    return [" + ".join(map(str, [fix.title, *(step.title for step in fix.then)])) for fix in found.fixes]


def check(text: str, pod: str, fix: Fix) -> None:
    """The fix holds what it promises: its outcome when run again, and unchanged lines wherever its diff shows none."""
    manifest = load(fix.edited_text)
    record = run(manifest)
    key = counterpart(Book(manifest), record.to_builtins(), pod)
    assert key is not None
    assert fix.verified == bool(record.pods[key].node_name)
    if fix.verified:
        assert record.pods[key].node_name == fix.outcome.node
    rebuilt: list[str] = []
    lines, at = text.split("\n"), 0
    for hunk in fix.diff:
        rebuilt += lines[at : hunk.line - 1]
        assert lines[hunk.line - 1 : hunk.line - 1 + len(hunk.before)] == hunk.before
        assert hunk.new_line == len(rebuilt) + 1
        rebuilt += hunk.after
        at = hunk.line - 1 + len(hunk.before)
    assert "\n".join(rebuilt + lines[at:]) == fix.edited_text
    assert fix.size == sum(max(len(hunk.before), len(hunk.after)) for hunk in fix.diff)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_pending_pod_of_the_field_cases_gets_a_fix(source: Path) -> None:
    text = source.read_text()
    record = run(load(text), ALL)
    for pod in pending(record):
        found = suggest(text, record, pod, budget=PATIENT)
        assert found.fixes and found.fixes[0].verified, (pod, str(found.reason))
        assert found.reason is None
        for fix in found.fixes:
            check(load(text).text, pod, fix)


EXPECTED: list[tuple[str, str, str, str, str]] = [
    ("04-exactly-node-size", "default/executor-1", "Ask for less: executor cpu 3900m", "pod", "worker-1"),
    ("05-init-container-counts", "default/report-2", "Ask for less: warm-up cpu 1", "pod", "worker-1"),
    (
        "14-taint-not-named",
        "default/web",
        "Let kind-control-plane recover, so that it loses the taint node.kubernetes.io/disk-pressure:NoSchedule",
        "cluster",
        "kind-control-plane",
    ),
    (
        "16-many-pools-one-line",
        "default/api-8",
        "Tolerate the taint workergroup=agentless:NoSchedule",
        "pod",
        "agentless-1",
    ),
    (
        "18-hostport-rolling-update",
        "ingress/ingress-77c4-bbbbb",
        "Use host port 81, 444 instead of 80, 443",
        "pod",
        "srv1",
    ),
    (
        "19-hostnetwork-makes-hostport",
        "default/sync-new",
        "Give the pod its own network (no hostNetwork)",
        "pod",
        "worker-1",
    ),
    (
        "22-two-groups-no-double-count",
        "storage/csi-4",
        "Make the anti-affinity of storage/csi-4 a preference",
        "pod",
        "cp-1",
    ),
    (
        "23-antiaffinity-is-symmetric",
        "default/backup",
        "Take the label custom-app=edge off the pod",
        "pod",
        "worker-1",
    ),
    ("24b-first-does-not-match-itself", "default/ring-0", "Label the pod with app=ring", "pod", "worker-b"),
    ("27-cordoned-zone-still-counts", "default/shop-new", "Uncordon worker-c", "cluster", "worker-c"),
    (
        "31-unbound-immediate-pvc",
        "default/db-0",
        "Give data-db-0 a storage class that makes volumes",
        "cluster",
        "worker-1",
    ),
    ("35b-profile-added", "default/web-typo", "Use the scheduler crane-scheduler", "pod", "worker-1"),
    (
        "36-scheduling-gate",
        "default/train-0",
        "Remove the scheduling gates (kueue.x-k8s.io/admission)",
        "pod",
        "worker-1",
    ),
    (
        "37-blocker-behind-preemption",
        "default/middle-pod",
        "Make the anti-affinity of default/middle-pod a preference",
        "pod",
        "worker-1",
    ),
    (
        "51-volume-zone",
        "default/tikv-0",
        "Ask for less: tikv cpu 2, tikv memory 4Gi + Label node-1 with topology.kubernetes.io/region=kr",
        "cluster",
        "node-1",
    ),
    ("57-volume-limit", "default/my-csi-app", "Let k3s-1 attach 4 volumes", "cluster", "k3s-1"),
    (
        "58-no-capacity-object",
        "default/archiver",
        "Let the driver publish 100Gi of zfs-bulk on zfs-1",
        "cluster",
        "zfs-1",
    ),
    ("63-gt-with-fraction", "default/needs-new-version", "Compare appVersion with 150", "pod", "node-500"),
    (
        "67-old-os-label",
        "kube-system/coredns-a",
        "Ask for kubernetes.io/os=linux instead of beta.kubernetes.io/os=linux",
        "pod",
        "node-1",
    ),
    (
        "79-second-claim-no-device",
        "default/gpu-pod",
        "Share the devices of the claim gpu-sharing",
        "pod",
        "k8s-worker01",
    ),
]


@pytest.mark.parametrize(("case", "pod", "title", "side", "node"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_the_best_fix_of_a_field_case(case: str, pod: str, title: str, side: str, node: str) -> None:
    found = fixes_of(case, pod)
    assert titles(found)[0] == title
    assert (found.fixes[0].side, found.fixes[0].outcome.node) == (side, node)


@pytest.mark.parametrize(
    ("case", "pod", "title"),
    [
        (
            "27-cordoned-zone-still-counts",
            "default/shop-new",
            "Leave tainted nodes out of the skew over topology.kubernetes.io/zone",
        ),
        (
            "39-preemption-policy-never",
            "default/science",
            "Let pods of the class high-nonpreempting preempt less important ones",
        ),
        ("43c-native-gang-timeout", "default/train-0", "Make node-1 larger: cpu 3"),
        ("43-gang-permit-timeout", "default/train-0", "Let the gang start with 3 of its pods"),
        ("56-no-volume-to-bind", "default/app-0", "Give the volume lv-class the class of local-volume-t-app-0"),
        ("62-follower-of-a-full-node", "default/follower", "Make worker-10 larger: pods 4"),
        ("76b-ticket-and-destination", "default/notebook", "Tolerate the taint dedicated=ml:NoSchedule"),
    ],
)
def test_a_fix_that_must_not_be_missing(case: str, pod: str, title: str) -> None:
    assert title in titles(fixes_of(case, pod))


def test_what_is_not_enough_says_what_is_met_next() -> None:
    found = fixes_of("52-single-node-statefulset", "default/nacos-1")
    fix = next(fix for fix in found.fixes if not fix.verified)
    assert str(fix.title) == "Make the anti-affinity of default/nacos-1 a preference"
    assert "didn't satisfy existing pods anti-affinity rules" in fix.outcome.message


def test_who_loses_a_place_is_told() -> None:
    fix = fixes_of("37-blocker-behind-preemption", "default/middle-pod").fixes[0]
    assert fix.harm == 1
    assert str(fix.effects[0]) == "default/victim is preempted: it loses its place on worker-1."


SMALL = """\
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1", memory: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "2"}}}]}
"""


def test_the_record_may_be_json_without_evidence() -> None:
    record = json.loads(run_text(SMALL).to_json())
    assert titles(suggest(SMALL, record, "default/web"))[0] == "Ask for less: c cpu 1"


def test_windows_line_ends_stay() -> None:
    text = "\ufeff" + SMALL.replace("\n", "\r\n")
    fix = suggest(text, run_text(text), "default/web").fixes[0]
    assert fix.edited_text == text.replace('{requests: {cpu: "2"}}', '{requests: {cpu: "1"}}')


def test_a_workload_gives_all_its_pods_the_smaller_request() -> None:
    text = SMALL.replace('cpu: "1", memory', 'cpu: "4", memory') + textwrap.dedent("""\
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: api}
        spec:
          replicas: 2
          selector: {matchLabels: {app: api}}
          template:
            metadata: {labels: {app: api}}
            spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1500m}}}]}
        """)
    record = run(load(text), ALL)
    pod = next(key for key in pending(record))
    found = suggest(text, record, pod, budget=PATIENT)
    assert {"Ask for less: c cpu 1", "Run 1 replicas of api"} <= set(titles(found))
    for fix in found.fixes:
        check(text, pod, fix)


def test_a_step_that_cordons_is_answered_with_one_that_uncordons() -> None:
    text = SMALL.replace('cpu: "1", memory', 'cpu: "4", memory').replace(
        "metadata: {name: web}", "metadata: {name: web0}"
    )
    text += textwrap.dedent("""\
        ---
        apiVersion: lab/v1
        kind: Timeline
        steps:
        - cordon: a
        - apply: |
            apiVersion: v1
            kind: Pod
            metadata: {name: late}
            spec: {containers: [{name: c, image: x}]}
        """)
    fix = suggest(text, run_text(text), "default/late").fixes[0]
    assert str(fix.title) == "Uncordon a"
    assert fix.diff[0].after == ["- uncordon: a"]


@pytest.mark.parametrize(
    ("text", "pod", "reason"),
    [
        (SMALL, "default/other", "default/other is not in the cluster at the end of the run."),
        (SMALL.replace('cpu: "1", memory', 'cpu: "4", memory'), "default/web", "default/web has a node: a."),
        (
            SMALL.replace("kind: Pod", "kind: Pod\nnonsense: 1"),
            "default/web",
            "The text does not run as it is; mend what",
        ),
    ],
)
def test_without_fixes_there_is_a_reason(text: str, pod: str, reason: str) -> None:
    found = suggest(text, run_text(text), pod)
    assert found.fixes == []
    assert str(found.reason).startswith(reason)


def test_the_budget_is_kept() -> None:
    record = run_text(SMALL)
    assert suggest(SMALL, record, "default/web", budget=Budget(runs=0)).fixes == []
    found = suggest(SMALL, record, "default/web", budget=Budget(runs=2))
    assert found.runs == 2
    assert "cut short" in str(found.reason)


def _others_unharmed(before: dict[str, Any], after: dict[str, Any], fix: Fix, pod: str) -> bool:
    """Whether every pod that lost its node is told of, or was deleted by the edit itself."""
    told = " ".join(map(str, [*fix.effects, fix.title, *(step.title for step in fix.then)]))
    lost = [k for k, p in before["pods"].items() if p.get("nodeName") and not after["pods"].get(k, {}).get("nodeName")]
    return all(key == pod or key in told or "more pods" in told for key in lost)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_what_is_verified_holds_for_any_cluster(scenario: Scenario) -> None:
    text = scenario.text
    record = run_text(text)
    for pod in pending(record)[:2]:
        found = suggest(text, record, pod, budget=Budget(runs=25, seconds=60))
        assert found.fixes or found.reason is not None
        for fix in found.fixes:
            check(text, pod, fix)
            if fix.verified:
                after = run_text(fix.edited_text).to_builtins()
                assert _others_unharmed(record.to_builtins(), after, fix, pod)
