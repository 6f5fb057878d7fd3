"""Random small clusters as the text a learner could have written, for tests of what must hold in every run."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import yaml
from hypothesis import strategies as st

Document = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
GPU = "example.com/gpu"
NODES = ("n1", "n2", "n3", "n4", "n5")
ZONES = ("a", "b", "")
APPS = ("web", "db")
IMAGE = "registry.example/web:1"
TAINTS = (("team", "blue", "NoSchedule"), ("spot", "", "PreferNoSchedule"), ("drain", "", "NoExecute"))
PRIORITIES = {"low": 10, "mid": 1000, "high": 100_000}
WEIGHTS = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "VolumeBinding": 1,
    "DynamicResources": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}
"""The plugins that score, with their default weights."""


@dataclass
class Scenario:
    """A text, and what it says in a form that a test can reckon with."""

    text: str
    pods: dict[str, Document] = field(repr=False)
    nodes: dict[str, Document] = field(repr=False)
    weights: dict[str, dict[str, int]] = field(repr=False)


def _one_in(number: int) -> st.SearchStrategy[bool]:
    """True once in `number` draws; shrinks to False."""
    return st.integers(0, number - 1).map(lambda drawn: drawn == number - 1)


@st.composite
def _node(draw: st.DrawFn, name: str) -> Document:
    zone = draw(st.sampled_from(ZONES))
    labels = {"disk": draw(st.sampled_from(("ssd", "hdd")))} | ({ZONE: zone} if zone else {})
    capacity: Document = {"cpu": draw(st.integers(1, 5)), "memory": f"{draw(st.integers(1, 6))}Gi"}
    if draw(_one_in(5)):
        capacity["pods"] = draw(st.integers(1, 4))
    if draw(_one_in(3)):
        capacity[GPU] = draw(st.integers(0, 2))
    spec: Document = {}
    if draw(_one_in(4)):
        taints = draw(st.lists(st.sampled_from(TAINTS), unique=True, min_size=1, max_size=2))
        spec["taints"] = [{"key": k, "effect": e} | ({"value": v} if v else {}) for k, v, e in taints]
    if draw(_one_in(10)):
        spec["unschedulable"] = True
    status: Document = {"capacity": capacity}
    if draw(_one_in(3)):
        status["images"] = [{"names": [IMAGE], "sizeBytes": 300_000_000}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


@st.composite
def _requests(draw: st.DrawFn) -> Document:
    requests: Document = {}
    if draw(st.booleans()):
        requests["cpu"] = f"{draw(st.sampled_from((0, 100, 250, 500, 1000, 2000)))}m"
    if draw(st.booleans()):
        requests["memory"] = f"{draw(st.sampled_from((0, 128, 512, 1024, 2048)))}Mi"
    if draw(_one_in(10)):
        requests[GPU] = 1
    return requests


def _term(app: str, key: str) -> Document:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


@st.composite
def _affinity(draw: st.DrawFn) -> Document:
    affinity: Document = {}
    for kind, rarity in (("podAffinity", 6), ("podAntiAffinity", 5)):
        if not draw(_one_in(rarity)):
            continue
        term = _term(draw(st.sampled_from(APPS)), draw(st.sampled_from((HOST, ZONE))))
        if draw(st.booleans()):
            affinity[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        else:
            weighted = {"weight": draw(st.sampled_from((1, 10, 100))), "podAffinityTerm": term}
            affinity[kind] = {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}
    if draw(_one_in(8)):
        by_name = draw(st.booleans())
        term = (
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [draw(st.sampled_from(NODES))]}]}
            if by_name
            else {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
        )
        affinity["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    elif draw(_one_in(5)):
        preference = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
        affinity["nodeAffinity"] = {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference": preference}]
        }
    return affinity


@st.composite
def _container(draw: st.DrawFn) -> Document:
    container: Document = {"name": "c", "image": IMAGE, "resources": {"requests": draw(_requests())}}
    if draw(_one_in(7)):
        port = draw(st.sampled_from((80, 443)))
        container["ports"] = [{"containerPort": port, "hostPort": port}]
    return container


@st.composite
def _pod(draw: st.DrawFn, name: str, profiles: tuple[str, ...]) -> Document:
    app = draw(st.sampled_from(APPS))
    spec: Document = {"containers": [draw(_container())]}
    priority = draw(st.sampled_from(("", *PRIORITIES)))
    if priority:
        spec["priorityClassName"] = priority
        if draw(_one_in(6)):
            spec["preemptionPolicy"] = "Never"
    affinity = draw(_affinity())
    if affinity:
        spec["affinity"] = affinity
    if draw(_one_in(4)):
        hard = draw(st.booleans())
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": draw(st.integers(1, 2)),
                "topologyKey": draw(st.sampled_from((ZONE, HOST))),
                "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": app}},
            }
        ]
    if draw(_one_in(3)):
        key, value, effect = draw(st.sampled_from(TAINTS))
        spec["tolerations"] = [{"key": key, "effect": effect} | ({"value": value} if value else {"operator": "Exists"})]
    if draw(_one_in(9)):
        spec["nodeSelector"] = {"disk": draw(st.sampled_from(("ssd", "none")))}
    if draw(_one_in(8)):
        spec["schedulingGates"] = [{"name": "example.com/wait"}]
    if draw(_one_in(8)):
        spec["initContainers"] = [{"name": "i", "image": "x", "resources": {"requests": draw(_requests())}}]
    scheduler = draw(st.sampled_from(profiles))
    if scheduler:
        spec["schedulerName"] = scheduler
    labels = {"app": app} | ({"hold": "yes"} if draw(_one_in(6)) else {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}


def _on(pod: Document, node: str) -> Document:
    """The pod as one that already runs."""
    running = copy.deepcopy(pod)
    running["spec"].pop("schedulingGates", None)
    running["spec"]["nodeName"] = node
    return running


# -- configuration -----------------------------------------------------------------------------------------------


@st.composite
def _profile(draw: st.DrawFn, name: str, permit: bool) -> tuple[Document, dict[str, int]]:
    weights = dict(WEIGHTS)
    enabled = []
    for plugin in draw(st.lists(st.sampled_from(sorted(WEIGHTS)), unique=True, max_size=2)):
        weights[plugin] = draw(st.integers(1, 9))
        enabled.append({"name": plugin, "weight": weights[plugin]})
    plugins: Document = {"multiPoint": {"enabled": enabled}} if enabled else {}
    if draw(_one_in(4)):
        dropped = draw(st.sampled_from(sorted(WEIGHTS)))
        plugins["score"] = {"disabled": [{"name": dropped}]}
        del weights[dropped]
    if permit:
        plugins["permit"] = {"enabled": [{"name": "LabPermit"}]}
    profile: Document = {"schedulerName": name, "plugins": plugins}
    strategy = draw(st.sampled_from(("", "MostAllocated", "RequestedToCapacityRatio")))
    if strategy:
        scoring: Document = {
            "type": strategy,
            "resources": [{"name": "cpu", "weight": 2}, {"name": "memory", "weight": 1}],
        }
        if strategy == "RequestedToCapacityRatio":
            shape = [{"utilization": 0, "score": 0}, {"utilization": 60, "score": 10}, {"utilization": 100, "score": 2}]
            scoring["requestedToCapacityRatio"] = {"shape": shape}
        profile["pluginConfig"] = [{"name": "NodeResourcesFit", "args": {"scoringStrategy": scoring}}]
    return profile, weights


@st.composite
def _configuration(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[list[Document], dict[str, dict[str, int]]]:
    """(documents, weights by profile)."""
    permit, extender = draw(_one_in(3)), draw(_one_in(4))
    drawn = {name: draw(_profile(name, permit)) for name in names}
    configuration: Document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile for profile, _ in drawn.values()],
    }
    documents = [configuration]
    if permit:
        action = draw(st.sampled_from(("wait", "deny", "error")))
        rule = {"podLabel": "hold=yes", "action": action, "timeoutSeconds": 20, "reason": "held by a rule"}
        documents.append({"apiVersion": "lab/v1", "kind": "Permit", "rules": [rule]})
    if extender:
        capable, ignorable = draw(st.booleans()), draw(st.booleans())
        configuration["extenders"] = [
            {
                "urlPrefix": "http://lab-extender-x",
                "filterVerb": "filter",
                "prioritizeVerb": "prioritize",
                "preemptVerb": "preempt",
                "weight": 1,
                "nodeCacheCapable": capable,
                "ignorable": ignorable,
            }
        ]
        script: Document = {"apiVersion": "lab/v1", "kind": "Extender", "name": "x"}
        if draw(st.booleans()):
            script["filter"] = {"failed": {draw(st.sampled_from(NODES)): "licence missing"}}
        if draw(st.booleans()):
            script["prioritize"] = {draw(st.sampled_from(NODES)): draw(st.integers(0, 10))}
        documents.append(script)
    return documents, {name: weights for name, (_, weights) in drawn.items()}


# -- time --------------------------------------------------------------------------------------------------------


@st.composite
def _steps(draw: st.DrawFn, nodes: list[Document], pods: list[Document]) -> tuple[list[Document], list[Document]]:
    """(steps of a timeline, pods they create)."""
    steps: list[Document] = []
    created: list[Document] = []
    for number in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(("advance", "pod", "deletePod", "node", "deleteNode", "ungate", "allow", "reject")))
        pod = draw(st.sampled_from(pods))
        name = pod["metadata"]["name"]
        if kind == "advance":
            steps.append({"advanceSeconds": draw(st.sampled_from((5, 25, 301)))})
        elif kind == "pod":
            created.append(draw(_pod(f"later-{number}", ("",))))
            steps.append({"apply": yaml.safe_dump(created[-1])})
        elif kind == "deletePod":
            steps.append({"delete": {"kind": "Pod", "name": name}})
        elif kind == "deleteNode":
            steps.append({"delete": {"kind": "Node", "name": draw(st.sampled_from(nodes))["metadata"]["name"]}})
        elif kind == "ungate":
            free = copy.deepcopy(pod)
            free["spec"].pop("schedulingGates", None)
            steps.append({"apply": yaml.safe_dump(free)})
        elif kind in ("allow", "reject"):
            steps.append({f"{kind}Waiting": f"default/{name}"})
        else:
            old = draw(st.sampled_from(nodes))
            new = draw(_node(old["metadata"]["name"]))
            new["metadata"]["labels"] = old["metadata"]["labels"]
            steps.append({"apply": yaml.safe_dump(new)})
    return steps, created


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Nodes, running and pending pods, budgets, a configuration, and what happens later."""
    names = draw(st.permutations(NODES))[: draw(st.integers(1, len(NODES)))]
    nodes = [draw(_node(name)) for name in names]
    several = draw(_one_in(3))
    profiles = ("default-scheduler", "packer") if several else ("default-scheduler",)
    served = ("", "packer", "nobody") if several else ("",)
    running = [
        _on(draw(_pod(f"running-{number}", ("",))), draw(st.sampled_from(names)))
        for number in range(draw(st.integers(0, 5)))
    ]
    pending = [draw(_pod(f"p{number}", served)) for number in range(1, draw(st.integers(2, 9)) + 1)]
    configuration, weights = draw(_configuration(profiles)) if several or draw(st.booleans()) else ([], {})
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    ]
    documents: list[Document] = [*classes, *configuration, *nodes, *running, *pending]
    if draw(_one_in(3)):
        budget = {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1}
        status = {"disruptionsAllowed": draw(st.integers(0, 1))}
        documents.append(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "web"},
                "spec": budget,
                "status": status,
            }
        )
    steps, created = draw(_steps(nodes, [*running, *pending]))
    if steps:
        documents.append({"apiVersion": "lab/v1", "kind": "Timeline", "steps": steps})
    return Scenario(
        text=yaml.safe_dump_all(documents, sort_keys=False),
        pods={f"default/{pod['metadata']['name']}": pod for pod in (*running, *pending, *created)},
        nodes={node["metadata"]["name"]: node for node in nodes},
        weights=weights or {"default-scheduler": WEIGHTS},
    )
