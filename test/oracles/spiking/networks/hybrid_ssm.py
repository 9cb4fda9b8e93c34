import torch
from torch import nn

from .layers import Network, heads, lif

STATES = 24


class HybridSsm(Network):
    name = "hybrid-ssm"
    frame = (8,)

    def __init__(self):
        super().__init__()
        self.decay = nn.Parameter(torch.empty(1, 1, STATES))
        self.frequency = nn.Parameter(torch.empty(1, 1, STATES))
        self.entry = nn.Linear(128, STATES)
        self.readout = nn.Linear(2 * STATES, 64)
        self.readout.native = nn.Linear(64, 5)
        self.readout.text = nn.Linear(64, 8)
        self.lif1 = lif()
        self.mix = nn.Linear(64, 64)
        self.lif2 = lif()

    def states(self, u):
        """`x' = A x + u` of diagonal complex A, each sample held for one unit of time."""
        a = torch.complex(-self.decay.exp(), self.frequency)[0]
        keep = a.exp()
        state = torch.zeros_like(keep)
        states = []
        for sample in u:
            state = keep * state + (keep - 1) / a * sample
            states.append(state)
        return torch.stack(states)

    def forward(self, x, head, steps):
        if head == "native":
            # Eight samples in each step.
            u = x.movedim(2, 1).flatten(0, 1)[..., None]
        else:
            u = self.entry(x)
        states = self.states(u)
        seen = self.readout(torch.cat([states.real, states.imag], 2))
        spikes = self.lif2(self.mix(self.lif1(seen)))
        return getattr(self.readout, head)(spikes).mean(0)
