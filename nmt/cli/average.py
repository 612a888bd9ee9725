"""`nmt average`: one model of the mean weights of several of one run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options

EXAMPLES = """\
  nmt average runs/demo --output runs/demo/averaged    # of best, best.2 ...: train with train.keep_best=5
  nmt average runs/demo/best runs/demo/last --output averaged
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "average",
        "Write a model whose weights are the mean of those of several checkpoints of one run.\n"
        "Of the folder of a run, take all of its best models that were kept.",
        EXAMPLES,
    )
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL", help="model folders, or the folder of a run")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="model folder to write")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Average and write."""
    args = parser().parse_args(arguments)
    from nmt.train.average import average_models

    used = average_models(args.models, args.output)
    print(f"{args.output} is the mean of {', '.join(map(str, used))}")
    return 0
