"""What the machine does at best: copies within a device, exchanges between devices, products on one."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import cuproxide as cp

from .program import Rates, seconds_of, total, wait


def best(call: Any, rounds: int, repeats: int) -> float:
    """Seconds a call, the least of some rounds."""
    call()
    found = []
    for _ in range(rounds):
        wait()
        begin = time.perf_counter()
        for _ in range(repeats):
            call()
        wait()
        found.append((time.perf_counter() - begin) / repeats)
    return min(found)


def copy_rate(size: int) -> float:
    """Bytes read and written a second by a copy within the device."""
    source, target = cp.zeros(size, "uint8"), cp.zeros(size, "uint8")
    cp.evaluate(source, target)
    return 2 * size / best(lambda: target.data.copy_from_device(source.data, size), 3, 5)


def product_rate(size: int) -> float:
    """Operations a second of a product of float32 matrices on this device."""
    a = cp.random.default_rng(0).random((size, size), dtype="float32")
    cp.evaluate(a)
    return 2 * size**3 / best(lambda: cp.evaluate(a @ a), 3, 3)


def ring_seconds(group: Any, size: int, repeats: int) -> float:
    """Seconds of an exchange in which each rank sends to the next one, and receives from the one before."""
    source, target = cp.zeros(size, "uint8"), cp.zeros(size, "uint8")
    sends, receives = [((group.rank + 1) % group.size, source)], [((group.rank - 1) % group.size, target)]
    call = lambda: group.exchange(sends, receives)  # noqa: E731
    call()
    return min(seconds_of(group, call, repeats) for _ in range(3))


def direct_rate(size: int) -> float | None:
    """Bytes a second of copies from device 0 to device 1 and back at once, by one process that sees both."""
    if cp.cuda.device_count() < 2 or not cp.cuda.runtime.deviceCanAccessPeer(0, 1):
        return None
    arrays = []
    for number in (0, 1):
        with cp.cuda.Device(number):
            arrays.append((cp.zeros(size, "uint8"), cp.zeros(size, "uint8")))
            cp.evaluate(*arrays[-1])
            wait()

    def both() -> None:
        for number in (0, 1):
            with cp.cuda.Device(number):
                arrays[number][1].data.copy_from_device_async(arrays[1 - number][0].data, size)

    both()
    found = []
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(5):
            both()
        for number in (0, 1):
            with cp.cuda.Device(number):
                wait()
        found.append((time.perf_counter() - begin) / 5)
    return size / min(found)


def measured(group: Any, on_cpu: bool) -> Rates:
    """The rates of the slowest rank; the link of a single rank counts as infinitely fast."""
    size = 1 << 20 if on_cpu else 1 << 30
    memory = total(group, copy_rate(size), "min")
    product = total(group, product_rate(256 if on_cpu else 8192), "min")
    if group.size == 1:
        return Rates(memory, float("inf"), 0.0, product)
    # Links are faster for large messages.
    link = size / ring_seconds(group, size, 3 if on_cpu else 10)
    direct = None
    if group.rank == 0 and not on_cpu:
        # Other ranks wait for this one: where peers cannot copy, the exchange is what is known.
        with contextlib.suppress(cp.cuda.runtime.CUDARuntimeError):
            direct = direct_rate(size // 4)
    link = max(link, total(group, direct or 0.0, "max"))
    return Rates(memory, link, ring_seconds(group, 4, 5 if on_cpu else 100), product)
