"""Settings -> the parts of a run, new or taken up again."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from typing import Any

import torch

import nmt
from nmt.checkpoint import TrainedModel, describe, folder_config
from nmt.config import RunConfig
from nmt.data.prepared import Prepared, load_prepared
from nmt.decode.translator import Translator
from nmt.device import choose_device, choose_precision
from nmt.errors import ConfigError, DataError
from nmt.model.build import build_model, num_parameters
from nmt.model.seq2seq import Seq2Seq
from nmt.train.examples import Examples, IdColumn
from nmt.train.folder import RunFolder
from nmt.train.limits import Limits
from nmt.train.ranks import Ranks
from nmt.train.start import freeze, take_weights
from nmt.train.state import Counters, load_state
from nmt.train.update import Updater
from nmt.train.validate import DevSet


@dataclass(slots=True)
class Parts:
    """Everything a `Trainer` works with."""

    updater: Updater
    examples: Examples
    translator: Translator
    dev: DevSet
    counters: Counters
    notes: list[str] = field(default_factory=list)
    """What the person should know before the run begins."""


def build_parts(config: RunConfig, folder: RunFolder, ranks: Ranks) -> Parts:
    """Read the prepared folder, build the model, and go on from an earlier part of the run if there is one."""
    if config.train.max_steps is None and config.train.max_minutes is None:
        raise ConfigError("the run has no end: set train.max_steps or train.max_minutes")
    prepared = load_prepared(config.prepared)
    device = ranks.device(choose_device(config.device))
    precision = choose_precision(config.precision, device)
    if config.threads:
        torch.set_num_threads(config.threads)
    source, target = config.direction.split("-")
    examples = _examples(config, prepared, source, target, ranks)
    source_tokenizer, target_tokenizer = prepared.tokenizer(source), prepared.tokenizer(target)
    if config.model.tie == "all" and source_tokenizer != target_tokenizer:
        raise ConfigError(
            f"model.tie=all needs one vocabulary for both languages, but {config.prepared} has two: prepare the text "
            "with text.joint=true, or set model.tie=output"
        )
    torch.manual_seed(config.seed + 1_000_003 * ranks.rank)  # each process has its own dropout
    model = build_model(
        config.model, source_size=len(source_tokenizer), target_size=len(target_tokenizer), seed=config.seed
    ).to(device)
    freeze(model, config.start.freeze)
    updater = Updater(
        model, config.optim, average=config.train.average, device=device, precision=precision, ranks=ranks
    )
    saved = folder_config(
        direction=config.direction,
        script=prepared.manifest["settings"]["data"]["script"],
        chinese=prepared.manifest["settings"]["data"].get("chinese", "hans"),  # folders of before know one script
        model=config.model,
        decode=config.decode,
        source=source_tokenizer,
        target=target_tokenizer,
    )
    card = _card(config, prepared, model, len(examples.sampler.fitting), precision)
    trained = TrainedModel(updater.average.model, saved, source_tokenizer, target_tokenizer, card)
    dev = DevSet.first(prepared.heldout("dev", config.direction), config.train.validate_sentences)
    if not dev.sources:
        raise DataError(f"{config.prepared} has no dev sentences, so the best model can not be told: prepare some")
    notes, counters = [], Counters()
    if ranks.first:  # Whatever can be wrong has been found by now; only then is an earlier run touched.
        folder.check_space_of_run(model, keep_last=config.train.keep_last, keep_best=config.train.keep_best)
        notes = folder.begin(config, prepared.manifest["fingerprint"], trained)
    ranks.told(None)  # the others wait until damaged states are out of the way
    for turn in (0, 1):
        if ranks.first == (turn == 0):
            counters, said = folder.resume(lambda path: load_state(path, updater))
            notes += said
        ranks.told(None)
    if config.start.model and not counters.step:
        notes.append(take_weights(model, config.start, trained))
        updater.average.restart()
    best = folder.best_card
    value = best.get("dev_value")
    if value is not None and (counters.best_value is None or value > counters.best_value):  # newer than the saved state
        counters.best_bleu, counters.best_value = best["dev_bleu"], value
    notes += _same_batches(config, prepared, counters)
    where = f"{device.type} {precision}" + (f", {ranks.world} processes" if ranks.world > 1 else "")
    notes += _notes(config, examples, trained.card, where=where, counters=counters)
    return Parts(updater, examples, Translator(trained, device), dev, counters, notes)


def _examples(config: RunConfig, prepared: Prepared, source: str, target: str, ranks: Ranks) -> Examples:
    table = prepared.train().data
    return Examples(
        IdColumn(table.column(f"{source}_ids")),
        IdColumn(table.column(f"{target}_ids")),
        tokens=config.train.batch_tokens,
        update_tokens=config.train.update_tokens,
        max_length=config.train.max_length,
        seed=config.seed,
        ranks=ranks,
    )


def _same_batches(config: RunConfig, prepared: Prepared, counters: Counters) -> list[str]:
    """With other batches than those of the saved run, begin with a new pass over the text, and say so."""
    settings = (prepared.manifest["fingerprint"], config.seed, config.train.batch_tokens, config.train.max_length)
    before, counters.batches = counters.batches, " ".join(map(str, settings))
    if not before or before == counters.batches:
        return []
    counters.epoch, counters.batch = counters.epoch + 1, 0
    return ["the batches are not those of before: a new pass over the text begins"]


def _card(config: RunConfig, prepared: Prepared, model: Seq2Seq, pairs: int, precision: str) -> dict[str, Any]:
    manifest = prepared.manifest
    return {
        "name": config.name,
        "nmt_version": nmt.__version__,
        "direction": config.direction,
        **describe(config.model),
        "parameters": num_parameters(model),
        "data": manifest["name"],
        "data_fingerprint": manifest["fingerprint"],
        "data_sha256": [source["sha256"] for source in manifest["inputs"]],
        "licence": manifest["licence"],
        "attribution": manifest["attribution"],
        "overlap": manifest.get("overlap"),
        "train_pairs": pairs,
        "seed": config.seed,
        "precision": precision,
        "hardware": _hardware(choose_device(config.device)),
        "train_steps": 0,
        "train_minutes": 0.0,
        "tokens_per_second": 0.0,
        "dev_bleu": None,
        "dev_value": None,
        "scores": [],
    }


def _hardware(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{torch.get_num_threads()} threads of {os.cpu_count()} CPU cores ({platform.machine()})"


def _notes(config: RunConfig, examples: Examples, card: dict[str, Any], *, where: str, counters: Counters) -> list[str]:
    sampler = examples.sampler
    notes = [
        f"{config.name}: {config.direction}, {card['encoder']} -> {card['decoder']}, {card['attention']} attention, "
        f"{card['parameters']:,} parameters, {len(sampler.fitting):,} pairs, {where}"
    ]
    if sampler.too_long:
        notes.append(f"{sampler.too_long:,} pairs have {sampler.limit} pieces or more on a side and are left out")
    notes.append(f"{examples.padding(counters.epoch):.1%} of the places in the batches are padding")
    own = config.model.self_attention
    if card["self_attention"] == "-" and (own.kind, own.normalise) != ("scaled_dot", "softmax"):
        notes.append(f"self_attention={own.kind} ({own.normalise}) has no effect: nothing here attends to itself")
    if counters.step and not counters.is_over(Limits(config.train, step=counters.step, seconds=counters.seconds)):
        notes.append(
            f"going on from step {counters.step:,}, {counters.seconds / 60:.1f} minutes into the run "
            f"({counters.progress:.0%} of it, learning rate {counters.rate:.2e})"
        )
    return notes
