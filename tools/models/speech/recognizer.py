"""The network and its features in PyTorch, as `libs/engines/speech-recognition` computes them."""

import math

import torch
from torch import nn


def mel_filters(features: dict) -> torch.Tensor:
    """Triangles on HTK's mel scale, without normalization: [bands, bins]."""
    bins = features["frameSamples"] // 2 + 1
    hertz = torch.arange(bins, dtype=torch.float64) * features["sampleRate"] / features["frameSamples"]

    def mel(frequency: float) -> float:
        return 2595 * math.log10(1 + frequency / 700)

    low, high = mel(features["lowestHz"]), mel(features["highestHz"])
    edges = torch.linspace(low, high, features["bands"] + 2, dtype=torch.float64)
    edges = 700 * (10 ** (edges / 2595) - 1)
    rising = (hertz[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz[None]) / (edges[2:] - edges[1:-1])[:, None]
    return torch.clamp(torch.minimum(rising, falling), min=0).float()


class LogMel(nn.Module):
    """Log energies of mel bands: [batch, samples] to [batch, bands, frames]."""

    def __init__(self, features: dict) -> None:
        super().__init__()
        self.hop, self.size, self.floor = features["hopSamples"], features["frameSamples"], features["floor"]
        width = features["windowSamples"]
        window = torch.zeros(self.size)
        at = (self.size - width) // 2
        window[at : at + width] = torch.hann_window(width, periodic=True)
        self.register_buffer("window", window, persistent=False)
        self.register_buffer("filters", mel_filters(features), persistent=False)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        frames = samples.unfold(-1, self.size, self.hop) * self.window
        power = torch.fft.rfft(frames).abs().square()
        return torch.log(power @ self.filters.T + self.floor).transpose(1, 2)


def normalized(channels: int) -> nn.BatchNorm1d:
    return nn.BatchNorm1d(channels, momentum=0.02)


class Separable(nn.Module):
    """A convolution over time for each channel, then one over the channels."""

    def __init__(self, channels: int, kernel: int, stride: int = 1) -> None:
        super().__init__()
        self.time = nn.Conv1d(channels, channels, kernel, stride, kernel // 2, groups=channels, bias=False)
        self.mix = nn.Conv1d(channels, channels, 1, bias=False)
        self.norm = normalized(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.mix(self.time(x))))


class Recognizer(nn.Module):
    """Normalized log-mel to scores of blank, words and other speech, one row for four frames."""

    def __init__(self, recipe: dict) -> None:
        super().__init__()
        shape, bands = recipe["network"], recipe["features"]["bands"]
        channels, stride = shape["channels"], shape["stride"]
        self.register_buffer("mean", torch.zeros(bands))
        self.register_buffer("scale", torch.ones(bands))
        kernel = shape["inputKernel"]
        self.first = nn.Conv1d(bands, channels, kernel, stride, kernel // 2, bias=False)
        self.first_norm = normalized(channels)
        self.second = Separable(channels, kernel, stride)
        self.blocks = nn.ModuleList(Separable(channels, shape["kernel"]) for _ in range(shape["blocks"]))
        self.head = nn.Conv1d(channels, len(recipe["words"]) + 2, 1)

    def forward(self, mel: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
        x = (mel - self.mean[:, None]) * self.scale[:, None]
        return self.scores(x, dropout)

    def scores(self, x: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
        x = torch.relu(self.first_norm(self.first(x)))
        x = self.second(x)
        for block in self.blocks:
            x = x + nn.functional.dropout(block(x), dropout, self.training)
        return self.head(x).transpose(1, 2)


def folded(model: Recognizer) -> dict[str, torch.Tensor]:
    """The weights with batch normalization folded into the convolutions before it."""

    def fold(weight: torch.Tensor, norm: nn.BatchNorm1d) -> tuple[torch.Tensor, torch.Tensor]:
        factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        return weight * factor[:, None, None], norm.bias - norm.running_mean * factor

    tensors = {"mean": model.mean, "scale": model.scale}
    tensors["first.weight"], tensors["first.bias"] = fold(model.first.weight, model.first_norm)
    parts = {"second": model.second} | {f"blocks.{at}": block for at, block in enumerate(model.blocks)}
    for name, part in parts.items():
        tensors[f"{name}.time.weight"] = part.time.weight[:, 0]
        mix, tensors[f"{name}.mix.bias"] = fold(part.mix.weight, part.norm)
        tensors[f"{name}.mix.weight"] = mix[:, :, 0]
    tensors["head.weight"], tensors["head.bias"] = model.head.weight[:, :, 0], model.head.bias
    return {name: tensor.detach().float().contiguous().clone() for name, tensor in tensors.items()}
