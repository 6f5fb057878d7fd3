"""What is wrong with one requirement of a selector: its operator, its key, and how many values it has and which."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.strict import cut, near
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.names import label_key_problem, label_value_problem
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64
from scheduler_lab.engine.objects.references import NodeSelectorRequirement, NodeSelectorTerm

_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")
_FIELD_OPERATORS: Final = ("In", "NotIn")


@dataclass(frozen=True, slots=True)
class Flaw:
    """A sentence of `messages`, what is filled in besides the path, and what was probably meant."""

    template: str
    path: Path
    params: dict[str, str]
    suggestion: str = ""


def label_selector_flaws(selector: LabelSelector, path: Path) -> Iterator[Flaw]:
    """What keeps a label selector from being used."""
    for key, value in selector.match_labels.items():
        yield from _key_and_values(key, [value], (*path, "matchLabels", key), (*path, "matchLabels", key))
    for index, requirement in enumerate(selector.match_expressions):
        yield from _requirement(requirement, _LABEL_OPERATORS, (*path, "matchExpressions", index))


def node_term_flaws(term: NodeSelectorTerm, path: Path) -> Iterator[Flaw]:
    """What keeps the scheduler from parsing a term of a node selector."""
    for index, requirement in enumerate(term.match_expressions):
        yield from _requirement(requirement, _NODE_OPERATORS, (*path, "matchExpressions", index))
    for index, requirement in enumerate(term.match_fields):
        at = (*path, "matchFields", index)
        if requirement.operator not in _FIELD_OPERATORS:
            yield _unsupported(requirement.operator, _FIELD_OPERATORS, at)
        elif len(requirement.values) != 1:
            yield Flaw(messages.SELECTOR_ONE_VALUE, (*at, "values"), {"operator": requirement.operator})


def _requirement(
    requirement: LabelSelectorRequirement | NodeSelectorRequirement, operators: tuple[str, ...], path: Path
) -> Iterator[Flaw]:
    operator, values = requirement.operator, requirement.values
    at = (*path, "values")
    if operator not in operators:
        yield _unsupported(operator, operators, path)
        return
    yield from _key_and_values(requirement.key, values, (*path, "key"), at)
    if operator in ("In", "NotIn"):
        if not values:
            yield Flaw(messages.SELECTOR_VALUES, at, {"operator": operator})
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield Flaw(messages.SELECTOR_NO_VALUES, at, {"operator": operator})
    elif len(values) != 1:
        yield Flaw(messages.SELECTOR_ONE_VALUE, at, {"operator": operator})
    elif not _is_int64(values[0]):
        yield Flaw(messages.SELECTOR_NUMBER, (*at, 0), {"operator": operator, "value": cut(values[0])})


def _key_and_values(key: str, values: list[str], key_path: Path, values_path: Path) -> Iterator[Flaw]:
    if problem := label_key_problem(key):
        yield Flaw(messages.INVALID_LABEL_KEY, key_path, {"detail": problem})
    for value in values:
        if problem := label_value_problem(value):
            yield Flaw(messages.INVALID_LABEL_VALUE, values_path, {"detail": problem})


def _unsupported(operator: str, operators: tuple[str, ...], path: Path) -> Flaw:
    at = (*path, "operator")
    choices = ", ".join(operators)
    if not operator:
        return Flaw(messages.SELECTOR_OPERATOR, at, {"choices": choices})
    return Flaw(messages.UNSUPPORTED, at, {"value": cut(operator), "choices": choices}, near(operator, operators))


def _is_int64(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) < 40 and MIN_INT64 <= int(text) <= MAX_INT64
