from spikingjelly.activation_based import layer
from torch import nn

from .layers import Network, convolution, heads, lif, text_drive


class Block(nn.Module):
    """Two spiking convolutions whose spikes are added to those that came in (SEW)."""

    def __init__(self):
        super().__init__()
        self.conv1 = convolution(24, 24)
        self.lif1 = lif()
        self.conv2 = convolution(24, 24)
        self.lif2 = lif()

    def forward(self, spikes):
        return self.lif2(self.conv2(self.lif1(self.conv1(spikes)))) + spikes


class SpikingResnet50(Network):
    name = "spiking-resnet50"

    def __init__(self):
        super().__init__()
        self.text = text_drive(24 * 4 * 4)
        self.stem = layer.Conv2d(1, 24, 5, stride=4, padding=2, step_mode="m")
        self.stem.lif = lif()
        self.block1 = Block()
        self.block2 = Block()
        self.block3 = Block()
        self.readout = heads((24, 8), (24, 8))

    def forward(self, x, head, steps):
        if head == "native":
            drive = self.stem(x[None, :, None])[0]
        else:
            drive = self.text(x).unflatten(1, (4, 4, 24)).movedim(3, 1)
        spikes = self.stem.lif(drive.expand(steps, *drive.shape))
        for block in (self.block1, self.block2, self.block3):
            spikes = block(spikes)
        return self.readout[head](spikes.mean(4).mean(3)).mean(0)
