"""The objective: R-Drop by its formula, in slices, and one division for all batches of an update."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from nmt import config as schema
from nmt.data.batch import collate
from nmt.model.build import build_model
from nmt.model.masks import padding_mask
from nmt.train import objective as module
from nmt.train.examples import Examples, Place
from nmt.train.objective import Objective
from nmt.train.ranks import Ranks
from nmt.train.update import Updater


def tiny(dropout: float = 0.0) -> schema.ModelConfig:
    return schema.ModelConfig(
        embedding=6,
        dropout=dropout,
        encoder=schema.RecurrentEncoderConfig(layers=1, width=6),
        decoder=schema.RecurrentDecoderConfig(layers=1, width=6),
        attention=schema.DotConfig(),
        self_attention=schema.ScaledDotConfig(),
    )


BATCH = collate([[5, 6, 7], [8, 9]], [[4, 5], [6, 7, 8, 9]])


@pytest.mark.parametrize("rows_at_once", [1024, 3])
def test_r_drop_is_its_formula(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr(module, "SLICE", rows_at_once)
    model = build_model(tiny(dropout=0.5), source_size=11, target_size=13).train()
    torch.manual_seed(3)
    found = Objective(model, smoothing=0.1, r_drop=2.0)(BATCH)
    found.wanted.backward()
    gradients = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]
    model.zero_grad()

    torch.manual_seed(3)
    real = padding_mask(BATCH.target_lengths, BATCH.target_out.size(1))
    features = model(*(torch.cat((part, part)) for part in BATCH[:3])).features
    p, q = (model.logits(half[real]).log_softmax(-1) for half in features.chunk(2))
    assert not torch.allclose(p, q)
    targets = BATCH.target_out[real]
    entropy = sum(F.cross_entropy(half, targets, label_smoothing=0.1, reduction="sum") for half in (p, q)) / 2
    divergence = sum(F.kl_div(a, b, log_target=True, reduction="sum") for a, b in ((p, q), (q, p))) / 2
    torch.testing.assert_close(found.wanted, entropy + 2.0 * divergence)
    (entropy + 2.0 * divergence).backward()
    for ours, parameter in zip(gradients, (p for p in model.parameters() if p.grad is not None), strict=True):
        torch.testing.assert_close(ours, parameter.grad)


def test_without_dropout_r_drop_changes_nothing() -> None:
    model = build_model(tiny(), source_size=11, target_size=13).train()
    plain, twice = (Objective(model, smoothing=0.1, r_drop=weight)(BATCH) for weight in (0.0, 5.0))
    torch.testing.assert_close(plain, twice)


class Column:
    """A side of a corpus of random ids."""

    def __init__(self, seed: int, number: int = 60) -> None:
        from nmt.train.examples import IdColumn

        generator = np.random.default_rng(seed)
        self.lengths = generator.integers(0, 9, size=number)
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)])
        self.values = generator.integers(4, 11, size=int(self.offsets[-1])).astype(np.int32)
        self.padded = IdColumn.padded.__get__(self)

    def row(self, number: int) -> list[int]:
        return list(self.values[self.offsets[number] : self.offsets[number + 1]])


def examples(**options: object) -> Examples:
    return Examples(Column(1), Column(2), **{"tokens": 40, "max_length": 20, "seed": 1} | options)  # type: ignore[arg-type]


def test_batches_are_what_collate_makes() -> None:
    made = examples()
    rows = np.array([3, 0, 17, 4])
    wanted = collate(*([side.row(row) for row in rows] for side in (made.sources, made.targets)))  # type: ignore[attr-defined]
    for ours, theirs in zip(made.batch(rows), wanted, strict=True):
        assert ours.dtype == theirs.dtype
        assert torch.equal(ours, theirs)


def gradient(work_of: Examples, number: int = 1) -> tuple[list[torch.Tensor], float, int]:
    """The gradient of all of the first epoch's first `number` works."""
    model = build_model(tiny(), source_size=11, target_size=11).train()
    config = schema.OptimConfig()
    updater = Updater(model, config, average=0.0, device=torch.device("cpu"), precision="fp32", ranks=Ranks(world=1))
    work = next(iter(work_of.work(Place(0, 0))))
    plain = updater.gradient(work)
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None], float(plain), work.pieces


def test_a_gathered_update_is_that_of_one_large_batch() -> None:
    gathered = examples(update_tokens=10_000)
    work = next(iter(gathered.work(Place(0, 0))))
    assert len(work.batches) > 3
    assert work.epochs == 1.0  # an update never goes beyond an epoch
    assert work.pieces == sum(int(batch.target_lengths.sum()) for batch in work.batches)
    many, plain, pieces = gradient(gathered)
    one, plain_of_one, pieces_of_one = gradient(examples(tokens=10_000))
    assert pieces == pieces_of_one
    assert plain == pytest.approx(plain_of_one, rel=1e-5)
    for ours, theirs in zip(many, one, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_an_update_holds_as_many_pieces_as_asked_for() -> None:
    made = examples(update_tokens=100)
    sizes, places = [], []
    for work in made.work(Place(0, 0)):
        if work.place.epoch:
            break
        sizes.append(work.pieces)
        places.append(work.place.batch)
    assert all(size >= 100 for size in sizes[:-1])
    assert places == sorted(places)
    assert sum(sizes) == int(made.targets.lengths.sum()) + len(made.targets.lengths)
    later = next(iter(made.work(Place(0, places[0]))))
    assert later.pieces == sizes[1]


@pytest.mark.parametrize("world", [2, 3, 7])
def test_processes_share_the_rows_of_every_batch(world: int) -> None:
    parts = [next(iter(examples(ranks=Ranks(rank, world)).work(Place(0, 0)))) for rank in range(world)]
    whole = next(iter(examples().work(Place(0, 0))))
    assert {part.pieces for part in parts} == {whole.pieces}
    assert {len(part.batches) for part in parts} == {1}
    real = [batch for part in parts for batch, weight in zip(part.batches, part.weights, strict=True) if weight]
    assert sum(int(batch.target_lengths.sum()) for batch in real) == whole.pieces
    assert sum(len(batch.source_ids) for batch in real) == len(whole.rows)
