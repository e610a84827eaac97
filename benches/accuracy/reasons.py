"""Why rows keep finite results that are further off than a wrong number may be, and why rows are behind others."""

from __future__ import annotations

_TWO_VALUES = "two values solve the equation: the probability at the one found is the one asked for"
_ROOTS = "next to a root, where the rounding of an angle is all: angles of twice the digits take 4 to 6 times as long"
_CANCELS = "1 - h * y**(1 / k) cancels: a rounding of h changes the value as much"
REASONS = {
    "special.fdtridfd.ddd": _TWO_VALUES,
    "special.ncfdtridfd.dddd": _TWO_VALUES,
    "special.ncfdtridfn.dddd": _TWO_VALUES,
    "special.chndtrinc.ddd": "the probability hardly depends on a small noncentrality: the condition number is 1e8",
    "special.nctdtridf.ddd": "next to 0 the probability hardly depends on them: the condition number is 8e8 and more",
    "special.nctdtrit.ddd": "the probability at 0 is nearly the one asked for: the condition number is 7e7",
    "special.eval_chebyc.dd": _ROOTS,
    "special.eval_chebys.dd": _ROOTS,
    "special.eval_chebyu.dd": _ROOTS,
    **{f"stats.kappa4.{method}.ddd": _CANCELS for method in ("cdf", "logpdf", "logsf", "pdf", "sf")},
}

#: Methods of distributions that are the exponential of a sum of logarithms, and that search a root of a tail.
_LIKELIHOODS, _QUANTILES = ("pdf", "pmf", "cdf", "sf"), ("ppf", "isf")
#: Why special functions are behind by more.
_FUNCTIONS = {
    method: reason
    for methods, reason in (
        (
            "bdtr betainc betaincc fdtr fdtrc ncfdtr",
            "gamma functions and continued fractions round a few times, where SciPy has 80 bits",
        ),
        (
            "bdtrik betaincinv betainccinv btdtria btdtrib chdtriv chndtridf chndtrix gammainccinv ncfdtri nctdtrit "
            "pdtrik smirnovi",
            "an inverse has the errors of the function that it inverts, divided by its slope",
        ),
        ("nrdtrimn", "the result is a difference that cancels: it has the rounding of the quantile in it"),
        (
            "jv kn kv spherical_jn spherical_yn yn yv",
            "orders of hundreds: the rounding of a phase or an exponent; next to zeros relative to the value",
        ),
    )
    for method in methods.split()
}
#: Up to this quotient of the worst errors rows count as alike.
_ALIKE = 2.0


def behind(name: str, loop: str, ratio: float, numbers: bool) -> str:
    """Why the worst error of a row is above that of other packages: the class that it belongs to.

    `ratio` is that of the worst errors, `numbers` says whether the row has no more NaN or infinities than they.
    """
    package, method = name.split(".", 1)[0], name.rsplit(".", 1)[-1]
    if not numbers:
        return "NaN or infinite at more points: where all ways lose too many digits the result is NaN, not a number"
    if loop[0] in "fF":
        return "products of complex64 are not fused; float64 costs twice the time"
    if ratio <= _ALIKE:
        return "within a factor of 2: roundings of the same size in another order"
    if any(letter in "DF" for letter in loop):
        return "complex results are products of rounded parts"
    if package != "stats":
        return _FUNCTIONS.get(method, "not looked into")
    if method in _QUANTILES:
        return "a quantile has the errors of the tail that it inverts"
    if method in _LIKELIHOODS:
        return "a series, an integral, or a power under an exponential, whose size multiplies its rounding"
    return "logarithms of the tails or densities above, or next to zeros of a logarithm"
