"""How good is the model now? Loss and BLEU on held-out sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from nmt.data.batch import collate
from nmt.data.prepared import HeldOut
from nmt.decode.translator import Translator
from nmt.evaluate.metrics import Score, bleu, chrf
from nmt.model.masks import padding_mask
from nmt.model.seq2seq import Seq2Seq
from nmt.text.normalise import normalise
from nmt.train.loss import token_loss


@dataclass(frozen=True, slots=True)
class DevSet:
    """Dev sentences with all their references, and with the first one as a target to predict."""

    sources: list[str]
    references: list[list[str | None]]

    @classmethod
    def first(cls, held_out: HeldOut, number: int) -> DevSet:
        """The first `number` sentences; the sets are in an order that has nothing to do with their content."""
        references = [reference_set[:number] for reference_set in held_out.references]
        return cls(held_out.sources[:number], [kept for kept in references if any(kept)])


@dataclass(frozen=True, slots=True)
class Validation:
    """The outcome."""

    bleu: Score
    chrf: Score
    loss: float  # plain cross-entropy in nats for each target piece
    hypotheses: list[str]

    def value(self, metric: str) -> float:
        """`bleu`, `chrf` or `loss` as a number of which more is better."""
        return {"bleu": self.bleu.value, "chrf": self.chrf.value, "loss": -self.loss}[metric]

    def score(self, sentences: int) -> dict[str, Any]:
        """An entry of the model's card."""
        name = f"dev ({sentences} sentences, greedy)"
        return {"set": name, "bleu": round(self.bleu.value, 2), "signature": self.bleu.signature}


def validate(translator: Translator, dev: DevSet) -> Validation:
    """Translate the dev set greedily and score it; measure the loss on the first references."""
    hypotheses = [translation.text for translation in translator.translate(dev.sources, beam=1)]
    by_bleu, by_chrf = (
        metric(hypotheses, dev.references, target_language=translator.target_language) for metric in (bleu, chrf)
    )
    return Validation(by_bleu, by_chrf, _loss(translator, dev), hypotheses)


@torch.inference_mode()
def _loss(translator: Translator, dev: DevSet, batch_size: int = 250) -> float:
    trained, device = translator.trained, translator.device
    pairs = [(source, target) for source, target in zip(dev.sources, dev.references[0], strict=True) if target]
    sources = trained.source_tokenizer.encode([normalise(source, translator.source_language) for source, _ in pairs])
    targets = trained.target_tokenizer.encode([normalise(target, translator.target_language) for _, target in pairs])
    order = sorted(range(len(pairs)), key=lambda index: len(sources[index]))
    total, pieces = 0.0, 0
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        batch = collate([sources[row] for row in rows], [targets[row] for row in rows]).to(device)
        model: Seq2Seq = trained.model
        features = model(batch.source_ids, batch.source_lengths, batch.target_in).features
        real = padding_mask(batch.target_lengths, batch.target_out.size(1))
        _, plain = token_loss(features[real], model.output_weight, model.output_bias, batch.target_out[real])
        total, pieces = total + float(plain), pieces + int(real.sum())
    return total / max(pieces, 1)
