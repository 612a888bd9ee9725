"""One clean form for every line, and the way back from a model's output to a line for people.

Unicode's own NFKC is wrong for Chinese: it turns the full-width marks `，！？：；（）` into ASCII but leaves
`。、《》“”` alone, so that a model trained on it writes mixed punctuation that no reference contains. The rules here
are therefore our own, and few:

- both languages (`tidy`): NFC; whatever separates lines or words becomes one space; what can not be seen is removed;
- Chinese: Latin letters and digits are ASCII, punctuation is full-width, and no space stands between Han characters;
- English: quotation marks, apostrophes and full-width forms are ASCII.

`normalise` is idempotent: a clean line stays as it is. What a person wrote inside numbers, times, addresses and code
is left alone.
"""

from __future__ import annotations

import re
import unicodedata

from nmt.errors import ConfigError
from nmt.text.units import HAN

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # soft hyphen, zero-width, direction, BOM
    "\ud800-\udfff]"  # half of a surrogate pair: not a character
)
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")  # \s knows tab, NBSP, U+3000, U+2028, U+0085 ...

# --- Chinese ----------------------------------------------------------------------------------------------------------

_FULL_WIDTH_LETTERS = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B))}
_FULL_WIDTH_LETTERS |= {code: code - 0xFEE0 for code in range(0xFF41, 0xFF5B)}
_ZH_CHARACTERS = str.maketrans("｡､｢｣", "。、「」") | _FULL_WIDTH_LETTERS
_ZH_MARKS = str.maketrans(",.!?:;", "，。！？：；")
_ZH_NARROWED = re.compile(f"[{''.join(map(chr, _ZH_CHARACTERS))}]")
_ZH_WIDENED = re.compile(rf"[{HAN}] ?[,.!?:;]")

_WIDE = "，。！？：；（）《》〈〉【】〔〕「」『』、"  # marks that bring their own space
_NARROW = "“”‘’…—"  # marks that English has as well: they need no space only beside a Han character
_PROTECTED = rf"(?:https?://|www\.)[^\s{HAN}{_WIDE}{_NARROW}]+|`[^`]*`"
_ASCII_MARK = re.compile(
    rf"(?P<keep>{_PROTECTED})"
    rf"|(?<=[{HAN}])(?:"
    r" ?(?:[!?]++|\.)(?=[\s”’」』）》\"')\]]|$)"  # ends a clause: not a file's name, a dotted name or an ellipsis
    r"|[!?]+"
    r"|,"
    r"|[:;](?![-()|DP])"  # not the eyes of a smiley
    r")"
)
_ZH_SPACE = re.compile(
    rf"(?<=[{_WIDE}]) | (?=[{_WIDE}])|(?<=[{HAN}]) (?=[{HAN}{_NARROW}])|(?<=[{_NARROW}]) (?=[{HAN}])"
)
_BESIDE_HAN = re.compile(  # a model's slips, mended only in its output
    rf"(?P<keep>{_PROTECTED})"
    rf"|(?<![\w)])\((?=[{HAN}])[^()]*\)|(?<=[{HAN}])\([^()]*\)"  # not a call, f(x)
    rf"|[,!?;:](?=[{HAN}])"
)

# --- English ----------------------------------------------------------------------------------------------------------

_EN_CHARACTERS: dict[int, int | str] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_EN_CHARACTERS |= {ord(char): "'" for char in "‘’‚‛"} | {ord(char): '"' for char in "“”„‟"} | {ord("…"): "..."}
_EN_SPACE = re.compile(r" (?=(?:[,!?]|[;:](?![-()])|\.(?!\.))+(?:[\s\"')\]]|$))")  # but before a smiley or "..."


def tidy(text: str) -> str:
    """Clean a line without touching its words or its punctuation.

    Args:
        text: Any text; line separators in it become spaces.

    Returns:
        One line in NFC with single spaces, none at its ends, and nothing invisible.
    """
    if not text.isprintable() or "  " in text:  # most lines need neither; what is invisible is not printable
        text = _SPACES.sub(" ", _INVISIBLE.sub("", text))
    text = text.strip()
    return (
        text if text.isascii() else unicodedata.normalize("NFC", text.replace("\u2581", "_"))
    )  # U+2581 is how SentencePiece writes a space


def normalise(text: str, language: str) -> str:
    r"""The clean form of a line, the only one that a tokenizer sees.

    Args:
        text: Any text of one sentence or more.
        language: `en` or `zh`.

    Returns:
        One clean line; `normalise` of it is itself.

    Examples:
        >>> normalise("我有 ３ 本书,他 没有.", "zh")
        '我有 3 本书，他没有。'
        >>> normalise("“It’s  ９ o’clock…”", "en")
        '"It\'s 9 o\'clock..."'
    """
    match language:
        case "en":
            text = tidy(text)
            return text if text.isascii() else unicodedata.normalize("NFC", text.translate(_EN_CHARACTERS))
        case "zh":
            text = tidy(text)
            if _ZH_NARROWED.search(text):
                text = unicodedata.normalize("NFC", text.translate(_ZH_CHARACTERS))
            if _ZH_WIDENED.search(text):
                text = _ASCII_MARK.sub(_widen, text)
            return _ZH_SPACE.sub("", text) if " " in text else text
    raise ConfigError(f"There are no rules for the language {language!r}: it must be en or zh")


def restore(text: str, language: str) -> str:
    """From what a model writes to a line for people.

    Chinese: Han characters without spaces between them, full-width punctuation next to them; the space between Han
    and Latin letters or digits stays as the model wrote it, that is, as its corpus does. English: no space before
    the marks that end a clause.

    Args:
        text: A decoded hypothesis; it may hold line breaks.
        language: `en` or `zh`.

    Returns:
        One line.

    Examples:
        >>> restore("我 叫 Tom Smith .", "zh"), restore("Hello , world !", "en")
        ('我叫 Tom Smith .', 'Hello, world!')
    """
    if language == "zh":
        return normalise(_BESIDE_HAN.sub(_widen, normalise(text, language)), language)
    return _EN_SPACE.sub("", normalise(text, language))


def _widen(match: re.Match[str]) -> str:
    """A mark, or a bracketed text of which only the brackets change, in full width."""
    text = match[0]
    if match["keep"]:
        return text
    return f"（{text[1:-1]}）" if text.startswith("(") else text.lstrip(" ").translate(_ZH_MARKS)
