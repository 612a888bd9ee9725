"""The entropy of attention, by hand and over a model's batches."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from nmt.decode.entropy import row_entropies
from nmt.decode.translator import Translator

PAIRS = [
    ("I like tea.", "我喜欢茶。"),
    ("How are you?", "你好吗？"),
    ("", "空"),
    ("Nothing", " "),
    ("He ran.", "他跑了。"),
]


def test_rows_by_hand() -> None:
    even, sharp, padding = [0.25] * 4, [0.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]
    # The last real row of each sentence is its end, which is no piece; what follows is padding.
    weights = torch.tensor([[even, sharp, even, even], [padding, even, even, even]])
    found = row_entropies(weights, torch.tensor([4, 2]))
    assert found.tolist() == pytest.approx([math.log(4), 0.0, math.log(4), math.log(2)])


def test_heads_are_averaged() -> None:
    weights = torch.tensor([[[[0.5, 0.5]], [[1.0, 0.0]]]]).expand(1, 2, 2, 2)
    assert row_entropies(weights, torch.tensor([2])).tolist() == pytest.approx([math.log(2) / 2])


def test_a_model_is_measured_alike_in_any_batch(model_folder: Path) -> None:
    translator = Translator.load(model_folder, device="cpu")
    whole, apart = (translator.attention_entropy(PAIRS, batch_tokens=size) for size in (4096, 1))
    assert whole is not None
    assert apart is not None
    assert whole.pieces == apart.pieces == sum(
        len(translator.trained.target_tokenizer.encode([translator._clean(target, "zh")])[0])
        for source, target in PAIRS
        if source and target.strip()
    )  # fmt: skip
    assert whole.nats == pytest.approx(apart.nats, abs=1e-5)
    assert 0.0 < whole.nats < math.log(20)
    assert translator.attention_entropy([("", "空")]) is None
