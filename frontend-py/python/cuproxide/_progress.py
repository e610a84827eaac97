"""How far long work is, shown on a terminal: by tqdm where it is installed, else in one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

__all__ = ["progress"]

T = TypeVar("T")
# Work that is done sooner needs no line, and a line is written this often at most.
_SILENT, _PAUSE = 1.0, 0.2


def progress(steps: Iterable[T], total: int, label: str, stream: TextIO | None = None) -> Iterator[T]:
    """Yields the steps of long work and shows how many of them are done, if `stream` is a terminal.

    Parameters
    ----------
    steps : iterable
        What to yield.
    total : int
        How many there are.
    label : str
        What is being done.
    stream : file, optional
        Where to show it, `sys.stderr` by default. What is no terminal gets nothing, so that logs stay as they are.

    Yields
    ------
    object
        The steps, in their order.
    """
    stream = sys.stderr if stream is None else stream
    if not (hasattr(stream, "isatty") and stream.isatty()):
        yield from steps
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield from _plain(steps, total, label, stream)
        return
    yield from tqdm(steps, desc=label, total=total, file=stream, delay=_SILENT)


def _plain(steps: Iterable[T], total: int, label: str, stream: TextIO) -> Iterator[T]:
    start = shown = time.monotonic()
    written = False
    try:
        for done, step in enumerate(steps, 1):
            yield step
            now = time.monotonic()
            if now - start > _SILENT and (now - shown > _PAUSE or done == total):
                shown, written = now, True
                left = (now - start) / done * (total - done)
                stream.write(f"\r{label}: {done}/{total}, {left:.0f} s left ")
                stream.flush()
    finally:
        if written:
            stream.write("\n")
            stream.flush()
