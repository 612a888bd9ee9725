"""How many multiplications and additions does an update take? Counted, as each matrix product is called.

`torch.utils.flop_counter` counts every product from the shapes of its operands, forward and backward, padding included;
only the recurrent kernel of oneDNN is unknown to it and is added here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode


def _layer(input_shape: Any, weight_1: Any, weight_2: Any, *_: Any, **__: Any) -> int:
    """(T, B, in) through gates of weights (G, in) and (G, H): 2 T B G (in + H)."""
    return 2 * input_shape[0] * input_shape[1] * weight_1[0] * (weight_1[1] + weight_2[1])


def _layer_backward(*shapes: Any, **keywords: Any) -> int:
    """Gradients of inputs and of weights: each as many as forward."""
    return 2 * _layer(*shapes, **keywords)


def counted(update: Callable[[], Any]) -> float:
    """Run one update and return its GFLOP (10^9 additions and multiplications in matrix products)."""
    kernels = {
        torch.ops.aten.mkldnn_rnn_layer: _layer,
        torch.ops.aten.mkldnn_rnn_layer_backward: _layer_backward,
    }
    with FlopCounterMode(display=False, custom_mapping=kernels) as counter:
        update()
    return counter.get_total_flops() / 1e9
