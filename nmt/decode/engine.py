"""From source pieces to hypotheses: a model under search, sampling or a given translation.

Shapes: R rows (hypotheses), S source pieces, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from nmt.data.batch import collate, source_batch
from nmt.decode.options import SearchOptions
from nmt.decode.ranking import uncovered
from nmt.decode.rules import Marks
from nmt.decode.sampling import sample, streams
from nmt.decode.search import Hypothesis, beam_search
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import DecoderState, Seq2Seq
from nmt.text.tokenizer import BOS, EOS, PAD, UNK

MARKS = Marks(begin=BOS, end=EOS, forbidden=(PAD, UNK, BOS))


class Watched(NamedTuple):
    """A decoder's state, with how much each source piece has been looked at."""

    decoder: DecoderState
    covered: Tensor  # (R, S)
    real: Tensor  # (R, S): neither padding nor the end mark

    def reorder(self, rows: Tensor) -> Watched:
        """Other hypotheses of the same sentences."""
        return Watched(self.decoder.reorder(rows), self.covered.index_select(0, rows), self.real)

    def keep(self, rows: Tensor) -> Watched:
        """Only these rows."""
        return Watched(self.decoder.keep(rows), self.covered.index_select(0, rows), self.real.index_select(0, rows))


@torch.inference_mode()
def hypotheses(
    model: Seq2Seq, rows: Sequence[Sequence[int]], *, options: SearchOptions, device: torch.device,
    prefixes: Sequence[Sequence[int]] | None = None,
) -> list[list[Hypothesis]]:  # fmt: skip
    """At most `options.nbest` hypotheses for each row of source pieces, the best one first.

    Args:
        model: in evaluation mode.
        rows: pieces of each sentence, without marks; none is empty.
        options: how to search.
        device: where the model lies.
        prefixes: the pieces that each translation begins with.
    """
    source_ids, lengths = source_batch(rows)
    starts = [tuple(prefix) for prefix in prefixes] if prefixes else [()] * len(rows)
    bounds = [options.bounds(length, start) for length, start in zip(lengths.tolist(), starts, strict=True)]
    source_ids, lengths = source_ids.to(device), lengths.to(device)
    state = model.start(model.encode(source_ids, lengths))

    def step(last: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        decoded = model.decode(last.unsqueeze(1), state)
        return torch.log_softmax(model.logits(decoded.features[:, -1]).float(), dim=-1), decoded.state

    def watched_step(last: Tensor, state: Watched) -> tuple[Tensor, Watched]:
        decoded = model.decode(last.unsqueeze(1), state.decoder)
        assert decoded.weights is not None  # they were asked for
        values = torch.log_softmax(model.logits(decoded.features[:, -1]).float(), dim=-1)
        return values, Watched(decoded.state, state.covered + decoded.weights[:, -1], state.real)

    if options.sample:
        numbers = streams(rows, bounds, options)
        return sample(state, step, numbers=numbers, marks=MARKS, bounds=bounds, options=options, device=device)
    if options.coverage_penalty:
        real = padding_mask(lengths - 1, source_ids.size(1))
        covered = torch.zeros(real.shape, device=device)
        found = beam_search(
            Watched(state.with_weights(), covered, real), watched_step, marks=MARKS, bounds=bounds,
            beam=options.beam, ranking=options.ranking, device=device, nbest=options.nbest,
            no_repeat=options.no_repeat_ngram,
            coverage=lambda now: options.coverage_penalty * uncovered(now.covered, now.real),
        )  # fmt: skip
    else:
        found = beam_search(
            state, step, marks=MARKS, bounds=bounds, beam=options.beam, ranking=options.ranking, device=device,
            nbest=options.nbest, no_repeat=options.no_repeat_ngram,
        )  # fmt: skip
    return [best[: options.nbest] for best in found]


@torch.inference_mode()
def forced(
    model: Seq2Seq, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], device: torch.device
) -> list[float]:
    """The log probability of each target given its source, the end mark counted."""
    batch = collate(sources, targets).to(device)
    features = model(batch.source_ids, batch.source_lengths, batch.target_in).features
    found = []
    for row, length in enumerate(batch.target_lengths.tolist()):  # a row at a time: (T, V) logits, not (B, T, V)
        values = torch.log_softmax(model.logits(features[row, :length]).float(), dim=-1)
        found.append(float(values.gather(1, batch.target_out[row, :length].unsqueeze(1)).double().sum()))
    return found
