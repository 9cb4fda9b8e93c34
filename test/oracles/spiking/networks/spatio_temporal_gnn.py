import torch
from torch import nn

from .layers import Network, heads, lif
from .messages import Messages, both_ways, edge_list, side_by_side

JUNCTIONS = 20
RING = [(node, (node + 1) % JUNCTIONS) for node in range(JUNCTIONS)]
SHORTCUTS = [
    *((1, 14), (4, 8), (5, 10), (5, 14), (6, 16)),
    *((6, 19), (8, 18), (9, 17), (10, 12), (10, 17)),
]
ROADS = edge_list(both_ways([*RING, *SHORTCUTS]))


def spiking_layer(features, spikes):
    neurons = lif()
    neurons.own = nn.Linear(features, 8)
    neurons.around = Messages(features, 8, bias=False, spikes=spikes)
    return neurons


class SpatioTemporalGnn(Network):
    name = "spatio-temporal-gnn"
    frame = (20,)

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict({"in": nn.Linear(128, JUNCTIONS)})
        self.first = spiking_layer(1, spikes=False)
        self.second = spiking_layer(8, spikes=True)
        self.weigh = nn.Linear(480, 32)
        self.readout = heads((32, 4), (32, 8))

    def forward(self, x, head, steps):
        frames = x if head == "native" else self.text["in"](x)
        batch = frames.shape[1]
        roads = side_by_side(ROADS, batch, JUNCTIONS)
        loads = frames.reshape(len(frames), -1, 1)
        currents = self.first.own(loads) + self.first.around(loads, roads)
        first = self.first(currents)
        second = self.second(self.second.own(first) + self.second.around(first, roads))
        flat = second.reshape(len(frames), batch, -1)
        now = currents[-1].reshape(batch, -1)
        seen = torch.cat([flat.mean(0), flat[-1], now], 1)
        return self.readout[head](torch.relu(self.weigh(seen)))
