"""What one call costs: kernels of the user's, and the addition of two numbers, beside the driver's bare launch.

python benches/launch.py --markdown benches/results/launch_h200.md

Microseconds of one call with its Python loop, between two waits for the device; libraries take turns, and the least and
the median of the rounds are shown. The bare launch is a loop in C, which needs a C compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import libraries
import machine
import numpy

SOURCE = 'extern "C" __global__ void touch(const float* x, float* y, int n) { if (n < 0) y[0] = x[0]; }'
BARE = """
#include <stddef.h>
typedef unsigned u;
typedef int (*launch)(void*, u, u, u, u, u, u, u, void*, void**, void**);
int bare(void* entry, void* kernel, void* x, void* y, int n, long count) {
    void* arguments[] = {&x, &y, &n};
    int status = 0;
    for (long i = 0; i < count && status == 0; ++i)
        status = ((launch)entry)(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    return status;
}
"""


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def bare_launch(xp: Any) -> Callable[[int], None] | None:
    """The driver's launch of a kernel that CuPy has loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        text, library = Path(folder, "bare.c"), Path(folder, "bare.so")
        text.write_text(BARE)
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, text], check=True)
        bare = ctypes.CDLL(str(library)).bare
    entry = ctypes.cast(ctypes.CDLL("libcuda.so.1").cuLaunchKernel, ctypes.c_void_p)
    kernel = xp.RawKernel(SOURCE, "touch")
    x, y = xp.ones(32, "float32"), xp.ones(32, "float32")
    kernel((1,), (32,), (x, y, 1))
    arguments = (ctypes.c_void_p(kernel.kernel.ptr), ctypes.c_void_p(x.data.ptr), ctypes.c_void_p(y.data.ptr))

    def run(count: int, keep: Any = (kernel, x, y)) -> None:
        status = bare(entry, *arguments, ctypes.c_int(1), ctypes.c_long(count))
        if status:
            raise RuntimeError(f"cuLaunchKernel failed with status {status}")

    return run


def rows(found: list[libraries.Library]) -> list[tuple[str, libraries.Library, Callable[[int], None]]]:
    """What is measured: a label, the library to wait for, and a loop of so many calls."""
    out: list[tuple[str, libraries.Library, Callable[[int], None]]] = []
    number = numpy.int32(1)
    for library in found:
        xp = library.module
        if library.name == "torch":
            a = xp.ones(1, device="cuda")
            out.append(("torch: a + b of one element", library, repeated(lambda a=a: a + a)))
            continue
        kernel = xp.RawKernel(SOURCE, "touch")
        x, y = xp.ones(32, "float32"), xp.ones(32, "float32")
        one = xp.ones(1, "float32")
        if library.name == "cupy" and (bare := bare_launch(xp)):
            out.append(("driver: bare launch", library, bare))
        call = repeated(lambda kernel=kernel, x=x, y=y: kernel((1,), (32,), (x, y, 1)))
        out.append((f"{library.name}: RawKernel, two arrays and an int", library, call))
        call = repeated(lambda kernel=kernel, x=x, y=y, n=number: kernel((1,), (32,), (x, y, n)))
        out.append((f"{library.name}: RawKernel, two arrays and a NumPy int32", library, call))
        over = xp.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "over_elements")
        fold = xp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "fold")
        out.append((f"{library.name}: ElementwiseKernel, 32 elements", library, repeated(lambda f=over, x=x: f(x, x))))
        out.append((f"{library.name}: ReductionKernel, 32 elements", library, repeated(lambda f=fold, x=x: f(x))))
        if library.name == "cupy":
            out.append(("cupy: a + b of one element", library, repeated(lambda a=one: a + a)))
        else:
            sure = repeated(lambda xp=xp, a=one: xp.evaluate(a + a))
            out.append(("cuproxide: evaluate(a + b) of one element", library, sure))
            out.append(("cuproxide: a + b, recorded and dropped", library, repeated(lambda a=one: a + a)))
    return out


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--calls", type=int, default=2000, help="calls of a round")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    found = [library for library in libraries.installed() if library.group == "gpu"]
    measured = rows(found)
    seconds: dict[str, list[float]] = {label: [] for label, _, _ in measured}
    for round_number in range(options.rounds + 1):
        for label, library, loop in measured:
            with library.active():
                library.wait()
                start = time.perf_counter()
                loop(options.calls)
                library.wait()
                if round_number:
                    seconds[label].append((time.perf_counter() - start) / options.calls * 1e6)
    versions = {library.name: library.version for library in found}
    lines = ["# What one call costs", "", f"`{shlex.join(['python', *sys.argv])}`", ""]
    lines += [f"- {name}: {value}" for name, value in {**machine.facts(), **versions}.items()]
    lines += ["", "Microseconds a call.", "", "| | least | median |", "| --- | ---: | ---: |"]
    for label, values in seconds.items():
        lines.append(f"| {label} | {min(values):.2f} | {statistics.median(values):.2f} |")
    page = "\n".join(lines) + "\n"
    print(page)
    if options.markdown:
        options.markdown.write_text(page)


if __name__ == "__main__":
    main()
