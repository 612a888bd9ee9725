"""The one unit of length: a Han character, a Latin word or a run of digits.

Chinese is written without spaces, so counting "words" by spaces makes a whole sentence one word, and counting
characters makes an English sentence five times as long as its translation. In the unit used here both sides of a
translated pair are of about the same length (in Tatoeba, Chinese has 1.4 units for each English one), and one limit
and one ratio serve both languages. Punctuation does not count.
"""

from __future__ import annotations

import re

HAN = (
    "\u3005\u3007"  # the iteration mark and the zero that is written as a character
    "\u3400-\u4dbf\u4e00-\u9fff"  # Extension A and the unified ideographs
    "\uf900-\ufaff"  # compatibility ideographs
    "\U00020000-\U0002fa1f"  # Extensions B to F, I, and the compatibility supplement
    "\U00030000-\U000323af"  # Extensions G and H
)
"""The ranges of Han characters, to be put inside the brackets of a regular expression."""

_HAN_CHARACTER = re.compile(f"[{HAN}]")
_LETTER = rf"[^\W\d_{HAN}]"
_UNIT = re.compile(rf"[{HAN}]|\d+|{_LETTER}(?:['’]?{_LETTER}|[\u0300-\u036f])*")  # a word keeps apostrophes and accents


def is_han(char: str) -> bool:
    """Whether `char` is one Han character (Extensions A to I and the compatibility blocks included)."""
    return _HAN_CHARACTER.fullmatch(char) is not None


def units(text: str) -> list[str]:
    """Split a line into its units of length.

    Args:
        text: One line in any language.

    Returns:
        The Han characters, words and runs of digits of the line, in order.

    Examples:
        >>> units("我有3本book，don't you?")
        ['我', '有', '3', '本', 'book', "don't", 'you']
    """
    return _UNIT.findall(text)


def count_units(text: str) -> int:
    """The length of a line in units.

    Examples:
        >>> count_units("你好，世界！"), count_units("Hello, world!")
        (4, 2)
    """
    return len(_UNIT.findall(text))
