"""Bessel functions of orders 0 and 1."""

import mpmath as mp
from special_tables import Function, Spec


def between_zeros(order: int, zeros: tuple[int, ...]) -> Function:
    """J over x**order and over (x**2 - r**2) for some of its zeros, over 64 - x**2: a series of one sign."""
    roots = [mp.besseljzero(order, k) ** 2 for k in zeros]

    def value(rest: mp.mpf) -> mp.mpf:
        u = 64 - rest
        x = mp.sqrt(u) if u > 0 else mp.mpf(10) ** -20
        return mp.besselj(order, x) / x**order / mp.fprod(u - root for root in roots)

    return value


def around_zero(order: int, zero: int) -> Function:
    """x**order (Y - 2 / pi log(x / r) J) / (x**2 - r**2) for a zero r of Y, as a function of x**2."""
    root = mp.besselyzero(order, zero)

    def value(u: mp.mpf) -> mp.mpf:
        x = mp.sqrt(u)
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x / root) * mp.besselj(order, x)
        return x**order * rest / (u - root**2)

    return value


def between_logarithms(order: int, count: int) -> Function:
    """x**order (Y - 2 / pi L J) over (x**2 - r**2) for the first zeros r of Y, as a function of 64 - x**2.

    L is log(x) less the polynomial in x**2 that makes it 0 at these zeros.
    """
    zeros = [mp.besselyzero(order, k + 1) for k in range(count)]
    roots = [zero**2 for zero in zeros]

    def value(rest: mp.mpf) -> mp.mpf:
        u = 64 - rest
        x = mp.sqrt(u) if u > 0 else mp.mpf(10) ** -20
        logarithm = mp.log(x) - mp.polyval(logarithms(zeros), u)
        rest = mp.bessely(order, x) - 2 / mp.pi * logarithm * mp.besselj(order, x)
        return x**order * rest / mp.fprod(u - root for root in roots)

    return value


def logarithms(zeros: list[mp.mpf]) -> list[mp.mpf]:
    """The polynomial in x**2 that is log(x) at the zeros, the highest power first."""
    count = len(zeros)
    matrix = mp.matrix(count, count)
    for row, zero in enumerate(zeros):
        for power in range(count):
            matrix[row, power] = zero ** (2 * (count - 1 - power))
    return list(mp.lu_solve(matrix, mp.matrix([mp.log(zero) for zero in zeros])))


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
    *(
        Spec(
            f"J{order}_NEAR",
            between_zeros(order, (1, 2)),
            0,
            64,
            f"J{order}(x) / x**{order} over (x**2 - r**2) of two zeros, over 64 - x**2.",
            scale=between_zeros(order, (1, 2)),
            of_argument=True,
        )
        for order in (0, 1)
    ),
    Spec(
        "Y0_NEAR",
        between_logarithms(0, 3),
        0,
        64,
        "(Y0(x) - 2 / pi L(x) J0(x)) over (x**2 - r**2) of three zeros, over 64 - x**2.",
        scale=between_logarithms(0, 3),
        of_argument=True,
    ),
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
