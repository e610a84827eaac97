"""Python functions of numbers, applied to arrays."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, as_array, deliver, is_complex, named_out
from .._typing import ArrayLike
from .gufuncs import GeneralizedUFunc, parse_signature
from .shapes import broadcast_arrays

__all__ = ["frompyfunc", "vectorize"]

# More ways through a function than this are not followed on the device.
_MOST_DECISIONS = 1000

_REAL = np.dtype(float)

_run = threading.local()


class _NotTraceable(Exception):
    """A function wants the number itself, which an array of numbers cannot give."""


class _Numbers(ndarray):
    """All the numbers that a function is called with, standing for one of them.

    Operators and ufuncs work on all at once. A truth value splits the numbers: the function goes on with those for
    which it is true, and is called again for the others.
    """

    def __bool__(self) -> bool:
        return _run.path.decide(self)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise _NotTraceable

    def _rebind(self, other: Any) -> Any:
        # `x += 1` on a number makes a new number.
        return NotImplemented

    def _ordered(sign: str, name: str) -> Callable[[Any, Any], Any]:  # type: ignore[misc]
        compare = getattr(ndarray, name)

        def method(self: Any, other: Any) -> Any:
            if any(isinstance(one, complex) or is_complex(getattr(one, "dtype", _REAL)) for one in (self, other)):
                raise TypeError(f"'{sign}' not supported between instances of 'complex' and 'complex'")
            return compare(self, other)

        return method

    # Python's complex numbers have no order.
    __lt__, __le__ = _ordered("<", "__lt__"), _ordered("<=", "__le__")
    __gt__, __ge__ = _ordered(">", "__gt__"), _ordered(">=", "__ge__")
    __int__ = __float__ = __complex__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refuse
    __iter__ = __len__ = __getitem__ = __setitem__ = __contains__ = __str__ = __repr__ = __format__ = _refuse
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _rebind
    __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = __imatmul__ = _rebind


class _Path:
    """One way through a function: its decisions, and the numbers that take it."""

    def __init__(self, decisions: tuple[bool, ...], active: ndarray, waiting: list[_Path]) -> None:
        self._known, self.active, self._waiting = decisions, active, waiting
        self._taken: list[bool] = []
        self._count = int(active.sum())

    def decide(self, numbers: ndarray) -> bool:
        step = len(self._taken)
        if step >= _MOST_DECISIONS:
            raise _NotTraceable
        if step < len(self._known):
            decision = self._known[step]
        else:
            truth = numbers.view(ndarray) != 0
            hits = self.active & truth
            count = int(hits.sum())
            decision = count > 0
            if 0 < count < self._count:
                if len(self._waiting) >= _MOST_DECISIONS:
                    raise _NotTraceable
                self._waiting.append(_Path((*self._taken, False), self.active & ~truth, self._waiting))
                self.active, self._count = hits, count
        self._taken.append(decision)
        return decision


def _natural(array: ndarray) -> ndarray:
    """The array in the dtype of the Python numbers that its elements are."""
    kinds = {"b": np.bool_, "u": np.int64, "i": np.int64, "c": np.complex128}
    if array.dtype == np.uint64:
        return array
    return array.astype(kinds.get(array.dtype.kind, np.float64), copy=False)


def _follow(function: Callable[..., Any], arrays: Sequence[ndarray]) -> Iterator[tuple[ndarray, list[ndarray]]]:
    """For each way through the function which numbers take it, and the results, which mean nothing for others."""
    inputs = [array.ravel().view(_Numbers) for array in arrays]
    waiting: list[_Path] = []
    waiting.append(_Path((), _core.full(inputs[0].size, True, np.bool_), waiting))
    while waiting:
        path = waiting.pop()
        _run.path = path
        try:
            value = function(*inputs)
        finally:
            _run.path = None
        values = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(item, (_Numbers, *SCALARS)) for item in values):
            raise _NotTraceable
        yield path.active, [item.view(ndarray) if isinstance(item, ndarray) else as_array(item) for item in values]


def _traced(function: Callable[..., Any], arrays: Sequence[ndarray], otypes: str | None) -> list[ndarray]:
    """The results by arithmetic on whole arrays; fails for functions that want the numbers themselves."""
    if otypes is None:
        # As in NumPy the first number keeps its type, and the type of its result is that of all.
        ((_, leading),) = _follow(function, [array.ravel()[:1] for array in arrays])
        types = [lead.dtype for lead in leading]
    else:
        types = [_core.dtype(letter) for letter in otypes]
    results = [_core.zeros(arrays[0].size, dtype) for dtype in types]
    for active, values in _follow(function, [_natural(array) for array in arrays]):
        for result, value in zip(results, values, strict=True):
            _core.copyto(result, value, "unsafe", active)
    return results


def _called(function: Callable[..., Any], arrays: Sequence[ndarray], otypes: str | None) -> list[ndarray]:
    """The results of the function, called with one number after the other on the host."""
    columns = [array.ravel().tolist() for array in arrays]
    rows = [function(*row) for row in zip(*columns, strict=True)]
    is_tuple = isinstance(rows[0], tuple)
    if otypes is None:
        first = function(*(array.ravel()[:1].get()[0] for array in arrays))
        types = [np.asarray(_plain(item)).dtype for item in (first if is_tuple else (first,))]
    else:
        types = [_core.dtype(letter) for letter in otypes]
    lists = zip(*rows, strict=True) if is_tuple else (rows,)
    return [
        _core.array(np.asarray([_plain(item) for item in items]).astype(dtype))
        for items, dtype in zip(lists, types, strict=True)
    ]


def _plain(item: Any) -> Any:
    return item.get()[()] if isinstance(item, ndarray) else item


def _apply(function: Callable[..., Any], arrays: Sequence[ndarray], otypes: str | None) -> tuple[ndarray, ...]:
    """The results of a function of numbers for arrays of one shape."""
    try:
        results = _traced(function, arrays, otypes)
    except Exception:
        # The calls on the host raise what is wrong with the function itself.
        results = _called(function, arrays, otypes)
    return tuple(result.reshape(arrays[0].shape) for result in results)


class vectorize:
    """A function of numbers as a function of arrays that broadcast; also a decorator.

    A function of arithmetic, comparisons, ufuncs and branches runs on the device: it is called once for each way that
    numbers take through it, with all of them at once, so it should do nothing but compute. One that needs the numbers
    themselves (`math.sin(x)`, `str(x)`) is called for each on the host. Numbers are Python's, as in NumPy, and results
    have the type of the first one. With `signature` the function takes and gives arrays of those core dimensions, one
    call for each.

    Parameters
    ----------
    pyfunc : callable
        The function of numbers.
    otypes : str or sequence of dtype, optional
        The types of the results.
    excluded : set, optional
        The arguments that are passed as they are.
    cache : bool
        Whether the first call, which finds the number of results, is kept.
    signature : str, optional
        The axes of operands and results.

    >>> cp.vectorize(lambda x: x + 1 if x > 1 else 0)(cp.arange(4))
    array([0, 0, 3, 4])
    """

    def __init__(
        self,
        pyfunc: Any = np._NoValue,
        otypes: str | Sequence[Any] | None = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        if pyfunc is not np._NoValue and not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments.")
        self.pyfunc, self.cache, self.signature = pyfunc, cache, signature
        if signature is not None:
            parse_signature(signature)
        self._doc = doc
        self.excluded = set() if excluded is None else set(excluded)
        if isinstance(otypes, str):
            for letter in otypes:
                if letter not in np.typecodes["All"]:
                    raise ValueError(f"Invalid otype specified: {letter}")
            self.otypes: str | None = otypes
        elif otypes is None:
            self.otypes = None
        else:
            try:
                self.otypes = "".join(np.dtype(item).char for item in otypes)
            except TypeError as error:
                raise ValueError("Invalid otype specification") from error
        if pyfunc is not np._NoValue:
            self._describe()

    def _describe(self) -> None:
        self.__name__ = getattr(self.pyfunc, "__name__", type(self.pyfunc).__name__)
        self.__doc__ = self.pyfunc.__doc__ if self._doc is None else self._doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results for arrays that broadcast, or the object itself where it decorates."""
        if self.pyfunc is np._NoValue:
            self.pyfunc = args[0]
            self._describe()
            return self
        function, varied = self._bound(args, kwargs)
        if self.signature is not None:
            return self._call_on_cores(function, varied)
        if not varied:
            return self.pyfunc(*args, **kwargs)
        arrays = broadcast_arrays(*(as_array(arg) for arg in varied))
        if arrays[0].size == 0:
            if self.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            empty = tuple(_core.zeros(arrays[0].shape, _core.dtype(letter)) for letter in self.otypes)
            return empty if len(empty) > 1 else empty[0]
        results = _apply(function, arrays, self.otypes)
        return results if len(results) > 1 else results[0]

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Callable[..., Any], list[Any]]:
        """The function with the excluded arguments fixed, and the others in order."""
        positions = [i for i in range(len(args)) if i not in self.excluded]
        names = [name for name in kwargs if name not in self.excluded]
        if len(positions) == len(args) and not kwargs:
            return self.pyfunc, list(args)
        fixed, keywords, pyfunc = list(args), dict(kwargs), self.pyfunc

        def function(*values: Any) -> Any:
            for place, value in zip(positions, values, strict=False):
                fixed[place] = value
            keywords.update(zip(names, values[len(positions) :], strict=True))
            return pyfunc(*fixed, **keywords)

        return function, [args[i] for i in positions] + [kwargs[name] for name in names]

    def _call_on_cores(self, function: Callable[..., Any], varied: list[Any]) -> Any:
        engine = GeneralizedUFunc(function, self.signature or "", name="vectorize")
        if len(varied) != engine.nin:
            raise TypeError(f"wrong number of positional arguments: expected {engine.nin}, got {len(varied)}")
        operands = [as_array(arg) for arg in varied]
        sizes, outer = engine.core_sizes(operands), engine.outer_shape(operands)
        types = None if self.otypes is None else [_core.dtype(letter) for letter in self.otypes]
        if 0 in outer:
            if types is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            if any(name not in sizes for names in engine.core_outputs for name in names):
                raise ValueError(
                    "cannot call `vectorize` with a signature including new output dimensions on size 0 inputs"
                )
            shapes = [outer + tuple(sizes[name] for name in names) for names in engine.core_outputs]
            results = tuple(_core.empty(shape, dtype) for shape, dtype in zip(shapes, types, strict=True))
            return results if len(results) > 1 else results[0]
        made = engine(*operands)
        results = made if isinstance(made, tuple) else (made,)
        for result, names in zip(results, engine.core_outputs, strict=True):
            for name, length in zip(names, result.shape[result.ndim - len(names) :], strict=True):
                if sizes.setdefault(name, length) != length:
                    raise ValueError(f"inconsistent size for core dimension {name!r}: {length} vs {sizes[name]}")
        if types is not None:
            results = tuple(result.astype(dtype) for result, dtype in zip(results, types, strict=True))
        return results if len(results) > 1 else results[0]


class _PythonUfunc:
    """A function of numbers with the methods of a ufunc; see `frompyfunc`."""

    def __init__(self, function: Callable[..., Any], nin: int, nout: int, identity: Any) -> None:
        self._function = function
        self.nin, self.nout, self.nargs, self.identity = nin, nout, nin + nout, identity
        self.__name__ = f"{getattr(function, '__name__', '?')} (vectorized)"
        self.__doc__ = f"{self.__name__}: a Python function as a ufunc."

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args: ArrayLike, out: Any = None, dtype: Any = None) -> Any:
        if len(args) != self.nin:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} were "
                "given"
            )
        arrays = broadcast_arrays(*(as_array(arg) for arg in args))
        if arrays[0].size == 0:
            kind = np.dtype(float) if dtype is None else _core.dtype(dtype)
            results: tuple[ndarray, ...] = (_core.zeros(arrays[0].shape, kind),) * self.nout
        else:
            results = _apply(self._function, arrays, None)
        if len(results) != self.nout:
            raise ValueError(f"{self.__name__} gave {len(results)} results, not {self.nout}")
        if dtype is not None:
            results = tuple(result.astype(dtype, copy=False) for result in results)
        out = named_out(out)
        targets = out if isinstance(out, tuple) else (out,) * self.nout
        results = tuple(deliver(result, target) for result, target in zip(results, targets, strict=True))
        return results if self.nout > 1 else results[0]

    def _rows(self, array: ArrayLike, axis: int, dtype: Any) -> Iterator[ndarray]:
        if (self.nin, self.nout) != (2, 1):
            raise ValueError("reduce only supported for binary functions")
        given = as_array(array)
        return iter(_core.moveaxis(given if dtype is None else given.astype(dtype), axis, 0))

    def reduce(self, array: ArrayLike, axis: int = 0, dtype: Any = None, out: ndarray | None = None) -> ndarray:
        """Applies the function along `axis` from the first element to the last: a call for each position."""
        rows = self._rows(array, axis, dtype)
        first = next(rows, None)
        if first is None:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        return deliver(functools.reduce(self, rows, first), named_out(out))

    def accumulate(self, array: ArrayLike, axis: int = 0, dtype: Any = None, out: ndarray | None = None) -> ndarray:
        """The running results of `reduce` along `axis`."""
        from .joining import stack

        rows = list(itertools.accumulate(self._rows(array, axis, dtype), self))
        if not rows:
            return deliver(as_array(array).copy(), named_out(out))
        return deliver(stack(rows, axis=axis, dtype=rows[-1].dtype, casting="unsafe"), named_out(out))

    def outer(self, A: ArrayLike, B: ArrayLike, /) -> ndarray:
        """The function of each element of `A` with each of `B`."""
        first, second = as_array(A), as_array(B)
        return self(first.reshape(first.shape + (1,) * second.ndim), second)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None) -> _PythonUfunc:
    """A function of `nin` numbers with `nout` results as a ufunc.

    As with `vectorize` arithmetic and branches run on the device. Results have the dtype of the first one, since arrays
    of objects cannot be on a device.

    Parameters
    ----------
    nin : int
        The number of arguments.
    nout : int
        The number of results.
    identity : optional
        The neutral element.

    Returns
    -------
    callable

    >>> cp.frompyfunc(lambda x, y: x * y + 1, 2, 1)(cp.arange(3), 2)
    array([1, 3, 5])
    """
    if not callable(func):
        raise TypeError("function must be callable")
    if nin + nout > 64 or min(nin, nout) < 0:
        raise ValueError(f"Cannot construct a ufunc with more than {64} operands (requested number were: {nin + nout})")
    return _PythonUfunc(func, int(nin), int(nout), identity)
