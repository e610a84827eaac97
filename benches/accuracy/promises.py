"""The relative errors that docs/special.md states for float64, by function: what the page compares with."""

from __future__ import annotations

ULP = 2.0**-53 * 2

_STATED: list[tuple[float, str]] = [
    (5 * ULP, "erf erfc erfcx erfi dawsn ndtr log_ndtr erfinv ndtri"),
    (8 * ULP, "gamma rgamma i0 i0e i1 i1e k0 k0e k1 k1e"),
    (3e-13, "gammainc gammaincc betainc betaincc"),
    (1e-14, "beta betaln binom poch smirnov"),
    (3e-13, "jv yv jve yve iv kv ive kve hankel1 hankel2 hankel1e hankel2e"),
    (2e-13, "struve modstruve"),
    (3e-14, "modfresnelp modfresnelm"),
    (5 * ULP, "ellipk ellipe elliprc elliprd elliprf elliprg"),
    (1e-12, "pbdv pbvv hyp0f1 hyp1f1 hyp2f1"),
    (1e-10, "hyperu"),
    (2e-13, "chndtr ncfdtr nctdtr"),
    (3e-13, "wright_bessel log_wright_bessel besselpoly"),
    (1e-11, "eval_chebyt eval_chebyu eval_chebyc eval_chebys eval_sh_chebyt eval_sh_chebyu eval_legendre"),
    (1e-11, "eval_sh_legendre eval_laguerre eval_genlaguerre eval_gegenbauer eval_jacobi eval_sh_jacobi lpmv"),
]

STATED = {name: bound for bound, names in _STATED for name in names.split()}
