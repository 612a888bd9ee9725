"""How long a run lasts: in minutes, in updates, or both, whichever ends first."""

from __future__ import annotations

import time

from nmt.config import TrainConfig
from nmt.train.ranks import Ranks


class Limits:
    """The clock and the counter of a run; its progress drives the learning rate."""

    def __init__(self, config: TrainConfig, *, step: int = 0, seconds: float = 0.0, ranks: Ranks | None = None) -> None:
        """Continue from `step` updates and `seconds` of training done earlier."""
        self.ranks = ranks or Ranks()
        self.agreed = seconds
        self.max_steps = config.max_steps
        self.max_seconds = None if config.max_minutes is None else 60.0 * config.max_minutes
        self.name = f"{config.max_steps} updates, {config.max_minutes} minutes, patience {config.patience}"
        self.step = step
        self.started = time.monotonic() - seconds
        self.reserve = 0.0

    def keep(self, seconds: float) -> None:
        """Keep this much of the time for what comes after the last update: a last look and a last save."""
        self.reserve = self.ranks.told(seconds)

    def agree(self, *, wanted: bool = False) -> bool:
        """Let all processes have the same time; returns whether any of them is `wanted` to stop."""
        self.agreed, asked = self.ranks.largest(time.monotonic() - self.started, float(wanted))
        return asked > 0

    @property
    def seconds(self) -> float:
        """Seconds of training so far, earlier parts of the run included."""
        return self.agreed if self.ranks.world > 1 else time.monotonic() - self.started

    @property
    def progress(self) -> float:
        """Share of the run that is done, 0 to 1."""
        shares = [0.0]
        if self.max_steps is not None:
            shares.append(self.step / self.max_steps)
        if self.max_seconds is not None:
            shares.append(self.seconds / max(self.max_seconds - self.reserve, 1e-9))
        return min(max(shares), 1.0)

    @property
    def seconds_left(self) -> float:
        """An estimate: what was done took as long as the clock says."""
        progress = self.progress
        return self.seconds * (1.0 - progress) / progress if progress else 0.0

    def describe(self) -> str:
        """For people: "step 300 of 1,000", "6.0 of 6 minutes"."""
        parts = []
        if self.max_steps is not None:
            parts.append(f"step {self.step:,} of {self.max_steps:,}")
        if self.max_seconds is not None:
            parts.append(f"{self.seconds / 60:.1f} of {self.max_seconds / 60:g} minutes")
        return ", ".join(parts)


class Every:
    """Is it time again? Every so many updates, every so many seconds, or both."""

    def __init__(
        self, *, steps: int | None, minutes: float | None, limits: Limits, last_step: int, last_seconds: float
    ) -> None:
        """Count from the last time, which may have been in an earlier part of the run."""
        self.steps = steps
        self.seconds = None if minutes is None else 60.0 * minutes
        self.limits = limits
        self.last_step, self.last_seconds = last_step, last_seconds

    def mark(self) -> None:
        """It was done just now."""
        self.last_step, self.last_seconds = self.limits.step, self.limits.seconds

    def due(self) -> bool:
        """Whether it should be done after this update."""
        by_steps = self.steps is not None and self.limits.step - self.last_step >= self.steps
        by_time = self.seconds is not None and self.limits.seconds - self.last_seconds >= self.seconds
        return by_steps or by_time
