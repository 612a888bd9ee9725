"""What a run *is*: every setting with its type, its default and its meaning.

These dataclasses are the single schema. Hydra checks YAML files and the command line against them (an unknown key or
a wrong type fails when the configuration is composed), and the program receives plain, typed values. A choice between
parts (an encoder, a score ...) is a sub-class with a literal `kind`; `nmt.model.build` turns it into the module.

No torch and no Hydra here: `nmt --help` stays instant.
"""

from nmt.config.checks import MAX_SEED, MISSING
from nmt.config.data import (
    DATA,
    ENCODINGS,
    FORMATS,
    LANGUAGES,
    AlignedFiles,
    AutoConfig,
    AutoFile,
    DataConfig,
    FilesConfig,
    HuggingFaceConfig,
    HuggingFaceSet,
    TatoebaConfig,
    TsvConfig,
    TsvFile,
)
from nmt.config.decode import DecodeConfig
from nmt.config.model import (
    DECODERS,
    ENCODERS,
    NORMALISERS,
    SCORES,
    CosineConfig,
    DecoderConfig,
    DotConfig,
    EncoderConfig,
    GeneralConfig,
    MlpConfig,
    ModelConfig,
    RecurrentDecoderConfig,
    RecurrentEncoderConfig,
    RecurrentTransformerDecoderConfig,
    ScaledDotConfig,
    ScoreConfig,
    SelfAttentionDecoderConfig,
    SelfAttentionEncoderConfig,
)
from nmt.config.prepare import CleanConfig, PrepareConfig, TextConfig
from nmt.config.train import DIRECTIONS, ModelFolderConfig, OptimConfig, RunConfig, StartConfig, TrainConfig

__all__ = [
    "DATA",
    "DECODERS",
    "DIRECTIONS",
    "ENCODERS",
    "ENCODINGS",
    "FORMATS",
    "LANGUAGES",
    "MAX_SEED",
    "MISSING",
    "NORMALISERS",
    "SCORES",
    "AlignedFiles",
    "AutoConfig",
    "AutoFile",
    "CleanConfig",
    "CosineConfig",
    "DataConfig",
    "DecodeConfig",
    "DecoderConfig",
    "DotConfig",
    "EncoderConfig",
    "FilesConfig",
    "GeneralConfig",
    "HuggingFaceConfig",
    "HuggingFaceSet",
    "MlpConfig",
    "ModelConfig",
    "ModelFolderConfig",
    "OptimConfig",
    "PrepareConfig",
    "RecurrentDecoderConfig",
    "RecurrentEncoderConfig",
    "RecurrentTransformerDecoderConfig",
    "RunConfig",
    "ScaledDotConfig",
    "ScoreConfig",
    "SelfAttentionDecoderConfig",
    "SelfAttentionEncoderConfig",
    "StartConfig",
    "TatoebaConfig",
    "TextConfig",
    "TrainConfig",
    "TsvConfig",
    "TsvFile",
]
