"""Formulas as lists of operations: they run on a `Point`, which stands for an array and notes what is done with it.

What cannot be written down, such as a kernel or a number read from the device, is an error of the point.
"""

from __future__ import annotations

import contextlib
import math
import operator
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._lib.ufuncs import NUMPY

__all__ = ["NUMBERS", "Point", "Steps", "alone", "choice", "is_traced", "traced"]

# Types of operands for which equal values mean equal results.
NUMBERS = frozenset({int, float, np.float64})
# Divisions, whose second operand divides.
_QUOTIENTS = (operator.truediv, NUMPY["divide"])
_running = threading.local()


class _Unfit(Exception):  # noqa: N818
    """What is done with a point cannot be written down."""


class Point:
    """Stands for an array in the formulas of a method: what is done with it becomes a step of its `tape`."""

    __slots__ = ("_tape",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: _Tape) -> None:
        self._tape = tape

    def step(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Point:
        """What a function makes of this point and others."""
        return self._tape.step(function, inputs)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Point:
        own = NUMPY.get(ufunc.__name__)
        if method != "__call__" or kwargs or own is None:
            raise _Unfit
        # Comparisons make an array of their number.
        return self.step(own, tuple(value[()] if isinstance(value, np.ndarray) else value for value in inputs))

    def __bool__(self) -> bool:
        raise _Unfit

    def __getattr__(self, name: str) -> Any:
        # Neither a shape nor a way into an array of NumPy.
        raise _Unfit


def _binary(function: Callable[..., Any]) -> tuple[Any, Any]:
    def forward(self: Point, other: Any) -> Point:
        return self.step(function, (self, other))

    def backward(self: Point, other: Any) -> Point:
        return self.step(function, (other, self))

    return forward, backward


def _unary(function: Callable[..., Any]) -> Any:
    return lambda self: self.step(function, (self,))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _forward, _backward = _binary(getattr(operator, f"__{_name}__"))
    setattr(Point, f"__{_name}__", _forward)
    setattr(Point, f"__r{_name}__", _backward)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Point, f"__{_name}__", _binary(getattr(operator, _name))[0])
for _name in ("neg", "abs", "invert"):
    setattr(Point, f"__{_name}__", _unary(getattr(operator, _name)))


class _Tape:
    """The steps of a formula: functions, and what they are called with."""

    def __init__(self) -> None:
        self.steps: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.results: list[Point] = []
        self.made: dict[Any, Point] = {}

    def step(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Point:
        """A new step, or the one that has done the same."""
        if function in _QUOTIENTS and type(inputs[1]) in NUMBERS and abs(math.frexp(inputs[1])[0]) == 0.5:
            # By a power of 2, whose inverse is exact, a product is the quotient.
            function, inputs = operator.mul, (inputs[0], 1.0 / inputs[1])
        key = (function, *map(_identity, inputs))
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = Point(self)
            self.steps.append((function, inputs))
            self.results.append(found)
        return found


def _identity(value: Any) -> Any:
    """What tells the operands of steps apart."""
    if isinstance(value, Point):
        return id(value)
    if type(value) not in NUMBERS and not isinstance(value, (bool, np.bool_)):
        raise _Unfit
    # The two zeros are equal, and so are 1, 1.0 and True.
    return type(value), value, math.copysign(1.0, value)


def alone(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """A step of numbers, which the device computes."""
    return _running.tape.step(function, inputs)


def choice(condition: Any, yes: Any, no: Any) -> Point:
    """A step that chooses between two values, one of the three being a point."""
    point: Point = next(value for value in (condition, yes, no) if isinstance(value, Point))
    return point.step(_core.where, (condition, yes, no))


def is_traced() -> bool:
    """Whether the thread is writing a formula down."""
    return getattr(_running, "tape", None) is not None


class Steps:
    """The steps that lead from an array to a formula's result."""

    def __init__(self, tape: _Tape, first: Point, last: Point) -> None:
        numbers = {id(result): number for number, result in enumerate(tape.results)}
        needed = {numbers[id(last)]}
        ends: dict[int | None, int] = {}
        for number in reversed(range(len(tape.steps))):
            for value in tape.steps[number][1] if number in needed else ():
                at = numbers.get(id(value))
                if at is not None:
                    needed.add(at)
                    ends.setdefault(at, number)
        # A value takes the place of one that no later step reads, and which is dropped thereby.
        self.values: list[Any] = [None]
        places: dict[Any, int] = {id(first): 0}
        free: list[int] = []
        self.steps: list[tuple[Callable[..., Any], Any, int]] = []
        for number in sorted(needed):
            function, inputs = tape.steps[number]
            for value in inputs:
                if not isinstance(value, Point) and _identity(value) not in places:
                    places[_identity(value)] = len(self.values)
                    self.values.append(value)
            own = [places[id(value) if isinstance(value, Point) else _identity(value)] for value in inputs]
            free += {
                place for value, place in zip(inputs, own, strict=True) if ends.get(numbers.get(id(value))) == number
            }
            if free:
                to = free.pop()
            else:
                to = len(self.values)
                self.values.append(None)
            places[id(tape.results[number])] = to
            # One operand alone comes as a list of it.
            taken = operator.itemgetter(*own) if len(own) > 1 else operator.itemgetter(slice(own[0], own[0] + 1))
            self.steps.append((function, taken, to))
        self.result = places[id(last)]

    def __call__(self, x: Any) -> Any:
        values = self.values.copy()
        values[0] = x
        for function, taken, to in self.steps:
            values[to] = function(*taken(values))
        return values[self.result]


def traced(formula: Callable[[Point], Any]) -> Steps | None:
    """The steps of a formula of one array, if they can be written down."""
    tape = _Tape()
    first = Point(tape)
    with _writing(tape), contextlib.suppress(Exception):
        # What is wrong, if anything is, the formula itself says to its caller.
        last = formula(first)
        return Steps(tape, first, last) if isinstance(last, Point) and last is not first else None
    return None


@contextlib.contextmanager
def _writing(tape: _Tape) -> Iterator[None]:
    _running.tape = tape
    try:
        yield
    finally:
        _running.tape = None
