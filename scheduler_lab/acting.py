"""What a button does to the cluster: one more Timeline step at the end of the text, the rest byte for byte the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scheduler_lab.engine.explain.edits import Append, EditError, Ref
from scheduler_lab.engine.explain.edits.one_document import change_document, values_of
from scheduler_lab.engine.explain.edits.writing import flow
from scheduler_lab.engine.manifests.documents import Document, normalised, split

LAB_TAINT = "example.com/closed"
"""The key of the taint that a button puts on a node."""

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_TAINT = re.compile(r"((?:[a-z0-9.-]+/)?[A-Za-z0-9][A-Za-z0-9._-]*)(?:=([A-Za-z0-9._-]*))?")

Step = dict[str, Any]


def step_of(do: str, text: str) -> Step | None:
    """The Timeline step that a button's value asks for (`cordon:node-a`), None for a value that means nothing."""
    name, _colon, target = do.partition(":")
    make = _STEPS.get(name)
    return make(target, text) if make is not None and target else None


def wish_of(fields: Mapping[str, str]) -> str:
    """The value of the pressed button; a taint that was written beside it (in its row or box) is put into it."""
    do = fields.get("do", "")
    name, _colon, node = do.partition(":")
    if name not in ("taint-row", "taint-box"):
        return do
    written = fields.get(do, "").strip() or LAB_TAINT
    effect = fields.get(do.replace("taint", "effect", 1), EFFECTS[0])
    return f"taint:{node}|{written}:{effect}"


def append_step(text: str, step: Step) -> str:
    """The text with the step at the end of its last Timeline, or with a Timeline of its own at the end."""
    for document in reversed(split(normalised(text))):
        if "Timeline" in document.text and (edited := _appended(document, step)) is not None:
            start = _start(text, document)
            return text[:start] + edited + text[start + len(document.text) :]
    written = f"apiVersion: lab/v1\nkind: Timeline\nsteps:\n- {flow(step, as_json=False)}\n"
    if not text.strip():
        return written
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}---\n{written}"


def _appended(document: Document, step: Step) -> str | None:
    try:
        values = values_of(document.text, document.is_json)
        at = next(
            index
            for index, value in reversed(list(enumerate(values)))
            if isinstance(value, dict) and value.get("kind") == "Timeline" and value.get("apiVersion") == "lab/v1"
        )
        change = Append(Ref("Timeline", "", ""), ("steps",), step)
        return change_document(document.text, at, (), change, document.is_json)
    except (EditError, StopIteration):
        return None


def _start(text: str, document: Document) -> int:
    at = 0
    for _line in range(document.first_line - 1):
        at = text.index("\n", at) + 1
    return text.index(document.text, at)


def _pod(target: str, _text: str) -> Step | None:
    namespace, _slash, name = target.rpartition("/")
    return {"delete": {"kind": "Pod", "namespace": namespace or "default", "name": name}} if name else None


def _advance(target: str, _text: str) -> Step | None:
    return {"advanceSeconds": int(target)} if target.isascii() and target.isdigit() and len(target) < 6 else None


def _taint(target: str, _text: str) -> Step | None:
    """`node`, or `node|key=value:effect`."""
    node, _bar, taint = target.partition("|")
    if not taint:
        return {"taint": {"node": node, "key": LAB_TAINT, "effect": EFFECTS[0]}}
    written, _colon, effect = taint.rpartition(":")
    match = _TAINT.fullmatch(written)
    if match is None or effect not in EFFECTS:
        return None
    value = {"value": match.group(2)} if match.group(2) else {}
    return {"taint": {"node": node, "key": match.group(1), **value, "effect": effect}}


def _untaint(target: str, _text: str) -> Step | None:
    node, _bar, taint = target.partition("|")
    key, _colon, effect = taint.rpartition(":")
    key = key.partition("=")[0]
    return {"untaint": {"node": node, "key": key, "effect": effect}} if key else None


def _another(target: str, text: str) -> Step:
    number = 2
    while f"{target}-{number}" in text:
        number += 1
    return {"addNode": {"name": f"{target}-{number}", "like": target}}


_STEPS: dict[str, Callable[[str, str], Step | None]] = {
    "allow": lambda target, _text: {"allowWaiting": target},
    "reject": lambda target, _text: {"rejectWaiting": target},
    "delete-pod": _pod,
    "advance": _advance,
    "cordon": lambda target, _text: {"cordon": target},
    "uncordon": lambda target, _text: {"uncordon": target},
    "taint": _taint,
    "untaint": _untaint,
    "another": _another,
    "remove-node": lambda target, _text: {"removeNode": target},
    "stop-scheduler": lambda target, _text: {"stopScheduler": target},
    "terminate-scheduler": lambda target, _text: {"terminateScheduler": target},
    "start-scheduler": lambda target, _text: {"startScheduler": target},
}
