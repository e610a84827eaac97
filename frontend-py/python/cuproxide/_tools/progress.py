"""How far long work is, shown on a terminal: by tqdm where it is installed, else in one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

__all__ = ["pieces", "progress"]

T = TypeVar("T")
# Work that is done sooner needs no line, and a line is written this often at most.
_SILENT, _PAUSE = 1.0, 0.2
# Copies of more bytes than that are long, and are cut into pieces of so many.
_LONG, _PIECE = 1 << 30, 1 << 28


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
        Where to show it, `sys.stderr` by default. Only terminals get output, so logs stay as they are.

    Yields
    ------
    object
        The steps, in their order.
    """
    stream = sys.stderr if stream is None else stream
    if not _is_terminal(stream):
        yield from steps
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield from _plain(steps, total, label, stream)
        return
    yield from tqdm(steps, desc=label, total=total, file=stream, delay=_SILENT)


def pieces(size: int, label: str) -> Iterable[tuple[int, int]]:
    """The pieces, as pairs of their ends, in which `size` bytes are copied: one, unless the copy is long and is shown.

    Parameters
    ----------
    size : int
        The number of bytes.
    label : str
        What is being done.

    Returns
    -------
    iterable of tuple of int
    """
    if size <= _LONG or not _is_terminal(sys.stderr):
        return [(0, size)]
    starts = range(0, size, _PIECE)
    return progress(((start, min(start + _PIECE, size)) for start in starts), len(starts), label)


def _is_terminal(stream: object) -> bool:
    return hasattr(stream, "isatty") and bool(stream.isatty())


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
