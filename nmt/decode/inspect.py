"""What every attention of a model does with one pair of sentences: scores, weights and weighted sums, head by head.

The target is forced on the decoder. While a model is being recorded each attention keeps what it computes anyway, so
nothing is computed twice in another way; the fused kernel is asked for its weights.

Shapes: H heads, T queries, S keys, E features of a value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from nmt.data.batch import collate
from nmt.decode.translator import Translator
from nmt.errors import DataError
from nmt.model.attention import Attended, Attention, Memory

KINDS = ("source-target", "source", "target")


class Looked(NamedTuple):
    """One call of an attention: the three stages."""

    scores: Tensor  # (*batch, T, S), NaN where the mask hides a key
    weights: Tensor  # (*batch, T, S)
    values: Tensor  # (*batch, S, E)
    context: Tensor  # (*batch, T, E)


@dataclass(frozen=True, slots=True)
class Look:
    """One layer's attention to one pair of sentences, on the CPU."""

    kind: str  # source-target, source (inside it) or target (inside it)
    layer: int  # from 0, among those of the same kind
    scores: Tensor  # (H, T, S), NaN where the mask hides a key
    weights: Tensor  # (H, T, S)
    values: Tensor  # (H, S, E)
    context: Tensor  # (H, T, E)


@dataclass(frozen=True, slots=True)
class Inspection:
    """A pair as the model reads it, and where it looked.

    The source is read with its end mark, S = pieces + 1. Source-target row t belongs to the piece that is predicted at
    t: the target's pieces and the end mark. Inside the target both axes are what the decoder has read: the begin mark
    and the target's pieces.
    """

    source: str
    target: str
    source_pieces: list[str]
    target_pieces: list[str]
    looks: list[Look]


@contextmanager
def recording(model: nn.Module) -> Iterator[dict[str, list[Looked]]]:
    """Within the block every attention of `model` notes its calls, under the name of its module."""
    attentions = {name: module for name, module in model.named_modules() if isinstance(module, Attention)}
    calls: dict[str, list[Looked]] = {name: [] for name in attentions}
    for name, attention in attentions.items():
        attention.__dict__["attend"] = partial(_attend, attention, calls[name])
    try:
        yield calls
    finally:
        for attention in attentions.values():
            del attention.__dict__["attend"]


def _attend(attention: Attention, calls: list[Looked], query: Tensor, memory: Memory) -> Attended:
    scores = attention.score(query, memory.keys)
    if memory.mask is not None:
        scores = scores.masked_fill(~memory.mask, math.nan)
    attended = type(attention).attend(attention, query, memory._replace(need_weights=True))
    assert attended.weights is not None  # they were asked for
    calls.append(Looked(scores, attended.weights, memory.values, attended.context))
    return attended


@torch.inference_mode()
def inspect(translator: Translator, source: str, target: str) -> Inspection:
    """Force `target` on the model and note where it looks.

    Raises:
        DataError: a side is blank.
    """
    source = translator._clean(source, translator.source_language)
    target = translator._clean(target, translator.target_language)
    if not source or not target:
        raise DataError("there is nothing to look at: the source or its translation is blank")
    trained = translator.trained
    [source_ids], [target_ids] = trained.source_tokenizer.encode([source]), trained.target_tokenizer.encode([target])
    batch = collate([source_ids], [target_ids]).to(translator.device)
    with recording(trained.model) as calls:
        trained.model(batch.source_ids, batch.source_lengths, batch.target_in)
    looks: list[Look] = []
    for name, made in calls.items():
        if made:
            kind = _kind(name)
            looks.append(Look(kind, sum(look.kind == kind for look in looks), *_joined(made)))
    looks.sort(key=lambda look: (KINDS.index(look.kind), look.layer))
    pieces = trained.source_tokenizer.pieces(source_ids), trained.target_tokenizer.pieces(target_ids)
    return Inspection(source, target, *pieces, looks)


def _kind(name: str) -> str:
    if name.startswith("encoder."):
        return "source"
    return "target" if ".self_attention" in name else "source-target"


def _joined(made: list[Looked]) -> Iterator[Tensor]:
    """The calls of one attention, step after step, as one: (H, T, S), (H, T, S), (H, S, E), (H, T, E)."""
    scores, weights, contexts = (
        torch.cat([getattr(one, part) for one in made], dim=-2) for part in ("scores", "weights", "context")
    )
    for part in (scores, weights, made[0].values, contexts):
        yield part[0].reshape(-1, *part.shape[-2:]).float().cpu()
