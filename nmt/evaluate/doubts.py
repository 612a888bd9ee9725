"""Why a score may not mean what it seems to: script, width of punctuation, language, a BLEU next to nothing.

Each of these has been published as a result by somebody. A Chinese output in the other script than its references loses
two thirds of its BLEU; one with ASCII punctuation, which SentencePiece's default normalisation makes of full-width
marks, loses several points, though no word is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from nmt.evaluate.metrics import References, Score, bleu
from nmt.text.normalise import restore
from nmt.text.units import HAN

LOWEST_BLEU = 3.0

_ASCII_MARK = re.compile(rf"(?<=[{HAN}])[,.!?:;](?!\w)|(?<=[{HAN}])[,!?:;](?=[{HAN}])")
_WIDE_MARK = re.compile(rf"(?<=[{HAN}])[，。！？：；]")
_HAN = re.compile(f"[{HAN}]")
_LETTER = re.compile(r"[^\W\d_]")


def doubts(
    hypotheses: Sequence[str], references: References, *, target_language: str, bleu_score: Score
) -> Iterator[str]:
    """Sentences for the person who reads the score; none if there is nothing to doubt.

    Args:
        hypotheses: One translation per sentence.
        references: Reference sets, see `nmt.evaluate.metrics`.
        target_language: `en` or `zh`.
        bleu_score: BLEU of these.
    """
    expected = [reference for reference_set in references for reference in reference_set if reference]
    shares = han_share(hypotheses), han_share(expected)
    if abs(shares[0] - shares[1]) > 0.5:
        yield (
            f"{shares[0]:.0%} of the output's letters are Han characters, but {shares[1]:.0%} of the references': "
            "one of the two is in another language"
        )
    elif target_language == "zh":
        yield from _script(hypotheses, expected)
        yield from _width(hypotheses, references, expected, bleu_score)
    if bleu_score.value < LOWEST_BLEU:
        yield (
            f"{bleu_score.name} is under {LOWEST_BLEU:.0f}, where it says nothing about quality: look whether the "
            "lines of output and references belong together, and whether both are the language, the script and the "
            "plain (not tokenised) text that they should be"
        )


def _script(hypotheses: Sequence[str], expected: Sequence[str]) -> Iterator[str]:
    found, wanted = script(hypotheses), script(expected)
    if found and wanted and found != wanted:
        yield (
            f"the output is in {found} script, but the references are in {wanted}: most words can not match; convert "
            "one of them (extra `opencc`), or use references in the script of the output"
        )


def _width(
    hypotheses: Sequence[str], references: References, expected: Sequence[str], bleu_score: Score
) -> Iterator[str]:
    share = ascii_share(hypotheses)
    if share > 0.1 and share > 2 * ascii_share(expected):
        theirs = ascii_share(expected)
        restored = bleu([restore(line, "zh") for line in hypotheses], references, target_language="zh").value
        yield (
            f"{share:.0%} of the output's punctuation after Han characters is ASCII ({theirs:.0%} in the references)"
            f": with full-width marks BLEU would be {restored:.1f} instead of {bleu_score.value:.1f}"
        )


def script(lines: Iterable[str], least: int = 5) -> str | None:
    """`simplified`, `traditional` or `mixed` script; `None` with less than `least` characters that tell them apart.

    A character tells if only one of the two standards has it: GB 2312 (simplified) or Big5 (traditional).
    """
    text = "".join(_HAN.findall("".join(lines)))
    simplified = sum(_has(char, "gb2312") and not _has(char, "big5") for char in text)
    traditional = sum(_has(char, "big5") and not _has(char, "gb2312") for char in text)
    if simplified + traditional < least:
        return None
    share = traditional / (simplified + traditional)
    return "traditional" if share > 0.8 else "simplified" if share < 0.2 else "mixed"


def _has(char: str, standard: str) -> bool:
    try:
        char.encode(standard)
    except UnicodeEncodeError:
        return False
    return True


def ascii_share(lines: Iterable[str]) -> float:
    """Of the clause marks right after a Han character, the share that is ASCII."""
    text = "\n".join(lines)
    narrow, wide = len(_ASCII_MARK.findall(text)), len(_WIDE_MARK.findall(text))
    return narrow / (narrow + wide) if narrow + wide else 0.0


def han_share(lines: Iterable[str]) -> float:
    """Of all letters, the share of Han characters."""
    text = "".join(lines)
    letters = len(_LETTER.findall(text))
    return len(_HAN.findall(text)) / letters if letters else 0.0
