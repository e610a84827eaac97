"""Prepared transforms that programs hold."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import is_complex
from . import _callbacks

FORWARD, INVERSE = -1, 1
TYPES = {
    ("complex", False): 0x29, ("real", False): 0x2A, ("half", False): 0x2C,
    ("complex", True): 0x69, ("real", True): 0x6A, ("half", True): 0x6C,
}  # fmt: skip
"""The numbers of the kinds of transforms in single and in double precision, those of cuFFT."""

contexts = threading.local()


def _kind_of(fft_type: int) -> tuple[str, bool]:
    for kind, number in TYPES.items():
        if number == fft_type:
            return kind
    raise ValueError(f"fft_type must be one of {', '.join(map(hex, TYPES.values()))} (got {fft_type!r})")


def _dtypes(kind: str, is_double: bool) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The dtypes of input and output."""
    real, pair = (np.float64, np.complex128) if is_double else (np.float32, np.complex64)
    return np.dtype(real if kind == "real" else pair), np.dtype(real if kind == "half" else pair)


def _points(kind: str, length: int) -> tuple[int, int]:
    """How many elements along the last axis of a transform of `length` points go in, and how many come out."""
    half = length // 2 + 1
    return half if kind == "half" else length, half if kind == "real" else length


class Plan:
    """A prepared transform that a program holds: an argument of transforms, or a context in which they use it.

    Transforms of other shapes, axes or types then are a `ValueError`. The callbacks that were set when it was made are
    a part of it.
    """

    def __init__(self, a: ndarray, kind: str, axes: Sequence[int], lengths: Sequence[int]) -> None:
        self._plan = _core.make_fft_plan(a, kind, axes, lengths)
        self._callbacks = _callbacks.current()
        self._kind, self._lengths = kind, tuple(lengths)
        self._dtypes = _dtypes(kind, a.dtype.itemsize == (16 if is_complex(a.dtype) else 8))
        self._in_shape, self._axes = self._as_rows(a.shape, tuple(axes))

    def _as_rows(self, shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape and axes of what `fft` takes."""
        return shape, axes

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the plan stands for, work area included."""
        return self._plan.nbytes

    @property
    def fft_type(self) -> int:
        """The kind of transform, one of `cuda.cufft`'s numbers such as `CUFFT_C2C`."""
        return TYPES[self._kind, self._dtypes[0].name in ("complex128", "float64")]

    @property
    def batch(self) -> int:
        """How many transforms are computed at once."""
        outside = (size for axis, size in enumerate(self._in_shape) if axis not in self._axes)
        return math.prod(outside)

    @property
    def _out_shape(self) -> tuple[int, ...]:
        points = _points(self._kind, self._lengths[-1])[1]
        return tuple(points if axis == self._axes[-1] else size for axis, size in enumerate(self._in_shape))

    def _check(self, name: str, array: ndarray, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        if not isinstance(array, ndarray):
            raise TypeError(f"{name} must be an array of a device, not {type(array).__name__}")
        if array.dtype != dtype:
            raise ValueError(f"{name} must be of {dtype}, as the plan, not {array.dtype}")
        if array.size != math.prod(shape):
            raise ValueError(f"{name} has {array.size} elements, the plan is for {math.prod(shape)}")
        if not array.flags.c_contiguous:
            raise ValueError(f"{name} must be C-contiguous")

    def get_output_array(self, a: ndarray, shape: Sequence[int] | None = None, order: str = "C") -> ndarray:
        """A new array for the result of `fft`.

        Parameters
        ----------
        a : ndarray
            What is to be transformed.
        shape : tuple of int, optional
            The shape; by default that of `a`, with as many elements along the last axis as come out.
        order : {'C'}
            The order of elements.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            `order` is another.
        """
        if order != "C":
            raise ValueError(f"order must be 'C' (got {order!r})")
        if shape is None:
            points = self._out_shape[self._axes[-1]]
            shape = self._out_shape if a.shape == self._in_shape else (*a.shape[:-1], points)
        return _core.empty(tuple(shape), self._dtypes[1])

    def check_output_array(self, a: ndarray, out: ndarray) -> None:
        """Checks that `out` can hold what `fft` gives for `a`.

        Parameters
        ----------
        a : ndarray
            What is to be transformed.
        out : ndarray
            The array for the result.

        Raises
        ------
        TypeError
            One is no array of a device.
        ValueError
            One is of another dtype or size than the plan's, or not C-contiguous.
        """
        self._check("a", a, self._dtypes[0], self._in_shape)
        self._check("out", out, self._dtypes[1], self._out_shape)

    def fft(self, a: ndarray, out: ndarray, direction: int) -> None:
        """Transforms an array into another; neither direction is scaled.

        Parameters
        ----------
        a : ndarray
            What is to be transformed, C-contiguous, of the plan's dtype and size.
        out : ndarray
            The array for the result, C-contiguous.
        direction : int
            `cuda.cufft.CUFFT_FORWARD` or `CUFFT_INVERSE`; of no account where one side is real.

        Raises
        ------
        ValueError
            `direction` is another, or an array does not fit the plan.
        """
        if direction not in (FORWARD, INVERSE):
            raise ValueError(f"direction must be {FORWARD} or {INVERSE} (got {direction!r})")
        self.check_output_array(a, out)
        forward = direction == FORWARD if self._kind == "complex" else self._kind == "real"
        rows, norm = a.reshape(self._in_shape), "backward" if forward else "forward"
        found = _core.fourier_transform(rows, self._kind, forward, self._axes, self._lengths, norm, self._plan)
        out[...] = found.reshape(out.shape)

    def __enter__(self) -> Self:
        if not hasattr(contexts, "plans"):
            contexts.plans = []
        contexts.plans.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        contexts.plans.pop()

    def __reduce__(self) -> NoReturn:
        raise TypeError("plans of Fourier transforms cannot be pickled: make them again with get_fft_plan")

    def __repr__(self) -> str:
        return f"<FFT plan: {', '.join(map(str, self._plan.transforms)) or 'nothing to do'}>"


class Plan1d(Plan):
    """A plan for transforms along one axis; `fft` takes them as rows, as cuFFT does.

    Parameters
    ----------
    nx : int
        The number of points of each transform.
    fft_type : int
        The kind, such as `cuda.cufft.CUFFT_C2C`.
    batch : int
        How many there are.
    devices, out
        Of CuPy's plans for several devices, which are not there: None.
    """

    def __init__(self, nx: int, fft_type: int, batch: int, *, devices: Any = None, out: Any = None) -> None:
        if devices is not None or out is not None:
            raise ValueError("plans are for one device: devices and out must be None")
        kind, is_double = _kind_of(fft_type)
        rows = _core.empty((batch, _points(kind, nx)[0]), _dtypes(kind, is_double)[0])
        super().__init__(rows, kind, (1,), (nx,))

    @classmethod
    def _of(cls, a: ndarray, kind: str, axis: int, length: int) -> Self:
        """The plan for an array."""
        made = cls.__new__(cls)
        Plan.__init__(made, a, kind, (axis,), (length,))
        return made

    def _as_rows(self, shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        outside = (size for axis, size in enumerate(shape) if axis not in axes)
        return (math.prod(outside), _points(self._kind, self._lengths[0])[0]), (1,)

    @property
    def nx(self) -> int:
        """The number of points of each transform."""
        return self._lengths[0]


class PlanNd(Plan):
    """A plan for transforms along several axes, the last ones of C-contiguous arrays.

    Parameters
    ----------
    shape : tuple of int
        The number of points along each axis.
    inembed, istride, idist, onembed, ostride, odist
        How elements lie in memory; None for the embeddings: one after another.
    fft_type : int
        The kind, such as `cuda.cufft.CUFFT_C2C`.
    batch : int
        How many there are.
    order : {'C'}
        The order of elements.
    last_axis, last_size
        Taken for compatibility.
    """

    def __init__(
        self,
        shape: Sequence[int],
        inembed: Any,
        istride: int,
        idist: int,
        onembed: Any,
        ostride: int,
        odist: int,
        fft_type: int,
        batch: int,
        order: str = "C",
        last_axis: int = -1,
        last_size: int | None = None,
    ) -> None:
        if inembed is not None or onembed is not None or order != "C":
            raise ValueError("plans are for C-contiguous arrays: inembed and onembed must be None, and order 'C'")
        kind, is_double = _kind_of(fft_type)
        lengths = tuple(shape)
        rows = _core.empty((batch, *lengths[:-1], _points(kind, lengths[-1])[0]), _dtypes(kind, is_double)[0])
        super().__init__(rows, kind, tuple(range(1, len(lengths) + 1)), lengths)

    @classmethod
    def _of(cls, a: ndarray, kind: str, axes: Sequence[int], lengths: Sequence[int]) -> Self:
        """The plan for an array."""
        made = cls.__new__(cls)
        Plan.__init__(made, a, kind, axes, lengths)
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of points along each axis."""
        return self._lengths

    @property
    def order(self) -> str:
        """The order of elements in memory."""
        return "C"

    @property
    def last_axis(self) -> int:
        """The axis that is transformed last, of which a half is left of real numbers."""
        return self._axes[-1]

    @property
    def last_size(self) -> int:
        """The number of points along that axis."""
        return self._lengths[-1]
