"""Compiles kernels ahead of time, so that no process of a cluster job has to. Needs the compiler, but no GPU.

    python -m cuproxide.precompile --architecture sm_90
    python -m cuproxide.precompile --architecture sm_90 simulate.py --steps 3

The first form compiles what programs commonly ask for, as far as the package does not bring it. The second runs a
program, on whatever device this machine has, and compiles exactly the kernels that it used. They go to the cache on
disk (`CUPROXIDE_CACHE_DIR`), from where processes on machines with such devices load them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import runpy
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from . import _cuproxide as _core
from ._tools import catalogue as _catalogue
from ._tools.progress import progress

__all__ = ["common_kernels", "kernels_of", "main"]

# Pieces of the work of each process: all end at about the same time, and one sees how far they are.
_PARTS = 8


def common_kernels(
    architectures: Sequence[str],
    *,
    dtypes: Sequence[str] | None = None,
    jobs: int | None = None,
    pack: str | os.PathLike[str] | None = None,
) -> dict[str, int]:
    """Compiles the kernels that programs commonly ask for, for devices of the named architectures.

    Parameters
    ----------
    architectures
        Names as the vendor's compiler knows them.
    dtypes
        The element types to compile for; all that are common by default.
    jobs
        Number of processes; as many as there are processors by default.
    pack
        A file to gather the results in, as the package ships it.

    Returns
    -------
    dict
        How many pieces of machine code were `wanted`, how many of them were `compiled` now, and the `bytes` of all.

    Raises
    ------
    UnsupportedError
        For an architecture that no compiler here knows.
    MissingLibraryError
        If there is no compiler.

    Examples
    --------
    >>> from cuproxide.precompile import common_kernels
    >>> common_kernels(["sm_90"], dtypes=["float32"])  # takes minutes # doctest: +SKIP
    {'wanted': 377, 'compiled': 377, 'bytes': 5012344}
    """
    jobs = max(1, jobs or len(os.sched_getaffinity(0)))
    # A call compiles one text after another, so processes share the work.
    count = jobs * _PARTS
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_record, initargs=(dtypes,)) as pool:
        parts = [pool.submit(_core.precompile, list(architectures), part=(part, count)) for part in range(count)]
        done = [part.result() for part in progress(as_completed(parts), count, "compiling kernels")]
    total = {key: sum(part[key] for part in done) for key in done[0]}
    if pack is not None:
        _record(dtypes)
        _core.precompile(list(architectures), part=(0, 1), pack=pack)
    return total


def _record(dtypes: Sequence[str] | None) -> None:
    """Asks for the common kernels in this process, which remembers what was asked for."""
    with _core.Device("cpu"):
        _catalogue.run(dtypes)


def kernels_of(
    script: str,
    arguments: Sequence[str] = (),
    *,
    architectures: Sequence[str],
    pack: str | os.PathLike[str] | None = None,
) -> dict[str, int]:
    """Runs a program in this process, then compiles the kernels that it used, for devices of the named architectures.

    Parameters
    ----------
    script
        Path of the program.
    arguments
        What it finds in `sys.argv` after its path.
    architectures, pack
        As for `common_kernels`.

    Returns
    -------
    dict
        As from `common_kernels`.

    Raises
    ------
    UnsupportedError, MissingLibraryError
        As from `common_kernels`; and the exceptions of the program.

    Examples
    --------
    >>> from cuproxide.precompile import kernels_of
    >>> kernels_of("simulate.py", ["--steps", "3"], architectures=["sm_90"])  # doctest: +SKIP
    {'wanted': 12, 'compiled': 12, 'bytes': 158208}
    """
    before = sys.argv
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            print(f"{script} ended with {end.code!r}; what it used until then is compiled", file=sys.stderr)
    finally:
        del sys.path[0]
        sys.argv = before
    return _core.precompile(list(architectures), pack=pack)


def _architectures_here() -> list[str]:
    """The architectures of this machine's devices for which there is something to compile."""
    found = {device["architecture"] for report in _core.reports() for device in report["devices"]}
    usable = []
    for name in sorted(found):
        try:
            # Of so many parts the last one is empty.
            _core.precompile([name], part=(1 << 30, (1 << 30) + 1))
            usable.append(name)
        except _core.UnsupportedError:
            continue
    return usable


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m cuproxide.precompile", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--architecture", action="append", metavar="NAME", help="compile for it; may be repeated (default: those here)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes to use (default: one a processor)")
    parser.add_argument("--pack", metavar="FILE", help="gather the results in a file, as the package ships it")
    parser.add_argument("--dtypes", metavar="NAMES", help="only these element types, separated by commas")
    parser.add_argument("script", nargs="?", help="a program to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    architectures = options.architecture or _architectures_here()
    if not architectures:
        parser.error("no device of this machine needs it; name the architectures with --architecture")
    start = time.perf_counter()
    if options.script:
        done = kernels_of(options.script, options.arguments, architectures=architectures, pack=options.pack)
    else:
        dtypes = options.dtypes.split(",") if options.dtypes else None
        done = common_kernels(architectures, dtypes=dtypes, jobs=options.jobs, pack=options.pack)
    print(
        f"{done['wanted']} kernels for {', '.join(architectures)}: {done['compiled']} compiled, the others were there; "
        f"{done['bytes'] / 1e6:.1f} MB, {time.perf_counter() - start:.0f} s"
    )
    if options.pack:
        print(f"{options.pack}: {os.path.getsize(options.pack) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
