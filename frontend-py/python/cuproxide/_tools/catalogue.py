"""The operations whose kernels ship precompiled: what programs ask for first, each called once on small arrays.

Calling an operation is the one sure way to name its kernels, since which there are, and for which layouts, is decided
where operations become launches. The device must compute: masks decide what follows.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

import cuproxide as cp

from .. import _cuproxide as _core
from .. import fusion
from .._lib.ufuncs import NUMPY

__all__ = ["run"]

_COMMON = ("?", "i4", "i8", "f4", "f8")
_FREQUENT = (*_COMMON, "u1", "f2", "c8", "c16")
_ALL = (*_FREQUENT, "i1", "i2", "u2", "u4", "u8", "bfloat16")
_REAL = ("f4", "f8")
_NUMBERS = ("i4", "i8", "f4", "f8")

_ARITHMETIC = ("add", "subtract", "multiply", "true_divide")
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
_OFTEN = (*_ARITHMETIC, *_COMPARISONS, "power", "maximum", "minimum", "floor_divide", "remainder")
_REDUCTIONS = ("sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "argmax", "argmin", "count_nonzero")
_NAN_REDUCTIONS = ("nansum", "nanmax", "nanmin", "nanmean", "nanstd", "nanargmax")

Array = Any
Operation = Callable[..., Any]


def run(dtypes: Sequence[str] | None = None) -> int:
    """Calls every operation on the current device and returns their number; `dtypes` restricts the element types.

    Each is called twice: fused as it usually runs, and step by step as it runs while a fused kernel is being compiled.
    """
    count = 0
    for eager in (False, True):
        # Numbers play no part, so nobody wants to hear what happens to them.
        with fusion.eager(eager), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for operation in _operations(set(dtypes or _ALL)):
                _observe(operation())
                count += 1
    return count // 2


def _observe(result: Any) -> None:
    """Makes sure that a result is computed: work that nobody looks at need not be done."""
    if isinstance(result, cp.ndarray):
        _core.asnumpy(result)
    elif isinstance(result, (tuple, list)):
        for part in result:
            _observe(part)


def _operations(wanted: set[str]) -> Iterator[Operation]:
    for family in (_unary, _binary, _layouts, _mixed, _conversions, _copies, _choices, _creation, _folds, _indexing):
        yield from family(wanted)
    yield from _chains(wanted)
    if wanted >= set(_REAL):
        yield from _compositions()


def _chosen(wanted: set[str], *dtypes: str) -> Iterator[str]:
    return (dtype for dtype in dtypes if dtype in wanted)


def _ones(shape: Any, dtype: Any = "f8") -> Array:
    """An array in memory: what fills it must not become part of an operation's kernel."""
    array = cp.ones(shape, dtype)
    cp.evaluate(array)
    return array


def _zeros(shape: Any, dtype: Any) -> Array:
    array = cp.zeros(shape, dtype)
    cp.evaluate(array)
    return array


def _line(dtype: str) -> Array:
    return _ones(4096, dtype)


def _table(dtype: str) -> Array:
    return _ones((64, 128), dtype)


def _scalar(dtype: str) -> Any:
    """A Python number that an array of this type takes without changing its type."""
    kind = cp.dtype(dtype).kind
    return True if kind == "b" else 2 if kind in "iu" else 1j if kind == "c" else 2.0


def _ufuncs(inputs: int) -> list[Any]:
    """The public ufuncs with so many inputs, each once."""
    named = {id(ufunc): ufunc for name, ufunc in NUMPY.items() if not name.startswith("_")}
    return [ufunc for ufunc in named.values() if ufunc.nin == inputs]


def _takes(ufunc: Any, dtype: str) -> bool:
    letter = cp.dtype(dtype).char
    return any(set(loop.split("->")[0]) == {letter} for loop in ufunc.types)


def _unary(wanted: set[str]) -> Iterator[Operation]:
    for ufunc in _ufuncs(1):
        for dtype in _chosen(wanted, *_FREQUENT):
            if _takes(ufunc, dtype):
                yield lambda ufunc=ufunc, dtype=dtype: ufunc(_line(dtype))
    for name, dtype in itertools.product(("sqrt", "exp", "log", "sin", "cos"), _chosen(wanted, "i4", "i8")):
        yield lambda name=name, dtype=dtype: getattr(cp, name)(_line(dtype))
    names = ("negative", "absolute", "square", "sqrt", "exp", "log", "sin", "cos", "tanh", "isnan")
    for name, dtype in itertools.product(names, _chosen(wanted, *_REAL)):
        yield lambda name=name, dtype=dtype: getattr(cp, name)(_table(dtype)[:, 1:])


def _binary(wanted: set[str]) -> Iterator[Operation]:
    often = {id(getattr(cp, name)) for name in _OFTEN}
    for ufunc in _ufuncs(2):
        for dtype in _chosen(wanted, *(_FREQUENT if id(ufunc) in often else _COMMON)):
            if not _takes(ufunc, dtype):
                continue
            # The divisor is an array first: a scalar of zero would be looked at.
            yield lambda ufunc=ufunc, dtype=dtype: ufunc(_line(dtype), _line(dtype))
            yield lambda ufunc=ufunc, dtype=dtype: ufunc(_line(dtype), _scalar(dtype))
            if id(ufunc) in often:
                yield lambda ufunc=ufunc, dtype=dtype: ufunc(_scalar(dtype), _line(dtype))
    for name, dtype in itertools.product(("true_divide", "power"), _chosen(wanted, "i4", "i8")):
        yield lambda name=name, dtype=dtype: getattr(cp, name)(_line(dtype), _line(dtype))
    for name, dtype in itertools.product(("add", "multiply", "true_divide"), _chosen(wanted, "i4", "i8")):
        yield lambda name=name, dtype=dtype: getattr(cp, name)(_line(dtype), 2.0)
        yield lambda name=name, dtype=dtype: getattr(cp, name)(2.0, _line(dtype))
    for exponent, dtype in itertools.product((2, 0.5), _chosen(wanted, *_REAL)):
        yield lambda exponent=exponent, dtype=dtype: _line(dtype) ** exponent


def _layouts(wanted: set[str]) -> Iterator[Operation]:
    """Broadcast, sliced and shifted operands, and results that are written into slices."""
    names = (*_ARITHMETIC, "maximum", "minimum", "less", "greater", "equal")
    for name, dtype in itertools.product(names, _chosen(wanted, "i8", *_REAL)):
        ufunc = getattr(cp, name)
        yield lambda f=ufunc, d=dtype: f(_table(d), _ones(128, d))
        yield lambda f=ufunc, d=dtype: f(_table(d), _ones((64, 1), d))
        yield lambda f=ufunc, d=dtype: f(_ones((64, 1), d), _ones(128, d))
        yield lambda f=ufunc, d=dtype: f(_line(d), _ones((), d))
        yield lambda f=ufunc, d=dtype: f(_line(d)[1:], _line(d)[:-1])
    for name, dtype in itertools.product(_ARITHMETIC, _chosen(wanted, *_REAL)):
        ufunc = getattr(cp, name)
        yield lambda f=ufunc, d=dtype: f(_line(d)[::2], _line(d)[::2])
        yield lambda f=ufunc, d=dtype: f(_table(d)[1:-1, 2:], _table(d)[1:-1, :-2])
        yield lambda f=ufunc, d=dtype: f(_table(d)[1:-1, 2:], 2.0)
        yield lambda f=ufunc, d=dtype: f(_table(d), _ones((128, 64), d).T)
        yield lambda f=ufunc, d=dtype: f(_ones((8, 1, 16), d), _ones((1, 32, 16), d))
        yield lambda f=ufunc, d=dtype: _into_slice(f, d)


def _into_slice(ufunc: Any, dtype: str) -> Array:
    target = _table(dtype)
    inside = target[1:-1, 1:-1]
    ufunc(inside, _ones(inside.shape, dtype), out=inside)
    return target


def _mixed(wanted: set[str]) -> Iterator[Operation]:
    pairs = (
        ("f8", "i8"),
        ("f8", "i4"),
        ("f8", "?"),
        ("f8", "f4"),
        ("f4", "?"),
        ("i8", "i4"),
        ("i8", "?"),
        ("c16", "f8"),
    )
    for name, pair in itertools.product(_ARITHMETIC, pairs):
        if wanted.issuperset(pair):
            for left, right in (pair, pair[::-1]):
                yield lambda name=name, x=left, y=right: getattr(cp, name)(_line(x), _line(y))


def _conversions(wanted: set[str]) -> Iterator[Operation]:
    for source, target in itertools.permutations(_chosen(wanted, *_ALL), 2):
        yield lambda source=source, target=target: _line(source).astype(target)


def _copies(wanted: set[str]) -> Iterator[Operation]:
    for dtype in _chosen(wanted, *_ALL):
        yield lambda d=dtype: _line(d)
        yield lambda d=dtype: cp.full(4096, _scalar(d), d)
        yield lambda d=dtype: _table(d)[1:, 3:].copy()
        yield lambda d=dtype: cp.ascontiguousarray(_table(d).T)
        yield lambda d=dtype: cp.concatenate([_table(d), _table(d)], axis=1)
    for dtype in _chosen(wanted, *_FREQUENT):
        yield lambda d=dtype: _table(d)[:, 1].copy()
        yield lambda d=dtype: _line(d)[::-1].copy()
        yield lambda d=dtype: cp.stack([_line(d), _line(d)], axis=-1)
        yield lambda d=dtype: cp.broadcast_to(_ones(128, d), (64, 128)).copy()
        yield lambda d=dtype: cp.broadcast_to(_ones((64, 1), d), (64, 128)).copy()
        yield lambda d=dtype: _ones((8, 16, 32), d).transpose(2, 0, 1).copy()
        yield lambda d=dtype: _assigned(d, numpy.s_[:, 3], _scalar(d))
        yield lambda d=dtype: _assigned(d, numpy.s_[1:-1, 1:-1], _scalar(d))
        yield lambda d=dtype: _assigned(d, numpy.s_[1:-1, 1:-1], _ones((62, 126), d))


def _assigned(dtype: str, index: Any, value: Any) -> Array:
    target = _table(dtype)
    target[index] = value
    return target


def _choices(wanted: set[str]) -> Iterator[Operation]:
    def condition() -> Array:
        return _ones(4096, "?")

    for dtype in _chosen(wanted, *_FREQUENT):
        yield lambda d=dtype: cp.where(condition(), _line(d), _line(d))
        yield lambda d=dtype: cp.where(condition(), _line(d), _scalar(d))
        yield lambda d=dtype: cp.where(condition(), _scalar(d), _line(d))
    yield lambda: cp.where(condition(), 1, 0)
    yield lambda: cp.where(condition(), 1.0, 0.0)
    for dtype in _chosen(wanted, *_NUMBERS):
        yield lambda d=dtype: cp.clip(_line(d), 0, 1)
        yield lambda d=dtype: cp.clip(_line(d), 0, None)
        yield lambda d=dtype: cp.where(_table("?"), _table(d), _ones(128, d))
        yield lambda d=dtype: cp.round(_line(d), 2)
        yield lambda d=dtype: cp.nan_to_num(_line(d))


def _creation(wanted: set[str]) -> Iterator[Operation]:
    for dtype in _chosen(wanted, *_NUMBERS):
        yield lambda d=dtype: cp.arange(4096, dtype=d)
        yield lambda d=dtype: cp.arange(0, 4096, 2, dtype=d)
        yield lambda d=dtype: cp.eye(64, dtype=d)
        yield lambda d=dtype: cp.linspace(0, 1, 4096, dtype=d)
        yield lambda d=dtype: cp.tril(_table(d))
        yield lambda d=dtype: cp.triu(_table(d))
        yield lambda d=dtype: cp.diag(_ones(64, d))
        yield lambda d=dtype: cp.meshgrid(_ones(64, d), _ones(32, d))
    for dtype in _chosen(wanted, *_REAL):
        for name in ("random", "standard_normal", "standard_exponential"):
            yield lambda d=dtype, name=name: getattr(cp.random.default_rng(0), name)(4099, dtype=d)
    if "f8" in wanted:
        yield lambda: cp.random.rand(4099)
        yield lambda: cp.random.randn(4099)
        yield lambda: cp.random.random(4099)
        yield lambda: cp.random.normal(0.0, 1.0, 4099)
        yield lambda: cp.random.uniform(0.0, 1.0, 4099)
        yield lambda: cp.random.randint(0, 10, 4099)
        yield lambda: cp.random.permutation(4096)
        yield lambda: cp.random.default_rng(0).integers(0, 10, 4099)
        yield lambda: cp.random.default_rng(0).normal(0.0, 1.0, 4099)
        yield lambda: cp.random.default_rng(0).uniform(0.0, 1.0, 4099)
        yield lambda: cp.random.default_rng(0).choice(4096, 64)


def _folds(wanted: set[str]) -> Iterator[Operation]:
    def over(name: str, dtype: str, axis: int | None) -> Operation:
        return lambda: getattr(cp, name)(_table(dtype), axis=axis)

    for dtype in _chosen(wanted, *_COMMON):
        for name, axis in itertools.product(_REDUCTIONS, (None, 0, 1)):
            yield over(name, dtype, axis)
        for name, axis in itertools.product(("cumsum", "cumprod"), (None, 0, 1)):
            yield over(name, dtype, axis)
    for dtype in _chosen(wanted, "u1", "f2", "c8", "c16"):
        for name, axis in itertools.product(("sum", "mean", "max", "min"), (None, 0, 1)):
            yield over(name, dtype, axis)
    for dtype in _chosen(wanted, *_REAL):
        for name, axis in itertools.product(_NAN_REDUCTIONS, (None, 0, 1)):
            yield over(name, dtype, axis)
        for axis in (None, 0, 1):
            yield lambda d=dtype, axis=axis: cp.linalg.norm(_table(d), axis=axis)
            yield lambda d=dtype, axis=axis: cp.ptp(_table(d), axis=axis)
            yield lambda d=dtype, axis=axis: _table(d)[1:, 1:].sum(axis)
        yield lambda d=dtype: _ones((8, 16, 32), d).sum((0, 2))
        yield lambda d=dtype: _ones((8, 16, 32), d).mean(1)
        yield lambda d=dtype: _ones((8, 3), d).sum(1)


def _indexing(wanted: set[str]) -> Iterator[Operation]:
    def indices() -> Array:
        return _zeros(100, "i8")

    for dtype in _chosen(wanted, *_FREQUENT):
        yield lambda d=dtype: _line(d)[indices()]
        yield lambda d=dtype: _table(d)[indices()]
        yield lambda d=dtype: _assigned(d, indices(), _scalar(d))
    for dtype in _chosen(wanted, *_NUMBERS):
        yield lambda d=dtype: _table(d)[indices(), indices()]
        yield lambda d=dtype: _table(d)[:, indices()]
        yield lambda d=dtype: _line(d)[_zeros(100, "i4")]
        yield lambda d=dtype: cp.take(_table(d), indices(), axis=1)
        yield lambda d=dtype: cp.take_along_axis(_table(d), _zeros((64, 1), "i8"), 1)
        yield lambda d=dtype: _assigned(d, (indices(), indices()), _ones(100, d))
        yield lambda d=dtype: _line(d)[_line("?")]
        yield lambda d=dtype: _assigned(d, _table("?"), _scalar(d))
        yield lambda d=dtype: cp.nonzero(_line(d))
        yield lambda d=dtype: cp.nonzero(_table(d))
        yield lambda d=dtype: cp.scatter_add(_line(d), indices(), _ones(100, d))
        yield lambda d=dtype: cp.repeat(_line(d), 2)
        yield lambda d=dtype: cp.tile(_line(d), 2)
        yield lambda d=dtype: cp.roll(_line(d), 3)


def _chains(wanted: set[str]) -> Iterator[Operation]:
    """Short expressions that programs are full of, as fused kernels."""
    for name, dtype in itertools.product(_COMPARISONS, _chosen(wanted, *_NUMBERS)):
        yield lambda name=name, x=_line, d=dtype: x(d)[getattr(cp, name)(x(d), _scalar(d))]
        yield lambda name=name, x=_table, d=dtype: x(d)[getattr(cp, name)(x(d), _scalar(d))]
        yield lambda name=name, x=_line, d=dtype: getattr(cp, name)(x(d), _scalar(d)).sum()
    for dtype in _chosen(wanted, *_REAL):
        x, row, column, one = (lambda shape=shape, d=dtype: _ones(shape, d) for shape in (4096, 128, (64, 1), ()))
        table = lambda d=dtype: _table(d)  # noqa: E731
        chains: list[Callable[[Array, Array, Array], Array]] = [
            lambda a, b, c: 2.0 * a + b,
            lambda a, b, c: a + 2.0 * b,
            lambda a, b, c: a - 2.0 * b,
            lambda a, b, c: a * 2.0 + 1.0,
            lambda a, b, c: (a - 1.0) * 2.0,
            lambda a, b, c: (a - 1.0) / 2.0,
            lambda a, b, c: 0.5 * (a + b),
            lambda a, b, c: a * b + c,
            lambda a, b, c: (a - b) * c,
            lambda a, b, c: (a - b) ** 2,
            lambda a, b, c: abs(a - b),
            lambda a, b, c: 1.0 - a,
            lambda a, b, c: a**2 + b**2,
            lambda a, b, c: cp.sqrt(a**2 + b**2),
            lambda a, b, c: cp.sqrt(a * a + b * b),
            lambda a, b, c: cp.exp(-a),
            lambda a, b, c: cp.exp(-(a**2)),
            lambda a, b, c: cp.exp(-a) * cp.sin(b),
            lambda a, b, c: cp.sin(a) * cp.cos(b),
            lambda a, b, c: cp.sin(2.0 * a),
            lambda a, b, c: cp.floor(a * 2.0),
            lambda a, b, c: cp.floor(a / 2.0),
            lambda a, b, c: 1.0 / (1.0 + cp.exp(-a)),
            lambda a, b, c: (a > 0.5) & (b < 0.5),
            lambda a, b, c: cp.where(a > 0.5, a, b),
            lambda a, b, c: cp.where(a > 0.5, a, 0.0),
            lambda a, b, c: cp.maximum(a, 0.0) * b,
            lambda a, b, c: (a * b).sum(),
            lambda a, b, c: (a**2).sum(),
            lambda a, b, c: (a * a).sum(),
            lambda a, b, c: ((a - b) ** 2).sum(),
            lambda a, b, c: ((a - b) ** 2).mean(),
            lambda a, b, c: abs(a - b).max(),
            lambda a, b, c: abs(a).max(),
            lambda a, b, c: abs(a).sum(),
            lambda a, b, c: (a > 0.5).sum(),
            lambda a, b, c: (a > 0.5).mean(),
            lambda a, b, c: cp.isnan(a).any(),
            lambda a, b, c: cp.isfinite(a).all(),
            lambda a, b, c: cp.log(a).sum(),
            lambda a, b, c: cp.exp(a).sum(),
        ]
        for chain in chains:
            yield lambda chain=chain, x=x: chain(x(), x(), x())
        yield lambda x=x, one=one: (x() - one()) / one()
        yield lambda table=table, row=row: (table() - row()) / row()
        yield lambda table=table, column=column: cp.exp(table() - column())
        yield lambda table=table, column=column: cp.exp(table() - column()).sum(axis=1)
        yield lambda table=table, column=column: ((table() - column()) ** 2).sum(axis=1)
        yield lambda table=table, row=row: ((table() - row()) ** 2).mean(axis=0)
        # A new array of one value is written by the kernel that first uses it.
        new: list[Callable[[Array, Array], Array]] = [
            lambda a, b: a + b,
            lambda a, b: a - b,
            lambda a, b: a * b,
            lambda a, b: a / b,
            lambda a, b: b + 2.0,
            lambda a, b: b - 2.0,
            lambda a, b: b * 2.0,
            lambda a, b: b / 2.0,
            lambda a, b: b + b,
            lambda a, b: b * b,
            lambda a, b: 2.0 * a + b,
            lambda a, b: a + 2.0 * b,
        ]
        for chain in new:
            yield lambda chain=chain, x=x: _with_new(chain, x())
        for axis in (0, 1):
            yield lambda table=table, axis=axis: (table() * table()).sum(axis=axis)
            yield lambda table=table, axis=axis: (table() ** 2).sum(axis=axis)


def _with_new(chain: Callable[[Array, Array], Array], a: Array) -> tuple[Array, Array]:
    b = cp.ones(a.shape, a.dtype)
    return b, chain(a, b)


def _compositions() -> Iterator[Operation]:
    """Library functions that call several kernels."""
    for dtype in _REAL:
        x, table = (lambda d=dtype: _line(d)), (lambda d=dtype: _table(d))
        yield from (
            lambda x=x: cp.sort(x()),
            lambda x=x: cp.argsort(x()),
            lambda table=table: cp.sort(table(), axis=0),
            lambda x=x: cp.unique(x()),
            lambda x=x: cp.unique(x(), return_counts=True),
            lambda x=x: cp.median(x()),
            lambda x=x: cp.percentile(x(), 50),
            lambda x=x: cp.histogram(x(), 10),
            lambda x=x: cp.searchsorted(x(), x()),
            lambda x=x: cp.diff(x()),
            lambda x=x: cp.gradient(x()),
            lambda x=x: cp.interp(x(), x(), x()),
            lambda x=x: cp.convolve(x(), _ones(3, x().dtype)),
            lambda x=x: cp.allclose(x(), x()),
            lambda x=x: cp.isclose(x(), x()),
            lambda x=x: cp.array_equal(x(), x()),
            lambda x=x: cp.average(x(), weights=x()),
            lambda x=x: cp.trapezoid(x()),
            lambda x=x: cp.polyval(_ones(4, x().dtype), x()),
            lambda x=x: cp.pad(x(), 2),
            lambda table=table: cp.cov(table()),
            lambda table=table: cp.corrcoef(table()),
            lambda table=table: table() @ table().T,
            lambda table=table: table() @ _ones(128, table().dtype),
            lambda table=table: cp.einsum("ij,ij->i", table(), table()),
            lambda x=x: cp.dot(x(), x()),
            lambda x=x: cp.outer(x()[:64], x()[:32]),
            lambda table=table: cp.trace(table()),
            lambda x=x: cp.cross(x()[:48].reshape(16, 3), x()[:48].reshape(16, 3)),
            lambda x=x: cp.fft.fft(x()),
            lambda x=x: cp.fft.ifft(x().astype("c16")),
            lambda x=x: cp.fft.rfft(x()),
            lambda table=table: cp.fft.fft2(table()),
            lambda x=x: cp.fft.fftfreq(4096),
            lambda x=x: cp.fft.fftshift(x()),
        )
    yield lambda: cp.bincount(_ones(4096, "i8"))
    yield lambda: cp.sort(_line("i8"))
    yield lambda: cp.unique(_line("i8"))
    yield lambda: _ones((16, 16), "i8") @ _ones((16, 16), "i8")
    yield lambda: cp.matmul(_ones((4, 16, 16)), _ones((4, 16, 16)))
