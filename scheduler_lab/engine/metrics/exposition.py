"""Prometheus' text format, written as Kubernetes components write it.

Prometheus' own Python library writes `1.0` and `le="1.0"` where Go's writes `1` and `le="1"`; the tests read this
text back with that library.
"""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_lab.engine.metrics.families import Family, Labels, Sample, number

_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})
_VALUE = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


def exposition(families: Iterable[Family]) -> str:
    """The text of /metrics: families by name, one without samples left out, and a line break at the end."""
    parts = [part for family in sorted(families, key=lambda family: family.name) for part in _family(family)]
    return "".join(f"{part}\n" for part in parts)


def _family(family: Family) -> list[str]:
    if not family.samples:
        return []
    return [header(family), f"# TYPE {family.name} {family.kind}", *(line(family, one) for one in family.samples)]


def header(family: Family) -> str:
    """The HELP line, with the stability level in front as Kubernetes adds it."""
    return f"# HELP {family.name} [{family.stability}] {family.help.translate(_HELP)}"


def line(family: Family, sample: Sample) -> str:
    """One sample as a line without its end."""
    return f"{family.name}{sample.suffix}{_labels(sample.labels)} {number(sample.value)}"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    inside = ",".join(f'{name}="{value.translate(_VALUE)}"' for name, value in labels)
    return f"{{{inside}}}"
