import torch
from torch import nn

from .layers import Network, heads, lif


class PatternSnnAnn(Network):
    name = "pattern-snn-ann"

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict({"in": nn.Linear(256, 64)})
        self.encoder = lif()
        self.encoder.gain = nn.Parameter(torch.empty(64))
        self.synapses = nn.Linear(64, 64)
        self.lif = lif()
        self.dense = nn.Linear(64, 48)
        self.readout = heads((48, 10), (48, 8))

    def forward(self, x, head, steps):
        pixels = x.flatten(1) if head == "native" else self.text["in"](x)
        drive = pixels * self.encoder.gain
        trains = self.encoder(drive.expand(steps, *drive.shape))
        counts = self.lif(self.synapses(trains)).sum(0)
        return self.readout[head](torch.relu(self.dense(counts / steps)))
