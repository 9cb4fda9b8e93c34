import torch
from torch import nn

from .layers import Network, convolution, heads, lif


class HybridCnn(Network):
    name = "hybrid-cnn"

    def __init__(self):
        super().__init__()
        self.conv1 = convolution(1, 8, stride=2)
        self.conv2 = convolution(8, 8, stride=2)
        self.drive = heads(128, 256, 64)
        self.lif1 = lif()
        self.hidden = nn.Linear(64, 64)
        self.lif2 = lif()
        self.readout = heads((64, 6), (64, 8))

    def forward(self, x, head, steps):
        if head == "native":
            edges = torch.relu(self.conv1(x[None, :, None]))
            x = torch.relu(self.conv2(edges))[0].permute(0, 2, 3, 1).flatten(1)
        drive = self.drive[head](x)
        first = self.lif1(drive.expand(steps, *drive.shape))
        return self.readout[head](self.lif2(self.hidden(first))).mean(0)
