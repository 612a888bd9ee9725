"""Ctrl-C and SIGTERM as a wish, not as an accident: the loop finishes its update, saves, and ends."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """While the block runs, `.wanted` tells whether somebody asked to stop. A second Ctrl-C stops at once."""

    def __init__(self) -> None:
        self.wanted = False
        self.kind = "interrupted"
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # signals belong to the main thread alone
            self.before = {number: signal.signal(number, self._take) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self.wanted and number == signal.SIGINT:
            raise KeyboardInterrupt
        if not self.wanted:
            self.kind = "interrupted" if number == signal.SIGINT else "terminated"
        self.wanted = True
