"""The console script `nmt`: finds the verb, runs it, and turns what went wrong into one line and an exit code.

Exit codes: 0 fine, 1 something a person can mend, 2 wrong usage, 130 interrupted (Ctrl-C), 141 nobody reads the output,
143 terminated (SIGTERM).
"""

from __future__ import annotations

import difflib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence

from nmt import __version__
from nmt.errors import NmtError, Terminated

VERBS = {
    "audit": ("nmt.cli.audit", "tell what is wrong with a parallel text, with file and line; changes nothing"),
    "prepare": ("nmt.cli.experiment", "read parallel text, clean and split it, learn the vocabularies: prepared/NAME"),
    "train": ("nmt.cli.experiment", "train a model on a prepared folder: runs/NAME"),
    "evaluate": ("nmt.cli.evaluate", "translate a held-out part and score it: BLEU and chrF with their signature"),
    "average": ("nmt.cli.average", "write a model of the mean weights of several checkpoints of a run"),
    "translate": ("nmt.cli.translate", "translate lines of text"),
    "score": ("nmt.cli.forced", "score given translations by the model's probability"),
    "align": ("nmt.cli.align", "show which word comes from where: links and heat maps"),
    "view": ("nmt.cli.view", "write one offline HTML page that shows where a model looks"),
    "doctor": ("nmt.cli.doctor", "check the installation, and a run or a model if one is named"),
    "compare": ("nmt.cli.compare", "print one table of several runs"),
}
EXPERIMENTS = ("prepare", "train")

USAGE = """\
usage: nmt VERB ...

{verbs}

Every verb describes itself: nmt VERB --help
  nmt --version
  nmt --completion bash|zsh|fish    print a script for your shell; bash: eval "$(nmt --completion bash)"

A first run:
  nmt prepare data=tatoeba
  nmt train experiment=demo
  nmt translate --model runs/demo/best "How are you?"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `nmt ARGV` and return its exit code."""
    _speak_utf8()
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage(), end="")
        return 0 if arguments else 2
    if arguments[0] == "--version":
        print(f"nmt {__version__}")
        return 0
    if arguments[0] in ("--completion", "--complete"):
        from nmt.cli import complete

        return complete.run(arguments)
    if arguments[0] not in VERBS:
        print(f"nmt: there is no verb {arguments[0]!r}{_nearest(arguments[0])}", file=sys.stderr)
        return 2
    return _run(arguments[0], arguments[1:])


def _speak_utf8() -> None:
    """Results and messages hold Chinese, so they are UTF-8 whatever the locale or PYTHONIOENCODING says.

    The name of a file that is not UTF-8 goes to stdout byte for byte, as it came in. On stderr it is spelt out: a
    message that can not be written would hide what it is about.
    """
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def usage() -> str:
    """The text of `nmt --help`."""
    return USAGE.format(verbs="\n".join(f"  {verb:<10} {summary}" for verb, (_, summary) in VERBS.items()))


def _nearest(word: str) -> str:
    close = difflib.get_close_matches(word, VERBS, n=1, cutoff=0.5)
    return f"; did you mean `nmt {close[0]}`?" if close else f"; choose one of: {', '.join(VERBS)}"


def _run(verb: str, arguments: list[str]) -> int:
    """Import and run one verb; nothing but a fault of the program leaves a traceback."""
    try:
        module = importlib.import_module(VERBS[verb][0])
        code: int = module.run(verb, arguments)
        sys.stdout.flush()
        return code
    except Terminated:
        print(f"nmt {verb}: terminated", file=sys.stderr)
        return 143
    except KeyboardInterrupt:
        print(f"nmt {verb}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it flushes at exit
        return 141
    except (NmtError, OSError) as error:
        if os.environ.get("NMT_TRACEBACK") == "1":
            traceback.print_exc()
        print(f"nmt {verb}: {_one_line(error)}", file=sys.stderr)
        return 1


def _one_line(error: NmtError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split("\n"))
