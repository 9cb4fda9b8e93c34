import torch
from torch import nn

from .layers import Network, heads, lif, patches, text_drive

WIDTH = 32


def projection(features, out):
    """A linear layer and the neurons behind it."""
    synapses = nn.Linear(features, out)
    synapses.lif = lif()
    return synapses


def fired(synapses, x):
    return synapses.lif(synapses(x))


class HybridVit(Network):
    name = "hybrid-vit"

    def __init__(self):
        super().__init__()
        self.text = text_drive(16 * WIDTH)
        self.embed = projection(16, WIDTH)
        self.places = nn.Parameter(torch.empty(16, WIDTH))
        self.query = projection(WIDTH, WIDTH)
        self.key = projection(WIDTH, WIDTH)
        self.value = projection(WIDTH, WIDTH)
        self.attention = nn.ModuleDict({"lif": lif()})
        self.join = projection(WIDTH, WIDTH)
        self.mlp1 = projection(WIDTH, 2 * WIDTH)
        self.mlp2 = projection(2 * WIDTH, WIDTH)
        self.readout = heads((WIDTH, 4), (WIDTH, 8))

    def attend(self, x):
        """Spiking self-attention of Spikformer, without softmax."""
        queries, keys, values = (fired(part, x) for part in (self.query, self.key, self.value))
        mixed = queries @ keys.transpose(2, 3) @ values * 0.125
        return fired(self.join, self.attention["lif"](mixed))

    def forward(self, x, head, steps):
        if head == "native":
            embedded = self.embed(patches(x)) + self.places
        else:
            embedded = self.text(x).unflatten(1, (16, WIDTH))
        tokens = self.embed.lif(embedded.expand(steps, *embedded.shape))
        attended = self.attend(tokens) + tokens
        fed = fired(self.mlp2, fired(self.mlp1, attended)) + attended
        return self.readout[head](fed.mean(2)).mean(0)
