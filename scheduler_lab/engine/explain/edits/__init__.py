"""Edits of a learner's own text: as few lines as possible change, all others stay as they are."""

from scheduler_lab.engine.explain.edits.apply import apply
from scheduler_lab.engine.explain.edits.changes import Append, Change, Create, Delete, EditError, Ref, Remove, Set

__all__ = ["Append", "Change", "Create", "Delete", "EditError", "Ref", "Remove", "Set", "apply"]
