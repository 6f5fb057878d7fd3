from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.plugins.node_declared_features import RESTART_ALL, NodeDeclaredFeatures
from tests.engine.plugins.builders import hint, info, make, node, pod, run_filter


def needy() -> PodInfo:
    return pod(containers=[{"name": "c", "image": "x", "restartPolicyRules": [{"action": "RestartAllContainers"}]}])


def test_filter() -> None:
    plugin = make(NodeDeclaredFeatures)
    _, status = plugin.pre_filter(CycleState(), pod(), [])
    assert status.code.value == "Skip"
    rejected = run_filter(plugin, needy(), info())
    assert rejected is not None
    assert rejected.reasons == (
        "node declared features check failed - unsatisfied requirements: RestartAllContainersOnContainerExits",
    )
    assert run_filter(plugin, needy(), info(node(status={"declaredFeatures": [RESTART_ALL]}))) is None


def test_hints() -> None:
    plugin = make(NodeDeclaredFeatures)
    declaring = node(status={"declaredFeatures": [RESTART_ALL]})
    assert hint(plugin, 0, needy(), None, node()) == "Queue"
    assert hint(plugin, 0, needy(), node(), declaring) == "Queue"
    assert hint(plugin, 0, needy(), declaring, declaring) == "Skip"
    assert hint(plugin, 1, needy(), needy(), pod()) == "Queue"
    assert hint(plugin, 1, needy(), needy(), needy()) == "Skip"


def test_it_explains() -> None:
    evidence = make(NodeDeclaredFeatures).explain_filter(CycleState(), needy(), info())
    assert evidence.table.rows == [[RESTART_ALL, "✗"]]
    assert evidence.marks[0].path == "spec.containers[0].restartPolicyRules[0].action"
