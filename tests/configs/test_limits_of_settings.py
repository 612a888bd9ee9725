"""Values of the right type that no run could use are refused, with the name of the setting."""

from __future__ import annotations

import typing

import pytest

from nmt import settings
from nmt.errors import ConfigError
from nmt.settings import Leaf

REFUSED = [
    ("train", "seed=-1", "seed must be from 0 to 4294967295, but it is -1"),
    ("train", "seed=4294967296", "seed must be from 0 to 4294967295"),
    ("prepare", "seed=-1", "seed must be from 0 to 4294967295, but it is -1"),
    ("train", "threads=0", "threads must be greater than 0, but it is 0"),
    ("train", "threads=-1", "threads must be greater than 0"),
    ("train", "model.encoder.width=0", "model.encoder.width must be greater than 0"),
    ("train", "model.encoder.width=-2", "model.encoder.width must be greater than 0"),
    ("train", "model.encoder.width=7", "model.encoder.width must be even, but it is 7"),
    ("train", "model.heads=0", "model.heads must be greater than 0, but it is 0"),
    ("train", "model.feed_forward=-1", "model.feed_forward must be greater than 0"),
    ("train", "model.dropout_per=word", "model.dropout_per is 'word', but it must be one of: sentence, position"),
    ("train", "model.positions=learned", "model.positions is 'learned', but it must be one of: sinusoidal, rotary"),
    ("train", "model.tie=both", "model.tie is 'both', but it must be one of: none, output, all"),
    ("train", "model.attention_dropout=1", "model.attention_dropout must be"),
    ("train", "model.feed_forward_dropout=-0.1", "model.feed_forward_dropout must be"),
    ("train", "model.embedding_dropout=1", "model.embedding_dropout must be"),
    ("train", "model.recurrent_dropout=1.5", "model.recurrent_dropout must be"),
    ("train", "model.decoder.timing=late", "model.decoder.timing is 'late', but it must be one of: luong, bahdanau"),
    ("train", "optim.weight_decay=-1", "optim.weight_decay can not be negative, but it is -1.0"),
    ("train", "decode.length_penalty=-0.5", "decode.length_penalty must be from 0 to 10, but it is -0.5"),
    ("prepare", "clean.min_ratio=-1", "clean.min_ratio can not be negative"),
    ("prepare", "data.dev_groups=-1", "data.dev_groups can not be negative"),
    ("prepare", "text.coverage_zh=0.5", "text.coverage_zh must be from 0.98 to 1, but it is 0.5"),
]


@pytest.mark.parametrize(("root", "override", "message"), REFUSED)
def test_what_no_run_could_use_is_refused(root: str, override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings.compose(root, [override])
    assert str(caught.value).startswith(message)


TRANSFORMER = "model=transformer_small"
ATTENDING = [
    ("model.heads=3", "model.encoder.width (256) must be a multiple of its heads (3)"),
    ("model.encoder.heads=0", "model.encoder.heads must be greater than 0"),
    ("model.decoder.heads=5", "model.decoder.width (256) must be a multiple of its heads (5)"),
    ("model.decoder.width=7", "model.decoder.width must be even, but it is 7"),
    ("model.positions=rotary model.heads=256", "model.positions=rotary turns features in pairs, but each of the 256"),
    ("model.decoder.feed_forward=0", "model.decoder.feed_forward must be greater than 0"),
]


@pytest.mark.parametrize(("override", "message"), ATTENDING)
def test_what_no_self_attention_could_use_is_refused(override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings.compose("train", [TRANSFORMER, *override.split()])
    assert str(caught.value).startswith(message)


def test_heads_of_a_part_win_over_those_of_the_model() -> None:
    run = settings.compose("train", [TRANSFORMER, "model.heads=3", "model.encoder.heads=8", "model.decoder.heads=2"])
    assert (run.model.encoder.heads, run.model.decoder.heads) == (8, 2)


def is_float(leaf: Leaf) -> bool:
    hint = typing.get_type_hints(leaf.owner)[leaf.field.name]
    return hint is float or float in typing.get_args(hint)


NUMBERS = [(root, leaf) for root in settings.ROOTS for leaf in settings.leaves(settings.ROOTS[root]) if is_float(leaf)]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(("root", "leaf"), NUMBERS, ids=[leaf.path for _, leaf in NUMBERS])
def test_every_number_is_finite(root: str, leaf: Leaf, value: str) -> None:
    choice = [f"{leaf.path.split('.')[-2]}={leaf.kind}"] if leaf.kind else []
    with pytest.raises(ConfigError, match=rf"{leaf.field.name} .*but it is {value}"):
        settings.compose(root, [*choice, f"{leaf.path}={value}"])


def test_the_ends_of_the_ranges_are_allowed() -> None:
    run = settings.compose("train", ["seed=4294967295", "threads=1", "optim.weight_decay=0", "decode.length_penalty=0"])
    assert (run.seed, run.threads, run.optim.weight_decay, run.decode.length_penalty) == (4294967295, 1, 0.0, 0.0)
    assert settings.compose("prepare", ["seed=0", "clean.min_ratio=0", "text.coverage_en=0.98"]).clean.min_ratio == 0.0
