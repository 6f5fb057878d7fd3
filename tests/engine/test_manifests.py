import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_lab.engine.manifests import Manifest, load
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.raw import RawObject

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: app
    image: nginx
"""


def only(text: str) -> str:
    """The one problem of a text, as line:column: severity: message, with its suggestion."""
    (problem,) = load(text).problems
    return f"{problem}" + (f" ({problem.suggestion})" if problem.suggestion else "")


def pod_of(text: str) -> Pod:
    manifest = load(text)
    assert not manifest.has_errors, manifest.problems
    (pod,) = manifest.objects
    assert isinstance(pod, Pod)
    return pod


def with_spec(line: str) -> str:
    return POD.replace("spec:\n", f"spec:\n  {line}\n")


def test_it_keeps_the_order_of_documents() -> None:
    text = f"# first\n{POD}---\n# nothing\n---\n" + '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}'
    manifest = load(text)
    assert [(entry.object.kind, entry.document, entry.line) for entry in manifest.entries] == [
        ("Pod", 1, 2),
        ("Node", 2, 12),
    ]
    assert not manifest.problems


@pytest.mark.parametrize(
    ("kind", "head", "line"), [("List", "apiVersion: v1\n  kind: Pod\n  metadata", 10), ("PodList", "metadata", 6)]
)
def test_it_opens_lists(kind: str, head: str, line: int) -> None:
    items = "".join(f"- {head}: {{name: p{i}}}\n  spec: {{containers: [{{name: c}}]}}\n" for i in range(2))
    manifest = load(f"apiVersion: v1\nkind: {kind}\nitems:\n{items}")
    assert not manifest.problems
    assert [item.metadata.name for item in manifest.objects] == ["p0", "p1"]
    assert manifest.line_of("Pod", "default", "p1", "metadata.name") == line


def test_it_reads_json_values_one_after_another() -> None:
    manifest = load(
        '{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}\n' * 1 + '{"apiVersion":"v1",\n"kind":"X"}'
    )
    assert [item.metadata.name for item in manifest.objects] == ["a"]
    assert [problem.line for problem in manifest.problems] == [3]


@pytest.mark.parametrize("text", [POD.replace("\n", "\r\n"), "\ufeff" + POD, "---\n" + POD + "---\n", POD + "...\n"])
def test_it_accepts_windows_line_ends_marks_and_separators(text: str) -> None:
    assert pod_of(text).metadata.name == "web"


def test_null_is_as_if_absent_and_the_zero_value_inside_maps_and_lists() -> None:
    pod = pod_of(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: null, labels: {a: }}\n"
        "spec: {nodeSelector: null, containers: [{name: c, args: [null], resources: }]}\nstatus:\n"
    )
    assert pod.metadata.labels == {"a": ""}
    assert pod.metadata.creation_timestamp is None
    assert pod.spec.node_selector is None
    assert pod.spec.containers[0].args == [""]


def test_nil_and_empty_stay_apart() -> None:
    assert pod_of(with_spec("nodeSelector: {}")).spec.node_selector == {}
    assert pod_of(POD).spec.node_selector is None
    assert pod_of(POD).spec.priority is None


@pytest.mark.parametrize(
    ("written", "value"),
    [("10", 10), ("010", 8), ("0x10", 16), ("0b11", 3), ("1_000", 1000), ("1.0", 1), ("1e3", 1000), ("-5", -5)],
)
def test_it_reads_numbers_as_go_does(written: str, value: int) -> None:
    assert pod_of(with_spec(f"priority: {written}")).spec.priority == value


@pytest.mark.parametrize("written", ["y", "n", "yes", "No", "on", "OFF", "true"])
def test_an_unquoted_yaml_boolean_is_no_text(written: str) -> None:
    value = "true" if written in ("y", "yes", "on", "true") else "false"
    assert only(POD.replace("name: web", f"name: {written}")) == (
        f'3:12: error: metadata.name: expected a text, got the boolean {value}. ("{written}")'
    )


def test_timestamps_stay_text_and_keys_become_text() -> None:
    pod = pod_of(POD.replace("name: web", "name: web, creationTimestamp: 2030-01-01T00:00:00Z, labels: {on: x, 1: z}"))
    assert pod.metadata.creation_timestamp == "2030-01-01T00:00:00Z"
    assert pod.metadata.labels == {"true": "x", "1": "z"}


def test_anchors_aliases_and_merge_keys() -> None:
    pod = pod_of(
        POD.replace("name: web", "name: web, labels: &l {a: b, c: d}").replace(
            "spec:\n", "spec:\n  nodeSelector:\n    <<: *l\n    c: e\n"
        )
    )
    assert pod.spec.node_selector == {"a": "b", "c": "e"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (with_spec("nodeSelectr: {a: b}"), '5:3: error: unknown field "spec.nodeSelectr" (nodeSelector)'),
        (with_spec("hostNetwork: 1"), "5:3: error: spec.hostNetwork: expected true or false, got the number 1."),
        (with_spec("tolerations: {}"), "5:3: error: spec.tolerations: expected a list, got a map."),
        (
            with_spec("priority: 3000000000"),
            "5:3: error: spec.priority: 3000000000 is outside the range of the field (-2147483648 to 2147483647).",
        ),
        (POD.replace("kind: Pod", "kind: Pod\nkind: Pod"), "3:1: error: The key kind is already set in this map."),
        (POD.replace("  containers:", "\tcontainers:"), "5:1: error: A tab cannot indent YAML: use spaces."),
        (POD.replace("kind: Pod\n", ""),
         "1:1: error: kind is missing: every Kubernetes object needs apiVersion and kind."),
        (
            POD.replace("v1", "apps/v1", 1),
            "1:1: error: There is no kind Pod in apps/v1. (v1)",
        ),
        (
            POD.replace("kind: Pod", "kind: Pods"),
            "2:1: warning: Pods (v1) plays no part in scheduling here and is ignored. (Pod)",
        ),
        (POD.replace("name: web", "name: Web_1"),
         "3:12: refused: metadata.name: Web_1 is not a valid name: use lower-case letters, digits, - and ."),
        (POD.split("  containers")[0].replace("spec:", "spec: {}"),
         "4:1: refused: spec.containers: a pod needs at least one container."),
        (with_spec("restartPolicy: always"),
         "5:3: refused: spec.restartPolicy: always is not supported: write one of Always, OnFailure, Never. (Always)"),
        (POD + "---\n" + POD, "11:12: error: Pod default/web is already defined at line 1."),
        ("a: [1\nb: 2",
         "2:2: error: This list is not closed, or a comma is missing: "
         "separate its items with commas and end it with ]."),
        ("- a", "1:1: error: Expected a Kubernetes object with apiVersion and kind here, got a list."),
        ("", "1:1: error: There is nothing here yet: paste nodes and pods as YAML or JSON."),
        ("\x00ELF", "1:1: error: The character U+0000 is not allowed in YAML or JSON: is this a binary file?"),
        ("a: \ud800", "1:4: error: The character U+D800 is not allowed in YAML or JSON: is this a binary file?"),
        (with_spec("priority: " + "9" * 100_000), "5:13: error: A number of 100000 digits is too long."),
    ],
)  # fmt: skip
def test_it_tells_each_problem_at_its_line(text: str, problem: str) -> None:
    assert only(text) == problem


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ("{requests: {cpu: -1}}", "requests.cpu: -1 must not be negative."),
        ("{requests: {memory: 1GB}}", "requests.memory: '1GB' is not a quantity"),
        ("{requests: {cpu: 2}, limits: {cpu: 1}}", "requests.cpu: the request 2 is more than the limit 1."),
        ("{limits: {example.com/gpu: 500m}}", "limits[example.com/gpu]: 500m must be a whole number"),
        ("{requests: {cpu: " + "9" * 100_000 + "}}", "A number of 100000 digits is too long."),
        ('{requests: {cpu: "' + "9" * 100_000 + '"}}', "requests.cpu: a quantity of 100000 characters is too long."),
    ],
)
def test_it_refuses_bad_amounts(resources: str, message: str) -> None:
    found = only(POD + f"    resources: {resources}\n")
    assert found.startswith("8:")
    assert message in found


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("tolerations: [{key: a, operator: Exists, value: b}]", "spec.tolerations[0].value"),
        ("tolerations: [{operator: Equal, value: b}]", "spec.tolerations[0].operator"),
        ("tolerations: [{key: a, effect: Never}]", "spec.tolerations[0].effect"),
        ("nodeSelector: {a b: c}", "spec.nodeSelector.a b"),
        (
            "topologySpreadConstraints: [{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
            "spec.topologySpreadConstraints[0].maxSkew",
        ),
        (
            "topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
            "spec.topologySpreadConstraints[0].topologyKey",
        ),
        (
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "[{topologyKey: z, labelSelector: {matchExpressions: [{key: a, operator: in, values: [b]}]}}]}}",
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].operator",
        ),
    ],
)
def test_it_tells_what_the_api_server_refuses_and_runs_it(line: str, path: str) -> None:
    (problem,) = load(with_spec(line)).problems
    assert (problem.severity, problem.path, problem.line) == ("refused", path, 5)
    assert not load(with_spec(line)).has_errors


def test_an_unparsable_node_selector_term_is_only_a_warning() -> None:
    term = "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Gt, values: [x]}]}]}"
    manifest = load(
        with_spec(f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {term}}}}}")
    )
    assert not manifest.has_errors
    assert len(manifest.problems) == 1


def test_problems_of_applied_text_are_told_at_their_lines() -> None:
    text = (
        "apiVersion: lab/v1\nkind: Timeline\nsteps:\n- apply: |\n    apiVersion: v1\n    kind: Pod\n    spec: {x: 1}\n"
    )
    assert [(p.line, p.column, p.message) for p in load(text).problems] == [(7, 12, 'unknown field "spec.x"')]


def test_a_configuration_stays_a_document() -> None:
    head = "# title\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    text = head + "parallelism: 4\nparallelism: 8\n"
    manifest = load(POD + "---\n" + text)
    assert not manifest.problems
    document = manifest.objects[1]
    assert isinstance(document, RawObject)
    assert (document.text, document.first_line) == (text, 9)
    assert [(duplicate.key, duplicate.line) for duplicate in document.duplicates] == [("parallelism", 5)]
    assert document.positions["kind"] == (11, 1)


def test_it_finds_the_lines_of_fields() -> None:
    manifest = load(POD + "    resources:\n      requests:\n        cpu: 1\n")

    def line(path: str) -> int | None:
        return manifest.line_of("Pod", "", "web", path)

    assert line("spec.containers[0].image") == 7
    assert line("spec.containers[0].resources.requests.cpu") == 10
    assert line("spec.containers[0].resources.requests.memory") == 9
    assert line("status.phase") == 1
    assert manifest.line_of("Pod", "other", "web") is None
    assert manifest.lines_of("Pod", "default", "web", "spec.containers[0].resources") == (8, 10)


def test_label_keys_with_dots_are_found_in_brackets() -> None:
    manifest = load("apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n  labels:\n    a.b/zone: x\n")
    assert manifest.line_of("Node", "", "node", "metadata.labels[a.b/zone]") == 6


def alias_bomb(levels: int, last: str) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join([*lines, f"{last}: *a{levels - 1}"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("alias bomb", alias_bomb(30, "b")),
        ("merge bomb", alias_bomb(30, "<<")),
        ("anchor in itself", "a: &a [*a]"),
        ("unknown alias", "a: *b"),
        ("too large", POD * 60_000),
        ("many documents", "a: b\n---\n" * 100_000),
        ("deep flow", "a: " + "[" * 100_000),
        ("deep block", "\n".join(" " * depth + "a:" for depth in range(1500))),
        ("deep json", '{"a":' * 100_000),
        ("deep but closed json", '{"a":' * 5_000 + "1" + "}" * 5_000),
        ("long key", "a" * 1_000_000 + ": b"),
        ("many values", "[" + "a," * 700_000 + "]"),
        ("quotes", '"' * 1_000_000),
        ("long json number", '{"apiVersion":"v1","kind":"Pod","spec":{"priority":' + "9" * 100_000 + "}}"),
        ("many errors", "apiVersion: v1\nkind: List\nitems:\n" + "- {apiVersion: v1, kind: Pod, spc: {}}\n" * 30_000),
    ],
)
def test_hostile_texts_are_answered_within_bounds(name: str, text: str) -> None:
    manifest = load(text)
    assert manifest.has_errors, name
    assert len(manifest.problems) <= 201


def check_bounds(manifest: Manifest) -> None:
    lines = manifest.text.count("\n") + 1
    for problem in manifest.problems:
        assert 1 <= problem.line <= lines + 1
        assert problem.column >= 1
        assert problem.message


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_it_never_raises_on_any_text(text: str) -> None:
    check_bounds(load(text))


FRAGMENTS = st.sampled_from(
    ["apiVersion: v1\n", "kind: Pod\n", "kind: List\n", "items:\n", "metadata:\n", "- ", "  ", "name: n\n", "spec: {",
     "}", "[", "]", "*a ", "&a ", "<<: ", "null", "~", "---\n", "...\n", "|\n", '"', "'", "!!int ", "!x ", "? ", ": ",
     "{", ",", "#", "\t", "containers: ", "1e400", "0x", "-", "\u2028", "steps:\n", "apply: |\n",
     "apiVersion: lab/v1\n", "kind: Timeline\n", '{"apiVersion":"v1","kind":"Pod"}', '\\ud800', "labels: {a: [1]}\n",
     "%YAML 1.1\n"]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=25).map("".join))
@settings(max_examples=400, deadline=None)
def test_it_never_raises_on_broken_manifests(text: str) -> None:
    check_bounds(load(text))


@given(st.integers(min_value=0, max_value=len(POD)), st.text(max_size=3))
@settings(max_examples=200, deadline=None)
def test_it_never_raises_on_a_damaged_pod(position: int, noise: str) -> None:
    check_bounds(load(POD[:position] + noise + POD[position:]))


KEYS = st.sampled_from(["metadata", "spec", "name", "labels", "containers", "x", "1", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["metadata", "spec", "name", "labels", "containers", "x", "1", ""]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["Pod", "Node", "Deployment", "Service", "Workload", "Timeline"]), JSON, JSON)
@settings(max_examples=300, deadline=None)
def test_it_never_raises_on_values_of_the_wrong_type(kind: str, metadata: object, spec: object) -> None:
    version = {"Deployment": "apps/v1", "Workload": "scheduling.k8s.io/v1alpha1", "Timeline": "lab/v1"}.get(kind, "v1")
    check_bounds(
        load(json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, "steps": spec}))
    )


@pytest.mark.parametrize(
    ("requirement", "problem"),
    [
        (
            "{key: a, operator: in, values: [b]}",
            "operator: in is not supported: write one of In, NotIn, Exists, DoesNotExist.",
        ),
        ("{key: a, values: [b]}", "operator is missing: write one of In, NotIn, Exists, DoesNotExist."),
        ("{key: a, operator: In}", "values: the operator In needs at least one value."),
        ("{key: a, operator: Exists, values: [b]}", "values: the operator Exists takes no values."),
        (
            "{key: a b, operator: Exists}",
            "key: 'a b' is not a label key: write name or prefix/name, at most 63 letters",
        ),
        ("{key: a, operator: In, values: [b c]}", "values: 'b c' is not a label value: at most 63 letters"),
    ],
)
def test_requirements_of_a_label_selector(requirement: str, problem: str) -> None:
    spread = "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [%s]}}"
    text = only(with_spec(f"topologySpreadConstraints: [{spread % requirement}]"))
    assert f"refused: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].{problem}" in text


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        ("matchExpressions: [{key: a, operator: Gt, values: [x]}]",
         "matchExpressions[0].values[0]: the operator Gt compares whole numbers, and x is none."),
        ("matchExpressions: [{key: a, operator: Lt}]",
         "matchExpressions[0].values: the operator Lt needs exactly one value"),
        ("matchFields: [{key: metadata.name, operator: In, values: [a, b]}]",
         "matchFields[0].values: the operator In needs exactly one value here."),
        ("matchFields: [{key: metadata.name, operator: Exists}]",
         "matchFields[0].operator: Exists is not supported: write one of In, NotIn."),
    ],
)  # fmt: skip
def test_requirements_of_a_node_selector(term: str, problem: str) -> None:
    required = f"{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{{term}}}]}}}}"
    assert f"nodeSelectorTerms[0].{problem}" in only(with_spec(f"affinity: {{nodeAffinity: {required}}}"))
