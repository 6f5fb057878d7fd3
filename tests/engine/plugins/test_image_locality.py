import pytest

from scheduler_lab.engine.plugins.image_locality import ImageLocality, normalized
from tests.engine.plugins.builders import FakeHandle, info, make, node, pod, run_score

MI = 2**20


@pytest.mark.parametrize(("containers", "nodes_with_image", "expected"), [(1, 3, 48), (2, 3, 24), (2, 1, 7)])
def test_score(containers: int, nodes_with_image: int, expected: int) -> None:
    nodes = [info(node("n1")), info(node("n2")), info(node("n3"))]
    nodes[0].images = {"web:1": (500 * MI, nodes_with_image)}
    handle = FakeHandle(nodes=nodes)
    images = ["web:1", *["other"] * (containers - 1)]
    incoming = pod(containers=[{"name": f"c{i}", "image": image} for i, image in enumerate(images)])
    plugin = make(ImageLocality, handle=handle)
    assert run_score(plugin, incoming, nodes) == {"n1": expected, "n2": 0, "n3": 0}
    evidence = plugin.explain_score(None, incoming, nodes[0])
    assert evidence.rows[-1].amount == expected
    assert plugin.explain_score(None, incoming, nodes[1]).rows[-1].amount == 0


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("web", "web:latest"),
        ("web:1.9", "web:1.9"),
        ("registry.lab:5000/team/web", "registry.lab:5000/team/web:latest"),
        ("registry.lab:5000/team/web:2", "registry.lab:5000/team/web:2"),
        ("web@sha256:11", "web@sha256:11"),
    ],
)
def test_names(image: str, name: str) -> None:
    assert normalized(image) == name
