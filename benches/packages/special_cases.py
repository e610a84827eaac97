"""Special functions."""

from suite import Case


def cases(large):
    """One launch each, over numbers of the usual size."""
    count = 1 << (24 if large else 18)

    def numbers(low, high, inputs=1, dtype="float64"):
        return lambda random: tuple(random.uniform(low, high, count).astype(dtype) for _ in range(inputs))

    rows = [
        ("betainc", 0.1, 0.9, 3),
        ("gammainc", 0.1, 20.0, 2),
        ("gammaln", 0.1, 20.0, 1),
        ("digamma", 0.1, 20.0, 1),
        ("erf", -3.0, 3.0, 1),
        ("erfinv", -0.99, 0.99, 1),
        ("ndtri", 0.01, 0.99, 1),
        ("log_ndtr", -5.0, 5.0, 1),
        ("i0", 0.0, 10.0, 1),
        ("j0", 0.0, 30.0, 1),
        ("y0", 0.1, 30.0, 1),
        ("ellipk", 0.0, 0.99, 1),
        ("exp1", 0.1, 10.0, 1),
        ("zeta", 1.1, 10.0, 2),
        ("jv", 0.1, 20.0, 2),
        ("kv", 0.1, 20.0, 2),
        ("iv", 0.1, 20.0, 2),
        ("stdtr", 0.5, 20.0, 2),
    ]
    made = []
    for name, low, high, inputs in rows:
        for dtype in ("float64", "float32") if name in ("gammaln", "erf", "i0") else ("float64",):
            made.append(Case(f"{name} {dtype}", numbers(low, high, inputs, dtype), function(name)))

    def orders(random):
        return random.integers(0, 8, count).astype("i4"), random.uniform(0.1, 20, count)

    made += [Case(name, orders, function(name)) for name in ("expn", "yn")]
    made += [Case(name, numbers(low, 20.0), function(name)) for name, low in (("lambertw", 0.1), ("airy", -20.0))]

    def legendre(random):
        return (
            random.integers(0, 4, count).astype("i4"),
            random.integers(4, 16, count) * 1.0,
            random.uniform(-1, 1, count),
        )

    made.append(Case("lpmv", legendre, function("lpmv")))

    def ranges(*ends):
        return lambda random: tuple(random.uniform(low, high, count // 16) for low, high in ends)

    def complex_order(random):
        v, x, y = ranges((0.0, 10.0), (-10.0, 10.0), (-10.0, 10.0))(random)
        return v, x + 1j * y

    def mathieu(random):
        return random.integers(0, 10, count // 16).astype(float), random.uniform(0.1, 20.0, count // 16)

    # Those that search or sum for long, of fewer numbers.
    slow = {
        "stdtrit": ranges((0.5, 30.0), (0.01, 0.99)),
        "gammaincinv": ranges((0.1, 20.0), (0.01, 0.99)),
        "betaincinv": ranges((0.1, 20.0), (0.1, 20.0), (0.01, 0.99)),
        "kolmogi": ranges((0.01, 0.99)),
        "chndtr": ranges((0.1, 30.0), (0.5, 20.0), (0.1, 20.0)),
        "nctdtr": ranges((0.5, 20.0), (-3.0, 3.0), (-3.0, 5.0)),
        "hyp1f1": ranges((0.1, 5.0), (0.1, 5.0), (-10.0, 10.0)),
        "hyp2f1": ranges((0.1, 5.0), (0.1, 5.0), (0.1, 5.0), (-3.0, 0.95)),
        "pbdv": ranges((0.1, 10.0), (-5.0, 5.0)),
        "mathieu_a": mathieu,
        "jv complex128": complex_order,
    }
    return made + [Case(name, make, function(name.split()[0])) for name, make in slow.items()]


def function(name):
    """A call of one special function."""
    return lambda xp, sp, *arguments: getattr(sp.special, name)(*arguments)
