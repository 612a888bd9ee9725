"""Training: batch, loss, step; now and then look at the dev set, keep the best, save the last.

The parts are made in `train`; what happens to a batch stands in `Trainer.update`, and when things happen in
`Trainer.run`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nmt.checkpoint import TrainedModel, with_card
from nmt.config import RunConfig
from nmt.data.batch import Batch
from nmt.decode.translator import Translator
from nmt.device import autocast
from nmt.errors import ConfigError
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import Seq2Seq
from nmt.train.average import Average
from nmt.train.examples import Examples
from nmt.train.folder import RunFolder
from nmt.train.interrupt import Interrupts
from nmt.train.journal import Journal
from nmt.train.limits import Every, Limits
from nmt.train.loss import token_loss
from nmt.train.schedule import learning_rate
from nmt.train.setup import Parts, build_parts
from nmt.train.state import Counters
from nmt.train.validate import DevSet, validate

JOURNAL_STEPS = 10  # updates between two lines of the journal


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What came of a run."""

    dev_bleu: float
    stopped: str  # `finished`, `interrupted` (Ctrl-C) or `terminated` (SIGTERM)
    folder: Path


def train(config: RunConfig, folder: Path) -> TrainResult:
    """Train a model in `folder`, going on from what is there.

    Raises:
        DataError: the prepared folder is missing or has nothing to train on.
        ConfigError: the settings contradict each other or the machine.
        CheckpointError: an earlier part of the run is damaged.
    """
    run_folder = RunFolder(folder)
    with run_folder.lock():
        parts = build_parts(config, run_folder)
        with Journal(run_folder.path) as journal, Interrupts() as interrupts:
            for line in parts.notes:
                journal.say(line)
            counters = parts.counters
            if counters.is_over(Limits(config.train, step=counters.step, seconds=counters.seconds)):
                for line in run_folder.complete(config.decode):
                    journal.say(line)
                journal.say(f"{folder} is already trained: {counters.step:,} updates, nothing to do")
                return TrainResult(counters.best_bleu, "finished", folder)
            return Trainer(config, parts, run_folder, journal, interrupts).run()


class Trainer:
    """One run from where it stands to its end."""

    def __init__(
        self, config: RunConfig, parts: Parts, folder: RunFolder, journal: Journal, interrupts: Interrupts
    ) -> None:
        self.config, self.folder, self.journal, self.interrupts = config, folder, journal, interrupts
        self.model: Seq2Seq = parts.model
        self.optimizer: torch.optim.Optimizer = parts.optimizer
        self.average: Average = parts.average
        self.examples: Examples = parts.examples
        self.counters: Counters = parts.counters
        self.translator: Translator = parts.translator
        self.dev: DevSet = parts.dev
        self.device, self.precision = parts.device, parts.precision
        settings = config.train
        self.limits = Limits(settings, step=self.counters.step, seconds=self.counters.seconds)
        self.look = Every(
            steps=settings.validate_every_steps,
            minutes=settings.validate_every_minutes,
            limits=self.limits,
            last_step=self.counters.last_look_step,
            last_seconds=self.counters.last_look_seconds,
        )
        self.recent = _Recent()

    def run(self) -> TrainResult:
        """Train until the limits are reached, patience is lost, or somebody asks to stop."""
        self.journal.start(self.config.name, self.limits.progress)
        for batch, place, epochs in self.examples.batches(self.counters.place):
            loss = self.update(batch)
            self.counters.epoch, self.counters.batch = place
            self.counters.epochs_done = epochs
            self.report(loss, batch.num_tokens)
            ended = self.limits.progress >= 1.0
            if self.interrupts.wanted:
                return self.interrupted()
            if ended or self.look.due():
                self.validate(last=ended)
                if self.counters.finished:
                    return self.finished()
        raise AssertionError("batches never end")

    def update(self, batch: Batch) -> float:
        """One step of gradient descent; returns the plain loss for each target piece."""
        self.limits.step += 1
        rate = learning_rate(self.limits.progress, self.config.optim)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = batch.to(self.device)
        real = padding_mask(batch.target_lengths, batch.target_out.size(1))
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.device, self.precision):
            features = self.model(batch.source_ids, batch.source_lengths, batch.target_in).features
            smoothed, plain = token_loss(
                features[real],
                self.model.target.weight,
                self.model.output_bias,
                batch.target_out[real],
                smoothing=self.config.optim.label_smoothing,
            )
        pieces = int(batch.target_lengths.sum())
        (smoothed / pieces).backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.optim.clip)
        if not torch.isfinite(norm):
            raise ConfigError(
                f"the gradient is no longer finite at step {self.limits.step:,}: try a lower optim.lr than {rate:.2g} "
                "or optim.clip; what was saved before is untouched"
            )
        self.optimizer.step()
        self.average.update(self.limits.step)
        self.counters.tokens += batch.num_tokens
        return float(plain) / pieces

    def report(self, loss: float, tokens: int) -> None:
        """Tell the journal, every few updates."""
        self.recent.add(loss, tokens)
        if self.limits.step % JOURNAL_STEPS == 0:
            mean_loss, speed = self.recent.take()
            self.journal.step(
                progress=self.limits.progress,
                seconds_left=self.limits.seconds_left,
                step=self.limits.step,
                epoch=round(self.counters.epochs_done, 4),
                loss=round(mean_loss, 4),
                tokens_per_second=round(speed),
                lr=self.optimizer.param_groups[0]["lr"],
                seconds=round(self.limits.seconds, 1),
            )

    def validate(self, *, last: bool = False) -> None:
        """Look at the dev set; keep the model if it is the best so far, and save where the run stands."""
        began = time.monotonic()
        with torch.random.fork_rng(devices=[]):
            self.average.model.eval()
            found = validate(self.translator, self.dev)
            self.model.train()
        is_best = found.bleu.value > self.counters.best_bleu
        self.counters.without_better = 0 if is_best else self.counters.without_better + 1
        if is_best:
            self.counters.best_bleu = found.bleu.value
        self.journal.validated(
            bleu=round(found.bleu.value, 2),
            is_best=is_best,
            loss=round(found.loss, 4),
            step=self.limits.step,
            sentences=len(self.dev.sources),
            seconds=round(self.limits.seconds, 1),
        )
        score = {
            "set": f"dev ({len(self.dev.sources)} sentences, greedy)",
            "bleu": round(found.bleu.value, 2),
            "signature": found.bleu.signature,
        }
        candidate = self.trained(score, dev_bleu=round(found.bleu.value, 2))
        self.folder.save_best(candidate, is_best=is_best, keep=self.config.train.keep_best)
        self.counters.finished = self.limits.name if last or self.out_of_patience() else ""
        self.look.mark()
        self.counters.last_look_step, self.counters.last_look_seconds = self.look.last_step, self.look.last_seconds
        self.save(score)
        self.limits.keep(1.25 * (time.monotonic() - began))  # the last look may take a little longer
        self.recent.restart()

    def trained(self, *scores: dict[str, Any], **more: Any) -> TrainedModel:
        """The model as it is now, with its card filled in."""
        seconds = self.limits.seconds
        entries = {
            "train_steps": self.limits.step,
            "train_minutes": round(seconds / 60, 2),
            "tokens_per_second": round(self.counters.tokens / max(seconds, 1e-9)),
            "dev_bleu": round(self.counters.best_bleu, 2),
            "scores": list(scores),
        }
        return with_card(self.translator.trained, **entries | more)

    def save(self, *scores: dict[str, Any]) -> None:
        """Save where the run stands."""
        self.counters.step, self.counters.seconds = self.limits.step, self.limits.seconds
        self.folder.save_last(
            self.trained(*scores), self.counters, self.model, self.optimizer, self.average,
            keep=self.config.train.keep_last,
        )  # fmt: skip

    def out_of_patience(self) -> bool:
        """Whether the dev BLEU has not risen for too many looks."""
        patience = self.config.train.patience
        return patience is not None and self.counters.without_better >= patience

    def finished(self) -> TrainResult:
        """The end of a run."""
        self.journal.say(
            f"{self.folder.path} is trained: {self.limits.describe()}, {self.limits.step:,} updates, "
            f"best dev BLEU {self.counters.best_bleu:.2f}; the model is in {self.folder.path / 'best'}"
        )
        return TrainResult(self.counters.best_bleu, "finished", self.folder.path)

    def interrupted(self) -> TrainResult:
        """Save, and say how to go on."""
        self.save()
        self.journal.say(
            f"{self.interrupts.kind} at {self.limits.describe()}: saved in {self.folder.path / 'last'}; "
            "the same command goes on from there"
        )
        return TrainResult(self.counters.best_bleu, self.interrupts.kind, self.folder.path)


class _Recent:
    """Loss and speed since the last report."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.tokens = 0
        self.restart()

    def restart(self) -> None:
        """Leave out the time that was spent on something else."""
        self.losses, self.tokens, self.began = [], 0, time.monotonic()

    def add(self, loss: float, tokens: int) -> None:
        self.losses.append(loss)
        self.tokens += tokens

    def take(self) -> tuple[float, float]:
        """Mean loss and tokens a second; starts anew."""
        mean = sum(self.losses) / max(len(self.losses), 1)
        speed = self.tokens / max(time.monotonic() - self.began, 1e-9)
        self.restart()
        return mean, speed
