"""Metrics of runs: consistent with the record of every conformance case, and readable by Prometheus' own library."""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from scheduler_lab.engine import load, run
from scheduler_lab.engine.metrics import Family, Measurement, Sample, exposition, measure
from scheduler_lab.engine.metrics.families import Histogram, number
from scheduler_lab.engine.record import Record

DATA = Path(__file__).resolve().parent.parent / "data" / "conformance"
FOLDERS = sorted(path.name for path in DATA.iterdir() if path.is_dir() and path.name != "bench")
Values = dict[tuple[str, ...], float]


def texts(folder: str) -> Iterator[tuple[str, str]]:
    for path in sorted((DATA / folder).glob("*.yaml")):
        yield path.name, path.read_text()
    for path in sorted((DATA / folder).glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            case = json.loads(line)
            yield case["name"], case["input"]


def measured(text: str) -> tuple[Record, Measurement]:
    manifest = load(text)
    assert not manifest.has_errors, manifest.errors
    return measure(manifest)


def values(found: Measurement, name: str, *labels: str, suffix: str = "") -> Values:
    """The samples of a family by the values of the labels."""
    family = next(one for one in found.metrics if one.name == f"scheduler_{name}")
    sums: Values = {}
    for sample in family.samples:
        if sample.suffix == suffix:
            key = tuple(dict(sample.labels)[label] for label in labels)
            sums[key] = sums.get(key, 0) + sample.value
    return sums


def check(record: Record, found: Measurement) -> None:
    """What must hold between any record and its metrics."""
    assert record.queue is not None
    codes = Counter(cycle.result.code for cycle in record.cycles if cycle.result is not None)
    attempts = values(found, "schedule_attempts_total", "profile", "result")
    assert sum(attempts.values()) == len(record.cycles) - codes["Wait"] - codes["Skip"]
    assert sum(count for (_, result), count in attempts.items() if result == "scheduled") == codes[""]
    assert values(found, "scheduling_attempt_duration_seconds", "profile", "result", suffix="_count") == attempts
    assert values(found, "scheduling_algorithm_duration_seconds", suffix="_count") == {(): len(record.cycles)}
    pending = values(found, "pending_pods", "queue")
    assert pending == {
        (name,): len(getattr(record.queue, name)) for name in ("active", "backoff", "gated", "unschedulable")
    }
    blamed = Counter(
        plugin
        for plugins in (record.queue.unschedulable_plugins, record.queue.pending_plugins)
        for names in plugins.values()
        for plugin in names
    )
    told = values(found, "unschedulable_pods", "plugin", "profile")
    assert {name: sum(v for (plugin, _), v in told.items() if plugin == name) for name in blamed} == blamed
    assert sum(told.values()) == blamed.total()
    bound = [cycle.attempt for cycle in record.cycles if cycle.result is not None and not cycle.result.code]
    assert values(found, "pod_scheduling_attempts", suffix="_count") == {(): len(bound)}
    assert values(found, "pod_scheduling_attempts", suffix="_sum") == {(): sum(bound)}
    latency = values(found, "pod_scheduling_sli_duration_seconds", "attempts", suffix="_count")
    assert latency == {(str(n) if n < 15 else "15+",): c for n, c in Counter(min(n, 15) for n in bound).items()}
    check_queue(record, found, pending)
    check_preemption(record, found)
    check_plugins(record, found)
    check_events(record, found)


def check_queue(record: Record, found: Measurement, pending: Values) -> None:
    incoming = values(found, "queue_incoming_pods_total", "event", "queue")
    came = Counter(dict.fromkeys(("active", "backoff", "unschedulable"), 0))
    for (_event, queue), count in incoming.items():
        assert count > 0
        came[queue] += int(count)
    assert came["active"] >= len(record.cycles) + pending["active",]
    assert came["backoff"] >= pending["backoff",]
    assert came["unschedulable"] >= pending["unschedulable",] + pending["gated",]
    failed = sum(count for (event, _), count in incoming.items() if event == "ScheduleAttemptFailure")
    codes = Counter(cycle.result.code for cycle in record.cycles if cycle.result is not None)
    assert failed <= len(record.cycles) - codes[""] - codes["Wait"] - codes["Skip"]
    hints = Counter(
        (entry["event"], entry["plugin"])
        for moves in (*(cycle.x_requeue for cycle in record.cycles), record.x_requeue)
        for entry in moves
        if entry.get("plugin")
    )
    asked: Counter[tuple[str, str]] = Counter()
    counts = values(found, "queueing_hint_execution_duration_seconds", "event", "plugin", "hint", suffix="_count")
    for (event, plugin, hint), count in counts.items():
        assert hint in ("Queue", "QueueSkip", "Error")
        asked[event, plugin] += int(count)
    assert all(count <= hints[key] for key, count in asked.items())


def check_preemption(record: Record, found: Measurement) -> None:
    tried = sum(verdict.plugin == "DefaultPreemption" for cycle in record.cycles for verdict in cycle.post_filter)
    assert values(found, "preemption_attempts_total") == {(): tried}
    victims = values(found, "preemption_victims", suffix="_sum")[()]
    told = sum(
        len(cycle.result.victims)
        for cycle in record.cycles
        if cycle.result is not None and any(v.plugin == "DefaultPreemption" for v in cycle.post_filter)
    )
    assert victims <= told
    assert victims >= sum(event.reason == "Preempted" for event in record.events)


def check_plugins(record: Record, found: Measurement) -> None:
    """At least every recorded verdict was an evaluation; the rest are dry runs and passes with nominated pods."""
    evaluated = values(found, "plugin_evaluation_total", "extension_point", "plugin", "profile")
    recorded: Counter[tuple[str, str, str]] = Counter()
    exact: Counter[tuple[str, str, str]] = Counter()
    for cycle in record.cycles:
        for verdict in cycle.pre_filter:
            exact["PreFilter", verdict.plugin, cycle.profile] += verdict.code != "Skip"
        for verdict in cycle.pre_score:
            exact["PreScore", verdict.plugin, cycle.profile] += verdict.code != "Skip"
        for verdicts in cycle.filter.values():
            recorded.update(("Filter", verdict.plugin, cycle.profile) for verdict in verdicts)
        if cycle.score is not None:
            for plugin in cycle.score.weights:
                recorded["Score", plugin, cycle.profile] += len(cycle.score.nodes)
    assert all(evaluated[key] >= count for key, count in recorded.items())
    points = {key: count for key, count in evaluated.items() if key[0].startswith("Pre") and count}
    assert points == {key: count for key, count in exact.items() if count}
    runs = values(found, "framework_extension_point_duration_seconds", "extension_point", "status", suffix="_count")
    assert sum(count for (point, _), count in runs.items() if point == "PostFilter") == sum(
        bool(cycle.post_filter) for cycle in record.cycles
    )


def check_events(record: Record, found: Measurement) -> None:
    told = [event for event in found.events if event.by == "scheduler"]
    assert [(e.type, e.reason, e.regarding, e.message) for e in told] == [
        (e.type, e.reason, e.regarding, e.message) for e in record.events
    ]
    times = [event.time for event in found.events]
    assert times == sorted(times)
    assert all(0 <= time <= found.now for time in times)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_conformance_case_agrees_with_its_metrics(folder: str) -> None:
    for name, text in texts(folder):
        manifest = load(text)
        if manifest.has_errors:
            continue
        record, found = measure(manifest)
        assert record.to_json() == run(manifest).to_json(), name
        if record.error or record.scenario_error:
            assert found.metrics == []
            continue
        try:
            check(record, found)
        except AssertionError as failure:
            raise AssertionError(f"{folder}/{name}: {failure}") from failure
        agrees_with_prometheus(found.metrics)
        agrees_with_prometheus(found.resources)


def agrees_with_prometheus(families: list[Family]) -> None:
    """Prometheus' library reads the same names, types, helps, labels and values back."""
    read = {family.name: family for family in text_string_to_metric_families(exposition(families))}
    for family in families:
        if not family.samples:
            continue
        found = read[family.name.removesuffix("_total") if family.kind == "counter" else family.name]
        assert (found.type, found.documentation) == (family.kind, f"[{family.stability}] {family.help}")
        assert [(sample.name, sample.labels, sample.value) for sample in found.samples] == [
            (family.name + sample.suffix, dict(sample.labels), sample.value) for sample in family.samples
        ]


NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "10"}}
---
"""


def pod(name: str, cpu: str = "500m", more: str = "") -> str:
    requests = f"{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}, limits: {{cpu: {cpu}, memory: 64Mi}}}}}}"
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers: [{requests}]\n{more}---\n"


def test_the_text_of_a_small_run() -> None:
    _, found = measured(NODE + pod("a") + pod("big", "3"))
    text = exposition(found.metrics)
    for line in (
        'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
        'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1',
        'scheduler_pending_pods{queue="unschedulable"} 1',
        'scheduler_queue_incoming_pods_total{event="UnschedulablePodAdd",queue="active"} 2',
        'scheduler_queue_incoming_pods_total{event="ScheduleAttemptFailure",queue="unschedulable"} 1',
        'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
        'scheduler_pod_scheduling_attempts_bucket{le="+Inf"} 1',
        'scheduler_plugin_evaluation_total{extension_point="Filter",plugin="NodeName",profile="default-scheduler"} 2',
        "# TYPE scheduler_preemption_victims histogram",
        "# HELP scheduler_preemption_victims [STABLE] Number of selected preemption victims",
        'scheduler_cache_size{type="pods"} 1',
    ):
        assert f"\n{line}\n" in text


def test_requests_and_limits_of_pods() -> None:
    _, found = measured(NODE + pod("a"))
    about = 'namespace="default",node="n1",pod="a",priority="0",resource="{}",scheduler="default-scheduler",unit="{}"'
    cpu, memory = (f"{{{about.format(*one)}}}" for one in (("cpu", "cores"), ("memory", "bytes")))
    lines = exposition(found.resources).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        f"kube_pod_resource_limit{cpu} 0.5",
        f"kube_pod_resource_limit{memory} 6.7108864e+07",
        f"kube_pod_resource_request{cpu} 0.5",
        f"kube_pod_resource_request{memory} 6.7108864e+07",
    ]


PERMIT = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {permit: {enabled: [{name: LabPermit}]}}
---
apiVersion: lab/v1
kind: Permit
rules: [{podLabel: app=slow, action: wait, timeoutSeconds: 60}]
---
"""


def waiting(steps: str) -> Measurement:
    text = pod("a").replace("{name: a}", "{name: a, labels: {app: slow}}")
    timeline = f"apiVersion: lab/v1\nkind: Timeline\nsteps: [{steps}]\n" if steps else ""
    return measured(PERMIT + NODE + text + timeline)[1]


def test_a_pod_that_waits_on_permit_is_a_goroutine_and_in_flight() -> None:
    found = waiting("")
    assert values(found, "goroutines", "operation") == {("binding",): 1}
    assert values(found, "inflight_events", "event")[("PodPopped",)] == 1
    assert values(found, "cache_size", "type") == {("nodes",): 1, ("pods",): 1, ("assumed_pods",): 1}
    assert values(found, "permit_wait_duration_seconds", "result", suffix="_count") == {}
    assert values(found, "schedule_attempts_total", "result") == {}


def test_waits_on_permit_last_in_virtual_time() -> None:
    found = waiting("{advanceSeconds: 10}, {allowWaiting: default/a}")
    assert values(found, "permit_wait_duration_seconds", "result", suffix="_sum") == {("Success",): 10}
    found = waiting("{advanceSeconds: 70}")
    assert values(found, "permit_wait_duration_seconds", "result", suffix="_count") == {("Unschedulable",): 1}


def test_flushed_pods_are_counted_when_they_are_scheduled() -> None:
    # NodeResourcesFit does not hear of it when a profile ignores a resource, so the pod waits for the flush.
    config = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/x]}}]
---
"""
    wants = pod("a").replace("{cpu: 500m}, limits", "{cpu: 500m, example.com/x: 1}, limits")
    wants = wants.replace("memory: 64Mi", "example.com/x: 1, memory: 64Mi")
    full = NODE.replace('cpu: "1"', 'cpu: "0"')
    grow = NODE.replace("---\n", "").replace("\n", "\\n").replace('"', '\\"').replace("name: n1", "name: n2")
    steps = f'[{{apply: "{grow}"}}, {{advanceSeconds: 400}}]'
    _, found = measured(config + full + wants + f"apiVersion: lab/v1\nkind: Timeline\nsteps: {steps}\n")
    assert values(found, "pod_scheduled_after_flush_total") == {(): 1}
    assert values(found, "queue_incoming_pods_total", "event", "queue")["UnschedulableTimeout", "active"] == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (3, "3"),
        (100000, "100000"),
        (1000000, "1e+06"),
        (1234567, "1.234567e+06"),
        (134217728, "1.34217728e+08"),
        (0.001, "0.001"),
        (0.01 * 2**19, "5242.88"),
        (0.00001, "1e-05"),
        (2.5, "2.5"),
        (-12.25, "-12.25"),
        (1e21, "1e+21"),
        (math.inf, "+Inf"),
    ],
)
def test_numbers_are_written_as_go_writes_them(value: float, text: str) -> None:
    assert number(value) == text


@given(st.floats(allow_nan=False))
def test_numbers_are_read_back(value: float) -> None:
    assert float(number(value)) == value


@given(st.lists(st.floats(0, 100)))
def test_histograms_are_cumulative(observed: list[float]) -> None:
    histogram = Histogram((1.0, 2.0, 4.0, 50.0))
    for value in observed:
        histogram.observe(value)
    lines = histogram.samples({"result": "x"})
    buckets = [(float(dict(line.labels)["le"]), line.value) for line in lines if line.suffix == "_bucket"]
    assert buckets == [(bound, sum(value <= bound for value in observed)) for bound, _ in buckets]
    assert lines[-1] == Sample((("result", "x"),), len(observed), "_count")


@given(st.text(), st.text())
def test_labels_and_helps_are_escaped(text: str, label: str) -> None:
    line_breaks = dict.fromkeys(map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\x00"))
    text, label = text.translate(line_breaks).strip() or "x", label.translate(line_breaks)
    family: Any = Family("a", "gauge", "ALPHA", text, [Sample((("l", label),), 1)])
    agrees_with_prometheus([family])


def test_each_scheduler_process_has_metrics_of_its_own() -> None:
    examples = Path(__file__).resolve().parents[2] / "scheduler_lab" / "examples"
    record, found = measured((examples / "schedulers-overcommit-race.yaml").read_text())
    assert list(found.processes) == ["kube-scheduler-0", "my-custom-scheduler-0"]
    assert found.metrics == found.processes["kube-scheduler-0"]
    for name, families in found.processes.items():
        own = [cycle for cycle in record.cycles if cycle.x_scheduler == name]
        attempts = values(Measurement(families), "schedule_attempts_total", "profile")
        assert sum(attempts.values()) == len(own) > 0
        agrees_with_prometheus(families)


def test_a_process_started_anew_begins_to_count_anew_and_a_stopped_one_has_no_metrics() -> None:
    lab = "apiVersion: lab/v1\nkind: "
    second = f"{lab}Scheduler\nmetadata: {{name: second}}\n---\n"
    stop = f"{lab}Timeline\nsteps: [{{stopScheduler: kube-scheduler}}]\n"
    start = stop.replace("}]", "}, {startScheduler: kube-scheduler}]")
    _, found = measured(second + NODE + pod("a") + stop)
    assert "kube-scheduler-0" not in found.processes
    _, found = measured(second + NODE + pod("a") + start)
    anew = Measurement(found.processes["kube-scheduler-0"])
    assert values(anew, "schedule_attempts_total", "result") == {}
    assert values(anew, "cache_size", "type")["pods",] == 1
