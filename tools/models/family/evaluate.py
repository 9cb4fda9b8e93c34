"""
Puts questions to a trained model and scores it on held-out rows, by an order in JSON.

  python evaluate.py ORDER.json

Writes the file that the order names as `result`. All arithmetic is in 32-bit floats on one thread.
"""

import json
import math
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

from llama import Llama, Shape
from losses import cross_entropy
from rows import Rows


def load(folder: Path, described: dict) -> Llama:
    model = Llama(Shape(**described["shape"]))
    model.load_tensors(load_file(folder / described["weights"]))
    return model.eval()


def score(model: Llama, rows: Rows) -> dict:
    """exp of the mean -log p over the weighted tokens."""
    loss = tokens = 0.0
    for index in range(len(rows)):
        batch = rows.batch(index)
        weight = batch.weights.sum().item()
        logits = model(batch.ids).flatten(0, 1)
        loss += cross_entropy(logits, batch.targets, batch.weights).item() * weight
        tokens += weight
    return {"perplexity": math.exp(loss / tokens), "tokens": round(tokens)}


def next_logits(model: Llama, ids: list[int]) -> torch.Tensor:
    return model(torch.tensor([ids]))[0, -1]


def answer(model: Llama, asked: dict, end: int, generator: torch.Generator) -> list[int]:
    ids = list(asked["ids"])
    while len(ids) - len(asked["ids"]) < asked["tokensMax"]:
        logits = next_logits(model, ids)
        if asked["temperature"] == 0:
            chosen = int(logits.argmax())
        else:
            shares = (logits / asked["temperature"]).softmax(-1)
            chosen = int(torch.multinomial(shares, 1, generator=generator))
        if chosen == end:
            break
        ids.append(chosen)
    return ids[len(asked["ids"]) :]


def acceptance(draft: Llama, target: Llama, order: dict, end: int) -> dict:
    """
    How well `draft` foretells `target`, over the greedy answers of `target` to held-out questions.

    `greedyByPosition[k]` is the share of places at which the next k + 1 tokens of the draft are all
    those of the target. `sampled` is the mean of `sum(min(p, q))` at temperature 1, which is the
    probability that rejection sampling keeps one proposed token.
    """
    kept = [[0, 0] for _ in range(order["positions"])]
    overlaps = []
    for ids in order["prompts"]:
        asked = {"ids": ids, "temperature": 0, "tokensMax": order["tokensMax"]}
        text = ids + answer(target, asked, end, torch.Generator())
        wanted = target(torch.tensor([text]))[0, len(ids) - 1 :]
        guessed = draft(torch.tensor([text]))[0, len(ids) - 1 :]
        same = (wanted.argmax(-1) == guessed.argmax(-1)).tolist()
        overlaps += torch.minimum(wanted.softmax(-1), guessed.softmax(-1)).sum(-1).tolist()
        for start in range(len(same)):
            for ahead in range(min(order["positions"], len(same) - start)):
                kept[ahead][0] += all(same[start : start + ahead + 1])
                kept[ahead][1] += 1
    return {
        "prompts": len(order["prompts"]),
        "tokens": len(overlaps),
        "greedyByPosition": [all_same / places for all_same, places in kept],
        "sampled": sum(overlaps) / len(overlaps),
    }


@torch.no_grad()
def main(order_file: Path) -> None:
    order, folder = json.loads(order_file.read_text()), order_file.parent
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = load(folder, order["model"])
    generator = torch.Generator().manual_seed(order["seed"])
    end = order["endId"]
    result = {
        "heldOut": {
            name: score(model, Rows(folder / rows["file"], rows["rows"], rows["positions"]))
            for name, rows in order["heldOut"].items()
        },
        "answers": [answer(model, asked, end, generator) for asked in order["asked"]],
        "logits": [next_logits(model, ids).tolist() for ids in order["logits"]],
        "acceptance": None,
    }
    if order["acceptance"] is not None:
        target = load(folder, order["acceptance"]["target"])
        result["acceptance"] = acceptance(model, target, order["acceptance"], end)
    (folder / order["result"]).write_text(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
