"""Two kernels of ocean models as array programs: the density of seawater with its derivatives, and isoneutral mixing.

The density is the rational polynomial of 48 terms in Absolute Salinity, Conservative Temperature and pressure of
McDougall and others (2013, TEOS-10), with its first derivatives and two of the second: about 330 operations. The mixing
tensor follows Griffies and others (1998): slopes of surfaces of equal density in four triads of each face, tapered,
summed up on slices in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

# Coefficients of the density: denominator and numerator, by powers of (sqrt(salinity), temperature, pressure).
BELOW = {
    (0, 0, 0): 9.998420897506056e2,
    (0, 1, 0): 2.839940833161907e0,
    (0, 2, 0): -3.147759265588511e-2,
    (0, 3, 0): 1.181805545074306e-3,
    (2, 0, 0): -6.698001071123802e0,
    (2, 1, 0): -2.986498947203215e-2,
    (2, 2, 0): 2.327859407479162e-4,
    (3, 0, 0): -3.988822378968490e-2,
    (3, 1, 0): 5.095422573880500e-4,
    (3, 2, 0): -1.426984671633621e-5,
    (3, 3, 0): 1.645039373682922e-7,
    (0, 0, 1): -2.233269627352527e-2,
    (0, 1, 1): -3.436090079851880e-4,
    (0, 2, 1): 3.726050720345733e-6,
    (2, 0, 1): -1.806789763745328e-4,
    (2, 1, 1): 6.876837219536232e-7,
    (0, 0, 2): -3.087032500374211e-7,
    (0, 1, 2): -1.988366587925593e-8,
    (0, 2, 2): -1.061519070296458e-11,
    (2, 0, 2): 1.550932729220080e-10,
}
ABOVE = {
    (0, 0, 0): 1.0,
    (0, 1, 0): 2.775927747785646e-3,
    (0, 2, 0): -2.349607444135925e-5,
    (0, 3, 0): 1.119513357486743e-6,
    (0, 4, 0): 6.743689325042773e-10,
    (2, 0, 0): -7.521448093615448e-3,
    (2, 1, 0): -2.764306979894411e-5,
    (2, 2, 0): 1.262937315098546e-7,
    (2, 3, 0): 9.527875081696435e-10,
    (2, 4, 0): -1.811147201949891e-11,
    (3, 0, 0): -3.303308871386421e-5,
    (3, 1, 0): 3.801564588876298e-7,
    (3, 2, 0): -7.672876869259043e-9,
    (3, 3, 0): -4.634182341116144e-11,
    (3, 4, 0): 2.681097235569143e-12,
    (4, 0, 0): 5.419326551148740e-6,
    (0, 0, 1): -2.742185394906099e-5,
    (0, 1, 1): -3.212746477974189e-7,
    (0, 2, 1): 3.191413910561627e-9,
    (0, 3, 1): -1.931012931541776e-12,
    (2, 0, 1): -1.105097577149576e-7,
    (2, 1, 1): 6.211426728363857e-10,
    (0, 0, 2): -1.119011592875110e-10,
    (0, 1, 2): -1.941660213148725e-11,
    (2, 0, 2): -1.864826425365600e-14,
    (0, 0, 3): 1.119522344879478e-14,
    (0, 1, 3): -1.200507748551599e-15,
    (0, 0, 4): 6.057902487546866e-17,
}


def derived(terms: dict[tuple[int, int, int], float], along: int) -> dict[tuple[int, int, int], float]:
    """The derivative of a polynomial; along 0 by the root of salinity."""
    found = {}
    for powers, factor in terms.items():
        if powers[along]:
            lower = list(powers)
            lower[along] -= 1
            found[tuple(lower)] = factor * powers[along]
    return found


def polynomial(terms: dict[tuple[int, int, int], float], root: Array, t: Array, p: Array) -> Array:
    """A polynomial by Horner's rule: in temperature, then in the root of salinity, then in pressure."""

    def horner(rows: dict[int, Any], x: Array) -> Array:
        total = None
        for power in range(max(rows), -1, -1):
            if total is not None:
                total = total * x
            if power in rows:
                total = rows[power] if total is None else total + rows[power]
        return total

    by_pressure: dict[int, dict[int, dict[int, float]]] = {}
    for (s, c, d), factor in terms.items():
        by_pressure.setdefault(d, {}).setdefault(s, {})[c] = factor
    return horner(
        {d: horner({s: horner(row, t) for s, row in rows.items()}, root) for d, rows in by_pressure.items()}, p
    )


def seawater(xp: Any, sa: Array, ct: Array, p: Array) -> tuple[Array, ...]:
    """Density, its relative derivatives by temperature, salinity and pressure, and two derivatives of the first of
    these: by temperature and by pressure (cabbeling and thermobaricity)."""
    root = xp.sqrt(sa)
    below, above = polynomial(BELOW, root, ct, p), polynomial(ABOVE, root, ct, p)
    found = [below / above]
    slopes = {}
    for along in (1, 0, 2):
        slopes[along] = [polynomial(derived(BELOW, along), root, ct, p) / below]
        slopes[along].append(polynomial(derived(ABOVE, along), root, ct, p) / above)
        slope = slopes[along][0] - slopes[along][1]
        found.append(slope * 0.5 / root if along == 0 else slope)
    for along in (1, 2):
        first = polynomial(derived(derived(BELOW, 1), along), root, ct, p) / below - slopes[1][0] * slopes[along][0]
        second = polynomial(derived(derived(ABOVE, 1), along), root, ct, p) / above - slopes[1][1] * slopes[along][1]
        found.append(first - second)
    return tuple(found)


def put(array: Array, index: Any, value: Array) -> Array:
    """Assigns to a part, in place where arrays can change."""
    if hasattr(array, "at"):
        return array.at[index].set(value)
    array[index] = value
    return array


def add(array: Array, index: Any, value: Array) -> Array:
    """Adds to a part, in place where arrays can change."""
    if hasattr(array, "at"):
        return array.at[index].add(value)
    array[index] += value
    return array


def isoneutral(
    xp: Any,
    t: Array,
    s: Array,
    alpha: Array,
    beta: Array,
    dx: Array,
    dy: Array,
    dz: Array,
    east: Array,
    north: Array,
    down: Array,
) -> tuple[Array, Array, Array]:
    """Adds one step's mixing tensor to the parts `east`, `north` and `down`, in place."""
    steepest, width, most = 4e-3, 1e-3, 1e3
    inner = slice(1, -1)

    def taper(slope: Array) -> Array:
        return 0.5 * (1.0 + xp.tanh((steepest - xp.abs(slope)) / width))

    # Vertical differences of both tracers at the faces between levels.
    dtdz = (t[:, :, 1:] - t[:, :, :-1]) / dz[None, None, :-1]
    dsdz = (s[:, :, 1:] - s[:, :, :-1]) / dz[None, None, :-1]
    for axis in (0, 1):
        here = (slice(None, -1), inner) if axis == 0 else (inner, slice(None, -1))
        there = (slice(1, None), inner) if axis == 0 else (inner, slice(1, None))
        lengths = dx[:-1, None, None] if axis == 0 else dy[None, :-1, None]
        dtdx = (t[there] - t[here]) / lengths
        dsdx = (s[there] - s[here]) / lengths
        part = east if axis == 0 else north
        for side in (here, there):
            a, b = alpha[side], beta[side]
            for shift in (0, 1):
                levels = slice(1, None) if shift == 0 else slice(None, -1)
                across = a[:, :, levels] * dtdx[:, :, levels] + b[:, :, levels] * dsdx[:, :, levels]
                along = a[:, :, levels] * dtdz[side] + b[:, :, levels] * dsdz[side]
                slope = -across / xp.minimum(along, -1e-12)
                weight = most * taper(slope)
                thickness = dz[None, None, levels] if shift == 0 else dz[None, None, :-1]
                index = (slice(None, -1), inner, levels) if axis == 0 else (inner, slice(None, -1), levels)
                part = add(part, index, 0.25 * weight * thickness)
                tracer = dtdx[:, :, levels] - slope * dtdz[side]
                target = (side[0], side[1], slice(1, None))
                down = add(down, target, 0.25 * weight * slope * slope * thickness)
                down = add(down, target, 1e-3 * weight * tracer * slope)
        if axis == 0:
            east = part
        else:
            north = part
    east = put(east, (-1, slice(None), slice(None)), 0.0)
    north = put(north, (slice(None), -1, slice(None)), 0.0)
    down = put(down, (slice(None), slice(None), 0), 0.0)
    return east, north, down


def shape_of(size: int) -> tuple[int, int, int]:
    """A grid of about `size` cells, flat as oceans are: (31, 31, 4) for 4096."""
    depth = max(4, round(size ** (1 / 3) / 4))
    side = max(4, round((size / depth) ** 0.5))
    return side, side, depth


def inputs(name: str, size: int) -> list[Any]:
    """Host arguments of about `size` cells."""
    rng = np.random.default_rng(17)
    shape = shape_of(size)
    if name == "seawater":
        return [rng.uniform(1e-2, 40, shape), rng.uniform(-2, 30, shape), rng.uniform(0, 1e3, (1, 1, shape[2]))]
    fields = [rng.normal(10, 3, shape), rng.normal(35, 1, shape), rng.uniform(-3e-4, -1e-4, shape)]
    fields.append(rng.uniform(7e-4, 8e-4, shape))
    lengths = [rng.uniform(1e4, 2e4, length) for length in shape[:2]] + [rng.uniform(10, 100, shape[2])]
    return fields + lengths + [np.zeros(shape) for _ in range(3)]


PROGRAMS = {"seawater": seawater, "isoneutral": isoneutral}
