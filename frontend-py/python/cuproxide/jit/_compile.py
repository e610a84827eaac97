"""Python functions as C++: types are found by going over a function until they stay what they are."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ._builtins import PYTHON, Builtin, Dim3, WarpSize, group_method
from ._operators import BINARY, COMPARISONS, UNARY, as_dtype, call_ufunc, fold_ufunc, is_ufunc, literal
from ._preamble import GROUPS, PREAMBLE
from ._source import Source
from ._types import (
    Array,
    Group,
    Known,
    Mode,
    Rejected,
    Scalar,
    Shared,
    Tuple,
    Type,
    Value,
    Void,
    cast,
    join,
    settled,
    unpacked,
)

__all__ = ["Function", "Module", "compile_kernel"]

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
_MOST_PASSES = 50


def identifier(name: str) -> str:
    """A name that no word of C++ and no macro has."""
    return "".join(c if c.isascii() else f"u{ord(c):x}" for c in name) + "_"


class Module:
    """What the functions of one kernel share."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.groups = self.cooperative = self.dynamic = False
        self.definitions: list[str] = []
        # By function and types: the name and the type that comes back; None while it is being compiled.
        self.functions: dict[Any, tuple[str, Type] | None] = {}

    def device_function(self, kernel: Any, types: tuple[Type, ...]) -> tuple[str, Type]:
        """The name and the result of a device function for arguments of these types."""
        key = (kernel, types)
        if key in self.functions:
            found = self.functions[key]
            if found is None:
                raise Rejected(NotImplementedError, f"{kernel.__name__} calls itself")
            return found
        self.functions[key] = None
        name = f"jit_{identifier(kernel.__name__)}{len(self.functions)}"
        function = Function(self, kernel.source, types)
        self.definitions.append(function.compile(name))
        found = name, function.result
        self.functions[key] = found
        return found


def compile_kernel(source: Source, types: tuple[Type, ...], mode: Mode) -> tuple[str, str, bool]:
    """The text of a kernel, its name, and whether all blocks have to run at a time."""
    module = Module(mode)
    function = Function(module, source, types, kernel=True)
    name = f"jit_{identifier(source.name)}".rstrip("_")
    text = function.compile(name)
    parts = [PREAMBLE]
    if module.groups:
        parts.append(GROUPS)
    if module.dynamic:
        parts.append("extern __shared__ __align__(16) char jit_dynamic[];\n")
    return "".join(parts) + "\n" + "\n".join([*module.definitions, text]), name, module.cooperative


class Function:
    """One function for arguments of given types."""

    def __init__(self, module: Module, source: Source, types: tuple[Type, ...], *, kernel: bool = False) -> None:
        self.module, self.source, self.kernel = module, source, kernel
        self.parameters = source.parameters()
        if len(types) != len(self.parameters):
            raise Rejected(TypeError, f"{source.name}() takes {len(self.parameters)} arguments, not {len(types)}")
        self.arguments = dict(zip(self.parameters, types, strict=True))
        self.types: dict[str, Type] = dict(self.arguments)
        self.result: Type = Void()
        self._result: Type | None = None
        self._changed = self._settled = False
        self._node: ast.AST = source.tree
        self._loops = 0

    def compile(self, name: str) -> str:
        """The definition in C++."""
        try:
            body = self._passes()
        except Rejected as rejected:
            raise self.source.error(rejected, self._node) from None
        self.result = self._result or Void()
        declarations, prologue = [], []
        for parameter, kind in self.arguments.items():
            if isinstance(kind, Group):
                continue
            own, final = identifier(parameter), self.types[parameter]
            given = own if kind == final else f"{own}given"
            declarations.append(f"{kind.cpp} {given}")
            if kind != final:
                prologue.append(f"{final.cpp} {own} = {cast(Value(given, kind), final)};")
        for variable, kind in self.types.items():
            if variable not in self.arguments and not isinstance(kind, Group):
                prologue.append(f"{kind.cpp} {identifier(variable)}{{}};")
        head = 'extern "C" __global__ void' if self.kernel else f"static __device__ {self.result.cpp}"
        lines = [f"{head} {name}({', '.join(declarations)}) {{", *self._indented([*self._memory, *prologue, *body])]
        if not isinstance(self.result, Void):
            lines.append(f"  return {self.result.cpp}{{}};")
        return "\n".join([*lines, "}", ""])

    def _passes(self) -> list[str]:
        for _ in range(_MOST_PASSES):
            self._changed, self._memory, self._temporaries = False, [], 0
            body = self._block(self.source.tree.body)
            if self._changed:
                continue
            if self._settled:
                return body
            # Numbers of Python that met no other type become ordinary ones; what that changes is looked at again.
            self._settled = True
            self.types = {name: settled(kind) for name, kind in self.types.items()}
            self._result = None if self._result is None else settled(self._result)
        raise Rejected(TypeError, "the types of the variables cannot be found")

    @staticmethod
    def _indented(lines: Sequence[str]) -> list[str]:
        return [f"  {line}" for line in lines]

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"jit_t{self._temporaries}"

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
        kind = self.module.mode.of(thing)
        if self._settled and kind.weak:
            # The literal itself stays weak where it stands, but not as an argument.
            return Value(literal(thing, kind), kind)
        return Value(literal(thing, kind), kind)

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
        if not isinstance(kind, (Array, Shared)):
            raise Rejected(TypeError, f"{kind} cannot be indexed")
        if len(parts) > kind.ndim:
            raise Rejected(IndexError, f"too many indices: {len(parts)} for an array with {kind.ndim} axes")
        texts = [self._index(array, axis, part) for axis, part in enumerate(parts)]
        if isinstance(kind, Shared):
            return Value(f"{array.code}[{texts[0]}]", Scalar(kind.dtype)) if texts else array
        rest = kind.ndim - len(parts)
        if rest:
            code = f"jit_part<{rest}>({', '.join([array.code, *texts])})" if texts else array.code
            return Value(code, Array(kind.dtype, rest, kind.contiguous))
        return Value(f"jit_at({', '.join([array.code, *texts])})", Scalar(kind.dtype))

    def _index(self, array: Value, axis: int, part: Any) -> str:
        if isinstance(part, Known):
            number = part.value
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
            if isinstance(kind, Group):
                self.module.groups = True
                code = f"cooperative_groups::this_{kind.name.removesuffix('_group')}()"
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
                return Known(getattr(owner.value, name))
            except AttributeError as error:
                raise Rejected(AttributeError, str(error)) from None
        kind = owner.type
        if isinstance(kind, Group):
            return Known(group_method(owner, name))
        if isinstance(kind, (Array, Shared)):
            if name == "ndim":
                return Known(kind.ndim)
            if name == "dtype":
                return Known(kind.dtype)
            if name == "shape":
                lengths = self.lengths(owner)
                return Known(()) if not lengths else self._tuple(lengths)
            if name == "size":
                return Value(f"((long long){owner.code}.size_)", _INT64) if isinstance(kind, Array) else self.lengths(owner)[0]
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
                    return Known(owner.value[index.value])
                except (TypeError, LookupError) as error:
                    raise Rejected(type(error), str(error)) from None
            owner = self.value(owner)
        if isinstance(owner.type, Tuple):
            place = self.known(index, "the index of a tuple")
            try:
                return unpacked(owner)[operator.index(place)]
            except (IndexError, TypeError):
                raise Rejected(IndexError, f"a tuple of {len(owner.type.items)} has no item {place!r}") from None
        return self.element(owner, index)

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
        texts = []
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
        name = COMPARISONS.get(type(op))
        if name is None:
            raise Rejected(NotImplementedError, "`in` and `is` can only be compiled for what is known")
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
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
            raise Rejected(NotImplementedError, "arguments cannot be unpacked in a call")
        args = [self.evaluate(argument) for argument in node.args]
        kwargs = {keyword.arg: self.evaluate(keyword.value) for keyword in node.keywords}
        self._node = node
        return self._call(function, args, kwargs)

    def _call(self, function: Any, args: list[Any], kwargs: dict[Any, Any]) -> Any:
        from ._interface import _JitRawKernel

        known = all(isinstance(a, Known) and not isinstance(a.value, WarpSize) for a in (*args, *kwargs.values()))
        if isinstance(function, Builtin):
            return function.emit(self, args, kwargs)
        if isinstance(function, _JitRawKernel):
            return self._call_device(function, args, kwargs)
        if is_ufunc(function):
            if kwargs:
                raise Rejected(TypeError, f"{function.__name__} takes no keywords in kernels")
            if known:
                return Known(fold_ufunc(function.__name__, [a.value for a in args]))
            return call_ufunc(function.__name__, [self.operand(a) for a in args], self.module.mode)
        if isinstance(function, (type, np.dtype)) and function not in PYTHON:
            scalar = isinstance(function, type) and issubclass(function, np.generic)
            if scalar or getattr(function, "__name__", "") in ("bfloat16", "dtype"):
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
                TypeError, f"{function.__name__}() takes {len(function.source.parameters())} arguments, not {len(types)}"
            )
        name, result = self.module.device_function(function, types)
        texts = [cast(v, kind) for v, kind in zip(values, types, strict=True) if not isinstance(kind, Group)]
        return Value(f"{name}({', '.join(texts)})", result)

    # Statements.

    def _block(self, statements: Sequence[ast.stmt]) -> list[str]:
        lines: list[str] = []
        for statement in statements:
            self._node = statement
            method = getattr(self, f"_stmt_{type(statement).__name__}", None)
            if method is None:
                raise Rejected(NotImplementedError, f"{type(statement).__name__} statements cannot be compiled")
            lines += method(statement)
        return lines

    def _stmt_Pass(self, node: ast.Pass) -> list[str]:
        return []

    def _stmt_Break(self, node: ast.Break) -> list[str]:
        return ["break;"]

    def _stmt_Continue(self, node: ast.Continue) -> list[str]:
        return ["continue;"]

    def _stmt_Expr(self, node: ast.Expr) -> list[str]:
        value = self.evaluate(node.value)
        return [f"{value.code};"] if isinstance(value, Value) and value.code else []

    def _stmt_Return(self, node: ast.Return) -> list[str]:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._returns(Void())
            return ["return;"]
        if self.kernel:
            raise Rejected(TypeError, "a kernel returns nothing; it writes to its arguments")
        value = self.value(self.evaluate(node.value))
        if isinstance(value.type, (Group, Void)):
            raise Rejected(TypeError, f"a function cannot return {value.type}")
        self._node = node
        return [f"return {cast(value, self._returns(value.type))};"]

    def _returns(self, kind: Type) -> Type:
        kind = settled(kind) if self._settled else kind
        joined = kind if self._result is None else join([self._result, kind], "the returned value")
        if joined != self._result:
            self._result, self._changed = joined, True
        return joined

    def _declare(self, name: str, kind: Type) -> Type:
        """Gives a variable a value of a type, and tells which type it has."""
        if isinstance(kind, Void):
            raise Rejected(TypeError, f"{name!r} would be nothing: the call returns no value")
        if self._settled:
            kind = settled(kind) if name not in self.types else kind
        old = self.types.get(name)
        joined = kind if old is None else join([old, kind], f"the variable {name!r}")
        if joined != old:
            self.types[name], self._changed = joined, True
        return joined

    def _assign(self, target: ast.expr, thing: Any) -> list[str]:
        outer, self._node = self._node, target
        if isinstance(target, ast.Name):
            value = self.value(thing)
            kind = self._declare(target.id, value.type)
            lines = [] if isinstance(kind, Group) else [f"{identifier(target.id)} = {cast(value, kind)};"]
        elif isinstance(target, (ast.Tuple, ast.List)):
            value = self.value(thing)
            if not isinstance(value.type, Tuple):
                raise Rejected(TypeError, f"{value.type} cannot be unpacked")
            if len(value.type.items) != len(target.elts):
                raise Rejected(
                    ValueError, f"{len(value.type.items)} values cannot be unpacked into {len(target.elts)} variables"
                )
            lines = ["{"]
            items: list[Value] = []
            if value.items is None:
                whole = self._temporary()
                lines.append(f"  const {value.type.cpp} {whole} = {value.code};")
                value = Value(whole, value.type)
            for item in unpacked(value):
                # All values are there before the first variable changes.
                if isinstance(item.type, Group) or (isinstance(item.type, Tuple) and not item.code):
                    items.append(item)
                    continue
                name = self._temporary()
                qualifier = "" if isinstance(item.type, (Array, Shared)) else "const "
                lines.append(f"  {qualifier}{item.type.cpp} {name} = {item.code};")
                items.append(Value(name, item.type))
            for part, item in zip(target.elts, items, strict=True):
                lines += self._indented(self._assign(part, item))
            lines.append("}")
        elif isinstance(target, ast.Subscript):
            place = self._place(target)
            value = self.value(thing)
            lines = [f"{place.code} = {cast(value, place.type)};"]
        else:
            raise Rejected(NotImplementedError, f"{type(target).__name__} cannot be assigned to")
        self._node = outer
        return lines

    def _place(self, target: ast.Subscript) -> Value:
        owner = self.evaluate(target.value)
        if not isinstance(owner, Value) or not isinstance(owner.type, (Array, Shared)):
            raise Rejected(TypeError, "only elements of arrays can be assigned to")
        place = self.element(owner, self.evaluate(target.slice))
        if not isinstance(place.type, Scalar):
            raise Rejected(TypeError, f"an element is assigned to, not an {place.type}: there are too few indices")
        return place

    def _stmt_Assign(self, node: ast.Assign) -> list[str]:
        thing = self.evaluate(node.value)
        if len(node.targets) == 1:
            return self._assign(node.targets[0], thing)
        lines = ["{"]
        if isinstance(thing, Value) and not isinstance(thing.type, (Group, Void)):
            name = self._temporary()
            lines.append(f"  {thing.type.cpp} {name} = {cast(thing, thing.type)};")
            thing = Value(name, thing.type)
        for target in node.targets:
            lines += self._indented(self._assign(target, thing))
        return [*lines, "}"]

    def _stmt_AnnAssign(self, node: ast.AnnAssign) -> list[str]:
        return [] if node.value is None else self._assign(node.target, self.evaluate(node.value))

    def _stmt_AugAssign(self, node: ast.AugAssign) -> list[str]:
        thing = self.evaluate(node.value)
        if isinstance(node.target, ast.Name):
            return self._augment_variable(node, node.target, thing)
        if not isinstance(node.target, ast.Subscript):
            raise Rejected(NotImplementedError, f"{type(node.target).__name__} cannot be assigned to")
        place = self._place(node.target)
        assert isinstance(place.type, Scalar)
        name = self._temporary()
        result = self._binary(node.op, Value(name, place.type), thing)
        if not np.can_cast(*self._comparable(result.type, place.type), "same_kind"):
            raise Rejected(
                TypeError, f"the result, {result.type}, cannot be put back into {place.type} by the rule 'same_kind'"
            )
        return ["{", f"  {place.type.cpp}& {name} = {place.code};", f"  {name} = {cast(result, place.type)};", "}"]

    @staticmethod
    def _comparable(*types: Scalar) -> list[np.dtype[Any]]:
        """Dtypes that NumPy knows the casts of."""
        return [np.dtype(np.float16) if kind.dtype.kind == "V" else kind.dtype for kind in types]

    def _augment_variable(self, node: ast.AugAssign, target: ast.Name, thing: Any) -> list[str]:
        old = self.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if not isinstance(old, Value):
            raise Rejected(UnboundLocalError, f"the variable {target.id!r} is read before it has a value")
        result = self.value(self._binary(node.op, old, thing))
        kind, made = old.type, result.type
        if not isinstance(kind, Scalar) or not isinstance(made, Scalar):
            raise Rejected(TypeError, f"{kind} cannot be updated in place")
        if not kind.weak and np.can_cast(*self._comparable(made, kind), "same_kind"):
            # As NumPy updates in place: the variable keeps its type.
            return [f"{identifier(target.id)} = {cast(result, kind)};"]
        kind = self._declare(target.id, made)
        return [f"{identifier(target.id)} = {cast(result, kind)};"]

    def _stmt_If(self, node: ast.If) -> list[str]:
        test = self._condition(node.test)
        if isinstance(test, Known):
            return self._block(node.body if test.value else node.orelse)
        lines = [f"if ({test.code}) {{", *self._indented(self._block(node.body)), "}"]
        if node.orelse:
            lines[-1] = "} else {"
            lines += [*self._indented(self._block(node.orelse)), "}"]
        return lines

    def _stmt_While(self, node: ast.While) -> list[str]:
        if node.orelse:
            raise Rejected(NotImplementedError, "`else` of a loop cannot be compiled")
        test = self._condition(node.test)
        if isinstance(test, Known) and not test.value:
            return []
        text = "true" if isinstance(test, Known) else test.code
        return [f"while ({text}) {{", *self._indented(self._block(node.body)), "}"]

    def _stmt_For(self, node: ast.For) -> list[str]:
        from . import range as unrolled

        if node.orelse:
            raise Rejected(NotImplementedError, "`else` of a loop cannot be compiled")
        if not isinstance(node.target, ast.Name):
            raise Rejected(NotImplementedError, "the variable of a loop is one name")
        call = node.iter
        function = self.evaluate(call.func) if isinstance(call, ast.Call) else None
        function = function.value if isinstance(function, Known) else None
        if not isinstance(call, ast.Call) or function not in (range, unrolled):
            self._node = call
            raise Rejected(NotImplementedError, "loops go over range(...) or jit.range(...)")
        self._node = call
        pragma = []
        for keyword in call.keywords:
            if function is range or keyword.arg != "unroll":
                raise Rejected(TypeError, f"range() takes no keyword {keyword.arg!r}")
            pragma = self._pragma(self.known(self.evaluate(keyword.value), "unroll"))
        bounds = [self.evaluate(argument) for argument in call.args]
        if not 1 <= len(bounds) <= 3:
            raise Rejected(TypeError, f"range() takes one to three arguments, not {len(bounds)}")
        start, stop, step = {
            1: lambda: (Known(0), bounds[0], Known(1)),
            2: lambda: (*bounds, Known(1)),
            3: lambda: tuple(bounds),
        }[len(bounds)]()
        kind = self._range_type([start, stop, step])
        texts = [cast(self.value(bound), kind) for bound in (start, stop, step)]
        if isinstance(step, Known) and step.value == 0:
            raise Rejected(ValueError, "range() arg 3 must not be zero")
        self._node = node.target
        final = self._declare(node.target.id, kind)
        counter, end, by = (self._temporary() for _ in range(3))
        own = identifier(node.target.id)
        lines = ["{", f"  const {kind.cpp} {end} = {texts[1]}, {by} = {texts[2]};"]
        if isinstance(step, Known):
            goes = f"{counter} {'<' if step.value > 0 else '>'} {end}"
            lines[1] = f"  const {kind.cpp} {end} = {texts[1]};"
            by = texts[2]
        else:
            goes = f"({by} > 0 ? {counter} < {end} : {by} < 0 && {counter} > {end})"
        self._node = node
        body = self._block(node.body)
        return [
            *lines,
            *self._indented(pragma),
            f"  for ({kind.cpp} {counter} = {texts[0]}; {goes}; {counter} += {by}) {{",
            f"    {own} = {cast(Value(counter, kind), final)};",
            *self._indented(self._indented(body)),
            "  }",
            "}",
        ]

    @staticmethod
    def _pragma(unroll: Any) -> list[str]:
        if unroll is None:
            return []
        if unroll is True:
            return ["#pragma unroll"]
        if unroll is False:
            return ["#pragma unroll 1"]
        if isinstance(unroll, (int, np.integer)) and unroll > 0:
            return [f"#pragma unroll {int(unroll)}"]
        raise Rejected(ValueError, f"unroll must be True, False or a positive integer, not {unroll!r}")

    def _range_type(self, bounds: Sequence[Any]) -> Scalar:
        kinds, negative = [], False
        for bound in bounds:
            value = self.value(bound)
            if not isinstance(value.type, Scalar) or value.type.kind not in "iu":
                raise Rejected(TypeError, f"range() takes integers, not {value.type}")
            kinds.append(value.type)
            negative = negative or isinstance(bound, Known) and not isinstance(bound.value, WarpSize) and bound.value < 0
        kind = join(kinds, "range")
        if not isinstance(kind, Scalar) or kind.kind == "f" or (negative and kind.kind == "u"):
            return _INT64
        # The counter goes a step beyond the end.
        return _INT64 if kind.dtype.itemsize < 4 else kind
