"""The learning rate as a pure function of how much of the run is done."""

import math

from nmt.config import OptimConfig


def learning_rate(progress: float, config: OptimConfig) -> float:
    """Linear warm-up, then half a cosine (Loshchilov & Hutter 2017, https://arxiv.org/abs/1608.03983) to the floor.

    Args:
        progress: share of the run that is done, 0 to 1, counted in steps or in minutes, whichever ends the run.
        config: highest rate, share of warm-up and share at the end.
    """
    progress = min(max(progress, 0.0), 1.0)
    if progress < config.warmup:
        return config.lr * max(progress / config.warmup, 0.01)
    falling = (progress - config.warmup) / (1.0 - config.warmup)
    return config.lr * (config.floor + (1.0 - config.floor) * 0.5 * (1.0 + math.cos(math.pi * falling)))
