"""Trains the recognizer by CTC on the corpus and writes its weights; a training that ended early resumes."""

import json
import math
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from recognizer import LogMel, Recognizer, folded
from sounds import faster, in_a_room, through_a_line

RATE = 16_000


class Part:
    """The utterances of one part of the corpus."""

    def __init__(self, folder: Path, name: str) -> None:
        self.utterances = json.loads((folder / f"{name}.json").read_text())
        self.samples = np.memmap(folder / f"{name}.pcm", dtype="<i2", mode="r")

    def draw(self, draw: np.random.Generator, longest: int) -> tuple[np.ndarray, list[str]] | None:
        one = self.utterances[int(draw.integers(0, len(self.utterances)))]
        if one["samples"] > longest:
            return None
        return self.samples[one["at"] : one["at"] + one["samples"]].astype(np.float64) / 32768, one["labels"]


    def excerpt(self, draw: np.random.Generator, length: int) -> np.ndarray:
        """A part of one utterance, of the given length."""
        one = self.utterances[int(draw.integers(0, len(self.utterances)))]
        at = one["at"] + int(draw.integers(0, one["samples"] - length + 1))
        return self.samples[at : at + length].astype(np.float64) / 32768


class Parts(NamedTuple):
    words: Part
    others: Part
    sounds: Part


def parts_of(folder: Path) -> Parts:
    return Parts(*(Part(folder, name) for name in Parts._fields))


def level(sound: np.ndarray) -> float:
    return float(np.sqrt(np.mean(sound**2)) + 1e-9)


def with_background(samples: np.ndarray, sounds: Part, speech: float, draw: np.random.Generator) -> np.ndarray:
    kind = draw.random()
    if kind < 0.15:
        return samples
    decibels = draw.uniform(25, 55) if kind < 0.5 else draw.uniform(3, 25)
    sound = sounds.excerpt(draw, len(samples))
    return samples + sound / level(sound) * speech * 10 ** (-decibels / 20)


def example(parts: Parts, length: int, draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    """Speech between silences, or a sound without words: samples and the labels in order."""
    samples, labels = np.zeros(length), []
    if draw.random() < 0.12:
        if draw.random() < 0.85:
            sound = parts.sounds.excerpt(draw, length)
            samples = sound / level(sound) * 10 ** draw.uniform(-4, -0.7)
        return np.clip(samples, -1, 1), labels
    at = int(draw.uniform(0, 0.6) * RATE)
    speech = 0.0
    while at < length - RATE // 3:
        part = parts.others if draw.random() < 0.28 else parts.words
        drawn = part.draw(draw, length - at)
        if drawn is None:
            break
        spoken, said = drawn
        spoken = faster(spoken, draw.uniform(0.9, 1.12)) * draw.uniform(0.4, 1)
        spoken = spoken[: length - at]
        if len(spoken) == length - at:
            break
        samples[at : at + len(spoken)] = spoken
        speech = max(speech, level(spoken))
        labels += [one for one in said if not (one == "<other>" and labels[-1:] == ["<other>"])]
        at += len(spoken) + int(draw.exponential(0.5) * RATE)
    if draw.random() < 0.4:
        samples = in_a_room(samples, draw)
    if draw.random() < 0.3:
        samples = through_a_line(samples, draw)
    samples = with_background(samples, parts.sounds, speech or 0.05, draw)
    peak = float(np.max(np.abs(samples), initial=1e-9))
    return samples / peak * 10 ** draw.uniform(-1.6, 0), labels


def batch_of(recipe: dict, parts: Parts, number: int) -> tuple[torch.Tensor, list[list[str]]]:
    draw = np.random.default_rng([recipe["seed"], number])
    length = int(draw.uniform(2.0, 5.5) * RATE)
    rows = [example(parts, length, draw) for _ in range(recipe["training"]["batch"])]
    dither = draw.standard_normal((len(rows), length)) * 10 ** draw.uniform(-5.5, -3.3)
    return torch.from_numpy(np.stack([row for row, _ in rows]) + dither).float(), [labels for _, labels in rows]


class Batches(torch.utils.data.Dataset):
    """The batches of the steps, made in another process than the one that learns."""

    def __init__(self, recipe: dict, folder: Path, first: int) -> None:
        self.recipe, self.folder, self.first, self.parts = recipe, folder, first, None

    def __len__(self) -> int:
        return self.recipe["training"]["steps"] - self.first

    def __getitem__(self, index: int) -> tuple[torch.Tensor, list[list[str]]]:
        torch.set_num_threads(1)
        self.parts = self.parts or parts_of(self.folder)
        return batch_of(self.recipe, self.parts, self.first + index)


def masked(mel: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """SpecAugment: a few bands and a short time of each example become their mean."""
    count, bands, frames = mel.shape
    mean = mel.mean(dim=(1, 2), keepdim=True)
    at = torch.randint(0, bands, (count, 1), generator=generator)
    size = torch.randint(0, 7, (count, 1), generator=generator)
    band = torch.arange(bands)[None]
    hidden = ((band >= at) & (band < at + size))[:, :, None]
    start = torch.randint(0, frames, (count, 1), generator=generator)
    span = torch.randint(0, 9, (count, 1), generator=generator)
    frame = torch.arange(frames)[None]
    hidden = hidden | ((frame >= start) & (frame < start + span))[:, None]
    return torch.where(hidden, mean, mel)


def measure_bands(recipe: dict, parts: Parts, log_mel: LogMel, model: Recognizer) -> None:
    mel = torch.cat([log_mel(batch_of(recipe, parts, 10**6 + at)[0]).transpose(0, 1).flatten(1) for at in range(8)], 1)
    model.mean.copy_(mel.mean(dim=1))
    model.scale.copy_(1 / mel.std(dim=1))


def rate_at(step: int, training: dict) -> float:
    warm, steps = training["warmUpSteps"], training["steps"]
    if step < warm:
        return training["learningRate"] * (step + 1) / warm
    return training["learningRate"] * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (step - warm) / (steps - warm))))


def train(recipe: dict, cache: Path) -> None:
    torch.manual_seed(recipe["seed"])
    torch.set_num_threads(1)
    training, folder = recipe["training"], cache / "corpus"
    ids = {word: at + 1 for at, word in enumerate(recipe["words"])} | {"<other>": len(recipe["words"]) + 1}
    log_mel, model = LogMel(recipe["features"]), Recognizer(recipe)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2, betas=(0.9, 0.98))
    first, started, before = 0, time.time(), 0.0
    checkpoint = cache / "checkpoint.pt"
    if checkpoint.exists():
        stored = torch.load(checkpoint, weights_only=True)
        if stored["recipe"] != json.dumps(recipe):
            raise SystemExit(f"{checkpoint} belongs to another recipe")
        model.load_state_dict(stored["model"])
        optimizer.load_state_dict(stored["optimizer"])
        first, before = stored["step"], stored["seconds"]
    else:
        measure_bands(recipe, parts_of(folder), log_mel, model)
    model.train()
    generator = torch.Generator().manual_seed(recipe["seed"])
    loader = torch.utils.data.DataLoader(Batches(recipe, folder, first), batch_size=None, num_workers=1, prefetch_factor=4)
    running = None
    for step, (samples, labels) in enumerate(loader, first):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, training)
        scores = model(masked(log_mel(samples), generator), 0.05).log_softmax(-1)
        targets = torch.tensor([ids[word] for row in labels for word in row], dtype=torch.long)
        lengths = torch.tensor([len(row) for row in labels])
        inputs = torch.full((len(labels),), scores.shape[1])
        loss = nn.functional.ctc_loss(scores.transpose(0, 1), targets, inputs, lengths, reduction="sum", zero_infinity=True)
        loss = loss / max(1, int(lengths.sum()))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        done = step + 1
        if done % 50 == 0:
            print(f"step {done}: {running:.4f} nats a word, {(time.time() - started) / (done - first):.2f} s a step", flush=True)
        if done % training["checkpointEvery"] == 0 or done == training["steps"]:
            seconds = before + time.time() - started
            stored = {"recipe": json.dumps(recipe), "model": model.state_dict(), "optimizer": optimizer.state_dict(),
                      "step": done, "seconds": seconds}
            torch.save(stored, cache / "checkpoint.new")
            (cache / "checkpoint.new").rename(checkpoint)
            write_weights(model, cache, {"steps": done, "loss": running, "seconds": seconds})


def write_weights(model: Recognizer, cache: Path, result: dict) -> None:
    """Floats of every tensor, one after the other, and where each begins."""
    tensors, at = {}, 0
    with open(cache / "weights.bin", "wb") as file:
        for name, tensor in folded(model).items():
            tensors[name] = {"shape": list(tensor.shape), "at": at}
            file.write(tensor.numpy().astype("<f4").tobytes())
            at += tensor.numel()
    (cache / "weights.json").write_text(json.dumps({"tensors": tensors, "result": result}))


if __name__ == "__main__":
    train(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
