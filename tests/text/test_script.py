import sys
from pathlib import Path

import pytest

from nmt.errors import ConfigError
from nmt.text import script

HUMAN = Path(__file__).parents[3] / "shared" / "data" / "test"


def test_one_script_becomes_the_other_and_the_rest_stays():
    pytest.importorskip("opencc", reason="OpenCC is not installed")
    assert script.opencc_available()
    assert script.to_script("圖書館開放到晚上九點。Hello 图书馆", "hans") == "图书馆开放到晚上九点。Hello 图书馆"
    assert script.to_script("她的头发很长，发现了图书馆。", "hant") == "她的頭髮很長，發現了圖書館。"
    assert script.to_script("Hello", "hant") == "Hello"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("图书馆开放到晚上九点。", "hans"),
        ("圖書館開放到晚上九點。", "hant"),
        ("這個問題很难回答，不過我會試一試。", "hant"),  # one slip does not make a mixture
        ("图书馆開門了，我們来了。", "mixed"),
        ("你好吗？", ""),  # one character is not enough
        ("王喆来了。", ""),
        ("Hello", ""),
        ("", ""),
    ],
)
def test_the_script_of_a_line(text, expected):
    assert script.script_of(text) == expected


@pytest.mark.parametrize(("name", "own"), [("ntrex128-en-zhCN", "hans"), ("ntrex128-en-zhTW", "hant")])
def test_real_text_is_told_apart(name, own):
    import lzma

    packed = HUMAN / f"test.{name}.tsv.xz"
    if not packed.is_file():
        pytest.skip("the test sets of ../shared are not here")
    lines = [line.split("\t")[1] for line in lzma.decompress(packed.read_bytes()).decode().split("\n")[:-1]]
    found = [script.script_of(line) for line in lines]
    assert found.count(own) > 0.95 * len(lines)
    assert found.count(own) + found.count("") == len(lines)


def test_without_opencc_the_error_gives_the_one_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    script._converter.cache_clear()
    with pytest.raises(ConfigError, match=r"pip install 'nmt\[opencc\]'"):
        script.to_script("圖", "hans")
