"""`nmt compare`: several runs in one table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options

EXAMPLES = """\
  nmt compare runs/demo runs/demo-rnn_self_attention_small
  nmt compare runs/*
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "compare",
        "Print one table of several runs: what each model is, what it cost, and its scores.\n"
        "Test scores are those that `nmt evaluate --output RUN/test` wrote. A folder without a model is left out.",
        EXAMPLES,
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run, such as runs/demo")
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Print the table."""
    args = parser().parse_args(arguments)
    from nmt.evaluate.compare import table

    print(table(args.runs))
    return 0
