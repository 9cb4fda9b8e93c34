"""The image model: a U-Net on a quarter of the pixels, with four times the channels.

`libs/engines/image-diffusion` has the same network in TypeScript. The oracle compares the two.
"""

import math

import torch
import torch.nn.functional as functional
from torch import nn

import scenes

WIDTH, DEEP, CONDITION = 32, 64, 192
GROUPS, DEEP_BLOCKS, WAVES = 8, 3, 32
# Two by two pixels of three colours are one place of the network.
PATCH = 2
CHANNELS = 3 * PATCH * PATCH
INNER = scenes.SIDE // PATCH // 2


class Block(nn.Module):
    """Two convolutions with a residual; the condition scales and shifts between them."""

    def __init__(self, before, after):
        super().__init__()
        self.norm1 = nn.GroupNorm(GROUPS, before)
        self.conv1 = nn.Conv2d(before, after, 3, padding=1)
        self.film = nn.Linear(CONDITION, 2 * after)
        self.norm2 = nn.GroupNorm(GROUPS, after)
        self.conv2 = nn.Conv2d(after, after, 3, padding=1)
        self.skip = nn.Conv2d(before, after, 1) if before != after else None
        nn.init.zeros_(self.conv2.weight)
        nn.init.zeros_(self.conv2.bias)

    def forward(self, x, condition):
        scale, shift = self.film(condition)[:, :, None, None].chunk(2, 1)
        h = self.conv1(functional.silu(self.norm1(x)))
        h = self.norm2(h) * (1 + scale) + shift
        x = x if self.skip is None else self.skip(x)
        return x + self.conv2(functional.silu(h))


class Denoiser(nn.Module):
    """Predicts `alpha noise - sigma picture` of a noisy picture (v of Salimans and Ho)."""

    def __init__(self):
        super().__init__()
        self.time = nn.Linear(2 * WAVES, CONDITION)
        # A row for each attribute's value, and one for a picture of no stated attributes.
        self.attributes = nn.Linear(scenes.VALUES + 1, CONDITION, bias=False)
        self.mix = nn.Linear(CONDITION, CONDITION)
        self.input = nn.Conv2d(CHANNELS + 2, WIDTH, 3, padding=1)
        self.down = nn.ModuleList([Block(WIDTH, WIDTH), Block(WIDTH, WIDTH)])
        self.shrink = nn.Conv2d(WIDTH, DEEP, 2, stride=2)
        # The condition as a plane: where the shapes are, which channels alone cannot say.
        self.layout = nn.Linear(CONDITION, DEEP * INNER * INNER)
        self.deep = nn.ModuleList([Block(DEEP, DEEP) for _ in range(DEEP_BLOCKS)])
        self.grow = nn.Conv2d(DEEP, WIDTH, 1)
        self.up = nn.ModuleList([Block(2 * WIDTH, WIDTH), Block(WIDTH, WIDTH)])
        self.norm = nn.GroupNorm(GROUPS, WIDTH)
        self.output = nn.Conv2d(WIDTH, CHANNELS, 3, padding=1)

    def condition(self, time, attributes):
        rates = math.pi * torch.exp2(torch.arange(WAVES, dtype=torch.float32) * (6 / WAVES))
        angles = time[:, None] * rates
        waves = torch.cat([angles.sin(), angles.cos()], 1)
        mixed = functional.silu(self.time(waves) + self.attributes(attributes))
        return functional.silu(self.mix(mixed))

    def forward(self, picture, time, attributes):
        condition = self.condition(time, attributes)
        x = functional.pixel_unshuffle(picture, PATCH)
        side = x.shape[-1]
        line = torch.linspace(-1, 1, side, dtype=x.dtype)
        across = line[None, None, None, :].expand(len(x), 1, side, side)
        along = line[None, None, :, None].expand(len(x), 1, side, side)
        x = self.input(torch.cat([x, across, along], 1))
        for block in self.down:
            x = block(x, condition)
        kept = x
        x = self.shrink(x) + self.layout(condition).unflatten(1, (DEEP, INNER, INNER))
        for block in self.deep:
            x = block(x, condition)
        x = functional.interpolate(self.grow(x), scale_factor=2, mode="nearest")
        x = torch.cat([x, kept], 1)
        for block in self.up:
            x = block(x, condition)
        x = self.output(functional.silu(self.norm(x)))
        return functional.pixel_shuffle(x, PATCH)


def alpha_sigma(time):
    """Shares of the picture and of the noise at a time: 0 is the picture, 1 is noise alone."""
    return torch.cos(time * math.pi / 2), torch.sin(time * math.pi / 2)


def with_absence(one_hot, absent):
    """Attributes as the network takes them; an absent row has its own value and no other."""
    absent = absent[:, None].float()
    return torch.cat([one_hot * (1 - absent), absent], 1)
