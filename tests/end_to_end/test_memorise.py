"""Every pair of encoder and decoder, with every score, learns a hundred real sentences by heart.

A model that can not do that has a gradient that goes nowhere; it needs no generalisation, so the bound is tight.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support import SAMPLE

from nmt.config import DECODERS, ENCODERS, SCORES
from nmt.data.prepare import prepare
from nmt.decode.translator import Translator
from nmt.evaluate.metrics import bleu
from nmt.settings import compose
from nmt.train.loop import train

PAIRS = 100
QUICK = {  # one score for each pair in `make test`; all of them in `make test-slow`
    ("recurrent", "recurrent"): "mlp",
    ("self_attention", "recurrent"): "cosine",
    ("recurrent", "self_attention"): "general",
    ("self_attention", "self_attention"): "scaled_dot",
}
CASES = [
    pytest.param(encoder, decoder, score, marks=() if QUICK.get((encoder, decoder)) == score else pytest.mark.slow)
    for encoder in ENCODERS
    for decoder in DECODERS
    for score in SCORES
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memorise")
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    lines = random.Random(1).sample(lines, PAIRS + 20)
    for name, part in (("train", lines[:PAIRS]), ("dev", lines[PAIRS:-10]), ("test", lines[-10:])):
        (folder / f"{name}.tsv").write_text("\n".join(part) + "\n", encoding="utf-8")
    paths = [f"data.{name}.path='{folder / name}.tsv'" for name in ("train", "dev", "test")]
    return prepare(
        compose(
            "prepare",
            ["data=tsv", *paths, f"output='{folder / 'prepared'}'", "text.vocab_size_en=500", "text.vocab_size_zh=900"],
        )
    )


@pytest.mark.parametrize(("encoder", "decoder", "score"), CASES)
def test_a_hundred_sentences_are_learnt_by_heart(
    prepared: Path, tmp_path: Path, encoder: str, decoder: str, score: str
) -> None:
    run = compose(
        "train",
        [
            f"encoder={encoder}", f"decoder={decoder}", f"attention={score}", "name=memorise", "device=cpu",
            f"prepared='{prepared}'", "model.embedding=128", "model.encoder.width=128", "model.decoder.width=128",
            "model.dropout=0", "optim.label_smoothing=0", "optim.lr=0.004", "train.max_minutes=null",
            "train.max_steps=200", "train.batch_tokens=800", "train.validate_every_minutes=null",
            "train.validate_sentences=10",
        ],
    )  # fmt: skip
    train(run, tmp_path / "run")
    pairs = [line.split("\t") for line in (prepared.parent / "train.tsv").read_text(encoding="utf-8").splitlines()]
    found = Translator.load(tmp_path / "run" / "best", device="cpu").translate([source for source, _ in pairs])
    score_found = bleu([t.text for t in found], [[target for _, target in pairs]], target_language="zh")
    assert score_found.value > 95
