"""Expressions of Python functions as C++."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._lib.element_types import EXTENSIONS
from . import thrust
from ._builtins import PYTHON, Builtin, Dim3, WarpSize, group_method
from ._operators import BINARY, COMPARISONS, UNARY, as_dtype, call_ufunc, fold_ufunc, is_ufunc, literal
from ._source import Decorated, Source
from ._types import (
    Array,
    Dim3Type,
    Fixed,
    Group,
    Iterator,
    Known,
    Reducer,
    Rejected,
    Scalar,
    Shared,
    Stateless,
    Static,
    Storage,
    Tuple,
    Type,
    Value,
    cast,
    join,
    settled,
    unpacked,
)
from .cub import reducer_method

if TYPE_CHECKING:
    from ._compile import Module

__all__ = ["Expressions", "identifier"]

_BOOL, _INT64 = Scalar(np.dtype(bool)), Scalar(np.dtype(np.int64))
# What Python computes when both operands are known.
_FOLD: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def identifier(name: str) -> str:
    """A name that no word of C++ and no macro has."""
    return "".join(c if c.isascii() else f"u{ord(c):x}" for c in name) + "_"


class Expressions:
    """What the expressions of one function are, given the types that its variables have so far."""

    module: Module
    source: Source
    types: dict[str, Type]
    # Declarations of memory, and the node that is being looked at, for messages.
    _memory: list[str]
    _node: ast.AST

    # What is known, and values.

    def known(self, thing: Any, what: str = "the argument") -> Any:
        """What a thing is that has to be known now."""
        if isinstance(thing, Known):
            return thing.value
        if isinstance(thing, Value):
            raise Rejected(TypeError, f"{what} must be known when the kernel is compiled")
        return thing

    def constant(self, value: Any) -> Known:
        """Something that is known."""
        return Known(value)

    def value(self, thing: Any) -> Value:
        """A thing as an expression."""
        if isinstance(thing, Value):
            return thing
        if isinstance(thing, Known):
            thing = thing.value
        if isinstance(thing, (tuple, list)):
            return self._tuple([Known(item) for item in thing])
        if isinstance(thing, WarpSize):
            return thing.value
        if isinstance(thing, Static):
            return Value("", Fixed(thing))
        kind = self.module.mode.of(thing)
        return Value(literal(thing, kind), kind, known=thing)

    def operand(self, thing: Any) -> Any:
        """A thing as an operand: an expression, or a number that is known."""
        if isinstance(thing, Known):
            if isinstance(thing.value, (tuple, list, WarpSize)):
                return self.value(thing)
            self.module.mode.of(thing.value)
            return thing.value
        return thing

    def _tuple(self, items: Sequence[Any]) -> Value:
        values = tuple(self.value(item) for item in items)
        return Value("", Tuple(tuple(value.type for value in values)), values)

    def lengths(self, value: Value) -> list[Any]:
        """The shape of an array."""
        if isinstance(value.type, Array):
            if value.type.ndim == 0:
                return []
            return [Value(f"((long long){value.code}.shape_[{axis}])", _INT64) for axis in range(value.type.ndim)]
        if isinstance(value.type, Shared):
            if value.type.size is None:
                raise Rejected(TypeError, "the launch decides how long this memory is; pass the length to the kernel")
            return [Known(value.type.size)]
        raise Rejected(TypeError, f"{value.type} is not an array")

    def memory(self, kind: Shared, space: str, align: int) -> Value:
        """New memory of the block or thread."""
        if kind.size is None:
            self.module.dynamic = True
            return Value(f"(({kind.cpp})jit_dynamic)", kind)
        name = f"jit_memory{len(self._memory)}"
        # Bytes, since elements may have constructors.
        size = kind.size * kind.dtype.itemsize
        self._memory.append(f"{space} __align__({align}) char {name}[{size}];".lstrip())
        return Value(f"(({kind.cpp}){name})", kind)

    def element(self, array: Value, index: Any) -> Value:
        """The element of an array, or a part of it if there are fewer indices than axes."""
        if isinstance(index, Known):
            parts = list(index.value) if isinstance(index.value, tuple) else [index.value]
            parts = [Known(part) for part in parts]
        elif isinstance(index.type, Tuple):
            parts = list(unpacked(index))
        else:
            parts = [index]
        kind = array.type
        if isinstance(kind, Iterator):
            (part,) = parts if len(parts) == 1 else (None,)
            value = None if part is None else self.value(part)
            if value is None or not isinstance(value.type, Scalar) or value.type.kind not in "iu":
                raise Rejected(TypeError, "an iterator has one integer as its index")
            return Value(f"{array.code}[{value.code}]", Scalar(kind.dtype))
        if not isinstance(kind, (Array, Shared, Storage)):
            raise Rejected(TypeError, f"{kind} cannot be indexed")
        if len(parts) > kind.ndim:
            raise Rejected(IndexError, f"too many indices: {len(parts)} for an array with {kind.ndim} axes")
        texts = [self._index(array, axis, part) for axis, part in enumerate(parts)]
        if isinstance(kind, Storage):
            return Value(f"({array.code} + {kind.of.threads} * ({texts[0]}))", kind) if texts else array
        if isinstance(kind, Shared):
            return Value(f"{array.code}[{texts[0]}]", Scalar(kind.dtype)) if texts else array
        rest = kind.ndim - len(parts)
        if rest:
            code = f"jit_part<{rest}>({', '.join([array.code, *texts])})" if texts else array.code
            return Value(code, Array(kind.dtype, rest, kind.contiguous))
        return Value(f"jit_at({', '.join([array.code, *texts])})", Scalar(kind.dtype))

    def _index(self, array: Value, axis: int, part: Any) -> str:
        if isinstance(part, Known) or part.known is not None:
            number = part.value if isinstance(part, Known) else part.known
            if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
                raise Rejected(TypeError, f"an index must be an integer, not {number!r}")
            if number >= 0:
                return literal(int(number), _INT64) if number >= 1 << 31 else str(int(number))
            length = self.value(self.lengths(array)[axis])
            return f"{length.code} - {-int(number)}"
        if not isinstance(part.type, Scalar) or part.type.kind not in "iu":
            raise Rejected(TypeError, f"an index must be an integer, not {part.type}")
        return part.code

    # Expressions.

    def evaluate(self, node: ast.expr) -> Any:
        """An expression: a `Value`, or a `Known`."""
        outer, self._node = self._node, node
        method = getattr(self, f"_eval_{type(node).__name__}", None)
        if method is None:
            raise Rejected(NotImplementedError, f"{type(node).__name__} expressions cannot be compiled")
        result = method(node)
        self._node = outer
        return result

    def _eval_Constant(self, node: ast.Constant) -> Known:
        return Known(node.value)

    def _eval_Name(self, node: ast.Name) -> Any:
        name = node.id
        if name in self.types:
            kind = self.types[name]
            code = identifier(name)
            if isinstance(kind, Fixed):
                return Known(kind.thing)
            if isinstance(kind, Group):
                self.module.groups = True
                code = f"jit_groups::this_{kind.name.removesuffix('_group')}()"
            return Value(code, kind)
        if name in self.source.locals:
            raise Rejected(UnboundLocalError, f"the variable {name!r} is read before it has a value")
        return Known(self.source.free(name))

    def _eval_Tuple(self, node: ast.Tuple) -> Any:
        items = [self.evaluate(item) for item in node.elts]
        if all(isinstance(item, Known) for item in items):
            return Known(tuple(item.value for item in items))
        return self._tuple(items)

    def _eval_Attribute(self, node: ast.Attribute) -> Any:
        owner = self.evaluate(node.value)
        name = node.attr
        if isinstance(owner, Known):
            if isinstance(owner.value, Dim3):
                return owner.value.part(name)
            try:
                return Known(self.module.once((getattr, owner.value, name), lambda: getattr(owner.value, name)))
            except AttributeError as error:
                raise Rejected(AttributeError, str(error)) from None
        kind = owner.type
        if isinstance(kind, Dim3Type):
            if name not in kind.AXES:
                raise Rejected(AttributeError, f"{kind} has x, y and z, but no {name}")
            return unpacked(owner)[kind.AXES.index(name)]
        if isinstance(kind, Group):
            return Known(group_method(owner, name))
        if isinstance(kind, Reducer):
            return Known(reducer_method(owner, name))
        if isinstance(kind, Array) and name in ("begin", "end"):
            return Known(thrust.begin(owner, name))
        if isinstance(kind, (Array, Shared)):
            if name == "ndim":
                return Known(kind.ndim)
            if name == "dtype":
                return Known(kind.dtype)
            if name == "shape":
                lengths = self.lengths(owner)
                return Known(()) if not lengths else self._tuple(lengths)
            if name == "size":
                return (
                    Value(f"((long long){owner.code}.size_)", _INT64)
                    if isinstance(kind, Array)
                    else self.lengths(owner)[0]
                )
            if name == "strides" and isinstance(kind, Array):
                items = [Value(f"((long long){owner.code}.strides_[{axis}])", _INT64) for axis in range(kind.ndim)]
                return self._tuple(items) if items else Known(())
        if isinstance(kind, Scalar):
            if name == "dtype":
                return Known(kind.dtype)
            if name in ("real", "imag"):
                if kind.kind == "c":
                    part = np.dtype(np.float32 if kind.dtype.itemsize == 8 else np.float64)
                    return Value(f"({owner.code}).{name}()", Scalar(part, kind.weak))
                return owner if name == "real" else Value(cast(self.value(0), Scalar(kind.dtype)), kind)
        raise Rejected(AttributeError, f"{kind} has no attribute {name!r} in kernels")

    def _eval_Subscript(self, node: ast.Subscript) -> Any:
        owner, index = self.evaluate(node.value), self.evaluate(node.slice)
        if isinstance(owner, Known):
            if isinstance(index, Known):
                try:
                    parts = (operator.getitem, owner.value, index.value)
                    return Known(self.module.once(parts, lambda: owner.value[index.value]))
                except (TypeError, ValueError, LookupError) as error:
                    raise Rejected(type(error), str(error)) from None
            owner = self.value(owner)
        if isinstance(owner.type, Tuple):
            place = self.known(index, "the index of a tuple")
            try:
                return unpacked(owner)[operator.index(place)]
            except (IndexError, TypeError):
                raise Rejected(IndexError, f"a tuple of {len(owner.type.items)} has no item {place!r}") from None
        value = self.element(owner, index)
        if isinstance(owner.type, (Array, Iterator)) and value.type == _BOOL:
            return Value(f"cpx_truth({value.code})", _BOOL)
        return value

    def _eval_Slice(self, node: ast.Slice) -> Any:
        raise Rejected(NotImplementedError, "slices cannot be compiled; index elements")

    def _fold(self, op: ast.AST, *numbers: Any) -> Known:
        try:
            with np.errstate(all="ignore"):
                return Known(_FOLD[type(op)](*numbers))
        except (TypeError, ValueError, ArithmeticError) as error:
            raise Rejected(type(error), str(error)) from None

    def _eval_BinOp(self, node: ast.BinOp) -> Any:
        return self._binary(node.op, self.evaluate(node.left), self.evaluate(node.right))

    def _binary(self, op: ast.operator, a: Any, b: Any) -> Any:
        if isinstance(a, Known) and isinstance(b, Known) and not isinstance(a.value, WarpSize):
            if not isinstance(b.value, WarpSize):
                return self._fold(op, a.value, b.value)
        if any(isinstance(item, Value) and isinstance(item.type, Iterator) for item in (a, b)):
            return thrust.moved(type(op).__name__, self.value(a), self.value(b))
        name = BINARY.get(type(op))
        if name is None:
            raise Rejected(NotImplementedError, f"the operator {type(op).__name__} cannot be compiled")
        return call_ufunc(name, [self.operand(a), self.operand(b)], self.module.mode)

    def _eval_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.evaluate(node.operand)
        if isinstance(operand, Known) and not isinstance(operand.value, WarpSize):
            return self._fold(node.op, operand.value)
        return call_ufunc(UNARY[type(node.op)], [self.operand(operand)], self.module.mode)

    def _eval_BoolOp(self, node: ast.BoolOp) -> Any:
        return self._boolean(node, conditional=False)

    def _boolean(self, node: ast.BoolOp, *, conditional: bool) -> Any:
        conjunction = isinstance(node.op, ast.And)
        texts: list[str] = []
        for part in node.values:
            value = self._condition(part) if conditional else self.evaluate(part)
            if isinstance(value, Known):
                # What is known decides, or does not count.
                if bool(value.value) != conjunction:
                    if not texts:
                        return value
                    texts.append(str(bool(value.value)).lower())
                    break
                if part is node.values[-1] and not texts:
                    return value
                if not isinstance(value.value, bool) and not conditional and part is node.values[-1]:
                    raise Rejected(TypeError, "`and` and `or` take bool, except in conditions")
                continue
            if value.type != _BOOL:
                raise Rejected(TypeError, f"`and` and `or` take bool, not {value.type}, except in conditions")
            texts.append(value.code)
        return Value(f"({(' && ' if conjunction else ' || ').join(texts)})", _BOOL)

    def _eval_Compare(self, node: ast.Compare) -> Any:
        left = self.evaluate(node.left)
        results = []
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(right_node)
            if len(node.ops) > 1 and right_node is not node.comparators[-1]:
                if any(isinstance(inner, ast.Call) for inner in ast.walk(right_node)):
                    raise Rejected(NotImplementedError, "give the call between two comparisons a name first")
            results.append(self._compare(op, left, right))
            left = right
        if all(isinstance(result, Known) for result in results):
            return Known(all(result.value for result in results))
        texts = [self.value(result).code for result in results]
        return Value(texts[0] if len(texts) == 1 else f"({' && '.join(texts)})", _BOOL)

    def _compare(self, op: ast.cmpop, a: Any, b: Any) -> Any:
        if isinstance(a, Known) and isinstance(b, Known) and not isinstance(a.value, WarpSize):
            if not isinstance(b.value, WarpSize):
                return self._fold(op, a.value, b.value)
        if isinstance(op, (ast.Is, ast.IsNot)) and None in (getattr(a, "value", 0), getattr(b, "value", 0)):
            return Known(isinstance(op, ast.IsNot))
        if any(isinstance(item, Value) and isinstance(item.type, Iterator) for item in (a, b)):
            return thrust.compared(type(op).__name__, self.value(a), self.value(b))
        name = COMPARISONS.get(type(op))
        if name is None:
            raise Rejected(NotImplementedError, "`in` and `is` need values that are known at compile time")
        return call_ufunc(name, [self.operand(a), self.operand(b)], self.module.mode)

    def _eval_IfExp(self, node: ast.IfExp) -> Any:
        test = self._condition(node.test)
        if isinstance(test, Known):
            return self.evaluate(node.body if test.value else node.orelse)
        body, other = self.value(self.evaluate(node.body)), self.value(self.evaluate(node.orelse))
        kind = join([body.type, other.type], "the result")
        return Value(f"({test.code} ? {self._exact(body, kind)} : {self._exact(other, kind)})", kind)

    @staticmethod
    def _exact(value: Value, to: Type) -> str:
        return f"({to.cpp})({cast(value, to)})" if isinstance(to, Scalar) else cast(value, to)

    def _condition(self, node: ast.expr) -> Any:
        """An expression as a bool: a `Value`, or a `Known`."""
        if isinstance(node, ast.BoolOp):
            return self._boolean(node, conditional=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._condition(node.operand)
            return Known(not inner.value) if isinstance(inner, Known) else Value(f"(!{inner.code})", _BOOL)
        value = self.evaluate(node)
        if isinstance(value, Known):
            return Known(bool(value.value))
        if not isinstance(value.type, Scalar):
            raise Rejected(TypeError, f"{value.type} is neither true nor false")
        return Value(cast(value, _BOOL), _BOOL)

    def _eval_Call(self, node: ast.Call) -> Any:
        function = self.known(self.evaluate(node.func), "what is called")
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise Rejected(NotImplementedError, "arguments cannot be unpacked in a call")
        args = [self.evaluate(argument) for argument in node.args]
        kwargs = {keyword.arg: self.evaluate(keyword.value) for keyword in node.keywords}
        self._node = node
        return self._call(function, args, kwargs)

    def _call(self, function: Any, args: list[Any], kwargs: dict[Any, Any]) -> Any:
        known = all(isinstance(a, Known) and not isinstance(a.value, WarpSize) for a in (*args, *kwargs.values()))
        if isinstance(function, Builtin):
            return function.emit(self, args, kwargs)
        if isinstance(function, Decorated):
            return self._call_device(function, args, kwargs)
        if is_ufunc(function):
            if kwargs:
                raise Rejected(TypeError, f"{function.__name__} takes no keywords in kernels")
            if known:
                return Known(fold_ufunc(function.__name__, [a.value for a in args]))
            return call_ufunc(function.__name__, [self.operand(a) for a in args], self.module.mode)
        if isinstance(function, (type, np.dtype)) and function not in PYTHON:
            scalar = isinstance(function, type) and issubclass(function, np.generic)
            if scalar or getattr(function, "__name__", "") in (*EXTENSIONS, "dtype"):
                return self._convert(function, args, kwargs)
        builtin = PYTHON.get(function) if getattr(function, "__hash__", None) else None
        if known and (builtin is not None or getattr(function, "__module__", None) == "math"):
            try:
                return Known(function(*(a.value for a in args), **{k: a.value for k, a in kwargs.items()}))
            except (TypeError, ValueError, ArithmeticError) as error:
                raise Rejected(type(error), str(error)) from None
        if builtin is not None:
            return builtin.emit(self, args, kwargs)
        if isinstance(function, ModuleType) or not callable(function):
            raise Rejected(TypeError, f"{function!r} cannot be called")
        if known:
            # What is known now can be worked out now, by any function of the program's.
            values, named = [a.value for a in args], {k: a.value for k, a in kwargs.items()}
            try:
                parts = (function, values, list(named), list(named.values()))
                return Known(self.module.once(parts, lambda: function(*values, **named)))
            except Exception as error:
                raise Rejected(type(error), str(error)) from None
        name = getattr(function, "__name__", repr(function))
        hint = "; decorate it with jit.rawkernel(device=True)" if hasattr(function, "__code__") else ""
        if getattr(math, name, None) is function:
            hint = "; use the ufunc of cuproxide"
        raise Rejected(TypeError, f"{name} cannot be called in a kernel{hint}")

    def _convert(self, dtype: Any, args: list[Any], kwargs: dict[Any, Any]) -> Any:
        if len(args) != 1 or kwargs:
            raise Rejected(TypeError, "a dtype converts one number")
        kind = Scalar(as_dtype(dtype))
        (argument,) = args
        if isinstance(argument, Known) and kind.dtype.kind != "V" and not isinstance(argument.value, WarpSize):
            try:
                return Known(kind.dtype.type(argument.value))
            except (TypeError, ValueError, ArithmeticError) as error:
                raise Rejected(type(error), str(error)) from None
        value = self.value(argument)
        if not isinstance(value.type, Scalar):
            raise Rejected(TypeError, f"{value.type} cannot become {kind}")
        return Value(cast(value, kind), kind)

    def _call_device(self, function: Any, args: list[Any], kwargs: dict[Any, Any]) -> Value:
        if not function.device:
            raise Rejected(TypeError, f"{function.__name__} is a kernel; a device function has rawkernel(device=True)")
        if kwargs:
            raise Rejected(TypeError, f"{function.__name__} takes no keywords")
        values = [self.value(argument) for argument in args]
        types = tuple(settled(value.type) for value in values)
        if len(types) != len(function.source.parameters()):
            raise Rejected(
                TypeError,
                f"{function.__name__}() takes {len(function.source.parameters())} arguments, not {len(types)}",
            )
        name, result = self.module.device_function(function, types)
        texts = [cast(v, kind) for v, kind in zip(values, types, strict=True) if not isinstance(kind, Stateless)]
        return Value(f"{name}({', '.join(texts)})", result)
