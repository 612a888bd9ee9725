"""How good is a translation? BLEU and chrF, computed by sacreBLEU, each with its recipe.

BLEU (Papineni et al. 2002) counts the n-grams of tokens that output and references share; chrF (Popović 2015) the
n-grams of characters. A BLEU figure means nothing without its tokeniser: Chinese must be cut into characters
(`zh`), English like WMT's mteval script does (`13a`); scored with the other one, a system at 50 BLEU seems to be at
15. So the *target language* chooses the tokeniser here, and nothing else can. Every score carries the signature that
sacreBLEU gives it (Post 2018): references, case, tokeniser, smoothing, version.

A test set is a sample: another thousand sentences would give another score. The bootstrap (Koehn 2004) draws as many
sentences with replacement, many times, and the middle 95 % of the scores are the confidence interval. It is sacreBLEU's
own, with its seed (12345, or the environment's SACREBLEU_SEED).

sacreBLEU trusts its input: references in the wrong layout or of another length give a wrong number, not an error
(`zip` cuts), and no input an `IndexError`. `_check` looks at all of this first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from nmt.errors import ConfigError, DataError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

TOKENIZERS = {"en": "13a", "zh": "zh"}

References = Sequence[Sequence[str | None]]
"""sacreBLEU's layout: a list of reference *sets*, each as long as the output; an absent reference is `None`."""


BOOTSTRAP_SAMPLES = 1000
_MOST_SENTENCES = 50_000  # which sentences are in which sample takes 8 kB for each: 400 MB here


@dataclass(frozen=True, slots=True)
class Interval:
    """How far a score may lie from that of another test set of the same kind: 95 % of the samples are inside."""

    mean: float
    """Of the samples' scores; close to the score."""
    half_width: float
    """Half of the interval: the number behind the `±`."""
    samples: int
    seed: str


@dataclass(frozen=True, slots=True)
class Score:
    """A number and how it was made."""

    name: str
    """`BLEU` or `chrF2`."""
    value: float
    """From 0 to 100."""
    signature: str
    """sacreBLEU's own; needed by everybody who wants to compare with the number."""
    text: str
    """The whole line that sacreBLEU prints, for BLEU with its precisions and brevity penalty."""
    length_ratio: float | None = None
    """Tokens of the output for each token of the (closest) references; BLEU only."""
    interval: Interval | None = None
    """`None` if nobody asked for it, or if there are too few or too many sentences."""


def bleu(
    hypotheses: Sequence[str],
    references: References,
    *,
    target_language: str,
    bootstrap: int = 0,
    tokenizer: str | None = None,
) -> Score:
    """Corpus BLEU of detokenised text, with the tokeniser of the target language.

    Args:
        hypotheses: One translation per sentence.
        references: Reference sets, each as long as `hypotheses`; `None` where a sentence has no further reference.
        target_language: `en` or `zh`.
        bootstrap: Samples for the confidence interval; 0: none. None either for one sentence or more than 50,000.
        tokenizer: Another tokeniser than the language's own, by force; the score's name says so.

    Raises:
        DataError: References are in another layout or of another length, or there is nothing to score.
    """
    from sacrebleu.metrics.bleu import BLEU

    _check(hypotheses, references)
    own = _tokenizer(target_language)
    chosen = tokenizer or own
    name = "BLEU" if chosen == own else f"BLEU ({chosen}, not {own})"
    return _score(name, BLEU(tokenize=chosen), hypotheses, references, bootstrap)


def chrf(hypotheses: Sequence[str], references: References, *, target_language: str, bootstrap: int = 0) -> Score:
    """Corpus chrF2: six-grams of characters, recall counted twice. Needs no tokeniser, whatever the language.

    Chinese scores lie far below English ones (about 30 beside 55), so never compare them across directions. chrF++
    is left out: it adds n-grams of words, which Chinese does not write apart.
    """
    from sacrebleu.metrics.chrf import CHRF

    _check(hypotheses, references)
    _tokenizer(target_language)
    return _score("chrF2", CHRF(), hypotheses, references, bootstrap)


def ter(hypotheses: Sequence[str], references: References, *, target_language: str, bootstrap: int = 0) -> Score:
    """Corpus TER: edits, and shifts of blocks, for each reference word (Snover et al. 2006); lower is better.

    Chinese needs sacreBLEU's Asian support, which cuts it into characters, and that works only with normalisation; for
    English both stay off, as the command has it. Takes a minute or more for a thousand long Chinese sentences.
    """
    from sacrebleu.metrics.ter import TER

    _check(hypotheses, references)
    chinese = _tokenizer(target_language) == "zh"
    return _score("TER", TER(normalized=chinese, asian_support=chinese), hypotheses, references, bootstrap)


def sacrebleu_metrics(target_language: str) -> dict[str, Metric]:
    """BLEU and chrF2 of sacreBLEU with the settings of `bleu` and `chrf`, for its paired tests."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    return {"BLEU": BLEU(tokenize=_tokenizer(target_language)), "chrF2": CHRF()}


def _score(name: str, metric: Metric, hypotheses: Sequence[str], references: References, bootstrap: int) -> Score:
    sets = cast("list[Sequence[str]]", references)  # sacreBLEU's annotation does not mention that `None` is allowed
    statistics = metric._extract_corpus_statistics(hypotheses, sets)
    result = metric._aggregate_and_compute(statistics)
    wanted = bootstrap and 1 < len(hypotheses) <= _MOST_SENTENCES
    interval = _interval(metric, statistics, bootstrap) if wanted else None
    signature = str(metric.get_signature())
    return Score(name, result.score, signature, str(result), getattr(result, "ratio", None), interval)


def _interval(metric: Metric, statistics: Sequence[Sequence[float]], samples: int) -> Interval:
    """What `corpus_score(n_bootstrap=samples)` computes.

    That itself fails where some samples score 0 (`statistics.mean` of floats of two kinds), and holds the counts of
    all samples at once.
    """
    import numpy as np
    from sacrebleu.significance import estimate_ci

    seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
    generator = np.random.default_rng(None if seed == "none" else int(seed))
    counts = np.array(statistics, dtype="float32")
    chosen = generator.choice(len(counts), size=(samples, len(counts)), replace=True)
    scores = [float(metric._compute_score_from_stats(counts[rows].sum(0)).score) for rows in chosen]
    mean, half_width = estimate_ci(np.array(scores))
    return Interval(float(mean), float(half_width), samples, seed)


def _tokenizer(target_language: str) -> str:
    if target_language not in TOKENIZERS:
        raise ConfigError(f"the target language is {target_language!r}, but it must be one of: {', '.join(TOKENIZERS)}")
    return TOKENIZERS[target_language]


def _check(hypotheses: Sequence[str], references: References) -> None:
    if isinstance(hypotheses, str):
        raise DataError("the output is one string, but a list of sentences is needed")
    if not hypotheses:
        raise DataError("there is no output to score: the list of translations is empty")
    if not references:
        raise DataError(f"there are {len(hypotheses)} translations to score, but no reference set")
    for number, reference_set in enumerate(references, start=1):
        _check_set(number, reference_set, hypotheses, references)
    _check_every_sentence_has_one(references)


def _check_set(number: int, reference_set: object, hypotheses: Sequence[str], references: References) -> None:
    if isinstance(reference_set, str) or not isinstance(reference_set, Sequence):
        raise DataError(
            f"reference set {number} is {type(reference_set).__name__}, not a list: references must be a list of "
            "reference sets, [[first reference of each sentence], [second reference of each sentence], ...]"
        )
    if len(reference_set) != len(hypotheses):
        transposed = len(references) == len(hypotheses)
        hint = "; they seem to be grouped by sentence, but must be grouped by set" if transposed else ""
        raise DataError(
            f"there are {len(hypotheses)} translations, but reference set {number} has {len(reference_set)} "
            f"sentences{hint}"
        )


def _check_every_sentence_has_one(references: References) -> None:
    for line, group in enumerate(zip(*references, strict=True), start=1):
        if all(reference is None for reference in group):
            raise DataError(f"sentence {line} has no reference in any of the {len(references)} sets")
