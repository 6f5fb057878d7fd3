"""The text of a new plugin for the lab: the plugin, a configuration that enables it, two nodes and two pods."""

from __future__ import annotations

from textwrap import indent

from scheduler_lab.starter.wanted import Wanted

DEFAULT_MOST = 10
CONFIGURED_MOST = 5
WEIGHT = 2
WAIT_SECONDS = 60


def lab_text(plugin: Wanted) -> str:
    """The whole text, ready to run."""
    parts = [document(plugin), configuration(plugin), _NODES, _pods(plugin)]
    if plugin.has("permit"):
        parts.append(_TIMELINE)
    return "---\n".join(parts)


def document(plugin: Wanted) -> str:
    """The lab/v1 Plugin."""
    body = "".join(_rule(plugin, point) for point in plugin.points)
    args = f"args: {{most: {DEFAULT_MOST}, label: hold}}\n" if plugin.takes_args else ""
    spec = args + body + (_EVENTS if plugin.registers_events else "")
    head = f"apiVersion: lab/v1\nkind: Plugin\nmetadata: {{name: {plugin.name}}}\nspec:\n"
    return head + indent(spec, "  ")


def configuration(plugin: Wanted) -> str:
    """The KubeSchedulerConfiguration, for the lab and for a real scheduler."""
    lines = [
        "apiVersion: kubescheduler.config.k8s.io/v1",
        "kind: KubeSchedulerConfiguration",
        "profiles:",
        "- schedulerName: default-scheduler",
        "  plugins:",
    ]
    if plugin.has("queueSort"):
        lines += ["    queueSort:                # only one can sort the queue"]
        lines += [
            "      enabled:",
            f"      - {{name: {plugin.name}}}",
            "      disabled:",
            "      - {name: PrioritySort}",
        ]
    if plugin.points != ("queueSort",):
        weight = f", weight: {WEIGHT}" if plugin.has("score") else ""
        lines += ["    multiPoint:               # every extension point that it serves"]
        lines += ["      enabled:", f"      - {{name: {plugin.name}{weight}}}"]
    if plugin.takes_args:
        lines += ["  pluginConfig:", f"  - name: {plugin.name}", f"    args: {{most: {CONFIGURED_MOST}}}"]
    return "\n".join(lines) + "\n"


def _rule(plugin: Wanted, point: str) -> str:
    label = "args.label" if plugin.takes_args else '"hold"'
    most = "args.most" if plugin.takes_args else str(DEFAULT_MOST)
    remembers = point == plugin.remembering_point
    return {
        "queueSort": _QUEUE_SORT,
        "preEnqueue": _PRE_ENQUEUE.format(label=label, name=plugin.name),
        "preFilter": _REMEMBER.format(point="preFilter") if remembers else _PRE_FILTER,
        "filter": _FILTER.format(most=most),
        "postFilter": _POST_FILTER,
        "preScore": _REMEMBER.format(point="preScore") if remembers else _PRE_SCORE,
        "score": _SCORE_BY_STATE if plugin.remembers else _SCORE,
        "normalizeScore": _NORMALIZE,
        "reserve": _RESERVE,
        "unreserve": _UNRESERVE,
        "permit": _PERMIT,
        "preBind": _PRE_BIND,
        "postBind": _POST_BIND.format(name=plugin.name),
    }[point]


_QUEUE_SORT = """\
queueSort:                  # true when a comes before b
  expression: 'a.pod.priority != b.pod.priority ? a.pod.priority > b.pod.priority : a.timestamp < b.timestamp'
"""
_PRE_ENQUEUE = """\
preEnqueue:                 # false keeps the pod out of the queue
  expression: pod.metadata.labels[?{label}].orValue("") != "true"
  reason: held by {name}
"""
_PRE_FILTER = """\
preFilter:                  # once a cycle, before any node is looked at
  expression: nodes.size() > 0
  reason: there is no node
"""
_REMEMBER = """\
{point}:                  # remembers for this cycle how many pods the fullest node runs
  expression: '{{"state": {{"most": nodes.map(n, n.pods.size()).max()}}}}'
"""
_FILTER = """\
filter:                     # once for each node
  expression: node.pods.size() < {most}
  reason: node(s) run too many pods
"""
_POST_FILTER = """\
postFilter:                 # when no node is left: a node to nominate, or pods to evict
  expression: '""'
  reason: nobody is evicted
"""
_PRE_SCORE = """\
preScore:                   # once a cycle, with the nodes that passed
  expression: '{"code": nodes.size() > 1 ? "Success" : "Skip"}'
"""
_SCORE = """\
score:                      # 0 to 100 for each node: the share of CPU that is free
  expression: '(node.allocatable["cpu"] - node.requested["cpu"]) * 100 / node.allocatable["cpu"]'
"""
_SCORE_BY_STATE = """\
score:                      # for each node: how many pods fewer than on the fullest
  expression: int(state.most) - node.pods.size()
"""
_NORMALIZE = """\
normalizeScore:             # spreads the scores over 0 to 100
  expression: 'maxScore == minScore ? 0 : (score - minScore) * 100 / (maxScore - minScore)'
"""
_RESERVE = """\
reserve:                    # the node is chosen
  expression: node.metadata.annotations[?"reserved"].orValue("") == ""
  reason: the node is reserved
"""
_UNRESERVE = """\
unreserve:                  # a later step failed: waiting pods to reject with this one
  expression: '[]'
"""
_PERMIT = f"""\
permit:                     # "allow", "deny" or "wait"
  expression: 'pod.metadata.labels[?"approval"].orValue("") == "needed" ? "wait" : "allow"'
  timeoutSeconds: {WAIT_SECONDS}
  reason: waiting for approval
"""
_PRE_BIND = """\
preBindPreFlight:           # false: there is nothing to do before this pod is bound
  expression: pod.metadata.labels[?"unchecked"].orValue("") != "true"
preBind:                    # right before binding; an Error is retried after a backoff
  expression: node.metadata.annotations[?"broken"].orValue("") == ""
  code: Error
  reason: the node is broken
"""
_POST_BIND = """\
postBind:                   # an event of the pod
  expression: '"{name} saw it on " + node.name'
"""
_EVENTS = """\
events:                     # what may make a rejected pod schedulable
- {resource: Pod, actions: [Delete, UpdatePodLabel]}
- {resource: Node, actions: [Add, UpdateNodeAllocatable, UpdateNodeAnnotation]}
"""
_NODES = """\
apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {allocatable: {cpu: "4", memory: 8Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: node-2}
status: {allocatable: {cpu: "2", memory: 4Gi}}
"""
_TIMELINE = """\
apiVersion: lab/v1
kind: Timeline
steps:
- allowWaiting: default/second
"""


def _pods(plugin: Wanted) -> str:
    labels = ", labels: {approval: needed}" if plugin.has("permit") else ""
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: first}}
spec:
  containers:
  - {{name: app, image: example/app:1, resources: {{requests: {{cpu: "1", memory: 1Gi}}}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: second{labels}}}
spec:
  containers:
  - {{name: app, image: example/app:1, resources: {{requests: {{cpu: 500m, memory: 512Mi}}}}}}
"""
