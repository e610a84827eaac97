"""The distribution of a histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.arguments import as_device
from ._continuous import rv_continuous


class rv_histogram(rv_continuous):
    """The distribution of a histogram: its density is constant in each bin.

    Parameters
    ----------
    histogram : tuple of array_like
        The counts and the edges of bins.
    *args : optional
        The options of `rv_continuous`.
    density : bool, optional
        Whether the counts are a density already.
    **kwargs
        The options of `rv_continuous` by name.

    >>> d = cp.scipy.stats.rv_histogram((cp.asarray([1, 3]), cp.asarray([0.0, 1.0, 2.0])))
    >>> float(d.cdf(1.0)), float(d.mean())
    (0.25, 1.25)
    """

    def __init__(self, histogram: Any, *args: Any, density: bool | None = None, **kwargs: Any) -> None:
        self._histogram, self._density = histogram, density
        if len(histogram) != 2:
            raise ValueError("Expected length 2 for parameter histogram")
        counts, edges = (as_device(part).astype(np.float64) for part in histogram)
        if counts.size + 1 != edges.size:
            raise ValueError(
                "Number of elements in histogram content and histogram boundaries do not match, expected n and n+1."
            )
        self._edges, self._widths = edges, edges[1:] - edges[:-1]
        even = bool(cp.allclose(self._widths, self._widths[0]))
        if density is None and not even:
            import warnings

            warnings.warn(
                "Bin widths are not constant. Assuming `density=True`.Specify `density` explicitly to silence this "
                "warning.",
                RuntimeWarning,
                stacklevel=2,
            )
            density = True
        if not density:
            counts = counts / self._widths
        self._values = counts / (counts * self._widths).sum()
        self._sums = cp.concatenate([cp.zeros(1), cp.cumsum(self._values * self._widths)])
        self._padded = cp.concatenate([cp.zeros(1), self._values, cp.zeros(1)])
        kwargs["a"], kwargs["b"] = float(edges[0]), float(edges[-1])
        super().__init__(*args, **kwargs)

    def _pdf(self, x: Any) -> Any:
        return self._padded[cp.searchsorted(self._edges, x, side="right")]

    def _cdf(self, x: Any) -> Any:
        return cp.interp(x, self._edges, self._sums)

    def _ppf(self, q: Any) -> Any:
        return cp.interp(q, self._sums, self._edges)

    def _munp(self, n: int) -> Any:
        powers = self._edges ** (n + 1) / (n + 1)
        return (self._values * (powers[1:] - powers[:-1])).sum()

    def _entropy(self) -> Any:
        inside = self._values > 0
        logs = np.log(cp.where(inside, self._values, 1.0))
        return -(self._values * self._widths * logs).sum()


__all__ = ["rv_histogram"]
