"""Values and gradients of the loss in `tools/models/family/losses.py`, by PyTorch's autograd."""

import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parents[3] / "tools/models/family"))

import losses  # noqa: E402

CASES = (
    {"temperature": 1.0, "alpha": 1.0, "beta": 0.0},
    {"temperature": 1.5, "alpha": 0.9, "beta": 0.1},
    {"temperature": 4.0, "alpha": 1.0, "beta": 0.0},
    {"temperature": 2.0, "alpha": 0.0, "beta": 1.0},
)
POSITIONS, VOCABULARY = 5, 7


def record() -> dict:
    generator = torch.Generator().manual_seed(4)
    shape = (POSITIONS, VOCABULARY)
    student = torch.randn(shape, generator=generator, dtype=torch.float64) * 2
    teacher = torch.randn(shape, generator=generator, dtype=torch.float64) * 3
    targets = torch.randint(0, VOCABULARY, (POSITIONS,), generator=generator)
    weights = torch.tensor([1.0, 1.0, 0.1, 0.0, 1.0], dtype=torch.float64)
    cases = []
    for case in CASES:
        given = student.clone().requires_grad_()
        loss = losses.distillation(given, teacher, targets, weights, **case)
        loss.backward()
        cases.append({**case, "loss": loss.item(), "gradient": given.grad.tolist()})
    return {
        "student": student.tolist(),
        "teacher": teacher.tolist(),
        "targets": targets.tolist(),
        "weights": weights.tolist(),
        "cases": cases,
    }
