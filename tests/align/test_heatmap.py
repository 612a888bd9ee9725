"""The two pictures of an alignment: as text and as a PNG with Chinese characters in it."""

from __future__ import annotations

import builtins
import struct
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from nmt.align import fonts, heatmap
from nmt.align.fonts import find_han
from nmt.align.heatmap import png, text
from nmt.align.links import Alignment
from nmt.align.terminal import columns
from nmt.errors import ConfigError, DataError

LOVE = Alignment(
    ["I", "love", "Beijing"],
    ["我", "爱", "北京"],
    [[0.9, 0.05, 0.05], [0.3, 0.6, 0.1], [0.05, 0.15, 0.8]],
    [(0, 0), (1, 1), (2, 2)],
)


def turned(alignment: Alignment) -> Alignment:
    weights = [list(column) for column in zip(*alignment.weights, strict=True)]
    return Alignment(alignment.target_units, alignment.source_units, weights, [(j, i) for i, j in alignment.links])


def test_text_to_chinese() -> None:
    assert text(LOVE).split("\n") == [
        "          B",
        "          e",
        "          i",
        "        l j",
        "        o i",
        "        v n",
        "      I e g",
        "     ┌──────┐",
        "  我 │██    │ I 0.90",
        "  爱 │▒▒▓▓░░│ love 0.60",
        "北京 │  ░░██│ Beijing 0.80",
        "     └──────┘",
        "      ░░ from 0.1  ▒▒ from 0.3  ▓▓ from 0.5  ██ from 0.75",
    ]


def test_text_from_chinese_keeps_its_columns() -> None:
    shown = text(turned(LOVE)).split("\n")
    assert shown[:2] == ["             北", "         我爱京"]
    rows = [line for line in shown if "│" in line]
    assert {columns(line[: line.index("│")]) for line in rows} == {len("Beijing ")}
    assert {columns(line[: line.rindex("│")]) for line in rows} == {len("Beijing │") + 6}


def long(size: int) -> Alignment:
    row = [1.0 / size] * size
    return Alignment(
        ["international"] * size, ["国"] * 2, [row, [0.7, 0.2, 0.1, *[0.0] * (size - 3)]], [(0, 0), (0, 1)]
    )


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("size", [3, 10, 20, 25, 30, 35, 40, 60])
def test_text_fits(size: int, width: int) -> None:
    assert all(columns(line) <= width for line in text(long(size), width=width).split("\n"))


def test_text_of_a_long_source_names_the_strongest() -> None:
    shown = text(long(60), width=80).split("\n")
    assert shown[1] == "国 ← international 0.70  international 0.20  international 0.10"


def test_text_cuts_long_words() -> None:
    shown = text(Alignment(["x" * 40], ["y" * 40], [[1.0]], [(0, 0)])).split("\n")
    assert shown[:13] == [" " * 16 + "x"] * 11 + [" " * 16 + "…", " " * 15 + "┌──┐"]
    assert shown[13].startswith("yyyyyyyyyyyyy… │██│ xxxxxxxxxxxxx… 1.00")


def test_columns() -> None:
    assert [columns(string) for string in ("", "abc", "我爱", "，", "e\u0301", "ｶ", "Ａ", "\u200b")] == [
        *(0, 3, 4, 2, 1, 1, 2, 0)
    ]


def test_text_without_words() -> None:
    assert "我" in text(Alignment([], ["我"], [[]], []))
    assert text(Alignment(["a"], [], [], []))


@pytest.fixture
def _plots() -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `plots`")
    try:
        find_han()
    except ConfigError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("_plots")
class TestPng:
    @pytest.mark.parametrize("alignment", [LOVE, turned(LOVE)])
    def test_no_glyph_is_missing(self, alignment: Alignment, tmp_path: Path) -> None:
        strange = Alignment(
            [*alignment.source_units, "␣，。？！“”……——《》龘𠮷"],
            [*alignment.target_units, "naïve 😀 \U0010ffff ก $x$ _y^2 \\"],
            [*[[*row, 0.0] for row in alignment.weights], [0.25] * 4],
            alignment.links,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            png(strange, tmp_path / "strange.png", title="我爱北京。$100 and $200 \U000e0001")
        assert (tmp_path / "strange.png").read_bytes().startswith(b"\x89PNG")

    def test_the_font_has_the_characters(self) -> None:
        from matplotlib.font_manager import findfont
        from matplotlib.ft2font import FT2Font

        family = find_han().families[0]
        covered = FT2Font(findfont(family, fallback_to_default=False)).get_charmap()
        needed = "我爱北京，。？！：；（）《》“”……——0Aa繁體"
        assert {ord(char) for char in needed} <= set(covered)

    def test_characters_without_a_glyph_are_named(self) -> None:
        assert find_han().drawable("我\U0010ffff") == "我U+10FFFF"

    def test_grows_with_the_sentence(self, tmp_path: Path) -> None:
        def size(count: int) -> tuple[int, int]:
            row = [1.0 / count] * count
            png(Alignment(["猫"] * count, ["a"] * 4, [row] * 4, []), tmp_path / "x.png")
            return struct.unpack(">II", (tmp_path / "x.png").read_bytes()[16:24])

        assert size(40)[0] - size(20)[0] == pytest.approx(20 * 0.42 * 150, abs=3)
        assert size(40)[1] == size(20)[1]

    def test_global_settings_stay(self, tmp_path: Path) -> None:
        """Nothing global changes, and pyplot is not even imported."""
        code = (
            "import sys, matplotlib; before = matplotlib.rcParams.copy(); from nmt.align import Alignment, png; "
            f"png(Alignment(['a'], ['我'], [[1.0]], [(0, 0)]), {str(tmp_path / 'x.png')!r}); "
            "assert matplotlib.rcParams.copy() == before; assert 'matplotlib.pyplot' not in sys.modules"
        )
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(heatmap.__file__).parents[2])

    def test_without_a_han_font(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(name: str) -> None:
            raise PackageNotFoundError(name)

        monkeypatch.setattr(fonts, "distribution", missing)
        monkeypatch.setattr(fonts, "FAMILIES", ("No Such Font",))
        with pytest.raises(ConfigError, match=r"no installed font has Chinese .* pip install 'nmt\[plots\]'"):
            png(LOVE, tmp_path / "x.png")
        assert not (tmp_path / "x.png").exists()


def test_png_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigError, match=r"needs matplotlib: pip install 'nmt\[plots\]'"):
        png(LOVE, tmp_path / "x.png")


def test_png_without_words(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="without words"):
        png(Alignment([], ["我"], [[]], []), tmp_path / "x.png")


def test_imports_stay_light() -> None:
    code = (
        "import sys, nmt.align, nmt.evaluate; "
        "heavy = {'matplotlib', 'numpy', 'torch', 'sacrebleu'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(heatmap.__file__).parents[2])
