"""Evaluates a package at the file of points. Needs NumPy and that package alone: no references, no SciPy for a GPU.

A function that is missing or raises is recorded with the reason, and the rest goes on.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import platform
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: Where packages keep what the rows name.
MODULES = {
    "cuproxide": {"numpy": "cuproxide", "special": "cuproxide.scipy.special", "stats": "cuproxide.scipy.stats"},
    "numpy": {"numpy": "numpy"},
    "scipy": {"numpy": "numpy", "special": "scipy.special", "stats": "scipy.stats"},
    "cupy": {"numpy": "cupy", "special": "cupyx.scipy.special", "stats": "cupyx.scipy.stats"},
}
#: A region of a loop: package, function, loop and region.
Place = tuple[str, str, str, str]


class Points:
    """The file of points."""

    def __init__(self, file: Path) -> None:
        self.name = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        with np.load(file) as stored:
            self.index: list[dict[str, Any]] = json.loads(bytes(stored["index"]))
            #: Files that this one goes on from: the name of each, and how many values it has.
            self.before: dict[str, int] = json.loads(bytes(stored["before"])) if "before" in stored else {}
            self.doubles, self.singles, self.values, rests = (
                stored[name] for name in ("doubles", "singles", "values", "rests")
            )
        with np.errstate(all="ignore"):
            #: What the nearest numbers of the values leave; the file has it in units of their last place.
            self.rests = np.nan_to_num(rests * np.spacing(np.abs(self.values)))

    def arguments(self, entry: dict[str, Any]) -> list[np.ndarray]:
        """The columns of arguments of a region, in the types of its loop."""
        flat, place, columns = self.singles if entry["loop"][0] in "fF" else self.doubles, entry["arguments"], []
        for letter in entry["loop"]:
            length = entry["size"] * (2 if letter in "DF" else 1)
            column = np.ascontiguousarray(flat[place : place + length])
            # Some loops take integers only.
            column = column.astype(np.int64) if letter == "l" else column
            columns.append(column.view(letter) if letter in "DF" else column)
            place += length
        return columns

    def results(self, entry: dict[str, Any], flat: np.ndarray) -> list[np.ndarray]:
        """The results of a region by output, out of an array that lies as the values do."""
        length = entry["size"] * (2 if entry["complex"] else 1)
        outputs = len(entry["outputs"])
        lines = np.ascontiguousarray(flat[entry["values"] : entry["values"] + outputs * length]).reshape(
            outputs, length
        )
        return list(lines.view(complex)) if entry["complex"] else list(lines)


def on_host(array: Any) -> np.ndarray:
    return array.get() if hasattr(array, "get") else np.asarray(array)


def lookup(module: Any, name: str) -> Callable[..., Any]:
    """The function of a row, whose name may go on with words: "sqrt on a cut"."""
    for part in name.split(" ")[0].split("."):
        module = getattr(module, part)
    return module


def called(function: Callable[..., Any], name: str, arguments: list[Any], stack: Callable[..., Any]) -> Any:
    """The function of the columns; what takes a vector of parameters gets all columns after the first as one."""
    if name.startswith("poisson_binom."):
        arguments = [arguments[0], stack(arguments[1:], axis=-1)]
    return function(*arguments)


def versions(package: str) -> dict[str, str]:
    """The package, its version and what it runs on."""
    module = importlib.import_module(package)
    found = {"package": package, "version": str(module.__version__), "numpy": np.__version__}
    found["processor"] = platform.machine()
    if package == "cuproxide":
        found["device"] = str(module.asarray([1.0]).device)
    if package == "cupy":
        found["device"] = module.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return found


def results(package: str, points: Points, entry: dict[str, Any]) -> list[np.ndarray]:
    """The package's results for one region, as flat arrays of float64 by output."""
    numbers = importlib.import_module(MODULES[package].get("numpy", "numpy"))
    module = importlib.import_module(MODULES[package][entry["package"]])
    with np.errstate(all="ignore"):
        arguments = list(map(numbers.asarray, points.arguments(entry)))
        result = called(lookup(module, entry["name"]), entry["name"], arguments, numbers.stack)
        parts = [on_host(one) for one in (result if isinstance(result, tuple) else (result,))]
    kind = complex if entry["complex"] else float
    return [np.ascontiguousarray(one, dtype=kind).view(float) for one in parts[: len(entry["outputs"])]]


def work(package: str, points: Points, entries: list[dict[str, Any]], pipe: Any) -> None:
    """The child: sends what the package is, then the results of each region or the reason why there are none."""
    pipe.send(versions(package))
    failed: set[str] = set()
    for entry in entries:
        key = row_of(entry)
        if key in failed:
            continue
        try:
            pipe.send((key, entry["values"], results(package, points, entry)))
        except Exception as error:  # noqa: BLE001
            failed.add(key)
            message = str(error).splitlines()
            pipe.send((key, entry["values"], f"{type(error).__name__}: {message[0][:160] if message else ''}"))
    pipe.send(None)


def row_of(entry: dict[str, Any]) -> str:
    return f"{entry['package']}.{entry['name']}.{entry['loop']}"


def earlier(points: Points, target: Path) -> tuple[np.ndarray, dict[str, str]]:
    """The results and the failures of a column that was evaluated at the points which these go on from."""
    with np.load(target) as stored:
        found, about = stored["found"], json.loads(bytes(stored["about"]))
    if points.before.get(about["points"]) != found.size:
        raise ValueError(f"{target}: was evaluated at other points; evaluate it again")
    return found, about["failures"]


def remarked(target: Path, text: str) -> None:
    """Keeps a sentence with a column, which the page shows; the next evaluation drops it."""
    with np.load(target) as stored:
        found, about = stored["found"], json.loads(bytes(stored["about"]))
    about["remark"] = text
    np.savez_compressed(target, found=found, about=np.frombuffer(json.dumps(about).encode(), np.uint8))


def together(processes: int, package: str, file: Path, target: Path, rows: str) -> None:
    """`evaluated` by several processes at once, each with a share of the rows: kernels of GPUs take long to compile."""
    context = multiprocessing.get_context("spawn")
    parts = [target.with_name(f"{target.stem}.{share}.npz") for share in range(processes)]
    workers = [
        context.Process(target=evaluated, args=(package, file, part, rows, 30.0, False, (share, processes)))
        for share, part in enumerate(parts)
    ]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found = np.full_like(Points(file).values, np.nan)
    about: dict[str, Any] = {}
    failures: dict[str, str] = {}
    for part in parts:
        with np.load(part) as stored:
            found, about = (
                np.where(np.isnan(stored["found"]), found, stored["found"]),
                json.loads(bytes(stored["about"])),
            )
        failures |= about["failures"]
        part.unlink()
    about |= {"failures": failures, "seconds": round(time.perf_counter() - start, 1)}
    np.savez_compressed(target, found=found, about=np.frombuffer(json.dumps(about).encode(), np.uint8))
    print(f"{target}: {about['seconds']} s by {processes} processes, {len(failures)} rows without results")


def evaluated(
    package: str,
    file: Path,
    target: Path,
    rows: str = ".*",
    seconds: float = 8.0,
    extend: bool = False,
    share: tuple[int, int] = (0, 1),
) -> None:
    """Writes the package's results at all points, and the reasons of those that it has none for.

    A child computes them. It is replaced where a region takes longer than `seconds`, or ends it; that row is left out.
    With `extend` only the points that the column lacks are evaluated, with `share` one of so many parts of the rows.
    """
    points = Points(file)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(map(row_of, points.index)))}
    found = np.full_like(points.values, np.nan)
    failures: dict[str, str] = {}
    known = 0
    if extend:
        old, failures = earlier(points, target)
        known = old.size
        found[:known] = old
    entries = [
        e
        for e in points.index
        if e["size"] and e["values"] >= known and re.fullmatch(rows, f"{e['package']}.{e['name']}")
        if numbers[row_of(e)] % share[1] == share[0]
    ]
    about: dict[str, Any] = {}
    start, done, context = time.perf_counter(), 0, multiprocessing.get_context("fork")
    while done < len(entries):
        reader, writer = context.Pipe(duplex=False)
        left = [entry for entry in entries[done:] if row_of(entry) not in failures]
        child = context.Process(target=work, args=(package, points, left, writer))
        child.start()
        writer.close()
        reason, seen = f"took longer than {seconds:g} s", 0
        try:
            about = reader.recv() if reader.poll(seconds + 100) else about
            while reader.poll(seconds):
                message = reader.recv()
                if message is None:
                    done = len(entries)
                    break
                key, place, parts = message
                while row_of(left[seen]) != key or left[seen]["values"] != place:
                    seen += 1
                seen += 1
                if isinstance(parts, str):
                    failures[key] = parts
                    continue
                for part in parts:
                    found[place : place + part.size] = part
                    place += part.size
        except EOFError:
            reason = "ended the process"
        child.kill()
        child.join()
        if done < len(entries):
            if seen == len(left):
                break
            failures[row_of(left[seen])] = reason
            done = entries.index(left[seen]) + 1
    about |= {"points": points.name, "failures": failures, "seconds": round(time.perf_counter() - start, 1)}
    np.savez_compressed(target, found=found, about=np.frombuffer(json.dumps(about).encode(), np.uint8))
    print(f"{target}: {len(entries)} regions in {about['seconds']} s, {len(failures)} rows without results")
    for key, reason in failures.items():
        print(f"  {key}: {reason}")
