from scheduler_lab.engine.plugins.node_name import NodeName
from tests.engine.plugins.builders import info, make, pod, run_filter


def test_only_the_named_node_passes() -> None:
    plugin = make(NodeName)
    assert run_filter(plugin, pod(), info()) is None
    assert run_filter(plugin, pod(nodeName="n1"), info()) is None
    status = run_filter(plugin, pod(nodeName="other"), info())
    assert status is not None
    assert status.reasons == ("node(s) didn't match the requested node name",)


def test_it_explains() -> None:
    plugin = make(NodeName)
    evidence = plugin.explain_filter(None, pod(nodeName="other"), info())
    assert str(evidence.sentence) == "default/web asks for other by name, and this is n1."
    assert [mark.path for mark in evidence.marks] == ["spec.nodeName", "metadata.name"]
