"""Several processes that train one model, as `torchrun` starts them: what they tell one another.

Every process reads the same list of updates and takes its share of the rows of each, so that what an update learns from
does not depend on how many there are. The first process (rank 0) alone writes, looks at the dev set and decides; the
others follow. One process is the same thing with nobody to talk to.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from nmt.errors import NmtError

Value = TypeVar("Value")
PATIENCE = datetime.timedelta(hours=2)  # of the others while the first looks at the dev set and saves


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which process it is, among `world`."""

    rank: int = 0
    world: int = 1
    local: int = 0  # its number on its machine

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and decides."""
        return self.rank == 0

    def device(self, device: torch.device) -> torch.device:
        """Its own GPU, where there are several."""
        return torch.device("cuda", self.local) if self.world > 1 and device.type == "cuda" else device

    def device_ids(self, device: torch.device) -> list[int] | None:
        """What DistributedDataParallel wants to know."""
        return [self.local] if device.type == "cuda" else None

    def sum(self, number: Tensor) -> Tensor:
        """The sum over all processes of a number that each has."""
        if self.world > 1:
            dist.all_reduce(number)
        return number

    def largest(self, *numbers: float) -> list[float]:
        """The largest of each number over all processes."""
        if self.world == 1:
            return list(numbers)
        agreed = torch.tensor(numbers, dtype=torch.float64, device=_talking_device())
        dist.all_reduce(agreed, op=dist.ReduceOp.MAX)
        return list(agreed.tolist())

    def told(self, value: Value) -> Value:
        """What the first process says."""
        if self.world == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box)
        return box[0]

    def gathered(self, value: Value) -> list[Value]:
        """What every process has, in the order of their ranks."""
        if self.world == 1:
            return [value]
        values: list[Any] = [None] * self.world
        dist.all_gather_object(values, value)
        return values


def _talking_device() -> torch.device:
    return torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")


@contextlib.contextmanager
def join(device: torch.device) -> Iterator[Ranks]:
    """Meet the other processes of this run, if there are any; part from them at the end.

    Raises:
        NmtError: one of the others has failed; its own message says why.
    """
    world = int(os.environ.get("WORLD_SIZE") or 1)
    if world == 1:
        yield Ranks()
        return
    ranks = Ranks(int(os.environ["RANK"]), world, int(os.environ.get("LOCAL_RANK") or 0))
    if device.type == "cuda":
        torch.cuda.set_device(ranks.local)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=PATIENCE)
    try:
        yield ranks
    except RuntimeError as error:
        if isinstance(error, dist.DistError) or "/gloo/" in str(error) or "NCCL" in str(error):
            raise NmtError(
                f"process {ranks.rank} stops: another process of this run has ended, see its message"
            ) from None
        raise
    finally:
        dist.destroy_process_group()
