"""Random texts with several schedulers: nothing raises, and every process ends up knowing what the API server knows."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lab.engine import load
from scheduler_lab.engine.evidence.mode import NONE
from scheduler_lab.engine.schedulers.replica import Replica
from scheduler_lab.engine.simulation import Simulation
from tests.engine.schedulers.texts import configured, node, scheduler, timeline

NAMES = ["default-scheduler", "b", "c", "nobody"]
PERMIT = """
apiVersion: lab/v1
kind: Permit
rules: [{podLabel: app=held, action: wait, timeoutSeconds: 30}]
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: %s}
profiles:
- schedulerName: default-scheduler
  plugins: {permit: {enabled: [{name: LabPermit}]}}
- schedulerName: second-profile
  plugins: {permit: {enabled: [{name: LabPermit}]}}
---"""

pods = st.builds(
    lambda name, cpu, served, app, priority, gated: (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{name}, labels: {{app: {app}}}}}\n"
        f"spec: {{schedulerName: {served}, priority: {priority}, {'schedulingGates: [{name: a/b}], ' if gated else ''}"
        f'containers: [{{name: c, image: x, resources: {{requests: {{cpu: "{cpu}"}}}}}}]}}\n'
    ),
    st.integers(0, 9),
    st.integers(1, 4),
    st.sampled_from([*NAMES, "second-profile"]),
    st.sampled_from(["web", "held"]),
    st.sampled_from([0, 0, 10]),
    st.sampled_from([False, False, False, True]),
)
processes = st.sampled_from(["kube-scheduler-0", "b-0", "b-1", "c", "kube-scheduler-1"])
steps = st.one_of(
    pods.map(lambda text: "apply: |\n" + "".join(f"    {line}\n" for line in text.splitlines())),
    st.integers(0, 9).map(lambda number: f"delete: {{kind: Pod, name: p{number}}}"),
    st.integers(0, 9).map(lambda number: f"allowWaiting: default/p{number}"),
    st.integers(0, 9).map(lambda number: f"rejectWaiting: default/p{number}"),
    st.sampled_from([1, 5, 17, 40, 400]).map(lambda seconds: f"advanceSeconds: {seconds}"),
    processes.map(lambda name: f"stopScheduler: {name}"),
    processes.map(lambda name: f"terminateScheduler: {name}"),
    processes.map(lambda name: f"startScheduler: {name}"),
    st.sampled_from(["removeNode: n1", "cordon: n2", "uncordon: n2", "addNode: {name: n9, like: n2}"]),
    st.sampled_from(["delete: {kind: Lease, namespace: kube-system, name: b}"]),
)
elections = st.sampled_from(["", "{leaderElect: false}", "{resourceName: b}", "{resourceName: c, leaseDuration: 40s}"])
texts = st.builds(
    lambda first, elected, one, two, main, listed, taken: (
        PERMIT % str(elected).lower()
        + "".join(node(f"n{number}") for number in (1, 2))
        + "\n"
        + "---\n".join([*first, ""])
        + scheduler("b", configured(one[0], one[1], replicas=2, viewLag=one[2]))
        + scheduler("c", configured(two[0], two[1], viewLag=two[2]))
        + (scheduler("kube-scheduler", f"{{replicas: 2, viewLag: {main - 1}}}") if main else "")
        + timeline(*listed, *taken)
    ),
    st.lists(pods, max_size=6, unique_by=lambda text: text.splitlines()[2].split(",")[0]),
    st.booleans(),
    st.tuples(st.sampled_from(NAMES), elections, st.integers(0, 3)),
    st.tuples(st.sampled_from(NAMES), elections, st.integers(0, 3)),
    st.integers(0, 3),
    st.lists(steps, min_size=1, max_size=6),
    st.lists(steps, max_size=3),
)


@given(texts)
@settings(max_examples=1500 if os.environ.get("THOROUGH") else 120, deadline=None)
def test_every_process_ends_with_the_truth(text: str) -> None:
    manifest = load(text)
    assert not manifest.has_errors, [str(problem) for problem in manifest.errors]
    simulation = Simulation(manifest, NONE)
    record = simulation.run()
    if record.max_cycles_hit:
        return
    bound = {pod.key: pod.spec.node_name for pod in simulation.store.list("Pod") if pod.spec.node_name}
    for replica in simulation.fleet.running:
        assert dict(_counted(replica)) == bound, replica.name
        assert not list(replica.view.unseen()) if replica.view else True
    assert len([replica for replica in simulation.fleet.active if replica.plan.lease == ("kube-system", "b")]) <= 1
    assert {pod: state.node_name for pod, state in record.pods.items() if state.node_name} == bound


def _counted(replica: Replica) -> Iterator[tuple[str, str]]:
    """What the process counts on nodes, but for what it has only assumed."""
    waiting = {pod.pod.uid for pod in replica.process.binding.waiting}
    for info in replica.process.cache._infos.values():
        for pod in info.pods:
            if pod.uid not in waiting or not replica.process.cache.is_assumed(pod.uid):
                yield pod.key, pod.pod.spec.node_name
