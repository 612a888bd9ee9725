"""`nmt audit`: one line to ask, an answer for people or for programs, and an exit code."""

import io
import json
import sys
from types import SimpleNamespace

import pytest
from support import SAMPLE

from nmt.cli.complete import candidates
from nmt.cli.main import main
from nmt.data.streams import _spooled


def test_a_clean_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(SAMPLE)]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{SAMPLE}: 320 pairs\n")
    assert text.endswith("\nclean\n")
    assert "lengths  source" in text
    assert "scripts  target" in text


def test_two_files_with_a_fault(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.en", tmp_path / "a.zh"
    source.write_bytes(b"One\nTwo\n")
    target.write_bytes("一\n\n".encode())
    assert main(["audit", str(source), str(target)]) == 1
    text = capsys.readouterr().out
    assert "  problem  blank side" in text
    assert f"{target}:2" in text
    assert text.endswith("not clean: 1 kind(s) of problem\n")


def test_json(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,text,other\r\n1,One,一\r\n".encode())
    arguments = ["--format", "json", "--source-field", "text", "--target-field", "other"]
    assert main(["audit", str(path), *arguments]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["clean"], answer["pairs"], answer["files"]) == (False, 1, [str(path)])
    assert {finding["name"]: finding["count"] for finding in answer["findings"]} == {"carriage returns": 2, "header": 1}


def test_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _spooled.cache_clear()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("One\t一\n".encode())))
    assert main(["audit", "-"]) == 0
    assert "stdin: 1 pairs" in capsys.readouterr().out
    _spooled.cache_clear()


def test_a_missing_file_and_an_unknown_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "nothing.tsv"]) == 1
    assert "nmt audit: Can not read nothing.tsv: No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["audit"])


def test_completion() -> None:
    assert candidates("nmt au") == ["audit"]
    assert candidates("nmt audit --format ") == ["text", "json"]
    assert "parquet" in candidates("nmt audit --input-format ")
