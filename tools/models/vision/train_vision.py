"""Trains the detector on one core, and fits the patches of the anomaly. `vision.train.ts` starts it.

  python train_vision.py FOLDER [--steps N]

FOLDER keeps `checkpoint.pt`, from which the same command continues, and gets `model.safetensors`
(half precision), `figures.json`, and held-out frames with their boxes, which the engine is
measured on.
"""

import argparse
import json
import pathlib
import time

import torch
import torch.nn.functional as functional
from safetensors.torch import save_file

import frames
import network

ROWS, POOL, FRESH, DRAWN_AT_ONCE = 32, 2048, 8, 256
RATE, WARM_STEPS, FALLING = 3e-3, 100, 0.4
SEED = 33_012
SAVE_EVERY = 50
# The weights of the parts of the loss.
COLOUR_WEIGHT, BOX_WEIGHT = 0.5, 1.0
# Patches of the anomaly: pixels of a side, components, patches of the fit.
PATCH, COMPONENTS, FIT_FRAMES = 8, 24, 1024
# Held-out frames: without an object that training saw, and with anomalies of each kind.
CALIBRATION, HELD_OUT, ANOMALIES = 600, 300, 120
ANOMALY_KINDS = ("noise", "checkerboard", "scribble")

options = argparse.ArgumentParser()
options.add_argument("folder", type=pathlib.Path)
options.add_argument("--steps", type=int, default=2_000)
options = options.parse_args()
torch.set_num_threads(1)


def rate_at(step):
    """Level, then down to nothing: a run that is made longer continues from its checkpoint."""
    warm = min(1.0, (step + 1) / WARM_STEPS)
    return RATE * min(warm, (options.steps - step) / (FALLING * options.steps))


def targets_of(objects, boxes):
    """Heat `[n, shapes, cells, cells]`, and for each object its cell and what belongs there."""
    count = len(boxes)
    centre = (boxes[:, :, :2] + boxes[:, :, 2:]) / 2 / network.PATCH
    size = (boxes[:, :, 2:] - boxes[:, :, :2]) / network.PATCH
    cell = centre.floor().clamp(0, network.CELLS - 1)
    line = torch.arange(network.CELLS).float() + 0.5
    spread = (size / 6).clamp(min=0.4)
    away = [
        ((line[None, None] - centre[:, :, axis, None]) / spread[:, :, axis, None]).pow(2)
        for axis in (0, 1)
    ]
    heat_of = torch.exp(-0.5 * (away[1][:, :, :, None] + away[0][:, :, None, :]))
    heat = torch.zeros(count, network.SHAPES, network.CELLS, network.CELLS)
    rows = torch.arange(count)
    for at in range(frames.OBJECTS_MAX):
        present = objects["present"][:, at]
        own = heat_of[present, at]
        x, y = cell[present, at].long().unbind(1)
        own[torch.arange(len(own)), y, x] = 1
        where = (rows[present], objects["shape"][present, at])
        heat[where] = torch.maximum(heat[where], own)
    return heat, cell.long(), centre - cell, size.clamp(min=0.1).log()


def loss_of(output, objects, boxes):
    heat, cell, offset, size = targets_of(objects, boxes)
    scores = output[:, : network.SHAPES]
    is_centre = heat == 1
    log_heat, log_rest = functional.logsigmoid(scores), functional.logsigmoid(-scores)
    share = scores.sigmoid()
    focal = torch.where(
        is_centre, (1 - share).pow(2) * log_heat, (1 - heat).pow(4) * share.pow(2) * log_rest
    )
    present = objects["present"]
    number = present.sum().clamp(min=1)
    row, which = present.nonzero(as_tuple=True)
    x, y = cell[row, which].unbind(1)
    own = output[row, :, y, x]
    colours = own[:, network.SHAPES : network.SHAPES + network.COLOURS]
    colour = functional.cross_entropy(colours, objects["colour"][row, which], reduction="sum")
    box = own[:, network.SHAPES + network.COLOURS :]
    wanted = torch.cat([offset[row, which], size[row, which]], 1)
    off = functional.smooth_l1_loss(box, wanted, reduction="sum", beta=0.1)
    return (-focal.sum() + COLOUR_WEIGHT * colour + BOX_WEIGHT * off) / number


class Pool:
    """Frames to learn from; every step replaces some, as drawing costs more than choosing."""

    def __init__(self, generator):
        self.generator = generator
        drawn = [frames.draw(DRAWN_AT_ONCE, generator) for _ in range(POOL // DRAWN_AT_ONCE)]
        self.pictures = torch.cat([pictures for pictures, _, _ in drawn])
        self.boxes = torch.cat([boxes for _, _, boxes in drawn])
        self.objects = {
            name: torch.cat([objects[name] for _, objects, _ in drawn])
            for name in ("shape", "colour", "present")
        }
        self.at = 0

    def rows(self):
        place = (self.at + torch.arange(FRESH)) % POOL
        self.pictures[place], objects, self.boxes[place] = frames.draw(FRESH, self.generator)
        for name, kept in self.objects.items():
            kept[place] = objects[name]
        self.at = (self.at + FRESH) % POOL
        chosen = torch.randint(POOL, (ROWS,), generator=self.generator)
        objects = {name: kept[chosen] for name, kept in self.objects.items()}
        return self.pictures[chosen], objects, self.boxes[chosen]


def patches_of(pictures):
    """`[pictures, patches, numbers]`, each patch by colour, then row, then column."""
    return functional.unfold(pictures, PATCH, stride=PATCH).transpose(1, 2)


def fit_patches(generator):
    """The mean and the first components of patches: what the reconstruction of a frame is made of."""
    pictures = torch.cat([frames.draw(DRAWN_AT_ONCE, generator)[0] for _ in range(FIT_FRAMES // DRAWN_AT_ONCE)])
    patches = patches_of(pictures).flatten(0, 1).double()
    mean = patches.mean(0)
    _, vectors = torch.linalg.eigh(torch.cov((patches - mean).T))
    return mean.float(), vectors.flip(1)[:, :COMPONENTS].T.float().contiguous()


def write_held_out(folder, generator):
    """Frames as bytes, by row, column and colour, and the objects of each."""
    with open(folder / "held-out.bin", "wb") as file:
        listed = []
        parts = [("calibration", CALIBRATION, None), ("heldOut", HELD_OUT, None)]
        parts += [("anomaly", ANOMALIES, kind) for kind in ANOMALY_KINDS]
        for part, count, kind in parts:
            pictures, objects, boxes = frames.draw(count, generator, want_held_out=True)
            if kind:
                pictures = frames.with_anomalies(pictures, kind, generator)
            file.write((pictures * 255).round().byte().permute(0, 2, 3, 1).contiguous().numpy().tobytes())
            for at in range(count):
                present = objects["present"][at].nonzero()[:, 0].tolist()
                found = [
                    {
                        "shape": frames.SHAPES[objects["shape"][at, which]],
                        "colour": frames.COLOURS[objects["colour"][at, which]],
                        "box": (boxes[at, which] / frames.SIDE).tolist(),
                    }
                    for which in present
                ]
                listed.append({"part": part, "kind": kind, "objects": found})
    (folder / "held-out.json").write_text(json.dumps(listed))


generator = torch.Generator().manual_seed(SEED)
torch.manual_seed(SEED)
model = network.Detector().to(memory_format=torch.channels_last)
optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), fused=True)
checkpoint = options.folder / "checkpoint.pt"
options.folder.mkdir(parents=True, exist_ok=True)
step, recent, seconds = 0, None, 0.0
if checkpoint.exists():
    kept = torch.load(checkpoint)
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    step, recent, seconds = kept["step"], kept["recent"], kept["seconds"]
    # The pool is drawn again; its seed follows from the step.
    generator.manual_seed(SEED + step)
pool = Pool(generator) if step < options.steps else None
started = time.monotonic() - seconds
model.train()
while step < options.steps:
    for group in optimizer.param_groups:
        group["lr"] = rate_at(step)
    pictures, objects, boxes = pool.rows()
    with torch.autocast("cpu", torch.bfloat16):
        output = model(pictures.contiguous(memory_format=torch.channels_last))
    loss = loss_of(output.float(), objects, boxes)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    step += 1
    recent = loss.item() if recent is None else 0.98 * recent + 0.02 * loss.item()
    if step % SAVE_EVERY == 0 or step == options.steps:
        seconds = time.monotonic() - started
        state = {"step": step, "recent": recent, "seconds": seconds}
        state["model"], state["optimizer"] = model.state_dict(), optimizer.state_dict()
        partial = checkpoint.with_suffix(".part")
        torch.save(state, partial)
        partial.replace(checkpoint)
        print(json.dumps({"step": step, "loss": recent, "seconds": seconds}), flush=True)

model.eval()
tensors = network.folded(model)
generator.manual_seed(SEED - 1)
tensors["patches.mean"], tensors["patches.components"] = fit_patches(generator)
half = {name: values.half().contiguous() for name, values in tensors.items()}
save_file(half, options.folder / "model.safetensors")
write_held_out(options.folder, generator.manual_seed(SEED + options.steps + 1))
figures = {
    "steps": options.steps,
    "rows": ROWS,
    "seed": SEED,
    "trainingSeconds": time.monotonic() - started,
    "trainingLoss": recent,
    "parameters": sum(values.numel() for name, values in half.items()),
    "torch": torch.__version__,
}
(options.folder / "figures.json").write_text(json.dumps(figures, indent=2) + "\n")
print(json.dumps(figures))
