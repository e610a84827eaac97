"""Probability plots, and how straight they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from ._axis import sample
from ._base import rv_generic
from ._common import quiet
from ._power_transforms import _medians, real_numbers
from ._row import ROWS
from ._table_normal import norm

__all__ = ["boxcox_normplot", "ppcc_max", "ppcc_plot", "probplot", "yeojohnson_normplot"]


def _distribution(dist: Any, strict: bool = True) -> Any:
    if isinstance(dist, str):
        if dist not in ROWS:
            raise ValueError(f"{dist} is not a valid distribution name")
        return ROWS[dist]
    if strict and not isinstance(dist, rv_generic):
        raise ValueError(
            "`dist` should be a stats.distributions instance or a string with the name of such a distribution."
        )
    return dist


def _straightness(x: ndarray, y: ndarray) -> ndarray:
    """The correlation along the last axis."""
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    return (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))


def _label(plot: Any, across: str, up: str, title: str) -> None:
    """Texts on axes, or by the functions of `matplotlib.pyplot`, where an object has them."""
    for own, other, text in (
        ("set_title", "title", title),
        ("set_xlabel", "xlabel", across),
        ("set_ylabel", "ylabel", up),
    ):
        write = getattr(plot, own, None) or getattr(plot, other, None)
        if write is not None:
            write(text)


def probplot(
    x: Any, sparams: Any = (), dist: Any = "norm", fit: bool = True, plot: Any = None, rvalue: bool = False
) -> Any:
    """The points of a probability plot, and the line through them. See `scipy.stats.probplot`.

    Parameters
    ----------
    sparams : tuple, optional
        Shapes, location and scale of the distribution.
    dist : str or distribution
        The distribution whose quantiles are plotted.
    fit : bool
        Whether a line is fitted.
    plot : object, optional
        What draws: axes of matplotlib or its module `pyplot`.
    rvalue : bool
        Whether the squared correlation is written into the picture.

    Returns
    -------
    tuple
        Quantiles and ordered data; with `fit` also slope, intercept and correlation.

    Raises
    ------
    ValueError
        If there is no distribution of that name.

    >>> (positions, values), line = cp.scipy.stats.probplot(cp.asarray([1.0, 2.0, 3.0]))
    >>> round(float(line[2]), 6)
    1.0
    """
    given, x = as_device(x), sample(x)
    if x.size == 0:
        return ((x, x), (np.nan, np.nan, 0.0)) if fit else (x, x)
    dist = _distribution(dist, strict=False)
    sparams = () if sparams is None else sparams
    sparams = (sparams,) if np.isscalar(sparams) else tuple(sparams)
    positions, values = as_device(dist.ppf(_medians(x.shape[0]), *sparams)), cp.sort(x)
    # Ordered data have the type that they came with.
    ordered = values.astype(given.dtype) if given.dtype != values.dtype else values
    if not fit:
        if plot is not None:
            plot.plot(positions.get(), values.get(), "bo")
            _label(plot, "Theoretical quantiles", "Ordered Values", "Probability Plot")
        return positions, ordered
    centred, off = positions - positions.mean(), values - values.mean()
    slope = (centred * off).sum() / (centred * centred).sum()
    intercept = values.mean() - slope * positions.mean()
    correlation = _straightness(positions, values)
    if plot is not None:
        across, up = positions.get(), values.get()
        plot.plot(across, up, "bo")
        plot.plot(across, to_float(slope) * across + to_float(intercept), "r-")
        _label(plot, "Theoretical quantiles", "Ordered Values", "Probability Plot")
        if rvalue:
            at = across.min() + 0.70 * np.ptp(across), up.min() + 0.01 * np.ptp(up)
            plot.text(*at, f"$R^2={to_float(correlation) ** 2:1.4f}$")
    return (positions, ordered), (slope, intercept, correlation)


def ppcc_max(x: Any, brack: tuple[float, ...] = (0.0, 1.0), dist: Any = "tukeylambda") -> float:
    """The shape whose probability plot is straightest. See `scipy.stats.ppcc_max`.

    Parameters
    ----------
    brack : tuple
        Two or three shapes from which the search starts.

    Returns
    -------
    float
        The shape.

    Raises
    ------
    ValueError
        If there is no distribution of that name.

    >>> x = stats.tukeylambda.ppf(cp.linspace(0.01, 0.99, 99), -0.3)
    >>> round(stats.ppcc_max(x), 2)
    -0.23
    """
    from ..optimize import brent

    dist = _distribution(dist)
    if cp.iscomplexobj(x):
        raise ValueError("This function does not support complex data")
    values = cp.sort(sample(x))
    positions = _medians(values.shape[0])

    def bend(shape: Any) -> float:
        with quiet():
            return 1 - to_float(_straightness(dist.ppf(positions, float(shape)), values))

    return float(brent(bend, brack=brack))


def ppcc_plot(
    x: Any, a: float, b: float, dist: Any = "tukeylambda", plot: Any = None, N: int = 80
) -> tuple[ndarray, ndarray]:  # noqa: N803
    """How straight probability plots of several shapes are. See `scipy.stats.ppcc_plot`.

    Parameters
    ----------
    a, b : float
        The least and the largest shape.
    N : int
        How many shapes.

    Returns
    -------
    tuple of ndarray
        The shapes, and the correlations of their probability plots.

    Raises
    ------
    ValueError
        If `b` is not above `a`, or there is no distribution of that name.

    >>> shapes, straight = cp.scipy.stats.ppcc_plot(cp.linspace(0.0, 1.0, 50), 0.5, 1.5, N=11)
    >>> float(shapes[straight.argmax()])
    1.0
    """
    if b <= a:
        raise ValueError("`b` has to be larger than `a`.")
    family = _distribution(dist, strict=False)
    values = cp.sort(sample(x))
    shapes = cp.linspace(a, b, num=N)
    if values.size == 0:
        # No points lie on no line.
        return shapes, cp.zeros(shapes.shape)
    with quiet():
        straight = _straightness(family.ppf(_medians(values.shape[0]), shapes[:, None]), values)
    if plot is not None:
        plot.plot(shapes.get(), straight.get(), "x")
        _label(plot, "Shape Values", "Prob Plot Corr. Coef.", f"({dist}) PPCC Plot")
    return shapes, straight


def _by_exponents(
    x: Any, la: float, lb: float, plot: Any, count: int, transform: Callable[[ndarray, ndarray], ndarray], title: str
) -> Any:
    x = sample(x)
    if x.size == 0:
        return x
    if lb <= la:
        raise ValueError("`lb` has to be larger than `la`.")
    if "Box" in title and bool((x <= 0).any()):
        raise ValueError("Data must be positive.")
    exponents = cp.linspace(la, lb, num=count)
    values = cp.sort(transform(x, exponents[:, None]), axis=-1)
    straight = _straightness(norm.ppf(_medians(x.shape[0])), values)
    if plot is not None:
        plot.plot(exponents.get(), straight.get(), "x")
        _label(plot, "$\\lambda$", "Prob Plot Corr. Coef.", title)
    return exponents, straight


def boxcox_normplot(x: Any, la: float, lb: float, plot: Any = None, N: int = 80) -> Any:  # noqa: N803
    """How normal data are after Box and Cox's transform. See `scipy.stats.boxcox_normplot`.

    Parameters
    ----------
    x : array_like
        Positive numbers.
    la, lb : float
        The least and the largest exponent.

    Raises
    ------
    ValueError
        If `lb` is not above `la`, or data are not positive.

    >>> x = cp.exp(cp.scipy.stats.norm.ppf(cp.linspace(0.01, 0.99, 99)))
    >>> exponents, straight = cp.scipy.stats.boxcox_normplot(x, -1, 1, N=21)
    >>> bool(abs(exponents[straight.argmax()]) < 1e-9)
    True
    """
    return _by_exponents(x, la, lb, plot, N, _boxcox, "Box-Cox Normality Plot")


def _boxcox(x: ndarray, exponent: ndarray) -> ndarray:
    # Positive factors move the transform along a line, and correlations do not see it: near one no digits are lost.
    return cp.scipy.special.boxcox(x / np.exp(np.log(x).mean()), exponent)


def yeojohnson_normplot(x: Any, la: float, lb: float, plot: Any = None, N: int = 80) -> Any:  # noqa: N803
    """How normal data are after Yeo and Johnson's transform. See `scipy.stats.yeojohnson_normplot`.

    Parameters
    ----------
    x : array_like
        Numbers.
    la, lb : float
        The least and the largest exponent.

    Raises
    ------
    ValueError
        If `lb` is not above `la`.

    >>> x = cp.scipy.stats.norm.ppf(cp.linspace(0.01, 0.99, 99))
    >>> exponents, straight = cp.scipy.stats.yeojohnson_normplot(x, 0, 2, N=21)
    >>> float(exponents[straight.argmax()].round(9))
    1.0
    """
    return _by_exponents(real_numbers(x), la, lb, plot, N, _yeojohnson, "Yeo-Johnson Normality Plot")


def _yeojohnson(x: ndarray, exponent: ndarray) -> ndarray:
    if bool((x >= 0).all()):
        return _boxcox(1 + x, exponent)
    if bool((x < 0).all()):
        return -_boxcox(1 - x, 2 - exponent)
    # Box and Cox's transform of one more, of the sizes of negative numbers with the exponent mirrored at one.
    boxcox1p = cp.scipy.special.boxcox1p
    return cp.where(x >= 0, boxcox1p(cp.maximum(x, 0.0), exponent), -boxcox1p(cp.maximum(-x, 0.0), 2 - exponent))
