"""Where NumPy's results lie in memory, down to the strides of axes of length 1."""

from __future__ import annotations

import cuproxide as cp
import numpy as np
import pytest

SHAPES = [(2, 3, 4), (4, 5), (1, 5), (5, 1), (3,), (2, 1, 3), (1, 1)]
LAYOUTS = {
    "C": lambda xp, x: x,
    "F": lambda xp, x: xp.asfortranarray(x),
    "transposed": lambda xp, x: x.T,
    "sparse": lambda xp, x: x[..., ::2],
    "reversed": lambda xp, x: x[::-1],
}
CALLS = {
    **{
        f"{name} {axis}": lambda xp, x, name=name, axis=axis: getattr(x, name)(axis=axis, keepdims=True)
        for name in ("sum", "max", "argmax", "mean", "var", "any")
        for axis in (None, 0, -1)
    },
    "expand_dims first": lambda xp, x: xp.expand_dims(x, 0),
    "expand_dims last": lambda xp, x: xp.expand_dims(x, -1),
    "expand_dims twice": lambda xp, x: xp.expand_dims(x, (0, 1)),
    "new axis": lambda xp, x: x[:, None],
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
    "add": lambda xp, x: x + 1,
    "add one row": lambda xp, x: x[:1] + x[:1],
    "compare": lambda xp, x: x > 0.5,
    "clip": lambda xp, x: x.clip(0, 0.5),
    "copy": lambda xp, x: x.copy("K"),
    "copy one row": lambda xp, x: x[:1].copy("K"),
    "astype of a new axis": lambda xp, x: x[None].astype("f4"),
    "zeros_like": lambda xp, x: xp.zeros_like(x[:1]),
    "array": lambda xp, x: xp.array(x, ndmin=4),
    "array in Fortran order": lambda xp, x: xp.array(x, ndmin=4, order="F"),
    "concatenate": lambda xp, x: xp.concatenate([x, x]),
    "concatenate last": lambda xp, x: xp.concatenate([x, x], axis=-1),
    "concatenate mixed": lambda xp, x: xp.concatenate([x, xp.asfortranarray(x)]),
    "stack": lambda xp, x: xp.stack([x, x]),
    "stack second": lambda xp, x: xp.stack([x, x], axis=1),
    "stack last": lambda xp, x: xp.stack([x, x], axis=-1),
    "hstack": lambda xp, x: xp.hstack([x, x]),
    "sort": lambda xp, x: xp.sort(x),
    "apply_over_axes": lambda xp, x: xp.apply_over_axes(xp.sum, x, [0]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("call", CALLS)
def test_strides(call, layout):
    for shape in SHAPES:
        host = np.random.default_rng(0).random(shape)
        wanted = CALLS[call](np, LAYOUTS[layout](np, host))
        found = CALLS[call](cp, LAYOUTS[layout](cp, cp.asarray(host)))
        assert (found.shape, found.strides) == (wanted.shape, wanted.strides), shape
        np.testing.assert_allclose(cp.asnumpy(found), wanted)


@pytest.mark.parametrize("optimize", [False, True, "optimal"])
@pytest.mark.parametrize("order", ["K", "A", "C", "F"])
@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk", "ij,jk->ki", "ijk,jil->kl", "bij,bjk->ikb", "ij,ij->ji", "i,j->ji", "ij,jk,kl->li", "aij,bjk->baik"],
)
def test_strides_of_einsum(subscripts, order, optimize):
    lengths = dict(zip("abijkl", (2, 3, 4, 5, 6, 4), strict=True)) | {"b": 3}
    if subscripts == "ij,ij->ji":
        lengths["j"] = 4
    shapes = [tuple(lengths[label] for label in term) for term in subscripts.partition("->")[0].split(",")]
    hosts = [np.random.default_rng(0).random(shape) for shape in shapes]
    for layout in ("C", "F", "mixed"):
        made = {}
        for xp in (np, cp):
            operands = [xp.asarray(host) for host in hosts]
            fortran = {"C": [], "F": range(len(operands)), "mixed": [1]}[layout]
            operands = [xp.asfortranarray(x) if i in fortran else x for i, x in enumerate(operands)]
            made[xp] = xp.einsum(subscripts, *operands, order=order, optimize=optimize)
        assert made[cp].strides == made[np].strides, layout
        np.testing.assert_allclose(cp.asnumpy(made[cp]), made[np])


@pytest.mark.parametrize("key", [True, False, np.True_, (True,), None])
def test_truth_as_an_index_of_a_flat_iterator(key):
    ours, theirs = cp.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    if isinstance(key, bool):
        with pytest.warns(DeprecationWarning, match="flat iterators"):
            assert ours.flat[key].tolist() == theirs.flat[key].tolist()
        with pytest.warns(DeprecationWarning, match="flat iterators"):
            ours.flat[key] = 9
        with pytest.warns(DeprecationWarning, match="flat iterators"):
            theirs.flat[key] = 9
        assert ours.tolist() == theirs.tolist()
        with pytest.warns(DeprecationWarning, match="flat iterators"):
            assert ours.flat[cp.asarray(True)] == (9 if key else 0)
        return
    for array in (ours, theirs):
        with pytest.raises(IndexError):
            array.flat[key]
        with pytest.raises(IndexError):
            array.flat[key] = 1


@pytest.mark.parametrize("dtype", ["u1", "i1", "i8", "f4"])
@pytest.mark.parametrize("value", [300, -1, 256, -129, 1.5])
def test_numbers_wrap_in_ufunc_at(dtype, value):
    for name in ("add", "maximum", "minimum", "multiply"):
        made = {}
        for xp in (np, cp):
            made[xp] = xp.ones(3, dtype)
            getattr(xp, name).at(made[xp], xp.asarray([0, 0, 2]), value)
        assert made[cp].tolist() == made[np].tolist(), name
    if dtype != "f4":
        with pytest.raises(OverflowError):
            cp.add.at(cp.ones(3, dtype), cp.asarray([0]), 2**70)
