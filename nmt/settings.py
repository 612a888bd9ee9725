"""Between YAML, the command line and the dataclasses of `nmt.config`: everything that needs Hydra or OmegaConf.

A composed configuration becomes plain dataclasses at once (`typed`); no `DictConfig` travels into the program. Hydra
is imported when a function here is called, so that the tools and `nmt --help` do not pay for it.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from nmt import config as schema
from nmt.errors import ConfigError

Settings = TypeVar("Settings")

ROOTS: dict[str, type] = {"prepare": schema.PrepareConfig, "train": schema.RunConfig}
CHOICES: dict[type, Mapping[str, type]] = {
    schema.DataConfig: schema.DATA,
    schema.EncoderConfig: schema.ENCODERS,
    schema.DecoderConfig: schema.DECODERS,
    schema.ScoreConfig: schema.SCORES,
}
_GROUPS: dict[str, Mapping[str, type]] = {
    "schema": ROOTS,
    "schema/data": schema.DATA,
    "schema/encoder": schema.ENCODERS,
    "schema/decoder": schema.DECODERS,
    "schema/score": schema.SCORES,
}
_PARTS = ("encoder", "decoder", "attention", "self_attention", "direction", "seed")
_NOT_IN_NAME = ("name", "experiment", "model", "device", "threads", "resume")


def configs_folder() -> Path:
    """Where the YAML files lie: `configs/` of a checkout, or `nmt/configs` of an installed wheel."""
    package = Path(__file__).resolve().parent
    for folder in (package / "configs", package.parent / "configs"):
        if (folder / "train.yaml").is_file():
            return folder
    raise ConfigError(f"the folder of configurations is missing beside {package}: install nmt again")


def register() -> None:
    """Tell Hydra the schemas (`/schema/...` in the defaults lists) and how a run gets its name."""
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    store = ConfigStore.instance()
    for group, nodes in _GROUPS.items():
        for name, node in nodes.items():
            store.store(group=group, name=name, node=node, provider="nmt.config")
    OmegaConf.register_new_resolver("run_name", _resolve_name, replace=True)


def compose(root: str, overrides: Sequence[str] = ()) -> Any:
    """The settings that `nmt ROOT OVERRIDES...` would run with, as plain dataclasses."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf import open_dict
    from omegaconf.errors import OmegaConfBaseException

    register()
    try:
        with initialize_config_dir(str(configs_folder()), version_base="1.3"):
            composed = hydra_compose(root, list(overrides), return_hydra_config=True)
            if root == "train":
                composed.name = composed.name  # resolve while the choices are known
            with open_dict(composed):
                del composed["hydra"]
            return typed(composed)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(explain(error, root)) from error


def typed(composed: Any) -> Any:
    """A composed `DictConfig` as the dataclasses it was checked against; anything missing is named."""
    from omegaconf import OmegaConf

    missing = sorted(OmegaConf.missing_keys(composed))
    if missing:
        raise ConfigError(f"{missing[0]} must be given: {missing[0]}=...")
    _refuse_additions(composed)
    return OmegaConf.to_object(composed)


def _refuse_additions(node: Any, path: str = "") -> None:
    """`+key=value` gets past the schema; a setting that nobody reads is a mistake all the same."""
    from omegaconf import OmegaConf

    known = {field.name for field in dataclasses.fields(typing.cast(Any, OmegaConf.get_type(node)))}
    for key in node:
        if key not in known:
            raise ConfigError(f"{path}{key}: there is no such setting")
        if OmegaConf.is_dict(node[key]):
            _refuse_additions(node[key], f"{path}{key}.")


# --- files ------------------------------------------------------------------------------------------------------------


def to_yaml(settings: Any) -> str:
    """The text of a settings file."""
    from omegaconf import OmegaConf

    return OmegaConf.to_yaml(OmegaConf.structured(settings))


def save(settings: Any, path: Path) -> None:
    """Write a dataclass as YAML; `load` reads it back."""
    path.write_text(to_yaml(settings), encoding="utf-8", newline="\n")


def load(path: Path, kind: type[Settings]) -> Settings:
    """Read settings of one class from YAML, checking every name and type."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    try:
        values = OmegaConf.load(path)
        if not OmegaConf.is_dict(values):
            raise ConfigError("this is not a list of `name: value`")
        return typing.cast(Settings, typed(OmegaConf.merge(_schema(kind, values), values)))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: there is no such file") from error
    except (OmegaConfBaseException, YAMLError) as error:
        raise ConfigError(f"{path}: {explain(error)}") from error
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def _schema(kind: type, values: Any) -> Any:
    """The schema of a class, with every choice between parts taken as the values' `kind` says."""
    from omegaconf import OmegaConf

    if kind in CHOICES:
        chosen = values.get("kind")
        if chosen not in CHOICES[kind]:
            raise ConfigError(f"kind is {chosen!r}, but it must be one of: {', '.join(CHOICES[kind])}")
        kind = CHOICES[kind][chosen]
    node = OmegaConf.structured(kind)
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if dataclasses.is_dataclass(hints[field.name]) and OmegaConf.is_dict(values.get(field.name)):
            node[field.name] = _schema(hints[field.name], values[field.name])
    return node


# --- the name of a run ------------------------------------------------------------------------------------------------


def run_name(choices: Mapping[str, Any], overrides: Sequence[str], *, multirun: bool = False) -> str:
    """The folder of a run: its experiment (or else its model), then what was chosen beside it.

    Ordinary settings enter the name only in a multirun, where runs must not share a folder.

    >>> run_name({"experiment": "demo", "model": "rnn_small"}, ["experiment=demo", "attention=mlp", "optim.lr=0.1"])
    'demo-mlp'
    """
    pairs = (override.lstrip("+~").partition("=") for override in overrides)
    given = {key: value.strip("'\"") for key, _, value in pairs}
    experiment = choices.get("experiment")
    parts = [str(experiment or choices["model"])]
    if experiment and "model" in given:
        parts.append(given["model"])
    parts += [_part(key, given[key]) for key in _PARTS if key in given]
    if multirun:
        parts += [f"{key}_{value}" for key, value in given.items() if key not in (*_PARTS, *_NOT_IN_NAME)]
    return "-".join("".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in p) for p in parts)


def _part(key: str, value: str) -> str:
    prefix = {"encoder": "encoder_", "decoder": "decoder_", "self_attention": "self_", "seed": "seed"}
    return prefix.get(key, "") + value


def _resolve_name(*, _root_: Any) -> str:
    """The OmegaConf resolver `${run_name:}`."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode

    hydra: Any = _root_.hydra if "hydra" in _root_ else HydraConfig.get()
    return run_name(hydra.runtime.choices, hydra.overrides.task, multirun=hydra.mode == RunMode.MULTIRUN)


# --- errors -----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """One setting of a schema, such as `model.attention.hidden`."""

    path: str
    owner: type
    field: dataclasses.Field[Any]
    kind: str | None
    """Which choice has it, when not every one does."""


def leaves(node: type, path: str = "", kind: str | None = None) -> Iterator[Leaf]:
    """Every setting of a schema, those of all choices between parts included."""
    hints = typing.get_type_hints(node)
    for field in dataclasses.fields(node):
        here, hint = f"{path}{field.name}", hints[field.name]
        if hint in CHOICES:
            for name, choice in CHOICES[hint].items():
                yield from leaves(choice, f"{here}.", name)
        elif dataclasses.is_dataclass(hint):
            yield from leaves(typing.cast(type, hint), f"{here}.", kind)
        elif field.name != "kind":
            yield Leaf(here, node, field, kind)


def explain(error: BaseException, root: str | None = None) -> str:
    """One readable line for a mistake that Hydra or OmegaConf found."""
    from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    message, key = str(cause).splitlines()[0], getattr(cause, "full_key", None)
    if found := re.search("Missing mandatory value: (.+)", message):
        return f"{found[1]} must be given: {found[1]}=..."
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and key:
        return f"{key}: there is no such setting{_suggestion(key, root)}"
    if isinstance(cause, OmegaConfBaseException):
        return f"{key}: {message}" if key else message
    return _explain_override(error, message, root)


def _explain_override(error: BaseException, message: str, root: str | None) -> str:
    """What Hydra itself does not understand on the command line."""
    from hydra.errors import OverrideParseException

    if isinstance(error, OverrideParseException):
        return f"can not read {error.override!r}: quote a value with spaces, commas, '=' or brackets: \"key='value'\""
    if found := re.search("Could not find '(.+)/(.+?)'", message):
        choices = ", ".join(re.findall(r"^\t(\w+)$", str(error), flags=re.MULTILINE))
        return f"{found[1]}={found[2]}: there is no such choice; choose one of: {choices}"
    if found := re.match("Ambiguous value for argument '(.+)'", message):
        return f"{found[1]}: several values need --multirun (-m); for one value with a comma: \"key='a,b'\""
    if found := re.match("Could not override '(.+)'. No match in the defaults list", message):
        return f"{found[1]}: there is no such group here{_suggestion(found[1], root)}"
    return message


def _suggestion(key: str, root: str | None) -> str:
    """What was meant, if that can be guessed."""
    known: dict[str, list[str]] = {}
    for leaf in leaves(ROOTS[root]) if root else ():
        known.setdefault(leaf.path, []).append(str(leaf.kind))
    if key in known:
        return f" in the chosen kind; it belongs to: {', '.join(known[key])}"
    same_end = [path for path in known if path.endswith(f".{key.rpartition('.')[2]}")]
    if nearest := (same_end or difflib.get_close_matches(key, known, n=1)):
        return f"; did you mean {nearest[0]}?"
    return f"; `nmt {root} --help` lists them all" if root else ""
