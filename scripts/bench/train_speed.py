#!/usr/bin/env python
"""Training speed and memory beside other toolkits, interleaved: a table of ratios, and a JSON file with every block.

    scripts/bench/train_speed.py                          # everything, about ten minutes on two cores
    scripts/bench/train_speed.py --only rnn --rounds 2    # a look

For each model, ours and its peers train on the same batches in turns of a few updates (turns.py), each with its whole
update: forward, loss, backward, clipping, optimiser. Batches lie ready in memory on every side. One round that is not
counted comes first. Peers are installed into `.venv-peers` on the way.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import batches as workload
import environments
import ours
from turns import Side

HERE = Path(__file__).resolve().parent
TITLES = {
    "rnn": "RNN, no input feeding",
    "rnn_input_feeding": "RNN, input feeding",
    "transformer": "Transformer",
}


def peers_of(model: str, bf16: bool) -> dict[str, list[str | Path]]:
    """The other sides for a model: name -> command without the arguments that all sides share."""
    if model != "transformer":
        return {"OpenNMT-py": [environments.python_of("opennmt"), HERE / "opennmt.py", model]}
    marian: list[str | Path] = [environments.python_of("marian"), HERE / "marian.py"]
    tuned = ["--attention", "eager", *(["--precision", "bf16"] if bf16 else [])]
    return {"HF Marian as shipped": marian, "HF Marian tuned": [*marian, *tuned]}


def measure(model: str, options: argparse.Namespace, batches: Path, bf16: bool) -> list[Side]:
    """Ours and its peers in turns; the first side is ours."""
    common = ["--batches", batches, "--threads", str(options.threads)]
    mine = [sys.executable, HERE / "ours.py", model, "--prepared", options.prepared]
    commands = {"nmt": [*mine, "--precision", "bf16" if bf16 else "fp32"], **peers_of(model, bf16)}
    sides = [Side.start(name, [*command, *common], options.threads) for name, command in commands.items()]
    for number in range(options.rounds + 1):
        # Whoever came last in a round begins the next one.
        for side in sides if number % 2 else reversed(sides):
            block = side.turn(number * options.steps, options.steps)
            if number:
                side.blocks.append(block)
        print(f"{model}: round {number} of {options.rounds}", file=sys.stderr)
    for side in sides:
        side.stop()
    return sides


def summary(side: Side, mine: Side) -> dict[str, object]:
    """One line of the table."""
    speed = _speed(side)
    work = side.about["gflop_a_token"]
    ratios = [
        (our.tokens / our.seconds) / (their.tokens / their.seconds)
        for our, their in zip(mine.blocks, side.blocks, strict=True)
    ]
    return {
        "side": side.name,
        **side.about,
        "tokens_per_second": round(speed),
        "ours_is_times_as_fast": round(_speed(mine) / speed, 3),
        "blocks_between": [round(min(ratios), 3), round(statistics.median(ratios), 3), round(max(ratios), 3)],
        "gflop_per_second": round(work * speed, 1),
        "work_of_ours": round(mine.about["gflop_a_token"] / work, 3),
        "peak_mib": round(max(block.peak_mib for block in side.blocks)),
        "cores_used": round(sum(b.processor_seconds for b in side.blocks) / sum(b.seconds for b in side.blocks), 2),
        "last_loss": round(side.blocks[-1].loss, 3),
    }


def _speed(side: Side) -> float:
    return sum(block.tokens for block in side.blocks) / sum(block.seconds for block in side.blocks)


def table(title: str, lines: list[dict[str, object]]) -> str:
    """The lines of one model in Markdown."""
    rows = [
        f"### {title}",
        "",
        "| side | precision | tokens/s | ours / it | in blocks | GFLOP/s | ours' work / its | parameters | peak MiB | "
        "cores used |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        low, _, high = line["blocks_between"]  # type: ignore[misc]
        rows.append(
            f"| {line['side']} ({line['version']}) | {line['precision']} | {line['tokens_per_second']:,} "
            f"| {line['ours_is_times_as_fast']:.2f} | {low:.2f}-{high:.2f} | {line['gflop_per_second']} "
            f"| {line['work_of_ours']:.2f} | {line['parameters']:,} | {line['peak_mib']:,} | {line['cores_used']} |"
        )
    return "\n".join(rows)


def machine(threads: int, bf16: bool) -> dict[str, object]:
    """What the figures were measured on, and how busy it was."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return {
        "processor": name,
        "cores": os.cpu_count(),
        "threads": threads,
        "bf16_in_hardware": bf16,
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d %H:%M"),
    }


def main() -> int:
    """Run the script; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prepared", type=Path, default=Path("prepared/bench"), help="(%(default)s)")
    parser.add_argument("--only", nargs="+", choices=ours.MODELS, default=list(TITLES), help="models to measure")
    parser.add_argument("--steps", type=int, default=5, help="updates in a turn (%(default)s)")
    parser.add_argument("--rounds", type=int, default=8, help="turns of each side that count (%(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path("runs/bench/train_speed.json"), help="%(default)s")
    options = parser.parse_args()

    import torch

    from nmt.device import has_bf16

    bf16 = has_bf16(torch.device("cpu"))
    result: dict[str, object] = {"machine": machine(options.threads, bf16), "steps": options.steps * options.rounds}
    with tempfile.TemporaryDirectory() as folder:
        batches = Path(folder) / "batches.json"
        workload.write_batches(options.prepared, batches, number=options.steps * (options.rounds + 1))
        result["batches"] = workload.describe(batches)
        print(json.dumps(result["machine"]), json.dumps(result["batches"]), sep="\n")
        for model in options.only:
            sides = measure(model, options, batches, bf16)
            lines = [summary(side, sides[0]) for side in sides]
            print("\n" + table(TITLES[model], lines), flush=True)
            result[model] = [
                {**line, "blocks": [dataclasses.asdict(block) for block in side.blocks]}
                for line, side in zip(lines, sides, strict=True)
            ]
            result["load_after"] = [round(load, 2) for load in os.getloadavg()]
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"\nevery block: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
