"""What sparse arrays of all formats have in common. Formats override what they can do better."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from types import GenericAlias
from typing import Any, ClassVar

import numpy as np

import cuproxide as cp

from ._checks import (
    Shape,
    as_elements,
    check_shape,
    checked_dtype,
)
from ._devices import Guarded, on_own_device
from ._kinds import CONTAINERS, FORMATS, Sparse
from ._operators import Operators
from ._sums import Sums

MAXPRINT = 50


@on_own_device
class sparse_base(Guarded, Operators, Sums, Sparse):
    """The base of sparse arrays and matrices of all formats."""

    # Above that of arrays, 100, so that their comparisons leave the work to sparse arrays on the right.
    __array_priority__ = 101
    __hash__ = None  # type: ignore[assignment]
    _format: ClassVar[str] = "und"
    _ndims: ClassVar[Any] = (2,)
    _shape: Shape
    dtype: np.dtype[Any]

    def __init__(self, maxprint: int | None = None) -> None:
        self.maxprint = MAXPRINT if maxprint is None else maxprint

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        on_own_device(cls)
        for kind in (True, False):
            if cls.__name__ == f"{cls._format}_{'array' if kind else 'matrix'}":
                CONTAINERS.setdefault((cls._format, kind), cls)

    # ------------------------------------------------------------------------------------------------------ properties

    @property
    def format(self) -> str:
        """The name of the format.

        >>> cp.scipy.sparse.eye_array(2).tocsc().format
        'csc'
        """
        return self._format

    @property
    def shape(self) -> Shape:
        """The lengths of the axes."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def nnz(self) -> int:
        """The number of stored elements, zeros among them."""
        return self._getnnz()

    @property
    def size(self) -> int:
        """The number of stored elements, zeros among them."""
        return self._getnnz()

    @property
    def T(self) -> Any:  # noqa: N802
        """The transpose."""
        return self.transpose()

    @property
    def mT(self) -> Any:  # noqa: N802
        """The array with its last two axes exchanged: that of each matrix in a stack."""
        from ._construct import matrix_transpose

        return matrix_transpose(self)

    @property
    def real(self) -> Any:
        """The real parts."""
        return self._real()

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return self._imag()

    @property
    def device(self) -> Any:
        """The device of the elements."""
        return self.tocoo().data.device

    @property
    def _is_array(self) -> bool:
        return not isinstance(self, spmatrix)

    @property
    def _is_wide(self) -> bool:
        """Whether its indices have 64 bits, which what is made of it keeps."""
        return False

    @property
    def _shape2(self) -> tuple[int, int]:
        """The shape, where an array with one axis is a row."""
        return self._shape if len(self._shape) == 2 else (1, self._shape[-1])  # type: ignore[return-value]

    def _class(self, format: str) -> Any:
        """The class of another format, array or matrix as this one is."""
        return CONTAINERS[format, self._is_array]

    # -------------------------------------------------------------------------------------------- what formats provide

    def tocsr(self, copy: bool = False) -> Any:
        """In the format CSR. Overridden by each format."""
        return self.tocoo(copy=copy).tocsr(copy=False)

    def tocoo(self, copy: bool = True) -> Any:
        """In the format COO."""
        return self.tocsr(copy=False).tocoo(copy=copy)

    def tocsc(self, copy: bool = False) -> Any:
        """In the format CSC."""
        return self.tocsr(copy=copy).tocsc(copy=False)

    def todia(self, copy: bool = False) -> Any:
        """In the format DIA."""
        return self.tocoo(copy=copy).todia(copy=False)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> Any:
        """In the format BSR."""
        return self.tocsr(copy=False).tobsr(blocksize=blocksize, copy=copy)

    def todok(self, copy: bool = False) -> Any:
        """In the format DOK, which is on the host."""
        return self.tocoo(copy=copy).todok(copy=False)

    def tolil(self, copy: bool = False) -> Any:
        """In the format LIL, which is on the host."""
        return self.tocsr(copy=False).tolil(copy=copy)

    def copy(self) -> Any:
        """A copy that shares no memory."""
        kind: Any = self.__class__
        return kind(self, copy=True)

    def _getnnz(self, axis: int | None = None) -> Any:
        return self.tocoo(copy=False)._getnnz(axis)

    def asformat(self, format: str | None, copy: bool = False) -> Any:
        """In the format that is named; `None` means the one that it has.

        >>> cp.scipy.sparse.eye_array(2).asformat("coo").format
        'coo'
        """
        if format is None or format == self.format:
            return self.copy() if copy else self
        if format == "array":
            return self.toarray()
        if format not in FORMATS and format != "dense":
            raise ValueError(f"Format {format} is unknown.")
        if format == "dense":
            return self.todense()
        return getattr(self, "to" + format)(copy=copy)

    def astype(self, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Any:
        """With elements of another type.

        Parameters
        ----------
        dtype : dtype
        copy : bool
            If false, elements that have the type are shared.
        """
        dtype = checked_dtype(dtype)
        if self.dtype == dtype:
            return self.copy() if copy else self
        return self.tocsr().astype(dtype, casting=casting, copy=copy).asformat(self.format)

    def toarray(self, order: str | None = None, out: cp.ndarray | None = None) -> cp.ndarray:
        """The dense array.

        Parameters
        ----------
        out : array, optional
            What is overwritten by the result.

        >>> cp.scipy.sparse.eye_array(2).toarray()
        array([[1., 0.],
               [0., 1.]])
        """
        return self.tocoo(copy=False).toarray(order=order, out=out)

    def todense(self, order: str | None = None, out: cp.ndarray | None = None) -> cp.ndarray:
        """The dense array; there is no class of matrices on the device. See `toarray`.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            The order of the elements.
        """
        return self.toarray(order=order, out=out)

    def _dense_target(self, order: str | None, out: cp.ndarray | None) -> cp.ndarray:
        if out is None:
            if order not in (None, "C", "F"):
                raise ValueError(f"order must be 'C' or 'F', not {order!r}")
            return cp.zeros(self.shape, self.dtype, order=order or "C")
        if order is not None:
            raise ValueError("order cannot be specified if out is not None")
        if out.shape != self.shape or out.dtype != self.dtype:
            raise ValueError("out array must be same dtype and shape as sparse array")
        out[...] = 0
        return out

    def get(self, stream: Any = None) -> Any:
        """The same array of `scipy.sparse`, in host memory. SciPy must be installed."""
        from ._host import to_host

        del stream
        return to_host(self)

    def __getstate__(self) -> Any:
        # `on_own_device` checks the indices first, so the copy may keep what is known about their order.
        state: Any = super().__getstate__()
        attributes, *slots = state if isinstance(state, tuple) else (state,)
        kept = {name: value for name, value in attributes.items() if name not in self._caches}
        return (kept, *slots) if slots else kept

    # ---------------------------------------------------------------------------------------------------------- shapes

    def reshape(self, *args: Any, order: str = "C", copy: bool = False) -> Any:
        """With another shape of the same size; mostly in the format COO.

        Parameters
        ----------
        *args : int or tuple of int
            The shape. One length may be -1.
        order : {'C', 'F'}
            The order in which elements are counted.
        copy : bool
            If false, memory may be shared.

        >>> cp.scipy.sparse.eye_array(2).reshape(1, 4).toarray()
        array([[1., 0., 0., 1.]])
        """
        shape = check_shape(args, self.shape, ndims=range(1, 65))
        if shape == self.shape:
            return self.copy() if copy else self
        return self.tocoo(copy=copy).reshape(shape, order=order, copy=False)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """The transpose, which shares memory unless `copy`."""
        self._check_axes(axes)
        return self.tocsr(copy=copy).transpose(copy=False)

    def _check_axes(self, axes: Any) -> None:
        if axes is not None and tuple(axes) != (1, 0):
            raise ValueError(
                "Sparse arrays/matrices do not support an 'axes' parameter because swapping dimensions is the only "
                "logical permutation."
            )

    def trace(self, offset: int = 0) -> Any:
        """The sum of a diagonal."""
        return self.diagonal(k=offset).sum()

    def diagonal(self, k: int = 0) -> cp.ndarray:
        """The elements of a diagonal; `k` counts from the main one upwards."""
        return self.tocsr().diagonal(k=k)

    def _broadcast_to(self, shape: Shape) -> Any:
        if self.shape == shape:
            return self
        return self.tocoo(copy=False)._broadcast_to(shape)

    # -------------------------------------------------------------------------------------------------------- printing

    def __repr__(self) -> str:
        kind = "array" if self._is_array else "matrix"
        return (
            f"<{FORMATS[self.format]} sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements and shape {self.shape}>"
        )

    def __str__(self) -> str:
        array = self.tocoo(copy=False)
        if self.nnz == 0:
            return repr(self)
        half = self.maxprint // 2

        def lines(part: slice) -> str:
            coords = zip(*(index[part].tolist() for index in array.coords), strict=True)
            values = array.data[part].get()
            return "\n".join(f"  {place}\t{value}" for place, value in zip(coords, values, strict=True))

        text = repr(self) + "\n  Coords\tValues\n"
        if self.nnz <= self.maxprint:
            return text + lines(slice(None))
        return text + lines(slice(half)) + "\n  :\t:\n" + lines(slice(half - self.maxprint, None))

    def __bool__(self) -> bool:
        if self.shape == (1, 1):
            return self.nnz != 0
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz() or shape[0]")

    def __iter__(self) -> Iterator[Any]:
        rows: Any = self
        for row in range(self.shape[0]):
            yield rows[row]

    # ------------------------------------------------------------------------------------------------ changes in place

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Sets the elements of a diagonal.

        Parameters
        ----------
        values : number or 1-d array
            Behind its end, elements stay.

        >>> a = cp.scipy.sparse.csr_array((2, 2), dtype=int)
        >>> a.setdiag([4, 5])
        >>> a.toarray()
        array([[4, 0],
               [0, 5]])
        """
        rows, columns = self.shape
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise ValueError("k exceeds array dimensions")
        values = as_elements(values, self.dtype)
        if values.ndim > 1:
            raise ValueError("values must have at most one axis")
        length = min(rows + min(k, 0), columns - max(k, 0))
        if values.ndim:
            length = min(length, values.size)
            values = values[:length]
        self._set_diagonal(cp.broadcast_to(values, (length,)), k)

    def _set_diagonal(self, values: cp.ndarray, k: int) -> None:
        changed = self.tocsr()
        changed._set_diagonal(values, k)
        self._become(changed)

    def _become(self, other: Any) -> None:
        """Takes the elements of another array, which are in any format."""
        # Not by the class of the object, which may be the program's, with another constructor.
        made = CONTAINERS[self.format, self._is_array](other)
        self.__dict__.update({name: value for name, value in made.__dict__.items() if name != "maxprint"})

    def resize(self, *shape: Any) -> None:
        """Changes the shape in place; elements outside of it are dropped."""
        changed = self.tocoo(copy=True)
        changed.resize(*shape)
        self._become(changed)


class sparray(sparse_base):
    """The base of sparse arrays, whose operators work on elements; see `csr_array`.

    >>> isinstance(cp.scipy.sparse.eye_array(2), cp.scipy.sparse.sparray)
    True
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)


class spmatrix(sparse_base):
    """The base of sparse matrices, whose operator `*` is the product of matrices; see `csr_matrix`.

    >>> isinstance(cp.scipy.sparse.identity(2), cp.scipy.sparse.spmatrix)
    True
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __mul__(self, other: Any) -> Any:
        return self._multiplied(other)

    def __rmul__(self, other: Any) -> Any:
        return self._multiplied_from_left(other)

    def __pow__(self, n: Any, modulo: Any = None) -> Any:
        if modulo is not None:
            return NotImplemented
        if self.shape[0] != self.shape[1]:
            raise TypeError("matrix is not square")
        try:
            n = operator.index(n)
        except TypeError:
            raise ValueError("exponent must be an integer") from None
        if n < 0:
            raise ValueError("exponent must be >= 0")
        result, factor = None, self
        while n:
            if n & 1:
                result = factor if result is None else result @ factor
            n >>= 1
            factor = factor @ factor if n else factor
        if result is None:
            from ._construct import identity

            # As in SciPy diagonals, but a matrix, whose `*` goes on to be the product.
            return identity(self.shape[0], dtype=self.dtype, format="dia")
        return result.copy() if result is self else result

    @property
    def shape(self) -> Shape:
        """The lengths of both axes, which can be set to others of the same size."""
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.set_shape(shape)

    @property
    def A(self) -> cp.ndarray:  # noqa: N802
        """The dense array, as in CuPy."""
        return self.toarray()

    @property
    def H(self) -> Any:  # noqa: N802
        """The conjugate transpose, as in CuPy."""
        return self.getH()

    def set_shape(self, shape: Any) -> None:
        """Changes the shape in place to one of the same size."""
        self._become(self.reshape(shape))

    def get_shape(self) -> Shape:
        """The lengths of both axes."""
        return self._shape

    def asfptype(self) -> Any:
        """With elements of a floating point type."""
        if self.dtype.kind in "fc":
            return self
        return self.astype(np.float32 if np.can_cast(self.dtype, np.float32) else np.float64)

    def getmaxprint(self) -> int:
        """How many elements are printed."""
        return self.maxprint

    def getformat(self) -> str:
        """The name of the format."""
        return self.format

    def getnnz(self, axis: int | None = None) -> Any:
        """How many elements are stored, in all or along an axis."""
        return self._getnnz(axis)

    def getH(self) -> Any:  # noqa: N802
        """The conjugate transpose."""
        return self.conjugate().transpose()

    def getcol(self, j: int) -> Any:
        """A column, as a matrix of one column."""
        compressed: Any = self if self.format == "csc" else self.tocsr()
        return compressed._column(j)

    def getrow(self, i: int) -> Any:
        """A row, as a matrix of one row."""
        return self.tocsr()._row(i)
