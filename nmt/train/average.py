"""An exponential moving average of the weights (Polyak & Juditsky 1992): the model that is validated and kept."""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from nmt.model.seq2seq import Seq2Seq


class Average:
    """w' = d w' + (1 - d) w after every update; with d = 0 it is the model itself.

    The decay starts low, min(d, (1 + n) / (10 + n)) after n updates, so that early weights are soon forgotten.
    """

    def __init__(self, model: Seq2Seq, decay: float) -> None:
        self.source = model
        self.decay = decay
        self.model = copy.deepcopy(model).eval() if decay else model

    def update(self, step: int) -> None:
        """Take in the weights after update number `step`."""
        if self.decay:
            decay = min(self.decay, (1 + step) / (10 + step))
            mine: list[Tensor] = list(self.model.parameters())
            new = [parameter.detach() for parameter in self.source.parameters()]
            with torch.no_grad():
                torch._foreach_lerp_(mine, new, 1.0 - decay)
