"""The events that the run left, as `kubectl get events` would list them."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_lab.present.facts import Json, short_name

MOST = 60


@dataclass(frozen=True)
class Event:
    warning: bool
    reason: str
    kind: str
    name: str
    message: str
    by: str = ""


def build(record: Json) -> tuple[list[Event], int]:
    """(the last MOST events in order, how many earlier ones are left out)."""
    events = record.get("events", [])
    hidden = max(0, len(events) - MOST)
    return [_event(event) for event in events[hidden:]], hidden


def _event(event: Json) -> Event:
    kind, _space, name = event.get("regarding", "").partition(" ")
    return Event(
        event.get("type") == "Warning",
        event.get("reason", ""),
        kind,
        short_name(name),
        event.get("message", ""),
        event.get("x-scheduler", ""),
    )


def of_controllers(record: Json) -> list[Event]:
    """What the controllers did (made pods, scaled), the last MOST of it."""
    return [_event(event) for event in record.get("x-events", [])[-MOST:]]
