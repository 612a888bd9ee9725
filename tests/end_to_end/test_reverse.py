"""The whole way on a task whose answer is known: say the letters backwards, in the Heavenly Stems.

The first word of the target is the last one of the source, and so on: the links must be the other diagonal.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nmt import config as schema
from nmt.data.prepare import prepare
from nmt.data.prepared import load_prepared
from nmt.decode.translator import Translator
from nmt.settings import compose
from nmt.train.loop import train

DIAGONAL = 0.9  # share of the links that must lie on it
LETTERS, STEMS = "abcdefghij", "甲乙丙丁戊己庚辛壬癸"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reverse")
    generator = random.Random(1)
    words = {tuple(generator.choices(range(10), k=generator.randint(3, 8))) for _ in range(6000)}
    lines = [
        f"{' '.join(LETTERS[i] for i in word)}\t{''.join(STEMS[i] for i in reversed(word))}" for word in sorted(words)
    ]
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sizes = ["text.vocab_size_en=300", "text.vocab_size_zh=300", "data.dev_groups=100", "data.test_groups=200"]
    overrides = [f"data.train.path='{folder / 'pairs.tsv'}'", f"output='{folder / 'prepared'}'", *sizes]
    return prepare(compose("prepare", ["data=tsv", *overrides]))


ENCODERS = {
    "recurrent": schema.RecurrentEncoderConfig(layers=1, width=128),
    "self_attention": schema.SelfAttentionEncoderConfig(layers=2, width=64, feed_forward=128),
}


DECODERS = {
    "recurrent": schema.RecurrentDecoderConfig(layers=1, width=128),
    "self_attention": schema.SelfAttentionDecoderConfig(layers=2, width=64, feed_forward=128),
}


@pytest.mark.parametrize(
    ("encoder", "decoder", "score"),
    [
        ("recurrent", "recurrent", "dot"),
        ("recurrent", "recurrent", "cosine"),
        ("recurrent", "recurrent", "mlp"),
        ("self_attention", "recurrent", "dot"),
        pytest.param("recurrent", "self_attention", "scaled_dot", marks=pytest.mark.slow),
        ("self_attention", "self_attention", "scaled_dot"),
    ],
)
def test_reversing_is_learnt(prepared: Path, tmp_path: Path, encoder: str, decoder: str, score: str) -> None:
    run = schema.RunConfig(
        name="reverse",
        prepared=str(prepared),
        device="cpu",
        model=schema.ModelConfig(
            embedding=64,
            dropout=0.0,
            encoder=ENCODERS[encoder],
            decoder=DECODERS[decoder],
            attention=schema.SCORES[score](),
            self_attention=schema.ScaledDotConfig(),
            lexical=decoder == encoder,  # both ways are tried; over a self-attention encoder it blurs the links
        ),
        optim=schema.OptimConfig(lr=6e-3, label_smoothing=0.0),
        train=schema.TrainConfig(max_steps=500, batch_tokens=800, validate_sentences=100),
    )
    train(run, tmp_path / "run")
    test = load_prepared(prepared).heldout("test", "en-zh")
    assert len(test.sources) >= 150
    translator = Translator.load(tmp_path / "run" / "best", device="cpu")
    pairs = list(zip(test.sources, test.references[0], strict=True))
    found = translator.translate(test.sources)
    right = sum(t.text == reference for t, (_, reference) in zip(found, pairs, strict=True))
    assert right / len(pairs) > 0.95
    links = [
        source + target == len(alignment.target_units) - 1
        for alignment in translator.align(pairs, unit="word")
        for source, target in alignment.links
    ]
    assert sum(links) / len(links) > DIAGONAL
