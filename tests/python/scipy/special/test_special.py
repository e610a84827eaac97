"""The ufuncs of `scipy.special`: their names, loops, and what they give at the ends of their domains."""

import pickle

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core

special = pytest.importorskip("scipy.special")

ROWS = sorted(name for name in core.ufuncs("special") if not name.startswith("_"))
# Ends, poles, zeros, numbers of all sizes.
POINTS = [0.0, -0.0, 0.5, 1.0, 2.0, 3.0, -0.5, -1.0, -2.0, -3.5, 1e-300, 30.0, np.inf, -np.inf, np.nan]
# Where SciPy is wrong, or documents nothing, and another value is better: by the function and why.
BETTER = {
    **dict.fromkeys(
        ["it2i0k0", "it2j0y0", "it2struve0", "itairy", "iti0k0", "itj0y0", "itmodstruve0", "itstruve0"],
        "SciPy: six to ten digits",
    ),
    **dict.fromkeys(["modfresnelm", "modfresnelp"], "SciPy: wrong imaginary parts of negative arguments"),
    **dict.fromkeys(["i0", "i1"], "SciPy: nan at infinity, which is the limit"),
    **dict.fromkeys(["sindg", "cosdg", "tandg", "cotdg"], "SciPy: 0 at infinity, which has no limit"),
    "airye": "SciPy's loses digits at 2",
    "shichi": "near the root of Chi both lose digits",
    "log_ndtr": "SciPy's loses digits at -1 and beside",
    "cotdg": "SciPy's loses digits of small angles; no limit at infinity",
}


# Names that SciPy no longer has.
FORMER = {"btdtr", "btdtri"}
# SciPy's loops of float32 do not end.
ENDLESS = {"pro_cv", "obl_cv", "obl_rad1", "obl_rad2"}


def test_names():
    module = cp.scipy.special
    assert set(ROWS) <= set(module.__all__)
    for name in ROWS:
        ufunc = getattr(module, name)
        assert isinstance(ufunc, cp.ufunc) and pickle.loads(pickle.dumps(ufunc)) is ufunc
        assert f"scipy.special.{ufunc.__name__}" in ufunc.__doc__
        assert ufunc.name == f"cuproxide_scipy_special_{ufunc.__name__}"
        assert core.ufunc_facts(ufunc)[1], f"{name} names no source"
    assert module.sinc is cp.sinc
    # A name that NumPy's package has for a function of its own stays that.
    assert not isinstance(cp.i0, cp.ufunc)


def test_scipys_functions_take_our_arrays():
    x = cp.asarray([0.0, 1.5])
    result = special.i0(x)
    assert isinstance(result, cp.ndarray) and result.dtype == np.float64
    np.testing.assert_allclose(result.get(), special.i0([0.0, 1.5]), rtol=1e-14)


def first_loop(ufunc):
    """The first loop of real numbers, which computes what is narrow."""
    return next((types for types in ufunc.types if set(types) <= set("lfd->")), None)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in FORMER])
def test_loops(name):
    """The types of SciPy's results, for every type of arguments that both take."""
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    known = set(scipys.types)
    assert set(ours.types) <= known
    assert {types for types in known if set(types) <= set("fd->")} <= set(ours.types)
    for dtype in ("?", "i1", "u2", "i4", "i8", "f2", "f4", "f8"):
        if name in ENDLESS and dtype not in ("i4", "i8", "f8"):
            continue
        arguments = [np.ones(2, dtype)] * ours.nin
        try:
            with np.errstate(all="ignore"):
                expected = scipys(*arguments)
        except TypeError:
            with pytest.raises(TypeError):
                ours(*map(cp.asarray, arguments))
            continue
        found = ours(*map(cp.asarray, arguments))
        pairs = list(zip(found, expected, strict=True)) if ours.nout > 1 else [(found, expected)]
        # Which loop comes first differs between versions of SciPy.
        if first_loop(ours) is None and ours.types[0] != scipys.types[0]:
            continue
        if dtype in ("i1", "u2", "f2") and first_loop(ours) != first_loop(scipys):
            continue
        assert [ours.dtype for ours, _ in pairs] == [theirs.dtype for _, theirs in pairs] or dtype == "?"


@pytest.mark.parametrize(
    "name", [name for name in ROWS if getattr(cp.scipy.special, name).nin == 1 and name not in BETTER]
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_ends(name, dtype):
    ours, scipys = getattr(cp.scipy.special, name), getattr(special, name)
    points = np.array(POINTS, dtype)
    with np.errstate(all="ignore"):
        expected = scipys(points)
    found = ours(cp.asarray(points))
    pairs = zip(found, expected, strict=True) if ours.nout > 1 else [(found, expected)]
    for got, wanted in pairs:
        tolerance = 100 * np.finfo(dtype).eps
        np.testing.assert_allclose(got.get(), wanted, rtol=tolerance, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_log_ndtr_where_its_two_forms_meet(dtype):
    x = np.array([-1.0, np.nextafter(-1, -2), np.nextafter(-1, 0), 1.0], dtype)
    actual = cp.scipy.special.log_ndtr(cp.asarray(x)).get()
    np.testing.assert_allclose(actual, special.log_ndtr(x), rtol=8 * np.finfo(dtype).eps)
