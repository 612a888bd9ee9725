"""Fine-tuning: a run that begins with the weights of a model folder, on other text, perhaps with parts held still.

The pieces of a new vocabulary that the old one has too keep their vectors (`start.vocabulary=match`); all others start
as in a new model.
"""

from __future__ import annotations

from pathlib import Path

import torch

from nmt.checkpoint import TrainedModel, load_model
from nmt.config import StartConfig
from nmt.errors import ConfigError
from nmt.model.seq2seq import Seq2Seq
from nmt.text.tokenizer import Tokenizer

ROWS = {"source.weight": "source", "target.weight": "target", "own_output": "target", "output_bias": "target"}
"""Tensors with a row for each piece, and of which side."""


def freeze(model: Seq2Seq, names: str) -> None:
    """Hold parts of a model still: `encoder+source`, by the first words of their parameters' names.

    Raises:
        ConfigError: there is no such part, or nothing would be left to train.
    """
    for part in filter(None, names.split("+")):
        found = [tensor for name, tensor in model.named_parameters() if name == part or name.startswith(f"{part}.")]
        if not found:
            known = sorted({name.split(".")[0] for name, _ in model.named_parameters()})
            raise ConfigError(f"start.freeze has {part!r}, but the parts of this model are: {', '.join(known)}")
        for tensor in found:
            tensor.requires_grad_(False)
    if not any(tensor.requires_grad for tensor in model.parameters()):
        raise ConfigError(f"start.freeze={names} leaves nothing to train")


def take_weights(model: Seq2Seq, config: StartConfig, new: TrainedModel) -> str:
    """Fill `model` with the weights of the model folder `config.model`; returns what the person should know.

    Args:
        model: of the same build as the old one, vocabularies apart.
        config: where from, and what to do with another vocabulary.
        new: what the new model folder will hold; its vocabularies are the new ones.

    Raises:
        CheckpointError: there is no whole model.
        ConfigError: it does not fit.
    """
    old = load_model(Path(str(config.model)))
    if old.config.direction != new.config.direction:
        raise ConfigError(f"{config.model} translates {old.config.direction}, but this run {new.config.direction}")
    sides = {
        "source": (old.source_tokenizer, new.source_tokenizer),
        "target": (old.target_tokenizer, new.target_tokenizer),
    }
    other = [side for side, (before, now) in sides.items() if before != now]
    if other and config.vocabulary == "same":
        raise ConfigError(
            f"{config.model} has another {other[0]} vocabulary than the text: set start.vocabulary=match to keep "
            "the vectors of the pieces that both have"
        )
    rows = {side: _common(*pair) for side, pair in sides.items()}
    weights, before = dict(model.state_dict()), old.model.state_dict()
    for name, tensor in weights.items():
        if name in ROWS and name in before:
            ours, theirs = rows[ROWS[name]]
            tensor[ours] = before[name][theirs].to(tensor.device)
        elif name in before and before[name].shape == tensor.shape:
            tensor.copy_(before[name])
        else:
            raise ConfigError(
                f"{config.model} is built otherwise: {name} does not fit; choose the model it was trained as"
            )
    kept = ", ".join(f"{len(rows[side][0]):,} of {len(pair[1]):,} {side} pieces" for side, pair in sides.items())
    return f"beginning with the weights of {config.model}: {kept} have its vectors"


def _common(before: Tokenizer, now: Tokenizer) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids in the new vocabulary of the pieces that both have, and their ids in the old one."""
    old = {piece: index for index, piece in enumerate(before.pieces(range(len(before))))}
    found = [(index, old[piece]) for index, piece in enumerate(now.pieces(range(len(now)))) if piece in old]
    ours, theirs = zip(*found, strict=True)  # both have the marks and the bytes
    return torch.tensor(ours), torch.tensor(theirs)
