"""The plugins of a text: what a scheduler's registry learns of them, and how each is made for a profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from scheduler_lab.engine.configuration.errors import ConfigurationError, quote
from scheduler_lab.engine.configuration.registry import KNOWN_PLUGINS, PluginPoints
from scheduler_lab.engine.custom.plugins.arguments import arguments
from scheduler_lab.engine.custom.plugins.compiling import compile_plugin
from scheduler_lab.engine.custom.plugins.plugin import CustomPlugin
from scheduler_lab.engine.custom.plugins.points import POINTS, SERVED_BY
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.objects.lab_plugin import Plugin
from scheduler_lab.engine.scheduler.handle import ProfileHandle

FAILED: Final = N_("The plugin %(plugin)s failed where it cannot report an error: %(failure)s.")

Noted = Callable[[Plugin, str], None]
"""Told of a plugin's document and of a failure that no status can carry."""


def served_points(document: Plugin) -> frozenset[str]:
    """The extension points of the configuration at which the document's plugin serves."""
    written = [name for name, point in POINTS.items() if getattr(document.spec, point.field) is not None]
    return frozenset(SERVED_BY.get(name, name) for name in written)


class CustomPlugins:
    """The lab/v1 Plugins of a text, as plugins that were compiled into a scheduler."""

    def __init__(self, documents: Iterable[Plugin]) -> None:
        """Raises ConfigurationError when two plugins, or one and one of the scheduler's own, share a name."""
        self._documents: dict[str, Plugin] = {}
        for document in documents:
            name = document.metadata.name
            if name in KNOWN_PLUGINS or name in self._documents:
                raise ConfigurationError(f"a plugin named {name} already exists")
            self._documents[name] = document

    @property
    def known(self) -> PluginPoints:
        """The scheduler's registry with these plugins in it."""
        return {**KNOWN_PLUGINS, **{name: served_points(document) for name, document in self._documents.items()}}

    def __contains__(self, name: object) -> bool:
        return name in self._documents

    def make(self, name: str, args: Any, handle: ProfileHandle, noted: Noted) -> CustomPlugin:
        """The plugin for one profile; raises ConfigurationError as kube-scheduler does when a factory fails."""
        document = self._documents[name]
        try:
            compiled = compile_plugin(document)
            for finding in compiled.findings:
                path = ".".join(str(step) for step in finding.path)
                raise ConfigurationError(finding.template % {**finding.params, "path": path})
            given: Mapping[str, Any] = arguments(name, document.spec.args, args)
        except ConfigurationError as error:
            profile = f"creating profile for scheduler name {handle.scheduler_name}"
            text = f"initializing profiles: {profile}: initializing plugin {quote(name)}: {error}"
            raise ConfigurationError(text) from None

        def failed(_plugin: str, failure: str) -> None:
            noted(document, failure)

        return CustomPlugin(document, compiled, given, handle, failed)
