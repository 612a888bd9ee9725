"""The experiments `nmt prepare` and `nmt train`: Hydra composes the settings, the package does the work.

Hydra's own way of reporting errors is replaced by ours: one line that names the setting.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nmt import settings
from nmt.errors import ConfigError, NmtError, Terminated

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
    """Write `runs/NAME`; the best score on dev is what a sweeper maximises."""
    from nmt.train.loop import train as fit

    result = fit(config, _job_folder())
    if result.stopped == "terminated":
        raise Terminated
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result.dev_bleu if result.value is None else result.value


def compose_and_run(verb: str, arguments: Sequence[str], task: Task) -> int:
    """Let Hydra parse, compose, and call the task once for each job.

    Jobs of a multirun that would write the same folder are refused: the second would set aside or replace what the
    first one made, or take it for its own beginning. Only the job itself knows its folder, so the first one does run.
    """
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    begun: list[Path] = []
    outputs: set[Path] = set()
    failed: list[NmtError | OSError] = []

    def job(composed: Any) -> float | None:
        begun.append(_job_folder())
        try:  # what leaves a job is printed by Hydra in its own way
            with _removed_if_empty(begun[-1]):
                config = settings.typed(composed)
                _claim(Path(getattr(config, "output", begun[-1])), outputs, verb)
                return task(config)
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
    except ValueError as error:
        if begun:  # not Hydra's word on flags that do not go together, but a fault of the program
            raise
        raise ConfigError(str(error)) from error
    for earlier in failed[:-1]:  # of a multirun, which goes on
        print(f"nmt {verb}: {earlier}", file=sys.stderr)
    if failed:
        raise failed[-1]
    return 0


def _job_folder() -> Path:
    """Where Hydra lets this job write; for `nmt prepare`, which goes by its own `output`, the current folder."""
    from hydra.core.hydra_config import HydraConfig

    return Path(os.path.relpath(HydraConfig.get().runtime.output_dir))


@contextlib.contextmanager
def _removed_if_empty(folder: Path) -> Iterator[None]:
    """Hydra makes the folder of a job before its settings are checked; when the job fails, no empty run is left."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # it is not empty, or it is "."
            os.removedirs(folder)  # `runs` as well, if nothing else is there
        raise


def _claim(output: Path, outputs: set[Path], verb: str) -> None:
    """Note where a job writes; refuse where an earlier one of the same multirun wrote."""
    if output.resolve() in outputs:
        raise ConfigError(
            f"{output}: an earlier job of this multirun wrote there, so this one is left out: run such jobs one by "
            f"one, each with its own {'name' if verb == 'train' else 'output'}=..."
        )
    outputs.add(output.resolve())


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
