"""Random array programs, run by NumPy or by the package, deferred or not.

A program is a list of statements, and a statement a tuple of small integers: what it does, and choices that are taken
modulo what there is to choose from. So every list is a program, and hypothesis can shrink it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from versions import NUMPY_2_1

# What a statement's numbers mean is read off modulo the lengths of these tables.
FLOATS = ("float64", "float32", "float16")
INTEGERS = ("int64", "int32", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
SHAPES = ((5,), (4, 6), (6, 4), (1, 6), (3, 4, 2), (), (4, 1), (0, 3), (4, 6), (3, 40))
SCALARS = (2, 3.5, -1, 0, 0.1, True, 7, -0.0)
TYPED_SCALARS = (
    np.float32(1.5),
    np.int8(3),
    np.float64(0.1),
    np.uint8(7),
    np.float16(-2),
    np.int64(-5),
    np.bool_(True),
)
EXACT_UNARY = ("negative", "absolute", "sqrt", "floor", "square", "sign", "positive", "logical_not", "isnan", "trunc")
ROUGH_UNARY = ("exp", "sin", "log1p", "tanh", "cbrt", "arctan", "exp2", "cos")
BINARY = ("add", "subtract", "multiply", "true_divide", "minimum", "maximum", "floor_divide", "remainder", "fmax")
COMPARISONS = ("less", "equal", "greater_equal", "not_equal", "logical_and", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
IN_PLACE = ("itruediv", "ifloordiv", "imod", "iand", "ior", "ixor", "ilshift", "irshift", "isub")
ROUGH_BINARY = ("copysign", "float_power", "hypot", "arctan2", "logaddexp")
EXACT_REDUCTIONS = ("max", "min", "argmax", "argmin", "any", "all", "count_nonzero")
ROUGH_REDUCTIONS = ("sum", "mean", "var", "std", "prod")

ERRORS = (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError)

#: Numbers of a statement.
WIDTH = 6
#: Most statements' kinds; see `Machine.step`.
KINDS = 33


class Machine:
    """Runs programs with one library."""

    def __init__(self, xp: Any, *, exact: bool) -> None:
        self.xp = xp
        self.exact = exact
        self.arrays: list[Any] = []
        self.seen: list[Any] = []

    def to_numpy(self, array: Any) -> np.ndarray:
        return array.get() if hasattr(array, "get") else np.asarray(array)

    def create(self, kind: int, shape: int, seed: int) -> Any:
        types = (*FLOATS, *INTEGERS, "bool") if self.exact else (*FLOATS, *INTEGERS, "bool", *COMPLEX)
        dtype = types[kind % len(types)]
        lengths = SHAPES[shape % len(SHAPES)]
        way = seed % 4
        if way == 0:
            return self.xp.zeros(lengths, dtype)
        if way == 1:
            return self.xp.full(lengths, seed % 7, dtype)
        values = np.random.default_rng(seed).normal(0, 3, lengths)
        values = np.asarray(values)
        if dtype in FLOATS and values.size > 2 and way == 2:
            values.flat[0], values.flat[1] = np.nan, np.inf
        values = values.astype(np.int64) if dtype.startswith(("int", "uint")) else values
        return self.xp.asarray(values.astype(dtype))

    def as_array(self, value: Any) -> Any:
        """NumPy's scalars as arrays."""
        return value if hasattr(value, "shape") and not np.isscalar(value) else self.xp.asarray(value)

    def pick(self, number: int) -> Any:
        return self.arrays[number % len(self.arrays)]

    def slices(self, array: Any, number: int) -> Any:
        """An index that gives a view."""
        forms = (slice(1, None), slice(None, -1), slice(None, None, -1), slice(None, None, 2), slice(0, 2), slice(None))
        first, second = forms[number % 6], forms[number // 6 % 6]
        return (first, second) if array.ndim >= 2 else first if array.ndim else ...

    def view(self, array: Any, number: int) -> Any:
        way = number % 6
        if way == 0:
            return array.T
        if way == 1:
            return array[self.slices(array, number // 6)]
        if way == 2:
            return array.reshape(-1)
        if way == 3:
            return array[None]
        if way == 4:
            # NumPy's are read-only, so no program keeps one.
            return self.xp.add(self.xp.broadcast_to(array, (2, *array.shape)), array)
        return array[..., ::-1] if array.ndim else array[...]

    def operand(self, number: int, scalar: int) -> Any:
        return SCALARS[scalar % len(SCALARS)] if scalar % 3 == 0 else self.pick(number)

    def ufunc(self, number: int) -> Any:
        names = BINARY + COMPARISONS if self.exact else BINARY + COMPARISONS + ROUGH_BINARY
        return getattr(self.xp, names[number % len(names)])

    def step(self, statement: tuple[int, ...]) -> Any:
        """Runs a statement; returns a new array, or nothing."""
        kind, a, b, c, d, e = statement
        if not self.arrays:
            return self.create(a, b, c)
        kind %= KINDS
        x = self.pick(a)
        if kind == 0:
            return self.create(b, c, d)
        if kind in (1, 2):
            return self.ufunc(c)(x, self.operand(b, d))
        if kind == 3:
            names = EXACT_UNARY if self.exact else EXACT_UNARY + ROUGH_UNARY
            name = names[b % len(names)]
            if not NUMPY_2_1 and x.dtype.kind in "biu" and name in ("floor", "trunc"):
                return None
            return getattr(self.xp, name)(x)
        if kind == 4:
            types = ("float64", "float32", "float16") if self.exact else (*FLOATS, *INTEGERS, *COMPLEX, "bool")
            return x.astype(types[b % len(types)])
        if kind in (5, 6):
            return self.view(x, b)
        if kind == 7:
            other = self.operand(b, d)
            if c % 4 == 0:
                x += other
            elif c % 4 == 1:
                x *= other
            elif c % 4 == 2:
                x -= other
            else:
                self.xp.maximum(x, other, out=x)
            return None
        if kind == 8:
            value = self.operand(b, d)
            # What a number that does not fit becomes, is the processor's choice in NumPy.
            if not self.exact or x.dtype.kind not in "iu" or getattr(value, "dtype", x.dtype).kind != "f":
                x[self.slices(x, c)] = value
            return None
        if kind == 9:
            part = x[self.slices(x, c)]
            part += self.operand(b, d)
            return None
        if kind == 10:
            target = x[self.slices(x, c)]
            target += x[self.slices(x, d)]
            return None
        if kind == 11:
            names = EXACT_REDUCTIONS if self.exact else EXACT_REDUCTIONS + ROUGH_REDUCTIONS
            axis = None if c % 3 == 0 or x.ndim == 0 else c % x.ndim
            return getattr(self.xp, names[b % len(names)])(x, axis=axis)
        if kind == 12:
            return self.xp.where(self.pick(b), x, self.pick(c))
        if kind == 13:
            if c % 2 and x.ndim:
                return self.xp.take(x, self.xp.asarray([0, 0]), axis=0)
            return x[x > 0] if x.dtype.kind != "c" else x[x != 0]
        if kind == 14:
            out, other = self.pick(e), self.operand(b, d)
            if e % 3:
                return self.ufunc(c)(x, other, out=out)
            # NumPy lets a cast of the result change masked elements too, so only what casts nothing is masked.
            return getattr(self.xp, BINARY[c % len(BINARY)])(x, other, out=out, where=self.pick(d) > 0)
        if kind == 15:
            del self.arrays[a % len(self.arrays)]
            return None
        if kind in (17, 18):
            return self.normalise(x, b, c, d, again=kind == 18)
        if kind == 19:
            return self.several(x, self.operand(b, d), c, e)
        if kind == 20:
            if x.ndim == 0 or x.dtype.kind == "b":
                return None
            along = c % x.ndim
            # Sums of floats differ from NumPy's in their last bits.
            if self.exact and x.dtype.kind == "f":
                return self.xp.maximum.accumulate(x, axis=along)
            return self.xp.cumsum(x, axis=along)
        if kind == 21:
            m = self.as_array(self.reduction(b)(x, axis=-1 if x.ndim else None, keepdims=True))
            if c % 3:
                m += self.operand(d, e)
            else:
                x *= m
            return m
        if kind >= 22:
            return FURTHER[kind - 22](self, x, b, c, d, e)
        self.seen.append(self.to_numpy(x).copy())
        return None

    def along(self, x: Any, number: int, part: slice) -> tuple[slice, ...]:
        """The index of a part of one axis."""
        return tuple(part if axis == number % x.ndim else slice(None) for axis in range(x.ndim))

    def stencil(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Neighbours along an axis, in place or as a new array that is one shorter."""
        if x.ndim == 0:
            return None
        left, right, middle = (self.along(x, b, part) for part in (slice(None, -2), slice(2, None), slice(1, -1)))
        if c % 3 == 0:
            return self.ufunc(d)(x[self.along(x, b, slice(1, None))], x[self.along(x, b, slice(None, -1))])
        factor = SCALARS[e % len(SCALARS)]
        if c % 3 == 1:
            x[middle] += factor * (x[right] - x[left])
            return None
        inner = x[middle]
        inner *= self.ufunc(d)(x[left], x[right])
        x[left] = inner
        return None

    def loop(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A few turns of the same statements, with a number that differs from turn to turn."""
        y, other = x, self.operand(b, d)
        for turn in range(2 + e % 5):
            y = self.ufunc(c)(y, other)
            y = self.ufunc(c + d)(y, turn - 1.5 if e % 2 else 2 + turn)
            if e % 3 == 0 and y.dtype == x.dtype and y.shape == x.shape:
                x[self.slices(x, d)] = y[self.slices(y, d)]
        return y

    def in_place(self, x: Any, b: int, c: int, d: int, e: int) -> None:
        """Operators with an assignment, of an array or a view of it."""
        target = x[self.slices(x, e)] if e % 2 else x
        getattr(operator, IN_PLACE[c % len(IN_PLACE)])(target, self.operand(b, d))

    def reduce_with(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A reduction with several axes, a mask, a first value or an output."""
        names = ("max", "min", "any", "all") if self.exact else ("max", "min", "any", "all", "sum", "prod")
        name = names[b % len(names)]
        axes: Any = (None, -1, tuple(range(x.ndim)), (0,), tuple(range(x.ndim))[1:])[c % 5]
        options: dict[str, Any] = {"axis": axes, "keepdims": bool(d % 2)}
        if d % 3 == 0:
            options["where"] = self.pick(e) > 0
        if d % 15 in (0, 3, 5, 9) and name not in ("any", "all"):
            options["initial"] = x.dtype.type(e % 3)
        if e % 4 == 0:
            options["out"] = self.pick(e // 4)
        made = getattr(self.xp, name)(x, **options)
        return None if "out" in options else made

    def typed_scalar(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A number of NumPy's, or a complex one, as an operand."""
        scalar = TYPED_SCALARS[b % len(TYPED_SCALARS)] if self.exact or b % 4 else 1.5 - 0.5j
        return self.ufunc(c)(x, scalar) if d % 2 else self.ufunc(c)(scalar, x)

    def bitwise(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Operators of integers."""
        if e % 4 == 0:
            return self.xp.invert(x)
        return getattr(self.xp, BITWISE[c % len(BITWISE)])(x, self.operand(b, d))

    def pair(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Functions with two results."""
        results = self.xp.divmod(x, self.operand(b, d)) if c % 2 else self.xp.modf(x)
        self.arrays.append(self.as_array(results[e % 2]))
        return results[1 - e % 2]

    def arrange(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Other shapes and orders of elements, as views and as copies."""
        xp, way = self.xp, b % 10
        if way == 0 and x.dtype.kind == "c":
            return x.real if c % 2 else x.imag
        if way == 1:
            return xp.expand_dims(x, c % (x.ndim + 1))
        if way == 2:
            return xp.squeeze(x)
        if x.ndim == 0:
            return xp.ravel(x)
        if way == 3:
            return xp.concatenate([x, self.pick(c)], axis=0) if c % 2 else xp.stack([x, x + 1], axis=c % x.ndim)
        if way == 4:
            return xp.roll(x, c % 5 - 2, axis=d % x.ndim)
        if way == 5:
            return xp.flip(x, axis=d % x.ndim)
        if way == 6:
            return xp.repeat(x, c % 3, axis=d % x.ndim)
        if way == 7:
            return xp.moveaxis(x, c % x.ndim, d % x.ndim)
        if way == 8:
            return x[c % max(x.shape[0], 1), ...]
        return xp.ravel(x)

    def clip(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """Bounds that are numbers, arrays or missing."""
        low = None if b % 4 == 0 else self.operand(b, d)
        return self.xp.clip(x, low, self.operand(c, e))

    def assign(self, x: Any, b: int, c: int, d: int, e: int) -> None:
        """Assignments of all of a view, from numbers and from parts of the same array."""
        if x.ndim and e % 4 == 0:
            x[0] = x[-1]
        elif x.ndim and e % 4 == 1:
            x[self.along(x, c, slice(1, None))] = x[self.along(x, c, slice(None, -1))]
        elif e % 4 == 2:
            x[...] = x.T if x.ndim == 2 and x.shape[0] == x.shape[1] else x[..., ::-1] if x.ndim else x
        elif x.dtype.kind in "fc":
            x.fill(SCALARS[d % len(SCALARS)])

    def product(self, x: Any, b: int, c: int, d: int, e: int) -> Any:
        """A product of matrices, whose sums NumPy groups in another way."""
        if x.ndim != 2 or (self.exact and x.dtype.kind == "f"):
            return None
        return x.T @ (x if c % 2 else x * 2)

    def reduction(self, number: int) -> Any:
        names = EXACT_REDUCTIONS if self.exact else EXACT_REDUCTIONS + ROUGH_REDUCTIONS
        return getattr(self.xp, names[number % len(names)])

    def axis(self, x: Any, number: int) -> int | None:
        """The last axis more often than others."""
        return None if number % 5 == 0 or x.ndim == 0 else -1 if number % 5 < 3 else number % x.ndim

    def normalise(self, x: Any, b: int, c: int, d: int, *, again: bool) -> Any:
        """A reduction that is used with what it was made from, as in a softmax."""
        axis = self.axis(x, d)
        m = self.reduction(b)(x, axis=axis, keepdims=True)
        y = self.ufunc(c)(x, m)
        if again:
            if d % 2:
                m = self.xp.abs(m) + 1
            y = self.ufunc(c + 1)(y, self.reduction(b + c)(y, axis=axis, keepdims=True))
        if d % 3 == 0:
            self.arrays.append(self.as_array(m))
        return y

    def several(self, x: Any, other: Any, c: int, e: int) -> Any:
        """Several reductions of one expression."""
        y = self.ufunc(c)(x, other)
        axis = self.axis(y, e)
        made = [self.reduction(e)(y, axis=axis), self.reduction(e + 1)(y * y, axis=axis)]
        self.arrays.extend(self.as_array(result) for result in (made + [y] if e % 2 else made))
        return self.reduction(e + c)(self.xp.negative(y) if y.dtype.kind != "b" else y, axis=axis)

    def run(self, program: list[tuple[int, ...]]) -> list[Any]:
        """Everything that the program lets one see: copies, errors, and the arrays at its end."""
        for statement in program:
            try:
                made = self.step(statement)
            except ERRORS as error:
                self.seen.append(next(kind.__name__ for kind in ERRORS if isinstance(error, kind)))
                continue
            if made is not None:
                self.arrays.append(self.as_array(made))
        self.seen.extend(self.to_numpy(array) for array in self.arrays)
        return self.seen


#: What statements from the 22nd kind on do.
FURTHER = (
    Machine.stencil,
    Machine.loop,
    Machine.in_place,
    Machine.reduce_with,
    Machine.typed_scalar,
    Machine.bitwise,
    Machine.pair,
    Machine.arrange,
    Machine.clip,
    Machine.assign,
    Machine.product,
)


def difference(mine: list[Any], theirs: list[Any], *, bits: bool = True) -> str:
    """What tells two outcomes apart; empty if nothing does.

    With `bits`, all bits of numbers that are not NaN count; without, zeros of both signs are equal.
    """
    if len(mine) != len(theirs):
        return f"{len(mine)} observations against {len(theirs)}: {mine!r} {theirs!r}"
    for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
        if isinstance(a, str) or isinstance(b, str):
            if not (isinstance(a, str) and isinstance(b, str) and a == b):
                return f"observation {number}: {a!r} against {b!r}"
            continue
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"observation {number}: {a.dtype}{a.shape} against {b.dtype}{b.shape}"
        same = same_bits(a, b) if bits else np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
        if not same:
            return f"observation {number}: {a!r} against {b!r}"
    return ""


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays of a type and shape hold the same bits, where they are not both NaN."""
    if a.dtype.kind in "iub":
        return bool(np.array_equal(a, b))
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    both = np.isnan(a) & np.isnan(b)
    bits = f"u{a.dtype.itemsize}"
    left, right = np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits)
    return bool(np.all(both | (left == right)))
