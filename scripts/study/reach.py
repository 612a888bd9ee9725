#!/usr/bin/env python
"""How directly does an encoder connect distant words? Gradients, and attention weights, against distance.

    scripts/study/reach.py runs/rnn_small/best runs/rnn_self_attention_small/best --sentences test.en --output reach

For each sentence and each position t, how much the encoder's state at t moves when the embedded piece at s moves: the
norm of d(sum of the state's features)/d(x_s), as a share of the sum over all s. The shares are averaged by the distance
|t - s|, over sentences of at least 24 pieces, so that every sentence has positions at every distance that is shown, and
divided by the number of positions at that distance. For encoders that attend to themselves also the mean attention
weight. Prints a table and writes OUTPUT.json and OUTPUT.png.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch
from torch import Tensor, nn

from nmt.data.batch import source_batch
from nmt.decode.translator import Translator
from nmt.errors import DataError, NmtError
from nmt.model.attention import Attended, Attention
from nmt.text.normalise import normalise

SHORTEST = 24  # pieces
DISTANCES = range(24)


def gradient_shares(model: nn.Module, ids: Tensor, lengths: Tensor) -> Tensor:
    """(1, S) pieces -> (S, S): row t, how much each piece moves the state at t; rows sum to one."""
    vectors = model.source(ids).detach().requires_grad_()
    states = model.encoder(vectors, lengths).states[0]  # (S, D)
    rows = []
    for state in states:
        (moved,) = torch.autograd.grad(state.sum(), vectors, retain_graph=True)
        rows.append(moved[0].norm(dim=-1))
    found = torch.stack(rows)
    return found / found.sum(-1, keepdim=True)


def attention_weights(model: nn.Module, ids: Tensor, lengths: Tensor) -> Tensor | None:
    """(1, S) pieces -> (S, S) self-attention weights of the encoder, mean over layers and heads; None without."""
    seen: list[Tensor] = []

    def look(module: nn.Module, inputs: object, output: Attended) -> None:
        if output.weights is not None:
            seen.append(output.weights[0].mean(0))

    hooks = [part.register_forward_hook(look) for part in model.encoder.modules() if isinstance(part, Attention)]
    with torch.inference_mode():
        model.encoder(model.source(ids), lengths)
    for hook in hooks:
        hook.remove()
    return torch.stack(seen).mean(0) if seen else None


def by_distance(matrices: list[Tensor]) -> list[float]:
    """Mean entry at each distance from the diagonal."""
    sums, counts = torch.zeros(len(DISTANCES)), torch.zeros(len(DISTANCES))
    for matrix in matrices:
        positions = torch.arange(matrix.size(0))
        distance = (positions.unsqueeze(0) - positions.unsqueeze(1)).abs()
        for d in DISTANCES:
            sums[d] += matrix[distance == d].sum()
            counts[d] += (distance == d).sum()
    return (sums / counts).tolist()


def main(arguments: list[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL", help="model folders, RUN/best")
    parser.add_argument("--sentences", type=Path, required=True, help="text in the models' source language, one a line")
    parser.add_argument("--most", type=int, default=100, help="sentences used (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path("study-reach"), help="OUTPUT.json, OUTPUT.png")
    options = parser.parse_args(arguments)
    try:
        found = study(options.models, options.sentences, options.most)
    except NmtError as error:
        print(f"reach: {error}", file=sys.stderr)
        return 1
    print(f"{'distance':>8}" + "".join(f"{name:>44}" for name in found))
    for d in (0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 23):
        print(f"{d:>8}" + "".join(f"{values[d]:>44.4f}" for values in found.values()))
    options.output.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    _picture(found, options.output.with_suffix(".png"))
    return 0


def study(models: list[Path], sentences: Path, most: int) -> dict[str, list[float]]:
    """Mean shares by distance, for each model's gradients and, where there are any, attention weights."""
    lines = sentences.read_text(encoding="utf-8").split("\n")
    found: dict[str, list[float]] = {}
    for folder in models:
        translator = Translator.load(folder, "cpu")
        name = folder.parent.name if folder.name in {"best", "last"} else folder.name
        tokenizer = translator.trained.source_tokenizer
        rows = tokenizer.encode([normalise(line, translator.source_language) for line in lines if line.strip()])
        rows = [row for row in rows if len(row) + 1 >= SHORTEST][:most]
        if not rows:
            raise DataError(f"{sentences} has no sentence of {SHORTEST} pieces or more for {folder}")
        batches = [source_batch([row]) for row in rows]
        model = translator.trained.model
        found[f"{name}: gradient"] = by_distance([gradient_shares(model, *batch) for batch in batches])
        weights = [attention_weights(model, *batch) for batch in batches]
        if seen := [matrix for matrix in weights if matrix is not None]:
            found[f"{name}: attention"] = by_distance(seen)
    return found


def _picture(found: dict[str, list[float]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.0), layout="constrained")
    axes = figure.subplots()
    for name, values in found.items():
        axes.plot(DISTANCES, values, marker="o", markersize=3, label=name)
    axes.set_yscale("log")
    axes.set(xlabel="distance in pieces", ylabel="mean share for each position")
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
