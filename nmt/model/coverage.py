"""Coverage: what has been looked at already has a say in where to look next.

With c_ts = a_1s + .. + a_{t-1,s}, the weights that source piece s has been given before step t, and a learned vector u,

    e_ts = score(q_t, k_s + c_ts u)

where k_s is the key as the score has prepared it. For `mlp` this is v . tanh(W q_t + U k_s + u c_ts), the linguistic
coverage of Tu et al. 2016 (section 3.1.1, https://arxiv.org/abs/1601.04811, with every fertility 1); See et al. 2017
(https://arxiv.org/abs/1704.04368) have the same score and add a loss for summaries, which translation does without.
For dot scores it is e_ts = q_t . k_s + c_ts (q_t . u). Shapes: B sentences, S source pieces, P features of a prepared
key.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.model.attention import Memory
from nmt.model.score import Score


class Coverage(nn.Module):
    """Adds what was looked at to the keys of any score. It starts at zero: as without coverage."""

    def __init__(self, score: Score, width: int) -> None:
        super().__init__()
        prepared = score.prepare(torch.zeros(1, 1, width))
        self.into_key = nn.Parameter(torch.zeros(prepared.size(-1)))

    def forward(self, memory: Memory, covered: Tensor) -> Memory:
        """A memory and (B, 1, S) weights given so far -> the memory as it looks now."""
        keys = torch.addcmul(memory.keys, covered.transpose(1, 2), self.into_key)
        return memory._replace(keys=keys, need_weights=True)  # they are what is counted
