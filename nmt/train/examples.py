"""The training pairs as ids, read from the prepared folder's memory-mapped Arrow columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nmt.data.batch import Batch, collate
from nmt.data.sampler import TokenBatchSampler


class IdColumn:
    """One side of the corpus: all ids end to end, and where each sentence begins."""

    def __init__(self, column: Any) -> None:
        """Take a pyarrow column of lists of ids."""
        lists = column.combine_chunks()
        self.offsets: np.ndarray = lists.offsets.to_numpy()
        self.values: np.ndarray = lists.values.to_numpy()
        self.lengths: np.ndarray = np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.lengths)

    def rows(self, numbers: np.ndarray) -> list[list[int]]:
        """The ids of these sentences."""
        return [self.values[self.offsets[number] : self.offsets[number + 1]].tolist() for number in numbers]


class Place(NamedTuple):
    """A position in training: batches before it have been used."""

    epoch: int
    batch: int


class Examples:
    """Batches in training order, from any place on, for ever."""

    def __init__(self, sources: IdColumn, targets: IdColumn, *, tokens: int, max_length: int, seed: int) -> None:
        self.sources, self.targets = sources, targets
        self.sampler = TokenBatchSampler(
            sources.lengths + 1, targets.lengths + 1, tokens=tokens, max_length=max_length, seed=seed
        )

    def batches(self, place: Place) -> Iterator[tuple[Batch, Place, float]]:
        """Batches from `place` on, each with the place after it and the epochs done by then."""
        epoch, first = place
        while True:
            order = self.sampler.epoch(epoch)
            for index in range(first, len(order)):
                rows = order[index]
                yield (
                    collate(self.sources.rows(rows), self.targets.rows(rows)),
                    Place(epoch, index + 1),
                    epoch + (index + 1) / len(order),
                )
            epoch, first = epoch + 1, 0
