"""NumPy's ufuncs with results of floating-point numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from accuracy.draws import between, plane, positive, real
from accuracy.row import Table
from flint import arb

arithmetic = Table("numpy", "arithmetic")
elementary = Table("numpy", "elementary functions")
selection = Table("numpy", "rounding, parts and comparisons")
TABLES = (arithmetic, elementary, selection)

ANY, ABOVE = real(smallest=-300, largest=300), positive(smallest=-300, largest=300)
SPAN = real(smallest=-150, largest=150)
FEW = real(largest=2.8)
INSIDE = between(-1.0, 1.0)
PLANE, WIDE = plane(), plane(largest=150, smallest=-150)


def exact(x: arb) -> float:
    return float(x.mid())


def floored(x: arb, y: arb) -> Fraction:
    return Fraction(exact(x)) // Fraction(exact(y))


def remainder(x: arb, y: arb) -> arb:
    whole = floored(x, y)
    return x - y * arb(whole)


def truncated(x: arb, y: arb) -> arb:
    return x - y * arb(math.trunc(Fraction(exact(x)) / Fraction(exact(y))))


for name, function in {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
}.items():
    arithmetic.real(name, function, SPAN, SPAN)
    arithmetic.complex(name, function, WIDE, WIDE)
for name, function, kind, area in [
    ("square", lambda x: x * x, SPAN, WIDE),
    ("reciprocal", lambda x: 1 / x, ANY, WIDE),
    ("negative", lambda x: -x, ANY, WIDE),
    ("positive", lambda x: x, ANY, WIDE),
    ("absolute", lambda x: abs(x), ANY, WIDE),
    ("sqrt", lambda x: x.sqrt(), ABOVE, WIDE),
]:
    arithmetic.real(name, function, kind)
    arithmetic.complex(name, function, area)
arithmetic.complex("conjugate", lambda z: z.conjugate(), WIDE)
arithmetic.real("fabs", lambda x: abs(x), ANY)
arithmetic.real("remainder", remainder, real(), real(smallest=-6))
arithmetic.real("fmod", truncated, real(), real(smallest=-6))
arithmetic.real("floor_divide", lambda x, y: arb(floored(x, y)), real(), real(smallest=-6))
arithmetic.real(
    "divmod",
    lambda x, y: (arb(floored(x, y)), remainder(x, y)),
    real(),
    real(smallest=-6),
    outputs=("quotient", "remainder"),
)

for name, function, kind, area in [
    ("exp", lambda x: x.exp(), FEW, plane(largest=2.5)),
    ("exp2", lambda x: (x * type(x)(2).log()).exp(), FEW, plane(largest=2.5)),
    ("expm1", lambda x: x.expm1(), FEW, plane(largest=2.5)),
    ("log", lambda x: x.log(), ABOVE, WIDE),
    ("log2", lambda x: x.log() / arb(2).log(), ABOVE, WIDE),
    ("log10", lambda x: x.log() / arb(10).log(), ABOVE, WIDE),
    ("log1p", lambda x: x.log1p(), ABOVE, WIDE),
    ("sin", lambda x: x.sin(), ANY, plane(largest=2.5)),
    ("cos", lambda x: x.cos(), ANY, plane(largest=2.5)),
    ("tan", lambda x: x.tan(), ANY, plane(largest=2.5)),
    ("sinh", lambda x: x.sinh(), FEW, plane(largest=2.5)),
    ("cosh", lambda x: x.cosh(), FEW, plane(largest=2.5)),
    ("tanh", lambda x: x.tanh(), FEW, plane(largest=2.5)),
    ("arcsin", lambda x: x.asin(), INSIDE, WIDE),
    ("arccos", lambda x: x.acos(), INSIDE, WIDE),
    ("arctan", lambda x: x.atan(), ANY, WIDE),
    ("arcsinh", lambda x: x.asinh(), ANY, WIDE),
    ("arctanh", lambda x: x.atanh(), INSIDE, WIDE),
]:
    elementary.real(name, function, kind)
    elementary.complex(name, function, area)
beyond = {
    key: (lambda source, draw=draw: 1 + draw(source)) for key, draw in positive(smallest=-15, largest=300).items()
}
elementary.real("arccosh", lambda x: x.acosh(), beyond)
elementary.complex("arccosh", lambda z: z.acosh(), WIDE)
elementary.real("cbrt", lambda x: x.root(3) if x > 0 else -(-x).root(3), ANY)
elementary.real("power", lambda x, y: x**y, positive(largest=30, smallest=-100), real(smallest=-20, largest=3))
elementary.complex("power", lambda x, y: x**y, plane(smallest=-20), plane(size=4, smallest=-20, largest=1.5))
elementary.real(
    "float_power", lambda x, y: x**y, positive(largest=30, smallest=-100), real(smallest=-20, largest=3), weight=0.5
)
elementary.real("hypot", lambda x, y: (x * x + y * y).sqrt(), ANY, ANY)
elementary.real("arctan2", lambda y, x: arb.atan2(y, x), ANY, ANY)
elementary.real("logaddexp", lambda x, y: (x.exp() + y.exp()).log(), FEW, FEW)
elementary.real("logaddexp2", lambda x, y: (arb(2) ** x + arb(2) ** y).log() / arb(2).log(), FEW, FEW)
elementary.real("deg2rad", lambda x: x * arb.pi() / 180, ANY)
elementary.real("rad2deg", lambda x: x * 180 / arb.pi(), real(largest=300))

HALVES = real(smallest=-300, largest=17)


def nearest_even(x: arb) -> float:
    return float(round(Fraction(exact(x))))


for name, function in {
    "floor": lambda x: x.floor(),
    "ceil": lambda x: x.ceil(),
    "trunc": lambda x: arb(math.trunc(exact(x))),
    "rint": nearest_even,
    "sign": lambda x: math.copysign(1.0, exact(x)),
    "isfinite": lambda x: 1.0,
    "signbit": lambda x: float(exact(x) < 0),
    "logical_not": lambda x: 0.0,
}.items():
    selection.real(name, function, HALVES, weight=0.5)
selection.real(
    "modf", lambda x: (x - arb(math.trunc(exact(x))), arb(math.trunc(exact(x)))), HALVES, outputs=("fraction", "whole")
)
selection.real("frexp", lambda x: tuple(map(float, math.frexp(exact(x)))), ANY, outputs=("mantissa", "exponent"))
for name, function in {
    "maximum": lambda x, y: max(exact(x), exact(y)),
    "minimum": lambda x, y: min(exact(x), exact(y)),
    "fmax": lambda x, y: max(exact(x), exact(y)),
    "fmin": lambda x, y: min(exact(x), exact(y)),
    "copysign": lambda x, y: math.copysign(exact(x), exact(y)),
    "heaviside": lambda x, y: float(exact(x) > 0),
    "less": lambda x, y: float(exact(x) < exact(y)),
    "less_equal": lambda x, y: float(exact(x) <= exact(y)),
    "greater": lambda x, y: float(exact(x) > exact(y)),
    "greater_equal": lambda x, y: float(exact(x) >= exact(y)),
    "equal": lambda x, y: float(exact(x) == exact(y)),
    "not_equal": lambda x, y: float(exact(x) != exact(y)),
}.items():
    selection.real(name, function, real(), real(), weight=0.3)
