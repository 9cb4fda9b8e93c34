"""
Records episodes of Gymnasium's CartPole-v1, for the spec of the task of the spiking actor-critic.

  python record.py            writes vectors.json
  python record.py --check    compares it with a fresh run; exit status 1 if it differs
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import gymnasium
import numpy as np

VECTORS = Path(__file__).parent / "vectors.json"
EPISODES = 12
SEED = 7


def push_for(kind, state, generator):
    """Pushes at random, or those of a rule that keeps the pole up for long."""
    if kind == "random":
        return int(generator.integers(2))
    _, velocity, angle, angular_velocity = state
    return int(10 * angle + 2 * angular_velocity + 0.1 * velocity > 0)


def episode(environment, kind, seed, generator):
    environment.reset(seed=seed)
    inner = environment.unwrapped
    # The environment returns 32-bit observations; its own state has 64 bits.
    states = [[float(value) for value in inner.state]]
    actions = []
    points = 0
    while True:
        action = push_for(kind, states[-1], generator)
        _, reward, terminated, truncated, _ = environment.step(action)
        actions.append(action)
        states.append([float(value) for value in inner.state])
        points += int(reward)
        if terminated or truncated:
            return {
                "states": states if len(states) < 60 else states[:20],
                "actions": actions,
                "points": points,
                "last": states[-2:],
                "fallen": bool(terminated),
            }


def record():
    environment = gymnasium.make("CartPole-v1")
    generator = np.random.default_rng(SEED)
    kinds = ["random", "rule"] * (EPISODES // 2)
    return {
        "programs": {name: version(name) for name in ("gymnasium", "numpy")},
        "episodes": [
            episode(environment, kind, SEED + place, generator) for place, kind in enumerate(kinds)
        ],
    }


def main(check):
    fresh = json.dumps(record(), separators=(",", ":")) + "\n"
    if not check:
        VECTORS.write_text(fresh)
        return 0
    if fresh == VECTORS.read_text():
        return 0
    print("vectors.json differs from a fresh run", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
