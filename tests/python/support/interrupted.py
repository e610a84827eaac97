"""Random programs of which some statements fail, for want of memory or else, run by the package and by NumPy.

A statement that raises must have done nothing: NumPy leaves it out, and all that can be seen is equal afterwards. So
each statement is one operation, whose numbers are chosen modulo what there is to choose from, as in `programs`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

#: Numbers of a statement.
WIDTH = 5
#: Arrays of one shape, so that groups are shared, and some of others.
SHAPE = (6, 50)
SLICES = (
    (slice(1, None), slice(None)),
    (slice(None, -1), slice(None)),
    (slice(None, None, 2), slice(None)),
    (slice(None, None, -1), slice(None)),
    (slice(None), slice(1, None)),
    (slice(None), slice(None, -1)),
    (slice(None), slice(None, None, -2)),
    (slice(None), slice(0, 1)),
)
BINARY = ("add", "subtract", "minimum", "maximum", "less", "multiply")
UNARY = ("negative", "absolute", "floor", "square", "sign")
FOLDS = ("max", "min", "any", "argmax", "count_nonzero")
SCALARS = (1, 2, -1, 0.5, 3.0, True)

Statement = Sequence[int]
Program = Sequence[Statement]


def start(xp: Any) -> list[Any]:
    """The arrays that every program begins with."""
    size = SHAPE[0] * SHAPE[1]
    return [xp.ones(SHAPE), xp.arange(float(size)).reshape(SHAPE) % 7, xp.zeros(SHAPE[1]), xp.ones(())]


def fitting(arrays: list[Any], shape: tuple[int, ...], number: int) -> Any:
    """An array that can be broadcast to a shape."""
    fits = [all(n in (1, m) for n, m in zip(a.shape[::-1], shape[::-1], strict=False)) for a in arrays]
    found = [array for array, fit in zip(arrays, fits, strict=True) if fit and array.ndim <= len(shape)]
    return found[number % len(found)]


def index(array: Any, number: int) -> Any:
    return SLICES[number % len(SLICES)][2 - array.ndim :] if array.ndim else ...


def _two(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    return getattr(xp, BINARY[c % len(BINARY)])(x, fitting(arrays, x.shape, b))


def _scalar(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    return getattr(xp, BINARY[c % len(BINARY)])(arrays[a % len(arrays)], SCALARS[b % len(SCALARS)])


def _unary(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    return getattr(xp, UNARY[b % len(UNARY)])(xp.add(arrays[a % len(arrays)], 1.0))


def _update(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    x = arrays[a % len(arrays)]
    other = SCALARS[b % len(SCALARS)] if d % 3 == 0 else fitting(arrays, x.shape, b)
    getattr(xp, BINARY[c % 4])(x, other, out=x, casting="unsafe")


def _update_part(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    x = arrays[a % len(arrays)]
    target = x[index(x, b)]
    getattr(xp, BINARY[c % 4])(target, x[index(x, d)], out=target, casting="unsafe")


def _shift(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    x = arrays[a % len(arrays)]
    if x.ndim:
        getattr(xp, BINARY[c % 4])(x[1:], x[:-1], out=x[1:], casting="unsafe")


def _assign(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    x = arrays[a % len(arrays)]
    where = index(x, b)
    same = [y for y in arrays if y.shape == x.shape]
    x[where] = 3 if c % 4 == 0 else same[c % len(same)][where]


def _masked(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    x = arrays[a % len(arrays)]
    if x.dtype == np.float64:
        getattr(xp, BINARY[c % 4])(x, fitting(arrays, x.shape, b), out=x, where=fitting(arrays, x.shape, d) > 1)


def _fold(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    axis = None if x.ndim == 0 or c % 3 == 0 else c % x.ndim
    return getattr(xp, FOLDS[b % len(FOLDS)])(x, axis=axis)


def _normal(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    axis = x.ndim - 1 if x.ndim else None
    y = xp.subtract(x, getattr(xp, FOLDS[b % 2])(x, axis=axis, keepdims=True))
    return xp.add(y, getattr(xp, FOLDS[c % 2])(y, axis=axis, keepdims=True)) if d % 2 else y


def _views(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    return xp.subtract(x[1:], x[:-1]) if x.ndim and x.dtype != bool and x.shape[0] > 1 else xp.add(x, x)


def _view(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    return x[index(x, b)]


def _copied(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    return (x.copy, x.T.copy, x.ravel, x[None].copy)[b % 4]()


def _sorted(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> Any:
    x = arrays[a % len(arrays)]
    if not x.ndim:
        return xp.where(x > 1, x, 0.5)
    return (xp.sort, xp.cumsum, xp.flip, xp.argsort)[b % 3](x.astype(xp.int64) if b % 3 == 1 else x, axis=0)


def _forget(xp: Any, arrays: list[Any], a: int, b: int, c: int, d: int) -> None:
    if len(arrays) > 4:
        del arrays[4 + a % (len(arrays) - 4)]


#: The kinds of statements; those that come more than once are drawn more often.
KINDS: tuple[Callable[..., Any], ...] = (
    _two, _two, _scalar, _unary, _update, _update, _update_part, _shift, _assign, _assign, _masked, _fold, _normal,
    _views, _view, _copied, _sorted, _forget,
)  # fmt: skip
#: What a statement does besides: reads an array, and begins and ends the interruption.
READ, BEGIN, END = range(len(KINDS), len(KINDS) + 3)


def drawn_program(seed: int, *, shortest: int = 6, longest: int = 20) -> list[tuple[int, ...]]:
    """A random program that is interrupted from some point on, and no more from a later one."""
    draw = random.Random(seed)
    length = draw.randrange(shortest, longest)
    # What is deferred runs where it is read: a quarter of the statements do.
    kinds = [min(draw.randrange(READ * 4 // 3), READ) for _ in range(length)]
    program = [(kind, *(draw.randrange(1000) for _ in range(WIDTH - 1))) for kind in kinds]
    begin = draw.randrange(length * 2 // 3)
    program.insert(begin, (BEGIN, draw.randrange(1000), 0, 0, 0))
    program.insert(max(draw.randrange(begin + 1, length + 2) for _ in range(2)), (END, 0, 0, 0, 0))
    return program


class Interrupted:
    """Runs programs with the package and NumPy side by side."""

    def __init__(
        self, xp: Any, begin: Callable[[int], object], end: Callable[[], object], errors: tuple[type[Exception], ...]
    ) -> None:
        """`begin(number)` lets operations fail with one of `errors`, `end()` no longer."""
        self.xp, self.begin, self.end, self.errors = xp, begin, end, errors
        self.failures = 0

    def difference(self, program: Program) -> str:
        """Where the package is wrong; empty if nowhere."""
        self.prepare()
        mine, theirs = start(self.xp), start(np)
        for array in mine:
            array.get()
        self.prepare()
        try:
            for number, (kind, *numbers) in enumerate(program):
                if kind == BEGIN:
                    self.begin(numbers[0])
                elif kind == END:
                    self.end()
                elif kind == READ:
                    place = numbers[0] % len(theirs)
                    try:
                        seen = mine[place].get()
                    except self.errors:
                        self.failures += 1
                    else:
                        if not np.array_equal(seen, theirs[place], equal_nan=True):
                            return f"statement {number} reads {seen!r} for {theirs[place]!r}"
                elif difference := self.do(KINDS[kind], mine, theirs, numbers):
                    return f"statement {number}: {difference}"
        finally:
            self.end()
        for number, (a, b) in enumerate(zip(mine, theirs, strict=True)):
            if a.dtype != b.dtype or not np.array_equal(a.get(), b, equal_nan=True):
                return f"array {number} is {a.get()!r} for {b!r}"
        return ""

    def prepare(self) -> None:
        """What is to be done before the arrays of a program are made, and when they are in memory."""

    def do(self, kind: Callable[..., Any], mine: list[Any], theirs: list[Any], numbers: Sequence[int]) -> str:
        made = raised = expected = refused = None
        try:
            made = kind(self.xp, mine, *numbers)
        except self.errors:
            self.failures += 1
            return ""
        except (TypeError, ValueError, IndexError) as error:
            raised = error
        try:
            expected = kind(np, theirs, *numbers)
        except (TypeError, ValueError, IndexError) as error:
            refused = error
        if (raised is None) != (refused is None):
            return f"{kind.__name__} raised {raised!r} for {refused!r}"
        if made is not None:
            mine.append(made)
            # A reduction to one number is a scalar to NumPy.
            theirs.append(np.asarray(expected))
        return ""
