"""Power series with the lowest power first, on the device. See `numpy.polynomial`."""

from . import polynomial, polyutils

__all__ = ["polynomial", "polyutils"]
