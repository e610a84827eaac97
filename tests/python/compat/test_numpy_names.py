"""Names of NumPy that are little more than a few lines: roots, scimath, iterators, dtypes, text."""

import inspect
import io
import warnings

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, compare, same_error

REAL = np.array([2.0, -3.0, 0.5, 1.0, -4.0])


def close(call, *hosts):
    compare(call, *hosts, ulp=1e6, scale=10.0, signs=False)


def sorted_roots(xp, p):
    found = xp.roots(p)
    host = cp.asnumpy(found) if xp is cp else found
    return xp.asarray(np.sort_complex(np.round(host, 9)))


def test_poly():
    for roots in (REAL, REAL[:1], REAL[:0], np.array([1, 2, 3]), np.array([1j, -1j, 2]), np.array([1j, 2])):
        close(lambda xp, r: xp.poly(r), roots)
    close(lambda xp, a: xp.poly(a), np.array([[2.0, 1.0], [1.0, 3.0]]))
    close(lambda xp, a: xp.poly(a), np.ones((2, 3)))
    close(lambda xp, a: xp.poly(a), np.ones((0, 0)))
    check(cp.poly(3.0), np.poly([3.0]))


def test_roots():
    for p in (REAL, [1, 0, 0], [0, 0, 1, 2], [0, 0], [5.0], [0, 3.0, 0], [1, -6, 11, -6], [1, 0, 1], [1j, 2, 3], []):
        close(sorted_roots, np.asarray(p))
    close(lambda xp, p: xp.roots(p), np.ones((2, 2)))
    assert cp.roots([1, -6, 11, -6]).dtype == np.float64
    ours, theirs = cp.poly1d([1.0, -3.0, 2.0]), np.poly1d([1.0, -3.0, 2.0])
    check(cp.sort(ours.roots), np.sort(theirs.roots), 50)
    check(cp.sort(ours.r), np.sort(theirs.r), 50)


def test_polyfit():
    x = np.linspace(-1, 2, 20)
    y = np.sin(x)
    for deg in (0, 1, 4):
        close(lambda xp, x, y, deg=deg: xp.polyfit(x, y, deg), x, y)
        close(lambda xp, x, y, deg=deg: xp.polyfit(x, y, deg, w=x + 2), x, y)
        close(lambda xp, x, y, deg=deg: xp.polyfit(x, y, deg, cov=True), x, y)
        close(lambda xp, x, y, deg=deg: xp.polyfit(x, y, deg, cov="unscaled"), x, y)
        close(lambda xp, x, y, deg=deg: xp.polyfit(x, xp.stack([y, x], 1), deg, cov=True), x, y)
    full = lambda xp, x, y: xp.polyfit(x, y, 3, full=True)  # noqa: E731
    close(lambda xp, x, y: [full(xp, x, y)[i] for i in (0, 1, 3)], x, y)
    assert full(cp, cp.asarray(x), cp.asarray(y))[2::2] == full(np, x, y)[2::2]
    for args in ((x, y, -1), (x.reshape(4, 5), y, 2), (x[:0], y[:0], 2), (x, y[:3], 2), (x, y.reshape(20, 1, 1), 2)):
        close(lambda xp, x, y, deg=args[2]: xp.polyfit(x, y, deg), args[0], args[1])
    close(lambda xp, x, y: xp.polyfit(x, y, 2, w=y[:3]), x, y)
    close(lambda xp, x, y: xp.polyfit(x, y, 2, w=xp.ones((2, 2))), x, y)
    close(lambda xp, x, y: xp.polyfit(x[:3], y[:3], 2, cov=True), x, y)
    with pytest.warns(np.exceptions.RankWarning):
        cp.polyfit(cp.ones(5), cp.ones(5), 2)


SCIMATH = ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh")


@pytest.mark.parametrize("name", SCIMATH)
def test_scimath(name):
    for host in (REAL, REAL.astype("f4"), REAL.astype("i4"), np.array([0.5, 0.25]), REAL * 1j, np.array(-1), REAL[:0]):
        compare(lambda xp, x: getattr(xp.lib.scimath, name)(x), host, ulp=8, signs=False)
    check(getattr(cp.emath, name)(-2), getattr(np.emath, name)(-2), 8, signs=False)


def test_scimath_of_two():
    for x, p in ((REAL, 2), (REAL, 0.5), (np.array([2, 4]), -1), (np.array([2, 4]), 2), (REAL[::-1], np.arange(5) - 2)):
        p = np.asarray(p)
        compare(lambda xp, x, p: xp.emath.power(x, p), x, p, ulp=64, signs=False)
        compare(lambda xp, x, p: xp.emath.logn(abs(p) + 2, x), x, p, ulp=64, signs=False)


def test_ndenumerate():
    for host in (np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3).T, np.array(3), np.zeros((0, 2))):
        ours, theirs = list(cp.ndenumerate(cp.asarray(host))), list(np.ndenumerate(host))
        assert [place for place, _ in ours] == [place for place, _ in theirs]
        assert [value.item() for _, value in ours] == [value for _, value in theirs]
    places = cp.ndenumerate(cp.ones(2))
    assert iter(places) is places


def test_flatiter_members():
    a = cp.arange(6).reshape(2, 3)
    flat, theirs = a.flat, np.arange(6).reshape(2, 3).flat
    assert flat.base is a
    for _ in range(4):
        assert (flat.index, flat.coords) == (theirs.index, theirs.coords)
        next(flat), next(theirs)


def test_broadcast_members():
    ours, theirs = cp.broadcast(cp.ones((3, 1)), cp.ones(4)), np.broadcast(np.ones((3, 1)), np.ones(4))
    for name in ("nd", "ndim", "shape", "size", "numiter"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert [value.shape for value in ours.values] == [(3, 4), (3, 4)]


def test_who(capsys):
    x, y = cp.ones((3, 4)), cp.zeros(2, "i4")
    view = x[1:]
    text = "hello"
    cp.who({"x": x, "y": y, "view": view, "text": text})
    printed = capsys.readouterr().out
    assert "3 x 4" in printed and "int32" in printed and "shared with x" in printed and "text" not in printed
    assert "Upper bound on total bytes  =       104" in printed
    cp.who()
    assert "view" in capsys.readouterr().out
    cp.who({})
    assert not capsys.readouterr().out


def test_make_aligned_dtype():
    made = cp.make_aligned_dtype([("a", "i1"), ("b", "f8"), ("c", "i2")])
    assert made == np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True)
    assert made.isalignedstruct
    mixed = cp.make_aligned_dtype([("a", "i1"), ("z", "c16")])
    assert (mixed.fields["z"][1], mixed.itemsize) == (16, 32)
    wide = cp.make_aligned_dtype([("a", "f4"), ("b", "f4")], alignment=16)
    assert wide.itemsize == 16
    nested = cp.make_aligned_dtype([("x", "i1"), ("inner", wide), ("rows", "f4", (3,))])
    assert nested.fields["inner"][1] == 16
    assert nested.fields["rows"][0].shape == (3,)
    packed = np.dtype([("p", "i1"), ("q", "i4")])
    assert cp.make_aligned_dtype([("s", packed)]).fields["s"][0].itemsize == 8
    assert cp.make_aligned_dtype([("s", packed)], recurse=False).fields["s"][0].itemsize == 5
    assert cp.make_aligned_dtype("f4") == np.dtype("f4")
    assert cp.make_aligned_dtype(("f4", (2, 2))).shape == (2, 2)
    for bad in (1, 12):
        with pytest.raises(ValueError, match="alignment"):
            cp.make_aligned_dtype([("b", "f8")], alignment=bad)
    with pytest.raises(ValueError, match="alignment"):
        cp.make_aligned_dtype("f8", alignment=4)


def test_stride_tricks_arguments():
    class Named(cp.ndarray):
        """A subclass."""

    a = cp.arange(6.0).view(Named)
    strided = cp.lib.stride_tricks.as_strided
    assert type(strided(a, (2, 2), (8, 8))) is cp.ndarray
    assert type(strided(a, (2, 2), (8, 8), subok=True)) is Named
    assert not strided(a, (2, 2), (8, 8), writeable=False).flags.writeable
    assert strided(a, (2, 2), (8, 8), check_bounds=False).tolist() == [[0, 1], [1, 2]]
    for checked in (None, True, False):
        with pytest.raises(ValueError):
            strided(a, (7,), (8,), check_bounds=checked)
    windows = cp.lib.stride_tricks.sliding_window_view
    assert windows(a, 2, writeable=True).flags.writeable and type(windows(a, 2, subok=True)) is Named
    check(
        cp.lib.stride_tricks.sliding_window_view(a, 2, subok=False),
        np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 2),
    )


@pytest.mark.parametrize(
    "name",
    ["loadtxt", "genfromtxt", "savetxt", "array2string", "format_float_positional", "format_float_scientific"],
)
def test_arguments_of_text_functions(name):
    assert list(inspect.signature(getattr(cp, name)).parameters) == list(
        inspect.signature(getattr(np, name)).parameters
    )


def test_text_options(tmp_path):
    host = np.arange(6.0).reshape(2, 3) / 7
    a = cp.asarray(host)
    assert cp.array2string(a, precision=2, separator=",") == np.array2string(host, precision=2, separator=",")
    path = tmp_path / "table.txt"
    cp.savetxt(path, a, fmt="%.3f", delimiter=",", header="x")
    check(cp.loadtxt(path, delimiter=",", skiprows=1), np.loadtxt(path, delimiter=",", skiprows=1))
    check(cp.genfromtxt(path, delimiter=",", usecols=(0, 2)), np.genfromtxt(path, delimiter=",", usecols=(0, 2)))
    for rows in ((0, 1), [1, 0]):
        texts = [io.StringIO(), io.StringIO()]
        for xp, table, text in zip((cp, np), (a, host), texts, strict=True):
            xp.savetxt(text, type(rows)(table[row] for row in rows))
        assert texts[0].getvalue() == texts[1].getvalue()
    with cp.printoptions(precision=1):
        assert str(a) == str(np.asarray(host))
    assert cp.get_printoptions() == np.get_printoptions()


def test_modules_of_names():
    assert cp.exceptions.DTypePromotionError is np.exceptions.DTypePromotionError
    assert cp.lib.NumpyVersion("1.2.3") < "2.0.0"
    blocks = list(cp.lib.Arrayterator(cp.arange(24).reshape(4, 6), 6))
    assert sum(block.size for block in blocks) == 24
    check(cp.concatenate(blocks).ravel(), np.arange(24))


def test_random_functions_show_their_arguments():
    for name in ("normal", "uniform", "randint", "choice", "shuffle", "permutation", "binomial", "gamma", "seed"):
        assert (
            list(inspect.signature(getattr(cp.random, name)).parameters)
            == list(inspect.signature(getattr(cp.random.RandomState, name)).parameters)[1:]
        ), name
    bits = cp.random.get_bit_generator()
    try:
        cp.random.set_bit_generator(cp.random.Philox4x3210(3))
        first = cp.random.random(3)
        cp.random.set_bit_generator(cp.random.Philox4x3210(3))
        check(cp.random.random(3), cp.asnumpy(first))
        with pytest.raises(TypeError):
            cp.random.set_bit_generator(3)
    finally:
        cp.random.set_bit_generator(bits)


def test_matmul_arguments():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 2), "f4")
    compare(lambda xp, a, b: xp.matmul(a, b, signature="dd->d"), a, b)
    compare(lambda xp, a, b: xp.matmul(a, b, signature="ff->f"), a, b)
    compare(lambda xp, a, b: xp.matmul(a, b, signature="dd->d", dtype="f8"), a, b)
    compare(lambda xp, a, b: xp.matmul(a, b, signature="df->d"), a, b)
    compare(lambda xp, a, b: xp.matmul(a, b, axis=0), a, b)
    compare(lambda xp, a, b: xp.matmul(a, b, keepdims=True), a, b)


def test_bins_without_axes():
    for bins in (3, 0, 2.5):
        compare(lambda xp, a, bins=bins: xp.histogram(a, xp.asarray(bins)), np.arange(5.0))
        compare(lambda xp, a, bins=bins: xp.histogram(a, xp.asarray(bins), weights=a), np.arange(5.0))


def test_bins_by_name():
    host = np.random.default_rng(1).normal(size=200)
    for name in ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"):
        compare(lambda xp, a, name=name: xp.histogram(a, bins=name), host, ulp=8, scale=1.0)
        compare(lambda xp, a, name=name: xp.histogram_bin_edges(a, bins=name), host, ulp=8, scale=1.0)
    same_error(lambda: cp.histogram(cp.asarray(host), bins="x"), lambda: np.histogram(host, bins="x"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(lambda xp, a: xp.histogram(a, bins="auto", weights=a), host)


SCALARS_OVER_AXIS_0 = (
    "sum",
    "prod",
    "max",
    "min",
    "any",
    "all",
    "argmax",
    "argmin",
    "ptp",
    "cumsum",
    "mean",
    "var",
    "std",
)


@pytest.mark.parametrize("name", SCALARS_OVER_AXIS_0)
@pytest.mark.parametrize("axis", [0, -1, 1, (0,), (), None], ids=str)
def test_axis_of_a_scalar(name, axis):
    compare(lambda xp, a: getattr(xp, name)(a, axis=axis), np.array(3))


def test_scatter_of_complex_numbers():
    a = np.array([1 + 5j, 2 + 0j])

    def call(xp, a):
        a = a.copy()
        xp.maximum.at(a, xp.asarray([0, 1]), xp.asarray([2 + 1j, 1 + 9j]))
        return a

    compare(call, a)
    with pytest.raises(TypeError):
        cp.scatter_max(cp.asarray(a), 0, 1)
