"""The events of a run as kubectl v1.35 prints them at its end, in virtual time.

kube-scheduler tells its events through events.k8s.io: equal ones about the same version of an object become a
series, which is written with its second event, every 30 minutes, and six minutes after its last. The controllers use
the older recorder, which counts equal messages, joins similar ones from the tenth on, and stays silent about an
object of which it has told 25 times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scheduler_lab.engine.metrics import Measurement
from scheduler_lab.engine.metrics.families import Told

SCHEDULER = "scheduler"
REFRESH_SECONDS, FINISH_SECONDS = 1800.0, 360.0
SIMILAR, SIMILAR_SECONDS, BURST, REFILL_SECONDS = 10, 600.0, 25, 300.0
KEPT_SECONDS = 3600.0
"""How long the API server keeps an event that is not told again (--event-ttl)."""
COMBINED = "(combined from similar events): "
PADDING = 3
SMALLEST_CELL = 6
"""Columns of kubectl's tables: at least that wide with the space behind them."""


@dataclass
class Shown:
    """An Event object: when it was told first and last, in virtual seconds, and how often.

    `observed` are the times of a series, of which kubectl sees what was written last.
    """

    type: str
    reason: str
    kind: str
    namespace: str
    name: str
    message: str
    source: str
    first: float
    last: float
    count: int = 1
    series: bool = False
    order: int = 0
    observed: list[float] = field(default_factory=list)

    def written(self, now: float) -> None:
        """What of a series has reached the API server by then."""
        if len(self.observed) < 2:
            return
        refreshed = now // REFRESH_SECONDS * REFRESH_SECONDS
        until = now if now - self.observed[-1] > FINISH_SECONDS else refreshed
        seen = max(2, sum(time <= until for time in self.observed))
        self.series, self.count, self.last = True, seen, self.observed[seen - 1]


def objects(found: Measurement) -> list[Shown]:
    """The Event objects at the end of the run, in the order in which they were made."""
    recorder, correlator = _Series(), _Correlator()
    made: list[Shown] = []
    for told in found.events:
        new = (recorder if told.by == SCHEDULER else correlator).take(told)
        if new is not None:
            new.order = len(made)
            made.append(new)
    for one in made:
        one.written(found.now)
    return [one for one in made if found.now - one.last <= KEPT_SECONDS]


def _object(told: Told, message: str = "") -> Shown:
    kind, _, key = told.regarding.partition(" ")
    namespace, _, name = key.rpartition("/")
    text = message or told.message
    return Shown(told.type, told.reason, kind, namespace or "default", name, text, told.source, told.time, told.time)


class _Series:
    """The recorder of events.k8s.io; a note is no part of what makes two events equal."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Shown] = {}

    def take(self, told: Told) -> Shown | None:
        """The Event object that is new with this, if one is."""
        related = told.message if told.reason == "Preempted" else ""
        key = (told.type, told.reason, told.regarding, told.source, told.version, related)
        kept = self._kept.get(key)
        if kept is not None and told.time - kept.observed[-1] <= FINISH_SECONDS:
            kept.observed.append(told.time)
            return None
        made = self._kept[key] = _object(told)
        made.observed.append(told.time)
        return made


class _Correlator:
    """The older recorder with its aggregation and its limit by object."""

    def __init__(self) -> None:
        self._similar: dict[tuple[str, ...], tuple[float, set[str]]] = {}
        self._kept: dict[tuple[str, ...], Shown] = {}
        self._tokens: dict[str, tuple[float, float]] = {}

    def take(self, told: Told) -> Shown | None:
        """The Event object that is new with this, if one is."""
        group = (told.type, told.reason, told.regarding, told.source)
        last, messages = self._similar.get(group, (told.time, set()))
        if told.time - last > SIMILAR_SECONDS:
            messages = set()
        messages.add(told.message)
        combined = len(messages) >= SIMILAR
        if combined:
            messages.pop()
        self._similar[group] = (told.time, messages)
        key = group if combined else (*group, told.message)
        message = f"{COMBINED}{told.message}" if combined else told.message
        if not self._allowed(told):
            return None
        kept = self._kept.get(key)
        if kept is not None:
            kept.count, kept.last, kept.message = kept.count + 1, told.time, message
            return None
        self._kept[key] = _object(told, message)
        return self._kept[key]

    def _allowed(self, told: Told) -> bool:
        tokens, since = self._tokens.get(told.regarding, (float(BURST), told.time))
        tokens = min(float(BURST), tokens + (told.time - since) / REFILL_SECONDS)
        self._tokens[told.regarding] = (tokens - 1 if tokens >= 1 else tokens, told.time)
        return tokens >= 1


# -- kubectl's commands ---------------------------------------------------------------------------------------------


def get_events(found: Measurement, namespace: str | None) -> str:
    """`kubectl get events` (-n namespace, or -A for None): in the order of the objects' names, as they are stored."""
    shown = [one for one in objects(found) if namespace is None or one.namespace == namespace]
    if not shown:
        return _none("No resources found", namespace)
    shown.sort(key=lambda one: (one.namespace, f"{one.name}.{int(one.first * 1e9) + 10**18:x}", one.order))
    rows = [
        [human(found.now - one.last), one.type, one.reason, f"{one.kind.lower()}/{one.name}", one.message.strip()]
        for one in shown
    ]
    return _with_namespaces(rows, shown, namespace)


def events(found: Measurement, namespace: str | None) -> str:
    """`kubectl events` (-n namespace, or -A for None): by the time they were last seen, with how often."""
    shown = [one for one in objects(found) if namespace is None or one.namespace == namespace]
    if not shown:
        return _none("No events found", namespace)
    shown.sort(key=lambda one: one.last)
    rows = [
        [interval(one, found.now), one.type, one.reason, f"{one.kind}/{one.name}", one.message.strip()] for one in shown
    ]
    return _with_namespaces(rows, shown, namespace)


def of_pod(found: Measurement, pod: str) -> str:
    """The Events section of `kubectl describe pod`, for a pod named namespace/name."""
    shown = [one for one in objects(found) if one.kind == "Pod" and f"{one.namespace}/{one.name}" == pod]
    if not shown:
        return "Events:  <none>\n"
    shown.sort(key=lambda one: one.last)
    head = ["Type", "Reason", "Age", "From", "Message"]
    rows = [[one.type, one.reason, interval(one, found.now), one.source, one.message.strip()] for one in shown]
    rules = ["-" * len(title) for title in head[:-1]] + ["-" * len(head[-1])]
    return "Events:\n" + table([head, rules, *rows], padding=2, smallest=0, indent="  ")


def namespaces(found: Measurement, pods: Iterable[str]) -> list[str]:
    """The namespaces that have pods or events, `default` first."""
    used = {pod.partition("/")[0] for pod in pods} | {one.namespace for one in objects(found)}
    return sorted(used, key=lambda name: (name != "default", name))


def _none(sentence: str, namespace: str | None) -> str:
    return f"{sentence}\n" if namespace is None else f"{sentence} in {namespace} namespace.\n"


def _with_namespaces(rows: Sequence[list[str]], shown: Sequence[Shown], namespace: str | None) -> str:
    head = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    if namespace is None:
        head = ["NAMESPACE", *head]
        rows = [[one.namespace, *row] for one, row in zip(shown, rows, strict=True)]
    return table([head, *rows])


def table(
    rows: Sequence[Sequence[str]], *, padding: int = PADDING, smallest: int = SMALLEST_CELL, indent: str = ""
) -> str:
    """Columns as kubectl aligns them; the last one ends where its text ends."""
    widths = [max(smallest, *(len(row[at]) + padding for row in rows)) for at in range(len(rows[0]) - 1)]
    return "".join(
        indent + "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) + row[-1] + "\n"
        for row in rows
    )


def interval(one: Shown, now: float) -> str:
    """`5s`, or `5s (x3 over 2m)` for an event that was told several times."""
    if one.count < 2:
        return human(now - one.first)
    return f"{human(now - one.last)} (x{one.count} over {human(now - one.first)})"


def human(seconds: float) -> str:
    """A duration as kubectl writes it: 119s, 2m5s, 12m, 3h20m, 2d3h."""
    whole = int(seconds)
    if whole < 0:
        return "0s" if whole == -1 else "<invalid>"
    if whole < 120:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 10:
        return _two(minutes, "m", whole % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    hours = whole // 3600
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return _two(hours // 24, "d", hours % 24, "h")
    if hours < 24 * 365 * 2:
        return f"{hours // 24}d"
    if hours < 24 * 365 * 8:
        return _two(hours // 24 // 365, "y", hours // 24 % 365, "d")
    return f"{hours // 24 // 365}y"


def _two(large: int, unit: str, small: int, part: str) -> str:
    return f"{large}{unit}{small}{part}" if small else f"{large}{unit}"
