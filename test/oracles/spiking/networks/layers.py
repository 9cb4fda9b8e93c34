"""What the ports are made of: torch's layers, SpikingJelly's neurons, and the engine's weights."""

import json
from collections import OrderedDict
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from spikingjelly.activation_based import functional, layer, neuron
from torch import nn

from . import texts

MODELS = Path(__file__).parents[4] / "models" / "spiking"


def lif():
    return neuron.LIFNode(tau=2.0, step_mode="m")


def plif():
    return neuron.ParametricLIFNode(init_tau=2.0, step_mode="m")


def convolution(channels, out, **options):
    """Over `[steps, batch, channels, height, width]`, padded so that stride 1 keeps the size."""
    return layer.Conv2d(channels, out, 3, padding=1, step_mode="m", **options)


def heads(native, text, out=None):
    """One linear layer for each head: two widths of input, or two numbers of classes."""
    if out is None:
        return nn.ModuleDict({"native": nn.Linear(*native), "text": nn.Linear(*text)})
    return nn.ModuleDict({"native": nn.Linear(native, out), "text": nn.Linear(text, out)})


def text_drive(out):
    """The currents of a text, through a matrix of low rank."""
    narrow, drive = nn.Linear(256, 32, bias=False), nn.Linear(32, out)
    return nn.Sequential(OrderedDict({"in": narrow, "drive": drive}))


def patches(x):
    """Pictures of 16x16 pixels as 16 patches of 4x4, row by row."""
    return x.unfold(1, 4, 4).unfold(2, 4, 4).flatten(3).flatten(1, 2)


class Threshold(nn.Module):
    """A neuron without memory, which SpikingJelly's `tau > 1` leaves out."""

    def forward(self, x):
        return torch.ge(x, 1).to(x.dtype)


class Network(nn.Module):
    """A port of `models/spiking/<name>`. Inputs are `[batch, …]`, of sequences `[steps, batch, …]`."""

    name = ""
    # The shape of one element of a sequence; None where the input does not change.
    frame = None
    # torch's names of layers that the engine calls otherwise.
    renamed = {}

    def card(self):
        return json.loads((MODELS / self.name / "card.json").read_text())

    def weights_file(self):
        return MODELS / self.name / "model.safetensors"

    def read(self, data, steps):
        """Native `input_data` as an input, for a batch of one."""
        values = torch.tensor(data, dtype=torch.get_default_dtype())
        return values[None] if self.frame is None else values.reshape(steps, 1, *self.frame)

    def read_text(self, text, steps):
        if self.frame is None:
            return torch.tensor(texts.trigrams(text))[None]
        return torch.tensor(texts.slices(text, steps))[:, None]

    def batch(self, inputs):
        return torch.cat(inputs, 0 if self.frame is None else 1)

    def variants(self, data):
        """Other native inputs: one the other way round, and one moved."""
        values = np.array(data)
        moved = np.roll(values, 3, 0) if values.ndim == 1 else np.roll(values, (3, 5), (0, 1))
        return [np.flip(values, 0).tolist(), moved.tolist()]

    def extras(self, x, head):
        """What else a run records."""
        return {}

    def facts(self):
        """What else is recorded of the network, whatever its input."""
        return {}

    def run(self, x, head, steps):
        """Logits `[batch, classes]`, from rest."""
        functional.reset_net(self)
        return self(x, head, steps)


def _stored(module, name, values):
    """The engine keeps inputs first and channels last."""
    if name == "weight" and isinstance(module, nn.Linear):
        return values.t()
    if name == "weight" and isinstance(module, nn.Conv2d):
        return values.permute(3, 2, 0, 1)
    return values


def load(network):
    """Fills a port with its trained weights. Every parameter and every tensor of the file is used."""
    weights = load_file(network.weights_file())
    for path, module in network.named_modules():
        known = network.renamed.get(path, path)
        for name, parameter in module.named_parameters(recurse=False):
            own = "leak" if isinstance(module, neuron.ParametricLIFNode) else name
            values = _stored(module, name, weights.pop(".".join(filter(None, (known, own)))))
            parameter.data.copy_(values.reshape(parameter.shape) if values.numel() == 1 else values)
    if weights:
        raise ValueError(f"{network.name} has no place for {sorted(weights)}")
    return network.eval().requires_grad_(False)
