"""A font with Chinese characters for matplotlib, whose own has none and draws empty boxes.

The extra `plots` installs Noto Sans CJK as a Python package, so that a bare machine can draw as well; a font of the
system does too. Fonts are named for each text, never in the global settings, which belong to whoever imports us.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING

from nmt.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

INSTALL = "pip install 'nmt[plots]'"
PACKAGE = "noto-cjk-sans-otc"

# In order of preference: simplified forms first, sans serif first. A collection whose faces an old matplotlib can not
# tell apart shows up by the name of its first, the Japanese one; its characters are drawn with small differences.
FAMILIES = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN"),
    *("PingFang SC", "Hiragino Sans GB", "Heiti SC", "STHeiti", "Microsoft YaHei", "SimHei", "DengXian"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS"),
    *("Noto Serif CJK SC", "Source Han Serif SC", "Songti SC", "SimSun", "AR PL UMing CN"),
    *("Noto Sans CJK TC", "Noto Sans CJK HK", "Noto Sans CJK JP", "Noto Serif CJK JP"),
)
_SECOND = "DejaVu Sans"  # comes with matplotlib; has many symbols that a Han font lacks


class Han:
    """The Han font that was found, and what it can draw (with DejaVu Sans in its place where it can not)."""

    def __init__(self, family: str) -> None:
        from matplotlib.font_manager import findfont
        from matplotlib.ft2font import FT2Font

        self.families = [family, _SECOND]
        self.characters: set[int] = set()
        for name in self.families:
            self.characters |= set(FT2Font(findfont(name, fallback_to_default=False)).get_charmap())

    def properties(self, size: float) -> FontProperties:
        """The font at `size` points."""
        from matplotlib.font_manager import FontProperties

        return FontProperties(family=self.families, size=size)

    def drawable(self, string: str) -> str:
        """`string`, with the code of each character for which there is no glyph (`U+1F600`) in its place."""
        return "".join(char if ord(char) in self.characters else f"U+{ord(char):04X}" for char in string)


def find_han() -> Han:
    """The best font with Han characters that is installed.

    Raises:
        ConfigError: matplotlib is missing, or there is no such font.
    """
    try:
        from matplotlib.font_manager import fontManager
    except ImportError as error:
        raise ConfigError(f"a picture needs matplotlib: {INSTALL}") from error
    _register()
    known = {font.name for font in fontManager.ttflist}
    for family in FAMILIES:
        if family in known:
            return Han(family)
    raise ConfigError(f"no installed font has Chinese characters, so the picture would show empty boxes: {INSTALL}")


def _register() -> None:
    """Tell matplotlib of the packaged font. Found through the package's own file list, wherever it is installed."""
    from matplotlib.font_manager import fontManager

    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        return
    known = {font.fname for font in fontManager.ttflist}
    for file in files:
        path = str(file.locate())
        if file.suffix.lower() in (".ttc", ".otf", ".ttf") and path not in known:
            fontManager.addfont(path)
