"""Special cases of elementwise functions in the Python array API standard 2025.12, as tables.

A row reads "operands -> result": each operand is a class of values (`CLASSES`), each result a value (`RESULTS`) or an
operand. Rows of complex functions name the real and the imaginary part. `~` before a result leaves its sign open.
"""

import math

import numpy as np

nan, inf = math.nan, math.inf
# At least one value of every class.
VALUES = (nan, -nan, 0.0, -0.0, inf, -inf, *(s * v for v in (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 7.0) for s in (1, -1)))


def _negative(x):
    return math.copysign(1, x) < 0


def _odd(x):
    return math.isfinite(x) and x % 2 == 1


CLASSES = {
    "any": lambda x: True,
    "nan": math.isnan,
    "!nan": lambda x: not math.isnan(x),
    "+0": lambda x: x == 0 and not _negative(x),
    "-0": lambda x: x == 0 and _negative(x),
    "0": lambda x: x == 0,
    "!0": lambda x: x != 0,
    "inf": lambda x: x == inf,
    "-inf": lambda x: x == -inf,
    "±inf": math.isinf,
    "1": lambda x: x == 1,
    "-1": lambda x: x == -1,
    "!1": lambda x: x != 1,
    ">0": lambda x: x > 0,
    "<0": lambda x: x < 0,
    ">1": lambda x: x > 1,
    "<1": lambda x: x < 1,
    "<-1": lambda x: x < -1,
    "finite": math.isfinite,
    "finite>0": lambda x: 0 < x < inf,
    "finite<0": lambda x: -inf < x < 0,
    "finite!0": lambda x: math.isfinite(x) and x != 0,
    "|x|>1": lambda x: abs(x) > 1,
    "|x|<1": lambda x: abs(x) < 1,
    "|x|=1": lambda x: abs(x) == 1,
    "odd>0": lambda x: x > 0 and _odd(x),
    "odd<0": lambda x: x < 0 and _odd(x),
    "even>0": lambda x: x > 0 and not _odd(x),
    "even<0": lambda x: x < 0 and not _odd(x),
    "fraction": lambda x: math.isfinite(x) and x != math.floor(x),
    "integral": lambda x: math.isfinite(x) and x == math.floor(x),
    # By the sign bit, which zeros and NaN have too.
    "signed+": lambda x: not _negative(x),
    "signed-": _negative,
}

PI = math.pi
RESULTS = {
    "nan": nan,
    "+0": 0.0,
    "-0": -0.0,
    "inf": inf,
    "-inf": -inf,
    "1": 1.0,
    "-1": -1.0,
    "pi": PI,
    "-pi": -PI,
    "pi/2": PI / 2,
    "-pi/2": -PI / 2,
    "pi/4": PI / 4,
    "-pi/4": -PI / 4,
    "3pi/4": 3 * PI / 4,
    "-3pi/4": -3 * PI / 4,
    "True": 1.0,
    "False": 0.0,
}

_ODD_FUNCTION = "nan -> nan; +0 -> +0; -0 -> -0"
_ROUNDING = "inf -> inf; -inf -> -inf; +0 -> +0; -0 -> -0; nan -> nan; integral -> x"
_LOGARITHM = "nan -> nan; <0 -> nan; 0 -> -inf; 1 -> +0; inf -> inf"

REAL = {
    "acos": "nan -> nan; >1 -> nan; <-1 -> nan; 1 -> +0",
    "acosh": "nan -> nan; <1 -> nan; 1 -> +0; inf -> inf",
    "asin": _ODD_FUNCTION + "; >1 -> nan; <-1 -> nan",
    "asinh": _ODD_FUNCTION + "; inf -> inf; -inf -> -inf",
    "atan": _ODD_FUNCTION + "; inf -> pi/2; -inf -> -pi/2",
    "atanh": _ODD_FUNCTION + "; >1 -> nan; <-1 -> nan; 1 -> inf; -1 -> -inf",
    "ceil": _ROUNDING,
    "cos": "nan -> nan; 0 -> 1; ±inf -> nan",
    "cosh": "nan -> nan; 0 -> 1; ±inf -> inf",
    "exp": "nan -> nan; 0 -> 1; inf -> inf; -inf -> +0",
    "expm1": _ODD_FUNCTION + "; inf -> inf; -inf -> -1",
    "floor": _ROUNDING,
    "log": _LOGARITHM,
    "log1p": _ODD_FUNCTION + "; <-1 -> nan; -1 -> -inf; inf -> inf",
    "log2": _LOGARITHM,
    "log10": _LOGARITHM,
    "reciprocal": "nan -> nan; +0 -> inf; -0 -> -inf; inf -> +0; -inf -> -0",
    "round": _ROUNDING,
    "sign": "<0 -> -1; 0 -> ~+0; >0 -> 1; nan -> nan",
    "signbit": "signed+ -> False; signed- -> True",
    "sin": _ODD_FUNCTION + "; ±inf -> nan",
    "sinh": _ODD_FUNCTION + "; inf -> inf; -inf -> -inf",
    "sqrt": _ODD_FUNCTION + "; <0 -> nan; inf -> inf",
    "square": "nan -> nan; 0 -> +0; ±inf -> inf",
    "tan": _ODD_FUNCTION + "; ±inf -> nan",
    "tanh": _ODD_FUNCTION + "; inf -> 1; -inf -> -1",
    "trunc": _ROUNDING,
}

_NANS = "nan, any -> nan; any, nan -> nan"
# Signs and infinities of a quotient.
_QUOTIENT = (
    _NANS
    + "; ±inf, ±inf -> nan; 0, 0 -> nan; +0, >0 -> +0; -0, >0 -> -0; +0, <0 -> -0; -0, <0 -> +0; >0, +0 -> inf;"
    + " >0, -0 -> -inf; <0, +0 -> -inf; <0, -0 -> inf; finite>0, inf -> +0; finite<0, -inf -> +0"
)

BINARY = {
    "add": _NANS
    + "; inf, -inf -> nan; -inf, inf -> nan; inf, inf -> inf; -inf, -inf -> -inf; inf, finite -> inf; "
    + "-inf, finite -> -inf; finite, inf -> inf; finite, -inf -> -inf; -0, -0 -> -0; -0, +0 -> +0; +0, -0 -> +0; "
    + "+0, +0 -> +0; 0, finite!0 -> y; finite!0, 0 -> x",
    "atan2": _NANS
    + "; >0, 0 -> pi/2; +0, >0 -> +0; +0, +0 -> +0; +0, -0 -> pi; +0, <0 -> pi; -0, >0 -> -0; -0, +0 -> -0; "
    + "-0, -0 -> -pi; -0, <0 -> -pi; <0, 0 -> -pi/2; finite>0, inf -> +0; finite>0, -inf -> pi; finite<0, inf -> -0; "
    + "finite<0, -inf -> -pi; inf, finite -> pi/2; -inf, finite -> -pi/2; inf, inf -> pi/4; inf, -inf -> 3pi/4; "
    + "-inf, inf -> -pi/4; -inf, -inf -> -3pi/4",
    "copysign": "any, signed- -> -|x|; any, signed+ -> |x|",
    "divide": _QUOTIENT
    + "; inf, finite>0 -> inf; inf, finite<0 -> -inf; -inf, finite>0 -> -inf; -inf, finite<0 -> inf; "
    + "finite>0, -inf -> -0; finite<0, inf -> -0",
    # The standard lets libraries return Python's NaN and -1 where an infinity is an operand, as NumPy does.
    "floor_divide": _QUOTIENT
    + "; inf, finite!0 -> nan; -inf, finite!0 -> nan; finite>0, -inf -> -1; finite<0, inf -> -1",
    "logaddexp": _NANS + "; inf, !nan -> inf; !nan, inf -> inf",
    "maximum": _NANS,
    "minimum": _NANS,
    "multiply": _NANS
    + "; ±inf, 0 -> nan; 0, ±inf -> nan; inf, >0 -> inf; inf, <0 -> -inf; -inf, >0 -> -inf; -inf, <0 -> inf; "
    + ">0, inf -> inf; <0, inf -> -inf; >0, -inf -> -inf; <0, -inf -> inf; +0, finite>0 -> +0; -0, finite>0 -> -0; "
    + "+0, finite<0 -> -0; -0, finite<0 -> +0; -0, -0 -> +0; +0, -0 -> -0; +0, +0 -> +0",
    "nextafter": _NANS + "; -0, +0 -> +0; +0, -0 -> -0",
    "pow": "!1, nan -> nan; any, 0 -> 1; nan, !0 -> nan; |x|>1, inf -> inf; |x|>1, -inf -> +0; |x|=1, ±inf -> 1; "
    + "1, any -> 1; |x|<1, inf -> +0; |x|<1, -inf -> inf; inf, >0 -> inf; inf, <0 -> +0; -inf, odd>0 -> -inf; "
    + "-inf, even>0 -> inf; -inf, odd<0 -> -0; -inf, even<0 -> +0; +0, >0 -> +0; +0, <0 -> inf; -0, odd>0 -> -0; "
    + "-0, even>0 -> +0; -0, odd<0 -> -inf; -0, even<0 -> inf; finite<0, fraction -> nan",
    "remainder": _NANS
    + "; ±inf, ±inf -> nan; 0, 0 -> nan; 0, >0 -> +0; 0, <0 -> -0; any, 0 -> nan; ±inf, finite!0 -> nan; "
    + "finite>0, inf -> x; finite>0, -inf -> y; finite<0, inf -> y; finite<0, -inf -> x",
    "hypot": "±inf, any -> inf; any, ±inf -> inf; nan, finite -> nan; finite, nan -> nan; 0, 0 -> +0",
    "subtract": _NANS
    + "; inf, inf -> nan; -inf, -inf -> nan; inf, -inf -> inf; -inf, inf -> -inf; finite, inf -> -inf; "
    + "finite, -inf -> inf; -0, +0 -> -0; +0, +0 -> +0; +0, -0 -> +0; -0, -0 -> +0",
}

_ANY_NAN = "nan, nan -> nan, nan; nan, finite!0 -> nan, nan"
_POLAR = (  # what the logarithms and acosh share
    "finite, inf -> inf, pi/2; -inf, finite>0 -> inf, pi; inf, finite>0 -> inf, +0; -inf, inf -> inf, 3pi/4; "
    "inf, inf -> inf, pi/4; ±inf, nan -> inf, nan; nan, finite -> nan, nan; nan, inf -> inf, nan; nan, nan -> nan, nan"
)

COMPLEX = {
    "acos": "0, +0 -> pi/2, -0; 0, nan -> pi/2, nan; finite, inf -> pi/2, -inf; finite!0, nan -> nan, nan; "
    + "-inf, finite>0 -> pi, -inf; inf, finite>0 -> +0, -inf; -inf, inf -> 3pi/4, -inf; inf, inf -> pi/4, -inf; "
    + "±inf, nan -> nan, ~inf; nan, finite -> nan, nan; nan, inf -> nan, -inf; nan, nan -> nan, nan",
    "acosh": _POLAR + "; 0, +0 -> +0, pi/2; finite!0, nan -> nan, nan; +0, nan -> nan, ~pi/2",
    "asinh": _ANY_NAN
    + "; +0, +0 -> +0, +0; finite>0, inf -> inf, pi/2; finite, nan -> nan, nan; inf, finite>0 -> inf, +0; "
    + "inf, inf -> inf, pi/4; nan, +0 -> nan, +0; nan, inf -> ~inf, nan",
    "atanh": "+0, +0 -> +0, +0; +0, nan -> +0, nan; 1, +0 -> inf, +0; finite>0, inf -> +0, pi/2; "
    + "finite!0, nan -> nan, nan; inf, finite>0 -> +0, pi/2; inf, inf -> +0, pi/2; inf, nan -> +0, nan; "
    + "nan, finite -> nan, nan; nan, inf -> ~+0, pi/2; nan, nan -> nan, nan",
    "cosh": _ANY_NAN
    + "; +0, +0 -> 1, +0; +0, inf -> nan, ~+0; +0, nan -> nan, ~+0; finite!0, inf -> nan, nan; "
    + "finite!0, nan -> nan, nan; inf, +0 -> inf, +0; inf, inf -> ~inf, nan; inf, nan -> inf, nan; nan, 0 -> nan, ~+0; "
    + "inf, finite>0 -> inf*cos, inf*sin",
    "exp": "0, +0 -> 1, +0; finite, inf -> nan, nan; finite, nan -> nan, nan; inf, +0 -> inf, +0; "
    + "-inf, inf -> ~+0, ~+0; inf, inf -> ~inf, nan; -inf, nan -> ~+0, ~+0; inf, nan -> ~inf, nan; nan, +0 -> nan, +0; "
    + "nan, !0 -> nan, nan; -inf, finite!0 -> 0*cos, 0*sin; inf, finite!0 -> inf*cos, inf*sin",
    "expm1": "0, +0 -> ~+0, +0; finite, inf -> nan, nan; finite, nan -> nan, nan; inf, +0 -> inf, +0; "
    + "-inf, inf -> -1, ~+0; inf, inf -> ~inf, nan; -inf, nan -> -1, ~+0; inf, nan -> ~inf, nan; nan, +0 -> nan, +0; "
    + "nan, !0 -> nan, nan; -inf, finite!0 -> -1, 0*sin; inf, finite!0 -> inf*cos, inf*sin",
    "log": _POLAR + "; -0, +0 -> -inf, pi; +0, +0 -> -inf, +0; finite, nan -> nan, nan",
    "log1p": _POLAR + "; -1, +0 -> -inf, +0; finite, nan -> nan, nan",
    "sign": "0, 0 -> ~+0, ~+0; nan, any -> nan, nan; any, nan -> nan, nan",
    "sinh": _ANY_NAN
    + "; +0, +0 -> +0, +0; +0, inf -> ~+0, nan; +0, nan -> ~+0, nan; finite>0, inf -> nan, nan; "
    + "finite>0, nan -> nan, nan; inf, +0 -> inf, +0; inf, inf -> ~inf, nan; inf, nan -> ~inf, nan; "
    + "nan, +0 -> nan, +0; inf, finite>0 -> inf*cos, inf*sin",
    "sqrt": "0, +0 -> +0, +0; any, inf -> inf, inf; finite, nan -> nan, nan; -inf, finite>0 -> +0, inf; "
    + "inf, finite>0 -> inf, +0; -inf, nan -> nan, ~inf; inf, nan -> inf, nan; nan, finite -> nan, nan; "
    + "nan, nan -> nan, nan",
    "tanh": _ANY_NAN
    + "; +0, +0 -> +0, +0; finite!0, inf -> nan, nan; +0, inf -> +0, nan; finite!0, nan -> nan, nan; "
    + "+0, nan -> +0, nan; inf, finite>0 -> 1, ~+0; inf, inf -> 1, ~+0; inf, nan -> 1, ~+0; nan, +0 -> nan, +0",
}

# Functions that the standard defines by another one at `x * 1j`; the result is multiplied by -1j where that is said.
ROTATED = {"asin": ("asinh", True), "atan": ("atanh", True), "cos": ("cosh", False)}
ROTATED |= {"sin": ("sinh", True), "tan": ("tanh", True)}
# Logarithms of another base.
SCALED = {"log2": math.log(2), "log10": math.log(10)}


def rows(table):
    """The rows of a table as pairs of lists of words."""
    for row in table.split(";"):
        operands, results = row.split("->")
        yield [word.strip() for word in operands.split(",")], [word.strip() for word in results.split(",")]


def expected(word, x, y=nan):
    """The value of a result, and whether its sign counts."""
    sign = not word.startswith("~")
    word = word.removeprefix("~")
    match word:
        case "x":
            return x, sign
        case "y":
            return y, sign
        case "|x|":
            return abs(x), sign
        case "-|x|":
            return -abs(x), sign
        case "inf*cos" | "0*cos":
            return math.copysign(inf if word[0] == "i" else 0.0, math.cos(y)), sign
        case "inf*sin" | "0*sin":
            return math.copysign(inf if word[0] == "i" else 0.0, math.sin(y)), sign
    return RESULTS[word], sign


def agrees(value, wanted, sign=True, rtol=1e-3):
    """Whether a computed value is the wanted one: NaN, infinities and zeros exactly."""
    value, wanted = float(value), float(wanted)
    if math.isnan(wanted):
        return math.isnan(value)
    if not sign:
        value, wanted = abs(value), abs(wanted)
    if math.isinf(wanted) or wanted == 0:
        return value == wanted and (not sign or np.signbit(value) == np.signbit(wanted))
    return math.isclose(value, wanted, rel_tol=rtol)
