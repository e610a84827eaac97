"""The transforms."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, deliver, is_complex
from .._lib.following import follows_cupy
from .._lib.ufuncs import NUMPY
from .._texts import docstrings as _docstrings
from .._typing import ArrayLike
from . import _callbacks, _several, config
from ._norm import opposite
from ._plans import Plan, contexts

_conjugate = NUMPY["conjugate"]


def along_one(
    a: ArrayLike,
    kind: str,
    forward: bool,
    n: int | None,
    axis: int,
    norm: str | None,
    out: ndarray | None = None,
    plan: Any = None,
) -> ndarray:
    """A transform along one axis."""
    a = as_array(a)
    axis = normalize_axis_index(axis, a.ndim)
    length = _default_length(a, kind, axis) if n is None else operator.index(n)
    if norm is not None:
        opposite(norm)
    transform = _shared if config.use_multi_gpus and kind == "complex" and plan is None else _laid_out
    held, callbacks = _held(plan)
    if callbacks is not None:
        transform = _passed_through(callbacks, transform)
    return deliver(transform(a, kind, forward, (axis,), (length,), norm, held), out)


def _passed_through(callbacks: _callbacks.Callbacks, transform: Callable[..., ndarray]) -> Callable[..., ndarray]:
    """A transform with callbacks before and after it; errors are left to it alone."""

    def around(
        a: ndarray, kind: str, forward: bool, axes: Sequence[int], lengths: Sequence[int], norm: str | None, plan: Any
    ) -> ndarray:
        if min(lengths) < 1 or (kind == "real" and is_complex(a.dtype)):
            return transform(a, kind, forward, axes, lengths, norm, plan)

        def bare(a: ndarray, axes: Sequence[int], norm: str) -> ndarray:
            return transform(a, kind, forward, axes, lengths, norm, plan)

        return callbacks.around(a, kind, forward, axes, lengths, norm, bare)

    return around


def _shared(
    a: ndarray, kind: str, forward: bool, axes: Sequence[int], lengths: Sequence[int], norm: str | None, plan: Any
) -> ndarray:
    """A complex transform along one axis by several devices, where they are of use."""
    if a.size and lengths[0] > 0:
        found = _several.transform(a, forward, lengths[0], axes[0], norm, config._shared_by())
        if found is not None:
            return found
    return _laid_out(a, kind, forward, axes, lengths, norm, plan)


def _laid_out(
    a: ndarray, kind: str, forward: bool, axes: Sequence[int], lengths: Sequence[int], norm: str | None, plan: Any
) -> ndarray:
    """A transform whose result lies in memory in the order of `a`, as NumPy's; in C order under `cuproxide.compat`."""
    if plan is not None or a.flags.c_contiguous or follows_cupy():
        return _core.fourier_transform(a, kind, forward, axes, lengths, norm, plan)
    order = list(range(a.ndim))[::-1]
    if not a.flags.f_contiguous:
        order = sorted(range(a.ndim), key=lambda axis: -abs(a.strides[axis]))
    places = [order.index(axis) for axis in range(a.ndim)]
    moved = [places[axis] for axis in axes]
    return _core.fourier_transform(a.transpose(order), kind, forward, moved, lengths, norm, None).transpose(places)


def _held(plan: Any) -> tuple[Any, _callbacks.Callbacks | None]:
    """The plan to use, the one given or the innermost that is a context now, and the callbacks: its own come first.

    `RuntimeError` for a plan given where one is a context.
    """
    stack = getattr(contexts, "plans", None)
    if plan is None:
        if not stack:
            return None, _callbacks.current()
        plan = stack[-1]
    elif stack:
        raise RuntimeError("a plan is given as an argument while another is in use as a context: one of them only")
    elif not isinstance(plan, Plan):
        raise TypeError(f"plan must come from get_fft_plan, got {type(plan).__name__}")
    return plan._plan, plan._callbacks or _callbacks.current()


def _default_length(a: ndarray, kind: str, axis: int) -> int:
    return 2 * (a.shape[axis] - 1) if kind == "half" else a.shape[axis]


def along_many(
    a: ArrayLike,
    kind: str,
    forward: bool,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    out: ndarray | None = None,
    plan: Any = None,
) -> ndarray:
    """A transform along several axes."""
    a = as_array(a)
    if s is not None and axes is None:
        warnings.warn(
            "`axes` should not be `None` if `s` is not `None`: it is taken as the last axes, as NumPy 2 does, and will "
            "raise an error in a future version of NumPy",
            DeprecationWarning,
            stacklevel=3,
        )
    if axes is None:
        axes = range(-(a.ndim if s is None else len(s)), 0)
    axes = [normalize_axis_index(axis, a.ndim) for axis in axes]
    if s is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == "half" and axes:
            lengths[-1] = _default_length(a, kind, axes[-1])
    else:
        if len(s) != len(axes):
            raise ValueError("Shape and axes have different lengths.")
        kinds = (["complex"] * (len(axes) - 1) + [kind])[: len(axes)]
        lengths = [_length(a, n, *place) for n, *place in zip(s, kinds, axes, strict=True)]
    if norm is not None:
        opposite(norm)
    if not axes:
        if kind != "complex":
            raise IndexError("at least one axis must be transformed")
        return deliver(a.copy() if out is None else a, out)
    transform = _laid_out
    held, callbacks = _held(plan)
    if callbacks is not None:
        transform = _passed_through(callbacks, transform)
    return deliver(transform(a, kind, forward, axes, lengths, norm, held), out)


def _length(a: ndarray, n: int | None, kind: str, axis: int) -> int:
    """An entry of `s`: None is the default of the axis, -1 all of it."""
    if n is None:
        warnings.warn(
            "`None` in `s` is deprecated in NumPy 2.0 and will raise an error in a future version",
            DeprecationWarning,
            stacklevel=4,
        )
        return _default_length(a, kind, axis)
    n = operator.index(n)
    return a.shape[axis] if n == -1 else n


def _of_one_axis(name: str, kind: str, forward: bool, doc: str) -> Callable[..., ndarray]:
    def transform(
        a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
    ) -> ndarray:
        return along_one(a, kind, forward, n, axis, norm, out)

    return _named(transform, name, doc)


def _of_axes(name: str, kind: str, forward: bool, doc: str, default: tuple[int, int] | None) -> Callable[..., ndarray]:
    def transform(
        a: ArrayLike,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        norm: str | None = None,
        out: ndarray | None = None,
    ) -> ndarray:
        return along_many(a, kind, forward, s, axes, norm, out)

    return _named(transform, name, doc)


def _named(function: Callable[..., ndarray], name: str, doc: str) -> Callable[..., ndarray]:
    _docstrings.name_transform(function, "fft", name, doc)
    return function


# Name, kind, direction, description.
fft = _of_one_axis(
    "fft", "complex", True, "The transform along one axis, of `n` points: cropped, or padded with zeros."
)
ifft = _of_one_axis("ifft", "complex", False, "The inverse of `fft`, divided by `n` unless `norm` says otherwise.")
rfft = _of_one_axis(
    "rfft", "real", True, "The half of `fft` that tells the transform of real numbers: `n // 2 + 1` elements."
)
irfft = _of_one_axis(
    "irfft", "half", False, "The inverse of `rfft`: `n` real numbers, by default `2 * (m - 1)` for `m` elements."
)

_PAIR = (-2, -1)
_REAL = "The transform of real numbers along"
fft2 = _of_axes("fft2", "complex", True, "The transform along two axes, of `s` points each.", _PAIR)
ifft2 = _of_axes("ifft2", "complex", False, "The inverse of `fft2`.", _PAIR)
rfft2 = _of_axes("rfft2", "real", True, f"{_REAL} two axes; the last one listed is left half.", _PAIR)
irfft2 = _of_axes("irfft2", "half", False, "The inverse of `rfft2`, with real numbers as its result.", _PAIR)
fftn = _of_axes("fftn", "complex", True, "The transform along several axes, all by default, of `s` points each.", None)
ifftn = _of_axes("ifftn", "complex", False, "The inverse of `fftn`.", None)
rfftn = _of_axes("rfftn", "real", True, f"{_REAL} several axes; the last one listed is left half.", None)
irfftn = _of_axes("irfftn", "half", False, "The inverse of `rfftn`, with real numbers as its result.", None)


def hfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The real spectrum of a signal that is given by half, the rest its mirrored conjugate.

    Parameters
    ----------
    a : array_like
        The half, from the middle on.
    n : int, optional
        The number of points of the result, `2 * (m - 1)` for `m` elements by default.

    Returns
    -------
    ndarray
        Real numbers.

    See Also
    --------
    numpy.fft.hfft : The function that this one follows.
    ihfft : Its inverse.

    >>> cp.fft.hfft(cp.asarray([1.0, 0.0, 0.0])).shape
    (4,)
    """
    return along_one(_conjugate(as_array(a)), "half", False, n, axis, opposite(norm), out)


def ihfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: ndarray | None = None
) -> ndarray:
    """The inverse of `hfft`: half of a signal, from its real spectrum.

    Parameters
    ----------
    a : array_like of real numbers
        The spectrum.
    n : int, optional
        The number of points of the spectrum that are used; zeros are added where there are fewer.

    Returns
    -------
    ndarray
        The first `n // 2 + 1` elements.

    See Also
    --------
    numpy.fft.ihfft : The function that this one follows.
    hfft : Its inverse.

    >>> cp.fft.ihfft(cp.asarray([1.0, 0.0, 0.0, 0.0])).shape
    (3,)
    """
    return deliver(_conjugate(along_one(a, "real", True, n, axis, opposite(norm))), out)
