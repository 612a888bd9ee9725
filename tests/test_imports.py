"""Layers hold, and optional things are needed only by what uses them."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import nmt

MODULES = sorted(module.name for module in pkgutil.walk_packages(nmt.__path__, "nmt.") if module.name != "nmt.__main__")
OPTIONAL = (
    "hsg",
    "opencc",
    "lxml",
    "polib",
    "backports.zstd",
    "matplotlib",
    "noto_cjk_sans_otc",
    "pytest",
    "hypothesis",
)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert len(module.__doc__) > 30


def test_no_module_needs_an_extra() -> None:
    blocked = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
    imports = "\n".join(f"import {name}" for name in MODULES)
    done = subprocess.run([sys.executable, "-c", blocked + imports], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_imports_go_downward_only() -> None:
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_translator_is_at_hand() -> None:
    from nmt.decode.translator import Translator

    assert nmt.Translator is Translator
    with pytest.raises(AttributeError, match="has no attribute 'Translater'"):
        _ = nmt.Translater
