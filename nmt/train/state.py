"""Everything beside the model folder that a run needs to go on where it stopped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from nmt.errors import CheckpointError
from nmt.train.examples import Place
from nmt.train.limits import Limits
from nmt.train.update import Updater

STATE_FILE = "training.pt"


@dataclass(slots=True)
class Counters:
    """Numbers that a run carries on."""

    step: int = 0
    seconds: float = 0.0
    progress: float = 0.0
    """Share of the run that was done, and the learning rate then."""
    rate: float = 0.0
    epoch: int = 0
    batch: int = 0
    epochs_done: float = 0.0
    tokens: int = 0
    best_bleu: float = -1.0
    best_value: float | None = None
    """Of the metric that decides, higher is better."""
    without_better: int = 0
    last_look_step: int = 0
    last_look_seconds: float = 0.0
    skipped: int = 0
    """Updates without a finite gradient, and how many of them came last, one after the other."""
    skipped_in_row: int = 0
    batches: str = ""
    """What makes the batches: of others, the place in the text means nothing."""
    finished: str = ""
    """The limits that ended the run; with others it may go on."""

    def is_over(self, limits: Limits) -> bool:
        """Whether the run has ended, by these limits or by longer ones."""
        return bool(self.finished) and (self.finished == limits.name or limits.progress >= 1.0)

    @property
    def place(self) -> Place:
        """Where in the corpus the run stands."""
        return Place(self.epoch, self.batch)


def random_state() -> dict[str, Any]:
    """Where the random generators of this process stand."""
    cuda = torch.cuda.is_available()
    return {"cpu": torch.get_rng_state(), "cuda": torch.cuda.get_rng_state_all() if cuda else []}


def save_state(path: Path, counters: Counters, updater: Updater, random: list[dict[str, Any]]) -> None:
    """Write weights, their average, optimiser, scaler, counters and each process's random state."""
    average = updater.average
    state = {
        "counters": asdict(counters),
        "model": updater.model.state_dict(),
        "average": average.model.state_dict() if average.decay else {},
        "optimizer": updater.optimizer.state_dict(),
        "scaler": updater.scaler.state_dict(),
        "random": random,
    }
    torch.save(state, path)


def load_state(path: Path, updater: Updater) -> Counters:
    """Put back what `save_state` wrote; options of the optimiser are those of the settings, which may be new.

    A process that the saved run did not have keeps the random state it has.

    Raises:
        CheckpointError: the file is damaged, or another version of nmt wrote it.
    """
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        counters = Counters(**state["counters"])
        updater.model.load_state_dict(state["model"])
        if updater.average.decay:
            updater.average.model.load_state_dict(state["average"] or state["model"])
        updater.optimizer.load_state_dict(state["optimizer"])
        for group in updater.optimizer.param_groups:
            group.update(updater.options())
        if updater.scaler.is_enabled() and state["scaler"]:
            updater.scaler.load_state_dict(state["scaler"])
        if updater.ranks.rank < len(state["random"]):
            random = state["random"][updater.ranks.rank]
            torch.set_rng_state(random["cpu"])
            if torch.cuda.is_available() and random["cuda"]:
                torch.cuda.set_rng_state_all(random["cuda"])
    except Exception as error:  # torch raises half a dozen kinds for a file that is cut short or of another version
        raise CheckpointError(
            f"{path} is damaged or of another version, and the run can not go on from it ({type(error).__name__})"
        ) from None
    return counters
