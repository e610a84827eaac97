"""Rotations, rigid transforms, and what is between them. See `scipy.spatial.transform`."""

from ...._lib.texts import complete as _complete
from .._texts import TEXTS as _TEXTS
from ._interpolation import RotationSpline, Slerp
from ._rigid import RigidTransform
from ._rotation import Rotation

__all__ = ["RigidTransform", "Rotation", "RotationSpline", "Slerp"]

_complete(globals(), __all__, _TEXTS)


def __dir__() -> list[str]:
    return sorted(__all__)
