"""Reads the token ids that the TypeScript generator wrote, one block for each step."""

from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import Tensor

WEIGHT_UNIT = 0.01


@dataclass(frozen=True)
class Batch:
    ids: Tensor
    """`[rows, positions]`."""
    targets: Tensor
    """`[rows * positions]`."""
    weights: Tensor
    """`[rows * positions]`, how much each target counts."""


class Rows:
    """A block is 16-bit ids, 16-bit targets and weights in hundredths of 8 bits."""

    def __init__(self, path: Path, rows: int, positions: int) -> None:
        self.rows, self.positions = rows, positions
        self.cells = rows * positions
        self.bytes = numpy.memmap(path, dtype=numpy.uint8, mode="r")
        if len(self.bytes) % (5 * self.cells) != 0:
            raise ValueError(f"{path} does not hold whole blocks of {rows} x {positions}")

    def __len__(self) -> int:
        return len(self.bytes) // (5 * self.cells)

    def batch(self, index: int) -> Batch:
        cells = self.cells
        block = numpy.array(self.bytes[index * 5 * cells : (index + 1) * 5 * cells])
        ids, targets = block[: 4 * cells].view("<u2").astype(numpy.int64).reshape(2, cells)
        weights = block[4 * cells :].astype(numpy.float32) * numpy.float32(WEIGHT_UNIT)
        return Batch(
            torch.from_numpy(ids).view(self.rows, self.positions),
            torch.from_numpy(targets),
            torch.from_numpy(weights),
        )
