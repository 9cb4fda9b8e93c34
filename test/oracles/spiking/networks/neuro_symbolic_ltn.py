import torch
from torch import nn

from .layers import Network, heads, lif

PREDICATES = "robot vehicle drone bird dog human machine animal living flies".split()
RULES = [
    *(("robot", "machine"), ("vehicle", "machine"), ("drone", "machine"), ("drone", "flies")),
    *(("bird", "flies"), ("dog", "not flies"), ("bird", "animal"), ("dog", "animal")),
    *(("animal", "living"), ("human", "living"), ("machine", "not living")),
]


class NeuroSymbolicLtn(Network):
    name = "neuro-symbolic-ltn"

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict({"in": nn.Linear(256, 10)})
        self.encoders = nn.Linear(10, 120)
        self.lif = lif()
        self.truth = nn.ParameterDict({"weight": torch.empty(10, 12), "bias": torch.empty(10)})
        self.readout = nn.ModuleDict({"text": nn.Linear(120, 8)})

    def truths(self, x, head, steps):
        """Logits of the predicates, and the spikes of their encoders."""
        drive = self.encoders(x if head == "native" else self.text["in"](x))
        spikes = self.lif(drive.expand(steps, *drive.shape))
        votes = (spikes.unflatten(2, (10, 12)) * self.truth["weight"]).sum(3)
        return votes.mean(0) + self.truth["bias"], spikes

    def rules(self, logits):
        """Reichenbach's implication, `1 - a + a b`."""
        truth = dict(zip(PREDICATES, torch.sigmoid(logits).unbind(1)))
        held = []
        for given, then in RULES:
            negated = then.startswith("not ")
            other = 1 - truth[then[4:]] if negated else truth[then]
            held.append(1 - truth[given] + truth[given] * other)
        return torch.stack(held, 1)

    def forward(self, x, head, steps):
        logits, spikes = self.truths(x, head, steps)
        self.satisfied = self.rules(logits)
        return logits[:, :6] if head == "native" else self.readout["text"](spikes).mean(0)

    def extras(self, x, head):
        return {"rules": self.satisfied[0].tolist()}
