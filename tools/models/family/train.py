"""
Trains one model of the family by a plan that `npm run models:train -- family` writes.

  python train.py PLAN.json

Writes `weights` (safetensors) when the last step is done, and a checkpoint every few minutes from
which the same command goes on. One thread: the same plan gives the same weights on one machine.
Each line of the output is a JSON object.
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from llama import Llama, Shape
from losses import cross_entropy, distillation
from rows import Batch, Rows

CHECKPOINT_EVERY_STEPS = 200
GRADIENT_NORM_MAX = 1.0


def learning_rate(step: int, rate: dict) -> float:
    """Up in a straight line while warming up, then down in another; a stage may end before `final`."""
    if step < rate["warmUpSteps"]:
        return rate["peak"] * (step + 1) / rate["warmUpSteps"]
    left = 1 - (step - rate["warmUpSteps"]) / (rate["descentSteps"] - rate["warmUpSteps"])
    return rate["final"] + (rate["peak"] - rate["final"]) * left


def optimizer_of(model: Llama, plan: dict) -> torch.optim.AdamW:
    matrices = [p for p in model.parameters() if p.ndim == 2]
    gains = [p for p in model.parameters() if p.ndim == 1]
    groups = [
        {"params": matrices, "weight_decay": plan["weightDecay"]},
        {"params": gains, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), fused=True)


def teacher_of(plan: dict, folder: Path) -> Llama | None:
    if plan["distillation"] is None:
        return None
    named = plan["distillation"]["teacher"]
    teacher = Llama(Shape(**named["shape"]))
    teacher.load_tensors(load_file(folder / named["weights"]))
    return teacher.eval()


def loss_of(model: Llama, teacher: Llama | None, batch: Batch, plan: dict) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(batch.ids).float().flatten(0, 1)
        if teacher is None:
            return cross_entropy(logits, batch.targets, batch.weights)
        with torch.no_grad():
            taught = teacher(batch.ids).float().flatten(0, 1)
    counted = batch.weights > 0
    return distillation(
        logits[counted],
        taught[counted],
        batch.targets[counted],
        batch.weights[counted],
        temperature=plan["distillation"]["temperature"],
        alpha=plan["distillation"]["alpha"],
        beta=plan["distillation"]["beta"],
    )


@dataclass(frozen=True)
class Step:
    rows: Rows
    index: int
    learning_rate: float


def steps_of(plan: dict, folder: Path) -> list[Step]:
    steps = []
    for stage in plan["stages"]:
        rows = Rows(folder / stage["file"], stage["rows"], stage["positions"])
        for index in range(len(rows)):
            steps.append(Step(rows, index, learning_rate(index, stage["learningRate"])))
    return steps


class Training:
    """A model with its optimizer, and how far it has come by its plan."""

    def __init__(self, plan: dict, folder: Path, checkpoint: Path) -> None:
        self.plan, self.checkpoint = plan, checkpoint
        self.steps = steps_of(plan, folder)
        self.model = Llama(Shape(**plan["shape"]))
        self.optimizer = optimizer_of(self.model, plan)
        self.teacher = teacher_of(plan, folder)
        self.done, self.seconds = 0, 0.0
        if checkpoint.exists():
            self.restore(torch.load(checkpoint))

    def restore(self, state: dict) -> None:
        if state["plan"] != self.plan:
            raise SystemExit(f"{self.checkpoint} is of another plan: delete it to begin again")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.done, self.seconds = state["done"], state["seconds"]

    def save(self) -> None:
        state = {"plan": self.plan, "done": self.done, "seconds": self.seconds}
        parts = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        fresh = self.checkpoint.with_suffix(".new")
        torch.save(state | parts, fresh)
        os.replace(fresh, self.checkpoint)

    def take(self, step: Step) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = step.learning_rate
        loss = loss_of(self.model, self.teacher, step.rows.batch(step.index), self.plan)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), GRADIENT_NORM_MAX)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.item()

    def run(self) -> None:
        started, losses = time.monotonic() - self.seconds, []
        for step in self.steps[self.done :]:
            losses.append(self.take(step))
            self.done += 1
            if self.done % CHECKPOINT_EVERY_STEPS == 0 or self.done == len(self.steps):
                self.seconds = time.monotonic() - started
                self.save()
                said = {"step": self.done, "trainingLoss": sum(losses) / len(losses)}
                print(json.dumps(said | {"seconds": round(self.seconds)}), flush=True)
                losses = []


def main(plan_file: Path) -> None:
    plan, folder = json.loads(plan_file.read_text()), plan_file.parent
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(plan["seed"])
    training = Training(plan, folder, plan_file.with_suffix(".checkpoint.pt"))
    training.run()
    save_file(training.model.tensors(), folder / plan["weights"])
    (folder / plan["result"]).write_text(json.dumps({"seconds": training.seconds}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
