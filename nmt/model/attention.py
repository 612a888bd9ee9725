r"""The idea at the heart of this toolkit: attention = score, normalise, weighted sum.

              query q_t      keys k_1 .. k_S                values v_1 .. v_S
                    \         /                                    |
    stage 1       score(q_t, k_s)        e_ts   a real number       |
                        |                                           |
    stage 2       normalise over s       a_ts   rows sum to one     |
                         \________________________________________ /
    stage 3                 sum over s of a_ts v_s   =   c_t, the context

Query, key and value are three separate arguments. When all three are the same sequence it is self-attention; when the
query is the translation so far and keys and values are the source, the weights are a soft word alignment. Any score of
`nmt.model.score` and any normaliser of `nmt.model.normalise` fits in. `docs/ATTENTION.md` works a small case by hand.

Shapes: T queries, S keys, D features of a key, E features of a value; `*batch` is any number of leading axes.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from nmt.model.normalise import Normaliser, masked_softmax
from nmt.model.score import Score


class Attended(NamedTuple):
    """What attention gives back."""

    context: Tensor  # (*batch, T, E)
    weights: Tensor | None  # (*batch, T, S); rows sum to one, or to zero where nothing may be seen; see `need_weights`


class Memory(NamedTuple):
    """What can be looked at: computed once per sentence, used at every step."""

    keys: Tensor  # (*batch, S, ...) as the score has prepared them
    values: Tensor  # (*batch, S, E)
    mask: Tensor | None  # broadcasts to (*batch, T, S); True = may be attended to
    need_weights: bool = False  # who wants to see the weights asks here; unasked, a fused kernel does not form them

    def keep(self, rows: Tensor) -> Memory:
        """Only these rows of the first axis (repeats allowed)."""
        mask = None if self.mask is None else self.mask.index_select(0, rows)
        return self._replace(keys=self.keys.index_select(0, rows), values=self.values.index_select(0, rows), mask=mask)


def weighted_sum(weights: Tensor, values: Tensor) -> Tensor:
    """Stage 3: c_t = sum over s of a_ts v_s. (*batch, T, S) and (*batch, S, E) -> (*batch, T, E)."""
    return weights @ values


class Attention(nn.Module):
    """c_t = sum_s normalise_s(score(q_t, k_s)) v_s, in the three stages one can read and look into."""

    def __init__(self, score: Score, normalise: Normaliser = masked_softmax, dropout: float = 0.0) -> None:
        super().__init__()
        self.score = score
        self.normalise = normalise
        self.dropout = nn.Dropout(dropout)  # of weights while training; those that are returned are whole

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Attended:
        """Look up `query` among `key`, and mix `value` accordingly.

        Args:
            query: (*batch, T, D).
            key: (*batch, S, D).
            value: (*batch, S, E).
            mask: broadcasts to (*batch, T, S); True = may be attended to.
        """
        return self.attend(query, self.remember(key, value, mask))

    def remember(self, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Memory:
        """Everything that does not depend on the query, as a value to keep."""
        return Memory(self.score.prepare(key), value, mask)

    def attend(self, query: Tensor, memory: Memory) -> Attended:
        """The three stages, for (*batch, T, D) queries."""
        scores = self.score(query, memory.keys)  # stage 1: (*batch, T, S)
        weights = self.normalise(scores, memory.mask)  # stage 2: (*batch, T, S)
        context = weighted_sum(self.dropout(weights), memory.values)  # stage 3: (*batch, T, E)
        return Attended(context, weights)


class SelfAttention(nn.Module):
    """The same object with one source for all three roles: query = key = value (the essay, section 3)."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, sequence: Tensor, mask: Tensor | None = None) -> Attended:
        """(B, S, D) sequence, every position of which looks at every position that the mask allows."""
        attended: Attended = self.attention(query=sequence, key=sequence, value=sequence, mask=mask)
        return attended
