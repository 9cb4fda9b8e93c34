import numpy as np
import torch
from torch import nn

from .layers import Network, heads, lif

BETA = 16
SCALE = 64**-0.5
# Learned prototypes of texts lie close together and are updated once.
UPDATES_MAX = {"native": 8, "text": 1}
SETTLED = 1e-4


class ModernHopfield(Network):
    name = "modern-hopfield"

    def __init__(self):
        super().__init__()
        self.patterns = nn.Parameter(torch.empty(1, 1, 8, 64))
        self.text = nn.ModuleDict({"in": nn.Linear(256, 64)})
        self.text.patterns = nn.Parameter(torch.empty(1, 1, 32, 64))
        self.latency = lif()
        self.latency.gain = nn.Parameter(torch.empty(1))
        self.readout = heads((8, 8), (32, 8))

    def stored(self, head):
        return (self.patterns if head == "native" else self.text.patterns)[0, 0]

    def cue(self, x, head):
        return x.flatten(1) * SCALE if head == "native" else self.text["in"](x)

    def update(self, state, head):
        """`X softmax(beta X^T state)` of Ramsauer et al., 2021."""
        stored = self.stored(head)
        return torch.softmax(BETA * state @ stored.t(), 1) @ stored

    def energy(self, state, head):
        """`-lse(beta, X^T state) + |state|^2 / 2`, less its constants."""
        closeness = torch.logsumexp(BETA * state @ self.stored(head).t(), 1) / BETA
        return state.square().sum(1) / 2 - closeness

    def states(self, x, head):
        """From the cue to the fixed point."""
        states = [self.cue(x, head)]
        for _ in range(UPDATES_MAX[head]):
            states.append(self.update(states[-1], head))
            if np.allclose(states[-1], states[-2], rtol=0, atol=SETTLED):
                break
        return states

    def forward(self, x, head, steps):
        state = self.states(x, head)[-1]
        drive = state @ self.stored(head).t() * self.latency.gain
        return self.readout[head](self.latency(drive.expand(steps, *drive.shape))).mean(0)

    def extras(self, x, head):
        states = self.states(x, head)
        after = self.update(states[-1], head)
        return {
            "energies": [self.energy(state, head).item() for state in states],
            "movesNext": (after - states[-1]).abs().max().item(),
        }
