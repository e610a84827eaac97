"""Quasi-Monte Carlo sequences. See `scipy.stats.qmc`."""

from __future__ import annotations

from ._discrepancy import discrepancy, geometric_discrepancy, update_discrepancy
from ._poisson_disk import PoissonDisk
from ._qmc import Halton, LatinHypercube, MultinomialQMC, MultivariateNormalQMC, QMCEngine, Sobol
from ._unit_cube import scale

__all__ = [
    "Halton",
    "LatinHypercube",
    "MultinomialQMC",
    "MultivariateNormalQMC",
    "PoissonDisk",
    "QMCEngine",
    "Sobol",
    "discrepancy",
    "geometric_discrepancy",
    "scale",
    "update_discrepancy",
]


def __dir__() -> list[str]:
    return sorted(__all__)
