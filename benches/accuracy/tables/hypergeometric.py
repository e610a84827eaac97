"""Hypergeometric functions and orthogonal polynomials."""

from __future__ import annotations

from accuracy.draws import between, counts, plane, positive, real
from accuracy.row import Table
from flint import acb, arb

hyper = Table("special", "hypergeometric functions")
polynomials = Table("special", "orthogonal polynomials and Legendre functions")
TABLES = (hyper, polynomials)

PARAMETER = real(smallest=-18, largest=2.4)
BOUNDED = between(-1.0, 1.0)
BELOW_ONE = {
    key: (lambda source, one=one, other=other: source.choice((one, other))(source))
    for (key, one), other in zip(
        BOUNDED.items(), ({k: (lambda s, d=d: -d(s)) for k, d in positive(largest=5).items()}).values(), strict=True
    )
}
hyper.real("hyp0f1", lambda b, x: x.hypgeom_0f1(b), PARAMETER, real(smallest=-20, largest=4))
hyper.real("hyp1f1", lambda a, b, x: x.hypgeom_1f1(a, b), PARAMETER, PARAMETER, real(smallest=-20, largest=2.6))
hyper.real("hyperu", lambda a, b, x: x.hypgeom_u(a, b), PARAMETER, PARAMETER, positive(smallest=-20, largest=3))
hyper.real(
    "hyp2f1",
    lambda a, b, c, x: acb(x).hypgeom_2f1(acb(a), acb(b), acb(c)).real,
    PARAMETER,
    PARAMETER,
    PARAMETER,
    BELOW_ONE,
    weight=2,
)
hyper.complex("hyp0f1", lambda b, z: z.hypgeom_0f1(acb(b)), PARAMETER, plane(largest=3), orders=1)
hyper.complex("hyp1f1", lambda a, b, z: z.hypgeom_1f1(acb(a), acb(b)), PARAMETER, PARAMETER, plane(largest=2), orders=2)
hyper.complex(
    "hyp2f1",
    lambda a, b, c, z: z.hypgeom_2f1(acb(a), acb(b), acb(c)),
    PARAMETER,
    PARAMETER,
    PARAMETER,
    plane(size=2, largest=2),
    orders=3,
)

DEGREE = {
    **counts(),
    "beside integers": positive()["beside integers"],
    "all exponents": positive(high=1, largest=2, smallest=-10)["all exponents"],
}
X = real(low=-1, high=0.3, smallest=-20, largest=1, whole=2)
PLANE = plane(size=3, largest=1)
WEIGHT = positive(smallest=-15, largest=2)


def half(x):  # type: ignore[no-untyped-def]
    return type(x)(0.5)


FAMILIES = {
    "eval_chebyt": lambda n, x: x.chebyshev_t(n),
    "eval_chebyu": lambda n, x: x.chebyshev_u(n),
    "eval_chebyc": lambda n, x: 2 * (x / 2).chebyshev_t(n),
    "eval_chebys": lambda n, x: (x / 2).chebyshev_u(n),
    "eval_sh_chebyt": lambda n, x: (2 * x - 1).chebyshev_t(n),
    "eval_sh_chebyu": lambda n, x: (2 * x - 1).chebyshev_u(n),
    "eval_legendre": lambda n, x: x.legendre_p(n),
    "eval_sh_legendre": lambda n, x: (2 * x - 1).legendre_p(n),
    "eval_laguerre": lambda n, x: x.laguerre_l(n),
}
for name, function in FAMILIES.items():
    polynomials.real(name, function, DEGREE, X)
    polynomials.complex(name, lambda n, z, f=function: f(acb(n), z), DEGREE, PLANE, orders=1)
# Their loops take degrees that are integers.
polynomials.real("eval_hermite", lambda n, x: x.hermite_h(n), counts(), X, loops=("ld",))
polynomials.real(
    "eval_hermitenorm",
    lambda n, x: (x / arb(2).sqrt()).hermite_h(n) * arb(2) ** (-n / 2),
    counts(),
    X,
    loops=("ld",),
)


def shifted_jacobi(n, p, q, x):  # type: ignore[no-untyped-def]
    scale = (n + 1).gamma() * (n + p).gamma() * (2 * n + p).rgamma()
    return (2 * x - 1).jacobi_p(n, p - q, q - 1) * scale


THREE = {
    "eval_gegenbauer": lambda n, a, x: x.gegenbauer_c(n, a),
    "eval_genlaguerre": lambda n, a, x: x.laguerre_l(n, a),
}
for name, function in THREE.items():
    polynomials.real(name, function, DEGREE, real(smallest=-15, largest=2), X)
    polynomials.complex(name, lambda n, a, z, f=function: f(acb(n), acb(a), z), DEGREE, WEIGHT, PLANE, orders=2)
polynomials.real(
    "eval_jacobi",
    lambda n, a, b, x: x.jacobi_p(n, a, b),
    DEGREE,
    real(smallest=-15, largest=2),
    real(smallest=-15, largest=2),
    X,
)
polynomials.real("eval_sh_jacobi", shifted_jacobi, DEGREE, WEIGHT, WEIGHT, X)
polynomials.complex(
    "eval_jacobi", lambda n, a, b, z: z.jacobi_p(acb(n), acb(a), acb(b)), DEGREE, WEIGHT, WEIGHT, PLANE, orders=3
)
polynomials.complex(
    "eval_sh_jacobi",
    lambda n, p, q, z: shifted_jacobi(acb(n), acb(p), acb(q), z),
    DEGREE,
    WEIGHT,
    WEIGHT,
    PLANE,
    orders=3,
)
polynomials.real("lpmv", lambda m, v, x: x.legendre_p(v, m), counts(10, 60), positive(largest=2), BOUNDED)
