"""Checkpoints that can not break: damage is noticed, kills and full disks leave the one before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import changed

from nmt import config as schema
from nmt import files
from nmt.checkpoint import load_model
from nmt.errors import CheckpointError
from nmt.train.loop import train

ROOT = Path(__file__).parents[2]

# A process that saves for ever: it tells of every save that is done; a child of it is killed while it saves.
SAVES = """
import dataclasses, os, random, signal, sys, time
from pathlib import Path
import torch
from nmt import settings
from nmt.checkpoint import load_model
from nmt.config import OptimConfig
from nmt.errors import CheckpointError
from nmt.train.folder import RunFolder
from nmt.train.ranks import Ranks
from nmt.train.state import Counters, load_state, random_state
from nmt.train.update import Updater

folder, model_folder, kills = RunFolder(Path(sys.argv[1])), Path(sys.argv[2]), int(sys.argv[3])
folder.path.mkdir(parents=True)
trained = load_model(model_folder)
model, cpu = trained.model, torch.device("cpu")
updater = Updater(model, OptimConfig(), average=0.0, device=cpu, precision="fp32", ranks=Ranks())

def save(step):
    with torch.no_grad():
        model.output_bias.fill_(step)
    folder.save_last(trained, Counters(step=step), updater, [random_state()], keep=2)
"""
KILLED = (
    SAVES
    + """
generator, done = random.Random(1), 0
for kill in range(kills):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        for step in range(done + 1, done + 10000):
            save(step)
            os.write(writing, b"%9d" % step)
    os.close(writing)
    done = int(os.read(reading, 9))  # the first save of this child is whole
    time.sleep(generator.uniform(0.0, 0.08))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while told := os.read(reading, 9):
        done = int(told)
    os.close(reading)
    counters, notes = folder.resume(lambda path: load_state(path, updater))
    assert not notes, notes
    assert counters.step in (done, done + 1), (counters.step, done)
    assert float(model.output_bias[0]) == counters.step
    done = counters.step
print("survived", kills)
"""
)
FULL = (
    SAVES
    + """
import resource
save(1)
size = sum(path.stat().st_size for path in (folder.path / "last").iterdir())
for share in (0.05, 0.3, 0.6):
    limit = int(max(path.stat().st_size for path in (folder.path / "last").iterdir()) * share)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        save(2)
    except CheckpointError as error:
        print("told:", error)
    else:
        raise SystemExit("it was saved all the same")
    assert [path.name for path in folder.path.iterdir()] == ["last"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    counters, notes = folder.resume(lambda path: load_state(path, updater))
    assert (counters.step, notes) == (1, [])
save(3)
"""
)


def python(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_kill_9_at_random_moments_of_saving(model_folder: Path, tmp_path: Path) -> None:
    done = python(KILLED, tmp_path / "run", model_folder, 25)
    assert done.stdout == "survived 25\n", done.stderr


def test_a_full_disk_leaves_the_state_before(model_folder: Path, tmp_path: Path) -> None:
    done = python(FULL, tmp_path / "run", model_folder, 0)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3
    assert all("can not be saved" in line and "make room" in line for line in told), told


@pytest.mark.parametrize("kind", ["a file in its place", "no permission"])
def test_a_folder_that_can_not_be_written_is_told_at_once(
    prepared_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    from nmt.cli.main import main

    if kind == "no permission" and os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    monkeypatch.chdir(tmp_path)
    if kind == "no permission":
        (tmp_path / "runs").mkdir(mode=0o555)
    else:
        (tmp_path / "runs").write_text("no folder")
    assert main(["train", f"prepared={prepared_sample}", "name=x", "train.max_steps=2"]) == 1
    said = capfd.readouterr().err
    assert "runs" in said
    assert "Traceback" not in said


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["training.pt", "model.safetensors"])
@pytest.mark.parametrize("harm", [cut, flip, Path.unlink])
def test_a_damaged_state_gives_way_to_the_one_before(
    small_run: schema.RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, harm: object
) -> None:
    train(small_run, tmp_path / "run")
    if (name, harm) == ("training.pt", Path.unlink):
        pytest.skip("a folder without it is not taken for a state")
    assert callable(harm)
    harm(tmp_path / "run" / "last" / name)
    train(changed(small_run, max_steps=25), tmp_path / "run")
    said = capsys.readouterr().err
    assert f"last is damaged: {name}" in said or f"last is damaged: the contents of {name}" in said
    assert "last.2, of step 10, is used instead" in said
    assert "going on from step 10" in said
    assert (tmp_path / "run" / "last.damaged").is_dir()
    assert files.damage(tmp_path / "run" / "last") is None


def test_no_whole_state_is_one_sentence(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(changed(small_run, keep_last=1), tmp_path / "run")
    assert not (tmp_path / "run" / "last.2").exists()
    flip(tmp_path / "run" / "last" / "training.pt")
    with pytest.raises(CheckpointError, match=r"training\.pt have changed .* remove the run's folder"):
        train(changed(small_run, max_steps=25, keep_last=1), tmp_path / "run")


def test_a_state_of_another_version_is_one_sentence(small_run: schema.RunConfig, tmp_path: Path) -> None:
    train(changed(small_run, keep_last=1), tmp_path / "run")
    (tmp_path / "run" / "last" / "manifest.json").unlink()
    (tmp_path / "run" / "last" / "training.pt").write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(CheckpointError, match=r"training\.pt is damaged or of another version.* remove the run's"):
        train(changed(small_run, max_steps=25, keep_last=1), tmp_path / "run")


def test_a_damaged_model_is_not_used(small_run: schema.RunConfig, tmp_path: Path) -> None:
    folder = train(small_run, tmp_path / "run").folder / "best"
    flip(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"best is damaged: the contents of model\.safetensors have changed"):
        load_model(folder)


def test_the_best_models_are_kept_in_order(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    from nmt.train import loop

    scores = iter([3.0, 1.0, 2.0, 2.5, 0.5])
    whole = loop.validate

    def scored(*parts: object) -> object:
        found = whole(*parts)  # type: ignore[arg-type]
        return dataclasses.replace(found, bleu=dataclasses.replace(found.bleu, value=next(scores)))

    monkeypatch.setattr(loop, "validate", scored)
    train(changed(small_run, max_steps=10, validate_every_steps=2, keep_best=3, keep_last=3), tmp_path / "run")
    cards = {
        path.name: json.loads((path / "card.json").read_text(encoding="utf-8"))
        for path in (tmp_path / "run").iterdir()
        if path.is_dir()
    }
    assert {name: card["dev_bleu"] for name, card in cards.items() if "best" in name} == {
        "best": 3.0, "best.2": 2.5, "best.3": 2.0,
    }  # fmt: skip
    assert {name: card["train_steps"] for name, card in cards.items() if "last" in name} == {
        "last": 10, "last.2": 8, "last.3": 6,
    }  # fmt: skip


def test_room_for_all_that_is_kept_is_asked_for(
    small_run: schema.RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path)._replace(free=30 * 2**20)
    monkeypatch.setattr("nmt.train.folder.shutil.disk_usage", lambda path: free)
    with pytest.raises(CheckpointError, match=r"saving needs .* MiB, but the disk has 30 MiB left"):
        train(changed(small_run, keep_last=1000), tmp_path / "run")
    train(changed(small_run, max_steps=1), tmp_path / "run")
