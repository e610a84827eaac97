"""Warnings about slices without elements, without numbers, or with too few of them, beside NumPy's."""

import warnings

import cuproxide as cp
import numpy as np
import pytest

NAN = [[np.nan, np.nan], [1.0, 2.0]]
INFINITE = [[np.inf, -np.inf], [1.0, 2.0]]
BY_SHAPE = """
    mean(empty) | mean(rows, 1) | mean(rows, 0) | mean(lanes, 1) | mean(rows, (0, 1)) | mean(empty, dtype="i4")
    average(empty)
    rows.mean(axis=1) | rows.mean(axis=0) | empty.var() | one.std(ddof=1) | one.std(ddof=2.5) | one.std(ddof=0.5)
    var(empty) | std(rows, 1) | var(one, ddof=1) | var(pair, 0, ddof=1) | var(pair, ddof=2) | var(rows, 0)
    var(one, correction=1)
    median(empty) | median(rows, 1) | nanmean(empty) | nanmedian(empty) | nanvar(one, ddof=1) | nanstd(empty)
    nanpercentile(empty, 50) | nanquantile(rows, 0.5, axis=1) | var(one, ddof=1, mean=one)
    std(pair, 1, ddof=2, mean=middle) | var(lanes, 1, ddof=2, mean=lanes[:, :1]) | nanvar(nans, 1, ddof=2)
    nanvar(nans, 1, ddof=2, mean=middle) | var(pair, 1, ddof=2, where=mask, mean=middle)
    var(integers, ddof=3, dtype="i4")
    cov(one) | cov(pair, ddof=2) | cov(pair, bias=True) | corrcoef(one) | mean(flags[:0]) | std(integers[:1], ddof=1)
    cov(pair, aweights=weights, ddof=5) | cov(pair, fweights=counts, ddof=4) | cov(pair, fweights=counts, ddof=2)
"""
BY_VALUE = """
    nanmax(nans) | nanmax(nans, 1) | nanmin(nans, axis=1, keepdims=True) | nanmax(nans, 0) | nanmax(nans[:1])
    nanmin(few, 1)
    nanmean(nans, 1) | nanmean(nans[:1]) | nanmean(infinite, 1) | nanmean(nans, 0) | nanmean(both, 1)
    nanmean(few[0])
    nanvar(nans, 1) | nanstd(nans, 1) | nanvar(nans, 1, ddof=1) | nanvar(nans, 0)
    nanvar(infinite, 1)
    nanvar(nans, 1, mean=middle) | nanmedian(nans, 1) | nanmedian(nans) | nanmedian(nans[0]) | nanmedian(infinite, 1)
    nanpercentile(nans, [20, 50], axis=1) | nanquantile(nans, 0.5, axis=1) | nanquantile(nans[0], 0.5)
    nanquantile(nans, 0.5)
    mean(nans, 1, where=mask) | mean(pair, where=mask[0]) | var(nans, 1, where=mask) | nanmean(nans, 1, where=mask)
    nanmax(nans, 1, initial=3.0) | nanmax(nans, 1, where=mask, initial=0) | nanmean(nans, 1, where=~mask)
    nanmax(integers)
    nanmean(complexes, 1) | nanmax(complexes, 1) | nanmean(nans, 1, out=target) | nanmean(integers, where=mask[0, :1])
"""


def names(xp):
    arrays = {
        "empty": np.zeros(0),
        "rows": np.zeros((2, 0)),
        "lanes": np.zeros((0, 2)),
        "one": np.ones(1),
        "pair": np.array([[1.0, 2.0], [3.0, 5.0]]),
        "integers": np.arange(3),
        "flags": np.array([True, False]),
        "weights": np.array([1.0, 2.0]),
        "counts": np.array([1, 3]),
        "nans": np.array(NAN),
        "few": np.array(NAN, np.float32),
        "infinite": np.array(INFINITE),
        "both": np.array([[np.nan, np.nan], [np.inf, -np.inf]]),
        "complexes": np.array([[complex(np.nan, 1), complex(0, np.nan)], [1, 2j]]),
        "middle": np.array([[0.0], [1.5]]),
        "mask": np.array([[True, True], [False, False]]),
        "target": np.zeros(2),
    }
    functions = {name: getattr(xp, name) for name in dir(xp) if not name.startswith("_")}
    return {**functions, **{name: xp.asarray(value) for name, value in arrays.items()}}


def caught(xp, call):
    """The warnings of a call but those of arithmetic, which devices do not report."""
    with warnings.catch_warnings(record=True) as found, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        eval(call, names(xp))
    return [(warning.category, str(warning.message)) for warning in found]


def calls(text):
    return [call.strip() for line in text.strip().splitlines() for call in line.split(" | ")]


@pytest.mark.parametrize("call", calls(BY_SHAPE))
def test_shapes_that_leave_nothing(call):
    assert caught(cp, call) == caught(np, call)


@pytest.mark.parametrize("call", calls(BY_VALUE))
def test_elements_that_leave_nothing(call):
    at_once = not cp.Device().asynchronous
    assert caught(cp, call) == (caught(np, call) if at_once else [])


def test_warnings_become_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="Mean of empty slice"):
            cp.zeros(0).mean()


def test_no_wait_where_waiting_is_forbidden():
    a = cp.asarray(NAN)
    with cp.allow_synchronize(False), warnings.catch_warnings():
        warnings.simplefilter("error")
        cp.nanmax(a, 1)
        cp.mean(a, 1, where=a > 5)
        cp.nanmedian(a, 1)


def test_traced_functions_do_not_look():
    @cp.fuse
    def centred(x):
        return x - cp.nanmean(x)

    x = cp.asarray([1.0, np.nan, 3.0])
    for _ in range(3):
        np.testing.assert_array_equal(cp.asnumpy(centred(x)), [-1.0, np.nan, 1.0])


def test_errors_come_before_warnings():
    c, r = cp.ones(2, complex), cp.zeros(3)
    for call in (
        lambda: cp.concatenate((c, c), out=cp.zeros(4), casting="same_kind"),
        lambda: cp.concatenate((c, c), dtype="f8"),
        lambda: cp.sum(c, out=r, dtype=float),
        lambda: cp.max(cp.ones((2, 2), complex), 0, out=r),
        lambda: cp.cumsum(c, dtype=float, out=r),
        lambda: cp.copyto(r, c, casting="unsafe"),
        lambda: r.__setitem__(slice(None), c),
        lambda: r.__setitem__([0, 1, 2], c),
        lambda: cp.full_like(r, c),
        lambda: cp.add(c, c, out=r, casting="unsafe"),
        lambda: cp.take(c, [0], out=r),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((TypeError, ValueError, IndexError)) as failure:
                call()
        assert not isinstance(failure.value, Warning)


def test_lost_parts_still_warn():
    c, r = cp.ones(2, complex), cp.zeros(2)
    for call in (
        lambda: cp.concatenate((c, c), dtype="f8", casting="unsafe"),
        lambda: cp.sum(c, dtype=float),
        lambda: cp.cumsum(c, dtype=float),
        lambda: cp.copyto(r, c, casting="unsafe"),
        lambda: r.__setitem__(slice(None), c),
        lambda: r.__setitem__([0, 1], c),
        lambda: cp.full_like(r, c),
        lambda: cp.put(r, [0, 1], c),
        lambda: cp.add(c, c, out=r, casting="unsafe"),
    ):
        with pytest.warns(np.exceptions.ComplexWarning):
            call()
