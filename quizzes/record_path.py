"""Finds a value in a run's record by a path such as `cycles[default/web#1].score.node-a.NodeResourcesFit.raw`."""

import re
from typing import Any

_STEP = re.compile(r"\[([^\]]*)\]|\.?([^.\[\]]+)")


def look_up(record: dict[str, Any], path: str) -> Any:
    """Return the value at `path`, or None where the record has nothing.

    `cycles[POD]` is the last cycle of a pod and `cycles[POD#n]` its n-th; in other lists `[n]` counts from 0 and
    `[NAME]` is the entry of that plugin, pod or object. Names may hold dots: the longest member that fits is taken.
    """
    value: Any = record
    steps = [(match[1], match[2]) for match in _STEP.finditer(path)]
    index = 0
    while index < len(steps) and value is not None:
        bracket, word = steps[index]
        index += 1
        if word is None:
            value = _entry(value, bracket)
            continue
        words = [word]
        while index < len(steps) and steps[index][1] is not None:
            words.append(steps[index][1])
            index += 1
        value = _members(value, words)
    return value


def _members(value: Any, words: list[str]) -> Any:
    while words:
        if not isinstance(value, dict):
            return None
        for count in range(len(words), 0, -1):
            name = ".".join(words[:count])
            if name in value:
                value, words = value[name], words[count:]
                break
        else:
            return None
    return value


def _entry(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    if not isinstance(value, list):
        return None
    if re.fullmatch(r"[0-9]{1,9}", name):
        return value[int(name)] if int(name) < len(value) else None
    pod, _, number = name.partition("#")
    cycles = [item for item in value if isinstance(item, dict) and item.get("pod") == pod]
    if cycles and "attempt" in cycles[0]:
        nth = int(number) - 1 if number.isdigit() else -1
        return cycles[nth] if -1 <= nth < len(cycles) else None
    named = (item for item in value if isinstance(item, dict))
    return next((item for item in named if name in (item.get("plugin"), item.get("pod"), item.get("regarding"))), None)
