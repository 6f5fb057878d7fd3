from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_lab.engine.objects.quantity import MAX_INT64, NANO, Quantity

SUFFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": Fraction(1),
    "k": Fraction(10**3), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
}  # fmt: skip

numbers = st.decimals(min_value=-(10**6), max_value=10**6, places=6, allow_nan=False, allow_infinity=False)
texts = st.builds(lambda number, suffix: f"{number:f}{suffix}", numbers, st.sampled_from(sorted(SUFFIXES)))


@pytest.mark.parametrize(
    ("text", "milli", "value"),
    [
        ("0", 0, 0),
        ("1", 1000, 1),
        ("100m", 100, 1),
        ("0.5", 500, 1),
        (".5", 500, 1),
        ("5.", 5000, 5),
        ("+1", 1000, 1),
        ("-1500m", -1500, -1),
        ("1Ki", 1024000, 1024),
        ("1.5Gi", 1610612736000, 1610612736),
        ("1e3", 1000000, 1000),
        ("1E3", 1000000, 1000),
        ("1E", MAX_INT64, 10**18),
        ("12e-1", 1200, 2),
        ("1u", 1, 1),
        ("1n", 1, 1),
        ("0.0000000001", 1, 1),
    ],
)
def test_it_rounds_up_to_milli_and_units(text: str, milli: int, value: int) -> None:
    quantity = Quantity.parse(text)
    assert (quantity.milli(), quantity.value()) == (milli, value)


def test_it_rounds_away_from_zero_below_a_billionth() -> None:
    assert Quantity.parse("0.1n").nanos == 1
    assert Quantity.parse("-0.1n").nanos == -1


def test_it_caps_binary_amounts_at_int64() -> None:
    assert Quantity.parse("12Ei") == Quantity.parse("8Ei")
    assert Quantity.parse("12Ei").value() == MAX_INT64


@pytest.mark.parametrize("text", ["", "1x", "1 Gi", "Gi", "--1", "1e", "0x10", "1.2.3", "1KI", "٣", "9" * 300, "1_000"])
def test_it_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match="quantity"):
        Quantity.parse(text)


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), 10**300, None, []])
def test_it_refuses_other_values(value: object) -> None:
    with pytest.raises(ValueError, match="quantity"):
        Quantity.parse(value)  # type: ignore[arg-type]


def test_it_survives_absurd_exponents() -> None:
    assert Quantity.parse("1e999999999").value() == MAX_INT64
    assert Quantity.parse("1e-999999999").nanos == 1
    assert Quantity.parse("0e999999999").is_zero()


def test_it_reads_numbers_of_json() -> None:
    assert Quantity.parse(2) == Quantity.parse("2")
    assert Quantity.parse(0.5) == Quantity.parse("500m")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1024Mi", "1Gi"), ("1000m", "1"), ("1500m", "1500m"), ("0.5Gi", "512Mi"), ("1000k", "1M"), ("0", "0"),
        ("100Ki", "100Ki"), ("1e3", "1e3"), ("1000000", "1M"), ("-1024Ki", "-1Mi"), ("0.001", "1m"),
    ],
)  # fmt: skip
def test_it_writes_the_canonical_text(text: str, canonical: str) -> None:
    assert str(Quantity.parse(text)) == canonical


@given(texts)
def test_its_amount_is_exact(text: str) -> None:
    number = text.rstrip("numkMGTi K")
    suffix = text[len(number) :]
    exact = Fraction(number) * SUFFIXES[suffix] * NANO
    assert 0 <= abs(Quantity.parse(text).nanos) - abs(exact) < 1


@given(texts, texts)
def test_it_orders_and_adds_by_amount(left: str, right: str) -> None:
    a, b = Quantity.parse(left), Quantity.parse(right)
    assert (a < b) == (a.nanos < b.nanos)
    assert (a + b).nanos == a.nanos + b.nanos
    assert a - a == Quantity.parse("0")


@given(texts)
def test_its_canonical_text_reads_back(text: str) -> None:
    quantity = Quantity.parse(text)
    again = Quantity.parse(str(quantity))
    assert again == quantity or (quantity.is_binary() and 0 < abs(again.nanos) - abs(quantity.nanos) < NANO)
