"""Drawing translations instead of searching for the best one.

The next piece is drawn from p ** (1 / temperature), restricted to the K likeliest pieces (Fan et al. 2018) and to the
likeliest pieces that together have the probability P, the nucleus (Holtzman et al. 2020). Each hypothesis draws from a
stream of its own, which depends on the seed, on its sentence's pieces and on its number, so that neighbours, order and
batch size do not matter. It is scored by the model's own probabilities, as one that was searched for.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from nmt.decode.options import SearchOptions
from nmt.decode.rules import LOWEST, Bounds, Marks, rule_out
from nmt.decode.search import Hypothesis, S, Step


def streams(rows: Sequence[Sequence[int]], bounds: Sequence[Bounds], options: SearchOptions) -> list[Tensor]:
    """For each sentence (nbest, limit) numbers, uniform in [0, 1)."""
    found = []
    for row, bound in zip(rows, bounds, strict=True):
        generator = np.random.default_rng([options.seed, zlib.crc32(np.asarray(row, dtype=np.int64).tobytes())])
        # a column for each step: a longer limit draws the same numbers first
        found.append(torch.from_numpy(generator.random((bound.limit, options.nbest)).T.copy()))
    return found


def sample(
    state: S, step: Step[S], *, numbers: Sequence[Tensor], marks: Marks, bounds: Sequence[Bounds],
    options: SearchOptions, device: torch.device,
) -> list[list[Hypothesis]]:  # fmt: skip
    """Draw `options.nbest` translations of each sentence.

    Args:
        state: the decoder's state before the first piece, one row per sentence.
        step: see `nmt.decode.search.beam_search`.
        numbers: what `streams` gives.
        marks: the begin and end ids, and those that may not be written.
        bounds: of each sentence.
        options: how to draw.
        device: where the state lies.

    Returns:
        For each sentence its hypotheses, the best one first.
    """
    draws = options.nbest
    owners = [index for index in range(len(bounds)) for _ in range(draws)]  # the sentence of each row
    drawn = [row for sentence in numbers for row in sentence.tolist()]
    alive = list(range(len(owners)))
    state = state.keep(torch.tensor(owners, device=device))
    written = torch.empty(len(owners), 0, dtype=torch.long, device=device)
    last = torch.full((len(owners),), marks.begin, device=device)
    totals = torch.zeros(len(owners), device=device)
    results: list[list[Hypothesis]] = [[] for _ in bounds]
    while alive:
        values, state = step(last, state)
        ruled = [bounds[owners[row]] for row in alive]
        values = rule_out(values, written, ruled, marks=marks, no_repeat=options.no_repeat_ngram)
        chances = torch.tensor([drawn[row][written.size(1)] for row in alive], dtype=torch.float64, device=device)
        last = draw(values, chances, options)
        totals = totals + values.gather(1, last.unsqueeze(1)).squeeze(1)
        going_on = []
        for place, ended in enumerate((last == marks.end).tolist()):
            if not ended:
                going_on.append(place)
                continue
            log_probability = float(totals[place])
            score = log_probability / options.ranking.divisor(written.size(1) + 1)
            results[owners[alive[place]]].append(Hypothesis(written[place].tolist(), log_probability, score))
        places = torch.tensor(going_on, dtype=torch.long, device=device)
        alive = [alive[place] for place in going_on]
        written = torch.cat((written, last.unsqueeze(1)), dim=1)[places]
        last, totals, state = last[places], totals[places], state.keep(places)
    return [sorted(found, key=lambda hypothesis: (-hypothesis.score, hypothesis.ids)) for found in results]


def draw(values: Tensor, chances: Tensor, options: SearchOptions) -> Tensor:
    """(R, V) log probabilities and (R,) numbers in [0, 1) -> (R,) pieces."""
    ranked, pieces = values.sort(dim=1, descending=True, stable=True)
    if options.top_k:
        ranked, pieces = ranked[:, : options.top_k], pieces[:, : options.top_k]
    likely = torch.softmax(ranked.double() / options.temperature, dim=1)
    before = likely.cumsum(dim=1) - likely
    likely = likely.masked_fill((before >= options.top_p) | (ranked == LOWEST), 0.0)
    sums = likely.cumsum(dim=1)
    places = (sums <= chances.unsqueeze(1) * sums[:, -1:]).sum(dim=1)
    last = (likely > 0.0).sum(dim=1) - 1  # rounding may not lead beyond the last possible one
    return pieces.gather(1, places.minimum(last).unsqueeze(1)).squeeze(1)
