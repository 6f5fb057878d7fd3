"""A text of megabytes costs no more than its bounds allow: counted in what is read, located and told, not in time."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from scheduler_lab.engine.manifests import FILES, PASTED, Manifest, load, loader, messages
from scheduler_lab.engine.manifests.locator import Locator

LARGE = replace(PASTED, characters=40_000_000, nodes=10_000_000)
LIST = "apiVersion: v1\nkind: List\nitems:\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nkind: Node\n---\n"


class Work:
    """How many documents were parsed, objects decoded, and events read for positions."""

    def __init__(self) -> None:
        self.documents = self.objects = self.located = 0


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    found = Work()

    def counted(name: str, member: str) -> None:
        real = getattr(loader, name)

        def call(*args: object) -> object:
            setattr(found, member, getattr(found, member) + 1)
            return real(*args)

        monkeypatch.setattr(loader, name, call)

    counted("read_yaml", "documents")
    counted("read_json", "documents")
    counted("convert", "objects")
    advance = Locator._advance

    def located(locator: Locator) -> None:
        found.located += 1
        advance(locator)

    monkeypatch.setattr(Locator, "_advance", located)
    yield found


def one(manifest: Manifest) -> tuple[str, int]:
    (problem,) = manifest.problems
    assert problem.severity == "error"
    return problem.template, problem.line


@pytest.mark.parametrize(
    "document",
    [
        NODE,
        "a: b: c\n---\n",
        '{"a" 1}\n---\n',
        "- 1\n---\n",
        "kind: Pod\n---\n",
        "apiVersion: v1\nkind: Pod\nspc: 1\n---\n",
    ],
)
def test_reading_stops_when_enough_is_told(work: Work, document: str) -> None:
    manifest = load(document * 10_000, LARGE)
    assert manifest.has_errors
    assert len(manifest.problems) <= 201
    assert manifest.problems[-1].template == messages.MORE_PROBLEMS
    assert work.documents <= 200


def test_the_items_of_a_list_are_not_looked_at_either(work: Work) -> None:
    manifest = load(LIST + "- {apiVersion: v1, kind: Pod, spc: {}}\n" * 30_000, LARGE)
    assert len(manifest.problems) == 201
    assert work.objects <= 400


def test_positions_are_read_only_as_far_as_problems_stand(work: Work) -> None:
    load(LIST + "- {apiVersion: v1, kind: Pod, spc: {}}\n" * 30_000, LARGE)
    assert work.located * 500 < 10_000
    work.located = 0
    assert load("- a\n" * 100_000, LARGE).problems[0].line == 1
    assert work.located == 1


def test_a_mistake_behind_many_warnings_is_told_and_stops_the_run(work: Work) -> None:
    ignored = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n---\n"
    manifest = load(ignored * 300 + "apiVersion: v1\nkind: Pod\nspc: 1\n", LARGE)
    assert manifest.has_errors
    assert [problem.line for problem in manifest.errors] == [4 * 300 + 3]
    assert len(manifest.problems) == 201


def test_a_good_object_behind_many_warnings_is_kept() -> None:
    ignored = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n---\n"
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {b: }}\n"
    manifest = load(ignored * 300 + node, LARGE)
    assert not manifest.has_errors
    assert [item.metadata.name for item in manifest.objects] == ["a"]


@pytest.mark.parametrize(
    ("text", "template", "line"),
    [
        ("a: b\n---\n" * 30_000, messages.TOO_MANY_DOCUMENTS, 40_000),
        ("---\n" * 1_250_000, messages.TOO_MANY_DOCUMENTS, 20_001),
        ('{"a":1}\n' * 30_000, messages.TOO_MANY_DOCUMENTS, 20_001),
        ("- a\n" * 1_250_000, messages.TOO_MANY_VALUES, 416_666),
        ('{"a":[' + "1,\n" * 1_600_000 + "1]}", messages.TOO_MANY_VALUES, 799_999),
        ("{" * 5_000_000, messages.TOO_DEEP, 1),
        ("a: " + "[" * 5_000_000, messages.YAML_DEEP, 1),
        ("%TAG !a! b\n" * 400_000 + "a: b\n", messages.TOO_MANY_DIRECTIVES, 101),
        ("a: {" + "".join(f"k{i}: b, " for i in range(30_000)) + "}", messages.TOO_MANY_ENTRIES, 1),
        ("a:\n" + "- b\n" * 30_000, messages.TOO_MANY_ENTRIES, 1),
    ],
)
def test_each_bound_names_its_line(work: Work, text: str, template: str, line: int) -> None:
    assert one(load(text, LARGE)) == (template, line)
    assert work.objects == 0


@pytest.mark.parametrize(
    "text",
    ['{"a":"' + '\\"' * 1_000_000, "{" + '"' * 1_000_000, "{" + "}" * 1_000_000, '{"a":"' + "\\" * 1_000_001],
)
def test_json_that_no_decoder_reads_is_counted_once(text: str) -> None:
    assert load(text, LARGE).has_errors


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "{a: 1, a: 2}", "a: 1\na: 2"])
def test_repeated_keys_end_the_reading_of_a_document(work: Work, text: str) -> None:
    joined = (
        "\n".join([text] * 5_000)
        if text.startswith("{") and '"' in text
        else "- " + "\n- ".join([text.replace("\n", "\n  ")] * 5_000)
    )
    manifest = load(joined, LARGE)
    assert len(manifest.problems) <= 201
    assert {problem.template for problem in manifest.errors} == {messages.DUPLICATE_KEY}


@pytest.mark.parametrize("limits", [LARGE, FILES])
def test_what_kubectl_prints_of_thousands_of_nodes_is_read(limits: object) -> None:
    node = (
        '- apiVersion: v1\n  kind: Node\n  metadata:\n    annotations:\n      node.alpha.kubernetes.io/ttl: "0"\n'
        "    labels:\n      kubernetes.io/hostname: node-{0}\n      topology.kubernetes.io/zone: a\n    name: n{0}\n"
        "  spec:\n    podCIDR: 10.0.{0}.0/24\n    podCIDRs:\n    - 10.0.{0}.0/24\n  status:\n    allocatable:\n"
        '      cpu: "4"\n      memory: 16Gi\n      pods: "110"\n'
    )
    manifest = load(LIST + "".join(node.replace("{0}", str(number)) for number in range(5_000)), LARGE)
    assert not manifest.problems
    assert len(manifest.objects) == 5_000


def test_documents_share_the_bound_on_values() -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {{name: n{}}}\nspec: {{podCIDRs: [{}]}}\n---\n"
    manifest = load("".join(node.format(number, "a, " * 10_000) for number in range(60)), LARGE)
    assert one(manifest) == (messages.TOO_MANY_VALUES, 5 * 29 + 4)
    assert manifest.problems[0].params == {"limit": "300000"}


def test_further_configurations_are_told_without_reading_on(work: Work) -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n---\n"
    manifest = load(text * 5_000, LARGE)
    assert {problem.template for problem in manifest.errors} == {messages.SECOND_CONFIGURATION}
    assert work.documents < 300
