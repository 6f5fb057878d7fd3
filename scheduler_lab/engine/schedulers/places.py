"""Where in a configuration's data an error of kube-scheduler's is at home, as far as its text tells."""

from __future__ import annotations

import re
from typing import Any, Final

from scheduler_lab.engine.configuration import ConfigurationError
from scheduler_lab.engine.manifests.located import Path, parse_path

_ARGS: Final = re.compile(r"decoding \.?(profiles\[\d+\]\.pluginConfig\[\d+\])")
_UNKNOWN: Final = re.compile(r'unknown field "([^"]+)"')
_GO_FIELD: Final = re.compile(r"cannot unmarshal (\w+) into Go struct field \w+\.([\w.]+) of type")
_KINDS: Final = {"bool": bool, "string": str, "number": int | float, "object": dict, "array": list}
_PROFILE: Final = re.compile(r"for (?:scheduler name|profile) \"?([^:\"]+)")
_QUOTED: Final = re.compile(r'"([^"]+)"')


def place_of(error: ConfigurationError, raw: dict[str, Any]) -> Path:
    """The path of the field at fault, () when nothing in the text tells which."""
    said = str(error)
    if error.paths:
        return parse_path(error.paths[0])
    args = _ARGS.search(said)
    within: Path = (*parse_path(args[1]), "args") if args else ()
    unknown, typed = _UNKNOWN.search(said), _GO_FIELD.search(said)
    if unknown:
        return (*within, *parse_path(unknown[1]))
    if typed:
        return (*within, *_written(_at(raw, within), parse_path(typed[2]), typed[1]))
    if within:
        return within
    profile = _PROFILE.search(said)
    if profile:
        for index, entry in enumerate(_items(raw.get("profiles"))):
            if isinstance(entry, dict) and entry.get("schedulerName") == profile[1].strip():
                here: Path = ("profiles", index)
                return (*here, *_mention(entry, _QUOTED.findall(said.partition(profile[0])[2])))
    return ()


def _written(data: Any, path: Path, kind: str) -> Path:
    """The path with the indexes that Go leaves out: of a list's items the first whose member is of that JSON type."""
    if not path:
        return ()
    step, *rest = path
    if not isinstance(data, list):
        return (step, *_written(_at(data, (step,)), tuple(rest), kind))
    for index, item in enumerate(data):
        member = _at(item, (step,))
        if member is not None and (rest or isinstance(member, _KINDS.get(kind, object))):
            return (index, step, *_written(member, tuple(rest), kind))
    return path


def _at(data: Any, path: Path) -> Any:
    for step in path:
        if isinstance(data, dict):
            data = data.get(str(step))
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _items(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def _mention(data: Any, names: list[str], path: Path = ()) -> Path:
    """The first place below that holds one of the names."""
    if isinstance(data, str):
        return path if data in names else ()
    inner = data.items() if isinstance(data, dict) else enumerate(_items(data))
    for step, value in inner:
        found = _mention(value, names, (*path, step))
        if found and found[-1] != "schedulerName":
            return found
    return ()
