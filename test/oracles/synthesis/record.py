"""Records how well synthetic tables of MST keep pairs of columns, where mbi estimates the model.

    npm run oracles -- synthesis

Measurements and budget are those of McKenna, Miklau and Sheldon (2021), in the thirds that Quipu
uses: Gaussian counts of each column, a spanning tree by the exponential mechanism, Gaussian counts of
its pairs. mbi fits the graphical model and makes the rows. The error of a table is the mean over all
pairs of columns of the total variation distance to the real table.
"""

import itertools
import json
import math
import pathlib

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

from mbi import Dataset, Domain, LinearMeasurement, estimation

FOLDER = pathlib.Path(__file__).parent
SIZES = (4, 6, 3, 8, 5)
ROWS = 1000
RUNS = 5
RHOS = ("0.05", "0.5")
NAMES = tuple(str(column) for column in range(len(SIZES)))
PAIRS = tuple(itertools.combinations(NAMES, 2))


def real_rows(rng):
    """A chain: each column is near the one before, or anything."""
    rows = [rng.choice(SIZES[0], size=ROWS, p=[0.5, 0.25, 0.15, 0.1])]
    for before, size in zip(SIZES, SIZES[1:]):
        near = np.minimum(size - 1, rows[-1] * size // before)
        rows.append(np.where(rng.random(ROWS) < 0.7, near, rng.integers(size, size=ROWS)))
    return np.stack(rows, axis=1)


def counts(table, names):
    return np.asarray(table.project(names).datavector(), dtype=float)


def error(real, made):
    gaps = [np.abs(counts(real, p) / ROWS - counts(made, p) / ROWS).sum() / 2 for p in PAIRS]
    return float(np.mean(gaps))


def synthetic(real, rho, rng):
    third = rho / 3
    measured = []
    def measure(names, parts):
        deviation = math.sqrt(parts / (2 * third))
        noisy = counts(real, names) + rng.normal(0, deviation, counts(real, names).size)
        measured.append(LinearMeasurement(noisy, names, deviation))
    for name in NAMES:
        measure((name,), len(NAMES))
    fit = lambda: estimation.MirrorDescent().estimate(real.domain, measured, iters=1000)
    model = fit()
    epsilon = math.sqrt(8 * third / (len(NAMES) - 1))
    gaps = {p: np.abs(counts(real, p) - np.asarray(model.project(p).datavector())).sum() for p in PAIRS}
    part = {name: name for name in NAMES}
    tree = []
    while len(tree) < len(NAMES) - 1:
        joining = [p for p in PAIRS if part[p[0]] != part[p[1]]]
        scores = np.array([epsilon / 2 * gaps[p] for p in joining])
        chances = np.exp(scores - scores.max())
        pair = joining[rng.choice(len(joining), p=chances / chances.sum())]
        tree.append(pair)
        old = part[pair[1]]
        part = {name: part[pair[0]] if one == old else one for name, one in part.items()}
    for pair in tree:
        measure(pair, len(tree))
    return fit().synthetic_data(ROWS)


rng = np.random.default_rng(7)
rows = real_rows(rng)
domain = Domain(NAMES, SIZES)
real = Dataset({name: rows[:, at] for at, name in enumerate(NAMES)}, domain)
errors = []
for rho in RHOS:
    found = []
    for _ in range(RUNS):
        made = synthetic(real, float(rho), rng)
        found.append(error(real, made))
    errors.append({"rho": rho, "mean": round(float(np.mean(found)), 5), "greatest": round(max(found), 5)})

text = "".join("".join(str(code) for code in row) for row in rows)
(FOLDER / "vectors.json").write_text(json.dumps({"sizes": SIZES, "codes": text, "errors": errors}, indent=1) + "\n")
