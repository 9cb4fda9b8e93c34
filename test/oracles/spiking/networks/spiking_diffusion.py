import math

import torch
from spikingjelly.activation_based import functional
from torch import nn

from .layers import Network, heads, lif

LEVELS = 8


def signal(level):
    """The share of the picture that is left at a level."""
    return math.cos(math.pi / 2 * (0.04 + 0.6 * (level + 1) / LEVELS)) ** 2


class SpikingDiffusion(Network):
    name = "spiking-diffusion"

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict({"in": nn.Linear(256, 64)})
        self.levels = nn.Parameter(torch.empty(LEVELS, 96))
        self.seen = nn.Linear(64, 96)
        self.first = lif()
        self.between = nn.Linear(96, 96)
        self.second = lif()
        self.noise = nn.Linear(2 * 96, 64)
        self.direct = nn.Linear(64, 64, bias=False)
        self.detector = nn.Linear(64, 32)
        self.readout = heads((32, 5), (32, 8))

    def noise_in(self, sample, level, steps):
        functional.reset_net(self)
        drive = self.seen(sample) + self.levels[level]
        first = self.first(drive.expand(steps, *drive.shape))
        second = self.second(self.between(first))
        rates = torch.cat([first.sum(0), second.sum(0)], 1) / steps
        return self.noise(rates) + self.direct(sample)

    def forward(self, x, head, steps):
        sample = x.flatten(1) if head == "native" else self.text["in"](x)
        for level in reversed(range(LEVELS)):
            noise = self.noise_in(sample, level, steps)
            now = signal(level)
            sample = (sample - math.sqrt(1 - now) * noise) / math.sqrt(now)
            if level > 0:
                after = signal(level - 1)
                sample = math.sqrt(after) * sample + math.sqrt(1 - after) * noise
        return self.readout[head](torch.relu(self.detector(sample)))
