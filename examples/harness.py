"""What the examples share: choosing a library and devices, waiting for results, showing progress.

The programs themselves know only `xp`, a module with NumPy's interface.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy


class Target(NamedTuple):
    """A library and the device that it shall use."""

    name: str
    xp: ModuleType
    device: Any = None

    def active(self) -> contextlib.AbstractContextManager:
        """Makes the device the current one."""
        return self.xp.Device(self.device) if self.device else contextlib.nullcontext()

    def wait(self) -> None:
        """Returns when everything that was asked of the device is done."""
        if self.device:
            self.xp.cuda.get_current_stream().synchronize()

    def to_host(self, array: Any) -> numpy.ndarray:
        return self.xp.asnumpy(array) if self.device else array


NUMPY = Target("numpy", numpy)


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all examples have."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--backend", choices=["cuproxide", "numpy"], default="cuproxide", help="the array library")
    parser.add_argument(
        "--device",
        action="append",
        metavar="NAME",
        help="such as cpu or cuda:0; may be repeated (default: every device)",
    )
    return parser


def targets(arguments: argparse.Namespace) -> list[Target]:
    """The devices that were asked for, or all that there are."""
    if arguments.backend == "numpy":
        return [NUMPY]
    import cuproxide

    names = arguments.device or [f"{device.backend}:{device.id}" for device in cuproxide.available_devices()]
    return [Target(f"cuproxide {name}", cuproxide, name) for name in names]


def progress(label: str, steps: Iterable[int], total: int) -> Iterator[int]:
    """Yields the steps and keeps one line of the terminal up to date, ten times a second at most."""
    shown = 0.0
    for done, step in enumerate(steps, 1):
        yield step
        now = time.monotonic()
        if sys.stderr.isatty() and (now - shown > 0.1 or done == total):
            shown = now
            print(f"\r{label}: {done}/{total} ", end="\n" if done == total else "", file=sys.stderr, flush=True)


def timed(target: Target, work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of `work` and the seconds that it took, waiting included."""
    target.wait()
    start = time.perf_counter()
    result = work()
    target.wait()
    return result, time.perf_counter() - start


def write(picture: Any, path: Path) -> None:
    """Writes a picture, or an array of its bytes, to a file, in a folder that is made where there is none."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    (Image.fromarray(picture) if isinstance(picture, numpy.ndarray) else picture).save(path)
    print(f"\nwrote {path}")


def report(check: str, passed: bool) -> None:
    """Prints the outcome of a comparison with NumPy and ends the program if it failed."""
    print(f"check: {check}: {'ok' if passed else 'FAILED'}")
    if not passed:
        sys.exit(1)
