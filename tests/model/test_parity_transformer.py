"""Our Transformer and torch's, with the same weights, are the same function."""

from __future__ import annotations

import torch
from torch import nn

from nmt import config as schema
from nmt.data.batch import collate
from nmt.model.build import build_model
from nmt.model.masks import causal_mask, padding_mask
from nmt.model.multihead import MultiHeadAttention
from nmt.model.seq2seq import Seq2Seq

WIDTH, HEADS, INNER, ENCODER, DECODER = 12, 3, 17, 3, 2
SOURCES, TARGETS = [[5, 6, 7, 8, 9], [7, 5], [6]], [[4, 9, 8], [5, 6, 7, 8, 9, 10, 4], [8]]


def ours() -> Seq2Seq:
    config = schema.ModelConfig(
        lexical=False,
        embedding=WIDTH,
        dropout=0.0,
        heads=HEADS,
        feed_forward=INNER,
        encoder=schema.SelfAttentionEncoderConfig(layers=ENCODER, width=WIDTH),
        decoder=schema.SelfAttentionDecoderConfig(layers=DECODER, width=WIDTH),
        attention=schema.ScaledDotConfig(),
        self_attention=schema.ScaledDotConfig(),
    )
    model = build_model(config, source_size=23, target_size=19)
    for parameter in model.parameters():  # biases and norms too must make a difference
        parameter.data += 0.3 * torch.randn_like(parameter)
    return model


def theirs() -> tuple[nn.TransformerEncoder, nn.TransformerDecoder]:
    shape = {"d_model": WIDTH, "nhead": HEADS, "dim_feedforward": INNER, "dropout": 0.0}
    encoder = nn.TransformerEncoderLayer(**shape, batch_first=True, norm_first=True)
    decoder = nn.TransformerDecoderLayer(**shape, batch_first=True, norm_first=True)
    return (
        nn.TransformerEncoder(encoder, ENCODER, nn.LayerNorm(WIDTH), enable_nested_tensor=False),
        nn.TransformerDecoder(decoder, DECODER, nn.LayerNorm(WIDTH)),
    )


def copy_attention(to: nn.MultiheadAttention, of: MultiHeadAttention) -> None:
    parts = (of.query, of.key, of.value)
    to.in_proj_weight.data = torch.cat([part.weight for part in parts]).detach()
    to.in_proj_bias.data = torch.cat([part.bias for part in parts]).detach()
    to.out_proj.load_state_dict(of.merge.state_dict())


def copy_weights(model: Seq2Seq, encoder: nn.TransformerEncoder, decoder: nn.TransformerDecoder) -> None:
    for to, of in zip(encoder.layers, model.encoder.blocks, strict=True):
        copy_attention(to.self_attn, of.attention.attention)
        to.norm1.load_state_dict(of.attention_norm.state_dict())
        to.norm2.load_state_dict(of.feed_forward_norm.state_dict())
    for to, of in zip(decoder.layers, model.decoder.blocks, strict=True):
        copy_attention(to.self_attn, of.self_attention)
        copy_attention(to.multihead_attn, of.source_attention)
        to.norm1.load_state_dict(of.self_attention_norm.state_dict())
        to.norm2.load_state_dict(of.source_attention_norm.state_dict())
        to.norm3.load_state_dict(of.feed_forward_norm.state_dict())
    for to, of in ((encoder, model.encoder), (decoder, model.decoder)):
        to.norm.load_state_dict(of.norm.state_dict())
        for layer, block in zip(to.layers, of.blocks, strict=True):
            layer.linear1.load_state_dict(block.feed_forward.widen.state_dict())
            layer.linear2.load_state_dict(block.feed_forward.narrow.state_dict())


def test_the_same_features_and_gradients_as_torch() -> None:
    torch.manual_seed(1)
    model, (encoder, decoder), batch = ours(), theirs(), collate(SOURCES, TARGETS)
    copy_weights(model, encoder, decoder)
    read, write = model.source(batch.source_ids).detach(), model.target(batch.target_in).detach()
    read, write = model.encoder.positions(read).requires_grad_(), model.decoder.positions(write).requires_grad_()
    hidden = ~padding_mask(batch.source_lengths, batch.source_ids.size(1))
    memory = encoder(read, src_key_padding_mask=hidden)
    expected = decoder(write, memory, tgt_mask=~causal_mask(write.size(1)), memory_key_padding_mask=hidden)

    decoded = model(batch.source_ids, batch.source_lengths, batch.target_in)
    torch.testing.assert_close(decoded.features, expected, atol=1e-5, rtol=1e-5)
    expected.square().sum().backward()
    decoded.features.square().sum().backward()
    scale = WIDTH**0.5  # an embedding is scaled on its way in
    for ids, table, gradient in (
        (batch.source_ids, model.source.weight, read.grad),
        (batch.target_in, model.target.weight, write.grad),
    ):
        by_piece = torch.zeros_like(table).index_add_(0, ids.flatten(), gradient.flatten(0, 1) * scale)
        torch.testing.assert_close(table.grad, by_piece, atol=1e-4, rtol=1e-4)
