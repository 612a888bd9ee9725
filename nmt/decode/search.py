"""Beam search over any decoder.

Search is given functions, never a model: a state to begin with and a step from (last pieces, state) to log
probabilities and the next state. A hypothesis is finished by the end mark, or by the length limit of its sentence, and
ranked by its log probability, its length and, where wanted, by how much of the source it covers (`nmt.decode.ranking`).
Every sentence is searched on its own terms and leaves the batch when it is done, so neighbours never matter.

Shapes: B sentences still searched, K hypotheses of each, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from nmt.decode.ranking import Ranking
from nmt.decode.rules import LOWEST, Bounds, Marks, rule_out


class State(Protocol):
    """What search does to a decoder's state: choose among rows, and nothing else."""

    def reorder(self: S, rows: Tensor) -> S:
        """Continue from these hypotheses, each of the same sentence as the row it replaces."""

    def keep(self: S, rows: Tensor) -> S:
        """Go on with these rows only."""


S = TypeVar("S", bound=State)
Step = Callable[[Tensor, S], tuple[Tensor, S]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished translation."""

    ids: list[int]  # without marks
    log_probability: float  # summed over the pieces and the end mark
    score: float  # what it is ranked by


@dataclass(slots=True)
class _Sentence:
    index: int
    bounds: Bounds
    finished: list[Hypothesis] = field(default_factory=list)

    def is_done(self, *, beam: int, nbest: int, length: int, best_alive: float, ranking: Ranking) -> bool:
        """Nothing alive can enter the n-best any more, or enough is finished and nothing alive ranks higher.

        The first is certain: log probabilities only fall, no hypothesis gets longer than the limit, and coverage takes
        away only. The second is the usual shortcut. The number of finished hypotheses alone would not do: where the
        model is sure of itself, the lower places of the beam are filled with hypotheses that end far too early.
        """
        scores = sorted((hypothesis.score for hypothesis in self.finished), reverse=True)
        worst = scores[nbest - 1] if len(scores) >= nbest else LOWEST  # of the n-best
        return bool(
            worst >= best_alive / ranking.divisor(self.bounds.limit)
            or (len(scores) >= beam and worst >= best_alive / ranking.divisor(length))
        )


def beam_search(
    state: S, step: Step[S], *, marks: Marks, bounds: Sequence[Bounds], beam: int, ranking: Ranking,
    device: torch.device, nbest: int = 1, no_repeat: int = 0, coverage: Callable[[S], Tensor] | None = None,
) -> list[list[Hypothesis]]:  # fmt: skip
    """Search the translations of a batch of sentences.

    Args:
        state: the decoder's state before the first piece, one row per sentence.
        step: (rows,) ids of the last pieces and the state -> (rows, V) log probabilities and the state after them.
        marks: the begin and end ids, and those that may not be written.
        bounds: of each sentence: how long its translation may be, and what it begins with.
        beam: hypotheses kept at each step; 1 is greedy search.
        ranking: the length penalty.
        device: where the state lies.
        nbest: hypotheses of each sentence that matter: the search goes on until they are found.
        no_repeat: length of the runs of pieces that no hypothesis writes twice; 0: anything may be written.
        coverage: the state after a step -> (rows,) what is added to the score of a hypothesis that ends there, at most
            0.

    Returns:
        For each sentence at most `beam` finished hypotheses, the best one first.
    """
    sentences = [_Sentence(index, bound) for index, bound in enumerate(bounds)]
    results: list[list[Hypothesis]] = [[] for _ in bounds]
    state = state.keep(torch.arange(len(bounds), device=device).repeat_interleave(beam))
    written = torch.empty(len(bounds) * beam, 0, dtype=torch.long, device=device)
    last = torch.full((len(bounds) * beam,), marks.begin, device=device)
    # All K rows of a sentence begin alike, so only the first may be extended at the first step.
    scores = torch.full((len(bounds), beam), LOWEST, device=device)
    scores[:, 0] = 0.0
    length = 0
    while sentences:
        length += 1
        log_probabilities, state = step(last, state)  # (B * K, V)
        rules = [sentence.bounds for sentence in sentences]
        log_probabilities = rule_out(log_probabilities, written, rules, marks=marks, no_repeat=no_repeat)
        added = coverage(state) if coverage else None
        top, rows, pieces = _best(scores, log_probabilities, beam)
        for place, rank in ((pieces[:, :beam] == marks.end) & (top[:, :beam] > LOWEST)).nonzero().tolist():
            ids, log_probability = written[rows[place, rank]].tolist(), float(top[place, rank])
            score = log_probability / ranking.divisor(length)
            score += 0.0 if added is None else float(added[rows[place, rank]])
            sentences[place].finished.append(Hypothesis(ids, log_probability, score))
        scores, rows, pieces = _alive(top, rows, pieces, marks.end, beam)
        best_alive = scores.max(dim=1).values.tolist()
        going_on = [
            place
            for place, sentence in enumerate(sentences)
            if not sentence.is_done(
                beam=beam, nbest=nbest, length=length, best_alive=best_alive[place], ranking=ranking
            )
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
