"""Edits of a text: the field changes, every other line stays as it was."""

import textwrap

import pytest

from scheduler_lab.engine import load
from scheduler_lab.engine.explain.edits import Append, Change, Create, Delete, EditError, Ref, Remove, Set, apply
from scheduler_lab.engine.explain.edits.homes import Book

POD = Ref("Pod", "default", "web")
NODE = Ref("Node", "", "a")

BLOCK = """\
# Two documents, with remarks.
apiVersion: v1
kind: Node
metadata: {name: a, labels: {disk: ssd}}
spec:
  unschedulable: true   # for repairs
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  tolerations:
    # the first
    - key: a            # team a
      operator: Exists
    - key: b
      operator: Exists
  containers:
  - name: c             # 한글
    image: x
    resources: {requests: {cpu: "2", memory: 1Gi}}
"""


def edited(text: str, *changes: Change) -> str:
    return apply(Book(load(text)), changes)


def difference(text: str, *changes: Change) -> tuple[list[str], list[str]]:
    """(lines that went, lines that came), each in order."""
    before, after = text.split("\n"), edited(text, *changes).split("\n")
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return before, after


def test_it_changes_a_scalar_in_place() -> None:
    path = ("spec", "containers", 0, "resources", "requests", "cpu")
    assert difference(BLOCK, Set(POD, path, "500m")) == (
        ['    resources: {requests: {cpu: "2", memory: 1Gi}}'],
        ["    resources: {requests: {cpu: 500m, memory: 1Gi}}"],
    )


def test_it_quotes_what_yaml_would_read_otherwise() -> None:
    path = ("spec", "containers", 0, "resources", "requests", "cpu")
    assert difference(BLOCK, Set(POD, path, "1"))[1] == ['    resources: {requests: {cpu: "1", memory: 1Gi}}']
    assert '"yes"' in edited(BLOCK, Set(NODE, ("metadata", "labels", "disk"), "yes"))


def test_it_adds_what_is_missing_around_a_field() -> None:
    assert difference(BLOCK, Set(POD, ("spec", "nodeSelector", "disk"), "ssd")) == (
        [],
        ["  nodeSelector:", "    disk: ssd"],
    )


def test_it_appends_in_the_indentation_of_the_list() -> None:
    toleration = {"key": "c", "operator": "Exists"}
    assert difference(BLOCK, Append(POD, ("spec", "tolerations"), toleration)) == (
        [],
        ["    - key: c", "      operator: Exists"],
    )


def test_it_removes_an_item_with_its_lines() -> None:
    gone, came = difference(BLOCK, Remove(POD, ("spec", "tolerations", 0)))
    assert (gone, came) == (["    - key: a            # team a", "      operator: Exists"], [])


def test_it_removes_what_would_be_left_empty() -> None:
    gone, came = difference(BLOCK, Remove(NODE, ("spec", "unschedulable")))
    assert (gone, came) == (["spec:", "  unschedulable: true   # for repairs"], [])


def test_it_moves_the_next_key_onto_the_dash() -> None:
    assert difference(BLOCK, Remove(POD, ("spec", "tolerations", 0, "key"))) == (
        ["    - key: a            # team a", "      operator: Exists"],
        ["    - operator: Exists"],
    )


def test_it_deletes_a_document_with_its_separator() -> None:
    assert edited(BLOCK, Delete(NODE)) == BLOCK[BLOCK.index("apiVersion: v1\nkind: Pod") :]
    assert edited(BLOCK, Delete(POD)) == BLOCK[: BLOCK.index("---")]


def test_it_adds_a_document_at_the_end() -> None:
    text = BLOCK.rstrip("\n")
    assert edited(text, Create({"a": 1})) == f"{BLOCK}---\na: 1\n"


def test_json_stays_json() -> None:
    text = '{"apiVersion": "v1", "kind": "Node",\n\t"metadata": {\n\t\t"name": "a"\n\t}\n}\n'
    after = edited(text, Set(NODE, ("metadata", "labels", "disk"), "ssd"))
    assert load(after).objects[0].metadata.labels == {"disk": "ssd"}
    assert after.startswith("{")


def test_an_item_of_a_list_is_edited_and_deleted() -> None:
    text = textwrap.dedent("""\
        apiVersion: v1
        kind: List
        items:
        - {apiVersion: v1, kind: Node, metadata: {name: a}}
        - {apiVersion: v1, kind: Node, metadata: {name: b}, spec: {unschedulable: true}}
        """)
    assert difference(text, Remove(Ref("Node", "", "b"), ("spec", "unschedulable")))[1] == [
        "- {apiVersion: v1, kind: Node, metadata: {name: b}}"
    ]
    assert "name: a" not in edited(text, Delete(NODE))
    assert [o.metadata.name for o in load(edited(text, Delete(NODE))).objects] == ["b"]


def test_what_a_timeline_applies_is_edited_too() -> None:
    text = textwrap.dedent("""\
        apiVersion: v1
        kind: Pod
        metadata: {name: web}
        spec: {schedulingGates: [{name: a}, {name: b}], containers: [{name: c, image: x}]}
        ---
        apiVersion: lab/v1
        kind: Timeline
        steps:
        - advanceSeconds: 5
        - apply: |
            apiVersion: v1
            kind: Pod
            metadata: {name: web}
            spec:
              schedulingGates:   # one less
              - name: b
              containers: [{name: c, image: x}]
        """)
    after = edited(text, Remove(POD, ("spec", "schedulingGates")))
    assert "Gates" not in after
    assert [line for line in after.split("\n") if line not in text.split("\n")] == [
        "spec: {containers: [{name: c, image: x}]}"
    ]
    assert edited(text, Delete(POD)) == ("apiVersion: lab/v1\nkind: Timeline\nsteps:\n- advanceSeconds: 5\n")


def test_a_shared_part_is_written_out_where_it_is_changed() -> None:
    text = textwrap.dedent("""\
        apiVersion: v1
        kind: Pod
        metadata: {name: web, labels: &labels {a: b}}   # kept
        spec:
          nodeSelector: *labels
          containers: [{name: c, image: x}]
        """)
    after = edited(text, Set(POD, ("spec", "nodeSelector", "a"), "c"))
    pod = load(after).objects[0]
    assert (pod.metadata.labels, pod.spec.node_selector) == ({"a": "b"}, {"a": "c"})
    assert "# kept" in after


def test_a_pod_of_a_workload_is_edited_in_its_template() -> None:
    text = textwrap.dedent("""\
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              containers: [{name: c, image: x}]
        """)
    made = Ref("Pod", "default", "web-6d4cf56db6-x7k2p")
    assert difference(text, Set(made, ("spec", "nodeSelector", "disk"), "ssd"))[1] == [
        "      nodeSelector:",
        "        disk: ssd",
    ]
    with pytest.raises(EditError):
        edited(text, Delete(made))


@pytest.mark.parametrize(
    "change",
    [
        Remove(POD, ("spec", "nodeSelector")),
        Set(POD, ("spec", "containers", 7, "image"), "y"),
        Append(POD, ("spec", "containers", 0, "name"), "y"),
        Remove(Ref("Pod", "default", "other"), ("spec",)),
        Delete(Ref("Pod", "default", "other")),
    ],
    ids=str,
)
def test_it_says_when_there_is_nothing_to_edit(change: Change) -> None:
    with pytest.raises(EditError):
        edited(BLOCK, change)
