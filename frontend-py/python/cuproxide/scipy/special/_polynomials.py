"""Orthogonal polynomials as objects: coefficients, roots, weights, and a stable evaluation."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ... import asarray, ones, poly1d, stack
from ..._lib.conversions import as_operand
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special
from ..._typing import ArrayLike
from ._quadrature import FAMILIES, gamma

_exp, _sqrt = _numpy["exp"], _numpy["sqrt"]


class orthopoly1d(poly1d):
    """A polynomial of an orthogonal family, as `scipy.special.orthopoly1d`: made by `legendre` and its like.

    Called with numbers it is evaluated by the family's recurrence, not by its coefficients, which lose digits.

    Parameters
    ----------
    roots : array_like
        The roots.
    weights : array_like, optional
        The weights of the Gauss quadrature at the roots; ones by default.
    hn : float
        The integral of the weighted square.
    kn : float
        The leading coefficient.
    wfunc : callable, optional
        The weight function.
    limits : tuple of float, optional
        The ends of the interval of orthogonality.
    monic : bool
        Whether to divide by the leading coefficient.
    eval_func : callable, optional
        What evaluates the polynomial; its coefficients do otherwise.

    Attributes
    ----------
    weights : ndarray of shape (n, 3)
        Roots, weights of the Gauss quadrature, and those weights over the weight function.
    weight_func : callable
        The weight function.
    limits : tuple of float
        The ends of the interval of orthogonality.
    normcoef : float
        The root of the integral of the weighted square.

    >>> p = cp.scipy.special.legendre(2)
    >>> p(cp.asarray([0.0, 1.0]))
    array([-0.5,  1. ])
    """

    def __init__(
        self,
        roots: Any,
        weights: Any = None,
        hn: float = 1.0,
        kn: float = 1.0,
        wfunc: Callable[[Any], Any] | None = None,
        limits: tuple[float, float] | None = None,
        monic: bool = False,
        eval_func: Callable[[Any], Any] | None = None,
    ) -> None:
        roots = asarray(roots).astype("float64")
        weights = ones(roots.shape) if weights is None else asarray(weights).astype("float64")
        equivalent = weights / wfunc(roots) if wfunc is not None and roots.size else weights
        norm = math.sqrt(hn)
        if monic:
            if eval_func is not None:
                eval_func = partial(_divided, eval_func, kn)
            norm, kn = norm / abs(kn), 1.0
        super().__init__(roots, r=True)
        self._coeffs = self._coeffs * float(kn)
        self.weights = stack([roots, weights, equivalent], 1)
        self.weight_func, self.limits, self.normcoef, self._eval_func = wfunc, limits, norm, eval_func

    def __call__(self, v: Any) -> Any:
        if self._eval_func is not None and not isinstance(v, poly1d):
            return self._eval_func(asarray(v))
        return super().__call__(v)

    def _scale(self, p: float) -> None:
        if p == 1.0:
            return
        self._coeffs = self._coeffs * p
        if (original := self._eval_func) is not None:
            self._eval_func = partial(_multiplied, original, p)
        self.normcoef *= p


# What a polynomial holds, as functions of this module with some arguments given: these can be pickled.
def _divided(function: Callable[[Any], Any], number: float, x: Any) -> Any:
    return function(x) / number


def _multiplied(function: Callable[[Any], Any], number: float, x: Any) -> Any:
    return function(x) * number


def _weighted(name: str, parameters: tuple[float, ...], x: Any) -> Any:
    return _KINDS[name].weight(x, *parameters)


def _evaluated(name: str, n: int, parameters: tuple[float, ...], x: Any) -> Any:
    return _special[f"eval_{name}"](n, *parameters, x)


@dataclass(frozen=True)
class _Kind:
    """How polynomials are scaled: `hn` is the integral of the weighted square, `kn` the leading coefficient."""

    weight: Callable[..., Any]
    limits: tuple[float, float]
    hn: Callable[..., float]
    kn: Callable[..., float]


def _beta_weight(x: Any, alpha: float, beta: float) -> Any:
    return (1 - x) ** alpha * (1 + x) ** beta


def _two(n: float) -> float:
    """A power of two, infinite where it overflows."""
    return 2.0**n if n < 1024 else math.inf


def _over(*factors: float) -> Callable[[float], float]:
    """Divides by factors one after another: their product may overflow."""

    def divide(value: float) -> float:
        for factor in factors:
            value = value / factor if factor else math.inf
        return value

    return divide


def _jacobi_norm(n: int, a: float, b: float) -> float:
    ab1 = a + b + 1.0
    if n == 0:
        return _two(ab1) * gamma(a + 1) * gamma(b + 1) / gamma(ab1 + 1)
    value = _two(ab1) / (2 * n + ab1) * gamma(n + a + 1)
    return _over(gamma(n + 1), gamma(n + ab1))(value * gamma(n + b + 1))


def _jacobi_lead(n: int, a: float, b: float) -> float:
    if n == 0:
        return 1.0
    return _over(_two(n), gamma(n + 1), gamma(n + a + b + 1))(gamma(2 * n + a + b + 1))


def _shifted_norm(n: int, p: float, q: float) -> float:
    value = gamma(n + 1) * gamma(n + q) * gamma(n + p) * gamma(n + p - q + 1)
    return value / (2 * n + p) / gamma(2 * n + p) ** 2


_KINDS = {
    "legendre": _Kind(
        lambda x: 1.0 + 0 * x,
        (-1, 1),
        lambda n: 2.0 / (2 * n + 1),
        lambda n: _over(gamma(n + 1), gamma(n + 1), _two(n))(gamma(2 * n + 1)),
    ),
    "sh_legendre": _Kind(
        lambda x: 1.0 + 0 * x,
        (0, 1),
        lambda n: 1.0 / (2 * n + 1),
        lambda n: _over(gamma(n + 1), gamma(n + 1))(gamma(2 * n + 1)),
    ),
    "chebyt": _Kind(
        lambda x: 1.0 / _sqrt(1 - x * x),
        (-1, 1),
        lambda n: math.pi / 2 if n else math.pi,
        lambda n: _two(n - 1) if n else 1.0,
    ),
    "chebyu": _Kind(lambda x: _sqrt(1 - x * x), (-1, 1), lambda n: math.pi / 2, lambda n: _two(n)),
    "chebyc": _Kind(
        lambda x: 1.0 / _sqrt(1 - x * x / 4.0),
        (-2, 2),
        lambda n: 4 * math.pi * ((n == 0) + 1),
        lambda n: 1.0 if n else 2.0,
    ),
    "chebys": _Kind(lambda x: _sqrt(1 - x * x / 4.0), (-2, 2), lambda n: math.pi, lambda n: 1.0),
    "sh_chebyt": _Kind(
        lambda x: 1.0 / _sqrt(x - x * x),
        (0, 1),
        lambda n: math.pi / 2 if n else math.pi,
        lambda n: _two(2 * n - 1) if n else 1.0,
    ),
    "sh_chebyu": _Kind(lambda x: _sqrt(x - x * x), (0, 1), lambda n: math.pi / 8, lambda n: _two(2 * n)),
    "jacobi": _Kind(_beta_weight, (-1, 1), _jacobi_norm, _jacobi_lead),
    "sh_jacobi": _Kind(
        lambda x, p, q: (1.0 - x) ** (p - q) * x ** (q - 1.0), (0, 1), _shifted_norm, lambda n, p, q: 1.0
    ),
    "laguerre": _Kind(lambda x: _exp(-x), (0, math.inf), lambda n: 1.0, lambda n: (-1.0) ** n / gamma(n + 1)),
    "genlaguerre": _Kind(
        lambda x, alpha: _exp(-x) * x**alpha,
        (0, math.inf),
        lambda n, alpha: gamma(n + alpha + 1) / gamma(n + 1),
        lambda n, alpha: (-1.0) ** n / gamma(n + 1),
    ),
    "hermite": _Kind(
        lambda x: _exp(-x * x),
        (-math.inf, math.inf),
        lambda n: _two(n) * gamma(n + 1) * math.sqrt(math.pi),
        lambda n: _two(n),
    ),
    "hermitenorm": _Kind(
        lambda x: _exp(-x * x / 2.0),
        (-math.inf, math.inf),
        lambda n: math.sqrt(2 * math.pi) * gamma(n + 1),
        lambda n: 1.0,
    ),
    "gegenbauer": _Kind(
        lambda x, alpha: (1 - x * x) ** (alpha - 0.5),
        (-1, 1),
        lambda n, alpha: _jacobi_norm(n, alpha - 0.5, alpha - 0.5) * _gegenbauer_scale(n, alpha) ** 2,
        lambda n, alpha: _jacobi_lead(n, alpha - 0.5, alpha - 0.5) * _gegenbauer_scale(n, alpha),
    ),
}


def _gegenbauer_scale(n: int, alpha: float) -> float:
    """What makes a Gegenbauer polynomial of the Jacobi polynomial: DLMF 18.7.1."""
    if alpha <= -0.5:
        raise ValueError(f"alpha must be greater than -0.5, but got {alpha}.")
    scale = 1.0
    for j in range(n):
        scale *= (2 * alpha + j) / (alpha + 0.5 + j)
    return scale


_DOC = """A polynomial of the {text}, as an object.

    Parameters
    ----------
    n : int
        The degree, not negative.
{parameters}    monic : bool, optional
        Scales the leading coefficient to 1.

    Returns
    -------
    orthopoly1d
        The polynomial, which is orthogonal with the weight function {weight}.

    Raises
    ------
    ValueError
        `n` is negative{raises}.

    See Also
    --------
    scipy.special.{name} : The function that this one follows.

    Examples
    --------
    >>> import cuproxide as cp
    >>> p = cp.scipy.special.{name}({call})
    >>> p.order, p.weights.shape
    (3, (3, 3))
    """


def _made(name: str, n: Any, parameters: list[float], monic: bool) -> orthopoly1d:
    family, kind = FAMILIES[name], _KINDS[name]
    if n < 0:
        raise ValueError("n must be nonnegative.")
    if name == "genlaguerre" and parameters[0] <= -1:
        raise ValueError(f"alpha must be > -1, got {parameters[0]}")
    n = int(n)
    # Rules check their parameters.
    x, w, _ = family.rule(max(n, 1), *parameters)
    if n == 0:
        x, w = x[:0], w[:0]
    kn = kind.kn(n, *parameters)
    if monic and kn == 0:
        # The Gegenbauer polynomials of parameter 0 vanish; a multiple has a leading coefficient.
        return _made("jacobi", n, [parameters[0] - 0.5] * 2, monic)
    return orthopoly1d(
        x,
        w,
        kind.hn(n, *parameters),
        kn,
        partial(_weighted, name, tuple(parameters)),
        kind.limits,
        monic,
        partial(_evaluated, name, n, tuple(parameters)),
    )


def _public(name: str) -> Callable[..., Any]:
    family = FAMILIES[name]
    names = {"sh_jacobi": ("p", "q")}.get(name, family.parameters)

    def polynomial(*args: Any, **kwargs: Any) -> orthopoly1d:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        n, *parameters, monic = bound.arguments.values()
        return _made(name, n, [float(part) for part in parameters], bool(monic))

    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            *(inspect.Parameter(part, place) for part in ("n", *names)),
            inspect.Parameter("monic", place, default=False),
        ]
    )
    made: Any = polynomial
    made.__signature__, made.__name__, made.__qualname__ = signature, name, name
    made.__doc__ = _DOC.format(
        text=family.text,
        weight=family.weight,
        parameters="".join(f"    {part} : float\n        Parameter of the weight function.\n" for part in names),
        raises=", or a parameter is out of range" if names else "",
        name=name,
        call=", ".join(map(str, (3, *family.example))),
    )
    return made


def assoc_laguerre(x: ArrayLike, n: int, k: float = 0.0) -> Any:
    """The generalized Laguerre polynomial, with the arguments in another order.

    Parameters
    ----------
    x : array_like
        Points.
    n : int
        Degree.
    k : float, optional
        Parameter.

    Returns
    -------
    ndarray
        The values.

    See Also
    --------
    scipy.special.assoc_laguerre : The function that this one follows.
    eval_genlaguerre : The same function.

    >>> cp.scipy.special.assoc_laguerre(cp.asarray([0.0, 1.0]), 2, 1)
    array([3. , 0.5])
    """
    return _special["eval_genlaguerre"](as_operand(n), as_operand(k), asarray(x))


POLYNOMIALS = {name: _public(name) for name in FAMILIES}
globals().update(POLYNOMIALS)

__all__ = ["assoc_laguerre", "orthopoly1d", *POLYNOMIALS]  # noqa: PLE0604
