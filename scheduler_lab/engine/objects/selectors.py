"""Label selectors, node selectors and tolerations, matched as apimachinery and component-helpers do."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from scheduler_lab.engine.objects.affinity import Taint, Toleration
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.names import label_value_errors, qualified_name_errors
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm

Labels = Mapping[str, str]
Test = Callable[[Labels], bool]

_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS: Final = ("In", "NotIn")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)
_STRICT_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


class InvalidSelector(ValueError):
    """A selector that upstream cannot convert (unknown operator, wrong number of values, illegal key or value)."""


class CompiledLabelSelector:
    """A label selector ready for many matches.

    `requirements` are the (key, operator, values) that must all hold; `nothing` is the nil selector.
    """

    __slots__ = ("_equal", "_tests", "empty", "nothing")

    def __init__(self, selector: LabelSelector | None) -> None:
        self.nothing = selector is None
        self._equal: list[tuple[str, str]] = []
        self._tests: list[Test] = []
        if selector is not None:
            errors = [
                error
                for key, value in selector.match_labels.items()
                for error in requirement_errors(key, "In", [value], "")
            ]
            if errors:
                raise InvalidSelector(aggregate(errors))
            self._equal = list(selector.match_labels.items())
            self._tests = [_label_test(r) for r in selector.match_expressions]
        self.empty = selector is not None and not self._equal and not self._tests

    def matches(self, labels: Labels) -> bool:
        """Whether the labels satisfy every requirement; nil matches nothing, {} everything."""
        if self.nothing:
            return False
        for key, value in self._equal:
            if labels.get(key) != value:
                return False
        return all(test(labels) for test in self._tests)


def compile_label_selector(selector: LabelSelector | None) -> CompiledLabelSelector:
    """The selector compiled; raises InvalidSelector where LabelSelectorAsSelector returns an error."""
    return CompiledLabelSelector(selector)


def label_selector_matches(selector: LabelSelector | None, labels: Labels) -> bool:
    """Whether labels match: nil matches nothing, {} everything. Raises InvalidSelector for an unconvertible one."""
    return CompiledLabelSelector(selector).matches(labels)


def compile_set_selector(wanted: Labels) -> CompiledLabelSelector:
    """A plain map of labels (Service, ReplicationController) as a selector that matches when all are equal."""
    compiled = CompiledLabelSelector(LabelSelector())
    compiled._equal = list(wanted.items())
    compiled.empty = not wanted
    return compiled


def requirement_errors(key: str, operator: str, values: list[str], path: str) -> list[str]:
    """What labels.NewRequirement says is wrong, each error beginning with its field path; empty when it is fine.

    `path` is the path of the requirement ("matchExpressions[0]"), or "" for none.
    """
    at = f"{path}." if path else ""
    errors = []
    if problems := qualified_name_errors(key):
        errors.append(f"{at}key: Invalid value: {quoted(key)}: {'; '.join(problems)}")
    shown = json.dumps(values, ensure_ascii=False, separators=(",", ":")) if values else "null"
    if operator in ("In", "NotIn"):
        if not values:
            errors.append(f"{at}values: Invalid value: {shown}: for 'in', 'notin' operators, values set can't be empty")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            errors.append(f"{at}values: Invalid value: {shown}: values set must be empty for exists and does not exist")
    else:
        if len(values) != 1:
            errors.append(
                f"{at}values: Invalid value: {shown}: for 'Gt', 'Lt' operators, exactly one value is required"
            )
        errors += [
            f"{at}values[{index}]: Invalid value: {quoted(value)}: "
            "for 'Gt', 'Lt' operators, the value must be an integer"
            for index, value in enumerate(values)
            if _int64(value) is None
        ]
    for index, value in enumerate(values):
        if problems := label_value_errors(value):
            errors.append(f"{at}values[{index}][{key}]: Invalid value: {quoted(value)}: {'; '.join(problems)}")
    return errors


def quoted(text: str) -> str:
    """Text in double quotes with escapes, as Go's %q writes it."""
    return json.dumps(text, ensure_ascii=False)


def _label_test(requirement: LabelSelectorRequirement) -> Test:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
        raise InvalidSelector(f"{quoted(operator)} is not a valid label selector operator")
    if errors := requirement_errors(key, operator, values, ""):
        raise InvalidSelector(aggregate(errors))
    return _requirement_test(key, operator, values)


def _requirement_test(key: str, operator: str, values: list[str]) -> Test:
    if operator in ("In", "NotIn"):
        return _in_test(key, frozenset(values), operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        return _exists_test(key, operator == "Exists")
    return _compare_test(key, int(values[0]), operator == "Gt")


def _in_test(key: str, values: frozenset[str], wanted: bool) -> Test:
    if wanted:
        return lambda labels: labels.get(key) in values
    return lambda labels: labels.get(key) not in values


def _exists_test(key: str, wanted: bool) -> Test:
    if wanted:
        return lambda labels: key in labels
    return lambda labels: key not in labels


def aggregate(errors: list[str]) -> str:
    """Several error texts as upstream's aggregate prints them: repeats dropped, in brackets when more than one."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


class CompiledNodeSelectorTerm:
    """One term of a node selector: expressions over labels and fields over metadata.name, all ANDed.

    `errors` says why the term cannot be parsed, each with its field path (it then never matches).
    `empty` has neither part and matches nothing.
    """

    __slots__ = ("_fields", "_tests", "empty", "errors")

    def __init__(self, term: NodeSelectorTerm, path: str = "") -> None:
        at = f"{path}." if path else ""
        self.empty = not term.match_expressions and not term.match_fields
        self.errors: list[str] = []
        self._tests: list[Test] = []
        self._fields: list[tuple[str, str, bool]] = []
        for index, requirement in enumerate(term.match_expressions):
            errors = _node_requirement_errors(requirement, f"{at}matchExpressions[{index}]")
            self.errors += errors
            if not errors:
                self._tests.append(_requirement_test(requirement.key, requirement.operator, requirement.values))
        for index, requirement in enumerate(term.match_fields):
            errors = _field_errors(requirement, f"{at}matchFields[{index}]")
            self.errors += errors
            if not errors:
                self._fields.append((requirement.key, requirement.values[0], requirement.operator == "In"))

    def matches(self, labels: Labels, node_name: str) -> bool:
        """Whether a node of that name and those labels matches the term; False when empty or unparsable."""
        if self.empty or self.errors:
            return False
        for test in self._tests:
            if not test(labels):
                return False
        for key, value, wanted in self._fields:
            if ((node_name if key == "metadata.name" else "") == value) is not wanted:
                return False
        return True


def _node_requirement_errors(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _NODE_OPERATORS:
        return [_not_supported(path, requirement.operator, _NODE_OPERATORS)]
    return requirement_errors(requirement.key, requirement.operator, requirement.values, path)


def _field_errors(requirement: NodeSelectorRequirement, path: str) -> list[str]:
    if requirement.operator not in _FIELD_OPERATORS:
        return [_not_supported(path, requirement.operator, _FIELD_OPERATORS)]
    if len(requirement.values) != 1:
        shown = json.dumps(requirement.values, separators=(",", ":")) if requirement.values else "null"
        return [f"{path}.values: Invalid value: {shown}: must have one element"]
    return []


def _not_supported(path: str, operator: str, supported: tuple[str, ...]) -> str:
    names = ", ".join(f'"{name}"' for name in supported)
    return f"{path}.operator: Unsupported value: {quoted(operator)}: supported values: {names}"


def _compare_test(key: str, operand: int, greater: bool) -> Test:
    def test(labels: Labels) -> bool:
        value = labels.get(key)
        number = None if value is None else _int64(value)
        if number is None:
            return False
        return number > operand if greater else number < operand

    return test


def _int64(text: str) -> int | None:
    if len(text) > 64 or _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if MIN_INT64 <= number <= MAX_INT64 else None


class CompiledNodeSelector:
    """The terms of a node selector, ORed; a selector without terms matches nothing.

    `errors` holds the texts of what cannot be parsed, in order; such terms never match, the others still do.
    """

    __slots__ = ("errors", "terms")

    def __init__(self, selector: NodeSelector, path: str = "nodeSelectorTerms") -> None:
        compiled = [
            CompiledNodeSelectorTerm(term, f"{path}[{index}]")
            for index, term in enumerate(selector.node_selector_terms)
        ]
        self.terms = [term for term in compiled if not term.empty]
        self.errors = [error for term in self.terms for error in term.errors]

    def matches(self, labels: Labels, node_name: str) -> bool:
        """Whether any term matches a node of that name and those labels."""
        return any(term.matches(labels, node_name) for term in self.terms)


def compile_node_selector(selector: NodeSelector, path: str = "nodeSelectorTerms") -> CompiledNodeSelector:
    """The node selector compiled; never raises (see `CompiledNodeSelector.errors`, whose texts begin with `path`)."""
    return CompiledNodeSelector(selector, path)


def node_selector_matches(selector: NodeSelector | None, labels: Labels, node_name: str) -> bool:
    """Whether a node matches; a missing selector matches every node."""
    return selector is None or CompiledNodeSelector(selector).matches(labels, node_name)


def tolerates(toleration: Toleration, taint: Taint, comparison_operators: bool = False) -> bool:
    """Whether one toleration tolerates one taint.

    `comparison_operators` is the feature gate TaintTolerationComparisonOperators; without it Lt and Gt are refused.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    operator = toleration.operator
    if operator in ("", "Equal"):
        return toleration.value == taint.value
    if operator == "Exists":
        return True
    if operator in ("Lt", "Gt") and comparison_operators:
        wanted, actual = strict_integer(toleration.value), strict_integer(taint.value)
        if wanted is None or actual is None:
            return False
        return actual < wanted if operator == "Lt" else actual > wanted
    return False


def tolerates_any(tolerations: list[Toleration], taint: Taint, comparison_operators: bool = False) -> bool:
    """Whether any of the tolerations tolerates the taint."""
    return any(tolerates(toleration, taint, comparison_operators) for toleration in tolerations)


def strict_integer(text: str) -> int | None:
    """The int64 that a plain decimal writes (no sign `+`, no leading zeros), else None."""
    if len(text) > 20 or _STRICT_INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if MIN_INT64 <= number <= MAX_INT64 else None
