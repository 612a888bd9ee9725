"""Which pairs go into which batch: similar lengths together, a fixed budget of tokens, seeded and resumable.

An epoch's batches are a pure function of the lengths, the seed and the number of the epoch. A position in training is
therefore just two numbers (epoch, batch), and to resume is to ask for the same list again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from nmt.errors import DataError

POOL = 2**18  # pairs sorted by length together, a small corpus whole; pairs of equal lengths stay in random order


class TokenBatchSampler:
    """Batches whose longer side, padding counted, holds at most `tokens` pieces."""

    def __init__(
        self, source_lengths: np.ndarray, target_lengths: np.ndarray, *, tokens: int, max_length: int, seed: int
    ) -> None:
        """Take the lengths of all pairs, end marks counted; longer pairs than `max_length` are left out and counted.

        Raises:
            DataError: no pair is left.
        """
        self.lengths = np.maximum(source_lengths, target_lengths)
        self.order = (source_lengths, target_lengths)
        self.tokens = tokens
        self.seed = seed
        self.limit = min(max_length, tokens)
        self.newest: tuple[int, list[np.ndarray]] = (-1, [])
        self.fitting = np.flatnonzero(self.lengths <= self.limit)
        self.too_long = len(self.lengths) - len(self.fitting)
        if not len(self.fitting):
            raise DataError(
                f"no training pair has at most {self.limit} pieces a side: raise train.max_length or train.batch_tokens"
            )

    def epoch(self, number: int) -> list[np.ndarray]:
        """The batches of epoch `number`, as arrays of row numbers, in training order; the newest are remembered."""
        if self.newest[0] != number:
            self.newest = (number, self._epoch(number))
        return self.newest[1]

    def _epoch(self, number: int) -> list[np.ndarray]:
        generator = np.random.default_rng((self.seed, number))
        rows = generator.permutation(self.fitting)
        batches = [batch for start in range(0, len(rows), POOL) for batch in self._cut(rows[start : start + POOL])]
        return [batches[index] for index in generator.permutation(len(batches))]

    def _cut(self, pool: np.ndarray) -> Iterator[np.ndarray]:
        source, target = self.order
        pool = pool[np.lexsort((source[pool], target[pool], self.lengths[pool]))]
        lengths = self.lengths[pool]
        start = 0
        while start < len(pool):
            # Sorted, so the last pair is the longest: take as many as fit with its length, at least one.
            most = min(self.tokens // int(lengths[start]), len(pool) - start)
            fit = bisect_right(range(1, most + 1), self.tokens, key=lambda n: n * int(lengths[start + n - 1]))
            yield pool[start : start + fit]
            start += fit
