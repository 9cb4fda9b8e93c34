"""Trains LoRA adapters on one core with PyTorch. `adapters.train.ts` starts it.

Reads `base.safetensors` (Hugging Face's names), `recipe.json` and `<slug>.json` (documents of token
ids, with a weight for each) in a folder, and writes `<slug>.safetensors` and `<slug>.figures.json`.
"""

import json
import math
import pathlib
import sys
import time

import torch
import torch.nn.functional as functional
from safetensors.torch import load_file, save_file

folder = pathlib.Path(sys.argv[1])
recipe = json.loads((folder / "recipe.json").read_text())
shape = recipe["shape"]
base = load_file(folder / "base.safetensors")
scale = recipe["alpha"] / recipe["rank"]
torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)


def rotary(positions):
    width = shape["width"] // shape["heads"]
    frequencies = shape["ropeBase"] ** (-torch.arange(0, width, 2).float() / width)
    angles = torch.outer(torch.arange(positions).float(), frequencies)
    angles = torch.cat([angles, angles], -1)
    return angles.cos(), angles.sin()


def rotate(x, tables):
    cos, sin = tables
    one, other = x.chunk(2, -1)
    return x * cos + torch.cat([-other, one], -1) * sin


def norm(x, gain):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + shape["normEpsilon"]) * gain


def linear(x, name, adapter):
    y = functional.linear(x, base[f"{name}.weight"])
    if f"{name}.lora_A" not in adapter:
        return y
    low = functional.linear(x, adapter[f"{name}.lora_A"])
    return y + scale * functional.linear(low, adapter[f"{name}.lora_B"])


def hidden_states(ids, adapter):
    rows, positions = ids.shape
    tables = rotary(positions)
    x = functional.embedding(ids, base["model.embed_tokens.weight"])
    for layer in range(shape["layers"]):
        name = f"model.layers.{layer}"
        h = norm(x, base[f"{name}.input_layernorm.weight"])
        q, k, v = (
            linear(h, f"{name}.self_attn.{role}_proj", adapter)
            .view(rows, positions, shape["heads"], -1)
            .transpose(1, 2)
            for role in "qkv"
        )
        mixed = functional.scaled_dot_product_attention(
            rotate(q, tables), rotate(k, tables), v, is_causal=True
        )
        mixed = mixed.transpose(1, 2).reshape(rows, positions, -1)
        x = x + linear(mixed, f"{name}.self_attn.o_proj", adapter)
        h = norm(x, base[f"{name}.post_attention_layernorm.weight"])
        gate = functional.silu(linear(h, f"{name}.mlp.gate_proj", adapter))
        fed = gate * linear(h, f"{name}.mlp.up_proj", adapter)
        x = x + linear(fed, f"{name}.mlp.down_proj", adapter)
    return norm(x, base["model.norm.weight"])


def batch_of(documents):
    """Ids, and where an answer is: `[rows, positions]` of inputs, targets of the weighted ones."""
    longest = max(len(document["ids"]) for document in documents)
    ids = torch.zeros(len(documents), longest, dtype=torch.long)
    counts = torch.zeros(len(documents), longest, dtype=torch.bool)
    for row, document in enumerate(documents):
        ids[row, : len(document["ids"])] = torch.tensor(document["ids"])
        counts[row, : len(document["ids"])] = torch.tensor(document["weights"]) > 0
    return ids[:, :-1], ids[:, 1:], counts[:, 1:]


def losses(documents, adapter):
    inputs, targets, counts = batch_of(documents)
    answers = hidden_states(inputs, adapter)[counts]
    logits = functional.linear(answers, base["model.embed_tokens.weight"])
    return functional.cross_entropy(logits, targets[counts], reduction="none")


@torch.no_grad()
def held_out_loss(documents, adapter):
    found = [losses(documents[at : at + 16], adapter) for at in range(0, len(documents), 16)]
    return torch.cat(found).double().mean().item()


def frequency_loss(train, held_out):
    """The baseline: tokens of answers drawn by how often they were in the training text."""
    counts = torch.ones(shape["vocabulary"], dtype=torch.double)
    for document in train:
        for token, weight in zip(document["ids"], document["weights"]):
            counts[token] += 1 if weight > 0 else 0
    surprise = -(counts / counts.sum()).log()
    wanted = [
        surprise[token].item()
        for document in held_out
        for token, weight in zip(document["ids"], document["weights"])
        if weight > 0
    ]
    return sum(wanted) / len(wanted), len(wanted)


@torch.no_grad()
def sample(task, adapter):
    produced = []
    while len(produced) < recipe["sampleTokens"]:
        hidden = hidden_states(torch.tensor([task["sample"] + produced]), adapter)[0, -1]
        chosen = functional.linear(hidden, base["model.embed_tokens.weight"]).argmax().item()
        if chosen == task["endId"]:
            break
        produced.append(chosen)
    return produced


def untrained(generator):
    """B is zero, so that training starts at the base model."""
    adapter = {}
    for layer in range(shape["layers"]):
        for target in recipe["targets"]:
            module = "mlp" if target in ("gate_proj", "up_proj", "down_proj") else "self_attn"
            name = f"model.layers.{layer}.{module}.{target}"
            rows, columns = base[f"{name}.weight"].shape
            a = torch.randn(recipe["rank"], columns, generator=generator) / math.sqrt(columns)
            adapter[f"{name}.lora_A"] = a.requires_grad_()
            adapter[f"{name}.lora_B"] = torch.zeros(rows, recipe["rank"]).requires_grad_()
    return adapter


def train(task):
    generator = torch.Generator().manual_seed(task["seed"])
    adapter = untrained(generator)
    optimizer = torch.optim.AdamW(adapter.values(), lr=recipe["learningRate"], weight_decay=0.0)
    steps, rows = recipe["steps"], recipe["rows"]
    # Documents of similar length share a batch, so that little of it is padding.
    documents = sorted(task["training"], key=lambda document: len(document["ids"]))
    batches = [documents[at : at + rows] for at in range(0, len(documents), rows)]
    for step in range(steps):
        share = step / steps
        warm = min(1.0, (step + 1) / 5)
        for group in optimizer.param_groups:
            group["lr"] = recipe["learningRate"] * warm * 0.5 * (1 + math.cos(math.pi * share))
        chosen = batches[torch.randint(len(batches), (1,), generator=generator).item()]
        optimizer.zero_grad()
        losses(chosen, adapter).mean().backward()
        optimizer.step()
    return {name: values.detach().half() for name, values in adapter.items()}


for path in sorted(folder.glob("*.task.json")):
    task = json.loads(path.read_text())
    started = time.monotonic()
    trained = train(task)
    seconds = time.monotonic() - started
    baseline, tokens = frequency_loss(task["training"], task["heldOut"])
    adapter = {name: values.float() for name, values in trained.items()}
    figures = {
        "heldOutLoss": held_out_loss(task["heldOut"], adapter),
        "baseHeldOutLoss": held_out_loss(task["heldOut"], {}),
        "frequencyHeldOutLoss": baseline,
        "heldOutTokens": tokens,
        "sampleIds": sample(task, adapter),
        "seconds": seconds,
    }
    stored = {f"base_model.model.{name}.weight": trained[name].contiguous() for name in trained}
    save_file(stored, folder / f"{task['slug']}.safetensors")
    (folder / f"{task['slug']}.figures.json").write_text(json.dumps(figures))
    print(json.dumps({"slug": task["slug"], **figures, "sampleIds": None}), flush=True)
