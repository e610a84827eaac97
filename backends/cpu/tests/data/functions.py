"""Writes functions.txt: results of mathematical functions to twice the digits of float64, computed with mpmath.

Each line is a name, one or two arguments, the nearest float64 to the result and the nearest float64 to the rest,
numbers as the hexadecimal digits of their bits. Run: python functions.py > functions.txt
"""

import random
import struct

from mpmath import mp, mpf

mp.prec = 300
POINTS = 160
random.seed(20)


def uniform(low, high):
    return lambda: random.uniform(low, high)


def decades(low, high, negative=False):
    return lambda: random.choice([-1, 1] if negative else [1]) * 10 ** random.uniform(low, high)


def mix(*draws):
    return lambda: random.choice(draws)()


SIGNED = mix(uniform(-1, 1), decades(-300, -1, True), decades(-3, 2, True))
POSITIVE = mix(uniform(0.5, 2), decades(-300, 300), decades(-3, 3))
ANGLE = mix(SIGNED, uniform(-1e6, 1e6), lambda: float(mp.pi / 2 * random.randrange(600000)))
UNIT = mix(uniform(-1, 1), decades(-20, 0, True), lambda: 1 - 10 ** random.uniform(-15, -1))
ONE_ARGUMENT = {
    "exp": (mp.exp, mix(SIGNED, uniform(-700, 709))),
    "exp2": (lambda x: mpf(2) ** x, mix(SIGNED, uniform(-1020, 1023))),
    "expm1": (mp.expm1, mix(SIGNED, uniform(-40, 709))),
    "log": (mp.log, POSITIVE),
    "log2": (lambda x: mp.log(x) / mp.log(2), POSITIVE),
    "log10": (mp.log10, POSITIVE),
    "log1p": (mp.log1p, mix(POSITIVE, uniform(-1, 1), decades(-17, -1, True))),
    "sin": (mp.sin, ANGLE),
    "cos": (mp.cos, ANGLE),
    "tan": (mp.tan, ANGLE),
    "asin": (mp.asin, UNIT),
    "acos": (mp.acos, UNIT),
    "atan": (mp.atan, mix(SIGNED, decades(-3, 20))),
    "sinh": (mp.sinh, mix(SIGNED, uniform(-710, 710))),
    "cosh": (mp.cosh, mix(SIGNED, uniform(-710, 710))),
    "tanh": (mp.tanh, mix(SIGNED, uniform(-22, 22))),
    "asinh": (mp.asinh, mix(SIGNED, decades(-3, 140, True))),
    "acosh": (mp.acosh, mix(uniform(1, 3), decades(0, 140), lambda: 1 + 10 ** random.uniform(-14, 0))),
    "atanh": (mp.atanh, UNIT),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), mix(SIGNED, decades(-290, 290, True))),
}
TWO_ARGUMENTS = {
    "pow": (
        mp.power,
        mix(
            lambda: (random.uniform(0, 9), random.uniform(-300, 300)),
            lambda: (10 ** random.uniform(-30, 30), random.uniform(-10, 10)),
            lambda: (random.uniform(0.9, 1.1), random.uniform(-6000, 6000)),
            lambda: (random.uniform(-9, 9), float(random.randrange(-20, 20))),
        ),
    ),
    "atan2": (mp.atan2, lambda: (SIGNED(), SIGNED())),
    "hypot": (mp.hypot, lambda: (decades(-60, 60, True)(), decades(-60, 60, True)())),
}


def bits(x):
    return struct.pack(">d", x).hex()


def normal(x):
    return 2.3e-308 < abs(x) < 1.7e308


def write(name, function, arguments):
    result = function(*map(mpf, arguments))
    if mp.im(result) != 0 or not normal(result):
        return False
    high = float(result)
    print(name, *map(bits, arguments), bits(high), bits(float(result - mpf(high))))
    return True


for name, (function, draw) in ONE_ARGUMENT.items():
    written = 0
    while written < POINTS:
        written += write(name, function, (draw(),))
for name, (function, draw) in TWO_ARGUMENTS.items():
    written = 0
    while written < POINTS:
        written += write(name, function, draw())
