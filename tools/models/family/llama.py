"""A decoder in Llama architecture on PyTorch, saved under Hugging Face's tensor names."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

EMBEDDING_DEVIATION = 0.02


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    width: int
    layers: int
    heads: int
    feedForwardWidth: int
    contextLength: int
    ropeBase: float
    normEpsilon: float


def normal(rows: int, columns: int, scale: float = 1.0) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, columns) * scale * columns**-0.5)


def rotary_tables(positions: int, head_width: int, base: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines, each `[positions, head_width / 2]`."""
    frequencies = base ** (-torch.arange(0, head_width, 2) / head_width)
    angles = torch.outer(torch.arange(positions), frequencies)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, tables: tuple[Tensor, Tensor]) -> Tensor:
    """Turns the first half of each head against the second, as Hugging Face does."""
    cosines, sines = tables
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosines - second * sines, second * cosines + first * sines), -1)


class Layer(nn.Module):
    """q, k and v are one matrix, gate and up another: fewer, larger products."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        residual = (2 * shape.layers) ** -0.5
        width, inner = shape.width, shape.feedForwardWidth
        self.shape = shape
        self.attention_norm = nn.Parameter(torch.ones(width))
        self.qkv = normal(3 * width, width)
        self.output = normal(width, width, residual)
        self.feed_forward_norm = nn.Parameter(torch.ones(width))
        self.gate_up = normal(2 * inner, width)
        self.down = normal(width, inner, residual)

    def forward(self, x: Tensor, tables: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        x = x + self.attend(self.norm(x, self.attention_norm), tables, mask)
        gate, up = F.linear(self.norm(x, self.feed_forward_norm), self.gate_up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)

    def attend(self, x: Tensor, tables: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        # Written out: with the fused attention of PyTorch 2.9, a step on a CPU is a tenth slower.
        rows, positions, width = x.shape
        heads = self.shape.heads
        split = F.linear(x, self.qkv).view(rows, positions, 3, heads, width // heads)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(rotate(q, tables), rotate(k, tables).transpose(-1, -2)).float()
        shares = (scores * (width // heads) ** -0.5 + mask).softmax(-1).to(v.dtype)
        mixed = torch.matmul(shares, v).transpose(1, 2).reshape(rows, positions, width)
        return F.linear(mixed, self.output)

    def norm(self, x: Tensor, gain: Tensor) -> Tensor:
        return F.rms_norm(x, (self.shape.width,), gain, self.shape.normEpsilon)


class Llama(nn.Module):
    """The output matrix is the embedding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(
            torch.randn(shape.vocabulary, shape.width) * EMBEDDING_DEVIATION
        )
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.final_norm = nn.Parameter(torch.ones(shape.width))

    def forward(self, ids: Tensor) -> Tensor:
        """Logits `[rows, positions, vocabulary]` of `ids`, `[rows, positions]`."""
        shape, positions = self.shape, ids.shape[1]
        tables = rotary_tables(positions, shape.width // shape.heads, shape.ropeBase)
        mask = torch.full((positions, positions), float("-inf")).triu(1)
        x = F.embedding(ids, self.embedding)
        for layer in self.layers:
            x = layer(x, tables, mask)
        normed = F.rms_norm(x, (shape.width,), self.final_norm, shape.normEpsilon)
        return F.linear(normed, self.embedding)

    def tensors(self) -> dict[str, Tensor]:
        """The weights under Hugging Face's names."""
        named = {
            "model.embed_tokens.weight": self.embedding,
            "model.norm.weight": self.final_norm,
        }
        for index, layer in enumerate(self.layers):
            at = f"model.layers.{index}"
            q, k, v = layer.qkv.chunk(3)
            gate, up = layer.gate_up.chunk(2)
            named |= {
                f"{at}.input_layernorm.weight": layer.attention_norm,
                f"{at}.post_attention_layernorm.weight": layer.feed_forward_norm,
                f"{at}.self_attn.q_proj.weight": q,
                f"{at}.self_attn.k_proj.weight": k,
                f"{at}.self_attn.v_proj.weight": v,
                f"{at}.self_attn.o_proj.weight": layer.output,
                f"{at}.mlp.gate_proj.weight": gate,
                f"{at}.mlp.up_proj.weight": up,
                f"{at}.mlp.down_proj.weight": layer.down,
            }
        return {name: tensor.detach().float().contiguous() for name, tensor in named.items()}

    def load_tensors(self, named: dict[str, Tensor]) -> None:
        """The inverse of `tensors`."""
        with torch.no_grad():
            self.embedding.copy_(named["model.embed_tokens.weight"])
            self.final_norm.copy_(named["model.norm.weight"])
            for index, layer in enumerate(self.layers):
                at = f"model.layers.{index}"
                qkv = [named[f"{at}.self_attn.{role}_proj.weight"] for role in "qkv"]
                gate_up = [named[f"{at}.mlp.{role}_proj.weight"] for role in ("gate", "up")]
                layer.attention_norm.copy_(named[f"{at}.input_layernorm.weight"])
                layer.feed_forward_norm.copy_(named[f"{at}.post_attention_layernorm.weight"])
                layer.qkv.copy_(torch.cat(qkv))
                layer.output.copy_(named[f"{at}.self_attn.o_proj.weight"])
                layer.gate_up.copy_(torch.cat(gate_up))
                layer.down.copy_(named[f"{at}.mlp.down_proj.weight"])
