"""Our side: `nmt.train.loop.Trainer.update`, on a `Trainer` built from settings as `nmt train` builds it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from flops import counted
from turns import serve

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # this checkout, wherever `nmt` is installed from

COMMON = [
    "model.lexical=false", "model.embedding=256", "model.dropout=0.2",  # the peers have no lexical model
    "optim.lr=1e-3", "optim.label_smoothing=0.1", "optim.clip=1",
]  # fmt: skip
RNN = [
    "model=rnn_small", "attention=general",
    "model.encoder.cell=lstm", "model.encoder.layers=2", "model.encoder.width=512",
    "model.decoder.cell=lstm", "model.decoder.layers=2", "model.decoder.width=512",
]  # fmt: skip
MODELS = {
    "transformer": [
        "model=transformer_small", "model.heads=4", "model.feed_forward=1024",
        "model.encoder.layers=3", "model.encoder.width=256", "model.decoder.layers=3", "model.decoder.width=256",
    ],
    "rnn": RNN,
    "rnn_input_feeding": [*RNN, "model.decoder.input_feeding=true"],
}  # fmt: skip
"""The models of the benchmark, as `nmt train` would be told them."""


def make_trainer(settings: list[str], *, prepared: Path, folder: Path, precision: str, threads: int):
    """A `Trainer` as `nmt train` makes it."""
    from nmt.settings import compose
    from nmt.train.folder import RunFolder
    from nmt.train.interrupt import Interrupts
    from nmt.train.journal import Journal
    from nmt.train.loop import Trainer
    from nmt.train.ranks import Ranks
    from nmt.train.setup import build_parts

    config = compose(
        "train",
        [*settings, f"prepared={prepared}", f"precision={precision}", f"threads={threads}", "device=cpu",
         "train.max_steps=100000", "train.batch_tokens=512", "name=bench"],  # of its own batches, which are not used
    )  # fmt: skip
    run = RunFolder(folder / "bench")
    trainer = Trainer(config, build_parts(config, run, Ranks()), run, Journal(run.path), Interrupts())
    trainer.updater.model.train()
    return trainer


def make_work(path: Path) -> list:
    """The batches of a file as the trainer takes them."""
    import numpy as np

    from nmt.data.batch import collate
    from nmt.train.examples import Place, Work

    batches = [collate(*pair) for pair in json.loads(path.read_text())["batches"]]
    return [
        Work([batch], [1.0], int(batch.target_lengths.sum()), batch.num_tokens, np.arange(0), Place(0, 0), 0.0)
        for batch in batches
    ]


def main() -> None:
    """Build the model, then train when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--batches", type=Path, required=True)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    import torch

    import nmt
    from nmt.model.build import num_parameters

    with tempfile.TemporaryDirectory() as folder:
        trainer = make_trainer(
            [*MODELS[options.model], *COMMON], prepared=options.prepared, folder=Path(folder),
            precision=options.precision, threads=options.threads,
        )  # fmt: skip
        works = make_work(options.batches)
        serve(
            lambda number: (trainer.update(works[number]).loss, works[number].tokens),
            {
                "version": f"nmt {nmt.__version__}, torch {torch.__version__}",
                "parameters": num_parameters(trainer.updater.model),
                "gflop_a_token": counted(lambda: trainer.update(works[0])) / works[0].tokens,
                "threads": torch.get_num_threads(),
                "precision": trainer.updater.precision,
            },
        )


if __name__ == "__main__":
    sys.exit(main())
