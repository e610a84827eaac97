"""The zeta function of Riemann."""

import mpmath as mp
from special_tables import Spec


def without_pole(x: mp.mpf) -> mp.mpf:
    """(x - 1) zeta(x)."""
    return (x - 1) * mp.zeta(x) if abs(x - 1) > mp.mpf(10) ** -40 else mp.mpf(1)


SPECS = [
    Spec("ZETA_CENTER", without_pole, -1, 3, "(x - 1) zeta(x)."),
    Spec("ZETAC_CENTER", lambda x: without_pole(x) - (x - 1), -1, 3, "(x - 1) (zeta(x) - 1)."),
]
