"""Changes of a whole text: each object is edited wherever it is written, documents are added and taken out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from scheduler_lab.engine.explain.edits.changes import Change, Create, Delete, EditError, FieldChange, Ref, Set
from scheduler_lab.engine.explain.edits.homes import Book, ref_of
from scheduler_lab.engine.explain.edits.one_document import change_document, remove_member
from scheduler_lab.engine.explain.edits.workloads import template_path
from scheduler_lab.engine.explain.edits.writing import document
from scheduler_lab.engine.manifests import Entry
from scheduler_lab.engine.manifests.documents import Document

_APPLY = "apply"


def apply(book: Book, changes: Sequence[Change]) -> str:
    """The book's text with the changes; raises EditError when one of them cannot be made.

    An object that a Timeline applies again later is changed in all its places, so that no step undoes the change.
    """
    changes = [_in_template(book, change) for change in changes]
    text, made = _applied(book, changes)
    missed = [change for change in changes if id(change) not in made]
    if missed:
        raise EditError(missed)
    return text


def _in_template(book: Book, change: Change) -> Change:
    """A change of a pod that a workload made is one of the workload's template; taking such a pod away is none."""
    maker = None if isinstance(change, Create) else book.maker(change.target)
    if maker is None or isinstance(change, Create):
        return change
    if isinstance(change, Delete):
        raise EditError(change)
    return replace(change, target=maker, path=(*template_path(maker), *change.path))


def _applied(book: Book, changes: Sequence[Change]) -> tuple[str, set[int]]:
    """The text with those changes that could be made, and which these are."""
    work = _Work(book)
    made = {id(change) for change in changes if work.make(change)}
    for timeline, index, inner in reversed(book.steps):
        own = [c for c in changes if not isinstance(c, Create) and c.target in inner.objects]
        if own:
            text, done = _applied(inner, own)
            if done:
                work.rewrite_step(timeline, index, text)
                made |= done
    return work.text(), made


class _Work:
    """The documents as edited so far; an empty one is left out of the text."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._entries: dict[Ref, list[Entry]] = {}
        for entry in book.manifest.entries:
            self._entries.setdefault(ref_of(entry.object), []).append(entry)
        self._edited: dict[int, tuple[Document, str]] = {}
        self._created: list[str] = []

    def make(self, change: Change) -> bool:
        """Make the change in every document that holds its object; whether one of them could be changed."""
        if isinstance(change, Create):
            self._created.append(document(change.document, as_json=False))
            return True
        done = False
        for entry in reversed(self._entries.get(change.target, [])):
            with suppress(EditError):
                if isinstance(change, Delete):
                    self._delete(entry)
                else:
                    self._change(entry, change)
                done = True
        return done

    def rewrite_step(self, timeline: Ref, index: int, applied: str) -> None:
        """Give a Timeline step another text; a step whose text has become empty goes."""
        for entry in self._entries[timeline]:
            if applied.strip():
                self._change(entry, Set(timeline, ("steps", index, _APPLY), applied))
            else:
                source, text = self._current(entry)
                path = (*entry.path, "steps", index)
                self._edited[id(source)] = source, remove_member(text, entry.value, path, source.is_json)

    def text(self) -> str:
        """The whole text: edited documents in their places, created ones at the end."""
        text = self._book.manifest.text
        places = [(_start(text, source), source, edited) for source, edited in self._edited.values()]
        for start, source, edited in sorted(places, key=lambda place: -place[0]):
            end = start + len(source.text)
            text = text[:start] + edited + text[end:] if edited.strip() else _without(text, start, end)
        for added in self._created:
            if text.strip():
                text += ("" if text.endswith("\n") else "\n") + "---\n"
            text += added
        return text

    def _current(self, entry: Entry) -> tuple[Document, str]:
        source = entry.source.document
        return self._edited.get(id(source), (source, source.text))

    def _change(self, entry: Entry, change: FieldChange) -> None:
        source, text = self._current(entry)
        edited = change_document(text, entry.value, entry.path, change, source.is_json)
        self._edited[id(source)] = source, edited

    def _delete(self, entry: Entry) -> None:
        source, text = self._current(entry)
        edited = remove_member(text, entry.value, entry.path, source.is_json) if entry.path else ""
        self._edited[id(source)] = source, edited


def _start(text: str, source: Document) -> int:
    """Where the document begins in the whole text."""
    at = 0
    for _ in range(source.first_line - 1):
        at = text.index("\n", at) + 1
    return text.index(source.text, at)


def _without(text: str, start: int, end: int) -> str:
    """The text without a document and one of the separators around it."""
    separator = text.rfind("\n---", 0, start)
    if separator >= 0 or text.startswith("---"):
        return text[: separator + 1] + text[end:]
    after = text.find("\n", end)
    return text[after + 1 :] if after >= 0 else ""
