"""The examples in the docstrings of the text and data layers are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["nmt.text.normalise", "nmt.text.units", "nmt.data.split"])
def test_the_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
