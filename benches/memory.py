"""Peak memory of calls beside SciPy's on the CPU: how much the process grows by the call, its input already made.

    python benches/memory.py --markdown benches/results/memory_cpu.md --json benches/results/memory_cpu.json [CASE ...]

Each call has a process of its own for each library. A first call warms it up: what is imported and compiled does not
count, and what the first call frees is given back to the system. The peak is that which the system keeps (`VmHWM`),
above the memory that is resident before the second call.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from datetime import date
from pathlib import Path

from machine import facts
from memory_cases import CASES

LIBRARIES = ("cuproxide", "scipy")
# Where a result is larger for a reason, or memory is spent on purpose.
REASONS = {
    "csr.T.tocsr": "elements move twice, so that threads share neither counters nor cache lines",
}


def status(key: str) -> int:
    """A line of the process's status, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) * 1024
    raise SystemExit("the system does not tell the memory of a process")


def measure(library: str, name: str) -> int:
    """The growth of this process by a call, in bytes."""
    import importlib

    import numpy

    made, given, call = CASES[name]
    scope = {"host": numpy}
    if library == "scipy":
        import scipy

        scope |= {"sp": scipy, "xp": numpy, "array": lambda a: a}
    else:
        import cuproxide

        scope |= {"sp": cuproxide.scipy, "xp": cuproxide, "array": cuproxide.asarray}
    root = "scipy" if library == "scipy" else "cuproxide.scipy"
    for package in (
        "cluster.hierarchy",
        "cluster.vq",
        "fft",
        "integrate",
        "interpolate",
        "linalg",
        "ndimage",
        "optimize",
    ):
        importlib.import_module(f"{root}.{package}")
    for package in ("signal", "sparse.linalg", "sparse.csgraph", "spatial.distance", "special", "stats"):
        importlib.import_module(f"{root}.{package}")

    def finished() -> object:
        result = eval(call, scope)
        if library != "scipy":
            scope["xp"].cuda.runtime.deviceSynchronize()
            held = result if isinstance(result, tuple) else (result,)
            for part in held:
                if isinstance(part, scope["xp"].ndarray) and part.size:
                    part.ravel()[-1:].get()
        return result

    exec(made, scope)
    exec(given, scope)
    result = finished()
    del result
    gc.collect()
    if library != "scipy":
        scope["xp"].get_default_memory_pool().free_all_blocks()
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    result = finished()
    grown = status("VmHWM") - before
    del result
    return grown


def run(library: str, name: str, limit: float) -> int | None:
    command = [sys.executable, __file__, "--one", library, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print(f"{name}, {library}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return int(done.stdout)


def megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:.1f}"


def table(found: dict[str, dict[str, int | None]]) -> str:
    machine = facts()
    import cuproxide
    import numpy
    import scipy

    machine |= {"numpy": numpy.__version__, "scipy": scipy.__version__, "cuproxide": cuproxide.__version__}
    lines = ["# Peak memory of calls beside SciPy's on a CPU", "", "`python benches/memory.py`", ""]
    lines += [f"- {key}: {value}" for key, value in machine.items()]
    lines += ["", f"Growth of the process by the call, in megabytes. Numbers of {date.today()}.", ""]
    lines += ["| call | Cuproxide | SciPy | Cuproxide / SciPy | |", "| --- | ---: | ---: | ---: | --- |"]
    for name, sizes in found.items():
        ours, theirs = (sizes.get(library) for library in LIBRARIES)
        # Less than a megabyte is what the system happens to give.
        ratio = f"{ours / theirs:.2f}" if ours is not None and theirs is not None and theirs >= 1e6 else ""
        lines.append(f"| {name} | {megabytes(ours)} | {megabytes(theirs)} | {ratio} | {REASONS.get(name, '')} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help="names of cases, or parts of them; all by default")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--limit", type=float, default=120, help="seconds for one call")
    parser.add_argument("--exact", action="store_true", help="cases are whole names")
    parser.add_argument("--one", nargs=2, metavar=("LIBRARY", "CASE"), help="measures one call in this process")
    given = parser.parse_args()
    if given.one:
        print(measure(*given.one))
        return
    chosen = [
        name
        for name in CASES
        if not given.cases or any(part == name if given.exact else part in name for part in given.cases)
    ]
    found = {}
    for name in chosen:
        found[name] = {library: run(library, name, given.limit) for library in LIBRARIES}
        print(name, *(megabytes(found[name][library]) for library in LIBRARIES), flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    if given.markdown:
        given.markdown.write_text(table(found))


if __name__ == "__main__":
    main()
