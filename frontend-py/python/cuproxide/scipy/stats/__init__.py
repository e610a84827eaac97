"""Probability distributions and statistics. See `scipy.stats`.

A distribution is a row of a table (`_table_*.py`); its methods and those of users' subclasses are in `_continuous.py`
and `_discrete.py`. Statistics compute over the last axis; `_axis.py` does the rest.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from . import contingency, qmc
from ._anderson_darling import *
from ._binned import *
from ._binomtest import *
from ._circular import *
from ._contingency import chi2_contingency as chi2_contingency
from ._contingency import fisher_exact as fisher_exact
from ._continuous import *
from ._correlation import *
from ._cramer_von_mises import *
from ._credible_intervals import *
from ._discrete import *
from ._distances import *
from ._dunnett import *
from ._estimated_cdf import *
from ._estimates import *
from ._exact_tables import *
from ._fit import *
from ._frequencies import *
from ._goodness import *
from ._graph_correlation import *
from ._histogram import *
from ._kde import *
from ._kolmogorov_smirnov import *
from ._matrix_t import *
from ._matrix_variate import *
from ._mixture import *
from ._more_tests import *
from ._multivariate import *
from ._normality import *
from ._power_transforms import *
from ._probability_plot import *
from ._quantile import *
from ._quantile_test import *
from ._random_variable_families import *
from ._random_variable_transforms import *
from ._rank import *
from ._rank_tests import *
from ._regression import *
from ._resampling import *
from ._results import *
from ._scores import *
from ._sensitivity import *
from ._summary import *
from ._survival import *
from ._t_tests import *
from ._table_bounded import *
from ._table_discrete import *
from ._table_extreme import *
from ._table_gamma import *
from ._table_heavy import *
from ._table_kolmogorov import *
from ._table_logistic import *
from ._table_noncentral import *
from ._table_normal import *
from ._table_numeric import *
from ._table_pareto import *
from ._table_stable import *
from ._table_sums import *
from ._table_urns import *
from ._table_zipf import *
from ._texts import TEXTS as _TEXTS
from ._transport import *
from ._trend_tests import *
from ._trimmed import *
from ._variance_tests import *

__all__ = ["contingency", "fisher_exact", "qmc", *_declared(globals())]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # the distributions, rows of tables


_complete(globals(), __all__, _TEXTS, "scipy.stats")
_complete(vars(contingency), contingency.__all__, _TEXTS, "scipy.stats.contingency")
_complete(vars(qmc), qmc.__all__, _TEXTS, "scipy.stats.qmc")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
