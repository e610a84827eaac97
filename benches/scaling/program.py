"""What a program of the scaling run is, how one of its steps is timed, and the bounds that its result is checked by."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import cuproxide as cp

Shape = tuple[int, ...]


class WrongResult(AssertionError):
    """The result of a program is not what the mathematics say."""


@dataclass(frozen=True)
class Rates:
    """What the machine does at best, each measured in the same run, for one device."""

    memory: float  # bytes read and written a second by a copy within the memory of the device
    link: float  # bytes a second that a device sends to another one while it receives as many
    latency: float  # seconds of the smallest exchange
    product: float  # float32 operations a second of a product of square matrices


class Program(ABC):
    """A program of ranks, written as a user would write it.

    Making one draws its data. `step` is timed. `check` raises `WrongResult`, or says how exact the result is.

    Parameters
    ----------
    group : Backend
        The ranks.
    shape : tuple of int
        The size of the whole problem, by `shape`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    #: What `work` counts, and its prefix in tables.
    unit: ClassVar[str]
    #: The part of the full size that is run on a CPU unless another one is asked for.
    tiny: ClassVar[Fraction]

    def __init__(self, group: Any, shape: Shape) -> None:
        self.group, self.shape = group, shape

    @staticmethod
    @abstractmethod
    def sizes(scale: Fraction, share: Fraction, most: int) -> Shape:
        """The problem with `scale` of the full work, of which `share` (of `most` devices at most) is done."""

    @staticmethod
    @abstractmethod
    def work(shape: Shape) -> float:
        """Units of work of one step."""

    @staticmethod
    @abstractmethod
    def need(shape: Shape, count: int) -> float:
        """Bytes that each of `count` devices has to have, with what a step makes in between."""

    @staticmethod
    @abstractmethod
    def limit(shape: Shape, count: int, rates: Rates) -> float:
        """Seconds below which no step can be by bandwidth or operations."""

    @abstractmethod
    def step(self) -> None:
        """Queues one step."""

    @abstractmethod
    def check(self) -> str:
        """What the check of the last step's result found, in some words."""


def part(size: int, group: Any) -> tuple[int, int]:
    """Where the share of a rank begins and ends."""
    return size * group.rank // group.size, size * (group.rank + 1) // group.size


def rounded(value: float, multiple: int) -> int:
    """The nearest positive multiple."""
    return max(1, round(value / multiple)) * multiple


def grid(count: int) -> tuple[int, int]:
    """Ranks down and across of a grid that is as square as can be."""
    down = next(rows for rows in range(math.isqrt(count), 0, -1) if count % rows == 0)
    return down, count // down


def total(group: Any, value: Any, op: str = "sum") -> Any:
    """A number of each rank, combined, as a number of Python."""
    array = cp.asarray(value).reshape(1)
    result = cp.empty_like(array)
    group.all_reduce(array, result, op=op)
    return result.item()


def made(array: Any) -> Any:
    """The array, with its work queued."""
    cp.evaluate(array)
    return array


def require(found: bool, message: str) -> None:
    if not found:
        raise WrongResult(message)


def wait() -> None:
    cp.cuda.Device().synchronize()


def seconds_of(group: Any, call: Callable[[], None], repeats: int) -> float:
    """Seconds a call by the slowest rank, for calls in a row."""
    wait()
    group.barrier()
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return total(group, (time.perf_counter() - begin) / repeats, "max")


def timed(group: Any, call: Callable[[], None], budget: float, rounds: int = 3, most: int = 50) -> tuple[float, int]:
    """Seconds a call, the best of some rounds that take about `budget` seconds together, and the calls of a round."""
    call()
    # Kernels that are compiled in the background replace the separate ones from the next call on.
    cp.fusion.wait()
    call()
    once = seconds_of(group, call, 1)
    repeats = max(1, min(most, int(budget / rounds / max(once, 1e-9))))
    return min(seconds_of(group, call, repeats) for _ in range(rounds if once * 2 < budget else 1)), repeats
