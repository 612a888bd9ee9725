"""The studies of `scripts/study`: their tasks are what they say, and they run from end to end."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
import torch

FOLDER = Path(__file__).parents[2] / "scripts" / "study"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("distance", [4, 32, 256])
def test_the_answer_needs_two_tokens_so_far_apart(distance: int) -> None:
    study = load("distance")
    source, answers = study.draw(distance, 50, torch.Generator().manual_seed(0))
    for row, answer in zip(source.tolist(), answers.tolist(), strict=True):
        (question,) = [place for place, token in enumerate(row) if token >= study.QUESTIONS]
        key = row[question] - study.QUESTIONS
        entries = {
            (token - study.ENTRIES) // study.VALUES: (place, (token - study.ENTRIES) % study.VALUES)
            for place, token in enumerate(row)
            if study.ENTRIES <= token < study.QUESTIONS
        }
        assert len(entries) == study.KEYS  # a key stands once, and the others mislead
        place, value = entries[key]
        assert abs(place - question) == distance
        assert value == answer - study.MARKS


def test_both_models_of_the_distance_study_are_alike_in_size() -> None:
    study = load("distance")
    sizes = [study.num_parameters(study.build(encoder, 1)) for encoder in study.ENCODERS.values()]
    assert max(sizes) / min(sizes) < 1.15


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("distance", ["--seconds", "0.2", "--seeds", "1"]), ("speed", ["--rounds", "1"])],
)
def test_a_study_writes_its_numbers_and_its_picture(tmp_path: Path, name: str, arguments: list[str]) -> None:
    pytest.importorskip("matplotlib", reason="the pictures need the extra plots")
    assert load(name).main([*arguments, "--output", str(tmp_path / "found")]) == 0
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (tmp_path / "found.png").stat().st_size > 1000


def test_reach_sums_to_one_over_all_positions(model_folder: Path, tmp_path: Path) -> None:
    study = load("reach")
    translator = study.Translator.load(model_folder, "cpu")
    ids, lengths = study.source_batch([[5, 6, 7, 8, 9, 10]])
    shares = study.gradient_shares(translator.trained.model, ids, lengths)
    torch.testing.assert_close(shares.sum(-1), torch.ones(7))
    assert study.attention_weights(translator.trained.model, ids, lengths) is None  # recurrent
    (tmp_path / "short.en").write_text("Hello.\n", encoding="utf-8")
    assert study.main([str(model_folder), "--sentences", str(tmp_path / "short.en")]) == 1


def test_reach_by_distance() -> None:
    study = load("reach")
    size = 30
    matrix = torch.eye(size)
    assert study.by_distance([matrix])[:2] == [1.0, 0.0]
