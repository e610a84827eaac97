"""Views with strides of one's own. See `numpy.lib.stride_tricks`."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import as_array, as_shape, normalize_axis_tuple
from .._lib.texts import complete as _complete
from .._routines._texts import TEXTS as _TEXTS
from .._typing import ArrayLike, ShapeLike

__all__ = ["as_strided", "sliding_window_view"]


def as_strided(
    x: ndarray,
    shape: ShapeLike | None = None,
    strides: Sequence[int] | None = None,
    subok: bool = False,
    writeable: bool = True,
    *,
    check_bounds: bool | None = None,
) -> ndarray:
    """A view of `x` with this shape and these strides in bytes, which stay within its memory (`ValueError`).

    It is of the class of `x` if `subok`, and read-only unless `writeable`.

    Parameters
    ----------
    x : array_like
        The array.
    shape : tuple of int, optional
        The shape of the view.
    strides : tuple of int, optional
        The distances in bytes.
    subok : bool
        Whether arrays of a subclass keep their class.
    writeable : bool
        Whether the view can be written to.
    check_bounds : bool, optional
        Taken for compatibility: the view is always checked to stay within the memory of `x`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the view would leave the memory of `x`.

    See Also
    --------
    numpy.lib.stride_tricks.as_strided : The function that this one follows.

    >>> cp.lib.stride_tricks.as_strided(cp.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    return _finish(_core.as_strided(x, shape, strides), subok, writeable)


def sliding_window_view(
    x: ArrayLike,
    window_shape: ShapeLike,
    axis: int | tuple[int, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> ndarray:
    """A view of every window of `window_shape` over the axes `axis`; the windows' axes come last.

    Windows share elements, so it is read-only unless `writeable`.

    Parameters
    ----------
    x : array_like
        The array.
    window_shape : int or tuple of int
        The lengths of the windows.
    axis : int or tuple of int, optional
        The axes of the windows, by default all.
    subok : bool
        Whether arrays of a subclass keep their class.
    writeable : bool
        Whether the view can be written to.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.lib.stride_tricks.sliding_window_view : The function that this one follows.

    >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(4), 2)
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    x, window = as_array(x), as_shape(window_shape)
    if any(length < 0 for length in window):
        raise ValueError("`window_shape` cannot contain negative values")
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
    if len(window) != len(axes):
        what = "all dimensions of x" if axis is None else "each axis of `axis`"
        raise ValueError(
            f"Must provide window_shape for {what}; got {len(window)} window_shape elements and {len(axes)} axes."
        )
    lengths = list(x.shape)
    for i, length in zip(axes, window, strict=True):
        if lengths[i] < length:
            raise ValueError("window shape cannot be larger than input array shape")
        lengths[i] -= length - 1
    view = _core.as_strided(x, (*lengths, *window), x.strides + tuple(x.strides[i] for i in axes))
    return _finish(view, subok, writeable)


def _finish(view: ndarray, subok: bool, writeable: bool) -> ndarray:
    view = view if subok or type(view) is ndarray else view.view(ndarray)
    if not writeable:
        view.setflags(write=False)
    return view


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)


_complete(globals(), __all__, _TEXTS, "numpy.lib.stride_tricks")
