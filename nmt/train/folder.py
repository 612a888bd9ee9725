"""The folder of a run.

runs/NAME/
├── config.yaml     the settings it is trained with
├── journal.jsonl   what happened
├── samples.txt     how a few dev sentences were translated at each look
├── best/           the model with the best dev score; best.2, best.3 ... the next ones (train.keep_best)
└── last/           the model as it stands, with training.pt to go on from; last.2 ... older ones (train.keep_last)
"""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from nmt import files, settings
from nmt.checkpoint import NEVER_CHANGED, WEIGHTS, TrainedModel, read_card, read_config, write_config, write_model
from nmt.config import DecodeConfig, RunConfig
from nmt.errors import CheckpointError, ConfigError, NmtError
from nmt.train.state import STATE_FILE, Counters, save_state
from nmt.train.update import Updater
from nmt.train.validate import DevSet

# Settings that may differ when a run goes on: they say how long and how closely it is watched, not what is learnt.
FREE = (
    "name", "device", "threads", "decode", "train.max_minutes", "train.max_steps", "train.validate_every_minutes",
    "train.validate_every_steps", "train.patience", "train.keep_last", "train.keep_best", "train.samples",
    "train.skip_limit", "train.curves", "resume",
)  # fmt: skip
# With resume=changed these may differ too: the weights and the optimiser's state fit all the same.
MAY_CHANGE = ("optim.", "train.", "precision:", "prepared:", "seed:", "model.dropout:", "model.word_dropout:")
COPIES_LAST = 5  # in `last`: the model, its raw and averaged weights, and two numbers a weight of the optimiser


class RunFolder:
    """Where a run writes, and what it finds there when it begins again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.yaml"

    def places(self, name: str, number: int) -> list[Path]:
        """Where the `number` newest or best are: `last`, `last.2` ..."""
        return [self.path / (name if index == 1 else f"{name}.{index}") for index in range(1, number + 1)]

    def states(self) -> list[Path]:
        """Saved states that are there, the newest first."""
        last = self.path / "last"
        older = sorted(self.path.glob("last.[0-9]*"), key=lambda path: path.suffix.zfill(9))
        folders = [last, files.previous(last), *(path for path in older if path.suffix[1:].isdigit())]
        return [folder for folder in folders if (folder / STATE_FILE).is_file()]

    def resume(self, load: Callable[[Path], Counters]) -> tuple[Counters, list[str]]:
        """The newest saved state that is whole, loaded, and what the person should know about those that are not.

        Raises:
            CheckpointError: there are states, and none of them is whole.
        """
        notes: list[str] = []
        damaged: list[Path] = []
        for folder in self.states():
            try:
                if wrong := files.damage(folder):
                    raise CheckpointError(f"{folder} is damaged: {wrong}")
                counters = load(folder / STATE_FILE)
            except CheckpointError as error:
                notes.append(str(error))
                damaged.append(folder)
                continue
            for path in damaged:  # or the next save would push out the whole one and keep this
                shutil.rmtree(aside := path.with_name(f"{path.name}.damaged"), ignore_errors=True)
                path.rename(aside)
                notes.append(f"{path} is now {aside.name}; {folder}, of step {counters.step:,}, is used instead")
            return counters, notes
        if damaged:
            raise CheckpointError(
                f"{'; '.join(notes)}; there is no other to go on from: remove the run's folder, or give name=... for a "
                "new run"
            )
        return Counters(), notes

    @property
    def best_card(self) -> dict[str, Any]:
        """The card of the best model that lies here, which may be newer than the last saved state."""
        best = self.path / "best"
        return read_card(best) if (best / WEIGHTS).is_file() else {}

    @staticmethod
    def _value(folder: Path) -> float:
        """The dev score of a model by which it is kept; higher is better."""
        if not (folder / WEIGHTS).is_file():
            return -math.inf
        value = read_card(folder).get("dev_value")
        return -math.inf if value is None else float(value)

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

    def begin(self, config: RunConfig, data_fingerprint: str, trained: TrainedModel) -> list[str]:
        """Make the folder ready for a run with these settings; returns what the person should know.

        A run with other settings that is found here is kept beside it, never overwritten.
        """
        notes = []
        marker = self.path / "data.txt"
        differences = self.differences(config)
        if differences and config.resume == "changed" and self.states():
            notes.append(f"going on with changed settings: {_allowed(differences, self.path)}")
            self._check_vocabularies(trained)
            differences = []
        if (
            not differences
            and config.resume == "same"
            and marker.is_file()
            and marker.read_text(encoding="utf-8") != data_fingerprint
        ):
            differences = [f"{config.prepared} was prepared anew"]
        if differences and any((self.path / name).exists() for name in ("best", "last", "journal.jsonl")):
            kept = self._set_aside()
            notes.append(f"{self.path} held a run with other settings ({'; '.join(differences[:4])}); it is now {kept}")
        self.path.mkdir(parents=True, exist_ok=True)
        files.write_text(self.config_file, settings.to_yaml(config))
        files.write_text(marker, data_fingerprint)
        return notes

    def _check_vocabularies(self, trained: TrainedModel) -> None:
        for name, tokenizer in (("source", trained.source_tokenizer), ("target", trained.target_tokenizer)):
            if (self.states()[0] / f"{name}.spm").read_bytes() != tokenizer.to_bytes():
                raise ConfigError(
                    f"{self.path} can not go on with text of another {name} vocabulary: prepare the new text with the "
                    "vocabulary of the old one, or leave out resume=changed to begin a new run"
                )

    def _set_aside(self) -> Path:
        number = 1
        while (kept := self.path.with_name(f"{self.path.name}.before{number}")).exists():
            number += 1
        self.path.rename(kept)
        return kept

    def save_best(self, trained: TrainedModel, *, is_best: bool, keep: int = 1) -> None:
        """Keep this model if it is the best, or among the `keep` best by the dev score of their cards."""
        places = self.places("best", keep)
        better = [path for path in places if self._value(path) >= trained.card["dev_value"]]
        better = [] if is_best else better or places[:1]
        if len(better) == keep:
            return
        with (
            self._saved(trained.model, copies=1),
            files.new_folder(places[len(better)], older=places[len(better) + 1 :]) as folder,
        ):
            write_model(trained, folder)

    def save_last(
        self, trained: TrainedModel, counters: Counters, updater: Updater, random: list[dict[str, Any]], *, keep: int
    ) -> None:
        """Keep where the run stands, and the `keep` - 1 states before."""
        last, *older = self.places("last", keep)
        with self._saved(updater.model, copies=COPIES_LAST), files.new_folder(last, older=older) as folder:
            write_model(trained, folder)
            save_state(folder / STATE_FILE, counters, updater, random)
            files.write_manifest(folder, [*NEVER_CHANGED, STATE_FILE])

    @contextmanager
    def _saved(self, model: torch.nn.Module, *, copies: int) -> Iterator[None]:
        """Look for room first; say what a save that fails all the same means for the person."""
        self.check_space(model, copies=copies)
        try:
            yield
        except (
            OSError,
            RuntimeError,
            SafetensorError,
        ) as error:  # torch and safetensors have their own for a full disk
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error).splitlines()[0]
            raise CheckpointError(
                f"{self.path} can not be saved ({why}); the checkpoint before is untouched: make room, or mend what is "
                "wrong with the folder, and run the same command again"
            ) from error

    def add_samples(self, step: int, dev: DevSet, hypotheses: list[str], number: int) -> None:
        """Write down how the first dev sentences are translated by now."""
        if not number:
            return
        lines = [f"step {step:,}"]
        for source, reference, hypothesis in islice(
            zip(dev.sources, dev.references[0], hypotheses, strict=True), number
        ):
            lines += [f"  source     {source}", f"  reference  {reference or ''}", f"  model      {hypothesis}", ""]
        with (self.path / "samples.txt").open("a", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(lines) + "\n")

    def complete(self, decode: DecodeConfig) -> list[str]:
        """Make good what is missing or has other search settings in a finished run; says what it did."""
        said = []
        if not (self.path / "best" / WEIGHTS).is_file():
            with files.new_folder(self.path / "best") as folder:
                shutil.copytree(self.path / "last", folder, dirs_exist_ok=True, ignore=lambda *_: [STATE_FILE])
                files.write_manifest(folder, NEVER_CHANGED)
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

    def check_space_of_run(self, model: torch.nn.Module, *, keep_last: int, keep_best: int) -> None:
        """Is there room for all that the run will keep, and for one more while it is written?"""
        to_come = [
            sum(not path.exists() for path in self.places(*kept)) for kept in (("last", keep_last), ("best", keep_best))
        ]
        self.check_space(model, copies=COPIES_LAST * (to_come[0] + 1) + to_come[1])

    def check_space(self, model: torch.nn.Module, *, copies: int) -> None:
        needed = copies * sum(p.numel() * p.element_size() for p in model.parameters())
        existing = next(path for path in (self.path, *self.path.absolute().parents) if path.exists())
        free = shutil.disk_usage(existing).free
        if free < needed:
            raise CheckpointError(
                f"{self.path}: saving needs {needed / 2**20:,.0f} MiB, but the disk has {free / 2**20:,.0f} MiB left; "
                "the checkpoint before is untouched: make room and run the same command again"
            )


def _allowed(differences: list[str], path: Path) -> str:
    """These differences in one line.

    Raises:
        ConfigError: a run can not go on with one of them.
    """
    fixed = [line for line in differences if not line.startswith(MAY_CHANGE) or line.startswith("train.metric:")]
    if fixed:
        raise ConfigError(
            f"{path} can not go on with another {fixed[0]}: leave out resume=changed to begin a new run, or take the "
            "setting back"
        )
    return "; ".join(differences)


def _flat(node: Any, path: str = "") -> dict[str, Any]:
    if not dataclasses.is_dataclass(node):
        return {path.rstrip("."): node}
    values: dict[str, Any] = {}
    for field in dataclasses.fields(node):
        values.update(_flat(getattr(node, field.name), f"{path}{field.name}."))
    return values
