"""The batches that every side trains on: the same pieces in the same order, written to one file.

Two neighbouring Tatoeba pairs are joined into one, because Tatoeba's sentences are short and the peers' figures are for
about 20 pieces a side. Batches are cut by the product's own sampler.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PAIRS = 20_000
TOKENS = 2_560  # of a batch, padding counted, the side with more of them: about 2,048 real target pieces


def write_batches(prepared: Path, output: Path, *, number: int, tokens: int = TOKENS) -> None:
    """Write `number` batches of `prepared` to `output`, as lists of ids without marks."""
    from nmt.data.prepared import load_prepared
    from nmt.data.sampler import TokenBatchSampler
    from nmt.text.tokenizer import BOS, EOS, PAD
    from nmt.train.examples import IdColumn

    folder = load_prepared(prepared)
    table = folder.train().data
    sides = [_joined(IdColumn(table.column(f"{language}_ids"))) for language in ("en", "zh")]
    lengths = [np.array([len(row) + 1 for row in side]) for side in sides]
    sampler = TokenBatchSampler(*lengths, tokens=tokens, max_length=128, seed=1)
    chosen = sampler.epoch(0)[:number]
    if len(chosen) < number:
        raise SystemExit(f"{prepared} has only {len(chosen)} batches, but {number} are asked for")
    batches = [[[sides[side][row] for row in rows] for side in (0, 1)] for rows in chosen]
    sizes = [len(folder.tokenizer(language)) for language in ("en", "zh")]
    output.write_text(json.dumps({"pad": PAD, "bos": BOS, "eos": EOS, "sizes": sizes, "batches": batches}))


def _joined(column) -> list[list[int]]:
    sentences = np.split(column.values, column.offsets[1:-1])[: 2 * PAIRS]
    return [[*first.tolist(), *second.tolist()] for first, second in zip(sentences[::2], sentences[1::2], strict=False)]


def describe(path: Path) -> dict[str, float]:
    """Mean pieces a sentence (end mark counted), mean target pieces a batch, and the share of slots that are real."""
    batches = json.loads(path.read_text())["batches"]
    source = [[len(row) + 1 for row in batch[0]] for batch in batches]
    target = [[len(row) + 1 for row in batch[1]] for batch in batches]
    slots = sum(len(rows) * max(rows) for side in (source, target) for rows in side)
    count = sum(map(len, source))
    return {
        "batches": len(batches),
        "source_pieces_a_sentence": round(sum(map(sum, source)) / count, 1),
        "target_pieces_a_sentence": round(sum(map(sum, target)) / count, 1),
        "target_pieces_a_batch": round(sum(map(sum, target)) / len(batches)),
        "real_share_of_slots": round((sum(map(sum, source)) + sum(map(sum, target))) / slots, 3),
    }
