"""How long a new process takes to its first results: twenty kinds of them, each read back by the host.

    python benches/startup.py [--libraries cuproxide,cupy,torch] [--repeats 3] [--json FILE]

Every run is a process of its own, timed from before it is started, once with empty caches of compiled kernels and once
with what that run left there. The table has the median of the repeats and what each step took in the median run.
"""

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MARK = "startup: "


def numpy_like(xp) -> dict[str, Callable[[], object]]:
    """The twenty kinds in NumPy's names."""
    a = xp.linspace(0.0, 1.0, 1 << 20).reshape(1024, 1024)
    b = xp.ones((1024, 1024))
    index = xp.arange(0, 1024, 3)
    return {
        "creation": lambda: xp.arange(1000.0),
        "arithmetic": lambda: 2.0 * a + b,
        "mathematics": lambda: xp.exp(-a) * xp.sin(b),
        "comparison": lambda: a > 0.5,
        "where": lambda: xp.where(a > 0.5, a, b),
        "sum, axis 0": lambda: a.sum(axis=0),
        "sum, axis 1": lambda: a.sum(axis=1),
        "std": lambda: a.std(),
        "argmax": lambda: a.argmax(),
        "cumsum": lambda: a.cumsum(),
        "sort": lambda: xp.sort(a, axis=None),
        "unique": lambda: xp.unique(xp.floor(a * 10)),
        "matmul": lambda: a @ b,
        "slicing": lambda: a[1:-1, ::2].copy(),
        "astype": lambda: a.astype(xp.float32),
        "random": lambda: xp.random.default_rng(0).standard_normal(1000),
        "fft": lambda: xp.fft.fft(a),
        "indexing": lambda: a[index],
        "mask": lambda: a[a > 0.5],
        "concatenate": lambda: xp.concatenate([a, b]),
    }


def torch_like(torch) -> dict[str, Callable[[], object]]:
    """The same in PyTorch's names."""
    torch.set_default_device("cuda")
    torch.set_default_dtype(torch.float64)
    a = torch.linspace(0.0, 1.0, 1 << 20).reshape(1024, 1024)
    b = torch.ones((1024, 1024))
    index = torch.arange(0, 1024, 3)
    return {
        "creation": lambda: torch.arange(1000.0),
        "arithmetic": lambda: 2.0 * a + b,
        "mathematics": lambda: torch.exp(-a) * torch.sin(b),
        "comparison": lambda: a > 0.5,
        "where": lambda: torch.where(a > 0.5, a, b),
        "sum, axis 0": lambda: a.sum(dim=0),
        "sum, axis 1": lambda: a.sum(dim=1),
        "std": lambda: a.std(correction=0),
        "argmax": lambda: a.argmax(),
        "cumsum": lambda: a.flatten().cumsum(0),
        "sort": lambda: torch.sort(a.flatten()).values,
        "unique": lambda: torch.unique(torch.floor(a * 10)),
        "matmul": lambda: a @ b,
        "slicing": lambda: a[1:-1, ::2].contiguous(),
        "astype": lambda: a.to(torch.float32),
        "random": lambda: torch.randn(1000),
        "fft": lambda: torch.fft.fft(a),
        "indexing": lambda: a[index],
        "mask": lambda: a[a > 0.5],
        "concatenate": lambda: torch.cat([a, b]),
    }


def child(library: str, start: float) -> None:
    """One process: does everything once and prints the seconds of each step since `start`."""
    steps = {"process": time.time() - start}

    def step(name: str, work: Callable[[], object]) -> object:
        before = time.perf_counter()
        result = work()
        steps[name] = time.perf_counter() - before
        return result

    module = step("import", lambda: importlib.import_module(library))
    if library == "torch":
        kinds, read = step("device", lambda: torch_like(module)), lambda result: result.flatten()[-1].item()
    else:
        kinds, read = step("device", lambda: numpy_like(module)), lambda result: float(result.ravel()[-1].real)
    for name, kind in kinds.items():
        step(name, lambda kind=kind: read(kind()))
    print(MARK + json.dumps({"total": time.time() - start, "steps": steps}), flush=True)


def run(library: str, caches: Path) -> dict:
    """Times one process with the caches in a folder."""
    folders = ("CUPROXIDE_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH", "PYTORCH_KERNEL_CACHE_PATH")
    environment = os.environ | {name: str(caches / name) for name in folders}
    command = [sys.executable, __file__, "--child", library, "--start", repr(time.time())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or not lines:
        raise RuntimeError(f"{library} failed:\n{done.stdout}{done.stderr}")
    return json.loads(lines[-1].removeprefix(MARK))


def compare(libraries: list[str], repeats: int) -> dict[str, dict[str, dict]]:
    """The median run of each library with empty and with warm caches."""
    found = {}
    for library in libraries:
        with tempfile.TemporaryDirectory() as first:
            run(library, Path(first))  # reads the libraries' files from the disk
        runs = {"empty caches": [], "warm caches": []}
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                for state in runs:
                    runs[state].append(run(library, Path(folder)))
        found[library] = {state: sorted(r, key=lambda r: r["total"])[len(r) // 2] for state, r in runs.items()}
    return found


def table(found: dict[str, dict[str, dict]]) -> str:
    """The result as a Markdown table in milliseconds."""
    columns = [(library, state) for library in found for state in found[library]]
    rows = [["step", *(f"{library}, {state}" for library, state in columns)], ["---", *["---:"] * len(columns)]]
    for name in next(iter(found.values()))["empty caches"]["steps"]:
        rows.append([name, *(f"{1000 * found[library][state]['steps'][name]:.1f}" for library, state in columns)])
    rows.append(["**total**", *(f"**{1000 * found[library][state]['total']:.0f}**" for library, state in columns)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default="cuproxide,cupy,torch", help="those that are not here are left out")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write every number to this file")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--start", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child, options.start)
    libraries = [name for name in options.libraries.split(",") if importlib.util.find_spec(name)]
    found = compare(libraries, options.repeats)
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
