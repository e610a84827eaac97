"""Rewrites the functions of kernels: branches, loops and conditions become calls of `_control`.

All else stays Python, with the lines of the source, so that tracebacks name them.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

from ..parsing import parse
from . import _control

_CONTROL, _RESULT = "__control", "__result"
_BUILTINS = {"range": _control.counted, "min": _control.smallest, "max": _control.largest}
_LEFT_OUT = (
    ast.Try, ast.With, ast.Match, ast.Global, ast.Nonlocal, ast.Delete, ast.NamedExpr, ast.Await, ast.Yield,
    ast.YieldFrom, ast.ClassDef, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef,
)  # fmt: skip


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that writes a kernel down where `function` computes."""
    source = textwrap.dedent(inspect.getsource(function))
    tree = parse(source)
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    definition = tree.body[0]
    filename = function.__code__.co_filename
    if not isinstance(definition, ast.FunctionDef):
        raise SyntaxError(f"{filename}:{function.__code__.co_firstlineno}: a kernel is made of a function with `def`")
    _Rewriter(filename).function(definition)
    ast.fix_missing_locations(tree)
    known = dict(function.__globals__)
    known.update(inspect.getclosurevars(function).nonlocals)
    for name, ours in _BUILTINS.items():
        known.setdefault(name, ours)
    known[_CONTROL] = _control
    exec(compile(tree, filename, "exec"), known)
    made = known[definition.name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _tuple(parts: Iterable[ast.expr], context: ast.expr_context | None = None) -> ast.Tuple:
    return ast.Tuple(list(parts), context or ast.Load())


def _names(names: Iterable[str]) -> ast.Tuple:
    return _tuple(ast.Constant(name) for name in names)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(_load(_CONTROL), name, ast.Load()), list(arguments), [])


def _parameters(names: Iterable[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def _define(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    # A field that Python has since 3.12.
    fields: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    return ast.FunctionDef(name, _parameters(parameters), body, [], None, **fields)


def _lambda(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(_parameters([]), value)


class _Assigned(ast.NodeVisitor):
    """The names that statements assign."""

    def __init__(self, statements: Iterable[ast.stmt]) -> None:
        self.names: set[str] = set()
        for statement in statements:
            self.visit(statement)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.names.add(node.id)

    def _skip(self, node: ast.AST) -> None:
        """Comprehensions and functions have names of their own."""

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_Lambda = _skip

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names.add(node.name)


def _jumps(statement: ast.stmt, kinds: tuple[type[ast.stmt], ...] = (ast.Return, ast.Break, ast.Continue)) -> bool:
    """Whether a statement holds one that leaves it; those of loops inside it leave only these."""
    if isinstance(statement, kinds):
        return True
    if isinstance(statement, ast.If):
        return any(_jumps(inner, kinds) for inner in (*statement.body, *statement.orelse))
    if isinstance(statement, (ast.While, ast.For)) and ast.Return in kinds:
        return any(_jumps(inner, (ast.Return,)) for inner in statement.body)
    return False


class _Rewriter(ast.NodeTransformer):
    def __init__(self, filename: str) -> None:
        self.filename = filename
        self.count = 0
        self.undefined: set[str] = set()

    def error(self, node: ast.AST, message: str) -> SyntaxError:
        line = getattr(node, "lineno", 0)
        return SyntaxError(f"{message} ({self.filename}:{line})", (self.filename, line, None, None))

    def fresh(self, what: str) -> str:
        self.count += 1
        return f"__{what}_{self.count}"

    def function(self, definition: ast.FunctionDef) -> None:
        for node in ast.walk(definition):
            if isinstance(node, _LEFT_OUT):
                raise self.error(node, f"kernels have no {type(node).__name__.lower()}")
        definition.decorator_list, definition.returns = [], None
        arguments = definition.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for parameter in parameters:
            parameter.annotation = None
        # They are put back from the function itself.
        arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
        arguments.kw_defaults = [value and ast.Constant(None) for value in arguments.kw_defaults]
        returns = any(_jumps(statement, (ast.Return,)) for statement in definition.body)
        body = self.block(self.straight(definition.body, None))
        if returns:
            last = ast.Return(_call("returned", _load(_RESULT)))
            body.append(ast.copy_location(last, definition.body[-1]))
            self.undefined.add(_RESULT)
        first = [_assign(name, _call("Undefined", ast.Constant(name))) for name in sorted(self.undefined)]
        known = {parameter.arg for parameter in parameters}
        first = [statement for statement in first if statement.targets[0].id not in known]  # type: ignore[attr-defined]
        definition.body = [*(ast.copy_location(statement, definition) for statement in first), *body]

    # What follows a branch that may jump goes into both of its ways, so that jumps are the end of what holds them.

    def straight(self, statements: list[ast.stmt], leave: str | None) -> list[ast.stmt]:
        """The same without `return`, `break` and `continue`; `leave` is the variable that ends the loop around."""
        done: list[ast.stmt] = []
        for position, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                value = statement.value or ast.Constant(None)
                return [*done, ast.copy_location(_assign(_RESULT, value), statement)]
            if isinstance(statement, ast.Break):
                assert leave is not None
                return [*done, ast.copy_location(_assign(leave, ast.Constant(True)), statement)]
            if isinstance(statement, ast.Continue):
                return done
            if isinstance(statement, ast.If) and _jumps(statement):
                rest = statements[position + 1 :]
                statement.body = self.straight([*statement.body, *copy.deepcopy(rest)], leave) or [ast.Pass()]
                statement.orelse = self.straight([*statement.orelse, *rest], leave)
                return [*done, statement]
            done.append(statement)
        return done

    def block(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            for part in made if isinstance(made, list) else [made]:
                ast.copy_location(part, statement)
                # Lines of the source for all that has none.
                for node in ast.walk(part):
                    if "lineno" in node._attributes and not hasattr(node, "lineno"):
                        ast.copy_location(node, statement)
                done.append(part)
        return done

    def way(self, name: str, names: list[str], body: list[ast.stmt], *first: str) -> ast.FunctionDef:
        """A function that runs statements on variables and gives these back."""
        result = ast.Return(_tuple(_load(variable) for variable in names))
        return _define(name, [*first, *names], [*body, result])

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        names = sorted(_Assigned([*node.body, *node.orelse]).names)
        self.undefined.update(names)
        test = self.visit(node.test)
        yes, no = self.fresh("then"), self.fresh("else")
        ways = [self.way(yes, names, self.block(node.body)), self.way(no, names, self.block(node.orelse))]
        values = _tuple(_load(name) for name in names)
        return [*ways, self.taken(names, _call("branch", test, _load(yes), _load(no), values, _names(names)))]

    def taken(self, names: list[str], call: ast.expr) -> ast.stmt:
        if not names:
            return ast.Expr(call)
        return ast.Assign([_tuple((ast.Name(name, ast.Store()) for name in names), ast.Store())], call)

    def leaving(self, node: ast.While | ast.For) -> tuple[str | None, list[ast.stmt]]:
        """The variable that ends a loop, if it has a `break`, and its straight body."""
        if node.orelse:
            raise self.error(node, "loops of kernels have no else")
        inside = next((part for part in node.body if _jumps(part, (ast.Return,))), None)
        if inside is not None:
            raise self.error(inside, "loops of kernels have no return: assign a variable and break")
        has_break = any(_jumps(part, (ast.Break,)) for part in node.body)
        leave = self.fresh("leave") if has_break else None
        return leave, self.straight(node.body, leave)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        leave, body = self.leaving(node)
        names = sorted(_Assigned(body).names)
        self.undefined.update(names)
        test, condition = self.fresh("test"), self.visit(node.test)
        first: list[ast.stmt] = []
        if leave:
            first = [_assign(leave, ast.Constant(False))]
            condition = _call("both", _call("negation", _load(leave)), _lambda(condition))
        around = self.fresh("round")
        asks = _define(test, names, [ast.Return(condition)])
        values = _tuple(_load(name) for name in names)
        call = _call("loop", _load(test), _load(around), values, _names(names))
        return [*first, asks, self.way(around, names, self.block(body)), self.taken(names, call)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        leave, body = self.leaving(node)
        item = self.fresh("item")
        names = sorted(_Assigned([ast.copy_location(ast.Assign([node.target], _load(item)), node), *body]).names)
        self.undefined.update(names)
        around = self.fresh("round")
        takes = ast.Assign([node.target], _load(item))
        inside = [takes, *self.block(body)]
        values = _tuple(_load(name) for name in names)
        number = ast.Constant(names.index(leave) if leave else None)
        call = _call("iterate", self.visit(node.iter), _load(around), values, _names(names), number)
        first: list[ast.stmt] = [_assign(leave, ast.Constant(False))] if leave else []
        return [*first, self.way(around, names, inside, item), self.taken(names, call)]

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        return [*self.checks(node.targets), node]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        node.value, node.target = self.visit(node.value), self.visit(node.target)
        return [*self.checks([node.target]), node]

    def checks(self, targets: Iterable[ast.expr]) -> list[ast.stmt]:
        held = [node.value for target in targets for node in ast.walk(target) if isinstance(node, ast.Subscript)]
        held = [holder for holder in held if isinstance(holder, ast.Name)]
        return [ast.Expr(_call("check_item", _load(holder.id))) for holder in held]  # type: ignore[attr-defined]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return ast.Pass()
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function of the kernel's own: what it computes is straight."""
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        name = "both" if isinstance(node.op, ast.And) else "either"
        *before, result = [self.visit(value) for value in node.values]
        for value in reversed(before):
            result = ast.copy_location(_call(name, value, _lambda(result)), value)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        return _call("negation", operand) if isinstance(node.op, ast.Not) else ast.UnaryOp(node.op, operand)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test, yes, no = self.visit(node.test), self.visit(node.body), self.visit(node.orelse)
        return _call("choose", test, _lambda(yes), _lambda(no))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            return self.generic_visit(node)  # type: ignore[return-value]
        # Operands have no effects, so those in the middle may be written twice.
        ends = [node.left, *node.comparators]
        pairs = zip(ends, node.ops, ends[1:], strict=False)
        parts: list[ast.expr] = [ast.Compare(copy.deepcopy(a), [op], [copy.deepcopy(b)]) for a, op, b in pairs]
        return self.visit(ast.copy_location(ast.BoolOp(ast.And(), parts), node))


assert set(_BUILTINS) <= set(dir(builtins))
