"""What core asks of a device keeps the HAL's contract.

The `noop` backend runs nothing but checks every call: memory must be live, streams must belong to the device, kernels
must have been compiled for the launch, written operands must not overlap others. A violation arrives as an error.
"""

import cuproxide as cp
import numpy as np
import pytest

WORK = {
    "elementwise on strided views": lambda a: a[::-1, ::-2] + a[:, ::2],
    "elementwise, broadcast": lambda a: a + a[0],
    "in place, reversed source": lambda a: a.__iadd__(a[::-1]),
    "in place, transposed source": lambda a: a[:, :4].__iadd__(a[:, :4].T),
    "in place, broadcast source": lambda a: a.__iadd__(a[0]),
    "out is an operand": lambda a: cp.add(a, a[0], out=a),
    "slice from a shifted slice": lambda a: a.__setitem__(slice(1, None), a[:-1]),
    "copyto between overlapping views": lambda a: cp.copyto(a[:, 1:], a[:, :-1]),
    "assignment of its own transpose": lambda a: a.__setitem__(Ellipsis, a.T.reshape(4, 6)),
    "astype": lambda a: [a.astype(name) for name in ("?", "i1", "u8", "f2", "f4", "c8", "c16")],
    "sum": lambda a: [a.sum(), a.sum(0), a.sum(1, keepdims=True), a[:, ::2].sum((0, 1))],
    "sum into its own operand": lambda a: cp.sum(a, axis=0, out=a[0]),
    "reductions with pairs": lambda a: [a.argmax(), a.argmin(0), a.var(1), a.std()],
    "cumsum": lambda a: [a.cumsum(), a.cumsum(0), cp.cumsum(a, axis=1, out=a)],
    "empty": lambda a: [a[:0].sum(0), a[:, :0].sum(1), a[:, :0].cumsum(1), a[:0] + 1, a[:0] @ a.T],
    "gather": lambda a: [a[[0, 1, 1]], a[[0, 1], [2, 3]], a.take([5, 0], axis=1), a[a > 3]],
    "scatter": lambda a: [a.__setitem__([0, 1, 1], a[[1, 2, 3]]), a.__setitem__(a > 3, 1.0), cp.add.at(a, [0, 0], 1)],
    "nonzero, where": lambda a: [cp.nonzero(a > 1), cp.where(a > 1, a, 0)],
    "sort": lambda a: [cp.sort(a, axis=0), cp.argsort(a), cp.unique(a), a.sort()],
    "matmul": lambda a: [a @ a.T, a[::2, ::2] @ a.T[::2, ::2], cp.ones((3, 4, 5)) @ cp.ones((5, 2)), a @ a[0]],
    "einsum, tensordot": lambda a: [cp.einsum("ij,kj->ik", a, a), cp.tensordot(a, a, ([0, 1], [0, 1]))],
    "joining": lambda a: [cp.concatenate([a, a[:, ::-1]], 1), cp.stack([a, a]), cp.tile(a, (2, 2)), cp.pad(a, 1)],
    "rearranging": lambda a: [
        cp.roll(a, 2),
        cp.flip(a).copy(),
        cp.repeat(a, 3, axis=0),
        cp.broadcast_to(a, (2, 4, 6)).copy(),
    ],
    "many dimensions": lambda a: cp.ones((2,) * 10) + cp.ones((2,) * 10).T,
    "another device": lambda a: a.to_device("noop:1"),
    "to the host": lambda a: [a.get(), a.T.get(), a[::-1, ::2].get(), a[1, 1].item()],
}


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("dtype", ["float64", "int16", "complex64"])
def test_core_keeps_the_contract(name, dtype):
    with cp.Device("noop:0"):
        pool = cp.get_default_memory_pool()
        before = pool.used_bytes()
        array = cp.asarray(np.arange(24).reshape(4, 6).astype(dtype))
        WORK[name](array)
        del array
        assert pool.used_bytes() == before
        pool.free_all_blocks()


def test_side_streams_keep_the_contract():
    with cp.Device("noop:0"):
        stream, event = cp.cuda.Stream(), cp.cuda.Event()
        with stream:
            array = cp.arange(100.0)
            total = (array * 2).sum()
            stream.record(event)
        cp.cuda.get_current_stream().wait_event(event)
        total.get()
        stream.synchronize()
