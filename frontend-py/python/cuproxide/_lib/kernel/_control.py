"""Branches and loops of kernels: what `_rewrite` turns `if`, `while`, `for`, `and`, `or` and `... if ... else` into.

A condition that is known while the kernel is written decides at once, as in any Python program. One that is a value
becomes a branch or loop of the kernel: both ways of a branch, and one round of a loop, are written down, and variables
that they assign become local variables of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ._values import (
    Block,
    Trace,
    Value,
    apply,
    cast,
    common,
    current,
    fail,
    is_number,
    show,
    steps,
    truth,
)

Values = tuple[Any, ...]
_MOST_ROUNDS = 10_000


class Undefined:
    """What a variable holds that not all ways of the kernel assign."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *_: Any) -> Any:
        raise fail(f"{self._name} is not assigned on every way that leads here")

    __bool__ = __call__ = __getitem__ = __iter__ = __index__ = __float__ = __int__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = __invert__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __array_ufunc__ = _refuse
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()


def returned(result: Any) -> Any:
    """The result of a function, which all of its ways must give."""
    if isinstance(result, Undefined):
        raise fail("the function returns a result on some of its ways only")
    return result


# ---------------------------------------------------------------------------------------------------------- conditions


def choose(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """`yes if condition else no`, which computes one of both only."""
    if not isinstance(condition, Value):
        return yes() if condition else no()
    return branch(condition, lambda _: (yes(),), lambda _: (no(),), (None,), ("the result",))[0]


def both(left: Any, right: Callable[[], Any]) -> Any:
    """`left and right`."""
    if not isinstance(left, Value):
        return left and right()
    return _joined("bitwise_and", truth(left), right, lambda other: (other, False))


def either(left: Any, right: Callable[[], Any]) -> Any:
    """`left or right`."""
    if not isinstance(left, Value):
        return left or right()
    return _joined("bitwise_or", truth(left), right, lambda other: (True, other))


def _joined(name: str, left: Value, right: Callable[[], Any], ways: Callable[[Any], tuple[Any, Any]]) -> Value:
    trace = current()
    with trace.into([]) as block:
        other = right()
        other = truth(other) if is_number(other) else bool(other)
    if not _is_bounded(block):
        # What the second condition loads may be in bounds only where the first one says so.
        chosen = ways(other)
        other = branch(left, lambda _: _spliced(block, chosen[0]), lambda _: _spliced(block, chosen[1]), (None,), ("",))
        return truth(other[0])
    trace.blocks[-1].extend(block)
    return apply(name, left, other)


def _spliced(block: Block, result: Any) -> Values:
    if isinstance(result, Value):
        current().blocks[-1].extend(block)
    return (result,)


def _is_bounded(block: Block) -> bool:
    """Whether statements may run anywhere: they are few, and touch no place that is computed."""
    plain = {"const", "scalar", "index", "cast", "bitcast", "fma", "complex", "get", "ufunc"}
    return len(block) <= 64 and all(
        statement[0] in plain or (statement[0] == "load" and statement[3] is None) for statement in block
    )


def negation(condition: Any) -> Any:
    """`not condition`."""
    return apply("logical_not", condition) if isinstance(condition, Value) else not condition


def smallest(*numbers: Any) -> Any:
    """`min`."""
    return _extreme(min, "minimum", numbers)


def largest(*numbers: Any) -> Any:
    """`max`."""
    return _extreme(max, "maximum", numbers)


def _extreme(plain: Callable[..., Any], name: str, numbers: Values) -> Any:
    if len(numbers) == 1 and not isinstance(numbers[0], Value):
        numbers = tuple(numbers[0])
    if not any(isinstance(number, Value) for number in numbers):
        return plain(numbers)
    result = numbers[0]
    for number in numbers[1:]:
        result = apply(name, result, number)
    return result


def counted(*bounds: Any) -> Any:
    """`range`, where all bounds are known: its rounds are written down one after another."""
    if any(isinstance(bound, Value) for bound in bounds):
        raise fail(f"range({', '.join(map(show, bounds))}): bounds that are known at run time only need `steps`")
    return range(*bounds)


# ------------------------------------------------------------------------------------------------------------ branches


def branch(
    condition: Any, yes: Callable[..., Values], no: Callable[..., Values], values: Values, names: tuple[str, ...]
) -> Values:
    """`if`: `yes` and `no` take the variables that either assigns, and give them back."""
    if not isinstance(condition, Value):
        return (yes if condition else no)(*values)
    trace, condition = current(), truth(condition)
    with trace.into([]) as then:
        first = yes(*values)
    with trace.into([]) as otherwise:
        second = no(*values)
    merged: list[Callable[[], Any]] = [
        _merged(trace, name, a, b, then, otherwise) for name, a, b in zip(names, first, second, strict=True)
    ]
    if then or otherwise:
        trace.emit("if", condition.id, then, otherwise)
    return tuple(read() for read in merged)


def _merged(trace: Trace, name: str, a: Any, b: Any, then: Block, otherwise: Block) -> Callable[[], Any]:
    """What a variable is after two ways that leave different things in it."""
    if _same(a, b):
        return lambda: a
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return lambda: Undefined(name)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        parts = [_merged(trace, name, x, y, then, otherwise) for x, y in zip(a, b, strict=True)]
        return lambda: tuple(read() for read in parts)
    if not (is_number(a) and is_number(b)):
        raise fail(f"{name} is {show(a)} on one way and {show(b)} on the other: only numbers may differ")
    kind, weak = common(a, b)
    local = trace.local(kind)
    for block, way in ((then, a), (otherwise, b)):
        with trace.into(block):
            trace.emit("set", local, cast(way, kind).id)
    return lambda: trace.bind(kind, "get", local, weak=weak)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, Value) or isinstance(b, Value):
        return isinstance(a, Value) and isinstance(b, Value) and a.id == b.id and a.weak == b.weak
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(_same(*pair) for pair in zip(a, b, strict=True))
    # 0.0 and -0.0 are equal and not the same.
    return isinstance(a, (bool, int, float, complex, str, np.generic)) and repr(a) == repr(b)


# --------------------------------------------------------------------------------------------------------------- loops


def loop(test: Callable[..., Any], body: Callable[..., Values], values: Values, names: tuple[str, ...]) -> Values:
    """`while`: `test` and `body` take the variables that the loop assigns, `body` gives them back."""
    trace = current()
    for _ in range(_MOST_ROUNDS):
        start = trace.values, len(trace.locals)
        with trace.into([]) as block:
            condition = test(*values)
            if not isinstance(condition, Value) and not condition:
                break
            # What is known before the first round need not be known after it.
            after = None if isinstance(condition, Value) else body(*values)
            with trace.into([]):
                is_known = after is not None and not isinstance(test(*after), Value)
        if after is None or not is_known:
            trace.values = start[0]
            del trace.locals[start[1] :]
            return _loop(trace, test, body, values, names)
        trace.blocks[-1].extend(block)
        values = after
    else:
        raise fail("the loop does not end while the kernel is written: nothing that it tests is a value")
    trace.blocks[-1].extend(block)
    return values


def iterate(
    items: Iterable[Any], body: Callable[..., Values], values: Values, names: tuple[str, ...], leave: int | None
) -> Values:
    """`for`: `body` takes an item and the variables; number `leave` of these says whether to leave the loop."""
    if isinstance(items, steps):
        return _count(items, body, values, names, leave)
    if isinstance(items, Value):
        raise fail(f"{show(items)} cannot be gone through")
    for item in items:
        left = None if leave is None else values[leave]
        if isinstance(left, Value):
            values = branch(left, lambda *now: now, lambda *now, item=item: body(item, *now), values, names)
        elif left:
            return values
        else:
            values = body(item, *values)
    return values


def _count(
    items: steps, body: Callable[..., Values], values: Values, names: tuple[str, ...], leave: int | None
) -> Values:
    comparison = "less" if items.step > 0 else "greater"

    def test(position: Any, *now: Any) -> Any:
        inside = apply(comparison, position, items.stop)
        return inside if leave is None else both(negation(now[leave]), lambda: inside)

    def round(position: Any, *now: Any) -> Values:
        after = body(position, *now)
        return (position + items.step, *after)

    kind, weak = common(items.start, items.stop)
    start = cast(items.start, kind, weak)
    return _loop(current(), test, round, (start, *values), ("the position", *names))[1:]


class _Carried:
    """A variable that a loop changes: its type."""

    def __init__(self, kind: str, weak: str | None) -> None:
        self.kind, self.weak, self.local = kind, weak, -1


def _loop(
    trace: Trace, test: Callable[..., Any], body: Callable[..., Values], values: Values, names: tuple[str, ...]
) -> Values:
    plan: list[Any] = [None] * len(values)
    while True:
        start = trace.values, len(trace.locals)
        for part in _parts(plan):
            part.local = trace.local(part.kind)
        with trace.into([]) as head:
            now = tuple(_read(trace, part, value) for part, value in zip(plan, values, strict=True))
            condition = truth(test(*now))
        with trace.into([]) as inside:
            after = body(*now)
            wider = [_plan(*entry) for entry in zip(names, plan, values, now, after, strict=True)]
            is_final = _types(wider) == _types(plan)
            if is_final:
                for part, value in zip(plan, after, strict=True):
                    _write(trace, part, value)
        if is_final:
            break
        # A round shows which variables it changes and what types they need; it is written anew for these.
        plan = wider
        trace.values = start[0]
        del trace.locals[start[1] :]
    for part, value in zip(plan, values, strict=True):
        _write(trace, part, value)
    trace.emit("while", head, condition.id, inside)
    return tuple(
        Undefined(name) if isinstance(value, Undefined) else _read(trace, part, value)
        for name, part, value in zip(names, plan, values, strict=True)
    )


def _parts(plan: Any) -> list[_Carried]:
    if isinstance(plan, (list, tuple)):
        return [part for entry in plan for part in _parts(entry)]
    return [] if plan is None else [plan]


def _types(plan: Any) -> Any:
    if isinstance(plan, (list, tuple)):
        return [_types(entry) for entry in plan]
    return None if plan is None else (plan.kind, plan.weak)


def _plan(name: str, plan: Any, first: Any, now: Any, after: Any) -> Any:
    """What of a variable a loop carries, as far as is known: nothing, a number, or parts of a tuple."""
    if isinstance(first, Undefined):
        return None
    if isinstance(first, tuple):
        if not isinstance(after, tuple) or len(after) != len(first):
            raise fail(f"{name} is a tuple of {len(first)} before the loop and {show(after)} after a round")
        plans = plan or [None] * len(first)
        return [_plan(name, *entry) for entry in zip(plans, first, now, after, strict=True)]
    if plan is None and _same(now, after):
        return None
    if isinstance(after, Undefined) or not (is_number(first) and is_number(after)):
        raise fail(f"{name} is {show(first)} before the loop and {show(after)} after a round: only numbers may differ")
    known = first if plan is None else Value(current(), -1, plan.kind, plan.weak)
    return _Carried(*common(known, after))


def _read(trace: Trace, part: Any, value: Any) -> Any:
    if part is None:
        return value
    if isinstance(part, list):
        return tuple(_read(trace, *entry) for entry in zip(part, value, strict=True))
    return trace.bind(part.kind, "get", part.local, weak=part.weak)


def _write(trace: Trace, part: Any, value: Any) -> None:
    if isinstance(part, list):
        for entry in zip(part, value, strict=True):
            _write(trace, *entry)
    elif part is not None:
        trace.emit("set", part.local, cast(value, part.kind).id)


def check_item(holder: Any) -> None:
    """Refuses to change a list or dict inside a branch or loop of the kernel, since that would happen in any case."""
    if isinstance(holder, (list, dict)) and len(current().blocks) > 1:
        raise fail(f"a {type(holder).__name__} does not change inside a branch or loop of a kernel")
