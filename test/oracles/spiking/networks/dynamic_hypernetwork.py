import torch
from torch import nn

from .layers import Network, plif

RANK = 4


class DynamicHypernetwork(Network):
    name = "dynamic-hypernetwork"

    def __init__(self):
        super().__init__()
        self.context = nn.Linear(6, 32)
        self.query = nn.Linear(2, 8)
        self.text = nn.ModuleDict({"context": nn.Linear(256, 32), "query": nn.Linear(256, 8)})
        self.generator = nn.Linear(32, 48)
        sizes = {"down": 8 * RANK, "up": RANK * 32, "bias": 32, "leak": 1}
        sizes |= {"readout3": 32 * 3, "readout8": 32 * 8}
        self.generate = nn.ModuleDict({name: nn.Linear(48, size) for name, size in sizes.items()})
        self.lif = plif()
        # What a PLIFNode learns is generated here.
        del self.lif.w

    def forward(self, x, head, steps):
        if head == "native":
            examples, point = x.flatten(1).split([6, 2], 1)
            context, query = self.context(examples), self.query(point)
        else:
            context, query = self.text["context"](x), self.text["query"](x)
        hidden = torch.relu(self.generator(torch.relu(context)))
        classes = 3 if head == "native" else 8
        down, up, bias, leak, readout = (
            self.generate[name](hidden).unflatten(1, shape)
            for name, shape in (
                ("down", (8, RANK)),
                ("up", (RANK, 32)),
                ("bias", (1, 32)),
                ("leak", (1, 1)),
                (f"readout{classes}", (32, classes)),
            )
        )
        current = query[:, None] @ down @ up + bias
        self.lif.w = leak
        spikes = self.lif(current.expand(steps, *current.shape))
        return (spikes @ readout).mean(0)[:, 0]
