import pytest

from scheduler_lab.engine.evidence.format import amounts, number, size


@pytest.mark.parametrize(
    ("resource", "values", "expected"),
    [
        ("cpu", [3600, 500, 4000], ["3600m", "500m", "4000m"]),
        ("cpu", [1000, 4000], ["1", "4"]),
        ("memory", [2**31, 8 * 2**30], ["2Gi", "8Gi"]),
        ("memory", [512 * 2**20, 2**31, 0], ["512Mi", "2048Mi", "0Mi"]),
        ("memory", [10**9, 5 * 10**8], ["1000M", "500M"]),
        ("memory", [10**9, 2**30], ["1000000000", "1073741824"]),
        ("hugepages-2Mi", [2**21], ["2Mi"]),
        ("example.com/gpu", [2, 0], ["2", "0"]),
        ("memory", [0], ["0"]),
        ("memory", [-(2**30), 2**31], ["-1Gi", "2Gi"]),
    ],
)
def test_amounts_share_one_unit(resource: str, values: list[int], expected: list[str]) -> None:
    assert amounts(resource, values) == expected


def test_numbers_lose_trailing_zeros() -> None:
    assert (number(0.375), number(1.0), number(100, 1), size(500 * 2**20)) == ("0.375", "1", "100", "500Mi")
