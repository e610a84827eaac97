"""What one small call costs on the CPU in instructions, beside NumPy: they can be counted again, on a busy machine too.

    python benches/instructions.py [--calls "a[1:]" "empty(10)"] [--markdown FILE]

Each call runs in a loop under `valgrind --tool=callgrind`, a few thousand times and then three times as often; the
difference is divided by the number of calls that were added. Loops count with their share of Python's own instructions.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

#: Operations of a chain that is evaluated once.
CHAIN = 300


def chain(xp: Any) -> Callable[[], Any]:
    """A chain of operations of which only the last result is read."""
    a, b = xp.ones(1), xp.ones(1)

    def run() -> Any:
        x = a
        for _ in range(CHAIN // 3):
            x = x * b
            x = x + a
            x = x - 0.5
        return x

    return run


def added(size: int) -> Callable[[Any], Callable[[], Any]]:
    """The sum of two arrays of a size."""

    def make(xp: Any) -> Callable[[], Any]:
        a, b = xp.ones(size), xp.ones(size)
        return lambda: a + b

    return make


def sliced(xp: Any) -> Callable[[], Any]:
    """A view of a part."""
    a = xp.ones(10)
    return lambda: a[1:]


def indexed(xp: Any) -> Callable[[], Any]:
    """A view by a slice and an integer."""
    a = xp.ones((10, 10))
    return lambda: a[1:, 2]


def summed(xp: Any) -> Callable[[], Any]:
    """The sum of ten elements."""
    a = xp.ones(10)
    return lambda: a.sum()


#: By name: the call, how many operations it is, and whether its result is evaluated.
CALLS: dict[str, tuple[Callable[[Any], Callable[[], Any]], int, bool]] = {
    "one operation of a chain of 300": (chain, CHAIN, True),
    "a + b, 1 element": (added(1), 1, True),
    "a + b, 10 000 elements": (added(10_000), 1, True),
    "a[1:]": (sliced, 1, False),
    "a[1:, 2]": (indexed, 1, False),
    "empty(10)": (lambda xp: lambda: xp.empty(10), 1, False),
    "a.sum(), 10 elements": (summed, 1, False),
}


def loop(name: str, library: str, count: int) -> None:
    """Makes so many calls, after some that prepare them."""
    make, operations, is_evaluated = CALLS[name]
    if library == "numpy":
        import numpy as xp

        evaluate: Callable[[Any], Any] | None = None
    else:
        import cuproxide as xp
        from cuproxide import _cuproxide

        evaluate = xp.evaluate if is_evaluated else None
    call = make(xp)
    for number in range(max(count // operations, 1) + 4):
        made = call()
        if evaluate is not None:
            evaluate(made)
        if library != "numpy" and number < 2:
            _cuproxide.wait_for_compiler()


def counted(name: str, library: str, count: int) -> int:
    """The instructions of a process that runs the loop."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    script = [sys.executable, __file__, "--loop", name, library, str(count)]
    text = subprocess.run(command + script, check=True, capture_output=True, text=True).stderr
    found = re.search(r"Collected : (\d+)", text)
    if found is None:
        raise RuntimeError(text)
    return int(found[1])


def cost(name: str, library: str) -> float:
    """Instructions of one call."""
    few = 3000
    return (counted(name, library, 3 * few) - counted(name, library, few)) / (2 * few)


def main() -> None:
    """Runs the benchmark, or one loop of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", nargs="+", default=list(CALLS))
    parser.add_argument("--markdown")
    parser.add_argument("--loop", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.loop:
        name, library, count = options.loop
        loop(name, library, int(count))
        return
    if shutil.which("valgrind") is None:
        sys.exit("this needs valgrind")
    lines = ["| call | cuproxide | numpy | cuproxide / numpy |", "| --- | ---: | ---: | ---: |"]
    for name in options.calls:
        own, other = (cost(name, library) for library in ("cuproxide", "numpy"))
        lines.append(f"| {name} | {own:.0f} | {other:.0f} | {own / other:.2f} |")
        print(lines[-1], flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
