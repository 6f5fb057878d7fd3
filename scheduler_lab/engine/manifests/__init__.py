"""Text → objects, with problems that carry document, line, column, field path and a suggestion."""

from scheduler_lab.engine.manifests.limits import FILES, PASTED, Limits
from scheduler_lab.engine.manifests.loader import load
from scheduler_lab.engine.manifests.manifest import Entry, Manifest
from scheduler_lab.engine.manifests.problem import Problem

__all__ = ["FILES", "PASTED", "Entry", "Limits", "Manifest", "Problem", "load"]
