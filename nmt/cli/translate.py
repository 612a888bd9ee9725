"""`nmt translate`: lines in, exactly as many lines out, in the same order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from nmt.cli import options, records, searching, stream
from nmt.errors import DataError

if TYPE_CHECKING:
    from nmt.decode.options import SearchOptions
    from nmt.decode.translator import Translator

CHUNK = 1000  # lines held in memory; sorted by length among themselves for speed
EXAMPLES = """\
  nmt translate --model runs/demo/best "How are you?"
  nmt translate --model runs/demo/best < english.txt > chinese.txt
  nmt translate --model runs/demo/best --input english.txt --output chinese.txt --beam 1
  nmt translate --model runs/demo/best --format json --nbest 3 "How are you?"
"""


def parser() -> argparse.ArgumentParser:
    """The flags of this verb."""
    parser = options.tool_parser(
        "translate",
        "Translate lines: N lines in, N lines out, in order; a blank line stays blank.\n"
        "The direction is the model's. Text comes from the command line, else from --input, else from stdin.",
        EXAMPLES,
    )
    parser.add_argument("text", nargs="*", metavar="TEXT", help="a line to translate; line breaks count as spaces")
    options.add_model(parser)
    parser.add_argument("--input", type=Path, metavar="FILE", help="UTF-8 text, a sentence a line (default: stdin)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: stdout)")
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="lines of text, or of JSON with scores and alignments",
    )
    parser.add_argument(
        "--interactive", action="store_true", help="answer each line that is typed; so at a terminal by itself"
    )
    parser.add_argument(
        "--prefixes", type=Path, metavar="FILE", help="a line for each line: what its translation begins with, or blank"
    )
    parser.add_argument("--threads", type=options.positive, metavar="N", help="CPU threads (default: all cores)")
    options.add_search(parser)
    searching.add_flags(parser)
    return parser


def run(_verb: str, arguments: Sequence[str]) -> int:
    """Translate until the input ends."""
    flags = parser()
    args = flags.parse_args(arguments)
    if args.nbest and args.format != "json":
        flags.error("--nbest needs --format json: as text each line has one translation")
    if args.interactive and (args.text or args.input or args.prefixes):
        flags.error("--interactive reads what is typed: leave out TEXT, --input and --prefixes")
    from nmt.decode.translator import Translator

    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    translator = Translator.load(args.model, device=args.device)
    search = searching.read(args, translator.trained.config.decode)
    prefixes = options.read_lines(args.prefixes) if args.prefixes else None
    with options.output_stream(args.output) as output, _Bar(args) as bar:
        for window in _windows(args, translator):
            for line in _answers(translator, window, args=args, search=search, prefixes=prefixes, bar=bar):
                options.write_line(output, line)
            output.flush()
    if prefixes is not None and next(prefixes, None) is not None:
        raise DataError(f"{args.prefixes} has more lines than the text: give one for each line")
    return 0


def _windows(args: argparse.Namespace, translator: Translator) -> Iterator[list[str]]:
    """The lines to translate, some at a time."""
    if args.text:
        yield from options.chunks([" ".join(text.splitlines()) for text in args.text], CHUNK)
    elif args.input is not None:
        yield from options.chunks(options.read_lines(args.input), CHUNK)
    elif _is_interactive(args):
        print(f"Type a line of {translator.source_language} and press Enter; Ctrl-D ends.", file=sys.stderr)
        yield from ([line] for line in stream.typed())
    else:
        from nmt.data.lines import lines_of

        source = stream.stdin()
        yield from stream.windows(lines_of(cast(BinaryIO, source), "stdin"), CHUNK, source)


def _is_interactive(args: argparse.Namespace) -> bool:
    nothing_else = not args.text and args.input is None
    return bool(args.interactive or (nothing_else and not args.prefixes and sys.stdin.isatty()))


def _answers(
    translator: Translator,
    window: list[str],
    *,
    args: argparse.Namespace,
    search: SearchOptions,
    prefixes: Iterator[str] | None,
    bar: _Bar,
) -> Iterable[str]:
    """The lines to write for a window of lines."""
    begins = None if prefixes is None else list(islice(prefixes, len(window)))
    if begins is not None and len(begins) < len(window):
        raise DataError(f"{args.prefixes} has fewer lines than the text: give one for each line")
    found = translator.translate(
        window, batch_tokens=args.batch_tokens, progress=bar.update, options=search, prefixes=begins
    )
    for source, translation in zip(window, found, strict=True):
        yield translation.text if args.format == "text" else records.record(translator, source, translation)


class _Bar:
    """Lines done, on stderr: only at a terminal, and only where it does not run into the translations."""

    def __init__(self, args: argparse.Namespace) -> None:
        apart = args.output is not None or not sys.stdout.isatty()
        self.shown = sys.stderr.isatty() and apart and not args.text and not _is_interactive(args)
        self.input: Path | None = args.input
        self.bar: Any = None

    def __enter__(self) -> _Bar:
        if self.shown:
            from tqdm import tqdm

            from nmt.data.lines import count_lines

            known = self.input is not None and self.input.is_file()
            total = count_lines(self.input) if known and self.input else None
            self.bar = tqdm(total=total, unit=" lines", file=sys.stderr)
        return self

    def update(self, lines: int) -> None:
        if self.bar is not None:
            self.bar.update(lines)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
