"""Shell completion: `nmt --completion SHELL` prints a script, which asks `nmt --complete` for candidates.

The line typed so far is in `COMP_LINE`. Verbs and flags are known here; groups and keys of the experiments come from
Hydra's own completion, which never learns that there was a verb.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence

BASH = """\
_nmt() {
    local IFS=$'\\n' typed="${COMP_LINE:0:COMP_POINT}" i
    local word="${typed##* }"
    COMPREPLY=($(COMP_LINE="$typed" "$1" --complete 2>/dev/null))
    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then # bash itself keeps what stands before the "="
        for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]="${COMPREPLY[i]#"${word%=*}="}"; done
    fi
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=./] ]] && compopt -o nospace
}
complete -o default -F _nmt nmt
"""
ZSH = "autoload -U +X bashcompinit && bashcompinit\n" + BASH.replace(
    "[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=./] ]] && compopt -o nospace\n", ":\n"
).replace("complete -o default", "complete -o default -o nospace").replace(
    'for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]="${COMPREPLY[i]#"${word%=*}="}"; done', ":"
)
FISH = """\
function __nmt_complete
    set -lx COMP_LINE (commandline --current-process --cut-at-cursor)
    nmt --complete 2>/dev/null
end
complete --command nmt --arguments '(__nmt_complete)'
"""
HIDDEN = ("schema", "hydra", "mode=")  # Hydra's own keys work, but few people need them
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def run(arguments: Sequence[str]) -> int:
    """`nmt --completion SHELL`, or the question that its script asks."""
    if arguments[0] == "--complete":
        for candidate in candidates(os.environ.get("COMP_LINE", "")):
            print(candidate)
        return 0
    if list(arguments[1:]) not in [[shell] for shell in SCRIPTS]:
        print(f"usage: nmt --completion {'|'.join(SCRIPTS)}", file=sys.stderr)
        return 2
    print(SCRIPTS[arguments[1]], end="")
    return 0


def candidates(line: str) -> list[str]:
    """What may stand at the end of the line, in full words."""
    from nmt.cli.main import EXPERIMENTS, VERBS

    words = line.split()
    typed = words.pop() if words and not line[-1].isspace() else ""
    if len(words) < 2:
        return [word for word in (*VERBS, "--help", "--version", "--completion") if word.startswith(typed)]
    verb = words[1]
    if verb in EXPERIMENTS:
        found = _experiment(verb, " ".join([words[0], *words[2:], typed]))
    elif verb in VERBS:
        found = _tool(importlib.import_module(VERBS[verb][0]).parser(), words[2:], typed)
    else:
        found = list(SCRIPTS) if verb == "--completion" else []
    return [word for word in found if word.startswith(typed)]


def _tool(parser: argparse.ArgumentParser, words: Sequence[str], typed: str) -> list[str]:
    """Flags, or the choices of the flag before; nothing (so: files) otherwise."""
    flags = {flag: action for action in parser._actions for flag in action.option_strings}
    before = flags.get(words[-1]) if words else None
    if before is not None and before.nargs != 0:
        return [str(choice) for choice in before.choices or ()]
    return sorted(flag for flag in flags if flag.startswith("--")) if typed.startswith("-") or not typed else []


def _experiment(verb: str, line: str) -> list[str]:
    """Ask Hydra, as its own shell function would."""
    from nmt.cli.experiment import compose_and_run

    before = os.environ.get("COMP_LINE")
    os.environ["COMP_LINE"] = line
    answer = io.StringIO()
    try:
        with contextlib.redirect_stdout(answer), contextlib.suppress(Exception, SystemExit):
            compose_and_run(verb, ["-sc", "query=bash"], lambda _: None)
    finally:
        os.environ.pop("COMP_LINE")
        if before is not None:
            os.environ["COMP_LINE"] = before
    found = [word for word in answer.getvalue().split() if not word.startswith(HIDDEN) and not word.endswith("kind=")]
    typed = line.rpartition(" ")[2]
    flags = ["--help", "--multirun", "--cfg"] if typed.startswith("-") else []
    return found + flags
