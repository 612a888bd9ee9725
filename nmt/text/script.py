"""Simplified or traditional: which script a Chinese line is in, and from one to the other.

A corpus in which the same sentence is written now in one script, now in the other, has twice the characters to learn
and a reference that punishes the right translation.

Detection needs no dictionary. The national standards of 1980 say which characters each script uses: what GB 2312 has
and Big5 lacks is simplified, what Big5 has and GB 2312 lacks is traditional, and the characters of both say nothing.
Python knows both standards as codecs.

Conversion is OpenCC's (https://github.com/BYVoid/OpenCC), which is optional. Simplified to traditional is a guess where
one character stands for several (发: 發 or 髮), and OpenCC takes words into account.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

from nmt.errors import ConfigError

SCRIPTS = {"hans": "simplified", "hant": "traditional"}
"""The codes of the two scripts (ISO 15924) and their names."""

_FEWEST = 2
"""Characters of one script alone from which a line is in that script; one may be a name, or a rare character."""
_MIXED = 4
"""A line with less than so many times more characters of one script than of the other is in both."""
_UNIFIED = range(0x4E00, 0xA000)


def opencc_available() -> bool:
    """Whether OpenCC is installed; does not import it."""
    return find_spec("opencc") is not None


def script_of(text: str) -> str:
    """The script that a Chinese line is clearly in.

    Args:
        text: One line.

    Returns:
        `hans` (simplified), `hant` (traditional), `mixed` (characters of both), or nothing where too few characters
        tell, as in most short lines.

    Examples:
        >>> [script_of(text) for text in ("图书馆", "圖書館", "圖書馆开门", "你好")]
        ['hans', 'hant', 'mixed', '']
    """
    hans, hant = telling(text)
    if max(hans, hant) < _FEWEST:
        return ""
    if min(hans, hant) * _MIXED > max(hans, hant):
        return "mixed"
    return "hans" if hans > hant else "hant"


def telling(text: str) -> tuple[int, int]:
    """How many characters of a line are simplified alone, and how many traditional alone."""
    if text.isascii():
        return 0, 0
    simplified, traditional = _telling()
    return len(simplified.findall(text)), len(traditional.findall(text))


@cache
def _telling() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The characters of simplified script alone, and of traditional script alone."""
    known = {codec: {char for char in map(chr, _UNIFIED) if _has(codec, char)} for codec in ("gb2312", "big5")}
    simplified, traditional = known["gb2312"] - known["big5"], known["big5"] - known["gb2312"]
    return re.compile(f"[{''.join(sorted(simplified))}]"), re.compile(f"[{''.join(sorted(traditional))}]")


def _has(codec: str, char: str) -> bool:
    try:
        char.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


@cache
def _converter(direction: str) -> Callable[[str], str]:
    try:
        from opencc import OpenCC
    except ImportError:
        raise ConfigError(
            "Converting Chinese text to one script needs OpenCC. Install it with: pip install 'nmt[opencc]'"
        ) from None
    convert: Callable[[str], str] = OpenCC(direction).convert
    return convert


def to_script(text: str, script: str) -> str:
    """Write Chinese text in one script.

    Args:
        text: Text in either script, or a mixture; other languages pass unchanged.
        script: `hans` or `hant`.

    Returns:
        The same text in that script.

    Raises:
        ConfigError: OpenCC is not installed.
    """
    return text if text.isascii() else _converter("t2s" if script == "hans" else "s2t")(text)
