"""Axes, `keepdims` and `nan_policy` of statistics: every function computes over the last axis, this does the rest."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray, reads_at_once
from ..._lib.arguments import as_device
from ..._lib.conversions import normalize_axis_tuple
from ..._lib.routes import way
from ._common import HAS_NAN, check_policy, holds


class SmallSampleWarning(RuntimeWarning):
    """A sample is too small for the statistic, which is NaN."""


def sample(x: Any, real: bool = False) -> ndarray:
    """A sample as floating-point numbers; integers become float64. One that has to be `real` must not be complex."""
    x = as_device(x)
    if real and x.dtype.kind == "c":
        raise TypeError(f"samples must be real, got {x.dtype}")
    if x.dtype.kind in "iub":
        return x.astype(np.float64)
    return x


def together(samples: Sequence[Any], real: bool = False) -> list[ndarray]:
    """Samples as floating-point numbers of one type: a mean in a narrower one would lose the other sample's digits."""
    arrays = [as_device(x) for x in samples]
    common = np.result_type(*(x.dtype for x in arrays))
    # Narrow integers have a place in a narrow type.
    return [x.astype(common, copy=False) if common.kind == "f" else sample(x, real) for x in arrays]


def in_order(samples: Sequence[Any]) -> tuple[list[ndarray], Callable[[ndarray], ndarray] | None]:
    """Samples to be compared with each other, where integers that float64 would make equal give way to their ranks; and
    if so, a function that finds the elements of ranks.
    """
    arrays = [as_device(x) for x in samples]
    common = np.result_type(*(x.dtype for x in arrays))
    if common.kind not in "iu" or common.itemsize < 8:
        return arrays, None
    flat = cp.concatenate([x.ravel() for x in arrays], dtype=common)
    # A look at the elements spares sorting them, where it costs no wait.
    if flat.size == 0 or way("look at elements first", flat) and holds((flat <= 2**53) & (flat >= -(2**53))):
        return arrays, None
    order = cp.argsort(flat)
    raised = flat[order]
    numbers = cp.concatenate([cp.zeros(1, np.int64), cp.cumsum(raised[1:] != raised[:-1])])
    ranks = cp.empty(flat.size, np.int64)
    ranks[order] = numbers
    ends = np.cumsum([x.size for x in arrays]).tolist()
    parts = [ranks[end - x.size : end].reshape(x.shape) for x, end in zip(arrays, ends, strict=True)]
    return parts, lambda rank: raised[cp.searchsorted(numbers, rank)]


def run(
    core: Callable[..., Any],
    samples: Sequence[Any],
    axis: Any,
    nan_policy: str = "propagate",
    keepdims: bool = False,
    paired: bool = False,
    masked: bool = False,
    convert: bool = True,
    spread_nan: bool | None = None,
    too_small: int | Callable[[Sequence[Any]], Any] = 0,
    nothing: Callable[[ndarray], Any] | None = None,
    narrow: bool = True,
    ordered: bool = False,
    real: bool = False,
    **options: Any,
) -> Any:
    """The results of `core`, which gets the samples with their axis last.

    With NaN to be left out, a `masked` core gets `masks=` of the elements that count (or None); others are called for
    each row that has NaN, with what is left of it. `paired` samples have one length and lose elements together.
    Unless `spread_nan` says otherwise, only cores that are not masked have their results set to NaN for samples with
    NaN. A sample of at most `too_small` elements (or for whose lengths that function holds) has NaN as its result, with
    a warning; `nothing` makes such a result of an array of NaN. Results of float32 and float16 are made `narrow` too.
    An `ordered` core only compares elements; a `real` one has no result for complex samples.
    """
    check_policy(nan_policy)
    samples = in_order(samples)[0] if ordered else samples
    arrays = together(samples, real) if convert else [as_device(x) for x in samples]
    given = np.result_type(*(x.dtype for x in arrays))
    if given == np.float16:
        # Squares and sums leave its range.
        arrays = [x.astype(np.float32) for x in arrays]
    if axis is None:
        count = max(1, *(x.ndim for x in arrays))
        arrays, shape = [x.ravel() for x in arrays], (1,) * count
        arrays = _of_one_length(arrays) if paired else arrays
    else:
        arrays = [cp.atleast_1d(x) for x in arrays]
        most = max(x.ndim for x in arrays)
        arrays = [x.reshape((1,) * (most - x.ndim) + x.shape) if x.ndim < most else x for x in arrays]
        if np.asarray(axis).dtype.kind not in "iu" and np.size(axis):
            raise np.exceptions.AxisError(f"`axis` must be an integer, a tuple of integers, or `None`, not {axis!r}.")
        axes = normalize_axis_tuple(axis, most, "axis")
        others = tuple(a for a in range(most) if a not in axes)
        lead = np.broadcast_shapes(*(tuple(x.shape[a] for a in others) for x in arrays))
        if paired and len(arrays) > 1:
            full = np.broadcast_shapes(*(x.shape for x in arrays))
            if any(x.shape[a] not in (1, full[a]) for x in arrays for a in axes):
                raise ValueError("Array shapes are incompatible for broadcasting.")
            arrays = [cp.broadcast_to(x, full) for x in arrays]
        moved = [
            x.transpose(*others, *axes).reshape(*(x.shape[a] for a in others), math.prod(x.shape[a] for a in axes))
            for x in arrays
        ]
        arrays = [cp.broadcast_to(x, (*lead, x.shape[-1])) if x.shape[:-1] != lead else x for x in moved]
        sizes = dict(zip(others, lead, strict=True))
        shape = tuple(sizes.get(a, 1) for a in range(most))
    spread_nan = not masked if spread_nan is None else spread_nan
    guarded = _guarded(core, too_small, nothing or (lambda v: v), masked)
    results = _by_policy(guarded, arrays, nan_policy, paired, True, options)
    if nan_policy == "propagate" and spread_nan:
        results = _with_nan(results, arrays)
    if narrow and given.char in "efF":
        results = _narrowed(results, given)
    if not keepdims:
        return results
    if isinstance(results, tuple):
        kept_results = [r.reshape(shape) if isinstance(r, ndarray) and r.ndim < len(shape) else r for r in results]
        return _like(results, kept_results, lambda v: v.reshape(shape) if v.ndim < len(shape) else v)
    return results.reshape(shape)


def _of_one_length(arrays: list[ndarray]) -> list[ndarray]:
    """Flat samples whose elements belong together; one element stands beside all of another sample."""
    sizes = {x.size for x in arrays} - {1}
    if len(sizes) > 1:
        raise ValueError("Array shapes are incompatible for broadcasting.")
    return [cp.broadcast_to(x, sizes.copy().pop()) if sizes and x.size == 1 else x for x in arrays]


_ADVICE = " See documentation for sample size requirements."
TOO_SMALL = "One or more sample arguments is too small; all returned values will be NaN." + _ADVICE
TOO_SMALL_ROWS = (
    "All axis-slices of one or more sample arguments are too small; all elements of returned arrays will be NaN."
    + _ADVICE
)
TOO_SMALL_OMITTED = (
    "After omitting NaNs, one or more sample arguments is too small; all returned values will be NaN." + _ADVICE
)
TOO_SMALL_ROWS_OMITTED = (
    "After omitting NaNs, one or more axis-slices of one or more sample arguments is too small; corresponding elements "
    "of returned arrays will be NaN." + _ADVICE
)


def _guarded(core: Any, too_small: Any, nothing: Any, masked: bool) -> Any:
    """A core that gives NaN, with SciPy's warning, for samples that are too small."""

    def few(counts: Sequence[Any]) -> Any:
        if callable(too_small):
            return too_small(counts)
        bad: Any = False
        for n in counts:
            bad = bad | (n <= too_small)
        return bad

    def guarded(*arrays: ndarray, masks: Any = None, **options: Any) -> Any:
        lead, flat = arrays[0].shape[:-1], arrays[0].ndim == 1
        if few([x.shape[-1] for x in arrays]):
            if not flat:
                # Of rows SciPy warns only if they are empty or some of their elements are omitted.
                warned = 0 not in lead and (masks is not None or any(x.size == 0 for x in arrays))
            else:
                # NaN in a sample is reason enough for a NaN.
                warned = masks is not None or not any(_has_nan(x) for x in arrays)
            if warned:
                messages = (TOO_SMALL, TOO_SMALL_ROWS) if masks is None else (TOO_SMALL_OMITTED, TOO_SMALL_ROWS_OMITTED)
                warnings.warn(messages[0 if flat else 1], SmallSampleWarning, stacklevel=5)
            return nothing(_nan(arrays, lead))
        if 0 in lead:
            return nothing(_nan(arrays, lead))
        if masks is None:
            return core(*arrays, **options)
        bad = few([m.sum(axis=-1) for m in masks])
        results = core(*arrays, masks=masks, **options)
        if not holds(~bad):
            warnings.warn(TOO_SMALL_OMITTED if flat else TOO_SMALL_ROWS_OMITTED, SmallSampleWarning, stacklevel=5)
            results = _nan_where(results, bad)
        return results

    def by_rows(*arrays: ndarray, masks: Any = None, **options: Any) -> Any:
        if masks is None:
            return guarded(*arrays, **options)
        if arrays[0].ndim == 1:
            left = [x[m] for x, m in zip(arrays, masks, strict=True)]
            if few([x.shape[-1] for x in left]):
                warnings.warn(TOO_SMALL_OMITTED, SmallSampleWarning, stacklevel=5)
                return nothing(_nan(arrays, ()))
            return core(*left, **options)
        return _by_rows(guarded, list(arrays), masks, options)

    return guarded if masked else by_rows


def _has_nan(x: ndarray) -> bool:
    return x.dtype.kind in "fc" and not holds(~cp.isnan(x))


def _nan(arrays: Sequence[ndarray], shape: tuple[int, ...]) -> ndarray:
    dtype = np.result_type(*(x.dtype for x in arrays))
    return cp.full(shape, np.nan, dtype=dtype if dtype.kind in "fc" else np.float64)


def _like(results: tuple[Any, ...], parts: list[Any], change: Callable[[ndarray], ndarray]) -> Any:
    """A result of the same class with other fields; what it has beside them is changed as well."""
    if not hasattr(results, "_fields"):
        return tuple(parts)
    extra = {key: change(v) if isinstance(v, ndarray) else v for key, v in getattr(results, "__dict__", {}).items()}
    return type(results)(*parts, **extra)


def _with_nan(results: Any, arrays: list[ndarray]) -> Any:
    """Results that are NaN for samples with NaN; the fields of a tuple that are not of one number a sample stay."""
    bad: Any = None
    for x in arrays:
        if x.dtype.kind == "f":
            has = cp.isnan(x).any(axis=-1)
            bad = has if bad is None else bad | has
    return results if bad is None else _nan_where(results, bad)


def _narrowed(results: Any, dtype: np.dtype) -> Any:
    real = np.dtype(np.float32) if dtype.kind == "c" else dtype

    def change(v: Any) -> Any:
        if not isinstance(v, ndarray) or v.dtype.kind not in "fc":
            return v
        return v.astype(min(v.dtype, real if v.dtype.kind == "f" else np.dtype(np.complex64), key=lambda d: d.itemsize))

    if not isinstance(results, tuple):
        return change(results)
    return _like(results, [change(v) for v in results], change)


def _nan_where(results: Any, bad: ndarray) -> Any:
    def change(v: Any) -> Any:
        if not isinstance(v, ndarray) or v.shape != bad.shape:
            return v
        if v.dtype.kind not in "fc":
            # Integers stay where no sample has NaN.
            return v if holds(~bad) else cp.where(bad, np.nan, v.astype(np.float64))
        return cp.where(bad, np.asarray(np.nan, v.dtype)[()], v)

    if not isinstance(results, tuple):
        return change(results)
    return _like(results, [change(v) for v in results], change)


def _by_policy(core: Any, arrays: list[ndarray], policy: str, paired: bool, masked: bool, options: Any) -> Any:
    if policy == "propagate" or all(x.dtype.kind not in "fc" for x in arrays):
        return core(*arrays, **options)
    valid = [~cp.isnan(x) for x in arrays]
    if all(holds(v) for v in valid):
        return core(*arrays, **options)
    if policy == "raise":
        raise ValueError(HAS_NAN)
    if paired:
        every = valid[0]
        for v in valid[1:]:
            every = every & v
        valid = [every] * len(valid)
    if masked:
        return core(*(cp.where(v, x, 0) for v, x in zip(valid, arrays, strict=True)), masks=valid, **options)
    if arrays[0].ndim == 1:
        return core(*(x[v] for v, x in zip(valid, arrays, strict=True)), **options)
    return _by_rows(core, arrays, valid, options)


def _by_rows(core: Any, arrays: list[ndarray], valid: list[ndarray], options: Any) -> Any:
    lead = arrays[0].shape[:-1]
    rows = [x.reshape(-1, x.shape[-1]) for x in arrays]
    masks = [v.reshape(-1, v.shape[-1]) for v in valid]
    results = [
        core(*(x[i][v[i]] for x, v in zip(rows, masks, strict=True)), **options) for i in range(rows[0].shape[0])
    ]
    first = results[0]
    if not isinstance(first, tuple):
        return cp.stack([cp.asarray(r) for r in results]).reshape(lead)
    parts = [cp.stack([cp.asarray(r[i]) for r in results]).reshape(lead) for i in range(len(first))]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def counted(x: ndarray, mask: ndarray | None) -> Any:
    """How many elements count along the last axis."""
    return np.float64(x.shape[-1]) if mask is None else mask.sum(axis=-1).astype(np.float64)


def summed(x: ndarray, mask: ndarray | None) -> ndarray:
    """The sum of the elements that count along the last axis."""
    return (x if mask is None else cp.where(mask, x, 0)).sum(axis=-1)


def averaged(x: ndarray, mask: ndarray | None) -> ndarray:
    """Their mean; NaN if there are none."""
    if mask is None and x.shape[-1] == 0:
        return cp.full(x.shape[:-1], np.nan, dtype=x.dtype)
    return summed(x, mask) / (x.shape[-1] if mask is None else counted(x, mask))


def central(x: ndarray, order: int, mask: ndarray | None, mean: ndarray | None = None) -> ndarray:
    """The central moment of an order along the last axis."""
    mean = averaged(x, mask) if mean is None else mean
    deviation = x - mean[..., None]
    power = deviation
    for _ in range(abs(order) - 1):
        power = power * deviation
    return averaged(1 / power if order < 0 else power, mask)


def spread(x: ndarray, mask: ndarray | None, mean: ndarray | None = None) -> ndarray:
    """The mean square of the deviations along the last axis, a real number for complex ones too."""
    if x.dtype.kind != "c":
        return central(x, 2, mask, mean)
    mean = averaged(x, mask) if mean is None else mean
    return averaged(abs(x - mean[..., None]) ** 2, mask)


def warn_of_cancellation(x: ndarray, variance: ndarray, mean: ndarray, mask: ndarray | None = None) -> None:
    """SciPy's warning where all elements are as near to their mean as its rounding, if a look at them costs no wait."""
    if x.size == 0 or x.shape[-1] < 2 or not reads_at_once(variance):
        return
    limit = 10 * cp.finfo(x.dtype).eps * abs(mean)
    # Deviations that small have a variance that small, which is there already.
    close = abs(variance) < limit * limit
    if mask is not None:
        # One element is its mean.
        close = close & (counted(x, mask) > 1)
    if holds(~close):
        return
    deviation = abs(x - mean[..., None])
    largest = (deviation if mask is None else cp.where(mask, deviation, 0)).max(axis=-1)
    if not holds(~(close & (largest < limit))):
        warnings.warn(
            "Precision loss occurred in moment calculation due to catastrophic cancellation. This occurs when the data "
            "are nearly identical. Results may be unreliable.",
            RuntimeWarning,
            stacklevel=6,
        )


def only(masks: Any) -> Any:
    """The mask of the one sample."""
    return None if masks is None else masks[0]
