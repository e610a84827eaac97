"""What NumPy keeps under `numpy.lib`."""

from numpy.lib import Arrayterator, NumpyVersion

from . import array_utils, scimath, stride_tricks

__all__ = ["Arrayterator", "NumpyVersion", "array_utils", "scimath", "stride_tricks"]


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
