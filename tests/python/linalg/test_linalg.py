"""Products of vectors, matrices and tensors."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import BFLOAT16, DTYPES, check, compare, in_layout, same_error, sample, to_device
from matrices import matrix

SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (6, 4, 2)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((1, 1), (1, 1)),
    ((3, 0), (0, 5)),
    ((0, 3), (3, 5)),
    ((65, 130), (130, 67)),
    # So many that a GPU has a thread for each element.
    ((1100, 8, 8), (1100, 8, 8)),
    ((3200, 7, 3), (3, 3)),
    ((70_000, 1, 2), (70_000, 2, 1)),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(dtype, shapes):
    a, b = (sample(dtype, shape, seed, small=True) for seed, shape in enumerate(shapes))
    inner = shapes[0][-1]
    if dtype == BFLOAT16:
        expected = np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(BFLOAT16)
        check(cp.array(a) @ cp.array(b), expected, ulp=4, scale=2 + inner**0.5)
        return
    if dtype == np.float16:
        expected = np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(np.float16)
        check(cp.array(a) @ cp.array(b), expected, ulp=4, scale=2 + inner**0.5)
        return
    compare(lambda xp, x, y: xp.matmul(x, y), a, b, ulp=8 + inner, scale=2 + inner**0.5)


@pytest.mark.parametrize("left", ["C", "F", "strided", "reversed", "broadcast"])
@pytest.mark.parametrize("right", ["C", "F", "strided", "reversed", "broadcast"])
@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int64], ids=str)
@pytest.mark.parametrize(("m", "k", "n"), [(5, 6, 4), (170, 130, 90), (20, 9000, 17)])
def test_matmul_layouts(left, right, dtype, m, k, n):
    a, b = in_layout(sample(dtype, (m, k), 1, small=True), left), in_layout(sample(dtype, (k, n), 2, small=True), right)
    bounds = {"ulp": 32 + k, "scale": 8 + k**0.5}
    compare(lambda xp, x, y: x @ y, a, b, **bounds)
    compare(lambda xp, x, y: y.T @ x.T, a, b, **bounds)
    compare(lambda xp, x, y: xp.matmul(x, y, out=xp.empty((n, m), x.dtype).T), a, b, **bounds)


LAYOUTS = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "transposed": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=-1), 3, axis=-3)[..., ::3, :, ::2],
    "reversed": lambda x: x[..., ::-1, ::-1, ::-1],
    "broadcast": lambda x: np.broadcast_to(x[..., :1, :, :], x.shape),
}


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.complex128], ids=str)
def test_layouts_of_many_tiny_matrices(left, right, dtype):
    a = LAYOUTS[left](sample(dtype, (2, 700, 8, 6), 1, small=True))
    b = LAYOUTS[right](sample(dtype, (700, 6, 7), 2, small=True))
    bounds = {"ulp": 14, "scale": 5}
    compare(lambda xp, x, y: x @ y, a, b, **bounds)
    compare(lambda xp, x, y: xp.einsum("abij,bjk->abki", x, y), a, b, **bounds)
    compare(lambda xp, x, y: xp.matmul(x, y, out=xp.empty((2, 8, 700, 7), x.dtype).swapaxes(1, 2)), a, b, **bounds)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.float16], ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (7, 100), (66, 33), (5, 70_001), (70_001, 3), (300, 1100)], ids=str)
def test_products_with_vectors(dtype, shape):
    """Lines and columns, few and many, in parts of the shared axis and in one."""
    rows, columns = shape
    a = sample(dtype, shape, small=True)
    x, y = sample(dtype, (columns,), 1, small=True), sample(dtype, (2 * rows,), 2, small=True)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    for layout in ("C", "F", "strided", "reversed"):
        host = in_layout(a, layout)
        m, n = host.shape
        one, two = x[:n], y[: 2 * m : 2]
        device = to_device(host)
        for found, terms in (
            (device @ to_device(one), (host, one)),
            (to_device(two) @ device, (two, host)),
            (device.T @ to_device(two[::-1]), (host.T, two[::-1])),
            (cp.vdot(device, device), (host.ravel().conj(), host.ravel())),
        ):
            expected = np.matmul(*(term.astype(wide) for term in terms)).astype(dtype)
            sizes = np.matmul(*(abs(term.astype(wide)) for term in terms)).max(initial=1)
            check(found, expected, ulp=16, scale=sizes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
@pytest.mark.parametrize("shape", [(2100, 2000), (3, 1_400_001), (1_400_004, 3), (3, 1_400_004)], ids=str)
def test_large_matrices_times_vectors(dtype, shape):
    """So large that a GPU adds up products of rows that are dense; transposed ones are the library's."""
    a = sample(dtype, shape, small=True)
    x, y = (sample(dtype, (length,), seed, small=True) for seed, length in enumerate(shape))
    for host in (a, np.asfortranarray(a), a[:, ::-1], a[1:, 1:]):
        rows, columns = host.shape
        left, right = x[:rows], y[:columns]
        device, wide = to_device(host), host.astype(np.float64)
        for found, terms in (
            (device @ cp.array(right), (wide, right)),
            (cp.array(left) @ device, (left, wide)),
            (device.T @ cp.array(left), (wide.T, left)),
            (cp.matmul(device, cp.array(right)[:, None]), (wide, right[:, None])),
        ):
            sizes = np.matmul(*map(np.abs, terms)).max()
            check(found, np.matmul(*terms).astype(dtype), ulp=16, scale=sizes)


def test_infinite_products_with_vectors():
    a = np.ones((40, 50))
    a[3, 7], a[5, 9], a[6, 49] = np.inf, np.nan, -np.inf
    x = np.ones(50)
    compare(lambda xp, a, x: a @ x, a, x)
    compare(lambda xp, a, x: x @ a.T, a, x)
    compare(lambda xp, a, x: x[:40] @ a, a, x)


def test_matmul_arguments():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12).reshape(3, 4)
    compare(lambda xp, x, y: xp.matmul(x, y), a, b)
    compare(lambda xp, x, y: xp.matmul(x, y, dtype=np.complex64), a, b)
    compare(lambda xp, x, y: xp.matmul(x, y.T, axes=[(0, 1), (1, 0), (0, 1)]), a, b)
    compare(lambda xp, x, y: xp.matmul(xp.stack([x, x]), y, axes=[(-2, -1), (0, 1), (0, -1)]), a, b)
    out = cp.empty((2, 4))
    assert cp.matmul(cp.array(a), cp.array(b), out=out) is out
    check(out, a @ b)
    c = cp.array(a)
    c @= cp.array(np.eye(3))
    check(c, a)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 5)), ((), (3,)), ((3,), ()), ((3,), (4,)), ((2, 3, 4), (3, 4, 5))], ids=str
)
def test_matmul_refuses(shapes):
    a, b = (np.ones(shape) for shape in shapes)
    same_error(lambda: to_device(a) @ to_device(b), lambda: a @ b)
    same_error(lambda: cp.matmul(to_device(a), to_device(b)), lambda: np.matmul(a, b))


@pytest.mark.parametrize(
    "left, right, out",
    [
        ((2, 3), (3, 4), (5, 2, 4)),
        ((1, 2, 3), (3, 4), (5, 2, 4)),
        ((2, 3), (3, 4), (6, 0, 2, 4)),
        ((3,), (3, 4), (5, 4)),
        ((2, 3), (3,), (1, 5, 2)),
        ((3,), (3,), (2, 2)),
        ((0, 3), (3, 4), (2, 0, 4)),
        ((2, 2, 3), (3, 4), (2, 4)),
        ((2, 2, 3), (3, 4), (1, 2, 4)),
        ((2, 3), (3, 4), (2, 5)),
        ((2, 3), (3, 4), (1, 4)),
        ((2, 3), (3, 4), ()),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_matmul_fills_a_larger_stack(left, right, out, dtype):
    """The matrices of `out` are the result's; its stack is what the result's broadcasts to."""
    a, b = (sample(dtype, shape, seed, small=True) for seed, shape in enumerate((left, right)))
    try:
        np.matmul(a, b, out=np.empty(out, dtype))
    except ValueError:
        with pytest.raises(ValueError, match="utput operand"):
            cp.matmul(cp.array(a), cp.array(b), out=cp.empty(out, dtype))
    else:
        compare(lambda xp, x, y: xp.matmul(x, y, out=xp.empty(out, x.dtype)), a, b, ulp=16)


def test_matmul_refuses_out():
    a = np.ones((2, 2))
    same_error(lambda: cp.matmul(cp.array(a), cp.array(a), out=cp.empty(3)), lambda: np.matmul(a, a, out=np.empty(3)))
    same_error(
        lambda: cp.matmul(cp.array(a), cp.array(a), out=cp.empty((2, 2), int)),
        lambda: np.matmul(a, a, out=np.empty((2, 2), int)),
    )


PRODUCTS = {
    "dot": lambda xp, a, b, v: xp.dot(a, b),
    "dot vectors": lambda xp, a, b, v: xp.dot(v, v),
    "dot scalar": lambda xp, a, b, v: xp.dot(a, 3),
    "dot method": lambda xp, a, b, v: a.dot(v),
    "dot tensors": lambda xp, a, b, v: xp.dot(a, xp.stack([b, b * 2])),
    "vdot": lambda xp, a, b, v: xp.vdot(a * 1j, b),
    "inner": lambda xp, a, b, v: xp.inner(a, b.T),
    "inner vectors": lambda xp, a, b, v: xp.inner(v, v),
    "inner scalar": lambda xp, a, b, v: xp.inner(2, v),
    "outer": lambda xp, a, b, v: xp.outer(a, v),
    "kron": lambda xp, a, b, v: xp.kron(a, b),
    "kron 1d": lambda xp, a, b, v: xp.kron(v, a),
    "trace": lambda xp, a, b, v: xp.trace(a, 1),
    "trace method": lambda xp, a, b, v: xp.stack([a, a]).trace(0, 1, 2),
    "vecdot": lambda xp, a, b, v: xp.vecdot(a * 1j, v),
    "vecdot axis": lambda xp, a, b, v: xp.vecdot(a, a, axis=0),
    "matvec": lambda xp, a, b, v: xp.matvec(xp.stack([a, a]), v),
    "vecmat": lambda xp, a, b, v: xp.vecmat(v, b),
    "tensordot": lambda xp, a, b, v: xp.tensordot(a, b, 1),
    "tensordot 2": lambda xp, a, b, v: xp.tensordot(a, b.T),
    "tensordot 0": lambda xp, a, b, v: xp.tensordot(v, v, 0),
    "tensordot axes": lambda xp, a, b, v: xp.tensordot(a, b, ([1, 0], [0, 1])),
    "tensordot axis": lambda xp, a, b, v: xp.tensordot(xp.stack([a, a, a]), v, (2, 0)),
    "cross": lambda xp, a, b, v: xp.cross(v[:3], b[:3, 0]),
    "cross rows": lambda xp, a, b, v: xp.cross(a[:, :3], a[::-1, 1:]),
    "cross columns": lambda xp, a, b, v: xp.cross(b[:3], v[:3, None], axis=0),
    "matrix_power": lambda xp, a, b, v: xp.linalg.matrix_power(a @ b, 5),
    "matrix_power 0": lambda xp, a, b, v: xp.linalg.matrix_power(a @ b, 0),
    "matrix_power 1": lambda xp, a, b, v: xp.linalg.matrix_power(a @ b, 1),
    "multi_dot": lambda xp, a, b, v: xp.linalg.multi_dot([v, b, a, b]),
    "errors: dot": lambda xp, a, b, v: xp.dot(a, a),
    "errors: inner": lambda xp, a, b, v: xp.inner(a, b),
    "errors: vdot": lambda xp, a, b, v: xp.vdot(a, v),
    "errors: tensordot": lambda xp, a, b, v: xp.tensordot(a, b, 2),
    "errors: tensordot axes": lambda xp, a, b, v: xp.tensordot(a, b, ([0], [1, 0])),
    "errors: cross": lambda xp, a, b, v: xp.cross(v, v),
    "errors: matrix_power": lambda xp, a, b, v: xp.linalg.matrix_power(a, 2),
    "errors: multi_dot": lambda xp, a, b, v: xp.linalg.multi_dot([a]),
}


@pytest.mark.parametrize("case", PRODUCTS)
@pytest.mark.parametrize("dtype", [np.float64, np.int32], ids=str)
def test_products(case, dtype):
    a, b, v = sample(dtype, (3, 4), 1, True), sample(dtype, (4, 3), 2, True), sample(dtype, (4,), 3, True)
    compare(PRODUCTS[case], a, b, v, ulp=512, scale=8)


EINSUMS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ij,kj->ik", (3, 4), (5, 4)),
    ("ij->ji", (3, 4)),
    ("ij->", (3, 4)),
    ("ij->j", (3, 4)),
    ("ii->i", (4, 4)),
    ("ii", (4, 4)),
    ("iij->j", (4, 4, 3)),
    ("i,i->", (4,), (4,)),
    ("i,j->ij", (4,), (3,)),
    ("i,j->ji", (4,), (3,)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bjk->ikb", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
    ("...ij,jk", (2, 3, 4), (4, 5)),
    ("i...->...", (3, 4, 2)),
    ("...i->...", (3, 4, 2)),
    ("i...j->j...i", (3, 4, 2)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("ij,jk,kl,lm->mi", (2, 3), (3, 4), (4, 5), (5, 2)),
    ("i,i,i->i", (4,), (4,), (4,)),
    ("ijk,jl,kl->il", (2, 3, 4), (3, 5), (4, 5)),
    ("ab,cd->abcd", (2, 3), (4, 5)),
    ("ab,cd->", (2, 3), (4, 5)),
    ("ijj,j->i", (2, 3, 3), (3,)),
    ("aabb->ab", (3, 3, 2, 2)),
    ("ij,i->ij", (3, 4), (3,)),
    (",i->i", (), (3,)),
    (" i j , j k -> i k ", (3, 4), (4, 5)),
    ("ijk->kij", (2, 3, 4)),
    ("ij,j->i", (0, 4), (4,)),
    ("ij,jk->ik", (3, 0), (0, 5)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=lambda case: case[0])
@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.int16], ids=str)
def test_einsum(case, dtype):
    subscripts, *shapes = case
    arrays = [sample(dtype, shape, seed, small=True) for seed, shape in enumerate(shapes)]
    for optimize in (False, True):
        compare(
            lambda xp, *a, o=optimize: xp.einsum(subscripts, *a, optimize=o), *arrays, ulp=128, scale=8, signs=False
        )


@pytest.mark.parametrize("subscripts", ["ij,k->k", "ij,j->", "ij,kl->ij", "ij,ij->i", "ij,jk,k->k"])
@pytest.mark.parametrize("dtypes", [("?", "d"), ("b", "q"), ("e", "d"), ("b", "?"), ("f", "D")], ids=str)
def test_einsum_of_mixed_types(subscripts, dtypes):
    """Terms are added in the common type, those that only one operand has too."""
    values = {"?": 1, "b": 100, "e": 60000}
    inputs = subscripts.split("->")[0].split(",")
    dtypes = (dtypes[0], *(dtypes[1],) * (len(inputs) - 1))
    arrays = [
        np.full((3,) * len(labels), values.get(dtype, 2), dtype) for labels, dtype in zip(inputs, dtypes, strict=True)
    ]
    compare(lambda xp, *a: xp.einsum(subscripts, *a), *arrays)


def test_casting_and_order_of_products():
    a, b = np.ones((2, 3)), np.ones((3, 2))
    calls = [
        lambda xp, a, b: xp.matmul(a, b, casting="bogus"),
        lambda xp, a, b: xp.matmul(a, b, order="Z"),
        lambda xp, a, b: xp.matmul(a, b, dtype=np.int32),
        lambda xp, a, b: xp.matmul(a, b, out=xp.zeros((2, 2), np.float32), casting="safe"),
        lambda xp, a, b: xp.einsum("ij,jk", a, b, casting="bogus"),
        lambda xp, a, b: xp.einsum("ij,jk", a, b, order="Z"),
        lambda xp, a, b: xp.einsum("ij,jk", a, b, out=xp.zeros((2, 2), np.float32)),
        lambda xp, a, b: xp.linalg.multi_dot([a, b, a], out=xp.zeros((2, 3), np.float32)),
        lambda xp, a, b: xp.linalg.multi_dot([a, b, a], out=xp.zeros((2, 3), order="F")),
        lambda xp, a, b: xp.dot(a, 2.0, out=xp.zeros((2, 3), np.float32)),
    ]
    for call in calls:
        same_error(lambda call=call: call(cp, cp.array(a), cp.array(b)), lambda call=call: call(np, a, b))
    out = cp.zeros((2, 2), np.int64)
    assert cp.matmul(cp.array(a), cp.array(b), out=out, casting="unsafe") is out
    check(out, (a @ b).astype(np.int64))
    compare(lambda xp, a, b: xp.einsum("ij,jk", a, b, out=xp.zeros((2, 2), np.float32), casting="same_kind"), a, b)


def test_einsum_otherwise():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    compare(lambda xp, x, y: xp.einsum(x, [0, 1], y, [1, 2], [0, 2]), a, b)
    compare(lambda xp, x, y: xp.einsum(x, [0, 1], y, [1, 2]), a, b)
    compare(lambda xp, x, y: xp.einsum(x, [..., 1], [...]), a, b)
    compare(lambda xp, x, y: xp.einsum("ij,jk->ik", x, y, dtype=np.complex64, casting="same_kind"), a, b)
    out = cp.empty((2, 4))
    assert cp.einsum("ij,jk->ik", cp.array(a), cp.array(b), out=out) is out
    check(out, a @ b)
    view = cp.einsum("ii->i", square := cp.zeros((3, 3)))
    view[...] = 1
    check(square, np.eye(3))
    path, _ = cp.einsum_path("ij,jk,kl->il", cp.array(a), cp.array(b), cp.array(b.T))
    assert path[0] == "einsum_path"
    check(cp.einsum("ij,jk,kl->il", cp.array(a), cp.array(b), cp.array(b.T), optimize=path), a @ b @ b.T)


@pytest.mark.parametrize(
    "path",
    [
        [(0, 1), (0, 1), (0, 1)],
        [(1, 2), (0, 1), (0, 1)],
        [(2, 3), (1, 2), (0, 1)],
        [(0, 1, 2), (0, 1)],
        [(1, 3), (0, 1, 2)],
        [(0, 1, 2, 3)],
        [(0,), (0, 1, 2, 3)],
        [(0, 1)],
        [(0, 1), (0, 1)],
        [(0, 9)],
    ],
    ids=str,
)
@pytest.mark.parametrize("subscripts", ["ij,jk,kl,lm->im", "ij,jk,kl,lm->kj", "ii,ij,jj,kl->lj", "ij,ij,ij,ij->"])
def test_einsum_along_paths(subscripts, path):
    arrays = [sample(np.int64, (3, 3), seed, small=True) for seed in range(4)]

    def call(xp, *a):
        return xp.einsum(subscripts, *a, optimize=["einsum_path", *path])

    try:
        call(np, *arrays)
    except (RuntimeError, IndexError):
        same_error(lambda: call(cp, *map(cp.array, arrays)), lambda: call(np, *arrays))
    else:
        compare(call, *arrays)


def test_einsum_of_other_shapes_and_layouts():
    """Nothing is kept from a call that the next one, with the same subscripts, must not use."""
    for shapes in [((2, 3), (3, 4)), ((2, 1), (3, 4)), ((2, 3), (1, 4)), ((0, 3), (3, 4)), ((5, 3), (3, 2))]:
        for order in "CF":
            for dtype in (np.int32, np.float64):
                arrays = [np.asarray(sample(dtype, shape, small=True), order=order) for shape in shapes]
                compare(lambda xp, x, y: xp.einsum("ij,jk->ik", x, y), *arrays, ulp=128, scale=8)
                compare(lambda xp, x, y: xp.einsum("ij,jk", x.T, y.T), *(x.T for x in arrays), ulp=128, scale=8)
    a = cp.zeros((2, 3))
    for subscripts in ("ij", "ij->ji", "ij->ij"):
        view = cp.einsum(subscripts, a)
        assert view is not a and cp.shares_memory(view, a)


@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij,jk->ik", [(2, 3)]),
        ("ijk->i", [(2, 3)]),
        ("i->i", [(2, 3)]),
        ("ij->ijj", [(2, 3)]),
        ("ij->k", [(2, 3)]),
        ("ii->i", [(2, 3)]),
        ("i#->i", [(2, 3)]),
        ("....i->i", [(2, 3)]),
    ],
)
def test_einsum_refuses(subscripts, shapes):
    arrays = [np.ones(shape) for shape in shapes]
    same_error(lambda: cp.einsum(subscripts, *map(cp.array, arrays)), lambda: np.einsum(subscripts, *arrays))


@pytest.mark.parametrize("order", [None, 0, 1, 2, 3, 0.5, np.inf, -np.inf])
def test_vector_norms(order):
    host = sample(np.float64, (3, 4), small=True)
    compare(lambda xp, a: xp.linalg.norm(a[0], order), host, ulp=32)
    compare(lambda xp, a: xp.linalg.norm(a * 1j, order, axis=1), host, ulp=32)
    compare(lambda xp, a: xp.linalg.norm(a, order, axis=0, keepdims=True), host, ulp=32)
    if order is not None:
        compare(lambda xp, a: xp.linalg.vector_norm(a, ord=order), host, ulp=32)


@pytest.mark.parametrize("order", [None, "fro", 1, -1, np.inf, -np.inf])
def test_matrix_norms(order):
    host = sample(np.float32, (2, 3, 4), small=True)
    compare(lambda xp, a: xp.linalg.norm(a[0], order), host, ulp=32)
    compare(lambda xp, a: xp.linalg.norm(a, order, axis=(1, 2)), host, ulp=32)
    compare(lambda xp, a: xp.linalg.norm(a, order, axis=(2, 0), keepdims=True), host, ulp=32)
    if order is not None:
        compare(lambda xp, a: xp.linalg.matrix_norm(a, ord=order), host, ulp=32)


@pytest.mark.parametrize("keepdims", [None, 0, 2, "", "no", [], [0], np.True_, np.array(0), 1.5, (), b"x"])
def test_matrix_norms_keep_axes_where_keepdims_is_true(keepdims):
    host = sample(np.float64, (2, 3, 4), small=True)
    for order in ("fro", 1, np.inf, "nuc"):
        compare(lambda xp, a, order=order: xp.linalg.matrix_norm(a, keepdims=keepdims, ord=order), host, ulp=64)
        compare(lambda xp, a, order=order: xp.linalg.norm(a, order, (0, 2), keepdims), host, ulp=64)
    # So it does of the length of one vector.
    compare(lambda xp, a: xp.linalg.norm(a[0, 0], 2, None, keepdims), host, ulp=64)


def test_norm_refuses():
    same_error(lambda: cp.linalg.norm(cp.ones(3), "fro"), lambda: np.linalg.norm(np.ones(3), "fro"))
    same_error(lambda: cp.linalg.norm(cp.ones((2, 2)), 7), lambda: np.linalg.norm(np.ones((2, 2)), 7))


def test_large_products():
    a, b = sample(np.float32, (300, 200), 1, True), sample(np.float32, (200, 250), 2, True)
    check(cp.array(a) @ cp.array(b), a.astype(np.float64).dot(b).astype(np.float32), ulp=64, scale=16)
    check(cp.array(a).T[::2] @ cp.array(a), a.astype(np.float64).T[::2].dot(a).astype(np.float32), ulp=64, scale=16)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int32])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("width", [4, 40])
def test_products_of_windows_that_overlap(dtype, step, width):
    line = (matrix(dtype, (12000,)) * 4).astype(dtype)

    def windows(xp, values, stack=False):
        item = values.itemsize
        shape, strides = (600, width), (step * item, item)
        if stack:
            shape, strides = (3, 200, width), (7 * item, *strides)
        return xp.lib.stride_tricks.as_strided(values, shape, strides)

    for columns in (1, 20):
        for function in (
            lambda xp, v, n=columns: windows(xp, v) @ v[: width * n].reshape(width, n),
            lambda xp, v, n=columns: v[: 600 * n].reshape(n, 600) @ windows(xp, v),
            lambda xp, v, n=columns: windows(xp, v, True) @ v[: width * n].reshape(width, n),
        ):
            compare(function, line, ulp=64, scale=600)
    compare(lambda xp, v: windows(xp, v) @ windows(xp, v).T, line, ulp=64, scale=600)
    compare(lambda xp, v: windows(xp, v) @ v[:width], line, ulp=64, scale=600)


def test_compute_types():
    """What is asked for is remembered; the CPU computes in full precision whatever it says."""
    assert cp.linalg.get_compute_type(np.float64) == "default"
    a = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    exact = a.astype(np.float64) @ a.astype(np.float64)
    before = cp.linalg.get_compute_type(np.float32)
    try:
        for name, bits in (("default", 23), ("tf32", 10)):
            cp.linalg.set_compute_type(np.float32, name)
            assert cp.linalg.get_compute_type(np.float32) == name
            error = np.abs(cp.asnumpy(cp.array(a) @ cp.array(a)) - exact).max()
            assert error <= 256 * 2.0**-bits
    finally:
        cp.linalg.set_compute_type(np.float32, before)
    for dtype, name in ((np.float64, "tf32"), (np.float32, "half"), (np.float32, "other"), (np.int32, "tf32")):
        with pytest.raises(ValueError, match="arithmetic"):
            cp.linalg.set_compute_type(dtype, name)


def test_tf32_by_the_environment(run_python):
    code = "import cuproxide as cp, numpy as np; print(*map(cp.linalg.get_compute_type, (np.float32, np.float64)))"
    assert run_python(code, CUPROXIDE_TF32=1).stdout.split() == ["tf32", "default"]
    assert run_python(code).stdout.split() == ["default", "default"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "f2", "i8"])
@pytest.mark.parametrize(
    "sizes", [(2, 2, 2), (4, 4, 4), (3, 5, 7), (8, 1, 9), (1, 6, 5), (5, 3, 1), (16, 16, 16), (17, 16, 3)]
)
def test_small_stacks_in_every_layout(sizes, dtype):
    """Small operands that are not row-major are laid out first."""
    m, k, n = sizes
    random = np.random.default_rng(sum(sizes))

    def drawn(*shape):
        numbers = random.integers(-4, 5, shape).astype(dtype)
        return numbers + 1j * random.integers(-4, 5, shape).astype(dtype) if dtype[0] == "c" else numbers

    def layouts(a):
        wide = np.zeros((*a.shape[:-2], 2 * a.shape[-2], 2 * a.shape[-1]), a.dtype)
        wide[..., ::2, ::2] = a
        yield cp.asarray(a)
        yield cp.asarray(np.ascontiguousarray(a.swapaxes(-1, -2))).swapaxes(-1, -2)
        yield cp.asarray(wide)[..., ::2, ::2]
        yield cp.ascontiguousarray(cp.asarray(a)[..., ::-1])[..., ::-1]

    a, b = drawn(20, m, k), drawn(20, k, n)
    expected = a @ b
    for left in layouts(a):
        for right in layouts(b):
            np.testing.assert_array_equal((left @ right).get(), expected)
    out = cp.asarray(np.ascontiguousarray(expected.swapaxes(-1, -2))).swapaxes(-1, -2)
    np.testing.assert_array_equal(cp.matmul(cp.asarray(a), cp.asarray(b), out=out).get(), expected)


def test_operands_without_the_axes_of_a_product():
    vector, a, b = np.arange(3.0), np.ones((3, 4)), np.ones((4, 5))
    with pytest.raises(ValueError, match="vecdot: Input operand 1 does not have enough dimensions"):
        cp.linalg.vecdot(cp.asarray(vector), 2.0)
    for function in (cp.vecdot, cp.linalg.vecdot):
        with pytest.raises(TypeError, match="'NoneType' object cannot be interpreted as an integer"):
            function(cp.asarray(vector), cp.asarray(vector), axis=None)
    for axes in (3, ([5], [0]), ([0], [5])):
        for module, convert in ((np, np.asarray), (cp, cp.asarray)):
            with pytest.raises(IndexError):
                module.tensordot(convert(a), convert(b), axes)
    for axes in (([1, 1], [0, 0]), ([1, -1], [0, 1]), ([0, 1], [0, 0])):
        with pytest.raises(ValueError, match="duplicate axes are not allowed in tensordot"):
            cp.tensordot(cp.asarray(a), cp.asarray(b), axes)


@pytest.mark.parametrize("order", [None, 2, -2])
def test_cond_of_what_is_not_finite(order):
    """As NumPy 2.5: earlier releases raise LinAlgError for the whole stack."""
    host = np.array([[[1.0, 2], [3, 4]], [[np.nan, 1], [2, 3]], [[np.inf, 0], [0, 1]], [[np.nan, np.inf], [0, 1]]])
    for a in (host, host.astype(np.complex64), host[:, :1]):
        wanted = np.array([np.linalg.cond(a[0], order), np.nan, np.inf, np.nan])
        found = cp.linalg.cond(cp.asarray(a), order)
        assert found.dtype == a.real.dtype
        np.testing.assert_allclose(found.get(), wanted, rtol=1e-5)
        np.testing.assert_allclose([float(cp.linalg.cond(cp.asarray(one), order)) for one in a], wanted, rtol=1e-5)
    same_error(lambda: cp.linalg.cond(cp.ones(3), order), lambda: np.linalg.cond(np.ones(3), order))


@pytest.mark.parametrize("optimize", [False, True, "greedy", "optimal"])
def test_einsum_path_names_the_labels_of_the_program(optimize):
    a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5))
    problems = [
        ("ij,jk,kl", a, b, c),
        ("Zq , qc->Zc", a, b),
        ("...j,jk", a, b),
        ("ij->ji", a),
        (a, [5, 7], b, [7, 2], [2, 5]),
    ]
    problems.append((a, [..., 7], b, [7, 2]))
    for problem in problems:
        ours = [cp.asarray(part) if isinstance(part, np.ndarray) else part for part in problem]
        assert cp.einsum_path(*ours, optimize=optimize) == np.einsum_path(*problem, optimize=optimize)


@pytest.mark.parametrize("shapes", [((), (3,)), ((3,), ()), ((2,), (2,)), ((), ())])
def test_linalg_cross_refuses(shapes):
    # As NumPy 2.5: earlier releases raise IndexError for arrays without axes.
    with pytest.raises(ValueError, match="zero dimension|must be .arrays of. 3-dimensional"):
        cp.linalg.cross(*map(cp.ones, shapes))
