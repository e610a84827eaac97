"""Differences, bounds, complex parts and other arithmetic on whole arrays."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import NUMPY_DTYPES, SOME, check, compare, same_error, sample

CASES = {
    "diff": lambda xp, a, b: xp.diff(a),
    "diff twice": lambda xp, a, b: xp.diff(a, 2, axis=0),
    "diff ends": lambda xp, a, b: xp.diff(a, prepend=0, append=b[:, :1], axis=1),
    "diff none": lambda xp, a, b: xp.diff(a, 0),
    "diff bool": lambda xp, a, b: xp.diff(a > 0),
    "ediff1d": lambda xp, a, b: xp.ediff1d(a),
    "ediff1d ends": lambda xp, a, b: xp.ediff1d(a, to_end=xp.asarray([7.0]), to_begin=-1),
    "gradient": lambda xp, a, b: xp.gradient(a),
    "gradient one": lambda xp, a, b: xp.gradient(a, 0.5, axis=1),
    "gradient distances": lambda xp, a, b: xp.gradient(a, 2, 3.0),
    "gradient positions": lambda xp, a, b: xp.gradient(a, xp.asarray([0, 1, 4, 4.5, 9]), axis=1, edge_order=2),
    "gradient edges": lambda xp, a, b: xp.gradient(a, edge_order=2),
    "gradient ints": lambda xp, a, b: xp.gradient((a * 10).astype(int), axis=0),
    "trapezoid": lambda xp, a, b: xp.trapezoid(a),
    "trapezoid dx": lambda xp, a, b: xp.trapezoid(a, dx=0.5, axis=0),
    "trapezoid x": lambda xp, a, b: xp.trapezoid(a, xp.cumsum(abs(b[0]))),
    "trapezoid x 2d": lambda xp, a, b: xp.trapezoid(a, b, axis=0),
    "clip": lambda xp, a, b: xp.clip(a, -0.5, 0.5),
    "clip low": lambda xp, a, b: xp.clip(a, 0, None),
    "clip names": lambda xp, a, b: xp.clip(a, max=0.25),
    "clip arrays": lambda xp, a, b: xp.clip(a, b - 0.5, b[0]),
    "clip none": lambda xp, a, b: xp.clip(a),
    "clip method": lambda xp, a, b: a.clip(0, 1),
    "clip out": lambda xp, a, b: xp.clip(a, 0, 1, out=xp.zeros_like(a)),
    "clip ints": lambda xp, a, b: xp.clip((a * 10).astype(np.int8), -3, 300),
    "round": lambda xp, a, b: xp.round(a, 2),
    "round method": lambda xp, a, b: (a * 100).round(-1),
    "around": lambda xp, a, b: xp.around(a),
    "round ints": lambda xp, a, b: xp.round((a * 1000).astype(int), -2),
    "round complex": lambda xp, a, b: xp.round(a + 1j * b, 1),
    "fix": lambda xp, a, b: xp.fix(a * 3),
    "real": lambda xp, a, b: xp.real(a + 1j * b),
    "imag": lambda xp, a, b: xp.imag(a + 1j * b),
    "imag of real": lambda xp, a, b: xp.imag(a),
    "conj": lambda xp, a, b: (a + 1j * b).conj(),
    "angle": lambda xp, a, b: xp.angle(a + 1j * b),
    "angle deg": lambda xp, a, b: xp.angle(a, deg=True),
    "real_if_close": lambda xp, a, b: xp.real_if_close(a + 1e-16j * b),
    "real_if_far": lambda xp, a, b: xp.real_if_close(a + 1e-3j * b),
    "nan_to_num": lambda xp, a, b: xp.nan_to_num(a / 0, posinf=9),
    "nan_to_num complex": lambda xp, a, b: xp.nan_to_num((a * 1j) / 0 * 1),
    "nan_to_num arrays": lambda xp, a, b: xp.nan_to_num((a * (a < 1)) / (b > 0), nan=b, posinf=b[0], neginf=[[2]]),
    "nan_to_num complex arrays": lambda xp, a, b: xp.nan_to_num((a // 1) / (b > 0) + 1j * b, nan=b, posinf=b[0]),
    "sinc": lambda xp, a, b: xp.sinc(a),
    "sinc 0": lambda xp, a, b: xp.sinc(a * 0),
    "unwrap": lambda xp, a, b: xp.unwrap(a * 9),
    "unwrap period": lambda xp, a, b: xp.unwrap((a * 9).astype(int), period=5, axis=0),
    "interp": lambda xp, a, b: xp.interp(a, xp.asarray([-1.0, 0.0, 0.5, 1.0]), xp.asarray([3.0, 1.0, 4.0, 2.0])),
    "interp ends": lambda xp, a, b: xp.interp(a, xp.asarray([-1.0, 1.0]), xp.asarray([3.0, 2.0]), left=-9, right=9),
    "interp period": lambda xp, a, b: xp.interp(a, xp.asarray([1.0, 0.5]), xp.asarray([3.0, 2.0]), period=2),
    "interp complex": lambda xp, a, b: xp.interp(a, xp.asarray([-1.0, 1.0]), xp.asarray([3j, 2.0])),
    "isclose": lambda xp, a, b: xp.isclose(a, a + 1e-9),
    "isclose scalar": lambda xp, a, b: xp.isclose(a, 0.3, rtol=0, atol=0.2),
    "iscomplex": lambda xp, a, b: xp.iscomplex(a + 1j * (b > 0)),
    "isreal": lambda xp, a, b: xp.isreal(a + 1j * (b > 0)),
    "isposinf": lambda xp, a, b: xp.isposinf(a / 0),
    "isneginf": lambda xp, a, b: xp.isneginf(a / 0),
    "piecewise": lambda xp, a, b: xp.piecewise(a, [a < 0, a > 0.5], [-1, lambda x: x * 2, 7]),
    "apply_over_axes": lambda xp, a, b: xp.apply_over_axes(xp.sum, a, [0, 1]),
    "errors: clip": lambda xp, a, b: xp.clip(a, 0, 1, min=2),
    "errors: diff": lambda xp, a, b: xp.diff(a, -1),
    "errors: diff 0d": lambda xp, a, b: xp.diff(a[0, 0]),
    "errors: gradient": lambda xp, a, b: xp.gradient(a[:1]),
    "errors: gradient count": lambda xp, a, b: xp.gradient(a, 1, 2, 3),
    "errors: nan_to_num": lambda xp, a, b: xp.nan_to_num(a, nan=b[:, :2]),
    "errors: nan_to_num complex": lambda xp, a, b: xp.nan_to_num(a, posinf=b * 1j),
    "errors: isposinf": lambda xp, a, b: xp.isposinf(a * 1j),
    "errors: interp": lambda xp, a, b: xp.interp(a, b[0], b[0, :2]),
    "errors: ediff1d": lambda xp, a, b: xp.ediff1d(a.astype(int), to_end=1.5),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=str)
def test_as_numpy(case, dtype):
    a, b = sample(dtype, (4, 5), 1, small=True), sample(dtype, (4, 5), 2, small=True)
    exact = case.startswith(("clip", "nan_to_num", "fix", "is"))
    compare(CASES[case], a, b, ulp=0 if exact else 32, scale=0 if exact else 1, signs=False)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES[1:], ids=str)
def test_rounding(dtype):
    host = sample(dtype, (20,), small=True)
    for decimals in (0, 1, -1):
        compare(lambda xp, a, d=decimals: xp.round(a, d), host, ulp=1)


@pytest.mark.parametrize("dtype", SOME, ids=str)
def test_clipping(dtype):
    host = sample(dtype, (20,))
    compare(lambda xp, a: xp.clip(a, a[3], a[7]), host, signs=False)
    if dtype != np.bool_:
        compare(lambda xp, a: xp.clip(a, 1, 3), host, signs=False)
        compare(lambda xp, a: xp.clip(a, 1, None), host, signs=False)


def test_parts_are_views():
    a = cp.array([1 + 2j, 3 - 4j])
    a.real[0] = 9
    a.imag = 5
    check(a, np.array([9 + 5j, 3 + 5j]))
    b = cp.arange(3.0)
    assert b.real is b or cp.may_share_memory(b.real, b)
    b.real = 7
    check(b, np.full(3, 7.0))
    with pytest.raises((TypeError, AttributeError)):
        b.imag = 1


def test_comparing_whole_arrays():
    a = np.array([1.0, np.nan, 3.0])
    for equal_nan in (False, True):
        for other in (a, a + 1e-9, a[:2], np.array([1, 2, 3])):
            compare(lambda xp, x, y, e=equal_nan: xp.asarray(xp.array_equal(x, y, equal_nan=e)), a, other)
            if other.shape == a.shape:
                compare(lambda xp, x, y, e=equal_nan: xp.asarray(xp.allclose(x, y, equal_nan=e)), a, other)
    compare(lambda xp, x: xp.asarray(xp.array_equiv(x[:1], xp.stack([x[:1], x[:1]]))), a)
    compare(lambda xp, x: xp.asarray(xp.array_equiv(x, x[:2])), a)
    compare(lambda xp: xp.isclose(xp.asarray([np.inf, -np.inf, np.inf]), xp.asarray([np.inf, np.inf, 1.0])))
    assert cp.allclose(cp.ones(3), cp.ones(3))
    for thing in (None, "a", [[1], [2, 3]], object()):
        compare(lambda xp, x, t=thing: xp.asarray(xp.array_equal(x, t)), a)
        compare(lambda xp, x, t=thing: xp.asarray(xp.array_equiv(t, x)), a)
    for function in (cp.array_equal, cp.array_equiv):
        with pytest.raises(TypeError, match="implicitly"):
            function(cp.ones(3), np.ones(3))


def test_kinds():
    for make in (lambda xp: xp.ones(2), lambda xp: xp.ones(2, complex), lambda xp: xp.zeros((2, 3), order="F")):
        for name in ("iscomplexobj", "isrealobj", "isfortran"):
            assert getattr(cp, name)(make(cp)) == getattr(np, name)(make(np))
    assert cp.isscalar(1.5) and not cp.isscalar(cp.ones(1))


def test_nan_to_num_in_place():
    a = cp.array([np.nan, np.inf, 1])
    assert cp.nan_to_num(a, copy=False) is a
    check(a, np.nan_to_num([np.nan, np.inf, 1]))
    same_error(lambda: cp.fix(cp.ones(2) * 1j), lambda: np.fix(np.ones(2) * 1j))
