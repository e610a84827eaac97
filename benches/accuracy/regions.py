"""The regions of special functions whose accuracy is measured: what their arguments are drawn from."""

from __future__ import annotations

from accuracy.draws import Draw, below, beside_whole, either, negative, signed, spread, uniform, whole

#: A function, and its regions: a name and the draws of the arguments.
REGIONS: dict[str, dict[str, tuple[Draw, ...]]] = {
    "airy": {"moderate": (uniform(-30, 30),), "far left": (negative(spread(1, 9)),)},
    "bdtr": {"some trials": (whole(0, 20), whole(20, 60), uniform(0, 1))},
    "besselpoly": {
        "small": (spread(-2, 1), uniform(0, 10), uniform(0, 10)),
        "large orders": (spread(-1, 1.5), uniform(0, 100), uniform(0, 100)),
    },
    "beta": {
        "positive": (spread(-3, 3), spread(-3, 3)),
        "tiny": (spread(-250, -3), spread(-250, 3)),
        "negative": (signed(spread(-3, 3)), beside_whole(-40, 40)),
    },
    "betainc": {
        "moderate": (spread(-1, 2), spread(-1, 2), uniform(0, 1)),
        "tiny parameters": (spread(-20, 0), spread(-20, 1), uniform(0, 1)),
        "large parameters": (uniform(1e3, 2e3), uniform(1e3, 2e3), uniform(0.4, 0.6)),
    },
    "betaincc": {
        "moderate": (spread(-1, 2), spread(-1, 2), uniform(0, 1)),
        "tiny parameters": (spread(-20, 0), spread(-20, 1), uniform(0, 1)),
    },
    "betaln": {"any": (signed(spread(-3, 4)), either(signed(spread(-3, 3)), beside_whole(-40, 40)))},
    "binom": {
        "positive": (spread(-3, 3), spread(-3, 3)),
        "tiny": (signed(spread(-20, -3)), either(whole(0, 60), signed(spread(-2, 2)))),
        "any": (either(signed(spread(-3, 3)), beside_whole(-40, 200)), beside_whole(-40, 200)),
    },
    "digamma": {"positive": (spread(-10, 6),), "negative": (negative(spread(-3, 3)),)},
    "elliprj": {
        "moderate": tuple([spread(-2, 2)] * 4),
        "small p": (spread(-5, 5), spread(-5, 5), spread(-5, 5), spread(-40, -5)),
    },
    "eval_gegenbauer": {
        "with a weight": (whole(1, 60), uniform(-0.5, 20), uniform(-1, 1)),
        "tiny parameter": (whole(1, 60), signed(spread(-18, -1)), uniform(-1, 1)),
        "without a weight": (whole(1, 60), uniform(-20, -0.5), uniform(-1, 1)),
    },
    "eval_jacobi": {
        "with a weight": (whole(0, 60), uniform(-1, 20), uniform(-1, 20), uniform(-1, 1)),
        "without a weight": (whole(0, 60), uniform(-60, 20), uniform(-60, 20), uniform(-1, 1)),
    },
    "eval_legendre": {"real degree": (uniform(0, 250), uniform(-0.99, 6))},
    "gammaln": {"positive": (spread(-300, 5),), "negative": (negative(spread(-300, 2)),)},
    "hyp0f1": {"any": (signed(spread(-1, 3)), signed(spread(-1, 5)))},
    "hyp1f1": {
        "moderate": (uniform(-10, 10), uniform(-10, 10), signed(spread(-2, 2))),
        "large": (uniform(-300, 300), uniform(-300, 300), signed(spread(-1, 2.7))),
    },
    "hyp2f1": {
        "inside": (uniform(-10, 10), uniform(-10, 10), uniform(-10, 10), uniform(-1, 1)),
        "far left": (uniform(-10, 10), uniform(-10, 10), uniform(-10, 10), negative(spread(0, 5))),
        "whole parameters": (whole(-5, 8), whole(1, 8), uniform(-12, 12), negative(spread(0, 5))),
        "beside 1": (uniform(-10, 10), uniform(-10, 10), uniform(-10, 10), below(1.0, -8, -1)),
        "large": (uniform(-150, 150), uniform(-150, 150), uniform(-150, 150), either(uniform(-1, 1), below(1, -4, 0))),
    },
    "hyperu": {"any": (uniform(-50, 50), uniform(-50, 50), spread(-2, 2.5))},
    "iv": {"moderate": (uniform(-30, 30), spread(-1, 2)), "large orders": (spread(1, 3.6), spread(1, 3.6))},
    "jv": {"moderate": (uniform(-30, 30), spread(-1, 2)), "large orders": (spread(1, 3.6), spread(1, 3.6))},
    "kl_div": {"any": (spread(-5, 5), spread(-5, 5)), "equal": (uniform(1, 1 + 1e-6), uniform(1, 1 + 1e-6))},
    "kv": {"moderate": (uniform(-30, 30), spread(-1, 2)), "large orders": (spread(1, 3.6), spread(1, 3.6))},
    "modstruve": {
        "moderate": (uniform(-3, 20), spread(-1, 2.5)),
        "negative orders": (uniform(-150, -3), spread(-1, 2.5)),
    },
    "poch": {
        "positive": (spread(-3, 3), spread(-3, 2)),
        "any": (
            either(signed(spread(-10, 3)), beside_whole(-100, 40)),
            either(signed(spread(-10, 2)), beside_whole(-99, 40)),
        ),
    },
    "stdtr": {"tails": (spread(-3, 3), negative(spread(-3, 2)))},
    "struve": {"moderate": (uniform(-3, 20), spread(-1, 2.5)), "negative orders": (uniform(-150, -3), spread(-1, 2.5))},
    "yv": {"moderate": (uniform(-30, 30), spread(-1, 2)), "large orders": (spread(1, 3.6), spread(1, 3.6))},
    "zeta": {"right": (uniform(1, 60),), "left": (either(uniform(-300, 1), beside_whole(-300, 0)),)},
    "zetac": {"right": (uniform(1, 60),), "left": (either(uniform(-300, 1), beside_whole(-300, 0)),)},
}
