"""Compiling a Plugin document: every expression checked in the scope of its extension point, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec

from scheduler_lab.engine.custom.cel import MAX_EXPRESSION, CELError, Environment, Program
from scheduler_lab.engine.custom.cel_syntax import Syntax, read_syntax
from scheduler_lab.engine.custom.plugins.analysis import Analysis, Input, Value, analyse, given
from scheduler_lab.engine.custom.plugins.event_names import RESOURCES
from scheduler_lab.engine.custom.plugins.functions import PLUGIN_FUNCTIONS
from scheduler_lab.engine.custom.plugins.points import HINT, POINTS, REASON, RESERVED, Point, variable_shapes
from scheduler_lab.engine.custom.plugins.shapes import args_shape, cel_type, object_shape, struct
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.manifests.located import format_path
from scheduler_lab.engine.manifests.shapes import Shape
from scheduler_lab.engine.objects.lab_plugin import Plugin, PluginPermit, PluginRule, PluginVariable

Path = tuple[str | int, ...]

CEL: Final = N_("%(path)s: %(detail)s.")
CEL_AT: Final = N_("%(path)s: %(detail)s (as %(point)s uses it).")
WRONG_RESULT: Final = N_("%(path)s: this gives %(got)s, but %(expected)s is wanted.")
EMPTY: Final = N_("%(path)s: an expression is needed.")
UNUSABLE: Final = N_("%(path)s: a variable cannot be of the type %(got)s.")

_ERROR: Final = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): (.*)")
_CONTAINER: Final = " (in container '')"
_STORABLE: Final = ("bool", "int", "double", "string", "list", "map", "dyn", "duration", "timestamp", "null")


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake in the document: at a path, and for expressions at a place in its text (characters from 0)."""

    path: Path
    template: str
    params: Mapping[str, str] = field(default_factory=dict)
    at: int | None = None
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A checked expression: what evaluates it, the variables of the document it uses, and what it reads.

    `label` names it in failures: `filter expression`, `variable free`.
    """

    program: Program
    path: Path
    label: str
    roots: frozenset[str]
    variables: tuple[str, ...]
    inputs: tuple[Input, ...]


@dataclass(slots=True)
class CompiledPlugin:
    """A document's expressions: by extension point, the reasons of those, the variables, and the hints by event.

    `members` are the fields of objects that any expression may look at, None for all of them.
    """

    points: dict[str, Compiled] = field(default_factory=dict)
    reasons: dict[str, Compiled] = field(default_factory=dict)
    variables: dict[str, Compiled] = field(default_factory=dict)
    hints: dict[int, Compiled] = field(default_factory=dict)
    members: frozenset[str] | None = frozenset()
    findings: list[Finding] = field(default_factory=list)


def compile_plugin(document: Plugin) -> CompiledPlugin:
    """The document's expressions and everything wrong with them. The same text is compiled once."""
    return _compiled(msgspec.json.encode(document.spec))


@lru_cache(maxsize=128)
def _compiled(spec: bytes) -> CompiledPlugin:
    return _Compiler(msgspec.json.decode(b'{"spec":%b}' % spec, type=Plugin)).compile()


@dataclass(frozen=True, slots=True)
class _Scope:
    """The variables of one extension point; `types` overrides what CEL takes them for."""

    point: Point
    values: dict[str, Value]
    types: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Checked:
    analysis: Analysis
    type: str
    compiled: Compiled


class _Compiler:
    def __init__(self, document: Plugin) -> None:
        self._spec = document.spec
        self._result = CompiledPlugin()
        self._reported: set[tuple[Path, int | None, str]] = set()
        self._names: set[str] = set()
        self._whole = False
        self._order = {variable.name: index for index, variable in enumerate(self._spec.variables)}
        self._done: dict[tuple[int, str], _Checked | None] = {}
        self._scopes: list[_Scope] = []

    def compile(self) -> CompiledPlugin:
        spec = self._spec
        for name, point in POINTS.items():
            rule = getattr(spec, point.field)
            if rule is not None:
                self._rule(name, point, rule)
        self._hints()
        for variable in spec.variables:
            if variable.name not in self._result.variables and not self._found(variable):
                # Used nowhere: at least its own text shall be right, in a scope that has everything.
                self._variable(variable.name, self._scope(_EVERYTHING), len(spec.variables))
        self._result.members = None if self._whole else frozenset(self._names)
        return self._result

    def _found(self, variable: PluginVariable) -> bool:
        path = ("spec", "variables", self._order[variable.name], "expression")
        return any(finding.path == path for finding in self._result.findings)

    def _rule(self, name: str, point: Point, rule: object) -> None:
        scope = self._scope(point)
        base: Path = ("spec", name)
        expression = getattr(rule, "expression", "")
        checked = self._expression(expression, (*base, "expression"), scope, point)
        if checked is not None:
            self._result.points[name] = checked.compiled
        if isinstance(rule, PluginRule | PluginPermit) and rule.reason_expression:
            checked = self._expression(rule.reason_expression, (*base, "reasonExpression"), scope, REASON)
            if checked is not None:
                self._result.reasons[name] = checked.compiled

    def _hints(self) -> None:
        for index, event in enumerate(self._spec.events or ()):
            resource = RESOURCES.get(event.resource)
            if not event.hint_expression or resource is None:
                continue
            shape = object_shape(resource)
            scope = self._scope(HINT, {"object": shape, "oldObject": shape})
            checked = self._expression(event.hint_expression, ("spec", "events", index, "hintExpression"), scope, HINT)
            if checked is not None:
                self._result.hints[index] = checked.compiled

    def _scope(self, point: Point, more: Mapping[str, Shape] | None = None) -> _Scope:
        shapes = variable_shapes()
        values = {name: given(shapes[name]) for name in point.variables if name in shapes}
        values["args"] = given(args_shape(self._spec.args))
        values["variables"] = given(struct({}))
        scope = _Scope(point, values)
        for name, shape in (more or {}).items():
            values[name] = given(shape)
            scope.types[name] = "dyn"
        self._scopes.append(scope)
        return scope

    # -- one expression ----------------------------------------------------------------------------------------

    def _expression(self, text: str, path: Path, scope: _Scope, wanted: Point) -> _Checked | None:
        if not text.strip():
            self._report(Finding(path, EMPTY))
            return None
        checked = self._checked(text, path, scope, len(self._order))
        if checked is None:
            return None
        kind = checked.type.partition("(")[0]
        if kind not in (*wanted.results, "dyn"):
            params = {"got": checked.type, "expected": wanted.expected}
            self._report(Finding(path, WRONG_RESULT, params, 0))
            return None
        return checked

    def _checked(self, text: str, path: Path, scope: _Scope, order: int) -> _Checked | None:
        """The expression as checked in a scope, or None with its mistakes reported; `order` bounds its variables."""
        is_variable = path[1] == "variables"
        point = scope.point.name if is_variable else ""
        try:
            if len(text) > MAX_EXPRESSION:
                raise CELError(f"an expression of more than {MAX_EXPRESSION} characters is too long")
            tree = read_syntax(_running().syntax(text))
        except CELError as failure:
            self._report_all(failure, text, path, "")
            return None
        used = [name for name in _used_variables(tree) if self._order.get(name, order) < order]
        for name in used:
            if self._variable(name, scope, self._order[name]) is None:
                # Its own mistake is reported where it is written.
                return None
        visible = _visible(scope.values, used)
        analysis = analyse(tree, visible, scope.types, scope.point.name, leaves=not is_variable)
        for at, template, params, suggestion in analysis.problems:
            self._report(Finding(path, template, params, at, suggestion))
        if analysis.problems:
            return None
        try:
            type_ = _environment(_declared(scope, analysis)).check(text)
            program = _running().unchecked(text, type_)
        except CELError as failure:
            self._report_all(failure, text, path, point)
            return None
        self._names |= analysis.names
        self._whole = self._whole or analysis.whole
        inputs = tuple(path for path in analysis.inputs if path[0] != "variables")
        roots = frozenset(analysis.roots)
        compiled = Compiled(program, path, self._label(path), roots, tuple(used), inputs)
        return _Checked(analysis, type_, compiled)

    def _variable(self, name: str, scope: _Scope, order: int) -> _Checked | None:
        """The variable as checked in a scope, which it joins."""
        key = (id(scope), name)
        if key in self._done:
            return self._done[key]
        index = self._order[name]
        path: Path = ("spec", "variables", index, "expression")
        text = self._spec.variables[index].expression
        if not text.strip():
            self._report(Finding(path, EMPTY))
            checked = None
        else:
            checked = self._checked(text, path, scope, min(order, index))
        if checked is not None and not _storable(checked.type):
            self._report(Finding(path, UNUSABLE, {"got": checked.type}, 0))
            checked = None
        self._done[key] = checked
        if checked is not None:
            value = checked.analysis.value
            scope.values["variables"].shape.members[name] = value.shape
            scope.values[f"variables.{name}"] = Value(value.shape, value.size)
            scope.types[f"variables.{name}"] = checked.type
            self._result.variables[name] = checked.compiled
        return checked

    def _label(self, path: Path) -> str:
        if path[1] == "variables" and isinstance(path[2], int):
            return f"variable {self._spec.variables[path[2]].name}"
        return format_path(path[1:-1]) + f" {path[-1]}"

    # -- mistakes ----------------------------------------------------------------------------------------------

    def _report(self, finding: Finding) -> None:
        """Keep a mistake; that of a variable is found again at every extension point that uses it."""
        key = (finding.path, finding.at, finding.params.get("detail") or finding.template)
        if key not in self._reported:
            self._reported.add(key)
            self._result.findings.append(finding)

    def _report_all(self, failure: CELError, text: str, path: Path, point: str) -> None:
        for detail, at in _errors(str(failure), text):
            template, params = (CEL_AT, {"detail": detail, "point": point}) if point else (CEL, {"detail": detail})
            self._report(Finding(path, template, params, at))


_EVERYTHING: Final = Point("spec.variables", "", tuple(variable_shapes()), ("dyn",))


def _used_variables(tree: Syntax) -> list[str]:
    """Which variables of the document an expression names, in the order of the text."""
    found: list[tuple[int, str]] = []
    for node in tree.walk():
        owner = node.parts[0] if node.parts else None
        if owner is None or owner.kind != "identifier" or owner.name != "variables":
            continue
        if node.kind == "select":
            found.append((node.at, node.name))
        elif node.kind == "call" and len(node.parts) > 1 and node.parts[1].text is not None:
            found.append((node.at, node.parts[1].text))
    return list(dict.fromkeys(name for _, name in sorted(found)))


def _visible(values: Mapping[str, Value], used: list[str]) -> dict[str, Value]:
    """The scope with those variables of the document alone that come before the expression."""
    members = values["variables"].shape.members
    return {**values, "variables": given(struct({name: members[name] for name in used if name in members}))}


def _storable(type_: str) -> bool:
    """Whether a value of the type can be handed to another expression."""
    return type_.partition("(")[0] in _STORABLE or type_.startswith("kubernetes.")


def _declared(scope: _Scope, analysis: Analysis) -> tuple[tuple[str, str], ...]:
    roots = {
        name: scope.types.get(name) or cel_type(value.shape) for name, value in scope.values.items() if "." not in name
    }
    return tuple(sorted({**roots, **analysis.leaves}.items()))


@lru_cache(maxsize=256)
def _environment(variables: tuple[tuple[str, str], ...]) -> Environment:
    return Environment(dict(variables), functions=PLUGIN_FUNCTIONS, math=True)


@lru_cache(maxsize=1)
def _running() -> Environment:
    names = [*variable_shapes(), *RESERVED]
    return Environment(dict.fromkeys(names, "dyn"), functions=PLUGIN_FUNCTIONS, math=True)


def _errors(message: str, text: str) -> Iterator[tuple[str, int | None]]:
    """Each error of a compilation: its text, and its place in the expression."""
    found = _ERROR.findall(message)
    if not found:
        yield message.removeprefix("compilation failed: ").rstrip("."), 0
        return
    lines = text.split("\n")
    for line, column, detail in found:
        number = int(line)
        at = sum(len(before) + 1 for before in lines[: number - 1]) + int(column) - 1 if number > 0 else 0
        yield detail.replace(_CONTAINER, "").rstrip("."), min(at, len(text))


__all__ = ["Compiled", "CompiledPlugin", "Finding", "Path", "compile_plugin"]
