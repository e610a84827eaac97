"""Airy functions."""

import mpmath as mp
from special_tables import Function, Spec


def airy(kind: int, derivative: int) -> Function:
    """Ai or Bi or its derivative."""
    return lambda x: (mp.airybi if kind else mp.airyai)(x, derivative=derivative)


def scaled(kind: int, derivative: int) -> Function:
    """The function of x > 0 without its exponential and its power, over x."""

    def value(x: mp.mpf) -> mp.mpf:
        zeta = mp.mpf(2) / 3 * x ** (mp.mpf(3) / 2)
        power = x ** (mp.mpf(-1 if derivative else 1) / 4)
        return airy(kind, derivative)(x) * mp.exp(-zeta if kind else zeta) * power

    return value


def over_zeta(function: Function) -> Function:
    """The same over 1 / zeta."""
    return lambda u: function((mp.mpf(3) / 2 / u) ** (mp.mpf(2) / 3))


def oscillating(derivative: int, part: int) -> Function:
    """The factors of cosine (part 0) and, times zeta, sine (part 1) for x < 0, over 1 / zeta**2: DLMF 9.7."""

    def value(u: mp.mpf) -> mp.mpf:
        zeta = 1 / mp.sqrt(u)
        x = (mp.mpf(3) / 2 * zeta) ** (mp.mpf(2) / 3)
        angle = zeta - mp.pi / 4
        scale = mp.sqrt(mp.pi) * x ** (mp.mpf(-1 if derivative else 1) / 4)
        first, second = airy(0, derivative)(-x) * scale, airy(1, derivative)(-x) * scale
        cosine, sine = mp.cos(angle), mp.sin(angle)
        if derivative:
            # Ai' = sin R - cos S / zeta, Bi' = cos R + sin S / zeta.
            return first * sine + second * cosine if part == 0 else zeta * (second * sine - first * cosine)
        # Ai = cos P + sin Q / zeta, Bi = -sin P + cos Q / zeta.
        return first * cosine - second * sine if part == 0 else zeta * (first * sine + second * cosine)

    return value


SPECS = []
for kind, name in enumerate(("AI", "BI")):
    for derivative, mark in enumerate(("", "P")):
        text = f"{'Bi' if kind else 'Ai'}{chr(39) * derivative}"
        SPECS += [
            Spec(f"{name}{mark}_LEFT", airy(kind, derivative), -6, -2.5, f"{text}(x)."),
            Spec(f"{name}{mark}_NEAR", airy(kind, derivative), -2.5, 0.5, f"{text}(x)."),
            Spec(
                f"{name}{mark}_RIGHT",
                scaled(kind, derivative),
                0.5,
                2.5,
                f"{text}(x) without its exponential and power.",
            ),
        ]
        if kind:
            SPECS.append(Spec(f"{name}{mark}_BEYOND", scaled(kind, derivative), 2.5, 8, "The same further on."))
        low = mp.mpf(8) if kind else mp.mpf("2.5")
        bound = float(1 / (mp.mpf(2) / 3 * low ** (mp.mpf(3) / 2))) * (1 + 1e-15)
        SPECS.append(
            Spec(
                f"{name}{mark}_FAR",
                over_zeta(scaled(kind, derivative)),
                0,
                bound,
                "The same over 1 / zeta, to infinity.",
            )
        )
LIMIT = float(1 / (mp.mpf(2) / 3 * mp.mpf(6) ** (mp.mpf(3) / 2)) ** 2) * (1 + 1e-15)
for derivative, mark in enumerate(("", "P")):
    SPECS += [
        Spec(f"AIRY{mark}_COSINE", oscillating(derivative, 0), 0, LIMIT, "The cosine's factor, over 1 / zeta**2."),
        Spec(
            f"AIRY{mark}_SINE", oscillating(derivative, 1), 0, LIMIT, "zeta times the sine's factor, over 1 / zeta**2."
        ),
    ]
