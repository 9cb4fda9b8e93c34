import torch
from torch import nn

from .layers import Network, heads, lif

MARGIN = 8


class PatternAnnSnn(Network):
    name = "pattern-ann-snn"

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict({"in": nn.Linear(256, 32)})
        self.encoder = nn.Linear(32, 48)
        self.drive = nn.Linear(48, 48)
        self.lif1 = lif()
        self.hidden = nn.Linear(48, 32)
        self.lif2 = lif()
        self.readout = heads((32, 6), (32, 8))

    def forward(self, x, head, steps):
        bins = x if head == "native" else self.text["in"](x)
        drive = self.drive(torch.relu(self.encoder(bins)))
        votes = None
        for step in range(1, steps + 1):
            vote = self.readout[head](self.lif2(self.hidden(self.lif1(drive[None]))))[0]
            votes = vote if votes is None else votes + vote
            first, second = votes.topk(2).values.unbind(1)
            if min(first.numpy() - second.numpy()) >= MARGIN:
                break
        return votes / step
