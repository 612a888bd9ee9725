"""The folder of a run.

runs/NAME/
├── config.yaml     the settings it is trained with
├── journal.jsonl   what happened
├── best/           the model with the best dev BLEU
└── last/           the model as it stands, with training.pt to go on from
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from nmt import files, settings
from nmt.checkpoint import WEIGHTS, TrainedModel, read_card, read_config, write_config, write_model
from nmt.config import DecodeConfig, RunConfig
from nmt.errors import CheckpointError, NmtError
from nmt.train.average import Average
from nmt.train.state import STATE_FILE, Counters, save_state

# Settings that may differ when a run goes on: they say how long and how closely it is watched, not what is learnt.
FREE = (
    "name", "device", "threads", "decode", "train.max_minutes", "train.max_steps", "train.validate_every_minutes",
    "train.validate_every_steps", "train.patience",
)  # fmt: skip


class RunFolder:
    """Where a run writes, and what it finds there when it begins again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"

    @property
    def state_file(self) -> Path | None:
        """What to go on from: of the last save or, if that was cut short, of the one before."""
        for folder in (self.path / "last", files.previous(self.path / "last")):
            if (folder / STATE_FILE).is_file():
                return folder / STATE_FILE
        return None

    @property
    def best_bleu(self) -> float:
        """Dev BLEU of the best model that lies here, which may be newer than the last saved state; -1 without one."""
        if not (self.path / "best" / WEIGHTS).is_file():
            return -1.0
        return float(read_card(self.path / "best").get("dev_bleu") or -1.0)

    def differences(self, config: RunConfig) -> list[str]:
        """Settings of an earlier run here that are not those of `config`, such as `optim.lr: 0.002 -> 0.003`."""
        if not self.config_file.is_file():
            return []
        try:
            before, now = _flat(settings.load(self.config_file, RunConfig)), _flat(config)
        except (NmtError, UnicodeDecodeError):
            return [f"{self.config_file.name} is of another version of nmt or damaged"]
        return [
            f"{key}: {before.get(key)} -> {now.get(key)}"
            for key in sorted(before.keys() | now.keys())
            if before.get(key) != now.get(key) and not any(key == free or key.startswith(f"{free}.") for free in FREE)
        ]

    def begin(self, config: RunConfig, data_fingerprint: str) -> list[str]:
        """Make the folder ready for a run with these settings; returns what the person should know.

        A run with other settings that is found here is kept beside it, never overwritten.
        """
        notes = []
        marker = self.path / "data.txt"
        differences = self.differences(config)
        if not differences and marker.is_file() and marker.read_text(encoding="utf-8") != data_fingerprint:
            differences = [f"{config.prepared} was prepared anew"]
        if differences and any((self.path / name).exists() for name in ("best", "last", "journal.jsonl")):
            kept = self._set_aside()
            notes.append(f"{self.path} held a run with other settings ({'; '.join(differences[:4])}); it is now {kept}")
        self.path.mkdir(parents=True, exist_ok=True)
        files.write_text(self.config_file, settings.to_yaml(config))
        files.write_text(marker, data_fingerprint)
        return notes

    def _set_aside(self) -> Path:
        number = 1
        while (kept := self.path.with_name(f"{self.path.name}.before{number}")).exists():
            number += 1
        self.path.rename(kept)
        return kept

    def save_best(self, trained: TrainedModel) -> None:
        """Keep this model as the best."""
        self.check_space(trained.model, copies=1)
        with files.new_folder(self.path / "best") as folder:
            write_model(trained, folder)

    def save_last(
        self, trained: TrainedModel, counters: Counters, model: torch.nn.Module, optimizer: torch.optim.Optimizer,
        average: Average,
    ) -> None:  # fmt: skip
        """Keep where the run stands."""
        self.check_space(
            model, copies=5
        )  # the model, its raw and averaged weights, and two numbers a weight of the optimiser
        with files.new_folder(self.path / "last") as folder:
            write_model(trained, folder)
            save_state(folder / STATE_FILE, counters, model, optimizer, average)

    def complete(self, decode: DecodeConfig) -> list[str]:
        """Make good what is missing or has other search settings in a finished run; says what it did."""
        said = []
        if not (self.path / "best" / WEIGHTS).is_file():
            with files.new_folder(self.path / "best") as folder:
                shutil.copytree(self.path / "last", folder, dirs_exist_ok=True, ignore=lambda *_: [STATE_FILE])
            said.append(f"{self.path / 'best'} was missing: the last model is put there")
        for folder in (self.path / "best", self.path / "last"):
            if (saved := read_config(folder)).decode != decode:
                write_config(dataclasses.replace(saved, decode=decode), folder)
                said.append(f"{folder} now searches with {decode}")
        return said

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out while this one trains; the system lifts the lock when a process dies.

        Raises:
            CheckpointError: another process is training here.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.path.with_name(f".{self.path.name}.lock")  # beside the folder, which may be renamed
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CheckpointError(
                    f"{self.path} is being trained by another process: wait for it, or give name=... for another run"
                ) from None
            yield

    def check_space(self, model: torch.nn.Module, *, copies: int) -> None:
        needed = copies * sum(p.numel() * p.element_size() for p in model.parameters())
        free = shutil.disk_usage(self.path if self.path.exists() else self.path.parent).free
        if free < needed:
            raise CheckpointError(
                f"{self.path}: saving needs {needed / 2**20:,.0f} MiB, but the disk has {free / 2**20:,.0f} MiB left; "
                "the checkpoint before is untouched: make room and run the same command again"
            )


def _flat(node: Any, path: str = "") -> dict[str, Any]:
    if not dataclasses.is_dataclass(node):
        return {path.rstrip("."): node}
    values: dict[str, Any] = {}
    for field in dataclasses.fields(node):
        values.update(_flat(getattr(node, field.name), f"{path}{field.name}."))
    return values
