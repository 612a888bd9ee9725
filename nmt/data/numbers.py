"""Do the numbers of a pair agree? 20,000 is 两万 and 2万, 911 is 九一一, 3.5 million is 350万.

Chinese writes numerals in four ways (digits, full-width digits, characters with units, characters one by one) and
counts in ten thousands. Numbers that are written in digits on one side and are not below `SMALLEST` must be found on
the other side by value, in whatever way it writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

SMALLEST = 13
"""Below, numbers are words ("a dozen"), months and hours, and are written in too many ways."""

_DIGITS = {char: value for value, chars in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九"))
           for char in chars}  # fmt: skip
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE_UNITS = {"万": 10**4, "亿": 10**8}
_FIGURES = r"\d+(?:[,，]\d{3})*(?:\.\d+)?"
_ZH_FIGURES = re.compile(rf"({_FIGURES})([十百千万亿]*)")
_ZH_NUMERAL = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")

_DIVIDED = re.compile(r"\d+(?:[-/.:·]\d+)+")

_ONES = "zero one two three four five six seven eight nine ten eleven twelve"
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_EN_WORDS = {word: value for value, word in enumerate(f"{_ONES} {_TEENS}".split())}
_EN_WORDS |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_EN_UNITS = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_EN_FIGURES = re.compile(rf"({_FIGURES})(?:[ -]?({'|'.join(_EN_UNITS)}|[kKmM]|bn)\b)?")
_EN_SHORT = {"k": 10**3, "m": 10**6, "bn": 10**9}
_EN_WORD = re.compile(r"[a-z]+")
_AFTERNOON = re.compile(r"\d\s*p\.?m\b", re.IGNORECASE)


def numbers_disagree(english: str, chinese: str) -> bool:
    """Whether a number that one side has in digits is missing on the other.

    Examples:
        >>> numbers_disagree("20,000 people saw 9/11.", "两万人目睹了九一一。")
        False
        >>> numbers_disagree("It costs 350 dollars.", "这个要２５０美元。")
        True
    """
    if not any(map(str.isdecimal, english)) and not any(map(str.isdecimal, chinese)):
        return False
    english_written, chinese_written = list(_written(english, _EN_FIGURES)), list(_written(chinese, _ZH_FIGURES))
    english_known = {*english_written, *_english_words(english), *_joined(english)}
    chinese_known = {*chinese_written, *map(_numeral, _ZH_NUMERAL.findall(chinese)), *_joined(chinese)}
    if _AFTERNOON.search(english):
        english_known |= {value + 12 for value in english_known}
    return not _covered(english_written, chinese_known) or not _covered(chinese_written, english_known)


def _covered(written: list[Decimal], known: set[Decimal]) -> bool:
    return all(value < SMALLEST or value in known or _same_decade(value, known) for value in written)


def _same_decade(value: Decimal, known: set[Decimal]) -> bool:
    """The 1990s are 90年代."""
    return any(value % 100 == other % 100 and min(value, other) < 100 <= max(value, other) for other in known)


def _written(text: str, figures: re.Pattern[str]) -> Iterator[Decimal]:
    for number, unit in figures.findall(text):
        value = Decimal(re.sub("[,，]", "", number))
        yield value * _factor(unit.lower())


def _joined(text: str) -> Iterator[Decimal]:
    """Figures that a mark divides, read one after the other: 9/11 is 911."""
    return (Decimal(re.sub(r"\D", "", figures)) for figures in _DIVIDED.findall(text))


def _factor(unit: str) -> int:
    if unit in _EN_UNITS or unit in _EN_SHORT:
        return _EN_UNITS.get(unit) or _EN_SHORT[unit]
    factor = 1
    for char in unit:
        factor *= _SMALL_UNITS.get(char) or _LARGE_UNITS[char]
    return factor


def _numeral(text: str) -> Decimal:
    """The value of Chinese numerals: 两百零五万, or one digit after the other: 二〇二四."""
    whole, _, decimals = text.partition("点")
    if all(char in _DIGITS for char in whole):
        value = int("".join(str(_DIGITS[char]) for char in whole) or "0")
    else:
        value = _with_units(whole)
    return Decimal(f"{value}.{''.join(str(_DIGITS[char]) for char in decimals)}") if decimals else Decimal(value)


def _with_units(text: str) -> int:
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SMALL_UNITS:
            section += (digit or 1) * _SMALL_UNITS[char]
            digit = 0
        else:
            factor = _LARGE_UNITS[char]
            section += digit
            total, section = (total + section) * factor if factor > total else total + (section or 1) * factor, 0
            digit = 0
    return total + section + digit


def _english_words(text: str) -> Iterator[Decimal]:
    """The values of numbers in words: "two hundred and five thousand"."""
    total = current = 0
    inside = False
    for word in [*_EN_WORD.findall(text.lower()), ""]:
        if word in _EN_WORDS:
            current += _EN_WORDS[word]
        elif word in _EN_UNITS:
            factor = _EN_UNITS[word]
            current = max(current, 1) * factor
            if factor >= 1000:
                total, current = total + current, 0
        elif word != "and" or not inside:
            if inside:
                yield Decimal(total + current)
            total = current = 0
        inside = word in _EN_WORDS or word in _EN_UNITS or (inside and word == "and")
