"""AER by hand, on the published gold set, and the index errors that are not a bad aligner."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.align.score import Shift, read_gold, score, shift
from nmt.cli.main import main
from nmt.errors import DataError

ALIGNMENTS = Path(__file__).parents[3] / "shared" / "data" / "alignments"
needs_gold = pytest.mark.skipif(not ALIGNMENTS.is_dir(), reason=f"the gold alignments are not here ({ALIGNMENTS})")

GOLD = [read_gold("0-0 1-1 2p1 2-3"), read_gold("0-1 1-0")]


def test_gold_links() -> None:
    assert (GOLD[0].sure, GOLD[0].possible) == ({(0, 0), (1, 1), (2, 3)}, {(0, 0), (1, 1), (2, 1), (2, 3)})
    assert read_gold("1-1 2?3", 1) == read_gold("0-0 1p2")
    assert read_gold(" ") == read_gold("")


def test_by_hand() -> None:
    # 5 sure. Of 5 links 3 are sure, 1 possible, 1 wrong.
    found = score([[(0, 0), (1, 1), (2, 1)], [(0, 1), (1, 1)]], GOLD)
    assert (found.links, found.sure, found.possible, found.sentences) == (5, 5, 1, 2)
    assert found.precision == pytest.approx(4 / 5)
    assert found.recall == pytest.approx(3 / 5)
    assert found.f1 == pytest.approx(2 * 0.8 * 0.6 / 1.4)
    assert found.aer == pytest.approx(1 - (3 + 4) / (5 + 5))


def test_ends() -> None:
    assert score([one.sure for one in GOLD], GOLD).aer == 0.0
    assert score([one.possible for one in GOLD], GOLD).aer == 0.0  # possible links never harm
    nothing = score([[], []], GOLD)
    assert (nothing.aer, nothing.precision, nothing.f1) == (1.0, 0.0, 0.0)
    assert score([[(0, 0), (0, 0), (1, 1), (2, 3)], GOLD[1].sure], GOLD).aer == 0.0  # a link counts once


@pytest.mark.parametrize(
    ("source", "target", "exchanged"), [(1, 1, False), (0, 1, False), (-1, 0, False), (0, 0, True)]
)
def test_an_index_error_is_found(source: int, target: int, exchanged: bool) -> None:
    gold = [read_gold("0-1 1-2 2-0 3-5 4-6 6-3"), read_gold("0-3 1-4 3-1 5-0")]
    wrong = [[(i - source, j - target) for i, j in one.sure] for one in gold]
    if exchanged:
        wrong = [[(j, i) for i, j in one] for one in wrong]
    found = shift(wrong, gold)
    assert found == Shift(source, target, exchanged, 0.0)
    assert shift([one.sure for one in gold], gold) is None


def test_what_is_no_gold() -> None:
    with pytest.raises(DataError, match="link 2 is '1:2', but a link is i-j"):
        read_gold("0-0 1:2")
    with pytest.raises(DataError, match="link 1 is '0-1', but the first word was said to have the index 1"):
        read_gold("0-1", 1)
    with pytest.raises(DataError, match="links of 1 sentences, but gold links of 2"):
        score([[]], GOLD)
    with pytest.raises(DataError, match="no sure link"):
        score([[]], [read_gold("0p0")])


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(["align", "score", *arguments]) == 0
    return capfd.readouterr()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text("1-1 2p2 3-4\n1-2 2-1\n")
    Path("links").write_text("0-0 1-1 2-3\n0-1\n")
    out, err = run(capfd, "--gold", "gold", "--gold-index", "1", "--links", "links")
    assert out == (
        "AER = 12.5  precision = 100.0  recall = 75.0  F1 = 85.7\n"
        "  2 sentences, 4 links; gold: 4 sure and 1 possible ones\n"
    )
    assert err == ""
    _, err = run(capfd, "--gold", "gold", "--links", "links")
    assert err.startswith(
        "WARNING: this looks like an index error: with +1 on every source and +1 on every target index in --links, AER "
        "would be 12.5. --gold was read as counting from 0, --links from 0"
    )
    for line, message in (("0-0\n0:1\n", "links:2: link 1 is '0:1'"), ("0-0\n", "gold has 2 lines, but links has 1")):
        Path("links").write_text(line)
        assert main(["align", "score", "--gold", "gold", "--links", "links"]) == 1
        assert capfd.readouterr().err.startswith(f"nmt align: {message}")


@needs_gold
def test_the_published_figure_and_its_two_index_errors(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gold, links = str(ALIGNMENTS / "zhen.gold"), ALIGNMENTS / "zhen.awesome-align.out"
    out, err = run(capfd, "--gold", gold, "--gold-index", "1", "--links", str(links))
    assert out.startswith("AER = 13.3")
    assert "450 sentences" in out
    assert "11,238 sure and 178 possible" in out
    assert err == ""
    out, err = run(capfd, "--gold", gold, "--links", str(links))  # 1-indexed gold read as 0-indexed
    assert float(out.split()[2]) > 60
    assert "+1 on every source and +1 on every target index" in err
    shifted = tmp_path / "shifted"
    moved = [[link.split("-") for link in line.split()] for line in links.read_text().removesuffix("\n").split("\n")]
    shifted.write_text("".join(" ".join(f"{i}-{int(j) + 1}" for i, j in line) + "\n" for line in moved))
    out, err = run(capfd, "--gold", gold, "--gold-index", "1", "--links", str(shifted))
    assert float(out.split()[2]) > 60
    assert "+0 on every source and -1 on every target index" in err
