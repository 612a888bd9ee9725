"""The wheel is complete: installed elsewhere, it prepares, trains and translates from any folder."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SMALL = [
    "prepared=prepared/sample",
    "name=tiny",
    "device=cpu",
    "threads=1",
    "train.max_steps=3",
    "train.validate_every_steps=3",
    "train.validate_sentences=5",
    "model.embedding=16",
    "model.encoder.width=16",
    "model.encoder.layers=1",
    "model.decoder.width=16",
]


def run(*command: str | Path, cwd: Path, given: str | None = None) -> str:
    """Stdout of a command that must succeed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The `bin` folder of a new environment: the wheel, and (to save time) the dependencies of this environment."""
    folder = tmp_path_factory.mktemp("a wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    [wheel] = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python = folder / "env" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    return python.parent


def test_the_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    code = "import nmt, nmt.settings as s; print(nmt.__file__); print(s.configs_folder())"
    for line in run(installed / "python", "-c", code, cwd=tmp_path).splitlines():
        assert Path(line).is_relative_to(installed.parent)
    files = run(installed / "nmt", "train", "--help", cwd=tmp_path)
    assert "rnn_self_attention_small" in files


def test_prepare_train_and_translate_from_another_folder(installed: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "data" / "sample.tsv", tmp_path / "my pairs.tsv")
    nmt = installed / "nmt"
    data = ["data=tsv", "data.name=sample", "data.train.path=my pairs.tsv"]
    run(nmt, "prepare", *data, "text.vocab_size_en=400", "text.vocab_size_zh=1200", cwd=tmp_path)
    assert (tmp_path / "prepared" / "sample").is_dir()
    run(nmt, "train", *SMALL, cwd=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my pairs.tsv", "prepared", "runs"]
    best = tmp_path / "runs" / "tiny" / "best"
    assert run(nmt, "translate", "--model", best, cwd=tmp_path, given="Hello.\n\n").count("\n") == 2


def test_the_set_of_tested_versions_fits_the_ranges() -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.lower().split("==") for line in lines if not line.startswith("#"))
    extras = [text for extra in project["optional-dependencies"].values() for text in extra]
    for requirement in map(Requirement, [*project["dependencies"], *extras]):
        assert requirement.specifier.contains(tested[requirement.name.lower()]), requirement
        assert "==" not in str(requirement.specifier)
    assert tested["torch"] == "2.13.0"


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "Makefile", ".ci/run", "scripts/demo.sh"])
def test_no_address_of_a_registry_and_no_path_of_a_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"index-url|find-links|pypi\.|/home/|/root/|/work/|/opt/|/tmp/", text)
