"""Gamma functions and incomplete gamma functions."""

import mpmath as mp
from special_tables import Function, Spec


def stirling(u: mp.mpf) -> mp.mpf:
    """x times the rest of Stirling's series of log gamma(x), over u = 1 / x**2."""
    x = 1 / mp.sqrt(u)
    if x > 10**6:
        return mp.mpf(1) / 12 - u / 360 + u * u / 1260
    return x * (mp.loggamma(x) - ((x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


def digamma_root() -> mp.mpf:
    return mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))


def digamma_near_root(x: mp.mpf) -> mp.mpf:
    """digamma(x) over the distance to its positive root."""
    root = digamma_root()
    return mp.digamma(x) / (x - root) if abs(x - root) > mp.mpf(10) ** -25 else mp.polygamma(1, root)


def digamma_rest(u: mp.mpf) -> mp.mpf:
    """x**2 * (log(x) - 1 / (2 x) - digamma(x)) over u = 1 / x**2."""
    x = 1 / mp.sqrt(u)
    if x > 10**6:
        return mp.mpf(1) / 12 - u / 120 + u * u / 252
    return x * x * (mp.log(x) - 1 / (2 * x) - mp.digamma(x))


def log_gamma_center(x: mp.mpf) -> mp.mpf:
    """log gamma(x) over (x - 1) (x - 2)."""
    for root, slope in ((1, mp.digamma(1) / (1 - 2)), (2, mp.digamma(2) / (2 - 1))):
        if abs(x - root) < mp.mpf(10) ** -25:
            return slope
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def log1p_rest(x: mp.mpf) -> mp.mpf:
    """(log(1 + x) - x) / x**2."""
    if abs(x) < mp.mpf(10) ** -20:
        return -mp.mpf(1) / 2 + x / 3
    return (mp.log1p(x) - x) / x**2


def incomplete_gamma_series(orders: int, count: int) -> list[list[mp.mpf]]:
    """Taylor coefficients of the first functions c_k(eta) of DLMF 8.12.10, of which each loses two to the next."""
    # mu as a series in eta, from eta**2 / 2 = mu - log(1 + mu), whose derivative is eta (1 + mu) = mu mu'.
    total = count + 2 * orders + 2
    mu = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, total + 1):
        known = mp.fsum(mu[i] * (n + 1 - i) * mu[n + 1 - i] for i in range(2, n))
        mu.append((mu[n - 1] - known) / (n + 1))
    # 1 / mu = 1 / eta + a series.
    shifted = mu[1:]
    inverse = [mp.mpf(1)]
    for n in range(1, total):
        inverse.append(-mp.fsum(shifted[i] * inverse[n - i] for i in range(1, n + 1)))
    # Stirling's coefficients, gamma*(a) = sum of g_k / a**k, with signs as in 1 / gamma*: g_k (-1)**k.
    current = inverse[1:]
    result = [current]
    for _ in range(1, orders):
        derived = [n * current[n] for n in range(1, len(current))]
        # The pole of the derivative over eta is that of g_k / mu with the other sign.
        pole = derived[0]
        current = [derived[n + 1] - pole * inverse[n + 1] for n in range(len(derived) - 1)]
        result.append(current)
    return [series[:count] for series in result]


TEMME_ORDERS = 10


def temme(k: int) -> Function:
    """c_k(eta) of DLMF 8.12.7."""
    series = incomplete_gamma_series(TEMME_ORDERS, 110)[k]
    return lambda eta: mp.polyval(series[::-1], eta)


SPECS = [
    Spec("GAMMA_CENTER", mp.gamma, 1, 2, "gamma(x)."),
    Spec("LOG_GAMMA_CENTER", log_gamma_center, 1, 3, "log gamma(x) over (x - 1) (x - 2)."),
    Spec(
        "STIRLING",
        stirling,
        0,
        mp.mpf(1) / 9,
        "x times the rest of Stirling's series of log gamma(x), over 1 / x**2: DLMF 5.11.1.",
    ),
    Spec("DIGAMMA_CENTER", digamma_near_root, 1, 2.5, "digamma(x) over the distance to its root."),
    Spec("LOG1P_REST", log1p_rest, -0.5, 0.75, "(log(1 + x) - x) / x**2."),
    *(
        Spec(
            f"TEMME_{k}",
            temme(k),
            -0.5,
            0.5,
            f"c_{k}(eta) of the uniform expansion of incomplete gamma functions: DLMF 8.12.10.",
            20.0**k,
        )
        for k in range(TEMME_ORDERS)
    ),
    Spec("DIGAMMA_LARGE", digamma_rest, 0, 0.16, "x**2 (log(x) - 1 / (2 x) - digamma(x)) over 1 / x**2: DLMF 5.11.2."),
]
