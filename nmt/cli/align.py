"""`nmt align`: which word comes from where, as links and as a heat map."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.cli import options
from nmt.errors import DataError

if TYPE_CHECKING:
    from nmt.decode.translator import Translator

CHUNK = 500
EXAMPLES = """\
  nmt align --model runs/demo/best --data prepared/tatoeba --split test --limit 5
  nmt align --model runs/demo/best --input pairs.tsv > links.txt
  printf 'I like tea.\\t我喜欢茶。\\n' | nmt align --model runs/demo/best --heatmap tea.png
"""
Pair = tuple[str, str]


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "align",
        "Show which word of a translation comes from which word of its source, by the attention of a model.\n"
        "One line for each pair: Pharaoh links `source-target`, counted from 0; a blank line where a side is blank.\n"
        "With --format text a heat map for each pair, and a blank line between two.\n"
        "To compare links with those that people drew: nmt align score --help\n"
        "To put the links of two directions together: nmt align symmetrise --help",
        EXAMPLES,
    )
    options.add_model(parser)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--input", type=Path, metavar="FILE", help="lines `source TAB target` (default: stdin)")
    group.add_argument("--data", type=Path, metavar="DIR", help="align a held-out part of this prepared folder")
    parser.add_argument("--split", choices=("test", "dev"), help="which part of --data (default: test)")
    parser.add_argument("--limit", type=options.positive, metavar="N", help="only the first N pairs")
    parser.add_argument("--unit", choices=("word", "piece"), default="word", help="what is linked (default: word)")
    parser.add_argument(
        "--format", choices=("pharaoh", "text"), default="pharaoh", help="links, or a heat map of each pair as text"
    )
    parser.add_argument("--heatmap", type=Path, metavar="FILE.png", help="also draw the attention of one pair")
    parser.add_argument(
        "--line", type=options.positive, default=1, metavar="N", help="which pair --heatmap draws (default: 1)"
    )
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Align every pair, in order; or score links (`nmt align score`), or put two directions together (`symmetrise`)."""
    if arguments[:1] == ["score"]:
        from nmt.cli.align_score import run as run_score

        return run_score(arguments[1:])
    if arguments[:1] == ["symmetrise"]:
        from nmt.cli.align_symmetrise import run as run_symmetrise

        return run_symmetrise(arguments[1:])
    flags = parser()
    args = flags.parse_args(arguments)
    if args.split and args.data is None:
        flags.error("--split needs --data")
    from nmt.decode.translator import Translator

    translator = Translator.load(args.model, device=args.device)
    pairs = islice(_pairs(args, translator), args.limit)
    drawn = _write_all(translator, pairs, args)
    if args.heatmap and drawn is None:
        raise DataError(f"pair {args.line} can not be drawn: it is blank, or the input ended before")
    if args.heatmap:
        _draw(drawn, args)
    return 0


def _write_all(translator: Translator, pairs: Iterable[Pair], args: argparse.Namespace) -> Any:
    """Write every alignment to stdout; gives back the one to draw."""
    from nmt.align import heatmap, links

    show = heatmap.text if args.format == "text" else links.pharaoh
    number, chosen = 0, None
    with options.output_stream(None) as output:
        for chunk in options.chunks(pairs, CHUNK):
            for alignment in translator.align(chunk, unit=args.unit):
                number += 1
                chosen = alignment if number == args.line and alignment.links else chosen
                if args.format == "text" and number > 1:
                    options.write_line(output, "")
                options.write_line(output, show(alignment) if alignment.links else "")
    return chosen


def _draw(alignment: Any, args: argparse.Namespace) -> None:
    from nmt.align import heatmap

    args.heatmap.parent.mkdir(parents=True, exist_ok=True)
    heatmap.png(alignment, args.heatmap)
    if args.format != "text":
        print(heatmap.text(alignment), file=sys.stderr)
    print(f"attention of pair {args.line}: {args.heatmap}", file=sys.stderr)


def _pairs(args: argparse.Namespace, translator: Translator) -> Iterator[Pair]:
    if args.data is None:
        yield from read_pairs(options.read_lines(args.input), str(args.input or "stdin"))
        return
    from nmt.data.prepared import load_prepared

    heldout = load_prepared(args.data).heldout(args.split or "test", translator.direction)
    for source, *references in zip(heldout.sources, *heldout.references, strict=True):
        yield source, next(reference for reference in references if reference is not None)


def read_pairs(lines: Iterable[str], name: str) -> Iterator[Pair]:
    """`source TAB target`, one pair a line; a blank line is a pair of blanks, so that line n stays line n."""
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t") if line.strip() else ["", ""]
        if len(columns) != 2:
            raise DataError(f"{name}:{number}: expected `source TAB target`, but there are {len(columns)} columns")
        yield columns[0], columns[1]
