"""Records distributions and conversions of differential privacy, computed by mpmath with 40 digits.

    npm run oracles -- privacy

A conversion searches the epsilon at which the least delta of Proposition 12 of Canonne, Kamath and
Steinke (2020) over all orders is the asked one: delta first, where the accountant minimizes epsilon.
"""

import json
import pathlib

from mpmath import exp, inf, log, mp, mpf, nstr, nsum

mp.dps = 40
FOLDER = pathlib.Path(__file__).parent
DIGITS = 17


def number(value):
    return float(nstr(value, DIGITS))


def laplace(top, bottom, last):
    scale = mpf(top) / bottom
    total = nsum(lambda v: exp(-abs(v) / scale), [-inf, inf])
    return [number(exp(-v / scale) / total) for v in range(last + 1)]


def gaussian(top, bottom, last):
    variance = mpf(top) / bottom
    total = nsum(lambda v: exp(-v * v / (2 * variance)), [-inf, inf])
    return [number(exp(-mpf(v) ** 2 / (2 * variance)) / total) for v in range(last + 1)]


def log_delta(rho, epsilon, order):
    return (order - 1) * (order * rho - epsilon) + order * log(1 - 1 / order) - log(order - 1)


def least_log_delta(rho, epsilon):
    slope = lambda order: (2 * order - 1) * rho - epsilon + log(1 - 1 / order)
    low, high = mpf(1) + mpf(10) ** -12, mpf(10) ** 9
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return log_delta(rho, epsilon, low)


def conversion(rho, delta):
    target, amount = log(mpf(delta)), mpf(rho)
    low, high = mpf(0), mpf(2000)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if least_log_delta(amount, middle) > target else (low, middle)
    return {"rho": rho, "delta": delta, "epsilon": number(high)}


DISTRIBUTIONS = [
    *({"kind": "laplace", "top": t, "bottom": b, "chances": laplace(t, b, n)} for t, b, n in [(1, 1, 5), (7, 2, 16), (10, 3, 14), (40, 1, 60)]),
    *({"kind": "gaussian", "top": t, "bottom": b, "chances": gaussian(t, b, n)} for t, b, n in [(1, 3, 2), (1, 1, 3), (5, 2, 5), (400, 1, 45)]),
]
CONVERSIONS = [conversion(r, d) for r in ("0.001", "0.01", "0.1", "0.5", "2.63", "8") for d in ("0.01", "0.000001", "0.0000000001")]
LOGARITHMS = [{"value": v, "digits": nstr(log(mpf(v)), 36)} for v in ("2", "10", "0.001", "123456.789", "0.999999999")]

(FOLDER / "vectors.json").write_text(
    json.dumps({"distributions": DISTRIBUTIONS, "conversions": CONVERSIONS, "logarithms": LOGARITHMS}, indent=1) + "\n"
)
