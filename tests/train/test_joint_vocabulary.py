"""Three-way tying (Press & Wolf 2017): one vocabulary, one table, saved once; and what is said where it can not be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support import SAMPLE, prepare_sample

from nmt.checkpoint import load_model
from nmt.config import RunConfig
from nmt.data.prepared import load_prepared
from nmt.decode.translator import Translator
from nmt.errors import ConfigError
from nmt.model.build import num_parameters
from nmt.text.normalise import normalise
from nmt.train.loop import train


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus with one vocabulary for both languages."""
    folder = tmp_path_factory.mktemp("prepared") / "joint"
    return prepare_sample(folder, "text.joint=true", "text.vocab_size_joint=1500")


def test_a_joint_vocabulary_writes_both_languages(joint: Path) -> None:
    prepared = load_prepared(joint)
    one, other = prepared.tokenizer("en"), prepared.tokenizer("zh")
    assert one == other
    lines = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    for language, side in (("en", 0), ("zh", 1)):
        texts = [normalise(line[side], language) for line in lines]
        assert [one.decode(ids) for ids in one.encode(texts)] == texts
    assert {one.pieces([index])[0] for line in lines for index in one.encode([line[1]])[0]} & set("我你的了")


@pytest.mark.parametrize("direction", ["en-zh", "zh-en"])
def test_a_tied_model_trains_is_saved_and_translates(
    joint: Path, small_run: RunConfig, tmp_path: Path, direction: str
) -> None:
    tied = replace(small_run, prepared=str(joint), direction=direction, model=replace(small_run.model, tie="all"))
    train(tied, tmp_path / "run")
    trained = load_model(tmp_path / "run")
    assert trained.model.target is trained.model.source
    assert trained.model.output_weight is trained.model.source.weight
    assert not any(name.startswith("target.") for name in trained.model.state_dict())
    translator = Translator.load(tmp_path / "run")
    assert len(translator.translate(["How are you?", "", "我很好。"])) == 3
    train(replace(tied, model=replace(tied.model, tie="output")), tmp_path / "apart")
    apart = load_model(tmp_path / "apart").model
    assert num_parameters(apart) - num_parameters(trained.model) == apart.target.weight.numel()


def test_two_vocabularies_can_not_be_tied(small_run: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"model.tie=all needs one vocabulary .* text.joint=true"):
        train(replace(small_run, model=replace(small_run.model, tie="all")), tmp_path / "run")
