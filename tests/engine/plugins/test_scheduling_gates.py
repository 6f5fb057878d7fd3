from scheduler_lab.engine.plugins.scheduling_gates import SchedulingGates
from tests.engine.plugins.builders import hint, make, pod


def test_it_names_the_gates_in_order() -> None:
    status = make(SchedulingGates).pre_enqueue(pod(schedulingGates=[{"name": "b"}, {"name": "a"}]))
    assert status.code.value == "UnschedulableAndUnresolvable"
    assert status.reasons == ("waiting for scheduling gates: [b a]",)
    assert make(SchedulingGates).pre_enqueue(pod()) is None


def test_only_its_own_gates_wake_a_pod() -> None:
    plugin = make(SchedulingGates)
    assert hint(plugin, 0, pod(), pod(), pod()) == "Queue"
    assert hint(plugin, 0, pod(), pod("other"), pod("other")) == "Skip"
