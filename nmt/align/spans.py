"""Which characters of the text does each SentencePiece piece stand for?

Pieces spell their text with these twists (Kudo & Richardson 2018, and SentencePiece's `decode`):

- U+2581 (`▁`) is a space. A model with a *dummy prefix* (ours for English) writes one more before the first word;
  it is no character of the text, so its span is empty there.
- A character without a piece is spelt in UTF-8 bytes, `<0xE7> <0x8C> <0xAB>`. Each of them gets the span of the whole
  character. Bytes that are no UTF-8, which only a model can write, become one U+FFFD each.
- Spaces at either end that the text does not have, as in the output of a model, get empty spans too.

Control pieces (`<pad>`, `<unk>`, `<s>`, `</s>`) are no text; whoever calls leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from nmt.errors import DataError

Span = tuple[int, int]
"""First character and the one after the last: `text[start:end]`."""

SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def spans(pieces: Sequence[str], text: str) -> list[Span]:
    """The span in `text` of each of its pieces, in order; together they cover it.

    >>> spans(["▁a", "▁", "<0xC3>", "<0xA9>"], "a é")
    [(0, 1), (1, 2), (2, 3), (2, 3)]

    Args:
        pieces: What SentencePiece makes of `text`, or what a model wrote and SentencePiece decodes to `text`.
        text: The normalised text: no space at either end.

    Raises:
        DataError: The pieces do not spell `text`.
    """
    spelt, found = _spell(pieces)
    shift = _leading(spelt, text, pieces)
    end = len(text)
    return [(min(max(start - shift, 0), end), min(max(stop - shift, 0), end)) for start, stop in found]


def _spell(pieces: Sequence[str]) -> tuple[str, list[Span]]:
    """All that the pieces say, and the part that each says."""
    spelt = ""
    found: list[Span] = []
    for is_byte, run in groupby(pieces, key=lambda piece: _BYTE.fullmatch(piece) is not None):
        for said, count in _characters(list(run)) if is_byte else [(piece, 1) for piece in run]:
            found += [(len(spelt), len(spelt) + len(said))] * count
            spelt += said
    return spelt.replace(SPACE, " "), found  # not before: where spaces are rare, bytes may spell the mark as well


def _characters(byte_pieces: Sequence[str]) -> list[tuple[str, int]]:
    """Each character that a run of byte pieces spells, with the number of its bytes."""
    data = bytes(int(piece[3:5], 16) for piece in byte_pieces)
    found = []
    start = 0
    while start < len(data):
        character, size = _first_character(data[start : start + 4])
        found.append((character, size))
        start += size
    return found


def _first_character(data: bytes) -> tuple[str, int]:
    for size in range(1, len(data) + 1):
        try:
            return data[:size].decode("utf-8"), size
        except UnicodeDecodeError:
            continue
    return "\ufffd", 1


def _leading(spelt: str, text: str, pieces: Sequence[str]) -> int:
    """How many characters the pieces say before `text` begins; only spaces may stand around it."""
    text = text.replace(SPACE, " ")
    shift = len(spelt) - len(spelt.lstrip(" ")) - (len(text) - len(text.lstrip(" ")))
    before, middle, after = spelt[:shift], spelt[shift : shift + len(text)], spelt[shift + len(text) :]
    if shift < 0 or middle != text or before.strip(" ") or after.strip(" "):
        raise DataError(
            f"the pieces do not spell the text: {' '.join(pieces)!r} is not {text!r}; give the normalised text that "
            "was encoded, or the decoded text before its punctuation is restored"
        )
    return shift
