import torch
from torch import nn

from .layers import Network, heads, lif, patches, text_drive

WIDTH = 32


def spiking(features, out):
    neurons = lif()
    neurons.synapses = nn.Linear(features, out)
    return neurons


class PatternSpikingTransformer(Network):
    name = "pattern-spiking-transformer"

    def __init__(self):
        super().__init__()
        self.text = text_drive(16 * WIDTH)
        self.embedding = nn.Linear(16, WIDTH)
        self.place = nn.Parameter(torch.empty(16, WIDTH))
        self.tokens = lif()
        self.query = spiking(WIDTH, WIDTH)
        self.key = spiking(WIDTH, WIDTH)
        self.value = spiking(WIDTH, WIDTH)
        self.mask = lif()
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.attention = lif()
        self.widen = nn.Linear(WIDTH, 2 * WIDTH)
        self.wide = lif()
        self.narrow = lif()
        self.narrow.synapses = nn.Linear(2 * WIDTH, WIDTH)
        self.readout = heads((WIDTH, 4), (WIDTH, 8))

    renamed = {"narrow.synapses": "narrow"}

    def attend(self, tokens):
        """Spike-driven self-attention of Yao et al., 2023: a mask over the values."""
        queries, keys, values = (
            part(part.synapses(tokens)) for part in (self.query, self.key, self.value)
        )
        shared = (queries * keys).sum(2)
        return self.mask(shared[:, :, None]) * values

    def forward(self, x, head, steps):
        if head == "native":
            embedded = self.embedding(patches(x)) + self.place
        else:
            embedded = self.text(x).unflatten(1, (16, WIDTH))
        tokens = self.tokens(embedded.expand(steps, *embedded.shape))
        mixed = tokens + self.attention(self.attended(self.attend(tokens)))
        wide = self.wide(self.widen(mixed))
        narrow = self.narrow(self.narrow.synapses(wide))
        return self.readout[head]((mixed + narrow).sum(2)).mean(0)
