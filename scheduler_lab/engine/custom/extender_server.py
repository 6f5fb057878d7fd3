"""An extender's side of HTTP: the body of a request in, status and JSON out. Asks the same rules as runs do.

Members are found as Go's encoding/json finds them: by exact name or else regardless of case, the last one counts,
unknown ones are skipped, null is as good as absent.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from scheduler_lab.engine.custom import extender_rules as rules
from scheduler_lab.engine.custom import extender_wire as wire
from scheduler_lab.engine.custom.extender_rules import Role
from scheduler_lab.engine.custom.extender_wire import Reply, Victims
from scheduler_lab.engine.objects.lab import Extender

Members = dict[str, msgspec.Raw]
T = TypeVar("T")
_NULL = b"null"


class NotTheWireFormat(ValueError):
    """A body that is not what kube-scheduler sends; says where."""


def respond(script: Extender, role: Role, body: bytes) -> Reply:
    """What the extender replies to a body. Raises NotTheWireFormat."""
    try:
        body.decode("utf-8")
        found = _object(body, "the body")
        if role == "bind":
            for member in ("PodName", "PodNamespace", "PodUID", "Node"):
                _text(found, member)
            return wire.bind_reply(rules.bind_pod(script))
        _object(_required(found, "Pod"), "Pod")
        if role == "preemption":
            victims = _victims(found)
            return wire.preemption_reply(rules.keep_candidates(script, victims), victims)
        nodes, names_only = _nodes(found)
        names = [name for name, _ in nodes]
        if role == "filter":
            return wire.filter_reply(rules.filter_nodes(script, names), nodes, names_only=names_only)
        return wire.prioritize_reply(rules.prioritize_nodes(script, names))
    except UnicodeDecodeError:
        raise NotTheWireFormat("the body is not UTF-8") from None
    except RecursionError:
        raise NotTheWireFormat("the body is nested too deeply") from None


def _nodes(found: Members) -> tuple[list[tuple[str, Any]], bool]:
    """(name and node as it came, whether only names came)."""
    if (given := _member(found, "NodeNames")) is not None:
        return [(name, name) for name in _decode(given, list[str], "NodeNames")], True
    given = _member(found, "Nodes")
    if given is None:
        raise NotTheWireFormat("there is neither Nodes nor NodeNames")
    items = _member(_object(given, "Nodes"), "items")
    nodes = _decode(items, list[msgspec.Raw], "Nodes.items") if items is not None else []
    return [(_name(node, f"Nodes.items[{index}]"), node) for index, node in enumerate(nodes)], False


def _name(item: msgspec.Raw, where: str) -> str:
    metadata = _member(_object(item, where), "metadata")
    name = _text(_object(metadata, f"{where}.metadata"), "name", f"{where}.metadata.") if metadata is not None else ""
    if not name:
        raise NotTheWireFormat(f"{where} has no metadata.name")
    return name


def _victims(found: Members) -> dict[str, Victims]:
    if (given := _member(found, "NodeNameToMetaVictims")) is not None:
        return {
            node: _node_victims(each, f"NodeNameToMetaVictims[{node}]", whole=False)
            for node, each in _object(given, "NodeNameToMetaVictims").items()
        }
    given = _member(found, "NodeNameToVictims")
    if given is None:
        raise NotTheWireFormat("there is neither NodeNameToVictims nor NodeNameToMetaVictims")
    return {
        node: _node_victims(each, f"NodeNameToVictims[{node}]", whole=True)
        for node, each in _object(given, "NodeNameToVictims").items()
    }


def _node_victims(given: msgspec.Raw, where: str, *, whole: bool) -> Victims:
    members = _object(given, where)
    pods, violations = _member(members, "Pods"), _member(members, "NumPDBViolations")
    uids = []
    for index, pod in enumerate(_decode(pods, list[msgspec.Raw], f"{where}.Pods") if pods is not None else []):
        at = f"{where}.Pods[{index}]"
        holder: Members | None = _object(pod, at)
        if whole:
            metadata = _member(holder or {}, "metadata")
            holder = _object(metadata, f"{at}.metadata") if metadata is not None else {}
        uids.append(_text(holder or {}, "UID", f"{at}."))
    count = _decode(violations, int, f"{where}.NumPDBViolations") if violations is not None else 0
    return Victims(uids, count)


# -- JSON as Go reads it -----------------------------------------------------------------------------------------------


def _object(data: msgspec.Raw | bytes, where: str) -> Members:
    return _decode(data, Members, where)


def _decode(data: msgspec.Raw | bytes, kind: type[T], where: str) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as problem:
        raise NotTheWireFormat(f"{where}: {problem}") from None


def _member(members: Members, name: str) -> msgspec.Raw | None:
    folded = name.casefold()
    value: msgspec.Raw | None = None
    for key, given in members.items():
        if key == name or key.casefold() == folded:
            value = given
    return None if value is None or bytes(value).strip() == _NULL else value


def _required(members: Members, name: str) -> msgspec.Raw:
    value = _member(members, name)
    if value is None:
        raise NotTheWireFormat(f"there is no {name}")
    return value


def _text(members: Members, name: str, where: str = "") -> str:
    value = _member(members, name)
    return "" if value is None else _decode(value, str, f"{where}{name}")
