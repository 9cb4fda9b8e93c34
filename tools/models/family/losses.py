"""What is minimised: cross-entropy, and the distillation of a teacher into a student."""

import torch.nn.functional as F
from torch import Tensor


def cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """The weighted mean of -log p. `logits` is `[n, vocabulary]`, the others `[n]`."""
    losses = F.cross_entropy(logits, targets, reduction="none")
    return (losses * weights).sum() / weights.sum()


def divergence(student: Tensor, teacher: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """The weighted mean of KL(teacher || student), both softened by `temperature`."""
    losses = F.kl_div(
        F.log_softmax(student / temperature, -1),
        F.log_softmax(teacher / temperature, -1),
        reduction="none",
        log_target=True,
    ).sum(-1)
    return (losses * weights).sum() / weights.sum()


def distillation(
    student: Tensor,
    teacher: Tensor,
    targets: Tensor,
    weights: Tensor,
    *,
    temperature: float,
    alpha: float,
    beta: float,
) -> Tensor:
    """
    `alpha T² KL + beta CE` (Hinton, Vinyals, Dean 2015, https://arxiv.org/abs/1503.02531): softening
    divides the gradient of KL by T², and the factor gives it back.
    """
    soft = temperature**2 * divergence(student, teacher, weights, temperature)
    return alpha * soft + beta * cross_entropy(student, targets, weights)
