"""Which pairs are not worth learning from: pure rules, each with a name and a reason a person can check.

The rules act on the *training* part only, on normalised text with English as source and Chinese as target. Lengths are
in the unit of `nmt.text.units`, so that they mean the same on both sides. `docs/DATA.md` lists them with their defaults
and reasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nmt.config import CleanConfig
from nmt.data.measure import Measured, Side
from nmt.data.numbers import numbers_disagree
from nmt.text.language import identify
from nmt.text.mojibake import looks_broken
from nmt.text.units import HAN

Rule = Callable[[Measured], bool]
"""True for a pair that is to be dropped."""

ALWAYS_ALLOWED = 2
"""Units by which either side may exceed the ratio: "Hi!" and its translations have any ratio."""
NGRAM = 4
"""Units of the n-grams of which a sentence should not consist."""
SHORTEST_JUDGED = 8
"""Fewest units of a side for a judgement on its language or on its repetitions; below, both are guesses."""

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_NOT_A_LETTER = re.compile(r"[\W\d_]+")
_LOST = re.compile("[\ufffd\ue000-\uf8ff]|锟斤拷|烫烫烫|屯屯屯")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:._-]*)(?:\s[^<>]*)?/?>")
_ENTITY = re.compile(r"&(?:[A-Za-z]\w{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_URL = re.compile(rf"(?:https?://|www\.)[^\s{HAN}，。！？：；（）《》、]+")


def too_short(*, min_units: int) -> Rule:
    """Either side has fewer than `min_units`."""
    return lambda pair: len(pair.english.units) < min_units or len(pair.chinese.units) < min_units


def too_long(*, max_units: int, max_characters: int) -> Rule:
    """Either side is longer than `max_units`, or than `max_characters` (one word may be a page of base64)."""
    return lambda pair: any(len(side.units) > max_units or len(side.text) > max_characters for side in pair.sides)


def unequal_lengths(*, min_ratio: float, max_ratio: float) -> Rule:
    """The Chinese side is too short or too long for its English side, by more than `ALWAYS_ALLOWED` units."""

    def rule(pair: Measured) -> bool:
        english, chinese = len(pair.english.units), len(pair.chinese.units)
        return chinese + ALWAYS_ALLOWED < min_ratio * english or chinese - ALWAYS_ALLOWED > max_ratio * english

    return rule


def identical(pair: Measured) -> bool:
    """Both sides are the same but for case, spaces and punctuation: nothing was translated."""
    english, chinese = pair.english, pair.chinese
    if not chinese.letters.isascii() and english.letters.isascii():
        return False
    return _bare(english.text) == _bare(chinese.text)


def few_letters(*, min_letters: float) -> Rule:
    """Either side is mostly numbers, marks, addresses and tags: letters are fewer than this share of it."""

    def is_poor(side: Side) -> bool:
        letters, text = len(side.letters), side.text
        if letters >= min_letters * len(text) and "<" not in text and "://" not in text:
            return letters == 0  # spaces only make a text longer, so it has enough letters
        words = _URL.sub("", _TAG.sub("", text))
        return len(_NOT_A_LETTER.sub("", words)) < max(min_letters * len(words.replace(" ", "")), 1)

    return lambda pair: is_poor(pair.english) or is_poor(pair.chinese)


def not_latin(*, min_latin: float) -> Rule:
    """The English side has too few Latin letters among its letters."""
    return lambda pair: pair.english.latin < min_latin


def not_han(*, min_han: float) -> Rule:
    """The Chinese side has too few Han characters among its units, or none."""
    return lambda pair: (share := pair.chinese.han) < min_han or not share


def markup(*, kept: str) -> Rule:
    """HTML: tags and entities on either side (`none`), or not the same ones on both (`equal`)."""

    def found(text: str) -> list[str]:
        tags = _TAG.findall(text) if "<" in text else []
        return sorted(tags + (_ENTITY.findall(text) if "&" in text else []))

    return _beside(found, kept)


def urls(*, kept: str) -> Rule:
    """Web addresses on either side (`none`), or not as many on both (`equal`; a translated page has its own)."""

    def found(text: str) -> int:
        return len(_URL.findall(text)) if "://" in text or "www." in text else 0

    return _beside(found, kept)


def repeated(*, max_repeated: float) -> Rule:
    """More than this share of the n-grams of a side stand in it for the second time or more: "no no no no ..."."""

    def loops(side: Side) -> bool:
        units = side.units
        if len(units) < SHORTEST_JUDGED:
            return False
        total = len(units) - NGRAM + 1
        if len(units) - len(set(units)) <= max_repeated * total:  # an n-gram can not repeat more than its first unit
            return False
        return total - len(set(zip(*(units[start:] for start in range(NGRAM)), strict=False))) > max_repeated * total

    return lambda pair: loops(pair.english) or loops(pair.chinese)


def lost_characters(pair: Measured) -> bool:
    """A character that some program could not read: U+FFFD, private use, or what these become (锟斤拷)."""
    return any(not side.text.isascii() and bool(_LOST.search(side.text)) for side in pair.sides)


def mojibake(pair: Measured) -> bool:
    """Text that was read in another encoding than it was written in: "donâ€™t", "浣犲ソ"."""
    return any(not side.text.isascii() and looks_broken(side.text) for side in pair.sides)


def wrong_language(pair: Measured) -> bool:
    """A side of at least `SHORTEST_JUDGED` units is, by its words, in another language."""
    sides = (pair.english, "en"), (pair.chinese, "zh")
    return any(len(side.units) >= SHORTEST_JUDGED and identify(side.text) != language for side, language in sides)


def rules(config: CleanConfig) -> dict[str, Rule]:
    """The rules in the order in which they are tried, each under the name that the report gives it."""
    chosen: dict[str, Rule | None] = {
        "lost characters": lost_characters,
        "broken encoding": mojibake if config.mojibake != "keep" else None,
        "few letters": few_letters(min_letters=config.min_letters),
        "identical sides": identical if config.identical else None,
        "not Latin": not_latin(min_latin=config.min_latin),
        "not Han": not_han(min_han=config.min_han),
        "too short": too_short(min_units=config.min_units),
        "too long": too_long(max_units=config.max_units, max_characters=config.max_characters),
        "unequal lengths": unequal_lengths(min_ratio=config.min_ratio, max_ratio=config.max_ratio),
        "repeated": repeated(max_repeated=config.max_repeated),
        "markup": markup(kept=config.markup) if config.markup != "any" else None,
        "web addresses": urls(kept=config.urls) if config.urls != "any" else None,
        "numbers disagree": _numbers if config.numbers else None,
        "another language": wrong_language if config.language else None,
    }
    return {name: rule for name, rule in chosen.items() if rule is not None}


def _numbers(pair: Measured) -> bool:
    return numbers_disagree(pair.english.text, pair.chinese.text)


def _beside(found: Callable[[str], object], kept: str) -> Rule:
    """From what can be found in a text to a rule on both sides."""

    def rule(pair: Measured) -> bool:
        english, chinese = found(pair.english.text), found(pair.chinese.text)
        return bool(english or chinese) if kept == "none" else english != chinese

    return rule


def _bare(text: str) -> str:
    return _NOT_ALPHANUMERIC.sub("", text).casefold() or text
