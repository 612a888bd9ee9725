"""Where a parallel text slips: runs of pairs whose lengths stop going together.

A translation of a long sentence is long (Gale & Church 1993, https://aclanthology.org/J93-1004), so the logarithms of
the two lengths correlate. One line too many on one side puts every later line beside a stranger, and within a window
of pairs the correlation falls to about nothing; beside the line that much further on, it is as high as elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WINDOW = 32
"""Pairs of a window; each window begins in the middle of the one before."""
FARTHEST = 10
"""Lines by which a slip is looked for."""
_USUAL = 0.5  # a text whose windows correlate less than this on the whole has no lengths to judge by
_FALLEN = 0.35  # of the usual correlation
_FOUND = 0.6  # of the usual correlation, at another offset
_EVEN = 0.2  # standard deviation of log lengths below which a window says nothing


@dataclass(frozen=True, slots=True)
class Shift:
    """A run of pairs, as places in the text counted from 0."""

    start: int
    end: int
    """One past its last pair."""
    offset: int
    """How many lines further on the target of a source is."""


def find_shifts(sources: Sequence[int], targets: Sequence[int]) -> list[Shift]:
    """The runs of at least two windows in which the lengths go together only at another offset.

    Args:
        sources: Length of each source sentence.
        targets: Length of each target sentence.

    Returns:
        The runs in order; none for a text of fewer than four windows.
    """
    import numpy as np

    one, other = (np.log1p(np.asarray(lengths, dtype=np.float64)) for lengths in (sources, targets))
    starts = range(0, len(one) - WINDOW + 1, WINDOW // 2)
    if len(starts) < 4:
        return []
    here = np.array([_correlation(one[at : at + WINDOW], other[at : at + WINDOW]) for at in starts])
    known = here[~np.isnan(here)]
    usual = float(np.quantile(known, 0.75)) if len(known) else 0.0  # of the better part, as much may have slipped
    if usual < _USUAL:
        return []
    fallen = here < _FALLEN * usual  # not-a-number compares false
    shifts: list[Shift] = []
    for first, last in _runs(fallen):
        start, end = starts[first], starts[last] + WINDOW
        if offset := _offset(one, other, start, end, _FOUND * usual):
            before = shifts[-1] if shifts else None
            if before and before.offset == offset and start - before.end <= 2 * WINDOW:
                shifts[-1] = Shift(before.start, end, offset)  # one window in between correlated by chance
            else:
                shifts.append(Shift(start, end, offset))
    return shifts


def _correlation(one: Any, other: Any) -> float:
    import numpy as np

    if len(one) < WINDOW or one.std() < _EVEN or other.std() < _EVEN:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def _runs(fallen: Any) -> list[tuple[int, int]]:
    """First and last window of each run of at least two."""
    runs: list[tuple[int, int]] = []
    start = None
    for at, is_fallen in enumerate([*fallen, False]):
        if is_fallen and start is None:
            start = at
        elif not is_fallen and start is not None:
            if at - start >= 2:
                runs.append((start, at - 1))
            start = None
    return runs


def _offset(one: Any, other: Any, start: int, end: int, least: float) -> int:
    """The offset at which a run's lengths go together best; 0 if at none they do so well enough."""
    best, found = least, 0
    for size in range(1, FARTHEST + 1):
        for offset in (size, -size):
            first, last = max(start, -offset, 0), min(end, len(other) - offset)
            value = _correlation(one[first:last], other[first + offset : last + offset]) if first < last else 0.0
            if value > best:
                best, found = value, offset
    return found
