"""Contingency tables. See `scipy.stats.contingency`."""

from __future__ import annotations

from ._contingency import association, chi2_contingency, crosstab, expected_freq, margins, odds_ratio, relative_risk

__all__ = ["association", "chi2_contingency", "crosstab", "expected_freq", "margins", "odds_ratio", "relative_risk"]


def __dir__() -> list[str]:
    return sorted(__all__)
