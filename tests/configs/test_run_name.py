"""Where a run is written follows from what was asked for."""

import pytest

from nmt import settings


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        ("", "rnn_small"),
        ("model=rnn_self_attention_small", "rnn_self_attention_small"),
        ("experiment=demo", "demo"),
        ("experiment=demo model=rnn_self_attention_small", "demo-rnn_self_attention_small"),
        ("experiment=demo direction=zh-en", "demo-zh-en"),
        ("experiment=demo attention=mlp", "demo-mlp"),
        ("seed=2 attention=mlp experiment=demo", "demo-mlp-seed2"),
        ("experiment=demo self_attention=mlp encoder=self_attention", "demo-encoder_self_attention-self_mlp"),
        ("experiment=demo optim.lr=1e-4 train.max_steps=20 prepared=x/y", "demo"),
        ("experiment=demo attention=mlp name=mine", "mine"),
    ],
)
def test_one_run(overrides: str, name: str) -> None:
    assert settings.compose("train", overrides.split()).name == name


def test_in_a_multirun_every_difference_is_in_the_name() -> None:
    choices = {"experiment": "demo", "model": "rnn_small"}
    given = ["experiment=demo", "optim.lr=0.001", "seed=3", "device=cpu", "prepared=a/b"]
    assert settings.run_name(choices, given, multirun=True) == "demo-seed3-optim.lr_0.001-prepared_a_b"
