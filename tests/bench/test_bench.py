"""The benchmark measures what it says: both sides' real updates, counted work, blocks in turn."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import batches as workload
import ours
import pytest
import torch
from flops import counted
from turns import Side

SCRIPTS = Path(ours.__file__).parent


@pytest.fixture(scope="module")
def batch_file(prepared_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "batches.json"
    workload.write_batches(prepared_sample, path, number=2, tokens=60)
    return path


@pytest.mark.parametrize("model", ours.MODELS)
def test_settings_of_every_model_are_settings_of_nmt_train(model: str) -> None:
    from nmt.settings import compose

    config = compose("train", [*ours.MODELS[model], *ours.COMMON, "name=bench"]).model
    assert config.dropout == 0.2
    assert getattr(config.decoder, "input_feeding", False) == (model == "rnn_input_feeding")


def test_our_side_trains_when_it_is_its_turn(prepared_sample: Path, batch_file: Path) -> None:
    command = [sys.executable, SCRIPTS / "ours.py", "rnn", "--prepared", prepared_sample, "--batches", batch_file]
    command += ["--threads", "1"]
    side = Side.start("ours", command, threads=1)
    first, again = side.turn(0, 1), side.turn(0, 2)
    side.stop()
    real = [
        sum(len(row) + 1 for rows in batch for row in rows) for batch in json.loads(batch_file.read_text())["batches"]
    ]
    assert (first.tokens, again.tokens) == (real[0], sum(real))
    assert 0 < first.loss < 12
    assert side.about["gflop_a_token"] > 0
    assert min(first.peak_mib, again.peak_mib) > 100


def test_a_side_that_does_not_start_is_told() -> None:
    with pytest.raises(RuntimeError, match="no such program ended with exit code 3"):
        Side.start("no such program", [sys.executable, "-c", "raise SystemExit(3)"], threads=1)


@pytest.mark.parametrize("width", [16, 24])
def test_counted_work_is_that_of_the_products(width: int) -> None:
    linear = torch.nn.Linear(width, 32, bias=False)
    lstm = torch.nn.LSTM(width, 8, batch_first=True)
    vectors = torch.randn(5, 7, width, requires_grad=True)
    assert counted(lambda: linear(vectors).sum().backward()) * 1e9 == 3 * 2 * 5 * 7 * width * 32
    assert counted(lambda: lstm(vectors)[0].sum().backward()) * 1e9 == 3 * 2 * 5 * 7 * 4 * 8 * (width + 8)


def test_batches_hold_joined_pairs_within_the_budget(prepared_sample: Path, batch_file: Path) -> None:
    from nmt.data.prepared import load_prepared

    text = json.loads(batch_file.read_text())
    rows = load_prepared(prepared_sample).train()[:]["en_ids"]
    joined = {tuple(first + second) for first, second in zip(rows[::2], rows[1::2], strict=False)}
    for source, target in text["batches"]:
        assert {tuple(row) for row in source} <= joined
        assert len(source) * max(len(row) + 1 for row in source + target) <= 60
