"""`Generator`, with NumPy's methods over the stream of this library."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_shape
from .._typing import ArrayLike, DTypeLike, ShapeLike
from . import _parameters as require
from ._bit_generator import BitGenerator, Philox4x3210, Seed
from ._distributions import Distributions, _check_out
from ._parameters import copied, prepare


def integers_between(
    source: Distributions, low: Any, high: Any, size: ShapeLike | None, dtype: DTypeLike, closed: bool
) -> ndarray:
    """Integers from `low` to `high`, which counts if `closed`, by Lemire's method without bias."""
    wanted = np.dtype(dtype)
    if wanted.kind not in "iub":
        raise TypeError(f"Unsupported dtype {wanted!r} for integers")
    if high is None:
        low, high = 0, low
    least, most = (0, 1) if wanted.kind == "b" else (int(np.iinfo(wanted).min), int(np.iinfo(wanted).max))
    if all(
        isinstance(bound, (int, np.integer)) or np.ndim(bound) == 0 and not isinstance(bound, ndarray)
        for bound in (low, high)
    ):
        start, end = int(low), int(high) - (not closed)
        if start < least:
            raise ValueError(f"low is out of bounds for {wanted}")
        if end > most:
            raise ValueError(f"high is out of bounds for {wanted}")
        if start > end:
            raise ValueError("low > high" if closed else "low >= high")
        kernel = "integers32" if wanted.itemsize < 8 else "integers32_wide" if end - start < 2**32 else "integers64"
        return source._draw(kernel, [start % 2**64, end - start], size, wanted)
    bits = np.uint64 if wanted == np.uint64 else np.int64
    for name, bound, limit in (("low", low, least), ("high", high, most + (not closed))):
        if not isinstance(bound, ndarray):
            host = np.asarray(bound, dtype=object)
            if any(value < limit if name == "low" else value > limit for value in host.flat):
                raise ValueError(f"{name} is out of bounds for {wanted}")
    if not isinstance(low, ndarray) and not isinstance(high, ndarray):
        pairs = np.broadcast(np.asarray(low, dtype=object), np.asarray(high, dtype=object))
        if any(a > b if closed else a >= b for a, b in pairs):
            raise ValueError("low > high" if closed else "low >= high")
    # Bounds wrap to 64 bits: one past the largest is 0, and the difference is right again.
    first, last = (_wrapped(bound, bits) for bound in (low, high))
    span = last - first if closed else last - first - np.uint64(1)
    kernel = "integers64" if wanted.itemsize == 8 else "integers32"
    return source._draw(kernel, [first, span], size, wanted)


def _wrapped(bound: Any, bits: type[np.generic]) -> ndarray:
    if isinstance(bound, ndarray):
        return bound.astype(bits).view(np.uint64)
    host = np.asarray(bound, dtype=object)
    return _core.array(np.array([int(value) % 2**64 for value in host.flat], np.uint64).reshape(host.shape))


class Generator(Distributions):
    """Random arrays of the current device. See `numpy.random.Generator`.

    >>> cp.random.Generator(cp.random.PCG64(1)).random(2)
    array([0.51182162, 0.9504637 ])
    """

    def __init__(self, bit_generator: BitGenerator) -> None:
        """A generator over a stream of bits."""
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f"a bit generator of cuproxide is needed, got {type(bit_generator).__name__}")
        self._bits = bit_generator

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self._bits).__name__})"

    @property
    def bit_generator(self) -> BitGenerator:
        """The stream of bits that the numbers come from."""
        return self._bits

    @bit_generator.setter
    def bit_generator(self, value: BitGenerator) -> None:
        if not isinstance(value, BitGenerator):
            raise TypeError(f"a bit generator of cuproxide is needed, got {type(value).__name__}")
        self._bits = value

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators. See `numpy.random.Generator.spawn`.

        >>> len(cp.random.default_rng(1).spawn(2))
        2
        """
        return [type(self)(child) for child in self._bits.spawn(n_children)]

    def random(
        self, size: ShapeLike | None = None, dtype: DTypeLike = np.float64, out: ndarray | None = None
    ) -> ndarray:
        """Uniform over [0, 1).

        >>> cp.random.default_rng(1).random((2, 3), dtype=cp.float32).dtype
        dtype('float32')
        """
        return self._halves("uniform", "random", size, dtype, out)

    def standard_normal(
        self, size: ShapeLike | None = None, dtype: DTypeLike = np.float64, out: ndarray | None = None
    ) -> ndarray:
        """Normal with mean 0 and deviation 1.

        >>> cp.random.default_rng(1).standard_normal((2, 3), dtype=cp.float32).dtype
        dtype('float32')
        """
        return self._halves("normal", "standard_normal", size, dtype, out)

    def standard_exponential(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike = np.float64,
        method: str = "zig",
        out: ndarray | None = None,
    ) -> ndarray:
        """Exponential with mean 1, by inversion for either `method`.

        Parameters
        ----------
        method : str
            Taken for compatibility: both are by inversion.

        See Also
        --------
        numpy.random.Generator : The function that this one follows.

        >>> cp.random.default_rng(1).standard_exponential((2, 3), dtype=cp.float32).dtype
        dtype('float32')
        """
        if method not in ("zig", "inv"):
            raise ValueError(f"method must be 'zig' or 'inv', got {method!r}")
        return self._halves("exponential", "standard_exponential", size, dtype, out)

    def standard_gamma(
        self,
        shape: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike = np.float64,
        out: ndarray | None = None,
    ) -> ndarray:
        """Gamma with scale 1.

        >>> cp.random.default_rng(1).standard_gamma(2.0, size=3).shape
        (3,)
        """
        wanted = np.dtype(dtype)
        if wanted not in (np.float32, np.float64):
            raise TypeError(f"Unsupported dtype {wanted!r} for standard_gamma")
        _check_out(out, wanted)
        return self._draw("gamma", [prepare(shape, "shape", require.non_negative)], size, wanted, out)

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
    ) -> ndarray:
        """Integers from `low` to `high` without bias.

        Parameters
        ----------
        endpoint : bool
            Whether `high` occurs.

        >>> bool((cp.random.default_rng(1).integers(3, size=100) < 3).all())
        True
        """
        return integers_between(self, low, high, size, dtype, endpoint)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> ndarray:
        """Vectors of normal numbers with a mean and a covariance, by a factor of it: "svd", "eigh" or "cholesky".

        `check_valid` "warn" and "raise" wait for the device.

        >>> cp.random.default_rng(1).multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], size=4).shape
        (4, 2)
        """
        return self._multivariate_normal(mean, cov, size, check_valid, tol, method)

    def multivariate_hypergeometric(
        self, colors: ArrayLike, nsample: int, size: ShapeLike | None = None, method: str = "marginals"
    ) -> ndarray:
        """How many of each color are among `nsample` things drawn without putting back.

        One hypergeometric draw for each color, for either `method`.

        Parameters
        ----------
        colors : sequence of int
            The numbers of each kind.
        method : str
            Taken for compatibility.

        >>> int(cp.random.default_rng(1).multivariate_hypergeometric([3, 4], 5).sum())
        5
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        try:
            nsample = operator.index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        if not isinstance(colors, ndarray):
            host = np.asarray(colors)
            if host.ndim != 1 or host.dtype.kind not in "iu" and host.size:
                raise ValueError(
                    "colors must be a one-dimensional sequence of nonnegative integers not exceeding 2**63 - 1."
                )
            if np.any(host < 0):
                raise ValueError(
                    "colors must be a one-dimensional sequence of nonnegative integers not exceeding 2**63 - 1."
                )
            total = sum(int(count) for count in host)
            if method == "marginals" and total >= 10**9:
                raise ValueError('When method is "marginals", sum(colors) must be less than 1000000000.')
            if nsample > total:
                raise ValueError("nsample > sum(colors)")
        counts = copied(colors).astype(np.float64)
        if counts.ndim != 1:
            raise ValueError(
                "colors must be a one-dimensional sequence of nonnegative integers not exceeding 2**63 - 1."
            )
        shape = () if size is None else tuple(as_shape(size))
        length = counts.shape[0]
        result = _core.empty((*shape, length), np.int64)
        # What is left of the colors from each one on, and of the things to draw.
        tails = counts[::-1].cumsum()[::-1]
        left = _core.full(shape, float(nsample), np.float64)
        for color in range(length - 1):
            parameters = [_core.broadcast_to(counts[color], shape), _core.broadcast_to(tails[color + 1], shape), left]
            drawn = self._draw("hypergeometric", [p.copy() for p in parameters], shape, np.int64)
            result[..., color] = drawn
            left = left - drawn
        if length:
            result[..., -1] = left.astype(np.int64)
        return result

    def choice(
        self,
        a: int | ArrayLike,
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> ndarray:
        """A sample of an array or of the integers below `a`.

        Parameters
        ----------
        a : array_like or int
            The elements, or a number for the integers below it.
        p : array_like, optional
            The probabilities of the elements.
        axis : int
            The axis along which elements are drawn.
        shuffle : bool
            Whether the order is random too.

        >>> cp.random.default_rng(1).choice([5, 6, 7], size=4).shape
        (4,)
        """
        return self._choice(a, size, replace, p, axis)

    def permutation(self, x: int | ArrayLike, axis: int = 0) -> ndarray:
        """A shuffled copy, or the integers below `x` in random order.

        Parameters
        ----------
        x : array_like or int
            The elements, or a number for the integers below it.

        >>> cp.sort(cp.random.default_rng(1).permutation(4))
        array([0, 1, 2, 3])
        """
        return self._permutation(x, axis)

    def shuffle(self, x: ndarray, axis: int = 0) -> None:
        """Shuffles in place along an axis.

        Parameters
        ----------
        x : ndarray
            The array, which is changed.

        >>> x = cp.arange(4)
        >>> cp.random.default_rng(1).shuffle(x)
        >>> int(x.sum())
        6
        """
        self._shuffle(x, axis)

    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: ndarray | None = None) -> ndarray:
        """A copy with each line of an axis shuffled on its own.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            The axis along which each lane is permuted independently; None for all elements.

        >>> cp.sort(cp.random.default_rng(1).permuted(cp.arange(4)))
        array([0, 1, 2, 3])
        """
        from .. import take_along_axis

        array = copied(x)
        if axis is None:
            if not array.ndim:
                raise TypeError("len() of unsized object")
            shuffled = array.reshape(-1).take(self._order(array.size)).reshape(array.shape)
        else:
            axis = _core.normalize_axis(operator.index(axis), array.ndim)
            keys = self._draw("bits64", [], array.shape, np.uint64)
            shuffled = take_along_axis(array, keys.argsort(axis=axis), axis=axis)
        if out is None:
            return shuffled
        if out.shape != array.shape:
            raise ValueError("out must have the same shape as x")
        _core.copyto(out, shuffled)
        return out


def default_rng(seed: Seed | BitGenerator | Generator = None) -> Generator:
    """A new generator from a seed; generators are passed on. See `numpy.random.default_rng`.

    >>> cp.random.default_rng(1).random(3).shape
    (3,)
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))
