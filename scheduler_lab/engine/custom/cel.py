"""The Common Expression Language as Kubernetes v1.35 runs it: checked first, then evaluated on plain data.

Behind it is the official C++ implementation. It cannot pass values of types of one's own (quantities, versions)
through its functions, so an expression is handled twice: an environment that knows every type checks it, and one in
which such values are tagged maps runs it. Nothing here knows what an expression is about: whoever uses it names the
variables and their types.

The functions are those of CEL's standard library, its `bind`, optional and strings extensions, and Kubernetes'
quantity, semver and sets libraries. Kubernetes' url, ip, cidr, format, regex and list libraries are not there.
A user may add functions of its own, and CEL's math extension.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_math, ext_optional, ext_strings

from scheduler_lab.engine.custom.cel_functions import FUNCTIONS, Function
from scheduler_lab.engine.custom.cel_messages import check_message, run_message

MAX_EXPRESSION = 10 * 1024
_PLAIN = {"bool", "int", "uint", "double", "string", "bytes", "duration", "timestamp", "null", "dyn"}
_RUNS_AS_MAP = "map(dyn, dyn)"


class CELError(Exception):
    """An expression that does not compile, or fails on the given data; the text is in cel-go's words."""


class Program:
    """A checked expression. `type` is what it evaluates to, in CEL's notation: `bool`, `map(string, dyn)`."""

    __slots__ = ("_expression", "source", "type")

    def __init__(self, source: str, type_: str, expression: Any) -> None:
        self.source = source
        self.type = type_
        self._expression = expression

    def evaluate(self, variables: Mapping[str, object]) -> object:
        """The value of the expression as plain Python data; raises CELError when it fails."""
        try:
            value = self._expression.eval(data=dict(variables))
        except (RuntimeError, TypeError, ValueError, OverflowError) as failure:
            raise CELError(run_message(str(failure))) from None
        try:
            failed, plain = value.type() == cel.Type.ERROR, value.plain_value()
        except TypeError:
            raise CELError(f"a value of the type {self.type} cannot be a result") from None
        if failed:
            raise CELError(run_message(plain))
        return plain


class Environment:
    """Named variables with types such as `string`, `map(string, dyn)` or `kubernetes.Quantity`.

    A name with a dot declares a member: `{"device.driver": "string"}` makes `device.driver` a string and any other
    member of `device` an error. Data for members is passed nested: `{"device": {"driver": …}}`.
    `functions` are the overloads of which an expression may make use; `math` adds CEL's math extension.
    """

    def __init__(
        self, variables: Mapping[str, str], *, functions: Sequence[Function] = FUNCTIONS, math: bool = False
    ) -> None:
        self._variables = dict(variables)
        self._functions = functions
        self._math = math
        self._owners = frozenset(name.partition(".")[0] for name in variables if "." in name)
        self.compile = lru_cache(maxsize=4096)(self._compile)

    @cached_property
    def _check(self) -> Any:
        return self._environment({name: _type(spelled) for name, spelled in self._variables.items()}, opaque=True)

    @cached_property
    def _check_whole(self) -> Any:
        checked = {name: _type(spelled) for name, spelled in self._variables.items()}
        return self._environment({**checked, **dict.fromkeys(self._owners, cel.Type.DYN)}, opaque=True)

    @cached_property
    def _run(self) -> Any:
        running = {name.partition(".")[0]: cel.Type.DYN for name in self._variables}
        return self._environment(running, opaque=False)

    def _environment(self, variables: Mapping[str, Any], *, opaque: bool) -> Any:
        extensions: list[Any] = [ext_bindings.ExtBindings(), ext_optional.ExtOptional(), ext_strings.ExtStrings()]
        return cel.NewEnv(
            variables=dict(variables),
            functions=[_declaration(name, found, opaque) for name, found in _by_name(self._functions).items()],
            extensions=[*extensions, ext_math.ExtMath()] if self._math else extensions,
        )

    def _compile(self, expression: str) -> Program:
        """The expression, ready to run; raises CELError saying what is wrong and where."""
        if len(expression) > MAX_EXPRESSION:
            raise CELError(f"an expression of more than {MAX_EXPRESSION} characters is too long")
        return self.unchecked(expression, self.check(expression))

    def unchecked(self, expression: str, type_: str = "dyn") -> Program:
        """The expression ready to run, as one that another environment has checked; raises CELError on bad syntax."""
        try:
            return Program(expression, type_, self._run.compile(expression, disable_check=True))
        except (RuntimeError, UnicodeError) as refusal:
            raise CELError(check_message(str(refusal), expression, self._owners)) from None

    def syntax(self, expression: str) -> bytes:
        """The syntax tree, macros expanded, as a serialized cel.expr.ParsedExpr; raises CELError on bad syntax."""
        try:
            tree: bytes = self._run.compile(expression, disable_check=True).serialize()
        except (RuntimeError, UnicodeError) as refusal:
            raise CELError(check_message(str(refusal), expression, self._owners)) from None
        return tree

    def check(self, expression: str) -> str:
        """The type of the expression in CEL's notation; raises CELError saying what is wrong and where."""
        try:
            return _spelled(self._check.compile(expression).return_type())
        except RuntimeError as refusal:
            error = str(refusal)
        if any(f"undeclared reference to '{owner}' (" in error for owner in self._owners):
            # The object as a whole, say in `[device].all(d, …)`: its members go unchecked then.
            try:
                return _spelled(self._check_whole.compile(expression).return_type())
            except RuntimeError as refusal:
                error = str(refusal)
        raise CELError(check_message(error, expression, self._owners))


def _by_name(functions: Sequence[Function]) -> dict[str, list[Function]]:
    grouped: dict[str, list[Function]] = {}
    for function in functions:
        grouped.setdefault(function.name, []).append(function)
    return grouped


def _declaration(name: str, functions: list[Function], opaque: bool) -> Any:
    overloads: dict[str, Any] = {}
    for function in functions:
        parameters = [spelled if opaque else _at_run_time(spelled) for spelled in function.parameters]
        identity = f"{name}({','.join(parameters)})"
        overloads[identity] = cel.Overload(
            identity,
            return_type=_type(function.returns if opaque else _returned(function)),
            parameters=[_type(spelled) for spelled in parameters],
            is_member=function.member,
            impl=None if opaque else function.run,
        )
    return cel.FunctionDecl(name, list(overloads.values()))


def _at_run_time(spelled: str) -> str:
    """What runs cannot tell the types of a list's items apart, so overloads that differ in them are one."""
    if spelled.startswith("list("):
        return "list(dyn)"
    return _RUNS_AS_MAP if spelled.startswith("kubernetes.") else spelled


def _returned(function: Function) -> str:
    of_items = any(spelled.startswith("list(") and spelled != "list(dyn)" for spelled in function.parameters)
    return "dyn" if of_items else _at_run_time(function.returns)


def _type(spelled: str) -> Any:
    """The library's type for CEL's notation of it."""
    if spelled in _PLAIN:
        return getattr(cel.Type, spelled.upper())
    if spelled.startswith("map("):
        key, _, value = spelled[4:-1].partition(", ")
        return cel.Type.Map(_type(key), _type(value))
    if spelled.startswith("list("):
        return cel.Type.List(_type(spelled[5:-1]))
    return cel.Type.AbstractType(spelled)


def _spelled(type_: Any) -> str:
    """CEL's notation for the library's type: `map(string, dyn)` for MAP<STRING, DYN>."""
    name: str = type_.name().replace("<", "(").replace(">", ")")
    return re.sub(r"(?<![\w.])[A-Z]+(?![\w.])", lambda word: word[0].lower(), name)
