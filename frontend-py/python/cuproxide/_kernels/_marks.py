"""Marks by which a function that is traced is recognised."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

_code: CodeType | None = None
"""The code of all functions that `calling` made."""


def calling(traced: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the name and the text of `function` that calls `traced`."""
    global _code

    @functools.wraps(function)
    def fused(*arguments: Any, **named: Any) -> Any:
        return traced(*arguments, **named)

    _code = fused.__code__  # type: ignore[attr-defined]
    return fused


def is_fused(function: object) -> bool:
    """Whether a function is one that `fuse` decorated."""
    return type(function) is FunctionType and function.__code__ is _code
