from torch import nn

from .layers import Network, Threshold, convolution, heads, plif


class DvsConvnet(Network):
    name = "dvs-convnet"
    frame = (2, 16, 16)

    def __init__(self):
        super().__init__()
        self.support = convolution(2, 2, bias=False)
        self.filter = Threshold()
        self.conv1 = convolution(2, 8, stride=2)
        self.lif1 = plif()
        self.conv2 = convolution(8, 16, stride=2)
        self.lif2 = plif()
        self.hidden = heads(256, 128, 64)
        self.lif3 = plif()
        self.readout = heads((64, 6), (64, 8))

    def forward(self, x, head, steps):
        if head == "native":
            kept = self.filter(x * self.support(x))
            second = self.lif2(self.conv2(self.lif1(self.conv1(kept))))
            x = second.permute(0, 1, 3, 4, 2).flatten(2)
        return self.readout[head](self.lif3(self.hidden[head](x))).mean(0)
