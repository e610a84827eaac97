"""Sampling: libraries take turns, so that a slow moment of the machine meets them all."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from typing import Any

from libraries import Library

Call = Callable[[], Any]

# Seconds of a call from which one is enough, and from which a sample is one call.
SLOW, LONG = 0.5, 0.1
# Seconds of work that come before the rounds: a GPU that has waited for the host is slower at first.
WAKING = 0.25
# Calls after the first one, each of which may compile something in the background.
CALLS_UNTIL_SETTLED = 4


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


def wake(library: Library, call: Call, count: int) -> None:
    """Keeps the device busy for a while."""
    start = time.perf_counter()
    while time.perf_counter() - start < WAKING:
        sample(library, call, count)


class Attempt:
    """What one library does in a row. If it fails, it is left out and `errors` says why; without `errors` it raises."""

    def __init__(self, library: Library, errors: dict[str, str] | None) -> None:
        self.library = library
        self.errors = errors
        self.active = library.active()

    def __enter__(self) -> None:
        self.active.__enter__()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        self.active.__exit__(kind, error, trace)
        if self.errors is None or not isinstance(error, Exception):
            return False
        self.errors[self.library.name] = f"{type(error).__name__}: {error}".split("\n")[0][:200]
        return True


def ready(
    prepared: list[tuple[Library, Callable[[], Call]]], errors: dict[str, str] | None = None
) -> list[tuple[Library, Call]]:
    """The calls of the libraries, as `prepared` makes them, each called: what it compiles is compiled."""
    found: list[tuple[Library, Call]] = []
    for library, prepare in prepared:
        with Attempt(library, errors):
            call = prepare()
            call()
            library.wait()
            # Wait for background compilation, again after each of some calls: a later call may form other groups.
            if library.settle is not None:
                for _ in range(CALLS_UNTIL_SETTLED):
                    library.settle()
                    call()
                library.settle()
            found.append((library, call))
    return found


def samples(
    prepared: list[tuple[Library, Callable[[], Call]]],
    rounds: int,
    shortest: float,
    errors: dict[str, str] | None = None,
) -> dict[str, list[float]]:
    """Seconds per call of every library, in turns; each round starts with another library.

    `prepared` makes the call of each library. A library that cannot is left out, and `errors` says why. A call that
    takes longer than `SLOW` is made once.
    """
    found: dict[str, list[float]] = {}
    counted: list[tuple[Library, Call, int]] = []
    for library, call in ready(prepared, errors):
        with Attempt(library, errors):
            once = sample(library, call, 1)
            if once > SLOW:
                found[library.name] = [once]
            else:
                counted.append((library, call, 1 if once > LONG else calibrate(library, call, shortest)))
    found |= {library.name: [] for library, _, _ in counted}
    for library, call, count in counted[:1]:
        with library.active():
            wake(library, call, count)
    for turn in range(rounds):
        first = turn % max(len(counted), 1)
        for library, call, count in counted[first:] + counted[:first]:
            with library.active():
                found[library.name].append(sample(library, call, count))
    return found


def least_processor_time(calls: list[tuple[Library, Call]], rounds: int) -> dict[str, float]:
    """The fewest seconds of all threads of this process that one call took, in turns."""
    least = {library.name: math.inf for library, _ in calls}
    start, turn = time.process_time(), 0
    # Short calls have more turns.
    while turn < rounds or (turn < 100 * rounds and time.process_time() - start < 0.5):
        for library, call in calls:
            before = time.process_time()
            call()
            library.wait()
            least[library.name] = min(least[library.name], time.process_time() - before)
        turn += 1
    return least
