"""The metrics of kube-scheduler v1.35 that a simulated run can answer for, as its instrumentation lists them."""

from __future__ import annotations

from scheduler_lab.engine.metrics.families import Family

COUNTED, VIRTUAL = "counted", "virtual"
VICTIM_BUCKETS = tuple(2.0**n for n in range(7))
ATTEMPT_BUCKETS = tuple(2.0**n for n in range(5))
SLI_BUCKETS = tuple(0.01 * 2**n for n in range(20))
PERMIT_BUCKETS = tuple(0.001 * 2**n for n in range(15))


def families() -> dict[str, Family]:
    """Every family without samples, by the name without `scheduler_`."""
    made = [
        Family(f"scheduler_{name}", kind, stability, text, [], time) for name, kind, stability, text, time in _TABLE
    ]
    return {family.name.removeprefix("scheduler_"): family for family in made}


_TABLE = (
    (
        "batch_attempts_total",
        "counter",
        "ALPHA",
        "Counts of results when we attempt to use batching.",
        "",
    ),
    (
        "cache_size",
        "gauge",
        "ALPHA",
        "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
        "",
    ),
    (
        "framework_extension_point_duration_seconds",
        "histogram",
        "STABLE",
        "Latency for running all plugins of a specific extension point.",
        COUNTED,
    ),
    (
        "goroutines",
        "gauge",
        "ALPHA",
        "Number of running goroutines split by the work they do such as binding.",
        "",
    ),
    (
        "inflight_events",
        "gauge",
        "ALPHA",
        "Number of events currently tracked in the scheduling queue.",
        "",
    ),
    (
        "pending_pods",
        "gauge",
        "STABLE",
        "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number "
        "of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted "
        "to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to "
        "schedule because they are gated.",
        "",
    ),
    (
        "permit_wait_duration_seconds",
        "histogram",
        "ALPHA",
        "Duration of waiting on permit.",
        VIRTUAL,
    ),
    (
        "plugin_evaluation_total",
        "counter",
        "ALPHA",
        "Number of attempts to schedule pods by each plugin and the extension point (available only in PreFilter, "
        "Filter, PreScore, and Score).",
        "",
    ),
    (
        "pod_scheduled_after_flush_total",
        "counter",
        "ALPHA",
        "Number of pods that were successfully scheduled after being flushed from unschedulablePods due to timeout. "
        "This metric helps detect potential queueing hint misconfigurations or event handling issues.",
        "",
    ),
    (
        "pod_scheduling_attempts",
        "histogram",
        "STABLE",
        "Number of attempts to successfully schedule a pod.",
        "",
    ),
    (
        "pod_scheduling_sli_duration_seconds",
        "histogram",
        "BETA",
        "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue and might involve "
        "multiple scheduling attempts.",
        VIRTUAL,
    ),
    (
        "preemption_attempts_total",
        "counter",
        "STABLE",
        "Total preemption attempts in the cluster till now",
        "",
    ),
    (
        "preemption_goroutines_execution_total",
        "counter",
        "ALPHA",
        "Number of preemption goroutines executed.",
        "",
    ),
    (
        "preemption_victims",
        "histogram",
        "STABLE",
        "Number of selected preemption victims",
        "",
    ),
    (
        "queue_incoming_pods_total",
        "counter",
        "STABLE",
        "Number of pods added to scheduling queues by event and queue type.",
        "",
    ),
    (
        "queueing_hint_execution_duration_seconds",
        "histogram",
        "ALPHA",
        "Duration for running a queueing hint function of a plugin.",
        COUNTED,
    ),
    (
        "schedule_attempts_total",
        "counter",
        "STABLE",
        "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, "
        "while 'error' means an internal scheduler problem.",
        "",
    ),
    (
        "scheduling_algorithm_duration_seconds",
        "histogram",
        "ALPHA",
        "Scheduling algorithm latency in seconds",
        COUNTED,
    ),
    (
        "scheduling_attempt_duration_seconds",
        "histogram",
        "STABLE",
        "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
        COUNTED,
    ),
    (
        "unschedulable_pods",
        "gauge",
        "ALPHA",
        "The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins "
        "that caused it to not schedule and so this metric have meaning only when broken down by plugin.",
        "",
    ),
)

LEFT_OUT = (
    "scheduler_event_handling_duration_seconds",
    "scheduler_plugin_execution_duration_seconds",
    "scheduler_preemption_goroutines_duration_seconds",
    "scheduler_get_node_hint_duration_seconds",
    "scheduler_store_schedule_results_duration_seconds",
    "scheduler_batch_cache_flushed_total",
)
"""Metrics of kube-scheduler that a simulated run does not answer for."""
