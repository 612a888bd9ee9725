"""Where tensors live and in what precision products are formed."""

from __future__ import annotations

import contextlib

import torch

from nmt.errors import ConfigError


def choose_device(name: str) -> torch.device:
    """`auto` is a GPU if there is one; `cpu`, `cuda` and `cuda:N` are themselves.

    Raises:
        ConfigError: the name is none of these, or the machine has no such GPU.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"device is {name!r}, but it must be auto, cpu, cuda or cuda:N") from None
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"device is {name!r}, but it must be auto, cpu, cuda or cuda:N")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigError(f"device is {name!r}, but this machine has {torch.cuda.device_count()} GPUs; use device=auto")
    return device


def has_bf16(device: torch.device) -> bool:
    """Whether bfloat16 products are faster than float32 there: a GPU since Ampere, a CPU with AVX512-BF16 or AMX.

    Other CPUs emulate bfloat16, eight times slower than float32 as measured on one with AVX2 only.
    """
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    checks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, check, lambda: False)() for check in checks)


def choose_precision(name: str, device: torch.device) -> str:
    """`auto` is bf16 where the hardware has it, else fp16 on a GPU and fp32 on a CPU."""
    if name != "auto":
        return name
    if has_bf16(device):
        return "bf16"
    return "fp16" if device.type == "cuda" else "fp32"


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[object]:
    """Matrix products in bfloat16 or float16, if that is the precision; parameters stay in float32 either way."""
    if precision != "fp32":
        return torch.autocast(device.type, dtype=torch.bfloat16 if precision == "bf16" else torch.float16)
    return contextlib.nullcontext()
