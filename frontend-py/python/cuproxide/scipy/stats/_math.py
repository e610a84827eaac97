"""Functions that formulas of distributions are written with: of numbers, of arrays, and of values in kernels.

A formula is written once. Called with arrays it waits and fuses; called in a kernel (a quadrature, a search for a root)
it becomes a part of it; what depends on numbers alone stays a number on the host where NumPy has the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.kernel import Value
from ..._lib.ufuncs import NUMPY as _numpys
from ..._lib.ufuncs import SPECIAL as _specials


def _anywhere(name: str) -> Callable[..., Any]:
    array_ufunc = _numpys.get(name) or _specials[name]
    host = getattr(np, name, None) if name in _numpys else None

    def call(*args: Any) -> Any:
        on_device = False
        for arg in args:
            if isinstance(arg, Value):
                return k.ufunc(name)(*args)
            on_device = on_device or isinstance(arg, ndarray)
        return array_ufunc(*args) if on_device or host is None else host(*args)

    call.__name__ = name
    return call


exp, log, log1p, expm1, sqrt = (_anywhere(n) for n in ("exp", "log", "log1p", "expm1", "sqrt"))
sin, cos, tan, arcsin, arccos, arctan, arctan2 = (
    _anywhere(n) for n in ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2")
)
sinh, cosh, tanh, arcsinh, arccosh, arctanh = (
    _anywhere(n) for n in ("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh")
)
floor, ceil, fabs, sign, power, cbrt, hypot, frexp = (
    _anywhere(n) for n in ("floor", "ceil", "fabs", "sign", "power", "cbrt", "hypot", "frexp")
)
maximum, minimum, isnan, isinf, isfinite, copysign = (
    _anywhere(n) for n in ("maximum", "minimum", "isnan", "isinf", "isfinite", "copysign")
)
logical_and, logical_or, logical_not = (_anywhere(n) for n in ("logical_and", "logical_or", "logical_not"))
logaddexp = _anywhere("logaddexp")
gammaln, gamma_, digamma, beta_, betaln, zeta = (
    _anywhere(n) for n in ("gammaln", "gamma", "digamma", "beta", "betaln", "_zeta")
)
rgamma = _anywhere("rgamma")
gammainc, gammaincc, gammaincinv, gammainccinv = (
    _anywhere(n) for n in ("gammainc", "gammaincc", "gammaincinv", "gammainccinv")
)
betainc, betaincc, betaincinv, betainccinv = (
    _anywhere(n) for n in ("betainc", "betaincc", "betaincinv", "betainccinv")
)
ndtr, ndtri, log_ndtr, erf, erfc, erfcx, erfinv, erfcinv = (
    _anywhere(n) for n in ("ndtr", "ndtri", "log_ndtr", "erf", "erfc", "erfcx", "erfinv", "erfcinv")
)
xlogy, xlog1py, expit, logit, log_expit = (_anywhere(n) for n in ("xlogy", "xlog1py", "expit", "logit", "log_expit"))
i0, i0e, i1, i1e, k1e, ive, kve, exp1, expi, boxcox, inv_boxcox = (
    _anywhere(n) for n in ("i0", "i0e", "i1", "i1e", "k1e", "ive", "kve", "exp1", "expi", "boxcox", "inv_boxcox")
)
boxcox1p, inv_boxcox1p, kolmogc, kolmogi, kolmogorov, kolmogp, stdtr, stdtrit, poch, tklmbda = (
    _anywhere(n)
    for n in (
        "boxcox1p",
        "inv_boxcox1p",
        "_kolmogc",
        "kolmogi",
        "kolmogorov",
        "_kolmogp",
        "stdtr",
        "stdtrit",
        "poch",
        "tklmbda",
    )
)
smirnovi, smirnovci = _anywhere("smirnovi"), _anywhere("_smirnovci")
bdtrik, pdtrik, fdtri, hyp2f1 = (_anywhere(n) for n in ("bdtrik", "pdtrik", "fdtri", "hyp2f1"))
nctdtr = _anywhere("nctdtr")
log1p_product, exp_product, cot_pi = (_anywhere(n) for n in ("_log1p_product", "_exp_product", "_cot_pi"))
entr, rel_entr, kl_div = _anywhere("entr"), _anywhere("rel_entr"), _anywhere("kl_div")

PI, INF, NAN = np.float64(np.pi), np.float64(np.inf), np.float64(np.nan)
EULER = np.float64(np.euler_gamma)
# What pi is above its nearest number.
PI_REST = np.float64(1.2246467991473532e-16)
INVERSE_SQRT2PI = np.float64(0.3989422804014327)
SQRT2, SQRT2PI, LOG2PI, LOG2 = np.sqrt(2.0), np.sqrt(2 * np.pi), np.log(2 * np.pi), np.log(2.0)


def log1m_product(c: Any, x: Any) -> Any:
    """`log(1 - c * x)`, minus infinity where the product rounds to one: at `1 / c`, the end of a support."""
    return where(c * x >= 1, -INF, log1p_product(-c, x))


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`."""
    decided = isinstance(condition, (bool, np.bool_))
    if isinstance(condition, ndarray) or isinstance(yes, ndarray) or isinstance(no, ndarray):
        return (yes if condition else no) if decided else cp.where(condition, yes, no)
    if any(isinstance(arg, Value) for arg in (condition, yes, no)):
        return (yes if condition else no) if decided else k.where(condition, yes, no)
    return np.where(condition, yes, no)[()]


def log1p_square(t: Any) -> Any:
    """`log(1 + t**2)` without overflow."""
    return where(abs(t) > 1e100, 2 * log(abs(t)), log1p(t * t))


def stirling_rest(a: Any) -> Any:
    """For `a >= 20`, what `gammaln(a + 1)` is above `(a + 1/2) * log(a) - a + log(2 * pi) / 2`."""
    r = 1 / a
    s = r * r
    return r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188))))


def _digamma_rest_above(a: Any) -> Any:
    r = 1 / a
    s = r * r
    return -r / 2 - s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132))))


def log_gamma_entropy(a: Any) -> Any:
    """`gammaln(a) - a * digamma(a) + a`, whose large parts cancel: other entropies are sums of it."""
    few, many = minimum(a, 20.0), maximum(a, 20.0)
    large = 0.5 * (LOG2PI - log(many)) + stirling_rest(many) - many * _digamma_rest_above(many)
    return where(a > 20, large, gammaln(few) - few * digamma(few) + few)


def digamma_rest(a: Any) -> Any:
    """`digamma(a) - log(a)`."""
    few = minimum(a, 20.0)
    return where(a > 20, _digamma_rest_above(maximum(a, 20.0)), digamma(few) - log(few))


def both(*conditions: Any) -> Any:
    """Whether all conditions hold; those known on the host cost nothing."""
    result: Any = True
    for condition in conditions:
        if isinstance(condition, (bool, np.bool_)):
            if not condition:
                return False
            continue
        result = condition if result is True else logical_and(result, condition)
    return result


def log1mexp(x: Any) -> Any:
    """`log(1 - exp(x))` for `x <= 0` without cancellation."""
    return where(x > -LOG2, log(-expm1(x)), log1p(-exp(x)))


def log_quotient(x: Any, y: Any) -> Any:
    """`log(x / y)` for `x >= y > 0`, precise where they are near, too."""
    return where(x < 2 * y, log1p((x - y) / y), log(x) - log(y))


def log_complement(own: Any, other: Any) -> Any:
    """`own`, the logarithm of a tail; where that is near 0, from `other`, the logarithm of the other tail."""
    return where(own > -0.1, log1mexp(other), own)


def mean_density(centre: Any, width: Any) -> Any:
    """The mean of the normal density within `width / 2` of a point over that at the point, for a narrow interval."""
    m2, h2 = centre * centre, width * width
    # Hermite polynomials of even degrees over `4**n * (2 * n + 1)!`, the last ones first.
    tail = h2 / 440 * (((((m2 - 45) * m2 + 630) * m2 - 3150) * m2 + 4725) * m2 - 945)
    tail = h2 / 288 * ((((m2 - 28) * m2 + 210) * m2 - 420) * m2 + 105 + tail)
    tail = h2 / 168 * (((m2 - 15) * m2 + 45) * m2 - 15 + tail)
    tail = h2 / 80 * ((m2 - 6) * m2 + 3 + tail)
    return 1 + h2 / 24 * (m2 - 1 + tail)


def is_narrow(centre: Any, width: Any) -> Any:
    """Whether `log_ndtr_narrow` is meant for an interval."""
    return width * (1 + abs(centre)) < 0.2


def log_ndtr_narrow(centre: Any, width: Any) -> Any:
    """The logarithm of a normal number's probability to lie within a narrow interval, which may lie far out."""
    return norm_logpdf(centre) + log(width * mean_density(centre, width))


def ndtr_between(centre: Any, width: Any) -> Any:
    """A normal number's probability to lie within `width / 2` of a point, also where that cancels."""
    side = abs(centre)
    wide = ndtr(width / 2 - side) - ndtr(-width / 2 - side)
    return where(is_narrow(centre, width), norm_pdf(centre) * width * mean_density(centre, width), wide)


def norm_pdf(x: Any) -> Any:
    """The standard normal density."""
    return exp_product(-0.5 * x, x) * INVERSE_SQRT2PI


def norm_logpdf(x: Any) -> Any:
    """The logarithm of the standard normal density."""
    return -x * x / 2 - LOG2PI / 2


def normal_moment(order: int) -> np.float64:
    """The moment of the standard normal distribution: a double factorial, which is infinite from order 302 on."""
    if order % 2:
        return np.float64(0)
    return np.float64(math.prod(range(1, order, 2)) if order <= 300 else np.inf)


_MOST_ORDERS = 300


def stepwise(order: int, most: int = _MOST_ORDERS) -> int:
    """The order of a moment that takes as many steps, or a sum of as many terms: no more than have a finite float64."""
    if order > most:
        raise ValueError(f"moment of order {order}: with these parameters orders up to {most} are computed")
    return order
