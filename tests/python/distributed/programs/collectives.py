"""Every operation over every dtype, beside NumPy. Says `ok` and how many checks there were, or fails."""

import os
import sys

import cuproxide as cp
import numpy as np
from cuproxide import distributed

group = distributed.init_process_group(backend=sys.argv[1], timeout=30)
rank, size = group.rank, group.size
rng = np.random.default_rng(7)
checks = 0

DTYPES = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]
SHAPES = [(), (0,), (5,), (3, 4)]
COMBINE = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def drawn(dtype, shape):
    """The same numbers on every rank, small enough for exact sums, with what is special of floats."""
    dtype = cp.empty(0, dtype).dtype
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    values = rng.integers(0 if dtype.kind == "u" else -3, 4, shape).astype(dtype)
    if dtype.kind == "c":
        values = (values + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    if dtype.kind in "fV" and values.size > 3:
        values.reshape(-1)[:3] = np.array([np.nan, np.inf, -0.0]).astype(dtype)[rng.permutation(3)]
    return values


def layouts(values):
    """An array of the values in C order, in Fortran order, and as every second element from behind."""
    yield cp.asarray(values)
    if values.ndim:
        yield cp.asarray(np.asfortranarray(values))
        spread = cp.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
        view = spread[..., ::-2]
        view[...] = cp.asarray(values)
        yield view


def check(got, wanted, what):
    global checks
    checks += 1
    got = cp.asnumpy(got)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (what, got.dtype, wanted.dtype, got.shape)
    same = equal_numbers(got, wanted) if got.dtype.kind in "fcV" else np.array_equal(got, wanted)
    assert same, f"rank {rank}: {what}: {got!r} is not {wanted!r}"


def equal_numbers(got, wanted):
    wide = "complex128" if got.dtype.kind == "c" else "float64"
    return np.array_equal(got.astype(wide), wanted.astype(wide), equal_nan=True)


def folded(op, parts):
    result = parts[0]
    for part in parts[1:]:
        result = (
            COMBINE[op](result, part, dtype=result.dtype) if result.dtype.kind in "biu" else COMBINE[op](result, part)
        )
    return np.asarray(result).astype(parts[0].dtype)


with np.errstate(all="ignore"):
    for dtype in DTYPES:
        ops = ["sum"] if dtype.startswith("complex") else ["sum", "prod", "max", "min"]
        for shape in SHAPES:
            parts = [drawn(dtype, shape) for _ in range(size)]
            for array, out in zip(layouts(parts[rank]), layouts(np.zeros_like(parts[0])), strict=True):
                for op in ops:
                    what = f"{op} of {dtype}{shape}, strides {array.strides}"
                    group.all_reduce(array, out, op=op)
                    check(out, folded(op, parts), f"all_reduce {what}")
                    root = size - 1
                    out[...] = 1
                    group.reduce(array, out if rank == root else None, root=root, op=op)
                    check(out, folded(op, parts) if rank == root else np.ones_like(parts[0]), f"reduce {what}")
                out[...] = array
                group.broadcast(out, root=size // 2)
                check(out, parts[size // 2], f"broadcast {what}")
                peer = size - 1 - rank
                group.send_recv(array, out, peer)
                check(out, parts[peer], f"send_recv {what}")

            stacked = np.stack(parts)
            everything = cp.zeros(stacked.shape, dtype)
            for array in layouts(parts[rank]):
                group.all_gather(array, everything, array.size)
                check(everything, stacked, f"all_gather {dtype}{shape}")
                everything[...] = 0
                group.gather(array, everything if rank == 0 else None, root=0)
                check(everything, stacked if rank == 0 else np.zeros_like(stacked), f"gather {dtype}{shape}")
            one = cp.zeros(shape, dtype)
            for source in layouts(stacked):
                group.scatter(source if rank == size // 2 else None, one, root=size // 2)
                check(one, parts[rank], f"scatter {dtype}{shape}")
            tables = [np.stack([drawn(dtype, shape) for _ in range(size)]) for _ in range(size)]
            for table in layouts(tables[rank]):
                group.all_to_all(table, everything)
                check(everything, np.stack([table[rank] for table in tables]), f"all_to_all {dtype}{shape}")
            for op in ops:
                for table in layouts(tables[rank]):
                    group.reduce_scatter(table, one, one.size, op=op)
                    check(one, folded(op, [table[rank] for table in tables]), f"reduce_scatter {op} {dtype}{shape}")

# Messages of different sizes, in one call and pairwise.
sends = [cp.arange(peer + rank) + 10.0 * rank for peer in range(size)]
takes = [cp.zeros(peer + rank) for peer in range(size)]
group.all_to_allv(sends, takes)
for peer, taken in enumerate(takes):
    check(taken, np.arange(peer + rank) + 10.0 * peer, "all_to_allv")
for dtype in DTYPES:
    # Sizes that are found; a rank with nothing to send, arrays of any layout and number of axes.
    tables = [[drawn(dtype, (2, (rank * peer) % 3)) for peer in range(size)] for rank in range(size)]
    for layout in zip(*(layouts(values) for values in tables[rank]), strict=True):
        taken = group.all_to_allv(layout)
        for peer, array in enumerate(taken):
            check(array, tables[peer][rank].ravel(), f"all_to_allv without out_arrays {dtype}")
        check(taken[0].base, np.concatenate([table[rank].ravel() for table in tables]), "all that arrived")
other = cp.cuda.Stream()
late = group.all_to_allv(sends, stream=other)
other.synchronize()
check(late[-1], np.arange(size - 1 + rank) + 10.0 * (size - 1), "all_to_allv on a stream")
if size > 1:
    right, left = (rank + 1) % size, (rank - 1) % size
    buffer = cp.zeros(3)
    if rank % 2:
        group.recv(buffer, left)
        group.send(cp.full(3, float(rank)), right)
    else:
        group.send(cp.full(3, float(rank)), right)
        group.recv(buffer, left)
    check(buffer, np.full(3, float(left)), "send and recv")

# What is deferred on an array is done with its old elements, and results are seen by what comes later.
x = cp.arange(4.0)
twice = x * 2
group.broadcast(x, root=0)
x += 1
group.all_reduce(x, x)
check(twice, np.arange(4.0) * 2, "deferred")
check(x, size * (np.arange(4.0) + 1), "in place")

# Another stream.
stream = cp.cuda.Stream()
with stream:
    y = cp.arange(1000.0) + rank
z = cp.empty_like(y)
group.all_reduce(y, z, stream=stream)
stream.synchronize()
check(z, size * np.arange(1000.0) + sum(range(size)), "stream")

# Groups of the even and the odd ranks, in reverse order.
half = group.split(rank % 2, key=-rank)
members = [other for other in range(size) if other % 2 == rank % 2][::-1]
assert (half.rank, half.size) == (members.index(rank), len(members))
total = cp.zeros(1)
half.all_reduce(cp.array([float(rank)]), total)
check(total, np.array([float(sum(members))]), "split")
gathered = cp.zeros(half.size)
half.all_gather(cp.array([float(rank)]), gathered, 1)
check(gathered, np.array(members, float), "order of a split group")
assert (group.split(None if rank else 0) is None) == bool(rank)

for call, error in [
    (lambda: group.all_reduce(cp.ones(2, complex), cp.ones(2, complex), op="prod"), ValueError),
    (lambda: group.all_reduce(cp.ones(2, complex), cp.ones(2, complex), op="max"), ValueError),
    (lambda: group.all_reduce(cp.ones(2), cp.ones(2), op="mean"), ValueError),
    (lambda: group.all_reduce(cp.ones(2), cp.ones(3)), ValueError),
    (lambda: group.all_reduce(cp.ones(2), cp.ones(2, "f4")), TypeError),
    (lambda: group.all_reduce(np.ones(2), np.ones(2)), TypeError),
    (lambda: group.broadcast(cp.ones(2), root=size), ValueError),
    (lambda: group.send(cp.ones(2), -1), ValueError),
    (lambda: group.all_gather(cp.ones(2), cp.ones(2 * size), 3), ValueError),
    (lambda: group.scatter(cp.ones((size + 1, 2)), cp.ones(2), root=rank), ValueError),
    (lambda: group.split(-1), ValueError),
]:
    try:
        call()
    except error:
        checks += 1
    else:
        raise AssertionError(f"no {error.__name__}")

group.barrier()
# In one piece, beside what other ranks say.
os.write(1, f"ok {rank} of {size} {type(group).__name__} {checks}\n".encode())
group.stop()
