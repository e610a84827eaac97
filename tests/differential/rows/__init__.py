"""The rows, a file for each package or two."""

from . import calculus, distributions, fft, interpolate, linalg, ndimage, signal, sparse, spatial, special, stats  # noqa: F401
