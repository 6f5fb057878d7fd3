"""Label selectors, node selectors and tolerations, matched as apimachinery and component-helpers do."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from scheduler_lab.engine.objects.affinity import Taint, Toleration
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.names import label_key_problem, label_value_problem
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm

Labels = Mapping[str, str]
Test = Callable[[Labels], bool]

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
            for key, value in selector.match_labels.items():
                _check_key(key)
                _check_value(value)
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
        for test in self._tests:
            if not test(labels):
                return False
        return True


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


def _label_test(requirement: LabelSelectorRequirement) -> Test:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    _check_key(key)
    if operator in ("In", "NotIn"):
        if not values:
            raise InvalidSelector(f"for 'in', 'notin' operators, values set can't be empty (key {key!r})")
        for value in values:
            _check_value(value)
        return _in_test(key, frozenset(values), operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        if values:
            raise InvalidSelector(f"values set must be empty for exists and does not exist (key {key!r})")
        return _exists_test(key, operator == "Exists")
    raise InvalidSelector(f"{operator!r} is not a valid label selector operator")


def _in_test(key: str, values: frozenset[str], wanted: bool) -> Test:
    if wanted:
        return lambda labels: labels.get(key) in values
    return lambda labels: labels.get(key) not in values


def _exists_test(key: str, wanted: bool) -> Test:
    if wanted:
        return lambda labels: key in labels
    return lambda labels: key not in labels


def _check_key(key: str) -> None:
    if problem := label_key_problem(key):
        raise InvalidSelector(problem)


def _check_value(value: str) -> None:
    if problem := label_value_problem(value):
        raise InvalidSelector(problem)


class CompiledNodeSelectorTerm:
    """One term of a node selector: expressions over labels and fields over metadata.name, all ANDed.

    `error` says why the term cannot be parsed (it then never matches). `empty` has neither part and matches nothing.
    """

    __slots__ = ("_fields", "_labels", "empty", "error")

    def __init__(self, term: NodeSelectorTerm) -> None:
        self.empty = not term.match_expressions and not term.match_fields
        self.error: str | None = None
        self._labels: list[Test] = []
        self._fields: list[tuple[str, bool]] = []
        try:
            self._labels = [_node_test(r) for r in term.match_expressions]
            self._fields = [_field_test(r) for r in term.match_fields]
        except InvalidSelector as problem:
            self.error = str(problem)

    def matches(self, labels: Labels, node_name: str) -> bool:
        """Whether a node of that name and those labels matches the term; False when empty or unparsable."""
        if self.empty or self.error is not None:
            return False
        for test in self._labels:
            if not test(labels):
                return False
        for name, wanted in self._fields:
            if (name == node_name) is not wanted:
                return False
        return True


def _node_test(requirement: NodeSelectorRequirement) -> Test:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    _check_key(key)
    if operator in ("In", "NotIn"):
        if not values:
            raise InvalidSelector(f"for 'in', 'notin' operators, values set can't be empty (key {key!r})")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            raise InvalidSelector(f"values set must be empty for exists and does not exist (key {key!r})")
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            raise InvalidSelector(f"for 'Gt', 'Lt' operators, exactly one value is required (key {key!r})")
        if _int64(values[0]) is None:
            raise InvalidSelector(f"for 'Gt', 'Lt' operators, the value must be an integer (key {key!r})")
    else:
        raise InvalidSelector(f"{operator!r} is not a valid node selector operator")
    for value in values:
        _check_value(value)
    if operator in ("In", "NotIn"):
        return _in_test(key, frozenset(values), operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        return _exists_test(key, operator == "Exists")
    return _compare_test(key, int(values[0]), operator == "Gt")


def _compare_test(key: str, operand: int, greater: bool) -> Test:
    def test(labels: Labels) -> bool:
        value = labels.get(key)
        number = None if value is None else _int64(value)
        if number is None:
            return False
        return number > operand if greater else number < operand

    return test


def _field_test(requirement: NodeSelectorRequirement) -> tuple[str, bool]:
    if requirement.key != "metadata.name":
        raise InvalidSelector(f"{requirement.key!r} is not a valid field selector key")
    if requirement.operator not in ("In", "NotIn"):
        raise InvalidSelector(f"{requirement.operator!r} is not a valid node field selector operator")
    if len(requirement.values) != 1:
        raise InvalidSelector(f"exactly one value is required for node field selector operator {requirement.operator}")
    return requirement.values[0], requirement.operator == "In"


def _int64(text: str) -> int | None:
    if len(text) > 64 or _INTEGER.fullmatch(text) is None:
        return None
    number = int(text)
    return number if MIN_INT64 <= number <= MAX_INT64 else None


class CompiledNodeSelector:
    """The terms of a node selector, ORed; a selector without terms matches nothing.

    `errors` holds the texts of the unparsable terms, in order; those terms never match, the others still do.
    """

    __slots__ = ("errors", "terms")

    def __init__(self, selector: NodeSelector) -> None:
        compiled = [CompiledNodeSelectorTerm(term) for term in selector.node_selector_terms]
        self.errors = [term.error for term in compiled if term.error is not None]
        self.terms = [term for term in compiled if not term.empty]

    def matches(self, labels: Labels, node_name: str) -> bool:
        """Whether any term matches a node of that name and those labels."""
        return any(term.matches(labels, node_name) for term in self.terms)


def compile_node_selector(selector: NodeSelector) -> CompiledNodeSelector:
    """The node selector compiled; never raises (see `CompiledNodeSelector.errors`)."""
    return CompiledNodeSelector(selector)


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
