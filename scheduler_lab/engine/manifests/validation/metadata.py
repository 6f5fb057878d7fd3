"""Names, labels and timestamps of any object."""

from typing import Final

from scheduler_lab.engine.manifests import messages
from scheduler_lab.engine.manifests.located import Path
from scheduler_lab.engine.manifests.strict import cut
from scheduler_lab.engine.manifests.validation.checker import Checker
from scheduler_lab.engine.objects.meta import KubeObject, ObjectMeta, parse_time
from scheduler_lab.engine.objects.names import (
    is_dns_label,
    is_dns_subdomain,
    is_qualified_name,
    label_key_problem,
    label_value_problem,
)
from scheduler_lab.engine.objects.registry import is_namespaced

_LABEL_NAMES: Final = frozenset({"Namespace", "Service"})


def check_metadata(item: KubeObject, checker: Checker) -> None:
    """Name or generateName, namespace, label keys and values, annotation keys, timestamps."""
    meta = item.metadata
    path: Path = ("metadata",)
    if meta.name:
        check_name(meta.name, item.kind in _LABEL_NAMES, (*path, "name"), checker)
    elif not meta.generate_name:
        checker.fatal(messages.REQUIRED, (*path, "name"))
    if meta.namespace:
        if not is_namespaced(item.kind):
            checker.warning(messages.NAMESPACE_UNWANTED, (*path, "namespace"), kind=item.kind)
        else:
            check_name(meta.namespace, True, (*path, "namespace"), checker)
    check_labels(meta.labels, (*path, "labels"), checker)
    _check_annotations_and_times(meta, path, checker)


def check_name(name: str, label: bool, path: Path, checker: Checker) -> None:
    """Report a name that is no DNS label (or, without `label`, no DNS subdomain)."""
    if label:
        if not is_dns_label(name):
            checker.error(messages.INVALID_LABEL_NAME, path, value=cut(name))
    elif not is_dns_subdomain(name):
        checker.error(messages.INVALID_NAME, path, value=cut(name))


def check_labels(labels: dict[str, str], path: Path, checker: Checker) -> None:
    """Report illegal label keys and values."""
    for key, value in labels.items():
        if problem := label_key_problem(key):
            checker.error(messages.INVALID_LABEL_KEY, (*path, key), detail=problem)
        elif problem := label_value_problem(value):
            checker.error(messages.INVALID_LABEL_VALUE, (*path, key), detail=problem)


def _check_annotations_and_times(meta: ObjectMeta, path: Path, checker: Checker) -> None:
    for key in meta.annotations:
        if not is_qualified_name(key.lower()):
            detail = label_key_problem(key.lower()) or ""
            checker.error(messages.INVALID_LABEL_KEY, (*path, "annotations", key), detail=detail)
    for name, text in (
        ("creationTimestamp", meta.creation_timestamp),
        ("deletionTimestamp", meta.deletion_timestamp),
    ):
        check_time(text, (*path, name), checker)


def check_time(text: str | None, path: Path, checker: Checker) -> None:
    """Report a given text that is not an RFC 3339 time."""
    if text is not None:
        try:
            parse_time(text)
        except ValueError:
            checker.fatal(messages.INVALID_TIME, path, value=cut(text))
