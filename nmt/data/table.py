"""Many pairs in little memory: columns of UTF-8 in Arrow, a third of what as many Python strings take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from nmt.data.corpus import Pair

if TYPE_CHECKING:
    import numpy as np
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

BATCH = 4096
"""Pairs that are worked on at once."""


class Columns(NamedTuple):
    """Some pairs, a list for each field of `Pair`; this is what goes from process to process."""

    source: list[str]
    target: list[str]
    line: list[int]
    source_id: list[int | None]
    target_id: list[int | None]

    @classmethod
    def empty(cls) -> Columns:
        """No pairs."""
        return cls([], [], [], [], [])

    def add(self, pair: Pair) -> None:
        """One more pair."""
        self.source.append(pair.source)
        self.target.append(pair.target)
        self.line.append(pair.line)
        self.source_id.append(pair.source_id)
        self.target_id.append(pair.target_id)

    def pairs(self) -> Iterator[Pair]:
        """The pairs one by one."""
        return map(Pair, *self)


def batches(pairs: Iterable[Pair], size: int = BATCH) -> Iterator[Columns]:
    """A stream of pairs in portions."""
    pairs = iter(pairs)
    while portion := list(islice(pairs, size)):
        columns = Columns.empty()
        for pair in portion:
            columns.add(pair)
        yield columns


class PairTable:
    """A growing list of pairs."""

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self._batches: list[Any] = []
        self._length = 0
        for columns in batches(pairs):
            self.append(columns)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Pair]:
        for columns in self.batches():
            yield from columns.pairs()

    def append(self, columns: Columns) -> None:
        """Add pairs at the end."""
        import pyarrow

        text, number = pyarrow.string(), pyarrow.int64()
        kinds = (text, text, number, number, number)
        arrays = [pyarrow.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
        self._batches.append(pyarrow.record_batch(arrays, names=Columns._fields))
        self._length += len(columns.line)

    def batches(self, keep: np.ndarray | None = None) -> Iterator[Columns]:
        """The pairs in portions: all of them, or those where `keep` (a boolean for each pair) is true."""
        for batch in self._kept(keep):
            yield Columns(*(column.to_pylist() for column in batch.columns))

    def select(self, keep: np.ndarray) -> PairTable:
        """The table of the pairs where `keep` is true."""
        chosen = PairTable()
        for batch in self._kept(keep):
            chosen._batches.append(batch)
            chosen._length += batch.num_rows
        return chosen

    def _kept(self, keep: np.ndarray | None) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        start = 0
        for batch in self._batches:
            chosen = batch if keep is None else batch.filter(pyarrow.array(keep[start : start + batch.num_rows]))
            start += batch.num_rows
            yield chosen

    def take(self, places: Sequence[int]) -> list[Pair]:
        """The pairs at some places, which ascend."""
        import numpy as np

        found: list[Pair] = []
        start, wanted = 0, np.asarray(places, np.int64)
        for batch in self._batches:
            own = wanted[slice(*np.searchsorted(wanted, (start, start + batch.num_rows)))] - start
            if len(own):
                found += map(Pair, *(column.to_pylist() for column in batch.take(own).columns))
            start += batch.num_rows
        return found

    def side(self, name: str) -> Iterator[str]:
        """`source` or `target` of every pair."""
        for batch in self._batches:
            yield from batch.column(name).to_pylist()

    def numbers(self, name: str) -> np.ndarray:
        """`line`, `source_id` or `target_id` of every pair, -1 where there is none; shape (pairs,)."""
        import numpy as np

        columns = [batch.column(name).fill_null(-1).to_numpy() for batch in self._batches]
        return np.concatenate(columns) if columns else np.empty(0, np.int64)
