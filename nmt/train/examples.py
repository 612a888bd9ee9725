"""The training pairs as ids, read from the prepared folder's memory-mapped Arrow columns, in the order of training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from nmt.data.batch import Batch
from nmt.data.sampler import TokenBatchSampler
from nmt.text.tokenizer import BOS, EOS, PAD
from nmt.train.ranks import Ranks


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

    def padded(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """These sentences as (B, longest + 1) ids, padded, with one place more at the end; and their (B,) lengths."""
        lengths = self.lengths[rows].astype(np.int64)
        ids = np.full((len(rows), int(lengths.max()) + 1), PAD, dtype=np.int64)
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(self.offsets[rows] - (ends - lengths), lengths)
        ids[np.arange(ids.shape[1]) < lengths[:, None]] = self.values[places]
        return ids, lengths


class Place(NamedTuple):
    """A position in training: batches before it have been used."""

    epoch: int
    batch: int


class Work(NamedTuple):
    """What one update learns from."""

    batches: list[Batch]  # this process's share of the rows
    weights: list[float]  # of each batch: 1, or 0 where there was no row for this process and another stands in
    pieces: int  # real target pieces of all processes together
    tokens: int  # real source and target pieces of all processes together
    rows: np.ndarray  # of the training part, of all processes together
    place: Place  # after it
    epochs: float  # done after it


class Examples:
    """Work in training order, from any place on, for ever."""

    def __init__(
        self, sources: IdColumn, targets: IdColumn, *, tokens: int, max_length: int, seed: int,
        update_tokens: int | None = None, ranks: Ranks | None = None,
    ) -> None:  # fmt: skip
        self.sources, self.targets = sources, targets
        self.update_tokens = update_tokens
        self.ranks = ranks or Ranks()
        self.sampler = TokenBatchSampler(
            sources.lengths + 1, targets.lengths + 1, tokens=tokens, max_length=max_length, seed=seed
        )

    def work(self, place: Place) -> Iterator[Work]:
        """Work from `place` on."""
        epoch, start = place
        while True:
            order = self.sampler.epoch(epoch)
            while start < len(order):
                stop = self._end(order, start)
                yield self.make(order[start:stop], Place(epoch, stop), epoch + stop / len(order))
                start = stop
            epoch, start = epoch + 1, 0

    def _end(self, order: list[np.ndarray], start: int) -> int:
        """Batches from `start` on are one update until they have `update_tokens` target pieces, or the epoch ends."""
        stop, pieces = start + 1, self._pieces(order[start])
        while self.update_tokens is not None and stop < len(order) and pieces < self.update_tokens:
            pieces += self._pieces(order[stop])
            stop += 1
        return stop

    def _pieces(self, rows: np.ndarray) -> int:
        return int(self.targets.lengths[rows].sum()) + len(rows)

    def make(self, batches: list[np.ndarray], place: Place, epochs: float) -> Work:
        """These batches of rows as tensors: of each one every so many-th row, as many as there are processes."""
        shares = [rows[self.ranks.rank :: self.ranks.world] for rows in batches]
        rows = np.concatenate(batches)
        pieces = self._pieces(rows)
        return Work(
            [self.batch(share if len(share) else whole[:1]) for share, whole in zip(shares, batches, strict=True)],
            [float(len(share) > 0) for share in shares],
            pieces,
            pieces + int(self.sources.lengths[rows].sum()) + len(rows),
            rows,
            place,
            epochs,
        )

    def batch(self, rows: np.ndarray) -> Batch:
        """These pairs, with their marks, as tensors."""
        source, source_lengths = self.sources.padded(rows)
        target, target_lengths = self.targets.padded(rows)
        every = np.arange(len(rows))
        target_in = np.concatenate([np.full((len(rows), 1), BOS), target[:, :-1]], axis=1)
        source[every, source_lengths] = EOS
        target[every, target_lengths] = EOS
        parts = (source, source_lengths + 1, target_in, target, target_lengths + 1)
        return Batch(*(torch.from_numpy(part) for part in parts))

    def worst(self, epoch: int) -> list[Work]:
        """The batches of an epoch that need the most memory: with the most padded pieces, and with the most weights.

        Activations grow with the padded pieces of both sides, attention with their product.
        """
        order = self.sampler.epoch(epoch)
        sides = np.array(
            [
                (len(rows), *(int(side.lengths[rows].max()) + 1 for side in (self.sources, self.targets)))
                for rows in order
            ]
        )
        number, source, target = sides.T
        found = {int((number * (source + target)).argmax()), int((number * source * target).argmax())}
        return [self.make([order[index]], Place(epoch, 0), 0.0) for index in sorted(found)]

    def padding(self, epoch: int) -> float:
        """Share of the places of an epoch's batches, both sides, that hold no piece."""
        order = self.sampler.epoch(epoch)
        slots = real = 0
        for side in (self.sources, self.targets):
            lengths = side.lengths + 1
            slots += sum(len(rows) * int(lengths[rows].max()) for rows in order)
            real += sum(int(lengths[rows].sum()) for rows in order)
        return 1.0 - real / slots
