"""Files and text. Their contents are host data, so these read to and write from host memory."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import numpy as np
from numpy import base_repr, binary_repr, get_printoptions, printoptions, set_printoptions

from .. import _cuproxide as _core
from .._cuproxide import asnumpy, ndarray
from .._lib.conversions import P, R, accepts_like, host_dtype
from .._typing import ArrayLike, DTypeLike

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "base_repr",
    "binary_repr",
    "format_float_positional",
    "format_float_scientific",
    "fromfile",
    "fromregex",
    "fromstring",
    "genfromtxt",
    "get_printoptions",
    "load",
    "loadtxt",
    "printoptions",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "set_printoptions",
    "who",
]

File = str | os.PathLike[str] | IO[Any]


def _arguments_of(original: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Shows the arguments of NumPy's function, to which they are passed on."""

    def describe(function: Callable[P, R]) -> Callable[P, R]:
        known = inspect.signature(original)
        parameters = [item.replace(annotation=Any) for item in known.parameters.values() if item.name != "like"]
        function.__signature__ = known.replace(  # type: ignore[attr-defined]
            parameters=parameters, return_annotation=inspect.signature(function).return_annotation
        )
        return function

    return describe


# Reading.


class NpzFile(Mapping[str, ndarray]):
    """The arrays of an .npz file, read when asked for. See `numpy.lib.npyio.NpzFile`."""

    def __init__(self, host: Any) -> None:
        self._host = host
        self.files = host.files

    def __getitem__(self, name: str) -> ndarray:
        return _core.array(self._host[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._host)

    def __len__(self) -> int:
        return len(self._host)

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self._host)

    @property
    def f(self) -> _Attributes:
        """The arrays as attributes: `file.f.x` is `file["x"]`."""
        return _Attributes(self)

    def close(self) -> None:
        """Closes the file."""
        self._host.close()


class _Attributes:
    """The arrays of a file by attribute."""

    def __init__(self, file: NpzFile) -> None:
        self._file = file

    def __getattr__(self, name: str) -> ndarray:
        try:
            return self._file[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(self._file)


def load(
    file: File,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """The array in an .npy file, or the arrays of an .npz file by name; what else was pickled as it is.

    See `numpy.load`.

    >>> import io
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)
    array([0, 1, 2])
    """
    host = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(host, np.lib.npyio.NpzFile):
        return NpzFile(host)
    return _core.array(host) if isinstance(host, np.ndarray) else host


@accepts_like
@_arguments_of(np.loadtxt)
def loadtxt(fname: Any, dtype: DTypeLike = float, **kwargs: Any) -> ndarray:
    """The table in a text file; the arguments are those of `numpy.loadtxt`.

    >>> import io
    >>> cp.loadtxt(io.StringIO("1 2"), dtype=int)
    array([1, 2])
    """
    return _uploaded(np.loadtxt(fname, host_dtype(dtype), **kwargs))


def _uploaded(table: Any) -> Any:
    """What a reader of NumPy's returns: one array, or one for each field with `unpack`."""
    return [_core.array(column) for column in table] if isinstance(table, list) else _core.array(table)


@accepts_like
@_arguments_of(np.genfromtxt)
def genfromtxt(fname: Any, dtype: DTypeLike = float, **kwargs: Any) -> ndarray:
    """The table in a text file with missing values; the arguments are those of `numpy.genfromtxt`.

    >>> import io
    >>> cp.genfromtxt(io.StringIO("1,2,"), delimiter=",")
    array([ 1.,  2., nan])
    """
    return _uploaded(np.genfromtxt(fname, None if dtype is None else host_dtype(dtype), **kwargs))


def fromregex(file: Any, regexp: Any, dtype: DTypeLike, encoding: str | None = None) -> ndarray:
    """The groups of a regular expression in a text as an array of records. See `numpy.fromregex`.

    >>> import io
    >>> cp.fromregex(io.StringIO("1 a 2.5, 2 b 4.5"), r"(\\d+) . ([0-9.]+)", "i4,f4")["f1"]
    array([2.5, 4.5], dtype=float32)
    """
    return _core.array(np.fromregex(file, regexp, host_dtype(dtype), encoding))


@accepts_like
def fromfile(file: File, dtype: DTypeLike = None, count: int = -1, sep: str = "", offset: int = 0) -> ndarray:
    """The elements in a binary file (or a text file with `sep`). See `numpy.fromfile`.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(bytes([1, 2, 3])), file.seek(0)
    ...     print(cp.fromfile(file, dtype=cp.uint8))
    [1 2 3]
    """
    return _core.array(np.fromfile(file, host_dtype(float if dtype is None else dtype), count, sep, offset))


@accepts_like
def fromstring(string: str, dtype: DTypeLike = None, count: int = -1, *, sep: str = "") -> ndarray:
    """The numbers in a text, `sep` between them; `ValueError` without it, since bytes are for `frombuffer`.

    See `numpy.fromstring`.

    >>> cp.fromstring("1 2 3", dtype=int, sep=" ")
    array([1, 2, 3])
    """
    return _core.array(np.fromstring(string, host_dtype(float if dtype is None else dtype), count, sep=sep))


# Writing.


def _host(a: ArrayLike, order: str = "C") -> Any:
    """An array on the host; a list or tuple may hold arrays of a device."""
    if isinstance(a, (list, tuple)) and any(isinstance(item, ndarray) for item in a):
        a = _core.array(a)
    return asnumpy(a, order=order)


def save(file: File, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Writes an array to an .npy file. See `numpy.save`.

    >>> import io
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(3))
    >>> _ = file.seek(0)
    >>> np.load(file)
    array([0, 1, 2])
    """
    np.save(file, _host(arr, "A"), allow_pickle)


def _hosts(args: tuple[ArrayLike, ...], kwds: dict[str, ArrayLike]) -> tuple[list[Any], dict[str, Any]]:
    """The arrays on the host, in the order that they have on the device."""
    return [_host(a, "A") for a in args], {name: _host(a, "A") for name, a in kwds.items()}


def _pickling(allowed: bool) -> dict[str, Any]:
    """The argument for a NumPy that has it; an older one would take it for an array of that name."""
    return {"allow_pickle": allowed} if "allow_pickle" in inspect.signature(np.savez).parameters else {}


def savez(file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Writes several arrays to an .npz file. See `numpy.savez`.

    >>> import io
    >>> file = io.BytesIO()
    >>> cp.savez(file, x=cp.arange(3))
    >>> _ = file.seek(0)
    >>> cp.load(file)["x"]
    array([0, 1, 2])
    """
    hosts, named = _hosts(args, kwds)
    np.savez(file, *hosts, **_pickling(allow_pickle), **named)


def savez_compressed(file: File, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Writes several arrays to a compressed .npz file. See `numpy.savez_compressed`.

    >>> import io
    >>> file = io.BytesIO()
    >>> cp.savez_compressed(file, x=cp.zeros(3))
    >>> _ = file.seek(0)
    >>> cp.load(file).files
    ['x']
    """
    hosts, named = _hosts(args, kwds)
    np.savez_compressed(file, *hosts, **_pickling(allow_pickle), **named)


@_arguments_of(np.savetxt)
def savetxt(fname: File, X: ArrayLike, *args: Any, **kwargs: Any) -> None:
    """Writes a table as text; the arguments are those of `numpy.savetxt`.

    >>> import sys
    >>> cp.savetxt(sys.stdout, cp.arange(3), fmt="%d")
    0
    1
    2
    """
    np.savetxt(fname, _host(X), *args, **kwargs)


# Text.


@_arguments_of(np.array2string)
def array2string(a: ndarray, *args: Any, **kwargs: Any) -> str:
    """The text of an array; the arguments are those of `numpy.array2string`.

    >>> cp.array2string(cp.arange(3), separator=", ")
    '[0, 1, 2]'
    """
    return np.array2string(asnumpy(a), *args, **kwargs)


def array_repr(
    arr: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """What `repr` shows of an array. See `numpy.array_repr`.

    >>> cp.array_repr(cp.arange(3))
    'array([0, 1, 2])'
    """
    return np.array_repr(asnumpy(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """What `str` shows of an array. See `numpy.array_str`.

    >>> cp.array_str(cp.arange(3))
    '[0 1 2]'
    """
    return np.array_str(asnumpy(a), max_line_width, precision, suppress_small)


@_arguments_of(np.format_float_positional)
def format_float_positional(x: ArrayLike, *args: Any, **kwargs: Any) -> str:
    """A number in decimal notation; the arguments are those of `numpy.format_float_positional`.

    >>> cp.format_float_positional(cp.asarray(0.25))
    '0.25'
    """
    return np.format_float_positional(asnumpy(x)[()], *args, **kwargs)


@_arguments_of(np.format_float_scientific)
def format_float_scientific(x: ArrayLike, *args: Any, **kwargs: Any) -> str:
    """A number in scientific notation; the arguments are those of `numpy.format_float_scientific`.

    >>> cp.format_float_scientific(cp.asarray(1234.5))
    '1.2345e+03'
    """
    return np.format_float_scientific(asnumpy(x)[()], *args, **kwargs)


def who(vardict: Mapping[str, Any] | None = None) -> None:
    """Prints the arrays among the variables of the caller, or in `vardict`: name, shape, bytes and dtype.

    Arrays that share memory are named after the first; the sum counts it once.

    >>> cp.who({"a": cp.ones(3)})  # doctest: +ELLIPSIS
    Name ...
    """
    if vardict is None:
        frame = inspect.currentframe()
        vardict = frame.f_back.f_locals if frame is not None and frame.f_back is not None else {}
    rows, owners, total = [], {}, 0
    for name, value in vardict.items():
        if not isinstance(value, ndarray):
            continue
        owner = id(value if value.base is None else value.base)
        shared = f" (shared with {owners[owner]})" if owner in owners else ""
        owners.setdefault(owner, name)
        total += 0 if shared else value.nbytes
        rows.append((name, " x ".join(map(str, value.shape)), str(value.nbytes) + shared, str(value.dtype)))
    if not rows:
        return
    titles = ("Name", "Shape", "Bytes", "Type")
    widths = [max(len(row[i]) for row in (titles, *rows)) + 3 for i in range(4)]
    lines = [
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (titles, *rows)
    ]
    lines.insert(1, "=" * sum(widths))
    print("\n".join(lines))
    print(f"\nUpper bound on total bytes  =       {total}")
