"""Arrays in parts that lie on several devices of a process, or on several processes."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

import cuproxide as cp

from ..._cuproxide import Device
from ..._lib.element_types import NARROW
from .._backend import Backend
from ._boxes import Box, boxes_of, cut, disjoint, extent, slices, volume, within
from ._modes import MODES, Mode, mode_of
from ._movement import Chunk, gathered
from ._summa import product

__all__ = ["DistributedArray", "check_places"]

# What arrays of one device have and these do not.
_ABSENT = frozenset(
    """argmax argmin argpartition argsort base byteswap choose clip compress cstruct cumprod cumsum data diagonal dump
    dumps flags flat flatten mdspan nonzero partition ptp put ravel reduced_view repeat reshape scatter_add
    scatter_max scatter_min searchsorted set sort squeeze strides swapaxes take toDlpack tobytes tofile tolist trace
    view""".split()
)


# Functions of NumPy that are members.
_FUNCTIONS = frozenset("sum prod max min mean var std any all transpose real imag round".split())


class MissingMemberError(AttributeError, NotImplementedError):
    """A member that arrays of one device have and distributed ones do not."""


class DistributedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array in parts. Make one with `distributed_array` or `from_chunks`.

    Parts are on devices of this process, whose numbers are the *places* of the index map; or, with a group, on the
    processes, and places are ranks. With a group, all ranks make the same calls in the same order.

    In mode `replica`, parts that lie over each other hold the same elements. In the modes `sum`, `prod`, `max` and
    `min` an element is what combines those of all parts that have it: reductions give such arrays without any
    communication.

    Parameters
    ----------
    shape : tuple of int
        Of the whole.
    dtype : dtype
        Of its elements.
    chunks : mapping
        For each place its parts, each with its box of the index map.
    mode : Mode, optional
        How elements that several parts have are combined; None where they are the same.
    group : Backend, optional
        The processes that have the parts; without one, devices of this process do.

    Attributes
    ----------
    shape : tuple of int
        Of the whole.
    dtype : dtype
        Of its elements.
    """

    __array_priority__ = 200

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: Any,
        chunks: Mapping[int, list[Chunk]],
        mode: Mode | None = None,
        group: Backend | None = None,
    ) -> None:
        """From parts that are in place."""
        self.shape, self.dtype = tuple(shape), cp.empty(0, dtype).dtype
        self._chunks, self._mode, self._group = dict(chunks), mode, group

    # -- facts --------------------------------------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, each counted once."""
        return self.size * self.itemsize

    @property
    def mode(self) -> str:
        """`replica`, `sum`, `prod`, `max` or `min`."""
        return "replica" if self._mode is None else self._mode.name

    @property
    def devices(self) -> tuple[int, ...]:
        """The places that have parts: numbers of devices, or ranks."""
        return tuple(self._chunks)

    @property
    def device(self) -> Any:
        """There is not one."""
        raise MissingMemberError("a distributed array has no device; `devices` are its places")

    @property
    def index_map(self) -> dict[int, list[tuple[slice, ...]]]:
        """The indices of the parts of each place."""
        return {place: [slices(chunk.box) for chunk in chunks] for place, chunks in self._chunks.items()}

    def all_chunks(self) -> dict[int, list[Any]]:
        """The parts that are on this process, by place."""
        return {
            place: [chunk.array for chunk in chunks] for place, chunks in self._chunks.items() if self._is_here(place)
        }

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<DistributedArray {self.dtype}{list(self.shape)} of {self.mode} on {list(self.devices)}>"

    def __getattr__(self, name: str) -> Any:
        if name in _ABSENT:
            raise MissingMemberError(f"distributed arrays have no {name!r}; `get` gathers the elements on the host")
        raise AttributeError(f"'DistributedArray' object has no attribute {name!r}")

    # -- places and movement ------------------------------------------------------------------------------------------

    def _is_here(self, place: int) -> bool:
        return self._group is None or place == self._group.rank

    def _at(self, place: int) -> contextlib.AbstractContextManager[Any]:
        return Device(place) if self._group is None else contextlib.nullcontext()

    def _boxes(self) -> dict[int, list[Box]]:
        return {place: [chunk.box for chunk in chunks] for place, chunks in self._chunks.items()}

    def _like(self, chunks: Mapping[int, list[Chunk]], dtype: Any = None, shape: Any = None, mode: Any = None) -> Any:
        shape = self.shape if shape is None else shape
        return DistributedArray(shape, self.dtype if dtype is None else dtype, chunks, mode, self._group)

    def _gathered(self, wanted: Mapping[int, Sequence[Box]], copy: bool = True) -> dict[int, list[Any]]:
        return gathered(self, wanted, copy)

    def _replica(self) -> DistributedArray:
        """The same elements in replica mode."""
        if self._mode is None:
            return self
        boxes = self._boxes()
        arrays = self._gathered(boxes)
        return self._like(_chunks(boxes, arrays))

    def change_mode(self, mode: str) -> DistributedArray:
        """The same elements in another mode.

        Parameters
        ----------
        mode : {"replica", "sum", "prod", "max", "min"}
            The new mode.

        Returns
        -------
        DistributedArray
            A new array, or this one where it has the mode.
        """
        new = mode_of(mode)
        if new == self._mode:
            return self
        base = self._replica()
        if new is None:
            return base
        if self.dtype.kind == "c" and new.name in ("max", "min"):
            raise ValueError(f"mode={mode!r}: complex numbers have no order")
        own = disjoint(base._boxes())
        chunks: dict[int, list[Chunk]] = {}
        for place, parts in base._chunks.items():
            chunks[place] = []
            for chunk, pieces in zip(parts, own[place], strict=True):
                array = chunk.array
                if pieces != [chunk.box] and self._is_here(place):
                    # Elements that another part has count there.
                    with self._at(place):
                        array = cp.full(extent(chunk.box), new.identity(self.dtype), self.dtype)
                        for piece in pieces:
                            index = within(piece, chunk.box)
                            array[index] = chunk.array[index]
                chunks[place].append(Chunk(chunk.box, array))
        return self._like(chunks, mode=new)

    def reshard(self, index_map: Mapping[int, Any]) -> DistributedArray:
        """The same elements in other parts.

        Parameters
        ----------
        index_map : mapping
            Indices of the new parts for each place.

        Returns
        -------
        DistributedArray
            A new array, in mode `replica`.
        """
        boxes = boxes_of(index_map, self.shape)
        check_places(boxes, self._group)
        return self._like(_chunks(boxes, self._gathered(boxes)))

    def get(self, stream: Any = None, order: str = "C", out: Any = None) -> np.ndarray:
        """The elements as an array of NumPy; with a group, on every rank.

        Parameters
        ----------
        stream : Stream, optional
            Taken for compatibility.
        order : str
            The order of the result in memory.
        out : numpy.ndarray, optional
            An array for the result, which is then returned.

        Returns
        -------
        numpy.ndarray
        """
        whole: Box = tuple((0, length) for length in self.shape)
        targets = range(self._group.size) if self._group is not None else [self.devices[0]]
        arrays = self._gathered({place: [whole] for place in targets}, copy=False)
        array = next(array for parts in arrays.values() for array in parts if array is not None)
        return array.get(order=order, out=out)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a distributed array is always copied to the host")
        array = self.get()
        return array if dtype is None else array.astype(dtype)

    def item(self) -> Any:
        """The only element, as a number of Python."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("the truth value of an array with more than one element is ambiguous")
        return bool(self.item())

    # -- elementwise --------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        if name == "matmul" and method == "__call__":
            return product(DistributedArray, *inputs, **options)
        if method == "reduce" and name in _REDUCTIONS:
            return self._reduced(_REDUCTIONS[name], **options)
        if method != "__call__":
            raise NotImplementedError(f"{name}.{method} of distributed arrays")
        if (out := options.pop("out", None)) is not None:
            return self._computed_into(out, name, lambda: getattr(ufunc, method)(*inputs, **options))
        if unknown := set(options) - {"dtype", "casting"}:
            raise NotImplementedError(f"{name} of distributed arrays with {', '.join(sorted(unknown))}")
        function = getattr(cp, name, None)
        if function is None:
            raise NotImplementedError(f"{name} of distributed arrays")
        return _elementwise(lambda *parts: function(*parts, **options), inputs, name)

    def _computed_into(self, out: Any, name: str, compute: Callable[[], Any]) -> Any:
        """A result written into an array that is given for it."""
        (target,) = out if isinstance(out, tuple) and len(out) == 1 else (None,)
        if not isinstance(target, DistributedArray):
            raise NotImplementedError(f"{name}: out must be one distributed array")
        result = compute()
        if result.shape != target.shape:
            raise ValueError(f"{name}: out has shape {target.shape}, the result {result.shape}")
        if not np.can_cast(result.dtype, target.dtype, "same_kind"):
            raise TypeError(f"{name}: results of {result.dtype} cannot be cast to out of {target.dtype}")
        target[...] = result
        return target

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        name = {"amax": "max", "amin": "min"}.get(function.__name__, function.__name__)
        if name in ("dot", "matmul"):
            return product(DistributedArray, *arguments, **options)
        if name in (
            "sum",
            "prod",
            "max",
            "min",
            "mean",
            "var",
            "std",
            "any",
            "all",
            "transpose",
            "real",
            "imag",
            "round",
        ):
            member = getattr(DistributedArray, name)
            if isinstance(member, property):
                return getattr(arguments[0], name)
            return member(*arguments, **options)
        raise NotImplementedError(f"{name} of distributed arrays; `get` gathers the elements on the host")

    def _each(
        self, function: Callable[[Any], Any], boxes: Callable[[Box], Box] | None = None, shape: Any = None
    ) -> Any:
        """A function of every part; the parts stay where they are."""
        base = self._replica()
        chunks: dict[int, list[Chunk]] = {}
        for place, parts in base._chunks.items():
            chunks[place] = []
            for chunk in parts:
                with self._at(place):
                    array = function(chunk.array) if self._is_here(place) else None
                chunks[place].append(Chunk(chunk.box if boxes is None else boxes(chunk.box), array))
        dtype = function(cp.empty((0,) * self.ndim if self.ndim else (), self.dtype)).dtype
        return self._like(chunks, dtype, shape)

    def astype(self, dtype: Any, **options: Any) -> DistributedArray:
        """A copy with elements of another dtype.

        Parameters
        ----------
        **options
            The options of `ndarray.astype`.
        """
        return self._each(lambda array: array.astype(dtype, **options))

    def copy(self) -> DistributedArray:
        """A copy in the same parts."""
        return self._each(lambda array: array.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> DistributedArray:
        return self.copy()

    def conj(self) -> DistributedArray:
        """The complex conjugates."""
        return self._each(lambda array: array.conj().copy())

    conjugate = conj

    def round(self, decimals: int = 0) -> DistributedArray:
        """The elements rounded to a number of decimals."""
        return self._each(lambda array: array.round(decimals))

    @property
    def real(self) -> DistributedArray:
        """The real parts, as a copy."""
        return self._each(lambda array: array.real.copy())

    @property
    def imag(self) -> DistributedArray:
        """The imaginary parts, as a copy."""
        return self._each(lambda array: array.imag.copy())

    def transpose(self, *axes: Any) -> DistributedArray:
        """The axes in another order; parts stay where they are."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = tuple(axes[0] or ())
        order = normalize_axis_tuple(axes, self.ndim) if axes else tuple(range(self.ndim))[::-1]
        if len(order) != self.ndim:
            raise ValueError(f"axes={axes} does not match an array of {self.ndim} axes")
        shape = tuple(self.shape[axis] for axis in order)
        return self._each(lambda array: array.transpose(order), lambda box: tuple(box[axis] for axis in order), shape)

    @property
    def T(self) -> DistributedArray:
        """The axes in reverse order."""
        return self.transpose()

    @property
    def mT(self) -> DistributedArray:
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError(f"matrix transpose with ndim {self.ndim} is undefined")
        return self.transpose(*range(self.ndim - 2), self.ndim - 1, self.ndim - 2)

    def __getitem__(self, index: Any) -> DistributedArray:
        parts = list(index) if isinstance(index, tuple) else [index]
        if any(part is Ellipsis for part in parts):
            at = next(number for number, part in enumerate(parts) if part is Ellipsis)
            parts[at : at + 1] = [slice(None)] * (self.ndim - len(parts) + 1)
        if len(parts) > self.ndim:
            raise IndexError(f"too many indices: {len(parts)} for {self.ndim} axes")
        parts += [slice(None)] * (self.ndim - len(parts))
        chosen: list[range | int] = []
        for axis, part in enumerate(parts):
            length = self.shape[axis]
            if isinstance(part, slice):
                found = range(*part.indices(length))
                if found.step < 0:
                    raise NotImplementedError("distributed arrays take slices with positive steps")
                chosen.append(found)
            elif isinstance(part, (int, np.integer)) and not isinstance(part, (bool, np.bool_)):
                if not -length <= part < length:
                    raise IndexError(f"index {part} is out of bounds for axis {axis} with size {length}")
                chosen.append(int(part) % length)
            else:
                raise NotImplementedError(f"distributed arrays take slices and integers, not {type(part).__name__}")
        shape = tuple(len(found) for found in chosen if isinstance(found, range))
        chunks: dict[int, list[Chunk]] = {}
        for place, held in self._chunks.items():
            kept = []
            for chunk in held:
                taken = cut(chunk.box, chosen)
                if taken is not None:
                    local, box = taken
                    with self._at(place):
                        kept.append(Chunk(box, chunk.array[local] if self._is_here(place) else None))
            if kept:
                chunks[place] = kept
        if not chunks:
            # Nothing is left: an empty part where the first was.
            place = self.devices[0]
            with self._at(place):
                empty = cp.empty(shape, self.dtype) if self._is_here(place) else None
            chunks = {place: [Chunk(tuple((0, length) for length in shape), empty)]}
        return self._like(chunks, shape=shape, mode=self._mode)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._mode is not None:
            raise NotImplementedError(f"assignment in mode {self.mode}: take change_mode('replica')")
        view = self[index]
        if np.broadcast_shapes(view.shape, _shape(value)) != view.shape:
            raise ValueError(f"could not broadcast {_shape(value)} into {view.shape}")

        def spread(old: Any, given: Any) -> Any:
            # A copy, since what is given may lie in this array.
            return cp.broadcast_to(cp.asarray(given), old.shape).copy()

        new = _elementwise(spread, (view, value), "assignment")
        # Parts of the view are views of parts of this array.
        for place, chunks in view._chunks.items():
            if self._is_here(place):
                with self._at(place):
                    for chunk, given in zip(chunks, new._chunks[place], strict=True):
                        chunk.array[...] = given.array

    def fill(self, value: Any) -> None:
        """Sets every element to a number."""
        self[...] = value

    # -- reductions ---------------------------------------------------------------------------------------------------

    def _reduced(
        self,
        name: str,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        function: str | None = None,
    ) -> DistributedArray:
        """Parts of a reduction, in the mode that combines them."""
        if out is not None:
            raise NotImplementedError(f"{name} of distributed arrays with out")
        mode, function = MODES[name], function or name
        axes = tuple(range(self.ndim)) if axis is None else normalize_axis_tuple(axis, self.ndim)
        options = {} if dtype is None else {"dtype": dtype}
        result_dtype = getattr(cp.empty((1,) * self.ndim, self.dtype), function)(**options).dtype
        if self.dtype.kind == "c" and name in ("max", "min") and result_dtype.kind == "c":
            raise NotImplementedError(f"{name} of distributed complex arrays")
        if 0 in [self.shape[reduced] for reduced in axes] and function in ("max", "min"):
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        # Parts that are combined in the same way need not be combined before.
        base = self if self._mode == mode and result_dtype == self.dtype else self._replica()
        counted_twice = base._mode is None and name in ("sum", "prod")
        boxes = base._boxes()
        own = disjoint(boxes) if counted_twice else {place: [[box] for box in held] for place, held in boxes.items()}

        def lower(box: Box) -> Box:
            if keepdims:
                return tuple((0, 1) if number in axes else side for number, side in enumerate(box))
            return tuple(side for number, side in enumerate(box) if number not in axes)

        chunks: dict[int, list[Chunk]] = {}
        for place, held in base._chunks.items():
            for chunk, pieces in zip(held, own[place], strict=True):
                for piece in pieces:
                    if not volume(piece) and self.size:
                        continue
                    array = None
                    if self._is_here(place):
                        with self._at(place):
                            part = chunk.array[within(piece, chunk.box)]
                            array = cp.asarray(getattr(part, function)(axis=axes, keepdims=keepdims, **options))
                    chunks.setdefault(place, []).append(Chunk(lower(piece), array))
        shape = extent(lower(tuple((0, length) for length in self.shape)))
        return self._like(chunks, result_dtype, shape, mode)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """The sums along axes, in mode `sum`."""
        return self._reduced("sum", axis, dtype, out, keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """The products along axes, in mode `prod`."""
        return self._reduced("prod", axis, dtype, out, keepdims)

    def max(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """The maxima along axes, in mode `max`."""
        return self._reduced("max", axis, None, out, keepdims)

    def min(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """The minima along axes, in mode `min`."""
        return self._reduced("min", axis, None, out, keepdims)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """Whether any element along axes is true, in mode `max`."""
        return self._reduced("max", axis, None, out, keepdims, "any")

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """Whether all elements along axes are true, in mode `min`."""
        return self._reduced("min", axis, None, out, keepdims, "all")

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> DistributedArray:
        """The means along axes, in mode `replica`."""
        axes = tuple(range(self.ndim)) if axis is None else normalize_axis_tuple(axis, self.ndim)
        count = math.prod(self.shape[reduced] for reduced in axes)
        final = cp.empty(1, self.dtype).mean(**({} if dtype is None else {"dtype": dtype})).dtype
        # As NumPy, which adds float16 in single precision.
        wide = "float32" if final.name in NARROW and dtype is None else final
        total = self.sum(axes, wide, out, keepdims)
        return (total / count).astype(final)

    def var(
        self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False
    ) -> DistributedArray:
        """The variances along axes, in mode `replica`."""
        axes = tuple(range(self.ndim)) if axis is None else normalize_axis_tuple(axis, self.ndim)
        count = math.prod(self.shape[reduced] for reduced in axes)
        final = cp.empty(1, self.dtype).var(**({} if dtype is None else {"dtype": dtype})).dtype
        wide = "float32" if final.name in NARROW and dtype is None else final
        base = self._replica()
        apart = np.subtract(base, base.mean(axes, wide if self.dtype.kind != "c" else None, keepdims=True))
        squares: Any = np.square(np.absolute(apart)) if self.dtype.kind == "c" else np.square(apart)
        total = squares.sum(axes, wide, out, keepdims)
        return (total / max(count - ddof, 0)).astype(final)

    def std(
        self, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False
    ) -> DistributedArray:
        """The standard deviations along axes, in mode `replica`."""
        variance: Any = self.var(axis, dtype, out, ddof, keepdims)
        return np.sqrt(variance)

    def dot(self, other: Any, out: Any = None) -> DistributedArray:
        """The product with a vector or a matrix: see `matmul`.

        Parameters
        ----------
        other : DistributedArray
            The other operand.
        """
        return product(DistributedArray, self, other, out=out)


_REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}


def _chunks(boxes: Mapping[int, Sequence[Box]], arrays: Mapping[int, Sequence[Any]]) -> dict[int, list[Chunk]]:
    return {
        place: [Chunk(box, array) for box, array in zip(held, arrays[place], strict=True)]
        for place, held in boxes.items()
    }


def _shape(value: Any) -> tuple[int, ...]:
    found = getattr(value, "shape", None)
    return np.asarray(value).shape if found is None else found


def _dtype(value: Any) -> Any:
    found = getattr(value, "dtype", None)
    return np.asarray(value).dtype if found is None else found


def _elementwise(function: Callable[..., Any], inputs: Sequence[Any], name: str) -> Any:
    """A function of arrays that are broadcast together, part by part."""
    arrays = [value for value in inputs if isinstance(value, DistributedArray)]
    if len({id(array._group) for array in arrays}) > 1:
        raise ValueError(f"{name}: the arrays belong to different groups")
    shape = np.broadcast_shapes(*(_shape(value) for value in inputs))
    lead = next((array for array in arrays if array.shape == shape), None)
    if lead is None:
        raise NotImplementedError(f"{name}: no distributed operand has the shape {shape} of the result")
    boxes = lead._boxes()

    def narrowed(box: Box, operand: tuple[int, ...]) -> Box:
        """The part of an operand that a part of the result needs."""
        sides = box[len(box) - len(operand) :]
        return tuple((0, 1) if length == 1 else side for side, length in zip(sides, operand, strict=True))

    operands = []
    for value in inputs:
        if isinstance(value, DistributedArray):
            wanted = {place: [narrowed(box, value.shape) for box in held] for place, held in boxes.items()}
            operands.append(value._gathered(wanted, copy=False))
        elif not _shape(value):
            operands.append({place: [value] * len(held) for place, held in boxes.items()})
        else:
            parts: dict[int, list[Any]] = {}
            for place, held in boxes.items():
                with lead._at(place):
                    here = lead._is_here(place)
                    value = value if isinstance(value, cp.ndarray) else np.asarray(value)
                    cuts = (slices(narrowed(box, value.shape)) for box in held)
                    parts[place] = [cp.asarray(value[cut]) if here else None for cut in cuts]
            operands.append(parts)
    outputs: list[dict[int, list[Chunk]]] = []
    single = True
    for place, held in boxes.items():
        if not lead._is_here(place):
            continue
        for number, box in enumerate(held):
            with lead._at(place):
                made = function(*(operand[place][number] for operand in operands))
            single = not isinstance(made, tuple)
            for output, array in enumerate((made,) if single else made):
                if output == len(outputs):
                    outputs.append({})
                outputs[output].setdefault(place, []).append(Chunk(box, cp.asarray(array)))
    # The dtype of the result, also where this process has no part of it.
    samples = [
        cp.empty(0, _dtype(value)) if _shape(value) or isinstance(value, DistributedArray) else value
        for value in inputs
    ]
    sampled = function(*samples)
    single = not isinstance(sampled, tuple)
    sampled = (sampled,) if single else sampled
    results = []
    for output, sample in enumerate(sampled):
        own = outputs[output] if outputs else {}
        chunks = {place: own.get(place) or [Chunk(box, None) for box in held] for place, held in boxes.items()}
        results.append(DistributedArray(shape, sample.dtype, chunks, None, lead._group))
    return results[0] if single else tuple(results)


def check_places(boxes: Mapping[int, Any], group: Backend | None) -> None:
    count = cp.cuda.device_count() if group is None else group.size
    what = "devices" if group is None else "ranks"
    for place in boxes:
        if not 0 <= place < count:
            raise ValueError(f"the index map names {place}; there are {count} {what}")
