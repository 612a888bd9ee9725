"""The fused sibling of `nmt.model.attention.Attention`: the same call and the same numbers, from torch's own kernel.

It works through queries and keys tile by tile and never holds the (T, S) scores and weights (Dao et al. 2022,
https://arxiv.org/abs/2205.14135). So it has no weights to give: whoever asks for them gets the three readable stages.
It can take any score that is a dot product, with softmax. Shapes as in `attention.py`.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from nmt.model.attention import Attended, Attention, Memory
from nmt.model.score import DotScore

CPU_KEYS = 64  # on a CPU, the least number of keys with which the kernel is the faster one: docs/ATTENTION.md


class FusedAttention(Attention):
    """c_t = sum_s softmax_s(score(q_t, k_s)) v_s in one call; the weights only where they are asked for.

    Args:
        score: a dot product.
        dropout: of weights while training.
        always: use the kernel wherever weights are not asked for; otherwise only where it is expected to be faster.
    """

    score: DotScore

    def __init__(self, score: DotScore, dropout: float = 0.0, *, always: bool = True) -> None:
        super().__init__(score, dropout=dropout)
        self.always = always

    def attend(self, query: Tensor, memory: Memory) -> Attended:
        """The three stages at once, for (*batch, T, D) queries."""
        if memory.need_weights or not (self.always or self._is_faster(memory)):
            return super().attend(query, memory)
        query, (keys, values, mask, _) = self.score.prepare_query(query), memory
        if one_head := query.dim() == 3:  # the kernel is for (B, H, T, D)
            query, keys, values = query.unsqueeze(1), keys.unsqueeze(1), values.unsqueeze(1)
            mask = None if mask is None else mask.unsqueeze(-3)
        if mask is not None:
            sees = mask.any(-1, keepdim=True)
            mask = mask | ~sees  # a row without visible keys sees all, so that nothing is NaN ...
        dropout = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask, dropout_p=dropout, scale=1.0)
        if mask is not None:
            context = context.masked_fill(~sees, 0.0)  # ... and then gets its zeros
        return Attended(context.squeeze(1) if one_head else context, None)

    def _is_faster(self, memory: Memory) -> bool:
        if memory.keys.device.type != "cpu":
            return True
        drops = self.training and self.dropout.p > 0.0  # for which torch has no fast kernel on a CPU
        return memory.keys.size(-2) >= CPU_KEYS and not drops
