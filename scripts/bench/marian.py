"""Hugging Face's side: `MarianMTModel` with the workload's sizes.

As shipped it computes in fp32 with the attention that transformers chooses; tuned it is `--attention eager`, and
`--precision bf16` where the processor has it. The loss is torch's own, faster than the one of Hugging Face's `Trainer`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path

from flops import counted
from turns import serve


def main() -> None:
    """Build the model, then train when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--attention", choices=("default", "eager"), default="default")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="bf16 is autocast")
    arguments = parser.parse_args()

    import torch
    import transformers

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    text = json.loads(arguments.batches.read_text())
    model = transformers.MarianMTModel(_config(text, arguments.attention)).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    batches = [_batch(pair, text) for pair in text["batches"]]

    def precision() -> contextlib.AbstractContextManager[object]:
        bf16 = arguments.precision == "bf16"
        return torch.autocast("cpu", dtype=torch.bfloat16) if bf16 else contextlib.nullcontext()

    def update(number: int) -> tuple[float, int]:
        inputs, labels, real = batches[number]
        optimizer.zero_grad(set_to_none=True)
        with precision():
            logits = model(**inputs).logits
            loss = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), labels.flatten(), ignore_index=-100, label_smoothing=0.1
            )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item(), real

    about = {
        "version": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "parameters": sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        "gflop_a_token": counted(lambda: update(0)) / batches[0][2],
        "threads": torch.get_num_threads(),
        "precision": arguments.precision,
        "attention": model.config._attn_implementation,
    }
    serve(update, about)


def _config(text: dict, attention: str):
    from transformers import MarianConfig

    sizes = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in (("layers", 3), ("attention_heads", 4), ("ffn_dim", 1024))
    }
    chosen = {} if attention == "default" else {"attn_implementation": attention}
    return MarianConfig(
        vocab_size=text["sizes"][0], decoder_vocab_size=text["sizes"][1], d_model=256, max_position_embeddings=256,
        share_encoder_decoder_embeddings=False, activation_function="relu", dropout=0.2, attention_dropout=0.0,
        scale_embedding=True, pad_token_id=text["pad"], bos_token_id=text["bos"], eos_token_id=text["eos"],
        decoder_start_token_id=text["bos"], **sizes, **chosen,
    )  # fmt: skip


def _batch(pair: list[list[list[int]]], text: dict) -> tuple[dict, object, int]:
    """Inputs, labels (-100 where there is nothing to predict) and the number of real pieces."""
    import torch

    source = [[*row, text["eos"]] for row in pair[0]]
    target = [[*row, text["eos"]] for row in pair[1]]
    read = [[text["bos"], *row] for row in pair[1]]

    def padded(rows: list[list[int]], filling: int) -> torch.Tensor:
        longest = max(map(len, rows))
        return torch.tensor([row + [filling] * (longest - len(row)) for row in rows])

    ids = padded(source, text["pad"])
    inputs = {
        "input_ids": ids,
        "attention_mask": (ids != text["pad"]).long(),
        "decoder_input_ids": padded(read, text["pad"]),
        "use_cache": False,
    }
    return inputs, padded(target, -100), sum(map(len, source)) + sum(map(len, target))


if __name__ == "__main__":
    sys.exit(main())
