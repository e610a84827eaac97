"""Arrays in parts on ranks, beside NumPy."""

import os
import sys

import cuproxide as cp
import numpy as np
from cuproxide import distributed
from cuproxide.distributed.array import distributed_array, from_chunks, make_2d_index_map

group = distributed.init_process_group(backend=sys.argv[1], timeout=30)
rank, size = group.rank, group.size
rng = np.random.default_rng(3)
a, b, v = rng.normal(size=(13, 9)), rng.normal(size=(9, 11)), rng.normal(size=9)


def grid(rows, columns, shift=0):
    """A map of 2 x 2 blocks, given out in turn, with one block that two ranks have."""
    owners = [[{shift % size}, {(shift + 1) % size}], [{(shift + 2) % size}, {(shift + 3) % size, 0}]]
    return make_2d_index_map([0, rows // 3, rows], [0, columns // 2, columns], owners)


def close(got, wanted):
    got = got.get()
    assert got.dtype == wanted.dtype and got.shape == wanted.shape, (got.dtype, wanted.dtype, got.shape, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


x = distributed_array(a, grid(13, 9), group=group)
y = distributed_array(b, grid(9, 11, 1), group=group)
w = distributed_array(v, {peer: [slice(9 * peer // size, 9 * (peer + 1) // size)] for peer in range(size)}, group=group)
close(x, a)
close(np.exp(x) - 2 * x, np.exp(a) - 2 * a)
close(x + distributed_array(a, grid(13, 9, 2), group=group), a + a)
close(x * w, a * v)
close(x @ y, a @ b)
close(x @ w, a @ v)
close(y.T @ x.T, b.T @ a.T)
close(w @ y, v @ b)
close(w @ w, np.asarray(v @ v))
for axis in (None, 0, 1, (0, 1)):
    for name in ("sum", "prod", "max", "min", "mean", "var"):
        close(getattr(x, name)(axis=axis), np.asarray(getattr(a, name)(axis=axis)))
close(x.sum(axis=0).sum(), np.asarray(a.sum()))
close(x.sum(axis=1) * 2, a.sum(axis=1) * 2)
close(x[2:11:3, 4], a[2:11:3, 4])
close(x[5], a[5])
close(x.reshard({peer: [(slice(None), slice(9 * peer // size, 9 * (peer + 1) // size))] for peer in range(size)}), a)
close(x.change_mode("sum"), a)
close(x.change_mode("sum").reshard(grid(13, 9, 1)), a)
assert float(x.sum()) == x.sum().get()
own = cp.full((1, 3), rank, "int32")
made = from_chunks(
    (size, 3), "int32", {peer: [slice(peer, peer + 1)] for peer in range(size)}, {rank: [own]}, group=group
)
close(made.sum(axis=0), np.full(3, size * (size - 1) // 2))
close((made == 0).any(), np.asarray(True))
os.write(1, f"ok {rank} of {size}\n".encode())
