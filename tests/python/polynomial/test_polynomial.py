"""Polynomials: `poly1d` and its functions, and the power series of `polynomial`."""

import operator

import cuproxide as cp
import numpy as np
import pytest
from helpers import DTYPES, NUMPY_DTYPES, check, compare, same_error, sample

NUMBERS = [dtype for dtype in NUMPY_DTYPES if dtype != np.bool_]


def series(xp):
    return xp.polynomial.polynomial


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("other", [np.dtype(np.int32), np.dtype(np.float32), np.dtype(complex)], ids=str)
def test_functions(dtype, other):
    a, b = sample(dtype, 5, small="positive"), sample(other, 3, seed=1, small="positive")
    for name in ("polyadd", "polysub", "polymul"):
        compare(lambda xp, x, y, name=name: getattr(xp, name)(x, y), a, b, ulp=16, scale=100)
        compare(lambda xp, x, y, name=name: getattr(xp, name)(y, x), a, b, ulp=16, scale=100)
    compare(lambda xp, x, y: xp.polyval(x, y), a, b, ulp=2, scale=1)
    for m in (0, 1, 2, 7):
        compare(lambda xp, x, y, m=m: xp.polyder(x, m), a, b)
        compare(lambda xp, x, y, m=m: xp.polyint(x, m), a, b, ulp=2)
    compare(lambda xp, x, y: xp.polyint(x, 3, y), a, b, ulp=4)
    compare(lambda xp, x, y: xp.polyint(x, 2, 5), a, b, ulp=4)


def test_division():
    random = np.random.default_rng(2)
    for kind in (np.float32, np.float64, np.complex128):
        for n in range(1, 9):
            for m in range(1, 9):
                u, v = random.uniform(1, 3, n).astype(kind), random.uniform(0.1, 1, m).astype(kind)
                v[0] = 2
                compare(lambda xp, u, v: xp.polydiv(u, v), u, v, ulp=64, scale=10)
                compare(lambda xp, u, v: series(xp).polydiv(u, v), u[::-1], v[::-1], ulp=64, scale=10)
    compare(lambda xp, u: xp.polydiv(u, xp.asarray([1, -2])), np.array([1, 0, -3, 2]))


@pytest.mark.parametrize("degree", [0, 1, 3, 31, 32, 33, 100, 257])
def test_long_polynomials(degree):
    c = np.random.default_rng(degree).normal(size=degree + 1)
    x = np.linspace(-1, 1, 41).reshape(1, 41)
    compare(lambda xp, c, x: xp.polyval(c, x), c, x, ulp=256, scale=10)
    compare(lambda xp, c, x: series(xp).polyval(x, c), c, x, ulp=256, scale=10)
    compare(lambda xp, c, x: series(xp).polyval(0.5, c), c, x, ulp=256, scale=10)


def test_values():
    for x in (2, 2.5, 1j, [1, 2, 3], []):
        check(cp.polyval([1, 2, 3], x), np.polyval([1, 2, 3], x))
    check(cp.polyval([], 3.0), np.polyval([], 3.0))
    for ours, theirs in (
        (lambda: cp.polyder(cp.ones(3), -1), lambda: np.polyder(np.ones(3), -1)),
        (lambda: cp.polyint(cp.ones(3), -1), lambda: np.polyint(np.ones(3), -1)),
        (lambda: cp.polyint(cp.ones(3), 3, [1, 2]), lambda: np.polyint(np.ones(3), 3, [1, 2])),
        (lambda: cp.poly1d(cp.ones((2, 2))), lambda: np.poly1d(np.ones((2, 2)))),
        (lambda: cp.poly1d([1, 2]) ** -1, lambda: np.poly1d([1, 2]) ** -1),
        (lambda: cp.poly1d([1, 2]) ** 1.5, lambda: np.poly1d([1, 2]) ** 1.5),
        (lambda: cp.poly1d([1, 2]).__setitem__(-1, 2), lambda: np.poly1d([1, 2]).__setitem__(-1, 2)),
    ):
        same_error(ours, theirs)


EXPRESSIONS = {
    "add": lambda p, q: p + q,
    "sub": lambda p, q: p - q,
    "mul": lambda p, q: p * q,
    "neg": lambda p, q: -p,
    "pos": lambda p, q: +p,
    "cancel": lambda p, q: p - p,
    "scalars": lambda p, q: 2 * p * 3 + 1 - 4,
    "from scalar": lambda p, q: 5 - q,
    "list": lambda p, q: p + [1, 2, 3, 4],
    "div scalar": lambda p, q: p / 4,
    "pow": lambda p, q: q**5,
    "pow 0": lambda p, q: q**0,
    "deriv": lambda p, q: p.deriv(),
    "deriv 2": lambda p, q: p.deriv(2),
    "deriv 9": lambda p, q: p.deriv(9),
    "integ": lambda p, q: p.integ(),
    "integ 2": lambda p, q: p.integ(2, [3, 4]),
    "compose": lambda p, q: p(q),
}


@pytest.mark.parametrize("case", EXPRESSIONS)
def test_poly1d_expressions(case):
    for first, second in (([1, 2, 3], [4.0, 5]), ([0, 0, 2, 1, 7], [1, 2]), ([1j, 2], [0.5, 1, 2])):
        ours = EXPRESSIONS[case](cp.poly1d(first), cp.poly1d(second))
        theirs = EXPRESSIONS[case](np.poly1d(first), np.poly1d(second))
        assert isinstance(ours, cp.poly1d)
        check(ours.coeffs, theirs.coeffs, ulp=16, scale=10, signs=False)


def test_poly1d():
    ours, theirs = cp.poly1d([0, 1, -2, 3], variable="z"), np.poly1d([0, 1, -2, 3], variable="z")
    assert str(ours) == str(theirs) and repr(ours) == repr(theirs)
    assert ours.variable == "z" and ours.order == ours.o == len(ours) == 2
    for name in ("c", "coef", "coeffs", "coefficients"):
        check(getattr(ours, name), getattr(theirs, name))
    assert ours == cp.poly1d([1, -2, 3]) and ours != cp.poly1d([1, 2]) and ours != 3
    assert [int(c) for c in ours] == list(theirs)
    assert [int(ours[i]) for i in (-1, 0, 1, 2, 3)] == [theirs[i] for i in (-1, 0, 1, 2, 3)]
    for p in (ours, theirs):
        p[4] = 9
        p[0] = -1
    check(ours.coeffs, theirs.coeffs)
    check(ours(cp.arange(4.0)), theirs(np.arange(4.0)))
    assert ours.get() == theirs
    ours.set(np.poly1d([5, 6]))
    check(ours.coeffs, np.array([5, 6]))
    for quotient, expected in zip(
        cp.poly1d([1.0, 5, 6]) / cp.poly1d([1, 2]), np.poly1d([1.0, 5, 6]) / np.poly1d([1, 2]), strict=True
    ):
        check(quotient.coeffs, expected.coeffs)
    check(cp.poly1d(cp.poly1d([0, 0])).coeffs, np.poly1d([0, 0]).coeffs)
    for call in (operator.mul, operator.add, lambda a, p: p * a, lambda a, p: p - a):
        results = (call(xp.arange(1, 3), xp.poly1d([1, 2])) for xp in (cp, np))
        ours, theirs = ((type(x).__name__, getattr(x, "coeffs", x)) for x in results)
        assert ours[0] == theirs[0]
        check(ours[1], theirs[1])
    with pytest.raises(TypeError):
        np.asarray(ours)
    with pytest.raises(TypeError):
        hash(ours)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 13])
def test_from_roots(count):
    roots = np.linspace(-1.5, 1, count)
    check(cp.poly1d(cp.asarray(roots), r=True).coeffs, np.poly1d(roots, r=True).coeffs, ulp=64, scale=1, signs=False)
    pairs = np.concatenate([roots + 1j, roots - 1j])
    check(cp.poly1d(cp.asarray(pairs), r=True).coeffs, np.poly1d(pairs, r=True).coeffs, ulp=512, scale=1e5, signs=False)
    for values in (roots, pairs, (roots * 2).astype(int)):
        compare(lambda xp, r: series(xp).polyfromroots(r), values, ulp=512, scale=1e5, signs=False)


SERIES = {
    "polyadd": lambda m, xp, a, b: m.polyadd(a, b),
    "polyadd other": lambda m, xp, a, b: m.polyadd(b, a),
    "polysub": lambda m, xp, a, b: m.polysub(b, a),
    "polysub self": lambda m, xp, a, b: m.polysub(a, a),
    "polymul": lambda m, xp, a, b: m.polymul(a, b),
    "polymulx": lambda m, xp, a, b: m.polymulx(a),
    "polymulx 0": lambda m, xp, a, b: m.polymulx([0, 0]),
    "polypow": lambda m, xp, a, b: m.polypow(b, 5),
    "polypow 0": lambda m, xp, a, b: m.polypow(b, 0),
    "polypow large": lambda m, xp, a, b: m.polypow(b, 5, 4),
    "polypow part": lambda m, xp, a, b: m.polypow(b, 1.5),
    "polydiv 0": lambda m, xp, a, b: m.polydiv(a, [0]),
    "polydiv short": lambda m, xp, a, b: m.polydiv(b[:1], a),
    "polyline": lambda m, xp, a, b: m.polyline(1, 2.5),
    "polyline 0": lambda m, xp, a, b: m.polyline(1, 0),
    "polytrim": lambda m, xp, a, b: m.polytrim([1, 3, 1e-9, 0], 1e-5),
    "polytrim all": lambda m, xp, a, b: m.polytrim([1, 2], 5),
    "polytrim negative": lambda m, xp, a, b: m.polytrim([1, 2], -5),
    "polyval": lambda m, xp, a, b: m.polyval(xp.stack([a, a * 2]), xp.stack([b, b + 1], axis=1)),
    "polyval flat": lambda m, xp, a, b: m.polyval(xp.stack([b, b])[:, 0], xp.stack([b, b + 1], axis=1), tensor=False),
    "polyvalfromroots": lambda m, xp, a, b: m.polyvalfromroots(a, b),
    "polyvalfromroots tensor": lambda m, xp, a, b: m.polyvalfromroots(a, xp.stack([b, b * 2], axis=1)),
    "polyvalfromroots bad": lambda m, xp, a, b: m.polyvalfromroots(a, b, tensor=False),
    "polyvalfromroots scalar": lambda m, xp, a, b: m.polyvalfromroots(2.5, b),
    "polyvander": lambda m, xp, a, b: m.polyvander(a, 6),
    "polyvander 0": lambda m, xp, a, b: m.polyvander(a, 0),
    "polyvander 2 axes": lambda m, xp, a, b: m.polyvander(xp.stack([a, a]), 3),
    "polyvander bad": lambda m, xp, a, b: m.polyvander(a, -1),
    "polyvander part": lambda m, xp, a, b: m.polyvander(a, 1.5),
    "polyvander2d": lambda m, xp, a, b: m.polyvander2d(a, a + 1, [2, 3]),
    "polyvander3d": lambda m, xp, a, b: m.polyvander3d(a, a + 1, a * a, [2, 0, 3]),
    "polyval2d": lambda m, xp, a, b: m.polyval2d(a, a + 1, xp.stack([b, b + 1])),
    "polyval2d bad": lambda m, xp, a, b: m.polyval2d(a, b, xp.stack([b, b + 1])),
    "polyval3d": lambda m, xp, a, b: m.polyval3d(a, a + 1, a, xp.stack([b, b + 1])[None]),
    "polygrid2d": lambda m, xp, a, b: m.polygrid2d(a, b, xp.stack([b, b + 1])),
    "polygrid3d": lambda m, xp, a, b: m.polygrid3d(a, b, a, xp.stack([b, b + 1])[None]),
    "polyder": lambda m, xp, a, b: m.polyder(a),
    "polyder more": lambda m, xp, a, b: m.polyder(xp.stack([a, a], axis=1), 2, scl=3, axis=0),
    "polyder axis": lambda m, xp, a, b: m.polyder(xp.stack([a, a]), 2, axis=1),
    "polyder all": lambda m, xp, a, b: m.polyder(b, 9),
    "polyder bad": lambda m, xp, a, b: m.polyder(b, -1),
    "polyint": lambda m, xp, a, b: m.polyint(a),
    "polyint more": lambda m, xp, a, b: m.polyint(a, 3, [1, 2], lbnd=-1, scl=2),
    "polyint axis": lambda m, xp, a, b: m.polyint(xp.stack([a, a]), 2, axis=1, k=3),
    "polyint 0": lambda m, xp, a, b: m.polyint([0], 2, [1, 2]),
    "polyint bad": lambda m, xp, a, b: m.polyint(a, 1, [1, 2]),
    "polyint bounds": lambda m, xp, a, b: m.polyint(a, 1, lbnd=[1]),
    "polycompanion": lambda m, xp, a, b: m.polycompanion(a),
    "polycompanion 1": lambda m, xp, a, b: m.polycompanion(a[:2]),
    "polycompanion 0": lambda m, xp, a, b: m.polycompanion(a[:1]),
    "empty": lambda m, xp, a, b: m.polyadd(a[:0], b),
}


@pytest.mark.parametrize("case", SERIES)
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64, np.complex128])
def test_series(case, dtype):
    a = sample(dtype, 6, small="positive")
    b = sample(dtype, 3, seed=1, small="positive")
    a[-1] = b[-1] = 1
    compare(lambda xp, a, b: SERIES[case](series(xp), xp, a, b), a, b, ulp=64, scale=10, signs=False)


UTILITIES = {
    "as_series": lambda u, a: u.as_series([a, [1, 2, 0, 0], 3]),
    "as_series untrimmed": lambda u, a: u.as_series([a, [1, 2, 0, 0]], trim=False),
    "as_series bool": lambda u, a: u.as_series([[True, False]]),
    "as_series empty": lambda u, a: u.as_series([a[:0]]),
    "as_series 2d": lambda u, a: u.as_series([a.reshape(2, 2)]),
    "trimseq": lambda u, a: u.trimseq(a),
    "trimseq zeros": lambda u, a: u.trimseq(a * 0),
    "trimseq none": lambda u, a: u.trimseq(a[:0]),
    "trimcoef": lambda u, a: u.trimcoef(a, 2.5),
    "trimcoef all": lambda u, a: u.trimcoef(a, 100),
    "getdomain": lambda u, a: u.getdomain(a),
    "getdomain complex": lambda u, a: u.getdomain(a * (1 + 2j)),
    "mapdomain": lambda u, a: u.mapdomain(a, [0, 4], [-1, 1]),
}


@pytest.mark.parametrize("case", UTILITIES)
def test_utilities(case):
    compare(lambda xp, a: UTILITIES[case](xp.polynomial.polyutils, a), np.array([1.0, 3, 2, 0]), signs=False)
    assert cp.polynomial.polyutils.mapparms([0, 4], [-1, 1]) == np.polynomial.polyutils.mapparms([0, 4], [-1, 1])


def test_every_dtype_is_taken():
    for dtype in DTYPES:
        c = cp.asarray([1, 0, 1], dtype=dtype)
        assert cp.polyval(c, cp.ones(2, dtype)).dtype == dtype
        assert cp.polymul(c, c).dtype == dtype


def test_derivatives_of_any_order_end_with_the_coefficients():
    assert cp.polyder(cp.asarray([1, 2, 3]), 10**15).shape == (0,)
    assert cp.polyder(cp.poly1d([1, 2, 3]), 10**15).coeffs.tolist() == np.poly1d([1, 2, 3]).deriv(9).coeffs.tolist()
