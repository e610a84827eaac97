"""Sampling: libraries take turns, so that a slow moment of the machine meets them all."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from typing import Any

from libraries import Library

Call = Callable[[], Any]

# Seconds of a call from which one is enough.
SLOW = 0.5


def sample(library: Library, call: Call, count: int) -> float:
    """Seconds per call of a loop of `count` calls, which ends with a wait for the device."""
    library.wait()
    start = time.perf_counter()
    for _ in itertools.repeat(None, count):
        call()
    library.wait()
    return (time.perf_counter() - start) / count


def calibrate(library: Library, call: Call, shortest: float) -> int:
    """How many calls make a sample of at least `shortest` seconds. Compiles and warms up on the way."""
    sample(library, call, 3)
    count = 1
    while (seconds := sample(library, call, count) * count) < shortest:
        count *= 2 if seconds <= 0 else max(2, min(10, math.ceil(shortest / seconds)))
    return count


def samples(
    prepared: list[tuple[Library, Callable[[], Call]]],
    rounds: int,
    shortest: float,
    errors: dict[str, str] | None = None,
) -> dict[str, list[float]]:
    """Seconds per call of every library, in turns.

    `prepared` makes the call of each library. A library that cannot is left out, and `errors` says why. A call that
    takes longer than `SLOW` is made once.
    """
    found: dict[str, list[float]] = {}
    ready: list[tuple[Library, Call, int]] = []
    for library, prepare in prepared:
        with library.active():
            try:
                call = prepare()
                call()
                library.wait()
                # What is compiled in the background is not what is measured.
                if library.settle is not None:
                    library.settle()
                once = sample(library, call, 1)
                if once > SLOW:
                    found[library.name] = [once]
                else:
                    ready.append((library, call, calibrate(library, call, shortest)))
            except Exception as error:  # noqa: BLE001
                if errors is None:
                    raise
                errors[library.name] = f"{type(error).__name__}: {error}".split("\n")[0][:200]
    found |= {library.name: [] for library, _, _ in ready}
    for _ in range(rounds):
        for library, call, count in ready:
            with library.active():
                found[library.name].append(sample(library, call, count))
    return found
