"""A new plugin in Go, against the scheduling framework of Kubernetes 1.35, doing what its text for the lab does."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from scheduler_lab.starter.lab_text import DEFAULT_MOST
from scheduler_lab.starter.wanted import Wanted

SNIPPETS = Path(__file__).resolve().parent / "snippets"
"""A method or two each, with PLUGIN for the plugin's name, MOST and LABEL for an argument or its default."""

_INTERFACES = {
    "queueSort": "QueueSortPlugin",
    "preEnqueue": "PreEnqueuePlugin",
    "preFilter": "PreFilterPlugin",
    "filter": "FilterPlugin",
    "postFilter": "PostFilterPlugin",
    "preScore": "PreScorePlugin",
    "score": "ScorePlugin",
    "normalizeScore": "ScoreExtensions",
    "reserve": "ReservePlugin",
    "permit": "PermitPlugin",
    "preBind": "PreBindPlugin",
    "postBind": "PostBindPlugin",
}


def plugin_go(plugin: Wanted) -> str:
    """The file <package>/plugin.go, as gofmt writes it."""
    parts = [
        f"// Package {plugin.package} holds the scheduler plugin {plugin.name}.\npackage {plugin.package}\n",
        _imports(plugin),
        "// Name is the plugin's name in a KubeSchedulerConfiguration.\n" + f'const Name = "{plugin.name}"\n',
    ]
    if plugin.remembers:
        parts.append(_STATE)
    if plugin.takes_args:
        parts.append(_ARGS)
    parts += [_type(plugin), _assertions(plugin), _new(plugin), *_methods(plugin)]
    return "\n".join(part.replace("PLUGIN", plugin.name) for part in parts)


def main_go(plugin: Wanted) -> str:
    """The file main.go: kube-scheduler with the plugin compiled in."""
    return _MAIN.replace("PACKAGE", plugin.package)


def _imports(plugin: Wanted) -> str:
    standard = ["context", *["errors"] * plugin.has("preBind"), *["time"] * plugin.has("permit")]
    others = ['"k8s.io/apimachinery/pkg/runtime"', 'fwk "k8s.io/kube-scheduler/framework"']
    if plugin.points != ("queueSort",):
        others.insert(0, 'v1 "k8s.io/api/core/v1"')
    if plugin.has("queueSort"):
        others.insert(-1, 'corev1helpers "k8s.io/component-helpers/scheduling/corev1"')
    if plugin.takes_args:
        others.append('frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"')
    lines = [f'\t"{path}"' for path in standard] + [""] + [f"\t{path}" for path in others]
    return "import (\n" + "\n".join(lines) + "\n)\n"


def _uses_handle(plugin: Wanted) -> bool:
    return plugin.has("reserve", "permit", "preBind", "postBind")


def _type(plugin: Wanted) -> str:
    fields = [("args", "Args")] * plugin.takes_args + [("handle", "fwk.Handle")] * _uses_handle(plugin)
    said = "// PLUGIN is the plugin; one is made for each profile that enables it.\n"
    if not fields:
        return said + "type PLUGIN struct{}\n"
    width = max(len(name) for name, _ in fields)
    return said + "type PLUGIN struct {\n" + "".join(f"\t{name:<{width}} {kind}\n" for name, kind in fields) + "}\n"


def _assertions(plugin: Wanted) -> str:
    names = [_INTERFACES[point] for point in plugin.points if point in _INTERFACES]
    names += ["EnqueueExtensions"] * plugin.registers_events
    if len(names) == 1:
        return f"var _ fwk.{names[0]} = &PLUGIN{{}}\n"
    width = max(len(name) for name in names)
    return "var (\n" + "".join(f"\t_ fwk.{name:<{width}} = &PLUGIN{{}}\n" for name in names) + ")\n"


def _new(plugin: Wanted) -> str:
    values = ["args: args"] * plugin.takes_args + ["handle: handle"] * _uses_handle(plugin)
    made = f"\treturn &PLUGIN{{{', '.join(values)}}}, nil\n}}\n"
    said = "// New makes the plugin for one profile.\n"
    handle = "handle" if _uses_handle(plugin) else "_"
    if plugin.takes_args:
        return said + _NEW_WITH_ARGS.replace("HANDLE", handle) + made + _NAME
    if handle == "_":
        return said + "func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {\n" + made + _NAME
    return said + _NEW + made + _NAME


def _methods(plugin: Wanted) -> list[str]:
    most = "int(pl.args.Most)" if plugin.takes_args else str(DEFAULT_MOST)
    label = "pl.args.Label" if plugin.takes_args else '"hold"'
    names = [name for point in plugin.points for name in _snippets_of(plugin, point)]
    names += ["events"] * plugin.registers_events
    return [snippet(name).replace("MOST", most).replace("LABEL", label) for name in names]


def _snippets_of(plugin: Wanted, point: str) -> list[str]:
    """The snippets of a point, with what its interface wants besides."""
    if point == "score":
        extensions = "normalized" if plugin.has("normalizeScore") else "notNormalized"
        return ["scoreByState" if plugin.remembers else "score", extensions]
    if point == "reserve" and not plugin.has("unreserve"):
        return ["reserve", "noUnreserve"]
    return [f"{point}Remembering" if point == plugin.remembering_point else point]


@cache
def snippet(name: str) -> str:
    """The Go text of that name."""
    return (SNIPPETS / f"{name}.go.txt").read_text(encoding="utf-8")


_ARGS = """\
// Args are the plugin's arguments in pluginConfig.
type Args struct {
	Most  int64  `json:"most,omitempty"`
	Label string `json:"label,omitempty"`
}
"""
_STATE = """\
const stateKey fwk.StateKey = Name

// remembered is what the plugin keeps during a cycle; it does not change, so a clone is the same.
type remembered struct {
	most int
}

func (r *remembered) Clone() fwk.StateData { return r }
"""
_NEW_WITH_ARGS = f"""\
func New(_ context.Context, obj runtime.Object, HANDLE fwk.Handle) (fwk.Plugin, error) {{
	args := Args{{Most: {DEFAULT_MOST}, Label: "hold"}}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {{
		return nil, err
	}}
"""
_NEW = """\
func New(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
"""
_NAME = """\

// Name returns the plugin's name.
func (pl *PLUGIN) Name() string { return Name }
"""
_MAIN = """\
// Command scheduler is kube-scheduler with one more plugin.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	plugin "example.com/scheduler/PACKAGE"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New))))
}
"""
