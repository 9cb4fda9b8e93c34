"""
The image model in PyTorch: the network of `tools/models/images/network.py` with the shipped weights, and
a sampler of its own.

  python record.py           writes vectors.json: pictures of scenes
  python record.py speed     answers each line of standard input, a number of steps, with the CPU
                             seconds of one picture on one thread
"""

import hashlib
import json
import math
import sys
import time
from pathlib import Path

import torch
from safetensors.torch import load_file

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "tools/models/images"))

import network  # noqa: E402
import scenes  # noqa: E402

WEIGHTS = ROOT / "models/images/quipu-scenes/model.safetensors"
TIME_MAX = 0.995
DECIMALS = 6
ALONE = {"size": "large", "count": "one", "column": "centre", "row": "middle"}
CASES = [
    {
        "scene": {"shape": "star", "colour": "red", "background": "white", "pattern": "plain"} | ALONE,
        "seed": 7,
        "steps": 16,
        "guidance": 2,
        "strength": None,
    },
    {
        "scene": {"shape": "ring", "colour": "black", "background": "cyan", "pattern": "striped"}
        | ALONE
        | {"size": "medium", "count": "three"},
        "seed": 4_294_967_295,
        "steps": 5,
        "guidance": 1,
        "strength": None,
    },
    {
        "scene": {"shape": "heart", "colour": "pink", "background": "blue", "pattern": "gradient"}
        | ALONE
        | {"column": "left", "row": "top", "size": "small"},
        "seed": 0,
        "steps": 8,
        "guidance": 3.5,
        # From a picture that is grey, but for its noise.
        "strength": 0.6,
    },
]
torch.set_num_threads(1)


def uniform(seed):
    """Mulberry32, as `libs/engines/training/seeded-random.ts` has it."""
    state = seed & 0xFFFFFFFF
    while True:
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & 0xFFFFFFFF
        yield ((mixed ^ (mixed >> 14)) & 0xFFFFFFFF) / 4_294_967_296


def noise_of(seed):
    """Normal numbers by Box and Muller, place by place, as a picture."""
    numbers = uniform(seed)
    side = scenes.SIDE // network.PATCH
    count = side * side * network.CHANNELS
    drawn = [
        math.sqrt(-2 * math.log(1 - next(numbers))) * math.cos(2 * math.pi * next(numbers))
        for _ in range(count)
    ]
    places = torch.tensor(drawn, dtype=torch.float32).view(1, side, side, network.CHANNELS)
    return torch.nn.functional.pixel_shuffle(places.permute(0, 3, 1, 2), network.PATCH)


def load():
    model = network.Denoiser()
    model.load_state_dict({name: values.float() for name, values in load_file(WEIGHTS).items()})
    return model.eval()


def shares(moment):
    alpha, sigma = math.cos(moment * math.pi / 2), math.sin(moment * math.pi / 2)
    return alpha, sigma, math.log(alpha / sigma)


@torch.inference_mode()
def draw(model, case):
    """DPM-Solver++(2M), both predictions of a step in one batch."""
    rows = [[names.index(case["scene"][name]) for name, names in scenes.ATTRIBUTES.items()]]
    chosen = scenes.one_hot(torch.tensor(rows * 2))
    attributes = network.with_absence(chosen, torch.tensor([False, True]))
    strength = 1 if case["strength"] is None else case["strength"]
    times = [TIME_MAX * strength * (1 - step / case["steps"]) for step in range(case["steps"])]
    picture, last, before = noise_of(case["seed"]), None, None
    if case["strength"] is not None:
        alpha, sigma, _ = shares(times[0])
        picture = alpha * torch.zeros_like(picture) + sigma * picture
    for step, moment in enumerate(times):
        alpha, sigma, log_ratio = shares(moment)
        both = 1 if case["guidance"] == 1 else 2
        predicted = model(
            picture.expand(both, -1, -1, -1), torch.full((both,), moment), attributes[:both]
        )
        if both == 2:
            predicted = predicted[1:] + case["guidance"] * (predicted[:1] - predicted[1:])
        clean = (alpha * picture - sigma * predicted).clamp(-1, 1)
        if step + 1 == len(times):
            return clean
        next_alpha, next_sigma, next_ratio = shares(times[step + 1])
        length = next_ratio - log_ratio
        reckoned = clean
        if last is not None:
            reckoned = clean + length / (2 * (log_ratio - before)) * (clean - last)
        picture = next_sigma / sigma * picture - next_alpha * math.expm1(-length) * reckoned
        last, before = clean, log_ratio


def record(model):
    cases = []
    for case in CASES:
        places = torch.nn.functional.pixel_unshuffle(draw(model, case), network.PATCH)
        numbers = places.permute(0, 2, 3, 1).flatten().double().tolist()
        cases.append(case | {"numbers": [round(number, DECIMALS) for number in numbers]})
    return {
        "torch": torch.__version__,
        "weightsSha256": hashlib.sha256(WEIGHTS.read_bytes()).hexdigest(),
        "cases": cases,
    }


def speed(model):
    draw(model, CASES[0])
    for line in sys.stdin:
        started = time.process_time()
        draw(model, CASES[0] | {"steps": int(line)})
        print(time.process_time() - started, flush=True)


if sys.argv[1:] == ["speed"]:
    speed(load())
else:
    recorded = json.dumps(record(load()))
    (Path(__file__).parent / "vectors.json").write_text(recorded + "\n")
