"""Trains the image model on one core. `images.train.ts` starts it.

  python train_images.py FOLDER [--steps N]

FOLDER keeps `checkpoint.pt`, from which the same command continues, and gets `model.safetensors`
(half precision, the moving average of the weights) and `figures.json`.
"""

import argparse
import json
import pathlib
import time

import torch
from safetensors.torch import save_file

import network
import scenes
from pool import Pool

ROWS, POOL, FRESH = 32, 8192, 12
RATE, WARM_STEPS, FALLING, AVERAGE = 1.5e-3, 200, 0.3, 0.998
# How many rows learn the picture of no stated attributes, which guidance needs.
ABSENT = 0.1
SEED = 20_251
SAVE_EVERY = 250
TIME_LEAST = 1e-3

options = argparse.ArgumentParser()
options.add_argument("folder", type=pathlib.Path)
options.add_argument("--steps", type=int, default=12_000)
options = options.parse_args()
torch.set_num_threads(1)


def rate_at(step):
    """Level, then down to nothing: a run that is made longer continues from its checkpoint."""
    warm = min(1.0, (step + 1) / WARM_STEPS)
    return RATE * min(warm, (options.steps - step) / (FALLING * options.steps))


def loss_of(model, chosen, pictures, generator):
    rows = len(chosen)
    # Evenly spread times have less variance than times drawn one by one.
    moment = (torch.arange(rows) + torch.rand(rows, generator=generator)) / rows
    moment = TIME_LEAST + (1 - TIME_LEAST) * moment
    noise = torch.randn(pictures.shape, generator=generator)
    absent = torch.rand(rows, generator=generator) < ABSENT
    attributes = network.with_absence(scenes.one_hot(chosen), absent)
    alpha, sigma = (part[:, None, None, None] for part in network.alpha_sigma(moment))
    noisy = alpha * pictures + sigma * noise
    with torch.autocast("cpu", torch.bfloat16):
        predicted = model(noisy, moment, attributes)
    return (predicted.float() - (alpha * noise - sigma * pictures)).pow(2).mean()


@torch.no_grad()
def held_out_loss(model):
    generator = torch.Generator().manual_seed(SEED + 1)
    found = []
    for _ in range(8):
        chosen = scenes.draw_attributes(ROWS, generator, want_held_out=True)
        pictures = scenes.draw(chosen, generator)
        found.append(loss_of(model, chosen, pictures, generator).item())
    return sum(found) / len(found)


generator = torch.Generator().manual_seed(SEED)
torch.manual_seed(SEED)
model, average = network.Denoiser(), network.Denoiser()
average.load_state_dict(model.state_dict())
optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.99), fused=True)
checkpoint = options.folder / "checkpoint.pt"
options.folder.mkdir(parents=True, exist_ok=True)
step, recent, seconds = 0, None, 0.0
if checkpoint.exists():
    kept = torch.load(checkpoint)
    model.load_state_dict(kept["model"])
    average.load_state_dict(kept["average"])
    optimizer.load_state_dict(kept["optimizer"])
    step, recent, seconds = kept["step"], kept["recent"], kept["seconds"]
    # The pool is drawn again; its seed follows from the step.
    generator.manual_seed(SEED + step)
pool = Pool(POOL, FRESH, generator) if step < options.steps else None
started = time.monotonic() - seconds
while step < options.steps:
    for group in optimizer.param_groups:
        group["lr"] = rate_at(step)
    loss = loss_of(model, *pool.rows(ROWS), generator)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    step += 1
    with torch.no_grad():
        share = min(AVERAGE, (1 + step) / (10 + step))
        for kept, new in zip(average.parameters(), model.parameters()):
            kept.lerp_(new, 1 - share)
    recent = loss.item() if recent is None else 0.98 * recent + 0.02 * loss.item()
    if step % SAVE_EVERY == 0 or step == options.steps:
        seconds = time.monotonic() - started
        state = {"step": step, "recent": recent, "seconds": seconds}
        state["model"], state["average"] = model.state_dict(), average.state_dict()
        state["optimizer"] = optimizer.state_dict()
        partial = checkpoint.with_suffix(".part")
        torch.save(state, partial)
        partial.replace(checkpoint)
        print(json.dumps({"step": step, "loss": recent, "seconds": seconds}), flush=True)

half = {name: values.half().contiguous() for name, values in average.state_dict().items()}
average.load_state_dict({name: values.float() for name, values in half.items()})
save_file(half, options.folder / "model.safetensors")
figures = {
    "steps": options.steps,
    "rows": ROWS,
    "seed": SEED,
    "trainingSeconds": time.monotonic() - started,
    "trainingLoss": recent,
    "heldOutLoss": held_out_loss(average),
    "parameters": sum(values.numel() for values in half.values()),
    "torch": torch.__version__,
}
(options.folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
print(json.dumps(figures))
