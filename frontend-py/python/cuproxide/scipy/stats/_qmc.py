"""Engines of low-discrepancy points."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_float
from ..special import ndtri
from ._common import chosen, holds, integers, points
from ._discrepancy import discrepancy
from ._lloyd import lloyd
from ._sobol_table import MOST_DIMENSIONS, directions
from ._unit_cube import scale


class QMCEngine:
    """What engines of low-discrepancy points have.

    Subclasses state `_random(n, workers)`.

    See Also
    --------
    scipy.stats.qmc.QMCEngine : The class that this one follows.

    >>> class Diagonal(cp.scipy.stats.qmc.QMCEngine):
    ...     def _random(self, n=1, *, workers=1):
    ...         return cp.linspace(0, 0.5, n)[:, None] * cp.ones(self.d)
    >>> Diagonal(2).random(3).shape
    (3, 2)
    """

    def __init__(self, d: int, *, optimization: str | None = None, rng: Any = None, seed: Any = None) -> None:
        if not np.issubdtype(type(d), np.integer) and not isinstance(d, int) or d < 0:
            raise ValueError("d must be a non-negative integer value")
        given, optimization = optimization, optimization.lower() if isinstance(optimization, str) else optimization
        if optimization not in (None, "random-cd", "lloyd"):
            raise ValueError(
                f"{given!r} is not a valid optimization method. It must be one of {{'random-cd', 'lloyd'}}"
            )
        self.d, self.num_generated, self._optimization = int(d), 0, optimization
        self._given = rng if rng is not None else seed
        self.rng = chosen(seed, rng)
        self.rng_seed = self._given

    def _random(self, n: int = 1, *, workers: int = 1) -> ndarray:
        raise TypeError(f"{type(self).__name__} states no _random")

    def random(self, n: int = 1, *, workers: int = 1) -> ndarray:
        """So many points of the unit cube, one a row."""
        if n < 0:
            raise ValueError(f"negative dimensions are not allowed, but n = {n}")
        x = self._optimized(self._random(int(n), workers=workers))
        self.num_generated += int(n)
        return x

    def _optimized(self, x: ndarray) -> ndarray:
        if self._optimization == "lloyd":
            return lloyd(x)
        return _random_cd(x, self.rng) if self._optimization == "random-cd" else x

    def integers(
        self, l_bounds: Any, *, u_bounds: Any = None, n: int = 1, endpoint: bool = False, workers: int = 1
    ) -> ndarray:
        """Points scaled to whole numbers between bounds.

        Parameters
        ----------
        l_bounds : array_like of int
            The lower bounds.
        u_bounds : array_like of int, optional
            The upper bounds.
        endpoint : bool
            Whether the upper bounds occur.
        """
        if u_bounds is None:
            l_bounds, u_bounds = np.zeros_like(np.asarray(l_bounds)), l_bounds
        high = np.asarray(u_bounds) + 1 if endpoint else u_bounds
        return cp.floor(scale(self.random(n, workers=workers), l_bounds, high)).astype(np.int64)

    def reset(self) -> QMCEngine:
        """The engine in its first state."""
        self.rng = chosen(None, self._given) if self._given is not None else self.rng
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> QMCEngine:
        """The engine after so many points."""
        self.random(n)
        return self


def _random_cd(x: ndarray, source: Any, iterations: int = 1000, patience: int = 100) -> ndarray:
    """Swaps coordinates of two points where that lowers the centred discrepancy."""
    n, d = x.shape
    if d == 0 or n == 0:
        return x
    best, value, missed = x.copy(), to_float(discrepancy(x)), 0
    for _ in range(iterations):
        if missed >= patience:
            break
        column = int(integers(source, d, (1,))[0])
        i, j = (int(v) for v in integers(source, n, (2,)).tolist())
        tried = best.copy()
        tried[i, column], tried[j, column] = best[j, column], best[i, column]
        after = to_float(discrepancy(tried))
        if after < value:
            best, value, missed = tried, after, 0
        else:
            missed += 1
    return best


@k.kernel
def _sobol(v: k.Array[2], i: k.Each, d: k.Each, *, bits):
    gray = i ^ (i >> 1)
    x = v[d, 0] * (gray & 1).astype(np.uint64)
    for b in range(1, bits):
        x = k.where((gray >> b) & 1 == 1, x ^ v[d, b], x)
    return x


class Sobol(QMCEngine):
    """Sobol's sequence, bit for bit that of SciPy where it is not scrambled.

    Parameters
    ----------
    bits : int, optional
        The number of bits of a coordinate.

    >>> cp.scipy.stats.qmc.Sobol(d=2, scramble=False).random(2)
    array([[0. , 0. ],
           [0.5, 0.5]])
    """

    MAXDIM = MOST_DIMENSIONS

    def __init__(
        self,
        d: int,
        *,
        scramble: bool = True,
        bits: int | None = None,
        rng: Any = None,
        optimization: str | None = None,
        seed: Any = None,
    ) -> None:
        super().__init__(d, optimization=optimization, rng=rng, seed=seed)
        if d > self.MAXDIM:
            raise ValueError(f"Maximum supported dimensionality is {self.MAXDIM}.")
        self.bits = 30 if bits is None else bits
        if not 0 < self.bits <= 64:
            raise ValueError("Maximum supported 'bits' is 64")
        self.maxn = 2**self.bits
        self.scramble = scramble
        v = cp.asarray(directions(d, self.bits)) if d else cp.zeros((0, self.bits), dtype=np.uint64)
        self._shift = cp.zeros(d, dtype=np.uint64)
        if scramble and d:
            v = self._scrambled(v)
        self._v = v

    def _scrambled(self, v: ndarray) -> ndarray:
        """Matousek's random linear scrambling and a digital shift."""
        d, bits = v.shape
        powers = cp.asarray(np.uint64(1) << np.arange(bits, dtype=np.uint64))
        self._shift = (integers(self.rng, 2, (d, bits)).astype(np.uint64) * powers).sum(axis=1, dtype=np.uint64)
        lower = cp.tril(integers(self.rng, 2, (d, bits, bits)))
        lower = cp.where(cp.eye(bits, dtype=bool), 1, lower)
        # The bits of each direction number from the highest on, times the triangular matrix modulo 2.
        places = cp.arange(bits - 1, -1, -1).astype(np.uint64)
        digits = ((v[:, None, :] >> places[None, :, None]) & np.uint64(1)).astype(np.int64)
        mixed = ((lower[:, :, :, None] * digits[:, None, :, :]).sum(axis=2) % 2).astype(np.uint64)
        return (mixed << places[None, :, None]).sum(axis=1, dtype=np.uint64)

    def _random(self, n: int = 1, *, workers: int = 1) -> ndarray:
        if n == 0 or self.d == 0:
            return cp.empty((n, self.d))
        total = self.num_generated + n
        if total > self.maxn:
            raise ValueError(
                f"At most 2**{self.bits}={self.maxn} distinct points can be generated. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+{n}={total}. Consider increasing "
                "`bits`."
            )
        if self.num_generated == 0 and n & (n - 1):
            warnings.warn("The balance properties of Sobol' points require n to be a power of 2.", stacklevel=3)
        # Gray codes are linear: a point is the exclusive or of those of the high and of the low bits of its number.
        low = n.bit_length() // 2
        first, last = self.num_generated >> low, (total - 1) >> low
        starts = cp.arange(first, last + 1, dtype=np.int64)[:, None] << low
        columns = cp.arange(self.d)[None, :]
        blocks = _sobol(self._v, starts, columns, bits=self.bits) ^ self._shift
        within = _sobol(self._v, cp.arange(1 << low, dtype=np.int64)[:, None], columns, bits=self.bits)
        points = (blocks[:, None] ^ within).reshape(-1, self.d) * 2.0**-self.bits
        begin = self.num_generated - (first << low)
        return points if len(points) == n else points[begin : begin + n].copy()

    def random_base2(self, m: int) -> ndarray:
        """The next `2**m` points."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points "
                f"have been previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to "
                "do this, the function 'Sobol.random()' can be used."
            )
        return self.random(n)

    def fast_forward(self, n: int) -> Sobol:
        """The engine after so many points; nothing is computed."""
        if n < 0:
            raise ValueError(f"n must not be negative, but is {n}")
        self.num_generated += int(n)
        return self


def _primes(count: int) -> np.ndarray:
    most = max(20, int(count * (math.log(max(count, 2)) + math.log(math.log(max(count, 3))) + 2)))
    sieve = np.ones(most + 1, bool)
    sieve[:2] = False
    for i in range(2, math.isqrt(most) + 1):
        if sieve[i]:
            sieve[i * i :: i] = False
    return np.flatnonzero(sieve)[:count]


@k.kernel
def _halton(
    bases: k.Array[1], starts: k.Array[1], orders: k.Array[1], lengths: k.Array[1], i: k.Each, d: k.Each, *, scrambled
):
    base = bases[d]
    rest, total, step = i, k.value(0.0), k.value(0)
    share = 1.0 / base.astype(np.float64)
    part = share
    while (step < lengths[d]) if scrambled else (rest > 0):
        digit = rest % base
        if scrambled:
            digit = orders[starts[d] + step * base + digit]
        total += digit.astype(np.float64) * part
        part *= share
        rest //= base
        step += 1
    return total


class Halton(QMCEngine):
    """Halton's sequence.

    >>> cp.scipy.stats.qmc.Halton(d=1, scramble=False).random(3).ravel()
    array([0.  , 0.5 , 0.25])
    """

    def __init__(
        self, d: int, *, scramble: bool = True, optimization: str | None = None, rng: Any = None, seed: Any = None
    ) -> None:
        super().__init__(d, optimization=optimization, rng=rng, seed=seed)
        self.base = [int(p) for p in _primes(d)]
        self.scramble = scramble
        lengths = [math.ceil(54 / math.log2(b)) - 1 for b in self.base]
        starts, orders, at = [], [], 0
        for b, m in zip(self.base, lengths, strict=True):
            starts.append(at)
            at += b * m
            if scramble:
                keys = cp.asarray(self.rng.uniform(size=(m, b)))
                orders.append(cp.argsort(keys, axis=-1).ravel())
        self._bases, self._lengths, self._starts = (
            cp.asarray(np.array(v, np.int64)) for v in (self.base, lengths, starts)
        )
        self._orders = cp.concatenate(orders) if orders else cp.zeros(1, dtype=np.int64)

    def _random(self, n: int = 1, *, workers: int = 1) -> ndarray:
        at = cp.arange(self.num_generated, self.num_generated + n)[:, None]
        return _halton(
            self._bases,
            self._starts,
            self._orders,
            self._lengths,
            at,
            cp.arange(self.d)[None, :],
            scrambled=self.scramble,
        )

    def fast_forward(self, n: int) -> Halton:
        """The engine after so many points; nothing is computed."""
        if n < 0:
            raise ValueError(f"n must not be negative, but is {n}")
        self.num_generated += int(n)
        return self


class LatinHypercube(QMCEngine):
    """Latin hypercubes: each coordinate hits each of n slices once.

    Parameters
    ----------
    strength : {1, 2}
        The strength of the design.

    >>> x = cp.scipy.stats.qmc.LatinHypercube(d=2, rng=1).random(4)
    >>> cp.sort((x[:, 0] * 4).astype(int))
    array([0, 1, 2, 3])
    """

    def __init__(
        self,
        d: int,
        *,
        scramble: bool = True,
        strength: int = 1,
        optimization: str | None = None,
        rng: Any = None,
        seed: Any = None,
    ) -> None:
        super().__init__(d, optimization=optimization, rng=rng, seed=seed)
        if strength not in (1, 2):
            raise ValueError(f"{strength!r} is not a valid strength. It must be one of {{1, 2}}")
        self.scramble, self._strength = scramble, strength

    def _random(self, n: int = 1, *, workers: int = 1) -> ndarray:
        return self._plain(n) if self._strength == 1 else self._orthogonal(n)

    def _orders(self, rows: int, n: int) -> ndarray:
        return cp.argsort(cp.asarray(self.rng.uniform(size=(rows, n))), axis=-1)

    def _plain(self, n: int) -> ndarray:
        inside = cp.asarray(self.rng.uniform(size=(n, self.d))) if self.scramble else 0.5
        return (self._orders(self.d, n).T + 1 - inside) / n

    def _orthogonal(self, n: int) -> ndarray:
        p = math.isqrt(n)
        if p * p != n or p not in _primes(p + 1):
            close = [int(q) ** 2 for q in _primes(p + 3) if abs(int(q) - p) <= 3][-2:]
            raise ValueError(f"n is not the square of a prime number. Close values are {close}")
        if self.d > p + 1:
            raise ValueError("n is too small for d. Must be n > (d-1)**2")
        rows, columns = cp.arange(n) // p, cp.arange(n) % p
        cells = [columns, rows, *((rows + m * columns) % p for m in range(1, p))][: self.d]
        out = []
        for cell in cells:
            # Levels in random order, and within each level a Latin hypercube.
            level = self._orders(1, p)[0][cell]
            order = cp.argsort(level + cp.asarray(self.rng.uniform(size=n)))
            rank = cp.argsort(order)
            inside = cp.asarray(self.rng.uniform(size=n)) if self.scramble else 0.5
            out.append((rank + 1 - inside) / n)
        return cp.stack(out, axis=1)


class MultivariateNormalQMC:
    """Normal points made of a low-discrepancy sequence.

    Parameters
    ----------
    cov_root : array_like, optional
        A root of it.
    inv_transform : bool
        Whether points are transformed by quantiles, or in pairs.

    >>> cp.scipy.stats.qmc.MultivariateNormalQMC(mean=[0, 5], cov=[[1, 0], [0, 1]], rng=1).random(4).shape
    (4, 2)
    """

    def __init__(
        self,
        mean: Any,
        cov: Any = None,
        *,
        cov_root: Any = None,
        inv_transform: bool = True,
        engine: Any = None,
        rng: Any = None,
        seed: Any = None,
    ) -> None:
        mean = cp.atleast_1d(points(as_device(mean)))
        if mean.ndim > 1:
            raise ValueError("Dimension mismatch between mean and covariance.")
        d = mean.shape[0]
        if cov is not None:
            cov = cp.atleast_2d(points(as_device(cov)))
            if mean.shape[0] != cov.shape[0]:
                raise ValueError("Dimension mismatch between mean and covariance.")
            if not bool(cp.allclose(cov, cov.T)):
                raise ValueError("Covariance matrix is not symmetric.")
            values, vectors = cp.linalg.eigh(cov)
            if not bool((values > -1.0e-8).all()):
                raise ValueError("Covariance matrix not PSD.")
            cov_root = (vectors * np.sqrt(cp.clip(values, 0.0, np.inf))).T
        elif cov_root is not None:
            cov_root = cp.atleast_2d(points(as_device(cov_root)))
            if mean.shape[0] != cov_root.shape[0]:
                raise ValueError("Dimension mismatch between mean and covariance.")
        self._inv_transform, self._mean, self._corr_matrix, self._d = inv_transform, mean, cov_root, d
        dimensions = d if inv_transform else 2 * math.ceil(d / 2)
        if engine is None:
            self.engine: Any = Sobol(dimensions, scramble=True, bits=30, rng=chosen(seed, rng))
        elif isinstance(engine, QMCEngine):
            if engine.d != dimensions:
                raise ValueError(
                    "Dimension of `engine` must be consistent with dimensions of mean and covariance. If "
                    "`inv_transform` is False, it must be an even number."
                )
            self.engine = engine
        else:
            raise ValueError("`engine` must be an instance of `scipy.stats.qmc.QMCEngine` or `None`.")

    def random(self, n: int = 1) -> ndarray:
        """So many points, one a row."""
        x = self.engine.random(n)
        if self._inv_transform:
            z = ndtri(0.5 + (1 - 1e-10) * (x - 0.5))
        else:
            radius, angle = np.sqrt(-2 * np.log(x[:, 0::2])), 2 * np.pi * x[:, 1::2]
            z = cp.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).reshape(n, -1)[:, : self._d]
        return z + self._mean if self._corr_matrix is None else z @ self._corr_matrix + self._mean


class MultinomialQMC:
    """Multinomial counts made of a low-discrepancy sequence.

    Parameters
    ----------
    pvals : array_like
        The probabilities of the categories.
    n_trials : int
        The number of trials.

    >>> x = cp.scipy.stats.qmc.MultinomialQMC(pvals=[0.2, 0.4, 0.4], n_trials=10, rng=1).random(2)
    >>> x.sum(axis=1)
    array([10., 10.])
    """

    def __init__(self, pvals: Any, n_trials: int, *, engine: Any = None, rng: Any = None, seed: Any = None) -> None:
        self.pvals = cp.atleast_1d(points(as_device(pvals)))
        if not holds(self.pvals >= 0):
            raise ValueError("Elements of pvals must be non-negative.")
        if abs(to_float(self.pvals.sum()) - 1) > 1e-8:
            raise ValueError("Elements of pvals must sum to 1.")
        self.n_trials = int(n_trials)
        if engine is None:
            self.engine: Any = Sobol(1, scramble=True, bits=30, rng=chosen(seed, rng))
        elif isinstance(engine, QMCEngine):
            if engine.d != 1:
                raise ValueError("Dimension of `engine` must be 1.")
            self.engine = engine
        else:
            raise ValueError("`engine` must be an instance of `scipy.stats.qmc.QMCEngine` or `None`.")

    def random(self, n: int = 1) -> ndarray:
        """So many rows of counts."""
        ends = cp.cumsum(self.pvals)
        # An engine warns of the number of its first points, which are those of the first row.
        draws = self.engine.random(self.n_trials if n else 0)
        if n > 1:
            draws = cp.concatenate([draws, self.engine.random(self.n_trials * (n - 1))])
        draws = draws.reshape(n, self.n_trials)
        at = cp.clip(cp.searchsorted(ends, draws, side="left"), 0, self.pvals.size - 1)
        rows = cp.arange(n)[:, None] * self.pvals.size
        counts = cp.bincount((at + rows).ravel(), minlength=n * self.pvals.size)
        return counts.reshape(n, self.pvals.size).astype(np.float64)
