"""What a page shows, as plain lists and numbers: pieces, the units they merge to, and every attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from nmt.align.spans import SPACE, Span, spans
from nmt.align.units import words
from nmt.decode.inspect import Inspection, Look

FEATURES = 3  # of a value and of a weighted sum, shown as an example of all
BEGIN, END = "<s>", "</s>"
Unit = dict[str, Any]


def sentence(seen: Inspection, *, source_language: str, target_language: str, own: bool) -> dict[str, Any]:
    """One pair.

    Args:
        seen: what the model did.
        source_language: `en` or `zh`; so `target_language`.
        target_language: see `source_language`.
        own: whether the target is the model's own translation.
    """
    target = seen.target, seen.target_pieces, target_language
    return {
        "own": own,
        "source": _sequence(seen.source, seen.source_pieces, source_language, end=END),
        "written": _sequence(*target, begin=BEGIN),  # what the decoder has read
        "predicted": _sequence(*target, end=END),  # what it writes
        "attentions": [_attention(look) for look in seen.looks],
    }


def _sequence(text: str, pieces: Sequence[str], language: str, begin: str = "", end: str = "") -> dict[str, Any]:
    """A sentence as the model reads it, in each choice of units; a unit lists its pieces, with its share of each."""
    where = spans(pieces, text)
    first = 1 if begin else 0
    characters = [(place, place + 1) for place, character in enumerate(text) if not character.isspace()]
    units: dict[str, list[Unit]] = {
        "piece": [
            {"text": piece.replace(SPACE, "\u2423"), "span": list(span), "parts": [[first + index, 1.0]]}
            for index, (piece, span) in enumerate(zip(pieces, where, strict=True))
        ],
        "character": _merged(text, where, characters, first),
        "word": _merged(text, where, words(text, language), first),
    }
    for listed in units.values():
        if begin:
            listed.insert(0, {"text": begin, "special": True, "span": [0, 0], "parts": [[0, 1.0]]})
        if end:
            listed.append({"text": end, "special": True, "span": [len(text)] * 2, "parts": [[len(pieces), 1.0]]})
    names = [BEGIN] * first + [unit["text"] for unit in units["piece"] if "special" not in unit] + [END] * bool(end)
    return {"text": text, "language": language, "pieces": names, "units": units}


def _merged(text: str, pieces: Sequence[Span], units: Sequence[Span], first: int) -> list[Unit]:
    """Units with the pieces they are made of; a piece that several share is parted by characters.

    A piece that is only a space belongs to the unit behind it, as SentencePiece sees it.
    """
    merged: list[Unit] = [{"text": text[start:end], "span": [start, end], "parts": []} for start, end in units]
    for index, (start, end) in enumerate(pieces):
        overlaps = [max(0, min(end, unit[1]) - max(start, unit[0])) for unit in units]
        if not any(overlaps):
            behind = next((place for place, unit in enumerate(units) if unit[0] >= end), len(units) - 1)
            overlaps[behind] = 1
        for unit, overlap in zip(merged, overlaps, strict=True):
            if overlap:
                unit["parts"].append([first + index, overlap / sum(overlaps)])
    return merged


def _attention(look: Look) -> dict[str, Any]:
    heads = [
        {
            "scores": _rounded(look.scores[head], 3),
            "weights": _rounded(look.weights[head], 4),
            "values": _rounded(look.values[head, :, :FEATURES], 3),
            "context": _rounded(look.context[head, :, :FEATURES], 3),
        }
        for head in range(look.weights.size(0))
    ]
    return {"kind": look.kind, "layer": look.layer, "heads": heads}


def _rounded(numbers: Tensor, digits: int) -> list[list[float | int | None]]:
    """Rows of short numbers; `None`, which JSON can write, where there is none. A weight of zero is `0`."""
    return [[_short(value, digits) for value in row] for row in numbers.tolist()]


def _short(value: float, digits: int) -> float | int | None:
    if not math.isfinite(value):
        return None
    return round(value, digits) or 0
