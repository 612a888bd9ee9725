"""A pair of sentences as a page shows it, without a model."""

from __future__ import annotations

import torch

from nmt.decode.inspect import Inspection, Look
from nmt.view.content import sentence

HTML = '</script><script>document.title = "owned"</script><b>&amp;'


def example(source: str = "its application") -> dict:
    """A pair with source-target attention of one head and an encoder's of two; no model."""
    pieces = ["\u2581" + word for word in source.split(" ")]
    size = len(pieces) + 1
    weights = torch.eye(3, size)
    scores = torch.full((2, size, size), 0.5).index_fill(2, torch.tensor([0]), float("nan"))
    inside = torch.stack([torch.eye(size), torch.full((size, size), 1 / size)])
    looks = [
        Look("source-target", 0, weights[None] * 9, weights[None], torch.ones(1, size, 4), torch.ones(1, 3, 4)),
        Look("source", 0, scores, inside, torch.ones(2, size, 4), torch.ones(2, size, 4)),
    ]
    seen = Inspection(source, "它的用", pieces, ["它的", "用"], looks)
    return sentence(seen, source_language="en", target_language="zh", own=True)
