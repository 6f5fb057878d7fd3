"""The order in which Go's `sort.Slice` leaves a list: pattern-defeating quicksort as Go 1.19 and later do it.

kube-scheduler sorts preemption victims with it. The sort is not stable, and the victims' "less" is not always
consistent (two pods without a start time are each before the other), so equal pods end up where this very
algorithm puts them. Checked against Go 1.25's `sort.Slice` over random lists with ties, patterns and inconsistent
comparisons: the same permutation every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Generic, TypeVar

T = TypeVar("T")

INSERTION_LENGTH = 12
NINTHER_LENGTH = 50
MEDIAN_LENGTH = 8
REPAIRS = 5
REPAIR_LENGTH = 50
SWAPS_OF_A_DESCENT = 12
WORD = 2**64 - 1


def sort_slice(items: Iterable[T], less: Callable[[T, T], bool]) -> list[T]:
    """A new list with the items in the order that Go's `sort.Slice` gives for `less`."""
    ordered = list(items)
    _Sorter(ordered, less).quicksort(0, len(ordered), len(ordered).bit_length())
    return ordered


class _Hint(Enum):
    """What the choice of a pivot says about the range."""

    UNKNOWN = auto()
    ASCENDING = auto()
    DESCENDING = auto()


class _Sorter(Generic[T]):
    """Sorts ranges [low, high) of one list in place."""

    __slots__ = ("_items", "_less", "_swaps")

    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self._items = items
        self._less = less
        self._swaps = 0

    def _before(self, i: int, j: int) -> bool:
        return self._less(self._items[i], self._items[j])

    def _swap(self, i: int, j: int) -> None:
        items = self._items
        items[i], items[j] = items[j], items[i]

    # -- the loop over ever smaller ranges ---------------------------------------------------------------------

    def quicksort(self, low: int, high: int, patience: int) -> None:
        """Sort a range; after `patience` badly balanced partitions heapsort takes over."""
        balanced = partitioned = True
        while (length := high - low) > INSERTION_LENGTH:
            if patience == 0:
                self._heapsort(low, high)
                return
            if not balanced:
                self._scatter(low, high)
                patience -= 1
            pivot, hint = self._choose_pivot(low, high)
            if hint is _Hint.DESCENDING:
                self._items[low:high] = self._items[low:high][::-1]
                pivot, hint = low + high - 1 - pivot, _Hint.ASCENDING
            if balanced and partitioned and hint is _Hint.ASCENDING and self._repair(low, high):
                return
            if low > 0 and not self._before(low - 1, pivot):
                # The element left of the range is a former pivot; none is smaller, so this pivot equals it.
                low = self._split_off_equal(low, high, pivot)
                continue
            middle, partitioned = self._partition(low, high, pivot)
            left, right = middle - low, high - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.quicksort(low, middle, patience)
                low = middle + 1
            else:
                self.quicksort(middle + 1, high, patience)
                high = middle
        self._insertion_sort(low, high)

    # -- partitions --------------------------------------------------------------------------------------------

    def _partition(self, low: int, high: int, pivot: int) -> tuple[int, bool]:
        """(where the pivot ends up with smaller ones left of it, whether nothing had to be exchanged)."""
        self._swap(low, pivot)
        left, right = self._approach(low, low + 1, high - 1)
        untouched = left > right
        while left <= right:
            self._swap(left, right)
            left, right = self._approach(low, left + 1, right - 1)
        self._swap(right, low)
        return right, untouched

    def _approach(self, pivot: int, left: int, right: int) -> tuple[int, int]:
        """The next pair of which both stand on the wrong side of the pivot; left > right if there is none."""
        while left <= right and self._before(left, pivot):
            left += 1
        while left <= right and not self._before(right, pivot):
            right -= 1
        return left, right

    def _split_off_equal(self, low: int, high: int, pivot: int) -> int:
        """Gather at the left what is not greater than the pivot; where the greater ones begin."""
        self._swap(low, pivot)
        left, right = low + 1, high - 1
        while True:
            while left <= right and not self._before(low, left):
                left += 1
            while left <= right and self._before(low, right):
                right -= 1
            if left > right:
                return left
            self._swap(left, right)
            left, right = left + 1, right - 1

    def _scatter(self, low: int, high: int) -> None:
        """Exchange three elements around the middle with pseudo-random ones, to break a pattern."""
        length = high - low
        state = length
        mask = (1 << length.bit_length()) - 1
        middle = low + length // 4 * 2
        for target in range(middle - 1, middle + 2):
            state ^= state << 13 & WORD
            state ^= state >> 7
            state ^= state << 17 & WORD
            other = state & mask
            self._swap(target, low + (other - length if other >= length else other))

    # -- the pivot ---------------------------------------------------------------------------------------------

    def _choose_pivot(self, low: int, high: int) -> tuple[int, _Hint]:
        """The median of three, in longer ranges of three medians, and what the exchanges on the way tell."""
        quarter = (high - low) // 4
        first, second, third = low + quarter, low + 2 * quarter, low + 3 * quarter
        self._swaps = 0
        if high - low >= NINTHER_LENGTH:
            first, second, third = (self._median(at - 1, at, at + 1) for at in (first, second, third))
        if high - low >= MEDIAN_LENGTH:
            second = self._median(first, second, third)
        if self._swaps == 0:
            return second, _Hint.ASCENDING
        return second, _Hint.DESCENDING if self._swaps == SWAPS_OF_A_DESCENT else _Hint.UNKNOWN

    def _median(self, a: int, b: int, c: int) -> int:
        a, b = self._in_order(a, b)
        b, c = self._in_order(b, c)
        return self._in_order(a, b)[1]

    def _in_order(self, a: int, b: int) -> tuple[int, int]:
        if self._before(b, a):
            self._swaps += 1
            return b, a
        return a, b

    # -- sorting without partitions ------------------------------------------------------------------------------

    def _insertion_sort(self, low: int, high: int) -> None:
        for start in range(low + 1, high):
            self._sink(start, low)

    def _sink(self, start: int, low: int) -> None:
        """Move an element left past greater ones, down to `low`."""
        while start > low and self._before(start, start - 1):
            self._swap(start, start - 1)
            start -= 1

    def _repair(self, low: int, high: int) -> bool:
        """Try to finish a range that looks sorted with a few moves; whether it is sorted now."""
        position = low + 1
        for _ in range(REPAIRS):
            while position < high and not self._before(position, position - 1):
                position += 1
            if position == high:
                return True
            if high - low < REPAIR_LENGTH:
                return False
            self._swap(position, position - 1)
            if position - low >= 2:
                self._sink(position - 1, 0)
            if high - position >= 2:
                self._rise(position + 1, high)
        return False

    def _rise(self, start: int, high: int) -> None:
        """Move the element left of `start` right past smaller ones."""
        while start < high and self._before(start, start - 1):
            self._swap(start, start - 1)
            start += 1

    def _heapsort(self, low: int, high: int) -> None:
        count = high - low
        for root in range((count - 1) // 2, -1, -1):
            self._sift_down(low, root, count)
        for last in range(count - 1, -1, -1):
            self._swap(low, low + last)
            self._sift_down(low, 0, last)

    def _sift_down(self, low: int, root: int, count: int) -> None:
        while (child := 2 * root + 1) < count:
            if child + 1 < count and self._before(low + child, low + child + 1):
                child += 1
            if not self._before(low + root, low + child):
                return
            self._swap(low + root, low + child)
            root = child
