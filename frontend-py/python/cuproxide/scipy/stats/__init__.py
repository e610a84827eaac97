"""Probability distributions and statistics. See `scipy.stats`."""

from __future__ import annotations

from . import _table_bounded, _table_discrete, _table_gamma, _table_heavy, _table_normal, _table_numeric
from ._continuous import rv_continuous
from ._discrete import rv_discrete
from ._table_bounded import *  # noqa: F403
from ._table_discrete import *  # noqa: F403
from ._table_gamma import *  # noqa: F403
from ._table_heavy import *  # noqa: F403
from ._table_normal import *  # noqa: F403
from ._table_numeric import *  # noqa: F403
