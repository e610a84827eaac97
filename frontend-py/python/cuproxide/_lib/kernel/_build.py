"""From a function and the types of a call to the program of a kernel."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
from collections.abc import Callable
from typing import Any

from ... import _cuproxide as _core
from ._rewrite import rewritten
from ._roles import Role
from ._values import Changed, Indexed, Trace, Value, cast, fail, is_number, kind_of, show, type_name, value, writing

_NUMBERS = {int: "int", float: "float", complex: "complex", bool: "bool"}
BEGIN, END = "begin", "end"
"""The parameters that calls have in place of a position."""
_WEAK = {"int64": "int", "float64": "float", "complex128": "complex"}


def describe(
    function: Callable[..., Any], ranges: bool = False
) -> list[tuple[str, str, int | None, tuple[Any] | None]]:
    """The parameters of a kernel: name, what it takes, how many axes the kernel indexes, and the default in a tuple.

    With `ranges` the first parameter is a position, in place of which calls pass the ends of ranges.
    """
    described: list[tuple[str, str, int | None, tuple[Any] | None]] = []
    for number, parameter in enumerate(inspect.signature(function, eval_str=True).parameters.values()):
        if ranges and number == 0:
            described += [(BEGIN, "read", 0, None), (END, "read", 0, None)]
            continue
        default = None if parameter.default is parameter.empty else (parameter.default,)
        annotation = parameter.annotation
        if parameter.kind is parameter.KEYWORD_ONLY:
            role, own_axes = "static", None
        elif isinstance(annotation, Role):
            role, own_axes = annotation.kind, annotation.own_axes
        elif annotation in _NUMBERS:
            role, own_axes = _NUMBERS[annotation], None
        else:
            code = function.__code__
            raise TypeError(
                f"{code.co_filename}:{code.co_firstlineno}: parameter '{parameter.name}' of kernel "
                f"{function.__name__} needs an annotation (Each, Array, Out, Number, int, float, complex, bool), "
                "or stands behind `*`"
            )
        if parameter.name in ("out", "shape", "over"):
            raise TypeError(f"a kernel has no parameter '{parameter.name}': calls take it as a keyword")
        described.append((parameter.name, role, own_axes, default))
    return described


@functools.cache
def _rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    # Functions that programs make have no source, and no branches on values.
    return function if getattr(function, "has_no_branches", False) else rewritten(function)


def _types(arguments: tuple[Any, ...]) -> list[str]:
    """The types of a kernel's operands for its name, runs of the same one counted."""
    kinds = (str(part[2]) for part in arguments if part[1] in ("read", "write", "number"))
    runs = ((kind, len(list(run))) for kind, run in itertools.groupby(kinds))
    return [part for kind, length in runs for part in ([kind] * length if length < 4 else [f"{kind}x{length}"])]


def build(
    how: bool | tuple[str, ...],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    results: tuple[str | None, ...],
    axes: int,
    is_narrow: bool,
    *,
    is_bounded: bool = False,
) -> _core.KernelProgram:
    """The program of `function` for arguments of these types, and results stored as those that are named.

    A launch has so many axes, and less than 2^32 points if it `is_narrow`.

    `how` names the reductions of a kernel that folds ranges; of a map it says whether its points go in order. If it
    `is_bounded`, indices outside mean the last element.
    """
    folds = how if isinstance(how, tuple) else None
    name = "_".join([function.__name__.strip("_"), *_types(arguments)])
    trace = Trace(re.sub(r"\W", "_", name), is_bounded)
    trace.is_segmented = folds is not None
    trace.is_narrow = is_narrow
    with writing(trace):
        operands, values = _arguments(trace, arguments)
        positional = _position(trace, arguments, values) if folds is not None else ()
        trace.shape = [trace.scalar("int64", "int") for _ in range(axes)]
        taken = len(trace.scalars)
        returned = _rewritten(function)(*positional, **values)
        returned = () if returned is None else returned if isinstance(returned, tuple) else (returned,)
        if folds is not None and len(returned) != len(folds):
            raise TypeError(f"{trace.name} returns {len(returned)} values and names {len(folds)} reductions")
        stored: list[str] = []
        folded = []
        for position, result in enumerate(returned):
            if not is_number(result):
                raise fail(f"{trace.name} returns {show(result)}, which is not a number")
            kind, _ = kind_of(result)
            target = results[position] if position < len(results) else None
            if target is not None and not _core.kernel_stores(kind, target):
                raise TypeError(f"{trace.name} gives {kind}, which out={target} does not hold by the rule 'same_kind'")
            stored.append(target or kind)
            number = cast(value(result), stored[-1]).id
            if folds is None:
                trace.emit("store", len(operands) + position, None, number)
            else:
                folded.append((folds[position], number))
    scalars = trace.scalars if trace.uses_shape else trace.scalars[: taken - axes]
    block = trace.blocks[0]
    if not trace.uses_shape:
        block = [statement for statement in block if statement[0] != "scalar" or statement[2] < len(scalars)]
    return _core.KernelProgram(
        trace.name,
        [(dtype, writes) for dtype, writes in operands],
        scalars,
        trace.locals,
        trace.arrays,
        block,
        [type_name(dtype) for dtype in stored],
        trace.uses_shape,
        how is True,
        folded if folds is not None else None,
    )


def _position(trace: Trace, arguments: tuple[Any, ...], values: dict[str, Any]) -> tuple[Value]:
    """The position in a range, in place of the range's ends."""
    for bound, (_, kind, *_) in zip((BEGIN, END), arguments, strict=False):
        if values.pop(bound).dtype.kind not in "iu" or kind != "read":
            raise TypeError(f"{trace.name}: the ends of ranges are arrays of integers")
    return (trace.bind("int64", "index", weak="int"),)


def _arguments(trace: Trace, arguments: tuple[Any, ...]) -> tuple[list[tuple[str, bool]], dict[str, Any]]:
    """The operands of a kernel, and what its parameters stand for.

    The launch scalars are the lengths and strides of all arrays, then the numbers.
    """
    operands: list[tuple[str, bool]] = []
    values: dict[str, Any] = {}
    for name, kind, *rest in arguments:
        if kind not in ("read", "write"):
            continue
        dtype, axes, *layout = rest
        make = Changed if kind == "write" else Indexed
        found: Any = make(trace, name, len(operands), dtype, axes, *layout)
        operands.append((dtype, kind == "write"))
        values[name] = found[...] if kind == "read" and layout[0] else found
    for name, kind, *rest in arguments:
        if kind == "number":
            dtype, is_weak, *_ = rest
            values[name] = trace.scalar(dtype, _WEAK.get(dtype) if is_weak else None)
        elif kind == "static":
            values[name] = rest[0]
    return operands, values
