"""`nmt doctor`: is everything in order, and if not, what is to be done?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options

EXAMPLES = """\
  nmt doctor                    # installation, device, precision, disk
  nmt doctor runs/demo          # the run as well: whole? exact when resumed? its model?
  nmt doctor runs/demo/best     # a model: whole? does it translate a line alike alone and among others?
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "doctor",
        "Check the installation, and the folder of a run or of a model if one is given.\n"
        "Prints one line for each check. Exit code 0: nothing is wrong; 1: something is.",
        EXAMPLES,
    )
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="a run, such as runs/demo, or a model")
    parser.add_argument(
        "--device", default="auto", metavar="NAME", help="auto (a GPU if there is one), cpu, cuda or cuda:N"
    )
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Check, and print what was found."""
    args = parser().parse_args(arguments)
    from nmt.train.doctor import examine

    found = []
    for finding in examine(args.folder, args.device):
        found.append(finding)
        print(finding.line(), flush=True)
    wrong = sum(not finding.fine for finding in found)
    print(f"{wrong} of {len(found)} checks failed" if wrong else "everything is in order")
    return int(wrong > 0)
