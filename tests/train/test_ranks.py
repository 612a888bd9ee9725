"""Two processes train what one trains, and each knows when the other is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = [
    "device=cpu", "threads=1", "precision=fp32", "train.batch_tokens=300", "train.validate_every_steps=8",
    "train.validate_sentences=4", "model.embedding=16", "model.encoder.width=16", "model.encoder.layers=1",
    "model.decoder.width=16", "model.dropout=0", "optim.lr=0.01",
]  # fmt: skip


def start(prepared: Path, folder: Path, processes: int, *settings: str) -> subprocess.Popen[str]:
    many = ["torch.distributed.run", "--nproc-per-node", str(processes), "--standalone", "-m"]
    module = [*(many if processes > 1 else []), "nmt"]
    command = [sys.executable, "-m", *module, "train", f"prepared={prepared}", *RUN, *settings]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def run(prepared: Path, folder: Path, processes: int, *settings: str) -> tuple[int, str]:
    with start(prepared, folder, processes, *settings) as process:
        try:
            _, told = process.communicate(timeout=300)
        finally:
            process.kill()
    return process.returncode, told


def losses(folder: Path, name: str) -> list[tuple[int, float]]:
    lines = (folder / "runs" / name / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        (event["step"], event["loss"]) for event in map(json.loads, lines) if event["event"] in ("step", "validation")
    ]


@pytest.mark.slow
def test_two_processes_are_one_to_rounding_and_runs_move_between_them(prepared_sample: Path, tmp_path: Path) -> None:
    steps = ["train.max_steps=24", "train.update_tokens=400"]  # gathered batches, and odd numbers of rows
    code, told = run(prepared_sample, tmp_path, 1, "name=one", *steps)
    assert code == 0, told
    code, told = run(prepared_sample, tmp_path, 2, "name=two", *steps)
    assert code == 0, told
    assert "2 processes" in told
    assert told.count("is trained") == 1  # the first process speaks for all
    one, two = losses(tmp_path, "one"), losses(tmp_path, "two")
    assert [step for step, _ in one] == [step for step, _ in two]
    assert [loss for _, loss in one] == pytest.approx([loss for _, loss in two], rel=2e-3)
    # One process for 8 updates, two up to 16, one again up to 24: a constant rate, so that the end does not matter.
    flat = ["train.update_tokens=400", "optim.schedule=constant", "optim.decay=0", "optim.warmup=0"]
    assert run(prepared_sample, tmp_path, 1, "name=flat", "train.max_steps=24", *flat)[0] == 0
    for processes, end in ((1, 8), (2, 16), (1, 24)):
        code, told = run(prepared_sample, tmp_path, processes, "name=moving", f"train.max_steps={end}", *flat)
        assert code == 0, told
    assert losses(tmp_path, "moving")[-1] == pytest.approx(losses(tmp_path, "flat")[-1], rel=2e-3)


@pytest.mark.slow
def test_a_failure_ends_all_with_its_message(prepared_sample: Path, tmp_path: Path) -> None:
    code, told = run(tmp_path / "nowhere", tmp_path, 2, "name=none", "train.max_steps=4")
    assert code != 0
    assert "nmt train: There is no folder" in told


@pytest.mark.slow
def test_one_killed_process_ends_the_other_and_a_signal_saves(prepared_sample: Path, tmp_path: Path) -> None:
    journal = tmp_path / "runs" / "long" / "journal.jsonl"
    for number in (signal.SIGKILL, signal.SIGTERM):
        with start(prepared_sample, tmp_path, 2, "name=long", "train.max_steps=100000") as process:
            try:
                before = journal.stat().st_size if journal.exists() else 0
                deadline = time.monotonic() + 120
                while time.monotonic() < deadline and not (journal.exists() and journal.stat().st_size > before + 500):
                    time.sleep(0.1)
                if number == signal.SIGKILL:
                    listed = subprocess.run(
                        ["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True
                    )
                    os.kill(int(listed.stdout.split()[-1]), number)
                else:
                    process.send_signal(number)
                _, told = process.communicate(timeout=120)
            finally:
                process.kill()
        assert process.returncode != 0
        assert journal.stat().st_size > before
        if number == signal.SIGTERM:
            assert "saved in runs/long/last" in told
    assert (tmp_path / "runs" / "long" / "last" / "training.pt").is_file()
