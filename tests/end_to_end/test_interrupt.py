"""Ctrl-C and SIGTERM, sent to a real process: it saves, ends with its own exit code, the same command goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = [
    "name=stopped", "device=cpu", "threads=1", "train.max_steps=100000", "train.batch_tokens=300",
    "model.embedding=16", "model.encoder.width=16", "model.encoder.layers=1", "model.decoder.width=16",
]  # fmt: skip


def reported_steps(journal: Path) -> int:
    return journal.read_bytes().count(b'"event": "step"') if journal.exists() else 0


def train_and_send(number: signal.Signals, prepared: Path, folder: Path) -> str:
    """Train until the journal tells of more steps, send a signal, and give back what the person reads."""
    journal = folder / "runs" / "stopped" / "journal.jsonl"
    before = reported_steps(journal)
    command = [sys.executable, "-m", "nmt", "train", f"prepared={prepared}", *RUN]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 60
            while reported_steps(journal) < before + 2 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            process.send_signal(number)
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number], told
    assert reported_steps(journal) >= before + 2
    assert "Traceback" not in told
    return told


def test_a_signal_saves_and_the_same_command_goes_on(prepared_sample: Path, tmp_path: Path) -> None:
    told = train_and_send(signal.SIGINT, prepared_sample, tmp_path)
    assert "saved in runs/stopped/last; the same command goes on from there" in told
    assert "going on" not in told
    assert (tmp_path / "runs" / "stopped" / "last" / "training.pt").is_file()
    told = train_and_send(signal.SIGTERM, prepared_sample, tmp_path)
    assert "going on from step " in told
    assert "saved in runs/stopped/last" in told
