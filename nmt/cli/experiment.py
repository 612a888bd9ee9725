"""The experiments `nmt prepare` and `nmt train`: Hydra composes the settings, the package does the work.

Hydra's own way of reporting errors is replaced by ours: one line that names the setting.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nmt import settings
from nmt.errors import ConfigError, NmtError

Task = Callable[[Any], float | None]


def run(verb: str, arguments: Sequence[str]) -> int:
    """Run an experiment, or show its help."""
    if any(argument in ("-h", "--help") for argument in arguments):
        from nmt.cli.help import experiment_help

        print(experiment_help(verb), end="")
        return 0
    return compose_and_run(verb, arguments, {"prepare": prepare, "train": train}[verb])


def prepare(config: Any) -> None:
    """Write `prepared/NAME`."""
    from nmt.data.prepare import prepare as write

    write(config)


def train(config: Any) -> float:
    """Write `runs/NAME`; the best BLEU on dev is what a sweeper maximises."""
    from hydra.core.hydra_config import HydraConfig

    from nmt.train.loop import train as fit

    folder = Path(os.path.relpath(HydraConfig.get().runtime.output_dir))
    try:
        result = fit(config, folder)
    except NmtError:
        with contextlib.suppress(OSError):
            folder.rmdir()  # Hydra made it; an empty run helps nobody
        raise
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result.dev_bleu


def compose_and_run(verb: str, arguments: Sequence[str], task: Task) -> int:
    """Let Hydra parse, compose, and call the task once for each job."""
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    failed: list[NmtError | OSError] = []

    def job(composed: Any) -> float | None:
        try:  # what leaves a job is printed by Hydra in its own way
            return task(settings.typed(composed))
        except OmegaConfBaseException as error:
            failed.append(ConfigError(settings.explain(error, verb)))
        except (NmtError, OSError) as error:
            failed.append(error)
        return None

    settings.register()
    entry = hydra.main(version_base="1.3", config_path=str(settings.configs_folder()), config_name=verb)(job)
    try:
        with _hydra_arguments(verb, arguments):
            entry()
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(settings.explain(error, verb)) from error
    for earlier in failed[:-1]:  # of a multirun, which goes on
        print(f"nmt {verb}: {earlier}", file=sys.stderr)
    if failed:
        raise failed[-1]
    return 0


@contextlib.contextmanager
def _hydra_arguments(verb: str, arguments: Sequence[str]) -> Any:
    """`hydra.main` reads `sys.argv`, and only with this variable lets exceptions reach us."""
    before = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = [f"nmt {verb}", *map(_quoted, arguments)]
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        yield
    finally:
        sys.argv = before[0]
        if before[1] is None:
            del os.environ["HYDRA_FULL_ERROR"]


def _quoted(argument: str) -> str:
    """Hydra reads a value in Chinese only when it is quoted, which nobody expects of a path."""
    key, equals, value = argument.partition("=")
    if value.isascii() or any(letter in value for letter in "'\"[]{}(),$"):
        return argument
    return f"{key}{equals}'{value}'"
