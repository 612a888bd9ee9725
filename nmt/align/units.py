"""The units between which links are drawn.

Chinese writes no spaces, so SentencePiece's own word mark makes a whole clause one "word", and an alignment of one
cell. Here a unit is found in the text itself, and pieces are mapped to it through their characters (`spans`):

- `word`: each Han character, each word of another script, each number, and each punctuation mark apart (a repeated
  mark such as `……` is one). English words keep an inner apostrophe (`don't`) and digits (`1990s`); in Chinese text
  letters and digits are parted, since nothing else parts them (`用Python3写`).
- `piece`: the pieces of the model, as they are; what attention really looks at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from nmt.align.spans import Span
from nmt.errors import ConfigError
from nmt.text.units import is_han

UNITS = ("word", "piece")

_NUMBER = r"\d+(?:[.,:]\d+)*"
_ACCENTS = "[\u0300-\u036f]*"  # combining marks stay with their letter, also where no composed letter exists
_MARK = r"(?P<mark>[^\w\s]|_)(?P=mark)*[\u0300-\u036f\ufe0e\ufe0f]*"


def _word(letter: str) -> str:
    run = f"(?:{letter}{_ACCENTS})+"
    return f"{run}(?:['’]{run})*"


_PATTERNS = {
    "en": re.compile(_NUMBER + r"(?![^\W_])|" + _word(r"[^\W_]") + "|" + _MARK),
    "zh": re.compile(_NUMBER + "|" + _word(r"[^\W\d_]") + "|" + _MARK),
}


def words(text: str, language: str) -> list[Span]:
    """The spans of the units of `text`, in order: every character that is not a space is in exactly one.

    >>> [text[start:end] for text in ["我用Python3。"] for start, end in words(text, "zh")]
    ['我', '用', 'Python', '3', '。']

    Args:
        text: Normalised text.
        language: `en` or `zh`.
    """
    if language not in _PATTERNS:
        raise ConfigError(f"the language is {language!r}, but it must be one of: {', '.join(_PATTERNS)}")
    return [span for match in _PATTERNS[language].finditer(text) for span in _split_han(match.group(), match.start())]


def _split_han(word: str, start: int) -> Iterator[Span]:
    """Each Han character of `word` apart, and the runs between them whole."""
    for han, run in groupby(word, key=is_han):
        length = len(list(run))
        if han:
            yield from ((start + offset, start + offset + 1) for offset in range(length))
        else:
            yield start, start + length
        start += length
