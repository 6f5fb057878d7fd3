"""What a load returns: objects in the order of the text, what was found wrong, and where every field is written."""

from dataclasses import dataclass, field
from functools import cached_property

from scheduler_lab.engine.manifests.documents import Document
from scheduler_lab.engine.manifests.located import Located, Path, parse_path
from scheduler_lab.engine.manifests.locator import Locator
from scheduler_lab.engine.manifests.problem import Problem
from scheduler_lab.engine.objects.lab import Extender
from scheduler_lab.engine.objects.meta import KubeObject
from scheduler_lab.engine.objects.raw import RawObject
from scheduler_lab.engine.objects.registry import is_namespaced


@dataclass(slots=True)
class Source:
    """One document of the text, and where what is in it is written: found out when it is asked for."""

    document: Document

    _locator: Locator | None = None

    @property
    def places(self) -> Locator:
        """The places in the document."""
        if self._locator is None:
            self._locator = Locator(self.document)
        return self._locator


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of the text: its document, which value of that, and its path there (for items of a List)."""

    object: KubeObject | RawObject
    source: Source
    value: int = 0
    path: Path = ()

    @property
    def document(self) -> int:
        """The number of the document, from 1."""
        return self.source.document.number

    def place(self, path: Path = ()) -> Located | None:
        """The place of the deepest written part of a field path of this object, with all that is in it."""
        tree = self.source.places.tree(self.value)
        return tree.find((*self.path, *path)) if tree else None

    def begin(self, path: Path = ()) -> Located | None:
        """As `place`, sooner: where a map or list begins, perhaps not yet what is in it and where it ends."""
        return self.source.places.begin(self.value, (*self.path, *path))

    @property
    def line(self) -> int:
        """The line on which the object begins."""
        place = self.begin()
        return place.line if place else self.source.document.first_line


@dataclass
class Manifest:
    """The result of a load.

    `entries` are the objects in document order with their places; `ignored` those of kinds that play no part.
    `problems` are sorted by line.
    """

    text: str
    entries: list[Entry] = field(default_factory=list)
    ignored: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def objects(self) -> list[KubeObject | RawObject]:
        """The objects in document order: typed ones, and configurations as RawObject."""
        return [entry.object for entry in self.entries]

    @property
    def has_errors(self) -> bool:
        """Whether anything in the text keeps it from being run."""
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def errors(self) -> list[Problem]:
        """The problems that stop the run."""
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def warnings(self) -> list[Problem]:
        """The problems that do not; among them what the API server would refuse."""
        return [problem for problem in self.problems if problem.severity != "error"]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str], Entry]:
        return {key_of(entry.object): entry for entry in reversed(self.entries)}

    def entry_of(self, kind: str, namespace: str, name: str) -> Entry | None:
        """The first object of that kind and name; an empty namespace means `default` for namespaced kinds."""
        return self._by_name.get(_key(kind, namespace, name))

    def line_of(self, kind: str, namespace: str, name: str, path: str = "") -> int | None:
        """The line (from 1) of an object's field, or of the nearest written field around it; None without the object.

        Paths are written `spec.containers[0].resources`, keys with dots in brackets: `metadata.labels[example.com/a]`.
        """
        span = self.lines_of(kind, namespace, name, path)
        return span[0] if span else None

    def lines_of(self, kind: str, namespace: str, name: str, path: str = "") -> tuple[int, int] | None:
        """The first and last line of an object's field (see `line_of`)."""
        entry = self.entry_of(kind, namespace, name)
        place = entry.place(parse_path(path)) if entry else None
        return (place.line, max(place.line, place.end_line)) if place else None


def key_of(item: KubeObject | RawObject) -> tuple[str, str, str]:
    """Kind, namespace and name of an object, with the default namespace filled in. An Extender has its own name."""
    name = item.name if isinstance(item, Extender) else item.metadata.name
    return _key(item.kind, item.metadata.namespace, name)


def _key(kind: str, namespace: str, name: str) -> tuple[str, str, str]:
    return kind, (namespace or "default") if is_namespaced(kind) else "", name
