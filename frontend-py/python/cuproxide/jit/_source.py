"""The text of a Python function, and messages that point into it."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from .._lib.parsing import parse
from ._types import Rejected

__all__ = ["Source"]


class Source:
    """A function as a syntax tree, with what its free names stand for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        code = function.__code__
        self.file = code.co_filename
        try:
            lines, self.first = inspect.getsourcelines(function)
        except (OSError, TypeError) as error:
            raise ValueError(
                f"the source of {self.name} cannot be found; kernels must be defined in a file or a notebook's cell"
            ) from error
        self.lines = lines
        text = textwrap.dedent("".join(lines))
        self.indent = len(lines[0]) - len(text.splitlines(keepends=True)[0])
        try:
            tree = parse(text).body[0]
        except SyntaxError as error:
            raise ValueError(f"the source of {self.name} cannot be parsed on its own: {error}") from error
        if not isinstance(tree, ast.FunctionDef):
            raise TypeError(f"{self.name} must be defined with def, to be compiled")
        self.tree = tree
        self.locals = _assigned(tree)

    def parameters(self) -> list[str]:
        """The names of the parameters."""
        arguments = self.tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise self.error(
                Rejected(NotImplementedError, "kernels have positional parameters without defaults"), self.tree
            )
        return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]

    def free(self, name: str) -> Any:
        """What a name stands for that is not local."""
        code = self.function.__code__
        if name in code.co_freevars:
            assert self.function.__closure__ is not None
            try:
                return self.function.__closure__[code.co_freevars.index(name)].cell_contents
            except ValueError:
                raise Rejected(NameError, f"free variable {name!r} has no value yet") from None
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise Rejected(NameError, f"name {name!r} is not defined") from None

    def error(self, rejected: Rejected, node: ast.AST) -> Exception:
        """The exception that tells what cannot be compiled, and where it stands."""
        line: int = getattr(node, "lineno", 1)
        text = self.lines[line - 1].rstrip("\n")
        start = getattr(node, "col_offset", 0) + self.indent
        end = getattr(node, "end_col_offset", start) + self.indent
        if getattr(node, "end_lineno", line) != line or isinstance(node, ast.FunctionDef):
            end = len(text)
        inner = len(text) - len(text.lstrip())
        marks = " " * (start - inner) + "^" * max(1, min(end, len(text)) - start)
        return rejected.kind(
            f'{rejected}\n  File "{self.file}", line {self.first + line - 1}, in {self.name}\n'
            f"    {text.strip()}\n    {marks}"
        )


def _assigned(tree: ast.FunctionDef) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


class Decorated:
    """A function that `rawkernel` decorated, for what calls it in a kernel."""

    __name__: str
    device: bool
