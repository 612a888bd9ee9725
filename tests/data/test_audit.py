"""The file contract finds what is wrong, where it is, and nothing in a clean file."""

import random
import re

import pytest
from support import AWKWARD, SAMPLE

from nmt.data.audit import Audit, audit
from nmt.data.lines import Rule
from nmt.data.readers import Job
from nmt.data.shifts import WINDOW, Shift, find_shifts
from nmt.errors import DataError

PAIRS = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").split("\n")[:-1]]


def check(*files, encoding="utf-8", kind="auto") -> Audit:
    return audit(list(files), Job(files[0], rule=Rule(encoding, max_bytes=1000)), kind)


def problems(found: Audit) -> dict[str, tuple[int, list[str]]]:
    """Name, count and `line` or `file:line` of each problem."""
    return {
        finding.name: (finding.count, [place.rpartition("/")[2] for place in finding.places])
        for finding in found.findings
        if finding.level == "problem"
    }


@pytest.fixture
def sides(tmp_path):
    """Two files of the sample's pairs."""
    files = []
    for name, column in (("a.en", 0), ("a.zh", 1)):
        files.append(tmp_path / name)
        files[-1].write_text("".join(f"{pair[column]}\n" for pair in PAIRS), encoding="utf-8", newline="\n")
    return files


def test_a_clean_corpus_is_clean(sides):
    for found in (check(SAMPLE), check(*sides)):
        assert problems(found) == {}
        assert found.is_clean
        assert found.pairs == len(PAIRS) == 320
        assert 0 < found.lengths["source"]["median"] < found.lengths["source"]["longest"]
        assert max(found.scripts["source"], key=found.scripts["source"].get) == "Latin"
        assert max(found.scripts["target"], key=found.scripts["target"].get) == "Han"


def test_each_fault_is_found_where_it_is(sides):
    english, chinese = sides
    lines = english.read_bytes().split(b"\n")
    lines[0] = b"\xef\xbb\xbf" + lines[0]
    lines[1] += b"\r"
    lines[2] = b"one\x00two\x07"
    lines[3] = "a\u2028b\rc".encode()
    lines[4] = b"caf\xe9"
    lines[5] = b" "
    lines[6] = b"x" * 2000
    lines[7] = PAIRS[7][1].encode()
    english.write_bytes(b"\n".join(lines))
    before = english.read_bytes()
    found = check(english, chinese)
    assert problems(found) == {
        "separators": (2, ["a.en:4"]),
        "nul": (1, ["a.en:3"]),
        "controls": (2, ["a.en:3"]),
        "carriage returns": (1, ["a.en:2"]),
        "byte order marks": (1, ["a.en:1"]),
        "undecodable": (1, ["a.en:5"]),
        "over long": (1, ["a.en:7"]),
        "too long to read": (1, ["a.en:7"]),
        "blank side": (1, ["a.en:6"]),
    }
    notes = {finding.name: finding for finding in found.findings if finding.level == "note"}
    assert notes["identical"].places == [f"{english}:8"]
    assert f"{english}:8" in notes["source in Han"].places
    assert not found.is_clean
    assert found.to_json()["clean"] is False
    assert english.read_bytes() == before


def test_unequal_files_are_a_problem_and_their_lines_are_read_all_the_same(sides):
    english, chinese = sides
    chinese.write_bytes(b"\xff\n" + chinese.read_bytes())
    found = problems(check(english, chinese))
    assert found["undecodable"] == (1, ["a.zh:1"])
    assert found["structure"][0] == 1
    assert "320 lines, but" in found["structure"][1][0] or "has 321" in found["structure"][1][0]


def test_the_file_of_awkward_lines():
    assert {"separators", "nul"} & problems(check(AWKWARD)).keys()


def test_a_shift_in_the_middle_is_found(sides):
    english, chinese = sides
    lines = chinese.read_text(encoding="utf-8").split("\n")
    chinese.write_text("\n".join([*lines[:100], "多出的一行。", *lines[100:200], *lines[201:]]), encoding="utf-8")
    found = problems(check(english, chinese))
    assert list(found) == ["shift"]
    [place] = found["shift"][1]
    assert "the target is 1 line(s) further on" in place
    first, last = map(int, re.search(r":(\d+) to (\d+):", place).groups())
    assert abs(first - 101) <= 2 * WINDOW
    assert abs(last - 200) <= 2 * WINDOW


def test_files_that_are_missing_or_of_no_format(tmp_path):
    with pytest.raises(DataError, match="Can not read"):
        check(tmp_path / "a", tmp_path / "b")
    (tmp_path / "a").write_text("plain\n")
    with pytest.raises(DataError, match="can not tell its format"):
        check(tmp_path / "a")


def test_fields_of_other_formats_may_hold_line_breaks(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"en": "One\\ntwo", "zh": "一\\n二"}\n', encoding="utf-8")
    found = check(path)
    assert found.is_clean
    assert [(finding.name, finding.count) for finding in found.findings] == [("separators", 2)]


# --- shifts -----------------------------------------------------------------------------------------------------------


def lengths(number: int, seed: int) -> tuple[list[int], list[int]]:
    """Lengths like those of sentences and their translations."""
    draw = random.Random(seed)
    sources = [int(draw.lognormvariate(2.5, 0.6)) + 1 for _ in range(number)]
    return sources, [max(1, int(length * draw.lognormvariate(0.4, 0.2))) for length in sources]


def test_no_shift_is_seen_where_there_is_none():
    for seed in range(5):
        assert find_shifts(*lengths(3000, seed)) == []
    assert find_shifts([5] * 500, [7] * 500) == []
    sources, targets = lengths(2000, 1)
    random.Random(2).shuffle(targets)
    assert find_shifts(sources, targets) == []  # no correlation at all says nothing about places
    assert find_shifts([], []) == []


@pytest.mark.parametrize("offset", [-3, -1, 1, 7])
def test_a_run_out_of_step_is_found_with_its_offset(offset):
    sources, targets = lengths(3000, 7)
    middle = targets[1000 - offset : 1500 - offset]
    [found] = find_shifts(sources, [*targets[:1000], *middle, *targets[1500:]])
    assert isinstance(found, Shift)
    assert found.offset == offset
    assert abs(found.start - 1000) <= 2 * WINDOW
    assert abs(found.end - 1500) <= 2 * WINDOW
