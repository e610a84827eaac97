"""Python functions as C++: types are found by going over a function until they stay what they are."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._builtins import WarpSize
from ._builtins import range as unrolled
from ._expressions import Expressions, identifier
from ._operators import literal
from ._preamble import GROUPS, PREAMBLE, REDUCTIONS
from ._source import Source
from ._thrust_text import ALGORITHMS, ITERATORS
from ._types import (
    Array,
    Iterator,
    Known,
    Mode,
    Rejected,
    Scalar,
    Shared,
    Stateless,
    Storage,
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

_INT64 = Scalar(np.dtype(np.int64))
_MOST_PASSES = 50


class Module:
    """What the functions of one kernel share."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.groups = self.cooperative = self.dynamic = self.reductions = self.halves = False
        self.iterators = self.algorithms = False
        self.definitions: list[str] = []
        # By function and types: the name and the type that comes back; None while it is being compiled.
        self.functions: dict[Any, tuple[str, Type] | None] = {}
        # What is worked out while the kernel is compiled, with what it was worked out of, which must stay alive.
        self._known: dict[Any, tuple[Any, Any]] = {}

    def once(self, parts: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        """What `compute` gives for these parts, worked out the first time only.

        Functions are gone over several times, and a function that makes device functions would make other ones each
        time, all to be compiled.
        """
        key = _identity(parts)
        if key not in self._known:
            self._known[key] = (compute(), parts)
        return self._known[key][0]

    def device_function(self, kernel: Any, types: tuple[Type, ...]) -> tuple[str, Type]:
        """The name and the result of a device function for arguments of these types."""
        key = (kernel, types)
        if key in self.functions:
            found = self.functions[key]
            if found is None:
                raise Rejected(NotImplementedError, f"{kernel.__name__} calls itself")
            return found
        self.functions[key] = None
        name = f"device_{identifier(kernel.__name__)}{len(self.functions)}"
        function = Function(self, kernel.source, types)
        self.definitions.append(function.compile(name))
        found = name, function.result
        self.functions[key] = found
        return found


def _identity(thing: Any) -> Any:
    """What tells a thing from others: its value and type for numbers and texts, else which object it is."""
    if isinstance(thing, (tuple, list)):
        return type(thing), *map(_identity, thing)
    if thing is None or type(thing) in (bool, int, str):
        return type(thing), thing
    return (float, thing.hex()) if type(thing) is float else id(thing)


def compile_kernel(source: Source, types: tuple[Type, ...], mode: Mode) -> tuple[str, str, bool]:
    """The text of a kernel, its name, and whether all blocks have to run at a time."""
    module = Module(mode)
    function = Function(module, source, types, kernel=True)
    name = f"kernel_{identifier(source.name)}".rstrip("_")
    text = function.compile(name)
    parts = [PREAMBLE]
    if module.halves:
        parts.append("#include <cuda_fp16.h>\n")
    if module.groups:
        parts.append(GROUPS)
    if module.reductions:
        parts.append(REDUCTIONS)
    if module.iterators or module.algorithms:
        parts.append(ITERATORS)
    if module.algorithms:
        parts.append(ALGORITHMS)
    if module.dynamic:
        parts.append("extern __shared__ __align__(16) char jit_dynamic[];\n")
    return "".join(parts) + "\n" + "\n".join([*module.definitions, text]), name, module.cooperative


class Function(Expressions):
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
        self._changed = self._settled = self._ended = False
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
            if isinstance(kind, Stateless):
                continue
            own, final = identifier(parameter), self.types[parameter]
            given = own if kind == final else f"{own}given"
            declarations.append(f"{kind.cpp} {given}")
            if kind != final:
                prologue.append(f"{final.cpp} {own} = {cast(Value(given, kind), final)};")
        for variable, kind in self.types.items():
            if variable not in self.arguments and not isinstance(kind, Stateless):
                prologue.append(f"{kind.cpp} {identifier(variable)}{{}};")
        head = 'extern "C" __global__ void' if self.kernel else f"static __device__ {self.result.cpp}"
        lines = [f"{head} {name}({', '.join(declarations)}) {{", *self._indented([*self._memory, *prologue, *body])]
        if not isinstance(self.result, Void):
            lines.append("  return {};")
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

    # Statements.

    def _block(self, statements: Sequence[ast.stmt]) -> list[str]:
        lines: list[str] = []
        self._ended = False
        for statement in statements:
            self._node = statement
            method = getattr(self, f"_stmt_{type(statement).__name__}", None)
            if method is None:
                raise Rejected(NotImplementedError, f"{type(statement).__name__} statements cannot be compiled")
            self._ended = isinstance(statement, (ast.Return, ast.Break, ast.Continue))
            lines += method(statement)
            if self._ended:
                # What follows is never run. It need not even compile: recursion may end so.
                break
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
        if isinstance(value.type, (Stateless, Void)):
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
            lines = [] if isinstance(kind, Stateless) else [f"{identifier(target.id)} = {cast(value, kind)};"]
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
                if isinstance(item.type, Stateless) or (isinstance(item.type, Tuple) and not item.code):
                    items.append(item)
                    continue
                name = self._temporary()
                qualifier = "" if isinstance(item.type, (Array, Shared, Storage)) else "const "
                lines.append(f"  {qualifier}{item.type.cpp} {name} = {item.code};")
                items.append(Value(name, item.type))
            for part, item in zip(target.elts, items, strict=True):
                lines += self._indented(self._assign(part, item))
            lines.append("}")
        elif isinstance(target, ast.Subscript):
            place = self._place(target)
            value = self.value(thing)
            kinds = [kind.kind if isinstance(kind, Scalar) else "" for kind in (value.type, place.type)]
            if isinstance(thing, Known) and isinstance(thing.value, int) and all(kind in ("i", "u") for kind in kinds):
                assert isinstance(place.type, Scalar)
                # Says what does not fit.
                value = Value(literal(thing.value, place.type), place.type)
            lines = [f"{place.code} = {cast(value, place.type)};"]
        else:
            raise Rejected(NotImplementedError, f"{type(target).__name__} cannot be assigned to")
        self._node = outer
        return lines

    def _place(self, target: ast.Subscript) -> Value:
        owner = self.evaluate(target.value)
        if not isinstance(owner, Value) or not isinstance(owner.type, (Array, Shared, Iterator)):
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
        if isinstance(thing, Value) and not isinstance(thing.type, (Stateless, Void)):
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
        old = f"cpx_truth({name})" if place.type.kind == "b" else name
        result = self._binary(node.op, Value(old, place.type), thing)
        if not self._fits(result.type, place.type):
            raise Rejected(
                TypeError, f"the result, {result.type}, cannot be put back into {place.type} by the rule 'same_kind'"
            )
        return ["{", f"  {place.type.cpp}& {name} = {place.code};", f"  {name} = {cast(result, place.type)};", "}"]

    @staticmethod
    def _fits(made: Scalar, kind: Scalar) -> bool:
        """Whether NumPy's rule 'same_kind' lets a result into a variable or element."""
        # NumPy does not know the casts of bfloat16.
        known = [np.dtype(np.float16) if dtype.kind == "V" else dtype for dtype in (made.dtype, kind.dtype)]
        return np.can_cast(known[0], known[1], "same_kind")

    def _augment_variable(self, node: ast.AugAssign, target: ast.Name, thing: Any) -> list[str]:
        old = self.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        if not isinstance(old, Value):
            raise Rejected(UnboundLocalError, f"the variable {target.id!r} is read before it has a value")
        result = self.value(self._binary(node.op, old, thing))
        kind, made = old.type, result.type
        if not isinstance(kind, Scalar) or not isinstance(made, Scalar):
            raise Rejected(TypeError, f"{kind} cannot be updated in place")
        if not kind.weak and self._fits(made, kind):
            # As NumPy updates in place: the variable keeps its type.
            return [f"{identifier(target.id)} = {cast(result, kind)};"]
        kind = self._declare(target.id, made)
        return [f"{identifier(target.id)} = {cast(result, kind)};"]

    def _stmt_If(self, node: ast.If) -> list[str]:
        test = self._condition(node.test)
        if isinstance(test, Known):
            return self._block(node.body if test.value else node.orelse)
        lines = [f"if ({test.code}) {{", *self._indented(self._block(node.body)), "}"]
        ended = self._ended
        if node.orelse:
            lines[-1] = "} else {"
            lines += [*self._indented(self._block(node.orelse)), "}"]
        self._ended &= ended and bool(node.orelse)
        return lines

    def _stmt_While(self, node: ast.While) -> list[str]:
        if node.orelse:
            raise Rejected(NotImplementedError, "`else` of a loop cannot be compiled")
        test = self._condition(node.test)
        if isinstance(test, Known) and not test.value:
            return []
        text = "true" if isinstance(test, Known) else test.code
        lines = [f"while ({text}) {{", *self._indented(self._block(node.body)), "}"]
        self._ended = False
        return lines

    def _stmt_For(self, node: ast.For) -> list[str]:
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
        self._ended = False
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
            negative = (
                negative or isinstance(bound, Known) and not isinstance(bound.value, WarpSize) and bound.value < 0
            )
        kind = join(kinds, "range")
        if not isinstance(kind, Scalar) or kind.kind == "f" or (negative and kind.kind == "u"):
            return _INT64
        # The counter goes a step beyond the end.
        return _INT64 if kind.dtype.itemsize < 4 else kind
