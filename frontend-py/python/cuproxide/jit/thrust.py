"""Algorithms over ranges of arrays, for kernels written in Python; named and called as Thrust's.

    @jit.rawkernel()
    def sort_rows(x):
        row = x[jit.blockIdx.x]
        jit.thrust.sort(jit.thrust.seq, row.begin(), row.end())

    sort_rows[len(x), 1](x)

`x.begin()` and `x.end()` are places in an array with one axis, or in one that is C-contiguous: `place + n`,
`place - other`, comparisons and `place[n]` are those of pointers. A range is two of them. The thread that calls an
algorithm runs it, with either policy: `seq` and `device` mean the same. Operators may be device functions of two
values, or `jit.cub.Sum()`, `Max()`, `Min()`. The text is this package's own, so no header of a vendor's is needed.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from ._builtins import INT64, NOTHING, Builtin
from ._operators import call_ufunc
from ._types import Iterator, Known, Rejected, Scalar, Static, Tuple, Value, cast, join
from .cub import Operator, device_function

if TYPE_CHECKING:
    from ._compile import Function


class Policy(Static):
    """Which threads run an algorithm: always the one that calls it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<cuproxide.jit thrust.{self.name}>"


device = Policy("device")
seq = Policy("seq")

_BOOL = Scalar(np.dtype(bool))

# Name: the arguments after the policy, the result, what the C++ function is called where not by the name, and what it
# does. An argument is a letter and its name: `r` a range of two places, `i` a place, `v` a value of the first range's
# type, `n` and `m` values of their own types, where numbers of Python yield to the type of the first and of the second
# range; operators with their defaults, on such values or else elements of the first range (`o`), on elements of the
# first (`k`), on such values or else elements of the second range (`p`). A result is `a`, `b` or `c`, a place in the
# first, the last or the last but one range, two of these, `n`, of the type of that value, `int`, `bool`, or nothing. A
# name with two rows has two forms: the second takes a range of values where the first takes one.
_TABLE = """
adjacent_difference | r:first i:result o:binary_op=minus | b | | Writes each element less the one before it; the first as it is.
binary_search | r:first v:value o:comp=less | bool | | Whether a value is in a sorted range.
binary_search | r:first r:values_first i:result o:comp=less | b | binary_searches | Whether each of several values is in a sorted range.
copy | r:first i:result | b | | Copies a range.
count | r:first v:value | int | | How many elements equal a value.
equal | r:first1 i:first2 o:binary_pred=equal | bool | all_equal | Whether two ranges have the same elements.
equal_range | r:first v:value o:comp=less | aa | | The first place in a sorted range of what is not less than a value, and of what is greater.
exclusive_scan | r:first i:result n:init=0 o:binary_op=plus | b | | Writes the sum of what is before each element, from `init` on.
exclusive_scan_by_key | r:first1 i:first2 i:result m:init=0 k:binary_pred=equal p:binary_op=plus | b | | Does so with values, anew where neighbouring keys differ.
fill | r:first v:value | | | Sets all elements.
find | r:first v:value | a | | The first place of a value, or the end.
gather | r:map_first i:input_first i:result | b | | Copies the elements whose places a range holds.
inclusive_scan | r:first i:result o:binary_op=plus | b | | Writes the sum of the elements up to each one.
inclusive_scan_by_key | r:first1 i:first2 i:result k:binary_pred=equal p:binary_op=plus | b | | Does so with values, anew where neighbouring keys differ.
inner_product | r:first1 i:first2 n:init | n | | Adds the products of elements of two ranges to `init`.
is_sorted | r:first o:comp=less | bool | | Whether no element is less than the one before it.
is_sorted_until | r:first o:comp=less | a | | The first place where an element is less than the one before it, or the end.
lower_bound | r:first v:value o:comp=less | a | | The first place in a sorted range of what is not less than a value.
lower_bound | r:first r:values_first i:result o:comp=less | b | lower_bounds | Writes the place that each of several values has so, counted from `first`.
max_element | r:first o:comp=less | a | | The first place of the largest element.
merge | r:first1 r:first2 i:result o:comp=less | b | combined<true, true, true, true> | Merges two sorted ranges.
merge_by_key | r:keys_first1 r:keys_first2 i:values_first1 i:values_first2 i:keys_result i:values_result k:comp=less | cb | combined_by_key<true, true, true, true> | Merges sorted keys, and values along with them.
min_element | r:first o:comp=less | a | | The first place of the smallest element.
minmax_element | r:first o:comp=less | aa | | The first places of the smallest and of the largest element.
mismatch | r:first1 i:first2 o:pred=equal | ab | | The first places where two ranges differ.
reduce | r:first n:init=0 o:binary_op=plus | n | reduced | Adds all elements to `init`.
reduce_by_key | r:keys_first i:values_first i:keys_output i:values_output k:binary_pred=equal p:binary_op=plus | cb | reduced_by_key | Writes the first of equal neighbouring keys, and the sum of their values.
remove | r:first v:value | a | | Moves the elements that do not equal a value to the front; gives their end.
remove_copy | r:first i:result v:value | b | | Copies the elements that do not equal a value.
replace | r:first v:old_value v:new_value | | | Replaces all elements that equal a value.
replace_copy | r:first i:result v:old_value v:new_value | b | | Copies a range with another value in place of one.
reverse | r:first | | | Turns a range around.
reverse_copy | r:first i:result | b | | Copies a range from its end.
scatter | r:first i:map i:result | | | Copies a range to the places that another one holds.
sequence | r:first v:init=0 v:step=1 | | | Sets the elements to `init`, `init + step` and so on.
set_difference | r:first1 r:first2 i:result o:comp=less | b | combined<true, false, false, false> | What is in the first sorted range only.
set_difference_by_key | r:keys_first1 r:keys_first2 i:values_first1 i:values_first2 i:keys_result i:values_result k:comp=less | cb | combined_by_key<true, false, false, false> | Does so with keys, and with values along with them.
set_intersection | r:first1 r:first2 i:result o:comp=less | b | combined<false, false, true, false> | What is in both sorted ranges.
set_intersection_by_key | r:keys_first1 r:keys_first2 i:values_first1 i:keys_result i:values_result k:comp=less | cb | common_by_key | Does so with keys, and with values along with them.
set_symmetric_difference | r:first1 r:first2 i:result o:comp=less | b | combined<true, true, false, false> | What is in one sorted range only.
set_symmetric_difference_by_key | r:keys_first1 r:keys_first2 i:values_first1 i:values_first2 i:keys_result i:values_result k:comp=less | cb | combined_by_key<true, true, false, false> | Does so with keys, and with values along with them.
set_union | r:first1 r:first2 i:result o:comp=less | b | combined<true, true, true, false> | What is in one of the sorted ranges or in both.
set_union_by_key | r:keys_first1 r:keys_first2 i:values_first1 i:values_first2 i:keys_result i:values_result k:comp=less | cb | combined_by_key<true, true, true, false> | Does so with keys, and with values along with them.
sort | r:first o:comp=less | | | Sorts a range; equal elements may change places.
sort_by_key | r:keys_first i:values_first o:comp=less | | | Sorts keys, and values along with them; equal keys may change places.
swap_ranges | r:first1 i:first2 | b | | Exchanges two ranges.
unique | r:first o:binary_pred=equal | a | | Moves the first of equal neighbours to the front; gives their end.
unique_by_key | r:keys_first i:values_first o:binary_pred=equal | ab | | Does so with keys, and with values along with them.
unique_by_key_copy | r:keys_first i:values_first i:keys_result i:values_result k:binary_pred=equal | cb | | Copies the first of equal neighbouring keys, and its value.
unique_copy | r:first i:result o:binary_pred=equal | b | | Copies the first of equal neighbours.
upper_bound | r:first v:value o:comp=less | a | | The first place in a sorted range of what is greater than a value.
upper_bound | r:first r:values_first i:result o:comp=less | b | upper_bounds | Writes the place that each of several values has so, counted from `first`.
"""  # noqa: E501


def _place(function: Function, thing: Any, name: str) -> Value:
    value = function.value(thing)
    if not isinstance(value.type, Iterator):
        raise Rejected(TypeError, f"{name} must be a place of an array, `x.begin()` or the like, not {value.type}")
    return value


def _operator(function: Function, thing: Any, default: str, kind: Scalar) -> str:
    if thing is None or (isinstance(thing, Known) and thing.value is None):
        return f"jit_{default}{{}}"
    how = function.known(thing, "the operator")
    if isinstance(how, Operator):
        combined = call_ufunc(how.ufunc, [Value("a", kind), Value("b", kind)], function.module.mode)
    else:
        combined = device_function(function, how, kind)
    result = _BOOL if default in ("less", "equal") else kind
    return f"[](const {kind.cpp}& a, const {kind.cpp}& b) -> {result.cpp} {{ return {cast(combined, result)}; }}"


def _argument(text: str) -> tuple[str, str, str]:
    kind, _, rest = text.partition(":")
    title, _, default = rest.partition("=")
    return kind, title, default


def _algorithm(line: str) -> tuple[str, Builtin]:
    name, signature, result, called, doc = (part.strip() for part in line.split("|"))
    parts = [_argument(text) for text in signature.split()]
    names = ["function", "exec_policy"]
    for kind, title, _ in parts:
        names += [title, title.replace("first", "last")] if kind == "r" else [title]
    optional = {title for _, title, default in parts if default}
    either, absent = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    parameters = inspect.Signature(
        [inspect.Parameter(title, either, default=None if title in optional else absent) for title in names]
    )

    def emit(*args: Any, **kwargs: Any) -> Value:
        bound = parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        function, policy, *given = bound.arguments.values()
        if not isinstance(function.known(policy, "exec_policy"), Policy):
            raise Rejected(TypeError, "exec_policy must be jit.thrust.seq or jit.thrust.device")
        function.module.algorithms = True
        texts, places = [], []
        number: Scalar | None = None
        for kind, title, default in parts:
            thing = given.pop(0)
            if kind in "ri":
                place = _place(function, thing, title)
                places.append(place)
                texts.append(place.code)
                if kind == "r":
                    last = _place(function, given.pop(0), title.replace("first", "last"))
                    if last.type != place.type:
                        raise Rejected(TypeError, f"a range cannot be from {place.type} to {last.type}")
                    texts.append(last.code)
                continue
            own = Scalar(places[int(kind in "mp")].type.dtype)  # type: ignore[attr-defined]
            if kind in "okp":
                texts.append(_operator(function, thing, default, own if kind == "k" else number or own))
                continue
            value = function.value(Known(int(default)) if thing is None else thing)
            if not isinstance(value.type, Scalar):
                raise Rejected(TypeError, f"{title} must be a number, not {value.type}")
            wanted = own
            if kind in "nm":
                # A number of Python's yields to the elements, as everywhere.
                wanted = number = join([own, value.type], title) if value.type.weak else Scalar(value.type.dtype)
            texts.append(f"({wanted.cpp})({cast(value, wanted)})")
        code = f"jit_{called or name}({', '.join(texts)})"
        if result == "":
            return Value(code, NOTHING)
        if result in ("int", "bool"):
            return Value(code, INT64 if result == "int" else _BOOL)
        if result == "n":
            assert number is not None
            return Value(code, number)
        types = tuple(places[{"a": 0, "b": -1, "c": -2}[letter]].type for letter in result)
        return Value(code, types[0] if len(types) == 1 else Tuple(types))

    emit.__signature__ = parameters  # type: ignore[attr-defined]
    return name, Builtin(emit, name, f"{doc} See `thrust::{name}`.")


class _Forms(Builtin):
    """An algorithm on one value, which also takes a range of values."""

    def __init__(self, one: Builtin, several: Builtin) -> None:
        super().__init__(one._emit, one.__name__, f"{one.__doc__}\n\nWith {several.__signature__}: {several.__doc__}")
        self._one, self._several = one, several

    def emit(self, function: Function, args: list[Any], kwargs: dict[str, Any]) -> Any:
        value = args[3] if len(args) > 3 else kwargs.get("values_first")
        is_place = isinstance(value, Value) and isinstance(value.type, Iterator)
        return (self._several if is_place else self._one).emit(function, args, kwargs)


_functions: dict[str, Builtin] = {}
for _line in _TABLE.strip().splitlines():
    _name, _function = _algorithm(_line)
    _functions[_name] = _Forms(_functions[_name], _function) if _name in _functions else _function
globals().update(_functions)

__all__ = ["device", "seq", *_functions]  # noqa: PLE0604


def begin(array: Value, name: str) -> Builtin:
    """The method `begin` or `end` of an array."""

    def emit(function: Function) -> Value:
        function.module.iterators = True
        kind: Any = array.type
        if kind.ndim != 1 and not (kind.ndim and kind.contiguous):
            raise Rejected(TypeError, f"places are in arrays with one axis or in C-contiguous ones, not in an {kind}")
        code = f"jit_begin({array.code})"
        return Value(f"({code} + {array.code}.size_)" if name == "end" else code, Iterator(kind.dtype))

    return Builtin(emit, name)


def moved(op: str, a: Value, b: Value) -> Value:
    """Places added to numbers, or subtracted from each other."""
    if op == "Add" and isinstance(b.type, Iterator):
        a, b = b, a
    assert isinstance(a.type, Iterator)
    if op == "Sub" and a.type == b.type:
        return Value(f"({a.code} - {b.code})", INT64)
    if op not in ("Add", "Sub") or not isinstance(b.type, Scalar) or b.type.kind not in "iu":
        raise Rejected(TypeError, f"{a.type} and {b.type} cannot be combined so")
    return Value(f"({a.code} + {'-' if op == 'Sub' else ''}(long long)({b.code}))", a.type)


_SYMBOLS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}


def compared(op: str, a: Value, b: Value) -> Value:
    """Two places of one array, compared."""
    if a.type != b.type or op not in _SYMBOLS:
        raise Rejected(TypeError, f"{a.type} and {b.type} cannot be compared so")
    return Value(f"(({a.code} - {b.code}) {_SYMBOLS[op]} 0)", _BOOL)
