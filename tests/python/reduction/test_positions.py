"""argmax and argmin of everything that a device may fold in rounds: many elements, ties, NaN, every layout."""

import cuproxide as cp
import numpy as np
import pytest

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
NAMES = ["argmax", "argmin"]
SHAPES = [(7,), (1000,), (40_001,), (3, 20_003), (20_003, 3), (700, 64), (64, 5, 60), (40_000, 9)]


def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, values: int) -> np.ndarray:
    """Few different values, so that many elements are equally good."""
    whole = rng.integers(0, values, shape)
    if np.dtype(dtype).kind == "c":
        return (whole % 3 + 1j * rng.integers(0, values, shape)).astype(dtype)
    return whole.astype(dtype) if dtype[0] in "bu" else (whole - values // 2).astype(dtype)


def check(name: str, a: np.ndarray, on_device: "cp.ndarray", axes: list[int | None]) -> None:
    for axis in axes:
        wanted = getattr(np, name)(a, axis=axis)
        found = getattr(cp, name)(on_device, axis=axis)
        assert np.array_equal(cp.asnumpy(found), wanted), (name, a.dtype, a.shape, axis)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_ties(name: str, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        for values in (2, 100):
            a = draw(rng, shape, dtype, values)
            check(name, a, cp.asarray(a), [None, *range(len(shape))])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_all_elements_the_worst(name: str, dtype: str) -> None:
    """What nothing is better than still has a first element."""
    kind = np.dtype(dtype).kind
    for shape in SHAPES:
        if kind in "iub":
            limits = (0, 1) if kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            worst = limits[0] if name == "argmax" else limits[1]
        else:
            worst = -np.inf if name == "argmax" else np.inf
        a = np.full(shape, worst, dtype)
        check(name, a, cp.asarray(a), [None, *range(len(shape))])


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name[0] in "fc"])
@pytest.mark.parametrize("name", NAMES)
def test_the_first_nan(name: str, dtype: str) -> None:
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        for count in (1, 2, 50):
            a = draw(rng, shape, dtype, 5)
            a.flat[rng.integers(0, a.size, count)] = np.nan
            check(name, a, cp.asarray(a), [None, *range(len(shape))])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_without_nan(name: str, dtype: str) -> None:
    """Infinite elements count, unlike in NumPy, which cannot tell them from NaN."""

    def check_all(a: np.ndarray) -> None:
        ranks = np.where(a == worst, np.sign(worst) * 1e6, a.astype("float64"))
        ranks[np.isnan(ranks)] = worst
        for axis in (None, 0, -1):
            found = getattr(cp, name)(cp.asarray(a), axis=axis)
            assert np.array_equal(cp.asnumpy(found), getattr(np, name[3:])(ranks, axis=axis)), (a.shape, axis)

    rng = np.random.default_rng(3)
    worst = -np.inf if name == "nanargmax" else np.inf
    for shape in SHAPES:
        for share in (0.01, 0.9):
            a = draw(rng, shape, dtype, 5)
            a[rng.random(shape) < share] = np.nan
            a[..., -1] = worst
            a[-1] = worst
            check_all(a)
        a = np.full(shape, np.nan, dtype)
        a[-1] = a[..., -1] = worst
        if len(shape) == 1:
            check_all(a)


@pytest.mark.parametrize("name", NAMES)
def test_signs_of_zero_are_equal(name: str) -> None:
    for dtype in ("float16", "float32", "float64"):
        for first in (0.0, -0.0):
            a = np.full(40_000, first, dtype)
            a[1::2] = -first
            check(name, a, cp.asarray(a), [None])


@pytest.mark.parametrize("name", NAMES)
def test_layouts(name: str) -> None:
    rng = np.random.default_rng(4)
    a = draw(rng, (60, 50, 70), "float16", 90)
    on_device = cp.asarray(a)
    views = [np.s_[::2], np.s_[:, ::-1], np.s_[..., 1::3], np.s_[3:, 1:, 5:], np.s_[:, :1]]
    for view in views:
        check(name, a[view], on_device[view], [None, 0, 1, 2])
    check(name, a.transpose(2, 0, 1), on_device.transpose(2, 0, 1), [None, 0, 1, 2])
    wide = np.broadcast_to(a[:, :1], a.shape)
    check(name, wide, cp.broadcast_to(on_device[:, :1], a.shape), [None, 0, 1, 2])


@pytest.mark.parametrize("name", NAMES)
def test_of_an_expression(name: str) -> None:
    """The elements are computed where they are folded, and may be stored besides."""
    rng = np.random.default_rng(5)
    a, b = (draw(rng, (300, 400), "float32", 2000) for _ in range(2))
    on_device = cp.asarray(a), cp.asarray(b)
    for axis in (None, 0, 1):
        product = on_device[0] * on_device[1]
        found = getattr(product, name)(axis=axis, keepdims=True), product.max(axis=axis), product + 1
        wanted = getattr(a * b, name)(axis=axis, keepdims=True), (a * b).max(axis=axis), a * b + 1
        for one, other in zip(found, wanted, strict=True):
            assert np.array_equal(cp.asnumpy(one), other)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_sums_and_norms_of_halves_with_nan(dtype: str) -> None:
    a = np.arange(5000, dtype=dtype) % 7
    for value in (np.nan, np.inf, -np.inf):
        a[4000] = value
        on_device = cp.asarray(a)
        for name in ("sum", "mean", "max", "min", "var"):
            with np.errstate(invalid="ignore"):
                assert np.array_equal(
                    getattr(on_device, name)().get(), getattr(a.astype("f8"), name)(), equal_nan=True
                ), name


@pytest.mark.parametrize("name", NAMES)
def test_of_nothing(name: str) -> None:
    with pytest.raises(ValueError):
        getattr(cp, name)(cp.zeros(0))
    with pytest.raises(ValueError):
        getattr(cp, name)(cp.zeros((3, 0)), axis=1)
    assert getattr(cp, name)(cp.zeros((3, 0)), axis=0).shape == (0,)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_at_the_ends_of_blocks(dtype: str) -> None:
    """An extremum is located block by block: the first of equals is in the earliest block that has one."""
    count = 3 * 8192 + 5
    for place in (0, 7, 8, 63, 64, 8191, 8192, 2 * 8192 - 1, 3 * 8192, count - 1):
        a = np.full(count, 5, dtype)
        a[place:] = 9
        check("argmax", a, cp.asarray(a), [None])
        check("argmin", -a, cp.asarray(-a), [None])
        if dtype[0] == "f":
            a[place // 2] = np.inf
            check("argmax", a, cp.asarray(a), [None])
            a[place], a[-1] = np.nan, np.nan
            check("argmax", a, cp.asarray(a), [None])
            check("argmin", a, cp.asarray(a), [None])


def test_zeros_of_both_signs_are_equal() -> None:
    a = np.full(20_000, -1.0, "f4")
    a[[9000, 19_000]] = -0.0, 0.0
    check("argmax", a, cp.asarray(a), [None])
    check("argmin", -a, cp.asarray(-a), [None])


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64"])
def test_the_first_best_wherever_it_is(dtype: str) -> None:
    """Beside ends of what a call, a task and a thread take."""
    size = 4_200_000 if dtype in ("bool", "int8") else 300_000
    a = cp.zeros(size, dtype)
    steps = {4096, 8192, 16_384, 32_768, size // 8, 4 << 20, size - 1}
    places = sorted({max(0, min(size - 1, step + by)) for step in steps for by in (-1, 0, 1)} | {0})
    for first, later in zip(places, [*places[1:], size - 1], strict=True):
        a[first] = a[later] = 1
        assert int(a.argmax()) == first
        assert int((a == 0).argmin()) == first
        assert bool(a.any()) and int(a.max()) == 1
        a[first] = a[later] = 0
    assert int(a.argmax()) == 0 and not bool(a.any())
