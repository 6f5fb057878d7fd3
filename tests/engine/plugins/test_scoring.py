import pytest

from scheduler_lab.engine.plugins.scoring import broken_linear, default_normalize, divide, int64, round_half_away


@pytest.mark.parametrize(
    ("raw", "reverse", "expected"),
    [
        ([0, 1, 3], True, [100, 67, 0]),
        ([0, 0], True, [100, 100]),
        ([0, 0], False, [0, 0]),
        ([31, 30, 0], False, [100, 96, 0]),
        ([], True, []),
    ],
)
def test_default_normalize(raw: list[int], reverse: bool, expected: list[int]) -> None:
    scores = {str(index): score for index, score in enumerate(raw)}
    default_normalize(scores, reverse=reverse)
    assert list(scores.values()) == expected


def test_broken_linear_multiplies_before_it_divides() -> None:
    assert [broken_linear([(0, 100), (30, 0)], x) for x in (0, 1, 7, 29, 30, 31)] == [100, 97, 77, 4, 0, 0]


def test_arithmetic_is_that_of_go() -> None:
    assert (divide(-7, 2), divide(7, -2), divide(7, 2)) == (-3, -3, 3)
    assert (round_half_away(0.5), round_half_away(1.5), round_half_away(-0.5)) == (1, 2, -1)
    assert (int64(2**63), int64(-(2**63) - 1), int64(5)) == (-(2**63), 2**63 - 1, 5)
