"""What hypotheses are ranked by.

    score(Y) = log P(Y | X) / lp(|Y|)  [+ beta * sum over source pieces i of log(min(sum over t of a_ti, 1))]

    plain   lp(n) = n ** alpha
    gnmt    lp(n) = ((5 + n) / 6) ** alpha

(Wu et al. 2016, section 7, https://arxiv.org/abs/1609.08144.) The length counts the end mark. The second term,
coverage, is added to finished hypotheses only: it is at most 0, so what can still be reached is bounded without it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

KINDS = ("plain", "gnmt")
LEAST = 1e-6  # a source piece that no weight fell on; its logarithm is -13.8 instead of minus infinity


class Ranking(NamedTuple):
    """The length penalty: its exponent and its kind."""

    length_penalty: float = 1.0
    kind: str = "plain"

    def divisor(self, length: int) -> float:
        """lp(length); grows with the length."""
        base = (5 + length) / 6 if self.kind == "gnmt" else length
        return float(base**self.length_penalty)


def uncovered(covered: Tensor, real: Tensor) -> Tensor:
    """(R, S) summed weights and (R, S) which source pieces count -> (R,) sums of log(min(covered, 1)), at most 0."""
    return torch.where(real, covered.float().clamp(LEAST, 1.0).log(), 0.0).sum(dim=1)
