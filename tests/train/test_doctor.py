"""`nmt doctor` finds what is in order and what is not."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from support import changed

from nmt import config as schema
from nmt.cli.main import main
from nmt.train.loop import train


@pytest.fixture
def folder(small_run: schema.RunConfig, tmp_path: Path) -> Path:
    return train(changed(small_run, max_steps=4, validate_every_steps=2), tmp_path / "run").folder


def test_all_is_in_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    code = main(["doctor", str(folder), "--device", "cpu"])
    told = capsys.readouterr().out
    assert (code, "WRONG" in told) == (0, False), told
    assert "2 + 2 updates give the same weights as 4, bit for bit" in told
    assert "lines are translated alike alone" in told
    assert f"{folder / 'last.2'} is whole" in told
    assert sorted(path.name for path in folder.iterdir()) == before


def test_damage_is_found(folder: Path, small_run: schema.RunConfig, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("last/training.pt", "best/model.safetensors"):
        content = bytearray((folder / name).read_bytes())
        content[-200] ^= 255
        (folder / name).write_bytes(content)
    gone = dataclasses.replace(small_run, prepared=str(folder / "gone"))
    from nmt import settings

    settings.save(gone, folder / "config.yaml")
    assert main(["doctor", str(folder), "--device", "cpu"]) == 1
    told = capsys.readouterr().out
    assert "the contents of training.pt have changed" in told
    assert "goes on from the one before" in told
    assert "resume        could not be tried: There is no folder" in told
    assert "best is damaged" in told
    assert told.endswith("3 of 9 checks failed\n"), told


def test_a_dependent_translation_is_found(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from nmt.decode.translator import Translation, Translator

    monkeypatch.setattr(Translator, "translate", lambda self, lines: [Translation(str(len(lines)), 0.0)] * len(lines))
    assert main(["doctor", str(model_folder), "--device", "cpu"]) == 1
    assert "5 of 5 lines depend on their neighbours" in capsys.readouterr().out


def test_without_a_folder_the_installation_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--device", "cpu"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()[:-1]] == [
        "installation", "device", "precision", "disk",
    ]  # fmt: skip
