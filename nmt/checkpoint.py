"""A trained model as one self-contained folder.

    config.yaml          direction, model and decode settings, sizes, versions
    source.spm target.spm  SentencePiece models
    model.safetensors    weights (no code runs when they are loaded)
    card.json README.md  what it was trained on, under which licence, and its scores with their signatures
    manifest.json        checksums of the files that never change

Copied anywhere, it translates: nothing outside the folder is needed.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import nmt
from nmt import files, settings
from nmt.card import render
from nmt.config import DecodeConfig, ModelConfig, ModelFolderConfig
from nmt.errors import CheckpointError, NmtError
from nmt.model.build import build_model
from nmt.model.seq2seq import Seq2Seq
from nmt.text.tokenizer import Tokenizer

FORMAT_VERSION = 2  # 1 had no lexical model
WEIGHTS = "model.safetensors"
NEVER_CHANGED = (WEIGHTS, "source.spm", "target.spm")


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """What a model folder holds."""

    model: Seq2Seq
    config: ModelFolderConfig
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    card: dict[str, Any]

    @property
    def source_language(self) -> str:
        """`en` or `zh`."""
        return self.config.direction.split("-")[0]

    @property
    def target_language(self) -> str:
        """`en` or `zh`."""
        return self.config.direction.split("-")[1]


def folder_config(
    *,
    direction: str,
    script: str,
    model: ModelConfig,
    decode: DecodeConfig,
    source: Tokenizer,
    target: Tokenizer,
    chinese: str = "hans",
) -> ModelFolderConfig:
    """The `config.yaml` of a new model."""
    return ModelFolderConfig(
        format_version=FORMAT_VERSION,
        nmt_version=nmt.__version__,
        direction=direction,
        script=script,
        chinese=chinese,
        source_size=len(source),
        target_size=len(target),
        model=model,
        decode=decode,
    )


def write_model(trained: TrainedModel, folder: Path) -> None:
    """Fill an empty folder with a model."""
    write_config(trained.config, folder)
    (folder / "source.spm").write_bytes(trained.source_tokenizer.to_bytes())
    (folder / "target.spm").write_bytes(trained.target_tokenizer.to_bytes())
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in trained.model.state_dict().items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt", "nmt_version": nmt.__version__})
    _write_card(trained.card, folder)
    files.write_manifest(folder, NEVER_CHANGED)


def write_config(config: ModelFolderConfig, folder: Path) -> None:
    """Write the `config.yaml` of a model folder."""
    files.write_text(folder / "config.yaml", settings.to_yaml(config))


def read_config(folder: Path) -> ModelFolderConfig:
    """The `config.yaml` of a model folder."""
    config = settings.load(folder / "config.yaml", ModelFolderConfig)
    if config.format_version < 2:
        config.model.lexical = False
    return config


def load_model(folder: Path | str, device: torch.device | None = None) -> TrainedModel:
    """Read a model folder; of a run's folder (`runs/NAME`) take its best model.

    Raises:
        CheckpointError: the folder is missing, incomplete, damaged, or written by a later version.
    """
    folder = find_model(Path(folder))
    if wrong := files.damage(folder):
        raise CheckpointError(f"{folder} is damaged: {wrong}; copy it anew, or use another model of its run")
    try:
        config = read_config(folder)
        source, target = Tokenizer.load(folder / "source.spm"), Tokenizer.load(folder / "target.spm")
        card = read_card(folder)
    except (NmtError, OSError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{folder} is not a complete model folder: {error}") from None
    if config.format_version > FORMAT_VERSION:
        raise CheckpointError(
            f"{folder} was written by nmt {config.nmt_version} in format {config.format_version}, "
            f"but this is nmt {nmt.__version__}, which reads up to format {FORMAT_VERSION}: install a newer nmt"
        )
    if (config.source_size, config.target_size) != (len(source), len(target)):
        raise CheckpointError(
            f"{folder}: the vocabularies have {len(source)} and {len(target)} pieces, but the model was built for "
            f"{config.source_size} and {config.target_size}: files of two models are mixed"
        )
    model = build_model(config.model, source_size=len(source), target_size=len(target))
    _fill(model, folder / WEIGHTS)
    return TrainedModel(model.to(device or "cpu").eval(), config, source, target, card)


def find_model(folder: Path) -> Path:
    """The model folder meant by a path: itself, the best of a run, or what a killed save left of it.

    Raises:
        CheckpointError: there is none.
    """
    before = [files.previous(folder)] if folder.name else []  # not of "."
    in_run = [files.previous(folder / "best"), *(folder / name for name in ("best.2", "last", "last.2"))]
    for candidate in (folder, folder / "best", *before, *in_run):
        if (candidate / WEIGHTS).is_file():
            if candidate not in (folder, folder / "best"):
                logging.getLogger(__name__).warning("%s has no whole model: %s is used instead", folder, candidate)
            return candidate
    kind = "holds no model" if folder.is_dir() else "does not exist"
    raise CheckpointError(f"{folder} {kind}: give a folder that `nmt train` has written, such as runs/demo/best")


def weights_checksum(folder: Path) -> str:
    """SHA-256 of a model's weights: two models with equal checksums translate alike."""
    return files.sha256(folder / WEIGHTS)


def add_score(folder: Path, score: dict[str, Any]) -> None:
    """Write a score (`set`, `bleu`, `chrf`, `signature`) to a model's card, in place of an earlier one of that set."""
    card = read_card(folder)
    scores = [known for known in card.get("scores", []) if known["set"] != score["set"]]
    _write_card({**card, "scores": [*scores, score]}, folder)


def read_card(folder: Path) -> dict[str, Any]:
    """What is known about a model: `card.json`."""
    card: dict[str, Any] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return card


def _write_card(card: dict[str, Any], folder: Path) -> None:
    files.write_text(folder / "card.json", json.dumps(card, ensure_ascii=False, indent=2) + "\n")
    files.write_text(folder / "README.md", render(card))


def _fill(model: Seq2Seq, path: Path) -> None:
    try:
        weights = load_file(path)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is damaged and can not be read: {error}") from None
    wanted = model.state_dict()
    wrong = sorted(name for name in wanted.keys() | weights.keys() if _shape(wanted, name) != _shape(weights, name))
    if wrong:
        name = wrong[0]
        raise CheckpointError(
            f"{path} does not fit its config.yaml in {len(wrong)} tensors, the first one being {name}: "
            f"{_shape(weights, name)} in the file, {_shape(wanted, name)} in the model"
        )
    model.load_state_dict(weights)


def _shape(tensors: dict[str, torch.Tensor], name: str) -> str:
    return "x".join(str(size) for size in tensors[name].shape) or "one number" if name in tensors else "missing"


def describe(model: ModelConfig) -> dict[str, str]:
    """The parts of a model by name, for cards and tables."""
    parts = {part: getattr(model, part) for part in ("encoder", "decoder", "attention", "self_attention")}
    described = {name: str(part.kind) for name, part in parts.items()}
    for name in ("attention", "self_attention"):
        if parts[name].normalise != "softmax":
            described[name] += f" {parts[name].normalise}"
    for name in ("encoder", "decoder"):
        described[name] += f" {parts[name].layers}x{parts[name].width}"
        if cell := getattr(parts[name], "cell", ""):
            described[name] += f" {cell}"
    if "self_attention" not in (parts["encoder"].kind, parts["decoder"].kind):
        described["self_attention"] = "-"
    return described


def with_card(trained: TrainedModel, **entries: Any) -> TrainedModel:
    """The same model with more on its card."""
    return dataclasses.replace(trained, card={**trained.card, **entries})
