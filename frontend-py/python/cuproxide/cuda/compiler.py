"""Errors of the run-time compiler."""

from .._cuproxide import CompileError

__all__ = ["CompileException"]

CompileException = CompileError
