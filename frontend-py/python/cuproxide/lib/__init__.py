"""What NumPy keeps under `numpy.lib`."""

from numpy.lib import Arrayterator, NumpyVersion

from . import array_utils, scimath, stride_tricks

__all__ = ["Arrayterator", "NumpyVersion", "array_utils", "scimath", "stride_tricks"]
