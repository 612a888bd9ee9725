"""What a hypothesis may write next: lengths, a beginning that is given, and nothing twice.

Shapes: B sentences, K hypotheses of each, R = B * K rows, T pieces written so far, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

LOWEST = float("-inf")


class Marks(NamedTuple):
    """Ids with a meaning for search."""

    begin: int
    end: int
    forbidden: tuple[int, ...]  # never written: padding, unknown, begin


class Bounds(NamedTuple):
    """What the translation of one sentence must keep to; lengths count the end mark."""

    limit: int
    minimum: int = 1
    prefix: tuple[int, ...] = ()  # the pieces it begins with; fewer than `limit`


def rule_out(values: Tensor, written: Tensor, bounds: Sequence[Bounds], *, marks: Marks, no_repeat: int = 0) -> Tensor:
    """Set to minus infinity, in place, whatever may not be written next.

    Args:
        values: (R, V) log probabilities of the next piece.
        written: (R, T) pieces so far.
        bounds: of each of the B sentences.
        marks: the end id, and those that may not be written.
        no_repeat: length of the runs that may not be written twice; 0: anything may.
    """
    length, each = written.size(1) + 1, values.size(0) // max(len(bounds), 1)
    blocks = [slice(place * each, (place + 1) * each) for place in range(len(bounds))]
    only = {place: marks.end for place, bound in enumerate(bounds) if length >= bound.limit}
    only |= {place: bound.prefix[length - 1] for place, bound in enumerate(bounds) if length <= len(bound.prefix)}
    kept = {place: values[blocks[place], piece].clone() for place, piece in only.items()}
    ends = values[:, marks.end].clone()
    values[:, list(marks.forbidden)] = LOWEST
    for place, bound in enumerate(bounds):
        if length < bound.minimum:
            values[blocks[place], marks.end] = LOWEST
    if no_repeat:
        _ban_repeats(values, written, no_repeat)
        stuck = values.max(dim=1).values == LOWEST  # nothing new is left to say
        values[stuck, marks.end] = ends[stuck]
    for place, piece in only.items():
        values[blocks[place]] = LOWEST
        values[blocks[place], piece] = kept[place]
    return values


def _ban_repeats(values: Tensor, written: Tensor, size: int) -> None:
    """Whatever followed the last `size - 1` pieces before may not follow them again."""
    if written.size(1) < size:
        return
    windows = written.unfold(1, size, 1)  # (R, T - size + 1, size)
    last = written[:, written.size(1) - size + 1 :].unsqueeze(1)
    rows, places = (windows[..., :-1] == last).all(dim=-1).nonzero(as_tuple=True)
    values[rows, windows[rows, places, -1]] = LOWEST
