"""Updates that can not be made are left out, counted, and in the end explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from support import changed

from nmt import config as schema
from nmt.errors import ConfigError
from nmt.train import objective, update
from nmt.train.loop import train


def events(folder: Path, kind: str) -> list[dict[str, Any]]:
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def spoil(monkeypatch: pytest.MonkeyPatch, spoilt: Any) -> None:
    """Let the loss be infinite whenever `spoilt(targets)`."""
    whole = objective.token_loss

    def broken(*parts: Any, **options: Any) -> Any:
        smoothed, plain = whole(*parts, **options)
        return (smoothed * float("inf") if spoilt(parts[3]) else smoothed), plain

    monkeypatch.setattr(objective, "token_loss", broken)


def test_a_single_one_is_left_out_and_counted(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[torch.Tensor] = []
    spoil(monkeypatch, lambda targets: torch.is_grad_enabled() and (calls.append(targets) or len(calls) in (7, 9, 10)))
    train(small_run, tmp_path / "run")
    skipped = events(tmp_path / "run", "skipped")
    assert len(skipped) == 3
    assert [event["in_row"] for event in skipped] == [1, 1, 2]
    assert all(line >= 1 for event in skipped for line in event["lines"])
    assert [event["skipped"] for event in events(tmp_path / "run", "step")][-1] == 3
    assert events(tmp_path / "run", "step")[-1]["loss"] < events(tmp_path / "run", "step")[0]["loss"]
    weights = load_file(tmp_path / "run" / "last" / "model.safetensors")
    assert all(bool(tensor.isfinite().all()) for tensor in weights.values())


def test_the_lines_that_are_to_blame_are_named(
    small_run: schema.RunConfig, prepared_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nmt.data.prepared import load_prepared

    ids = [row["zh_ids"] for row in load_prepared(prepared_sample).train()]
    counts = torch.bincount(torch.tensor([piece for row in ids for piece in set(row)]))
    rare = int((counts == 1).nonzero()[-1])
    [line] = [number for number, row in enumerate(ids, start=1) if rare in row]
    spoil(monkeypatch, lambda targets: bool((targets == rare).any()))
    told = rf"not finite in 1 updates in a row, .* lines {line} of the pairs of .*train have no finite loss; .* nothing"
    with pytest.raises(ConfigError, match=told):
        train(changed(small_run, skip_limit=1, max_steps=500, validate_every_steps=1000), tmp_path / "run")


def test_many_in_a_row_end_the_run_and_name_the_last_good_checkpoint(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(small_run, tmp_path / "run")
    spoil(monkeypatch, lambda targets: True)
    with pytest.raises(
        ConfigError, match=r"in 3 updates in a row, up to step 23: .*and all of them alone have no finite"
    ):
        train(changed(small_run, max_steps=40, skip_limit=3), tmp_path / "run")
    with pytest.raises(ConfigError, match=r"the last good checkpoint is .*run/last$"):
        train(changed(small_run, max_steps=40, skip_limit=3), tmp_path / "run")


def test_too_little_memory_is_told_before_the_first_update(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gradient(updater: update.Updater, work: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(update.Updater, "gradient", gradient)
    with pytest.raises(ConfigError, match=r"largest batch \(\d+ pairs .* lower train\.batch_tokens, which is 300"):
        train(small_run, tmp_path / "run")


def test_the_worst_batches_are_tried_first_and_leave_no_trace(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    whole = update.Updater.gradient

    def gradient(updater: update.Updater, work: Any) -> Any:
        sizes.append(sum(batch.source_ids.numel() + batch.target_out.numel() for batch in work.batches))
        return whole(updater, work)

    with monkeypatch.context() as patch:
        patch.setattr(update.Updater, "gradient", gradient)
        train(small_run, tmp_path / "with")
    assert max(sizes) in sizes[:2]
    monkeypatch.setattr(update.Updater, "rehearse", lambda updater, works: None)
    train(small_run, tmp_path / "without")
    with_it, without = (load_file(tmp_path / name / "last" / "model.safetensors") for name in ("with", "without"))
    assert all(torch.equal(with_it[name], without[name]) for name in with_it)
