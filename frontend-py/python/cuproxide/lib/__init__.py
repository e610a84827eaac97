"""What NumPy keeps under `numpy.lib`."""

from . import array_utils, stride_tricks

__all__ = ["array_utils", "stride_tricks"]
