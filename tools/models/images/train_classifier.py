"""Trains the classifier that reads the attributes of a picture. `images.train.ts` starts it.

  python train_classifier.py FOLDER

It learns from drawings of the generator alone and never sees the image model. FOLDER gets
`classifier.safetensors` and `classifier.json` with its accuracy on held-out combinations.
"""

import json
import math
import pathlib
import sys
import time

import torch
import torch.nn.functional as functional
from safetensors.torch import save_file
from torch import nn

import scenes
from pool import Pool

STEPS, ROWS, POOL, FRESH, RATE, SEED = 4_000, 64, 8_192, 16, 2e-3, 7
# Of each convolution: its channels, and by how much it divides the side.
WIDTHS, STRIDES = (16, 32, 64, 64), (1, 2, 2, 2)
folder = pathlib.Path(sys.argv[1])
torch.set_num_threads(1)
torch.manual_seed(SEED)
generator = torch.Generator().manual_seed(SEED)


class Classifier(nn.Module):
    """Four convolutions, and one layer with the values of all attributes."""

    def __init__(self):
        super().__init__()
        before = (3, *WIDTHS)
        self.conv = nn.ModuleList(
            [
                nn.Conv2d(before[at], width, 3, stride=STRIDES[at], padding=1)
                for at, width in enumerate(WIDTHS)
            ]
        )
        side = scenes.SIDE // math.prod(STRIDES)
        self.head = nn.Linear(WIDTHS[-1] * side * side, scenes.VALUES)

    def forward(self, pictures):
        x = pictures
        for conv in self.conv:
            x = functional.relu(conv(x))
        return self.head(x.flatten(1))


def parts(values):
    return values.split([len(names) for names in scenes.ATTRIBUTES.values()], 1)


def noisy(pictures):
    """A little noise and blur, so that the edges of the generator are not what is learned."""
    blurred = functional.avg_pool2d(pictures, 3, stride=1, padding=1, count_include_pad=False)
    share = torch.rand(len(pictures), 1, 1, 1, generator=generator) * 0.3
    noise = torch.randn(pictures.shape, generator=generator)
    return pictures * (1 - share) + blurred * share + 0.03 * noise


model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=1e-2)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
started = time.monotonic()
pool = Pool(POOL, FRESH, generator)
for step in range(STEPS):
    chosen, pictures = pool.rows(ROWS)
    logits = model(noisy(pictures))
    loss = sum(
        functional.cross_entropy(part, chosen[:, at]) for at, part in enumerate(parts(logits))
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if (step + 1) % 250 == 0:
        print(json.dumps({"step": step + 1, "loss": loss.item()}), flush=True)

half = {name: values.half().contiguous() for name, values in model.state_dict().items()}
model.load_state_dict({name: values.float() for name, values in half.items()})
save_file(half, folder / "classifier.safetensors")
with torch.no_grad():
    chosen = scenes.draw_attributes(2_048, generator, want_held_out=True)
    found = parts(model(scenes.draw(chosen, generator)))
    right = {
        name: (found[at].argmax(1) == chosen[:, at]).double().mean().item()
        for at, name in enumerate(scenes.NAMES)
    }
figures = {"steps": STEPS, "rows": ROWS, "seed": SEED, "heldOutAccuracy": right}
figures["seconds"] = time.monotonic() - started
(folder / "classifier.json").write_text(json.dumps(figures, indent=2) + "\n")
print(json.dumps(figures))
