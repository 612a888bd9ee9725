"""Whatever a person gets wrong is answered by one line and an exit code."""

import pytest

from nmt.cli.main import main

MISTAKES = [
    ("train train.max_stps=3", "nmt train: train.max_stps: there is no such setting; did you mean train.max_steps?"),
    ("train lr=1", "nmt train: lr: there is no such setting; did you mean optim.lr?"),
    ("train train.max_steps=abc", "nmt train: train.max_steps: Value 'abc' of type 'str' could not be converted"),
    ("train train.max_steps=0", "nmt train: train.max_steps must be greater than 0, but it is 0"),
    ("train attention=foo", "nmt train: attention=foo: there is no such choice; choose one of: cosine, dot, general"),
    (
        "train experiment=foo",
        "nmt train: experiment=foo: there is no such choice; choose one of: attention_scores, demo",
    ),
    ("train data=files", "nmt train: data: there is no such group here"),
    (
        "train model.attention.hidden=7",
        "nmt train: model.attention.hidden: there is no such setting in the chosen kind",
    ),
    ("train direction=fr", "nmt train: direction is 'fr', but it must be one of: en-zh, zh-en"),
    ("train +speed=3", "nmt train: speed: there is no such setting"),
    ("train attention=dot,mlp", "nmt train: attention=dot,mlp: several values need --multirun"),
    ("train seed=[", "nmt train: can not read 'seed=['"),
    ("train optim=3", "nmt train: optim: Invalid type assigned"),
    ("train -m attention=dot train.max_stps=1,2", "nmt train: train.max_stps: there is no such setting"),
    ("train --resolve", "nmt train: The --resolve flag can only be used in conjunction with --cfg or --help"),
    ("train -m --cfg job", "nmt train: Only one of --run, --multirun, --cfg"),
    ("prepare data.nme=x", "nmt prepare: data.nme: there is no such setting; did you mean data.name?"),
    ("prepare data.name=???", "nmt prepare: data.name must be given"),
    ("translate --model nowhere hello", "nmt translate: nowhere does not exist: give a folder"),
    ("translate --model . hello", "nmt translate: . holds no model: give a folder"),
    ("evaluate --model nowhere --data x --output y", "nmt evaluate: nowhere does not exist: give a folder"),
    ("align --model nowhere", "nmt align: nowhere does not exist: give a folder"),
    ("compare nowhere", "nmt compare: nowhere is not a folder"),
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "message"), MISTAKES)
def test_one_line(command: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["train seed=x", "prepare data=files seed=x", *dict(MISTAKES)])
def test_mistakes_leave_no_folder(command: str, tmp_path) -> None:
    assert main(command.split()) == 1
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    # Hydra writes its note of a multirun before it looks at the settings of any job.
    assert left <= ({"runs", "runs/.multirun", "runs/.multirun/multirun.yaml"} if "-m" in command.split() else set())


def test_unknown_verb(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["trian"]) == 2
    assert capfd.readouterr().err == "nmt: there is no verb 'trian'; did you mean `nmt train`?\n"
    assert main(["xyz"]) == 2
    assert "choose one of: audit, prepare, train" in capfd.readouterr().err


def test_traceback_on_request(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NMT_TRACEBACK", "1")
    assert main(["train", "lr=1"]) == 1
    assert "Traceback" in capfd.readouterr().err
