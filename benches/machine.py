"""What the numbers depend on: the machine, and how fast it can copy memory at best."""

import ctypes
import os
import platform
import shutil
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import numpy


def facts() -> dict[str, str]:
    """The day, processor, graphics processor, driver and Python, as far as the system tells."""
    found = {"measured": date.today().isoformat(), "processor": processor(), "cores": str(cores())}
    found["python"] = platform.python_version()
    if shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        answer = subprocess.run(query, capture_output=True, text=True)
        if answer.returncode == 0:
            found["gpu"], found["driver"] = (part.strip() for part in answer.stdout.splitlines()[0].split(","))
    return found


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def cores() -> int:
    return len(os.sched_getaffinity(0))


def host_copy_bandwidth(size: int = 80_000_000, repeats: int = 15) -> float:
    """Bytes read and written a second by copying on all cores."""
    source = numpy.ones(size, numpy.uint8)
    target = numpy.zeros(size, numpy.uint8)
    pieces = list(zip(numpy.array_split(target, cores()), numpy.array_split(source, cores()), strict=True))
    seconds = []
    with ThreadPoolExecutor(len(pieces)) as pool:
        for _ in range(repeats):
            start = time.perf_counter()
            list(pool.map(lambda piece: numpy.copyto(*piece), pieces))
            seconds.append(time.perf_counter() - start)
    return 2 * size / statistics.median(seconds)


class Driver:
    """The few calls of the NVIDIA driver that a copy within the device needs; no toolkit, no library in between."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise OSError(f"{name} failed with code {status}")

    def copy_bandwidth(self, size: int, repeats: int) -> float:
        """Bytes read and written a second by copying device memory, timed by events."""
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        source, target = ctypes.c_uint64(), ctypes.c_uint64()
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        try:
            for block in (source, target):
                self.call("cuMemAlloc_v2", ctypes.byref(block), ctypes.c_size_t(size))
            for event in events:
                self.call("cuEventCreate", ctypes.byref(event), 0)
            seconds = [self.timed_copy(target, source, size, events) for _ in range(repeats)]
        finally:
            for event in filter(None, events):
                self.call("cuEventDestroy_v2", event)
            for block in (source, target):
                if block.value:
                    self.call("cuMemFree_v2", block)
            self.call("cuCtxPopCurrent_v2", ctypes.byref(context))
            self.call("cuDevicePrimaryCtxRelease_v2", device)
        return 2 * size / statistics.median(seconds[1:])

    def timed_copy(self, target: ctypes.c_uint64, source: ctypes.c_uint64, size: int, events: list) -> float:
        copies = 10
        self.call("cuEventRecord", events[0], None)
        for _ in range(copies):
            self.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)
        self.call("cuEventRecord", events[1], None)
        self.call("cuEventSynchronize", events[1])
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
        return milliseconds.value / 1e3 / copies


def device_copy_bandwidth(size: int, repeats: int = 15) -> float:
    """The best that this GPU's memory does, as bytes read and written a second."""
    return Driver().copy_bandwidth(size, repeats)
