import torch
from torch import nn

from . import texts
from .layers import Network, heads, lif
from .messages import Messages, both_ways, edge_list

NODES = 16


def graph(pairs):
    """Both directions of every edge, and a loop at each of its ends."""
    loops = {(node, node) for pair in pairs for node in pair}
    return edge_list(both_ways(pairs) | loops)


class HybridGnn(Network):
    name = "hybrid-gnn"

    def __init__(self):
        super().__init__()
        self.messages1 = nn.ModuleDict({"native": Messages(8, 32), "text": Messages(128, 32)})
        self.lif1 = lif()
        self.messages2 = Messages(32, 32)
        self.lif2 = lif()
        self.readout = heads((64, 5), (64, 8))

    def forward(self, x, head, steps):
        features, edges = x
        drive = self.messages1[head](features[None], edges)
        first = self.lif1(drive.expand(steps, *drive.shape[1:]))
        second = self.lif2(self.messages2(first, edges))
        nodes = torch.cat([first, second], 2)
        pooled = nodes.unflatten(1, (-1, NODES)).mean(2)
        return self.readout[head](pooled).mean(0)

    def read(self, data, steps):
        """Pairs of nodes, those of -1 left out. A node is its degree, at most 7."""
        edges = graph([pair for pair in data if pair != [-1, -1]])
        features = torch.zeros(NODES, 8)
        for node in edges[0].unique():
            degree = int((edges[0] == node).sum()) - 1
            features[node, min(degree, 7)] = 1
        return features, edges

    def variants(self, data):
        star = [[0, node] for node in range(1, NODES)]
        clique = [[a, b] for a in range(5) for b in range(a)]
        return [star, [*clique, [4, 9], [9, 15], [-1, -1]]]

    def read_text(self, text, steps):
        chain = graph([(node, node + 1) for node in range(NODES - 1)])
        return torch.tensor(texts.slices(text, NODES)), chain

    def batch(self, inputs):
        """One graph of parts that are not connected."""
        edges = [edges + NODES * place for place, (_, edges) in enumerate(inputs)]
        return torch.cat([features for features, _ in inputs]), torch.cat(edges, 1)
