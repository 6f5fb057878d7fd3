"""Rules of decoding, defaulting, merging and checking that no recorded case shows."""

from typing import Any

import pytest

from scheduler_lab.engine.configuration import KNOWN_PLUGINS, ConfigurationError, describe, load, resolve
from scheduler_lab.engine.configuration.durations import Duration
from scheduler_lab.engine.configuration.types import (
    DynamicResourcesArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    VolumeBindingArgs,
)
from scheduler_lab.engine.objects.raw import DuplicateKey

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def document(**members: Any) -> dict[str, Any]:
    return {**HEAD, **members}


def args(name: str, **members: Any) -> dict[str, Any]:
    return document(profiles=[{"pluginConfig": [{"name": name, "args": members}]}])


def plugins(**points: Any) -> dict[str, Any]:
    return document(profiles=[{"plugins": points}])


def error(raw: dict[str, Any], gates: dict[str, bool] | None = None, **options: Any) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(raw, resolve(gates), **options)
    return str(caught.value)


def test_the_default_configuration() -> None:
    configuration = load(None, resolve())
    (profile,) = configuration.profiles

    assert profile.scheduler_name == "default-scheduler"
    assert (configuration.parallelism, configuration.percentage_of_nodes_to_score) == (16, 0)
    assert (configuration.pod_initial_backoff_seconds, configuration.pod_max_backoff_seconds) == (1, 10)
    assert profile.points["preEnqueue"] == ["SchedulingGates", "DynamicResources", "DefaultPreemption"]
    assert profile.points["postFilter"] == ["DynamicResources", "DefaultPreemption"]
    assert profile.points["filter"][:3] == ["NodeUnschedulable", "NodeName", "TaintToleration"]
    assert profile.points["filter"][3:] == profile.points["preFilter"]
    assert profile.points["permit"] == profile.points["postBind"] == []
    assert profile.score_weights["TaintToleration"] == 3
    assert profile.score_weights["VolumeBinding"] == 1


def test_default_args() -> None:
    (profile,) = load(None, resolve()).profiles
    fit, spread = profile.args["NodeResourcesFit"], profile.args["PodTopologySpread"]
    assert isinstance(fit, NodeResourcesFitArgs)
    assert fit.scoring_strategy is not None
    assert [(r.name, r.weight) for r in fit.scoring_strategy.resources] == [("cpu", 1), ("memory", 1)]
    assert isinstance(spread, PodTopologySpreadArgs)
    assert spread.defaulting_type == "System"
    dynamic = profile.args["DynamicResources"]
    assert isinstance(dynamic, DynamicResourcesArgs)
    assert (dynamic.filter_timeout, dynamic.binding_timeout) == (Duration.of_seconds(10), None)


def test_gates_change_defaults() -> None:
    gates = resolve({"StorageCapacityScoring": True, "GenericWorkload": True, "GangScheduling": True})
    (profile,) = load(None, gates).profiles
    volumes = profile.args["VolumeBinding"]
    assert isinstance(volumes, VolumeBindingArgs)
    assert volumes.shape is not None
    assert [(point.utilization, point.score) for point in volumes.shape] == [(0, 10), (100, 0)]
    assert profile.points["permit"] == ["GangScheduling"]
    assert profile.points["preEnqueue"][-1] == "GangScheduling"


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"SidecarContainers": False}, "cannot set feature gate SidecarContainers to false, feature is locked to true"),
        (
            {"DRADeviceTaintRules": True},
            "DRADeviceTaintRules is enabled, but depends on features that are disabled: [DRADeviceTaints]",
        ),
        (
            {"InPlacePodLevelResourcesVerticalScaling": True, "PodLevelResources": False},
            "InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: "
            "[PodLevelResources NodeDeclaredFeatures]",
        ),
    ],
)
def test_refused_gates(overrides: dict[str, bool], text: str) -> None:
    with pytest.raises(ConfigurationError, match=r".") as caught:
        resolve(overrides)
    assert str(caught.value) == text


def test_a_locked_gate_may_be_set_to_its_default() -> None:
    assert resolve({"SidecarContainers": True}).enabled("SidecarContainers")


def test_all_alpha_leaves_named_gates_alone() -> None:
    gates = resolve({"AllAlpha": True, "DRAExtendedResource": False})
    assert gates.enabled("GangScheduling")
    assert not gates.enabled("DRAExtendedResource")


def test_unknown_fields_are_listed_with_their_paths_in_key_order() -> None:
    raw = document(zebra=1, profiles=[{"plugins": {"filter": {"on": []}}, "name": "x"}], apple=2)
    assert error(raw) == (
        'strict decoding error: unknown field "apple", unknown field "profiles[0].name", '
        'unknown field "profiles[0].plugins.filter.on", unknown field "zebra"'
    )


def test_json_keeps_the_order_of_the_text() -> None:
    raw = document(zebra=1, apple=2)
    assert error(raw, json_document=True) == 'strict decoding error: unknown field "zebra", unknown field "apple"'


def test_duplicate_keys_come_before_unknown_fields() -> None:
    found = [DuplicateKey(key="parallelism", line=4), DuplicateKey(key="name", line=9)]
    assert error(document(apple=1), duplicates=found) == (
        "strict decoding error: yaml: unmarshal errors:\n"
        '  line 4: key "parallelism" already set in map\n'
        '  line 9: key "name" already set in map, unknown field "apple"'
    )


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (document(parallelism="4"), "string into Go struct field KubeSchedulerConfiguration.parallelism of type int32"),
        (
            document(parallelism=1.5),
            "number 1.5 into Go struct field KubeSchedulerConfiguration.parallelism of type int32",
        ),
        (
            document(profiles={}),
            "object into Go struct field KubeSchedulerConfiguration.profiles of type []v1.KubeSchedulerProfile",
        ),
        (
            plugins(score={"enabled": [{"name": 5}]}),
            "number into Go struct field Plugin.profiles.plugins.score.enabled.name of type string",
        ),
        (
            plugins(score={"enabled": ["NodeAffinity"]}),
            "string into Go struct field PluginSet.profiles.plugins.score.enabled of type v1.Plugin",
        ),
    ],
)
def test_wrong_types(raw: dict[str, Any], text: str) -> None:
    assert error(raw) == f"json: cannot unmarshal {text}"


def test_a_wrong_duration_of_an_extender() -> None:
    assert error(document(extenders=[{"httpTimeout": "5"}])) == 'time: missing unit in duration "5"'


def test_a_written_empty_list_is_not_null() -> None:
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": []}]}
    added = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    assert ".values: Invalid value: []: for 'in', 'notin'" in error(args("NodeAffinity", addedAffinity=added))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (document(parallelism=0), "parallelism: Invalid value: 0: should be an integer value greater than zero"),
        (document(profiles=[{}, {}]), "[profiles[0].schedulerName: Required value, "),
        (
            document(profiles=[{"schedulerName": "a"}, {"schedulerName": "a"}]),
            "profiles[1].schedulerName: Duplicate value: {}",
        ),
        (
            plugins(filter={"enabled": [{"name": "EBSLimits"}]}),
            'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
        ),
        (
            document(extenders=[{"prioritizeVerb": "score"}]),
            "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
        ),
        (
            document(extenders=[{"bindVerb": "a"}, {"bindVerb": "b"}]),
            'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
        ),
        (
            document(leaderElection={"resourceLock": "endpoints"}),
            'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
        ),
        (
            document(leaderElection={"leaseDuration": "10s"}),
            'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
        ),
    ],
)
def test_refused_values(raw: dict[str, Any], text: str) -> None:
    assert error(raw).startswith(text)


def test_an_error_names_its_fields() -> None:
    raw = document(podInitialBackoffSeconds=0, profiles=[{"pluginConfig": [{"name": "EBSLimits"}]}])
    with pytest.raises(ConfigurationError) as caught:
        load(raw, resolve())
    assert caught.value.paths == ("profiles[0].pluginConfig[0]", "podInitialBackoffSeconds")


def test_a_second_queue_sort_or_none() -> None:
    prefix = "initializing profiles: creating profile for scheduler name default-scheduler: "
    registry = {**KNOWN_PLUGINS, "LabSort": frozenset(["queueSort"])}
    both = error(plugins(multiPoint={"enabled": [{"name": "LabSort"}]}), registry=registry)
    none = error(plugins(multiPoint={"disabled": [{"name": "*"}]}))
    text = 'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got'
    assert both == f"{prefix}{text} 2"
    assert none == f"{prefix}{text} 0"


def test_profiles_have_to_sort_alike() -> None:
    registry = {**KNOWN_PLUGINS, "LabSort": frozenset(["queueSort"])}
    other = {"multiPoint": {"disabled": [{"name": "PrioritySort"}], "enabled": [{"name": "LabSort"}]}}
    raw = document(profiles=[{"schedulerName": "a"}, {"schedulerName": "b", "plugins": other}])
    assert error(raw, registry=registry) == (
        'initializing profiles: different queue sort plugins for profile "b": "LabSort", first: "PrioritySort"'
    )


def test_a_further_plugin_goes_where_it_serves() -> None:
    registry = {**KNOWN_PLUGINS, "Rack": frozenset(["filter", "score"])}
    raw = plugins(multiPoint={"enabled": [{"name": "Rack", "weight": 5}]})
    raw["profiles"][0]["pluginConfig"] = [{"name": "Rack", "args": {"label": "rack"}}]
    (profile,) = load(raw, resolve(), registry).profiles
    assert profile.points["filter"][-1] == profile.points["score"][-1] == "Rack"
    assert "Rack" not in profile.points["preFilter"]
    assert profile.score_weights["Rack"] == 5
    assert profile.args["Rack"] == {"label": "rack"}


def test_extenders_are_ordered_and_their_resources_ignored_everywhere() -> None:
    first = {"urlPrefix": "http://a", "ignorable": True, "httpTimeout": "2s"}
    managed = [{"name": "example.com/fpga", "ignoredByScheduler": True}]
    second = {"urlPrefix": "http://b", "managedResources": managed}
    raw = document(profiles=[{"schedulerName": "x"}, {"schedulerName": "y"}], extenders=[first, second])
    configuration = load(raw, resolve())
    assert [extender.url_prefix for extender in configuration.configured_extenders] == ["http://a", "http://b"]
    assert [extender.url_prefix for extender in configuration.extenders] == ["http://b", "http://a"]
    assert [str(extender.http_timeout) for extender in configuration.extenders] == ["5s", "2s"]
    for profile in configuration.profiles:
        assert profile.args["NodeResourcesFit"].ignored_resources == ["example.com/fpga"]


def test_it_tells_why_a_plugin_is_where_it_is() -> None:
    gates = resolve()
    raw = plugins(
        multiPoint={
            "disabled": [{"name": "NodeAffinity"}],
            "enabled": [{"name": "NodeAffinity"}, {"name": "ImageLocality", "weight": 4}, {"name": "LabPermit"}],
        },
        filter={"enabled": [{"name": "NodeResourcesFit"}]},
        score={"disabled": [{"name": "VolumeBinding"}]},
    )
    (description,) = describe(load(raw, gates), load(None, gates))
    filters = {use.name: use.origin for use in description.points["filter"]}
    scores = {use.name: (use.origin, use.weight) for use in description.points["score"]}
    assert description.points["filter"][0].name == "NodeResourcesFit"
    assert filters["NodeResourcesFit"] == "override"
    assert filters["NodeName"] == "default"
    assert scores["NodeAffinity"] == ("moved", 1)
    assert scores["ImageLocality"] == ("override", 4)
    assert [(use.name, use.origin) for use in description.points["permit"]] == [("LabPermit", "user")]
    assert description.without["score"] == ["VolumeBinding"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [("1h15m30.5s", "1h15m30.5s"), ("90s", "1m30s"), ("1.5ms", "1.5ms"), ("-1s", "-1s"), ("0", "0s"), ("1h", "1h0m0s")],
)
def test_durations(text: str, printed: str) -> None:
    assert str(Duration.parse(text)) == printed
