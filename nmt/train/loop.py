"""Training: batch, loss, step; now and then look at the dev set, keep the best, save the last.

The parts are made in `train`; what happens to a batch stands in `nmt/train/update.py`, and when things
happen in `Trainer.run`.
"""

from __future__ import annotations

import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nmt.checkpoint import TrainedModel, with_card
from nmt.config import RunConfig
from nmt.decode.translator import Translator
from nmt.device import choose_device
from nmt.errors import ConfigError
from nmt.evaluate.curves import plot
from nmt.train.examples import Examples, Work
from nmt.train.folder import RunFolder
from nmt.train.interrupt import Interrupts
from nmt.train.journal import Journal
from nmt.train.limits import Every, Limits
from nmt.train.ranks import Ranks, join
from nmt.train.recent import Recent, memory_in_use
from nmt.train.schedule import learning_rate
from nmt.train.setup import Parts, build_parts
from nmt.train.skips import Skips, check_memory
from nmt.train.state import Counters, random_state
from nmt.train.update import Outcome, Updater
from nmt.train.validate import DevSet, validate

JOURNAL_STEPS = 10  # updates between two lines of the journal


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What came of a run."""

    dev_bleu: float
    value: float | None  # of the metric that decides, higher is better
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
    with join(choose_device(config.device)) as ranks, run_folder.lock() if ranks.first else nullcontext():
        parts = build_parts(config, run_folder, ranks)
        with Journal(folder if ranks.first else None) as journal, Interrupts() as interrupts:
            for line in parts.notes:
                journal.say(line)
            counters = parts.counters
            limits = Limits(config.train, step=counters.step, seconds=counters.seconds)
            if counters.is_over(limits):
                for line in run_folder.complete(config.decode) if ranks.first else []:
                    journal.say(line)
                journal.say(f"{folder} is already trained: {counters.step:,} updates, nothing to do")
                return TrainResult(counters.best_bleu, counters.best_value, "finished", folder)
            return Trainer(config, parts, run_folder, journal, interrupts).run()


class Trainer:
    """One run from where it stands to its end."""

    def __init__(
        self, config: RunConfig, parts: Parts, folder: RunFolder, journal: Journal, interrupts: Interrupts
    ) -> None:
        self.config, self.folder, self.journal, self.interrupts = config, folder, journal, interrupts
        self.ranks: Ranks = parts.updater.ranks
        self.updater: Updater = parts.updater
        self.examples: Examples = parts.examples
        self.counters: Counters = parts.counters
        self.translator: Translator = parts.translator
        self.dev: DevSet = parts.dev
        self.skips = Skips(config, parts, folder)
        check_memory(self.updater, self.examples, config)
        settings = config.train
        self.limits = Limits(settings, step=self.counters.step, seconds=self.counters.seconds, ranks=self.ranks)
        self.look = Every(
            steps=settings.validate_every_steps,
            minutes=settings.validate_every_minutes,
            limits=self.limits,
            last_step=self.counters.last_look_step,
            last_seconds=self.counters.last_look_seconds,
        )
        self.recent = Recent()
        self.scores: list[dict[str, Any]] = []  # of the newest look, for cards

    def run(self) -> TrainResult:
        """Train until the limits are reached, patience is lost, or somebody asks to stop."""
        self.journal.start(self.config.name, self.limits.progress)
        for work in self.examples.work(self.counters.place):
            outcome = self.update(work)
            self.counters.epoch, self.counters.batch = work.place
            self.counters.epochs_done = work.epochs
            self.report(outcome, work)
            stop = self.limits.agree(wanted=self.interrupts.wanted)
            ended = self.limits.progress >= 1.0
            if stop:
                return self.interrupted()
            if ended or self.look.due():
                self.validate(last=ended)
                if self.counters.finished:
                    return self.finished()
        raise AssertionError("work never ends")

    def update(self, work: Work) -> Outcome:
        """One step of gradient descent."""
        self.limits.step += 1
        self.counters.progress = self.limits.progress
        self.counters.rate = learning_rate(self.counters.progress, self.config.optim)
        outcome = self.updater.update(work, step=self.limits.step, rate=self.counters.rate)
        self.counters.tokens += work.tokens
        return outcome

    def report(self, outcome: Outcome, work: Work) -> None:
        """Tell the journal, every few updates; count updates that were not made."""
        if said := self.skips.count(outcome, work, self.counters, step=self.limits.step):
            self.journal.record("skipped", **said)
        self.recent.add(outcome, work.tokens)
        if self.limits.step % JOURNAL_STEPS == 0:
            self.journal.step(
                progress=self.limits.progress,
                seconds_left=self.limits.seconds_left,
                step=self.limits.step,
                epoch=round(self.counters.epochs_done, 4),
                lr=self.counters.rate,
                seconds=round(self.limits.seconds, 1),
                skipped=self.counters.skipped,
                memory=memory_in_use(self.updater.device),
                **self.recent.take(),
            )

    def validate(self, *, last: bool = False) -> None:
        """Look at the dev set; keep the model if it is among the best, and save where the run stands."""
        began = time.monotonic()
        if self.ranks.first:
            self.look_at_dev()
        self.counters = self.ranks.told(self.counters)
        self.limits.agree()
        self.counters.finished = self.limits.name if last or self.out_of_patience() else ""
        self.look.mark()
        self.counters.last_look_step, self.counters.last_look_seconds = self.look.last_step, self.look.last_seconds
        self.save()
        self.limits.keep(1.25 * (time.monotonic() - began))  # the last look may take a little longer
        self.recent.restart()

    def look_at_dev(self) -> None:
        """What the first process does at a validation."""
        with torch.random.fork_rng(devices=[]):
            self.updater.average.model.eval()
            found = validate(self.translator, self.dev)
            self.updater.model.train()
        counters, settings = self.counters, self.config.train
        value = found.value(settings.metric)
        is_best = counters.best_value is None or value > counters.best_value
        counters.without_better = 0 if is_best else counters.without_better + 1
        if is_best:
            counters.best_value, counters.best_bleu = value, found.bleu.value
        self.journal.validated(found, is_best=is_best, step=self.limits.step, seconds=round(self.limits.seconds, 1))
        self.folder.add_samples(self.limits.step, self.dev, found.hypotheses, settings.samples)
        self.scores = [found.score(len(self.dev.sources))]
        candidate = self.trained(dev_bleu=round(found.bleu.value, 2), dev_value=value)
        self.folder.save_best(candidate, is_best=is_best, keep=settings.keep_best)

    def trained(self, **more: Any) -> TrainedModel:
        """The model as it is now, with its card filled in."""
        seconds = self.limits.seconds
        entries = {
            "train_steps": self.limits.step,
            "train_minutes": round(seconds / 60, 2),
            "tokens_per_second": round(self.counters.tokens / max(seconds, 1e-9)),
            "dev_bleu": round(self.counters.best_bleu, 2),
            "dev_value": self.counters.best_value,
            "scores": self.scores,
        }
        return with_card(self.translator.trained, **entries | more)

    def save(self) -> None:
        """Save where the run stands."""
        self.counters.step, self.counters.seconds = self.limits.step, self.limits.seconds
        random = self.ranks.gathered(random_state())
        if self.ranks.first:
            keep = self.config.train.keep_last
            self.folder.save_last(self.trained(), self.counters, self.updater, random, keep=keep)

    def out_of_patience(self) -> bool:
        """Whether the dev score has not risen for too many looks."""
        patience = self.config.train.patience
        return patience is not None and self.counters.without_better >= patience

    def finished(self) -> TrainResult:
        """The end of a run."""
        if self.config.train.curves and self.ranks.first:
            with suppress(ConfigError):  # matplotlib is not installed
                plot([self.folder.path], self.folder.path / "curves.png")
        self.journal.say(
            f"{self.folder.path} is trained: {self.limits.describe()}, {self.limits.step:,} updates, "
            f"best dev BLEU {self.counters.best_bleu:.2f}; the model is in {self.folder.path / 'best'}"
        )
        return TrainResult(self.counters.best_bleu, self.counters.best_value, "finished", self.folder.path)

    def interrupted(self) -> TrainResult:
        """Save, and say how to go on."""
        self.scores = []
        self.save()
        self.journal.say(
            f"{self.interrupts.kind} at {self.limits.describe()}: saved in {self.folder.path / 'last'}; "
            "the same command goes on from there"
        )
        return TrainResult(self.counters.best_bleu, self.counters.best_value, self.interrupts.kind, self.folder.path)
