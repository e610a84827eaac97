"""Pictures of fits: data beside a fitted distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ._common import current_axes


def plot(fit: Any, ax: Any, plot_type: str) -> Any:
    """Draws one of four pictures; returns the axes."""
    kinds = {"hist": _hist, "histogram": _hist, "qq": _quantiles, "pp": _percentiles, "cdf": _cdf}
    if plot_type.lower() not in kinds:
        raise ValueError(f"`plot_type` must be one of {set(kinds)}")
    ax = current_axes("FitResult.plot") if ax is None else ax
    data = np.sort(fit._data.get())
    kinds[plot_type.lower()](fit, ax, data)
    ax.legend()
    return ax


def _at(fit: Any, method: str, points: np.ndarray) -> np.ndarray:
    return getattr(fit._dist, method)(cp.asarray(points), *fit.params).get()


def _name(fit: Any) -> str:
    return rf"Fitted $\tt {fit._dist.name}$"


def _positions(data: np.ndarray) -> np.ndarray:
    return (np.arange(1, len(data) + 1) - 0.5) / len(data)


def _hist(fit: Any, ax: Any, data: np.ndarray) -> None:
    low, high = (float(end) for end in fit._dist.support(*fit.params))
    low, high = (low if np.isfinite(low) else data[0]), (high if np.isfinite(high) else data[-1])
    kind = "PMF" if fit.discrete else "PDF"
    if fit.discrete:
        x = np.arange(low, high + 2)
        ax.vlines(x[:-1], 0, _at(fit, "pmf", x)[:-1], label="Fitted Distribution PMF", color="C0")
        ax.hist(data, label="Histogram of Data", density=True, bins=x, align="left", color="C1")
    else:
        x = np.linspace(low, high, 200)
        ax.plot(x, _at(fit, "pdf", x), "--", label="Fitted Distribution PDF", color="C0")
        if len(data) > 50:
            ax.hist(data, label="Histogram of Data", density=True, bins=50, align="mid", color="C1")
        else:
            ax.plot(data, np.zeros_like(data), "*", label="Data", color="C1")
    ax.set_xlabel("k" if fit.discrete else "x")
    ax.set_ylabel(kind)
    ax.set_title(f"{_name(fit)} {kind} and Histogram")


def _compared(fit: Any, ax: Any, x: np.ndarray, y: np.ndarray, what: str, kind: str) -> None:
    ax.plot(x, y, ".", label=f"Fitted Distribution {kind}", color="C0", zorder=1)
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    ax.plot(ends, ends, "-", label="Reference", color="k", alpha=0.25)
    ax.set_xlabel(f"{_name(fit)} Theoretical {what}")
    ax.set_ylabel(f"Data {what}")
    ax.set_title(f"{_name(fit)} {kind} Plot")


def _quantiles(fit: Any, ax: Any, data: np.ndarray) -> None:
    _compared(fit, ax, _at(fit, "ppf", _positions(data)), data, "Quantiles", "Q-Q")


def _percentiles(fit: Any, ax: Any, data: np.ndarray) -> None:
    _compared(fit, ax, _positions(data), _at(fit, "cdf", data), "Percentiles", "P-P")


def _cdf(fit: Any, ax: Any, data: np.ndarray) -> None:
    ax.step(data, _positions(data), label="Empirical CDF", color="C1", zorder=0)
    x = np.linspace(data[0], data[-1], 300)
    ax.plot(x, _at(fit, "cdf", x), label="Fitted Distribution CDF", color="C0", zorder=1)
    ax.set_xlabel("k" if fit.discrete else "x")
    ax.set_ylabel("CDF")
    ax.set_title(f"{_name(fit)} and Empirical CDF")
