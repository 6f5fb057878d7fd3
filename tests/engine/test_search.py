"""How far Filter looks, where it begins, and what nominated pods change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from scheduler_lab.engine.cluster.cache import Cache
from scheduler_lab.engine.custom.extenders import Extenders
from scheduler_lab.engine.evidence.mode import NONE
from scheduler_lab.engine.framework.cycle_state import CycleState
from scheduler_lab.engine.framework.node_info import NodeInfo, PodInfo
from scheduler_lab.engine.framework.runtime import Framework
from scheduler_lab.engine.framework.status import Status, error, unresolvable, unschedulable
from scheduler_lab.engine.queue.nominator import Nominator
from scheduler_lab.engine.record import Cycle
from scheduler_lab.engine.scheduler.fit_error import Diagnosis
from scheduler_lab.engine.scheduler.search import Search, feasible_nodes_wanted
from scheduler_lab.engine.scheduler.trace import Trace
from tests.engine.plugins.builders import node, pod


@pytest.mark.parametrize(
    ("nodes", "percentage", "wanted"),
    [
        (1, 0, 1),
        (99, 0, 99),
        (100, 0, 100),
        (300, 0, 144),
        (500, 0, 230),
        (1000, 0, 420),
        (5000, 0, 500),
        (5625, 0, 281),
        (10000, 0, 500),
        (500, 30, 150),
        (500, 10, 100),
        (500, 100, 500),
        (99, 10, 99),
    ],
)
def test_feasible_nodes_wanted(nodes: int, percentage: int, wanted: int) -> None:
    assert feasible_nodes_wanted(nodes, percentage) == wanted


class Plugin:
    """Rejects the nodes in `full` and fails on those in `broken`; PreFilter answers `names` or `refusal`."""

    name: ClassVar[str] = "Plugin"
    full: frozenset[str] = frozenset()
    broken: frozenset[str] = frozenset()
    names: frozenset[str] | None = None
    refusal: Status | None = None

    def pre_filter(
        self, state: CycleState, pod: PodInfo, nodes: Sequence[NodeInfo]
    ) -> tuple[frozenset[str] | None, Status | None]:
        return self.names, self.refusal

    def filter(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> Status | None:
        if node.name in self.broken:
            return error("disk on fire")
        taken = any(other.pod.metadata.name == "nominee" for other in node.pods)
        return unschedulable("full") if taken or node.name in self.full else None

    def score(self, state: CycleState, pod: PodInfo, node: NodeInfo) -> int:
        return 0


class World:
    """A search over nodes n0, n1, …"""

    def __init__(self, nodes: int, *, percentage: int = 0, points: tuple[str, ...] = ("preFilter", "filter", "score")):
        cache = Cache()
        for number in range(nodes):
            cache.set_node(node(f"n{number}"))
        self.plugin = Plugin()
        self.start = [0]
        self.nominator = Nominator(lambda _: True)
        framework = Framework("x", {point: ["Plugin"] for point in points}, {"Plugin": 1}, {"Plugin": self.plugin})
        extenders = Extenders([], [], lambda pod, node: "")
        self._search = Search(cache, self.nominator, extenders, framework, percentage, self.start)

    def run(self, incoming: PodInfo | None = None) -> tuple[list[str], Diagnosis, Status | None, Cycle]:
        incoming = incoming or pod()
        cycle = Cycle(pod=incoming.key, attempt=1, profile="x")
        state = CycleState()
        feasible, diagnosis, failure = self._search.run(state, incoming, cycle, Trace(NONE, 0, 0))
        return [info.name for info in feasible], diagnosis, failure, cycle


def names(first: int, last: int) -> list[str]:
    return [f"n{number}" for number in range(first, last + 1)]


def test_small_clusters_are_searched_whole_and_from_the_beginning() -> None:
    world = World(5)
    world.plugin.full = frozenset({"n1"})
    for _ in range(2):
        feasible, diagnosis, _, cycle = world.run()
        assert feasible == ["n0", *names(2, 4)] and list(cycle.filter) == names(0, 4)
        assert diagnosis.unschedulable_plugins == {"Plugin"} and world.start == [0]


def test_the_search_stops_one_node_beyond_what_it_wants_and_goes_on_there() -> None:
    world = World(150, percentage=70)
    world.plugin.full = frozenset({"n3"})
    feasible, _, _, cycle = world.run()
    assert feasible == [name for name in names(0, 105) if name != "n3"]
    assert list(cycle.filter) == names(0, 106) and world.start == [106]
    feasible, _, _, cycle = world.run()
    assert feasible == [*names(106, 149), *(name for name in names(0, 61) if name != "n3")]
    assert world.start == [62]


def test_without_scoring_one_feasible_node_is_enough() -> None:
    world = World(5, points=("filter",))
    world.plugin.full = frozenset({"n0"})
    assert world.run()[0] == ["n1"] and world.start == [2]
    assert world.run()[0] == ["n2"] and world.start == [3]


def test_without_filters_the_first_nodes_are_taken_unseen() -> None:
    world = World(5, points=())
    world.plugin.full = frozenset(names(0, 4))
    assert world.run()[0] == ["n0"]
    assert world.run()[0] == ["n1"]


def test_a_narrowed_set() -> None:
    world = World(5)
    world.plugin.names = frozenset({"n3", "n1", "gone"})
    feasible, diagnosis, _, cycle = world.run()
    assert feasible == ["n1", "n3"] == list(cycle.filter)
    assert diagnosis.statuses.of("n0").reasons == ("node(s) didn't satisfy plugin(s) [Plugin]",)
    assert world.start == [2]


def test_a_pre_filter_rejection_stands_for_every_node() -> None:
    world = World(2)
    world.plugin.refusal = unresolvable("no")
    feasible, diagnosis, failure, cycle = world.run()
    assert not feasible and failure is None and not cycle.filter
    assert diagnosis.pre_filter_message == "no" and diagnosis.statuses.of("n1").reasons == ("no",)
    world.plugin.refusal = error("no idea")
    _, _, failure, _ = world.run()
    assert failure is not None and failure.message == 'running PreFilter plugin "Plugin": no idea'


def test_a_failing_filter_fails_the_cycle() -> None:
    world = World(3)
    world.plugin.broken = frozenset({"n1"})
    feasible, _, failure, cycle = world.run()
    assert not feasible and list(cycle.filter) == ["n0", "n1"]
    assert failure is not None and failure.message == 'running "Plugin" filter plugin: disk on fire'


@pytest.mark.parametrize(("priority", "feasible"), [(0, ["n0", "n2"]), (1, ["n0", "n2"]), (2, ["n0", "n1", "n2"])])
def test_nominated_pods_count_unless_they_matter_less(priority: int, feasible: list[str]) -> None:
    world = World(3)
    world.nominator.add(pod("nominee", priority=1), "n1")
    found, _, _, cycle = world.run(pod("web", priority=priority))
    assert found == feasible
    assert cycle.filter_with_nominated_pods == ([] if "n1" in feasible else ["n1"])


def test_ones_own_nomination_is_tried_alone_and_does_not_count_against_oneself() -> None:
    world = World(3)
    nominated: Any = pod("nominee", status={"nominatedNodeName": "n2"})
    world.nominator.add(nominated)
    found, _, _, cycle = world.run(nominated)
    assert found == ["n2"] == list(cycle.filter) and world.start == [0]
    world.plugin.full = frozenset({"n2"})
    found, diagnosis, _, cycle = world.run(nominated)
    assert found == ["n0", "n1"] and list(cycle.filter) == ["n2", "n0", "n1"]
    assert list(diagnosis.statuses) == ["n2"]
