"""The metrics of a run for its page: each family with a sentence on what it counts, and its lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from scheduler_lab.engine.metrics import Family, Measurement, exposition
from scheduler_lab.engine.metrics.catalogue import LEFT_OUT
from scheduler_lab.engine.metrics.exposition import line
from scheduler_lab.present import kubectl_events

ALL_NAMESPACES = "*"
MOST_LINES = 300
"""Lines of one command or metric on the page; the downloads have all."""


@dataclass(frozen=True)
class Metric:
    """One family with its first lines; `more` are left out.

    `note` says what became of its durations, `quiet` that every value is 0.
    """

    name: str
    kind: str
    stability: str
    about: str
    note: str
    lines: list[str]
    more: int
    quiet: bool


@dataclass(frozen=True)
class Output:
    """A command and what it prints; `ident` is unique in the page."""

    ident: str
    command: str
    text: str

    @property
    def shown(self) -> str:
        """The first MOST_LINES lines."""
        return "".join(self.text.splitlines(keepends=True)[:MOST_LINES])

    @property
    def more(self) -> int:
        """How many lines there are beside them."""
        return max(0, self.text.count("\n") - MOST_LINES)


@dataclass(frozen=True)
class Measured:
    """What the page shows: kubectl's outputs, the metrics that the query finds, and what they leave out."""

    outputs: list[Output]
    namespaces: list[str]
    namespace: str
    pods: list[str]
    pod: str
    metrics: list[Metric]
    resources: list[Metric]
    total: int
    query: str
    text: str
    processes: list[str]
    process: str
    left_out: list[str] = field(default_factory=lambda: list(LEFT_OUT))


def build(
    found: Measurement, pods: list[str], *, query: str = "", namespace: str = "", pod: str = "", process: str = ""
) -> Measured:
    """The view of a measurement; a namespace, pod or process that does not exist counts as none chosen."""
    names = kubectl_events.namespaces(found, pods)
    chosen = namespace if namespace in (*names, ALL_NAMESPACES) else (names[0] if len(names) == 1 else ALL_NAMESPACES)
    told = [one for one in kubectl_events.objects(found) if one.kind == "Pod"]
    warned = [f"{one.namespace}/{one.name}" for one in told if one.type == "Warning"]
    of_pods = sorted({*pods, *(f"{one.namespace}/{one.name}" for one in told)})
    described = pod if pod in of_pods else next(iter([*warned, *of_pods]), "")
    process = process if process in found.processes else next(iter(found.processes), "")
    of_process = found.processes.get(process, found.metrics)
    metrics = [one for one in of_process if one.samples]
    return Measured(
        _outputs(found, None if chosen == ALL_NAMESPACES else chosen, described),
        names,
        chosen,
        of_pods,
        described,
        [_metric(family, query) for family in metrics if _found(family, query)],
        [_metric(family, query) for family in found.resources if family.samples and _found(family, query)],
        len(metrics) + sum(bool(family.samples) for family in found.resources),
        query,
        exposition(of_process),
        list(found.processes),
        process,
    )


def download_text(found: Measurement) -> str:
    """/metrics and, after it, /metrics/resources, as one text that Prometheus' tools read."""
    return exposition(found.metrics) + exposition(found.resources)


def events_text(found: Measurement, pods: list[str]) -> str:
    """What kubectl prints of the events, command by command."""
    names = kubectl_events.namespaces(found, pods)
    outputs = _outputs(found, names[0] if len(names) == 1 else None, "")
    return "\n".join(f"$ {output.command}\n{output.text}" for output in outputs)


def _outputs(found: Measurement, namespace: str | None, pod: str) -> list[Output]:
    where = " -A" if namespace is None else "" if namespace == "default" else f" -n {namespace}"
    outputs = [
        Output("get-events", f"kubectl get events{where}", kubectl_events.get_events(found, namespace)),
        Output("events", f"kubectl events{where}", kubectl_events.events(found, namespace)),
    ]
    if pod:
        home, _slash, name = pod.partition("/")
        inside = "" if home == "default" else f" -n {home}"
        text = kubectl_events.of_pod(found, pod)
        outputs.append(Output("describe", f"kubectl describe pod {name}{inside} | sed -n '/^Events:/,$p'", text))
    return outputs


def _found(family: Family, query: str) -> bool:
    words = query.lower().split()
    text = f"{family.name} {family.help} {about(family.name)}".lower()
    return all(word in text or any(word in line(family, one).lower() for one in family.samples) for word in words)


def _metric(family: Family, query: str) -> Metric:
    lines = [line(family, sample) for sample in family.samples]
    words = [word for word in query.lower().split() if word not in f"{family.name} {about(family.name)}".lower()]
    narrowed = [one for one in lines if all(word in one.lower() for word in words)]
    notes = {"virtual": _("in virtual time"), "counted": _("only counted")}
    quiet = not any(sample.value for sample in family.samples)
    return Metric(
        family.name,
        family.kind,
        family.stability,
        about(family.name),
        notes.get(family.time, ""),
        (narrowed or lines)[:MOST_LINES],
        max(0, len(narrowed or lines) - MOST_LINES),
        quiet,
    )


def about(name: str) -> str:
    """One sentence on what a metric counts; "" for a name that is not told of."""
    return _sentences().get(name.removeprefix("scheduler_"), "")


def _sentences() -> dict[str, str]:
    return {
        "batch_attempts_total": _(
            "Whether opportunistic batching had a node to try first: no_hint where no earlier pod was alike."
        ),
        "cache_size": _(
            "Nodes and pods that the scheduler holds in its cache; an assumed pod has a node but is not bound yet."
        ),
        "framework_extension_point_duration_seconds": _(
            "How often each extension point ran, and with which status it ended."
        ),
        "goroutines": _("Work going on besides the scheduling cycle; a pod that waits on Permit holds one in binding."),
        "inflight_events": _(
            "Pods being scheduled (PodPopped), and the events kept for them in case their attempt fails."
        ),
        "pending_pods": _(
            "Pods in each queue now; those that another scheduler is named for, or that wait on Permit, are in none."
        ),
        "permit_wait_duration_seconds": _("How long pods waited on Permit, by how the wait ended."),
        "plugin_evaluation_total": _(
            "Calls of each plugin: Filter and Score once a node, preemption's dry runs included; a skipped plugin is "
            "not counted."
        ),
        "pod_scheduled_after_flush_total": _(
            "Pods placed only because the five-minute flush woke them: a sign that a queueing hint misses an event."
        ),
        "pod_scheduling_attempts": _("How many attempts it took until a pod was bound; only bound pods count."),
        "pod_scheduling_sli_duration_seconds": _(
            "The time from a pod's first entry into activeQ to its binding; time behind scheduling gates is not in it."
        ),
        "preemption_attempts_total": _("Every call of DefaultPreemption's PostFilter, with or without victims."),
        "preemption_goroutines_execution_total": _("Evictions carried out besides the cycle, one for each preemption."),
        "preemption_victims": _("How many victims each successful preemption chose."),
        "queue_incoming_pods_total": _(
            "Pods that came into a queue, and the event that brought them; ScheduleAttemptFailure is a failed attempt."
        ),
        "queueing_hint_execution_duration_seconds": _(
            "How often each plugin's queueing hint was asked about an event, and what it answered."
        ),
        "schedule_attempts_total": _(
            "Attempts by result: unschedulable is a verdict of the plugins, error a failure of the scheduler."
        ),
        "scheduling_algorithm_duration_seconds": _("Scheduling cycles, from PreFilter to the choice of a node."),
        "scheduling_attempt_duration_seconds": _("Attempts by result, binding included."),
        "unschedulable_pods": _(
            "Pods in the queue that a plugin rejected last; a pod counts for each of its rejectors, so sums mislead."
        ),
        "kube_pod_resource_limit": _("Each pod's limits, as the scheduler adds them up over its containers."),
        "kube_pod_resource_request": _(
            "Each pod's requests as the scheduler reckons with them: init containers and overhead included."
        ),
    }
