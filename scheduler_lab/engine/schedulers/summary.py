"""What the record says of several scheduler processes: who they are, who leads, what went wrong between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.cluster.picture import cluster_picture
from scheduler_lab.engine.cluster.store import Store
from scheduler_lab.engine.custom.volcano import VOLCANO, installed
from scheduler_lab.engine.evidence import N_, Text, text
from scheduler_lab.engine.final_state import queue_state
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.record import Cycle, QueueState, Record
from scheduler_lab.engine.scheduler.handlers import running
from scheduler_lab.engine.scheduler.unserved import unserved_pods
from scheduler_lab.engine.schedulers.documents import Plan
from scheduler_lab.engine.schedulers.fleet import Fleet
from scheduler_lab.engine.schedulers.leases import Election
from scheduler_lab.engine.schedulers.replica import Replica

STANDBY: Final = N_(
    "%(scheduler)s serves the name %(name)s, but only the holder of the lease %(lease)s schedules, and that is "
    "%(holder)s. Until it lets go of the lease, nobody tries %(pod)s and no event is written about it."
)
RUNS_OUT: Final = N_(
    "The lease %(lease)s is held by %(holder)s, which does not run any more. %(next)s takes it when it has run out, "
    "in %(seconds)s seconds; until then nobody tries %(pod)s."
)
FREE: Final = N_(
    "Nobody holds the lease %(lease)s at the moment. %(next)s takes it in %(seconds)s seconds; until then nobody tries "
    "%(pod)s."
)
STOPPED: Final = N_("No process of %(scheduler)s runs, so nobody tries %(pod)s: the name %(name)s has no scheduler.")
_CONFLICT: Final = re.compile(r'pod (\S+) is already assigned to node "([^"]*)"')


def tell_schedulers(record: Record, fleet: Fleet, store: Store) -> None:
    """Complete the record of a run with several processes; what is about the main one alone becomes about all."""
    record.cycles = fleet.cycles
    record.queue = _queues(queue_state(replica.process) for replica in fleet.active)
    record.x_requeue = [note for replica in fleet.active for note in replica.process.scheduler.requeues]
    pods = [pod for pod in store.list("Pod") if running(pod)]
    known = [*(name for plan in fleet.plans for name in plan.profiles), *([VOLCANO] if installed(store) else [])]
    record.x_unserved = [*unserved_pods(pods, list(dict.fromkeys(known))), *_unattended(pods, fleet)]
    record.x_schedulers = [_scheduler(plan, fleet) for plan in fleet.plans]
    record.x_leases = [_lease(election) for election in fleet.elections]
    if fleet.replicas[0].process.scheduler.evidence.everything:
        record.x_cluster = _picture(fleet, store)


def _queues(states: Iterable[QueueState]) -> QueueState:
    """Everyone who waits in any of the queues."""
    merged = QueueState()
    places = ("active", "backoff", "unschedulable", "gated", "waiting_on_permit")
    for state in states:
        for place in places:
            setattr(merged, place, sorted({*getattr(merged, place), *getattr(state, place)}))
        merged.unschedulable_plugins = {**merged.unschedulable_plugins, **state.unschedulable_plugins}
        merged.pending_plugins = {**merged.pending_plugins, **state.pending_plugins}
    return merged


def _picture(fleet: Fleet, store: Store) -> list[dict[str, Any]]:
    """The cluster as it is, with what any of the schedulers has promised."""
    cache, pod_info = Cache(), fleet.replicas[0].process.pod_info
    for node in store.list("Node"):
        cache.set_node(node)
    for pod in store.list("Pod"):
        if pod.spec.node_name and running(pod):
            cache.add_pod(pod_info(pod))
    waiting = list(fleet.waiting())
    for pod in waiting:
        if not cache.holds(pod.pod.uid):
            cache.assume(pod.pod)

    def nominated(node: str) -> Iterator[PodInfo]:
        found = {pod.uid: pod for replica in fleet.active for pod in replica.process.nominator.pods(node)}
        yield from found.values()

    return cluster_picture(cache, nominated, waiting)


# -- schedulers and leases ---------------------------------------------------------------------------------------


def _scheduler(plan: Plan, fleet: Fleet) -> dict[str, Any]:
    replicas = [replica for replica in fleet.replicas if replica.plan is plan]
    names = {replica.name for replica in replicas}
    entry: dict[str, Any] = {
        "name": plan.name,
        "profiles": plan.profiles,
        "replicas": [_replica(replica, fleet.cycles) for replica in replicas],
        "viewLag": plan.view_lag,
    }
    if plan.lease is not None:
        entry["lease"] = "/".join(plan.lease)
    conflicts = [_conflict(number, cycle) for number, cycle in enumerate(fleet.cycles, 1) if cycle.x_scheduler in names]
    if found := [conflict for conflict in conflicts if conflict is not None]:
        entry["conflicts"] = found
    return entry


def _replica(replica: Replica, cycles: list[Cycle]) -> dict[str, Any]:
    """`state`: leading, standby, scheduling (without leader election), stopped."""
    if not replica.running:
        state = "stopped"
    elif replica.plan.lease is None:
        state = "scheduling"
    else:
        state = "leading" if replica.leads else "standby"
    own = [cycle for cycle in cycles if cycle.x_scheduler == replica.name]
    bound = sum(1 for cycle in own if cycle.result is not None and cycle.result.node and not cycle.result.code)
    return {
        "name": replica.name,
        "identity": replica.identity,
        "state": state,
        "cycles": len(own),
        "bound": bound,
    }


def _conflict(number: int, cycle: Cycle) -> dict[str, Any] | None:
    """A binding that the API server refused because another scheduler was first."""
    if cycle.result is None or cycle.result.code != "Error":
        return None
    found = _CONFLICT.search(cycle.result.message)
    if found is None:
        return None
    return {"pod": cycle.pod, "cycle": number, "scheduler": cycle.x_scheduler, "node": found[2]}


def _lease(election: Election) -> dict[str, Any]:
    """Times are in seconds since the start of the run."""
    namespace, name = election.key
    lease = election.lease
    entry: dict[str, Any] = {
        "namespace": namespace,
        "name": name,
        "holder": election.holder,
        "candidates": [replica.identity for replica in election.candidates],
        "transitions": (lease.spec.lease_transitions if lease else None) or 0,
        "durationSeconds": (lease.spec.lease_duration_seconds if lease else None) or 0,
        "renewed": election.changed,
    }
    if election.leader is not None:
        entry["acquired"] = election.acquired
    turn = election.runs_out()
    if turn is not None:
        entry["takenAt"] = turn
    schedulers = list(dict.fromkeys(replica.plan.name for replica in election.candidates))
    if len(schedulers) > 1:
        entry["shared"] = schedulers
    return entry


# -- pods that nobody tries --------------------------------------------------------------------------------------


def _unattended(pods: list[Pod], fleet: Fleet) -> Iterator[dict[str, Any]]:
    """The unassigned pods whose schedulerName has a scheduler, of which no process schedules."""
    served = {name for replica in fleet.active for name in replica.plan.profiles}
    for pod in pods:
        name = pod.spec.scheduler_name
        plan = next((plan for plan in fleet.plans if name in plan.profiles), None)
        if pod.spec.node_name or name in served or plan is None:
            continue
        note = _why(pod, plan, fleet)
        yield {"pod": pod.key, "schedulerName": name, "known": [], "scheduler": plan.name, "note": note}


def _why(pod: Pod, plan: Plan, fleet: Fleet) -> Text:
    name = pod.spec.scheduler_name
    election = fleet.election_of(plan)
    if election is None or not any(replica.running for replica in election.candidates if replica.plan is plan):
        return text(STOPPED, scheduler=plan.name, name=name, pod=pod.key)
    lease, holder = "/".join(election.key), election.holder
    if election.leader is not None:
        return text(STANDBY, scheduler=plan.name, name=name, lease=lease, holder=holder, pod=pod.key)
    due = election.runs_out()
    seconds = f"{max(0.0, (due or 0.0) - election.now):g}"
    following = election.following()
    if holder:
        return text(RUNS_OUT, lease=lease, holder=holder, next=following, seconds=seconds, pod=pod.key)
    return text(FREE, lease=lease, next=following, seconds=seconds, pod=pod.key)
