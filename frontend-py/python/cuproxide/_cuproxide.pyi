"""The compiled half of Cuproxide: arrays, ufuncs, devices, streams and memory. Import names from `cuproxide` instead.

Functions here take arrays of this library (and scalars where stated); turning array-likes into arrays is `array`'s job.
A method of `ndarray` that is a composition of others calls the public function of its name, `cuproxide.<name>(self,
...)`, at run time: choose, compress, ptp, partition, argpartition, searchsorted, repeat, trace, dot, flat
(`cuproxide.flatiter`).
`ndarray.__array_function__` calls `cuproxide._protocols.dispatch.array_function(func, types, args, kwargs)`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType, TracebackType
from typing import Any, Literal, Self, SupportsIndex, TypeAlias, final

import numpy
import numpy.typing

Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
Order: TypeAlias = str  # "C", "F", "A", "K"
Casting: TypeAlias = str  # "no", "equiv", "safe", "same_kind", "unsafe"
Mode: TypeAlias = str  # "raise", "wrap", "clip"
DTypeLike: TypeAlias = numpy.typing.DTypeLike | None
ScalarLike: TypeAlias = bool | int | float | complex | numpy.generic
ArrayOrScalar: TypeAlias = ndarray | ScalarLike
DeviceLike: TypeAlias = Device | str | int | None

__version__: str

# ---------------------------------------------------------------------------------------------------------- exceptions

class DeviceError(RuntimeError):
    """A call of a driver or vendor library failed."""

    status: int | None

class UnsupportedError(DeviceError, NotImplementedError):
    """The device lacks an optional ability."""

class MissingLibraryError(ImportError, RuntimeError):
    """A vendor library is not on this machine; the message lists each path tried and a hint. `name` is the library."""

class CompileError(RuntimeError):
    """A kernel did not compile. Also `cuproxide.cuda.compiler.CompileException`."""

    log: str
    source: str

class DeviceSynchronized(RuntimeError):
    """A device would have been waited for within `allow_synchronize(False)`."""

class OutOfMemoryError(MemoryError):
    """No device memory is left, or the pool's limit is reached. Also `cuproxide.cuda.memory.OutOfMemoryError`."""

# --------------------------------------------------------------------------------------------------------------- array

class ndarray:
    """An n-dimensional array on a device."""

    def __new__(
        cls,
        shape: Shape,
        dtype: DTypeLike = float,
        memptr: MemoryPointer | ndarray | None = None,
        strides: Sequence[int] | None = None,
        order: Order = "C",
    ) -> Self:
        """An uninitialised array, or a view of the memory at `memptr` (a pointer, or an array whose first element it
        starts at).
        """

    __array_priority__: float  # 100
    __hash__: None  # type: ignore[assignment]

    # attributes
    T: ndarray
    mT: ndarray
    data: MemoryPointer
    dtype: numpy.dtype[Any]  # settable
    flags: flagsobj
    flat: Any
    real: ndarray  # settable
    imag: ndarray  # settable
    shape: tuple[int, ...]  # settable
    strides: tuple[int, ...]  # settable, deprecated
    itemsize: int
    nbytes: int
    ndim: int
    size: int
    base: ndarray | None
    device: Device
    ctypes: Any
    cstruct: ByValue
    __cuda_array_interface__: dict[str, Any]  # AttributeError unless the memory is a GPU's
    def mdspan(self, index_type: DTypeLike = None, allow_unsafe: bool = False) -> ByValue: ...

    # reductions; 0-d arrays where NumPy gives scalars
    def all(
        self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False, *, where: ndarray | bool = True
    ) -> ndarray: ...
    def any(
        self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False, *, where: ndarray | bool = True
    ) -> ndarray: ...
    def argmax(
        self,
        axis: SupportsIndex | None = None,
        out: ndarray | None = None,
        dtype: DTypeLike = None,
        keepdims: bool = False,
    ) -> ndarray: ...
    def argmin(
        self,
        axis: SupportsIndex | None = None,
        out: ndarray | None = None,
        dtype: DTypeLike = None,
        keepdims: bool = False,
    ) -> ndarray: ...
    def max(
        self,
        axis: Axes = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: ScalarLike | None = None,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def min(
        self,
        axis: Axes = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: ScalarLike | None = None,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def sum(
        self,
        axis: Axes = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: ScalarLike | None = None,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def prod(
        self,
        axis: Axes = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: ScalarLike | None = None,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def mean(
        self,
        axis: Axes = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        *,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def var(
        self,
        axis: Axes = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: ndarray | bool = True,
        mean: ndarray | complex | None = None,
    ) -> ndarray: ...
    def std(
        self,
        axis: Axes = None,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: ndarray | bool = True,
        mean: ndarray | complex | None = None,
    ) -> ndarray: ...
    def cumsum(
        self, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: ndarray | None = None
    ) -> ndarray: ...
    def cumprod(
        self, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: ndarray | None = None
    ) -> ndarray: ...
    def ptp(self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray: ...

    # shape
    def reshape(self, *shape: Shape, order: Literal["C", "F", "A"] = "C", copy: bool | None = None) -> ndarray: ...
    def ravel(self, order: Order = "C") -> ndarray: ...
    def flatten(self, order: Order = "C") -> ndarray: ...
    def transpose(self, *axes: Axes) -> ndarray: ...
    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> ndarray: ...
    def squeeze(self, axis: Axes = None) -> ndarray: ...
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray: ...
    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None, out: ndarray | None = None
    ) -> ndarray: ...
    def repeat(self, repeats: Any, axis: SupportsIndex | None = None) -> ndarray: ...
    def view(self, dtype: DTypeLike | type[ndarray] | None = None, type: type[ndarray] | None = None) -> ndarray: ...
    def resize(self, *new_shape: Shape | None, refcheck: bool = True) -> None: ...
    def getfield(self, dtype: DTypeLike, offset: int = 0) -> ndarray: ...
    def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None: ...
    def setfield(self, val: Any, dtype: DTypeLike, offset: int = 0) -> None: ...
    def reduced_view(self, dtype: DTypeLike = None) -> ndarray: ...

    # values
    def astype(
        self,
        dtype: DTypeLike,
        order: Order = "K",
        casting: Casting = "unsafe",
        subok: bool | None = True,
        copy: bool = True,
    ) -> ndarray: ...
    def copy(self, order: Order = "C") -> ndarray: ...
    def fill(self, value: ScalarLike | ndarray) -> None: ...
    def clip(
        self, min: ArrayOrScalar | None = None, max: ArrayOrScalar | None = None, out: ndarray | None = None
    ) -> ndarray: ...
    def round(self, decimals: int = 0, out: ndarray | None = None) -> ndarray: ...
    def conj(self) -> ndarray: ...
    def conjugate(self) -> ndarray: ...
    def dot(self, b: ArrayOrScalar, out: ndarray | None = None) -> ndarray: ...
    def byteswap(self, inplace: bool = False) -> ndarray: ...

    # selection
    def take(
        self, indices: Any, axis: SupportsIndex | None = None, out: ndarray | None = None, mode: Mode = "raise"
    ) -> ndarray: ...
    def put(self, indices: Any, values: Any, mode: Mode = "raise") -> None: ...
    def nonzero(self) -> tuple[ndarray, ...]: ...
    def sort(
        self,
        axis: SupportsIndex = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> None: ...
    def argsort(
        self,
        axis: SupportsIndex | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool | None = None,
        descending: bool | None = None,
    ) -> ndarray: ...
    def choose(self, choices: Any, out: ndarray | None = None, mode: Mode = "raise") -> ndarray: ...
    def compress(self, condition: Any, axis: SupportsIndex | None = None, out: ndarray | None = None) -> ndarray: ...
    def partition(self, kth: Any, axis: SupportsIndex = -1, kind: str = "introselect", order: None = None) -> None: ...
    def argpartition(
        self, kth: Any, axis: SupportsIndex | None = -1, kind: str = "introselect", order: None = None
    ) -> ndarray: ...
    def searchsorted(
        self, v: Any, side: Literal["left", "right"] = "left", sorter: ndarray | None = None
    ) -> ndarray: ...
    def scatter_add(self, slices: Any, value: Any) -> None: ...
    def scatter_max(self, slices: Any, value: Any) -> None: ...
    def scatter_min(self, slices: Any, value: Any) -> None: ...

    # to and from the host
    def get(
        self, stream: Stream | None = None, order: Order = "C", out: numpy.ndarray | None = None, blocking: bool = True
    ) -> numpy.ndarray: ...
    def set(self, arr: numpy.ndarray, stream: Stream | None = None) -> None: ...
    def item(self, *index: SupportsIndex) -> bool | int | float | complex: ...
    def tolist(self) -> Any: ...
    def tobytes(self, order: Order = "C") -> bytes: ...
    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None: ...
    def dump(self, file: Any) -> None: ...
    def dumps(self) -> bytes: ...
    def to_device(self, device: DeviceLike, /, *, stream: Stream | None = None) -> ndarray: ...
    def toDlpack(self) -> Any: ...

    # protocols
    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any: ...  # TypeError: use .get()
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any: ...
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType: ...
    def __array_wrap__(self, array: ndarray, context: Any = None, return_scalar: bool = False) -> ndarray: ...
    def __array_finalize__(self, obj: Any) -> None: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __copy__(self) -> ndarray: ...
    def __deepcopy__(self, memo: Any) -> ndarray: ...
    def __reduce__(self) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __format__(self, format_spec: str, /) -> str: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __round__(self, ndigits: int | None = None) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[ndarray]: ...
    def __reversed__(self) -> Iterator[ndarray]: ...
    def __contains__(self, value: Any) -> bool: ...
    def __getitem__(self, index: Any) -> ndarray: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __add__(self, other: Any, /) -> ndarray: ...
    def __radd__(self, other: Any, /) -> ndarray: ...
    def __iadd__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> ndarray: ...
    def __rsub__(self, other: Any, /) -> ndarray: ...
    def __isub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> ndarray: ...
    def __rmul__(self, other: Any, /) -> ndarray: ...
    def __imul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> ndarray: ...
    def __rtruediv__(self, other: Any, /) -> ndarray: ...
    def __itruediv__(self, other: Any, /) -> Self: ...
    def __floordiv__(self, other: Any, /) -> ndarray: ...
    def __rfloordiv__(self, other: Any, /) -> ndarray: ...
    def __ifloordiv__(self, other: Any, /) -> Self: ...
    def __mod__(self, other: Any, /) -> ndarray: ...
    def __rmod__(self, other: Any, /) -> ndarray: ...
    def __imod__(self, other: Any, /) -> Self: ...
    def __pow__(self, other: Any, /, modulo: None = None) -> ndarray: ...
    def __rpow__(self, other: Any, /, modulo: None = None) -> ndarray: ...
    def __ipow__(self, other: Any, /) -> Self: ...  # type: ignore[misc]
    def __matmul__(self, other: Any, /) -> ndarray: ...
    def __rmatmul__(self, other: Any, /) -> ndarray: ...
    def __imatmul__(self, other: Any, /) -> Self: ...
    def __and__(self, other: Any, /) -> ndarray: ...
    def __rand__(self, other: Any, /) -> ndarray: ...
    def __iand__(self, other: Any, /) -> Self: ...
    def __or__(self, other: Any, /) -> ndarray: ...
    def __ror__(self, other: Any, /) -> ndarray: ...
    def __ior__(self, other: Any, /) -> Self: ...
    def __xor__(self, other: Any, /) -> ndarray: ...
    def __rxor__(self, other: Any, /) -> ndarray: ...
    def __ixor__(self, other: Any, /) -> Self: ...
    def __lshift__(self, other: Any, /) -> ndarray: ...
    def __rlshift__(self, other: Any, /) -> ndarray: ...
    def __ilshift__(self, other: Any, /) -> Self: ...
    def __rshift__(self, other: Any, /) -> ndarray: ...
    def __rrshift__(self, other: Any, /) -> ndarray: ...
    def __irshift__(self, other: Any, /) -> Self: ...
    def __divmod__(self, other: Any, /) -> tuple[ndarray, ndarray]: ...
    def __rdivmod__(self, other: Any, /) -> tuple[ndarray, ndarray]: ...
    def __neg__(self) -> ndarray: ...
    def __pos__(self) -> ndarray: ...
    def __abs__(self) -> ndarray: ...
    def __invert__(self) -> ndarray: ...
    def __lt__(self, other: Any, /) -> ndarray: ...
    def __le__(self, other: Any, /) -> ndarray: ...
    def __gt__(self, other: Any, /) -> ndarray: ...
    def __ge__(self, other: Any, /) -> ndarray: ...
    def __eq__(self, other: object, /) -> ndarray: ...  # type: ignore[override]
    def __ne__(self, other: object, /) -> ndarray: ...  # type: ignore[override]

@final
class flagsobj:
    """Memory layout of an array: attributes, or `flags["C_CONTIGUOUS"]`. `writeable` can be set."""

    c_contiguous: bool
    f_contiguous: bool
    owndata: bool
    forc: bool
    fnc: bool
    farray: bool
    carray: bool
    behaved: bool
    contiguous: bool
    fortran: bool
    aligned: bool
    writeable: bool
    writebackifcopy: bool
    num: int
    def __getitem__(self, name: str) -> bool: ...
    def __setitem__(self, name: str, value: bool) -> None: ...

# --------------------------------------------------------------------------------------------------------------- ufunc

@final
class ufunc:
    """A function that works element by element, as `numpy.ufunc`."""

    __name__: str
    __doc__: str
    name: str  # "cuproxide_add"
    nin: int
    nout: int
    nargs: int
    ntypes: int
    types: list[str]
    identity: Any
    signature: None
    def __call__(
        self,
        *args: Any,
        out: ndarray | tuple[ndarray | None, ...] | None = None,
        where: ndarray | bool = True,
        dtype: DTypeLike = None,
        casting: Casting = "same_kind",
        order: Order = "K",
        subok: bool = True,
        signature: Any = None,
        sig: Any = None,
    ) -> Any: ...
    def resolve_dtypes(
        self,
        dtypes: tuple[Any, ...],
        *,
        signature: Any = None,
        casting: Casting | None = None,
        reduction: bool = False,
    ) -> tuple[numpy.dtype[Any], ...]: ...
    def reduce(
        self,
        array: ndarray,
        axis: Axes = 0,
        dtype: DTypeLike = None,
        out: ndarray | None = None,
        keepdims: bool = False,
        initial: Any = ...,
        where: ndarray | bool = True,
    ) -> ndarray: ...
    def accumulate(
        self, array: ndarray, axis: Axes = 0, dtype: DTypeLike = None, out: ndarray | None = None
    ) -> ndarray: ...
    def outer(self, A: ArrayOrScalar, B: ArrayOrScalar, /, **kwargs: Any) -> ndarray: ...
    def at(
        self, a: ndarray, indices: Any, b: Any = None, /
    ) -> None: ...  # add, subtract, maximum, minimum in Rust; else cuproxide._protocols.dispatch.ufunc_at
    def reduceat(
        self, array: ndarray, indices: Any, axis: Axes = 0, dtype: DTypeLike = None, out: ndarray | None = None
    ) -> ndarray: ...  # cuproxide._protocols.dispatch.ufunc_reduceat

def ufuncs(home: str = "numpy") -> dict[str, ufunc]:
    """The ufuncs of a home by name, aliases included (`abs` and `absolute` are one object).

    Homes are "numpy", which lists internal ones too, with a `_` in front, "special" and "internal".
    """

def ufunc_facts(ufunc: ufunc) -> tuple[list[tuple[float, float, bool]], str]:
    """The domain of each input as (low, high, whether the ends belong to it), and the source of the method."""

# ------------------------------------------------------------------------------------------------------------ creation

def array(
    object: Any,
    dtype: DTypeLike = None,
    copy: bool | None = True,
    order: Order = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    ndmax: int = 0,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> ndarray:
    """A new array of arrays, NumPy arrays, scalars, nested sequences, `__dlpack__` or `__cuda_array_interface__`.

    `copy=None` copies only if needed, `copy=False` raises ValueError where a copy is needed.
    """

def asnumpy(
    a: Any, stream: Stream | None = None, order: Order = "C", out: numpy.ndarray | None = None, *, blocking: bool = True
) -> numpy.ndarray:
    """The elements as a NumPy array on the host; anything but an array of this library goes through `numpy.asarray`."""

def from_dlpack(x: Any, /, *, device: DeviceLike = None, copy: bool | None = None) -> ndarray:
    """An array that shares the memory of `x` (or copies it if asked or needed)."""

def from_capsule(capsule: Any) -> ndarray:
    """An array from a legacy DLPack capsule (`cuproxide.fromDlpack`)."""

def empty(
    shape: Shape,
    dtype: DTypeLike = float,
    order: Order = "C",
    *,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> ndarray: ...
def zeros(
    shape: Shape,
    dtype: DTypeLike = float,
    order: Order = "C",
    *,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> ndarray: ...
def full(
    shape: Shape,
    fill_value: ArrayOrScalar,
    dtype: DTypeLike = None,
    order: Order = "C",
    *,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> ndarray: ...
def empty_like(
    a: ndarray,
    dtype: DTypeLike = None,
    order: Order = "K",
    shape: Shape | None = None,
    subok: bool = True,
    *,
    device: DeviceLike = None,
) -> ndarray: ...
def zeros_like(
    a: ndarray,
    dtype: DTypeLike = None,
    order: Order = "K",
    shape: Shape | None = None,
    subok: bool = True,
    *,
    device: DeviceLike = None,
) -> ndarray: ...
def full_like(
    a: ndarray,
    fill_value: ArrayOrScalar,
    dtype: DTypeLike = None,
    order: Order = "K",
    shape: Shape | None = None,
    subok: bool = True,
    *,
    device: DeviceLike = None,
) -> ndarray: ...
def arange(start: ScalarLike, step: ScalarLike, length: int, dtype: DTypeLike, *, device: DeviceLike = None) -> ndarray:
    """`start + i * step` for i below `length`, computed as `numpy.arange` computes it in `dtype`."""

# ---------------------------------------------------------------------------------------------------------- operations

def reduce(
    name: str,
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    initial: ScalarLike | None = None,
    where: ndarray | bool = True,
    ddof: float = 0,
) -> ndarray:
    """A reduction by its name in the core's table: sum prod min max argmin argmax any all count_nonzero mean var std
    nansum ...
    """

def accumulate(
    name: str, a: ndarray, axis: SupportsIndex | None = None, dtype: DTypeLike = None, out: ndarray | None = None
) -> ndarray:
    """A running reduction (sum, prod, ...); over the flattened array without `axis`."""

def concatenate(
    arrays: Sequence[ndarray],
    axis: SupportsIndex | None = 0,
    out: ndarray | None = None,
    dtype: DTypeLike = None,
    casting: Casting = "same_kind",
) -> ndarray: ...
def fast_concatenate(arrays: object, axis: SupportsIndex | None) -> ndarray | None: ...
def matmul(a: ndarray, b: ndarray, out: ndarray | None = None, dtype: DTypeLike = None) -> ndarray: ...
def fast_dot(a: object, b: object) -> ndarray | None: ...
def where(condition: ArrayOrScalar, x: ArrayOrScalar, y: ArrayOrScalar) -> ndarray: ...
def fast_where(condition: object, x: object, y: object) -> ndarray | None: ...
def clip(
    a: ArrayOrScalar, min: ArrayOrScalar | None, max: ArrayOrScalar | None, out: ndarray | None = None
) -> ndarray: ...
def take(
    a: ndarray, indices: Any, axis: SupportsIndex | None = None, out: ndarray | None = None, mode: Mode = "raise"
) -> ndarray: ...
def put(a: ndarray, indices: Any, values: Any, mode: Mode = "raise") -> None: ...
def set_following_cupy(follows: bool) -> bool:
    """Lets diagonals be written to and arrays of one element be assigned to elements throughout the process, as in
    CuPy, or no longer; returns what held before.
    """

def reads_at_once(a: ndarray) -> bool:
    """Whether the thread may read an array's elements now without a wait to speak of."""

def set_waiting(allowed: bool) -> bool:
    """Lets the thread wait for devices, or no longer; returns what held before."""

def set_index_wrapping(wrapping: bool) -> bool:
    """Makes indices out of bounds wrap around throughout the process, or no longer; returns what held before."""

def scatter(a: ndarray, slices: Any, value: Any, op: Literal["add", "max", "min"]) -> None:
    """`a[slices] op= value` where repeated indices all count."""

def nonzero(a: ndarray) -> tuple[ndarray, ...]: ...
def sort(a: ndarray, axis: SupportsIndex | None = -1, places: tuple[int, int] | None = None) -> ndarray: ...
def argsort_below(a: ndarray, bits: int) -> ndarray: ...
def sort_carrying(
    keys: ndarray, bits: int, first: ndarray, second: ndarray
) -> tuple[ndarray, ndarray, ndarray] | None: ...
def argsort(a: ndarray, axis: SupportsIndex | None = -1, places: tuple[int, int] | None = None) -> ndarray: ...
def bincount(a: ndarray, bins: int) -> ndarray: ...
def histogram(a: ndarray, edges: ndarray, uniform: bool) -> ndarray | None: ...
def distinct(a: ndarray, equal_nan: bool) -> ndarray | None: ...
def window_ranks(a: ndarray, rows: int, columns: int, rank: int) -> ndarray | None: ...
def searchsorted(a: ndarray, v: ndarray, right: bool) -> ndarray: ...
def pack_bits(a: ndarray, big: bool) -> ndarray: ...
def unpack_bits(a: ndarray, length: int, big: bool) -> ndarray: ...
def pair_distances(
    rows: ndarray,
    others: ndarray | None,
    weights: ndarray | None,
    term: Literal["square", "difference", "largest", "ratio", "unequal"],
    root: bool,
    divisor: float,
) -> ndarray | None:
    """Distances of all rows, or (condensed) of all pairs of `rows`; `None` if the device leaves it to kernels."""

def nearest_rows(rows: ndarray, codes: ndarray) -> tuple[ndarray, ndarray] | None:
    """The nearest code of each row and its distance; `None` if the device leaves it to kernels."""

def reduceat(name: str, a: ndarray, starts: ndarray, axis: SupportsIndex, dtype: DTypeLike = None) -> ndarray:
    """The ranges of an axis from each start (int64, not checked) to the next, reduced by the ufunc of that name."""

def update_at(name: str, target: ndarray, places: ndarray, order: ndarray, values: ndarray | None = None) -> None:
    """Applies a ufunc in place at places of a dense array, which may repeat; `order` sorts them stably."""

def pad_edges(a: ndarray, widths: Sequence[tuple[int, int]], boundary: str) -> ndarray:
    """A copy with more elements before and after each axis, which goes on as the boundary mode says."""

def copyto(dst: ndarray, src: ArrayOrScalar, casting: Casting = "same_kind", where: ndarray | bool = True) -> None: ...
def broadcast_to(a: ndarray, shape: Shape) -> ndarray: ...
def broadcast_shapes(*shapes: Shape) -> tuple[int, ...]: ...
def as_strided(a: ndarray, shape: Shape | None = None, strides: Sequence[int] | None = None) -> ndarray: ...
def expand_dims(a: ndarray, axis: Shape) -> ndarray: ...
def moveaxis(a: ndarray, source: Shape, destination: Shape) -> ndarray: ...
def may_share_memory(a: ndarray, b: ndarray) -> bool: ...
def normalize_axis(axis: SupportsIndex, ndim: int) -> int:
    """The axis counted from the front, or AxisError."""

def normalize_axes(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Distinct axes counted from the front; all of them for None."""

# --------------------------------------------------------------------------------------------------------------- types

def dtype(obj: DTypeLike) -> numpy.dtype[Any]:
    """The NumPy dtype, or TypeError if this library has no arrays of it. "bfloat16" is that of ml_dtypes."""

def promote_types(type1: DTypeLike, type2: DTypeLike) -> numpy.dtype[Any]: ...
def result_type(*arrays_and_dtypes: Any) -> numpy.dtype[Any]:
    """As `numpy.result_type`: Python scalars only lend their kind."""

def can_cast(from_: DTypeLike | ndarray, to: DTypeLike, casting: Casting = "safe") -> bool: ...

# ------------------------------------------------------------------------------------------------------------- devices

@final
class Device:
    """A device: `Device("cuda:0")`, `Device("cpu")`, `Device(1)` (of the current backend), `Device()` (current).

    A context manager that makes it the thread's current device.
    """

    def __new__(cls, device: DeviceLike = None) -> Self: ...
    id: int
    backend: str
    name: str
    architecture: str
    mem_info: tuple[int, int]  # free, total
    attributes: dict[str, int]
    compute_capability: str  # "90"; "" where there is no such thing
    warp_size: int
    multiprocessors: int
    total_memory: int
    asynchronous: bool
    pci_bus_id: str
    cublas_handle: int
    cusolver_handle: int
    cusolver_sp_handle: int
    cusparse_handle: int
    cutensor_handle: int
    @staticmethod
    def from_pci_bus_id(pci_bus_id: str) -> Device: ...
    def use(self) -> None: ...
    def synchronize(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    # str(device) == "cuda:0"; equal and hashable by that name, equal to it as a string too; int(device) is its id

def available_devices() -> list[Device]:
    """Every device of every backend that works here, the preferred backend first."""

def device_count(backend: str | None = None) -> int:
    """Number of devices of a backend (of the current device's one by default); 0 if it does not work here."""

def backends() -> list[str]:
    """Names of the backends in this build."""

def reports() -> list[dict[str, Any]]:
    """What each backend found, for `doctor`. Opens everything that can be opened, never fails.

    Keys: backend, error (str | None), devices (list of dicts: name, product, architecture, total_memory, capability),
    libraries (list of dicts: name, path, version, or error with attempts [(path, error)] and hint), facts (list of
    pairs).
    """

class Stream:
    """A queue of work on a device; a context manager that makes it the thread's current stream."""

    null: Stream  # class attribute: the default stream of the current device
    ptds: Stream  # class attribute: the default stream of the calling thread
    def __new__(
        cls, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: int | None = None
    ) -> Self: ...
    ptr: int
    device: Device
    device_id: int
    done: bool
    is_non_blocking: bool
    priority: int
    @staticmethod
    def from_external(obj: Any) -> ExternalStream: ...
    def use(self) -> Self: ...
    def synchronize(self) -> None: ...
    def record(self, event: Event | None = None) -> Event: ...
    def wait_event(self, event: Event) -> None: ...
    def launch_host_func(self, callback: Callable[[Any], object], arg: Any) -> None: ...
    def add_callback(self, callback: Callable[[Stream, int, Any], object], arg: Any) -> None: ...
    def begin_capture(self, mode: int | None = None) -> None: ...
    def end_capture(self) -> Graph: ...
    def is_capturing(self) -> bool: ...
    def __cuda_stream__(self) -> tuple[int, int]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

@final
class ExternalStream(Stream):
    """A stream of another library by its handle."""

    def __new__(cls, ptr: int, device_id: DeviceLike = None) -> Self: ...

def get_current_stream(device_id: DeviceLike = None) -> Stream: ...
def note_destroyed(handle: int) -> None:
    """Notes that the stream or event with a handle was destroyed."""

def was_destroyed(handle: int) -> bool:
    """Whether a handle is that of a stream or event that was destroyed, and no living one has told it since."""

@final
class FusedFunction:
    """A function that is traced once for each kind of arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        survey: Callable[..., Any],
        static_positions: list[int],
        static_names: list[str],
    ) -> None: ...
    def __call__(self, *args: Any, **named: Any) -> Any: ...
    def clear(self) -> None:
        """Starts to count calls anew."""

    def status(self) -> tuple[str, list[int], int, int, int, str | None]:
        """What became of calls."""

class Graph:
    """Work that a stream captured, to be launched any number of times."""

    graph: int
    graphExec: int
    host_funcargs: list[tuple[Any, Any]]
    device: Device
    def launch(self, stream: Stream | None = None) -> None: ...
    def upload(self, stream: Stream | None = None) -> None: ...
    def debug_dot_str(self, flags: int = 0) -> str: ...

@final
class Event:
    """A marker in a stream."""

    def __new__(cls, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> Self: ...
    ptr: int
    done: bool
    device: Device
    def record(self, stream: Stream | None = None) -> None: ...
    def synchronize(self) -> None: ...

def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two events that have been reached."""

# -------------------------------------------------------------------------------------------------------------- memory

class Memory:
    """A block of device memory, kept alive by this object. `Memory(size)` asks the device for one, past its pool.

    A subclass may set `ptr`, `size` and `device_id` itself.
    """

    def __init__(self, size: int) -> None: ...
    ptr: int
    size: int
    device: Device
    device_id: int
    def free(self) -> None: ...
    def __int__(self) -> int: ...

@final
class ManagedMemory(Memory):
    """Memory that migrates between the host and the device."""

    def prefetch(self, stream: Stream, *, device_id: int | None = None) -> None: ...
    def advise(self, advise: int, device: Device | int) -> None: ...

@final
class MemoryAsync(Memory):
    """Memory allocated, and given back, in the order of a stream, by the driver's own pool."""

    def __new__(cls, size: int, stream: Stream, *, pool: int = 0) -> Self: ...
    stream_ref: Stream

@final
class UnownedMemory(Memory):
    """Memory of another library at address `ptr`, which `owner` keeps alive."""

    def __new__(cls, ptr: int, size: int, owner: Any, device_id: DeviceLike = None) -> Self: ...

@final
class MemoryPointer:
    """An address within a `Memory`. `MemoryPointer(mem, offset)`; `pointer + n` moves it."""

    def __new__(cls, mem: Memory, offset: int = 0) -> Self: ...
    ptr: int
    mem: Memory
    device: Device
    device_id: int
    def copy_from(self, mem: Any, size: int) -> None: ...
    def copy_from_async(self, mem: Any, size: int, stream: Stream | None = None) -> None: ...
    def copy_from_device(self, src: MemoryPointer, size: int) -> None: ...
    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Stream | None = None) -> None: ...
    def copy_from_host(self, mem: Any, size: int) -> None: ...
    def copy_from_host_async(self, mem: Any, size: int, stream: Stream | None = None) -> None: ...
    def copy_to_host(self, mem: Any, size: int) -> None: ...
    def copy_to_host_async(self, mem: Any, size: int, stream: Stream | None = None) -> None: ...
    def memset(self, value: int, size: int) -> None: ...
    def memset_async(self, value: int, size: int, stream: Stream | None = None) -> None: ...
    def __add__(self, offset: int) -> MemoryPointer: ...
    def __radd__(self, offset: int) -> MemoryPointer: ...
    def __sub__(self, offset: int) -> MemoryPointer: ...
    def __int__(self) -> int: ...

def alloc(size: int, device: DeviceLike = None) -> MemoryPointer:
    """Memory from the current allocator, by default the pool of the device."""

class PinnedMemory:
    """A block of page-locked host memory. A subclass may set `ptr` and `size` itself."""

    def __init__(self, size: int, flags: int = 0) -> None: ...
    ptr: int
    size: int
    def __int__(self) -> int: ...

@final
class PinnedMemoryPointer:
    """An address within a `PinnedMemory`, with the buffer protocol."""

    def __new__(cls, mem: PinnedMemory, offset: int = 0) -> Self: ...
    ptr: int
    mem: PinnedMemory
    def size(self) -> int: ...
    def __add__(self, offset: int) -> PinnedMemoryPointer: ...
    def __radd__(self, offset: int) -> PinnedMemoryPointer: ...
    def __sub__(self, offset: int) -> PinnedMemoryPointer: ...
    def __int__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class MemoryPool:
    """A caching pool of device memory, over what `allocator(size)` gives or over the device's memory."""

    def __new__(cls, allocator: Callable[[int], MemoryPointer] | None = None) -> Self: ...
    serves_arrays: bool
    def used_bytes(self) -> int: ...
    def total_bytes(self) -> int: ...
    def free_bytes(self) -> int: ...
    def peak_bytes(self) -> int: ...
    def n_free_blocks(self) -> int: ...
    def device_allocations(self) -> int: ...
    def free_all_blocks(self, stream: Stream | None = None) -> None: ...
    def free_all_free(self) -> None: ...
    def malloc(self, size: int) -> MemoryPointer: ...
    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None: ...
    def get_limit(self) -> int: ...

@final
class PinnedMemoryPool:
    """A caching pool of page-locked host memory."""

    def __new__(cls, allocator: Callable[[int], PinnedMemoryPointer] | None = None) -> Self: ...
    def malloc(self, size: int) -> PinnedMemoryPointer: ...
    def n_free_blocks(self) -> int: ...
    def free_all_blocks(self) -> None: ...

def get_default_memory_pool(device: DeviceLike = None) -> MemoryPool: ...
def get_default_pinned_memory_pool(device: DeviceLike = None) -> PinnedMemoryPool: ...
def set_global_allocator(function: Callable[[int], MemoryPointer] | None) -> None: ...
def set_thread_allocator(
    choice: tuple[Callable[[int], MemoryPointer] | None] | None,
) -> tuple[Callable[[int], MemoryPointer] | None] | None: ...
def current_allocator() -> Callable[[int], MemoryPointer] | None: ...
def set_memory_hooks(list: list[Any]) -> None: ...

@final
class System:
    """What the driver of a device offers besides arrays; addresses, handles and codes are plain numbers."""

    def __new__(cls, device: DeviceLike = None) -> Self: ...
    def __getattr__(self, name: str) -> Callable[..., Any]: ...

class Images:
    """Images, textures and surfaces of a device; addresses and handles are plain numbers."""

    def __new__(cls, device: DeviceLike = None) -> Self: ...
    def __getattr__(self, name: str) -> Callable[..., Any]: ...

class Communicator:
    """One rank of a group of devices; addresses are plain numbers."""

    def __new__(cls, id: bytes, rank: int, size: int) -> Self: ...
    @staticmethod
    def all(devices: Sequence[int]) -> list[Communicator]: ...
    rank: int
    size: int
    device: int
    ptr: int
    def all_reduce(self, stream: Stream, src: int, dst: int, count: int, dtype: DTypeLike, op: str) -> None: ...
    def reduce(self, stream: Stream, src: int, dst: int, count: int, dtype: DTypeLike, op: str, root: int) -> None: ...
    def broadcast(self, stream: Stream, src: int, dst: int, count: int, dtype: DTypeLike, root: int) -> None: ...
    def reduce_scatter(self, stream: Stream, src: int, dst: int, count: int, dtype: DTypeLike, op: str) -> None: ...
    def all_gather(self, stream: Stream, src: int, dst: int, count: int, dtype: DTypeLike) -> None: ...
    def send(self, stream: Stream, src: int, count: int, dtype: DTypeLike, peer: int) -> None: ...
    def receive(self, stream: Stream, dst: int, count: int, dtype: DTypeLike, peer: int) -> None: ...
    def exchange(
        self, stream: Stream, sends: list[tuple[int, int, int]], receives: list[tuple[int, int, int]]
    ) -> None: ...
    def split(self, color: int, key: int) -> Communicator | None: ...
    def abort(self) -> None: ...
    def destroy(self) -> None: ...
    def check(self) -> None: ...

def collectives_version() -> int:
    """Version of the library that communicates for the current device."""

def settled_pointer(array: ndarray) -> int:
    """Address of an array's first element, for work that is queued at once."""

def collectives_id() -> bytes:
    """What identifies a new group."""

def collectives_group(begin: bool) -> None:
    """Begins or makes a number of calls at once."""

def dnn_version() -> int | None:
    """The version of the current device's library of neural networks; None if there is none."""

def dnn_run(name: str, operands: Sequence[ndarray], options: dict[str, Any]) -> bool:
    """Has the library compute an operation on arrays, the last of which it writes; False if it does not."""

def dnn_sizes(name: str, operands: Sequence[ndarray], options: dict[str, Any]) -> tuple[int, int] | None:
    """Bytes of states or weights, and of the reserve, that dropout or a recurrent network needs."""

def dnn_rnn_places(options: dict[str, Any]) -> list[tuple[int, int]] | None:
    """Where the library keeps the weights of a network: offsets of matrices and biases, in elements."""

def start_recording() -> None:
    """Begins to record what the process does."""

def stop_recording() -> list[tuple[str, str, str, int, int, float, float, tuple[int, float, float] | None]]:
    """Ends the recording: kind, name, device, bytes, thread, start, duration, the device's own times of each span."""

def is_recording() -> bool:
    """Whether a recording is under way."""

def recording_time() -> float:
    """Microseconds since the recording began."""

def record_range(name: str, start: float) -> None:
    """Notes a range of the program's own that began at a time of `recording_time`."""

def setting(name: str) -> bool | float | str | tuple[int, int] | None:
    """What an environment variable of the table is set to; `None` if it is not set."""

def check_settings() -> None:
    """Raises a `ValueError` for the first environment variable whose value has no meaning."""

def settings_table() -> list[tuple[str, str, str, str | None, str, str, str, str]]:
    """The table of environment variables."""

def set_deterministic(enabled: bool) -> bool:
    """Makes updates through repeated indices give the same bits at every call on every device, or no longer."""

def is_deterministic() -> bool:
    """Whether updates through repeated indices give the same bits at every call on every device."""

def configure(
    *,
    per_thread_streams: bool | None = None,
    memory_limit: float | None = None,
    tf32: bool | None = None,
    interface_sync: bool | None = None,
    interface_version: int | None = None,
    versioned_dlpack: bool | None = None,
    print_sources: bool | None = None,
) -> None:
    """Settings of the process that environment variables give."""

# -------------------------------------------------------------------------------------------------------------- random

def random_draw(name: str, key: int, position: int, parameters: list[Any], out: ndarray) -> int:
    """Fills `out` with a draw of the named distribution and returns how many blocks of the stream it took."""

def random_words(generator: str, state: Sequence[int], out: ndarray) -> None:
    """Fills `out`, a dense line of uint64, with the words of a generator of NumPy that follow a state."""

def random_sequential(state: ndarray, out: ndarray) -> None:
    """Fills `out` with the words of SFC64 that follow the four words of `state`, which moves on."""

def random_twist(buffer: ndarray) -> None:
    """Fills a dense line of uint32 from its first 624 words on by the recurrence of the Mersenne Twister."""

def random_sequence(kind: str, seed: int, dimensions: int, first: int, out: ndarray) -> None:
    """Fills `out` with the words from `first` on of a sequence of the device's library.

    `out` is a dense line of uint32, of uint64 for "scrambled_sobol64". The other kinds are "xorwow", "mrg32k3a" and
    "scrambled_sobol32". Of points `first` numbers one, and `out` has the first coordinates of all, then the second.
    """

# --------------------------------------------------------------------------------------------------- Fourier transforms

def fourier_transform(
    a: ndarray,
    kind: str,
    forward: bool,
    axes: Sequence[int],
    lengths: Sequence[int],
    norm: str | None = None,
    plan: FftPlan | None = None,
) -> ndarray:
    """The transform along some axes; `kind` is "complex", "real" or "half". With a plan, by that one or not at all."""

@final
class SparseFactors:
    def solve(self, b: ndarray, form: str) -> ndarray: ...

def sparse_factor(offsets: ndarray, rows: ndarray, values: ndarray, cholesky: bool) -> SparseFactors | None: ...

@final
class SparseDirect:
    bytes: int
    def solve(self, b: ndarray, form: str) -> ndarray: ...
    def refactor(self, values: ndarray) -> bool: ...

def sparse_direct_takes(a: tuple[ndarray, ndarray, ndarray], again: bool) -> bool: ...
def sparse_direct_factor(a: tuple[ndarray, ndarray, ndarray], cholesky: bool) -> SparseDirect | None: ...
def sparse_library(work: str, values: ndarray, offsets: ndarray) -> bool: ...
def sparse_times(a: tuple[ndarray, ndarray, ndarray], columns: int, x: ndarray) -> ndarray: ...
def sparse_multiply(
    a: tuple[ndarray, ndarray, ndarray], b: tuple[ndarray, ndarray, ndarray], columns: int
) -> tuple[ndarray, ndarray, ndarray]: ...
def sparse_transposed(a: tuple[ndarray, ndarray, ndarray], columns: int) -> tuple[ndarray, ndarray, ndarray]: ...

@final
class Contents:
    """The parts of a sparse array as they were when they were checked; of the elements only the lengths count."""

    @staticmethod
    def of(shape: Any, data: Any, *indices: Any) -> Contents | None: ...
    def hold(self, shape: Any, data: Any, *indices: Any) -> bool: ...

@final
class SparseAnalysis:
    def solve(self, b: ndarray) -> ndarray: ...

def sparse_analyse(a: tuple[ndarray, ndarray, ndarray], lower: bool, unit: bool) -> SparseAnalysis: ...
def sparse_explicit_lu(
    offsets: ndarray, rows: ndarray, values: ndarray, ordering: str, threshold: float, drop: float, fill: float
) -> list[ndarray] | None: ...

@final
class TensorOperation:
    """An operation on arrays whose axes carry labels."""

    def __new__(
        cls,
        kind: str,
        combine: tuple[int, int],
        labels: Sequence[Sequence[int]],
        operators: Sequence[int],
        compute_number: int,
        algorithm: int = -1,
        compiling: int = 0,
        limit: int | None = None,
        preference: int = 2,
    ) -> Self: ...
    def prepare(self, layouts: Sequence[tuple[Any, Sequence[int], Sequence[int], int]]) -> int: ...
    def run(self, inputs: Sequence[ndarray], out: ndarray, factors: Sequence[tuple[float, float]]) -> None: ...

def tensor_versions() -> tuple[int, int]:
    """Versions of the library of the current device and of the run-time library that it was built with."""

def tensors_are_there() -> bool:
    """Whether the current device has such a library, and it can be opened."""

def tensor_plan_stats() -> tuple[int, int, int]:
    """Plans held, requests that found one, and those that did not, of the current device."""

def clear_tensor_plans() -> None:
    """Gives up the plans that are held."""

@final
class StructuredPart:
    """Something that the library of structured sparsity made."""

    ptr: int

@final
class StructuredHandle:
    """A handle of the library of structured sparsity."""

    def __new__(cls) -> Self: ...
    ptr: int
    version: int
    def matrix(
        self,
        rows: int,
        columns: int,
        leading: int,
        alignment: int,
        dtype: int,
        row_major: bool,
        sparsity: int | None = None,
    ) -> StructuredPart: ...
    def product(
        self, operations: Sequence[int], matrices: Sequence[StructuredPart], compute: str
    ) -> StructuredPart: ...
    def selection(self, product: StructuredPart, algorithm: int) -> StructuredPart: ...
    def plan(self, product: StructuredPart, selection: StructuredPart) -> StructuredPart: ...
    def attribute(self, part: StructuredPart, attribute: int, data: int, bytes: int, write: bool) -> None: ...
    def workspace_bytes(self, plan: StructuredPart) -> int: ...
    def multiply(self, plan: StructuredPart, addresses: Sequence[int], search: bool) -> None: ...
    def prune(
        self, part: StructuredPart, src: int, dst: int, algorithm: int, matrix: tuple[bool, int] | None = None
    ) -> None: ...
    def check(self, part: StructuredPart, src: int, valid: int, matrix: tuple[bool, int] | None = None) -> None: ...
    def compressed_bytes(self, part: StructuredPart, is_matrix: bool) -> tuple[int, int]: ...
    def compress(
        self,
        part: StructuredPart,
        dense: int,
        compressed: int,
        scratch: int,
        matrix: tuple[bool, int] | None = None,
    ) -> None: ...

def structured_is_there() -> bool:
    """Whether the current device has such a library, and it can be opened."""

def structured_status_text(status: int) -> tuple[str, str]:
    """The library's name and words for a status."""

@final
class FftPlan:
    """Plans that a program holds."""

    nbytes: int
    transforms: list[tuple[str, str, list[int], int]]  # kind, real dtype, lengths, batch

def make_fft_plan(a: ndarray, kind: str, axes: Sequence[int], lengths: Sequence[int]) -> FftPlan:
    """The plans of a transform of arrays like `a`."""

def fft_plan_stats(device: DeviceLike = None) -> tuple[int, int, int, int, int, int]:
    """Plans held, most that are held, requests that found one, requests that did not, bytes held, most bytes held."""

def set_fft_plan_bytes(bytes: int, device: DeviceLike = None) -> None: ...
def set_fft_plan_capacity(size: int, device: DeviceLike = None) -> None: ...
def clear_fft_plans(device: DeviceLike = None) -> None: ...

# ----------------------------------------------------------------------------------------------- geometry on the host

def delaunay(
    points: bytes, dimension: int, groups: bool, furthest: bool
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes] | str:
    """Simplices, neighbours, hull, coplanar points, and by `groups` spheres and planes; or why there are none."""

def convex_hull(points: bytes, dimension: int) -> tuple[bytes, bytes, bytes, bytes, bytes, float, float] | str:
    """Facets, neighbours, equations, planes, vertices, area and volume of a hull; or why there is none."""

def voronoi(
    simplices: bytes, neighbors: bytes, spheres: bytes, planes: bytes, dimension: int, count: int
) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Pairs of points, vertices of ridges, their ends, vertices of regions, their ends."""

def stars(simplices: bytes, neighbors: bytes, size: int, count: int) -> tuple[bytes, bytes]:
    """The simplices around each point, and where each row of them ends."""

def linkage(distances: ndarray, count: int, method: str) -> bytes:
    """The merges of observations, from their condensed distances."""

def linkage_leaves(tree: bytes) -> bytes:
    """The observations from left to right."""

def linkage_cophenetic(tree: bytes) -> bytes:
    """For each pair of observations the distance at which they are merged."""

def linkage_inconsistent(tree: bytes, depth: int) -> bytes:
    """Statistics of the merges down to a depth."""

def linkage_largest(tree: bytes, values: bytes) -> bytes:
    """For each merge the largest value of it and those below it."""

def linkage_flat(tree: bytes, criterion: bytes, limit: float, most: int | None) -> bytes:
    """Flat clusters by a limit of a criterion, or at most so many."""

def linkage_leaders(tree: bytes, clusters: bytes) -> tuple[bytes, bytes]:
    """The subtrees that flat clusters are, and the numbers of these."""

def linkage_cut(tree: bytes, wanted: list[int]) -> bytes:
    """The clusters of all observations after so many merges each, as int64."""

def linkage_ordered(tree: bytes, distances: bytes) -> bytes:
    """The tree with the shortest way along its leaves."""

# ----------------------------------------------------------------------------------------------------- linear algebra

def cholesky(a: ndarray, upper: bool) -> tuple[ndarray, ndarray]:
    """The Cholesky factor of a triangle, and info. What is zero in the other stays so."""

def lu_factor(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """LU factors in one matrix, pivots counted from 1, and info."""

def lu_solve(factors: ndarray, pivots: ndarray, b: ndarray) -> ndarray:
    """Solutions from LU factors, of stacks with the same shape."""

def solve(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """Solutions of linear systems, of stacks with the same shape, and info."""

def inverse(a: ndarray) -> tuple[ndarray, ndarray]:
    """Inverses of square matrices, and info."""

def qr_factor(a: ndarray) -> tuple[ndarray, ndarray]:
    """Householder reflections with R, and their factors."""

def qr_vectors(reflections: ndarray, tau: ndarray, count: int) -> ndarray:
    """The first columns of the unitary factor of a QR decomposition."""

def svd(a: ndarray, vectors: str) -> tuple[ndarray | None, ndarray, ndarray | None, ndarray]:
    """Left vectors, singular values, adjoint right vectors and info. `vectors` is "none", "thin" or "full"."""

def double_from(a: ndarray) -> int | None:
    """Rows from which on the array's device factorises matrices of single precision in double; None if never."""

def polar_from(a: ndarray) -> int | None:
    """Side of matrices from which on the array's device is better at products than at `svd`; None if never."""

def dense_advantage(a: ndarray) -> int:
    """How many times as fast the array's device is with a whole matrix as one thread of a kernel is with a band."""

def eigen_tridiagonal(diagonal: ndarray, beside: ndarray) -> tuple[ndarray, ndarray] | None:
    """Eigenvalues of real symmetric tridiagonal matrices and info, or None where the device has no such operation."""

def eigen_hermitian(a: ndarray, vectors: bool, upper: bool) -> tuple[ndarray, ndarray | None, ndarray]:
    """Eigenvalues of Hermitian matrices, vectors or None, and info."""

def eigen(a: ndarray, vectors: bool) -> tuple[ndarray, ndarray | None, ndarray]:
    """Eigenvalues of general matrices, vectors (packed for real matrices) or None, and info."""

# ------------------------------------------------------------------------------------------------------------- kernels

class KernelModule:
    """A text or file with kernels, compiled for each device at its first use."""

    def __init__(
        self,
        name: str,
        text: str | None = None,
        options: Sequence[str] = ...,
        expressions: Sequence[str] = ...,
        image: bytes | None = None,
        cooperative: bool = False,
    ) -> None: ...
    def compile(self) -> None: ...
    def link_code(self) -> bytes: ...
    def function(self, name: str) -> KernelFunction: ...
    def variable(self, name: str) -> tuple[int, int]: ...

class KernelFunction:
    """A kernel that can be launched."""

    def __new__(cls, module: KernelModule, name: str) -> Self: ...
    def __call__(
        self,
        grid: SupportsIndex | Sequence[SupportsIndex],
        block: SupportsIndex | Sequence[SupportsIndex],
        args: Iterable[Any],
        shared_mem: int = 0,
        stream: Stream | None = None,
    ) -> None: ...
    def resolve(self) -> None: ...
    def attributes(self) -> dict[str, int]: ...
    def attribute(self, name: str) -> int: ...
    def set_attribute(self, name: str, value: int) -> None: ...

class ByValue:
    """A structure that kernels take by value."""

class KernelProgram:
    """A kernel that `cuproxide._lib.kernel` wrote, for one combination of types. Its text is that of the IR."""

    def __new__(
        cls,
        name: str,
        operands: Sequence[tuple[str, bool]],
        scalars: Sequence[str],
        locals: Sequence[str],
        arrays: Sequence[tuple[str, int]],
        block: list[tuple[Any, ...]],
        outputs: Sequence[str],
        uses_shape: bool = False,
        ordered: bool = False,
        folds: Sequence[tuple[str, int]] | None = None,
    ) -> Self: ...

class Kernel:
    """A function of Python's that is a kernel; see `cuproxide._lib.kernel`."""

    function: Callable[..., Any]
    programs: list[KernelProgram]

    def __new__(cls, function: Callable[..., Any], describe: Callable[..., Any], build: Callable[..., Any]) -> Self: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def kernel_loop(name: str, operands: Sequence[str]) -> tuple[int, list[str], list[str]]:
    """The loop that a ufunc runs for operands: its number, the types that it takes and those that it gives."""

def kernel_stores(from_: str, to: str) -> bool:
    """Whether a result may be stored as another type: NumPy's `same_kind`."""

def kernel_array(array: ndarray, line: bool = False) -> ByValue:
    """An array with its shape and strides as kernels take it by value."""

def kernel_indexer(shape: Shape) -> ByValue:
    """An iteration space as kernels take it by value."""

def kernel_line(arguments: tuple[Any, ...], raw: int) -> tuple[bytes, tuple[int, ...], list[Any]] | None:
    """A call over elements in its most usual form: its kind, the shape of its arrays and its parameters."""

def kernel_type(dtype: DTypeLike) -> str:
    """The name of an element type in kernels."""

def element_types() -> list[tuple[str, str, bool, bool]]:
    """Every element type: its name, the letter of its kind, whether it is computed in float32, whether NumPy has it."""

# ------------------------------------------------------------------------------------------------- deferred evaluation

def evaluate(*arrays: ndarray) -> None:
    """Queues the deferred work that makes the given arrays, without waiting for it."""

def fusion_history() -> list[dict[str, Any]]:
    """The last flushes on the current device, oldest first."""

def fusion_counts() -> dict[str, int]:
    """Counters of the current device."""

def clear_fusion_history() -> None:
    """Forgets the history and the counters of the current device."""

def set_fusing(name: str | None) -> str | None:
    """Defers this thread's operations under a name for their kernel, or no longer; returns the name before."""

def is_eager() -> bool:
    """Whether every operation runs at once."""

def set_eager(eager: bool) -> bool:
    """Makes every operation run at once, or not; returns what was before."""

def wait_for_compiler() -> None:
    """Waits until every kernel that is being compiled in the background is ready."""

def before_fork() -> None:
    """Waits for other threads that compute."""

def after_fork_in_parent() -> None:
    """Lets other threads go on."""

def after_fork_in_child() -> None:
    """Forgets the other threads, which the child has not."""

def shut_down() -> None:
    """Stops compiling in the background, for the end of the process."""

def sliding_products(a: ndarray, v: ndarray, before: int, after: int) -> ndarray:
    """Products of each row of `a` with that of `v` at every shift, `before` and `after` of them reaching out of `a`."""

def solve_triangular(a: ndarray, b: ndarray, upper: bool, unit: bool) -> ndarray:
    """Solutions of systems with a triangle, of stacks with the same shape."""

def unitary_form(a: ndarray, schur: bool) -> tuple[ndarray, ndarray, ndarray]:
    """The Hessenberg or Schur form, the unitary matrix that leads there, and info."""

def set_compute_type(dtype: DTypeLike, compute: str) -> None:
    """Chooses the arithmetic of products of a dtype: "default", "tf32" (float32, complex64) or "half" (float16)."""

def compute_type(dtype: DTypeLike) -> str: ...

# --------------------------------------------------------------------------------------------------------------- tests

def used_kernels() -> list[tuple[str, int]]:
    """The kernels that this process has used, by name, with the versions of them that launches asked for.

    A version is one word: the number of dimensions, and how each operand lies in memory.
    """

def precompile(
    architectures: Sequence[str], *, part: tuple[int, int] = (0, 1), pack: str | os.PathLike[str] | None = None
) -> dict[str, int]:
    """Compiles every kernel that this process has used, and the hand-written ones, for devices that need not be here.

    The results go to the cache on disk, and with `pack` into one file. `part` (which, of how many) divides the work
    between processes; a pack needs all of it and takes what the cache has.

    Keys: wanted (pieces of machine code), compiled (those that the cache did not have), bytes.

    Raises `UnsupportedError` for an architecture that no compiler here knows, `MissingLibraryError` without a compiler.
    """

def host_transfers() -> int:
    """Number of copies of array data to the host that this process made, for tests that use no NumPy."""

def set_fault_plan(plan: str) -> None:
    """Makes chosen calls of devices fail from here on ("oom@3"; "off" for none), if `CUPROXIDE_FAULT` was set at the
    start.
    """

def provoke_panic(message: str) -> None:
    """Panics with this message."""

def fault_counts() -> dict[str, int]:
    """Calls of devices by site ("oom", "launch", ...) since the plan was set, and how many failed as "injected"."""
