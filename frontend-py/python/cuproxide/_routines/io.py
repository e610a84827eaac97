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

    Parameters
    ----------
    mmap_mode : str, optional
        How the file is mapped to memory while it is read.
    fix_imports : bool
        Taken for compatibility.
    max_header_size : int
        The greatest size of a header that is read.

    Returns
    -------
    ndarray, or what was pickled

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

    Parameters
    ----------
    comments : str or sequence of str, optional
        What begins a comment.
    delimiter : str or int, optional
        What stands between columns, by default blanks.
    converters : dict or callable, optional
        Functions of the texts, by column.
    skiprows : int
        The number of lines to skip.
    usecols : int or sequence of int, optional
        The columns to read.
    unpack : bool
        Whether each column is an array of its own.
    ndmin : int
        The least number of axes; missing ones are put in front.
    encoding : str, optional
        The encoding of the text.
    max_rows : int, optional
        The greatest number of rows.
    quotechar : str, optional
        What stands around quoted texts.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

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

    Parameters
    ----------
    comments : str or sequence of str, optional
        What begins a comment.
    delimiter : str or int, optional
        What stands between columns, by default blanks.
    skip_header : int
        The number of lines to skip.
    skip_footer : int
        The number of lines to leave out at the end.
    converters : dict or callable, optional
        Functions of the texts, by column.
    missing_values : optional
        The texts that stand for missing values.
    filling_values : optional
        What missing values become.
    usecols : int or sequence of int, optional
        The columns to read.
    names : bool, str or sequence, optional
        The names of the fields.
    excludelist : sequence of str, optional
        Names that get an underscore.
    deletechars : str, optional
        Characters that names lose.
    replace_space : str
        What blanks in names become.
    autostrip : bool
        Whether texts lose blanks at their ends.
    case_sensitive : bool or str
        Whether names keep upper and lower case.
    defaultfmt : str
        How unnamed fields are called.
    unpack : bool, optional
        Whether each column is an array of its own.
    usemask : bool
        As in `numpy.genfromtxt`.
    loose : bool
        Whether texts that are no numbers are missing values.
    invalid_raise : bool
        Whether lines of another length are a `ValueError`.
    max_rows : int, optional
        The greatest number of rows.
    encoding : str, optional
        The encoding of the text.
    ndmin : int
        The least number of axes; missing ones are put in front.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

    >>> import io
    >>> cp.genfromtxt(io.StringIO("1,2,"), delimiter=",")
    array([ 1.,  2., nan])
    """
    return _uploaded(np.genfromtxt(fname, None if dtype is None else host_dtype(dtype), **kwargs))


def fromregex(file: Any, regexp: Any, dtype: DTypeLike, encoding: str | None = None) -> ndarray:
    """The groups of a regular expression in a text as an array of records.

    Parameters
    ----------
    regexp : str or pattern
        The regular expression.

    >>> import io
    >>> cp.fromregex(io.StringIO("1 a 2.5, 2 b 4.5"), r"(\\d+) . ([0-9.]+)", "i4,f4")["f1"]
    array([2.5, 4.5], dtype=float32)
    """
    return _core.array(np.fromregex(file, regexp, host_dtype(dtype), encoding))


@accepts_like
def fromfile(file: File, dtype: DTypeLike = None, count: int = -1, sep: str = "", offset: int = 0) -> ndarray:
    """The elements in a binary file (or a text file with `sep`).

    Parameters
    ----------
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

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

    Parameters
    ----------
    string : str
        The text.
    like : ndarray, optional
        An array of this library, by which NumPy's functions find this one.

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
    """Writes an array to an .npy file.

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
    """Writes several arrays to an .npz file.

    Parameters
    ----------
    *args : array_like
        Arrays, which get the names arr_0, arr_1 and so on.

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
    """Writes several arrays to a compressed .npz file.

    Parameters
    ----------
    *args : array_like
        Arrays, which get the names arr_0, arr_1 and so on.

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

    Parameters
    ----------
    fname : file, str or Path
        The file, open or by its name.
    X : array_like
        The table.
    fmt : str or sequence of str
        The formats.
    delimiter : str or int, optional
        What stands between columns, by default blanks.
    newline : str
        What ends a line.
    header : str
        A first line.
    footer : str
        A last line.
    comments : str or sequence of str, optional
        What begins a comment.
    encoding : str, optional
        The encoding of the text.

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

    Parameters
    ----------
    max_line_width : int, optional
        The length at which lines are broken.
    precision : int, optional
        The number of digits after the point.
    suppress_small : bool, optional
        Whether numbers near zero are shown as zero.
    separator : str
        What stands between elements.
    prefix : str
        What is printed before the array, whose length counts for the indentation.
    formatter : dict of callables, optional
        Functions that format elements, by the kind of type.
    threshold : int, optional
        The number of elements from which only the ends are shown.
    edgeitems : int, optional
        The number of elements at each end then.
    sign : {'-', '+', ' '}, optional
        How positive numbers are marked.
    floatmode : str, optional
        How many digits floats have: 'fixed', 'unique', 'maxprec' or 'maxprec_equal'.
    suffix : str
        What is printed behind the array, whose length counts for the width.
    legacy : str or False, optional
        The version of NumPy whose layout is used.

    >>> cp.array2string(cp.arange(3), separator=", ")
    '[0, 1, 2]'
    """
    return np.array2string(asnumpy(a), *args, **kwargs)


def array_repr(
    arr: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """The `repr` of an array.

    >>> cp.array_repr(cp.arange(3))
    'array([0, 1, 2])'
    """
    return np.array_repr(asnumpy(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ndarray, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """The `str` of an array.

    >>> cp.array_str(cp.arange(3))
    '[0 1 2]'
    """
    return np.array_str(asnumpy(a), max_line_width, precision, suppress_small)


@_arguments_of(np.format_float_positional)
def format_float_positional(x: ArrayLike, *args: Any, **kwargs: Any) -> str:
    """A number in decimal notation; the arguments are those of `numpy.format_float_positional`.

    Parameters
    ----------
    precision : int, optional
        The number of digits after the point.
    unique : bool
        Whether as few digits are given as tell the number from its neighbours.
    fractional : bool
        Whether `precision` counts digits after the point instead of all.
    trim : {'k', '.', '0', '-'}
        What is left of trailing zeros.
    sign : bool
        Whether positive numbers have a sign.
    pad_left : int, optional
        The least number of characters before the point.
    pad_right : int, optional
        The least number of characters behind the point.
    min_digits : int, optional
        The least number of digits.

    >>> cp.format_float_positional(cp.asarray(0.25))
    '0.25'
    """
    return np.format_float_positional(asnumpy(x)[()], *args, **kwargs)


@_arguments_of(np.format_float_scientific)
def format_float_scientific(x: ArrayLike, *args: Any, **kwargs: Any) -> str:
    """A number in scientific notation; the arguments are those of `numpy.format_float_scientific`.

    Parameters
    ----------
    precision : int, optional
        The number of digits after the point.
    unique : bool
        Whether as few digits are given as tell the number from its neighbours.
    trim : {'k', '.', '0', '-'}
        What is left of trailing zeros.
    sign : bool
        Whether positive numbers have a sign.
    pad_left : int, optional
        The least number of characters before the point.
    exp_digits : int, optional
        The least number of digits of the exponent.
    min_digits : int, optional
        The least number of digits.

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
    rows, total = [], 0
    owners: dict[int, str] = {}
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
