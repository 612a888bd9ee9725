"""Everything beside the model folder that a run needs to go on where it stopped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from nmt.errors import CheckpointError
from nmt.train.average import Average
from nmt.train.examples import Place
from nmt.train.limits import Limits

STATE_FILE = "training.pt"


@dataclass(slots=True)
class Counters:
    """Numbers that a run carries on."""

    step: int = 0
    seconds: float = 0.0
    epoch: int = 0
    batch: int = 0
    epochs_done: float = 0.0
    tokens: int = 0
    best_bleu: float = -1.0
    without_better: int = 0
    last_look_step: int = 0
    last_look_seconds: float = 0.0
    finished: str = ""
    """The limits that ended the run; with others it may go on."""

    def is_over(self, limits: Limits) -> bool:
        """Whether the run has ended, by these limits or by longer ones."""
        return bool(self.finished) and (self.finished == limits.name or limits.progress >= 1.0)

    @property
    def place(self) -> Place:
        """Where in the corpus the run stands."""
        return Place(self.epoch, self.batch)


def save_state(
    path: Path, counters: Counters, model: torch.nn.Module, optimizer: torch.optim.Optimizer, average: Average
) -> None:
    """Write weights, their average, optimiser, counters and random state (tensors and numbers only)."""
    state = {
        "counters": asdict(counters),
        "model": model.state_dict(),
        "average": average.model.state_dict() if average.decay else {},
        "optimizer": optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "random_cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    torch.save(state, path)


def load_state(path: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, average: Average) -> Counters:
    """Put back what `save_state` wrote.

    Raises:
        CheckpointError: the file is damaged, or another version of nmt wrote it.
    """
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        counters = Counters(**state["counters"])
        model.load_state_dict(state["model"])
        if average.decay:
            average.model.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        if torch.cuda.is_available() and state["random_cuda"]:
            torch.cuda.set_rng_state_all(state["random_cuda"])
    except Exception as error:  # torch raises half a dozen kinds for a file that is cut short or of another version
        raise CheckpointError(
            f"{path} is damaged or of another version, and the run can not go on from it ({type(error).__name__})"
        ) from None
    return counters
