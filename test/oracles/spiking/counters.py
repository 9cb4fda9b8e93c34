"""Operations of a small spiking network, as SpikingJelly's counters see them."""

import torch
from spikingjelly.activation_based import neuron
from spikingjelly.activation_based.op_counter import (
    ACCounter,
    DispatchCounterMode,
    MACCounter,
    SynOpCounter,
)

STEPS = 4
SIZE = 6


def count(layer, inputs):
    """The three counters over one call of a layer that has no bias."""
    counters = [SynOpCounter(), MACCounter(), ACCounter()]
    with torch.no_grad(), DispatchCounterMode(counters):
        outputs = layer(inputs)
    synops, macs, acs = (counter.get_total() for counter in counters)
    return outputs, {"synapticEvents": synops, "macs": macs, "acs": acs}


def convolution(spikes, channels, out, stride, generator):
    layer = torch.nn.Conv2d(channels, out, 3, stride=stride, padding=1, bias=False)
    torch.nn.init.normal_(layer.weight, 0, 0.5, generator=generator)
    outputs, counts = count(layer, spikes)
    return {
        "kind": "convolution",
        "stride": stride,
        # Height, width and channels last, as the engine holds them.
        "input": spikes.permute(0, 2, 3, 1).tolist(),
        "weight": layer.weight.detach().permute(2, 3, 1, 0).tolist(),
        "output": outputs.permute(0, 2, 3, 1).tolist(),
        "counts": counts,
    }


def linear(inputs, out, generator):
    layer = torch.nn.Linear(inputs.shape[-1], out, bias=False)
    torch.nn.init.normal_(layer.weight, 0, 0.5, generator=generator)
    outputs, counts = count(layer, inputs)
    return {
        "kind": "linear",
        "input": inputs.tolist(),
        "weight": layer.weight.detach().t().tolist(),
        "output": outputs.tolist(),
        "counts": counts,
    }


def product(left, right):
    outputs, counts = count(lambda pair: torch.bmm(*pair), (left, right))
    return {
        "kind": "product",
        "input": left.tolist(),
        "weight": right.tolist(),
        "output": outputs.tolist(),
        "counts": counts,
    }


def record():
    generator = torch.Generator().manual_seed(2_718)

    def draw(*shape, rate=0.3):
        return (torch.rand(*shape, generator=generator) < rate).float()

    pictures = draw(STEPS, 2, SIZE, SIZE)
    lif = neuron.LIFNode(tau=2.0)
    first = convolution(pictures, 2, 3, 1, generator)
    spikes = torch.stack([lif(torch.tensor(step)) for step in first["output"]])
    second = convolution(spikes.permute(0, 3, 1, 2), 3, 2, 2, generator)
    real = torch.randn(STEPS, 8, generator=generator)
    return {
        "layers": [
            first,
            second,
            linear(draw(STEPS, 10), 5, generator),
            linear(real, 5, generator),
            product(draw(STEPS, 3, 4), draw(STEPS, 4, 5)),
            product(draw(STEPS, 3, 4), torch.randn(STEPS, 4, 5, generator=generator)),
        ]
    }
