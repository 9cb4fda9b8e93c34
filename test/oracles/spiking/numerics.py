"""What scipy says about splines, state spaces and differential equations."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import BSpline
from scipy.signal import cont2discrete

DEGREE = 3
INTERVALS = 8


def splines():
    """Every cubic B-spline on a uniform grid of eight intervals over [-1, 1]."""
    width = 2 / INTERVALS
    knots = -1 + width * np.arange(-DEGREE, INTERVALS + DEGREE + 1)
    x = np.linspace(-0.99, 0.99, 23)
    basis = [
        BSpline.basis_element(knots[i : i + DEGREE + 2], extrapolate=False)(x)
        for i in range(INTERVALS + DEGREE)
    ]
    return {"knots": knots.tolist(), "x": x.tolist(), "basis": np.nan_to_num(basis).tolist()}


def state_spaces():
    """Zero-order hold of x' = a x + b u for single complex modes."""
    modes = [(-0.5, 0.0), (-0.1, 2.0), (-1.5, -7.0), (-0.01, 30.0)]
    steps = [0.01, 0.1, 1.0]
    result = []
    for real, imaginary in modes:
        # The complex mode as a real system of two states.
        a = np.array([[real, -imaginary], [imaginary, real]])
        for dt in steps:
            ad, bd, *_ = cont2discrete((a, np.eye(2), np.eye(2), np.zeros((2, 2))), dt, "zoh")
            result.append(
                {
                    "a": [real, imaginary],
                    "dt": dt,
                    "aBar": [ad[0, 0], ad[1, 0]],
                    "bBar": [bd[0, 0], bd[1, 0]],
                }
            )
    return result


def equations():
    """Solutions to 1e-12 of equations that the solver must follow to its own tolerance."""

    def solve(name, field, start, end):
        solved = solve_ivp(field, (0, end), start, method="DOP853", rtol=1e-12, atol=1e-12)
        return {"name": name, "start": start, "end": end, "solution": solved.y[:, -1].tolist()}

    return [
        solve("decay", lambda _t, y: [-2 * y[0]], [1.0], 1.5),
        solve("oscillator", lambda _t, y: [y[1], -9 * y[0]], [1.0, 0.5], 2.0),
        solve(
            "van-der-pol", lambda _t, y: [y[1], 2 * (1 - y[0] ** 2) * y[1] - y[0]], [2.0, 0.0], 3.0
        ),
        solve("driven", lambda t, y: [np.cos(5 * t) - y[0]], [0.0], 2.0),
    ]


def record():
    return {
        "splines": splines(),
        "stateSpaces": state_spaces(),
        "equations": equations(),
    }
