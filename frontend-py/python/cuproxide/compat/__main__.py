"""Runs a script, a module or a command with `import cupy` resolving to this package."""

from __future__ import annotations

import os
import runpy
import sys

from . import install

USAGE = """usage: python -m cuproxide.compat [--index-errors] (script.py | -m module | -c command) [arguments]

Runs a program with `import cupy` and `import cupyx` resolving to cuproxide.

  --index-errors  indices out of bounds raise IndexError instead of wrapping around"""


def main(arguments: list[str]) -> int:
    """Runs the program that the arguments name, as `python` would; the status of a wrong call is 2."""
    wrap = True
    if arguments[:1] == ["--index-errors"]:
        wrap, arguments = False, arguments[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    needed = 2 if arguments[:1] in (["-m"], ["-c"]) else 1
    if len(arguments) < needed or (needed == 1 and arguments[0].startswith("-")):
        print(USAGE, file=sys.stderr)
        return 2
    install(wrap_indices=wrap)
    program, sys.argv = arguments[needed - 1], [*arguments[needed - 1 :]]
    if arguments[0] == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.argv[0] = "-c"
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program))
        runpy.run_path(program, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
