"""Every YAML file composes into the dataclasses, and a saved configuration reads back equal."""

from functools import cache
from pathlib import Path

import pytest

from nmt import config as schema
from nmt import settings
from nmt.errors import ConfigError

CONFIGS = settings.configs_folder()
TABLES = {
    "data": schema.DATA,
    "encoder": schema.ENCODERS,
    "decoder": schema.DECODERS,
    "attention": schema.SCORES,
    "self_attention": schema.SCORES,
}
CHOICES = [
    ("prepare" if path.parent.name == "data" else "train", f"{path.parent.name}={path.stem}")
    for path in sorted(CONFIGS.glob("*/*.yaml"))
]


@pytest.mark.parametrize(("root", "choice"), [("prepare", ""), ("train", ""), *CHOICES])
def test_every_file_composes_and_reads_back(root: str, choice: str, tmp_path: Path) -> None:
    config = settings.compose(root, [choice] if choice else [])
    assert type(config) is settings.ROOTS[root]
    settings.save(config, tmp_path / "config.yaml")
    assert settings.load(tmp_path / "config.yaml", settings.ROOTS[root]) == config


@pytest.mark.parametrize("group", TABLES)
def test_every_choice_has_a_file_and_every_file_a_choice(group: str) -> None:
    assert {path.stem for path in (CONFIGS / group).glob("*.yaml")} == set(TABLES[group])


@cache
def width_of_encoder(model: str) -> int:
    """As the preset alone sets it."""
    width: int = settings.compose("train", [f"model={model}"]).model.encoder.width
    return width


@pytest.mark.parametrize("decoder", schema.DECODERS)
@pytest.mark.parametrize("encoder", schema.ENCODERS)
@pytest.mark.parametrize("model", sorted(path.stem for path in CONFIGS.glob("model/*.yaml")))
def test_parts_combine_freely(model: str, encoder: str, decoder: str) -> None:
    attention, own = "mlp", "cosine"  # each has a key of its own, which the preset's score must not leave behind
    parts = [f"encoder={encoder}", f"decoder={decoder}", f"attention={attention}", f"self_attention={own}"]
    overrides = [f"model={model}", *parts]
    config = settings.compose("train", ["experiment=demo", "direction=zh-en", "train.max_steps=20", *overrides])
    assert type(config.model.encoder) is schema.ENCODERS[encoder]
    assert type(config.model.decoder) is schema.DECODERS[decoder]
    assert type(config.model.attention) is schema.SCORES[attention]
    assert type(config.model.self_attention) is schema.SCORES[own]
    assert config.model.encoder.width == width_of_encoder(model)
    assert (config.direction, config.train.max_steps, config.train.max_minutes) == ("zh-en", 20, 6)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("model/*.yaml")), ids=lambda path: path.stem)
def test_presets_set_only_what_every_part_has(path: Path) -> None:
    import yaml

    values = yaml.safe_load(path.read_text(encoding="utf-8"))["model"]
    assert values["encoder"].keys() <= {"layers", "width"}
    assert values["decoder"].keys() <= {"layers", "width"}


def test_data_may_be_named() -> None:
    config = settings.compose("prepare", ["data=files", "data.name=mine", "data.train.source=a.en"])
    assert (config.output, config.data.train.source) == ("prepared/mine", "a.en")


def test_reading_back_names_the_file_and_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    config = settings.compose("train")
    text = settings.to_yaml(config)
    for wrong, message in (
        (text.replace("beam: 5", "beem: 5"), r"config\.yaml: decode\.beem: there is no such setting"),
        (text.replace("beam: 5", "beam: many"), r"config\.yaml: decode\.beam: Value 'many'"),
        (
            text.replace("kind: cosine", "kind: dott"),
            r"config\.yaml: kind is 'dott', but it must be one of: dot",
        ),
        ("- 1\n", r"config\.yaml: this is not a list of `name: value`"),
        ("a: [", r"config\.yaml: "),
    ):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            settings.load(path, schema.RunConfig)
    with pytest.raises(ConfigError, match="there is no such file"):
        settings.load(tmp_path / "absent.yaml", schema.RunConfig)
