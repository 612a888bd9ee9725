"""From attention weights to word alignments. Matrices and strings only: no model and no torch.

In reading order: `spans` finds the characters of each SentencePiece piece, `units` the words of a text, `links` merges
a matrix over pieces into one over words and picks the links, `terminal` and `heatmap` draw it.
`symmetrise` puts the links of two directions together, `score` compares links with those that people drew.
"""

from nmt.align.heatmap import png
from nmt.align.links import Alignment, entropy, extract, pharaoh, read_pharaoh
from nmt.align.spans import spans
from nmt.align.terminal import text
from nmt.align.units import UNITS, words

__all__ = ["UNITS", "Alignment", "entropy", "extract", "pharaoh", "png", "read_pharaoh", "spans", "text", "words"]
