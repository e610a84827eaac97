"""Rotations in three dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import cuproxide as cp

from ...._cuproxide import ndarray
from ...._lib.arguments import is_integer
from ...._lib.generators import device_generator
from . import _quaternions as quaternions
from ._alignment import align
from ._groups import group_quaternions


def _shape(num: int | None, shape: Any) -> tuple[int, ...]:
    if num is not None and shape is not None:
        raise ValueError("Only one of `num` or `shape` can be specified.")
    chosen: Any = num if shape is None else shape
    if chosen is None:
        return ()
    return (int(chosen),) if np.ndim(chosen) == 0 else tuple(int(n) for n in chosen)


def reduced_axes(axis: Any, axes: int, shape: tuple[int, ...], what: str) -> tuple[int, ...]:
    """The axes that a mean goes over."""
    if axis is None:
        return tuple(range(axes))
    if is_integer(axis):
        axis = (int(axis),)
    if not isinstance(axis, tuple):
        raise ValueError("`axis` must be None, int, or tuple of ints.")
    if axis and (min(axis) < -axes or max(axis) >= axes):
        raise ValueError(f"axis {axis} is out of bounds for {what} with shape {shape}.")
    return tuple(sorted({one % axes for one in axis}))


class Rotation:
    """Rotations in three dimensions, in arrays of any shape on the device. See `scipy.spatial.transform.Rotation`.

    Parameters
    ----------
    quat
        Quaternions (x, y, z, w) of shape (..., 4).
    normalize
        Whether they are divided by their length.
    copy
        Whether they are copied.
    scalar_first
        Whether they are (w, x, y, z).

    Raises
    ------
    ValueError
        For other shapes and quaternions of length zero.

    >>> r = cp.scipy.spatial.transform.Rotation.from_euler("z", 90, degrees=True)
    >>> cp.round(r.apply(cp.asarray([1.0, 0.0, 0.0])))
    array([0., 1., 0.])
    """

    __array_ufunc__ = None

    def __init__(self, quat: Any, normalize: bool = True, copy: bool = True, scalar_first: bool = False) -> None:
        quat = quaternions.as_doubles(quat, "quat", (4,))
        if scalar_first:
            quat = cp.roll(quat, -1, axis=-1)
        if normalize:
            quat = quaternions.normalized(quat)
        elif copy:
            quat = quat.copy()
        self._quat: ndarray = quat

    # -------------------------------------------------------------------------------------------------------- creation

    @classmethod
    def _of(cls, quat: ndarray) -> Rotation:
        made = cls.__new__(cls)
        made._quat = quat
        return made

    @classmethod
    def from_quat(cls, quat: Any, *, scalar_first: bool = False) -> Rotation:
        """From quaternions of any length but zero.

        Parameters
        ----------
        quat : array_like
            The quaternions.
        """
        return cls(quat, normalize=True, scalar_first=scalar_first)

    @classmethod
    def from_matrix(cls, matrix: Any, *, assume_valid: bool = False) -> Rotation:
        """From matrices of shape (..., 3, 3). Those that are not orthogonal are replaced by the nearest that are.

        Parameters
        ----------
        matrix : array_like
            The matrices.
        assume_valid : bool
            Whether matrices are taken without checks.

        Raises
        ------
        ValueError
            Where a determinant is not positive, unless `assume_valid`.
        """
        matrix = quaternions.as_doubles(matrix, "matrix", (3, 3))
        if not assume_valid and matrix.size:
            wrong = cp.linalg.det(matrix) <= 0
            if bool(wrong.any()):
                at = int(cp.argmax(wrong.reshape(-1)))
                raise ValueError(
                    "Non-positive determinant (left-handed or null coordinate frame) in rotation matrix "
                    f"{at}: {matrix.reshape(-1, 3, 3)[at]}."
                )
            gramian = matrix @ cp.swapaxes(matrix, -1, -2)
            # As `isclose`: the absolute tolerance, and a relative one of the ones on the diagonal.
            off = abs(gramian - cp.eye(3)) > 1e-12 + 1e-5 * cp.eye(3)
            off = off.any(axis=(-2, -1))
            if bool(off.any()):
                u, _, vh = cp.linalg.svd(matrix)
                matrix = cp.where(off[..., None, None], u @ vh, matrix)
        return cls._of(quaternions.from_orthogonal(matrix))

    @classmethod
    def from_rotvec(cls, rotvec: Any, degrees: bool = False) -> Rotation:
        """From vectors along the axes, as long as the angles.

        Parameters
        ----------
        rotvec : array_like
            The vectors: axes times angles.
        """
        rotvec = quaternions.as_doubles(rotvec, "rot_vec", (3,))
        return cls._of(quaternions.from_vectors(rotvec * (np.pi / 180) if degrees else rotvec))

    @classmethod
    def from_euler(cls, seq: str, angles: Any, degrees: bool = False) -> Rotation:
        """From angles about up to three axes, of shape (..., len(seq)); a number for one axis.

        Lower case axes stand still (extrinsic), upper case ones are turned as well (intrinsic).
        """
        angles = cp.atleast_1d(cp.asarray(angles)).astype(np.float64, copy=False)
        return cls._of(quaternions.from_angles(seq, angles * (np.pi / 180) if degrees else angles))

    @classmethod
    def from_davenport(cls, axes: Any, order: str, angles: Any, degrees: bool = False) -> Rotation:
        """From angles about up to three axes of any direction, of which neighbours are orthogonal."""
        extrinsic = quaternions.is_extrinsic(order)
        axes = cp.asarray(axes).astype(np.float64)
        angles = cp.atleast_1d(cp.asarray(angles)).astype(np.float64)
        if axes.shape[-1:] != (3,):
            raise ValueError("Axes must be vectors of length 3.")
        axes = cp.atleast_2d(axes)
        count = axes.shape[-2]
        if not 1 <= count <= 3:
            raise ValueError(f"Expected up to 3 axes, got {count}")
        axes = axes / cp.linalg.norm(axes, axis=-1, keepdims=True)
        inner = (axes[..., :-1, :] * axes[..., 1:, :]).sum(axis=-1)
        if bool((abs(inner) > 1e-7).any()):
            raise ValueError("Consecutive axes must be orthogonal.")
        if angles.shape[-1] != count:
            raise ValueError(
                f"Expected `angles` to match number of axes, got {angles.shape} angles and {axes.shape} axes."
            )
        vectors = (angles * (np.pi / 180) if degrees else angles)[..., None] * axes
        result = quaternions.from_vectors(vectors[..., 0, :])
        for i in range(1, count):
            turn = quaternions.from_vectors(vectors[..., i, :])
            result = quaternions.composed(turn, result) if extrinsic else quaternions.composed(result, turn)
        return cls._of(result)

    @classmethod
    def from_mrp(cls, mrp: Any) -> Rotation:
        """From modified Rodrigues parameters: along the axes, as long as the tangent of a quarter of the angle."""
        return cls._of(quaternions.from_mrps(quaternions.as_doubles(mrp, "mrp", (3,))))

    @classmethod
    def identity(cls, num: int | None = None, *, shape: int | tuple[int, ...] | None = None) -> Rotation:
        """Rotations that turn nothing."""
        one = cp.asarray(np.array([0.0, 0.0, 0.0, 1.0]))
        return cls._of(cp.broadcast_to(one, (*_shape(num, shape), 4)).copy())

    @classmethod
    def random(
        cls,
        num: int | None = None,
        rng: Any = None,
        *,
        shape: tuple[int, ...] | None = None,
        random_state: Any = None,
    ) -> Rotation:
        """Uniformly distributed rotations. `rng` or `random_state` is a generator of the package or a seed of one.

        Parameters
        ----------
        random_state : RandomState, int or None, optional
            The generator of random numbers, or a seed for one.
        """
        generator = device_generator(random_state if rng is None else rng)
        return cls(generator.standard_normal((*_shape(num, shape), 4)), copy=False)

    @classmethod
    def create_group(cls, group: str, axis: str = "Z") -> Rotation:
        """The rotations of a group: `I`, `O`, `T`, `Dn`, `Cn`, the latter two about an axis.

        Parameters
        ----------
        group : str
            The name of the group.
        axis : int or str
            The axis of the group.
        """
        return cls(cp.asarray(group_quaternions(group, axis)))

    @classmethod
    def concatenate(cls, rotations: Rotation | Iterable[Rotation]) -> Rotation:
        """One object of several."""
        if isinstance(rotations, Rotation):
            return cls._of(rotations._quat.copy())
        rotations = list(rotations)
        if not all(isinstance(one, Rotation) for one in rotations):
            raise TypeError("input must contain Rotation objects only")
        return cls._of(cp.concatenate([cp.atleast_2d(one._quat) for one in rotations]))

    # ------------------------------------------------------------------------------------------------- representations

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> ndarray:
        """Quaternions; with `canonical` those with w >= 0.

        Parameters
        ----------
        canonical : bool
            Whether of both signs the one with a positive scalar part is taken.
        """
        quat = quaternions.canonical(self._quat) if canonical else self._quat.copy()
        return cp.roll(quat, 1, axis=-1) if scalar_first else quat

    def as_matrix(self) -> ndarray:
        """Matrices."""
        return quaternions.to_matrices(self._quat)

    def as_rotvec(self, degrees: bool = False) -> ndarray:
        """Vectors along the axes, as long as the angles."""
        return quaternions.to_vectors(self._quat, degrees)

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> ndarray:
        """Angles about three axes; a warning where they are not unique, for which is waited unless it is suppressed."""
        angles, locked = quaternions.to_angles(self._quat, seq, degrees)
        return self._warned(angles, locked, suppress_warnings)

    def as_davenport(self, axes: Any, order: str, degrees: bool = False, *, suppress_warnings: bool = False) -> ndarray:
        """Angles about three axes of any direction, of which neighbours are orthogonal."""
        quaternions.is_extrinsic(order)
        axes = cp.asarray(axes).astype(np.float64)
        if axes.ndim < 2 or axes.shape[-2] != 3:
            raise ValueError(f"Expected 3 axes, got {axes.shape}.")
        if axes.shape[-1] != 3:
            raise ValueError("Axes must be vectors of length 3.")
        axes = axes / cp.linalg.norm(axes, axis=-1, keepdims=True)
        if bool((abs((axes[..., :-1, :] * axes[..., 1:, :]).sum(axis=-1)) >= 1e-7).any()):
            raise ValueError("Consecutive axes must be orthogonal.")
        angles, locked = quaternions.to_davenport(self._quat, axes, order, degrees)
        return self._warned(angles, locked, suppress_warnings)

    @staticmethod
    def _warned(angles: ndarray, locked: ndarray, suppress_warnings: bool) -> ndarray:
        if not suppress_warnings and bool(locked.any()):
            warnings.warn(
                "Gimbal lock detected. Setting third angle to zero since it is not possible to uniquely determine all "
                "angles.",
                stacklevel=3,
            )
        return angles

    def as_mrp(self) -> ndarray:
        """Modified Rodrigues parameters."""
        return quaternions.to_mrps(self._quat)

    # ------------------------------------------------------------------------------------------------------ operations

    def apply(self, vectors: Any, inverse: bool = False) -> ndarray:
        """Vectors of shape (..., 3), turned. Rotations and vectors are broadcast.

        Parameters
        ----------
        vectors : array_like
            The vectors.
        """
        vectors = cp.asarray(vectors)
        if vectors.shape[-1:] != (3,):
            raise ValueError(f"Expected input of shape (..., 3), got {vectors.shape}.")
        return quaternions.rotated(self._quat, vectors.astype(np.float64, copy=False), inverse)

    def __mul__(self, other: Rotation) -> Rotation:
        """The other rotation first, then this one."""
        if not isinstance(other, Rotation):
            return NotImplemented
        try:
            np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(
                f"Cannot broadcast {self.shape} rotations in first to {other.shape} rotations in second object."
            ) from None
        return type(self)._of(quaternions.normalized(quaternions.composed(self._quat, other._quat)))

    def __pow__(self, n: Any, modulus: None = None) -> Rotation:
        """The rotation about the same axis by n times the angle."""
        if modulus is not None:
            raise NotImplementedError("modulus not supported")
        if isinstance(n, (ndarray, np.ndarray)):
            if n.shape not in ((), (1,)):
                raise ValueError("Array exponent must be a scalar")
            n = n.reshape(()).item()
        if n == 0:
            return type(self).identity(shape=self.shape)
        if n == -1:
            return self.inv()
        if n == 1:
            return type(self)._of(self._quat.copy())
        return type(self).from_rotvec(n * self.as_rotvec())

    def inv(self) -> Rotation:
        """The rotations back."""
        return type(self)._of(quaternions.inverted(self._quat))

    def magnitude(self) -> ndarray:
        """The angles, from 0 to pi."""
        quat = self._quat
        return 2 * cp.arctan2(cp.sqrt((quat[..., :3] ** 2).sum(axis=-1)), abs(quat[..., 3]))

    def approx_equal(self, other: Rotation, atol: float | None = None, degrees: bool = False) -> ndarray:
        """Whether the angle between rotations is smaller than `atol`, by default 1e-8.

        Parameters
        ----------
        other : Rotation
            The other rotations.
        atol : float, optional
            The greatest angle.
        """
        if atol is None:
            if degrees:
                warnings.warn("atol must be set to use the degrees flag, defaulting to 1e-8 radians.", stacklevel=2)
            atol = 1e-8
        elif degrees:
            atol = atol * np.pi / 180
        return (other * self.inv()).magnitude() < atol

    def mean(self, weights: Any = None, axis: int | tuple[int, ...] | None = None) -> Rotation:
        """The rotation with the least sum of squared chordal distances, over all axes or some."""
        if self._quat.shape[0] == 0:
            raise ValueError("Mean of an empty rotation set is undefined.")
        axes = self._quat.ndim - 1
        over = reduced_axes(axis, axes, self.shape, "rotation")
        outer = self._quat[..., :, None] * self._quat[..., None, :]
        if weights is not None:
            weights = cp.asarray(weights).astype(np.float64)
            if axes == 1 and weights.shape != self.shape:
                raise ValueError(
                    f"Expected `weights` to have number of values equal to number of rotations, got {weights.size} "
                    f"values and {self.shape[0]} rotations."
                )
            if bool((weights < 0).any()):
                raise ValueError("`weights` must be non-negative.")
            try:
                np.broadcast_shapes(weights.shape, self.shape)
            except ValueError:
                raise ValueError(
                    f"Expected `weights` to be broadcastable to rotation shape, got shape {weights.shape} for "
                    f"{self.shape} rotations."
                ) from None
            outer = weights[..., None, None] * outer
        _, vectors = cp.linalg.eigh(outer.mean(axis=over) if over else outer)
        return type(self)._of(cp.ascontiguousarray(vectors[..., -1]))

    def reduce(self, left: Rotation | None = None, right: Rotation | None = None, return_indices: bool = False) -> Any:
        """The smallest of the rotations `l * self * r` with `l` in `left` and `r` in `right`, and which these are.

        Parameters
        ----------
        left : Rotation, optional
            The rotations to apply on the left.
        right : Rotation, optional
            The rotations to apply on the right.
        return_indices : bool
            Whether the indices of the best ones are returned too.
        """
        one = Rotation.identity(1)
        # SciPy has a row of indices for a single rotation, too.
        found, at_left, at_right = quaternions.reduced(
            cp.ascontiguousarray(self._quat),
            cp.atleast_2d((left or one)._quat),
            cp.atleast_2d((right or one)._quat),
        )
        result = type(self)._of(found)
        if not return_indices:
            return result
        return (
            result,
            None if left is None else cp.atleast_1d(at_left),
            None if right is None else cp.atleast_1d(at_right),
        )

    @classmethod
    def align_vectors(cls, a: Any, b: Any, weights: Any = None, return_sensitivity: bool = False) -> Any:
        """The rotation that turns the vectors `b` onto `a` best, and the root of the weighted sum of squares left.

        One weight may be infinite: that pair is aligned exactly. With `return_sensitivity` also the matrix of errors.

        Parameters
        ----------
        a : array_like
            The vectors to align to.
        b : array_like
            The vectors to align.
        return_sensitivity : bool
            Whether the sensitivity is returned too.
        """
        quat, distance, sensitivity = align(a, b, weights, return_sensitivity)
        return (cls._of(quat), distance, sensitivity) if return_sensitivity else (cls._of(quat), distance)

    # ------------------------------------------------------------------------------------------------------- container

    @property
    def single(self) -> bool:
        """Whether this is one rotation and no array of them."""
        return self._quat.ndim == 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of rotations."""
        return self._quat.shape[:-1]

    def _must_be_many(self, what: str) -> None:
        if self.single:
            raise TypeError(f"Single rotation {what}.")

    def __getitem__(self, indexer: Any) -> Rotation:
        self._must_be_many("is not subscriptable")
        return type(self)._of(self._quat[indexer] if indexer is Ellipsis else _at(self._quat, indexer))

    def __setitem__(self, indexer: Any, value: Rotation) -> None:
        self._must_be_many("is not subscriptable")
        if not isinstance(value, Rotation):
            raise TypeError("value must be a Rotation object")
        self._quat[_key(indexer)] = value._quat

    def __len__(self) -> int:
        self._must_be_many("has no len()")
        return self._quat.shape[0]

    def __iter__(self) -> Iterator[Rotation]:
        self._must_be_many("is not iterable")
        return (type(self)._of(self._quat[i]) for i in range(self._quat.shape[0]))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        lines = f"{self.as_matrix()!r}".splitlines()
        return "Rotation.from_matrix(" + ("\n" + " " * 21).join(lines) + ")"


def _key(indexer: Any) -> Any:
    """What picks rotations, or matrices, whole."""
    if isinstance(indexer, (list, np.ndarray)):
        # No places are none of any type.
        indexer = cp.asarray(indexer, np.int64 if len(indexer) == 0 else None)
    return indexer if isinstance(indexer, ndarray) or indexer is Ellipsis else _with_rest(indexer)


def _with_rest(indexer: Any) -> Any:
    whole = indexer if isinstance(indexer, tuple) else (indexer,)
    return whole if any(part is Ellipsis for part in whole) else (*whole, Ellipsis)


def _at(values: ndarray, indexer: Any) -> ndarray:
    return values[_key(indexer)]


__all__ = ["Rotation"]
