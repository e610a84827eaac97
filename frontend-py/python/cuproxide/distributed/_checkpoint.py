"""Checkpoints: arrays in parts, written by all ranks at once and read by any number of them.

All ranks write into a folder beside the checkpoint, say whether they could, and rank 0 gives it the name. Whatever
fails before, the earlier checkpoint stays and nothing half-written has its name.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import cuproxide as cp

from ._backend import Backend
from ._errors import CheckpointError
from ._formats import FORMATS, CheckpointFormat, Position, Stored, format_of, is_checkpoint
from .array import DistributedArray, from_chunks
from .array._boxes import Box, boxes_of, extent, intersection, slices, volume, within

__all__ = ["Checkpoint", "load", "save"]

_CHUNK = 256 << 20
"""Bytes of a chunk at most, about: what a reader has to take for one element."""

Progress = Callable[[int, int], Any]


class Checkpoint(dict[str, Any]):
    """The arrays of a checkpoint by name.

    Attributes
    ----------
    attributes : dict
        What `save` was given beside them.
    """

    attributes: dict[str, Any]


def save(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Any],
    *,
    attributes: Mapping[str, Any] | None = None,
    group: Backend | None = None,
    format: str = "zarr",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes arrays as a checkpoint, all ranks at once.

    The folder has its name only when every rank has written its part. After an error there is no new checkpoint, and
    an earlier one of this name is as it was.

    Parameters
    ----------
    path : path_like
        The folder of the checkpoint, on a file system that all ranks share. One job at a time writes to a name.
    arrays : mapping of str to DistributedArray or array_like
        By name. Those that are not distributed are the same on every rank, and rank 0 writes them.
    attributes : mapping, optional
        Numbers, text, lists and mappings to keep with the arrays, such as the step; those of rank 0.
    group : Backend, optional
        The processes. Without one, this process writes all.
    format : {"zarr", "hdf5"}
        `zarr` is a group of zarr 3, `hdf5` a file `data.h5` in the folder that shows one file of each rank.
    overwrite : bool
        Whether a checkpoint of this name is replaced.
    progress : callable, optional
        Called with the bytes that this rank has written and those that it has to write.

    Raises
    ------
    FileExistsError
        If the folder is there and `overwrite` is false, or it is no checkpoint.
    CheckpointError
        On every rank of the group, if one could not write its part; the message names the rank and its reason.
    PeerLostError
        If a rank is lost meanwhile.

    See Also
    --------
    load : Reads a checkpoint.

    >>> from cuproxide import distributed
    >>> distributed.save("run/step-100", {"u": u}, attributes={"step": 100}, group=group)  # doctest: +SKIP
    """
    if format not in FORMATS:
        raise ValueError(f"format={format!r} is none of {', '.join(FORMATS)}")
    target = Path(path)
    plans = {_checked_name(name): _planned(array, group) for name, array in arrays.items()}
    kept = json.loads(json.dumps(dict(attributes or {})))
    rank = 0 if group is None else group.rank
    # Ranks need each other for this, and no longer once they write: one that fails leaves nobody waiting.
    parts = {name: _local_chunks(plan, rank) for name, plan in plans.items()}
    staged = target
    files: list[Path] = []
    hashes: list[tuple[str, str, str]] = []
    try:
        with _Agreement(group, "save", "could not begin") as agreement:
            if rank == 0:
                if target.exists() and not overwrite:
                    raise FileExistsError(f"{target} exists; overwrite=True replaces it")
                if target.exists() and not is_checkpoint(target):
                    raise FileExistsError(
                        f"{target} exists and is not a checkpoint, which alone overwrite=True replaces"
                    )
                _remove_left_over(target)
                staged = target.with_name(f"{target.name}.partial-{secrets.token_hex(4)}")
                target.parent.mkdir(parents=True, exist_ok=True)
                agreement.told = {"staged": staged.name, "attributes": kept}
                writer = FORMATS[format](staged)
                writer.begin({name: plan.stored for name, plan in plans.items()})
        told = agreement.answers[0]
        staged = target.with_name(told["staged"])
        if rank:
            writer = FORMATS[format](staged)
        with _Agreement(group, "save", "could not write its part") as agreement:
            if not staged.exists():
                raise FileNotFoundError(f"{staged} is not there: the file system is not that of rank 0")
            files = writer.write(rank, _contents(plans, parts, hashes, progress))
            for file in files:
                _synchronize(file)
            agreement.told = hashes
        for answer in agreement.answers:
            for name, key, digest in answer:
                plans[name].stored.sha256[key] = digest
        with _Agreement(group, "save", "could not finish"):
            if rank == 0:
                index = {
                    "version": 1,
                    "attributes": told["attributes"],
                    "arrays": {name: vars(plan.stored) for name, plan in plans.items()},
                }
                writer.finish(index, {name: plan.owners for name, plan in plans.items()})
                for file in staged.rglob("*"):
                    if file.is_dir() or file.name in ("zarr.json", "data.h5"):
                        _synchronize(file)
                _rename(staged, target)
    except BaseException:
        if rank == 0 and staged != target:
            shutil.rmtree(staged, ignore_errors=True)
        raise


def load(
    path: str | os.PathLike[str],
    index_maps: Mapping[str, Mapping[int, Any]] | None = None,
    *,
    names: Sequence[str] | None = None,
    group: Backend | None = None,
    verify: bool = True,
    progress: Progress | None = None,
) -> Checkpoint:
    """Reads a checkpoint, by as many ranks as there are now.

    Each rank reads the chunks that its parts need.

    Parameters
    ----------
    path : path_like
        The folder of the checkpoint.
    index_maps : mapping, optional
        For names of arrays, which rank (or device) gets which part, as for `distributed_array`. Arrays without one are
        ordinary arrays, whole on every rank.
    names : sequence of str, optional
        Which arrays are read; all by default.
    group : Backend, optional
        The processes.
    verify : bool
        Whether the SHA-256 of each chunk that is read is compared with that of what was written.
    progress : callable, optional
        Called with the bytes that this rank has read and those that it has to read.

    Returns
    -------
    Checkpoint
        A dictionary of the arrays, with `attributes`.

    Raises
    ------
    FileNotFoundError
        If there is no checkpoint of this name.
    KeyError
        If the checkpoint has no array of a name.
    CheckpointError
        On every rank, if one could not read its part, or if what it read is not what was written.

    See Also
    --------
    save : Writes a checkpoint.

    >>> from cuproxide import distributed
    >>> rows = {rank: slice(100 * rank, 100 * (rank + 1)) for rank in range(group.size)}  # doctest: +SKIP
    >>> checkpoint = distributed.load("run/step-100", {"u": rows}, group=group)  # doctest: +SKIP
    >>> u, step = checkpoint["u"], checkpoint.attributes["step"]  # doctest: +SKIP
    """
    maps = dict(index_maps or {})
    result = Checkpoint()
    with _Agreement(group, "load", "could not read its part"):
        reader = format_of(_existing(Path(path)))
        with _damage_is_named(f"the index of {path}"):
            index = reader.index()
        kept = {name: _restored(facts) for name, facts in index["arrays"].items()}
        chosen = list(kept) if names is None else list(names)
        for name in (*chosen, *maps):
            if name not in kept:
                raise KeyError(f"{path} has no array {name!r}; it has {', '.join(kept)}")
        jobs = {}
        for name in chosen:
            boxes = boxes_of(maps[name], kept[name].shape) if name in maps else None
            jobs[name] = (boxes, _wanted(boxes, kept[name], group))
        state = _State(progress, sum(_bytes(kept[name], needed) for name, (_, needed) in jobs.items()))
        arrived = {name: _read(reader, name, kept[name], needed, verify, state) for name, (_, needed) in jobs.items()}
    for name, (boxes, _) in jobs.items():
        stored = kept[name]
        if boxes is None:
            result[name] = _device_array(arrived[name][None][0], stored)
            continue
        parts: dict[int, list[Any]] = {}
        for place, arrays in arrived[name].items():
            with cp.Device(place) if group is None else _nothing():
                parts[place] = [_device_array(array, stored) for array in arrays]
        index_map = {place: [slices(box) for box in held] for place, held in boxes.items()}
        result[name] = from_chunks(stored.shape, stored.dtype, index_map, parts, group=group)
    result.attributes = index["attributes"]
    return result


# -- agreeing ---------------------------------------------------------------------------------------------------------


class _Agreement:
    """A step that every rank takes: at its end all know whether all could, and what each has told."""

    def __init__(self, group: Backend | None, operation: str, failure: str) -> None:
        self._group, self._operation, self._failure = group, operation, failure
        self.told: Any = None
        self.answers: list[Any] = []

    def __enter__(self) -> _Agreement:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._group is None:
            self.answers = [self.told]
            return
        if error is not None and not isinstance(error, Exception):
            return
        mine = {"told": self.told} if error is None else {"error": f"{type(error).__name__}: {error}"}
        key = f"{self._operation} {self._group._path}"
        answers = self._group._gather_bytes(key, json.dumps(mine).encode(), self._operation)
        all_told = [json.loads(answer) for answer in answers]
        failed = {rank: said["error"] for rank, said in enumerate(all_told) if "error" in said}
        if len(failed) == len(all_told) and isinstance(error, (FileNotFoundError, KeyError)):
            # All see the same, such as a name that is not there.
            return
        if failed:
            exists = [text for text in failed.values() if text.startswith("FileExistsError: ")]
            if exists:
                raise FileExistsError(exists[0].partition(": ")[2]) from error
            reasons = "; ".join(f"rank {rank} {self._failure}: {reason}" for rank, reason in failed.items())
            raise CheckpointError(f"{self._operation}: {reasons}") from error
        self.answers = [said["told"] for said in all_told]


# -- planning ---------------------------------------------------------------------------------------------------------


class _Plan:
    """Who writes which chunk of an array."""

    def __init__(self, array: Any, stored: Stored, owners: dict[Position, int]) -> None:
        self.array, self.stored, self.owners = array, stored, owners


def _checked_name(name: Any) -> str:
    # It is the name of a folder in one format and part of the name of a dataset in the other.
    if (
        not isinstance(name, str)
        or not name
        or name.startswith((".", "__"))
        or any(character in name for character in "/\\\0")
        or len(os.fsencode(name)) > 255
        or name == "zarr.json"
    ):
        raise ValueError(f"an array of a checkpoint cannot have the name {name!r}")
    return name


def _stored_dtype(dtype: np.dtype) -> str:
    """The elements in the file: those of NumPy, or integers of the same bits."""
    if dtype.kind in "biufc" and dtype.isbuiltin == 1:
        return dtype.name
    if dtype.fields is None and dtype.itemsize in (1, 2) and dtype.kind not in "SUMmO":
        return f"uint{8 * dtype.itemsize}"
    raise TypeError(f"a checkpoint cannot hold elements of {dtype}")


def _planned(array: Any, group: Backend | None) -> _Plan:
    if not isinstance(array, DistributedArray):
        array = cp.asarray(array)
        boxes: dict[int, list[Box]] = {0: [tuple((0, length) for length in array.shape)]}
    else:
        if array._group is not group:
            raise ValueError("an array of a checkpoint is of another group")
        boxes = array._boxes()
    itemsize = array.dtype.itemsize
    chunk = _chunk_shape(array.shape, [box for held in boxes.values() for box in held], itemsize)
    stored = Stored(tuple(array.shape), chunk, array.dtype.name, _stored_dtype(array.dtype))
    exact = {box: place for place, held in reversed(boxes.items()) for box in held}
    owners = {}
    for position in stored.positions():
        box = stored.box(position)
        owners[position] = exact[box] if box in exact else _largest_holder(box, boxes)
    return _Plan(array, stored, owners)


def _chunk_shape(shape: Sequence[int], boxes: Sequence[Box], itemsize: int) -> tuple[int, ...]:
    """Chunks that end where parts do, unless that makes many; parts of any form are sent to who writes them."""
    chunk = []
    for axis, length in enumerate(shape):
        cuts = {bound for box in boxes for bound in box[axis] if 0 < bound < length}
        width = math.gcd(*cuts) if cuts else length
        parts = len(cuts) + 1
        chunk.append(max(width if width * 2 * parts >= length else -(-length // parts), 1))
    for axis in range(len(chunk)):
        size = math.prod(chunk) * itemsize
        if size > _CHUNK:
            chunk[axis] = max(1, chunk[axis] * _CHUNK // size)
    return tuple(chunk)


def _largest_holder(box: Box, boxes: Mapping[int, Sequence[Box]]) -> int:
    def shared(place: int) -> int:
        found = (intersection(box, held) for held in boxes[place])
        return sum(volume(part) for part in found if part is not None)

    return max(boxes, key=shared)


# -- writing ----------------------------------------------------------------------------------------------------------


def _local_chunks(plan: _Plan, rank: int) -> list[tuple[Position, Any]]:
    """The chunks that this process writes: one exchange brings their elements here."""
    stored, array = plan.stored, plan.array
    if not isinstance(array, DistributedArray):
        return [(position, array[slices(stored.box(position))]) for position in plan.owners] if rank == 0 else []
    by_owner: dict[int, list[Position]] = {}
    for position, owner in plan.owners.items():
        by_owner.setdefault(owner, []).append(position)
    wanted = {owner: [stored.box(position) for position in positions] for owner, positions in by_owner.items()}
    arrived = array._gathered(wanted, copy=False)
    return [
        pair
        for owner, positions in by_owner.items()
        if array._is_here(owner)
        for pair in zip(positions, arrived[owner], strict=True)
    ]


def _contents(
    plans: Mapping[str, _Plan],
    parts: Mapping[str, list[tuple[Position, Any]]],
    hashes: list[tuple[str, str, str]],
    progress: Progress | None,
) -> Iterator[tuple[str, Stored, Position, np.ndarray]]:
    """The chunks that this process writes, each on the host only while it is written."""
    state = _State(progress, sum(part.nbytes for chunks in parts.values() for _, part in chunks))
    for name, chunks in parts.items():
        stored = plans[name].stored
        for position, part in chunks:
            content = np.ascontiguousarray(cp.asnumpy(_as_stored(part, stored))).reshape(part.shape)
            hashes.append((name, stored.key(position), _digest(content)))
            yield name, stored, position, content
            state.advance(content.nbytes)


def _digest(content: np.ndarray) -> str:
    return hashlib.sha256(content.reshape(-1).view("uint8").data).hexdigest()


def _as_stored(part: Any, stored: Stored) -> Any:
    return part if stored.stored == stored.dtype else cp.ascontiguousarray(part).view(stored.stored)


class _State:
    """How far a rank is."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def advance(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)


def _synchronize(path: Path) -> None:
    """Has the system write a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        # Some file systems have no way to do it for folders.
        if not path.is_dir():
            raise
    finally:
        os.close(handle)


def _previous(target: Path) -> Path:
    return target.with_name(f"{target.name}.previous")


def _rename(staged: Path, target: Path) -> None:
    """Gives a finished folder its name. Folders cannot be swapped in one step: `load` knows where the old one is."""
    previous = _previous(target)
    if target.exists():
        shutil.rmtree(previous, ignore_errors=True)
        target.rename(previous)
    staged.rename(target)
    _synchronize(target.parent)
    shutil.rmtree(previous, ignore_errors=True)


def _remove_left_over(target: Path) -> None:
    """Removes what earlier jobs that were killed had begun to write."""
    for left in target.parent.glob(f"{glob.escape(target.name)}.partial-*"):
        if re.fullmatch("[0-9a-f]+", left.name.removeprefix(f"{target.name}.partial-")):
            shutil.rmtree(left, ignore_errors=True)


# -- reading ----------------------------------------------------------------------------------------------------------


def _existing(path: Path) -> Path:
    if not path.exists() and _previous(path).exists():
        # A job was killed between the two names of the new one.
        return _previous(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    return path


def _restored(facts: Mapping[str, Any]) -> Stored:
    return Stored(**(dict(facts) | {"shape": tuple(facts["shape"]), "chunk": tuple(facts["chunk"])}))


def _wanted(boxes: Mapping[int, list[Box]] | None, stored: Stored, group: Backend | None) -> dict[Any, list[Box]]:
    """The boxes that this process reads, by place; None is the place of an ordinary array."""
    if boxes is None:
        return {None: [tuple((0, length) for length in stored.shape)]}
    return {place: held for place, held in boxes.items() if group is None or place == group.rank}


def _touched(stored: Stored, box: Box) -> list[Position]:
    """The chunks that have elements of a box."""
    if not volume(box):
        return []
    first = [start // width for (start, _), width in zip(box, stored.chunk, strict=True)]
    counts = [-(-stop // width) - low for (_, stop), width, low in zip(box, stored.chunk, first, strict=True)]
    return [tuple(low + at for low, at in zip(first, position, strict=True)) for position in np.ndindex(*counts)]


def _bytes(stored: Stored, needed: Mapping[Any, Sequence[Box]]) -> int:
    itemsize = np.dtype(stored.stored).itemsize
    return sum(
        volume(stored.box(position)) * itemsize
        for held in needed.values()
        for box in held
        for position in _touched(stored, box)
    )


def _read(
    reader: CheckpointFormat,
    name: str,
    stored: Stored,
    needed: Mapping[Any, Sequence[Box]],
    verify: bool,
    state: _State,
) -> dict[Any, list[np.ndarray]]:
    found: dict[Any, list[np.ndarray]] = {}
    for place, held in needed.items():
        found[place] = []
        for box in held:
            whole = np.empty(extent(box), stored.stored)
            positions = _touched(stored, box)
            contents = reader.read(name, stored, positions)
            for position in positions:
                with _damage_is_named(f"chunk {position} of {name!r} in {reader.folder}"):
                    content = next(contents)
                content = np.ascontiguousarray(content).reshape(extent(stored.box(position)))
                if verify and _digest(content) != stored.sha256[stored.key(position)]:
                    raise CheckpointError(f"chunk {position} of {name!r} in {reader.folder} is not what was written")
                inner = stored.box(position)
                shared = intersection(box, inner)
                assert shared is not None
                whole[within(shared, box)] = content[within(shared, inner)]
                state.advance(content.nbytes)
            found[place].append(whole)
    return found


@contextlib.contextmanager
def _damage_is_named(what: str) -> Iterator[None]:
    """The libraries raise what their parsers do for files that are cut off."""
    try:
        yield
    except (FileNotFoundError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise CheckpointError(f"{what} cannot be read: {type(error).__name__}: {error}") from error


def _device_array(content: np.ndarray, stored: Stored) -> Any:
    array = cp.asarray(content)
    return array if stored.stored == stored.dtype else array.view(stored.dtype)


def _nothing() -> Any:
    return contextlib.nullcontext()
