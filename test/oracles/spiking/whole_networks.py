"""What the ported networks compute from native inputs and from texts, and what it costs."""

import hashlib

import numpy as np
import torch
from spikingjelly.activation_based import base, neuron
from spikingjelly.activation_based.op_counter import (
    ACCounter,
    DispatchCounterMode,
    MACCounter,
    SynOpCounter,
)

from networks import NETWORKS, Threshold, load

TEXTS = (
    "Refactor the parser so that it returns a list of errors",
    "  Die Patientin klagt über Schmerzen im Knie; which   DOSE is safe? ",
    "Solve 3x + 7 = 22",
)


class Recorder:
    """Spikes of every layer of neurons, and products with the padding of convolutions of numbers."""

    def __init__(self, network):
        self.spikes = {}
        self.padding = {}
        self.sums = {}
        for path, module in network.named_modules():
            if isinstance(module, (neuron.BaseNode, Threshold)):
                module.register_forward_hook(self._fired(path))
            known = network.renamed.get(path, path)
            if isinstance(module, torch.nn.Conv2d):
                module.register_forward_hook(self._convolved(known))
            if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
                module.register_forward_hook(self._summed(known))

    def _fired(self, path):
        def hook(_module, _inputs, spikes):
            last = spikes.movedim(2, -1) if spikes.dim() == 5 else spikes
            bits = np.packbits(last.numpy().astype(bool))
            self.spikes[path] = self.spikes.get(path, "") + bits.tobytes().hex()

        return hook

    def _convolved(self, path):
        def hook(module, inputs, outputs):
            x = inputs[0].flatten(0, 1)
            if not x.eq(0).logical_or(x.eq(1)).all():
                whole = outputs.numel() * module.weight[0].numel()
                weight = torch.ones_like(module.weight)
                with_bounds = torch.conv2d(torch.ones_like(x), weight, None, module.stride, module.padding)
                self.padding[path] = whole - int(with_bounds.sum())

        return hook


    def _summed(self, path):
        """Sums of spikes are numbers to SpikingJelly: here, one addition for each spike."""

        def hook(module, inputs, _outputs):
            x = inputs[0]
            if x.eq(x.round()).all() and x.min() >= 0 and x.max() > 1:
                ones = torch.ones_like(module.weight)
                if isinstance(module, torch.nn.Conv2d):
                    sums = torch.conv2d(x.flatten(0, 1), ones, None, module.stride, module.padding)
                else:
                    sums = torch.nn.functional.linear(x, ones)
                self.sums[path] = int(sums.sum())

        return hook


def counted(network, x, head, steps):
    """One run under SpikingJelly's counters; neurons are left to the engine's own definition."""
    ignored = {"extra_ignore_modules": [neuron.BaseNode]}
    counters = {
        "synapticEvents": SynOpCounter(**ignored),
        "macs": MACCounter(**ignored),
        "acs": ACCounter(**ignored),
    }
    with DispatchCounterMode(list(counters.values())):
        network.run(x, head, steps)
    layers = {}
    for path, module in network.named_modules():
        if not hasattr(module, "weight"):
            continue
        scope = f"{type(network).__name__}.{path}"
        per_layer = {
            name: sum(counters[name].get_counts().get(scope, {}).values())
            for name in ("synapticEvents", "macs")
        }
        if any(per_layer.values()):
            layers[network.renamed.get(path, path)] = per_layer
    totals = {name: counter.get_total() for name, counter in counters.items()}
    return {"layers": layers, "totals": totals}


def one_run(network, data, head):
    steps = network.card()["timesteps"]
    read = network.read if head == "native" else network.read_text
    x = read(data, steps)
    counts = counted(network, x, head, steps)
    recorder = Recorder(network)
    logits = network.run(x, head, steps)
    return {
        "head": head,
        "input": data,
        "steps": steps,
        "logits": logits[0].tolist(),
        "spikes": recorder.spikes,
        "counts": {**counts, "padding": recorder.padding, "sums": recorder.sums},
        **network.extras(x, head),
    }


def assert_sound(cls, run):
    """The spikes must not hang on the rounding of 32-bit floats."""
    torch.set_default_dtype(torch.float64)
    try:
        network = load(cls())
        again = one_run(network, run["input"], run["head"])
    finally:
        torch.set_default_dtype(torch.float32)
    if again["spikes"] != run["spikes"]:
        raise ValueError(f"{network.name}: a spike of {run['head']} depends on the precision")


def record():
    result = {}
    for cls in NETWORKS:
        network = load(cls())
        data = network.card()["exampleInput"]
        inputs = [("native", one) for one in (data, *network.variants(data))]
        inputs += [("text", text) for text in TEXTS]
        runs = [one_run(load(cls()), one, head) for head, one in inputs]
        for run in runs:
            assert_sound(cls, run)
        sha256 = hashlib.sha256(network.weights_file().read_bytes()).hexdigest()
        result[cls.name] = {"weightsSha256": sha256, "runs": runs, **network.facts()}
    return {"networks": result}
