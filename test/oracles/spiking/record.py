"""
Records what other programs compute, for the specs of the spiking engine.

  python record.py [PART…]            writes vectors/<part>.json, all of them when none is named
  python record.py [PART…] --check    compares them with a fresh run; exit status 1 if one differs

Only the programs of these parts are needed: NumPy and SciPy for `numerics`.
"""

import importlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

VECTORS = Path(__file__).parent / "vectors"
TOLERANCE = 1e-6

# Part: the module that records it, and the programs that it asks.
PARTS = {
    "neurons": ("neurons", ("snntorch", "spikingjelly", "torch")),
    "counters": ("counters", ("spikingjelly", "torch")),
    "numerics": ("numerics", ("numpy", "scipy")),
    "networks": ("whole_networks", ("ncps", "numpy", "scipy", "spikingjelly", "torch")),
}


def rounded(value):
    """Nine significant digits, which tell any two 32-bit floats apart."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def equal(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return None not in (one, other) and abs(one - other) <= TOLERANCE * max(1, abs(one))
    return one == other


def main(names, check):
    differing = []
    for name in names or PARTS:
        module, programs = PARTS[name]
        file = VECTORS / f"{name}.json"
        versions = {program: version(program) for program in programs}
        fresh = {"programs": versions, **rounded(importlib.import_module(module).record())}
        if not check:
            file.write_text(json.dumps(fresh, separators=(",", ":")) + "\n")
        elif not equal(json.loads(file.read_text()), json.loads(json.dumps(fresh))):
            differing.append(file.name)
    for name in differing:
        print(f"{name} differs from a fresh run", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    parameters = sys.argv[1:]
    sys.exit(main([name for name in parameters if name != "--check"], "--check" in parameters))
