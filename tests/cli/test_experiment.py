"""What the Hydra verbs hand to the package, without doing the work."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nmt.cli.main import main
from nmt.config import PrepareConfig, RunConfig
from nmt.errors import DataError


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Calls of `nmt.train.loop.train`, which is replaced."""
    calls: list[tuple[RunConfig, Path]] = []
    answer = SimpleNamespace(dev_bleu=1.0, value=None, stopped="finished")

    def train(config, folder):
        calls.append((config, folder))
        return answer

    monkeypatch.setitem(sys.modules, "nmt.train.loop", SimpleNamespace(train=train))
    monkeypatch.chdir(tmp_path)
    return SimpleNamespace(calls=calls, answer=answer)


def test_train_gets_plain_settings_and_the_folder_of_the_run(trained) -> None:
    assert main(["train", "experiment=demo", "attention=mlp", "train.max_steps=20"]) == 0
    [(config, folder)] = trained.calls
    assert type(config) is RunConfig
    assert (config.name, config.train.max_steps, config.train.max_minutes) == ("demo-mlp", 20, 6)
    assert folder == Path("runs/demo-mlp")
    assert folder.is_dir()
    assert list(folder.iterdir()) == []


def test_a_name_in_chinese(trained) -> None:
    assert main(["train", "name=机器翻译", "prepared=数据/一"]) == 0
    [(config, folder)] = trained.calls
    assert (config.prepared, folder) == ("数据/一", Path("runs/机器翻译"))


def test_multirun_gives_every_run_its_folder(trained, capfd) -> None:
    assert main(["train", "-m", "experiment=demo", "attention=dot,mlp", "optim.lr=1e-3,2e-3"]) == 0
    assert [str(folder) for _, folder in trained.calls] == [
        "runs/demo-dot-optim.lr_0.001",
        "runs/demo-dot-optim.lr_0.002",
        "runs/demo-mlp-optim.lr_0.001",
        "runs/demo-mlp-optim.lr_0.002",
    ]
    assert [config.name for config, _ in trained.calls] == [folder.name for _, folder in trained.calls]
    assert [path.name for path in Path().iterdir()] == ["runs"]
    assert len(list(Path("runs").glob("*"))) == 5  # the runs, and Hydra's note in a hidden folder
    assert len([path for path in Path("runs").iterdir() if not path.name.startswith(".")]) == 4
    assert capfd.readouterr().out == ""


def test_an_interrupted_run_says_so(trained) -> None:
    trained.answer.stopped = "interrupted"
    assert main(["train"]) == 130
    trained.answer.stopped = "terminated"
    assert main(["train"]) == 143


def test_a_failed_run_leaves_no_empty_folder(tmp_path, monkeypatch, capfd) -> None:
    def train(config, folder):
        raise DataError("prepared/tatoeba: there is no such folder")

    monkeypatch.setitem(sys.modules, "nmt.train.loop", SimpleNamespace(train=train))
    monkeypatch.chdir(tmp_path)
    assert main(["train"]) == 1
    assert capfd.readouterr().err == "nmt train: prepared/tatoeba: there is no such folder\n"
    assert list(tmp_path.iterdir()) == []
    assert main(["train", "-m", "seed=1,2"]) == 1
    assert capfd.readouterr().err.count("there is no such folder") == 2


def test_a_fault_of_the_program_leaves_no_empty_folder_and_stays_a_fault(tmp_path, monkeypatch) -> None:
    def train(config, folder):
        raise ValueError("shapes differ")

    monkeypatch.setitem(sys.modules, "nmt.train.loop", SimpleNamespace(train=train))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="shapes differ") as caught:
        main(["train"])
    assert type(caught.value) is ValueError
    assert list(tmp_path.iterdir()) == []


def test_what_a_run_wrote_stays_when_it_fails(tmp_path, monkeypatch) -> None:
    def train(config, folder):
        (folder / "journal.jsonl").touch()
        raise DataError("no text")

    monkeypatch.setitem(sys.modules, "nmt.train.loop", SimpleNamespace(train=train))
    monkeypatch.chdir(tmp_path)
    assert main(["train"]) == 1
    assert Path("runs/rnn_small/journal.jsonl").is_file()


@pytest.mark.parametrize("overrides", ["name=mine attention=dot,mlp", "name=mine threads=1,2"])
def test_two_runs_of_a_multirun_never_share_a_folder(trained, overrides: str, capfd) -> None:
    assert main(["train", "-m", *overrides.split()]) == 1
    assert [str(folder) for _, folder in trained.calls] == ["runs/mine"]
    err = capfd.readouterr().err
    assert err.endswith(
        "nmt train: runs/mine: an earlier job of this multirun wrote there, so this one is left out: run such jobs one "
        "by one, each with its own name=...\n"
    )


def test_two_preparations_of_a_multirun_never_share_a_folder(tmp_path, monkeypatch, capfd) -> None:
    calls = []
    monkeypatch.setitem(sys.modules, "nmt.data.prepare", SimpleNamespace(prepare=calls.append))
    monkeypatch.chdir(tmp_path)
    assert main(["prepare", "-m", "text.vocab_size_en=2000,4000"]) == 1
    assert [config.text.vocab_size_en for config in calls] == [2000]
    assert "nmt prepare: prepared/tatoeba: an earlier job of this multirun wrote there" in capfd.readouterr().err
    assert main(["prepare", "-m", "data.name=a,b"]) == 0
    assert [config.output for config in calls[1:]] == ["prepared/a", "prepared/b"]


def test_prepare_gets_plain_settings(tmp_path, monkeypatch) -> None:
    calls = []
    monkeypatch.setitem(sys.modules, "nmt.data.prepare", SimpleNamespace(prepare=calls.append))
    monkeypatch.chdir(tmp_path)
    assert main(["prepare", "data=tsv", "data.train.path=a.tsv"]) == 0
    [config] = calls
    assert type(config) is PrepareConfig
    assert (config.output, config.data.train.path) == ("prepared/tsv", "a.tsv")
    assert list(tmp_path.iterdir()) == []


def test_cfg_job_prints_settings_and_nothing_else(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--cfg", "job", "--resolve", "experiment=demo", "seed=3"]) == 0
    out, err = capfd.readouterr()
    assert "name: demo-seed3\n" in out
    assert "hydra" not in out
    assert err == ""
    assert list(tmp_path.iterdir()) == []
