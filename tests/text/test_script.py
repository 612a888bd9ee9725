import sys

import pytest

from nmt.errors import ConfigError
from nmt.text import script


def test_traditional_becomes_simplified_and_the_rest_stays():
    pytest.importorskip("opencc", reason="OpenCC is not installed")
    assert script.opencc_available()
    assert script.to_simplified("圖書館開放到晚上九點。Hello 图书馆") == "图书馆开放到晚上九点。Hello 图书馆"


def test_without_opencc_the_error_gives_the_one_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "opencc", None)
    script._converter.cache_clear()
    with pytest.raises(ConfigError, match=r"pip install 'nmt\[opencc\]'"):
        script.to_simplified("圖")
