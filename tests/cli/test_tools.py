"""The tools around a translator that only shouts: lines in and out, files, and results that are not made twice."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from nmt import settings
from nmt.align.links import Alignment
from nmt.cli.main import main
from nmt.config import DecodeConfig, ModelFolderConfig
from nmt.data.heldout import HeldOut
from nmt.decode.entropy import AttentionEntropy
from nmt.decode.translator import Translation, Translator
from nmt.errors import CheckpointError

TATTERED = "one\r\ntwo\u2028three\n\n \nfour\rfive\n\u3000\nlast".encode()


class Shouting:
    """A translator whose translation is the source in capitals."""

    direction, source_language, target_language = "zh-en", "zh", "en"

    def __init__(self) -> None:
        self.calls = 0
        self.trained = SimpleNamespace(
            card={"data": "tatoeba", "data_fingerprint": "as_trained"}, config=SimpleNamespace(decode=DecodeConfig())
        )

    def translate(self, lines, *, beam=None, batch_tokens=4096, progress=None, options=None, prefixes=None):
        self.calls += 1
        self.options, self.prefixes = options, prefixes
        return [Translation(line.strip().upper(), -1.0) for line in lines]

    def attention_entropy(self, pairs, *, batch_tokens=4096):
        return AttentionEntropy(0.5, len(pairs))

    def align(self, pairs, *, unit="word"):
        return [align_diagonal(*pair) for pair in pairs]


def align_diagonal(source: str, target: str) -> Alignment:
    sources, targets = source.split(), target.split()
    links = [(place, place) for place in range(min(len(sources), len(targets)))]
    weights = [[float(row == column) for column in range(len(sources))] for row in range(len(targets))]
    return Alignment(source_units=sources, target_units=targets, weights=weights, links=links)


@pytest.fixture
def model(tmp_path, monkeypatch) -> SimpleNamespace:
    """A run's folder, as far as the tools look into it without loading the model."""
    monkeypatch.chdir(tmp_path)
    folder = Path("runs/demo/best")
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "card.json").write_text(json.dumps({"scores": []}))
    run = settings.compose("train")
    config = ModelFolderConfig(
        format_version=1,
        nmt_version="0",
        direction="zh-en",
        script="keep",
        source_size=300,
        target_size=300,
        model=run.model,
        decode=run.decode,
    )
    settings.save(config, folder / "config.yaml")
    shouting = Shouting()
    monkeypatch.setattr(Translator, "load", lambda path, device="auto": shouting)
    monkeypatch.setattr("nmt.checkpoint.add_score", lambda folder, score: None)
    return SimpleNamespace(folder=folder, translator=shouting)


def stdin(monkeypatch, content: bytes, *, terminal: bool = False) -> None:
    stream = io.TextIOWrapper(io.BytesIO(content), encoding="ascii")
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stdin", stream)


# --- translate --------------------------------------------------------------------------------------------------------


def test_as_many_lines_out_as_in(model, monkeypatch, capfdbinary) -> None:
    stdin(monkeypatch, TATTERED)
    assert main(["translate", "--model", "runs/demo/best"]) == 0
    out = capfdbinary.readouterr().out
    assert out == b"ONE\nTWO THREE\n\n\nFOUR FIVE\n\nLAST\n"
    assert out.count(b"\n") == TATTERED.count(b"\n") + 1


def test_nothing_in_nothing_out(model, monkeypatch, capfdbinary) -> None:
    stdin(monkeypatch, b"")
    assert main(["translate", "--model", "runs/demo"]) == 0
    assert capfdbinary.readouterr().out == b""


def test_more_lines_than_fit_in_memory_at_once(model, tmp_path) -> None:
    lines = [f"line {number}" for number in range(2500)]
    Path("in.txt").write_text("\n".join(lines) + "\n")
    assert main(["translate", "--model", "runs/demo", "--input", "in.txt", "--output", "out.txt"]) == 0
    assert Path("out.txt").read_text().splitlines() == [line.upper() for line in lines]
    assert model.translator.calls == 3


def test_text_on_the_command_line_wins(model, monkeypatch, capfdbinary) -> None:
    stdin(monkeypatch, b"ignored\n")
    assert main(["translate", "--model", "runs/demo", "你好 a", "b"]) == 0
    assert capfdbinary.readouterr().out == "你好 A\nB\n".encode()


def test_text_on_the_command_line_is_a_line_each(model, monkeypatch, capfdbinary) -> None:
    assert main(["translate", "--model", "runs/demo", "a\nb\r\nc", "d\u2028e\x85f\x0bg\n", ""]) == 0
    assert capfdbinary.readouterr().out == b"A B C\nD E F G\n\n"


def test_at_a_terminal_every_line_is_answered_at_once(model, monkeypatch, capfd) -> None:
    stdin(monkeypatch, b"a\nb\n", terminal=True)
    assert main(["translate", "--model", "runs/demo"]) == 0
    out, err = capfd.readouterr()
    assert out == "A\nB\n"
    assert err == "Type a line of zh and press Enter; Ctrl-D ends.\n"
    assert model.translator.calls == 2


def test_a_failure_leaves_no_half_file(model, capfd) -> None:
    Path("in.txt").write_bytes(b"good\n\xff\n")
    Path("out.txt").write_text("earlier")
    assert main(["translate", "--model", "runs/demo", "--input", "in.txt", "--output", "out.txt"]) == 1
    assert "in.txt:2" in capfd.readouterr().err
    assert Path("out.txt").read_text() == "earlier"
    assert sorted(path.name for path in Path().iterdir()) == ["in.txt", "out.txt", "runs"]


def test_output_may_be_a_device_or_in_a_new_folder(model) -> None:
    Path("nothing").symlink_to("/dev/null")
    assert main(["translate", "--model", "runs/demo", "--output", "nothing", "hello"]) == 0
    assert Path("nothing").is_symlink()
    assert Path("nothing").is_char_device()
    assert main(["translate", "--model", "runs/demo", "--output", "new/out.txt", "hello\n--"]) == 0
    assert Path("new/out.txt").read_text() == "HELLO --\n"


def test_a_missing_file_is_one_line(model, capfd) -> None:
    assert main(["translate", "--model", "runs/demo", "--input", "absent.txt"]) == 1
    assert capfd.readouterr().err == "nmt translate: absent.txt: No such file or directory\n"


def test_beam_is_a_positive_number(model, capfd) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["translate", "--model", "runs/demo", "--beam", "0"])
    assert stopped.value.code == 2
    assert "--beam: it must be at least 1, not 0" in capfd.readouterr().err


def test_nbest_needs_json_and_sampling_flags_need_sample(model, capfd) -> None:
    with pytest.raises(SystemExit):
        main(["translate", "--model", "runs/demo", "--nbest", "2", "a"])
    assert "--nbest needs --format json" in capfd.readouterr().err
    assert main(["translate", "--model", "runs/demo", "--top-k", "2", "a"]) == 1
    assert capfd.readouterr().err == "nmt translate: --top-k needs --sample\n"


def test_flags_change_the_models_own_settings(model) -> None:
    flags = ["--beam", "3", "--length-penalty-kind", "gnmt", "--no-repeat-ngram", "4"]
    assert main(["translate", "--model", "runs/demo", *flags, "a"]) == 0
    found = model.translator.options
    assert (found.beam, found.length_penalty_kind, found.no_repeat_ngram, found.max_extra) == (3, "gnmt", 4, 20)


def test_prefixes_are_one_for_each_line(model, capfd) -> None:
    Path("in.txt").write_text("a\nb\n")
    for content, message in (("x\n\n", ""), ("x\n", "has fewer lines"), ("x\n\ny\n", "has more lines")):
        Path("p.txt").write_text(content)
        code = main(["translate", "--model", "runs/demo", "--input", "in.txt", "--prefixes", "p.txt"])
        assert code == int(bool(message))
        assert message in capfd.readouterr().err
    assert model.translator.prefixes == ["x", ""]


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_an_interrupted_translation_leaves_no_half_file(model, monkeypatch, error, code) -> None:
    def stop(*_, **__):
        raise error

    monkeypatch.setattr(model.translator, "translate", stop)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert main(["translate", "--model", "runs/demo", "--output", "out.txt", "a"]) == code
    assert [path.name for path in Path().iterdir()] == ["runs"]


def test_who_waits_for_an_answer_gets_it() -> None:
    from nmt.cli.stream import Pipe, windows
    from nmt.data.lines import lines_of

    reads, writes = os.pipe()
    os.write(writes, b"\xef\xbb\xbfone\ntwo\nthr")
    pipe = Pipe(reads)
    found = windows(lines_of(pipe, "stdin"), 10, pipe)
    assert next(found) == ["one", "two"]
    os.write(writes, b"ee\r\n" + b"line\n" * 12)
    assert next(found) == ["three", *["line"] * 9]
    os.write(writes, b"last")
    os.close(writes)
    assert next(found) == ["line", "line", "line", "last"]
    assert list(found) == []
    os.close(reads)


# --- evaluate ---------------------------------------------------------------------------------------------------------

OWN_FILES = ["evaluate", "--model", "runs/demo/best", "--source", "s", "--references", "r", "--output", "out"]


@pytest.fixture
def own_files(model) -> None:
    Path("s").write_text("the cat sat on the mat\nit is a small green frog\n")
    Path("r").write_text("THE CAT SAT ON THE MAT\nIT IS A SMALL GREEN FROG\n")


def test_own_files_are_scored(own_files, capfd) -> None:
    assert main(OWN_FILES) == 0
    out, err = capfd.readouterr()
    assert "BLEU = 100.00" in out
    assert "tok:13a" in out
    assert "chrF2 = 100.00" in out
    assert "attention entropy = 0.500 nats, mean of 2 forced reference pieces" in out
    assert err == ""
    result = json.loads(Path("out/result.json").read_text())
    assert result["direction"] == "zh-en"
    assert result["made_from"].keys() == {"weights", "decode", "nmt_version", "opencc", "data"}


def test_a_page_and_ter_of_own_files(own_files, model, capfd) -> None:
    assert main([*OWN_FILES, "--report", "pages/a.html"]) == 0
    assert "suspect lines: 0" in capfd.readouterr().out
    page = Path("pages/a.html").read_text(encoding="utf-8")
    assert "runs/demo/best on s" in page
    assert "THE CAT SAT ON THE MAT" in page
    assert "the cat sat on the mat" in page
    assert main([*OWN_FILES, "--ter"]) == 0  # the result has none yet
    assert "TER = 0.00" in capfd.readouterr().out
    assert model.translator.calls == 2


def test_a_result_is_made_once(own_files, model, capfd) -> None:
    assert main(OWN_FILES) == 0
    first = capfd.readouterr().out
    assert main(OWN_FILES) == 0
    out, err = capfd.readouterr()
    assert out == first
    assert err == "out holds this result already (--force makes it again)\n"
    assert model.translator.calls == 1


def test_a_result_of_an_earlier_version_is_completed(own_files, model) -> None:
    assert main(OWN_FILES) == 0
    path = Path("out/result.json")
    result = json.loads(path.read_text())
    del result["attention_entropy"]
    path.write_text(json.dumps(result))
    assert main(OWN_FILES) == 0
    assert json.loads(path.read_text())["attention_entropy"] == {"nats": 0.5, "pieces": 2}


def test_an_earlier_result_is_shown_as_it_stands(own_files, capfd) -> None:
    assert main(OWN_FILES) == 0
    path = Path("out/result.json")
    path.write_text(path.read_text().replace('"score": 100.0', '"score": 99.5'))
    capfd.readouterr()
    assert main(OWN_FILES) == 0
    assert "BLEU = 99.50" in capfd.readouterr().out


CHANGES = ("--force", "--beam", "weights", "settings", "source", "references", "lost", "edited", "version", "opencc")


@pytest.mark.parametrize("change", CHANGES)
def test_a_result_is_made_again_when_anything_changes(own_files, model, monkeypatch, change: str) -> None:
    assert main(OWN_FILES) == 0
    more = {"--force": ["--force"], "--beam": ["--beam", "2"]}.get(change, [])
    config = model.folder / "config.yaml"
    match change:
        case "weights":
            (model.folder / "model.safetensors").write_bytes(b"others")
        case "settings":
            config.write_text(config.read_text().replace("length_penalty: 1.0", "length_penalty: 0.5"))
        case "source":
            Path("s").write_text("one\ntwo\n")
        case "references":
            Path("r").write_text("ONE\nTWO\n")
        case "lost":
            Path("out/hypotheses.txt").unlink()
        case "edited":
            Path("out/hypotheses.txt").write_text("BETTER\nBY HAND\n")
        case "version":
            monkeypatch.setattr("nmt.cli.evaluate.__version__", "another")
        case "opencc":
            from nmt.text import script

            available = script.opencc_available()
            monkeypatch.setattr(script, "opencc_available", lambda: not available)
    assert main(OWN_FILES + more) == 0
    assert model.translator.calls == 2


def test_input_files_are_never_written_over(model, capfd) -> None:
    files = {"references.gold.txt": "A B\n", "sources.txt": "a b\n"}
    for name, text in files.items():
        Path(name).write_text(text)
    own = ["--source", "sources.txt", "--references", "references.gold.txt"]
    for output, reason in ((".", ". is not empty and holds no result"), ("sources.txt", "sources.txt is a file")):
        assert main(["evaluate", "--model", "runs/demo/best", *own, "--output", output]) == 1
        assert capfd.readouterr().err.startswith(f"nmt evaluate: {reason}")
    assert {name: Path(name).read_text() for name in files} == files
    assert model.translator.calls == 0


def test_a_blank_further_reference_is_none(own_files, capfd) -> None:
    Path("r1").write_text("A CAT\n \n")
    assert main([*OWN_FILES[:-2], "r1", *OWN_FILES[-2:]]) == 0
    assert "references = 3;" in capfd.readouterr().out
    assert Path("out/references.1.txt").read_text() == "A CAT\nIT IS A SMALL GREEN FROG\n"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), CheckpointError("the card is damaged")])
def test_a_card_that_can_not_be_written_spoils_no_result(own_files, monkeypatch, error: Exception) -> None:
    def add_score(folder, score):
        raise error

    monkeypatch.setattr("nmt.checkpoint.add_score", add_score)
    assert main(OWN_FILES) == 0


@pytest.mark.parametrize(
    ("prepared", "warns"), [("tatoeba as_trained", False), ("tatoeba anew", True), ("another anew", False)]
)
def test_a_warning_when_the_text_was_prepared_anew(model, monkeypatch, capfd, prepared: str, warns: bool) -> None:
    manifest = dict(zip(("name", "fingerprint"), prepared.split(), strict=True))
    heldout = HeldOut(["the cat sat on the mat"], [["THE CAT SAT ON THE MAT"]])
    folder = SimpleNamespace(manifest=manifest, heldout=lambda split, direction: heldout)
    monkeypatch.setattr("nmt.data.prepared.load_prepared", lambda path: folder)
    for _ in range(2):  # made, then shown again
        assert main(["evaluate", "--model", "runs/demo/best", "--data", "prepared/t", "--output", "out"]) == 0
        out, err = capfd.readouterr()
        assert "BLEU = 100.00" in out
        assert err.count("WARNING: prepared/t test: this text was prepared anew") == warns
    result = json.loads(Path("out/result.json").read_text())
    assert result["prepared"] == manifest
    assert result["trained_on"] == {"name": "tatoeba", "fingerprint": "as_trained"}
    assert model.translator.calls == 1


def test_unequal_files_are_refused(own_files, capfd) -> None:
    Path("r").write_text("one\n")
    assert main(OWN_FILES) == 1
    assert capfd.readouterr().err == "nmt evaluate: s has 2 lines, but r has 1\n"


@pytest.mark.parametrize("flags", [[], ["--source", "s"], ["--data", "p", "--source", "s", "--references", "r"]])
def test_either_data_or_own_files(model, flags: list[str], capfd) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "--model", "runs/demo", "--output", "out", *flags])
    assert stopped.value.code == 2
    assert "give either --data DIR, or --source FILE" in capfd.readouterr().err


@pytest.mark.parametrize("command", [["align", "--model", "runs/demo"], OWN_FILES])
def test_split_is_a_part_of_data(model, command: list[str], capfd) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--split", "dev"])
    assert stopped.value.code == 2
    assert "--split needs --data" in capfd.readouterr().err


# --- align ------------------------------------------------------------------------------------------------------------


def test_a_line_of_links_for_each_pair(model, monkeypatch, capfd) -> None:
    stdin(monkeypatch, b"a b\tA B\n\nc\t\nd\tD\n")
    assert main(["align", "--model", "runs/demo"]) == 0
    assert capfd.readouterr().out == "0-0 1-1\n\n\n0-0\n"


def test_limit_and_input_file(model, capfd) -> None:
    Path("pairs.tsv").write_text("a b\tA B\nc\tC\n")
    assert main(["align", "--model", "runs/demo", "--input", "pairs.tsv", "--limit", "1"]) == 0
    assert capfd.readouterr().out == "0-0 1-1\n"


def test_columns_are_counted(model, monkeypatch, capfd) -> None:
    stdin(monkeypatch, b"a\tA\nb\n")
    assert main(["align", "--model", "runs/demo"]) == 1
    assert "stdin:2: expected `source TAB target`, but there are 1 columns" in capfd.readouterr().err


def test_text_of_each_pair(model, monkeypatch, capfd) -> None:
    stdin(monkeypatch, b"tea\tTEA\n")
    assert main(["align", "--model", "runs/demo", "--format", "text"]) == 0
    out = capfd.readouterr().out
    assert "tea" in out
    assert "TEA" in out
    assert "\n\n" not in out
    stdin(monkeypatch, b"tea\tTEA\n" * 2)
    assert main(["align", "--model", "runs/demo", "--format", "text"]) == 0
    assert capfd.readouterr().out == f"{out}\n{out}"


def test_the_heat_map_of_one_pair(model, monkeypatch, capfd) -> None:
    pytest.importorskip("matplotlib")
    stdin(monkeypatch, b"a b\tA B\ntea\tTEA\n")
    assert main(["align", "--model", "runs/demo", "--heatmap", "pictures/tea.png", "--line", "2"]) == 0
    out, err = capfd.readouterr()
    assert out == "0-0 1-1\n0-0\n"
    assert "TEA" in err
    assert err.endswith("attention of pair 2: pictures/tea.png\n")
    assert Path("pictures/tea.png").read_bytes().startswith(b"\x89PNG")


def test_a_pair_that_is_not_there(model, monkeypatch, capfd) -> None:
    stdin(monkeypatch, b"a\tA\n")
    assert main(["align", "--model", "runs/demo", "--heatmap", "a.png", "--line", "2"]) == 1
    assert "pair 2 can not be drawn" in capfd.readouterr().err
