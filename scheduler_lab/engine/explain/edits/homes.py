"""Every object of a text, also those that the steps of a Timeline apply."""

from __future__ import annotations

from functools import cached_property

from scheduler_lab.engine.explain.edits.changes import Ref
from scheduler_lab.engine.explain.edits.workloads import maker_of, pod_of, template_of
from scheduler_lab.engine.manifests import FILES, Manifest, load
from scheduler_lab.engine.manifests.manifest import key_of
from scheduler_lab.engine.objects.lab import Timeline
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.raw import RawObject


class Book:
    """A text's objects by kind, namespace and name. `nested`: the text of a Timeline step."""

    def __init__(self, manifest: Manifest, *, nested: bool = False) -> None:
        self.manifest = manifest
        self._nested = nested

    @cached_property
    def steps(self) -> list[tuple[Ref, int, Book]]:
        """The texts that Timeline steps apply: the Timeline, the step's index, the text's own book."""
        if self._nested:
            return []
        return [
            (ref_of(item), index, Book(load(step.apply, FILES), nested=True))
            for item in self.manifest.objects
            if isinstance(item, Timeline)
            for index, step in enumerate(item.steps)
            if step.apply is not None
        ]

    @cached_property
    def objects(self) -> dict[Ref, KubeObject | RawObject]:
        """Each object as it is written last, in the order of the text."""
        found = {ref_of(item): item for item in self.manifest.objects}
        for _timeline, _index, book in self.steps:
            found.update(book.objects)
        return found

    def get(self, ref: Ref) -> KubeObject | RawObject | None:
        """The object as it is written last; a pod that is not written as its template has it; else None."""
        found = self.objects.get(ref)
        maker = self.maker(ref) if found is None else None
        template = template_of(self.objects[maker]) if maker is not None else None
        return pod_of(ref, template) if template is not None else found

    def maker(self, ref: Ref) -> Ref | None:
        """The workload that made a pod which is not itself written in the text."""
        return maker_of(ref, self.objects) if ref.kind == "Pod" and ref not in self.objects else None


def ref_of(item: KubeObject | RawObject) -> Ref:
    """The reference to an object, the default namespace filled in."""
    return Ref(*key_of(item))
