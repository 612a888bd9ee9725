"""`nmt align score`: compare word links with those that people drew."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options
from nmt.errors import DataError

EXAMPLES = """\
  nmt align score --gold zhen.gold --gold-index 1 --links zhen.awesome-align.out
  nmt align --model runs/demo/best --input pairs.tsv > links.txt && nmt align score --gold pairs.gold --links links.txt
"""


def parser() -> argparse.ArgumentParser:
    """The flags of `nmt align score`."""
    parser = options.tool_parser(
        "align score",
        "Alignment error rate, precision, recall and F1 of links, one sentence a line, source before target.\n"
        "Gold links are sure (`i-j`) or possible (`ipj` or `i?j`). Warns when every index seems shifted, or the sides\n"
        "exchanged: an AER near 70 or 85 is seldom a bad aligner.",
        EXAMPLES,
    )
    parser.add_argument("--gold", type=Path, required=True, metavar="FILE", help="links that people drew")
    parser.add_argument("--links", type=Path, required=True, metavar="FILE", help="links to score")
    for side in ("gold", "links"):
        parser.add_argument(
            f"--{side}-index",
            type=int,
            choices=(0, 1),
            default=0,
            help=f"what the first word of a sentence is called in --{side} (default: 0)",
        )
    return parser


def run(arguments: Sequence[str]) -> int:
    """Print the figures, and a warning if they look like an index error."""
    args = parser().parse_args(arguments)
    from nmt.align.score import read_gold, score, shift

    gold = list(options.parse_lines(args.gold, lambda line: read_gold(line, args.gold_index)))
    links = list(options.parse_lines(args.links, lambda line: read_gold(line, args.links_index).sure))
    if len(gold) != len(links):
        raise DataError(f"{args.gold} has {len(gold)} lines, but {args.links} has {len(links)}")
    result = score(links, gold)
    print(
        f"AER = {100 * result.aer:.1f}  precision = {100 * result.precision:.1f}  recall = {100 * result.recall:.1f}  "
        f"F1 = {100 * result.f1:.1f}"
    )
    print(
        f"  {result.sentences} sentences, {result.links:,} links; gold: {result.sure:,} sure and {result.possible:,} "
        "possible ones"
    )
    if error := shift(links, gold):
        print(
            f"WARNING: this looks like an index error: with {error} in --links, AER would be {100 * error.aer:.1f}. "
            f"--gold was read as counting from {args.gold_index}, --links from {args.links_index}: see --gold-index "
            "and --links-index",
            file=sys.stderr,
        )
    return 0
