"""Our multi-head attention and self-attention block against torch's, with copied weights: values and gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from nmt import config as schema
from nmt.config import SCORES
from nmt.model.build import build_attention, build_encoder
from nmt.model.masks import causal_mask, padding_mask
from nmt.model.multihead import MultiHeadAttention

BATCH, QUERIES, KEYS, HEADS, WIDTH, INNER = 2, 3, 5, 7, 77, 13
LENGTHS = torch.tensor([2, KEYS])
BACKENDS = pytest.mark.parametrize("backend", ["readable", "fused"])


def randomise(module: nn.Module) -> None:
    """No parameter at a value, such as zero, that would hide a mistake."""
    torch.manual_seed(3)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)


def copy_heads(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([part.weight.data for part in parts])
    theirs.in_proj_bias.data = torch.cat([part.bias.data for part in parts])
    theirs.out_proj.load_state_dict(ours.merge.state_dict())


def gradient(output: Tensor, source: Tensor) -> Tensor:
    return torch.autograd.grad(output.square().sum(), source)[0]


@BACKENDS
@pytest.mark.parametrize("mask_kind", ["padding", "causal"])
def test_multi_head_attention(backend: str, mask_kind: str) -> None:
    scaled_dot = build_attention(SCORES["scaled_dot"](backend=backend), WIDTH // HEADS)
    ours = MultiHeadAttention(width=WIDTH, num_heads=HEADS, attention=scaled_dot)
    theirs = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    randomise(ours)
    copy_heads(ours, theirs)
    key = torch.randn(BATCH, KEYS, WIDTH, requires_grad=True)
    if mask_kind == "causal":
        query, mask, their_mask = key, causal_mask(KEYS), {"attn_mask": ~causal_mask(KEYS)}
    else:
        query, real = torch.randn(BATCH, QUERIES, WIDTH), padding_mask(LENGTHS)
        mask, their_mask = real.unsqueeze(1), {"key_padding_mask": ~real}
    context, weights = ours(query, key, key, mask)
    their_context, their_weights = theirs(query, key, key, average_attn_weights=False, **their_mask)
    torch.testing.assert_close(context, their_context, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(gradient(context, key), gradient(their_context, key), rtol=1e-3, atol=1e-3)
    assert (weights is None) == (backend == "fused")
    if weights is not None:
        torch.testing.assert_close(weights, their_weights)


@BACKENDS
def test_self_attention_block(backend: str) -> None:
    scaled_dot = SCORES["scaled_dot"](backend=backend)
    config = schema.ModelConfig(
        embedding=2 * WIDTH,
        dropout=0.0,
        encoder=schema.SelfAttentionEncoderConfig(layers=1, width=2 * WIDTH, heads=HEADS, feed_forward=INNER),
        decoder=schema.RecurrentDecoderConfig(),
        attention=scaled_dot,
        self_attention=scaled_dot,
    )
    ours = build_encoder(config).blocks[0]
    theirs = nn.TransformerEncoderLayer(
        2 * WIDTH, HEADS, dim_feedforward=INNER, dropout=0.0, activation="relu", batch_first=True, norm_first=True
    )
    randomise(ours)
    copy_heads(ours.attention.attention, theirs.self_attn)
    for part, their_part in (
        (ours.attention_norm, theirs.norm1),
        (ours.feed_forward_norm, theirs.norm2),
        (ours.feed_forward.widen, theirs.linear1),
        (ours.feed_forward.narrow, theirs.linear2),
    ):
        their_part.load_state_dict(part.state_dict())
    vectors, real = torch.randn(BATCH, KEYS, 2 * WIDTH, requires_grad=True), padding_mask(LENGTHS)
    states, _ = ours(vectors, real.unsqueeze(1))
    expected = theirs(vectors, src_key_padding_mask=~real)
    torch.testing.assert_close(states[real], expected[real], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(gradient(states[real], vectors), gradient(expected[real], vectors), rtol=1e-3, atol=1e-3)
