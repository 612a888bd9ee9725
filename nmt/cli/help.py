"""`nmt prepare --help` and `nmt train --help`: written from the YAML files and the schema, so they can not go stale.

Neither Hydra nor torch is needed to show them.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from nmt import config as schema
from nmt.settings import ROOTS, Leaf, configs_folder, leaves

WIDTH = 112
SHOWN_DEFAULTS = {"name": "made of the choices", "data.name": "as the choice of data"}
INTRODUCTION = {
    "prepare": "Read parallel text, clean and split it, learn the vocabularies, and write prepared/NAME.",
    "train": "Train a model on a prepared folder and write runs/NAME; the same command resumes an interrupted run.",
}
EXAMPLES = {
    "prepare": """\
  nmt prepare data=tatoeba
  nmt prepare data=files data.name=mine data.train.source=a.en data.train.target=a.zh
  nmt prepare data=tsv data.name=mine data.train.path=pairs.tsv text.vocab_size_en=8000
""",
    "train": """\
  nmt train experiment=demo
  nmt train experiment=demo direction=zh-en
  nmt train experiment=demo model=rnn_self_attention_small
  nmt train experiment=demo attention=mlp optim.lr=1e-3 name=mine
  nmt train -m experiment=demo attention=dot,cosine,mlp    # one run after the other
""",
}
OPTIONS = """\
  -m, --multirun    run once for each combination of values given as a,b,c
  --cfg job         print the composed settings and stop (with --resolve: names filled in)
  --info defaults   print which files they come from and stop
  --hydra-help      all options of Hydra
"""


def experiment_help(verb: str) -> str:
    """The whole text."""
    sections = [
        f"usage: nmt {verb} [GROUP=CHOICE] [KEY=VALUE] ...\n\n{INTRODUCTION[verb]}\n",
        "examples:\n" + EXAMPLES[verb],
        "options:\n" + OPTIONS,
        "groups (GROUP=CHOICE; * is the default):\n" + "\n".join(_groups(verb)) + "\n",
        "settings (KEY=VALUE; the schema's default in brackets, presets may set others):\n"
        + "\n".join(_setting(leaf) for leaf in _merged(verb))
        + "\n",
        f"The files behind this: {configs_folder()}\n",
    ]
    return "\n".join(sections)


# --- groups -----------------------------------------------------------------------------------------------------------


def _groups(verb: str) -> Iterator[str]:
    for group, default in group_defaults(verb).items():
        yield f"  {group}"
        for path in sorted((configs_folder() / group).glob("*.yaml")):
            mark = "*" if path.stem == default else " "
            yield _entry(f"  {mark} {path.stem}", _first_comment(path), indent=32)


def group_defaults(verb: str) -> dict[str, str]:
    """The groups of a verb and what each is set to by default, in the order of the defaults lists."""
    pattern = re.compile(r"^  - /?(\w+): (\w+)", re.MULTILINE)
    groups: dict[str, str] = {}
    for group, choice in pattern.findall(_text(f"{verb}.yaml")):
        groups[group] = choice
        if choice != "null":
            groups.update(pattern.findall(_text(f"{group}/{choice}.yaml")))
    return groups


def _text(name: str) -> str:
    return (configs_folder() / name).read_text(encoding="utf-8")


def _first_comment(path: Path) -> str:
    comments = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# ")]
    return next((line[2:] for line in comments if not line.startswith("# @")), "")


# --- settings ---------------------------------------------------------------------------------------------------------


def _merged(verb: str) -> list[tuple[Leaf, list[str]]]:
    """Each path once, with the choices that have it; none when all have it."""
    merged: dict[str, tuple[Leaf, list[str]]] = {}
    for leaf in leaves(ROOTS[verb]):
        merged.setdefault(leaf.path, (leaf, []))[1].append(leaf.kind or "")
    every = {path.rpartition(".")[0]: _kinds(verb, path.rpartition(".")[0]) for path in merged}
    return [
        (leaf, [] if set(kinds) >= every[path.rpartition(".")[0]] else kinds) for path, (leaf, kinds) in merged.items()
    ]


def _kinds(verb: str, parent: str) -> set[str]:
    tables: dict[str, Any] = {
        "data": schema.DATA,
        "model.encoder": schema.ENCODERS,
        "model.decoder": schema.DECODERS,
        "model.attention": schema.SCORES,
        "model.self_attention": schema.SCORES,
    }
    return set(tables.get(parent, {""}))


def _setting(entry: tuple[Leaf, list[str]]) -> str:
    leaf, kinds = entry
    default = leaf.field.default
    shown = SHOWN_DEFAULTS.get(leaf.path) or _yaml(default)
    only = f" (only {', '.join(kinds)})" if any(kinds) else ""
    doc = _docs(leaf.owner).get(leaf.field.name) or _inherited(leaf)
    return _entry(f"  {leaf.path}", f"[{shown}] {doc}{only}".rstrip(), indent=32)


def _yaml(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) or "''"


def _inherited(leaf: Leaf) -> str:
    return next((_docs(base)[leaf.field.name] for base in leaf.owner.__mro__ if leaf.field.name in _docs(base)), "")


@cache
def _docs(owner: type) -> dict[str, str]:
    """The string under each field of a dataclass."""
    if not dataclasses.is_dataclass(owner):
        return {}
    body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            docs[field.target.id] = " ".join(str(after.value.value).split()).replace("`", "")
    return docs


def _entry(name: str, text: str, *, indent: int) -> str:
    """A name and what it means, in two columns."""
    lines = textwrap.wrap(text, WIDTH - indent) or [""]
    first = f"{name:<{indent}}{lines[0]}" if len(name) < indent else f"{name}\n{' ' * indent}{lines[0]}"
    return "\n".join([first, *(" " * indent + line for line in lines[1:])]).rstrip()
