"""
Computes the features and scores of a signal with librosa and PyTorch, from the shipped weights.

  python record.py > vectors.json

Or times them, a line of CPU seconds for each line of seconds of sound:

  python record.py speed
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import librosa
import numpy as np
import torch
from safetensors.numpy import load_file
from torch.nn import functional

MODEL = Path("models/speech/quipu-words")
SECONDS = 1.5


def signal(rate: int, seconds: float = SECONDS) -> np.ndarray:
    """Tones that glide, with bursts: the spec makes the same numbers."""
    at = np.arange(int(seconds * rate))
    moment = at / rate
    tones = 0.3 * np.sin(2 * np.pi * (200 + 900 * moment) * moment) + 0.1 * np.sin(2 * np.pi * 3_100 * moment)
    return (tones * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * moment))).astype(np.float32)


def log_mel(samples: np.ndarray, features: dict) -> np.ndarray:
    mel = librosa.feature.melspectrogram(
        y=samples,
        sr=features["sampleRate"],
        n_fft=features["frameSamples"],
        win_length=features["windowSamples"],
        hop_length=features["hopSamples"],
        center=False,
        n_mels=features["bands"],
        fmin=features["lowestHz"],
        fmax=features["highestHz"],
        htk=True,
        norm=None,
    )
    return np.log(mel + features["floor"])


def scores(mel: np.ndarray, weights: dict, network: dict) -> np.ndarray:
    named = {name: torch.from_numpy(values) for name, values in weights.items()}
    x = ((torch.from_numpy(mel).float() - named["mean"][:, None]) * named["scale"][:, None])[None]
    stride, half = network["stride"], network["inputKernel"] // 2

    def separable(x: torch.Tensor, name: str, stride: int) -> torch.Tensor:
        time = named[f"{name}.time.weight"]
        x = functional.conv1d(x, time[:, None], stride=stride, padding=time.shape[1] // 2, groups=time.shape[0])
        x = functional.conv1d(x, named[f"{name}.mix.weight"][:, :, None], named[f"{name}.mix.bias"])
        return torch.relu(x)

    x = torch.relu(functional.conv1d(x, named["first.weight"], named["first.bias"], stride=stride, padding=half))
    x = separable(x, "second", stride)
    for block in range(network["blocks"]):
        x = x + separable(x, f"blocks.{block}", 1)
    x = functional.conv1d(x, named["head.weight"][:, :, None], named["head.bias"])
    return x[0].T.log_softmax(-1).numpy()


card = json.loads((MODEL / "card.json").read_text())
file = MODEL / "model.safetensors"
weights = load_file(file)
rate = card["features"]["sampleRate"]

if sys.argv[1:] == ["speed"]:
    torch.set_num_threads(1)
    for line in sys.stdin:
        samples = signal(rate, float(line))
        since = time.process_time()
        with torch.inference_mode():
            scores(log_mel(samples, card["features"]), weights, card["network"])
        print(time.process_time() - since, flush=True)
    sys.exit()

mel = log_mel(signal(rate), card["features"])
result = scores(mel, weights, card["network"])
print(json.dumps({
    "weightsSha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    "mel": [round(float(value), 6) for value in mel.T.flatten()],
    "scores": [round(float(value), 6) for value in result.flatten()],
}))
