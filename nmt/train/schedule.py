"""The learning rate as a pure function of how much of the run is done."""

import math

from nmt.config import OptimConfig


def learning_rate(progress: float, config: OptimConfig) -> float:
    """Linear warm-up to the highest rate, then one of three ways down.

    - `cosine`: half a cosine to the floor (Loshchilov & Hutter 2017, https://arxiv.org/abs/1608.03983);
    - `inverse_sqrt`: with the root of the steps (Vaswani et al. 2017, section 5.3, https://arxiv.org/abs/1706.03762);
    - `constant`: no way down until the last share `decay` of the run, then a line to the floor (Zhai et al. 2022,
      https://arxiv.org/abs/2106.04560): the run can be made longer without anything being lost.

    Args:
        progress: share of the run that is done, 0 to 1, counted in steps or in minutes, whichever ends the run.
        config: highest rate, schedule, share of warm-up, share at the end.
    """
    progress = min(max(progress, 0.0), 1.0)
    if progress < config.warmup:
        return config.lr * max(progress / config.warmup, 0.01)
    if config.schedule == "inverse_sqrt":
        start = max(config.warmup, 0.01)
        return config.lr * max(math.sqrt(start / max(progress, start)), config.floor)
    if config.schedule == "constant":
        left = (1.0 - progress) / config.decay if config.decay else 1.0
        return config.lr * (config.floor + (1.0 - config.floor) * min(left, 1.0))
    falling = (progress - config.warmup) / (1.0 - config.warmup)
    return config.lr * (config.floor + (1.0 - config.floor) * 0.5 * (1.0 + math.cos(math.pi * falling)))
