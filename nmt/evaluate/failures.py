"""Where does a system fail? Scores by length, rare words, numbers, punctuation, and the best and worst sentences.

A corpus score hides which sentences it comes from. Sentences are ranked by their own chrF2, which needs no tokeniser
and is defined for a single sentence; groups of sentences get a corpus BLEU and chrF2 of their own. Length is counted in
the units of `nmt.text.units` (Han characters, words, numbers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nmt.evaluate.metrics import References, bleu, chrf, sacrebleu_metrics
from nmt.evaluate.suspects import Suspect, digits_missing, suspects
from nmt.text.units import count_units, units

LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 40), (41, None))
FREQUENCIES = ((1, 1), (2, 5), (6, 50), (51, None))
SHOWN = 10
_MARKS = {"zh": "，。、！？：；《》“”（）", "en": ",.!?:;\"'()"}
_DIGIT = "0123456789０１２３４５６７８９"


@dataclass(frozen=True, slots=True)
class Group:
    """Sentences of similar length with their scores."""

    name: str
    sentences: int
    bleu: float
    chrf: float


@dataclass(frozen=True, slots=True)
class Band:
    """Words of the references that are about equally frequent there, and how many the output has in the same line."""

    name: str
    words: int
    found: int


@dataclass(frozen=True, slots=True)
class Failures:
    """All of it, for one output."""

    by_length: list[Group]
    by_frequency: list[Band]
    with_numbers: int
    """Sentences with a number in digits in the source (without sources: in the reference)."""
    numbers_right: int
    """Those of them whose output has every one of these numbers."""
    marks: dict[str, tuple[int, int]]
    """Punctuation mark -> how many in the output and in the first references."""
    sentence_chrf: list[float]
    best: list[int]
    """Lines, counted from 1, with the highest chrF2 of their own."""
    worst: list[int]
    suspects: list[Suspect]


def failures(
    hypotheses: Sequence[str], references: References, *, target_language: str, sources: Sequence[str] | None = None
) -> Failures:
    """Look where an output fails.

    Args:
        hypotheses: One translation per sentence.
        references: Reference sets, see `nmt.evaluate.metrics`.
        target_language: `en` or `zh`.
        sources: What was translated, if it is known: lengths and numbers are then the sources'.
    """
    firsts = [next(one for one in group if one is not None) for group in zip(*references, strict=True)]
    originals = list(sources) if sources else firsts
    own = sentence_chrf(hypotheses, references, target_language=target_language)
    ranked = sorted(range(len(own)), key=lambda index: (own[index], index))
    numbered = [index for index, line in enumerate(originals) if any(char in _DIGIT for char in line)]
    right = sum(not digits_missing(originals[index], hypotheses[index]) for index in numbered)
    return Failures(
        by_length=list(_by_length(hypotheses, references, originals, target_language)),
        by_frequency=_by_frequency(hypotheses, firsts),
        with_numbers=len(numbered),
        numbers_right=right,
        marks={mark: (_count(mark, hypotheses), _count(mark, firsts)) for mark in _marks(target_language)},
        sentence_chrf=own,
        best=[index + 1 for index in ranked[::-1][:SHOWN]],
        worst=[index + 1 for index in ranked[:SHOWN]],
        suspects=suspects(hypotheses, references, target_language=target_language, sources=sources),
    )


def sentence_chrf(hypotheses: Sequence[str], references: References, *, target_language: str) -> list[float]:
    """The chrF2 of each sentence by itself."""
    metric = sacrebleu_metrics(target_language)["chrF2"]
    groups = zip(*references, strict=True)
    return [
        float(metric.sentence_score(output, [one for one in group if one is not None]).score)
        for output, group in zip(hypotheses, groups, strict=True)
    ]


def _by_length(
    hypotheses: Sequence[str], references: References, originals: Sequence[str], target_language: str
) -> Iterator[Group]:
    lengths = [max(count_units(line), 1) for line in originals]
    for low, high in LENGTHS:
        chosen = [index for index, length in enumerate(lengths) if low <= length and (high is None or length <= high)]
        if not chosen:
            continue
        output = [hypotheses[index] for index in chosen]
        sets = [[lines[index] for index in chosen] for lines in references]
        yield Group(
            _range(low, high),
            len(chosen),
            bleu(output, sets, target_language=target_language).value,
            chrf(output, sets, target_language=target_language).value,
        )


def _by_frequency(hypotheses: Sequence[str], firsts: Sequence[str]) -> list[Band]:
    expected = [units(line.lower()) for line in firsts]
    frequency = Counter(word for words in expected for word in words)
    totals, found = Counter[str](), Counter[str]()
    bands = {word: _band(count) for word, count in frequency.items()}
    for output, words in zip(hypotheses, expected, strict=True):
        have = Counter(units(output.lower()))
        for word, count in Counter(words).items():
            totals[bands[word]] += count
            found[bands[word]] += min(count, have[word])
    return [Band(name, totals[name], found[name]) for name in (_range(*one) for one in FREQUENCIES) if totals[name]]


def _band(count: int) -> str:
    return next(_range(low, high) for low, high in FREQUENCIES if high is None or count <= high)


def _range(low: int, high: int | None) -> str:
    return f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"


def _marks(target_language: str) -> str:
    return _MARKS[target_language] + (_MARKS["en"][:6] if target_language == "zh" else "")


def _count(mark: str, lines: Sequence[str]) -> int:
    return sum(line.count(mark) for line in lines)


def summary(found: Failures) -> list[str]:
    """What the terminal shows of it."""
    reasons = Counter(reason for suspect in found.suspects for reason in suspect.reasons)
    lengths = "  ".join(f"{group.name}: {group.bleu:.1f} ({group.sentences})" for group in found.by_length)
    words = "  ".join(f"{band.name}: {band.found / band.words:.0%} of {band.words}" for band in found.by_frequency)
    lines = [f"BLEU by length (sentences): {lengths}", f"words found, by their count in the references: {words}"]
    if found.with_numbers:
        lines.append(f"numbers right: {found.numbers_right} of {found.with_numbers} sentences that have some")
    counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return [*lines, f"suspect lines: {len(found.suspects)}" + (f" ({counts})" if counts else "")]
