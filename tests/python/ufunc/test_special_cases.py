"""The special cases that the Python array API standard lists for each elementwise function."""

import itertools
import math

import cuproxide as cp
import numpy as np
import pytest
from special_cases import BINARY, CLASSES, COMPLEX, REAL, ROTATED, SCALED, VALUES, agrees, expected, rows

REAL_TYPES = ("float16", "float32", "float64")
COMPLEX_TYPES = ("complex64", "complex128")
PAIRS = tuple(itertools.product(VALUES, VALUES))
# So many copies that both the vector loop and its remainder see every value.
COPIES = 9


def column(values, dtype):
    return cp.asarray(np.tile(np.array(values, dtype), COPIES))


def copies(results):
    """What each value gave, one tuple for each copy."""
    return cp.asnumpy(results).reshape(COPIES, -1).T.tolist()


def compare(table, operands, results):
    """Asserts that each of `results` is as the table says. Both are sequences of tuples, one for each case."""
    problems = []
    for classes, words in rows(table):
        covered = 0
        for values, found in zip(operands, results, strict=True):
            if not all(CLASSES[name](value) for name, value in zip(classes, values, strict=True)):
                continue
            covered += 1
            wanted = [expected(word, *values) for word in words]
            if not all(agrees(one, *other) for one, other in zip(found, wanted, strict=True)):
                problems.append(f"{values} gives {found}, not {words}")
        assert covered, classes
    assert not problems, f"{len(problems)} cases differ:\n" + "\n".join(problems[:20])


@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("name", REAL)
def test_real(name, dtype):
    found = copies(getattr(cp, name)(column(VALUES, dtype)))
    for results in zip(*found, strict=True):
        compare(REAL[name], [(value,) for value in VALUES], [(result,) for result in results])


@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    first, second = (column(values, dtype) for values in zip(*PAIRS, strict=True))
    found = copies(getattr(cp, name)(first, second))
    compare(BINARY[name], PAIRS, [(result[0],) for result in found])


@pytest.mark.parametrize("name", BINARY)
def test_binary_with_a_number(name):
    """A Python number for either operand gives what an array would."""
    function, x = getattr(cp, name), cp.asarray(VALUES)
    left = [function(value, x).tolist() for value in VALUES]
    right = [function(x, value).tolist() for value in VALUES]
    compare(BINARY[name], PAIRS, [(result,) for row in left for result in row])
    compare(BINARY[name], PAIRS, [(row[i],) for i in range(len(VALUES)) for row in right])


def numbers(pairs):
    # Not a + b * 1j, which makes NaN of infinities and loses signs.
    return [complex(a, b) for a, b in pairs]


def parts(name, pairs, dtype):
    """Results at complex numbers as pairs of parts."""
    results = getattr(cp, name)(column(numbers(pairs), dtype))
    return [(found[0].real, found[0].imag) for found in copies(results)]


@pytest.mark.parametrize("dtype", COMPLEX_TYPES)
@pytest.mark.parametrize("name", COMPLEX)
def test_complex(name, dtype):
    compare(COMPLEX[name], PAIRS, parts(name, PAIRS, dtype))
    # All of them commute with conjugation.
    conjugates = parts(name, [(a, -b) for a, b in PAIRS], dtype)
    compare(COMPLEX[name], PAIRS, [(real, -imaginary) for real, imaginary in conjugates])


@pytest.mark.parametrize("dtype", COMPLEX_TYPES)
@pytest.mark.parametrize("name", ROTATED)
def test_rotated(name, dtype):
    """`f(b - a j)` where `f(x)` is `g(x j)` or `-g(x j) j`, so that `a + b j` is the operand of `g`."""
    origin, turned = ROTATED[name]
    results = parts(name, [(b, -a) for a, b in PAIRS], dtype)
    compare(COMPLEX[origin], PAIRS, [(-imaginary, real) for real, imaginary in results] if turned else results)


@pytest.mark.parametrize("dtype", COMPLEX_TYPES)
@pytest.mark.parametrize("name", SCALED)
def test_other_bases(name, dtype):
    scale = SCALED[name]
    results = [(real * scale, imaginary * scale) for real, imaginary in parts(name, PAIRS, dtype)]
    compare(COMPLEX["log"], PAIRS, results)


@pytest.mark.parametrize("dtype", COMPLEX_TYPES)
@pytest.mark.parametrize("name", ["ceil", "floor", "trunc", "round"])
def test_rounding_by_parts(name, dtype):
    if name != "round":
        with pytest.raises(TypeError):
            getattr(cp, name)(cp.ones(2, dtype))
        return
    for part in (0, 1):
        found = [(result[part],) for result in parts(name, PAIRS, dtype)]
        compare(REAL[name], [(pair[part],) for pair in PAIRS], found)


@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("operand", [0, 1, 2])
def test_clip(operand, dtype):
    """NaN in the array or in a bound is the result."""
    arguments = [cp.ones(20, dtype), cp.zeros(20, dtype), cp.full(20, 2, dtype)]
    arguments[operand][3::5] = math.nan
    assert cp.asnumpy(cp.isnan(cp.clip(*arguments))).tolist() == [i % 5 == 3 for i in range(20)]


def test_copysign_of_nan():
    x = cp.copysign(cp.full(20, math.nan), cp.asarray([1.0, -1.0, 0.0, -0.0, math.inf] * 4))
    assert cp.signbit(x).tolist() == [False, True, False, True, False] * 4


def test_all_nan():
    """The only case with NaN that the standard fixes for products and quotients of complex numbers."""
    z = column([complex(math.nan, math.nan)], np.complex128)
    for result in (z * z, z / z, cp.square(z), cp.reciprocal(z)):
        assert bool(cp.isnan(result.real).all()) and bool(cp.isnan(result.imag).all())


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="GPUs have one NaN")
@pytest.mark.parametrize("dtype", REAL_TYPES)
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_an_extremum_is_the_nan_operand_bit_by_bit(name, dtype):
    """The first of two, as in NumPy."""
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    nans = np.array([np.nan, -np.nan, np.nan, -np.nan], dtype).view(bits)
    nans[2:] += np.array([5, 9], bits)
    nans = nans.view(dtype)
    others = np.array([-1.9, 1.9, 0.0, -0.0, np.inf, -np.inf], dtype)
    pairs = [*itertools.product(nans, others), *itertools.product(others, nans), *itertools.product(nans, nans)]
    x, y = (np.tile(np.array(values, dtype), COPIES) for values in zip(*pairs, strict=True))
    wanted = np.where(np.isnan(x), x, y).view(bits)
    np.testing.assert_array_equal(getattr(np, name)(x, y).view(bits), wanted)
    extremum = getattr(cp, name)
    a, b = cp.asarray(x), cp.asarray(y)
    results = {
        "one operation": extremum(a, b),
        "strided": extremum(cp.repeat(a, 3)[::3], cp.repeat(b, 2)[::2]),
        "reversed": extremum(a[::-1], b[::-1])[::-1],
        "in a chain": extremum(cp.where(a != 0, a, a), cp.where(b != 0, b, b)),
        "out": extremum(a, b, out=cp.empty_like(a)),
        "numbers": cp.stack([extremum(p, q) for p, q in zip(a[: len(pairs)], b[: len(pairs)], strict=True)] * COPIES),
    }
    for form, result in results.items():
        np.testing.assert_array_equal(result.get().view(bits), wanted, form)
    limits = {"maximum": (b, None), "minimum": (None, b)}[name]
    np.testing.assert_array_equal(cp.clip(a, *limits).get().view(bits), wanted)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["fmax", "fmin", "maximum", "minimum"])
def test_an_extremum_of_two_complex_nans_is_the_first(name, dtype):
    numbers = [complex(math.nan, 1), complex(2, math.nan), complex(math.nan, math.nan), complex(1, 2)]
    x, y = (
        np.tile(np.array(values, dtype), COPIES) for values in zip(*itertools.product(numbers, numbers), strict=True)
    )
    result = getattr(cp, name)(cp.asarray(x), cp.asarray(y)).get()
    # Where parts are NaN, too.
    np.testing.assert_array_equal(result.view(result.real.dtype), getattr(np, name)(x, y).view(result.real.dtype))
