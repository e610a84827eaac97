"""Arguments that other programs seldom pass, beside NumPy: numbers out of range, infinities, too many axes."""

# Functions made in loops are called at once.
# ruff: noqa: B023

import contextlib
import operator
import random
import warnings

import cuproxide as cp
import numpy as np
import pytest
from differential import both
from effort import drawn
from helpers import compare, to_device
from versions import NUMPY_2_5


def host(result):
    """A result with its arrays on the host."""
    if isinstance(result, (list, tuple)):
        return tuple(map(host, result))
    return cp.asnumpy(result) if isinstance(result, cp.ndarray) else result


def outcome(function, xp):
    """What a call gives: its result, or the type of its exception, and the warnings it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = host(function(xp))
        except Exception as error:
            result = type(error)
    return result, {warning.category for warning in caught if warning.category is not RuntimeWarning}


def alike(function):
    """Compares two calls: values, dtypes, shapes, types of exceptions, and warnings but those of arithmetic."""
    wanted, given = outcome(function, np), outcome(function, cp)
    assert wanted[1] == given[1], (wanted, given)
    if isinstance(wanted[0], type) or isinstance(given[0], type):
        assert isinstance(wanted[0], type) and isinstance(given[0], type), (wanted[0], given[0])
        assert issubclass(given[0], wanted[0]) or issubclass(wanted[0], given[0]), (wanted[0], given[0])
        return
    pairs = zip(*[part if isinstance(part, tuple) else (part,) for part in (wanted[0], given[0])], strict=True)
    for one, other in pairs:
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(other, one, rtol=1e-6, equal_nan=True)


# Numbers that become elements.

NUMBERS = [0, -1, 300, 2**31, 2**63, 2**64, -(10**400), 1.5, 300.0, -1e300, np.inf, np.nan, True, 1j]
NUMBERS += [np.int64(300), np.uint8(255), np.float64(1e300), np.float32(1.5), np.complex128(2 + 1j), np.array(300)]
NARROW = ["?", "i1", "u2", "i4", "i8", "f2", "f4"]


def is_open(dtype, value):
    """Whether C leaves open what a cast gives: of floats that the integer type does not hold.

    Ints that no integer type holds are objects for NumPy.
    """
    if isinstance(value, int):
        return abs(value) > 2**128 or (dtype == "?" and abs(value) >= 2**63)
    if np.dtype(dtype).kind not in "iu" or np.iscomplexobj(value):
        return False
    bounds = np.iinfo(dtype)
    return not bounds.min <= float(value) <= bounds.max


def written(key, value):
    def call(xp, dtype):
        a = xp.zeros(3, dtype)
        a[key] = value
        return a

    return call


def initial(name):
    return lambda value: lambda xp, dtype: getattr(xp, name)(xp.ones(3, dtype), initial=value)


def changed(name, *arguments):
    def call(value):
        def change(xp, dtype):
            a = xp.zeros((3, 3), dtype)
            getattr(xp, name)(a, *(xp.asarray(x) for x in arguments), value)
            return a

        return change

    return call


SETTERS = {
    "whole": lambda value: written(..., value),
    "element": lambda value: written(1, value),
    "slice": lambda value: written(slice(0, 2), value),
    "list": lambda value: written([0, 2], value),
    "nested": lambda value: written(slice(0, 1), [value]),
    "full": lambda value: lambda xp, dtype: xp.full(2, value, dtype),
    "full_like": lambda value: lambda xp, dtype: xp.full_like(xp.zeros(2, dtype), value),
    "fill": lambda value: lambda xp, dtype: operator.methodcaller("fill", value)(a := xp.zeros(2, dtype)) or a,
    "pad": lambda value: lambda xp, dtype: xp.pad(xp.zeros(2, dtype), 1, constant_values=value),
    "insert": lambda value: lambda xp, dtype: xp.insert(xp.zeros(2, dtype), 1, value),
    "put": changed("put", [0, 4]),
    "put list": lambda value: changed("put", [0, 4])([value]),
    "fill_diagonal": changed("fill_diagonal"),
    "copyto": lambda value: lambda xp, dtype: xp.copyto(a := xp.zeros(2, dtype), value, casting="unsafe") or a,
    "sum": initial("sum"),
    "min": initial("min"),
    "max": initial("max"),
    "prod": initial("prod"),
}


# What makes an array of a number before it casts it.
CASTING = ("put", "put list", "full", "full_like", "copyto", "list", "insert", "fill_diagonal", "nested")

# What takes no array of NumPy in passing.
FROM_LISTS = ("nested", "put list", "pad", "insert", "fill_diagonal", "full_like", "copyto")


@pytest.mark.parametrize("setter", SETTERS)
def test_numbers_become_elements_as_in_numpy(setter):
    for value in NUMBERS:
        if isinstance(value, np.ndarray) and setter in FROM_LISTS:
            continue
        call = SETTERS[setter](value)
        for dtype in NARROW:
            casts = setter in CASTING or np.dtype(dtype).kind == "u"
            if casts and is_open(dtype, value):
                continue
            alike(lambda xp, call=call, dtype=dtype: call(xp, dtype))


def test_full_casts_as_astype_does():
    for value in (np.inf, -np.inf, np.nan, 1e300, -1e19, 2.0**63, 300.7, -300.7):
        for dtype in ("i1", "u1", "i4", "u4", "i8", "u8", "?"):
            cast = cp.asarray([value]).astype(dtype)
            for made in (cp.full(1, value, dtype), cp.full_like(cp.zeros(1, dtype), value)):
                assert made.tolist() == cast.tolist(), (value, dtype)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, c: c.astype("f4"),
        lambda xp, c: xp.asarray(c, dtype="f8"),
        lambda xp, c: xp.array(c, dtype="i4"),
        lambda xp, c: xp.add(c, 1, out=xp.zeros(2), casting="unsafe"),
        lambda xp, c: xp.add(c, c, dtype="f8", casting="unsafe"),
        lambda xp, c: c.sum(dtype="f8"),
        lambda xp, c: c.mean(dtype="f8"),
        lambda xp, c: c.sum(out=xp.zeros(())),
        lambda xp, c: c.cumsum(dtype="f8"),
        lambda xp, c: xp.trace(xp.ones((2, 2)) * 1j, dtype="f8"),
        lambda xp, c: xp.concatenate([c, c], dtype="f8", casting="unsafe"),
        lambda xp, c: xp.copyto(a := xp.zeros(2), c, casting="unsafe") or a,
        lambda xp, c: xp.put(a := xp.zeros(2), xp.asarray([0]), c) or a,
        lambda xp, c: operator.setitem(a := xp.zeros(2), slice(None), c) or a,
        lambda xp, c: operator.setitem(a := xp.zeros(2), xp.asarray([0, 1]), c) or a,
        lambda xp, c: setattr(a := xp.zeros(2), "flat", c) or a,
        lambda xp, c: setattr(a := c.copy(), "real", c) or a,
        lambda xp, c: xp.insert(xp.zeros(2), 0, c[:1]),
        lambda xp, c: c.astype("?"),
        lambda xp, c: c.astype("c8"),
        lambda xp, c: xp.abs(c, out=xp.zeros(2)),
        lambda xp, c: xp.var(c),
        lambda xp, c: c.argmax(out=xp.zeros((), int)),
    ],
)
def test_complex_that_becomes_real_warns(call):
    alike(lambda xp: call(xp, xp.asarray([2 + 1j, 3j])))


# Infinities beside places that hold nothing.


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i1", "?"])
def test_sliding_products_multiply_only_what_is_there(dtype):
    rng = random.Random(3)
    pool = [0, 1, 2, 3] if np.dtype(dtype).kind in "bi" else [0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 0.5]
    pairs = [([1.0, 2, 3, 4], [1, 2, np.inf])] if np.dtype(dtype).kind == "f" else []
    pairs += [[[rng.choice(pool) for _ in range(rng.randint(1, 7))] for _ in range(2)] for _ in range(drawn(12))]
    for left, right in pairs:
        a, v = np.array(left, dtype), np.array(right, dtype)
        for mode in ("full", "same", "valid"):
            for name in ("convolve", "correlate"):
                with np.errstate(all="ignore"):
                    compare(lambda xp, a, v, name=name, mode=mode: getattr(xp, name)(a, v, mode), a, v, ulp=4)


def test_long_convolutions():
    rng = np.random.default_rng(1)
    for n, m in ((1000, 37), (500, 500), (1, 1), (64, 63)):
        a, v = rng.normal(size=n), rng.normal(size=m)
        for given in (a, a[::-1], np.repeat(a, 2)[::2]):
            made = host(cp.convolve(to_device(given), to_device(v)))
            np.testing.assert_allclose(made, np.convolve(given, v), atol=1e-12 * n)


def test_products_of_polynomials_keep_infinities():
    for one, other in (([1.0, 2], [1, np.inf]), ([1.0, np.inf, 3], [2, 1]), ([1.0, 2, 4], [1, np.inf, 3])):
        alike(lambda xp: xp.polymul(xp.asarray(one), xp.asarray(other)))
        for name, prefix in (("polynomial", "poly"), ("chebyshev", "cheb")):
            alike(lambda xp: getattr(getattr(xp.polynomial, name), prefix + "mul")(xp.asarray(one), xp.asarray(other)))
    for roots in ([1.0, np.inf], [np.inf, 1.0, 2.0], [1.0, 2, 3, 4, 5]):
        alike(lambda xp: xp.poly(xp.asarray(roots)))


def test_interpolation_beside_infinities():
    x = np.array([-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, np.nan])
    for values in (
        [0, np.inf, 1, 2],
        [0, np.inf, -np.inf, -np.inf],
        [np.inf] * 4,
        [0, np.nan, 1, 2],
        [-np.inf, 1, 1, 2],
    ):
        alike(lambda xp: xp.interp(xp.asarray(x), xp.arange(4.0), xp.asarray(values)))
        alike(lambda xp: xp.interp(xp.asarray(x), xp.arange(4.0), xp.asarray(values) + 1j))


def test_sinc_of_small_numbers():
    for dtype in ("f2", "f4", "f8", "c8", "c16", "i4"):
        x = np.array([0, 1, 2, -3], dtype) if dtype == "i4" else np.array([0, -0.0, 0.5, 6e-8, 1e-40, 2], dtype)
        np.testing.assert_allclose(
            host(cp.sinc(to_device(x))), np.sinc(x), rtol=2e-3 if dtype == "f2" else 1e-5, atol=1e-6
        )


def test_means_overflow_as_their_sums_do():
    for dtype in ("f4", "c8", "f8"):
        top = np.full((10, 3), np.finfo(dtype).max, dtype)
        with np.errstate(all="ignore"):
            for axis in (None, 0, 1):
                wanted = top.mean(axis)
                assert np.isinf(np.asarray(host(to_device(top).mean(axis))).real).all() == np.isinf(wanted.real).all()
                given = host(cp.nanmean(to_device(top), axis))
                assert np.isinf(np.asarray(given).real).all() == np.isinf(np.nanmean(top, axis).real).all()


# Shapes.


class Endless:
    """A sequence that says it is long, and never ends."""

    def __len__(self):
        return 10**18

    def __getitem__(self, index):
        return 0


@pytest.mark.parametrize("sequence", [range(10**10), Endless(), range(65), list(range(65)), tuple(range(65))])
@pytest.mark.parametrize(
    "call",
    [
        lambda xp, s: xp.eye(3).reshape(s),
        lambda xp, s: xp.zeros(s),
        lambda xp, s: xp.empty(s),
        lambda xp, s: xp.full(s, 1),
        lambda xp, s: xp.ones(s),
        lambda xp, s: xp.transpose(xp.eye(3), s),
        lambda xp, s: xp.eye(3).transpose(s),
        lambda xp, s: xp.broadcast_to(xp.ones(1), s),
        lambda xp, s: xp.resize(xp.ones(1), s),
        lambda xp, s: xp.expand_dims(xp.ones(1), s),
        lambda xp, s: xp.moveaxis(xp.eye(3), s, s),
        lambda xp, s: xp.flip(xp.eye(3), s),
        lambda xp, s: xp.roll(xp.eye(3), 1, s),
        lambda xp, s: xp.indices(s),
        lambda xp, s: xp.unravel_index(xp.asarray([0]), s),
        lambda xp, s: xp.tile(xp.ones(1), s),
        lambda xp, s: xp.empty_like(xp.ones(1), shape=s),
        lambda xp, s: xp.linalg.norm(xp.eye(3), axis=s),
        lambda xp, s: xp.random.default_rng(1).normal(size=s),
        lambda xp, s: xp.lib.stride_tricks.sliding_window_view(xp.ones(3), s),
        lambda xp, s: setattr(xp.ones(1), "shape", s),
    ],
)
def test_sequences_of_axes_are_bounded_before_they_are_read(call, sequence):
    with pytest.raises((TypeError, ValueError)):
        call(cp, sequence)


def test_no_array_has_more_than_64_axes():
    for call in (
        lambda xp: xp.expand_dims(xp.ones((1,) * 64), 0),
        lambda xp: xp.ones((1,) * 64)[None],
        lambda xp: xp.ones((1,) * 64)[None, 0],
        lambda xp: xp.ones((1,) * 40)[xp.zeros((1,) * 26, int)],
        lambda xp: xp.add.outer(xp.ones((1,) * 40), xp.ones((1,) * 40)),
        lambda xp: xp.ix_(*[xp.arange(2)] * 65),
        lambda xp: xp.meshgrid(*[xp.arange(1)] * 65),
        lambda xp: xp.kron(xp.ones((1,) * 40), xp.ones((1,) * 40)),
        lambda xp: xp.stack([xp.ones((1,) * 64)] * 2),
        lambda xp: xp.atleast_1d(xp.ones((1,) * 64)),
        lambda xp: xp.take(xp.ones((1,) * 64), xp.zeros((1, 1), int), 0),
    ):
        wanted, given = outcome(call, np)[0], outcome(call, cp)[0]
        if isinstance(wanted, type):
            assert isinstance(given, type) and issubclass(given, wanted), (wanted, given)
        else:
            assert given.shape == wanted.shape


def test_vandermonde_matrices_are_allocated_before_they_are_computed():
    for name in ("chebyshev", "legendre", "hermite", "hermite_e", "laguerre", "polynomial"):
        module = getattr(cp.polynomial, name)
        vander = getattr(module, next(key for key in module.__all__ if key.endswith("vander")))
        with pytest.raises((ValueError, MemoryError)):
            vander(cp.ones(3), 2**62)


def test_order_of_broadcast_views():
    base = np.arange(6.0).reshape(2, 3)
    views = [
        lambda xp, a: xp.broadcast_to(a[:, None, :], (2, 4, 3)),
        lambda xp, a: xp.broadcast_to(a.T[:, None, :], (3, 4, 2)),
        lambda xp, a: xp.broadcast_to(a[None, ::-1], (2, 2, 3)),
        lambda xp, a: xp.broadcast_to(a[0], (2, 3)).T,
        lambda xp, a: a[::-1, ::-1].T,
        lambda xp, a: a[:, :0],
        lambda xp, a: a[:1, None],
    ]
    for view in views:
        for order in "CFAK":
            compare(lambda xp, a, view=view, order=order: view(xp, a).ravel(order), base)
            compare(lambda xp, a, view=view, order=order: view(xp, a).flatten(order), base)


def test_strides_of_arrays_without_elements():
    for call in (
        lambda xp: xp.empty((1, 0, 2)),
        lambda xp: xp.zeros((0, 3), order="F"),
        lambda xp: xp.zeros((2, 3, 0)).T.copy(),
        lambda xp: xp.ones((2, 0, 5)) + 1,
        lambda xp: xp.ones((2, 0)).reshape(0, 2),
    ):
        assert call(cp).strides == call(np).strides
    with pytest.raises(ValueError, match="strides is incompatible"):
        cp.ndarray((3,), float, strides=(16,))
    assert cp.ndarray((3, 2), "f8", strides=(8, 24)).strides == (8, 24)


# Outputs, weights and values of another shape.


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.dot(xp.ones((2, 3)), xp.ones(3), out=xp.zeros((4, 2))),
        lambda xp: xp.dot(xp.ones((2, 3)), xp.ones(3), out=xp.zeros(2)),
        lambda xp: xp.dot(xp.ones(3), xp.ones(3), out=xp.zeros((), "f4")),
        lambda xp: xp.dot(xp.ones(3), xp.ones(3), out=xp.zeros(1)),
        lambda xp: xp.dot(2.0, xp.ones(3), out=xp.zeros((1, 3))),
        lambda xp: xp.dot(xp.ones((2, 3)), xp.ones((4, 3, 5)), out=xp.zeros((2, 4, 5))),
        lambda xp: xp.linalg.multi_dot([xp.ones((2, 3)), xp.ones((3, 4)), xp.ones(4)], out=xp.zeros((1, 2))),
        lambda xp: xp.histogram(xp.arange(6).reshape(2, 3), weights=xp.ones(6)),
        lambda xp: xp.histogram(xp.arange(6), weights=xp.ones((2, 3))),
        lambda xp: xp.insert(xp.arange(4), [], xp.asarray([9, 8])),
        lambda xp: xp.insert(xp.arange(4), [], 9),
        lambda xp: xp.insert(xp.ones((2, 3)), [], xp.ones((2, 0)), axis=1),
        lambda xp: xp.repeat(xp.arange(3), xp.asarray([[1, 2, 3]])),
        lambda xp: xp.cumulative_sum(xp.asarray([True, True, False]), out=xp.zeros(4, bool), include_initial=True),
    ],
)
def test_shapes_and_types_that_do_not_fit(call):
    alike(call)


def test_powers_of_polynomials_widen():
    for dtype in ("i1", "u1", "f4", "c8", "?"):
        for power in (0, 1, 2, 4):
            alike(lambda xp, dtype=dtype, power=power: (xp.poly1d(xp.asarray([1, 3], dtype)) ** power).coeffs)
    alike(lambda xp: xp.poly1d(xp.asarray([1.0, 2])) ** 3.0)
    for coefficients in (np.array([1, 2], "f4"), np.array([0, 0]), np.arange(2000)):
        assert repr(cp.poly1d(to_device(coefficients))) == repr(np.poly1d(coefficients))


def test_the_last_category_of_a_multinomial_takes_the_rest():
    for draw in (
        cp.random.multinomial,
        cp.random.RandomState(1).multinomial,
        cp.random.default_rng(1).multinomial,
    ):
        counts = host(draw(1000, [0.2, 0.3], size=200))
        assert (counts.sum(-1) == 1000).all()
        assert abs(counts[:, 0].mean() - 200) < 10
        assert (host(draw(5, [0.5, 0.5, 0.7], size=50)).sum(-1) == 5).all()
    # Nothing is left for the last one.
    assert (host(cp.random.default_rng(1).multinomial(1000, [0.25, 0.75, 0.0], size=50))[:, 2] == 0).all()


def test_negative_binomials_too_large_to_count():
    with pytest.raises(ValueError, match="n too large or p too small"):
        cp.random.default_rng(1).negative_binomial(9.99, 5e-324)
    least = np.iinfo(np.int64).min
    assert host(cp.random.RandomState(1).negative_binomial(9.99, 5e-324, 3)).tolist() == [least] * 3
    assert host(cp.random.default_rng(1).negative_binomial(cp.asarray(9.99), 5e-324, 2)).tolist() == [least] * 2


# Functions drawn at random.

POOL = [0, 1, -1, 2, 3, -7, 100]
CALLS = {
    "clip": lambda xp, a, b, n: xp.clip(a, n, 100),
    "where": lambda xp, a, b, n: xp.where(a > 0, a, n),
    "diff": lambda xp, a, b, n: xp.diff(a, prepend=n),
    "ediff1d": lambda xp, a, b, n: xp.ediff1d(a, to_end=n),
    "append": lambda xp, a, b, n: xp.append(a, n),
    "nan_to_num": lambda xp, a, b, n: xp.nan_to_num(a, nan=n),
    "cumsum": lambda xp, a, b, n: xp.cumsum(a, dtype=b.dtype),
    "searchsorted": lambda xp, a, b, n: xp.searchsorted(xp.sort(a.ravel()), b),
    "isin": lambda xp, a, b, n: xp.isin(a, b),
    "inner": lambda xp, a, b, n: xp.inner(a, a),
    "outer": lambda xp, a, b, n: xp.outer(a, b),
    "trace": lambda xp, a, b, n: xp.trace(xp.atleast_2d(a), dtype=b.dtype),
    "ravel": lambda xp, a, b, n: a.ravel("K"),
    "pad": lambda xp, a, b, n: xp.pad(a, 1, constant_values=n),
    "roll": lambda xp, a, b, n: xp.roll(a, 2**70),
    "tile": lambda xp, a, b, n: xp.tile(a, (2, 1, 2)),
}


def test_drawn_calls():
    rng = random.Random(11)
    for _ in range(drawn(150)):
        name = rng.choice(sorted(CALLS))
        shapes = [tuple(rng.randint(0, 3) for _ in range(rng.randint(1, 3))) for _ in range(2)]
        dtypes = [rng.choice(["i1", "u1", "i4", "i8", "f4", "f8", "c16"]) for _ in range(2)]
        hosts = []
        for shape, dtype in zip(shapes, dtypes, strict=True):
            count = int(np.prod(shape))
            host = np.array([rng.choice(POOL) for _ in range(count)], "i8").astype(dtype).reshape(shape)
            hosts.append(host[::-1] if rng.random() < 0.3 else np.asfortranarray(host))
        number = rng.choice([0, -1, 300, 2**63, 1.5, True, np.int16(3)])
        if name == "where" and type(number) is int and not NUMPY_2_5:
            continue  # NumPy wrapped what does not fit
        with contextlib.suppress(RuntimeWarning), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            both(
                lambda xp, a, b, name=name, number=number: CALLS[name](xp, a, b, number), *hosts, ulp=8, any_error=True
            )


# What NumPy takes and gives in the corners of its functions.


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.zeros((2, 3))[xp.zeros((0,), bool)],
        lambda xp: xp.zeros((2, 3))[xp.zeros((2, 0), bool)],
        lambda xp: xp.zeros((2, 3))[xp.zeros((5, 0), bool)],
        lambda xp: xp.zeros((2, 3))[:, xp.zeros((0,), bool)],
        lambda xp: xp.zeros((2, 3))[xp.zeros((0,), bool), 1],
        lambda xp: xp.zeros((2, 3))[xp.zeros((0, 4), bool)],
        lambda xp: operator.setitem(a := xp.zeros((2, 3)), xp.zeros((0,), bool), 5) or a,
        lambda xp: operator.setitem(a := xp.zeros((2, 3)), xp.zeros((2, 0), bool), []) or a,
        lambda xp: operator.setitem(a := xp.zeros((2, 3)), xp.zeros((0,), bool), [1, 2]) or a,
        lambda xp: xp.einsum("ij->ji", xp.ones((2, 3)), dtype="f4"),
        lambda xp: xp.einsum("ii->i", xp.ones((3, 3), "i4"), dtype="f8", casting="unsafe"),
        lambda xp: xp.einsum("ij,ij->ij", xp.ones((2, 3), "f4"), xp.ones((2, 3), "f4"), dtype="f8"),
        lambda xp: xp.einsum("i->", xp.ones(3, "f4"), dtype="f8"),
        lambda xp: xp.einsum("", 2.0),
        lambda xp: xp.einsum("...->", xp.ones((2, 3, 4))),
        lambda xp: xp.einsum("...,...->", xp.ones(3), xp.ones(3)),
        lambda xp: xp.einsum("->", xp.ones(3)),
        lambda xp: xp.nanquantile(xp.ones((0, 3), "i1"), 1, -1),
        lambda xp: xp.nanquantile(xp.ones((3, 0), "i4"), 0.5, 0),
        lambda xp: xp.digitize(xp.asarray([1.0, 2]), xp.asarray([0, 1, np.nan])),
        lambda xp: xp.digitize(xp.asarray([1.0, 2]), xp.asarray([np.nan, 1, 0])),
        lambda xp: xp.digitize(xp.asarray([1.0, 2]), xp.asarray([np.nan, 0, 1])),
        lambda xp: xp.digitize(xp.asarray([1.0, 2]), xp.asarray([1, 1, 1])),
        lambda xp: xp.digitize(xp.asarray([1.0, 2]), xp.asarray([0, 2, 1])),
        lambda xp: xp.copyto(a := xp.ones(2), 3, where=1) or a,
        lambda xp: xp.copyto(a := xp.ones(2), 3, where=0) or a,
        lambda xp: xp.copyto(a := xp.ones(2), 3, where=[1, 0]) or a,
        lambda xp: xp.copyto(a := xp.ones(2), 3, where=xp.asarray([1, 0])) or a,
        lambda xp: xp.sum(xp.ones(2), where=1.5),
        lambda xp: xp.ones(2).sum(where=[1, 0]),
        lambda xp: xp.ones(2).sum(where=xp.asarray([1, 0])),
        lambda xp: xp.diag_indices(-3),
        lambda xp: xp.unravel_index(xp.asarray([True, False]), (2, 3)),
        lambda xp: xp.unravel_index(3, (2.0, 3)),
        lambda xp: xp.ravel_multi_index(([1], [True]), (2, 3)),
        lambda xp: xp.mgrid[xp.asarray(0) : xp.asarray(3) : 10j],
        lambda xp: xp.vectorize(lambda a, b: a < b)(xp.asarray([1j]), xp.asarray([2j])),
        lambda xp: xp.vectorize(lambda a, b: a == b)(xp.asarray([1j]), xp.asarray([2j])),
        lambda xp: xp.ones(2).fill((1,)),
        lambda xp: xp.ones(2).fill([1]),
        lambda xp: xp.frombuffer(np.arange(3).astype(">u4").tobytes(), ">u4").astype("u4"),
        lambda xp: xp.frombuffer(np.arange(3).astype(">f8").tobytes(), ">f8").astype("f8"),
        lambda xp: xp.clip(xp.arange(5), min=1),
        lambda xp: xp.arange(5).clip(3),
        lambda xp: xp.polyval(xp.asarray(2.0), xp.asarray([1, 2.0])),
        lambda xp: xp.roots(xp.asarray(2.0)),
        lambda xp: xp.polyadd(xp.asarray([-128], "i1"), xp.asarray([[-1, 1]], "i1")),
        lambda xp: xp.polysub(xp.asarray([1, 2, 3]), xp.asarray([[1, 2, 3]])),
        lambda xp: xp.asarray(np.array(["1", "2.5"]), dtype="f4"),
        lambda xp: xp.asarray(np.array([1, 2.5], object), dtype="f4"),
        lambda xp: xp.array(np.array([b"1", b"2"]), dtype="i4"),
        lambda xp: xp.asarray(np.array(["1", "x"]), dtype="f4"),
        lambda xp: xp.asarray(np.array(["2020-01-01"], "M8[D]"), dtype="i8"),
        lambda xp: xp.fill_diagonal(a := xp.ones((3, 3)), []) or a,
    ],
)
def test_corners(call):
    alike(call)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "i8", "f2", "f4", "f8"])
def test_dtypes_of_quantiles(dtype):
    for q in (0.3, np.float64(0.3), np.float32(0.3), np.float16(0.3), 1):
        for name, factor in (("quantile", 1), ("nanquantile", 1), ("percentile", 30), ("nanpercentile", 30)):
            given = type(q)(q * factor)
            made = getattr(cp, name)(cp.arange(5).astype(dtype), given)
            wanted = getattr(np, name)(np.arange(5).astype(dtype), given)
            assert made.dtype == wanted.dtype, (name, q)
            np.testing.assert_allclose(host(made), wanted, rtol=2e-3)
    made = cp.quantile(cp.arange(5, dtype=dtype), cp.asarray([0.1, 0.2], "f4"))
    assert made.dtype == np.quantile(np.arange(5, dtype=dtype), np.array([0.1, 0.2], "f4")).dtype


def test_views_know_whose_memory_they_are():
    a = cp.arange(3)
    assert cp.array(a, copy=False, ndmin=3).base is a
    assert cp.array(a, copy=None, ndmin=2).base is a
    assert cp.array(a, ndmin=2).base is None


def test_directives_for_matrices_join_to_two_axes():
    for directive in ("r", "c"):
        wanted = np.asarray(np.r_[directive, 1:3, 5])
        made = cp.r_[directive, 1:3, 5]
        assert made.shape == wanted.shape and (host(made) == wanted).all()
    with pytest.raises(NameError):
        cp.r_["r"]


def test_cov_warns_of_too_few_observations():
    for m, options in (([1.0], {}), ([1.0, 2], {"ddof": 2}), (np.zeros((2, 0)), {})):
        with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
            cp.cov(cp.asarray(m), **options)


def test_public_namespaces_hold_no_helpers():
    for module in (cp.fft, cp.linalg, cp.random):
        assert {name for name in dir(module) if not name.startswith("_")} <= set(module.__all__)


def test_tolerances_may_be_arrays_of_the_device():
    cp.testing.assert_allclose(cp.ones(2), cp.ones(2) + 0.01, atol=cp.asarray(0.1))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.ones(2), cp.ones(2) + 0.01, rtol=cp.asarray(1e-9))


# Shapes, dtypes and memory that follow from how NumPy computes.

DETAILS = """
    xp.mgrid[one:three:10j] | xp.mgrid[one:3:10j] | xp.ogrid[one:three:10j] | xp.mgrid[one:three:10j, 0:1:3j]
    xp.mgrid[one:three]
    xp.mgrid[xp.asarray(0.0):xp.asarray(1.0):3j] | xp.mgrid[pair:pair:10j] | xp.mgrid[pair:pair * 3:2j]
    xp.cumulative_sum([[1, 2], [3, 4]], axis=1) | xp.cumulative_prod([[1, 2], [3, 4]]) | xp.cumulative_sum(3)
    xp.trapezoid(pair, xp.asarray([[0.0, 1], [0, 3]])) | xp.trapezoid([1.0, 2], cube)
    xp.trapezoid(cube, cube, axis=1)
    xp.geomspace(np.float32(1), 8, 4) | xp.geomspace(np.float32(1), 8, 4, dtype="f4")
    xp.geomspace(one.astype("f4"), 8, 4)
    xp.nanstd([[1, 2], [3, 4]], dtype=int) | xp.nanvar([1, 5], dtype="i4") | xp.nanstd([1, 2], axis=0, keepdims=True)
    xp.polyval(xp.poly1d(small), xp.poly1d(small)).coeffs | xp.polyval(small, xp.poly1d(small)).coeffs
    xp.polyval(xp.poly1d(small), small) | xp.polyval([], xp.poly1d(small))
    xp.cov(pair, xp.asarray([[3.0, 1.0]]), rowvar=False) | xp.cov(pair, fweights=[1.0, 2.0])
    xp.cov(pair, fweights=[1.5, 2.0])
    xp.cov(pair, aweights=[0.0, 0.0]) | xp.partition(pair, xp.asarray(1)) | xp.partition(pair, xp.asarray(5))
    xp.argpartition(pair, xp.asarray([0, 7])) | xp.sort(cube, (np.int64(0), np.int8(1)))
    cube.repeat(2, (np.int64(0), np.int8(1)))
    xp.broadcast_to(cube, (np.int64(9), np.int32(3))) | xp.unstack(cube, axis=(np.int64(0), np.int8(1)))
    xp.argpartition(pair, xp.asarray([0.0])) | xp.partition(pair, xp.asarray([True])) | xp.partition(pair, [[0], [1]])
    xp.partition(pair[:0], xp.asarray(9)) | xp.partition(pair[:0], 0.5) | xp.partition(pair, [])
    xp.partition(pair, "1") | xp.partition(pair, xp.asarray([], int)) | xp.partition(pair, 2**70)
    cube.argpartition(xp.asarray(-4), axis=-1)
    xp.ptp(cube, keepdims="x") | xp.ptp(cube, keepdims=None) | xp.ptp(cube, 0, keepdims=2) | xp.ptp(cube, keepdims=1.5)
    xp.count_nonzero(cube, keepdims=[]) | xp.count_nonzero(cube, keepdims=None) | xp.count_nonzero(cube, keepdims=1)
    xp.count_nonzero(cube, 1, keepdims=None) | xp.count_nonzero(cube, (), keepdims=[])
    xp.count_nonzero(cube, 0, keepdims="") | xp.count_nonzero(cube, 1, keepdims=0.0)
    xp.count_nonzero(cube, 1, keepdims=np.False_) | xp.count_nonzero(cube, 1, keepdims=np.asarray([0]))
    xp.count_nonzero(cube, 1, keepdims=0) | xp.count_nonzero(cube, 1, keepdims=np.int8(2))
    xp.count_nonzero(cube, 1, keepdims=np.asarray(0)) | xp.count_nonzero(cube, keepdims=2**40)
    xp.argmax(cube, keepdims="x") | xp.nanargmax(cube, 0, keepdims="x") | xp.nanargmin(cube, 0, keepdims=[])
    xp.argmin(cube, keepdims=None)
    xp.clip(pair, 1, 3, out=(None,)) | pair.clip(1, 3, out=(None,)) | xp.clip(pair, 1, 3, out=(None, None))
    xp.clip(pair, 1, 3, out=())
    xp.add.reduce(pair, out=(None,)) | xp.add.accumulate(pair, out=(None,)) | xp.add.reduceat(pair, [0], out=(None,))
    xp.reshape(cube, 12, copy="never") | cube.reshape(12, copy="if_needed") | cube.reshape(12, copy=1)
    xp.nan_to_num(cube, copy="no") | xp.array(cube, copy="never")
    xp.sum(pair, initial="3") | xp.sum(small, initial="3") | xp.prod(pair, initial=b"2.5") | xp.max(pair, initial="x")
    xp.sum(small, initial="2.5") | xp.sum(pair + 1j, initial="1+2j") | xp.min(pair, initial={})
    xp.sum(pair, initial=xp) | xp.add.reduce(pair, initial="3") | xp.sum(pair, initial=xp.asarray([1.0, 2.0]))
    xp.matmul(cube, cube.swapaxes(1, 2), out=()) | xp.matmul(cube, cube.swapaxes(1, 2), out=(None, None))
"""


@pytest.mark.parametrize("call", [call.strip() for line in DETAILS.strip().splitlines() for call in line.split(" | ")])
def test_details(call):
    hosts = {
        "one": np.array([1.0]),
        "three": np.array([3.0]),
        "pair": np.array([2.0, 5.0]),
        "cube": np.arange(12.0).reshape(2, 2, 3) ** 2,
        "small": np.array([1, 2], np.int8),
    }
    alike(lambda xp: eval(call, {"xp": xp, "np": np, **{name: xp.asarray(value) for name, value in hosts.items()}}))


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_flattened_arrays_lie_densely(order):
    for view in (lambda x: x[::2], lambda x: x[::-1], lambda x: x.reshape(2, 5)[:, ::2], lambda x: x.reshape(2, 5).T):
        wanted, given = view(np.arange(10)).ravel(order), view(cp.arange(10)).ravel(order)
        assert given.flags.c_contiguous and given.strides == wanted.strides
        assert given.tolist() == wanted.tolist()
        assert (given.base is None) == (wanted.base is None)


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_narrow_products_are_rounded_once(dtype):
    """What overflows on the way only is finite, and infinite parts are those of the exact product: docs/accuracy.md."""
    assert complex(cp.prod(cp.asarray([1e30, 1e30, 1e-30], dtype))) == complex(np.asarray(1e30, dtype))
    if dtype == "c8":
        found = cp.prod(cp.asarray([1e30 + 1e30j] * 2, dtype)).item()
        assert (found.real, found.imag) == (0.0, np.inf)
        assert cp.prod(cp.asarray([1e30 + 1e30j] * 3, dtype)).item() == complex(-np.inf, np.inf)


@pytest.mark.parametrize("shape", [(3,), (2, 3), ()])
@pytest.mark.parametrize("axis", [None, 0, -1, 1, -2, 7, 1.5, (0,), (0, 1), "a", True, np.int8(0)])
def test_axes_are_refused_as_in_numpy(axis, shape):
    values = np.arange(6.0)[: max(1, np.prod(shape, dtype=int))].reshape(shape)

    def given(xp):
        return xp.asarray(values)

    for condition in ([True], [True, False], [1, 0, 2], []):
        alike(lambda xp: xp.compress(condition, given(xp), axis=axis))
        alike(lambda xp: given(xp).compress(condition, axis=axis))
    alike(lambda xp: xp.lexsort(given(xp), axis=axis))
    alike(lambda xp: xp.lexsort([given(xp), given(xp)], axis=axis))
    for shift in (1, [1], [1, 2], [[1]], [[1, 2]], 1.5, [], "a", None, np.array(1), np.array([[2]]), True):
        alike(lambda xp: xp.roll(given(xp), shift, axis=axis))
    alike(lambda xp: xp.roll(given(xp), xp.asarray([[1]]), axis=axis))


@pytest.mark.parametrize("decimals", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_round_into_arrays_of_other_kinds(dtype, decimals):
    values = np.array([1.5, -2.25, 35.0]).astype(dtype)
    for out in ("bool", "uint8", "int64", "float16", "float32", "complex128"):
        if np.can_cast(dtype, out, "same_kind"):
            alike(lambda xp: xp.round(xp.asarray(values), decimals, out=xp.zeros(3, out)).astype("complex64").round(2))
        else:
            for function in (np.round, cp.round):
                xp = np if function is np.round else cp
                with pytest.raises(TypeError):
                    function(xp.asarray(values), decimals, out=xp.zeros(3, out))
