"""Bools whose bytes are neither 0 nor 1: how programs come by them, and the functions that read them.

The rule of the package is that a bool is true where its byte is not 0. So every function gives for such an array what
it gives for the same truth in bytes 0 and 1.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import cuproxide as cp
import numpy as np
from cuproxide.scipy import integrate, signal, sparse, special, stats
from cuproxide.scipy import ndimage as ndi
from cuproxide.scipy.sparse import csgraph
from cuproxide.scipy.spatial import distance

#: Numbers of flags around those that threads, blocks and tasks take at a time.
SIZES = (
    0,
    1,
    2,
    7,
    8,
    15,
    16,
    17,
    31,
    64,
    65,
    255,
    256,
    257,
    1000,
    4095,
    16_383,
    16_384,
    16_385,
    65_535,
    65_536,
    65_537,
)


# Ways in.


class _Foreign:
    """An array of another library that describes its memory."""

    def __init__(self, owner: Any, **interface: Any) -> None:
        self.owner = owner
        self.__dict__.update(interface)


def _through_interface(content: np.ndarray) -> Any:
    owner = cp.asarray(content)
    address = {"shape": content.shape, "typestr": "|b1", "data": (owner.data.ptr, False), "version": 3}
    return cp.asarray(_Foreign(owner, __cuda_array_interface__=address))


def _through_host_interface(content: np.ndarray) -> Any:
    address = {"shape": content.shape, "typestr": "|b1", "data": (content.ctypes.data, False), "version": 3}
    return cp.asarray(_Foreign(content, __array_interface__=address))


def _loaded(content: np.ndarray) -> Any:
    file = io.BytesIO()
    np.save(file, content.view(bool))
    file.seek(0)
    return cp.load(file)


def _unpickled(content: np.ndarray) -> Any:
    return pickle.loads(pickle.dumps(cp.asarray(content).view(bool)))


def _set(content: np.ndarray) -> Any:
    made = cp.empty(content.shape, bool)
    made.set(content.view(bool))
    return made


def _written(content: np.ndarray) -> Any:
    made = cp.empty(content.shape, bool)
    made.view(np.uint8)[...] = cp.asarray(content)
    return made


def _computed(content: np.ndarray) -> Any:
    """A view of what is still to be computed, where operations are deferred."""
    return (cp.asarray(content) * np.uint8(1)).view(bool)


#: How a program gets such bools from the bytes of an array.
WAYS = {
    "view": lambda content: cp.asarray(content).view(bool),
    "view of what is deferred": _computed,
    "view that is written": _written,
    "host array": lambda content: cp.asarray(content.view(bool)),
    "set": _set,
    "frombuffer": lambda content: cp.frombuffer(content.tobytes(), bool).reshape(content.shape),
    "load": _loaded,
    "pickle": _unpickled,
    "dlpack of the device": lambda content: cp.from_dlpack(cp.asarray(content).view(bool)),
    "dlpack of the host": lambda content: cp.from_dlpack(content.view(bool), device=cp.Device()),
    "array interface": _through_host_interface,
}
if cp.Device().backend != "cpu":
    WAYS["cuda array interface"] = _through_interface


# Ways to lie in memory: each gives an array of so many elements along one axis, or of a matrix.


def lies(layout: str, content: np.ndarray, way: str = "view") -> Any:
    """Bools with the bytes of a line, as a view of a larger array with one of the `LAYOUTS`."""
    make, size = WAYS[way], content.size
    if layout == "contiguous":
        return make(content)
    if layout == "offset":
        return make(np.concatenate([np.array([5], np.uint8), content]))[1:]
    if layout == "strided":
        return make(np.stack([content, np.full_like(content, 7)], axis=1).reshape(-1))[::2]
    if layout == "reversed":
        return make(np.ascontiguousarray(content[::-1]))[::-1]
    rows = next((rows for rows in (8, 5, 4, 3, 2) if size % rows == 0), 1)
    if layout == "matrix":
        return make(content.reshape(rows, -1))
    if layout == "fortran":
        return make(np.ascontiguousarray(content.reshape(rows, -1).T)).T
    if layout == "columns":
        wide = np.concatenate([content.reshape(rows, -1), np.full((rows, 1), 9, np.uint8)], axis=1)
        return make(wide)[:, :-1]
    if layout == "broadcast":
        return cp.broadcast_to(make(content), (3, size))
    raise KeyError(layout)


LAYOUTS = ("contiguous", "offset", "strided", "reversed", "matrix", "fortran", "columns", "broadcast")


# Functions of the bools `m`, of items `x` of the same shape and of a small number `k`: what they give may depend on the
# truth of `m` only.


def _assigned(m: Any, x: Any, values: Any) -> Any:
    made = x.copy()
    made[m] = values
    return made


def _in_place(function: Any) -> Any:
    """A function that changes its first argument, a copy of the items, or of the bools as they are."""

    def call(m: Any, x: Any, k: int) -> Any:
        made = x.copy()
        function(made, m, k)
        return made

    return call


def _augmented(symbol: str) -> Any:
    def call(m: Any, x: Any, k: int) -> Any:
        made, other = m.view(np.uint8).copy().view(bool), m[..., ::-1]
        if symbol == "&":
            made &= other
        elif symbol == "|":
            made |= other
        elif symbol == "^":
            made ^= other
        else:
            made *= other
        return made

    return call


def _items_under(m: Any, x: Any, k: int) -> Any:
    made = x.copy()
    made[m] += 1
    made[~m] *= 2
    return made


def _at(function: Any, *values: Any) -> Any:
    def call(m: Any, x: Any, k: int) -> Any:
        made = m.view(np.uint8).copy().view(bool).ravel()
        if made.size:
            function(made, cp.arange(made.size) // 2, *(m.ravel()[::-1] for _ in values))
        return made

    return call


def _rows(m: Any) -> Any:
    return m if m.ndim > 1 else m[None]


SELECTIONS = {
    "nonzero": lambda m, x, k: cp.nonzero(m),
    "flatnonzero": lambda m, x, k: cp.flatnonzero(m),
    "argwhere": lambda m, x, k: cp.argwhere(m),
    "where of one": lambda m, x, k: cp.where(m),
    "m.nonzero": lambda m, x, k: m.nonzero(),
    "x[m]": lambda m, x, k: x[m],
    "m[m]": lambda m, x, k: m[m],
    "x[~m]": lambda m, x, k: x[~m],
    "x[row of m]": lambda m, x, k: x[_rows(m)[:, 0]] if m.ndim > 1 else x[m],
    "x[:, column of m]": lambda m, x, k: x[:, m[0]] if m.ndim > 1 else x[m],
    "x[m[0]]": lambda m, x, k: x[m.reshape(-1)[0]] if m.size else 0,
    "compress": lambda m, x, k: cp.compress(m.ravel(), x.ravel()),
    "compress axis": lambda m, x, k: cp.compress(_rows(m)[0], _rows(x), axis=1),
    "extract": lambda m, x, k: cp.extract(m, x),
    "delete": lambda m, x, k: cp.delete(x.ravel(), m.ravel()),
    "trim_zeros": lambda m, x, k: cp.trim_zeros(m.ravel()),
    "select": lambda m, x, k: cp.select([m, ~m], [x, -x], 5),
    "choose": lambda m, x, k: cp.choose(m, [x, -x]),
    "where": lambda m, x, k: cp.where(m, x, -x),
    "where of scalars": lambda m, x, k: cp.where(m, 3, 5),
    "where of bools": lambda m, x, k: cp.where(x > 1, m, ~m),
    "take": lambda m, x, k: cp.take(cp.array([10, 20]), m),
    "take_along_axis": lambda m, x, k: cp.take_along_axis(
        _rows(m), cp.argsort(_rows(x), axis=-1, kind="stable"), axis=-1
    ),
}

WRITES = {
    "x[m] = scalar": lambda m, x, k: _assigned(m, x, 7),
    "x[m] = array": lambda m, x, k: _assigned(m, x, x[m] * 3),
    "x[m] += 1": _items_under,
    "place": _in_place(lambda made, m, k: cp.place(made, m, cp.array([3, 4, 5], made.dtype))),
    "putmask": _in_place(lambda made, m, k: cp.putmask(made, m, cp.array([3, 4], made.dtype))),
    "copyto where": _in_place(lambda made, m, k: cp.copyto(made, 9, where=m)),
    "add where": lambda m, x, k: cp.add(x, 1, out=x.copy(), where=m),
    "sqrt where": lambda m, x, k: cp.sqrt(cp.abs(x), out=cp.zeros(x.shape), where=m),
    "m &= m": _augmented("&"),
    "m |= m": _augmented("|"),
    "m ^= m": _augmented("^"),
    "m *= m": _augmented("*"),
    "logical_or.at": _at(cp.logical_or.at, 1),
    "logical_and.at": _at(cp.logical_and.at, 1),
    "add.at": _at(cp.add.at, 1),
    "maximum.at": _at(cp.maximum.at, 1),
    "minimum.at": _at(cp.minimum.at, 1),
    "bitwise_xor.at": _at(cp.bitwise_xor.at, 1),
    "logical_not.at": _at(cp.logical_not.at),
    "put": _in_place(lambda made, m, k: cp.put(made, cp.flatnonzero(m), 3)),
    "fill of an element": lambda m, x, k: cp.full(5, m.ravel()[0]) if m.size else 0,
    "assigned element": _in_place(
        lambda made, m, k: made.ravel().__setitem__(slice(0, 2), m.ravel()[:1]) if m.size else 0
    ),
}

ELEMENTWISE = {
    **{
        name: (lambda m, x, k, name=name: getattr(cp, name)(m, m[..., ::-1]))
        for name in (
            "add",
            "multiply",
            "maximum",
            "minimum",
            "fmax",
            "fmin",
            "logical_and",
            "logical_or",
            "logical_xor",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "equal",
            "not_equal",
            "less",
            "less_equal",
            "greater",
            "greater_equal",
            "true_divide",
            "floor_divide",
            "remainder",
            "power",
            "hypot",
            "arctan2",
            "left_shift",
            "right_shift",
            "copysign",
            "ldexp",
            "nextafter",
            "logaddexp",
        )
    },
    **{
        name: (lambda m, x, k, name=name: getattr(cp, name)(m))
        for name in (
            "invert",
            "logical_not",
            "absolute",
            "sqrt",
            "exp",
            "sin",
            "isnan",
            "isfinite",
            "signbit",
            "square",
            "conjugate",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "nan_to_num",
            "real",
            "imag",
            "angle",
            "bitwise_count",
            "iscomplex",
            "isreal",
            "sinc",
            "i0",
            "cbrt",
            "expm1",
            "log1p",
            "deg2rad",
            "reciprocal",
            "spacing",
        )
    },
    "m + x": lambda m, x, k: m + x,
    "m * x": lambda m, x, k: m * x,
    "x - m": lambda m, x, k: x - m,
    "m == 1": lambda m, x, k: m == 1,
    "m == True": lambda m, x, k: m == True,  # noqa: E712
    "m > 0": lambda m, x, k: m > 0,
    "m * 2": lambda m, x, k: m * 2,
    "m + 1j": lambda m, x, k: m + 1j,
    "m & x": lambda m, x, k: m & (x > 1),
    "m ^ m": lambda m, x, k: m ^ m,
    "m != m": lambda m, x, k: m != m,
    "clip": lambda m, x, k: cp.clip(m.astype(np.int8), 0, 1),
    **{
        f"astype {kind}": (lambda m, x, k, kind=kind: m.astype(kind))
        for kind in (
            "bool",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        )
    },
    "copy": lambda m, x, k: m.copy(),
    "heaviside": lambda m, x, k: cp.heaviside(m, m),
    "divmod": lambda m, x, k: cp.divmod(x, m + 1),
    "modf": lambda m, x, k: cp.modf(m),
    "frexp": lambda m, x, k: cp.frexp(m),
    "a chain": lambda m, x, k: cp.where((m & (x > 1)) | ~m, x * m, m).sum(),
    "out": lambda m, x, k: cp.logical_or(m, m, out=cp.zeros(m.shape, np.uint8)),
    "out of bools": lambda m, x, k: cp.logical_not(m, out=cp.empty(m.shape, bool)),
    "vectorize": lambda m, x, k: cp.vectorize(lambda a, b: b if a else -b)(m, x),
    "piecewise": lambda m, x, k: cp.piecewise(x.astype(float), [m, ~m], [-1.0, 1.0]),
    "isclose": lambda m, x, k: cp.isclose(m, m[..., ::-1]),
    "array_equal": lambda m, x, k: cp.array_equal(m, m[..., ::-1]),
    "outer": lambda m, x, k: cp.logical_and.outer(m.ravel()[:9], m.ravel()[:7]),
}

_AXIS = {None: "", 0: " of axis 0", -1: " of the last axis"}

REDUCTIONS = {
    **{
        f"{name}{what}": (lambda m, x, k, name=name, axis=axis: getattr(cp, name)(m, axis=axis) if m.size else 0)
        for name in (
            "sum",
            "prod",
            "max",
            "min",
            "any",
            "all",
            "mean",
            "var",
            "std",
            "count_nonzero",
            "argmax",
            "argmin",
            "ptp",
            "median",
            "nansum",
            "nanprod",
            "nanmax",
            "nanargmax",
            "nanmean",
            "average",
        )
        for axis, what in _AXIS.items()
        # NumPy has no difference of bools.
        if name != "ptp"
    },
    **{
        f"{name} dtype": (lambda m, x, k, name=name: getattr(cp, name)(m, dtype=np.uint8))
        for name in ("sum", "prod", "cumsum", "cumprod")
    },
    **{
        f"{name}{what}": (lambda m, x, k, name=name, axis=axis: getattr(cp, name)(m, axis=axis))
        for name in ("cumsum", "cumprod", "nancumsum")
        for axis, what in _AXIS.items()
    },
    **{
        f"{name}.{way}": (lambda m, x, k, name=name, way=way: getattr(getattr(cp, name), way)(m, axis=-1))
        for name in (
            "add",
            "multiply",
            "logical_and",
            "logical_or",
            "logical_xor",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "maximum",
            "minimum",
            "equal",
        )
        for way in ("reduce", "accumulate")
        if (name, way) != ("equal", "reduce")
    },
    "reduceat": lambda m, x, k: cp.add.reduceat(m.ravel(), [0, m.size // 3, m.size // 2]) if m.size > 3 else 0,
    "or.reduceat": lambda m, x, k: cp.logical_or.reduceat(m.ravel(), [0, m.size // 3]) if m.size > 3 else 0,
    "sum where": lambda m, x, k: x.sum(where=m),
    "sum where axis": lambda m, x, k: cp.sum(x, axis=-1, where=m),
    "max where": lambda m, x, k: cp.max(x, where=m, initial=-9),
    "mean where": lambda m, x, k: cp.mean(x, where=m),
    "any where": lambda m, x, k: cp.any(x, where=m),
    "m.sum(where=m)": lambda m, x, k: m.sum(where=m),
    "all where axis": lambda m, x, k: cp.all(x, axis=0, where=m),
    "average": lambda m, x, k: cp.average(x, weights=m) if bool(m.any()) else 0,
    "cov": lambda m, x, k: cp.cov(m.ravel(), x.ravel().astype(float)) if m.size > 1 else 0,
    "percentile": lambda m, x, k: cp.percentile(m.astype(float), 30) if m.size else 0,
    "bool": lambda m, x, k: [bool(e) for e in m.ravel()[:3]],
    "int": lambda m, x, k: [int(e) for e in m.ravel()[:3]],
    "index": lambda m, x, k: [e.item() for e in m.ravel()[:3]],
    "softmax": lambda m, x, k: m / (m.sum(axis=-1, keepdims=True) + 1) + m.max(axis=-1, keepdims=True) if m.size else 0,
}

ORDER = {
    "sort": lambda m, x, k: cp.sort(m, axis=-1),
    "sort flat": lambda m, x, k: cp.sort(m, axis=None),
    "sort axis 0": lambda m, x, k: cp.sort(m, axis=0),
    "in place": lambda m, x, k: _sorted_in_place(m),
    "argsort": lambda m, x, k: cp.argsort(m, axis=-1, kind="stable"),
    "argsort flat": lambda m, x, k: cp.argsort(m, axis=None, kind="stable"),
    "partition": lambda m, x, k: cp.partition(m.ravel(), m.size // 2)[m.size // 2] if m.size else 0,
    "argpartition": lambda m, x, k: (
        m.ravel()[cp.argpartition(m.ravel(), m.size // 9)[: m.size // 9 + 1]].sum() if m.size else 0
    ),
    "lexsort": lambda m, x, k: cp.lexsort((x.ravel(), m.ravel())),
    "unique": lambda m, x, k: cp.unique(m),
    "unique with all": lambda m, x, k: cp.unique(m, return_index=True, return_inverse=True, return_counts=True),
    "unique of sorted": lambda m, x, k: cp.unique(cp.sort(m.ravel())),
    "unique rows": lambda m, x, k: cp.unique(_rows(m), axis=0),
    "unique_values": lambda m, x, k: cp.sort(cp.unique_values(m)),
    "isin": lambda m, x, k: cp.isin(m, cp.array([True])),
    "isin of it": lambda m, x, k: cp.isin(x, m),
    "searchsorted": lambda m, x, k: cp.searchsorted(cp.array([False, True]), m),
    "searchsorted right": lambda m, x, k: cp.searchsorted(cp.array([False, True]), m, side="right"),
    "searchsorted in it": lambda m, x, k: cp.searchsorted(cp.sort(m.ravel()), m.ravel()[:5000]),
    "searchsorted of raw": lambda m, x, k: cp.searchsorted(_halves(m), m.ravel()[:5000], side="right"),
    "digitize": lambda m, x, k: cp.digitize(m.astype(float), cp.array([0.5, 1.0])),
    "union1d": lambda m, x, k: cp.union1d(m, ~m),
    "intersect1d": lambda m, x, k: cp.intersect1d(m, m),
    "setdiff1d": lambda m, x, k: cp.setdiff1d(m, cp.array([True])),
    "setxor1d": lambda m, x, k: cp.setxor1d(m, cp.array([True])),
    "bincount": lambda m, x, k: cp.bincount(m.ravel()),
    "bincount weights": lambda m, x, k: cp.bincount(x.ravel().astype(np.int64) % 3, weights=m.ravel()),
    "bincount of bools": lambda m, x, k: cp.bincount(m.ravel(), weights=x.ravel().astype(float)),
    "histogram": lambda m, x, k: cp.histogram(m.astype(np.uint8), 2)[0] if m.size else 0,
    "histogram of bools": lambda m, x, k: cp.histogram(m, bins=cp.array([0, 1, 2])),
    "histogram weights": lambda m, x, k: cp.histogram(x, bins=3, range=(0, 3), weights=m),
    "diff": lambda m, x, k: cp.diff(m.ravel()),
    "ediff1d": lambda m, x, k: cp.ediff1d(m.astype(np.int8)),
    "gradient": lambda m, x, k: cp.gradient(m.ravel().astype(float)) if m.size > 2 else 0,
    "convolve": lambda m, x, k: cp.convolve(m.ravel()[:200], cp.array([True, True, False])) if m.size else 0,
    "correlate": lambda m, x, k: cp.correlate(m.ravel()[:99], m.ravel()[:9]) if m.size else 0,
    "interp": lambda m, x, k: cp.interp(m.ravel(), cp.array([0.0, 1.0]), cp.array([3.0, 5.0])),
    "trapezoid": lambda m, x, k: cp.trapezoid(m.astype(float).ravel()) if m.size else 0,
}


def _sorted_in_place(m: Any) -> Any:
    made = m.view(np.uint8).copy().view(bool)
    made.sort()
    return made


def _halves(m: Any) -> Any:
    """A sorted line, of false and true ones with the bytes of `m`."""
    line = m.ravel()
    return cp.concatenate([cp.zeros(line.size // 2, bool), cp.where(line, line, True)])


PRODUCTS = {
    "dot": lambda m, x, k: cp.dot(m.ravel(), m.ravel()),
    "dot of x": lambda m, x, k: cp.dot(m.ravel(), x.ravel()),
    "matmul": lambda m, x, k: _rows(m)[:40, :60] @ _rows(m)[:40, :60].T,
    "matmul of x": lambda m, x, k: _rows(m)[:40, :60] @ _rows(x)[:40, :60].T,
    "inner": lambda m, x, k: cp.inner(m.ravel(), m.ravel()),
    "outer": lambda m, x, k: cp.outer(m.ravel()[:50], m.ravel()[:40]),
    "kron": lambda m, x, k: cp.kron(m.ravel()[:20], m.ravel()[:9]),
    "einsum": lambda m, x, k: cp.einsum("i,i->", m.ravel(), m.ravel()),
    "einsum of rows": lambda m, x, k: cp.einsum("ij,kj->ik", _rows(m)[:20, :60], _rows(m)[:20, :60]),
    "einsum diagonal": lambda m, x, k: cp.einsum("ij->i", _rows(m)),
    "tensordot": lambda m, x, k: cp.tensordot(_rows(m)[:20], _rows(x)[:20], axes=([0, 1], [0, 1])),
    "vdot": lambda m, x, k: cp.vdot(m, m),
    "trace": lambda m, x, k: cp.trace(_rows(m)),
    "matrix_power": lambda m, x, k: cp.linalg.matrix_power(_rows(m)[:1, :1], 3) if m.size else 0,
    "tri": lambda m, x, k: (cp.tril(_rows(m)), cp.triu(_rows(m))),
    "norm": lambda m, x, k: cp.linalg.norm(m.astype(float).ravel()),
}

MOVES = {
    "packbits": lambda m, x, k: cp.packbits(m),
    "packbits little": lambda m, x, k: cp.packbits(m, axis=-1, bitorder="little"),
    "concatenate": lambda m, x, k: cp.concatenate([m, ~m]),
    "concatenate with numbers": lambda m, x, k: cp.concatenate([m, x]),
    "stack": lambda m, x, k: cp.stack([m, m, x > 1]),
    "repeat": lambda m, x, k: cp.repeat(m, 3),
    "repeat by": lambda m, x, k: cp.repeat(x.ravel(), m.ravel()),
    "tile": lambda m, x, k: cp.tile(m, 2),
    "roll": lambda m, x, k: cp.roll(m, k),
    "pad": lambda m, x, k: cp.pad(m, 2),
    "pad edge": lambda m, x, k: cp.pad(m, 2, mode="edge") if m.size else 0,
    "pad maximum": lambda m, x, k: cp.pad(m.astype(np.uint8), 2, mode="maximum") if m.size else 0,
    "append": lambda m, x, k: cp.append(m, True),
    "insert": lambda m, x, k: cp.insert(m.ravel(), 0, m.ravel()[:2]),
    "flip": lambda m, x, k: cp.flip(m),
    "resize": lambda m, x, k: cp.resize(m, (3, 5)),
    "tolist": lambda m, x, k: m.tolist(),
    "repr": lambda m, x, k: repr(m),
    "str": lambda m, x, k: str(m),
    "get": lambda m, x, k: m.get() != 0,
    "array of": lambda m, x, k: cp.array(m, dtype=np.float32),
    "as_strided": lambda m, x, k: (
        cp.lib.stride_tricks.sliding_window_view(m.ravel(), 3).sum(axis=-1) if m.size > 3 else 0
    ),
    "array_split": lambda m, x, k: [part.sum() for part in cp.array_split(m.ravel(), 3)],
    "block": lambda m, x, k: cp.block([[m, m]]) if m.ndim < 3 else 0,
    "meshgrid": lambda m, x, k: cp.meshgrid(m.ravel()[:9], m.ravel()[:9]),
    "diag": lambda m, x, k: cp.diag(m.ravel()[:30]),
    "ix_": lambda m, x, k: cp.ix_(m.ravel()[:30], m.ravel()[::-1][:30]),
    "unravel_index": lambda m, x, k: cp.unravel_index(cp.flatnonzero(m), m.shape) if m.size else 0,
    "fill_diagonal": lambda m, x, k: _filled(m),
    "apply_along_axis": lambda m, x, k: cp.apply_along_axis(lambda row: row.sum(), -1, _rows(m)[:4]) if m.size else 0,
    "fft": lambda m, x, k: cp.fft.fft(m.ravel()[:64]) if m.size else 0,
    "save": lambda m, x, k: _saved(m),
    "savetxt": lambda m, x, k: _text(m),
    "array2string": lambda m, x, k: cp.array2string(m[..., :5]),
}


def _filled(m: Any) -> Any:
    made = cp.zeros((5, 5), bool)
    cp.fill_diagonal(made, m.ravel()[:1] if m.size else True)
    return made


def _saved(m: Any) -> Any:
    file = io.BytesIO()
    cp.save(file, m)
    file.seek(0)
    return np.load(file) != 0


def _text(m: Any) -> str:
    file = io.StringIO()
    cp.savetxt(file, _rows(m)[:4, :9], fmt="%d")
    return file.getvalue()


def _matrix(m: Any) -> Any:
    """At most 40 rows and 70 columns."""
    return _rows(m)[:40, :70]


def _parts(matrix: Any) -> Any:
    return [matrix.toarray(), matrix.nnz]


def _csr_with(m: Any) -> Any:
    """A sparse matrix whose data are the bools themselves, of which some are false."""
    data = m.ravel()[:50]
    columns = cp.arange(data.size, dtype=np.int32) * 3 % 17
    return sparse.csr_matrix((data, columns, cp.array([0, data.size // 2, data.size], dtype=np.int32)), shape=(2, 17))


SPARSE = {
    "csr": lambda m, x, k: _parts(sparse.csr_matrix(_matrix(m))),
    "csc": lambda m, x, k: _parts(sparse.csc_matrix(_matrix(m))),
    "coo": lambda m, x, k: _parts(sparse.coo_matrix(_matrix(m))),
    "dia": lambda m, x, k: _parts(sparse.coo_matrix(_matrix(m)).todia()),
    "toarray": lambda m, x, k: _csr_with(m).toarray(),
    "tocsc": lambda m, x, k: _csr_with(m).tocsc().toarray(),
    "nonzero": lambda m, x, k: _csr_with(m).nonzero(),
    "count_nonzero": lambda m, x, k: _csr_with(m).count_nonzero(),
    "eliminate_zeros": lambda m, x, k: _eliminated(_csr_with(m)),
    "sum": lambda m, x, k: [_csr_with(m).sum(), _csr_with(m).sum(axis=0), _csr_with(m).sum(axis=1)],
    "matvec": lambda m, x, k: _csr_with(m) @ cp.arange(17.0),
    "matvec of bools": lambda m, x, k: _csr_with(m) @ cp.ones(17, bool),
    "product": lambda m, x, k: (_csr_with(m) @ _csr_with(m).T).toarray(),
    "addition": lambda m, x, k: (_csr_with(m) + _csr_with(m)[::-1]).toarray(),
    "multiply": lambda m, x, k: _csr_with(m).multiply(_csr_with(m)).toarray(),
    "max": lambda m, x, k: _csr_with(m).max(axis=1).toarray(),
    "comparison": lambda m, x, k: (_csr_with(m) != _csr_with(m)[::-1]).toarray(),
    "rows by mask": lambda m, x, k: sparse.csr_matrix(_matrix(x).astype(float))[_matrix(m)[:, 0]].toarray(),
    "columns by mask": lambda m, x, k: sparse.csr_matrix(_matrix(x).astype(float))[:, _matrix(m)[0]].toarray(),
    "elements by mask": lambda m, x, k: sparse.csr_matrix(_matrix(x).astype(float))[_matrix(m)],
    "astype": lambda m, x, k: _csr_with(m).astype(np.float64).data,
    "tobsr": lambda m, x, k: _csr_with(m).tobsr().toarray(),
    "tolil": lambda m, x, k: sparse.csr_matrix(_matrix(m)).tolil().toarray(),
    "transpose": lambda m, x, k: _csr_with(m).T.toarray(),
    "find": lambda m, x, k: sparse.find(sparse.csr_matrix(_matrix(m)))[:2],
}


def _eliminated(matrix: Any) -> Any:
    matrix.eliminate_zeros()
    return [matrix.nnz, matrix.toarray()]


IMAGES = {
    "label": lambda m, x, k: ndi.label(_matrix(m)),
    "find_objects": lambda m, x, k: ndi.find_objects(ndi.label(_matrix(m))[0]),
    "binary_erosion": lambda m, x, k: ndi.binary_erosion(_matrix(m)),
    "binary_dilation": lambda m, x, k: ndi.binary_dilation(_matrix(m), iterations=2),
    "binary_opening": lambda m, x, k: ndi.binary_opening(_matrix(m), structure=_matrix(m)[:3, :3]) if _odd(m) else 0,
    "binary_fill_holes": lambda m, x, k: ndi.binary_fill_holes(_matrix(m)),
    "binary_hit_or_miss": lambda m, x, k: ndi.binary_hit_or_miss(_matrix(m)),
    "binary_propagation": lambda m, x, k: ndi.binary_propagation(_matrix(m) & _matrix(x > 1), mask=_matrix(m)),
    "masked erosion": lambda m, x, k: ndi.binary_erosion(_matrix(x > 1), mask=_matrix(m)),
    "distance_transform_edt": lambda m, x, k: ndi.distance_transform_edt(_matrix(m)),
    "distance_transform_cdt": lambda m, x, k: ndi.distance_transform_cdt(_matrix(m)),
    "sum_labels": lambda m, x, k: ndi.sum_labels(_matrix(x), _matrix(m), 1),
    "mean of labels": lambda m, x, k: ndi.mean(_matrix(m).astype(float), _matrix(m)) if bool(_matrix(m).any()) else 0,
    "maximum_filter": lambda m, x, k: ndi.maximum_filter(_matrix(m), 3),
    "maximum_filter of heights": lambda m, x, k: ndi.grey_dilation(
        _matrix(m), structure=np.ones((3, 3)), output=np.uint8
    ),
    "median_filter": lambda m, x, k: ndi.median_filter(_matrix(m), 3, output=np.uint8),
    "median_filter of many": lambda m, x, k: ndi.median_filter(_matrix(m), 15, output=np.float32),
    "uniform_filter": lambda m, x, k: ndi.uniform_filter(_matrix(m), 3, output=np.float64),
    "convolve": lambda m, x, k: ndi.convolve(_matrix(m), cp.ones((3, 3)), output=np.float64),
    "gaussian_filter": lambda m, x, k: ndi.gaussian_filter(_matrix(m), 1.5, output=np.float64),
    "footprint": lambda m, x, k: ndi.maximum_filter(_matrix(x), footprint=_footprint(m)),
    "rank_filter": lambda m, x, k: ndi.rank_filter(_matrix(x), 0, footprint=_footprint(m)),
    "zoom": lambda m, x, k: ndi.zoom(_matrix(m).astype(float), 1.5, order=1),
    "rotate": lambda m, x, k: ndi.rotate(_matrix(m), 30, order=0, output=np.uint8),
    "shift": lambda m, x, k: ndi.shift(_matrix(m), 1, order=0, output=np.int16),
    "center_of_mass": lambda m, x, k: ndi.center_of_mass(_matrix(m)) if bool(_matrix(m).any()) else 0,
    "histogram": lambda m, x, k: ndi.histogram(_matrix(m).astype(float), 0, 2, 2),
}


def _odd(m: Any) -> bool:
    return m.ndim > 1 and min(m.shape) >= 3


def _footprint(m: Any) -> Any:
    made = cp.zeros(9, bool)
    line = m.ravel()[:8]
    made.view(np.uint8)[: line.size] = line.view(np.uint8) if line.flags.c_contiguous else line
    made[8] = True
    return made.reshape(3, 3)


def _few(m: Any) -> Any:
    """At most 12 rows and 9 columns."""
    return _rows(m)[:12, :9]


PACKAGES = {
    **{
        f"cdist {metric}": (lambda m, x, k, metric=metric: distance.cdist(_few(m), _few(m), metric))
        for metric in (
            "hamming",
            "jaccard",
            "dice",
            "rogerstanimoto",
            "russellrao",
            "sokalsneath",
            "yule",
            "matching",
            "cityblock",
            "euclidean",
            "cosine",
            "chebyshev",
        )
    },
    "pdist": lambda m, x, k: distance.pdist(_few(m), "jaccard"),
    "jaccard": lambda m, x, k: distance.jaccard(m.ravel()[:99], m.ravel()[::-1][:99]),
    "rankdata": lambda m, x, k: stats.rankdata(m.ravel()),
    "zscore": lambda m, x, k: stats.zscore(m.astype(float).ravel()) if m.size else 0,
    "tmean": lambda m, x, k: stats.describe(m.ravel())[0:3] if m.size > 2 else 0,
    "connected_components": lambda m, x, k: csgraph.connected_components(sparse.csr_matrix(_square(m))),
    "laplacian": lambda m, x, k: csgraph.laplacian(_square(m).astype(float)),
    "dijkstra": lambda m, x, k: csgraph.dijkstra(sparse.csr_matrix(_square(m)), indices=0) if m.size else 0,
    "signal.convolve": lambda m, x, k: signal.convolve(m.ravel()[:99], cp.array([1, 2, 1])) if m.size else 0,
    "lfilter": lambda m, x, k: signal.lfilter([1.0], [1.0, -0.5], m.ravel()[:99]) if m.size else 0,
    "medfilt": lambda m, x, k: signal.medfilt(m.ravel()[:99].astype(float), 3) if m.size else 0,
    "gamma": lambda m, x, k: special.gamma(m),
    "logsumexp": lambda m, x, k: special.logsumexp(m.astype(float)) if m.size else 0,
    "entr": lambda m, x, k: special.entr(m),
    "choice": lambda m, x, k: cp.random.default_rng(k).choice(m.ravel(), 20) if m.size else 0,
    "permutation": lambda m, x, k: cp.random.default_rng(k).permutation(m),
    "shuffled": lambda m, x, k: _shuffled(m, k),
    "binomial": lambda m, x, k: cp.random.default_rng(k).binomial(m.ravel()[:50], 0.5),
    "lstsq": lambda m, x, k: cp.linalg.lstsq(cp.eye(3), m.ravel()[:3])[0] if m.size > 2 else 0,
    "polyval": lambda m, x, k: cp.polyval(m.ravel()[:5], 2),
    "quad": lambda m, x, k: integrate.trapezoid(m.ravel().astype(float)) if m.size else 0,
    "ma": lambda m, x, k: cp.nanmean(cp.where(m, x, cp.nan)),
}


def _square(m: Any) -> Any:
    line = m.ravel()[:100]
    side = int(line.size**0.5)
    return line[: side * side].reshape(side, side) if side else cp.zeros((1, 1), bool)


def _shuffled(m: Any, k: int) -> Any:
    made = m.view(np.uint8).copy().view(bool)
    cp.random.default_rng(k).shuffle(made)
    return made


#: All functions by group. Those of the last three look at a small part of large arrays.
GROUPS = {
    "selections": SELECTIONS,
    "writes": WRITES,
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "order": ORDER,
    "products": PRODUCTS,
    "moves": MOVES,
    "sparse": SPARSE,
    "images": IMAGES,
    "packages": PACKAGES,
}


def outcome(function: Any, m: Any, x: Any, k: int = 3) -> Any:
    """What a function gives, on the host; of an error, its type and message."""
    try:
        return observed(function(m, x, k))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def observed(value: Any) -> Any:
    """A result as arrays of NumPy's, bools as they are seen: by their truth."""
    if isinstance(value, (tuple, list)):
        return [observed(part) for part in value]
    if isinstance(value, cp.ndarray):
        value = value.get()
    return value != 0 if isinstance(value, np.ndarray) and value.dtype == bool else value


def same(a: Any, b: Any) -> bool:
    """Whether two outcomes are the same in all bits, NaN being NaN."""
    if isinstance(a, list) or isinstance(b, list):
        return (
            isinstance(a, list)
            and isinstance(b, list)
            and len(a) == len(b)
            and all(same(one, other) for one, other in zip(a, b, strict=True))
        )
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    return type(a) is type(b) and (a == b or a != a)
