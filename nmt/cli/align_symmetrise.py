"""`nmt align symmetrise`: one set of links from those of both directions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options
from nmt.errors import DataError

EXAMPLES = """\
  nmt align --model runs/demo/best --input pairs.tsv > forward.txt
  nmt align --model runs/demo-zh-en/best --input exchanged.tsv > reverse.txt
  nmt align symmetrise --forward forward.txt --reverse reverse.txt > links.txt
"""


def parser() -> argparse.ArgumentParser:
    """The flags of `nmt align symmetrise`."""
    parser = options.tool_parser(
        "align symmetrise",
        "Put the Pharaoh links of two directions together, one sentence a line.\n"
        "--reverse is as the reverse model wrote it: its source is the target of --forward. The result is\n"
        "`source-target` as in --forward, in order of the source.",
        EXAMPLES,
    )
    parser.add_argument("--forward", type=Path, required=True, metavar="FILE", help="links source-target")
    parser.add_argument("--reverse", type=Path, required=True, metavar="FILE", help="links target-source")
    parser.add_argument(
        "--method",
        choices=("grow-diag-final-and", "intersection", "union"),
        default="grow-diag-final-and",
        help="how (default: grow-diag-final-and); intersection is the most precise, union finds the most",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: stdout)")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Write the links of every sentence, in order."""
    args = parser().parse_args(arguments)
    from nmt.align.links import read_pharaoh
    from nmt.align.symmetrise import METHODS

    forward, reverse = (list(options.parse_lines(path, read_pharaoh)) for path in (args.forward, args.reverse))
    if len(forward) != len(reverse):
        raise DataError(f"{args.forward} has {len(forward)} lines, but {args.reverse} has {len(reverse)}")
    with options.output_stream(args.output) as output:
        for one, other in zip(forward, reverse, strict=True):
            links = sorted(METHODS[args.method](one, [(source, target) for target, source in other]))
            options.write_line(output, " ".join(f"{source}-{target}" for source, target in links))
    return 0
