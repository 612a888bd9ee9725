"""What was read, made ready for dividing: tidied, in one script, and with the key of each sentence."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from nmt.config import DataConfig
from nmt.data.corpus import Pair
from nmt.data.dropped import Dropped
from nmt.data.pool import spread
from nmt.data.split import sentence_key
from nmt.data.table import Columns, PairTable, batches
from nmt.text.normalise import tidy
from nmt.text.script import SCRIPTS, script_of, to_script

if TYPE_CHECKING:
    import numpy as np

UNCLEAR = "unclear"


@dataclass(slots=True)
class Gathered:
    """The pairs of one part with text on both sides."""

    pairs: PairTable = field(default_factory=PairTable)
    source_keys: array[int] = field(default_factory=lambda: array("Q"))
    """`sentence_key` of each source sentence."""
    target_keys: array[int] = field(default_factory=lambda: array("Q"))
    read: int = 0
    blank: Dropped = field(default_factory=Dropped)
    other_script: Dropped = field(default_factory=Dropped)
    scripts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*SCRIPTS, "mixed", UNCLEAR), 0))
    """Lines of Chinese, as they were written, in each script."""

    def sentence_keys(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys of both sides, of shape (pairs,)."""
        import numpy as np

        return np.frombuffer(self.source_keys, np.uint64), np.frombuffer(self.target_keys, np.uint64)


@dataclass(slots=True)
class _Batch:
    columns: Columns
    source_keys: array[int]
    target_keys: array[int]
    blank: Dropped
    other_script: Dropped
    scripts: dict[str, int]


def gather(pairs: Iterable[Pair], *, script: str, chinese: str, processes: int) -> Gathered:
    """Tidy every pair, write Chinese in one script or leave out what is in the other, and leave out blank ones.

    Args:
        pairs: What a reader gave, English as source.
        script: `drop`, `convert` or `keep`, see `DataConfig.script`.
        chinese: `hans` or `hant`.
        processes: How many work.
    """
    gathered = Gathered()
    for batch in spread(partial, (_batch, script, chinese), batches(pairs), processes=processes):
        gathered.read += sum(batch.scripts.values())
        gathered.pairs.append(batch.columns)
        gathered.source_keys.extend(batch.source_keys)
        gathered.target_keys.extend(batch.target_keys)
        gathered.blank.merge(batch.blank)
        gathered.other_script.merge(batch.other_script)
        for name, number in batch.scripts.items():
            gathered.scripts[name] += number
    return gathered


def script_policy(data: DataConfig, part: str) -> str:
    """What is done about the other script in a part: a dev or test set that was given stays as it is, or converted."""
    return "keep" if data.script == "drop" and part != "train" else data.script


def _batch(script: str, chinese: str, columns: Columns) -> _Batch:
    batch = _Batch(Columns.empty(), array("Q"), array("Q"), Dropped(), Dropped(), Gathered().scripts)
    other = next(code for code in SCRIPTS if code != chinese)
    for pair in columns.pairs():
        found = script_of(pair.target)
        batch.scripts[found or UNCLEAR] += 1
        target = to_script(pair.target, chinese) if script == "convert" else pair.target
        clear = Pair(tidy(pair.source), tidy(target), pair.line, pair.source_id, pair.target_id)
        if not clear.source or not clear.target:
            batch.blank.add(clear)
        elif script == "drop" and found == other:
            batch.other_script.add(clear)
        else:
            batch.columns.add(clear)
            batch.source_keys.append(sentence_key(clear.source))
            batch.target_keys.append(sentence_key(clear.target))
    return batch
