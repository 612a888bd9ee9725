"""The sizes of the presets, as docs/MODELS.md tells them."""

from __future__ import annotations

import re
from pathlib import Path

import torch

from nmt import settings
from nmt.model.build import build_model, num_parameters

DOCS = Path(__file__).parents[2] / "docs" / "MODELS.md"
VOCABULARY = {"tiny": 4_000, "small": 4_000, "base": 32_000, "big": 32_000}  # pieces of each language, as in the docs


def row(preset: str) -> list[str]:
    """What the table should say; the model is built without memory for its weights."""
    model = settings.compose("train", [f"model={preset}"]).model
    size = VOCABULARY[preset.rpartition("_")[2]]
    with torch.device("meta"):
        built = build_model(model, source_size=size, target_size=size)
    parts = (f"{part.layers} x {part.width}" for part in (model.encoder, model.decoder))
    return [*parts, str(model.embedding), f"{size:,}", f"{num_parameters(built) / 1e6:.2f}"]


def test_the_table_of_presets_is_right_and_complete() -> None:
    section = DOCS.read_text(encoding="utf-8").split("## Sizes\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section, flags=re.MULTILINE)
    presets = sorted(path.stem for path in settings.configs_folder().glob("model/*.yaml"))
    assert sorted(name for name, _ in rows) == presets
    assert {name: cells.split(" | ") for name, cells in rows} == {name: row(name) for name in presets}
