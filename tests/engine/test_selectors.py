import pytest

from scheduler_lab.engine.objects.affinity import Taint, Toleration
from scheduler_lab.engine.objects.meta import LabelSelector, LabelSelectorRequirement
from scheduler_lab.engine.objects.references import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from scheduler_lab.engine.objects.selectors import (
    CompiledNodeSelectorTerm,
    InvalidSelector,
    compile_label_selector,
    compile_node_selector,
    compile_set_selector,
    label_selector_matches,
    node_selector_matches,
    tolerates,
)


def labels_where(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(match_expressions=[LabelSelectorRequirement(key=key, operator=operator, values=list(values))])


def term(*requirements: tuple[str, str, list[str]], fields: tuple[tuple[str, str, list[str]], ...] = ()):
    def made(items):
        return [NodeSelectorRequirement(key=key, operator=operator, values=values) for key, operator, values in items]

    return NodeSelectorTerm(match_expressions=made(requirements), match_fields=made(fields))


def test_nil_matches_nothing_and_empty_everything() -> None:
    assert not label_selector_matches(None, {"a": "b"})
    assert label_selector_matches(LabelSelector(), {})
    assert compile_label_selector(LabelSelector()).empty
    assert not compile_label_selector(None).empty


def test_match_labels_and_expressions_are_anded() -> None:
    selector = LabelSelector(
        match_labels={"app": "web"},
        match_expressions=[LabelSelectorRequirement(key="tier", operator="Exists")],
    )
    assert label_selector_matches(selector, {"app": "web", "tier": "x"})
    assert not label_selector_matches(selector, {"app": "web"})
    assert not label_selector_matches(selector, {"app": "db", "tier": "x"})


@pytest.mark.parametrize(
    ("selector", "with_a", "with_c", "without"),
    [
        (labels_where("k", "In", "a", "b"), True, False, False),
        (labels_where("k", "NotIn", "a", "b"), False, True, True),
        (labels_where("k", "Exists"), True, True, False),
        (labels_where("k", "DoesNotExist"), False, False, True),
    ],
)
def test_operators(selector: LabelSelector, with_a: bool, with_c: bool, without: bool) -> None:
    compiled = compile_label_selector(selector)
    assert [compiled.matches({"k": "a"}), compiled.matches({"k": "c"}), compiled.matches({})] == [
        with_a, with_c, without,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "selector",
    [
        labels_where("k", "in", "a"),
        labels_where("k", "In"),
        labels_where("k", "Exists", "a"),
        labels_where("k", "Gt", "1"),
        labels_where("a b", "Exists"),
        labels_where("k", "In", "a b"),
        LabelSelector(match_labels={"k": "a b"}),
    ],
)
def test_it_refuses_what_upstream_cannot_convert(selector: LabelSelector) -> None:
    with pytest.raises(InvalidSelector):
        compile_label_selector(selector)


def test_a_plain_map_is_not_validated() -> None:
    assert compile_set_selector({"k": "a b"}).matches({"k": "a b"})
    assert compile_set_selector({}).empty


@pytest.mark.parametrize(
    ("operator", "operand", "label", "expected"),
    [
        ("Gt", "5", "6", True), ("Gt", "5", "5", False), ("Lt", "5", "4", True), ("Gt", "5", "007", True),
        ("Gt", "5", "x", False), ("Gt", "5", "9223372036854775808", False), ("Gt", "5", None, False),
    ],
)  # fmt: skip
def test_greater_and_less(operator: str, operand: str, label: str | None, expected: bool) -> None:
    compiled = CompiledNodeSelectorTerm(term(("n", operator, [operand])))
    assert compiled.matches({} if label is None else {"n": label}, "node") is expected


@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        (
            ("n", "Gt", ["eight"]),
            '[0].matchExpressions[0].values[0]: Invalid value: "eight": '
            "for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (
            ("n", "In", []),
            "[0].matchExpressions[0].values: Invalid value: null: "
            "for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            ("n", "Gt", ["1", "2"]),
            '[0].matchExpressions[0].values: Invalid value: ["1","2"]: '
            "for 'Gt', 'Lt' operators, exactly one value is required",
        ),
    ],
)
def test_an_unparsable_term_says_why_and_never_matches(requirement: tuple[str, str, list[str]], error: str) -> None:
    compiled = CompiledNodeSelectorTerm(term(requirement), "[0]")
    assert compiled.errors == [error]
    assert not compiled.matches({"n": "9"}, "node")


def test_terms_are_ored_and_unparsable_or_empty_ones_do_not_count() -> None:
    selector = NodeSelector(
        node_selector_terms=[term(("n", "Gt", ["-1"])), term(), term(("disk", "In", ["ssd"]))],
    )
    compiled = compile_node_selector(selector)
    assert compiled.matches({"disk": "ssd"}, "node")
    assert not compiled.matches({"n": "3"}, "node")
    assert compiled.errors[0].startswith('nodeSelectorTerms[0].matchExpressions[0].values[0][n]: Invalid value: "-1"')
    assert not node_selector_matches(NodeSelector(), {}, "node")
    assert node_selector_matches(None, {}, "node")


def test_match_fields_compare_the_node_name() -> None:
    by_name = CompiledNodeSelectorTerm(term(fields=(("metadata.name", "In", ["node-1"]),)))
    assert by_name.matches({}, "node-1")
    assert not by_name.matches({}, "node-2")
    assert CompiledNodeSelectorTerm(term(fields=(("metadata.name", "NotIn", ["node-1"]),))).matches({}, "node-2")
    assert CompiledNodeSelectorTerm(term(fields=(("metadata.name", "Exists", []),))).errors


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration(key="k", value="v"), True),
        (Toleration(key="k", operator="Equal", value="w"), False),
        (Toleration(key="k", operator="Exists", effect="NoSchedule"), True),
        (Toleration(key="k", operator="Exists", effect="NoExecute"), False),
        (Toleration(operator="Exists"), True),
        (Toleration(key="other", operator="Exists"), False),
        (Toleration(key="k", operator="Whatever", value="v"), False),
    ],
)
def test_tolerations(toleration: Toleration, expected: bool) -> None:
    assert tolerates(toleration, Taint(key="k", value="v", effect="NoSchedule")) is expected


@pytest.mark.parametrize(
    ("operator", "value", "taint", "expected"),
    [
        ("Lt", "5", "3", True), ("Gt", "5", "8", True), ("Gt", "5", "5", False),
        ("Gt", "5", "08", False), ("Gt", "+5", "8", False), ("Lt", "5", "-3", True),
    ],
)  # fmt: skip
def test_comparing_tolerations_need_the_feature_gate(operator: str, value: str, taint: str, expected: bool) -> None:
    toleration = Toleration(key="k", operator=operator, value=value)
    node_taint = Taint(key="k", value=taint, effect="NoSchedule")
    assert tolerates(toleration, node_taint, comparison_operators=True) is expected
    assert not tolerates(toleration, node_taint)
