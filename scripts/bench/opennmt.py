"""OpenNMT-py's side: the update of its own `Trainer`, on the model, loss and optimiser that its options build."""

from __future__ import annotations

import argparse
import json
import sys
import types
import warnings
from pathlib import Path

from flops import counted
from turns import serve

# Its filters of raw text import these; training never calls them, and they are large.
for unused in ("spacy", "fasttext"):
    sys.modules[unused] = types.ModuleType(unused)
warnings.filterwarnings("ignore")  # of its calls that newer torch deprecates


def options_of(*, input_feeding: bool, dropout: float) -> argparse.Namespace:
    """The workload's model in OpenNMT-py's words; everything unsaid is its default."""
    from onmt.opts import train_opts
    from onmt.utils.parse import ArgumentParser

    parser = ArgumentParser()
    train_opts(parser)
    options = parser.parse_args(
        [
            "-data", "{}", "-src_vocab", "unused", "-tgt_vocab", "unused", "-save_model", "unused",
            "-encoder_type", "brnn", "-decoder_type", "rnn", "-rnn_type", "LSTM", "-enc_layers", "2",
            "-dec_layers", "2", "-word_vec_size", "256", "-hidden_size", "512", "-global_attention", "general",
            "-input_feed", str(int(input_feeding)), "-dropout", str(dropout), "-label_smoothing", "0.1",
            "-optim", "adam", "-adam_beta2", "0.98", "-learning_rate", "0.001", "-max_grad_norm", "1",
            "-normalization", "tokens",
        ]
    )  # fmt: skip
    ArgumentParser.update_model_opts(options)
    ArgumentParser.validate_model_opts(options)
    return options


def main() -> None:
    """Build the model, then train when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=("rnn", "rnn_input_feeding"))
    parser.add_argument("--batches", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    import onmt
    import torch
    from onmt.model_builder import build_model
    from onmt.trainer import build_trainer
    from onmt.utils.optimizers import Optimizer
    from pyonmttok import build_vocab_from_tokens

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    text = json.loads(arguments.batches.read_text())
    special = {text["pad"]: "<blank>", 1: "<unk>", text["bos"]: "<s>", text["eos"]: "</s>"}
    vocabs = {}
    for side, size in zip(("src", "tgt"), text["sizes"], strict=True):
        words = [special.get(number, f"piece{number}") for number in range(size)]
        vocabs[side] = build_vocab_from_tokens(words, special_tokens=[words[number] for number in sorted(special)])
        assert len(vocabs[side]) == size
        assert vocabs[side]["<blank>"] == text["pad"]
    options = options_of(input_feeding=arguments.model == "rnn_input_feeding", dropout=0.2)
    options.data, vocabs["data_task"] = {}, "seq2seq"
    model = build_model(options, options, vocabs, None, -1)
    trainer = build_trainer(options, -1, model, vocabs, Optimizer.from_opt(model, options))
    batches = [_batch(pair, text) for pair in text["batches"]]

    def update(number: int) -> tuple[float, int]:
        batch, pieces, real = batches[number]
        seen = onmt.utils.Statistics()
        trainer._gradient_accumulation([batch], pieces, onmt.utils.Statistics(), seen)
        return seen.loss / seen.n_words, real

    about = {
        "version": f"OpenNMT-py {onmt.__version__}, torch {torch.__version__}",
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "gflop_a_token": counted(lambda: update(0)) / batches[0][2],
        "threads": torch.get_num_threads(),
        "precision": "fp32",
    }
    serve(update, about)


def _batch(pair: list[list[list[int]]], text: dict) -> tuple[dict, int, int]:
    """Ids as OpenNMT-py's loader gives them, (B, T, 1), with the number of target pieces and of all real pieces."""
    import torch

    source = [[*row, text["eos"]] for row in pair[0]]
    target = [[text["bos"], *row, text["eos"]] for row in pair[1]]

    def padded(rows: list[list[int]]) -> torch.Tensor:
        longest = max(map(len, rows))
        return torch.tensor([row + [text["pad"]] * (longest - len(row)) for row in rows]).unsqueeze(-1)

    lengths = torch.tensor([len(row) for row in source])
    pieces = sum(len(row) - 1 for row in target)
    return {"src": padded(source), "srclen": lengths, "tgt": padded(target)}, pieces, pieces + int(lengths.sum())


if __name__ == "__main__":
    sys.exit(main())
