"""Strings and piece ids: one unit of length, one clean form of a line, and SentencePiece between the two.

Nothing here imports torch, and SentencePiece and OpenCC are imported only when they are used.
"""

from nmt.text.normalise import normalise, restore, tidy
from nmt.text.script import opencc_available, to_script
from nmt.text.tokenizer import BOS, EOS, PAD, UNK, Tokenizer, learn
from nmt.text.units import count_units, is_han, units

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "Tokenizer",
    "count_units",
    "is_han",
    "learn",
    "normalise",
    "opencc_available",
    "restore",
    "tidy",
    "to_script",
    "units",
]
