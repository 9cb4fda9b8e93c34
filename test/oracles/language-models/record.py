"""
Records what `transformers` computes from the shipped language models, and what PyTorch's autograd says of
the loss by which the draft is trained.

  python record.py            writes vectors/*.json
  python record.py --check    compares them with a fresh run; exit status 1 if one differs
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import torch

import distillation
import models

VECTORS = Path(__file__).parent / "vectors"
PROGRAMS = ("gguf", "numpy", "torch", "transformers")
TOLERANCE = 1e-5


def rounded(value):
    """Seven significant digits: a thousandth of what the specs allow."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def equal(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return None not in (one, other) and abs(one - other) <= TOLERANCE * max(1, abs(one))
    return one == other


def records():
    for name, draft in models.SHIPPED:
        yield name, lambda name=name, draft=draft: models.record(name, draft)
    yield "distillation", distillation.record


def main(check):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    versions = {name: version(name) for name in PROGRAMS}
    differing = []
    for name, record in records():
        file = VECTORS / f"{name}.json"
        fresh = {"programs": versions, **rounded(record())}
        if not check:
            file.write_text(json.dumps(fresh, separators=(",", ":"), ensure_ascii=False) + "\n")
        elif not equal(json.loads(file.read_text()), json.loads(json.dumps(fresh))):
            differing.append(file.name)
    for name in differing:
        print(f"{name} differs from a fresh run", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
