#!/usr/bin/env python
"""How much of the machine does a training step use, and where does the rest of the time go?

    scripts/bench/utilisation.py                                     # every preset of configs/model
    scripts/bench/utilisation.py rnn_small transformer_small --steps 5

The roof is the speed of matrix products alone (GFLOP/s). A preset's utilisation is the work of its update, counted from
the shapes of its products, over its time, as a share of the roof of large products in the same precision, measured just
before and just after. The profile is `torch.profiler`'s own time of each kind of operation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import batches as workload
from flops import counted
from ours import make_trainer, make_work

SIZES = {
    "large": (2048, 2048, 2048),
    "output layer": (1024, 256, 8000),
    "position-wise network": (2048, 256, 1024),
    "step of an LSTM": (100, 512, 2048),
}
KINDS = {
    "matrix products": r"::(mm|addmm|bmm|baddbmm|linear|mkldnn_linear|matmul|einsum)",
    "recurrent kernels": r"rnn|lstm|gru",
    "softmax": r"softmax|logsumexp",
    "norms": r"layer_norm|vector_norm|_norm",
    "random numbers": r"uniform|bernoulli|random|dropout|::rand",
    "embeddings and gathers": r"embedding|index|gather|scatter|nonzero|masked",
    "optimiser and clipping": r"adam|foreach|lerp",
    "copies": r"copy|cat|contiguous|clone|stack|fill|zero|empty",
}


def roofs(dtype: str, *, only: str | None = None) -> dict[str, float]:
    """GFLOP/s of products alone, the best of several tries of a tenth of a second."""
    import torch

    found = {}
    for name, (rows, inner, columns) in SIZES.items():
        if only not in (None, name):
            continue
        left, right = torch.randn(rows, inner), torch.randn(inner, columns)
        left, right = (part.to(getattr(torch, dtype)) for part in (left, right))
        work, best = 2 * rows * inner * columns, 0.0
        calls = max(1, int(1e10 / work))
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(calls):
                left @ right
            best = max(best, calls * work / (time.perf_counter() - began) / 1e9)
        found[name] = round(best, 1)
    return found


def presets() -> list[str]:
    """The names of configs/model."""
    from nmt.settings import configs_folder

    return sorted(path.stem for path in (configs_folder() / "model").glob("*.yaml"))


def measure(preset: str, options: argparse.Namespace, precision: str, works: list[Any]) -> dict[str, Any]:
    """Speed, utilisation and profile of one preset."""
    from nmt.model.build import num_parameters

    dtype = {"fp32": "float32", "bf16": "bfloat16"}[precision]
    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(
            [f"model={preset}"], prepared=options.prepared, folder=Path(folder), precision=precision,
            threads=options.threads,
        )  # fmt: skip
        roof = roofs(dtype, only="large")["large"]
        trainer.update(works[0])
        gflop = sum(counted(lambda work=work: trainer.update(work)) for work in works)
        began = time.perf_counter()
        for work in works:
            trainer.update(work)
        seconds = time.perf_counter() - began
        roof = max(roof, roofs(dtype, only="large")["large"])
        tokens = sum(work.tokens for work in works)
        return {
            "preset": preset,
            "precision": precision,
            "parameters": num_parameters(trainer.updater.model),
            "mflop_a_token": round(1000 * gflop / tokens, 1),
            "tokens_per_second": round(tokens / seconds),
            "gflop_per_second": round(gflop / seconds, 1),
            "roof": roof,
            "utilisation": round(gflop / seconds / roof, 3),
            "profile": profile(trainer, works[:2]),
        }


def profile(trainer: Any, works: list[Any]) -> dict[str, float]:
    """Share of the time of an update in each kind of operation, largest first."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    with record(activities=[ProfilerActivity.CPU]) as recorded:
        for work in works:
            trainer.update(work)
    shares: dict[str, float] = {}
    for event in recorded.key_averages():
        name = event.key.lower()
        kind = next((kind for kind, pattern in KINDS.items() if re.search(pattern, name)), "other, element by element")
        shares[kind] = shares.get(kind, 0.0) + event.self_cpu_time_total
    whole = sum(shares.values())
    return {kind: round(part / whole, 3) for kind, part in sorted(shares.items(), key=lambda item: -item[1])}


def main() -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", metavar="PRESET", help="of configs/model; all unless given")
    parser.add_argument("--prepared", type=Path, default=Path("prepared/bench"), help="%(default)s")
    parser.add_argument("--steps", type=int, default=5, help="updates to time for each preset (%(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path("runs/bench/utilisation.json"), help="%(default)s")
    options = parser.parse_args()

    import torch

    from nmt.device import has_bf16

    torch.set_num_threads(options.threads)
    precisions = ["fp32", "bf16"] if has_bf16(torch.device("cpu")) else ["fp32"]
    result: dict[str, Any] = {"threads": options.threads, "roofs": {}, "presets": []}
    print("| roof, GFLOP/s | " + " | ".join(SIZES) + " |\n|---|" + "---|" * len(SIZES))
    for precision in precisions:
        dtype = {"fp32": "float32", "bf16": "bfloat16"}[precision]
        result["roofs"][precision] = found = roofs(dtype)
        print(f"| {precision} | " + " | ".join(map(str, found.values())) + " |")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "batches.json"
        workload.write_batches(options.prepared, path, number=options.steps)
        works = make_work(path)
    print("\n| preset | parameters | MFLOP/token | tokens/s | GFLOP/s | of the roof | where the time goes |")
    print("|---|---|---|---|---|---|---|")
    for preset in options.presets or presets():
        for precision in precisions:
            line = measure(preset, options, precision, works)
            result["presets"].append(line)
            shares = ", ".join(f"{kind} {share:.0%}" for kind, share in line["profile"].items() if share >= 0.01)
            print(
                f"| {preset}, {precision} | {line['parameters']:,} | {line['mflop_a_token']} "
                f"| {line['tokens_per_second']:,} | {line['gflop_per_second']} | {line['utilisation']:.0%} "
                f"| {shares} |",
                flush=True,
            )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"\nthe same as JSON: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
