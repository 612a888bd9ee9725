#!/usr/bin/env python
"""Can an encoder connect two words that stand far apart? A task with a known answer, for both encoders.

    scripts/study/distance.py --seconds 75 --seeds 1 2 3 --output docs/images/study-distance

The source is a list of entries, each a key and a value in one token, and one question, a key alone, in a random place:

    k3v7 k1v2 ... k9v4 ... ?k1 ... k5v0        answer: v2

The answer needs two source tokens, the question and the entry with its key, which stand 4 to 256 tokens apart. The
decoder looks at the source once, with one query that is the same for every sentence, so it can not find the entry by
itself: the encoder has to connect the two. Both encoders have the same width and decoder, about equal parameters, and
equal time. Prints a table and writes OUTPUT.json and OUTPUT.png (accuracy against distance).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean

import torch
from torch import Tensor

from nmt import config as schema
from nmt.model.build import build_model, num_parameters
from nmt.model.seq2seq import Seq2Seq
from nmt.train.loss import token_loss

KEYS, VALUES = 8, 8
MARKS = 4  # padding, unknown, begin, end
FILLER = MARKS  # words that mean nothing
ENTRIES = FILLER + 16
QUESTIONS = ENTRIES + KEYS * VALUES
SOURCE_SIZE = QUESTIONS + KEYS
TARGET_SIZE = MARKS + VALUES
DISTANCES = (4, 8, 16, 32, 64, 128, 256)
ENCODERS = {
    "recurrent": schema.RecurrentEncoderConfig(layers=2, width=128, cell="lstm"),
    "self_attention": schema.SelfAttentionEncoderConfig(layers=2, width=128, heads=4, feed_forward=128),
}


def draw(distance: int, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """`size` sentences in which question and entry stand `distance` apart: (size, S) ids and (size,) answers."""
    length = distance + 8

    def pick(high: int, *shape: int) -> Tensor:
        return torch.randint(high, shape, generator=generator)

    keys = torch.stack([torch.randperm(KEYS, generator=generator) for _ in range(size)])  # (size, KEYS)
    values = pick(VALUES, size, KEYS)
    source = FILLER + pick(16, size, length)
    first = pick(length - distance, size)
    question_first = pick(2, size).bool()
    question = torch.where(question_first, first, first + distance)
    entry = torch.where(question_first, first + distance, first)
    rows = torch.arange(size)
    others = torch.rand(size, length, generator=generator)  # where the entries with other keys stand
    others[rows, question], others[rows, entry] = -1.0, -1.0
    places = others.topk(min(KEYS - 1, length - 2), dim=1).indices
    used = places.size(1)
    source.scatter_(1, places, ENTRIES + keys[:, 1 : used + 1] * VALUES + values[:, 1 : used + 1])
    source[rows, entry] = ENTRIES + keys[:, 0] * VALUES + values[:, 0]
    source[rows, question] = QUESTIONS + keys[:, 0]
    return source, MARKS + values[:, 0]


def build(encoder: schema.EncoderConfig, seed: int) -> Seq2Seq:
    """One of the two models: the encoders differ, everything else is the same."""
    model = schema.ModelConfig(
        lexical=False,
        embedding=128,
        dropout=0.0,
        encoder=encoder,
        decoder=schema.RecurrentDecoderConfig(layers=1, width=128),
        attention=schema.ScaledDotConfig(),
        self_attention=schema.ScaledDotConfig(),
    )
    return build_model(model, source_size=SOURCE_SIZE, target_size=TARGET_SIZE, seed=seed)


def features(model: Seq2Seq, source: Tensor) -> Tensor:
    """(B, S) -> (B, D) what the answer is read from."""
    begin = torch.full((source.size(0), 1), 2)
    return model(source, torch.full((source.size(0),), source.size(1)), begin).features[:, 0]


def train(model: Seq2Seq, *, seconds: float, rate: float, seed: int) -> int:
    """Train for `seconds`, distances drawn evenly; returns the number of updates."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
    began, steps = time.monotonic(), 0
    while (progress := (time.monotonic() - began) / seconds) < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (steps + 1) / 100, 4.0 * (1.0 - progress))
        distance = DISTANCES[int(torch.randint(len(DISTANCES), (), generator=generator))]
        source, answers = draw(distance, max(8, 2048 // (distance + 8)), generator)
        optimizer.zero_grad(set_to_none=True)
        loss, _ = token_loss(features(model, source), model.output_weight, model.output_bias, answers)
        (loss / len(answers)).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps += 1
    return steps


@torch.inference_mode()
def accuracy(model: Seq2Seq, distance: int, sentences: int = 400) -> float:
    """Share of right answers among sentences that were never seen."""
    source, answers = draw(distance, sentences, torch.Generator().manual_seed(1_000_003))
    right = sum(
        int((model.logits(features(model, part)).argmax(-1) == wanted).sum())
        for part, wanted in zip(source.split(100), answers.split(100), strict=True)
    )
    return right / sentences


def main(arguments: list[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=75.0, help="training time of each model (%(default)s)")
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate (%(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--output", type=Path, default=Path("study-distance"), help="OUTPUT.json, OUTPUT.png")
    options = parser.parse_args(arguments)
    found: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in ENCODERS}
    about: dict[str, dict[str, list[int] | int]] = {}
    for name, encoder in ENCODERS.items():
        steps = []
        for seed in options.seeds:
            model = build(encoder, seed)
            steps.append(train(model, seconds=options.seconds, rate=options.rate, seed=seed))
            model.eval()
            for distance in DISTANCES:
                found[name][distance].append(accuracy(model, distance))
            print(name, "seed", seed, {d: round(a[-1], 3) for d, a in found[name].items()}, flush=True)
        about[name] = {"parameters": num_parameters(build(encoder, 1)), "steps": steps}
    print(f"\n{'distance':>10}" + "".join(f"{name:>32}" for name in ENCODERS))
    for distance in DISTANCES:
        cells = [found[name][distance] for name in ENCODERS]
        print(f"{distance:>10}" + "".join(f"{mean(c):>14.3f} ({min(c):.3f} .. {max(c):.3f})" for c in cells))
    settings = {"seconds": options.seconds, "rate": options.rate, "seeds": options.seeds, "chance": 1 / VALUES}
    result = {"settings": settings, "models": about, "accuracy": found}
    options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    _picture(found, options.output.with_suffix(".png"))
    return 0


def _picture(found: dict[str, dict[int, list[float]]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for name, by_distance in found.items():
        axes.plot(DISTANCES, [mean(by_distance[d]) for d in DISTANCES], marker="o", label=name)
        lows, highs = ([pick(by_distance[d]) for d in DISTANCES] for pick in (min, max))
        axes.fill_between(DISTANCES, lows, highs, alpha=0.2)
    axes.axhline(1 / VALUES, color="grey", linestyle=":", label="chance")
    axes.set_xscale("log", base=2)
    axes.set(xlabel="tokens between question and entry", ylabel="accuracy", ylim=(0.0, 1.03))
    axes.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
