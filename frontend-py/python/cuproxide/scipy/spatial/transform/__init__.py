"""Rotations, rigid transforms, and what is between them. See `scipy.spatial.transform`."""

from ._interpolation import RotationSpline, Slerp
from ._rigid import RigidTransform
from ._rotation import Rotation

__all__ = ["RigidTransform", "Rotation", "RotationSpline", "Slerp"]


def __dir__() -> list[str]:
    return sorted(__all__)
