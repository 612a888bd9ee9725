"""A lexical model beside any decoder (Nguyen & Chiang 2018, https://arxiv.org/abs/1710.01329).

The attention weights are read as a word alignment, and the words themselves are translated: the weighted sum of the
source *embeddings*, not of the encoder's states, goes through a small network straight to the output layer,

    l_t = tanh(sum_s a_ts x_s);    features_t += W (l_t + tanh(U l_t))

A word and its translation are tied at once, without the way through encoder and decoder, and the weights hear at once
whether they looked at the right word. With the output layer tied to the target embeddings Y, Y W is a dictionary: the
score of each target piece for what was looked at.

Shapes: B sentences, T target pieces, S source pieces, I features of an embedding.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.model.attention import weighted_sum
from nmt.model.embedding import SentenceDropout


class LexicalModel(nn.Module):
    """What the words looked at add to the features of the output layer."""

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width, bias=False)
        self.dropout = SentenceDropout(dropout)

    def forward(self, weights: Tensor, words: Tensor) -> Tensor:
        """(B, T, S) attention weights and (B, S, I) embedded source pieces -> (B, T, I), to add to the features."""
        looked_at = torch.tanh(weighted_sum(weights.to(words.dtype), words))
        added: Tensor = self.dropout(self.outer(looked_at + torch.tanh(self.inner(looked_at))))
        return added
