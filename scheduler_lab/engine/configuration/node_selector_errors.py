"""Why a node selector or a list of preferred terms cannot be parsed, in the texts of component-helpers."""

import re
from typing import Final

from scheduler_lab.engine.configuration.errors import child, invalid, not_supported
from scheduler_lab.engine.configuration.names_validation import label_value_problems, qualified_name_problems
from scheduler_lab.engine.objects.affinity import PreferredSchedulingTerm
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm

_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS: Final = ("In", "NotIn")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def node_selector_errors(selector: NodeSelector, path: str) -> list[str]:
    """The errors of all terms of a required node selector at `path`; empty terms are not looked at."""
    errors: list[str] = []
    for index, term in enumerate(selector.node_selector_terms):
        errors += _term_errors(term, f"{child(path, 'nodeSelectorTerms')}[{index}]")
    return errors


def preferred_terms_errors(terms: list[PreferredSchedulingTerm], path: str) -> list[str]:
    """The errors of preferred terms at `path`; terms of weight 0 and empty ones are not looked at."""
    errors: list[str] = []
    for index, term in enumerate(terms):
        if term.weight != 0:
            errors += _term_errors(term.preference, f"{path}[{index}]")
    return errors


def _term_errors(term: NodeSelectorTerm, path: str) -> list[str]:
    errors: list[str] = []
    for index, requirement in enumerate(term.match_expressions):
        errors += _expression_errors(requirement, f"{child(path, 'matchExpressions')}[{index}]")
    for index, requirement in enumerate(term.match_fields):
        errors += _field_errors(requirement, f"{child(path, 'matchFields')}[{index}]")
    return errors


def _field_errors(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _FIELD_OPERATORS:
        return [not_supported(f"{path}.operator", requirement.operator, _FIELD_OPERATORS)]
    if len(requirement.values) != 1:
        return [invalid(f"{path}.values", requirement.values, "must have one element")]
    return []


def _expression_errors(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _OPERATORS:
        return [not_supported(f"{path}.operator", requirement.operator, _OPERATORS)]
    problems = qualified_name_problems(requirement.key)
    errors = [invalid(f"{path}.key", requirement.key, "; ".join(problems))] if problems else []
    errors += _values_errors(requirement, f"{path}.values")
    for index, value in enumerate(requirement.values):
        problems = label_value_problems(value)
        if problems:
            errors.append(invalid(f"{path}.values[{index}][{requirement.key}]", value, "; ".join(problems)))
    return errors


def _values_errors(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    operator, values = requirement.operator, requirement.values
    if operator in ("In", "NotIn"):
        return [] if values else [invalid(path, values, "for 'in', 'notin' operators, values set can't be empty")]
    if operator in ("Exists", "DoesNotExist"):
        return [invalid(path, values, "values set must be empty for exists and does not exist")] if values else []
    errors: list[str] = []
    if len(values) != 1:
        errors.append(invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required"))
    return errors + [
        invalid(f"{path}[{index}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
        for index, value in enumerate(values)
        if not _is_int64(value)
    ]


def _is_int64(text: str) -> bool:
    return len(text) <= 64 and _INTEGER.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63
