"""Communication between devices by NCCL, as its own calls: addresses, counts, and numbers for types and operators.

The library is opened at the first call; where it is missing, the error says what was tried and what to install.
Backends without such a library raise `UnsupportedError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _cuproxide
from .._cuproxide import Communicator, DeviceError
from .._lib.texts import complete as _complete
from ._texts import TEXTS as _TEXTS
from .runtime._streams import stream_of

NcclError = DeviceError

NCCL_INT8, NCCL_UINT8, NCCL_INT32, NCCL_UINT32, NCCL_INT64, NCCL_UINT64 = range(6)
NCCL_FLOAT16, NCCL_FLOAT32, NCCL_FLOAT64, NCCL_BFLOAT16 = range(6, 10)
NCCL_CHAR, NCCL_INT, NCCL_HALF, NCCL_FLOAT, NCCL_DOUBLE = 0, 2, 6, 7, 8
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)

__all__ = [
    "NcclCommunicator",
    "NcclError",
    "get_build_version",
    "get_unique_id",
    "get_version",
    "groupEnd",
    "groupStart",
    *(name for name in list(globals()) if name.startswith("NCCL_")),
]

_TYPES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16")
_OPERATORS = ("sum", "prod", "max", "min", "avg")


available: bool
"""Whether the current device has the library, and it can be opened."""


def __getattr__(name: str) -> bool:
    if name == "available":
        try:
            get_version()
        except (DeviceError, ImportError):
            return False
        return True
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _named(names: Sequence[str], number: int, what: str) -> str:
    if not 0 <= number < len(names):
        raise ValueError(f"{what}={number}: NCCL has no such {what}")
    return names[number]


def _type(number: int) -> str:
    return _named(_TYPES, number, "datatype")


def _operator(number: int) -> str:
    return _named(_OPERATORS, number, "op")


def get_version() -> int:
    """The version of the library, as 10000 * major + 100 * minor + patch level."""
    return _cuproxide.collectives_version()


def get_build_version() -> int:
    """The same as `get_version`: nothing is fixed when the package is built."""
    return get_version()


def get_unique_id() -> tuple[int, ...]:
    """The identifier of a new group: 128 numbers that one rank makes and hands to the others."""
    return tuple(_cuproxide.collectives_id())


def groupStart() -> None:
    """Begins a number of calls that `groupEnd` makes at once: of several devices, or that wait for each other."""
    _cuproxide.collectives_group(True)


def groupEnd() -> None:
    """Makes the calls since `groupStart`."""
    _cuproxide.collectives_group(False)


class NcclCommunicator:
    """One rank of a group of devices.

    Parameters
    ----------
    ndev : int
        Number of ranks.
    commId : tuple of int
        From `get_unique_id`.
    rank : int
        The number of this one, which uses the current device.

    Notes
    -----
    Counts are numbers of elements, addresses plain numbers such as `array.data.ptr`, `datatype` and `op` the module's
    numbers, `stream` a handle such as `Stream.ptr`. Calls queue their work.
    """

    _below: Communicator

    def __init__(self, ndev: int, commId: Sequence[int], rank: int) -> None:
        """Joins a group, once all ranks do."""
        if not 0 <= rank < ndev:
            raise ValueError(f"rank={rank} is not below ndev={ndev}")
        self._below = Communicator(bytes(commId), rank, ndev)

    @classmethod
    def _over(cls, below: Communicator) -> NcclCommunicator:
        made = cls.__new__(cls)
        made._below = below
        return made

    @staticmethod
    def initAll(devices: int | Sequence[int]) -> list[NcclCommunicator]:
        """A group of devices of this process, given by their numbers or by how many there are; one rank each."""
        numbers = range(devices) if isinstance(devices, int) else devices
        return [NcclCommunicator._over(below) for below in Communicator.all(list(numbers))]

    def __reduce__(self) -> Any:
        raise TypeError("communicators belong to the process that made them")

    @property
    def comm(self) -> int:
        """The library's handle; 0 once the group is left."""
        return self._below.ptr

    def device_id(self) -> int:
        """The number of the device."""
        return self._below.device

    def rank_id(self) -> int:
        """The number of this rank."""
        return self._below.rank

    def size(self) -> int:
        """The number of ranks."""
        return self._below.size

    def destroy(self) -> None:
        """Leaves the group once what is queued is done."""
        self._below.destroy()

    def abort(self) -> None:
        """Stops what is queued and leaves the group."""
        self._below.abort()

    def check_async_error(self) -> None:
        """Raises an error that happened since the last call returned."""
        self._below.check()

    def commSplit(self, color: int, key: int, config: Any = None) -> NcclCommunicator | None:
        """The group of the ranks with the same `color`, in the order of `key`; None for a negative color.

        Parameters
        ----------
        color : int
            The group of this rank.
        key : int
            The order of ranks in the group.
        config : optional
            The settings of the new communicator.

        Returns
        -------
        NcclCommunicator or None
        """
        if config is not None:
            raise ValueError(f"config={config!r} is not supported: it must be None")
        below = self._below.split(color, key)
        return None if below is None else NcclCommunicator._over(below)

    def allReduce(self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, stream: int) -> None:
        """Combines the elements of all ranks, for all of them."""
        self._below.all_reduce(stream_of(stream), sendbuf, recvbuf, count, _type(datatype), _operator(op))

    def reduce(self, sendbuf: int, recvbuf: int, count: int, datatype: int, op: int, root: int, stream: int) -> None:
        """Combines the elements of all ranks, for `root`."""
        self._below.reduce(stream_of(stream), sendbuf, recvbuf, count, _type(datatype), _operator(op), root)

    def broadcast(self, sendbuff: int, recvbuff: int, count: int, datatype: int, root: int, stream: int) -> None:
        """Sends the elements of `root` to all ranks.

        Parameters
        ----------
        sendbuff : int
            The address to send from.
        recvbuff : int
            The address to receive at.
        """
        self._below.broadcast(stream_of(stream), sendbuff, recvbuff, count, _type(datatype), root)

    def bcast(self, buff: int, count: int, datatype: int, root: int, stream: int) -> None:
        """Sends the elements of `root` to all ranks, in place.

        Parameters
        ----------
        buff : int
            The address of the data.
        """
        self.broadcast(buff, buff, count, datatype, root, stream)

    def reduceScatter(self, sendbuf: int, recvbuf: int, recvcount: int, datatype: int, op: int, stream: int) -> None:
        """Combines `size * recvcount` elements of all ranks and gives each its `recvcount`.

        Parameters
        ----------
        recvcount : int
            The number of elements that each receives.
        """
        self._below.reduce_scatter(stream_of(stream), sendbuf, recvbuf, recvcount, _type(datatype), _operator(op))

    def allGather(self, sendbuf: int, recvbuf: int, count: int, datatype: int, stream: int) -> None:
        """Gathers `count` elements of each rank, for all of them."""
        self._below.all_gather(stream_of(stream), sendbuf, recvbuf, count, _type(datatype))

    def send(self, sendbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Sends to a rank, which receives."""
        self._below.send(stream_of(stream), sendbuf, count, _type(datatype), peer)

    def recv(self, recvbuf: int, count: int, datatype: int, peer: int, stream: int) -> None:
        """Receives from a rank, which sends."""
        self._below.receive(stream_of(stream), recvbuf, count, _type(datatype), peer)


_complete(globals(), __all__, _TEXTS)
