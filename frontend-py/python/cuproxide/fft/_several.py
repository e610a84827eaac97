"""Transforms along one axis over several devices of one kind.

Rows of a stack are shared out. One row of `d * m` points becomes `d` rows of `m` points, of every `d`-th point each; a
device transforms and twists its own, and the array's device adds them up (the first step of Cooley and Tukey, 1965).
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import Device, ndarray
from .._lib.element_types import NARROW
from .._lib.ufuncs import NUMPY
from .._routines.shapes import moveaxis
from ._norm import scale

_exp = NUMPY["exp"]
_SINGLE = (*NARROW, "float32", "complex64")


def transform(
    a: ndarray, forward: bool, length: int, axis: int, norm: str | None, devices: tuple[int, ...]
) -> ndarray | None:
    """The complex transform of `length` points along an axis; None where one device serves as well."""
    a = _prepared(moveaxis(a, axis, -1), length)
    rows = math.prod(a.shape[:-1])
    parts = math.gcd(length, len(devices)) if rows == 1 else min(rows, len(devices))
    if parts < 2 or length < 2:
        return None
    home = a.device
    chosen = [Device(f"{home.backend}:{ordinal}") for ordinal in devices[:parts]]
    made = _one_row if rows == 1 else _rows
    result = made(a.reshape(rows, length), forward, norm, chosen).reshape(a.shape)
    return moveaxis(result, -1, axis)


def _prepared(a: ndarray, length: int) -> ndarray:
    """The last axis cropped or padded, in the type of the transform."""
    a = a.astype(np.complex64 if a.dtype.name in _SINGLE else np.complex128, copy=False)
    if length <= a.shape[-1]:
        return a[..., :length]
    wide = _core.zeros((*a.shape[:-1], length), a.dtype, device=a.device)
    wide[..., : a.shape[-1]] = a
    return wide


def _transformed(a: ndarray, forward: bool, norm: str | None) -> ndarray:
    return _core.fourier_transform(a, "complex", forward, (1,), (a.shape[1],), norm, None)


def _rows(a: ndarray, forward: bool, norm: str | None, devices: list[Device]) -> ndarray:
    """A share of the rows for each device."""
    edges = [a.shape[0] * i // len(devices) for i in range(len(devices) + 1)]
    shares = [slice(*pair) for pair in itertools.pairwise(edges)]
    pieces = [
        _transformed(a[share].to_device(device), forward, norm) for device, share in zip(devices, shares, strict=True)
    ]
    result = _core.empty(a.shape, a.dtype, device=a.device)
    for piece, share in zip(pieces, shares, strict=True):
        result[share] = piece.to_device(a.device)
    return result


def _one_row(a: ndarray, forward: bool, norm: str | None, devices: list[Device]) -> ndarray:
    """Every d-th point for each device."""
    count, length = len(devices), a.shape[1]
    sign = -1 if forward else 1
    unscaled = "backward" if forward else "forward"
    pieces = []
    for i, device in enumerate(devices):
        piece = _transformed(a[:, i::count].to_device(device), forward, unscaled)
        if i:
            angle = _core.arange(0, 1, length // count, np.float64, device=device)
            twist = _exp(angle * complex(0, sign * 2 * math.pi * i / length))
            piece = piece * twist.astype(a.dtype)
        pieces.append(piece)
    pieces = [piece.to_device(a.device) for piece in pieces]
    factor = scale(length, forward, norm)
    result = _core.empty((count, length // count), a.dtype, device=a.device)
    for row in range(count):
        total = pieces[0][0]
        for i in range(1, count):
            total = _added(total, pieces[i][0], sign * (i * row % count), count)
        result[row] = total if factor == 1 else total * a.real.dtype.type(factor)
    return result


def _added(total: ndarray, piece: ndarray, turn: int, count: int) -> ndarray:
    """`total` with `piece` turned by a part of a circle; whole and half circles are exact."""
    if turn == 0:
        return total + piece
    if 2 * abs(turn) == count:
        return total - piece
    angle = 2 * math.pi * turn / count
    return total + piece * piece.dtype.type(complex(math.cos(angle), math.sin(angle)))


__all__ = ["transform"]
