"""
A short distillation and its speed, by PyTorch, on the network of `tools/models/family/llama.py`.

  python training.py record    writes vectors/run.json: the loss of each step
  python training.py speed     prints {"tokens_per_second": …} for the shape of nano on two threads
"""

import json
import math
import sys
import time
from importlib.metadata import version
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parents[3] / "tools/models/family"))

import llama  # noqa: E402
import losses  # noqa: E402

RUN = {"steps": 12, "rows": 4, "positions": 16, "learningRate": 0.003}
TERMS = {"temperature": 2.0, "alpha": 0.75, "beta": 0.25}
MICRO = {
    "vocabulary": 64,
    "width": 32,
    "layers": 2,
    "heads": 4,
    "feedForwardWidth": 48,
    "contextLength": 64,
    "ropeBase": 10_000.0,
    "normEpsilon": 1e-5,
}
NANO = MICRO | {"vocabulary": 1280, "width": 128, "layers": 4, "feedForwardWidth": 352}
BETAS, DECAY, NORM_MAX = (0.9, 0.98), 0.05, 1.0
SPEED = {"steps": 12, "warm_up": 3, "rows": 8, "positions": 256, "threads": 2}


def wave(size: list[int], phase: int) -> torch.Tensor:
    """Weights that the other side computes again: gains of 1, and sines."""
    if len(size) == 1:
        return torch.ones(size)
    at = torch.arange(math.prod(size), dtype=torch.float64)
    return (torch.sin(at * 0.7 + at * at * 0.013 + phase) / size[1] ** 0.5).float().view(size)


def model_of(shape: dict, phase: int) -> llama.Llama:
    model = llama.Llama(llama.Shape(**shape))
    named = model.tensors()
    model.load_tensors({name: wave(list(one.shape), phase) for name, one in named.items()})
    return model


def ids_of(step: int, rows: int, positions: int, vocabulary: int) -> torch.Tensor:
    """Inputs and the target behind the last one, `[rows, positions + 1]`."""
    at = torch.arange(rows * (positions + 1)).view(rows, positions + 1)
    return (at * at * 7 + at * 3 + step * 11) % vocabulary


def optimizer_of(model: llama.Llama) -> torch.optim.Optimizer:
    matrices = [one for one in model.parameters() if one.ndim > 1]
    gains = [one for one in model.parameters() if one.ndim == 1]
    groups = [
        {"params": matrices, "weight_decay": DECAY},
        {"params": gains, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=RUN["learningRate"], betas=BETAS, eps=1e-8)


def step_of(student, teacher, optimizer, ids: torch.Tensor) -> float:
    inputs, targets = ids[:, :-1], ids[:, 1:].reshape(-1)
    width = student.shape.vocabulary
    with torch.no_grad():
        guide = teacher(inputs).view(-1, width)
    weights = torch.ones(targets.shape)
    logits = student(inputs).view(-1, width)
    loss = losses.distillation(logits, guide, targets, weights, **TERMS)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(student.parameters(), NORM_MAX)
    optimizer.step()
    return loss.item()


def record() -> None:
    student, teacher = model_of(MICRO, 1), model_of(MICRO, 2)
    optimizer = optimizer_of(student)
    rows, positions = RUN["rows"], RUN["positions"]
    curve = [
        step_of(student, teacher, optimizer, ids_of(step, rows, positions, MICRO["vocabulary"]))
        for step in range(RUN["steps"])
    ]
    vectors = {
        "programs": {"torch": version("torch")},
        "shape": MICRO,
        "run": RUN,
        "terms": TERMS,
        "losses": [float(f"{loss:.8g}") for loss in curve],
    }
    folder = Path(__file__).parent / "vectors"
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(vectors, indent=2) + "\n")


def speed() -> None:
    torch.set_num_threads(SPEED["threads"])
    student, teacher = model_of(NANO, 1), model_of(NANO, 2)
    optimizer = optimizer_of(student)
    rows, positions = SPEED["rows"], SPEED["positions"]
    started = 0.0
    for step in range(SPEED["warm_up"] + SPEED["steps"]):
        if step == SPEED["warm_up"]:
            started = time.perf_counter()
        ids = ids_of(step, rows, positions, NANO["vocabulary"])
        step_of(student, teacher, optimizer, ids)
    seconds = time.perf_counter() - started
    tokens = SPEED["steps"] * rows * positions
    print(json.dumps({"tokens_per_second": tokens / seconds}))


if __name__ == "__main__":
    {"record": record, "speed": speed}[sys.argv[1]]()
