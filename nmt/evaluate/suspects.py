"""Lines of an output that a person should look at, whatever the score says.

- `empty`: nothing, though there is a reference
- `loop`: a word or phrase many times in a row, and no reference does so
- `untranslated`, `wrong language`: the letters are not those of the target language; the source's own, or others
- `wrong script`: traditional among simplified references, or the reverse
- `number`: a number written in digits in the source (or, without sources, in the reference) is not in the output,
  neither in digits nor in words
- `length`: under a third or over three times the length of every reference
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nmt.evaluate.doubts import han_share, script
from nmt.evaluate.metrics import References
from nmt.text.units import units

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERAL = re.compile("[〇零一二两三四五六七八九十百千万亿]+")
_VALUES = {numeral: value for value, numeral in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ENGLISH = {word: value for value, word in enumerate(_WORDS.split())} | {
    word: 10 * value
    for value, word in enumerate(("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=3)
}


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line of the output, counted from 1, and why it is suspect."""

    line: int
    reasons: tuple[str, ...]


def suspects(
    hypotheses: Sequence[str], references: References, *, target_language: str, sources: Sequence[str] | None = None
) -> list[Suspect]:
    """The lines that earn suspicion, in order.

    Args:
        hypotheses: One translation per sentence.
        references: Reference sets, see `nmt.evaluate.metrics`.
        target_language: `en` or `zh`.
        sources: What was translated, if it is known.
    """
    wanted = script(line for lines in references for line in lines if line)
    found = []
    for number, (output, *group) in enumerate(zip(hypotheses, *references, strict=True), start=1):
        source = sources[number - 1] if sources else None
        expected = [reference for reference in group if reference]
        reasons = tuple(_reasons(output, expected, source, target_language, wanted))
        if reasons:
            found.append(Suspect(number, reasons))
    return found


def _reasons(
    output: str, expected: Sequence[str], source: str | None, target_language: str, wanted: str | None
) -> Iterator[str]:
    if not output.strip():
        if any(reference.strip() for reference in expected):
            yield "empty"
        return
    if loops(output) and not any(map(loops, expected)):
        yield "loop"
    if _is_foreign(output, expected, target_language):
        yield "untranslated" if source and _is_copied(output, source) else "wrong language"
    elif target_language == "zh" and wanted and (script([output], least=2) or wanted) not in (wanted, "mixed"):
        yield "wrong script"
    if any(digits_missing(source or reference, output) for reference in ([source] if source else expected[:1])):
        yield "number"
    lengths = [len(units(reference)) for reference in expected]
    if lengths and not any(length / 3 <= max(len(units(output)), 1) <= max(3 * length, 6) for length in lengths):
        yield "length"


def loops(text: str) -> bool:
    """Whether a phrase of up to eight units stands four times in a row."""
    words = units(text)
    for size in range(1, 9):
        run = 0
        for place in range(size, len(words)):
            run = run + 1 if words[place] == words[place - size] else 0
            if run >= 3 * size:
                return True
    return False


def _is_foreign(output: str, expected: Sequence[str], target_language: str) -> bool:
    share = han_share([output])
    usual = han_share(expected)
    if len(units(output)) < 3:
        return False
    return share < 0.2 and usual > 0.5 if target_language == "zh" else share > 0.3 and usual < 0.1


def _is_copied(output: str, source: str) -> bool:
    words, known = units(output.lower()), set(units(source.lower()))
    return sum(word in known for word in words) >= 0.8 * len(words)


def digits_missing(source: str, output: str) -> list[str]:
    """The numbers in digits of `source` that `output` has neither in digits nor in words."""
    there = numbers(output)
    return [number for number in _in_digits(source) if number not in there]


def numbers(text: str) -> set[str]:
    """All numbers of a text, in digits without separators: `3,000`, `三千` and, up to ninety, English words."""
    words = {str(_ENGLISH[word]) for word in units(text.lower()) if word in _ENGLISH}
    return set(_in_digits(text)) | {str(chinese_number(found)) for found in _NUMERAL.findall(text)} | words


def _in_digits(text: str) -> list[str]:
    found = _DIGITS.findall(unicodedata.normalize("NFKC", text))
    return [re.sub(r",(?=\d{3}(?!\d))", "", number) for number in found]


def chinese_number(numeral: str) -> int:
    """The value of a Chinese numeral; of digits in a row, as in a year, the number that they spell.

    >>> chinese_number("三千零五"), chinese_number("二〇一九"), chinese_number("十万")
    (3005, 2019, 100000)
    """
    if not set(numeral) & {*_UNITS, "万", "亿"}:
        return int("".join(str(_VALUES[char]) for char in numeral))
    total = section = digit = 0
    for char in numeral:
        if char in _VALUES:
            digit = _VALUES[char]
        elif char in _UNITS:
            section, digit = section + (digit or 1) * _UNITS[char], 0
        elif char == "万":
            total, section, digit = total + ((section + digit) or 1) * 10**4, 0, 0
        else:
            total, section, digit = ((total + section + digit) or 1) * 10**8, 0, 0
    return total + section + digit
