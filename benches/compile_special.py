"""How long the special functions take to compile, the worst first: on the CPU and by NVRTC, which needs no GPU.

CUPROXIDE_NVRTC=libnvrtc.so.13 python benches/compile_special.py --match jv kv --worst 20

Every function is compiled in a process of its own, for one loop of it, by a call with a dense array.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("CUPROXIDE_BACKEND", "cpu")
CACHE = Path(tempfile.mkdtemp(prefix="cuproxide-compile-"))
os.environ["CUPROXIDE_CACHE_DIR"] = str(CACHE)
os.environ["CUPROXIDE_CACHE_SAVE_CUDA_SOURCE"] = "1"

import cuproxide as cp  # noqa: E402
import numpy  # noqa: E402
from cuproxide import _cuproxide as core  # noqa: E402


def loops(function: Any, char: str) -> list[str]:
    """The loops of a function whose inputs have this type of float, at most whole numbers beside it."""
    return [
        loop for loop in function.types if char in (inputs := loop.split("->")[0]) and set(inputs) <= {char, *"lip"}
    ]


def shape(image: bytes) -> tuple[int, int]:
    """Bytes of machine code and registers of a compiled kernel."""
    image = image[image.index(b"\x7fELF") :]
    offset, size, count, _ = struct.unpack_from("<Q10xHHH", image, 40)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, offset + size * number) for number in range(count)]
    code = sum(header[5] for header in headers if header[1] == 1 and header[2] & 4)
    # The attribute with the number of registers of each function.
    attributes = b"".join(re.findall(b"(?s)\x04\x2f\x08\0(.{8})", image))
    return code, max((registers for _, registers in struct.iter_unpack("<II", attributes)), default=0)


def measure(function: Any, loop: str, architecture: str, keep: Path | None, name: str) -> tuple[float, float, int, int]:
    """Seconds of the CPU's compiler and of NVRTC, bytes of code and registers."""
    operands = [cp.asarray(numpy.ones(4096, char)) for char in loop.split("->")[0]]
    with core.Device("cpu"):
        warm = cp.asarray(numpy.ones(1))
        cp.evaluate(warm + warm)
        if architecture:
            # The hand-written kernels come from the cache after the first time; one is compiled to start the compiler.
            core.precompile([architecture])
            min(CACHE.glob("*.bin"), key=lambda path: path.stat().st_size).unlink()
            core.precompile([architecture])
        before = set(CACHE.iterdir())
        start = time.perf_counter()
        result = function(*operands)
        for part in result if isinstance(result, tuple) else (result,):
            cp.evaluate(part)
        host = time.perf_counter() - start
        start = time.perf_counter()
        if architecture:
            core.precompile([architecture])
        device = time.perf_counter() - start
    size = registers = 0
    for path in set(CACHE.iterdir()) - before:
        if path.suffix == ".bin":
            size, registers = max((size, registers), shape(path.read_bytes()))
        if keep is not None:
            shutil.copy(path, keep / f"{name}.{loop.split('->')[0]}{path.suffix}")
    return host, device, size, registers


def apart(*arguments: Any) -> tuple[float, float, int, int] | None:
    """`measure` in a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(writing, struct.pack("ddqq", *measure(*arguments)))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    os.waitpid(child, 0)
    return struct.unpack("ddqq", content) if content else None


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--match", nargs="+", default=[], metavar="NAME", help="only these functions")
    parser.add_argument("--dtype", default="d", choices="fdD", help="the loops to compile (default: float64)")
    parser.add_argument("--architecture", default="sm_90", help="of the GPU; empty for none")
    parser.add_argument("--worst", type=int, default=1000, metavar="N", help="rows to print")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="copies texts and machine code there")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    special = cp.scipy.special
    rows = []
    for name in sorted(vars(special)):
        function = getattr(special, name)
        if not isinstance(function, cp.ufunc) or (options.match and name not in options.match):
            continue
        for loop in loops(function, options.dtype)[:1]:
            found = apart(function, loop, options.architecture, options.keep, name)
            rows.append((name, loop, found or (numpy.nan, numpy.nan, 0, 0)))
    rows.sort(key=lambda row: -max(row[2][:2]))
    print("| function | loop | CPU | NVRTC | code | registers |\n| --- | --- | ---: | ---: | ---: | ---: |")
    for name, loop, (host, device, size, registers) in rows[: options.worst]:
        print(f"| {name} | {loop} | {host * 1e3:.0f} ms | {device * 1e3:.0f} ms | {size} | {registers} |")
    seconds = numpy.array([row[2][:2] for row in rows])
    print(
        f"\n{len(rows)} functions: CPU {numpy.nansum(seconds[:, 0]):.1f} s, NVRTC {numpy.nansum(seconds[:, 1]):.1f} s"
    )
    shutil.rmtree(CACHE)


if __name__ == "__main__":
    main()
