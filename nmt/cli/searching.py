"""The flags of a search, and what they make of a model's own settings."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from nmt.cli import options
from nmt.errors import ConfigError

if TYPE_CHECKING:
    from nmt.config import DecodeConfig
    from nmt.decode.options import SearchOptions

SAMPLING = ("temperature", "top_k", "top_p", "seed")


def add_length_penalty(parser: argparse._ActionsContainer) -> None:
    """`--length-penalty` and its kind."""
    parser.add_argument(
        "--length-penalty", type=float, metavar="X", help="scores are divided by lp(length), see --length-penalty-kind"
    )
    parser.add_argument(
        "--length-penalty-kind", choices=("plain", "gnmt"), help="length ** X (default), or ((5 + length) / 6) ** X"
    )


def add_flags(parser: argparse.ArgumentParser) -> None:
    """All that `SearchOptions` has besides the beam."""
    search = parser.add_argument_group("search (defaults: as trained)")
    search.add_argument(
        "--nbest", type=options.positive, metavar="N", help="with --format json: the N best, at most the beam"
    )
    add_length_penalty(search)
    search.add_argument(
        "--coverage-penalty", type=float, metavar="B", help="prefer translations that looked at all of the source: 0.2"
    )
    search.add_argument("--max-ratio", type=float, metavar="X", help="most target pieces for each source piece ...")
    search.add_argument("--max-extra", type=options.positive, metavar="N", help="... plus this many")
    search.add_argument("--min-ratio", type=float, metavar="X", help="fewest target pieces for each source piece")
    search.add_argument(
        "--no-repeat-ngram", type=options.positive, metavar="N", help="never write the same N pieces in a row twice"
    )
    sampling = parser.add_argument_group("sampling")
    sampling.add_argument(
        "--sample", action="store_true", help="draw each piece; a line's draw depends on the line and the seed only"
    )
    sampling.add_argument("--temperature", type=float, metavar="T", help="below 1 likelier pieces gain (default: 1)")
    sampling.add_argument("--top-k", type=options.positive, metavar="K", help="among the K likeliest pieces only")
    sampling.add_argument(
        "--top-p", type=float, metavar="P", help="among the likeliest pieces that together have probability P only"
    )
    sampling.add_argument("--seed", type=int, metavar="N", help="another one draws other translations (default: 0)")


def read(args: argparse.Namespace, decode: DecodeConfig) -> SearchOptions:
    """The model's settings with those given as flags.

    Raises:
        ConfigError: a value is out of its range, or would do nothing.
    """
    from nmt.decode.options import SearchOptions

    given = vars(args)
    chosen = {field.name: given[field.name] for field in fields(SearchOptions) if given.get(field.name) is not None}
    if not chosen.get("sample"):
        for name in SAMPLING:
            if name in chosen:
                raise ConfigError(f"--{name.replace('_', '-')} needs --sample")
    elif "beam" in chosen or chosen.get("coverage_penalty"):
        raise ConfigError("--sample draws instead of searching: leave out --beam and --coverage-penalty")
    return replace(SearchOptions.of(decode), **chosen)
