"""Attention weights over pieces -> weights and links over words.

A decoder's row t says how much each source position counted when target piece t was written. What makes an alignment
of it, in this order:

1. The row and the column of the end-of-sentence piece go *before* anything is chosen: attention likes to rest there
   (fairseq issues 552 and 4446 show it as the strongest in most rows). The rest of each row is scaled to sum to one.
2. Pieces become units through their characters: a target unit's row is the *mean* of the rows of its pieces, a source
   unit's column the *sum* of the columns of its pieces. A piece that covers several units (`我们` over `我` and `们`)
   is shared by its characters. A lone space belongs to the unit behind it.
3. The link of a target unit is the source unit with the greatest weight (the first of equals). So every target word has
   exactly one link, which is a choice: about a quarter of the English words of a hand-aligned corpus have none.

Links are written in the Pharaoh format: `0-0 1-2`, source before target, counted from 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nmt.align.spans import SPACE, Span, spans
from nmt.align.units import UNITS, words
from nmt.errors import ConfigError, DataError

Matrix = list[list[float]]
Link = tuple[int, int]

_LINK = re.compile(r"([0-9]+)-([0-9]+)")


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which source unit each target unit comes from."""

    source_units: list[str]
    target_units: list[str]
    weights: Matrix
    """A row for each target unit, a column for each source unit; rows sum to one."""
    links: list[Link]
    """(source, target), counted from 0, in the order of the target."""


def extract(
    weights: Sequence[Sequence[float]],
    *,
    source_pieces: Sequence[str],
    target_pieces: Sequence[str],
    source_text: str,
    target_text: str,
    source_language: str,
    target_language: str,
    unit: str = "word",
) -> Alignment:
    """Align a sentence with its translation.

    Args:
        weights: Attention, (T, S) = (target pieces + 1, source pieces + 1): the last row and column are the end of the
            sentence. Nested sequences or an array.
        source_pieces: Without any special piece; so `target_pieces`.
        target_pieces: See `source_pieces`.
        source_text: The text that `source_pieces` spell; so `target_text`.
        target_text: See `source_text`.
        source_language: `en` or `zh`; so `target_language`.
        target_language: See `source_language`.
        unit: `word` or `piece`, see `nmt.align.units`.

    Raises:
        DataError: The matrix has another shape, or the pieces do not spell their text.
        ConfigError: The unit or a language does not exist.
    """
    if unit not in UNITS:
        raise ConfigError(f"the unit is {unit!r}, but it must be one of: {', '.join(UNITS)}")
    over_pieces = _without_end(weights, len(target_pieces), len(source_pieces))
    if unit == "piece":
        source_units, target_units = _readable(source_pieces), _readable(target_pieces)
        merged = over_pieces
    else:
        source_spans, target_spans = words(source_text, source_language), words(target_text, target_language)
        source_units = [source_text[start:end] for start, end in source_spans]
        target_units = [target_text[start:end] for start, end in target_spans]
        source_shares = _shares(spans(source_pieces, source_text), source_spans)
        target_shares = _shares(spans(target_pieces, target_text), target_spans)
        merged = _merge(over_pieces, source_shares, target_shares)
    return Alignment(source_units, target_units, merged, _links(merged))


def _without_end(weights: Sequence[Sequence[float]], rows: int, columns: int) -> Matrix:
    """The matrix without its last row and column, each row scaled to sum to one."""
    matrix = [[float(weight) for weight in row] for row in weights]
    shape = (len(matrix), len(matrix[0]) if matrix else 0)
    if shape != (rows + 1, columns + 1) or any(len(row) != columns + 1 for row in matrix):
        raise DataError(
            f"the attention matrix has {shape[0]} rows and {shape[1]} columns, but {rows} target and {columns} source "
            f"pieces with an end of sentence each need {rows + 1} and {columns + 1}"
        )
    if not all(math.isfinite(weight) and weight >= 0.0 for row in matrix for weight in row):
        raise DataError("the attention matrix holds a number that is not a weight: negative, infinite or not a number")
    return [_normalised(row[:-1]) for row in matrix[:-1]]


def _normalised(row: list[float]) -> list[float]:
    """The row, summing to one; evenly spread where nothing is left, since then nothing is known."""
    total = math.fsum(row)
    return [weight / total for weight in row] if total > 0.0 else [1.0 / len(row) for _ in row]


def _shares(pieces: Sequence[Span], units: Sequence[Span]) -> Matrix:
    """For each unit, how much of each piece belongs to it: its share of the piece's characters."""
    shares = [[0.0] * len(pieces) for _ in units]
    for column, piece in enumerate(pieces):
        overlaps = [max(0, min(piece[1], unit[1]) - max(piece[0], unit[0])) for unit in units]
        if total := sum(overlaps):
            for row, overlap in enumerate(overlaps):
                shares[row][column] = overlap / total
        elif units:  # a space: part of the word behind it, as SentencePiece sees it
            behind = (row for row, unit in enumerate(units) if unit[0] >= piece[1])
            shares[next(behind, len(units) - 1)][column] = 1.0
    return shares


def _merge(weights: Matrix, source_shares: Matrix, target_shares: Matrix) -> Matrix:
    """Sum over the source pieces of a unit, mean over the target pieces of a unit."""
    summed = [[_dot(row, share) for share in source_shares] for row in weights]
    columns = [list(column) for column in zip(*summed, strict=True)]
    return [_normalised([_dot(share, column) for column in columns]) for share in target_shares]


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def _links(weights: Matrix) -> list[Link]:
    return [(row.index(max(row)), target) for target, row in enumerate(weights) if row]


def _readable(pieces: Iterable[str]) -> list[str]:
    """`▁`, which looks like an underscore, becomes the usual sign for a space."""
    return [piece.replace(SPACE, "\u2423") for piece in pieces]


def entropy(alignment: Alignment) -> float:
    """Mean entropy of the rows in nats: 0 is one source word each, log(source words) no idea at all."""
    rows = [-math.fsum(weight * math.log(weight) for weight in row if weight > 0.0) for row in alignment.weights]
    return max(0.0, math.fsum(rows) / len(rows)) if rows else 0.0


def pharaoh(alignment: Alignment) -> str:
    """The links in the Pharaoh format, source-target, counted from 0: `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in alignment.links)


def read_pharaoh(line: str) -> list[Link]:
    """The links of a line in the Pharaoh format.

    Raises:
        DataError: A word of the line is not a link.
    """
    found = []
    for number, word in enumerate(line.split(), start=1):
        match = _LINK.fullmatch(word)
        if match is None:
            raise DataError(
                f"link {number} of the line is {word!r}, but a link is source-target, counted from 0, such as 0-2"
            )
        found.append((int(match[1]), int(match[2])))
    return found
