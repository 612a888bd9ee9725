"""Stage 1 of attention: how well does a query match a key?

Every score maps queries (*batch, T, D) and keys (*batch, S, D) to one real number for each pair, (*batch, T, S). It
does so in two calls, because in translation the keys stay the same while the queries come one by one:

    prepared = score.prepare(key)      # what depends on the keys alone: once per sentence
    scores = score(query, prepared)    # the rest: at every step

Scoring step by step and scoring all queries at once give the same numbers. Shapes: T queries, S keys, D features.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Score(nn.Module):
    """What `nmt.model.attention.Attention` asks of a score."""

    def prepare(self, key: Tensor) -> Tensor:
        """The part of the work that needs the keys only; by default none."""
        return key

    def forward(self, query: Tensor, prepared: Tensor) -> Tensor:
        """(*batch, T, D) queries and prepared keys -> (*batch, T, S) scores."""
        raise NotImplementedError


class DotScore(Score):
    """e_ts = q_t . k_s (Luong et al. 2015, section 3.1, "dot", https://arxiv.org/abs/1508.04025).

    The base of every score that is a dot product of something made from the query alone (`prepare_query`) with
    something made from the key alone (`prepare`): none builds a (T, S, D) array, and a fused kernel can take them all.
    """

    def prepare_query(self, query: Tensor) -> Tensor:
        """The part of the work that needs the queries only; by default none."""
        return query

    def forward(self, query: Tensor, prepared: Tensor) -> Tensor:
        return self.prepare_query(query) @ prepared.transpose(-2, -1)


class ScaledDotScore(DotScore):
    """e_ts = q_t / sqrt(D) . k_s (Vaswani et al. 2017, section 3.2.1, https://arxiv.org/abs/1706.03762).

    The dot product of two random vectors grows with sqrt(D); the division keeps softmax away from its flat ends.
    """

    def prepare_query(self, query: Tensor) -> Tensor:
        return query / math.sqrt(query.size(-1))


class GeneralScore(DotScore):
    """e_ts = q_t . W k_s (Luong et al. 2015, section 3.1, "general").

    The bilinear form: W, of shape (D, D), learns which feature of a query belongs to which feature of a key. W k_s
    depends on the keys alone and is prepared once, so that a step costs no more than a dot product. What is learned is
    sqrt(D) W: then an optimiser like Adam, which changes every number by about the learning rate, moves a score as
    slowly as scaled dot products move. Learning W itself, softmax was at its flat ends within a few hundred updates
    (docs/RESULTS.md).
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.from_key = nn.Linear(width, width, bias=False)
        nn.init.xavier_uniform_(self.from_key.weight)  # Glorot & Bengio 2010: as long as k, on average

    def prepare(self, key: Tensor) -> Tensor:
        projected: Tensor = self.from_key(key)
        return projected / math.sqrt(key.size(-1))


class CosineScore(DotScore):
    """e_ts = cos(q_t, k_s) / tau, with tau > 0 learned (scores by similarity: Graves et al. 2014, section 3.3.1).

    A raw cosine lies in [-1, 1], so softmax over it is nearly uniform: over 30 keys no weight could exceed 0.20.
    The temperature tau gives it back the power to choose; its logarithm is the parameter, so it stays positive.
    Both sides are scaled to length one and multiplied.
    """

    def __init__(self, temperature: float = 0.1) -> None:
        super().__init__()
        self.log_temperature = nn.Parameter(torch.tensor(math.log(temperature)))

    def prepare(self, key: Tensor) -> Tensor:
        return unit(key)

    def prepare_query(self, query: Tensor) -> Tensor:
        return unit(query) / self.log_temperature.exp()


def unit(vectors: Tensor) -> Tensor:
    """Scaled to length one; a vector of zeros has no direction and stays zero, with zero gradient.

    Computed in float32 at least: float16 can not hold the squares.
    """
    exact = vectors.to(torch.promote_types(vectors.dtype, torch.float32))
    length = torch.linalg.vector_norm(exact, dim=-1, keepdim=True)
    scaled: Tensor = exact / length.masked_fill(length < 1e-6, math.inf)
    return scaled.to(vectors.dtype)


class MlpScore(Score):
    """e_ts = v . tanh(W q_t + U k_s) (Bahdanau et al. 2015, section A.1.2, https://arxiv.org/abs/1409.0473).

    The "additional neural network" of the essay. U k_s depends on the keys alone and is prepared once.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.from_query = nn.Linear(width, hidden, bias=False)
        self.from_key = nn.Linear(width, hidden)
        self.to_score = nn.Linear(hidden, 1, bias=False)

    def prepare(self, key: Tensor) -> Tensor:
        projected: Tensor = self.from_key(key)
        return projected

    def forward(self, query: Tensor, prepared: Tensor) -> Tensor:
        both = self.from_query(query).unsqueeze(-2) + prepared.unsqueeze(-3)  # (*batch, T, S, hidden)
        scores: Tensor = self.to_score(torch.tanh(both)).squeeze(-1)
        return scores
