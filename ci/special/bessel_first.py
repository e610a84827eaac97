"""Bessel functions of orders 0 and 1."""

import mpmath as mp
from special_tables import Function, Spec


def between_zeros(order: int, zeros: tuple[int, ...]) -> Function:
    """J over x**order and over (x**2 - r**2) for some of its zeros, as a function of x**2."""
    roots = [mp.besseljzero(order, k) ** 2 for k in zeros]
    return lambda u: mp.besselj(order, mp.sqrt(u)) / mp.sqrt(u) ** order / mp.fprod(u - root for root in roots)


def around_zero(order: int, zero: int) -> Function:
    """x**order (Y - 2 / pi log(x / r) J) / (x**2 - r**2) for a zero r of Y, as a function of x**2."""
    root = mp.besselyzero(order, zero)

    def value(u: mp.mpf) -> mp.mpf:
        x = mp.sqrt(u)
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x / root) * mp.besselj(order, x)
        return x**order * rest / (u - root**2)

    return value


def modulus(order: int, part: int) -> Function:
    """The factors of the cosine (part 0) and, times x, of the sine (part 1), over 1 / x**2."""

    def value(u: mp.mpf) -> mp.mpf:
        x = 1 / mp.sqrt(u)
        angle = x - mp.pi * (2 * order + 1) / 4
        first, second = mp.besselj(order, x), mp.bessely(order, x)
        scale = mp.sqrt(mp.pi * x / 2)
        if part == 0:
            return scale * (first * mp.cos(angle) + second * mp.sin(angle))
        return scale * x * (second * mp.cos(angle) - first * mp.sin(angle))

    return value


FAR = mp.mpf(1) / 64
SPECS = [
    Spec("J0_NEAR", between_zeros(0, (1, 2)), 0, 64, "J0(x) / (x**2 - r**2) / (x**2 - s**2) over x**2, for two zeros."),
    Spec("J1_NEAR", between_zeros(1, (1, 2)), 0, 64, "J1(x) / x / (x**2 - r**2) / (x**2 - s**2) over x**2."),
    Spec("Y0_FIRST", around_zero(0, 1), 0, 9, "(Y0(x) - 2 / pi log(x / r) J0(x)) / (x**2 - r**2) at the first zero r."),
    Spec("Y0_SECOND", around_zero(0, 2), 9, 30.25, "The same at the second zero."),
    Spec("Y0_THIRD", around_zero(0, 3), 30.25, 64, "The same at the third zero."),
    Spec(
        "Y1_FIRST", around_zero(1, 1), 0, 16, "x (Y1(x) - 2 / pi log(x / r) J1(x)) / (x**2 - r**2) at the first zero r."
    ),
    Spec("Y1_SECOND", around_zero(1, 2), 16, 64, "The same at the second zero."),
    *(
        Spec(f"{name}{order}_FAR", modulus(order, part), 0, FAR, f"{text} of order {order}, over 1 / x**2: DLMF 10.17.")
        for order in (0, 1)
        for part, (name, text) in enumerate((("P", "The cosine's factor"), ("Q", "x times the sine's factor")))
    ),
]
