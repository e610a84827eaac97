"""The non-elementwise core: sorting, scans, selections, counts, joins, copies and reductions, one line a case.

Each case has the call in NumPy's words, which CuPy understands too, and in PyTorch's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

COUNT = 1 << 26
SIDE = 1 << 13
BINS = 1024

Host = dict[str, numpy.ndarray]
Call = Callable[[Any, dict[str, Any]], Any]


@dataclass(frozen=True)
class Case:
    """A named computation on the operands of `host`; `moved` is the bytes that it must read and write at least.

    `prepare` makes of a library's arrays what is measured with.
    """

    name: str
    host: Callable[[numpy.random.Generator], Host]
    moved: float
    numpy: Call
    torch: Call
    prepare: Callable[[dict[str, Any]], dict[str, Any]] = dict


def floats(random: numpy.random.Generator) -> Host:
    return {"a": random.random(COUNT, numpy.float32)}


def grid(random: numpy.random.Generator) -> Host:
    return {"a": random.random((SIDE, SIDE), numpy.float32)}


def of_type(dtype: str) -> Callable[[numpy.random.Generator], Host]:
    return lambda random: {"a": random.integers(0, 2, (SIDE, SIDE)).astype(dtype)}


def numbers(bins: int) -> Callable[[numpy.random.Generator], Host]:
    return lambda random: {"a": random.integers(0, bins, COUNT, numpy.int64)}


def masked(random: numpy.random.Generator) -> Host:
    a = random.random(4 * COUNT, numpy.float32)
    return {"a": a, "mask": a < 0.5}


def sorted_bins(random: numpy.random.Generator) -> Host:
    return {"a": numpy.linspace(0, 1, BINS, dtype=numpy.float32), "v": floats(random)["a"]}


def scattered(random: numpy.random.Generator) -> Host:
    return {
        "a": numpy.zeros(1 << 20, numpy.float32),
        "at": random.integers(0, 1 << 20, COUNT, numpy.int64),
        "v": floats(random)["a"],
    }


def pieces(random: numpy.random.Generator) -> Host:
    return {"a": random.random((1000, 1 << 16), numpy.float32)}


def scatter_add(xp: Any, d: dict[str, Any]) -> None:
    if hasattr(xp, "scatter_add"):
        xp.scatter_add(d["a"], d["at"], d["v"])
    else:
        xp.add.at(d["a"], d["at"], d["v"])


READ, BOTH = 4.0 * COUNT, 8.0 * COUNT

CASES = [
    Case("sort", floats, BOTH, lambda xp, d: xp.sort(d["a"]), lambda xp, d: xp.sort(d["a"])),
    Case("argsort", floats, 12.0 * COUNT, lambda xp, d: xp.argsort(d["a"]), lambda xp, d: xp.argsort(d["a"])),
    Case("unique", floats, BOTH, lambda xp, d: xp.unique(d["a"]), lambda xp, d: xp.unique(d["a"])),
    Case("sort rows", grid, BOTH, lambda xp, d: xp.sort(d["a"], axis=1), lambda xp, d: xp.sort(d["a"], dim=1)),
    Case(
        "bincount, 1024 bins",
        numbers(BINS),
        8.0 * COUNT,
        lambda xp, d: xp.bincount(d["a"]),
        lambda xp, d: xp.bincount(d["a"]),
    ),
    Case(
        "bincount, 65536 bins",
        numbers(1 << 16),
        8.0 * COUNT,
        lambda xp, d: xp.bincount(d["a"]),
        lambda xp, d: xp.bincount(d["a"]),
    ),
    Case(
        "histogram, 100 bins",
        floats,
        READ,
        lambda xp, d: xp.histogram(d["a"], 100, (0.0, 1.0)),
        lambda xp, d: xp.histc(d["a"], 100, 0.0, 1.0),
    ),
    Case("mask", masked, 4 * 7.0 * COUNT, lambda xp, d: d["a"][d["mask"]], lambda xp, d: d["a"][d["mask"]]),
    Case("nonzero", masked, 4 * 5.0 * COUNT, lambda xp, d: xp.nonzero(d["mask"]), lambda xp, d: xp.nonzero(d["mask"])),
    Case(
        "searchsorted, 1024",
        sorted_bins,
        12.0 * COUNT,
        lambda xp, d: xp.searchsorted(d["a"], d["v"]),
        lambda xp, d: xp.searchsorted(d["a"], d["v"]),
    ),
    Case(
        "concatenate",
        floats,
        2 * BOTH,
        lambda xp, d: xp.concatenate((d["a"], d["a"])),
        lambda xp, d: xp.cat((d["a"], d["a"])),
    ),
    Case(
        "concatenate 1000 pieces",
        pieces,
        2 * 4.0 * 1000 * (1 << 16),
        lambda xp, d: xp.concatenate(d["list"]),
        lambda xp, d: xp.cat(d["list"]),
        lambda d: {"list": list(d["a"])},
    ),
    Case("scatter_add", scattered, 12.0 * COUNT, scatter_add, lambda xp, d: d["a"].index_add_(0, d["at"], d["v"])),
    Case("take", scattered, 16.0 * COUNT, lambda xp, d: d["a"][d["at"]], lambda xp, d: d["a"][d["at"]]),
    Case(
        "transpose",
        grid,
        BOTH,
        lambda xp, d: xp.ascontiguousarray(d["a"].T),
        lambda xp, d: d["a"].T.contiguous(),
    ),
    Case("cumsum", floats, BOTH, lambda xp, d: xp.cumsum(d["a"]), lambda xp, d: xp.cumsum(d["a"], 0)),
    Case("cumsum axis 0", grid, BOTH, lambda xp, d: xp.cumsum(d["a"], 0), lambda xp, d: xp.cumsum(d["a"], 0)),
    Case("cumsum axis 1", grid, BOTH, lambda xp, d: xp.cumsum(d["a"], 1), lambda xp, d: xp.cumsum(d["a"], 1)),
    Case("argmax", floats, READ, lambda xp, d: xp.argmax(d["a"]), lambda xp, d: xp.argmax(d["a"])),
    Case("var", floats, READ, lambda xp, d: xp.var(d["a"]), lambda xp, d: xp.var(d["a"], correction=0)),
    Case("var axis 0", grid, READ, lambda xp, d: xp.var(d["a"], 0), lambda xp, d: xp.var(d["a"], 0, correction=0)),
    Case("norm", floats, READ, lambda xp, d: xp.linalg.norm(d["a"]), lambda xp, d: xp.linalg.norm(d["a"])),
    Case(
        "mean of float16",
        of_type("float16"),
        2.0 * COUNT,
        lambda xp, d: xp.mean(d["a"]),
        lambda xp, d: xp.mean(d["a"]),
    ),
    Case(
        "sum of uint8 rows",
        of_type("uint8"),
        1.0 * COUNT,
        lambda xp, d: xp.sum(d["a"], 1),
        lambda xp, d: xp.sum(d["a"], 1),
    ),
    Case(
        "sum of bool rows",
        of_type("bool"),
        1.0 * COUNT,
        lambda xp, d: xp.sum(d["a"], 1),
        lambda xp, d: xp.sum(d["a"], 1),
    ),
    Case(
        "copy complex128",
        of_type("complex128"),
        32.0 * COUNT,
        lambda xp, d: d["a"].copy(),
        lambda xp, d: d["a"].clone(),
    ),
]
