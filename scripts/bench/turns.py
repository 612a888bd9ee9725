"""Two programs measured side by side: each is a process that works only when it is its turn.

The process that waits is blocked on a pipe and takes no processor time, so that each side has the whole machine in its
turn, and a disturbance of a minute hits both. Needs nothing but the standard library: peers live in environments of
their own, in which `nmt` is not installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Block:
    """Several updates in a row by one side."""

    seconds: float
    processor_seconds: float
    tokens: int  # source and target, padding not counted
    loss: float  # of the last update, as the side reports it
    peak_mib: float  # of the process so far


@dataclass(slots=True)
class Side:
    """One of the two, seen from the program that gives the turns."""

    name: str
    process: subprocess.Popen[str]
    about: dict[str, Any]
    blocks: list[Block] = field(default_factory=list)

    @classmethod
    def start(cls, name: str, command: Sequence[str | Path], threads: int) -> Side:
        """Start the process and wait until it is ready for its first turn.

        Raises:
            RuntimeError: it ended before that.
        """
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "false"}
        process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        side = cls(name, process, {})
        side.about = side._answer()
        return side

    def turn(self, first: int, count: int) -> Block:
        """Let it train on batches `first` to `first + count - 1`."""
        assert self.process.stdin
        self.process.stdin.write(f"{first} {count}\n")
        self.process.stdin.flush()
        return Block(**self._answer())

    def stop(self) -> None:
        """Close its pipes, which ends it, and wait for that."""
        self.process.__exit__(None, None, None)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError(f"{self.name} ended with exit code {self.process.returncode}; see above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def serve(update: Callable[[int], tuple[float, int]], about: dict[str, Any]) -> None:
    """The worker's end of the pipe: train when asked to, until the pipe is closed.

    Args:
        update: trains on batch number i, and returns its loss and its real tokens.
        about: what the table should say of this side.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is not an answer
    print(json.dumps(about), file=answers, flush=True)
    for line in sys.stdin:
        first, count = map(int, line.split())
        began, processor, tokens, loss = time.perf_counter(), time.process_time(), 0, 0.0
        for number in range(first, first + count):
            loss, real = update(number)
            tokens += real
        block = {
            "seconds": time.perf_counter() - began,
            "processor_seconds": time.process_time() - processor,
            "tokens": tokens,
            "loss": loss,
            "peak_mib": peak_mib(),
        }
        print(json.dumps(block), file=answers, flush=True)


def peak_mib() -> float:
    """The most memory this process ever held (resident), in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status has no VmHWM: the benchmark needs Linux")
