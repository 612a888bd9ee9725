"""What the journal tells of the last few updates: means, speed, memory."""

from __future__ import annotations

import sys
import time

import torch

from nmt.train.update import Outcome


class Recent:
    """Loss, gradient norm and speed since the last report."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Leave out the time that was spent on something else."""
        self.losses: list[float] = []
        self.norms: list[float] = []
        self.tokens, self.began = 0, time.monotonic()

    def add(self, outcome: Outcome, tokens: int) -> None:
        if outcome.made:
            self.losses.append(outcome.loss)
            self.norms.append(outcome.norm)
        self.tokens += tokens

    def take(self) -> dict[str, float]:
        """Mean loss and norm, tokens a second; starts anew."""
        number = max(len(self.losses), 1)
        found = {
            "loss": round(sum(self.losses) / number, 4),
            "norm": round(sum(self.norms) / number, 4),
            "tokens_per_second": round(self.tokens / max(time.monotonic() - self.began, 1e-9)),
        }
        self.restart()
        return found


def memory_in_use(device: torch.device) -> int:
    """MiB: the most a GPU has held so far, or the most this process has."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device) >> 20)
    try:
        import resource
    except ImportError:  # Windows
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used >> 20 if sys.platform == "darwin" else used >> 10
