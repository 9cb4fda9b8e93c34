import torch
from ncps.torch import CfCCell
from torch import nn

from .layers import Network, heads, lif


class ClosedFormContinuous(Network):
    name = "closed-form-continuous"
    frame = (2,)
    renamed = {
        "cell.backbone.0": "cell.backbone",
        "cell.time_a": "cell.timeA",
        "cell.time_b": "cell.timeB",
    }

    def __init__(self):
        super().__init__()
        self.value = nn.ModuleDict({"in": nn.Linear(1, 8)})
        self.text = nn.ModuleDict(
            {"in": nn.Linear(128, 8), "synapses": nn.Linear(128, 48, bias=False)}
        )
        self.cell = CfCCell(8, 24, backbone_units=32)
        self.synapses = nn.Linear(24, 48)
        self.lif = lif()
        self.readout = heads((48, 4), (48, 8))

    def states(self, x, head):
        if head == "native":
            values, elapsed = self.value["in"](x[..., :1].contiguous()), x[..., 1:]
        else:
            values, elapsed = self.text["in"](x), torch.ones_like(x[..., :1])
        state = values.new_zeros(x.shape[1], 24)
        states = []
        for value, time in zip(values, elapsed):
            state, _ = self.cell(value, state, time)
            states.append(state)
        return torch.stack(states)

    def forward(self, x, head, steps):
        currents = self.synapses(self.states(x, head))
        if head == "text":
            currents = currents + self.text["synapses"](x)
        return self.readout[head](self.lif(currents)).mean(0)

    def facts(self):
        """The state after one input, whenever the next one comes."""
        generator = torch.Generator().manual_seed(1_723)
        x = torch.randn(1, 8, generator=generator)
        state = torch.tanh(torch.randn(1, 24, generator=generator))
        times = [0.0, 0.1, 0.3, 1.0, 2.0, 5.0, 20.0]
        states = [self.cell(x, state, torch.tensor([[time]]))[0][0].tolist() for time in times]
        return {"gating": {"x": x.tolist(), "state": state.tolist(), "times": times, "states": states}}
