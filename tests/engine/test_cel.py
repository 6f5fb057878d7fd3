from itertools import pairwise
from typing import Any

import pytest

from scheduler_lab.engine.custom.cel import CELError, Environment
from scheduler_lab.engine.custom.cel_functions import tagged_quantity, tagged_version
from scheduler_lab.engine.custom.semver import parse_version
from scheduler_lab.engine.objects.quantity import Quantity

ENVIRONMENT = Environment(
    {
        "device.driver": "string",
        "device.attributes": "map(string, map(string, dyn))",
        "device.capacity": "map(string, map(string, kubernetes.Quantity))",
        "limit": "int",
    }
)
DATA: dict[str, Any] = {
    "limit": 3,
    "device": {
        "driver": "gpu.lab.io",
        "attributes": {"gpu.lab.io": {"model": "big", "slot": 2, "fw": tagged_version("1.10.0-rc.1+build.7")}},
        "capacity": {"gpu.lab.io": {"memory": tagged_quantity(Quantity.parse("40Gi"))}},
    },
}
FW = 'device.attributes["gpu.lab.io"].fw'
MEMORY = 'device.capacity["gpu.lab.io"].memory'


def value(expression: str) -> object:
    return ENVIRONMENT.compile(expression).evaluate(DATA)


def failure(expression: str) -> str:
    with pytest.raises(CELError) as caught:
        value(expression)
    return str(caught.value)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('device.driver == "gpu.lab.io" && limit < 4', True),
        ('device.attributes["gpu.lab.io"].slot + 1', 3),
        (f'{MEMORY}.compareTo(quantity("40960Mi"))', 0),
        (f'{MEMORY} == quantity("40960Mi")', True),
        (f'{MEMORY}.isGreaterThan(quantity("40G"))', True),
        (f'{MEMORY}.isLessThan(quantity("40G"))', False),
        (f"{MEMORY}.asInteger()", 40 * 2**30),
        (f'{MEMORY}.add(quantity("1Gi")).sub(5).sign()', 1),
        ('quantity("1500m").isInteger()', False),
        ('quantity("1500m").asApproximateFloat()', 1.5),
        ('isQuantity("1Gi") && !isQuantity("1.2.3")', True),
        (f'{FW}.isLessThan(semver("1.10.0"))', True),
        (f'{FW}.isGreaterThan(semver("1.9.3"))', True),
        (f'{FW} == semver("1.10.0-rc.1")', True),
        (f"[{FW}.major(), {FW}.minor(), {FW}.patch()]", [1, 10, 0]),
        ('semver("v1.2", true).minor()', 2),
        ('isSemver("1.2") || isSemver("v1.2.3")', False),
        ('isSemver("01.2", true)', True),
        ('sets.contains(["a", "b"], ["b"]) && sets.intersects([1], [1, 2]) && !sets.equivalent([1], [2])', True),
        ('cel.bind(a, device.attributes["gpu.lab.io"], a.model == "big" && a.slot == 2)', True),
        ('has(device.attributes["gpu.lab.io"].model)', True),
        ('device.attributes["gpu.lab.io"].?missing.orValue("none")', "none"),
        ('[device].exists(d, d.driver == "gpu.lab.io")', True),
        ('"ABC".lowerAscii()', "abc"),
    ],
)
def test_values(expression: str, expected: object) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "column", "text"),
    [
        ('device.drivr == "x"', 7, "undefined field 'drivr'"),
        ('device.drivr.name == "x"', 7, "undefined field 'drivr'"),
        ("device.driver == 1", 15, "found no matching overload for '_==_' applied to '(string, int)'"),
        (f'{MEMORY} == "40Gi"', 38, "found no matching overload for '_==_' applied to '(kubernetes.Quantity, string)'"),
        ("unknown", 1, "undeclared reference to 'unknown' (in container '')"),
        ("unknown.member", 8, "undeclared reference to 'unknown.member' (in container '')"),
        ("isURL(device.driver)", 6, "undeclared reference to 'isURL' (in container '')"),
    ],
)
def test_what_does_not_compile(expression: str, column: int, text: str) -> None:
    excerpt = f" | {expression}\n | {'.' * (column - 1)}^"
    assert failure(expression) == f"compilation failed: ERROR: <input>:1:{column}: {text}\n{excerpt}"


def test_syntax_errors_say_where() -> None:
    text = failure("device.driver ==")
    assert text.startswith("compilation failed: ERROR: <input>:1:17: Syntax error: mismatched input '<EOF>' expecting")
    assert "recursion" in failure("(" * 4000 + "1" + ")" * 4000)
    assert failure("x" * 20_000) == "an expression of more than 10240 characters is too long"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ('device.attributes["gpu.lab.io"].missing == "x"', "no such key: missing"),
        ('device.attributes["nic.lab.io"].missing == "x"', "no such key: nic.lab.io"),
        ("limit / 0", "division by zero"),
        ("limit % 0", "modulus by zero"),
        ("[1, 2][limit]", "index out of bounds: 3"),
        ("9223372036854775807 + limit", "integer overflow"),
        ('device.attributes["gpu.lab.io"].slot > "1"', "no such overload"),
        ('device.attributes["gpu.lab.io"].slot.isLessThan(quantity("1"))', "no such overload: isLessThan"),
        (f'{FW}.isLessThan(quantity("1"))', "no such overload"),
        (
            'quantity("many") == quantity("1")',
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ('quantity("1.5").asInteger()', "cannot convert value to integer"),
        ('semver("1.2").major()', "No Major.Minor.Patch elements found"),
    ],
)
def test_what_fails_when_run(expression: str, text: str) -> None:
    assert failure(expression) == text


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("true", "bool"),
        ('device.attributes["gpu.lab.io"].model', "dyn"),
        ("device.attributes", "map(string, map(string, dyn))"),
        (f"[{MEMORY}]", "list(kubernetes.Quantity)"),
    ],
)
def test_result_types(expression: str, kind: str) -> None:
    assert ENVIRONMENT.compile(expression).type == kind


def test_precedence_of_versions() -> None:
    suffixes = ["-alpha", "-alpha.1", "-alpha.beta", "-beta.2", "-beta.11", "-rc.1", "", "+build"]
    versions = [parse_version(f"1.0.0{suffix}") for suffix in suffixes]
    assert all(a < b for a, b in pairwise(versions[:-1]))
    assert versions[-1] == versions[-2]
