"""Distances of vectors, of all pairs of rows, and the forms that they are kept in. See `scipy.spatial.distance`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.generators import device_generator
from ..._lib.texts import complete as _complete
from . import _vectors
from ._common import as_doubles
from ._distances import distance_matrix
from ._metrics import METRICS, Metric, all_pairs, check_out, condense, spread
from ._texts import TEXTS as _TEXTS
from ._vectors import *  # noqa: F403


def _metric(metric: str | Callable[..., Any]) -> Metric | None:
    """The row of the table for a name or a function of this module, `None` for a function of somebody else's."""
    if callable(metric):
        name = getattr(metric, "__name__", "")
        return METRICS.get(name) if getattr(_vectors, name, None) is metric else None
    if not isinstance(metric, str):
        raise TypeError("2nd argument metric must be a string identifier or a function.")
    name = metric.lower()
    if name not in METRICS:
        raise ValueError(f"Unknown Distance Metric: {name}")
    return METRICS[name]


def _called(metric: Any, a: ndarray, b: ndarray | None, out: ndarray | None, options: dict[str, Any]) -> ndarray:
    """Calls the user's function for each pair."""
    rows, columns = a.shape[0], (a if b is None else b).shape[0]
    pairs = [(i, j) for i in range(rows) for j in range(i + 1 if b is None else 0, columns)]
    shape = (len(pairs),) if b is None else (rows, columns)
    other = a if b is None else b
    found = [cp.asarray(metric(a[i], other[j], **options)).astype(np.float64).reshape(()) for i, j in pairs]
    result = cp.stack(found).reshape(shape) if found else cp.empty(shape)
    if out is None:
        return result
    check_out(out, shape)
    out[...] = result
    return out


def cdist(
    XA: Any, XB: Any, metric: str | Callable[..., Any] = "euclidean", *, out: ndarray | None = None, **kwargs: Any
) -> ndarray:
    """Distances of all rows of one array to all rows of another.

    Parameters
    ----------
    XA, XB
        Arrays of shapes (a, n) and (b, n). They are taken as float64, for metrics of truth values as bool.
    metric
        A name that SciPy knows, `hellinger`, `kl_divergence`, or a function of two rows, which is called for each pair.
    out
        An array of float64 for the result.
    **kwargs
        `w` (weights of the columns), `p` (minkowski), `V` (seuclidean), `VI` (mahalanobis).

    Returns
    -------
    ndarray
        Of shape (a, b), float64.

    Raises
    ------
    ValueError
        For shapes that do not fit, negative weights, and unknown names.

    >>> cp.scipy.spatial.distance.cdist(cp.asarray([[0.0, 0.0]]), cp.asarray([[3.0, 4.0], [0.0, 1.0]]))
    array([[5., 1.]])
    """
    XA, XB = cp.asarray(XA), cp.asarray(XB)
    if XA.ndim != 2:
        raise ValueError("XA must be a 2-dimensional array.")
    if XB.ndim != 2:
        raise ValueError("XB must be a 2-dimensional array.")
    if XA.shape[1] != XB.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    found = _metric(metric)
    return _called(metric, XA, XB, out, kwargs) if found is None else all_pairs(found, XA, XB, out, kwargs)


def pdist(
    X: Any, metric: str | Callable[..., Any] = "euclidean", *, out: ndarray | None = None, **kwargs: Any
) -> ndarray:
    """Distances of all pairs of rows, as a vector of those above the diagonal. Takes what `cdist` does.

    Parameters
    ----------
    X : array_like
        The vectors, one in each row.
    metric : str
        The distance.
    out : ndarray, optional
        An array for the result, which is then returned.
    **kwargs
        The parameters of the distance.

    >>> cp.scipy.spatial.distance.pdist(cp.asarray([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    array([5.        , 1.        , 4.24264069])
    """
    X = cp.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"A 2-dimensional array must be passed. (Shape was {X.shape}).")
    found = _metric(metric)
    return _called(metric, X, None, out, kwargs) if found is None else all_pairs(found, X, None, out, kwargs)


def squareform(X: Any, force: str = "no", checks: bool = True) -> ndarray:
    """A square matrix of distances from a vector of those above its diagonal, or the other way round.

    With `checks` a matrix must be symmetric with a zero diagonal.

    Parameters
    ----------
    X : array_like
        Condensed distances, or a matrix of them.
    force : str
        Which way to convert: 'tovector' or 'tomatrix'.
    checks : bool
        Whether the matrix is checked.

    >>> cp.scipy.spatial.distance.squareform(cp.asarray([1, 2, 3]))
    array([[0, 1, 2],
           [1, 0, 3],
           [2, 3, 0]])
    """
    X = cp.asarray(X)
    if force.lower() == "tomatrix" and X.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.lower() == "tovector" and X.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if X.ndim == 1:
        if X.size == 0:
            return cp.zeros((1, 1), X.dtype)
        n = _observations(X.size)
        if n is None:
            raise ValueError(
                "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
            )
        return spread(X, n, shape=(n, n))
    if X.ndim != 2:
        raise ValueError(
            f"The first argument must be one or two dimensional array. A {X.ndim}-dimensional array is not permitted"
        )
    n = X.shape[0]
    if n != X.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks:
        is_valid_dm(X, throw=True, name="X")
    result = cp.empty(max(n * (n - 1) // 2, 0), X.dtype)
    if result.size:
        condense(X, result, n, shape=X.shape)
    return result


def _observations(pairs: int) -> int | None:
    """n for which there are so many pairs."""
    n = (1 + math.isqrt(8 * pairs + 1)) // 2
    return n if n * (n - 1) // 2 == pairs else None


def is_valid_dm(D: Any, tol: float = 0.0, throw: bool = False, name: str | None = "D", warning: bool = False) -> bool:
    """Whether this is a square symmetric matrix with a zero diagonal.

    Parameters
    ----------
    D : array_like
        The matrix.
    tol : float
        What counts as zero.

    >>> cp.scipy.spatial.distance.is_valid_dm(cp.asarray([[0.0, 1.0], [1.0, 0.0]]))
    True
    """
    D = cp.asarray(D)
    named = f"Distance matrix '{name}'" if name else "Distance matrix"
    problem = None
    if D.ndim != 2:
        problem = f"{named} must have shape=2 (i.e. be two-dimensional)."
    elif D.shape[0] != D.shape[1]:
        problem = f"{named} must be square, not of the shape {D.shape}."
    elif tol == 0.0:
        if not bool((D == D.T).all()):
            problem = f"{named} must be symmetric."
        elif not bool((cp.diagonal(D) == 0).all()):
            problem = f"{named} diagonal must be zero."
    elif not bool((D - D.T <= tol).all()):
        problem = f"{named} must be symmetric within tolerance {tol:5.5f}."
    elif not bool((cp.diagonal(D) <= tol).all()):
        problem = f"{named} diagonal must be close to zero within tolerance {tol:5.5f}."
    return _verdict(problem, throw, warning)


def _verdict(problem: str | None, throw: bool, warning: bool) -> bool:
    if problem and throw:
        raise ValueError(problem)
    if problem and warning:
        warnings.warn(problem, stacklevel=3)
    return problem is None


def is_valid_y(y: Any, warning: bool = False, throw: bool = False, name: str | None = None) -> bool:
    """Whether a vector can hold the distances of all pairs.

    Parameters
    ----------
    y : array_like
        The vector.

    >>> cp.scipy.spatial.distance.is_valid_y(cp.asarray([1.0, 2.0, 3.0]))
    True
    """
    y = cp.asarray(y)
    named = f"'{name}' " if name else ""
    problem = None
    if y.ndim != 1:
        problem = f"Condensed distance matrix {named}must have shape=1 (i.e. be one-dimensional)."
    elif _observations(y.size) is None:
        problem = (
            f"Length n of condensed distance matrix {named}must be a binomial coefficient, i.e. there must be a k such "
            "that (k \\choose 2)=n)!"
        )
    return _verdict(problem, throw, warning)


def num_obs_dm(d: Any) -> int:
    """How many observations a square matrix of distances is of. See `scipy.spatial.distance.num_obs_dm`.

    >>> cp.scipy.spatial.distance.num_obs_dm(cp.zeros((3, 3)))
    3
    """
    d = cp.asarray(d)
    is_valid_dm(d, tol=np.inf, throw=True, name="d")
    return d.shape[0]


def num_obs_y(Y: Any) -> int:
    """How many observations a vector of distances is of. See `scipy.spatial.distance.num_obs_y`.

    >>> cp.scipy.spatial.distance.num_obs_y(cp.zeros(3))
    3
    """
    Y = cp.asarray(Y)
    is_valid_y(Y, throw=True, name="Y")
    if Y.size == 0:
        raise ValueError("The number of observations cannot be determined on an empty distance matrix.")
    found = _observations(Y.size)
    assert found is not None
    return found


@k.kernel
def _nearest_row(u: k.Array[1], v: k.Array[2]) -> Any:
    """The squared distance of a row to the nearest one of `v`, and where that is."""
    best, at = np.inf, 0
    for j in k.steps(v.shape[0]):
        total, d = 0.0, 0
        while d < v.shape[1] and total < best:
            total += (u[d] - v[j, d]) * (u[d] - v[j, d])
            d += 1
        # With NaN there is no nearest row.
        if total < best or total != total:
            best, at = total, j
    return best, at


def directed_hausdorff(u: Any, v: Any, rng: Any = 0, *, seed: Any = None) -> tuple[ndarray, ndarray, ndarray]:
    """The largest distance of a row of `u` to its nearest row of `v`, and the indices of both.

    Results are 0-d arrays. All pairs are looked at, in no random order: `rng` and `seed` are accepted for SciPy's sake.

    Parameters
    ----------
    seed : int, Generator or None, optional
        The seed of the generator.

    Raises
    ------
    ValueError
        For arrays without rows or with other numbers of columns, and for a negative seed.

    >>> u, v = cp.asarray([[0.0, 0.0], [1.0, 0.0]]), cp.asarray([[0.0, 0.0], [0.0, 2.0]])
    >>> [float(x) for x in cp.scipy.spatial.distance.directed_hausdorff(u, v)]
    [1.0, 1.0, 0.0]
    """
    for given in (rng, seed):
        if given is not None and not (isinstance(given, int) and given >= 0):
            # Raises for what is no seed.
            device_generator(given)
    u, v = as_doubles(u, "u", 2), as_doubles(v, "v", 2)
    if u.shape[1] != v.shape[1]:
        raise ValueError("u and v need to have the same number of columns")
    if u.shape[0] == 0 or v.shape[0] == 0:
        raise ValueError(f"u and v need rows, their shapes are {u.shape} and {v.shape}")
    squares, nearest = _nearest_row(u, v, shape=(u.shape[0],)) if u.shape[1] else _no_columns(u)
    first = squares.argmax()
    return cp.sqrt(squares[first]), first, nearest[first]


def _no_columns(u: ndarray) -> tuple[ndarray, ndarray]:
    return cp.zeros(u.shape[0]), cp.zeros(u.shape[0], np.int64)


__all__ = [  # noqa: PLE0604
    *_vectors.__all__,
    "cdist",
    "directed_hausdorff",
    "distance_matrix",
    "is_valid_dm",
    "is_valid_y",
    "num_obs_dm",
    "num_obs_y",
    "pdist",
    "squareform",
]

_complete(globals(), __all__, _TEXTS, "scipy.spatial.distance", without=("hellinger", "kl_divergence"))


def __dir__() -> list[str]:
    return sorted(__all__)
