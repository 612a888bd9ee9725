#!/usr/bin/env python
"""The timings behind three choices, alternatives in turns: dropout masks, bidirectional layers, slices of the loss.

    scripts/bench/choices.py

60 sentences of 9 pieces (the loss: 2,048 pieces); milliseconds a call, the median of 30. Quoted in docs/RESULTS.md.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # this checkout, wherever `nmt` is installed from

SENTENCES, PIECES = 60, 9


def alternately(calls: dict[str, Callable[[], object]], *, rounds: int) -> dict[str, float]:
    """Milliseconds of each call, the median over `rounds` turns; the first three turns are not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 3):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            if number >= 3:
                seconds[name].append(time.perf_counter() - began)
    return {name: 1000 * statistics.median(times) for name, times in seconds.items()}


def dropouts() -> dict[str, Callable[[], object]]:
    """Forward and backward over 384 features: a mask at each position, or one for the whole sentence."""
    from nmt.model.embedding import PositionDropout, SentenceDropout

    vectors = torch.randn(SENTENCES, PIECES, 384, requires_grad=True)
    kinds = {
        "a mask at each position, nn.Dropout": nn.Dropout(0.2),
        "a mask at each position, ours": PositionDropout(0.2),
        "one mask a sentence": SentenceDropout(0.2),
    }

    def call(dropout: nn.Module) -> None:
        dropout(vectors).sum().backward()

    return {f"dropout, {name}": partial(call, dropout) for name, dropout in kinds.items()}


def directions() -> dict[str, Callable[[], object]]:
    """Forward and backward of 192 features a direction over 256 inputs: two one-way layers, or one that is packed."""
    from nmt.model.recurrent_encoder import RecurrentEncoder

    lengths = torch.full((SENTENCES,), PIECES)
    lengths[::2] -= 1
    vectors = torch.randn(SENTENCES, PIECES, 256, requires_grad=True)
    calls: dict[str, Callable[[], object]] = {}
    for cell, packed in (("gru", nn.GRU(256, 192, batch_first=True, bidirectional=True)),
                         ("lstm", nn.LSTM(256, 192, batch_first=True, bidirectional=True))):  # fmt: skip
        encoder = RecurrentEncoder(cell=cell, inputs=256, width=384, num_layers=1, dropout=0.0, embedding_dropout=0.0)
        calls[f"{cell}, two one-way layers"] = partial(_run, lambda encoder=encoder: encoder(vectors, lengths).states)
        calls[f"{cell}, packed"] = partial(_run, lambda packed=packed: _packed(packed, vectors, lengths))
    return calls


def losses() -> dict[str, Callable[[], object]]:
    """Output layer and loss, forward and backward, 256 features and 8,000 pieces: rows of logits held at once."""
    from nmt.train import loss

    features, weight = torch.randn(2048, 256, requires_grad=True), (0.06 * torch.randn(8000, 256)).requires_grad_()
    bias, targets = torch.zeros(8000, requires_grad=True), torch.randint(0, 8000, (2048,))

    def call(rows: int) -> None:
        loss.SLICE = rows
        loss.token_loss(features, weight, bias, targets, smoothing=0.1)[0].backward()

    return {f"loss, {rows} rows at once": partial(call, rows) for rows in (128, 256, 1024, 2048)}


def _run(forward: Callable[[], Tensor]) -> None:
    forward().sum().backward()


def _packed(layer: nn.Module, vectors: Tensor, lengths: Tensor) -> Tensor:
    sequence = nn.utils.rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return nn.utils.rnn.pad_packed_sequence(layer(sequence)[0], batch_first=True)[0]


def main() -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print(f"| fp32, {options.threads} threads, torch {torch.__version__} | ms a call |\n|---|---|")
    for calls in (dropouts(), directions(), losses()):
        for name, milliseconds in alternately(calls, rounds=options.rounds).items():
            print(f"| {name} | {milliseconds:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
