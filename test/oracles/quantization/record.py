"""Records the blocks of llama.cpp's encoders, and BitNet's arithmetic in PyTorch.

The encoders are the functions of the library that the product serves models with; the `gguf`
package, where it has an encoder of a format, must give the same bytes.
"""

import base64
import ctypes
import hashlib
import json
from pathlib import Path

import gguf
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / "node_modules/@node-llama-cpp/linux-x64/bins/linux-x64/libggml-base.so"
FORMATS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "TQ1_0", "TQ2_0"]
FORMATS_WITHOUT_PYTHON = {"Q8_1"}
TENSORS = ["token_embd.weight", "blk.0.ffn_gate.weight", "blk.3.ffn_down.weight"]

library = ctypes.CDLL(str(LIBRARY))


def encoded(name: str, weights: np.ndarray) -> bytes:
    kind = gguf.GGMLQuantizationType[name]
    block, size = gguf.GGML_QUANT_SIZES[kind]
    if name == "Q8_1":
        # `gguf` has the size of an older layout; llama.cpp's scale and sum have 16 bits each.
        size = 4 + block
    weights = np.ascontiguousarray(weights, dtype=np.float32).reshape(-1)
    result = np.zeros(weights.size // block * size, dtype=np.uint8)
    encode = getattr(library, f"quantize_row_{name.lower()}_ref")
    encode(
        weights.ctypes.data_as(ctypes.c_void_p),
        result.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(weights.size),
    )
    if name not in FORMATS_WITHOUT_PYTHON:
        twin = gguf.quants.quantize(weights.reshape(-1, block), kind).reshape(-1)
        assert (twin == result).all(), f"gguf and llama.cpp differ in {name}"
    return result.tobytes()


def text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def blocks() -> dict:
    random = np.random.default_rng(32)
    weights = (random.standard_normal(6 * 256) * 0.05).astype(np.float32)
    weights[:256] = 0
    weights[256:512] = np.round(weights[256:512] * 20) / 20
    weights[512:768] *= 1e-6
    weights[768:1024] *= 1e4
    weights[1024:1056] = 0.5
    return {
        "weights": text(weights),
        "blocks": {name: base64.b64encode(encoded(name, weights)).decode() for name in FORMATS},
    }


def tensors() -> dict:
    reader = gguf.GGUFReader(ROOT / "models/nano.gguf")
    found = {tensor.name: tensor.data for tensor in reader.tensors if tensor.name in TENSORS}
    digests = {}
    for tensor, data in found.items():
        for name in FORMATS:
            block, _ = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
            if data.size % block == 0:
                digest = hashlib.sha256(encoded(name, data)).hexdigest()
                digests.setdefault(tensor, {})[name] = digest
    return digests


def ternarized(weights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scale = weights.abs().mean()
    return (weights / (scale + 1e-5)).round().clamp(-1, 1), scale


def quantized(activations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    factor = 127 / activations.abs().max(dim=-1, keepdim=True).values.clamp(min=1e-5)
    return (activations * factor).round().clamp(-128, 127), 1 / factor


def bitnet() -> dict:
    torch.manual_seed(32)
    tokens, width, rows = 5, 96, 7
    x = torch.randn(tokens, width, requires_grad=True)
    w = (torch.randn(rows, width) * 0.1).requires_grad_()
    upstream = torch.randn(tokens, rows)
    trits, scale = ternarized(w)
    values, steps = quantized(x)
    # The straight-through estimator: the forward pass rounds, the backward pass does not.
    straight_w = w + (trits * scale - w).detach()
    straight_x = x + (values * steps - x).detach()
    y = straight_x @ straight_w.T
    y.backward(upstream)
    return {
        "tokens": tokens,
        "width": width,
        "rows": rows,
        "x": x.flatten().tolist(),
        "w": w.flatten().tolist(),
        "upstream": upstream.flatten().tolist(),
        "trits": trits.flatten().int().tolist(),
        "scale": scale.item(),
        "values": values.flatten().int().tolist(),
        "steps": steps.flatten().tolist(),
        "y": y.flatten().tolist(),
        "dx": x.grad.flatten().tolist(),
        "dw": w.grad.flatten().tolist(),
    }


record = {
    "source": f"llama.cpp of node-llama-cpp, gguf, torch {torch.__version__.split('+')[0]}",
    "encoders": blocks(),
    "nano": tensors(),
    "bitnet": bitnet(),
}
target = Path(__file__).with_name("vectors.json")
target.write_text(json.dumps(record, separators=(",", ":")) + "\n")
