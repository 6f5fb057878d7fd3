"""Everything that is wrong with a Plugin document, before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from scheduler_lab.engine.configuration.registry import KNOWN_PLUGINS
from scheduler_lab.engine.custom.plugins.compiling import Finding, compile_plugin
from scheduler_lab.engine.custom.plugins.event_names import ACTIONS, RESOURCES
from scheduler_lab.engine.custom.plugins.points import POINTS, SERVED_BY
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.strict import cut, near
from scheduler_lab.engine.objects.lab_plugin import Plugin, PluginSpec
from scheduler_lab.engine.objects.quantity import MAX_INT64, MIN_INT64

NAME_TAKEN: Final = N_("%(path)s: kube-scheduler has a plugin named %(name)s already.")
NO_POINT: Final = N_("%(path)s: a plugin needs an expression for at least one extension point.")
NEEDS: Final = N_("%(path)s: this needs %(other)s.")
NOT_A_NAME: Final = N_("%(path)s: %(name)s cannot be read in an expression: use letters, digits and _.")
NAME_TWICE: Final = N_("%(path)s: there is a variable %(name)s already.")
UNKNOWN_EVENT: Final = N_("%(path)s: %(name)s is no resource or action whose events wake pods.")
NOT_ENABLED: Final = N_("No profile enables the plugin %(name)s, so it does nothing: name it under plugins.")
IN_STEP: Final = N_("A plugin is compiled into the scheduler, so it cannot come with a step: write it outside.")
TOO_LARGE_NUMBER: Final = N_("%(path)s: %(value)s does not fit in 64 bits.")

_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CEL_WORDS: Final = re.compile(
    r"(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|package|namespace|null|return|true|var|"
    r"void|while)\Z"
)


def check_plugin(document: Plugin) -> Iterator[Finding]:
    """Each mistake in the document, those of its expressions included."""
    name = document.metadata.name
    if not name:
        yield Finding(("metadata", "name"), messages.REQUIRED)
    elif name in KNOWN_PLUGINS:
        yield Finding(("metadata", "name"), NAME_TAKEN, {"name": name})
    yield from _check_points(document.spec)
    yield from _check_names(document.spec)
    yield from _check_events(document.spec)
    yield from compile_plugin(document).findings


def enabled_plugins(configuration: Any) -> set[str]:
    """The plugins that any profile of a KubeSchedulerConfiguration's data lists as enabled, whatever its shape."""
    found: set[str] = set()
    for profile in _items(_member(configuration, "profiles")):
        plugins = _member(profile, "plugins")
        for point in plugins.values() if isinstance(plugins, dict) else ():
            names = (_member(entry, "name") for entry in _items(_member(point, "enabled")))
            found.update(name for name in names if isinstance(name, str))
    return found


def _member(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, dict) else None


def _items(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def _check_points(spec: PluginSpec) -> Iterator[Finding]:
    written = [name for name, point in POINTS.items() if getattr(spec, point.field) is not None]
    if not written:
        yield Finding(("spec",), NO_POINT)
    for name, other in SERVED_BY.items():
        if name in written and other not in written and name != "unreserve":
            yield Finding(("spec", name), NEEDS, {"other": f"spec.{other}"})
    timeout = spec.permit.timeout_seconds if spec.permit is not None else None
    if timeout is not None and timeout < 0:
        yield Finding(("spec", "permit", "timeoutSeconds"), messages.NEGATIVE, {"value": str(timeout)})


def _check_names(spec: PluginSpec) -> Iterator[Finding]:
    for name, value in spec.args.items():
        if not _readable(name):
            yield Finding(("spec", "args", name), NOT_A_NAME, {"name": cut(name)})
        for number in _numbers(value):
            if not MIN_INT64 <= number <= MAX_INT64:
                yield Finding(("spec", "args", name), TOO_LARGE_NUMBER, {"value": cut(str(number))})
    seen: set[str] = set()
    for index, variable in enumerate(spec.variables):
        path = ("spec", "variables", index, "name")
        if not variable.name:
            yield Finding(path, messages.REQUIRED)
        elif not _readable(variable.name):
            yield Finding(path, NOT_A_NAME, {"name": cut(variable.name)})
        elif variable.name in seen:
            yield Finding(path, NAME_TWICE, {"name": variable.name})
        seen.add(variable.name)


def _check_events(spec: PluginSpec) -> Iterator[Finding]:
    for index, event in enumerate(spec.events or ()):
        path = ("spec", "events", index)
        if not event.resource:
            yield Finding((*path, "resource"), messages.REQUIRED)
        elif event.resource not in RESOURCES:
            suggestion = near(event.resource, RESOURCES)
            name = {"name": cut(event.resource)}
            yield Finding((*path, "resource"), UNKNOWN_EVENT, name, suggestion=suggestion)
        for number, action in enumerate(event.actions):
            if action not in ACTIONS:
                suggestion = near(action, ACTIONS)
                yield Finding((*path, "actions", number), UNKNOWN_EVENT, {"name": cut(action)}, suggestion=suggestion)


def _readable(name: str) -> bool:
    return _IDENTIFIER.match(name) is not None and not _CEL_WORDS.match(name)


def _numbers(value: Any) -> Iterator[int]:
    """Every whole number in a default."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)
