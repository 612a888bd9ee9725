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
from nmt.train.average import Average
from nmt.train.examples import Examples, IdColumn
from nmt.train.folder import RunFolder
from nmt.train.limits import Limits
from nmt.train.state import Counters, load_state
from nmt.train.validate import DevSet


@dataclass(slots=True)
class Parts:
    """Everything a `Trainer` works with."""

    model: Seq2Seq
    optimizer: torch.optim.Optimizer
    average: Average
    examples: Examples
    translator: Translator
    dev: DevSet
    device: torch.device
    precision: str
    counters: Counters
    notes: list[str] = field(default_factory=list)
    """What the person should know before the run begins."""


def build_parts(config: RunConfig, folder: RunFolder) -> Parts:
    """Read the prepared folder, build the model, and go on from an earlier part of the run if there is one."""
    if config.train.max_steps is None and config.train.max_minutes is None:
        raise ConfigError("the run has no end: set train.max_steps or train.max_minutes")
    prepared = load_prepared(config.prepared)
    device = choose_device(config.device)
    precision = choose_precision(config.precision, device)
    if config.threads:
        torch.set_num_threads(config.threads)
    source, target = config.direction.split("-")
    examples = _examples(config, prepared, source, target)
    source_tokenizer, target_tokenizer = prepared.tokenizer(source), prepared.tokenizer(target)
    torch.manual_seed(config.seed)
    model = build_model(
        config.model, source_size=len(source_tokenizer), target_size=len(target_tokenizer), seed=config.seed
    ).to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.optim.lr,
        betas=(config.optim.beta1, config.optim.beta2),
        weight_decay=config.optim.weight_decay,
        fused=True,
    )
    average = Average(model, config.train.average)
    saved = folder_config(
        direction=config.direction,
        script=prepared.manifest["settings"]["data"]["script"],
        model=config.model,
        decode=config.decode,
        source=source_tokenizer,
        target=target_tokenizer,
    )
    card = _card(config, prepared, model, len(examples.sampler.fitting), precision)
    trained = TrainedModel(average.model, saved, source_tokenizer, target_tokenizer, card)
    dev = DevSet.first(prepared.heldout("dev", config.direction), config.train.validate_sentences)
    if not dev.sources:
        raise DataError(f"{config.prepared} has no dev sentences, so the best model can not be told: prepare some")
    # Whatever can be wrong has been found by now; only then is an earlier run touched.
    folder.check_space_of_run(model, keep_last=config.train.keep_last, keep_best=config.train.keep_best)
    notes = folder.begin(config, prepared.manifest["fingerprint"])
    counters, said = folder.resume(lambda path: load_state(path, model, optimizer, average))
    counters.best_bleu = max(counters.best_bleu, folder.best_bleu)
    notes += said
    where = f"{device.type} {precision}"
    notes += _notes(config, examples, trained.card, where=where, counters=counters)
    return Parts(
        model, optimizer, average, examples, Translator(trained, device), dev, device, precision, counters, notes
    )


def _examples(config: RunConfig, prepared: Prepared, source: str, target: str) -> Examples:
    table = prepared.train().data
    return Examples(
        IdColumn(table.column(f"{source}_ids")),
        IdColumn(table.column(f"{target}_ids")),
        tokens=config.train.batch_tokens,
        max_length=config.train.max_length,
        seed=config.seed,
    )


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
        "train_pairs": pairs,
        "seed": config.seed,
        "precision": precision,
        "hardware": _hardware(choose_device(config.device)),
        "train_steps": 0,
        "train_minutes": 0.0,
        "tokens_per_second": 0.0,
        "dev_bleu": None,
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
    own = config.model.self_attention
    if card["self_attention"] == "-" and (own.kind, own.normalise) != ("scaled_dot", "softmax"):
        notes.append(f"self_attention={own.kind} ({own.normalise}) has no effect: nothing here attends to itself")
    if counters.step and not counters.is_over(Limits(config.train, step=counters.step, seconds=counters.seconds)):
        notes.append(f"going on from step {counters.step:,}, {counters.seconds / 60:.1f} minutes into the run")
    return notes
