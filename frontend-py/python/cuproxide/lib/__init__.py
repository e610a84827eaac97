"""What NumPy keeps under `numpy.lib`."""

from . import stride_tricks

__all__ = ["stride_tricks"]
