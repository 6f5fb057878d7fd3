"""Evaluating a plugin's expressions over one call's data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_lab.engine.custom.cel import CELError
from scheduler_lab.engine.custom.plugins.compiling import Compiled, CompiledPlugin

Sources = Mapping[str, Callable[[], object]]
"""What gives each variable in scope when an expression uses it."""


class EvaluationError(Exception):
    """An expression failed, or gave what its extension point cannot use; the text says which and why."""


class Evaluation:
    """One call of a plugin: every variable is made at most once, and only if something uses it."""

    def __init__(self, plugin: CompiledPlugin, sources: Sources) -> None:
        self.plugin = plugin
        self._sources = sources
        self._roots: dict[str, object] = {}
        self._values: dict[str, object] = {}
        self._failures: dict[str, str] = {}

    def value(self, expression: Compiled) -> object:
        """The expression's value as plain data; raises EvaluationError."""
        try:
            return self._evaluate(expression)
        except CELError as failure:
            text = str(failure)
            missing = text.removeprefix("no such key: ")
            if missing != text and missing in self._failures and missing in expression.variables:
                raise EvaluationError(f"variable {missing}: {self._failures[missing]}") from None
            raise EvaluationError(f"{expression.label}: {text}") from None

    def _evaluate(self, expression: Compiled) -> object:
        data: dict[str, object] = {name: self.root(name) for name in expression.roots if name != "variables"}
        if expression.variables:
            for name in expression.variables:
                self._variable(name)
            data["variables"] = {name: self._values[name] for name in expression.variables if name in self._values}
        return expression.program.evaluate(data)

    def root(self, name: str) -> object:
        """A variable in scope."""
        if name not in self._roots:
            self._roots[name] = self._sources[name]()
        return self._roots[name]

    def _variable(self, name: str) -> None:
        """Evaluate a variable of the document; a failure counts only if the expression comes to need it."""
        if name in self._values or name in self._failures:
            return
        try:
            self._values[name] = _passable(self.value(self.plugin.variables[name]))
        except EvaluationError as failure:
            self._failures[name] = str(failure).removeprefix(f"variable {name}: ")

    def variable(self, name: str) -> tuple[object, str]:
        """(value, failure) of a variable that an evaluated expression uses, for the explanation."""
        self._variable(name)
        return self._values.get(name), self._failures.get(name, "")

    def looked_up(self, path: tuple[str, ...]) -> tuple[bool, Any]:
        """(whether it is there, value) at the steps from a variable in scope."""
        value: Any = self.root(path[0])
        for step in path[1:]:
            if not isinstance(value, dict) or step not in value:
                return False, None
            value = value[step]
        return True, value


def _passable(value: Any) -> Any:
    """A value as another expression takes it in."""
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, list):
        return [_passable(item) for item in value]
    if isinstance(value, dict):
        return {key: _passable(item) for key, item in value.items()}
    return value
