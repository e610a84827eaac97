"""Complete elliptic integrals."""

import mpmath as mp
from special_tables import Spec


def first_regular(p: mp.mpf) -> mp.mpf:
    """K(1 - p) + log(p) K(p) / pi: DLMF 19.12.1."""
    if p == 0:
        return 2 * mp.log(2)
    return mp.ellipk(1 - p) + mp.log(p) * first_factor(p)


def first_factor(p: mp.mpf) -> mp.mpf:
    return mp.ellipk(p) / mp.pi


def second_regular(p: mp.mpf) -> mp.mpf:
    """(E(1 - p) - 1) / p + log(p) (K(p) - E(p)) / (pi p): DLMF 19.12.2."""
    if p < mp.mpf(10) ** -30:
        return mp.log(2) - mp.mpf(1) / 4
    return (mp.ellipe(1 - p) - 1) / p + mp.log(p) * second_factor(p)


def second_factor(p: mp.mpf) -> mp.mpf:
    if p < mp.mpf(10) ** -30:
        return mp.mpf(1) / 4
    return (mp.ellipk(p) - mp.ellipe(p)) / (mp.pi * p)


SPECS = [
    Spec("K_REGULAR", first_regular, 0, 0.5, "K(1 - p) + log(p) K(p) / pi."),
    Spec("K_FACTOR", first_factor, 0, 0.5, "K(p) / pi."),
    Spec("K_NEAR", lambda p: mp.ellipk(1 - p), 0.5, 1, "K(1 - p)."),
    Spec("E_REGULAR", second_regular, 0, 0.5, "(E(1 - p) - 1) / p + log(p) (K(p) - E(p)) / (pi p)."),
    Spec("E_FACTOR", second_factor, 0, 0.5, "(K(p) - E(p)) / (pi p)."),
    Spec("E_NEAR", lambda p: mp.ellipe(1 - p), 0.5, 1, "E(1 - p)."),
]
