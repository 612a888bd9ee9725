"""Is one system better than another, or was it the choice of sentences? Paired tests, and what a difference is worth.

Both systems translated the same sentences, so it is the *differences* that are resampled, which sees far smaller ones
than two confidence intervals side by side. sacreBLEU has both usual tests: the paired bootstrap (Koehn 2004; 1,000
samples) and approximate randomisation (Riezler & Maxwell 2005; 10,000 trials, fewer false alarms). p is how often
chance alone gives as large a difference.

Significant is not yet worth anything. Kocmi et al. 2024 ("Navigating the Metrics Maze") counted how often people agree
with the sign of a difference, over many pairs of related, strong systems: with 1 BLEU in 64 % of the cases, with 2.34
in 80 %; no difference of BLEU reaches 90 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from nmt.errors import DataError
from nmt.evaluate.metrics import References, sacrebleu_metrics

TESTS = {"bootstrap": "bs", "randomisation": "ar"}
SIGNIFICANT = 0.05

_AGREEMENT = ((0.0, 50.0), (0.5, 54.6), (1.0, 64.0), (1.5, 71.5), (2.0, 77.2), (2.34, 80.0), (3.0, 83.7), (5.0, 87.6))
"""BLEU difference and how many in a hundred times people agree with its sign (Kocmi et al. 2024)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A system against the baseline, in one metric."""

    metric: str
    system: str
    baseline: str
    value: float
    """Score of the system less that of the baseline."""
    p: float
    signature: str


def paired(
    systems: Mapping[str, Sequence[str]], references: References, *, target_language: str, test: str = "bootstrap"
) -> list[Difference]:
    """BLEU and chrF2 of each system against the first.

    Args:
        systems: Name -> output; the first is the baseline.
        references: Reference sets, see `nmt.evaluate.metrics`.
        target_language: `en` or `zh`.
        test: One of `TESTS`.

    Raises:
        DataError: There are fewer than two systems.
    """
    from sacrebleu.significance import PairedTest

    if len(systems) < 2:
        raise DataError("a paired test needs the outputs of two systems or more")
    named: list[tuple[str, Sequence[str]]] = [(name, list(output)) for name, output in systems.items()]
    metrics = sacrebleu_metrics(target_language)
    sets = cast("list[Sequence[str]]", references)
    signatures, results = PairedTest(named, metrics, sets, test_type=TESTS[test])()
    baseline = named[0][0]
    found = []
    for metric in ("BLEU", "chrF2"):
        first, *others = cast("list[Any]", results[metric])  # the column "System" alone holds strings
        for (name, _), other in zip(named[1:], others, strict=True):
            value, p = float(other.score - first.score), float(other.p_value)
            found.append(Difference(metric, name, baseline, value, p, str(signatures[metric])))
    return found


def advice(difference: Difference) -> str:
    """What a difference is worth, in a sentence."""
    what = (
        f"{difference.system} v {difference.baseline}: {difference.metric} {difference.value:+.2f}, "
        f"p = {difference.p:.4f}"
    )
    if difference.p >= SIGNIFICANT:
        return f"{what}: may well be the choice of sentences; call neither better"
    if difference.metric != "BLEU":
        size = "at least" if abs(difference.value) >= 1.63 else "less than"
        return f"{what}: not chance; {size} the 1.63 chrF2 with which people agree in 80 % of such cases"
    return f"{what}: not chance; people agree with the sign in about {agreement(difference.value):.0f} % of such cases"


def agreement(bleu_difference: float) -> float:
    """In how many of a hundred cases people agree with the sign of a BLEU difference; interpolated."""
    size = abs(bleu_difference)
    for (low, at_low), (high, at_high) in pairwise(_AGREEMENT):
        if size <= high:
            return at_low + (at_high - at_low) * (size - low) / (high - low)
    return _AGREEMENT[-1][1]
