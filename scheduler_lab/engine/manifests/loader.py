"""A pasted text as objects, with everything that is wrong with it told at its line."""

from dataclasses import replace
from typing import Any, Final

import msgspec

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.documents import Document, document_beyond, normalised, split, unprintable
from scheduler_lab.engine.manifests.from_json import CHEAPER, read_json
from scheduler_lab.engine.manifests.from_yaml import read_yaml
from scheduler_lab.engine.manifests.limits import PASTED, Limits
from scheduler_lab.engine.manifests.located import Path, format_path
from scheduler_lab.engine.manifests.manifest import Entry, Manifest, Source
from scheduler_lab.engine.manifests.pause import no_collections
from scheduler_lab.engine.manifests.problem import Problem, Problems, Severity
from scheduler_lab.engine.manifests.relations import check_relations
from scheduler_lab.engine.manifests.scalar_places import place_in_scalar
from scheduler_lab.engine.manifests.shapes import shape_of
from scheduler_lab.engine.manifests.strict import Suggest, clean, cut, describe, near
from scheduler_lab.engine.manifests.validation import validate
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.manifests.values import Broken, Data
from scheduler_lab.engine.objects.codec import convert
from scheduler_lab.engine.objects.lab import Timeline
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.objects.lab_scheduler import Scheduler
from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta
from scheduler_lab.engine.objects.raw import DuplicateKey, RawObject
from scheduler_lab.engine.objects.registry import CONFIGURATION_GROUP, CONFIGURATION_KIND, TYPES, kinds, versions_of

_METADATA: Final = ("name", "namespace")
# It names and describes the text it stands in; nothing in it is run.
TITLE_OF_AN_EXAMPLE: Final = ("lab/v1", "Example")


def load(text: str, limits: Limits = PASTED) -> Manifest:
    """The objects of a text and its problems; never raises on what a person wrote.

    Accepts several YAML or JSON documents, `List` kinds, Windows line ends and a byte order mark, and decodes as
    strictly as the API server does with fieldValidation=Strict.
    """
    if len(text) > limits.characters:
        size = {"size": str(len(text)), "limit": str(limits.characters)}
        return Manifest(text="", problems=[Problem("error", messages.TOO_LARGE, size)])
    limits = limits.for_text(len(text))
    text = normalised(text)
    if text.count(",") > limits.commas and not text.lstrip().startswith("{"):
        return Manifest(text, problems=[Problem("error", messages.TOO_MANY_VALUES, {"limit": str(limits.commas)})])
    found = unprintable(text)
    if found is not None:
        line, column, code = found
        return Manifest(text, problems=[Problem("error", messages.UNPRINTABLE, {"code": code}, 0, line, column)])
    beyond = document_beyond(text, limits.documents)
    if beyond is not None:
        count = {"count": str(limits.documents + 1), "limit": str(limits.documents)}
        return Manifest(text, problems=[Problem("error", messages.TOO_MANY_DOCUMENTS, count, 0, beyond)])
    documents = split(text)
    if not documents:
        return Manifest(text, problems=[Problem("error", messages.EMPTY)])
    with no_collections():
        return _Loader(text, limits).load(documents)


class _Loader:
    """One load: reads document by document, collecting entries and problems."""

    def __init__(self, text: str, limits: Limits, steps: bool = True) -> None:
        self._limits = limits
        self._nodes = limits.nodes
        self._problems = Problems(limits.problems)
        self._steps = steps
        self._exhausted = False
        self._configurations = 0
        self.manifest = Manifest(text)

    def load(self, documents: list[Document]) -> Manifest:
        """Everything in the documents."""
        for document in documents:
            self._document(document)
            if self._settled() or self._exhausted:
                break
        else:
            self._together()
        self.manifest.problems = self._problems.sorted()
        return self.manifest

    def _settled(self) -> bool:
        """Whether the rest of the text need not be read: enough is told, and it is not run."""
        if self._problems.settled:
            self._problems.dropped = True
        return self._problems.settled

    def _together(self) -> None:
        """What shows only when everything is read."""
        check_relations(self.manifest.entries, self._report)
        self._unused_plugins()
        self._schedulers()

    def _document(self, document: Document) -> None:
        read = read_json if document.is_json else read_yaml
        try:
            data = read(document.text, replace(self._limits, nodes=self._nodes))
        except Broken as broken:
            self._broken(broken, document)
            return
        self._nodes = max(self._nodes - data.nodes, 0)
        if data.cut or not (len(data.values) == 1 and _is_configuration(data.values[0])):
            for finding in data.duplicates:
                line, column = document.place(finding.line, finding.column)
                self._problems.add(Problem("error", finding.template, finding.params, document.number, line, column))
        for finding in data.findings:
            line, column = document.place(finding.line, finding.column)
            self._problems.add(Problem("error", finding.template, finding.params, document.number, line, column))
        sources = [Source(part) for part in document.cut(data.spans)] if data.spans else [Source(document)]
        for index, value in enumerate(data.values):
            if value is None:
                continue
            if self._settled():
                return
            source, number = (sources[index], 0) if data.spans else (sources[0], index)
            self._value(value, data, Entry(_NOTHING, source, number), {})

    def _broken(self, broken: Broken, document: Document) -> None:
        params = broken.params
        if broken.template in (messages.TOO_MANY_VALUES, messages.ALIAS_BOMB):
            # The bound is one of the whole text, of which this document may have only what others left.
            self._exhausted = True
            params = {**params, "limit": str(self._limits.nodes * (CHEAPER if document.is_json else 1))}
        line, column = document.place(broken.line, broken.column)
        self._problems.add(Problem("error", broken.template, params, document.number, line, column))

    def _value(self, value: Any, data: Data, at: Entry, inherited: dict[str, str]) -> None:
        if not isinstance(value, dict):
            self._report("error", messages.NOT_AN_OBJECT, at, (), {"got": describe(value)}, "")
            return
        version, kind = value.get("apiVersion"), value.get("kind")
        if inherited and version is None and kind is None:
            version, kind = inherited["apiVersion"], inherited["kind"]
            value = {**value, **inherited}
        if not isinstance(version, str) or not isinstance(kind, str) or not version or not kind:
            self._untitled(version, kind, at)
        elif kind.endswith("List") and (version, kind) not in TYPES:
            self._list(value, version, kind, data, at)
        else:
            self._object(value, version, kind, data, at)

    def _untitled(self, version: Any, kind: Any, at: Entry) -> None:
        for field, given in (("apiVersion", version), ("kind", kind)):
            if given is None or given == "":
                self._report("error", messages.MISSING_FIELD, at, (), {"field": field}, "")
            elif not isinstance(given, str):
                params = {"path": field, "expected": "a text", "got": describe(given)}
                self._report("error", messages.WRONG_TYPE, at, (field,), params, "")

    def _list(self, value: dict[str, Any], version: str, kind: str, data: Data, at: Entry) -> None:
        items = value.get("items")
        if items is not None and not isinstance(items, list):
            self._report("error", messages.LIST_ITEMS, at, ("items",), {"kind": kind}, "")
            return
        inherited = {} if kind == "List" else {"apiVersion": version, "kind": kind.removesuffix("List")}
        for index, item in enumerate(items or ()):
            if self._settled():
                return
            self._value(item, data, Entry(_NOTHING, at.source, at.value, (*at.path, "items", index)), inherited)

    def _object(self, value: dict[str, Any], version: str, kind: str, data: Data, at: Entry) -> None:
        struct = TYPES.get((version, kind))
        if struct is None:
            self._untyped(value, version, kind, data, at)
            return
        item, accepted = self._typed(value, struct, data.has_null, at)
        if item is None:
            return
        entry = Entry(item, at.source, at.value, at.path)
        self.manifest.entries.append(entry)
        if accepted:
            self._validate(item, entry)
        if isinstance(item, Timeline) and self._steps:
            self._apply_steps(item, entry)
        if isinstance(item, Plugin) and accepted:
            self._plugin(item, entry)

    def _validate(self, item: KubeObject, entry: Entry) -> None:
        def receive(severity: Severity, text: str, path: Path, params: dict[str, str], suggestion: str) -> None:
            self._report(severity, text, entry, path, params, suggestion)

        own = item.api_version.startswith("lab/")
        validate(item, Checker(receive, "error" if own else "refused"))

    def _typed(self, value: Any, struct: type[KubeObject], has_null: bool, at: Entry) -> tuple[KubeObject | None, bool]:
        """The object, and whether all of it was accepted."""
        if not has_null:
            try:
                return convert(value, struct), True
            except msgspec.ValidationError:
                pass

        refused = False

        def report(template: str, path: Path, params: dict[str, str], suggest: Suggest) -> None:
            nonlocal refused
            refused = True
            if self._settled():
                return
            suggestion = "" if self._problems.full else suggest() or _quoted(template, at, path, params)
            self._report("error", template, at, path, params, suggestion)

        cleaned = clean(value, shape_of(struct), report)
        try:
            return convert(cleaned, struct), not refused
        except msgspec.ValidationError as error:
            self._report("error", messages.UNREADABLE, at, (), {"detail": cut(str(error))}, "")
            return None, False

    def _untyped(self, value: dict[str, Any], version: str, kind: str, data: Data, at: Entry) -> None:
        if _is_configuration(value):
            self._configurations += 1
            if self._configurations > 2:
                self._report("error", messages.SECOND_CONFIGURATION, at, (), {}, "")
                return
            raw = _raw(value, version, kind, data, at)
            place = at.place()
            if place is not None:
                raw.positions = place.positions()
            self.manifest.entries.append(Entry(raw, at.source, at.value, at.path))
            return
        known = versions_of(kind)
        if known:
            params = {"kind": kind, "version": cut(version)}
            self._report("error", messages.WRONG_VERSION, at, ("apiVersion",), params, known[0])
            return
        entry = Entry(_raw(value, version, kind, data, at), at.source, at.value, at.path)
        self.manifest.ignored.append(entry)
        if (version, kind) == TITLE_OF_AN_EXAMPLE:
            return
        params = {"kind": cut(kind), "version": cut(version)}
        suggestion = "" if self._problems.full else near(kind, kinds())
        self._report("warning", messages.UNKNOWN_KIND, at, ("kind",), params, suggestion)

    def _apply_steps(self, timeline: Timeline, entry: Entry) -> None:
        """Problems of the texts that steps apply, told at their own lines."""
        for index, step in enumerate(timeline.steps):
            if step.apply is None:
                continue
            if self._settled():
                return
            path: Path = ("steps", index, "apply")
            place = entry.begin(path)
            first_line = place.value_line + 1 if place and place.block else 0
            inner = _Loader(step.apply, replace(self._limits, nodes=self._nodes), steps=False)
            documents = split(normalised(step.apply))
            if not documents:
                self._report("error", messages.REQUIRED, entry, path, {"path": f"steps[{index}].apply"}, "")
            for problem in inner.load(documents).problems:
                line = first_line + problem.line - 1 if first_line else (place.line if place else 1)
                column = problem.column + place.indent if place and first_line else (place.column if place else 1)
                self._problems.add(replace(problem, document=entry.document, line=line, column=column))

    def _plugin(self, plugin: Plugin, entry: Entry) -> None:
        """Problems of a plugin's document; those of its expressions at the place within their text."""
        # Only a text with plugins needs the expressions' compiler.
        from scheduler_lab.engine.custom.plugins.checking import IN_STEP, check_plugin

        if not self._steps:
            self._report("error", IN_STEP, entry, ("kind",), {}, "")
        for finding in check_plugin(plugin):
            path = finding.path
            params = {"path": format_path(path), **finding.params}
            place = entry.begin(path) if finding.at is not None else None
            if place is None or finding.at is None:
                self._report("error", finding.template, entry, path, params, finding.suggestion)
                continue
            document = entry.source.document
            line, column = place_in_scalar(document, place, finding.at)
            shown = format_path(path)
            problem = Problem(
                "error", finding.template, params, document.number, line, column, shown, finding.suggestion
            )
            self._problems.add(problem)

    def _unused_plugins(self) -> None:
        """Warn of plugins that the configuration does not enable."""
        plugins = [entry for entry in self.manifest.entries if isinstance(entry.object, Plugin)]
        if not plugins or not self._steps:
            return
        from scheduler_lab.engine.custom.plugins.checking import NOT_ENABLED, enabled_plugins

        objects = self.manifest.objects
        configurations: list[Any] = [item.raw for item in objects if isinstance(item, RawObject)]
        configurations += [item.spec.configuration for item in objects if isinstance(item, Scheduler)]
        enabled = {name for configuration in configurations for name in enabled_plugins(configuration)}
        for entry in plugins:
            name = entry.object.metadata.name
            if name and name not in enabled:
                self._report("warning", NOT_ENABLED, entry, ("metadata", "name"), {"name": name}, "")

    def _schedulers(self) -> None:
        """Problems of the Scheduler documents, those of their configurations included."""
        entries = {id(entry.object): entry for entry in self.manifest.entries if isinstance(entry.object, Scheduler)}
        if not entries:
            return
        # Only a text with further schedulers needs all that a scheduler consists of.
        from scheduler_lab.engine.schedulers.checking import IN_STEP, check_schedulers

        if not self._steps:
            for entry in entries.values():
                self._report("error", IN_STEP, entry, ("kind",), {}, "")
            return
        for finding in check_schedulers(self.manifest.objects):
            params = {"path": format_path(finding.path), **finding.params}
            self._report(finding.severity, finding.template, entries[id(finding.document)], finding.path, params, "")

    def _report(
        self, severity: Severity, template: str, at: Entry, path: Path, params: dict[str, str], suggestion: str
    ) -> None:
        if self._problems.settled or (self._problems.full and severity != "error"):
            self._problems.dropped = True
            return
        place = at.begin(path)
        document = at.source.document
        line, column = (place.line, place.column) if place else (document.first_line, 1)
        shown = format_path(path)
        self._problems.add(Problem(severity, template, params, document.number, line, column, shown, suggestion))


_NOTHING: Final = RawObject(raw={})


def _quoted(template: str, at: Entry, path: Path, params: dict[str, str]) -> str:
    """For an unquoted scalar where a text is wanted: the same in quotes."""
    place = at.begin(path) if template == messages.WRONG_TYPE and params["expected"] == "a text" else None
    return f'"{place.source}"' if place and place.plain and place.source else ""


def _is_configuration(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") == CONFIGURATION_KIND
        and str(value.get("apiVersion", "")).startswith(CONFIGURATION_GROUP)
    )


def _raw(value: dict[str, Any], version: str, kind: str, data: Data, at: Entry) -> RawObject:
    metadata = value.get("metadata")
    known = (
        {key: metadata[key] for key in _METADATA if isinstance(metadata.get(key), str)}
        if isinstance(metadata, dict)
        else {}
    )
    document = at.source.document
    return RawObject(
        api_version=version,
        kind=kind,
        metadata=ObjectMeta(**known),
        raw=value,
        text=document.text,
        first_line=document.first_line,
        duplicates=[DuplicateKey(key=finding.params["key"], line=finding.line) for finding in data.duplicates],
    )
