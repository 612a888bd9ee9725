"""Averages of weights: a moving one during a run (Polyak & Juditsky 1992), and one of checkpoints after it.

The moving average is the model that is validated and kept. The mean of the last or best checkpoints (Vaswani et al.
2017, section 6.1) costs nothing during the run.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from nmt import files
from nmt.checkpoint import TrainedModel, load_model, with_card, write_model
from nmt.errors import CheckpointError
from nmt.model.seq2seq import Seq2Seq


class Average:
    """w' = d w' + (1 - d) w after every update; with d = 0 it is the model itself.

    The decay starts low, min(d, (1 + n) / (10 + n)) after n updates, so that early weights are soon forgotten.
    """

    def __init__(self, model: Seq2Seq, decay: float) -> None:
        self.source = model
        self.decay = decay
        self.model = copy.deepcopy(model).eval() if decay else model

    def restart(self) -> None:
        """Begin with the weights as they are."""
        if self.decay:
            self.model.load_state_dict(self.source.state_dict())

    def update(self, step: int) -> None:
        """Take in the weights after update number `step`."""
        if self.decay:
            decay = min(self.decay, (1 + step) / (10 + step))
            mine: list[Tensor] = list(self.model.parameters())
            new = [parameter.detach() for parameter in self.source.parameters()]
            with torch.no_grad():
                torch._foreach_lerp_(mine, new, 1.0 - decay)


def average_models(folders: Sequence[Path], output: Path) -> list[Path]:
    """Write the mean of the models in these folders; of the folder of a run take all its best ones.

    Returns:
        The model folders that were used.

    Raises:
        CheckpointError: they are not checkpoints of one model, or `output` is there already.
    """
    used = [model for folder in folders for model in _best_of(folder)]
    if output.exists():
        raise CheckpointError(f"{output} exists already: choose another folder with --output")
    if len(used) < 2:
        raise CheckpointError(
            f"{used[0]} is a single model, and nothing can be averaged: name several, or train with train.keep_best=5"
        )
    first, *others = (load_model(folder) for folder in used)
    means = {name: tensor.double() for name, tensor in first.model.state_dict().items()}
    for folder, other in zip(used[1:], others, strict=True):
        _check_alike(first, other, folder)
        for name, tensor in other.model.state_dict().items():
            means[name] += tensor
    first.model.load_state_dict({name: mean / len(used) for name, mean in means.items()})
    note = [
        f"{folder} ({model.card.get('train_steps', 0):,} updates)"
        for folder, model in zip(used, [first, *others], strict=True)
    ]
    with files.new_folder(output) as folder:
        write_model(with_card(first, averaged=note, dev_bleu=None, dev_value=None, scores=[]), folder)
    return used


def _best_of(folder: Path) -> list[Path]:
    kept = [path for path in sorted(folder.glob("best*")) if (path / "model.safetensors").is_file()]
    return kept or [folder]


def _check_alike(first: TrainedModel, other: TrainedModel, folder: Path) -> None:
    config = dataclasses.replace(other.config, decode=first.config.decode, nmt_version=first.config.nmt_version)
    pieces = [(model.source_tokenizer.to_bytes(), model.target_tokenizer.to_bytes()) for model in (first, other)]
    if config != first.config or pieces[0] != pieces[1]:
        raise CheckpointError(f"{folder} is another model than the first one: only checkpoints of one run have a mean")
