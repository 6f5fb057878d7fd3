"""How an expression came to its value: what it read, each variable, and the result."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from scheduler_lab.engine.custom.plugins.compiling import Compiled
from scheduler_lab.engine.custom.plugins.evaluation import Evaluation, EvaluationError
from scheduler_lab.engine.evidence import N_, Evidence, Mark, Table, text
from scheduler_lab.engine.objects.lab_plugin import Plugin

_LONGEST: Final = 160
_NAME: Final = re.compile(r"[A-Za-z_]\w*\Z")


def explain(
    plugin: str, point: str, expression: Compiled, evaluation: Evaluation, pod: str, node: str, document: Plugin
) -> Evidence:
    """The evaluation of one expression as a table; `node` is "" where the extension point has none."""
    rows: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    variables = list(expression.variables)
    sources = {variable.name: variable.expression for variable in document.spec.variables}
    for name in variables:
        _add_variable(name, evaluation, sources, rows, seen)
    _add_inputs(expression, evaluation, rows, seen)
    failed = False
    try:
        result = shown(evaluation.value(expression))
    except EvaluationError as failure:
        result, failed = str(failure).removeprefix(f"{point} expression: "), True
    rows.append([_one_line(expression.program.source), result])
    if failed and node:
        template = N_("The %(point)s expression of %(plugin)s fails for %(pod)s on %(node)s: %(result)s.")
        sentence = text(template, point=point, plugin=plugin, result=result, pod=pod, node=node)
    elif failed:
        template = N_("The %(point)s expression of %(plugin)s fails for %(pod)s: %(result)s.")
        sentence = text(template, point=point, plugin=plugin, result=result, pod=pod)
    elif node:
        template = N_("The %(point)s expression of %(plugin)s gives %(result)s for %(pod)s on %(node)s.")
        sentence = text(template, point=point, plugin=plugin, result=result, pod=pod, node=node)
    else:
        template = N_("The %(point)s expression of %(plugin)s gives %(result)s for %(pod)s.")
        sentence = text(template, point=point, plugin=plugin, result=result, pod=pod)
    table = Table([text(N_("Expression")), text(N_("Value"))], rows, [len(rows) - 1])
    used = [name for kind, *names in sorted(seen) if kind == "variables" for name in names]
    paths = [f"spec.{point}.expression", *(_variable_path(document, name) for name in used)]
    return Evidence(sentence, table=table, marks=[Mark("Plugin", plugin, path) for path in paths])


def _add_variable(
    name: str, evaluation: Evaluation, sources: dict[str, str], rows: list[list[str]], seen: set[tuple[str, ...]]
) -> None:
    """A variable with what it read and the variables it uses before it."""
    if ("variables", name) in seen:
        return
    seen.add(("variables", name))
    compiled = evaluation.plugin.variables[name]
    for other in compiled.variables:
        _add_variable(other, evaluation, sources, rows, seen)
    _add_inputs(compiled, evaluation, rows, seen)
    value, failure = evaluation.variable(name)
    rows.append([f"variables.{name} = {_one_line(sources[name])}", failure or shown(value)])


def _add_inputs(
    expression: Compiled, evaluation: Evaluation, rows: list[list[str]], seen: set[tuple[str, ...]]
) -> None:
    for path in expression.inputs:
        if path in seen:
            continue
        seen.add(path)
        there, value = evaluation.looked_up(path)
        rows.append([spelled(path), shown(value) if there else "—"])


def _variable_path(document: Plugin, name: str) -> str:
    index = next(index for index, variable in enumerate(document.spec.variables) if variable.name == name)
    return f"spec.variables[{index}].expression"


def spelled(path: tuple[str, ...]) -> str:
    """Steps as an expression writes them: `node.allocatable["cpu"]`."""
    text_ = path[0]
    for step in path[1:]:
        text_ += f".{step}" if _NAME.match(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
    return text_


def shown(value: Any) -> str:
    """A value as CEL writes it, shortened; of objects only how many there are."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"[{len(value)}]"
    try:
        text_ = json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError):
        text_ = str(value)
    return text_ if len(text_) <= _LONGEST else text_[:_LONGEST] + "…"


def _one_line(source: str) -> str:
    return " ".join(source.split())
