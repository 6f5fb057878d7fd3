"""What an expression touches: unknown fields, typed members, inputs, and how large its values may get.

CEL checks operators and functions, but takes Kubernetes objects for maps of anything. This walk over the syntax tree
knows their fields, also inside `all`, `filter`, `map` and the like.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scheduler_lab.engine.custom.cel_syntax import Syntax
from scheduler_lab.engine.custom.plugins.shapes import STRING, cel_type
from scheduler_lab.engine.evidence import N_
from scheduler_lab.engine.manifests.shapes import ANY, Shape
from scheduler_lab.engine.manifests.strict import near

UNDEFINED_VARIABLE: Final = N_("%(path)s: there is no variable %(name)s at %(point)s.")
UNDEFINED_FIELD: Final = N_("%(path)s: there is no field %(field)s here.")
SHADOWED: Final = N_("%(path)s: %(name)s is already the name of a variable: choose another for the items of the list.")
TOO_COSTLY: Final = N_("%(path)s: this expression may build values that are too large; build smaller ones.")

MAX_SIZE: Final = 10_000_000
MAX_WORK: Final = 1_000_000_000
_ITERATIONS: Final = 10_000
_GIVEN: Final = 100
_UNUSED: Final = "#unused"
_ACCESS: Final = ("_[_]", "_[?_]", "_?._")
_SAME_VALUE: Final = ("orValue", "or", "value", "optional.of", "optional.ofNonZeroValue")
_NAMESPACES: Final = ("sets", "math", "optional", "cel", "strings")
_TYPE_NAMES: Final = frozenset({"bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"})

Step = str
Input = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of a part's value: its shape, an estimate of its size, and its steps from a variable if it has."""

    shape: Shape
    size: int = 1
    path: Input | None = None
    optional: bool = False


@dataclass(slots=True)
class Analysis:
    """`leaves` are the members used, by dotted path, with their CEL types; `roots` the variables in scope that occur.

    `names` are all the members named anywhere; `whole` says that some object is used as a whole, so that every member
    may matter. `inputs` are the values from outside that the expression reads, in the order of the text.
    """

    value: Value = field(default_factory=lambda: Value(ANY))
    problems: list[tuple[int, str, dict[str, str], str]] = field(default_factory=list)
    leaves: dict[str, str] = field(default_factory=dict)
    roots: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    inputs: list[Input] = field(default_factory=list)
    whole: bool = False


def analyse(
    tree: Syntax, scope: Mapping[str, Value], types: Mapping[str, str], point: str, *, leaves: bool
) -> Analysis:
    """Walk an expression in the scope of an extension point.

    `types` are CEL types by dotted path that the shapes do not tell; `leaves` says that the value is a result, and not
    that of a variable, whose use is looked at where it is used.
    """
    walk = _Walk(scope, types, point)
    found = walk.visit(tree)
    if leaves:
        walk.escapes(found)
    result = walk.analysis
    result.value = found
    for path in walk.tested:
        # CEL takes a declared member for a variable, of which `has` says nothing.
        result.leaves.pop(path, None)
    if walk.largest > MAX_SIZE or walk.work + _ITERATIONS * walk.loop_work > MAX_WORK:
        result.problems.append((0, TOO_COSTLY, {}, ""))
    return result


class _Walk:
    def __init__(self, scope: Mapping[str, Value], types: Mapping[str, str], point: str) -> None:
        self.analysis = Analysis()
        self.tested: set[str] = set()
        self.work = self.loop_work = self.largest = 0
        self._scope = scope
        self._types = types
        self._point = point
        self._locals: dict[str, Value] = {}
        self._depth = 0

    def visit(self, node: Syntax) -> Value:
        """The value of a part that stands for itself, noted as an input if it comes from outside."""
        found = self._dispatch(node)
        if found.path is not None and found.path not in self.analysis.inputs:
            self.analysis.inputs.append(found.path)
        self.largest = max(self.largest, found.size)
        return found

    def escapes(self, value: Value) -> None:
        """A value goes where its members can no longer be followed."""
        shape: Shape | None = value.shape
        while shape is not None and shape.sort in ("list", "map"):
            shape = shape.inner
        if shape is not None and shape.sort == "struct":
            self.analysis.whole = True

    def _dispatch(self, node: Syntax) -> Value:
        if node.kind == "constant":
            return Value(STRING, len(node.text)) if node.text is not None else Value(ANY)
        if node.kind == "identifier":
            return self._identifier(node)
        if node.kind == "select":
            return self._member(self._dispatch(node.parts[0]), node.name, node, test=node.test)
        if node.kind == "list":
            items = [self.visit(part) for part in node.parts]
            return Value(Shape("list", inner=items[0].shape if items else ANY), len(items))
        if node.kind == "map":
            for part in node.parts:
                self.escapes(self.visit(part))
            self.analysis.names.update(part.text for part in node.parts[::2] if part.text is not None)
            return Value(Shape("map", inner=ANY), len(node.parts))
        return self._loop(node) if node.loop is not None else self._call(node)

    def _identifier(self, node: Syntax) -> Value:
        if node.name in self._locals:
            return self._locals[node.name]
        known = self._scope.get(node.name)
        if known is None:
            if node.name not in _TYPE_NAMES and not node.name.startswith("@"):
                params = {"name": node.name, "point": self._point}
                found = (node.at, UNDEFINED_VARIABLE, params, near(node.name, self._scope))
                self.analysis.problems.append(found)
            return Value(ANY, _GIVEN)
        self.analysis.roots.add(node.name)
        return Value(known.shape, known.size, (node.name,))

    # -- members -----------------------------------------------------------------------------------------------

    def _member(self, owner: Value, name: str, node: Syntax, *, test: bool = False, optional: bool = False) -> Value:
        self.analysis.names.add(name)
        shape, path = owner.shape, owner.path
        path = (*path, name) if path is not None else None
        optional = optional or owner.optional
        if shape.sort == "struct":
            inner = shape.members.get(name)
            if inner is None:
                found = (node.at, UNDEFINED_FIELD, {"field": name}, near(name, shape.members))
                self.analysis.problems.append(found)
                return Value(ANY)
            self._note_leaf(inner, path, test=test, optional=optional)
            return Value(ANY if test else inner, self._size(inner, path), path, optional)
        inner = shape.inner or ANY if shape.sort == "map" else ANY
        return Value(ANY if test else inner, _size_of(inner), path, optional)

    def _note_leaf(self, shape: Shape, path: Input | None, *, test: bool, optional: bool) -> None:
        if path is None or optional or (shape.sort == "struct" and not test):
            return
        dotted = ".".join(path)
        if test:
            self.tested.add(dotted)
            return
        type_ = self._types.get(dotted) or cel_type(shape)
        if type_ != "dyn":
            self.analysis.leaves[dotted] = type_

    def _size(self, shape: Shape, path: Input | None) -> int:
        known = self._scope.get(".".join(path)) if path is not None else None
        return known.size if known is not None else _size_of(shape)

    def _access(self, node: Syntax) -> Value:
        owner, key = self._dispatch(node.parts[0]), node.parts[1]
        optional = node.name != "_[_]"
        if key.text is not None and owner.shape.sort in ("struct", "map"):
            # An index is no dotted name to CEL, so its member is not declared: it counts as optional here.
            at = Syntax("select", key.at)
            found = self._member(owner, key.text, at, optional=True)
            return Value(found.shape, found.size, found.path, optional or owner.optional)
        if owner.path is not None:
            self.analysis.inputs.append(owner.path)
        self.visit(key)
        if key.text is not None:
            self.analysis.names.add(key.text)
        if owner.shape.sort == "struct":
            self.analysis.whole = True
            return Value(ANY)
        inner = owner.shape.inner or ANY if owner.shape.sort in ("list", "map") else ANY
        return Value(inner, _size_of(inner), None, optional or owner.optional)

    # -- calls -------------------------------------------------------------------------------------------------

    def _call(self, node: Syntax) -> Value:
        name = node.name
        if name in _ACCESS:
            return self._access(node)
        parts = node.parts
        if node.member and parts[0].kind == "identifier" and parts[0].name in _NAMESPACES:
            name, parts = f"{parts[0].name}.{name}", parts[1:]
        values = [self.visit(part) for part in parts]
        if name == "_?_:_":
            _, one, other = values
            return Value(one.shape if one.shape is not ANY else other.shape, max(one.size, other.size))
        if name == "_+_":
            one, other = values
            self._charge(one.size + other.size)
            return Value(_joined(one.shape, other.shape), one.size + other.size)
        if name in _SAME_VALUE and values:
            return Value(values[0].shape, max(value.size for value in values))
        compared = name in ("_==_", "_!=_") and any(part.kind == "constant" for part in node.parts)
        if name != "size" and not compared:
            for value in values:
                self.escapes(value)
        return Value(ANY, self._built(name, values))

    def _built(self, name: str, values: list[Value]) -> int:
        sizes = [value.size for value in values] or [1]
        if name in ("replace", "join"):
            size = sizes[0] * (max(1, sizes[2]) if name == "replace" and len(sizes) > 2 else _GIVEN)
        elif name.startswith("sets."):
            self._charge(sizes[0] * sizes[-1])
            return 1
        elif name in ("split", "format", "reverse", "lowerAscii", "upperAscii", "matches", "sum", "min", "max"):
            size = sum(sizes)
        else:
            return max(sizes)
        self._charge(size)
        return size

    def _charge(self, cost: int) -> None:
        if self._depth:
            self.loop_work += cost
        else:
            self.work += cost

    # -- comprehensions and cel.bind ---------------------------------------------------------------------------

    def _loop(self, node: Syntax) -> Value:
        loop = node.loop
        assert loop is not None
        over = self.visit(loop.range)
        start = self.visit(loop.start)
        outer = dict(self._locals)
        if loop.variable == _UNUSED:
            self._declare(loop.accumulator, start, node)
            found = self.visit(loop.result)
        else:
            item = over.shape.inner or ANY if over.shape.sort == "list" else ANY
            if over.shape.sort == "struct":
                self.analysis.whole = True
            self._declare(loop.variable, Value(item, _size_of(item)), node)
            self._locals[loop.accumulator] = start
            self._depth += 1
            self.visit(loop.condition)
            step = self.visit(loop.step)
            self._depth -= 1
            self._locals[loop.accumulator] = Value(step.shape, min(over.size, _ITERATIONS))
            found = self.visit(loop.result)
        self._locals = outer
        return Value(found.shape, found.size)

    def _declare(self, name: str, value: Value, node: Syntax) -> None:
        if name in self._scope:
            self.analysis.problems.append((node.at, SHADOWED, {"name": name}, ""))
        self._locals[name] = Value(value.shape, value.size)


def _size_of(shape: Shape) -> int:
    return 1 if shape.sort in ("integer", "number", "boolean") else _GIVEN


def given(shape: Shape) -> Value:
    """A variable of that shape, of a size as values usually have."""
    return Value(shape, _size_of(shape))


def _joined(one: Shape, other: Shape) -> Shape:
    if one.sort == "list" and one.inner is not None and one.inner is not ANY:
        return one
    return other if other.sort == "list" else one
