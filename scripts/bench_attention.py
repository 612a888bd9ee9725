"""How fast are the readable three stages and torch's fused kernel, side by side, on this machine?

    python scripts/bench_attention.py                        # a Markdown table, in a minute or two
    python scripts/bench_attention.py --device cuda --dtype bfloat16

Scaled dot product with padding masks, H = 4 heads of D = 64 features, as many sentences as make about `--tokens`
tokens. Three uses: *train* is forward and backward, T = S; *encode* is forward only, T = S; *step* is one query against
S keys, as in search. The two take turns within a repetition; the medians are in the table. On a CPU the time is that of
the processor, on one thread, so that other programs on the machine disturb little.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from nmt.model import Attention, FusedAttention, ScaledDotScore
from nmt.model.masks import padding_mask

HEADS, WIDTH = 4, 64
USES = ("train", "encode", "step")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--lengths", default="5,10,20,30,48,64,128,200,500", help="source lengths (default: %(default)s)"
    )
    parser.add_argument("--tokens", type=int, default=2000, help="tokens in a batch (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=25)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    print("| use | S | sentences | readable, ms | fused, ms | readable / fused |\n|---|---|---|---|---|---|")
    for use in USES:
        for length in map(int, args.lengths.split(",")):
            readable, fused = times(use, length, args)
            print(
                f"| {use} | {length} | {sentences(length, args.tokens)} | {1e3 * readable:.2f} | {1e3 * fused:.2f} | "
                f"{readable / fused:.2f} |",
                flush=True,
            )


def sentences(length: int, tokens: int) -> int:
    return max(1, tokens // length)


def times(use: str, length: int, args: argparse.Namespace) -> list[float]:
    """Median seconds of the readable and the fused attention."""
    torch.manual_seed(0)
    batch, dtype = sentences(length, args.tokens), getattr(torch, args.dtype)
    queries = 1 if use == "step" else length
    parts = [
        torch.randn(batch, HEADS, size, WIDTH, device=args.device, dtype=dtype, requires_grad=use == "train")
        for size in (queries, length, length)
    ]
    lengths = torch.randint((length + 1) // 2, length + 1, (batch,), device=args.device)
    mask = padding_mask(lengths, length)[:, None, None]
    works = [one_use(attention(ScaledDotScore()), parts, mask) for attention in (Attention, FusedAttention)]
    clock = time.process_time if args.device == "cpu" else time.perf_counter
    taken: list[list[float]] = [[], []]
    for repeat in range(args.repeats + 3):
        for work, seconds in zip(works, taken, strict=True):
            began = clock()
            work()
            if args.device != "cpu":
                torch.cuda.synchronize()
            if repeat >= 3:  # the first ones warm up
                seconds.append(clock() - began)
    return [statistics.median(seconds) for seconds in taken]


def one_use(attention: Attention, parts: list[Tensor], mask: Tensor) -> Callable[[], None]:
    query, key, value = parts
    memory = attention.remember(key, value, mask)
    gradient = torch.ones_like(query)

    def work() -> None:
        with torch.set_grad_enabled(query.requires_grad):
            context = attention.attend(query, memory).context
        if query.requires_grad:
            torch.autograd.grad(context, parts, gradient)

    return work


if __name__ == "__main__":
    main()
