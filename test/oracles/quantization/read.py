"""Reads quantized files with `gguf`: the same formats and the same weights, to the bit."""

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

import gguf
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ["node", "dist/tools/oracles/quantized-file.main.js"]
CODINGS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "BITNET"]

with tempfile.TemporaryDirectory() as folder:
    for model in ["nano", "mini"]:
        for coding in CODINGS:
            file = Path(folder) / f"{model}-{coding}.gguf"
            told = subprocess.run(
                [*PROGRAM, model, coding, str(file)], cwd=ROOT, check=True, capture_output=True
            )
            expected = json.loads(told.stdout)
            read = {}
            for tensor in gguf.GGUFReader(file).tensors:
                weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
                digest = hashlib.sha256(weights.astype(np.float32).tobytes()).hexdigest()
                read[tensor.name] = [tensor.tensor_type.name, digest]
            assert read == expected, f"gguf reads another {model} in {coding}"
            print(f"{model} {coding}: {len(read)} tensors")
