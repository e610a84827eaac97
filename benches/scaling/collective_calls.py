"""Collectives of all kinds: what a call has to send, a call of ours with its check, and the same call of PyTorch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cuproxide as cp
import numpy

from .program import require, seconds_of, total

Call = Callable[[], None]


@dataclass(frozen=True)
class Kind:
    """An operation for messages of `count` float32 elements, which `size` ranks have together or each."""

    name: str
    #: What a device has to send, in units of the message, as NCCL's own tests count.
    share: Callable[[int], float]
    #: A call and a check of its result.
    ours: Callable[[Any, int], tuple[Call, Callable[[], bool]]]
    theirs: Callable[[Any, int, int, int], Call]


def ramp(rank: int, count: int) -> Any:
    """Small integers, other ones on each rank: sums of them are exact."""
    return ((cp.arange(count) + rank) % 5).astype("float32")


def summed(size: int, count: int, begin: int = 0) -> Any:
    return sum(((cp.arange(begin, begin + count) + rank) % 5).astype("float32") for rank in range(size))


def same(found: Any, wanted: Any) -> bool:
    return bool((found == wanted).all())


def all_reduce(group: Any, count: int) -> Any:
    """In place, as PyTorch's call."""
    x = cp.empty(count, "float32")

    def check() -> bool:
        x[...] = ramp(group.rank, count)
        group.all_reduce(x, x)
        return same(x, summed(group.size, count))

    return lambda: group.all_reduce(x, x), check


def reduce(group: Any, count: int) -> Any:
    """In place, as PyTorch's call."""
    x = cp.empty(count, "float32")
    y = x if group.rank == 0 else None

    def check() -> bool:
        x[...] = ramp(group.rank, count)
        group.reduce(x, y)
        return y is None or same(y, summed(group.size, count))

    return lambda: group.reduce(x, y), check


def broadcast(group: Any, count: int) -> Any:
    x = ramp(group.rank, count)
    return lambda: group.broadcast(x), lambda: same(x, ramp(0, count))


def all_gather(group: Any, count: int) -> Any:
    part = count // group.size
    x, y = ramp(group.rank, part), cp.empty((group.size, part), "float32")
    return (
        lambda: group.all_gather(x, y, part),
        lambda: all(same(y[rank], ramp(rank, part)) for rank in range(group.size)),
    )


def gather(group: Any, count: int) -> Any:
    part = count // group.size
    x, y = ramp(group.rank, part), cp.empty((group.size, part), "float32") if group.rank == 0 else None
    return (
        lambda: group.gather(x, y),
        lambda: y is None or all(same(y[rank], ramp(rank, part)) for rank in range(group.size)),
    )


def scatter(group: Any, count: int) -> Any:
    part = count // group.size
    x = ramp(0, part * group.size).reshape(group.size, part) if group.rank == 0 else None
    y = cp.empty(part, "float32")
    return lambda: group.scatter(x, y), lambda: same(y, ramp(group.rank * part, part))


def reduce_scatter(group: Any, count: int) -> Any:
    part = count // group.size
    x, y = ramp(group.rank, part * group.size), cp.empty(part, "float32")
    return lambda: group.reduce_scatter(x, y, part), lambda: same(y, summed(group.size, part, group.rank * part))


def all_to_all(group: Any, count: int) -> Any:
    part = count // group.size
    x = ramp(group.rank, part * group.size).reshape(group.size, part)
    y = cp.empty_like(x)
    return (
        lambda: group.all_to_all(x, y),
        lambda: all(same(y[rank], ramp(rank + group.rank * part, part)) for rank in range(group.size)),
    )


def all_to_allv(group: Any, count: int) -> Any:
    """Parts of unequal sizes: rank i sends each rank i + 1 parts of the whole."""
    unit = count // (group.size * group.size)
    x = [ramp(group.rank, unit * (group.rank + 1)) for _ in range(group.size)]
    y = [cp.empty(unit * (rank + 1), "float32") for rank in range(group.size)]
    return (
        lambda: group.all_to_allv(x, y),
        lambda: all(same(y[rank], ramp(rank, unit * (rank + 1))) for rank in range(group.size)),
    )


def ring(group: Any, count: int) -> Any:
    x, y = ramp(group.rank, count), cp.empty(count, "float32")
    after, before = (group.rank + 1) % group.size, (group.rank - 1) % group.size
    return lambda: group.exchange([(after, x)], [(before, y)]), lambda: same(y, ramp(before, count))


def torch_ring(torch: Any, count: int, size: int, rank: int) -> Call:
    dist = torch.distributed
    x, y = torch.ones(count, device="cuda"), torch.empty(count, device="cuda")

    def call() -> None:
        operations = [
            dist.P2POp(dist.isend, x, (rank + 1) % size),
            dist.P2POp(dist.irecv, y, (rank - 1) % size),
        ]
        for request in dist.batch_isend_irecv(operations):
            request.wait()

    return call


def torch_whole(name: str) -> Callable[[Any, int, int, int], Call]:
    """A call of PyTorch over one tensor of the whole message."""

    def make(torch: Any, count: int, size: int, rank: int) -> Call:
        x, function = torch.ones(count, device="cuda"), getattr(torch.distributed, name)
        return (lambda: function(x)) if name == "all_reduce" else lambda: function(x, 0)

    return make


def torch_parts(name: str) -> Callable[[Any, int, int, int], Call]:
    """A call of PyTorch over a tensor of the whole message and one of a part."""

    def make(torch: Any, count: int, size: int, rank: int) -> Call:
        dist, part = torch.distributed, count // size
        whole, one = torch.ones(part * size, device="cuda"), torch.ones(part, device="cuda")
        pieces = list(whole.chunk(size)) if rank == 0 else None
        other = torch.empty_like(whole)
        return {
            "all_gather": lambda: dist.all_gather_into_tensor(whole, one),
            "gather": lambda: dist.gather(one, pieces, 0),
            "scatter": lambda: dist.scatter(one, pieces, 0),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(one, whole),
            "all_to_all": lambda: dist.all_to_all_single(other, whole),
        }[name]

    return make


def torch_uneven(torch: Any, count: int, size: int, rank: int) -> Call:
    unit = count // (size * size)
    sent, got = [unit * (rank + 1)] * size, [unit * (other + 1) for other in range(size)]
    x, y = torch.ones(sum(sent), device="cuda"), torch.empty(sum(got), device="cuda")
    return lambda: torch.distributed.all_to_all_single(y, x, got, sent)


def others(size: int) -> float:
    return (size - 1) / size


KINDS = [
    Kind("all_reduce", lambda size: 2 * others(size), all_reduce, torch_whole("all_reduce")),
    Kind("reduce", lambda size: 1.0, reduce, torch_whole("reduce")),
    Kind("broadcast", lambda size: 1.0, broadcast, torch_whole("broadcast")),
    Kind("all_gather", others, all_gather, torch_parts("all_gather")),
    Kind("gather", others, gather, torch_parts("gather")),
    Kind("scatter", others, scatter, torch_parts("scatter")),
    Kind("reduce_scatter", others, reduce_scatter, torch_parts("reduce_scatter")),
    Kind("all_to_all", others, all_to_all, torch_parts("all_to_all")),
    Kind("all_to_allv", others, all_to_allv, torch_uneven),
    Kind("exchange in a ring", lambda size: 1.0, ring, torch_ring),
]


def torch_group(group: Any) -> Any:
    """PyTorch with its own group over NCCL; None where it is not there."""
    try:
        import torch
    except ImportError:
        return None
    if not (torch.cuda.is_available() and torch.distributed.is_available() and torch.distributed.is_nccl_available()):
        return None
    torch.cuda.set_device(cp.cuda.Device().id)
    port = cp.zeros(1, "int64")
    if group.rank == 0:
        # PyTorch's own server, at a port that the system chooses.
        store = torch.distributed.TCPStore("127.0.0.1", 0, group.size, True, wait_for_workers=False)
        port[0] = store.port
    group.broadcast(port)
    if group.rank:
        store = torch.distributed.TCPStore("127.0.0.1", int(port[0]), group.size, False)
    device = torch.device("cuda", torch.cuda.current_device())
    torch.distributed.init_process_group("nccl", store=store, rank=group.rank, world_size=group.size, device_id=device)
    return torch


def sizes(largest: int) -> list[int]:
    """Bytes of messages: four times as many in each step."""
    found = [1 << power for power in range(10, 31, 2)]
    return [nbytes for nbytes in found if nbytes <= largest] or [largest]


def measured(group: Any, largest: int, budget: float) -> Iterator[dict[str, Any]]:
    """A row for each kind and size: seconds of ours and of PyTorch, in turns, the best of three rounds each."""
    torch = torch_group(group) if group.size > 1 and cp.Device().backend != "cpu" else None
    each = budget / (len(KINDS) * len(sizes(largest)) * (2 if torch else 1) * 3)
    begin = time.monotonic()
    for kind in KINDS:
        for nbytes in sizes(largest):
            if total(group, time.monotonic() - begin, "max") > 2 * budget + 10:
                reason = f"no time was left for {kind.name} of {nbytes} bytes, and what follows"
                yield {"program": "collectives", "count": group.size, "skipped": reason}
                return
            # As many elements as can be dealt out in all ways.
            count = max(1, nbytes // 4 // group.size**2) * group.size**2
            call, check = kind.ours(group, count)
            calls = {"cuproxide": call}
            if torch:
                calls["torch"] = kind.theirs(torch, count, group.size, group.rank)
            found: dict[str, float] = {}
            once = {}
            for name, run in calls.items():
                run()
                once[name] = seconds_of(group, run, 3)
            for _ in range(3):
                for name, run in calls.items():
                    repeats = max(1, min(100, int(each / max(once[name], 1e-7))))
                    found[name] = min(found.get(name, numpy.inf), seconds_of(group, run, repeats))
            good = total(group, int(check()), "min")
            require(good == 1, f"{kind.name} of {count} elements gave wrong ones")
            yield {
                "program": "collectives",
                "kind": kind.name,
                "count": group.size,
                "bytes": 4 * count,
                "sent": kind.share(group.size) * 4 * count,
                **{f"{name}_seconds": value for name, value in found.items()},
                "check": "elements exact",
            }
            del call, check, calls
    if torch:
        torch.distributed.destroy_process_group()
