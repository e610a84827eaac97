"""Shapes, joining, splitting and rearranging."""

import re

import cuproxide as cp
import numpy as np
import pytest
from helpers import SOME, check, compare, in_layout, same_error, sample, to_device

CUBE = np.arange(24).reshape(2, 3, 4)

ONE_ARRAY = {
    "reshape": lambda xp, a: xp.reshape(a, (4, -1)),
    "reshape F": lambda xp, a: xp.reshape(a, (4, 6), order="F"),
    "reshape A": lambda xp, a: a.reshape(3, 8, order="A"),
    "reshape method": lambda xp, a: a.reshape(-1),
    "reshape list": lambda xp, a: a.reshape([2, 12]),
    "reshape copy": lambda xp, a: xp.reshape(a, (24,), copy=True),
    "ravel": lambda xp, a: xp.ravel(a),
    "ravel F": lambda xp, a: xp.ravel(a, "F"),
    "ravel K": lambda xp, a: a.ravel("K"),
    "flatten": lambda xp, a: a.flatten(),
    "flatten F": lambda xp, a: a.flatten("F"),
    "T": lambda xp, a: a.T,
    "mT": lambda xp, a: a.mT,
    "transpose": lambda xp, a: xp.transpose(a),
    "transpose axes": lambda xp, a: xp.transpose(a, (1, -1, 0)),
    "transpose method": lambda xp, a: a.transpose(2, 0, 1),
    "permute_dims": lambda xp, a: xp.permute_dims(a, (2, 1, 0)),
    "matrix_transpose": lambda xp, a: xp.matrix_transpose(a),
    "swapaxes": lambda xp, a: xp.swapaxes(a, 0, -1),
    "moveaxis": lambda xp, a: xp.moveaxis(a, 0, -1),
    "moveaxis several": lambda xp, a: xp.moveaxis(a, [0, 1], [-1, 0]),
    "rollaxis": lambda xp, a: xp.rollaxis(a, 2),
    "rollaxis start": lambda xp, a: xp.rollaxis(a, 0, 3),
    "expand_dims": lambda xp, a: xp.expand_dims(a, 1),
    "expand_dims tuple": lambda xp, a: xp.expand_dims(a, (0, -1)),
    "squeeze": lambda xp, a: xp.squeeze(a[:, :1]),
    "squeeze axis": lambda xp, a: xp.squeeze(a[:, :1], axis=1),
    "atleast_1d": lambda xp, a: xp.atleast_1d(a[0, 0, 0]),
    "atleast_2d": lambda xp, a: xp.atleast_2d(a[0, 0], a[0], a),
    "atleast_3d": lambda xp, a: xp.atleast_3d(a[0, 0, 0], a[0, 0], a[0], a),
    "broadcast_to": lambda xp, a: xp.broadcast_to(a[:, :1], (5, 2, 3, 4)),
    "broadcast_to int": lambda xp, a: xp.broadcast_to(a[0, 0, 0], 3),
    "broadcast_arrays": lambda xp, a: xp.broadcast_arrays(a[0], a[:, :1, :1]),
    "concatenate": lambda xp, a: xp.concatenate((a, a[:1], a)),
    "concatenate axis": lambda xp, a: xp.concatenate((a, a[:, :, :1]), axis=-1),
    "concatenate None": lambda xp, a: xp.concatenate((a, a[0]), axis=None),
    "concatenate dtype": lambda xp, a: xp.concatenate((a, a), dtype=np.float32, casting="unsafe"),
    "concatenate one": lambda xp, a: xp.concatenate(a),
    "concat": lambda xp, a: xp.concat([a, a], axis=1),
    "stack": lambda xp, a: xp.stack([a, a + 1]),
    "stack last": lambda xp, a: xp.stack([a, a + 1], axis=-1),
    "stack rows": lambda xp, a: xp.stack(a, axis=1),
    "unstack": lambda xp, a: xp.unstack(a, axis=1),
    "vstack": lambda xp, a: xp.vstack([a[0], a[1, 0], a[1]]),
    "hstack": lambda xp, a: xp.hstack([a[0], a[1]]),
    "hstack 1d": lambda xp, a: xp.hstack([a[0, 0], a[1, 0, :2]]),
    "dstack": lambda xp, a: xp.dstack([a[0], a[1]]),
    "column_stack": lambda xp, a: xp.column_stack([a[0, 0], a[0, 1], a[1].T]),
    "append": lambda xp, a: xp.append(a, a[0]),
    "append axis": lambda xp, a: xp.append(a, a[:1], axis=0),
    "block": lambda xp, a: xp.block([[a[0], a[1]], [a[0] * 2, a[1] * 3]]),
    "block of numbers": lambda xp, a: xp.block([a[0, 0], 7, 8]),
    "split": lambda xp, a: xp.split(a, 3, axis=1),
    "split at": lambda xp, a: xp.split(a, [1, 3, 9], axis=2),
    "array_split": lambda xp, a: xp.array_split(a, 3, axis=2),
    "hsplit": lambda xp, a: xp.hsplit(a, 3),
    "vsplit": lambda xp, a: xp.vsplit(a, [1]),
    "dsplit": lambda xp, a: xp.dsplit(a, 2),
    "tile": lambda xp, a: xp.tile(a, 2),
    "tile axes": lambda xp, a: xp.tile(a, (2, 1, 3)),
    "tile more": lambda xp, a: xp.tile(a[0], (2, 2, 1)),
    "tile fewer": lambda xp, a: xp.tile(a, (3,)),
    "tile none": lambda xp, a: xp.tile(a, (0, 2)),
    "repeat": lambda xp, a: xp.repeat(a, 2),
    "repeat axis": lambda xp, a: xp.repeat(a, 3, axis=1),
    "repeat each": lambda xp, a: xp.repeat(a, [1, 0, 2], axis=1),
    "repeat array": lambda xp, a: a.repeat(xp.asarray([2, 1]), axis=0),
    "repeat none": lambda xp, a: xp.repeat(a, 0, axis=2),
    "resize": lambda xp, a: xp.resize(a, (5, 7)),
    "resize less": lambda xp, a: xp.resize(a, 5),
    "delete": lambda xp, a: xp.delete(a, 1, axis=1),
    "delete negative": lambda xp, a: xp.delete(a, -1),
    "delete several": lambda xp, a: xp.delete(a, [0, 2, 2], axis=1),
    "delete slice": lambda xp, a: xp.delete(a, slice(None, None, 2), axis=2),
    "delete mask": lambda xp, a: xp.delete(a, np.array([True, False, True]), axis=1),
    "delete nothing": lambda xp, a: xp.delete(a, [], axis=1),
    "insert": lambda xp, a: xp.insert(a, 1, 99, axis=1),
    "insert flat": lambda xp, a: xp.insert(a, 3, [7, 8]),
    "insert end": lambda xp, a: xp.insert(a, 24, 5),
    "insert row": lambda xp, a: xp.insert(a[0], 1, xp.asarray([1, 2, 3, 4]), axis=0),
    "insert column": lambda xp, a: xp.insert(a[0], 1, xp.asarray([1, 2, 3]), axis=1),
    "insert list": lambda xp, a: xp.insert(a[0], [1], xp.asarray([[1], [2], [3]]), axis=1),
    "insert several": lambda xp, a: xp.insert(a[0, 0], [1, 3, 3, 0], [10, 11, 12, 13]),
    "insert broadcast": lambda xp, a: xp.insert(a, [0, 2], -1, axis=1),
    "insert slice": lambda xp, a: xp.insert(a[0, 0], slice(0, 3), [1, 2, 3]),
    "flip": lambda xp, a: xp.flip(a),
    "flip axes": lambda xp, a: xp.flip(a, (0, 2)),
    "fliplr": lambda xp, a: xp.fliplr(a),
    "flipud": lambda xp, a: xp.flipud(a),
    "roll": lambda xp, a: xp.roll(a, 5),
    "roll axis": lambda xp, a: xp.roll(a, -1, axis=1),
    "roll axes": lambda xp, a: xp.roll(a, (1, 2), axis=(0, 2)),
    "roll one shift": lambda xp, a: xp.roll(a, 3, axis=(1, 2)),
    "roll twice": lambda xp, a: xp.roll(a, (1, 2), axis=(1, 1)),
    "roll nothing": lambda xp, a: xp.roll(a, 3, axis=1),
    "rot90": lambda xp, a: xp.rot90(a),
    "rot90 twice": lambda xp, a: xp.rot90(a, 2, (1, 2)),
    "rot90 back": lambda xp, a: xp.rot90(a, -1, (2, 0)),
    "diagonal": lambda xp, a: xp.diagonal(a, 1, 1, 2),
    "astype": lambda xp, a: xp.astype(a, np.float16),
    "sliding windows": lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, (2, 2), (1, 2)),
    "errors: reshape": lambda xp, a: xp.reshape(a, (5, 5)),
    "errors: reshape two": lambda xp, a: xp.reshape(a, (-1, -1)),
    "errors: reshape copy": lambda xp, a: xp.reshape(a.T, (24,), copy=False),
    "errors: transpose": lambda xp, a: xp.transpose(a, (0, 0, 1)),
    "errors: transpose length": lambda xp, a: xp.transpose(a, (0, 1)),
    "errors: swapaxes": lambda xp, a: xp.swapaxes(a, 0, 3),
    "errors: moveaxis": lambda xp, a: xp.moveaxis(a, 0, 5),
    "errors: moveaxis count": lambda xp, a: xp.moveaxis(a, (0, 1), (0,)),
    "errors: rollaxis": lambda xp, a: xp.rollaxis(a, 0, 7),
    "errors: expand_dims": lambda xp, a: xp.expand_dims(a, 7),
    "errors: squeeze": lambda xp, a: xp.squeeze(a, 0),
    "errors: broadcast_to": lambda xp, a: xp.broadcast_to(a, (2, 3, 5)),
    "errors: broadcast_arrays": lambda xp, a: xp.broadcast_arrays(a, a[:, :2]),
    "errors: concatenate": lambda xp, a: xp.concatenate((a, a[:, 1:])),
    "errors: concatenate ndim": lambda xp, a: xp.concatenate((a, a[0])),
    "errors: concatenate none": lambda xp, a: xp.concatenate(()),
    "errors: concatenate 0d": lambda xp, a: xp.concatenate((a[0, 0, 0], a[0, 0, 0])),
    "errors: concatenate axis": lambda xp, a: xp.concatenate((a, a), axis=3),
    "errors: stack": lambda xp, a: xp.stack([a, a[0]]),
    "errors: stack axis": lambda xp, a: xp.stack([a, a], axis=5),
    "errors: split": lambda xp, a: xp.split(a, 5, axis=1),
    "errors: split zero": lambda xp, a: xp.array_split(a, 0),
    "errors: delete": lambda xp, a: xp.delete(a, 3, axis=1),
    "errors: insert": lambda xp, a: xp.insert(a, 4, 0, axis=1),
    "errors: repeat": lambda xp, a: xp.repeat(a, [1, 2], axis=1),
    "errors: repeat negative": lambda xp, a: xp.repeat(a, -1),
    "errors: flip": lambda xp, a: xp.flip(a, 3),
    "errors: rot90": lambda xp, a: xp.rot90(a, 1, (0, 0)),
    "errors: roll": lambda xp, a: xp.roll(a, (1, 2, 3), axis=(0, 1)),
    "errors: resize": lambda xp, a: xp.resize(a, (-1, 2)),
    "errors: matrix_transpose": lambda xp, a: xp.matrix_transpose(a[0, 0]),
    "errors: window": lambda xp, a: xp.lib.stride_tricks.sliding_window_view(a, 9, 0),
}


@pytest.mark.parametrize("case", ONE_ARRAY)
def test_as_numpy(case):
    compare(ONE_ARRAY[case], CUBE)
    compare(ONE_ARRAY[case], np.asfortranarray(CUBE.astype(np.float32)))


def test_concatenate_says_which_array_has_other_dimensions():
    for shapes in (((2,), (2,), (1, 2)), ((3, 2), (2,)), ((2,), ())):
        parts = [np.ones(shape) for shape in shapes]
        for more in ({}, {"dtype": "f4", "casting": "unsafe"}):
            with pytest.raises(ValueError) as wanted:
                np.concatenate(parts, **more)
            with pytest.raises(ValueError, match=f"^{re.escape(str(wanted.value))}$"):
                cp.concatenate([cp.array(part) for part in parts], **more)


@pytest.mark.parametrize("dtype", SOME, ids=str)
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "broadcast", "empty"])
def test_layouts(dtype, layout):
    host = in_layout(sample(dtype, (4, 6)), layout)
    for function in (
        lambda xp, a: a.reshape(-1),
        lambda xp, a: xp.ravel(a, "F"),
        lambda xp, a: a.copy("K"),
        lambda xp, a: xp.concatenate((a, a), 1),
        lambda xp, a: xp.roll(a, 2, 1),
        lambda xp, a: xp.tile(a, (2, 2)),
        lambda xp, a: a.T.copy(),
    ):
        compare(function, host)


def test_views_share_memory():
    a = cp.arange(24).reshape(2, 3, 4)
    views = [
        a.T,
        a.reshape(6, 4),
        a.ravel(),
        a[:, ::2],
        a.swapaxes(0, 1),
        cp.flip(a),
        a.diagonal(),
        cp.expand_dims(a, 0),
    ]
    views += [cp.broadcast_to(a, (3, 2, 3, 4)), cp.split(a, 2)[1], a[None], cp.squeeze(a[:1]), a.view()]
    for view in views:
        assert cp.may_share_memory(view, a)
        assert view.base is not None
    for copy in (a.copy(), a.flatten(), cp.roll(a, 1), a.T.ravel(), cp.tile(a, 1), cp.append(a, 1)):
        assert not cp.may_share_memory(copy, a)
    a.T[3, 2, 1] = -5
    assert a[1, 2, 3].item() == -5


def test_shares_memory():
    a = cp.arange(10)
    assert cp.may_share_memory(a[::2], a[1::2])
    assert not cp.shares_memory(a[::2], a[1::2])
    assert cp.shares_memory(a[::2], a[4:])
    assert not cp.shares_memory(a, a.copy())


def test_shape_can_be_set():
    a = cp.arange(6)
    a.shape = (2, 3)
    check(a, np.arange(6).reshape(2, 3))
    with pytest.raises((ValueError, AttributeError)):
        a.shape = (4, 2)
    with pytest.raises((AttributeError, ValueError)):
        a.T.shape = (6,)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int16], ids=str)
def test_view_as_another_dtype(dtype):
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    compare(lambda xp, a: a.view(dtype), host)
    compare(lambda xp, a: a.T.view(np.float64), host)
    compare(lambda xp, a: a[:, :3].view(np.float64), host)


def test_facts():
    for a, b in [(CUBE, to_device(CUBE)), (CUBE.T, to_device(CUBE).T), (CUBE[:, ::2], to_device(CUBE)[:, ::2])]:
        for name in ("shape", "ndim", "size", "itemsize", "nbytes", "strides", "dtype"):
            assert getattr(a, name) == getattr(b, name), name
        for name in ("C_CONTIGUOUS", "F_CONTIGUOUS"):
            assert a.flags[name] == b.flags[name]
        assert len(a) == len(b)
    assert (cp.ndim([[1]]), cp.shape([[1, 2]]), cp.size(to_device(CUBE), (0, 1))) == (2, (1, 2), 6)
    assert cp.broadcast_shapes((2, 1), (3,)) == (2, 3)
    with pytest.raises(TypeError):
        len(cp.array(1))


def test_out_of_concatenate():
    a, out = cp.arange(3), cp.empty(6, np.float64)
    assert cp.concatenate((a, a), out=out) is out
    check(out, np.array([0, 1, 2, 0, 1, 2.0]))
    same_error(
        lambda: cp.concatenate((a, a), out=cp.empty(5)), lambda: np.concatenate((np.arange(3),) * 2, out=np.empty(5))
    )
    same_error(
        lambda: cp.concatenate((cp.ones(2), cp.ones(2)), out=cp.empty(4, np.int32)),
        lambda: np.concatenate((np.ones(2), np.ones(2)), out=np.empty(4, np.int32)),
    )


def test_copyto():
    a = cp.zeros((2, 3))
    cp.copyto(a, cp.arange(3))
    check(a, np.array([[0, 1, 2.0]] * 2))
    cp.copyto(a, 9, where=a > 1)
    check(a, np.array([[0, 1, 9.0]] * 2))
    same_error(lambda: cp.copyto(cp.zeros(2, int), 1.5), lambda: np.copyto(np.zeros(2, int), 1.5))
    same_error(lambda: cp.copyto(cp.zeros(2), cp.zeros(3)), lambda: np.copyto(np.zeros(2), np.zeros(3)))
    cp.copyto(b := cp.zeros(2, int), 1.5, casting="unsafe")
    check(b, np.array([1, 1]))


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
def test_trim_zeros(trim):
    compare(lambda xp, a: xp.trim_zeros(a, trim), np.array([0, 0, 1, 0, 2, 0]))
    compare(lambda xp, a: xp.trim_zeros(a, trim), np.zeros(3))
    compare(lambda xp, a: xp.trim_zeros(a, trim), np.pad(np.ones((2, 2)), ((1, 2), (0, 1))))
    compare(lambda xp, a: xp.trim_zeros(a, trim, axis=0), np.pad(np.ones((2, 2)), 1))


PADS = [
    ("constant", {}),
    ("constant", {"constant_values": (4, 6)}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("linear_ramp", {"end_values": (-4, 7)}),
    ("maximum", {}),
    ("minimum", {"stat_length": 2}),
    ("mean", {"stat_length": ((2, 1), (1, 3))}),
    ("median", {}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]


@pytest.mark.parametrize("mode, arguments", PADS, ids=repr)
@pytest.mark.parametrize("dtype", [np.int32, np.float64], ids=str)
def test_pad(mode, arguments, dtype):
    host = sample(dtype, (3, 4), small=True)
    for width in [1, (2, 3), ((0, 2), (5, 1)), ((9, 8), (11, 13)), 0]:
        compare(lambda xp, a, w=width: xp.pad(a, w, mode, **arguments), host, ulp=4, scale=20, signs=False)
    compare(
        lambda xp, a: xp.pad(
            a,
            3,
            mode,
            **(
                {}
                if "stat_length" in arguments or "constant_values" in arguments or "end_values" in arguments
                else arguments
            ),
        ),
        host[:1, 0],
        ulp=4,
        scale=20,
        signs=False,
    )


def test_pad_otherwise():
    host = np.arange(6).reshape(2, 3)
    compare(lambda xp, a: xp.pad(a, {0: 1, -1: (0, 2)}), host)
    compare(lambda xp, a: xp.pad(a.T, 1, "edge"), host, strides=True)
    assert cp.pad(cp.arange(3), 2, "empty").shape == (7,)

    def fill(vector, width, axis, kwargs):
        vector[: width[0]] = kwargs["value"]
        vector[vector.shape[0] - width[1] :] = -1

    compare(lambda xp, a: xp.pad(a, 2, fill, value=7), host)
    compare(lambda xp, a: xp.pad(a, -1), host)
    compare(lambda xp, a: xp.pad(a, 1.5), host)
    compare(lambda xp, a: xp.pad(a, 1, "nonsense"), host)
    compare(lambda xp, a: xp.pad(a, 1, "edge", constant_values=1), host)
    compare(lambda xp, a: xp.pad(a[:0], 1, "edge"), host)
    compare(lambda xp, a: xp.pad(a[:0], 1), host)


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("step", [-1, 2])
def test_ravel_of_steps_is_contiguous(step, order):
    host = np.arange(6.0)[::step]
    device = cp.arange(6.0)[::step].ravel(order)
    np.testing.assert_array_equal(device.get(), host.ravel(order))
    assert device.strides == host.ravel(order).strides
