"""The detector: a residual network on patches of four by four pixels, with a heat map of centres.

`libs/engines/vision` has the same network in TypeScript. The oracle compares the two.
"""

import torch
import torch.nn.functional as functional
from torch import nn

import frames

PATCH = 4
CHANNELS = 3 * PATCH * PATCH
WIDTH, BLOCKS = 32, 2
CELLS = frames.SIDE // PATCH
SHAPES, COLOURS = len(frames.SHAPES), len(frames.COLOURS)
# A heat of each shape, a score of each colour, the centre within its cell, the size.
OUTPUTS = SHAPES + COLOURS + 4


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(WIDTH)
        self.conv2 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(WIDTH)

    def forward(self, x):
        hidden = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(hidden)))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.input = nn.Conv2d(CHANNELS, WIDTH, 3, padding=1)
        self.norm = nn.BatchNorm2d(WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.output = nn.Conv2d(WIDTH, OUTPUTS, 1)
        # Few cells have a centre: the heat begins low.
        nn.init.constant_(self.output.bias, 0.0)
        nn.init.constant_(self.output.bias[:SHAPES], -4.0)

    def forward(self, picture):
        """`[pictures, OUTPUTS, CELLS, CELLS]` of pictures between 0 and 1."""
        x = functional.pixel_unshuffle(2 * picture - 1, PATCH)
        x = functional.relu(self.norm(self.input(x)))
        for block in self.blocks:
            x = block(x)
        return self.output(x)


def folded(model):
    """The tensors with each normalization folded into its convolution."""

    def fold(conv, norm):
        rate = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        return conv.weight * rate[:, None, None, None], (conv.bias - norm.running_mean) * rate + norm.bias

    layers = {"input": fold(model.input, model.norm)}
    for at, block in enumerate(model.blocks):
        layers[f"blocks.{at}.conv1"] = fold(block.conv1, block.norm1)
        layers[f"blocks.{at}.conv2"] = fold(block.conv2, block.norm2)
    layers["output"] = (model.output.weight, model.output.bias)
    return {
        f"{name}.{part}": values.detach().contiguous()
        for name, pair in layers.items()
        for part, values in zip(("weight", "bias"), pair)
    }


def run_folded(tensors, picture):
    """The network by its folded tensors, as the engine computes it."""

    def conv(name, x, padding=1):
        return functional.conv2d(x, tensors[f"{name}.weight"], tensors[f"{name}.bias"], padding=padding)

    x = functional.relu(conv("input", functional.pixel_unshuffle(2 * picture - 1, PATCH)))
    for at in range(BLOCKS):
        hidden = functional.relu(conv(f"blocks.{at}.conv1", x))
        x = functional.relu(x + conv(f"blocks.{at}.conv2", hidden))
    return conv("output", x, padding=0)
