"""What one small call costs on the CPU in instructions, beside NumPy: they can be counted again, on a busy machine too.

    python benches/instructions.py [--calls "a[1:]" "empty(10)"] [--markdown FILE]

Each call runs in a loop under `valgrind --tool=callgrind`, which notes its count at two marks: calls of `getppid`, that
nothing else makes. Loops count with their share of Python's own instructions.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ocean

#: Operations of a chain that is evaluated once.
CHAIN = 300
#: Operations of the density of seawater.
DENSITY = 333


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


def updated(xp: Any) -> Callable[[], Any]:
    """A sum in place."""
    held = [xp.ones(10), xp.ones(10)]

    def run() -> Any:
        held[0] += held[1]
        return held[0]

    return run


def chosen(xp: Any) -> Callable[[], Any]:
    """A choice between two arrays."""
    a, b = xp.ones(10), xp.zeros(10)
    mask = a > b
    return lambda: xp.where(mask, a, b)


def of_ten(work: Callable[..., Any]) -> Callable[[Any], Callable[[], Any]]:
    """Work with the library and an array of ten elements."""

    def make(xp: Any) -> Callable[[], Any]:
        a = xp.ones(10)
        return lambda: work(xp, a)

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


def density(xp: Any) -> Callable[[], Any]:
    """The density of seawater with its derivatives, evaluated."""
    arrays = [xp.full(8, value) for value in (35.0, 10.0, 1000.0)]
    evaluate = getattr(xp, "evaluate", None)

    def run() -> Any:
        made = ocean.seawater(xp, *arrays)
        if evaluate is not None:
            evaluate(*made)
        return made

    return run


def density_of_floats(xp: Any) -> Callable[[], Any]:
    """The same program over Python's floats: what Python itself takes for it."""
    del xp
    return lambda: ocean.seawater(math, 35.0, 10.0, 1000.0)


#: By name: the call, how many operations it is, and whether its result is evaluated.
CALLS: dict[str, tuple[Callable[[Any], Callable[[], Any]], int, bool]] = {
    "one operation of a chain of 300": (chain, CHAIN, True),
    "one operation of the density of seawater": (density, DENSITY, False),
    "the same over Python's floats": (density_of_floats, DENSITY, False),
    "a + b, 1 element": (added(1), 1, True),
    "a + b, 10 elements": (added(10), 1, True),
    "a + b, 1 000 elements": (added(1_000), 1, True),
    "a + b, 10 000 elements": (added(10_000), 1, True),
    "a[1:]": (sliced, 1, False),
    "a[1:, 2]": (indexed, 1, False),
    "empty(10)": (lambda xp: lambda: xp.empty(10), 1, False),
    "a.sum(), 10 elements": (summed, 1, False),
    "a * 2, 10 elements": (of_ten(lambda xp, a: a * 2), 1, True),
    "sin(a), 10 elements": (of_ten(lambda xp, a: xp.sin(a)), 1, True),
    "a[3], 10 elements": (of_ten(lambda xp, a: a[3]), 1, False),
    "a.copy(), 10 elements": (of_ten(lambda xp, a: a.copy()), 1, True),
    "a += b, 10 elements": (updated, 1, True),
    "where(mask, a, b), 10 elements": (chosen, 1, True),
    "a.astype(float32), 10 elements": (of_ten(lambda xp, a: a.astype("f4")), 1, True),
    "concatenate((a, a)), 10 elements": (of_ten(lambda xp, a: xp.concatenate((a, a))), 1, True),
    "dot(a, a), 10 elements": (of_ten(lambda xp, a: xp.dot(a, a)), 1, True),
}


#: Operations that are counted of each call.
COUNT = 3000


def loop(names: list[str], library: str) -> None:
    """Makes each call so many times between two marks, after some that prepare it."""
    if library == "numpy":
        import numpy as xp

        evaluate: Callable[[Any], Any] | None = None
    else:
        import cuproxide as xp
        from cuproxide import _cuproxide

        evaluate = xp.evaluate
    for name in names:
        make, operations, is_evaluated = CALLS[name]
        call = make(xp)
        ask = evaluate if is_evaluated else None
        for number in range(12):
            made = call()
            if ask is not None:
                ask(made)
            if library != "numpy" and number < 2:
                _cuproxide.wait_for_compiler()
        os.getppid()
        for _ in range(COUNT // operations):
            made = call()
            if ask is not None:
                ask(made)
        os.getppid()


def costs(names: list[str], library: str) -> list[float]:
    """Instructions of one call of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-before=getppid"]
        script = [sys.executable, __file__, "--loop", library, *names]
        subprocess.run(command + script, check=True, capture_output=True)
        # Every second part lies between the two marks of a call.
        texts = [(Path(f"{out}.{2 * number + 2}")).read_text() for number in range(len(names))]
    counts = [int(re.findall(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[-1]) for text in texts]
    return [count / (COUNT // CALLS[name][1] * CALLS[name][1]) for name, count in zip(names, counts, strict=True)]


def main() -> None:
    """Runs the benchmark, or the loops of one library."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", nargs="+", default=list(CALLS))
    parser.add_argument("--markdown")
    parser.add_argument("--loop", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.loop:
        library, *names = options.loop
        loop(names, library)
        return
    if shutil.which("valgrind") is None:
        sys.exit("this needs valgrind")
    lines = ["| call | cuproxide | numpy | cuproxide / numpy |", "| --- | ---: | ---: | ---: |"]
    both = (costs(options.calls, library) for library in ("cuproxide", "numpy"))
    for name, own, other in zip(options.calls, *both, strict=True):
        lines.append(f"| {name} | {own:.0f} | {other:.0f} | {own / other:.2f} |")
        print(lines[-1], flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
