"""
Records what other programs compute, for the specs of the spiking engine.

  python record.py            writes vectors/*.json
  python record.py --check    compares them with a fresh run; exit status 1 if one differs
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import counters
import neurons
import numerics
import whole_networks

VECTORS = Path(__file__).parent / "vectors"
PROGRAMS = ("ncps", "numpy", "scipy", "snntorch", "spikingjelly", "torch")
TOLERANCE = 1e-6

PARTS = {
    "neurons": neurons.record,
    "counters": counters.record,
    "numerics": numerics.record,
    "networks": whole_networks.record,
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


def main(check):
    versions = {name: version(name) for name in PROGRAMS}
    differing = []
    for name, record in PARTS.items():
        file = VECTORS / f"{name}.json"
        fresh = {"programs": versions, **rounded(record())}
        if not check:
            file.write_text(json.dumps(fresh, separators=(",", ":")) + "\n")
        elif not equal(json.loads(file.read_text()), json.loads(json.dumps(fresh))):
            differing.append(file.name)
    for name in differing:
        print(f"{name} differs from a fresh run", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
