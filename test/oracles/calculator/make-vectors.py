"""Writes vectors.json: what Python's fractions and math modules make of arithmetic.

Run it as `python3 make-vectors.py > vectors.json`. The expressions are drawn from a seed, so the
same version of Python writes the same file.
"""

import json
import math
import platform
import random
import re
from fractions import Fraction

SEED = 18
DRAWN = 250
# After the zeros that a small number begins with.
DIGITS = 20


def literal(drawn):
    kind = drawn.randrange(3)
    if kind == 0:
        return str(drawn.randrange(0, 1000))
    if kind == 1:
        return f"{drawn.randrange(0, 100)}.{drawn.randrange(0, 1000):03d}"
    return f"{drawn.randrange(1, 10)}e{drawn.randrange(-6, 7)}"


def expression(drawn, depth):
    if depth == 0:
        return literal(drawn)
    kind = drawn.randrange(6)
    if kind == 0:
        return f"({expression(drawn, depth - 1)})"
    if kind == 1:
        return f"-{expression(drawn, depth - 1)}"
    if kind == 2:
        return f"{literal(drawn)}^{drawn.randrange(0, 6)}"
    sign = drawn.choice(["+", "-", "*", "/", "%"])
    return f"{expression(drawn, depth - 1)} {sign} {expression(drawn, depth - 1)}"


def exactly(text):
    python = re.sub(r"\d+(?:\.\d+)?(?:e-?\d+)?", r"Fraction('\g<0>')", text)
    return eval(python.replace("^", "**"), {"Fraction": Fraction})


def decimal(value):
    size = abs(value)
    zeros = max(0, len(str(size.denominator)) - len(str(size.numerator)))
    places = DIGITS + zeros
    scaled = size * 10**places
    digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(digits).rjust(places + 1, "0")
    whole, rest = text[:-places], text[-places:].rstrip("0")
    sign = "-" if value < 0 and digits > 0 else ""
    return sign + whole + ("." + rest if rest else ""), Fraction(digits, 10**places) == size


def main():
    drawn = random.Random(SEED)
    exact = []
    while len(exact) < DRAWN:
        text = expression(drawn, drawn.randrange(1, 4))
        try:
            value = exactly(text)
        except ZeroDivisionError:
            exact.append({"expression": text, "error": "not_a_number"})
            continue
        # Python raises to a fraction as soon as an exponent is one; those are doubles.
        if not isinstance(value, (int, Fraction)):
            continue
        result, is_exact = decimal(Fraction(value))
        exact.append({"expression": text, "result": result, "exact": is_exact})
    functions = [
        {"expression": f"{name}({argument})", "double": getattr(math, python)(argument)}
        for name, python in [
            ("sqrt", "sqrt"),
            ("ln", "log"),
            ("log10", "log10"),
            ("log2", "log2"),
            ("exp", "exp"),
            ("sin", "sin"),
            ("cos", "cos"),
            ("tan", "tan"),
        ]
        for argument in (0.5, 2, 16, 123.456)
    ]
    print(
        json.dumps(
            {"python": platform.python_version(), "exact": exact, "functions": functions}, indent=1
        )
    )


main()
