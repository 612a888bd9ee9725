"""One update: the gradient of all batches of a piece of work, clipped; a step, or none if the gradient is not finite.

The losses are summed and divided once by the number of target pieces of the whole work, whatever the batches and the
processes it is spread over. Parameters, their gradients and the optimiser's state are float32 in every precision; where
products are formed in float16, the loss is scaled up so that small gradients do not vanish (Micikevicius et al. 2018,
https://arxiv.org/abs/1710.03740).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from nmt.config import OptimConfig
from nmt.data.batch import Batch
from nmt.device import autocast
from nmt.model.seq2seq import Seq2Seq
from nmt.train.average import Average
from nmt.train.examples import Work
from nmt.train.objective import Losses, Objective
from nmt.train.ranks import Ranks


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an update did."""

    loss: float  # plain cross-entropy for each target piece, in nats
    norm: float  # of the gradient before clipping
    made: bool  # False: the gradient was not finite, and the weights are as they were


class Options(TypedDict):
    """Of AdamW."""

    betas: tuple[float | Tensor, float | Tensor]
    weight_decay: float


class Updater:
    """The weights and everything that changes them."""

    def __init__(
        self, model: Seq2Seq, config: OptimConfig, *, average: float, device: torch.device, precision: str, ranks: Ranks
    ) -> None:
        self.model, self.config, self.device, self.precision, self.ranks = model, config, device, precision, ranks
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr, **self.options(), fused=True)
        self.average = Average(model, average)
        self.scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16")
        self.single = Objective(model, smoothing=config.label_smoothing, r_drop=config.r_drop)
        self.objective: nn.Module = self.single
        if ranks.world > 1:
            self.objective = DistributedDataParallel(self.single, device_ids=ranks.device_ids(device))

    def options(self) -> Options:
        """Options of the optimiser, as the settings say now."""
        return Options(betas=(self.config.beta1, self.config.beta2), weight_decay=self.config.weight_decay)

    def update(self, work: Work, *, step: int, rate: float) -> Outcome:
        """Make update number `step` from `work` at this learning rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.zero_grad(set_to_none=True)
        plain = self.gradient(work)
        self.scaler.unscale_(self.optimizer)
        norm = float(nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip))
        made = norm < float("inf")  # neither infinite nor NaN
        if made:
            self.scaler.step(self.optimizer)
            self.average.update(step)
        self.scaler.update()
        return Outcome(float(self.ranks.sum(plain)) / work.pieces, norm, made)

    def gradient(self, work: Work) -> Tensor:
        """Leave the gradient of the mean loss in the parameters; returns this process's summed plain loss."""
        total = torch.zeros((), device=self.device)
        for batch, weight in zip(work.batches, work.weights, strict=True):
            with self._together(last=batch is work.batches[-1]):
                losses = self.losses(self.objective, batch)
                factor = weight * self.ranks.world  # the mean over the processes is taken later
                self.scaler.scale(losses.wanted / work.pieces * factor).backward()  # type: ignore[no-untyped-call]
            total += losses.plain * weight
        return total

    def losses(self, objective: Callable[[Batch], Losses], batch: Batch) -> Losses:
        """The losses of a batch in the precision of the run."""
        with autocast(self.device, self.precision):
            return objective(batch.to(self.device))

    def rehearse(self, works: list[Work]) -> None:
        """Form gradients of these and forget them, random numbers included: is there memory enough?"""
        devices = [self.device] if self.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            for work in works:
                self.gradient(work)
                self.optimizer.zero_grad(set_to_none=True)

    def _together(self, *, last: bool) -> contextlib.AbstractContextManager[object]:
        """The processes' gradients are put together once, with the last batch."""
        if isinstance(self.objective, DistributedDataParallel) and not last:
            return self.objective.no_sync()
        return contextlib.nullcontext()
