"""The scheduling queue: order, backoff, parking, events, gates."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_lab.engine.clock import Clock
from scheduler_lab.engine.framework.events import Action, ClusterEvent, Hint, Registration, Resource
from scheduler_lab.engine.framework.node_info import PodInfo
from scheduler_lab.engine.queue.entry import QueuedPod
from scheduler_lab.engine.queue.hints import HintMap, default_registrations, matches, with_taint_registration
from scheduler_lab.engine.queue.nominator import Nominator
from scheduler_lab.engine.queue.scheduling_queue import SchedulingQueue
from tests.engine.plugins.builders import pod

NODE_ADD = ClusterEvent(Resource.NODE, Action.ADD, "NodeAdd")
NODE_LABEL = ClusterEvent(Resource.NODE, Action.UPDATE_NODE_LABEL, "NodeUpdateNodeLabel")
GATE = "Gate"
FIT = "Fit"


class Queue(SchedulingQueue):
    """A queue sorted by priority in which the plugin Fit hears of new nodes and Gate of nothing.

    `closed` names the pods that Gate holds; `answer` is what Fit's hint says.
    """

    def __init__(self, *, early: bool = True) -> None:
        self.closed: set[str] = set()
        self.answer = Hint.QUEUE
        self.moves: list[tuple[str, str, str]] = []
        hints = HintMap()
        hints.register("", FIT, [Registration(Resource.NODE, Action.ADD, lambda *_: self.answer)])
        super().__init__(
            Clock(),
            lambda a, b: (-a.pod.priority, a.timestamp) < (-b.pod.priority, b.timestamp),
            lambda entry: GATE if entry.pod.pod.metadata.name in self.closed else "",
            hints,
            Nominator(lambda _: True),
            initial_backoff=1,
            max_backoff=10,
            popped_early=early,
            on_move=lambda entry, event, plugin, hint, where: self.moves.append((entry.key, event.label, where)),
        )

    def attempt(self) -> QueuedPod:
        entry = self.pop()
        assert entry is not None
        return entry

    def reject(self, *plugins: str, pending: str = "") -> QueuedPod:
        """Pop a pod and put it back as rejected by the plugins; without any, as failed."""
        entry = self.attempt()
        entry.unschedulable_plugins.update(plugins)
        entry.pending_plugins.update({pending} if pending else ())
        self.add_unschedulable(entry)
        return entry

    def where(self) -> dict[str, list[str]]:
        """The names in each of the queue's places that is not empty."""
        places = {"active": self.active, "backoff": self.backoff, "parked": self.unschedulable}
        return {name: [e.pod.pod.metadata.name for e in each.values()] for name, each in places.items() if each}


def filled(*names: str, **options: Any) -> Queue:
    queue = Queue(**options)
    for name in names:
        queue.add(pod(name))
        queue.clock.advance(1)
    return queue


# -- order ---------------------------------------------------------------------------------------------------------


def test_priority_then_time_then_arrival() -> None:
    queue = Queue()
    for name, priority in (("b", 1), ("a", 1), ("high", 5), ("low", -3)):
        queue.add(pod(name, priority=priority))
    names = [queue.attempt().pod.pod.metadata.name for _ in range(4)]
    assert names == ["high", "b", "a", "low"]
    assert queue.pop() is None


def test_a_pod_that_comes_while_others_are_taken_is_sorted_in() -> None:
    queue = filled("a", "b")
    assert queue.attempt().key == "default/a"
    queue.add(pod("urgent", priority=9))
    assert queue.attempt().key == "default/urgent"


def test_deleted_pods_are_not_handed_out() -> None:
    queue = filled("a", "b")
    queue.sorted(queue.active.values())
    queue.delete(pod("a"))
    assert queue.attempt().key == "default/b"


# -- backoff -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plugins", [(FIT,), ()], ids=["rejected", "failed"])
def test_backoff_doubles_up_to_the_maximum(plugins: tuple[str, ...]) -> None:
    queue = filled("web")
    seconds = []
    for _ in range(7):
        entry = queue.reject(*plugins)
        seconds.append(entry.backoff_expiration - queue.clock.now)
        queue.clock.advance(60)
        queue.activate([entry.key])
    assert seconds == [1, 2, 4, 8, 10, 10, 10]


def test_a_rejection_ends_a_row_of_errors() -> None:
    queue = filled("web")
    for plugins, count in (((), 1), ((), 2), ((FIT,), 1), ((), 1)):
        entry = queue.reject(*plugins)
        assert (entry.consecutive_errors or entry.unschedulable_count) == count
        queue.activate([entry.key])


@pytest.mark.parametrize(
    ("failed_at", "expires", "last_moment"), [(5.0, 6.0, 6.9), (5.4, 6.0, 6.99), (5.99, 6.0, 6.5), (4.999, 5.0, 5.9)]
)
def test_backoff_windows_are_whole_seconds(failed_at: float, expires: float, last_moment: float) -> None:
    queue = filled("web")
    queue.clock.now = failed_at
    entry = queue.reject()
    assert entry.backoff_expiration == expires
    queue.clock.now = last_moment
    queue.flush_backoff()
    assert queue.where() == {"backoff": ["web"]}
    queue.clock.now = expires + 1
    queue.flush_backoff()
    assert queue.where() == {"active": ["web"]}


def test_an_idle_scheduler_takes_rejected_pods_early_but_never_failed_ones() -> None:
    queue = filled("failed", "rejected")
    queue.reject()
    queue.reject(FIT)
    queue.move_all(NODE_ADD, None, None)
    assert queue.where() == {"backoff": ["failed", "rejected"]}
    assert queue.attempt().key == "default/rejected"
    assert queue.pop() is None


def test_without_early_popping_backoff_is_waited_out() -> None:
    queue = filled("web", early=False)
    entry = queue.reject(FIT)
    queue.move_all(NODE_ADD, None, None)
    assert queue.pop() is None
    queue.clock.now = entry.backoff_expiration + 1
    assert queue.pop() is entry


def test_active_pods_go_before_those_in_backoff() -> None:
    queue = filled("early")
    queue.reject(FIT)
    queue.move_all(NODE_ADD, None, None)
    queue.add(pod("new"))
    assert [queue.attempt().key for _ in range(2)] == ["default/new", "default/early"]


# -- events --------------------------------------------------------------------------------------------------------


def test_only_events_of_the_plugin_that_rejected_wake_a_pod() -> None:
    queue = filled("web")
    queue.reject(FIT)
    queue.move_all(NODE_LABEL, None, None)
    assert queue.where() == {"parked": ["web"]}
    queue.answer = Hint.SKIP
    queue.move_all(NODE_ADD, None, None)
    assert queue.where() == {"parked": ["web"]}
    queue.clock.advance(2)
    queue.answer = Hint.QUEUE
    queue.move_all(NODE_ADD, None, None)
    assert queue.where() == {"active": ["web"]}
    assert queue.moves[-1] == ("default/web", "NodeAdd", "activeQ")


@pytest.mark.parametrize(
    ("event", "pending", "place"),
    [(NODE_LABEL, "", "parked"), (NODE_ADD, "", "backoff"), (NODE_ADD, FIT, "active")],
)
def test_events_during_the_attempt_are_replayed(event: ClusterEvent, pending: str, place: str) -> None:
    queue = filled("web")
    entry = queue.attempt()
    queue.move_all(event, None, None)
    entry.unschedulable_plugins.add(FIT)
    entry.pending_plugins.update({pending} if pending else ())
    queue.add_unschedulable(entry)
    assert queue.where() == {place: ["web"]}


def test_a_raising_hint_counts_as_queue() -> None:
    hints = HintMap()

    def broken(*_: Any) -> Hint:
        raise ValueError

    hints.register("", FIT, [Registration(Resource.NODE, Action.ADD, broken), Registration(Resource.NODE, Action.ADD)])
    answers = [call.answer for call in hints.ask("", {FIT}, pod(), NODE_ADD, None, None)]
    assert answers == [Hint.QUEUE, Hint.QUEUE]


def test_five_minutes_parked_are_enough_except_for_gated_pods() -> None:
    queue = Queue()
    queue.closed = {"gated"}
    queue.add(pod("gated"))
    queue.add(pod("web"))
    queue.reject(FIT)
    queue.clock.now = 300.0
    queue.flush_unschedulable()
    assert queue.where() == {"parked": ["gated", "web"]}
    queue.clock.now = 300.5
    queue.flush_unschedulable()
    assert queue.where() == {"active": ["web"], "parked": ["gated"]}
    queue.clock.now = 9000.0
    queue.flush_unschedulable()
    assert queue.where()["parked"] == ["gated"]


def test_gates_are_asked_again_when_a_pod_changes_or_is_activated() -> None:
    queue = Queue()
    queue.closed = {"web"}
    queue.add(pod("web"))
    queue.activate(["default/web"])
    queue.move_all(NODE_ADD, None, None)
    assert queue.where() == {"parked": ["web"]} and not queue.moves
    queue.closed = set()
    queue.activate(["default/web", "default/unknown"])
    assert queue.where() == {"active": ["web"]}


def test_a_gated_pod_is_no_nominee() -> None:
    queue = Queue()
    queue.closed = {"gated"}
    for name in ("gated", "free"):
        queue.add(pod(name, status={"nominatedNodeName": "n1"}))
    assert [each.key for each in queue.nominator.pods("n1")] == ["default/free"]


# -- a pod's own changes -------------------------------------------------------------------------------------------


def changed(name: str) -> tuple[PodInfo, PodInfo]:
    return pod(name), pod(name, {"cpu": "1"})


def test_updates_reach_the_pod_where_it_waits() -> None:
    for prepare in (lambda q: None, lambda q: q.reject(), lambda q: q.reject(FIT)):
        queue = filled("web")
        prepare(queue)
        old, new = changed("web")
        queue.update(old, new, [NODE_LABEL])
        [entry] = [*queue.active.values(), *queue.backoff.values(), *queue.unschedulable.values()]
        assert entry.pod is new


def test_its_own_event_wakes_a_parked_pod() -> None:
    queue = filled("web")
    queue.reject(FIT)
    old, new = changed("web")
    queue.update(old, new, [NODE_LABEL])
    assert queue.where() == {"parked": ["web"]}
    queue.update(old, new, [NODE_LABEL, NODE_ADD])
    assert queue.where() == {"backoff": ["web"]}


def test_an_update_in_flight_is_replayed() -> None:
    queue = filled("web")
    entry = queue.attempt()
    assert queue.in_flight(entry.pod.uid)
    queue.update(*changed("web"), [NODE_ADD])
    assert not queue.where()
    entry.unschedulable_plugins.add(FIT)
    queue.add_unschedulable(entry)
    assert queue.where() == {"backoff": ["web"]} and not queue.in_flight(entry.pod.uid)


def test_an_update_of_an_unknown_pod_adds_it() -> None:
    queue = Queue()
    queue.update(*changed("web"), [])
    assert queue.where() == {"active": ["web"]}


# -- registrations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("registered", "event", "expected"),
    [
        (Registration(Resource.POD, Action.DELETE), ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), True),
        (Registration(Resource.ASSIGNED_POD, Action.ADD), ClusterEvent(Resource.UNSCHEDULABLE_POD, Action.ADD), False),
        (Registration(Resource.NODE, Action.UPDATE_NODE_LABEL), ClusterEvent(Resource.NODE, Action.UPDATE), False),
        (Registration(Resource.NODE, Action.ALL), ClusterEvent(Resource.NODE, Action.UPDATE), True),
        (Registration(Resource.NODE, Action.ADD), ClusterEvent(Resource.WILDCARD, Action.ALL), True),
    ],
)
def test_matches(registered: Registration, event: ClusterEvent, expected: bool) -> None:
    assert matches(registered, event) is expected


def test_who_hears_of_new_nodes_hears_of_taints() -> None:
    def actions(*wanted: Action) -> list[Action]:
        return [r.action for r in with_taint_registration([Registration(Resource.NODE, each) for each in wanted])]

    assert actions(Action.ADD) == [Action.ADD, Action.UPDATE_NODE_TAINT]
    assert actions(Action.ADD | Action.UPDATE_NODE_TAINT) == [Action.ADD | Action.UPDATE_NODE_TAINT]
    assert actions(Action.UPDATE_NODE_LABEL) == [Action.UPDATE_NODE_LABEL]


def test_default_events() -> None:
    plain, with_gangs = default_registrations(False), default_registrations(True)
    assert Resource.VOLUME_ATTACHMENT not in {r.resource for r in with_gangs}
    assert {r.resource for r in with_gangs} - {r.resource for r in plain} == {Resource.WORKLOAD}
