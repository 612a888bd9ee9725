"""Every pair once an epoch, within the budget, the same from the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nmt.data.sampler import TokenBatchSampler
from nmt.errors import DataError


def sampler(
    lengths: list[tuple[int, int]], *, tokens: int = 60, max_length: int = 20, seed: int = 1
) -> TokenBatchSampler:
    source, target = (np.array(side) for side in zip(*lengths, strict=True))
    return TokenBatchSampler(source, target, tokens=tokens, max_length=max_length, seed=seed)


@given(lengths=st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=300))
def test_every_pair_once_and_within_the_budget(lengths: list[tuple[int, int]]) -> None:
    batches = sampler(lengths).epoch(0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) * max(max(lengths[row]) for row in batch) <= 60
    sizes = [0]  # greedy, one pair after the other
    for length in sorted(max(pair) for pair in lengths):
        sizes[-1:] = [sizes[-1] + 1] if (sizes[-1] + 1) * length <= 60 else [sizes[-1], 1]
    assert sorted(map(len, batches)) == sorted(sizes)


def test_epochs_differ_and_repeat_from_the_seed() -> None:
    lengths = [(1 + row % 17, 1 + row % 19) for row in range(997)]
    first = [batch.tolist() for batch in sampler(lengths).epoch(3)]
    assert [batch.tolist() for batch in sampler(lengths).epoch(3)] == first
    assert [batch.tolist() for batch in sampler(lengths).epoch(4)] != first
    assert [batch.tolist() for batch in sampler(lengths, seed=2).epoch(3)] != first


def test_little_padding() -> None:
    generator = np.random.default_rng(0)
    lengths = [(int(length), int(length)) for length in generator.integers(3, 20, size=5000)]
    batches = sampler(lengths, tokens=400).epoch(0)
    real = sum(max(lengths[row]) for batch in batches for row in batch)
    padded = sum(len(batch) * max(max(lengths[row]) for row in batch) for batch in batches)
    assert real / padded > 0.97


def test_long_pairs_are_left_out_and_counted() -> None:
    found = sampler([(5, 5), (21, 3), (3, 21), (20, 20)])
    assert found.too_long == 2
    assert sorted(np.concatenate(found.epoch(0)).tolist()) == [0, 3]


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(DataError, match=r"at most 20 pieces a side: raise train\.max_length"):
        sampler([(21, 21)])


def test_padding_on_the_sample_is_below_six_in_a_hundred() -> None:
    rng = np.random.default_rng(0)  # lengths as of short everyday sentences: 8 pieces, the other side about as long
    source = np.clip(rng.gamma(6, 1.5, size=50_000).round().astype(int) + 2, 2, 60)
    target = np.clip((source * rng.normal(1.0, 0.25, size=50_000)).round().astype(int), 2, 60)
    batches = TokenBatchSampler(source, target, tokens=2048, max_length=128, seed=1).epoch(0)
    slots = sum(len(rows) * int(side[rows].max()) for rows in batches for side in (source, target))
    assert 1 - (source.sum() + target.sum()) / slots < 0.06
