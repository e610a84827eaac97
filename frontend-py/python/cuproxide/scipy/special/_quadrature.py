"""Gauss quadrature: nodes and weights of the classical orthogonal polynomials.

Nodes are near the eigenvalues of the Jacobi matrix of the three-term recurrence (Golub and Welsch 1969). Each family
is a row of `FAMILIES`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import asarray
from ..._cuproxide import ndarray
from ..._lib import quadrature

Rule = tuple[Any, Any, float]
"""Nodes, weights, and the sum of the weights."""


def gamma(x: float) -> float:
    """The gamma function of a host number; infinite where it overflows."""
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def beta(a: float, b: float) -> float:
    """The beta function of two positive host numbers."""
    return math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))


def _eigenvalues(diagonal: np.ndarray, beside: np.ndarray) -> ndarray:
    from ..linalg import eigvalsh_tridiagonal

    return eigvalsh_tridiagonal(asarray(diagonal), asarray(beside))


def _jacobi(n: int, alpha: float, beta_: float) -> Rule:
    a, b = alpha, beta_
    if a <= -1 or b <= -1:
        raise ValueError("alpha and beta must be greater than -1.")
    if a == 0.0 and b == 0.0:
        return _legendre(n)
    if a == b == -0.5:
        return _chebyt(n)
    if a == b:
        return _ultraspherical(n, a)
    if a + b <= 1000:
        total = 2.0 ** (a + b + 1) * beta(a + 1, b + 1)
    else:
        # Each factor alone overflows or underflows.
        size = (a + b + 1) * math.log(2.0) + math.lgamma(a + 1) + math.lgamma(b + 1) - math.lgamma(a + b + 2)
        total = math.exp(size) if size < 709 else math.inf
    i = np.arange(n, dtype=float)
    with np.errstate(all="ignore"):
        diagonal = (b * b - a * a) / ((2 * i + a + b) * (2 * i + a + b + 2)) if a + b else np.zeros(n)
        diagonal[0] = (b - a) / (2 + a + b)
        j = i[1:]
        beside = 2.0 / (2 * j + a + b) * np.sqrt((j + a) * (j + b) / (2 * j + a + b + 1))
        beside *= np.where(j == 1, 1.0, np.sqrt(j * (j + a + b) / (2 * j + a + b - 1)))
    return *quadrature.jacobi(_eigenvalues(diagonal, beside), n, a, b, total), total


def _sh_jacobi(n: int, p1: float, q1: float) -> Rule:
    if p1 - q1 <= -1 or q1 <= 0:
        raise ValueError("(p - q) must be greater than -1, and q must be greater than 0.")
    x, w, total = _jacobi(n, p1 - q1, q1 - 1)
    scale = 2.0**p1
    return (x + 1) / 2, w / scale, total / scale


def _genlaguerre(n: int, alpha: float) -> Rule:
    if alpha < -1:
        raise ValueError("alpha must be greater than -1.")
    total = gamma(alpha + 1)
    if n == 1:
        return asarray([alpha + 1.0]), asarray([total]), total
    i = np.arange(n, dtype=float)
    nodes = _eigenvalues(2 * i + alpha + 1, -np.sqrt(i[1:] * (i[1:] + alpha)))
    return *quadrature.laguerre(nodes, n, alpha, total), total


def _ultraspherical(n: int, a: float) -> Rule:
    """The rule of Jacobi polynomials with two equal parameters."""
    total = math.sqrt(math.pi) * math.exp(math.lgamma(a + 1.0) - math.lgamma(a + 1.5))
    j = np.arange(1, n, dtype=float)
    beside = np.sqrt(j * (j + 2 * a) / (4 * (j + a + 0.5) * (j + a - 0.5)))
    return *quadrature.jacobi(_eigenvalues(np.zeros(n), beside), n, a, a, total), total


def _gegenbauer(n: int, alpha: float) -> Rule:
    if alpha < -0.5:
        raise ValueError("alpha must be greater than -0.5.")
    if alpha == 0.0:
        # The limit has all weights 0; that of the scaled polynomials is Chebyshev's.
        return _chebyt(n)
    if alpha == -0.5:
        return np.nan * _chebyt(n)[0], np.nan * _chebyt(n)[1], math.inf
    return _ultraspherical(n, alpha - 0.5)


def _legendre(n: int) -> Rule:
    return *quadrature.legendre(n), 2.0


def _hermite(n: int) -> Rule:
    return *quadrature.hermite(_eigenvalues(np.zeros(n), np.sqrt(np.arange(1, n) / 2.0)), n), math.sqrt(math.pi)


def _chebyt(n: int) -> Rule:
    j = np.arange(1 - n, n, 2)
    # The sine of the smaller angle keeps the symmetry of the nodes.
    return asarray(np.sin(np.pi * (j / (2.0 * n)))), _core.full(n, math.pi / n), math.pi


def _chebyu(n: int) -> Rule:
    j = np.arange(n, 0, -1)
    x = np.sin(np.pi * ((n + 1 - 2 * j) / (2.0 * (n + 1))))
    w = math.pi * np.sin(np.pi * (j / (n + 1.0))) ** 2 / (n + 1)
    return asarray(x), asarray(w), math.pi / 2


def _doubled(rule: Callable[[int], Rule]) -> Callable[[int], Rule]:
    """A rule on (-1, 1) stretched to (-2, 2)."""

    def stretched(n: int) -> Rule:
        x, w, total = rule(n)
        return x * 2, w * 2, total * 2

    return stretched


def _shifted(rule: Callable[[int], Rule], total: float | None) -> Callable[[int], Rule]:
    """A rule on (-1, 1) moved to (0, 1); with weights of this sum."""

    def moved(n: int) -> Rule:
        x, w, before = rule(n)
        factor = 1.0 if total is None else total / before
        return (x + 1) / 2, w * factor, before * factor

    return moved


def _hermitenorm(n: int) -> Rule:
    x, w, total = _hermite(n)
    root = math.sqrt(2.0)
    return x * root, w * root, total * root


@dataclass(frozen=True)
class Family:
    """A family of polynomials: the names of its functions, its parameters, its rule, and what documentation says."""

    name: str
    rule: Callable[..., Rule]
    parameters: tuple[str, ...]
    text: str
    weight: str
    example: tuple[float, ...]
    alias: tuple[str, ...]


FAMILIES = {
    family.name: family
    for family in (
        Family("legendre", _legendre, (), "Legendre polynomials", "1 on [-1, 1]", (), ("p_roots",)),
        Family(
            "chebyt",
            _chebyt,
            (),
            "Chebyshev polynomials of the first kind",
            "1/sqrt(1 - x^2) on [-1, 1]",
            (),
            ("t_roots",),
        ),
        Family(
            "chebyu",
            _chebyu,
            (),
            "Chebyshev polynomials of the second kind",
            "sqrt(1 - x^2) on [-1, 1]",
            (),
            ("u_roots",),
        ),
        Family(
            "chebyc",
            _doubled(_chebyt),
            (),
            "Chebyshev polynomials of the first kind on [-2, 2]",
            "1/sqrt(1 - (x/2)^2) on [-2, 2]",
            (),
            ("c_roots",),
        ),
        Family(
            "chebys",
            _doubled(_chebyu),
            (),
            "Chebyshev polynomials of the second kind on [-2, 2]",
            "sqrt(1 - (x/2)^2) on [-2, 2]",
            (),
            ("s_roots",),
        ),
        Family(
            "jacobi",
            _jacobi,
            ("alpha", "beta"),
            "Jacobi polynomials",
            "(1 - x)^alpha (1 + x)^beta on [-1, 1]",
            (0.5, 1.5),
            ("j_roots",),
        ),
        Family(
            "laguerre",
            lambda n: _genlaguerre(n, 0.0),
            (),
            "Laguerre polynomials",
            "exp(-x) on [0, inf)",
            (),
            ("l_roots",),
        ),
        Family(
            "genlaguerre",
            _genlaguerre,
            ("alpha",),
            "generalized Laguerre polynomials",
            "exp(-x) x^alpha on [0, inf)",
            (0.5,),
            ("la_roots",),
        ),
        Family(
            "hermite", _hermite, (), "physicists' Hermite polynomials", "exp(-x^2) on the real line", (), ("h_roots",)
        ),
        Family(
            "hermitenorm",
            _hermitenorm,
            (),
            "probabilists' Hermite polynomials",
            "exp(-x^2/2) on the real line",
            (),
            ("he_roots",),
        ),
        Family(
            "gegenbauer",
            _gegenbauer,
            ("alpha",),
            "Gegenbauer polynomials",
            "(1 - x^2)^(alpha - 1/2) on [-1, 1]",
            (1.5,),
            ("cg_roots",),
        ),
        Family(
            "sh_legendre",
            _shifted(_legendre, 1.0),
            (),
            "Legendre polynomials shifted to [0, 1]",
            "1 on [0, 1]",
            (),
            ("ps_roots",),
        ),
        Family(
            "sh_chebyt",
            _shifted(_chebyt, None),
            (),
            "Chebyshev polynomials of the first kind shifted to [0, 1]",
            "1/sqrt(x - x^2) on [0, 1]",
            (),
            ("ts_roots",),
        ),
        Family(
            "sh_chebyu",
            _shifted(_chebyu, math.pi / 8),
            (),
            "Chebyshev polynomials of the second kind shifted to [0, 1]",
            "sqrt(x - x^2) on [0, 1]",
            (),
            ("us_roots",),
        ),
        Family(
            "sh_jacobi",
            _sh_jacobi,
            ("p1", "q1"),
            "Jacobi polynomials shifted to [0, 1]",
            "(1 - x)^(p1 - q1) x^(q1 - 1) on [0, 1]",
            (2.0, 1.5),
            ("js_roots",),
        ),
    )
}

_DOC = """Gauss quadrature with the zeros of {text}.

    A sum with n nodes is exact for polynomials up to degree 2n - 1. The weight function is {weight}.

    Parameters
    ----------
    n : int
        Number of nodes.
{parameters}    mu : bool, optional
        Returns the sum of the weights, too.

    Returns
    -------
    x, w : ndarray of shape (n,)
        Nodes, ascending, and weights, float64.
    mu : float
        The integral of the weight function, if asked for.

    Raises
    ------
    ValueError
        `n` is no positive integer{raises}.

    See Also
    --------
    scipy.special.{name} : The function that this one follows.

    Examples
    --------
    >>> import cuproxide as cp
    >>> x, w, mu = cp.scipy.special.{name}({call}, mu=True)
    >>> x.shape, bool(cp.isclose(w.sum(), mu))
    ((5,), True)
    """


def order_of(n: Any) -> int:
    """A number of nodes."""
    whole = int(n)
    if n < 1 or n != whole:
        raise ValueError("n must be a positive integer.")
    return whole


def _public(family: Family, name: str) -> Callable[..., Any]:
    def roots(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        n, *parameters, mu = bound.arguments.values()
        x, w, total = family.rule(order_of(n), *map(float, parameters))
        return (x, w, total) if mu else (x, w)

    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            *(inspect.Parameter(part, place) for part in ("n", *family.parameters)),
            inspect.Parameter("mu", place, default=False),
        ]
    )
    described = "".join(
        f"    {part} : float\n        Parameter of the weight function.\n" for part in family.parameters
    )
    made: Any = roots
    made.__signature__, made.__name__, made.__qualname__ = signature, name, name
    made.__doc__ = _DOC.format(
        text=family.text,
        weight=family.weight,
        parameters=described,
        raises=", or a parameter is out of range" if family.parameters else "",
        name=name,
        call=", ".join(map(str, (5, *family.example))),
    )
    return made


ROOTS = {f"roots_{name}": _public(family, f"roots_{name}") for name, family in FAMILIES.items()}
# The names of old, which are the same functions.
ROOTS |= {alias: ROOTS[f"roots_{family.name}"] for family in FAMILIES.values() for alias in family.alias}
globals().update(ROOTS)

__all__ = list(ROOTS)  # noqa: PLE0605
