"""Types of results: every pair of dtypes, and Python's weak scalars."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, NUMPY_DTYPES, check, same_error

BINARY = (
    "add",
    "subtract",
    "multiply",
    "true_divide",
    "floor_divide",
    "power",
    "maximum",
    "less",
    "logical_and",
    "bitwise_or",
    "left_shift",
    "arctan2",
    "hypot",
    "copysign",
    "gcd",
    "fmod",
    "float_power",
)
WEAK = [True, 0, 1, -1, 7, 300, 2**40, 0.5, -2.25, 1e300, 1j, 2 - 3j]


def outcome(function):
    """The dtype that a call gives, or the type of its exception."""
    try:
        return np.dtype(getattr(function(), "dtype", None))
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error)


def test_can_cast_bfloat16():
    assert cp.can_cast(np.float32, BFLOAT16, "same_kind") and cp.can_cast(BFLOAT16, np.complex64, "same_kind")
    assert not cp.can_cast(BFLOAT16, np.int32, "same_kind") and not cp.can_cast(np.complex64, BFLOAT16, "same_kind")


def common(first, second):
    """NumPy's common dtype; where ml_dtypes has none for bfloat16, the smallest that both cast to safely."""
    try:
        return np.promote_types(first, second)
    except TypeError:
        other = second if first == BFLOAT16 else first
        return np.promote_types(np.float32, other)


@pytest.mark.parametrize("first", DTYPES, ids=str)
def test_promote_types(first):
    for second in DTYPES:
        assert cp.promote_types(first, second) == common(first, second), second


@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast(rule):
    for first, second in itertools.product(DTYPES, DTYPES):
        if rule == "same_kind" and BFLOAT16 in (first, second):
            # To NumPy bfloat16 is of no kind.
            continue
        assert cp.can_cast(first, second, rule) == np.can_cast(first, second, rule), (first, second)


@pytest.mark.parametrize("first", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_pairs(name, first):
    ours, theirs = getattr(cp, name), getattr(np, name)
    for second in NUMPY_DTYPES:
        a, b = np.ones(2, first), np.ones(2, second)
        assert outcome(lambda a=a, b=b: ours(cp.array(a), cp.array(b))) == outcome(lambda a=a, b=b: theirs(a, b)), (
            second
        )


@pytest.mark.parametrize("name", ["add", "multiply", "true_divide", "maximum", "less"])
def test_pairs_with_bfloat16(name):
    ours, _theirs = getattr(cp, name), getattr(np, name)
    for other in DTYPES:
        a, b = np.ones(2, BFLOAT16), np.ones(2, other)
        for x, y in ((a, b), (b, a)):
            found = outcome(lambda x=x, y=y: ours(cp.array(x), cp.array(y)))
            if name == "less":
                assert found == np.bool_
            else:
                assert found == common(BFLOAT16, other), other


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_weak_scalars(name, dtype):
    ours, theirs = getattr(cp, name), getattr(np, name)
    host = np.ones(2, dtype)
    for scalar in WEAK:
        for flip in (False, True):
            expected = outcome(lambda s=scalar, f=flip: theirs(s, host) if f else theirs(host, s))
            found = outcome(lambda s=scalar, f=flip: ours(s, cp.array(host)) if f else ours(cp.array(host), s))
            assert found == expected, (scalar, flip)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_operators_with_weak_scalars(dtype):
    host = np.ones(2, dtype)
    for scalar in WEAK:
        for operate in (
            lambda x, s: x + s,
            lambda x, s: s * x,
            lambda x, s: x / s,
            lambda x, s: s - x,
            lambda x, s: x < s,
            lambda x, s: x**s,
        ):
            assert outcome(lambda s=scalar, o=operate: o(cp.array(host), s)) == outcome(
                lambda s=scalar, o=operate: o(host, s)
            ), scalar


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_numpy_scalars_are_strong(dtype):
    host = np.ones(2, dtype)
    for other in NUMPY_DTYPES:
        scalar = other.type(1)
        for name in ("add", "true_divide", "maximum"):
            ours, theirs = getattr(cp, name), getattr(np, name)
            assert outcome(lambda f=ours, s=scalar: f(cp.array(host), s)) == outcome(
                lambda f=theirs, s=scalar: f(host, s)
            )


def test_integers_that_do_not_fit():
    for dtype, value in itertools.product([np.int8, np.uint8, np.int32, np.uint64], [300, -1, 2**40, -(2**40), 2**64]):
        for name in ("add", "multiply", "maximum", "less", "equal", "greater_equal"):
            ours, theirs = getattr(cp, name), getattr(np, name)
            host = np.array([1, 2], dtype)
            try:
                expected = theirs(host, value)
            except OverflowError:
                with pytest.raises(OverflowError):
                    ours(cp.array(host), value)
                continue
            check(ours(cp.array(host), value), expected)


@pytest.mark.parametrize(
    "arguments",
    [
        (1, 2.5),
        (np.int8, 3),
        (np.float32, 2.5),
        (np.int32, 2.5),
        (np.float32, 1j),
        (True, np.uint8),
        ("f4", "i8"),
        (np.float16(1), 3.0),
    ],
    ids=repr,
)
def test_result_type(arguments):
    assert cp.result_type(*arguments) == np.result_type(*arguments)
    assert cp.result_type(cp.zeros(2, np.int8), *arguments) == np.result_type(np.zeros(2, np.int8), *arguments)


def test_helpers():
    assert cp.min_scalar_type(300) == np.min_scalar_type(300)
    assert cp.common_type(cp.zeros(1, np.int32), cp.zeros(1, np.float32)) == np.common_type(
        np.zeros(1, np.int32), np.zeros(1, np.float32)
    )
    assert cp.finfo(cp.float32).eps == np.finfo(np.float32).eps
    assert float(cp.finfo(cp.bfloat16).eps) == 2.0**-7
    assert cp.iinfo(cp.int8).max == 127
    assert cp.issubdtype(cp.float32, cp.floating)
    assert cp.isdtype(cp.dtype("i4"), "integral")
    assert cp.float32 is np.float32 and cp.bool is np.bool
    same_error(lambda: cp.result_type(), lambda: np.result_type())
