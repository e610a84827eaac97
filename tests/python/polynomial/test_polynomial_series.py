"""The modules and classes of `cuproxide.polynomial` against NumPy's."""

import inspect
import pickle

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, compare, same_error
from versions import NUMPY_2_5

MODULES = {"chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm", "hermite_e": "herme"}
ALL = {**MODULES, "polynomial": "poly"}
CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")
A = np.array([1.5, -2.0, 0.25, 3.0, -0.5])
B = np.array([2.0, 1.0, -0.75])
X = np.linspace(-0.9, 1.3, 7)


def function(xp, module, name):
    return getattr(getattr(xp.polynomial, module), ALL[module] + name)


def both(call, *hosts, ulp=200, **options):
    compare(call, *hosts, ulp=ulp, scale=1.0, signs=False, **options)


@pytest.mark.parametrize("module", ALL)
def test_names_and_signatures(module):
    ours, theirs = getattr(cp.polynomial, module), getattr(np.polynomial, module)
    assert set(theirs.__all__) <= set(dir(ours)) | {ALL[module] + n for n in ("zero", "one", "x", "domain")}
    for name in theirs.__all__:
        mine, original = getattr(ours, name), getattr(theirs, name)
        if inspect.isfunction(original):
            assert inspect.getdoc(mine)
            expected, actual = inspect.signature(original).parameters, inspect.signature(mine).parameters
            assert list(expected) == list(actual), name
            for key, parameter in expected.items():
                assert actual[key].default == parameter.default, (name, key)
        elif isinstance(original, np.ndarray):
            check(mine, original)


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_pairs(module, dtype, name):
    for c1, c2 in ((A, B), (B, A), (A, A[:1]), (A, [3.0, 4.0]), (A, [1.0, 2.0, 0.0]), (A[:1], B[:1])):
        c1, c2 = ((4 * np.asarray(c)).astype(dtype) for c in (c1, c2))
        if dtype == "f4" and name in ("mul", "div"):
            # NumPy goes over to float64 on its way, depending on the lengths.
            ours = function(cp, module, name)(cp.asarray(c1), cp.asarray(c2))
            theirs = function(np, module, name)(c1, c2)
            pairs = [(ours, theirs)] if name == "mul" else list(zip(ours, theirs, strict=True))
            for one, other in pairs:
                assert one.dtype == np.float32
                check(one, other.astype("f4"), 200, 100.0, signs=False)
            continue
        both(lambda xp, a, b: function(xp, module, name)(a, b), c1, c2, ulp=2000)


@pytest.mark.parametrize("module", ALL)
def test_division_by_zero(module):
    with pytest.raises(ZeroDivisionError):
        function(cp, module, "div")(cp.asarray(A), [0.0])


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8"])
def test_one_series(module, dtype):
    c = (4 * A).astype(dtype)
    for name in ("mulx", "der", "int", "trim"):
        both(lambda xp, c, name=name: function(xp, module, name)(c), c)
    for size in (1, 2, 3):
        both(lambda xp, c: function(xp, module, "mulx")(c), c[:size])
        both(lambda xp, c: function(xp, module, "int")(c, 2), c[:size])
        both(lambda xp, c: function(xp, module, "der")(c), c[:size])
    both(lambda xp, c: function(xp, module, "pow")(c, 3), c[:3], ulp=2000)
    both(lambda xp, c: function(xp, module, "pow")(c, 0), c)
    for args in ((-1,), (1.5,), (9, 4)):
        both(lambda xp, c, args=args: function(xp, module, "pow")(c, *args), c)


@pytest.mark.parametrize("module", MODULES)
def test_conversions(module):
    prefix = MODULES[module]
    for size in (1, 2, 3, 5):
        for name in (f"{prefix}2poly", f"poly2{prefix}"):
            both(lambda xp, c, name=name: getattr(getattr(xp.polynomial, module), name)(c), A[:size])


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("m", [0, 1, 2, 7, -1, 1.5])
def test_calculus(module, m):
    table = np.arange(24.0).reshape(4, 3, 2) % 7 - 3
    for axis in (0, 1, -1, 3):
        # NumPy's hermeder leaves the axis in the wrong place when nothing is left.
        if not (module == "hermite_e" and m in (2, 7) and axis in (1, -1)):
            both(lambda xp, c, axis=axis: function(xp, module, "der")(c, m, 2, axis), table)
        both(lambda xp, c, axis=axis: function(xp, module, "int")(c, m, [1][: bool(m)], 0.5, 2, axis), table, ulp=2000)
    both(lambda xp, c: function(xp, module, "int")(c, m, [1, 2], -1), A, ulp=2000)
    both(lambda xp, c: function(xp, module, "int")(c, 2, 3), A, ulp=2000)
    both(lambda xp, c: function(xp, module, "int")(c, 1, [], [1, 2]), A)
    both(lambda xp, c: function(xp, module, "der")(c), np.array([1.0, np.inf, 2.0, np.nan]))


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 40])
def test_values(module, size):
    c = np.cos(np.arange(size * 2.0)).reshape(size, 2) / (1 + np.arange(size)[:, None]) ** 3
    for x in (X, X.reshape(7, 1), np.array(0.5), X.astype("f4"), X + 0.5j, np.array([], float), np.arange(3)):
        # NumPy does a part of the work in the dtype of the points.
        ulp = 1e10 if x.dtype == np.float32 else 2e6 if size > 5 else 200
        both(lambda xp, x, c: function(xp, module, "val")(x, c), x, c[:, 0], ulp=ulp)
        both(lambda xp, x, c: function(xp, module, "val")(x, c), x, c, ulp=ulp)
    both(lambda xp, x, c: function(xp, module, "val")(x, c, tensor=False), X[:2], c, ulp=2e6 if size > 5 else 200)
    check(function(cp, module, "val")(0.5, cp.asarray(c[:, 0])), function(np, module, "val")(0.5, c[:, 0]), 2e6, 1.0)
    both(lambda xp, x, c: function(xp, module, "val")(x, c), np.array([np.inf, np.nan, 0.0]), c[:1, 0])


@pytest.mark.parametrize("module", ALL)
def test_values_of_several_variables(module):
    c2, c3 = np.arange(12.0).reshape(3, 4) - 5, np.arange(24.0).reshape(2, 3, 4) - 9
    both(lambda xp, c, x: function(xp, module, "val2d")(x, x * 2, c), c2, X)
    both(lambda xp, c, x: function(xp, module, "val3d")(x, x * 2, x - 1, c), c3, X, ulp=2000)
    series = function(cp, module, "valnd")
    points = [cp.asarray(X), cp.asarray(X * 2), cp.asarray(X - 1)]
    check(series(points, cp.asarray(c3)), function(np, module, "val3d")(X, X * 2, X - 1, c3), 2000, 1.0, signs=False)
    with pytest.raises(ValueError, match="ordinates"):
        series([*points, points[0][:2]], cp.asarray(c3))
    both(lambda xp, c, x: function(xp, module, "grid2d")(x, x[:3], c), c2, X)
    both(lambda xp, c, x: function(xp, module, "grid3d")(x, x[:3], x[:2], c), c3, X, ulp=2000)
    both(lambda xp, c, x: function(xp, module, "val2d")(x, x[:2], c), c2, X)
    both(lambda xp, x: function(xp, module, "vander2d")(x, x - 1, [2, 3]), X)
    both(lambda xp, x: function(xp, module, "vander3d")(x, x - 1, x + 1, [2, 1, 3]), X, ulp=2000)
    both(lambda xp, x: function(xp, module, "vander2d")(x, x - 1, [2]), X)


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("deg", [0, 1, 2, 6, -1, 1.5])
def test_vander(module, deg):
    for x in (X, X.reshape(1, 7), np.arange(3), X.astype("f4"), np.array(2.0), np.array([], float), X * 1j):
        both(lambda xp, x: function(xp, module, "vander")(x, deg), x)


@pytest.mark.parametrize("module", ALL)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_roots(module, size):
    c = np.cos(np.arange(float(size)) + 0.3)
    both(lambda xp, c: function(xp, module, "companion")(c), c)
    both(lambda xp, c: function(xp, module, "companion")(c), (c * (1 + 2j)))
    actual = cp.asnumpy(function(cp, module, "roots")(cp.asarray(c)))
    expected = function(np, module, "roots")(c)
    assert actual.shape == expected.shape
    values = np.abs(function(np, module, "val")(actual.astype(complex), c))
    slopes = np.abs(function(np, module, "val")(actual.astype(complex), function(np, module, "der")(c)))
    assert np.all(values <= 1e-11 * (1 + slopes * np.maximum(1, np.abs(actual))))


@pytest.mark.parametrize("module", ALL)
def test_real_roots_and_their_series(module):
    roots = np.array([0.25, -0.5, 0.75, 0.1])
    both(lambda xp, r: function(xp, module, "fromroots")(r), roots)
    both(lambda xp, r: function(xp, module, "fromroots")(r), roots[:1])
    both(lambda xp, r: function(xp, module, "fromroots")(r), roots * 1j)
    both(lambda xp, r: function(xp, module, "fromroots")(r), np.array([1, 2, 3]))
    check(function(cp, module, "fromroots")([]), function(np, module, "fromroots")([]))
    found = function(cp, module, "roots")(function(cp, module, "fromroots")(cp.asarray(roots)))
    check(found, np.sort(roots), 1e5)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("deg", [1, 2, 3, 10, 31])
def test_gauss(module, deg):
    (x, w), (xn, wn) = function(cp, module, "gauss")(deg), function(np, module, "gauss")(deg)
    check(x, xn, 2000, 1.0)
    assert np.allclose(cp.asnumpy(w), wn, rtol=1e-11, atol=0)
    both(lambda xp, x: function(xp, module, "weight")(x), X / 2)


@pytest.mark.parametrize(
    ("module", "power", "moment"),
    [
        ("legendre", 2, 2 / 3),
        ("laguerre", 1, 1.0),
        ("hermite", 2, 0.5 * np.pi**0.5),
        ("hermite_e", 2, (2 * np.pi) ** 0.5),
    ],
)
def test_gauss_of_many_points(module, power, moment):
    # NumPy's weights of these are NaN from some 300 points on, but for Legendre's.
    x, w = (a.get() for a in function(cp, module, "gauss")(700))
    assert (np.diff(x) > 0).all() and np.isfinite(w).all() and (x**power @ w) == pytest.approx(moment, rel=1e-12)
    if module == "legendre":
        # By mpmath in 60 digits.
        x, w = (a.get() for a in cp.polynomial.legendre.leggauss(1000))
        assert w[3] == pytest.approx(3.6973442006435494e-05, rel=1e-12)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("deg", [0, -1, 1.5])
def test_gauss_errors(module, deg):
    same_error(lambda: function(cp, module, "gauss")(deg), lambda: function(np, module, "gauss")(deg))


@pytest.mark.parametrize("module", ALL)
def test_fit(module):
    x, y = np.linspace(-1, 1, 20), np.sin(np.linspace(-1, 1, 20) * 3)
    w = 1 + np.arange(20.0)
    for deg in (0, 3, [1, 3], [0, 2, 4]):
        both(lambda xp, x, y, deg=deg: function(xp, module, "fit")(x, y, deg), x, y, ulp=1e5)
        both(lambda xp, x, y, w, deg=deg: function(xp, module, "fit")(x, y, deg, w=w), x, y, w, ulp=1e5)
    both(lambda xp, x, y: function(xp, module, "fit")(x, xp.stack([y, x], 1), 3), x, y, ulp=1e5)
    found, (residuals, rank, singular, rcond) = function(cp, module, "fit")(cp.asarray(x), cp.asarray(y), 3, full=True)
    theirs, (residuals2, rank2, singular2, rcond2) = function(np, module, "fit")(x, y, 3, full=True)
    check(found, theirs, 1e5, 1.0)
    check(residuals, residuals2, 1e5, 1.0)
    check(singular, singular2, 1e5, 1.0)
    assert rank == rank2
    assert rcond == rcond2
    bad = [
        (x, y, -1),
        (x, y, 1.5),
        (x, y[:3], 2),
        (x.reshape(4, 5), y, 2),
        (x[:0], y[:0], 2),
        (x, y.reshape(20, 1, 1), 2),
    ]
    for args in bad:
        both(lambda xp, x, y, args=args: function(xp, module, "fit")(x, y, args[2]), args[0], args[1])
    both(lambda xp, x, y: function(xp, module, "fit")(x, y, 2, w=y[:3]), x, y)
    with pytest.warns(np.exceptions.RankWarning):
        function(cp, module, "fit")(cp.ones(5), cp.ones(5), 2)


def test_chebyshev_points_and_interpolation():
    for name in ("chebpts1", "chebpts2"):
        for count in (2, 3, 8):
            ours, theirs = (getattr(xp.polynomial.chebyshev, name)(count) for xp in (cp, np))
            check(ours, theirs, 4, 1.0)
        for bad in (0, 1.5):
            same_error(
                lambda name=name, bad=bad: getattr(cp.polynomial.chebyshev, name)(bad),
                lambda name=name, bad=bad: getattr(np.polynomial.chebyshev, name)(bad),
            )
    for deg in (0, 1, 9):
        ours, theirs = (xp.polynomial.chebyshev.chebinterpolate(lambda x: x**3 + 1, deg) for xp in (cp, np))
        check(ours, theirs, 20, 1.0)
    ours, theirs = (xp.polynomial.Chebyshev.interpolate(lambda x: x**3, 4, [0, 2]) for xp in (cp, np))
    check(ours.coef, theirs.coef, 50, 1.0)
    for bad in (-1, 2.5):
        same_error(
            lambda bad=bad: cp.polynomial.chebyshev.chebinterpolate(cp.sin, bad),
            lambda bad=bad: np.polynomial.chebyshev.chebinterpolate(np.sin, bad),
        )


def build(xp, name, coef=A, **options):
    return getattr(xp.polynomial, name)(coef.tolist(), **options)


def same(ours, theirs, ulp=2000):
    if isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, ulp)
    elif isinstance(theirs, np.polynomial._polybase.ABCPolyBase):
        assert type(ours).__name__ == type(theirs).__name__
        assert ours.symbol == theirs.symbol
        for name in ("coef", "domain", "window"):
            check(getattr(ours, name), getattr(theirs, name), ulp, 1.0, signs=False)
    elif isinstance(theirs, np.bool_):
        assert ours is bool(theirs)
    elif isinstance(theirs, (np.ndarray, np.generic)):
        if NUMPY_2_5 and theirs.dtype.kind == "c" and ours.dtype.kind == "f":
            # From NumPy 2.5 on roots are complex even where all of them are real.
            assert not theirs.imag.any()
            theirs = theirs.real
        check(ours, theirs, ulp, 1.0, signs=False)
    else:
        assert ours == theirs


OPERATIONS = {
    "add": lambda p, q: p + q,
    "number": lambda p, q: (p + 2, 2 + p, p * 3, 3 * p, 1 - p, p - 1, p / 2, p // 2, p % 2),
    "subtract": lambda p, q: p - q,
    "multiply": lambda p, q: p * q,
    "divmod": lambda p, q: divmod(p, q),
    "floor": lambda p, q: (p // q, p % q, [1.0, 2.0, 3.0] // q, [1.0, 2.0, 3.0] % q),
    "list": lambda p, q: (p + [1.0, 2.0], [1.0, 2.0] + p, [1.0] - p, [1.0, 2.0] * p),
    "power": lambda p, q: p**3,
    "unary": lambda p, q: (-p, +p),
    "compose": lambda p, q: p(q),
    "deriv": lambda p, q: (p.deriv(), p.deriv(2)),
    "integ": lambda p, q: (p.integ(), p.integ(2, [1, 2], 0.5)),
    "roots": lambda p, q: q.roots(),
    "call": lambda p, q: (p(0.5), p(2)),
    "cut": lambda p, q: (p.cutdeg(2), p.truncate(2), p.trim(), p.trim(1.0), p.copy()),
    "linspace": lambda p, q: (*p.linspace(5), *p.linspace(4, [0, 1])),
    "degree": lambda p, q: (p.degree(), len(p), p.basis_name, p == q, p != q, p == p.copy(), p == 3),
    "has": lambda p, q: (p.has_samecoef(q), p.has_samedomain(q), p.has_samewindow(q), p.has_sametype(q)),
    "iterate": lambda p, q: tuple(p),
    "mapparms": lambda p, q: p.mapparms(),
}


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("options", [{}, {"domain": [0.5, 3.0]}, {"window": [0.0, 2.0], "symbol": "t"}])
def test_objects(name, operation, options):
    call = OPERATIONS[operation]
    p, q = build(cp, name, **options), build(cp, name, B, **options)
    pn, qn = build(np, name, **options), build(np, name, B, **options)
    same(call(p, q), call(pn, qn))


@pytest.mark.parametrize("name", CLASSES)
def test_makers(name):
    def each(call, ulp=1e5):
        same(call(cp, getattr(cp.polynomial, name)), call(np, getattr(np.polynomial, name)), ulp)

    each(lambda xp, cls: cls.basis(3))
    each(lambda xp, cls: cls.identity())
    each(lambda xp, cls: cls.identity([1, 3], symbol="z"))
    each(lambda xp, cls: cls.fromroots([0.5, -0.25]))
    each(lambda xp, cls: cls.fromroots([0.5, -0.25], domain=None))
    each(lambda xp, cls: cls.fromroots([0.5, -0.25], [0, 2], [-1, 1]))
    each(lambda xp, cls: cls.fit(xp.arange(9.0), xp.arange(9.0) ** 2, 3))
    each(lambda xp, cls: cls.fit(xp.arange(9.0), xp.arange(9.0) ** 2, [0, 2], domain=[]))
    each(lambda xp, cls: cls.fit(xp.ones(1), xp.ones(1), 0, window=[0, 1], symbol="s"))
    for other in CLASSES:
        each(lambda xp, cls, other=other: cls([1.0, 2.0, 3.0]).convert(kind=getattr(xp.polynomial, other)))
        each(lambda xp, cls, other=other: cls.cast(getattr(xp.polynomial, other)([1.0, 2.0, 3.0], [0, 2])))
    each(lambda xp, cls: cls.domain)
    each(lambda xp, cls: cls.window)


@pytest.mark.parametrize("name", CLASSES)
def test_object_errors(name):
    def both_raise(call):
        same_error(lambda: call(cp, getattr(cp.polynomial, name)), lambda: call(np, getattr(np.polynomial, name)))

    other = CLASSES[CLASSES.index(name) - 1]
    both_raise(lambda xp, cls: cls([1, 2], [1, 2, 3]))
    both_raise(lambda xp, cls: cls([1, 2], window=[1]))
    both_raise(lambda xp, cls: cls([1, 2], symbol=3))
    both_raise(lambda xp, cls: cls([1, 2], symbol="1x"))
    both_raise(lambda xp, cls: cls([]))
    both_raise(lambda xp, cls: cls([1, 2]) + cls([1, 2], [5, 6]))
    both_raise(lambda xp, cls: cls([1, 2]) + cls([1, 2], window=[5, 6]))
    both_raise(lambda xp, cls: cls([1, 2]) + cls([1, 2], symbol="y"))
    both_raise(lambda xp, cls: cls([1, 2]) * getattr(xp.polynomial, other)([1]))
    both_raise(lambda xp, cls: cls([1, 2]) / cls([1]))
    both_raise(lambda xp, cls: cls([1, 2]) / True)
    both_raise(lambda xp, cls: cls([1, 2]) // cls([0]))
    both_raise(lambda xp, cls: cls([1, 2]) + object())
    both_raise(lambda xp, cls: cls([1, 2]) ** 101)
    both_raise(lambda xp, cls: cls.basis(-1))
    both_raise(lambda xp, cls: cls.basis(0.5))
    both_raise(lambda xp, cls: cls([1, 2]).truncate(0))
    both_raise(lambda xp, cls: hash(cls([1, 2])))


@pytest.mark.parametrize("name", CLASSES)
def test_text_and_pickles(name):
    p, pn = build(cp, name, B), build(np, name, B)
    assert (str(p), repr(p), f"{p:ascii}", p._repr_latex_()) == (str(pn), repr(pn), f"{pn:ascii}", pn._repr_latex_())
    assert type(p.get()) is type(pn)
    assert p.get() == pn
    assert pickle.loads(pickle.dumps(p)) == p
    assert issubclass(type(p), cp.polynomial.polynomial.ABCPolyBase)
