"""Neurons and surrogates as SpikingJelly and snnTorch compute them."""

import torch
from snntorch import Leaky
from snntorch import surrogate as snntorch_surrogate
from spikingjelly.activation_based import neuron, surrogate

STEPS = 12
NEURONS = 3

SLOPES = {
    "atan": lambda: surrogate.ATan(alpha=2.0),
    "sigmoid": lambda: surrogate.Sigmoid(alpha=4.0),
    "fastSigmoid": lambda: snntorch_surrogate.fast_sigmoid(slope=25),
}


def exact(tensor):
    """Multiples of 1/256: the same number as a decimal, as 32 bits and as 64 bits."""
    return torch.round(tensor * 256) / 256


def node(model, tau, decay_input, v_reset, detach_reset):
    options = {
        "decay_input": decay_input,
        "v_reset": v_reset,
        "surrogate_function": surrogate.ATan(alpha=2.0),
        "detach_reset": detach_reset,
    }
    if model == "PLIFNode":
        return neuron.ParametricLIFNode(init_tau=tau, **options)
    return neuron.LIFNode(tau=tau, **options)


def run(model, tau, decay_input, v_reset, detach_reset, generator):
    """One run from rest, and the gradients of sum(weight * spike)."""
    inputs = exact(1.1 + torch.randn(STEPS, NEURONS, generator=generator))
    if not decay_input:
        inputs = exact(inputs / tau)
    weights = exact(torch.randn(STEPS, NEURONS, generator=generator))
    inputs.requires_grad_(True)
    layer = node(model, tau, decay_input, v_reset, detach_reset)
    spikes, membranes = [], []
    for step in range(STEPS):
        spikes.append(layer(inputs[step]))
        membranes.append(layer.v)
    (torch.stack(spikes) * weights).sum().backward()
    leak = layer.w.grad.item() if model == "PLIFNode" else None
    return {
        "model": model,
        "tau": tau,
        "decayInput": decay_input,
        "resetTo": v_reset,
        "detachReset": detach_reset,
        "inputs": inputs.tolist(),
        "weights": weights.tolist(),
        "spikes": torch.stack(spikes).int().tolist(),
        "membranes": torch.stack(membranes).tolist(),
        "inputGradients": inputs.grad.tolist(),
        "leakParameterGradient": leak,
    }


def slopes():
    """Derivatives of the surrogates at x = potential - threshold."""
    result = {}
    for name, make in SLOPES.items():
        x = torch.linspace(-2, 2, 33, requires_grad=True)
        make()(x).sum().backward()
        result[name] = {"x": x.tolist(), "slope": x.grad.tolist()}
    return result


def leaky(tau, generator):
    """snnTorch's Leaky, as close to LIFNode(decay_input=False, v_reset=None) as it comes."""
    inputs = exact(0.6 + 0.5 * torch.randn(STEPS, NEURONS, generator=generator))
    result = {"tau": tau, "inputs": inputs.tolist()}
    for name, delay in (("immediate", False), ("delayed", True)):
        layer = Leaky(beta=1 - 1 / tau, reset_mechanism="subtract", reset_delay=delay)
        membrane = torch.zeros(NEURONS)
        spikes, membranes = [], []
        for step in range(STEPS):
            spike, membrane = layer(inputs[step], membrane)
            spikes.append(spike.detach().int().tolist())
            membranes.append(membrane.detach().tolist())
        result[name] = {"spikes": spikes, "membranes": membranes}
    return result


def on_threshold():
    """One neuron that lands exactly on its threshold: who fires?"""
    lif = neuron.LIFNode(tau=2.0, decay_input=False, v_reset=None)
    other = Leaky(beta=0.5, reset_mechanism="subtract", reset_delay=False)
    spike, _ = other(torch.ones(1), torch.zeros(1))
    return {"spikingjelly": int(lif(torch.ones(1)).item()), "snntorch": int(spike.item())}


def record():
    generator = torch.Generator().manual_seed(1_717)
    runs = [
        run(model, tau, decay_input, v_reset, detach_reset, generator)
        for model in ("LIFNode", "PLIFNode")
        for tau in (2.0, 5.0)
        for decay_input in (True, False)
        for v_reset in (0.0, None)
        for detach_reset in (False, True)
    ]
    return {
        "runs": runs,
        "surrogates": slopes(),
        "snntorch": leaky(4.0, generator),
        "onThreshold": on_threshold(),
    }
