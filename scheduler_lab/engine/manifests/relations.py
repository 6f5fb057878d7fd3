"""What only shows when objects are seen together: names used twice, unknown or disagreeing priority classes."""

from collections.abc import Callable
from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.manifest import Entry, key_of
from scheduler_lab.engine.manifests.problem import Severity
from scheduler_lab.engine.objects.pod import Pod
from scheduler_lab.engine.objects.registry import CONFIGURATION_KIND
from scheduler_lab.engine.objects.scheduling import PriorityClass

Report = Callable[[Severity, str, Entry, Path, dict[str, str], str], None]
_NAMELESS: Final = frozenset({"Options", "Timeline", "Permit", "Extender"})
_SYSTEM: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def check_relations(entries: list[Entry], report: Report) -> None:
    """Report objects defined twice, more than one configuration, and priorities that differ from their class."""
    _check_duplicates(entries, report)
    values = dict(_SYSTEM)
    for entry in entries:
        if isinstance(entry.object, PriorityClass):
            values[entry.object.metadata.name] = entry.object.value
    for entry in entries:
        if isinstance(entry.object, Pod):
            _check_priority(entry, entry.object, values, report)


def _check_duplicates(entries: list[Entry], report: Report) -> None:
    first: dict[tuple[str, str, str, str], Entry] = {}
    for entry in entries:
        kind, namespace, name = key_of(entry.object)
        if kind == CONFIGURATION_KIND:
            key = ("", kind, "", "")
        elif not name or kind in _NAMELESS:
            continue
        else:
            key = (entry.object.api_version.partition("/")[0], kind, namespace, name)
        before = first.setdefault(key, entry)
        if before is entry:
            continue
        if kind == CONFIGURATION_KIND:
            report("error", messages.SECOND_CONFIGURATION, entry, (), {}, "")
        else:
            shown = f"{namespace}/{name}" if namespace else name
            params = {"kind": kind, "name": shown, "line": str(before.line)}
            report("error", messages.DUPLICATE_OBJECT, entry, ("metadata", "name"), params, "")


def _check_priority(entry: Entry, pod: Pod, values: dict[str, int], report: Report) -> None:
    name, priority = pod.spec.priority_class_name, pod.spec.priority
    if not name or name not in values or priority is None or priority == values[name]:
        return
    path: Path = ("spec", "priority")
    params = {"path": "spec.priority", "value": str(priority), "name": name, "wanted": str(values[name])}
    report("refused", messages.PRIORITY_MISMATCH, entry, path, params, "")
