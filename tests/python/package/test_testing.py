"""The assertions and decorators of `cuproxide.testing`."""

import inspect
import unittest

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import testing


@testing.for_all_dtypes()
@testing.numpy_cuproxide_array_equal(strides_check=True)
def test_equal(xp, dtype):
    return xp.asarray([[0, 1], [1, 0]], dtype=dtype)


@testing.for_CF_orders()
@testing.for_float_dtypes("kind")
@testing.numpy_cupy_allclose(rtol={np.float16: 1e-2, "default": 1e-6}, name="module")
@pytest.mark.parametrize("length", [3, 5])
def test_close(module, kind, order, length):
    return module.sqrt(module.ones((2, length), kind, order)), [module.full(3, 0.3, kind)]


@testing.numpy_cupy_array_equal(accept_error=IndexError)
def test_errors_are_compared(xp):
    return xp.ones(3)[5]


@testing.for_castings()
@testing.numpy_cupy_array_equal(accept_error=TypeError)
def test_castings(xp, casting):
    return xp.ones(3).astype(np.int32, casting=casting)


@testing.numpy_cupy_array_list_equal()
def test_lists(xp):
    return [xp.arange(3), xp.zeros((2, 2))]


@testing.numpy_cupy_allclose(sp_name="sp")
def test_scipy(xp, sp):
    pytest.importorskip("scipy")
    assert sp.__name__ == ("scipy" if xp is np else "cuproxide.scipy")
    return xp.ones(1)


@testing.numpy_cupy_array_almost_equal(decimal=3)
def test_almost(xp):
    return xp.asarray([1.0 if xp is np else 1.0001])


@testing.numpy_cupy_array_almost_equal_nulp(nulp=2)
def test_nulp(xp):
    return xp.asarray([1.0 if xp is np else np.nextafter(1.0, 2)])


@testing.numpy_cupy_array_max_ulp(maxulp=1)
def test_max_ulp(xp):
    return xp.asarray([1.0 if xp is np else np.nextafter(1.0, 2)])


@testing.numpy_cupy_array_less()
def test_less(xp):
    return xp.asarray([1.0 if xp is np else 0.5])


def fail(decorator, function, match):
    with pytest.raises(AssertionError, match=match):
        decorator(function)()


def test_differences_fail():
    equal = testing.numpy_cupy_array_equal
    fail(equal(), lambda xp: xp.arange(3) + (xp is cp), "not equal")
    fail(equal(), lambda xp: xp.ones(2, np.float32 if xp is cp else float), "dtypes differ")
    equal(type_check=False)(lambda xp: xp.ones(2, np.float32 if xp is cp else float))()
    fail(equal(), lambda xp: None, "nothing to compare")
    fail(equal(), lambda xp: [xp.ones(2)] * (1 + (xp is cp)), "differ in number")
    fail(equal(), lambda xp: [xp.ones(2)][xp is cp], "only cuproxide raises")
    fail(equal(), lambda xp: [xp.ones(2)][xp is np], "only NumPy raises")
    fail(equal(), lambda xp: 1 / 0, "which was not expected")
    fail(equal(accept_error=ValueError), lambda xp: 1 / 0, "which was not expected")
    equal(accept_error=(ZeroDivisionError, TypeError))(lambda xp: 1 / 0)()
    fail(equal(accept_error=True), lambda xp: 1 / 0 if xp is cp else [][0], "exceptions differ")
    fail(equal(strides_check=True), lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C"), "strides differ")
    close = testing.numpy_cupy_allclose
    fail(close(), lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C"), "c_contiguous")
    close(contiguous_check=False)(lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C"))()
    fail(close(), lambda xp: xp.asarray(1 + 1e-3 * (xp is cp)), "Not equal")
    fail(testing.numpy_cupy_array_less(), lambda xp: xp.ones(2), "not strictly ordered|not less")
    fail(testing.numpy_cupy_array_list_equal(), lambda xp: [xp.ones(2)] * (1 + (xp is cp)), "differ in number")
    fail(testing.numpy_cupy_array_list_equal(), lambda xp: [xp.ones(2) + (xp is cp)], "not equal")


def cases(decorator, *names):
    seen = []
    decorator(lambda **case: seen.append(tuple(case[name] for name in names)))()
    return seen


def test_cases():
    every = {case[0] for case in cases(testing.for_all_dtypes(), "dtype")}
    assert every == {np.dtype(code).type for code in "?bhilBHILefdFD"}
    fewer = testing.for_all_dtypes(no_float16=True, no_bool=True, no_complex=True)
    assert {case[0] for case in cases(fewer, "dtype")} == {np.dtype(code).type for code in "bhilBHILfd"}
    assert cases(testing.for_complex_dtypes("kind"), "kind") == [(np.complex64,), (np.complex128,)]
    assert len(cases(testing.for_int_dtypes(), "dtype")) == 9
    assert len(cases(testing.for_int_dtypes(no_bool=True), "dtype")) == 8
    assert len(cases(testing.for_signed_dtypes(), "dtype")) == 4
    assert len(cases(testing.for_unsigned_dtypes(), "dtype")) == 4
    assert len(cases(testing.for_float_dtypes(no_float16=True), "dtype")) == 2
    assert cases(testing.for_dtypes("if", "x"), "x") == [(np.int32,), (np.float32,)]
    assert [case[0] for case in cases(testing.for_CF_orders(), "order")] == [None, "C", "F", "c", "f"]
    assert cases(testing.for_orders("CA"), "order") == [("C",), ("A",)]
    assert len(cases(testing.for_castings(), "casting")) == 5
    assert cases(testing.for_castings(["no"]), "casting") == [("no",)]


@pytest.mark.parametrize(
    ("decorator", "count"),
    [
        (testing.for_all_dtypes_combination, 14),
        (testing.for_signed_dtypes_combination, 4),
        (testing.for_unsigned_dtypes_combination, 4),
        (testing.for_int_dtypes_combination, 9),
    ],
)
def test_combinations(decorator, count):
    assert len(cases(decorator(names=("a", "b"), full=True), "a", "b")) == count**2
    few = cases(decorator(names=("a", "b"), full=False), "a", "b")
    assert len(few) == len(set(few)) < count**2
    assert len({a for a, _ in few}) == len({b for _, b in few}) == count


def test_failures_tell_the_case():
    @testing.for_dtypes([np.int8, np.float32])
    def check(dtype):
        assert dtype is not np.float32

    with pytest.raises(AssertionError) as caught:
        check()
    assert any("float32" in note for note in caught.value.__notes__)


def test_skipping():
    @testing.for_dtypes([np.int8, np.float32])
    @testing.numpy_cupy_array_equal()
    def check(xp, dtype):
        if dtype is np.int8 or only:
            raise unittest.SkipTest("not this one")
        return xp.ones(2, dtype)

    only = False
    check()
    only = True
    with pytest.raises(unittest.SkipTest):
        check()


def test_arguments_are_hidden():
    assert list(inspect.signature(test_close).parameters) == ["length"]
    assert test_close.__name__ == "test_close"
    for name in testing.__all__:
        assert inspect.getdoc(getattr(testing, name)), name


@testing.numpy_cuproxide_equal()
def test_results_of_any_kind(xp):
    return xp.ones((2, 3), "f4").shape, xp.float32, "text", None, xp.arange(3).ndim


@testing.numpy_cupy_equal(name="module")
def test_nothing_equals_nothing(module):
    module.zeros(2).fill(1)


def test_results_that_are_not_equal():
    @testing.numpy_cuproxide_equal()
    def differs(xp):
        return xp.__name__

    with pytest.raises(AssertionError, match="results differ: 'cuproxide'"):
        differs()


def test_contiguous_axes():
    """Arrays of the shape and order may be flattened along each group without a copy."""

    class Tests:
        shape = (2, 3, 4)

        @testing.for_contiguous_axes()
        def test_axes(self, axis):
            seen.append(axis)

    for order, expected in (("C", [(0, 1, 2), (1, 2), (2,)]), ("f", [(0,), (0, 1), (0, 1, 2)])):
        tests, seen = Tests(), []
        tests.order = order
        tests.test_axes()
        assert seen == expected
    tests.order = "A"
    with pytest.raises(ValueError, match="'A'"):
        tests.test_axes()
    assert list(inspect.signature(Tests.test_axes).parameters) == ["self"]


def test_strides_are_compared_on_demand():
    rows, columns = cp.ones((2, 3)), np.ones((2, 3), order="F")
    testing.assert_array_equal(rows, columns)
    testing.assert_array_equal(rows, np.ones((2, 3)), strides_check=True)
    with pytest.raises(AssertionError, match="strides differ"):
        testing.assert_array_equal(rows, columns, strides_check=True)
