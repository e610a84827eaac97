"""Rotations with translations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import cuproxide as cp

from ...._cuproxide import ndarray
from . import _quaternions as quaternions
from ._rotation import Rotation, _at, _key, _shape, reduced_axes

_SMALL = 1e-3


def _joined(translation: ndarray, rotation: ndarray) -> ndarray:
    """Matrices of four rows."""
    shape = np.broadcast_shapes(translation.shape[:-1], rotation.shape[:-2])
    matrix = cp.zeros((*shape, 4, 4))
    matrix[..., :3, :3] = rotation
    matrix[..., :3, 3] = translation
    matrix[..., 3, 3] = 1.0
    return matrix


def _series(vectors: ndarray, first: Any, second: Any) -> ndarray:
    """I + first [v] + second [v]^2 with functions of the angle, and their series where it is small."""
    angle = cp.sqrt((vectors * vectors).sum(axis=-1))
    small = angle < _SMALL
    safe = cp.where(small, 1.0, angle)
    k1, k2 = (cp.where(small, near(angle), far(safe))[..., None, None] for near, far in (first, second))
    zero = cp.zeros(angle.shape)
    a, b, c = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    skew = cp.stack([zero, -c, b, c, zero, -a, -b, a, zero], axis=-1).reshape(*angle.shape, 3, 3)
    return cp.eye(3) + k1 * skew + k2 * (skew @ skew)


def _exponential(vectors: ndarray) -> ndarray:
    """What a screw makes of a translation."""
    return _series(
        vectors,
        (lambda x: 0.5 - x**2 / 24 + x**4 / 720, lambda x: (1 - cp.cos(x)) / x**2),
        (lambda x: 1 / 6 - x**2 / 120 + x**4 / 5040, lambda x: (x - cp.sin(x)) / x**3),
    )


def _logarithm(vectors: ndarray) -> ndarray:
    """The inverse of that."""
    return _series(
        vectors,
        (lambda x: cp.full(x.shape, -0.5), lambda x: cp.full(x.shape, -0.5)),
        (lambda x: 1 / 12 + x**2 / 720 + x**4 / 30240, lambda x: (1 - 0.5 * x / cp.tan(0.5 * x)) / x**2),
    )


def _times_vector(matrix: ndarray, vector: ndarray) -> ndarray:
    return (matrix * vector[..., None, :]).sum(axis=-1)


class RigidTransform:
    """Rigid transforms, in arrays of any shape on the device. See `scipy.spatial.transform.RigidTransform`.

    Parameters
    ----------
    matrix
        Matrices of shape (..., 4, 4) with the last row (0, 0, 0, 1).
    normalize
        Whether their rotations are replaced by the nearest orthogonal ones.
    copy
        Whether they are copied.

    >>> T = cp.scipy.spatial.transform.RigidTransform
    >>> T.from_translation([1.0, 2.0, 3.0]).apply(cp.zeros(3))
    array([1., 2., 3.])
    """

    __array_ufunc__ = None

    def __init__(self, matrix: Any, normalize: bool = True, copy: bool = True) -> None:
        matrix = quaternions.as_doubles(matrix, "matrix", (4, 4))
        if matrix.size:
            wrong = (matrix[..., 3, :] != cp.asarray(np.array([0.0, 0.0, 0.0, 1.0]))).any(axis=-1)
            if bool(wrong.any()):
                at = int(cp.argmax(wrong.reshape(-1)))
                row = matrix.reshape(-1, 4, 4)[at, 3]
                raise ValueError(
                    f"Expected last row of transformation matrix {at} to be exactly [0, 0, 0, 1], got {row}"
                )
        if normalize:
            rotation = Rotation.from_matrix(matrix[..., :3, :3]).as_matrix()
            matrix = _joined(matrix[..., :3, 3], rotation)
        elif copy:
            matrix = matrix.copy()
        self._matrix: ndarray = matrix

    @classmethod
    def _of(cls, matrix: ndarray) -> RigidTransform:
        made = cls.__new__(cls)
        made._matrix = matrix
        return made

    # -------------------------------------------------------------------------------------------------------- creation

    @classmethod
    def from_matrix(cls, matrix: Any) -> RigidTransform:
        """From matrices."""
        return cls(matrix)

    @classmethod
    def from_rotation(cls, rotation: Rotation) -> RigidTransform:
        """From rotations, without translations."""
        if not isinstance(rotation, Rotation):
            raise TypeError(f"Expected `rotation` to be a `Rotation` instance, got {type(rotation)}.")
        return cls._of(_joined(cp.zeros(3), rotation.as_matrix()))

    @classmethod
    def from_translation(cls, translation: Any) -> RigidTransform:
        """From translations of shape (..., 3)."""
        return cls._of(_joined(quaternions.as_doubles(translation, "translation", (3,)), cp.eye(3)))

    @classmethod
    def from_components(cls, translation: Any, rotation: Rotation) -> RigidTransform:
        """From rotations and the translations after them.

        Parameters
        ----------
        translation : array_like
            The translations.
        rotation : Rotation
            The rotations.
        """
        return cls.from_translation(translation) * cls.from_rotation(rotation)

    @classmethod
    def from_exp_coords(cls, exp_coords: Any) -> RigidTransform:
        """From exponential coordinates: rotation vectors, and translations along the screws."""
        coordinates = quaternions.as_doubles(exp_coords, "exp_coords", (6,))
        vectors = cp.ascontiguousarray(coordinates[..., :3])
        rotation = quaternions.to_matrices(quaternions.from_vectors(vectors))
        return cls._of(_joined(_times_vector(_exponential(vectors), coordinates[..., 3:]), rotation))

    @classmethod
    def from_dual_quat(cls, dual_quat: Any, *, scalar_first: bool = False) -> RigidTransform:
        """From dual quaternions of shape (..., 8), real part first, which are normalised.

        Parameters
        ----------
        dual_quat : array_like
            The dual quaternions.
        """
        real, dual = _halves(quaternions.as_doubles(dual_quat, "dual_quat", (8,)), -1 if scalar_first else 0)
        real, dual = _normalized(real, dual)
        translation = 2.0 * quaternions.composed(dual, quaternions.inverted(real))[..., :3]
        return cls._of(_joined(translation, quaternions.to_matrices(real)))

    @classmethod
    def identity(cls, num: int | None = None, *, shape: int | tuple[int, ...] | None = None) -> RigidTransform:
        """Transforms that change nothing."""
        return cls._of(cp.broadcast_to(cp.eye(4), (*_shape(num, shape), 4, 4)).copy())

    @classmethod
    def concatenate(cls, transforms: RigidTransform | Iterable[RigidTransform]) -> RigidTransform:
        """One object of several."""
        if isinstance(transforms, RigidTransform):
            return cls._of(transforms._matrix.copy())
        transforms = list(transforms)
        if not all(isinstance(one, RigidTransform) for one in transforms):
            raise TypeError("input must contain RigidTransform objects only")
        return cls._of(cp.concatenate([one._matrix[None] if one.single else one._matrix for one in transforms]))

    # ------------------------------------------------------------------------------------------------- representations

    def as_matrix(self) -> ndarray:
        """Matrices."""
        return self._matrix.copy()

    def as_components(self) -> tuple[ndarray, Rotation]:
        """Translations and rotations."""
        return self.translation, self.rotation

    def _quat(self) -> ndarray:
        return quaternions.from_orthogonal(self._matrix[..., :3, :3])

    def as_exp_coords(self) -> ndarray:
        """Exponential coordinates."""
        vectors = quaternions.to_vectors(self._quat())
        translation = _times_vector(_logarithm(vectors), self._matrix[..., :3, 3])
        return cp.concatenate([vectors, translation], axis=-1)

    def as_dual_quat(self, *, scalar_first: bool = False) -> ndarray:
        """Dual quaternions, real part first."""
        real = self._quat()
        pure = cp.concatenate([self._matrix[..., :3, 3], cp.zeros((*self.shape, 1))], axis=-1)
        dual = 0.5 * quaternions.composed(pure, real)
        if scalar_first:
            real, dual = cp.roll(real, 1, axis=-1), cp.roll(dual, 1, axis=-1)
        return cp.concatenate([real, dual], axis=-1)

    @property
    def rotation(self) -> Rotation:
        """The rotations."""
        return Rotation.from_matrix(self._matrix[..., :3, :3])

    @property
    def translation(self) -> ndarray:
        """The translations."""
        return self._matrix[..., :3, 3].copy()

    # ------------------------------------------------------------------------------------------------------ operations

    def apply(self, vector: Any, inverse: bool = False) -> ndarray:
        """Points of shape (..., 3), moved. Transforms and points are broadcast.

        Parameters
        ----------
        vector : array_like
            The vectors.
        """
        vector = cp.asarray(vector).astype(np.float64, copy=False)
        if vector.shape[-1:] != (3,):
            raise ValueError(f"Expected vector to have shape (..., 3), got {vector.shape}.")
        quaternions.together("transforms and vectors", self.shape, vector.shape[:-1])
        matrix = self.inv()._matrix if inverse else self._matrix
        return _times_vector(matrix[..., :3, :3], vector) + matrix[..., :3, 3]

    def __mul__(self, other: RigidTransform | Rotation) -> RigidTransform:
        """The other transform or rotation first, then this one."""
        if isinstance(other, Rotation):
            other = type(self).from_rotation(other)
        if not isinstance(other, RigidTransform):
            return NotImplemented
        try:
            np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(
                f"Cannot broadcast {self.shape} transforms in first to {other.shape} transforms in second object."
            ) from None
        return type(self)(self._matrix @ other._matrix, copy=False)

    def __rmul__(self, other: Rotation) -> RigidTransform:
        """This transform first, then a rotation."""
        if not isinstance(other, Rotation):
            return NotImplemented
        return type(self).from_rotation(other) * self

    def __pow__(self, n: float) -> RigidTransform:
        """The transform along the same screw, n times as far."""
        if n == 0:
            return type(self).identity(shape=self.shape)
        if n == -1:
            return self.inv()
        if n == 1:
            return type(self)._of(self._matrix.copy())
        return type(self).from_exp_coords(n * self.as_exp_coords())

    def inv(self) -> RigidTransform:
        """The transforms back."""
        rotation = cp.swapaxes(self._matrix[..., :3, :3], -1, -2)
        return type(self)._of(_joined(-_times_vector(rotation, self._matrix[..., :3, 3]), rotation))

    def mean(self, weights: Any = None, axis: int | tuple[int, ...] | None = None) -> RigidTransform:
        """The mean of rotations and that of translations, over all axes or some."""
        if self._matrix.shape[0] == 0:
            raise ValueError("Mean of an empty rotation set is undefined.")
        over = reduced_axes(axis, len(self.shape), self.shape, "transform")
        translation = self._matrix[..., :3, 3]
        if weights is not None:
            weights = cp.asarray(weights).astype(np.float64)
            if bool((weights < 0).any()):
                raise ValueError("`weights` must be non-negative.")
            if weights.shape != self.shape:
                raise ValueError(
                    f"Expected `weights` to match transform shape, got shape {weights.shape} for {self.shape} "
                    "transformations."
                )
            weighted = (translation * weights[..., None]).sum(axis=over)
            translation = weighted / weights[..., None].sum(axis=over)
        elif over:
            translation = translation.mean(axis=over)
        rotation = Rotation._of(self._quat()).mean(weights, over)
        return type(self)._of(_joined(translation, rotation.as_matrix()))

    # ------------------------------------------------------------------------------------------------------- container

    @property
    def single(self) -> bool:
        """Whether this is one transform and no array of them."""
        return self._matrix.ndim == 2

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of transforms."""
        return self._matrix.shape[:-2]

    def _must_be_many(self, what: str) -> None:
        if self.single:
            raise TypeError(f"Single transform {what}")

    def __getitem__(self, indexer: Any) -> RigidTransform:
        self._must_be_many("is not subscriptable.")
        return type(self)._of(_at(self._matrix, indexer))

    def __setitem__(self, indexer: Any, value: RigidTransform) -> None:
        self._must_be_many("is not subscriptable.")
        if not isinstance(value, RigidTransform):
            raise TypeError("value must be a RigidTransform object")
        self._matrix[_key(indexer)] = value._matrix

    def __len__(self) -> int:
        self._must_be_many("has no len")
        return self._matrix.shape[0]

    def __iter__(self) -> Iterator[RigidTransform]:
        self._must_be_many("is not iterable.")
        return (type(self)._of(self._matrix[i]) for i in range(self._matrix.shape[0]))

    def __repr__(self) -> str:
        lines = f"{self._matrix!r}".splitlines()
        return "RigidTransform.from_matrix(" + ("\n" + " " * 27).join(lines) + ")"


def _halves(dual_quat: ndarray, roll: int) -> tuple[ndarray, ndarray]:
    real, dual = cp.ascontiguousarray(dual_quat[..., :4]), cp.ascontiguousarray(dual_quat[..., 4:])
    return (cp.roll(real, roll, axis=-1), cp.roll(dual, roll, axis=-1)) if roll else (real, dual)


def _normalized(real: ndarray, dual: ndarray) -> tuple[ndarray, ndarray]:
    """A real part of length one (the identity for zero) and a dual part orthogonal to it."""
    norm = cp.sqrt((real * real).sum(axis=-1, keepdims=True))
    zero = norm == 0
    real = cp.where(zero, cp.asarray(np.array([0.0, 0.0, 0.0, 1.0])), real)
    norm = cp.where(zero, 1.0, norm)
    real, dual = real / norm, dual / norm
    return real, dual - (real * dual).sum(axis=-1, keepdims=True) * real


__all__ = ["RigidTransform"]
