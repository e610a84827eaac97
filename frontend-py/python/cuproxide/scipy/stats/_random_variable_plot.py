"""Pictures of random variables."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ._common import current_axes

_QUANTILES = ("x", "icdf", "iccdf", "ilogcdf", "ilogccdf")
_SHARES = ("cdf", "ccdf", "logcdf", "logccdf")
_ALL = (*_QUANTILES, *_SHARES, "pdf", "logpdf", "pmf", "logpmf")
_POINTS = 300


def _host(value: Any) -> np.ndarray:
    return value.get() if hasattr(value, "get") else np.asarray(value)


def plot(variable: Any, x: str, y: str | None, t: Any, ax: Any) -> Any:
    """Draws `y` over `x` within the limits `t`; returns the axes."""
    name = type(variable).__name__
    y = variable._density if y is None else y
    low, high = (_host(end) for end in variable.support())
    limits = ("cdf", 0.0 if np.all(np.isfinite(low)) else 0.0005, 1.0 if np.all(np.isfinite(high)) else 0.9995)
    t = limits if t is None else t
    for argument, value, known in (("t", t[0], (*_QUANTILES, *_SHARES)), ("x", x, _ALL), ("y", y, _ALL)):
        if value not in known:
            raise ValueError(f"Argument `{argument}` of `{name}.plot` must be one of {set(known)}, got {value!r}")
    if not np.all(_host(cp.asarray(variable._valid))):
        raise ValueError(
            f"`{name}.plot` was called on a random variable with at least one invalid shape parameters. When a "
            "parameter is invalid, no plot can be shown."
        )
    if len(variable._shape) > 1:
        raise ValueError(
            "To use `plot`, distribution parameters must be scalars or arrays with one or fewer dimensions."
        )
    ax = current_axes(f"{name}.plot") if ax is None else ax
    ends: Any = cp.asarray([float(t[1]), float(t[2])])
    ends = ends[:, None] if variable._shape else ends
    ends = _host(ends if t[0] in _QUANTILES else getattr(variable, "i" + t[0])(ends))
    if not np.all(np.isfinite(ends)):
        raise ValueError(f"`{name}.plot` received invalid input for `t`: calling i{t[0]} produced {ends}.")
    if variable._discrete and x in _QUANTILES:
        points = np.arange(ends[0].min(), ends[1].max() + 1)
        points = points[:, None] if variable._shape else points
    else:
        share = np.linspace(0, 1, _POINTS)
        points = ends[0] + (ends[1] - ends[0]) * (share[:, None] if variable._shape else share)
        points = np.round(points) if variable._discrete else points
    at = cp.asarray(points)
    across, up = (points if axis in _QUANTILES else _host(getattr(variable, axis)(at)) for axis in (x, y))
    across, up = np.broadcast_arrays(across.T, np.atleast_2d(up.T))
    for one, other in zip(across, up, strict=True):
        if variable._discrete and x in _QUANTILES and y == "pmf":
            ax.bar(one, other, alpha=np.sqrt(1 / len(up)))
        elif variable._discrete and x in _QUANTILES:
            ax.stairs(other, np.concatenate((one, [one[-1] + 1])), baseline=None)
        else:
            ax.plot(one, other)
    ax.set_xlabel(f"${x}$")
    ax.set_ylabel(f"${y}$")
    ax.set_title(str(variable))
    if variable._original:
        values = [np.atleast_1d(_host(getattr(variable, key))) for key in variable._original]
        ax.legend(
            [
                ", ".join(f"{key} = {value:.4g}" for key, value in zip(variable._original, row, strict=True))
                for row in zip(*values, strict=True)
            ]
        )
    return ax
