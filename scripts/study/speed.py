#!/usr/bin/env python
"""How the cost of an encoder grows with the length of a sentence: recurrence against self-attention.

    scripts/study/speed.py --output docs/images/study-speed

Both encoders have two layers of the same width and read batches of 4,096 tokens, in sentences of 16 to 512 tokens,
forwards and backwards, taking turns. A recurrent layer needs one step after another for every token of a sentence; a
self-attention layer needs one step, and S comparisons for every token. Prints a table and writes OUTPUT.json and
OUTPUT.png.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

import torch
from torch import nn

from nmt import config as schema
from nmt.model.build import build_encoder, num_parameters

LENGTHS = (16, 32, 64, 128, 256, 512)
TOKENS = 4096
LAYERS, WIDTH = 2, 256
ENCODERS = {
    "recurrent": schema.RecurrentEncoderConfig(layers=LAYERS, width=WIDTH, cell="lstm"),
    "self_attention": schema.SelfAttentionEncoderConfig(layers=LAYERS, width=WIDTH, heads=4, feed_forward=2 * WIDTH),
}


def build(encoder: schema.EncoderConfig) -> nn.Module:
    """An encoder over embeddings of its own width."""
    model = schema.ModelConfig(
        lexical=False,
        embedding=WIDTH,
        dropout=0.0,
        encoder=encoder,
        decoder=schema.RecurrentDecoderConfig(layers=1, width=WIDTH),
        attention=schema.ScaledDotConfig(),
        self_attention=schema.ScaledDotConfig(),
    )
    torch.manual_seed(1)
    return build_encoder(model)


def step(encoder: nn.Module, length: int) -> float:
    """Seconds for one batch, forwards and backwards."""
    vectors = torch.randn(TOKENS // length, length, WIDTH, requires_grad=True)
    lengths = torch.full((TOKENS // length,), length)
    began = time.perf_counter()
    encoder(vectors, lengths).states.sum().backward()
    return time.perf_counter() - began


def main(arguments: list[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="batches of each length (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path("study-speed"), help="OUTPUT.json, OUTPUT.png")
    options = parser.parse_args(arguments)
    encoders = {name: build(config) for name, config in ENCODERS.items()}
    speeds: dict[str, dict[int, float]] = {name: {} for name in encoders}
    steps = {"recurrent": {s: LAYERS * s for s in LENGTHS}, "self_attention": dict.fromkeys(LENGTHS, LAYERS)}
    print(
        f"{'length':>7}{'recurrent: tokens/s':>21}{'steps':>7}{'self-attention: tokens/s':>26}{'steps':>7}{'ratio':>7}"
    )
    for length in LENGTHS:
        seconds: dict[str, list[float]] = {name: [] for name in encoders}
        for _ in range(options.rounds + 1):
            for name, encoder in encoders.items():
                seconds[name].append(step(encoder, length))
        for name in encoders:
            speeds[name][length] = TOKENS / median(seconds[name][1:])  # the first one warms up
        one, two = speeds["recurrent"][length], speeds["self_attention"][length]
        one_steps, two_steps = steps["recurrent"][length], steps["self_attention"][length]
        print(f"{length:>7}{one:>21,.0f}{one_steps:>7}{two:>26,.0f}{two_steps:>7}{two / one:>7.2f}", flush=True)
    parameters = {name: num_parameters(encoder) for name, encoder in encoders.items()}
    result = {"threads": torch.get_num_threads(), "parameters": parameters, "tokens_per_second": speeds, "steps": steps}
    options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    _picture(speeds, steps, options.output.with_suffix(".png"))
    return 0


def _picture(speeds: dict[str, dict[int, float]], steps: dict[str, dict[int, int]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for axes, values, title in zip(
        figure.subplots(1, 2), (speeds, steps), ("tokens a second, training", "steps one after another"), strict=True
    ):
        for name, by_length in values.items():
            axes.plot(LENGTHS, [by_length[length] for length in LENGTHS], marker="o", label=name)
        axes.set_xscale("log", base=2)
        axes.set(xlabel="tokens in a sentence", title=title, ylim=(0, None))
        axes.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
