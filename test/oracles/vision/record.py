"""
The detector in PyTorch with the shipped weights, its patches, and OpenCV's way of the classical pipeline:
grey, blur, threshold, connected components and suppression.

  python record.py           writes vectors.json
  python record.py speed     answers each line of standard input, a number of frames, with the CPU
                             seconds of as many looks of the detector, one after the other, on one thread
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import load_file

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "tools/models/vision"))

import frames  # noqa: E402
import network  # noqa: E402

WEIGHTS = ROOT / "models/vision/quipu-shapes/model.safetensors"
SIDE, DECIMALS, CELL_STEP = 48, 6, 5
torch.set_num_threads(1)


def pixels_of(seed, height, width):
    """Bytes by row, column and colour: smooth waves with noise, the same in both languages."""
    return [
        (at * 7919 * (seed + 1) + (at // 3 % width) * 31 + (at // 3 // width) * 17) % 251
        for at in range(3 * height * width)
    ]


def scene_pixels(seed):
    """A frame of the generator as bytes."""
    drawn, _, _ = frames.draw(1, torch.Generator().manual_seed(seed))
    return (drawn[0] * 255).round().byte().permute(1, 2, 0).contiguous()


@torch.inference_mode()
def detector(tensors):
    found = []
    for seed in (1, 2):
        pixels = scene_pixels(seed)
        picture = (pixels.float() / 255).permute(2, 0, 1)[None]
        output = network.run_folded(tensors, picture)[0].permute(1, 2, 0).flatten(0, 1)
        patches = torch.nn.functional.unfold(picture, 8, stride=8)[0].T - tensors["patches.mean"]
        shares = patches @ tensors["patches.components"].T
        errors = (patches - shares @ tensors["patches.components"]).pow(2).mean(1)
        found.append(
            {
                "pixels": bytes(pixels.flatten().tolist()).hex(),
                "cells": [round(value, DECIMALS) for value in output[::CELL_STEP].flatten().tolist()],
                "errors": [round(value, 8) for value in errors.tolist()],
            }
        )
    return found


def classical():
    import cv2
    import numpy

    found = []
    for seed in (4, 5, 6):
        pixels = scene_pixels(seed).numpy()[:SIDE]
        grey = cv2.cvtColor(numpy.ascontiguousarray(pixels), cv2.COLOR_RGB2GRAY)
        blurred = cv2.GaussianBlur(grey, (3, 3), 0, borderType=cv2.BORDER_REPLICATE)
        threshold, mask = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        count, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8)
        found.append(
            {
                "width": pixels.shape[1],
                "height": pixels.shape[0],
                "pixels": pixels.tobytes().hex(),
                "grey": grey.tobytes().hex(),
                "blurred": blurred.tobytes().hex(),
                "threshold": threshold,
                "mask": mask.tobytes().hex(),
                "components": sorted(
                    [*(int(value) for value in stats[at]), *(round(float(v), 6) for v in centres[at])]
                    for at in range(1, count)
                ),
            }
        )
    return found


def suppression():
    import cv2

    found = []
    for seed in range(4):
        numbers = pixels_of(seed, 20, 4)
        boxes = [
            (numbers[5 * at] % 60, numbers[5 * at + 1] % 60, 10 + numbers[5 * at + 2] % 25, 10 + numbers[5 * at + 3] % 25)
            for at in range(40)
        ]
        scores = [round(0.3 + (at * 37 % 41) / 64 + seed / 1000, 6) for at in range(40)]
        for overlap in (0.1, 0.4, 0.7):
            kept = cv2.dnn.NMSBoxes(boxes, scores, 0.25, overlap)
            found.append({"boxes": boxes, "scores": scores, "overlap": overlap, "kept": [int(at) for at in kept]})
    return found


def load():
    return {name: values.float() for name, values in load_file(WEIGHTS).items()}


@torch.inference_mode()
def speed(tensors):
    picture = torch.rand(1, 3, frames.SIDE, frames.SIDE)
    network.run_folded(tensors, picture)
    for line in sys.stdin:
        started = time.process_time()
        for _ in range(int(line)):
            network.run_folded(tensors, picture)
        print(time.process_time() - started, flush=True)


if sys.argv[1:] == ["speed"]:
    speed(load())
else:
    import cv2

    recorded = {
        "torch": torch.__version__,
        "opencv": cv2.__version__,
        "weightsSha256": hashlib.sha256(WEIGHTS.read_bytes()).hexdigest(),
        "detector": detector(load()),
        "classical": classical(),
        "suppression": suppression(),
    }
    (Path(__file__).parent / "vectors.json").write_text(json.dumps(recorded) + "\n")
