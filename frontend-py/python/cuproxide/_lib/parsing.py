"""Trees of Python's own syntax."""

from __future__ import annotations

import ast
import threading

_LOCK = threading.Lock()


def parse(source: str) -> ast.Module:
    """The tree of a program. One thread makes it at a time: up to Python 3.12 several may end in a `SystemError`.

    >>> from cuproxide._lib.parsing import parse
    >>> type(parse("x + 1").body[0]).__name__
    'Expr'
    """
    with _LOCK:
        return ast.parse(source)
