import torch
from torch import nn

from .layers import Network, heads, lif

LEAK = 0.8


class HybridRnn(Network):
    name = "hybrid-rnn"
    frame = (9,)

    def __init__(self):
        super().__init__()
        self.entry = heads(9, 128, 24)
        # The four gates of torch's LSTMCell, in one product with input and state.
        self.lstm = nn.Linear(24 + 32, 4 * 32)
        self.current = nn.Linear(32, 64)
        self.lif = lif()
        self.readout = heads((64, 5), (64, 8))

    def states(self, x):
        hidden = cell = x.new_zeros(x.shape[1], 32)
        states = []
        for seen in x:
            gates = self.lstm(torch.cat([seen, hidden], 1))
            enter, keep, new, leave = gates.chunk(4, 1)
            cell = torch.sigmoid(keep) * cell + torch.sigmoid(enter) * torch.tanh(new)
            hidden = torch.sigmoid(leave) * torch.tanh(cell)
            states.append(hidden)
        return torch.stack(states)

    def forward(self, x, head, steps):
        seen = torch.tanh(self.entry[head](x))
        votes = self.readout[head](self.lif(self.current(self.states(seen))))
        level = votes[0]
        for vote in votes[1:]:
            level = level * LEAK + vote
        return level
