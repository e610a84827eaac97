"""Probability distributions and statistics. See `scipy.stats`.

A distribution is a row of a table (`_table_*.py`); its methods and those of users' subclasses are in `_continuous.py`
and `_discrete.py`. Statistics compute over the last axis; `_axis.py` does the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._lib.texts import complete as _complete
from . import (
    _anderson_darling,
    _binned,
    _binomtest,
    _circular,
    _correlation,
    _cramer_von_mises,
    _credible_intervals,
    _distances,
    _dunnett,
    _estimated_cdf,
    _estimates,
    _exact_tables,
    _frequencies,
    _goodness,
    _graph_correlation,
    _histogram,
    _kde,
    _kolmogorov_smirnov,
    _matrix_t,
    _matrix_variate,
    _mixture,
    _more_tests,
    _multivariate,
    _normality,
    _power_transforms,
    _probability_plot,
    _quantile,
    _quantile_test,
    _random_variable_families,
    _random_variable_transforms,
    _rank,
    _rank_tests,
    _regression,
    _resampling,
    _scores,
    _sensitivity,
    _summary,
    _survival,
    _t_tests,
    _table_bounded,
    _table_discrete,
    _table_extreme,
    _table_gamma,
    _table_heavy,
    _table_kolmogorov,
    _table_noncentral,
    _table_normal,
    _table_numeric,
    _table_stable,
    _table_sums,
    _transport,
    _trend_tests,
    _trimmed,
    _variance_tests,
    contingency,
    qmc,
)
from ._anderson_darling import *  # noqa: F403
from ._binned import *  # noqa: F403
from ._binomtest import *  # noqa: F403
from ._circular import *  # noqa: F403
from ._contingency import chi2_contingency, fisher_exact
from ._continuous import rv_continuous
from ._correlation import *  # noqa: F403
from ._cramer_von_mises import *  # noqa: F403
from ._credible_intervals import *  # noqa: F403
from ._discrete import rv_discrete
from ._distances import *  # noqa: F403
from ._dunnett import *  # noqa: F403
from ._estimated_cdf import *  # noqa: F403
from ._estimates import *  # noqa: F403
from ._exact_tables import *  # noqa: F403
from ._fit import FitError
from ._frequencies import *  # noqa: F403
from ._goodness import *  # noqa: F403
from ._graph_correlation import *  # noqa: F403
from ._histogram import *  # noqa: F403
from ._kde import *  # noqa: F403
from ._kolmogorov_smirnov import *  # noqa: F403
from ._matrix_t import *  # noqa: F403
from ._matrix_variate import *  # noqa: F403
from ._mixture import *  # noqa: F403
from ._more_tests import *  # noqa: F403
from ._multivariate import *  # noqa: F403
from ._normality import *  # noqa: F403
from ._power_transforms import *  # noqa: F403
from ._probability_plot import *  # noqa: F403
from ._quantile import *  # noqa: F403
from ._quantile_test import *  # noqa: F403
from ._random_variable_families import *  # noqa: F403
from ._random_variable_transforms import *  # noqa: F403
from ._rank import *  # noqa: F403
from ._rank_tests import *  # noqa: F403
from ._regression import *  # noqa: F403
from ._resampling import *  # noqa: F403
from ._results import ConstantInputWarning, DegenerateDataWarning, NearConstantInputWarning
from ._scores import *  # noqa: F403
from ._sensitivity import *  # noqa: F403
from ._summary import *  # noqa: F403
from ._survival import *  # noqa: F403
from ._t_tests import *  # noqa: F403
from ._table_bounded import *  # noqa: F403
from ._table_discrete import *  # noqa: F403
from ._table_extreme import *  # noqa: F403
from ._table_gamma import *  # noqa: F403
from ._table_heavy import *  # noqa: F403
from ._table_kolmogorov import *  # noqa: F403
from ._table_noncentral import *  # noqa: F403
from ._table_normal import *  # noqa: F403
from ._table_numeric import *  # noqa: F403
from ._table_stable import *  # noqa: F403
from ._table_sums import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._transport import *  # noqa: F403
from ._trend_tests import *  # noqa: F403
from ._trimmed import *  # noqa: F403
from ._variance_tests import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_binned.__all__,
    *_binomtest.__all__,
    *_circular.__all__,
    *_correlation.__all__,
    *_goodness.__all__,
    *_histogram.__all__,
    *_kde.__all__,
    *_mixture.__all__,
    *_more_tests.__all__,
    *_matrix_t.__all__,
    *_matrix_variate.__all__,
    *_multivariate.__all__,
    *_power_transforms.__all__,
    *_probability_plot.__all__,
    *_random_variable_families.__all__,
    *_random_variable_transforms.__all__,
    *_rank.__all__,
    *_resampling.__all__,
    *_summary.__all__,
    *_survival.__all__,
    *_table_bounded.__all__,
    *_table_discrete.__all__,
    *_table_extreme.__all__,
    *_table_gamma.__all__,
    *_table_heavy.__all__,
    *_table_normal.__all__,
    *_table_kolmogorov.__all__,
    *_table_noncentral.__all__,
    *_table_numeric.__all__,
    *_table_stable.__all__,
    *_table_sums.__all__,
    *_cramer_von_mises.__all__,
    *_credible_intervals.__all__,
    *_estimated_cdf.__all__,
    *_estimates.__all__,
    *_regression.__all__,
    *_distances.__all__,
    *_trend_tests.__all__,
    *_transport.__all__,
    *_scores.__all__,
    *_sensitivity.__all__,
    *_quantile.__all__,
    *_quantile_test.__all__,
    *_graph_correlation.__all__,
    *_anderson_darling.__all__,
    *_exact_tables.__all__,
    *_dunnett.__all__,
    *_frequencies.__all__,
    *_kolmogorov_smirnov.__all__,
    *_normality.__all__,
    *_rank_tests.__all__,
    *_t_tests.__all__,
    *_trimmed.__all__,
    *_variance_tests.__all__,
    "ConstantInputWarning",
    "FitError",
    "NearConstantInputWarning",
    "DegenerateDataWarning",
    "chi2_contingency",
    "contingency",
    "fisher_exact",
    "qmc",
    "rv_continuous",
    "rv_discrete",
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # the distributions, rows of tables


_complete(globals(), __all__, _TEXTS, "scipy.stats")
_complete(vars(contingency), contingency.__all__, _TEXTS, "scipy.stats.contingency")
_complete(vars(qmc), qmc.__all__, _TEXTS, "scipy.stats.qmc")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
