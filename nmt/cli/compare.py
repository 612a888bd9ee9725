"""`nmt compare`: several runs in one table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options

EXAMPLES = """\
  nmt compare runs/demo runs/demo-rnn_self_attention_small
  nmt compare runs/* --picture comparison.png
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "compare",
        "Print one table of several runs: what each model is, what it cost, and its scores with\n"
        "95 % confidence intervals, with the entropy of its attention.\n"
        "Test scores are those that `nmt evaluate --output RUN/test` wrote. A folder without a model is left out.",
        EXAMPLES,
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run, such as runs/demo")
    parser.add_argument(
        "--picture", type=Path, metavar="FILE", help="also draw the scores with their intervals: FILE.png, .svg or .pdf"
    )
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Print the table."""
    args = parser().parse_args(arguments)
    from nmt.evaluate.compare import read_runs, table

    print(table(args.runs))
    if args.picture:
        from nmt.align.fonts import find_han
        from nmt.evaluate.bars import check_format, draw

        check_format(args.picture)
        draw(read_runs(args.runs)[0], args.picture, find_han())
        print(f"comparison: {args.picture}", file=sys.stderr)
    return 0
