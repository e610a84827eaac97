"""Files of checkpoints: zarr 3 and HDF5, both readable without this package.

A checkpoint is a folder. Each rank writes whole chunks, so no two write one file. In zarr the folder is a group with an
array for each name. In HDF5 each rank has a file of its own, and `data.h5` shows them as one by virtual datasets, since
h5py of PyPI is not built for MPI.
"""

from __future__ import annotations

import importlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

__all__ = ["FORMATS", "CheckpointFormat", "Stored", "format_of", "is_checkpoint"]

Position = tuple[int, ...]
"""The number of a chunk along each axis."""


@dataclass
class Stored:
    """An array of a checkpoint.

    Parameters
    ----------
    shape, chunk : tuple of int
        Of the whole and of a chunk; those at the end of an axis may be smaller.
    dtype : str
        Of the elements.
    stored : str
        Of the elements in the file: integers for those that NumPy has not.
    sha256 : dict
        Of the bytes of each chunk, by its position.
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    dtype: str
    stored: str
    sha256: dict[str, str] = field(default_factory=dict)

    def positions(self) -> list[Position]:
        """The positions of all chunks."""
        counts = [-(-length // width) for length, width in zip(self.shape, self.chunk, strict=True)]
        return list(np.ndindex(*counts))

    def box(self, position: Position) -> tuple[tuple[int, int], ...]:
        """The indices of a chunk: the first and the one behind the last along each axis."""
        return tuple(
            (at * width, min((at + 1) * width, length))
            for at, width, length in zip(position, self.chunk, self.shape, strict=True)
        )

    @staticmethod
    def key(position: Position) -> str:
        """The name of a chunk."""
        return ".".join(map(str, position))


class CheckpointFormat(ABC):
    """The files in a folder.

    Parameters
    ----------
    folder : Path
        That of the checkpoint, or of what becomes one.
    """

    name: ClassVar[str] = ""

    def __init__(self, folder: Path) -> None:
        """Touches nothing."""
        self.folder = folder

    @abstractmethod
    def begin(self, arrays: Mapping[str, Stored]) -> None:
        """By rank 0, before any rank writes."""

    @abstractmethod
    def write(self, rank: int, parts: Any) -> list[Path]:
        """The chunks of a rank: names, positions and elements; returns the files."""

    @abstractmethod
    def finish(self, index: Mapping[str, Any], owners: Mapping[str, Mapping[Position, int]]) -> None:
        """By rank 0, when all have written."""

    @abstractmethod
    def index(self) -> dict[str, Any]:
        """What `finish` was given."""

    @abstractmethod
    def read(self, name: str, stored: Stored, positions: Sequence[Position]) -> Any:
        """The elements of some chunks, one after the other."""


def _library(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"checkpoints of this format need {name}: pip install 'cuproxide[checkpoint]'") from error


class ZarrFormat(CheckpointFormat):
    """A group of zarr 3."""

    name = "zarr"

    def begin(self, arrays: Mapping[str, Stored]) -> None:
        """Makes the group and its arrays."""
        zarr = _library("zarr")
        group = zarr.create_group(str(self.folder), zarr_format=3)
        for name, stored in arrays.items():
            group.create_array(
                name,
                shape=stored.shape,
                chunks=tuple(max(width, 1) for width in stored.chunk),
                dtype=stored.stored,
                compressors=None,
                attributes={"dtype": stored.dtype},
            )

    def _array(self, name: str) -> Any:
        zarr = _library("zarr")
        # Else zarr leaves out chunks that equal the fill value, and negative zeros do.
        with zarr.config.set({"array.write_empty_chunks": True}):
            return zarr.open_array(str(self.folder / name), mode="r+", zarr_format=3)

    def write(self, rank: int, parts: Any) -> list[Path]:
        """Each chunk is a file."""
        files: list[Path] = []
        opened: dict[str, Any] = {}
        for name, stored, position, content in parts:
            array = opened.get(name)
            if array is None:
                array = opened[name] = self._array(name)
            array[tuple(slice(*bounds) for bounds in stored.box(position))] = content
            files.append(self.folder / name / array.metadata.encode_chunk_key(position))
        return files

    def finish(self, index: Mapping[str, Any], owners: Mapping[str, Mapping[Position, int]]) -> None:
        """The index is an attribute of the group."""
        _library("zarr").open_group(str(self.folder), mode="r+").attrs["cuproxide"] = dict(index)

    def index(self) -> dict[str, Any]:
        """The attribute."""
        return dict(_library("zarr").open_group(str(self.folder), mode="r").attrs["cuproxide"])

    def read(self, name: str, stored: Stored, positions: Sequence[Position]) -> Any:
        """A missing file is an error here, and zeros for zarr."""
        array = _library("zarr").open_array(str(self.folder / name), mode="r")
        for position in positions:
            file = self.folder / name / array.metadata.encode_chunk_key(position)
            if not file.exists():
                raise FileNotFoundError(f"{file} is missing")
            yield np.asarray(array[tuple(slice(*bounds) for bounds in stored.box(position))])


class HDF5Format(CheckpointFormat):
    """A file for each rank, and one that shows them as one."""

    name = "hdf5"
    whole = "data.h5"

    @staticmethod
    def part(rank: int) -> str:
        """The file of a rank."""
        return f"part-{rank:05d}.h5"

    def begin(self, arrays: Mapping[str, Stored]) -> None:
        """Ranks make their own files."""
        _library("h5py")
        self.folder.mkdir(exist_ok=True)
        self._arrays = dict(arrays)

    def write(self, rank: int, parts: Any) -> list[Path]:
        """Each chunk is a dataset of the rank's file."""
        file = self.folder / self.part(rank)
        with _library("h5py").File(file, "w", libver="latest") as opened:
            for name, stored, position, content in parts:
                opened[f"{name}/chunk {stored.key(position)}"] = content
        return [file]

    def finish(self, index: Mapping[str, Any], owners: Mapping[str, Mapping[Position, int]]) -> None:
        """The virtual datasets, and the index as an attribute."""
        h5py = _library("h5py")
        with h5py.File(self.folder / self.whole, "w", libver="latest") as opened:
            # Large attributes need the latest file format.
            opened.attrs["cuproxide"] = json.dumps(index)
            for name, stored in self._arrays.items():
                layout = h5py.VirtualLayout(stored.shape, stored.stored)
                # HDF5 takes the name of a source for a format.
                literal = name.replace("%", "%%")
                for position, rank in owners[name].items():
                    box = stored.box(position)
                    shape = tuple(stop - start for start, stop in box)
                    source = h5py.VirtualSource(
                        self.part(rank), f"{literal}/chunk {stored.key(position)}", shape, stored.stored
                    )
                    layout[tuple(slice(*bounds) for bounds in box)] = source
                if stored.shape and 0 not in stored.shape:
                    opened.create_virtual_dataset(name, layout)
                elif stored.shape:
                    opened.create_dataset(name, stored.shape, stored.stored)
                else:
                    # Virtual datasets have axes.
                    opened[name] = h5py.ExternalLink(self.part(owners[name][()]), f"{name}/chunk ")
                    continue
                opened[name].attrs["dtype"] = stored.dtype

    def index(self) -> dict[str, Any]:
        """The attribute."""
        with _library("h5py").File(self.folder / self.whole, "r") as opened:
            return dict(json.loads(opened.attrs["cuproxide"]))

    def read(self, name: str, stored: Stored, positions: Sequence[Position]) -> Any:
        """Through the virtual dataset; a missing file of a rank is an error here, and zeros for HDF5."""
        with _library("h5py").File(self.folder / self.whole, "r") as opened:
            if stored.shape and 0 not in stored.shape:
                for source in opened[name].virtual_sources():
                    if not (self.folder / source.file_name).exists():
                        raise FileNotFoundError(f"{self.folder / source.file_name} is missing")
            for position in positions:
                yield np.asarray(opened[name][tuple(slice(*bounds) for bounds in stored.box(position))])


FORMATS: dict[str, type[CheckpointFormat]] = {known.name: known for known in (ZarrFormat, HDF5Format)}


def format_of(folder: Path) -> CheckpointFormat:
    """The format of a checkpoint that is there.

    Raises
    ------
    FileNotFoundError
        If the folder is none.
    """
    if os.path.exists(folder / HDF5Format.whole):
        return HDF5Format(folder)
    if os.path.exists(folder / "zarr.json"):
        return ZarrFormat(folder)
    raise FileNotFoundError(f"{folder} is not a checkpoint")


def is_checkpoint(folder: Path) -> bool:
    """Whether `save` made a folder: its index says so, as a group of zarr or a file of the same name does not."""
    try:
        format_of(folder).index()
    except (OSError, KeyError, ValueError):
        return False
    return True
