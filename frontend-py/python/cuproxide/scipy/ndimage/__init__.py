"""Filters, morphology, measurements and geometry of images in any number of dimensions. See `scipy.ndimage`."""

from __future__ import annotations

import importlib

_PARTS = [
    "_correlation",
    "_smoothing",
    "_extrema",
    "_ranks",
    "_grey",
    "_splines",
    "_interpolation",
    "_binary",
    "_labels",
    "_statistics",
    "_distances",
    "_watershed",
    "_fourier",
]
__all__ = []
for _part in _PARTS:
    try:
        _loaded = importlib.import_module(f"{__name__}.{_part}")
    except ModuleNotFoundError as e:
        continue
    for _name in _loaded.__all__:
        globals()[_name] = getattr(_loaded, _name)
        __all__.append(_name)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
