"""Rotations and rigid transforms beside SciPy's."""

import itertools
import pickle
import warnings

import cuproxide as cp
import cuproxide.scipy.spatial.transform as ct
import numpy as np
import pytest
import scipy.spatial.transform as st
from helpers import check, same_error

SHAPES = [(), (5,), (2, 3), (0,)]
ULP = 400


def near(ours, theirs, ulp=ULP):
    check(ours, np.asarray(theirs), ulp=ulp, scale=1)


def same(ours, theirs, ulp=ULP):
    near(ours.as_quat(canonical=True), theirs.as_quat(canonical=True), ulp)


def both(shape, seed=0):
    quat = np.random.default_rng(seed).normal(size=(*shape, 4))
    return ct.Rotation.from_quat(cp.asarray(quat)), st.Rotation.from_quat(quat)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_representations(shape):
    ours, theirs = both(shape)
    random = np.random.default_rng(1)
    assert (ours.shape, ours.single) == (theirs.shape, theirs.single)
    for name, options in (
        ("as_quat", {}), ("as_quat", {"scalar_first": True}), ("as_matrix", {}), ("as_rotvec", {}), ("as_mrp", {}),
        ("as_rotvec", {"degrees": True}), ("magnitude", {}),
    ):  # fmt: skip
        near(getattr(ours, name)(**options), getattr(theirs, name)(**options), 50000 if "degrees" in options else ULP)
    for axes in itertools.product("xyz", repeat=3):
        if axes[0] != axes[1] != axes[2]:
            for seq in ("".join(axes), "".join(axes).upper()):
                near(ours.as_euler(seq), theirs.as_euler(seq), 4000)
    for seq in ("x", "zy", "XYZ", "yzy"):
        angles = random.normal(size=(*shape, len(seq)))
        same(ct.Rotation.from_euler(seq, angles), st.Rotation.from_euler(seq, angles))
        same(ct.Rotation.from_euler(seq, angles, True), st.Rotation.from_euler(seq, angles, True))
    vectors = random.normal(size=(*shape, 3))
    for scale in (1, 1e-5, 0):
        same(ct.Rotation.from_rotvec(scale * vectors), st.Rotation.from_rotvec(scale * vectors))
        near(ct.Rotation.from_rotvec(scale * vectors).as_rotvec(), st.Rotation.from_rotvec(scale * vectors).as_rotvec())
    same(ct.Rotation.from_mrp(vectors), st.Rotation.from_mrp(vectors))
    matrix = theirs.as_matrix()
    for offset in (0, 0.01):
        moved = matrix + offset * random.normal(size=matrix.shape)
        same(ct.Rotation.from_matrix(moved), st.Rotation.from_matrix(moved), 4000)
    axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
    for order in "ei":
        near(ours.as_davenport(axes, order), theirs.as_davenport(axes, order), 40000)
        angles = random.normal(size=(*shape, 3))
        same(ct.Rotation.from_davenport(axes, order, angles), st.Rotation.from_davenport(axes, order, angles))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_operations(shape):
    ours, theirs = both(shape)
    one, other = both((), 2)
    random = np.random.default_rng(3)
    vectors = random.normal(size=(*shape, 3))
    for inverse in (False, True):
        near(ours.apply(vectors, inverse), theirs.apply(vectors, inverse))
        near(
            ours.apply(vectors[..., :1, :] if shape else vectors, inverse),
            theirs.apply(vectors[..., :1, :] if shape else vectors, inverse),
        )
    same(ours * one, theirs * other)
    same(one * ours, other * theirs)
    same(ours.inv(), theirs.inv())
    for n in (0, 1, -1, 2.5):
        same(ours**n, theirs**n)
    close = ours * ct.Rotation.from_rotvec([1e-9, 0, 0])
    assert bool(ours.approx_equal(close).all())
    assert not bool(ours.approx_equal(close, 1e-10).any())
    if theirs.shape not in ((), (0,)):
        weights = random.random(shape)
        same(ours.mean(), theirs.mean())
        same(ours.mean(weights), theirs.mean(weights))
        same(ours.mean(axis=0), theirs.mean(axis=0))
        for index in (0, slice(None, None, -1), np.array([1, 0, 1])):
            same(ours[index], theirs[index])
        assert len(ours) == len(list(ours)) == len(theirs)
        changed = ct.Rotation.concatenate(ours)
        changed[1] = one if len(shape) == 1 else ours[0]
        same(changed[0], theirs[0])
        same(changed[1], other if len(shape) == 1 else theirs[0])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rigid(shape):
    ours, theirs = both(shape)
    random = np.random.default_rng(4)
    moves, vectors = random.normal(size=(2, *shape, 3))
    a, b = ct.RigidTransform.from_components(moves, ours), st.RigidTransform.from_components(moves, theirs)
    near(a.as_matrix(), b.as_matrix())
    near(a.as_exp_coords(), b.as_exp_coords(), 40000)
    for inverse in (False, True):
        near(a.apply(vectors, inverse), b.apply(vectors, inverse))
    for n in (0, 1, -1, 0.5):
        near((a**n).as_matrix(), (b**n).as_matrix(), 40000)
    near((a * a.inv()).as_matrix(), (b * b.inv()).as_matrix())
    for scale in (1, 1e-5, 0):
        screws = scale * random.normal(size=(*shape, 6))
        near(
            ct.RigidTransform.from_exp_coords(screws).as_matrix(), st.RigidTransform.from_exp_coords(screws).as_matrix()
        )
    duals = random.normal(size=(*shape, 8))
    for first in (False, True):
        made = ct.RigidTransform.from_dual_quat(duals, scalar_first=first)
        near(made.as_matrix(), st.RigidTransform.from_dual_quat(duals, scalar_first=first).as_matrix(), 4000)
        if shape != (0,):
            again = ct.RigidTransform.from_dual_quat(made.as_dual_quat(scalar_first=first), scalar_first=first)
            near(again.as_matrix(), cp.asnumpy(made.as_matrix()))
    same(a.rotation, b.rotation)
    near(a.translation, b.translation)
    if shape not in ((), (0,)):
        weights = random.random(shape)
        near(a.mean().as_matrix(), b.mean().as_matrix(), 4000)
        near(a.mean(weights).as_matrix(), b.mean(weights).as_matrix(), 4000)
        near(a[0].as_matrix(), b[0].as_matrix())
        near(ct.RigidTransform.concatenate(list(a)).as_matrix(), cp.asnumpy(a.as_matrix()).reshape(-1, 4, 4))


def test_groups_and_reduction():
    for group in ("I", "O", "T", "C1", "C5", "D4", "D1"):
        for axis in "xyZ":
            ours, theirs = ct.Rotation.create_group(group, axis), st.Rotation.create_group(group, axis)
            assert ours.shape == theirs.shape
            overlap = abs(theirs.as_quat() @ cp.asnumpy(ours.as_quat()).T)
            np.testing.assert_allclose(overlap.max(axis=0), 1)
            np.testing.assert_allclose(overlap.max(axis=1), 1)
    (ours, theirs), group = both((7,)), st.Rotation.create_group("O")
    for left, right in ((group, None), (None, group)):
        mine = [None if g is None else ct.Rotation(g.as_quat()) for g in (left, right)]
        found, expected = ours.reduce(*mine, return_indices=True), theirs.reduce(left, right, return_indices=True)
        same(found[0], expected[0])
        for a, b in zip(found[1:], expected[1:], strict=True):
            assert (a is None and b is None) or a.tolist() == b.tolist()


def test_alignment():
    random = np.random.default_rng(5)
    a, b = random.normal(size=(2, 6, 3))
    for weights in (None, random.random(6), np.array([1, np.inf, 2, 1, 1, 1.0])):
        ours, theirs = (m.Rotation.align_vectors(a, b, weights) for m in (ct, st))
        same(ours[0], theirs[0], 4000)
        near(ours[1], theirs[1], 4000)
    ours, theirs = (m.Rotation.align_vectors(a, b, return_sensitivity=True)[2] for m in (ct, st))
    near(ours, theirs, 40000)
    for p, q in (([1, 0, 0], [0, 1, 0]), ([1, 0, 0], [-1, 0, 0]), ([1, 2, 3], [-1, -2, -3]), ([1, 2, 3], [1, 2, 3])):
        p, q = (np.array(x) / np.linalg.norm(x) for x in (p, q))
        near(ct.Rotation.align_vectors(p, q)[0].apply(q), p)


def test_interpolation():
    times = np.sort(np.random.default_rng(6).random(7))
    ours, theirs = both((7,), 7)
    at = np.linspace(times[0], times[-1], 20)
    same(ct.Slerp(times, ours)(at), st.Slerp(times, theirs)(at), 4000)
    same(ct.Slerp(times, ours)(at[3]), st.Slerp(times, theirs)(at[3]), 4000)
    for n in (2, 3, 7):
        a, b = ct.RotationSpline(times[:n], ours[:n]), st.RotationSpline(times[:n], theirs[:n])
        same(a(at), b(at), 1e8)
        for order in (1, 2):
            np.testing.assert_allclose(cp.asnumpy(a(at, order)), b(at, order), rtol=1e-8, atol=1e-8)
        same(a(at[2]), b(at[2]), 1e8)


def test_locked_angles_and_random_ones():
    for m in (ct, st):
        with pytest.warns(UserWarning, match="Gimbal lock"):
            m.Rotation.from_euler("xyz", [0.3, np.pi / 2, 0.2]).as_euler("xyz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        angles = ct.Rotation.from_euler("xyz", [0.3, np.pi / 2, 0.2]).as_euler("xyz", suppress_warnings=True)
    near(angles, [0.1, np.pi / 2, 0], 1e9)
    assert ct.Rotation.random().shape == ()
    assert ct.Rotation.random(shape=(2, 3)).shape == (2, 3)
    a, b = ct.Rotation.random(4, rng=1), ct.Rotation.random(4, rng=1)
    near(a.as_quat(), cp.asnumpy(b.as_quat()))
    near(cp.linalg.norm(a.as_quat(), axis=1), np.ones(4))
    assert repr(ct.Rotation.identity()) == repr(st.Rotation.identity())
    assert repr(ct.RigidTransform.identity()) == repr(st.RigidTransform.identity())
    near(pickle.loads(pickle.dumps(a)).as_quat(), cp.asnumpy(a.as_quat()))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.Rotation.from_quat([0, 0, 0, 0]),
        lambda m: m.Rotation.from_quat([1, 2, 3]),
        lambda m: m.Rotation.from_matrix(-np.eye(3)),
        lambda m: m.Rotation.from_matrix(np.zeros((3, 2))),
        lambda m: m.Rotation.from_euler("xxy", [1, 2, 3]),
        lambda m: m.Rotation.from_euler("xq", [1, 2]),
        lambda m: m.Rotation.from_euler("xyz", [1, 2]),
        lambda m: m.Rotation.from_rotvec(np.zeros(4)),
        lambda m: m.Rotation.from_davenport([[1, 0, 0], [1, 1, 0]], "e", [1, 2]),
        lambda m: m.Rotation.from_davenport([1, 0, 0], "q", 1.0),
        lambda m: m.Rotation.identity().as_euler("xy"),
        lambda m: len(m.Rotation.identity()),
        lambda m: m.Rotation.identity()[0],
        lambda m: iter(m.Rotation.identity()).__next__(),
        lambda m: m.Rotation.identity(3).apply(np.zeros((2, 3))),
        lambda m: m.Rotation.identity(3) * m.Rotation.identity(2),
        lambda m: m.Rotation.identity(3) * 2,
        lambda m: m.Rotation.identity(0).mean(),
        lambda m: m.Rotation.identity(3).mean(-np.ones(3)),
        lambda m: m.Rotation.identity(3).mean(axis=2),
        lambda m: m.Rotation.create_group("Q"),
        lambda m: m.Rotation.create_group("C3", "w"),
        lambda m: m.Rotation.align_vectors([[1, 0, 0]], [[1, 0, 0], [1, 1, 1]]),
        lambda m: m.Rotation.align_vectors([1, 0, 0], [0, 0, 0]),
        lambda m: m.Rotation.align_vectors(np.eye(3), np.eye(3), [np.inf, np.inf, 1]),
        lambda m: m.Rotation.concatenate([1]),
        lambda m: m.RigidTransform.from_matrix(np.ones((4, 4))),
        lambda m: m.RigidTransform.from_matrix(np.eye(3)),
        lambda m: m.RigidTransform.identity(3) * m.RigidTransform.identity(2),
        lambda m: m.RigidTransform.from_rotation(1),
        lambda m: m.Slerp([0], m.Rotation.identity(1)),
        lambda m: m.Slerp([1, 0], m.Rotation.identity(2)),
        lambda m: m.Slerp([0, 1], m.Rotation.identity(2))(2.0),
        lambda m: m.RotationSpline([0, 1], m.Rotation.identity(3)),
        lambda m: m.RotationSpline([0, 1], m.Rotation.identity(2))(0.5, 3),
    ],
)
def test_errors(call):
    same_error(lambda: call(ct), lambda: call(st))


def test_half_turns_keep_their_sign():
    quats = np.array(list(itertools.product((0.0, 1, -1, 0.5), repeat=4)))
    quats = quats[(quats != 0).any(axis=1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seq in ("xyz", "ZYX", "zxz", "YXY"):
            one, other = st.Rotation.from_quat(quats), ct.Rotation.from_quat(cp.asarray(quats))
            np.testing.assert_allclose(other.as_euler(seq).get(), one.as_euler(seq), atol=1e-9, err_msg=seq)
    np.testing.assert_allclose(ct.Rotation.from_mrp([0, 0, 1]).as_euler("xyz").get(), [0, 0, np.pi])


def test_rotations_and_transforms_compose():
    """A rotation is a transform without a move, on both sides."""
    turns, moves = np.random.default_rng(6).normal(size=(2, 4, 3))
    rotation = ct.Rotation.from_rotvec(cp.asarray(turns))
    transform = ct.RigidTransform.from_translation(cp.asarray(moves))
    promoted = ct.RigidTransform.from_rotation(rotation)
    for found, wanted in ((rotation * transform, promoted * transform), (transform * rotation, transform * promoted)):
        assert type(found) is ct.RigidTransform
        np.testing.assert_allclose(found.as_matrix().get(), wanted.as_matrix().get(), atol=1e-15)
    for other in (2, transform.as_matrix()):
        with pytest.raises(TypeError):
            transform * other
