"""What happened during a run: its journal, `RUN/journal.jsonl`, one JSON object a line.

`nmt.train` writes it; this reads it, for reports and curves. Events of interest have `event` = `step` (with `step`,
`epoch`, `loss`, `tokens_per_second`, `lr`, `seconds`) or `validation` (with `step`, `bleu`, `seconds`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nmt.errors import DataError

Event = dict[str, Any]


def events(run: Path, kind: str) -> list[Event]:
    """The events of one kind in the journal of `run`, in order.

    A run that was killed and resumed may have repeated some steps: the later record of a step replaces the earlier.

    Raises:
        DataError: There is no journal, or a line of it is not an event.
    """
    path = run / "journal.jsonl"
    if not path.is_file():
        raise DataError(f"{path} does not exist: give a folder that `nmt train` has written, such as runs/demo")
    latest: dict[int, Event] = {}
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (number == len(lines)):  # the last line is empty, or cut off by a kill
            continue
        event = _parse(line, f"{path}:{number}")
        if event.get("event") == kind:
            latest[int(event["step"])] = event
    return [latest[step] for step in sorted(latest)]


def _parse(line: bytes, where: str) -> Event:
    try:
        event = json.loads(line)
    except ValueError as error:
        raise DataError(f"{where}: this line of the journal is not JSON ({error})") from error
    if not isinstance(event, dict):
        raise DataError(f"{where}: this line of the journal is not an event (a JSON object)")
    return event
