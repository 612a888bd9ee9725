"""Beam search over any decoder.

Search is given functions, never a model: a state to begin with and a step from (last pieces, state) to log
probabilities and the next state. A hypothesis is finished by the end mark, or by the length limit of its sentence. Its
rank is the sum of its log probabilities divided by length ** penalty (as in Wu et al. 2016, section 7, without their
constant). Every sentence is searched on its own terms and leaves the batch when it is done, so neighbours never matter.

Shapes: B sentences still searched, K hypotheses of each, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

import torch
from torch import Tensor

LOWEST = float("-inf")


class State(Protocol):
    """What search does to a decoder's state: choose among rows, and nothing else."""

    def reorder(self: S, rows: Tensor) -> S:
        """Continue from these hypotheses, each of the same sentence as the row it replaces."""

    def keep(self: S, rows: Tensor) -> S:
        """Go on with these rows only."""


S = TypeVar("S", bound=State)
Step = Callable[[Tensor, S], tuple[Tensor, S]]


class Marks(NamedTuple):
    """Ids with a meaning for search."""

    begin: int
    end: int
    forbidden: tuple[int, ...]  # never written: padding, unknown, begin


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation."""

    ids: list[int]  # without marks
    log_probability: float  # summed over the pieces and the end mark
    score: float  # what it is ranked by


@dataclass(slots=True)
class _Sentence:
    index: int
    limit: int
    finished: list[Hypothesis] = field(default_factory=list)

    def is_done(self, *, beam: int, length: int, best_alive: float, penalty: float) -> bool:
        """Nothing alive can win any more, or enough is finished and nothing alive ranks higher.

        The first is certain: log probabilities only fall, and no hypothesis gets longer than the limit. The second is
        the usual shortcut. The number of finished hypotheses alone would not do: where the model is sure of itself, the
        lower places of the beam are filled with hypotheses that end far too early.
        """
        best = max((hypothesis.score for hypothesis in self.finished), default=LOWEST)
        return bool(
            best >= best_alive / self.limit**penalty
            or (len(self.finished) >= beam and best >= best_alive / length**penalty)
        )


def beam_search(
    state: S, step: Step[S], *, marks: Marks, limits: list[int], beam: int, length_penalty: float, device: torch.device
) -> list[list[Hypothesis]]:
    """Search the translations of a batch of sentences.

    Args:
        state: the decoder's state before the first piece, one row per sentence.
        step: (rows,) ids of the last pieces and the state -> (rows, V) log probabilities and the state after them.
        marks: the begin and end ids, and those that may not be written.
        limits: most pieces of each sentence's translation, the end mark counted.
        beam: hypotheses kept at each step; 1 is greedy search.
        length_penalty: exponent of the length that scores are divided by.
        device: where the state lies.

    Returns:
        For each sentence at most `beam` finished hypotheses, the best one first.
    """
    sentences = [_Sentence(index, limit) for index, limit in enumerate(limits)]
    results: list[list[Hypothesis]] = [[] for _ in limits]
    state = state.keep(torch.arange(len(limits), device=device).repeat_interleave(beam))
    written = torch.empty(len(limits) * beam, 0, dtype=torch.long, device=device)
    last = torch.full((len(limits) * beam,), marks.begin, device=device)
    # All K rows of a sentence begin alike, so only the first may be extended at the first step.
    scores = torch.full((len(limits), beam), LOWEST, device=device)
    scores[:, 0] = 0.0
    length = 0
    while sentences:
        length += 1
        log_probabilities, state = step(last, state)  # (B * K, V)
        log_probabilities = _rule_out(log_probabilities, marks, sentences, length, beam)
        top, rows, pieces = _best(scores, log_probabilities, beam)
        for place, rank in ((pieces[:, :beam] == marks.end) & (top[:, :beam] > LOWEST)).nonzero().tolist():
            ids, log_probability = written[rows[place, rank]].tolist(), float(top[place, rank])
            score = log_probability / length**length_penalty
            sentences[place].finished.append(Hypothesis(ids, log_probability, score))
        scores, rows, pieces = _alive(top, rows, pieces, marks.end, beam)
        best_alive = scores.max(dim=1).values.tolist()
        going_on = [
            place
            for place, sentence in enumerate(sentences)
            if not sentence.is_done(beam=beam, length=length, best_alive=best_alive[place], penalty=length_penalty)
        ]
        if len(going_on) < len(sentences):
            for place in set(range(len(sentences))) - set(going_on):
                finished = sorted(sentences[place].finished, key=lambda hypothesis: -hypothesis.score)
                results[sentences[place].index] = finished[:beam]
            sentences = [sentences[place] for place in going_on]
            places = torch.tensor(going_on, dtype=torch.long, device=device)
            scores, rows, pieces = scores[places], rows[places], pieces[places]
            state = state.keep(rows.flatten())
        else:
            state = state.reorder(rows.flatten())
        last = pieces.flatten()
        written = torch.cat((written[rows.flatten()], last.unsqueeze(1)), dim=1)
    return results


def _rule_out(values: Tensor, marks: Marks, sentences: list[_Sentence], length: int, beam: int) -> Tensor:
    """Forbid what may never be written, and everything but the end where a sentence has reached its limit."""
    values[:, list(marks.forbidden)] = LOWEST
    full = [place for place, sentence in enumerate(sentences) if length >= sentence.limit]
    for place in full:
        block = slice(place * beam, (place + 1) * beam)
        ends = values[block, marks.end].clone()
        values[block] = LOWEST
        values[block, marks.end] = ends
    return values


def _best(scores: Tensor, log_probabilities: Tensor, beam: int) -> tuple[Tensor, Tensor, Tensor]:
    """The 2K best extensions of each sentence: summed scores, rows they extend and pieces they add, (B, 2K) each.

    2K, because at most K of them end: K always remain to go on with.
    """
    vocabulary = log_probabilities.size(1)
    totals = scores.unsqueeze(-1) + log_probabilities.view(*scores.shape, vocabulary)  # (B, K, V)
    top, flat = totals.flatten(1).topk(2 * beam, dim=1)
    first_rows = torch.arange(scores.size(0), device=scores.device).unsqueeze(1) * beam
    return top, first_rows + flat // vocabulary, flat % vocabulary


def _alive(top: Tensor, rows: Tensor, pieces: Tensor, end: int, beam: int) -> tuple[Tensor, Tensor, Tensor]:
    """The K best extensions that do not end, (B, K) each."""
    open_scores = top.masked_fill(pieces == end, LOWEST)
    scores, places = open_scores.topk(beam, dim=1)
    return scores, rows.gather(1, places), pieces.gather(1, places)
