"""Draws the points of all rows and settles their references, in child processes with a limit of processor time a point.

A reference that takes longer is killed with its process, and its point counts as unsettled.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from accuracy.evaluate import Place, Points, row_of
from accuracy.row import Row
from accuracy.settle import settled

#: Seconds of processor time for a point.
POINT_SECONDS = 0.7
FLOAT32_TINY = 2.0**-126


def rounded(value: complex, letter: str) -> complex:
    """The argument as the loop takes it."""
    if letter == "f":
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float32(value))
    if letter == "F":
        with np.errstate(over="ignore", under="ignore"):
            return complex(np.complex64(value))
    return value


def usable(drawn: complex, value: complex, letter: str) -> bool:
    """Whether an argument is finite and rounding has left it a normal number."""
    if letter in "dDl":
        return math.isfinite(abs(value))
    pairs = ((complex(drawn).real, complex(value).real), (complex(drawn).imag, complex(value).imag))
    return all(math.isfinite(y) and (abs(y) >= FLOAT32_TINY or x == 0) for x, y in pairs)


def draw(row: Row, loop: str, region: str, index: int) -> tuple[complex, ...] | None:
    """The arguments of one point, by its number."""
    source = random.Random(f"{row.package} {row.name} {loop} {region} {index}")
    drawn = row.point(region, source)
    arguments = tuple(map(rounded, drawn, loop))
    return arguments if all(map(usable, drawn, arguments, loop)) else None


def work(row: Row, loop: str, region: str, first: int, last: int, pipe: int) -> None:
    """The child: points one after the other, killed by the alarm's default action where one takes too long."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    with os.fdopen(pipe, "wb", buffering=0) as out:
        for index in range(first, last):
            signal.setitimer(signal.ITIMER_VIRTUAL, POINT_SECONDS)
            arguments, values = draw(row, loop, region, index), None
            if arguments is not None:
                try:
                    values = settled(row.reference, arguments)
                except Exception as error:  # noqa: BLE001
                    values = f"{type(error).__name__}: {error}"
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            record = pickle.dumps((index, arguments, values, time.process_time()))
            out.write(len(record).to_bytes(4, "little") + record)


def settled_points(row: Row, loop: str, region: str, count: int, seconds: float) -> Iterator[tuple[Any, Any]]:
    """Arguments and values of the points of one region in turn; a point that took too long has neither."""
    spent, index = 0.0, 0
    while index < count and spent < seconds:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                work(row, loop, region, index, count, writer)
            finally:
                os._exit(0)
        os.close(writer)
        used = 0.0
        try:
            with os.fdopen(reader, "rb") as stream:
                while spent + used < seconds and (head := stream.read(4)):
                    index, arguments, values, used = pickle.loads(stream.read(int.from_bytes(head, "little")))
                    yield arguments, values
                    index += 1
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        spent += used
        if spent < seconds and index < count:
            spent += POINT_SECONDS
            index += 1
            yield (), None


def gathered(row: Row, loop: str, region: str, count: int, seconds: float, most: float = math.inf) -> dict[str, Any]:
    """The judged points of a region: columns of arguments, and of values and their rests by output.

    It ends after `most` points that were settled or not.
    """
    outputs = len(row.outputs)
    columns: list[list[complex]] = [[] for _ in loop]
    values: list[list[complex]] = [[] for _ in range(outputs)]
    rests: list[list[complex]] = [[] for _ in range(outputs)]
    unsettled, errors = 0, set()
    for arguments, found in settled_points(row, loop, region, count, seconds):
        if len(columns[0]) + unsettled == most:
            break
        if arguments is None:
            continue
        if isinstance(found, str) or not found or not any(found):
            errors |= {found} if isinstance(found, str) else set()
            unsettled += 1
            continue
        for column, x in zip(columns, arguments, strict=True):
            column.append(x)
        for place, pair in enumerate(found):
            # NaN marks an output that was not settled beside others that were.
            values[place].append(math.nan if pair is None else pair[0])
            rests[place].append(0.0 if pair is None else pair[1])
    return {"arguments": columns, "values": values, "rests": rests, "unsettled": unsettled, "errors": sorted(errors)}


def task_name(row: Row, loop: str) -> str:
    return f"{row.package}.{row.name}.{loop}"


def settle_row(
    row: Row, loop: str, count: int, seconds: float, folder: Path, published: dict[Place, int] | None = None
) -> str:
    """Settles one loop of a row into a file of its own, unless it is there; returns a line for the log.

    With `published`, which says how many points each region has, it draws those points again.
    """
    file = folder / f"{task_name(row, loop)}.pickle"
    if file.exists():
        return ""
    start = time.monotonic()
    regions = {}
    for region in row.regions:
        most = math.inf if published is None else published.get((row.package, row.name, loop, region), 0)
        regions[region] = gathered(row, loop, region, max(4, int(count * row.weight)), seconds, most)
    file.with_suffix(".part").write_bytes(pickle.dumps(regions))
    file.with_suffix(".part").rename(file)
    judged = sum(len(found["arguments"][0]) for found in regions.values())
    unsettled = sum(found["unsettled"] for found in regions.values())
    errors = sorted({error for found in regions.values() for error in found["errors"]})
    return f"{task_name(row, loop)}: {judged} settled, {unsettled} not, {time.monotonic() - start:.1f} s {errors or ''}"


def parts(numbers: list[complex], is_complex: bool) -> np.ndarray:
    array = np.array(numbers, dtype=complex if is_complex else float)
    return array.view(float) if is_complex else array


def in_units(rests: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rests in units of the last place of their values, which float32 always holds."""
    with np.errstate(all="ignore"):
        units = np.spacing(np.abs(values))
        return np.where(np.isfinite(values) & (units > 0), rests / units, 0.0)


def joined(rows: list[Row], folder: Path, file: Path) -> int:
    """All settled points as one compressed file: an index, and flat arrays of arguments, values and rests.

    Points that the file has keep their places, new rows go to its end, and the file names what it goes on from: columns
    that were evaluated at those points stay good for them. To draw a row anew, remove the file.
    """
    index: list[dict[str, Any]] = []
    doubles, singles, values, rests = [], [], [], []
    before: dict[str, int] = {}
    if file.exists():
        old = Points(file)
        index, before = old.index, old.before | {old.name: old.values.size}
        with np.load(file) as stored:
            for name, parts_of in (("doubles", doubles), ("singles", singles), ("values", values), ("rests", rests)):
                parts_of.append(stored[name])
    places = [sum(part.size for part in parts_of) for parts_of in (doubles, singles, values)]
    known = {row_of(entry) for entry in index}
    for row in rows:
        for loop in row.loops:
            part = folder / f"{task_name(row, loop)}.pickle"
            if not part.exists() or task_name(row, loop) in known:
                continue
            for region, found in pickle.loads(part.read_bytes()).items():
                size = len(found["arguments"][0])
                complex_values = any(isinstance(x, complex) for column in found["values"] for x in column)
                single = loop[0] in "fF"
                entry = {
                    "package": row.package,
                    "family": row.family,
                    "name": row.name,
                    "loop": loop,
                    "region": region,
                    "outputs": list(row.outputs),
                    "size": size,
                    "unsettled": found["unsettled"],
                    "complex": complex_values,
                    "arguments": places[1 if single else 0],
                    "values": places[2],
                }
                index.append(entry)
                for column, letter in zip(found["arguments"], loop, strict=True):
                    flat = parts(column, letter in "DF")
                    (singles if single else doubles).append(flat)
                    places[1 if single else 0] += flat.size
                for column, rest in zip(found["values"], found["rests"], strict=True):
                    values.append(parts(column, complex_values))
                    rests.append(in_units(parts(rest, complex_values), values[-1]))
                    places[2] += values[-1].size
    with np.errstate(under="ignore", over="ignore"):
        np.savez_compressed(
            file,
            index=np.frombuffer(json.dumps(index).encode(), np.uint8),
            before=np.frombuffer(json.dumps(before).encode(), np.uint8),
            doubles=np.concatenate([*doubles, []]),
            singles=np.concatenate([*singles, []]).astype(np.float32),
            values=np.concatenate([*values, []]),
            rests=np.concatenate([*rests, []]).astype(np.float32),
        )
    return sum(entry["size"] for entry in index)
