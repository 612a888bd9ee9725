"""Scores of translations: strings in, numbers with their recipe out. No model and no torch.

Read `metrics` first; `report` puts scores on the screen and on disk, `history` reads a run's journal and `compare`
sets runs side by side, `bars` draws that. `doubts` and `suspects` warn, `failures` looks where a system fails, `paired`
compares two systems, `html` makes a page of it all.
"""

from nmt.evaluate.compare import table
from nmt.evaluate.metrics import References, Score, bleu, chrf
from nmt.evaluate.report import Evaluation, evaluate, write

__all__ = ["Evaluation", "References", "Score", "bleu", "chrf", "evaluate", "table", "write"]
