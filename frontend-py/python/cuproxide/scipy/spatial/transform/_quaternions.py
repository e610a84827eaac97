"""Rotations as arrays: conversions between quaternions (x, y, z, w), matrices, vectors and angles.

Each conversion is one kernel, a thread for each rotation. Leading axes are broadcast.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import cuproxide as cp

from ...._cuproxide import ndarray
from ...._lib import kernel as k

# Below this angle series are used.
_SMALL = 1e-3


def as_doubles(value: Any, name: str, last: tuple[int, ...]) -> ndarray:
    """`value` as float64 whose last axes have these lengths."""
    value = cp.asarray(value)
    if value.dtype.kind == "c":
        raise TypeError(f"`{name}` must be real")
    if value.shape[max(value.ndim - len(last), 0) :] != last:
        raise ValueError(f"Expected `{name}` to have shape (..., {', '.join(map(str, last))}), got {value.shape}.")
    return value.astype(np.float64, copy=False)


def together(what: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of leading axes that are broadcast."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"Cannot broadcast {what} of the shapes {', '.join(map(str, shapes))}.") from None


def _made(kernel: Any, last: tuple[int, ...], *operands: tuple[ndarray, int], **options: Any) -> ndarray:
    """Runs a kernel of operands with so many axes of its own each."""
    shape = together("arrays", *(a.shape[: a.ndim - axes] for a, axes in operands))
    result = cp.empty((*shape, *last))
    if result.size:
        kernel(*(a for a, _ in operands), result, **options)
    return result


# ---------------------------------------------------------------------------------------------------- parts of kernels


@k.function
def _product(p, q):
    """The product of two quaternions in tuples."""
    return (
        p[3] * q[0] + q[3] * p[0] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] + q[3] * p[1] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + q[3] * p[2] + p[0] * q[1] - p[1] * q[0],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


@k.function
def _load(x, n):
    return tuple(x[i] for i in range(n))


@k.function
def _store(result, values):
    for i in range(len(values)):
        result[i] = values[i]


@k.function
def _of_vector(x, y, z):
    """The quaternion of a rotation vector."""
    angle = k.sqrt(x * x + y * y + z * z)
    square = angle * angle
    small = angle <= _SMALL
    series = 0.5 - square / 48.0 + square * square / 3840.0
    scale = k.where(small, series, k.sin(angle / 2.0) / k.where(small, 1.0, angle))
    return (x * scale, y * scale, z * scale, k.cos(angle / 2.0))


@k.function
def _canonical(q):
    """The one of both quaternions of a rotation whose first non-zero of w, x, y, z is positive."""
    x, y, z, w = q
    turned = (w < 0.0) | ((w == 0.0) & ((x < 0.0) | ((x == 0.0) & ((y < 0.0) | ((y == 0.0) & (z < 0.0))))))
    return tuple(k.where(turned, -part, part) for part in q)


# ------------------------------------------------------------------------------------------------------------- kernels


@k.kernel
def _normalize(q: k.Array[1], result: k.Out[1]) -> None:
    x, y, z, w = _load(q, 4)
    # By their largest element first, so that squares neither overflow nor vanish.
    size = max(max(abs(x), abs(y)), max(abs(z), abs(w)))
    x, y, z, w = x / size, y / size, z / size, w / size
    norm = k.sqrt(x * x + y * y + z * z + w * w)
    _store(result, (x / norm, y / norm, z / norm, w / norm))


@k.kernel
def _compose(p: k.Array[1], q: k.Array[1], result: k.Out[1]) -> None:
    _store(result, _product(_load(p, 4), _load(q, 4)))


@k.kernel
def _from_vector(v: k.Array[1], result: k.Out[1]) -> None:
    _store(result, _of_vector(v[0], v[1], v[2]))


@k.kernel
def _from_mrp(v: k.Array[1], result: k.Out[1]) -> None:
    x, y, z = _load(v, 3)
    below = x * x + y * y + z * z + 1.0
    _store(result, (2.0 * x / below, 2.0 * y / below, 2.0 * z / below, (2.0 - below) / below))


@k.kernel
def _from_angles(angles: k.Array[1], result: k.Out[1], *, axes: tuple[int, ...], intrinsic: bool) -> None:
    found = (0.0, 0.0, 0.0, 1.0)
    for i in range(len(axes)):
        sine, cosine = k.sin(angles[i] / 2.0), k.cos(angles[i] / 2.0)
        turn = tuple(cosine if part == 3 else sine if part == axes[i] else 0.0 for part in range(4))
        if i == 0:
            found = turn
        else:
            found = _product(found, turn) if intrinsic else _product(turn, found)
    _store(result, found)


@k.kernel
def _from_matrix(m: k.Array[2], result: k.Out[1]) -> None:
    """The quaternion of an orthogonal matrix, from its largest component."""
    a, b, c = m[0, 0], m[1, 1], m[2, 2]
    trace = a + b + c
    if a >= b and a >= c and a >= trace:
        q = (1.0 - trace + 2.0 * a, m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2])
    elif b >= c and b >= trace:
        q = (m[1, 0] + m[0, 1], 1.0 - trace + 2.0 * b, m[2, 1] + m[1, 2], m[0, 2] - m[2, 0])
    elif c >= trace:
        q = (m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], 1.0 - trace + 2.0 * c, m[1, 0] - m[0, 1])
    else:
        q = (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace)
    norm = k.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    _store(result, tuple(part / norm for part in q))


@k.function
def _rows(q):
    """The rows of the matrix of a rotation, one after another."""
    x, y, z, w = q
    return (
        x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
        2.0 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -x * x - y * y + z * z + w * w,
    )  # fmt: skip


@k.kernel
def _to_matrix(q: k.Array[1], result: k.Out[2]) -> None:
    rows = _rows(_load(q, 4))
    for i in range(9):
        result[i // 3, i % 3] = rows[i]


@k.kernel
def _to_vector(q: k.Array[1], result: k.Out[1], factor: float) -> None:
    x, y, z, w = _canonical(_load(q, 4))
    sine = k.sqrt(x * x + y * y + z * z)
    angle = 2.0 * k.arctan2(sine, w)
    square = angle * angle
    small = angle <= _SMALL
    series = 2.0 + square / 12.0 + 7.0 * square * square / 2880.0
    scale = factor * k.where(small, series, angle / k.where(small, 1.0, k.sin(angle / 2.0)))
    _store(result, (scale * x, scale * y, scale * z))


@k.kernel
def _to_mrp(q: k.Array[1], result: k.Out[1]) -> None:
    x, y, z, w = _load(q, 4)
    sign = k.where(w < 0.0, -1.0, 1.0)
    below = 1.0 + sign * w
    _store(result, (sign * x / below, sign * y / below, sign * z / below))


@k.kernel
def _to_canonical(q: k.Array[1], result: k.Out[1]) -> None:
    _store(result, _canonical(_load(q, 4)))


@k.function
def _wrapped(angle):
    """An angle of at most one turn, between -pi and pi; half a turn keeps its sign."""
    return k.where(angle < -np.pi, angle + 2.0 * np.pi, k.where(angle > np.pi, angle - 2.0 * np.pi, angle))


@k.function
def _three_angles(a, b, c, d, extrinsic, symmetric, sign, shift):
    """Angles from two half sums and differences (Bernardes and Viollet, 2022), and whether they are locked."""
    half_sum, half_difference = k.arctan2(b, a), k.arctan2(d, c)
    middle = 2.0 * k.arctan2(k.hypot(c, d), k.hypot(a, b))
    at_zero, at_half = abs(middle) <= 1e-7, abs(middle - np.pi) <= 1e-7
    locked = at_zero | at_half
    alone = k.where(at_zero, 2.0 * half_sum, 2.0 * half_difference * (-1.0 if extrinsic else 1.0))
    # Where the outer axes are one line, the third angle is set to zero.
    one, other = half_sum - half_difference, half_sum + half_difference
    if extrinsic:
        first, third = k.where(locked, alone, one), k.where(locked, 0.0, other)
    else:
        first, third = k.where(locked, alone, other), k.where(locked, 0.0, one)
    if not symmetric:
        if extrinsic:
            third = third * sign
        else:
            first = first * sign
        middle = middle - shift
    return (_wrapped(first), _wrapped(middle), _wrapped(third)), locked


@k.kernel
def _to_angles(q: k.Array[1], result: k.Out[1], factor: float, *, axes: tuple[int, int, int], extrinsic: bool):
    """Angles about three axes, and whether they are locked."""
    i, j, last = axes if extrinsic else axes[::-1]
    symmetric = i == last
    if symmetric:
        last = 3 - i - j
    sign = (i - j) * (j - last) * (last - i) // 2
    if symmetric:
        a, b, c, d = q[3], q[i], q[j], q[last] * sign
    else:
        a, b, c, d = q[3] - q[j], q[i] + q[last] * sign, q[j] + q[3], q[last] * sign - q[i]
    angles, locked = _three_angles(a, b, c, d, extrinsic, symmetric, sign, np.pi / 2)
    _store(result, tuple(angle * factor for angle in angles))
    return locked


@k.function
def _cross(u, v):
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


@k.function
def _dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@k.kernel
def _to_davenport(q: k.Array[1], axes: k.Array[2], result: k.Out[1], factor: float, *, extrinsic: bool):
    """Angles about three axes, of which neighbours are orthogonal, and whether they are locked."""
    first, middle, third = (tuple(axes[i, j] for j in range(3)) for i in range(3))
    if not extrinsic:
        first, third = third, first
    across = _cross(first, middle)
    shift = k.arctan2(_dot(third, across), _dot(third, first))
    turned = shift < 0.0
    middle = tuple(k.where(turned, -part, part) for part in middle)
    across = tuple(k.where(turned, -part, part) for part in across)
    shift = abs(shift)
    sine = k.sin(shift / 2.0)
    moved = _product((sine * middle[0], sine * middle[1], sine * middle[2], k.cos(shift / 2.0)), _load(q, 4))
    angles, locked = _three_angles(
        moved[3], _dot(moved, first), _dot(moved, middle), _dot(moved, across), extrinsic, False, 1.0, shift
    )
    _store(result, (angles[0] * factor, k.where(turned, -angles[1], angles[1]) * factor, angles[2] * factor))
    return locked


@k.kernel
def _rotate(q: k.Array[1], v: k.Array[1], result: k.Out[1], *, inverse: bool) -> None:
    rows = _rows(_load(q, 4))
    x, y, z = _load(v, 3)
    for i in range(3):
        a, b, c = (rows[i], rows[3 + i], rows[6 + i]) if inverse else rows[3 * i : 3 * i + 3]
        result[i] = a * x + b * y + c * z


@k.kernel
def _reduce(q: k.Array[1], left: k.Array[2], right: k.Array[2], result: k.Out[1]):
    """The product of a left one, the rotation and a right one that turns least, and which ones they are."""
    p = _load(q, 4)
    most, at_left, at_right = -1.0, 0, 0
    for i in k.steps(left.shape[0]):
        half = _product(tuple(left[i, d] for d in range(4)), p)
        for j in k.steps(right.shape[0]):
            scalar = abs(half[3] * right[j, 3] - half[0] * right[j, 0] - half[1] * right[j, 1] - half[2] * right[j, 2])
            if scalar > most:
                most, at_left, at_right = scalar, i, j
    half = _product(tuple(left[at_left, d] for d in range(4)), p)
    _store(result, _product(half, tuple(right[at_right, d] for d in range(4))))
    return at_left, at_right


# ----------------------------------------------------------------------------------------------------------- functions


def normalized(quat: ndarray) -> ndarray:
    """Quaternions of length one; `ValueError` for one without a length: of zeros, NaN or infinities."""
    # Sums of absolute values are a length of their own, which does not vanish with the squares.
    size = abs(quat).sum(axis=-1)
    if quat.size and not bool(((size > 0) & (abs(quat).max(axis=-1) < np.inf)).all()):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return _made(_normalize, (4,), (quat, 1))


def composed(p: ndarray, q: ndarray) -> ndarray:
    """Products of quaternions."""
    return _made(_compose, (4,), (p, 1), (q, 1))


def inverted(quat: ndarray) -> ndarray:
    """Conjugates of quaternions."""
    return quat * cp.asarray(np.array([-1.0, -1.0, -1.0, 1.0]))


def canonical(quat: ndarray) -> ndarray:
    """The one of both quaternions of each rotation with positive w."""
    return _made(_to_canonical, (4,), (quat, 1))


def from_vectors(vectors: ndarray) -> ndarray:
    """Quaternions from rotation vectors."""
    return _made(_from_vector, (4,), (vectors, 1))


def from_mrps(mrps: ndarray) -> ndarray:
    """Quaternions from modified Rodrigues parameters."""
    return _made(_from_mrp, (4,), (mrps, 1))


def from_orthogonal(matrices: ndarray) -> ndarray:
    """Quaternions from orthogonal matrices."""
    return _made(_from_matrix, (4,), (matrices, 2))


def sequence(seq: str, count: int | None = None) -> tuple[tuple[int, ...], bool]:
    """The axes of a sequence like `xyz`, and whether it is intrinsic."""
    if count is not None and len(seq) != count:
        raise ValueError(f"Expected {count} axes, got {seq}.")
    if not 1 <= len(seq) <= 3:
        raise ValueError(f"Expected axis specification to be a non-empty string of up to 3 characters, got {seq}")
    intrinsic = re.fullmatch("[XYZ]+", seq) is not None
    if not intrinsic and re.fullmatch("[xyz]+", seq) is None:
        raise ValueError(f"Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got {seq}")
    if any(a == b for a, b in zip(seq, seq[1:], strict=False)):
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return tuple("xyz".index(axis) for axis in seq.lower()), intrinsic


def is_extrinsic(order: str) -> bool:
    """What `order` says."""
    if order in ("e", "extrinsic"):
        return True
    if order in ("i", "intrinsic"):
        return False
    raise ValueError(
        "order should be 'e'/'extrinsic' for extrinsic sequences or 'i'/'intrinsic' for intrinsic sequences, got "
        f"{order}"
    )


def from_angles(seq: str, angles: ndarray) -> ndarray:
    """Quaternions from angles about axes."""
    axes, intrinsic = sequence(seq)
    if angles.shape[-1] != len(axes):
        raise ValueError(
            f"Expected last dimension of `angles` to match number of sequence axes specified, got {angles.shape[-1]}."
        )
    return _made(_from_angles, (4,), (angles, 1), axes=axes, intrinsic=intrinsic)


def to_matrices(quat: ndarray) -> ndarray:
    """Matrices of rotations."""
    return _made(_to_matrix, (3, 3), (quat, 1))


def to_vectors(quat: ndarray, degrees: bool = False) -> ndarray:
    """Rotation vectors."""
    result = cp.empty((*quat.shape[:-1], 3))
    if result.size:
        _to_vector(quat, result, 180 / np.pi if degrees else 1.0)
    return result


def to_mrps(quat: ndarray) -> ndarray:
    """Modified Rodrigues parameters."""
    return _made(_to_mrp, (3,), (quat, 1))


def to_angles(quat: ndarray, seq: str, degrees: bool) -> tuple[ndarray, ndarray]:
    """Angles about axes, and where they are locked."""
    axes, intrinsic = sequence(seq, 3)
    result = cp.empty((*quat.shape[:-1], 3))
    if not result.size:
        return result, cp.zeros(quat.shape[:-1], bool)
    locked = _to_angles(quat, result, 180 / np.pi if degrees else 1.0, axes=axes, extrinsic=not intrinsic)
    return result, locked


def to_davenport(quat: ndarray, axes: ndarray, order: str, degrees: bool) -> tuple[ndarray, ndarray]:
    """Angles about any axes, and where they are locked."""
    shape = together("rotations and axes", quat.shape[:-1], axes.shape[:-2])
    result = cp.empty((*shape, 3))
    if not result.size:
        return result, cp.zeros(shape, bool)
    locked = _to_davenport(quat, axes, result, 180 / np.pi if degrees else 1.0, extrinsic=is_extrinsic(order))
    return result, locked


def rotated(quat: ndarray, vectors: ndarray, inverse: bool) -> ndarray:
    """Vectors turned by rotations."""
    together("rotations and vectors", quat.shape[:-1], vectors.shape[:-1])
    return _made(_rotate, (3,), (quat, 1), (vectors, 1), inverse=bool(inverse))


def reduced(quat: ndarray, left: ndarray, right: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """The smallest of the products with left and right ones, and which these are."""
    result = cp.empty(quat.shape)
    if not result.size:
        none = cp.zeros(quat.shape[:-1], np.int64)
        return result, none, none
    at_left, at_right = _reduce(quat, left, right, result)
    return result, at_left, at_right
