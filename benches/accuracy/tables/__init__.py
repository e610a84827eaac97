"""The rows of the table of accuracy, a module for each group of families."""

from __future__ import annotations

from accuracy.row import Row
from accuracy.tables import (
    bessel,
    characteristic,
    cuts,
    discrete,
    distribution,
    distributions,
    elementary,
    elliptic,
    exponential_integrals,
    gamma,
    hypergeometric,
    more_distributions,
    probability,
    ranges,
)

MODULES = (
    elementary,
    gamma,
    exponential_integrals,
    bessel,
    elliptic,
    hypergeometric,
    characteristic,
    probability,
    distribution,
    discrete,
    cuts,
)
#: These add their rows to the table of `distribution`.
ADDING = (distributions, more_distributions, ranges)


def rows() -> list[Row]:
    """All of them, in the order of the tables."""
    return [row for module in MODULES for table in module.TABLES for row in table.rows]
