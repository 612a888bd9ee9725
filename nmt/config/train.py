"""Settings of `nmt train`: the optimiser, the length of the run, and everything together."""

from __future__ import annotations

from dataclasses import dataclass, field

from nmt.config.checks import MAX_SEED, MISSING, between, not_negative, one_of, positive, share
from nmt.config.decode import DecodeConfig
from nmt.config.model import ModelConfig

DIRECTIONS = ("en-zh", "zh-en")
SCHEDULES = ("cosine", "inverse_sqrt", "constant")
METRICS = ("bleu", "chrf", "loss")
PRECISIONS = ("auto", "fp32", "bf16", "fp16")


@dataclass(kw_only=True)
class OptimConfig:
    """AdamW (Loshchilov & Hutter 2019) and its schedule over the run's whole length."""

    lr: float = 2e-3
    """Highest learning rate."""
    schedule: str = "cosine"
    """How the rate falls after the warm-up: `cosine`, `inverse_sqrt`, or `constant` and down at the end."""
    warmup: float = 0.05
    """Share of the run in which the learning rate rises linearly from zero."""
    floor: float = 0.02
    """Share of the highest rate at which the decay ends; `inverse_sqrt` never goes below it."""
    decay: float = 0.2
    """Share of the run, at its end, in which the `constant` rate falls linearly."""
    weight_decay: float = 0.01
    """Share of the learning rate by which weights shrink at each update."""
    beta1: float = 0.9
    """Decay of the mean of the gradients."""
    beta2: float = 0.98
    """Decay of the mean of their squares."""
    clip: float = 1.0
    """Largest norm of the gradient."""
    label_smoothing: float = 0.1
    """Probability mass spread over the other pieces (Szegedy et al. 2016)."""
    r_drop: float = 0.0
    """Weight of the distance between two dropout masks (Liang et al. 2021); above 0, an update costs twice the time."""

    def __post_init__(self) -> None:
        positive("optim.lr", self.lr)
        positive("optim.clip", self.clip)
        not_negative("optim.weight_decay", self.weight_decay)
        not_negative("optim.r_drop", self.r_drop)
        one_of("optim.schedule", self.schedule, SCHEDULES)
        for name in ("warmup", "floor", "decay", "label_smoothing", "beta1", "beta2"):
            share(f"optim.{name}", getattr(self, name))


@dataclass(kw_only=True)
class TrainConfig:
    """How long, in what batches, and when to look."""

    max_minutes: float | None = None
    """Stop after this much training time, validation included; the schedule follows the clock."""
    max_steps: int | None = None
    """Stop after this many updates; the schedule follows the steps, so that the run can be repeated exactly."""
    batch_tokens: int = 2048
    """Target and source pieces of a batch, padding counted, the larger side."""
    update_tokens: int | None = None
    """Gather batches until they hold so many target pieces, then update; each batch is an update unless set."""
    max_length: int = 128
    """Pairs with more pieces on either side are left out of training and counted."""
    validate_every_minutes: float | None = 5.0
    """Look at the dev set and save after so much training time."""
    validate_every_steps: int | None = None
    """Look at the dev set and save after so many updates."""
    validate_sentences: int = 500
    """Dev sentences translated (greedily) at each validation."""
    patience: int | None = None
    """Stop after this many validations without a better score."""
    metric: str = "bleu"
    """By which dev score the best models are kept and patience is lost: `bleu`, `chrf` or `loss`."""
    samples: int = 3
    """Dev sentences whose translation is written to `samples.txt` at each validation."""
    curves: bool = True
    """Draw `curves.png` at the end of the run, where the extra `plots` is installed."""
    skip_limit: int = 5
    """End the run when so many updates in a row have no finite gradient; fewer are left out and counted."""
    keep_last: int = 2
    """Saved states kept in `last`, `last.2` ...: when the newest is damaged, the run goes on from the one before."""
    keep_best: int = 1
    """Models kept in `best`, `best.2` ..., by their dev BLEU."""
    average: float = 0.0
    """Decay of the exponential moving average of the weights that is validated and saved; 0 turns it off."""

    def __post_init__(self) -> None:
        for name in (
            "max_minutes",
            "max_steps",
            "validate_every_minutes",
            "validate_every_steps",
            "patience",
            "update_tokens",
        ):
            if (value := getattr(self, name)) is not None:
                positive(f"train.{name}", value)
        for name in ("batch_tokens", "max_length", "validate_sentences", "keep_last", "keep_best", "skip_limit"):
            positive(f"train.{name}", getattr(self, name))
        share("train.average", self.average)
        not_negative("train.samples", self.samples)
        one_of("train.metric", self.metric, METRICS)


@dataclass(kw_only=True)
class StartConfig:
    """Fine-tuning: begin with the weights of a model."""

    model: str | None = None
    """Model folder, or run, with whose weights a new run begins."""
    vocabulary: str = "same"
    """`same`: it must have the vocabularies of the prepared text; `match`: pieces that both have keep their vectors."""
    freeze: str = ""
    """Parts that are not trained, such as `encoder+source`."""

    def __post_init__(self) -> None:
        one_of("start.vocabulary", self.vocabulary, ("same", "match"))


@dataclass(kw_only=True)
class RunConfig:
    """Settings of `nmt train`."""

    name: str = MISSING
    """The run is written to `runs/NAME`."""
    prepared: str = "prepared/tatoeba"
    """Folder written by `nmt prepare`."""
    direction: str = "en-zh"
    """`en-zh` or `zh-en`."""
    seed: int = 1
    """Of initial weights, order of batches and dropout: the same seed, settings and machine give the same run."""
    device: str = "auto"
    """`auto` (a GPU if there is one), `cpu`, `cuda` or `cuda:N`."""
    precision: str = "auto"
    """`auto` (bf16 where the hardware has it, fp16 on other GPUs, else fp32), `fp32`, `bf16` or `fp16`."""
    threads: int | None = None
    """CPU threads; as many as there are cores unless set."""
    resume: str = "same"
    """When the settings of a run change: `same` sets it aside and begins anew, `changed` goes on with the new ones."""
    model: ModelConfig
    optim: OptimConfig = field(default_factory=OptimConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    start: StartConfig = field(default_factory=StartConfig)
    decode: DecodeConfig = field(default_factory=DecodeConfig)

    def __post_init__(self) -> None:
        one_of("direction", self.direction, DIRECTIONS)
        one_of("precision", self.precision, PRECISIONS)
        one_of("resume", self.resume, ("same", "changed"))
        between("seed", self.seed, 0, MAX_SEED)
        if self.threads is not None:
            positive("threads", self.threads)


@dataclass(kw_only=True)
class ModelFolderConfig:
    """The `config.yaml` of a trained model's folder: all that is needed to build it and to treat its text."""

    format_version: int
    nmt_version: str
    direction: str
    script: str
    """What was done about Chinese text in another script; unless it was kept, Chinese input is converted."""
    source_size: int
    """Pieces in the source vocabulary."""
    target_size: int
    model: ModelConfig
    decode: DecodeConfig
    chinese: str = "hans"
    """The script of Chinese text: `hans` (simplified) or `hant` (traditional)."""
