"""`nmt score`: how likely a model finds given translations."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import options, searching

CHUNK = 1000
EXAMPLES = """\
  nmt score --model runs/demo/best --input pairs.tsv > scores.tsv
  printf 'I like tea.\\t我喜欢茶。\\n' | nmt score --model runs/demo/best
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "score",
        "Score given translations by the model's probability, without searching.\n"
        "One line for each pair: `score TAB log probability TAB pieces`, where the score is the log probability over\n"
        "the length penalty, as `nmt translate` ranks by; a blank line where a side is blank.",
        EXAMPLES,
    )
    options.add_model(parser)
    parser.add_argument("--input", type=Path, metavar="FILE", help="lines `source TAB target` (default: stdin)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: stdout)")
    parser.add_argument(
        "--batch-tokens", type=options.positive, default=4096, metavar="N", help="pieces read at once (default: 4096)"
    )
    searching.add_length_penalty(parser)
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Score every pair, in order."""
    args = parser().parse_args(arguments)
    from nmt.cli.align import read_pairs
    from nmt.decode.translator import Translator

    translator = Translator.load(args.model, device=args.device)
    search = searching.read(args, translator.trained.config.decode)
    pairs = read_pairs(options.read_lines(args.input), str(args.input or "stdin"))
    with options.output_stream(args.output) as output:
        for chunk in options.chunks(pairs, CHUNK):
            for one in translator.score(chunk, batch_tokens=args.batch_tokens, options=search):
                line = "" if one is None else f"{one.score:.4f}\t{one.log_probability:.4f}\t{one.pieces}"
                options.write_line(output, line)
            output.flush()
    return 0
