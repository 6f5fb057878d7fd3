"""A YAML document as plain data: bounded, aliases and merge keys resolved, scalars as Go reads them."""

import base64
import binascii
import re
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.documents import line_numbers
from scheduler_lab.engine.manifests.limits import Limits
from scheduler_lab.engine.manifests.scalars import Scalar, TooLong, key_text, resolve
from scheduler_lab.engine.manifests.syntax import yaml_place, yaml_sentence
from scheduler_lab.engine.manifests.values import Broken, Data, Finding

_TAG: Final = "tag:yaml.org,2002:"
_TYPES: Final[dict[str, tuple[type, ...]]] = {"int": (int,), "float": (int, float), "bool": (bool,)}
_MERGE: Final = "<<"
_DIRECTIVE: Final = re.compile("^%TAG", re.MULTILINE)


def read_yaml(text: str, limits: Limits) -> Data:
    """The values of a YAML text; raises Broken at the first thing that makes the rest unreadable."""
    numbers = line_numbers(text)
    try:
        data = _read(text, limits)
    except Broken as broken:
        if numbers is not None:
            broken.line = numbers[min(broken.line, len(numbers)) - 1] + 1
        raise
    if numbers is not None:
        for found in (data.findings, data.duplicates):
            found[:] = [replace(finding, line=numbers[finding.line - 1] + 1) for finding in found]
    return data


def _read(text: str, limits: Limits) -> Data:
    _check_directives(text, limits)
    try:
        return _Reader(text, limits).read()
    except yaml.MarkedYAMLError as error:
        raise _broken(error, text) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Broken(messages.BROKEN_YAML, line, 1, detail=str(error.reason)) from None


def _check_directives(text: str, limits: Limits) -> None:
    """Refuse %TAG lines by the thousand: each is compared with all before it."""
    if text.count("%TAG") > limits.directives:
        found = next(islice(_DIRECTIVE.finditer(text), limits.directives, None), None)
        if found is not None:
            line = text.count("\n", 0, found.start()) + 1
            raise Broken(messages.TOO_MANY_DIRECTIVES, line, 1, limit=str(limits.directives))


def _broken(error: yaml.MarkedYAMLError, text: str) -> Broken:
    line, column = yaml_place(error, text)
    lines = text.split("\n")
    source = lines[line - 1] if line <= len(lines) else ""
    if source[column - 1 : column] == "\t" or (source[:column].strip(" ") or "x").startswith("\t"):
        return Broken(messages.TAB, line, column)
    template, params = yaml_sentence(error.problem, error.context, source[column - 1 : column])
    return Broken(template, line, column, **params)


class _Enough(Exception):
    """As many findings as are told: the document cannot be used, and the rest of it need not be read."""


class _Reader:
    """Builds values from libyaml's events; `nodes` counts them as if every alias had been written out."""

    def __init__(self, text: str, limits: Limits) -> None:
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self._next = loader.get_event
        self._limits = limits
        self._max_nodes = limits.nodes
        self._data = Data()
        self._nodes = 0
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: set[str] = set()

    def read(self) -> Data:
        with suppress(_Enough):
            self._read()
        self._data.nodes = self._nodes
        return self._data

    def _read(self) -> None:
        while not isinstance(event := self._next(), StreamEndEvent):
            if isinstance(event, DocumentStartEvent):
                self._anchors.clear()
            elif not isinstance(event, DocumentEndEvent) and hasattr(event, "anchor"):
                self._data.values.append(self._node(event, 1))

    def _node(self, event: Any, depth: int) -> Any:
        kind = event.__class__
        if kind is AliasEvent:
            return self._alias(event)
        self._nodes += 1
        if self._nodes > self._max_nodes:
            raise self._stop(messages.TOO_MANY_VALUES, event, limit=str(self._limits.nodes))
        anchor = event.anchor
        before = self._nodes
        if anchor is not None:
            self._open.add(anchor)
        value: Any
        if kind is ScalarEvent:
            value = resolve(event.value) if event.implicit[0] and len(event.value) < 200 else self._scalar(event)
            if value is None:
                self._data.has_null = True
            elif value.__class__ is float and not -1e300 < value < 1e300:
                value = self._odd_float(event, value)
        elif depth > self._limits.depth:
            raise self._stop(messages.TOO_DEEP, event, limit=str(self._limits.depth))
        elif kind is MappingStartEvent:
            value = self._mapping(depth)
        else:
            value = self._sequence(depth)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = (value, self._nodes - before + 1)
        return value

    def _mapping(self, depth: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        merged: list[tuple[Any, Any]] = []
        following, node, most = self._next, self._node, self._limits.entries
        while (event := following()).__class__ is not MappingEndEvent:
            if event.__class__ is ScalarEvent and event.anchor is None:
                key = self._key(event)
            else:
                key = self._complex_key(event, depth)
            item = node(following(), depth + 1)
            if key in value:
                self._add(self._data.duplicates, messages.DUPLICATE_KEY, event, key=key)
            elif key == _MERGE and event.implicit[0]:
                merged.append((item, event))
            else:
                value[key] = item
                if len(value) > most or (item.__class__ is list and len(item) > most and key != "items"):
                    raise self._stop(messages.TOO_MANY_ENTRIES, event, limit=str(most))
        for item, event in merged:
            self._merge(value, item, event)
        return value

    def _sequence(self, depth: int) -> list[Any]:
        value: list[Any] = []
        following, node = self._next, self._node
        while (event := following()).__class__ is not SequenceEndEvent:
            value.append(node(event, depth + 1))
        return value

    def _key(self, event: Any) -> str:
        text: str = event.value
        if not event.implicit[0]:
            value = self._scalar(event)
        elif text and (text[0].isalpha() and len(text) > 5):
            return text
        else:
            value = self._scalar(event)
        key = key_text(value)
        if key is None:
            self._add(self._data.findings, messages.NULL_KEY, event)
            return text
        return key

    def _complex_key(self, event: Any, depth: int) -> str:
        value = self._node(event, depth + 1)
        key = key_text(value) if not isinstance(value, dict | list) else None
        if key is None:
            self._add(self._data.findings, messages.COMPLEX_KEY, event)
            return ""
        return key

    def _merge(self, value: dict[str, Any], item: Any, event: Any) -> None:
        for source in item if isinstance(item, list) else [item]:
            if not isinstance(source, dict):
                self._add(self._data.findings, messages.MERGE_VALUE, event)
                return
            for key, inner in source.items():
                value.setdefault(key, inner)

    def _alias(self, event: Any) -> Any:
        if event.anchor in self._open:
            raise self._stop(messages.ALIAS_CYCLE, event, name=event.anchor)
        if event.anchor not in self._anchors:
            raise self._stop(messages.ALIAS_UNKNOWN, event, name=event.anchor)
        value, size = self._anchors[event.anchor]
        self._nodes += size
        if self._nodes > self._max_nodes:
            raise self._stop(messages.ALIAS_BOMB, event, limit=str(self._limits.nodes), name=event.anchor)
        return value

    def _scalar(self, event: ScalarEvent) -> Scalar:
        text, tag = event.value, event.tag
        if tag is None or tag == "!":
            if not event.implicit[0] or tag == "!":
                return text
            try:
                return resolve(text)
            except TooLong:
                raise self._stop(messages.LONG_NUMBER, event, digits=str(len(text))) from None
        name = tag.removeprefix(_TAG)
        if name == "binary":
            return self._binary(event)
        if name == "null":
            return None
        if name not in _TYPES:
            return text
        value = resolve(text) if len(text) < self._limits.number_digits else text
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "bool"):
            self._add(self._data.findings, messages.BAD_TAG, event, value=text[:80], tag=name)
        return value

    def _binary(self, event: ScalarEvent) -> str:
        try:
            return base64.b64decode(event.value, validate=False).decode()
        except (binascii.Error, UnicodeDecodeError):
            self._add(self._data.findings, messages.BAD_TAG, event, value=event.value[:80], tag="binary")
            return event.value

    def _odd_float(self, event: ScalarEvent, value: float) -> float:
        if value != value or value in (float("inf"), float("-inf")):
            self._add(self._data.findings, messages.NOT_A_JSON_NUMBER, event, value=event.value)
            return 0
        return value

    def _add(self, where: list[Finding], template: str, event: Any, **params: str) -> None:
        mark = event.start_mark
        where.append(Finding(template, mark.line + 1, mark.column + 1, params))
        if len(where) >= self._limits.problems:
            self._data.cut = True
            raise _Enough

    def _stop(self, template: str, event: Any, **params: str) -> Broken:
        mark = event.start_mark
        return Broken(template, mark.line + 1, mark.column + 1, **params)
