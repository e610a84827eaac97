"""Exponentials of matrices, their derivatives, and the trigonometric and hyperbolic functions."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from ... import _cuproxide as _core
from ... import arange, concatenate, ones, stack, tril, triu, zeros_like
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib.conversions import counting
from ..._typing import ArrayLike
from ._balance import balancing
from ._common import finite, identity, is_complex, matrices, transposed, ufuncs

# Numerators of the diagonal Pade approximant of degree 13, and the norm up to which it serves (Higham, 2005).
_PADE = (
    64764752532480000,
    32382376266240000,
    7771770303897600,
    1187353796428800,
    129060195264000,
    10559470521600,
    670442572800,
    33522128640,
    1323241920,
    40840800,
    960960,
    16380,
    182,
    1,
)
_REACH = 5.371920351148152
# The error of the approximant begins with this multiple of the power 27 of the matrix.
_ERROR = math.factorial(13) ** 2 / (math.factorial(26) * math.factorial(27))
# The norm up to which both parts of an approximant go into products without cancelling each other.
_SEPARATE = _REACH / 4


# What the largest errors of an approximant are beside its rounding.
_MAGNIFIED = 200


def column_norm(a: ndarray) -> ndarray:
    """The largest sum of absolute values in a column."""
    return ufuncs["absolute"](a).sum(-2).max(-1)


def _scaled(a: ndarray, exponent: ndarray, power: int = 1) -> ndarray:
    """Matrices times `2 ** (power * exponent)`, which is exact."""
    return a * ufuncs["exp2"](exponent * exponent.dtype.type(power))[..., None, None]


def _powers(a: ndarray, sign: int) -> tuple[ndarray, ndarray, ndarray]:
    square = _core.matmul(a, a)
    square = square if sign > 0 else -square
    fourth = _core.matmul(square, square)
    return square, fourth, _core.matmul(square, fourth)


def _within(*roots: ndarray) -> ndarray:
    """How many doublings keep the largest of these numbers within the reach of the approximant."""
    size = functools.reduce(ufuncs["maximum"], roots)
    least = size.dtype.type(np.finfo(size.dtype).tiny)
    return ufuncs["floor"](ufuncs["log2"](size.dtype.type(_REACH) / ufuncs["maximum"](size, least)))


def _spare(a: ndarray, powers: tuple[ndarray, ndarray, ndarray], exponent: ndarray) -> ndarray:
    """How many of the halvings that the norm asks for are not needed, by norms of powers (Al-Mohy and Higham, 2009).

    Too many halvings of a matrix whose powers are small beside the powers of its norm cost it its digits.
    """
    _, fourth, sixth = powers
    d6 = column_norm(sixth) ** (1 / 6)
    d8, d10 = (column_norm(_core.matmul(fourth, m)) ** (1 / order) for m, order in ((fourth, 8), (sixth, 10)))
    spare = ufuncs["maximum"](_within(d6, d8), _within(d8, d10))
    spare = ufuncs["minimum"](ufuncs["maximum"](spare, spare.dtype.type(0)), exponent)
    # The first term of the backward error, in absolute values: the halvings that it needs stay.
    above = ufuncs["absolute"](a).astype(np.float64)
    cube = _core.matmul(_core.matmul(above, above), above)
    size, least = cube.sum(-2).max(-1), np.finfo(np.float64).tiny
    size = ufuncs["maximum"](size, least)
    row = ones((*a.shape[:-2], 1, a.shape[-1]), above.dtype)
    for _ in range(9):
        row = _core.matmul(row, cube / size[..., None, None])
    parts = (row.max((-2, -1)), size, above.sum(-2).max(-1))
    error, size, norm = (ufuncs["log2"](ufuncs["maximum"](part, least)) for part in parts)
    error = error + 9 * size - norm + math.log2(_ERROR / (np.finfo(a.dtype).eps / 2))
    needed = ufuncs["ceil"](error / 26 + spare).astype(spare.dtype)
    spare = spare - ufuncs["minimum"](ufuncs["maximum"](needed, needed.dtype.type(0)), spare)
    return _core.where(spare == spare, spare, spare.dtype.type(0))


class _Approximant(NamedTuple):
    """The numerator of the Pade approximant of `exp(a / 2**s)`, and how `a` was scaled for it."""

    odd: ndarray
    even: ndarray
    scaled: ndarray
    exponent: ndarray
    most: int
    # Which matrices are upper and which are only lower triangular, where some of many squarings are.
    triangles: tuple[ndarray | None, ndarray | None] = (None, None)
    # Whether there are matrices whose powers are far below the powers of their norm.
    doubtful: bool = False
    # Binary logarithms of the diagonal similarity that balanced those.
    balance: ndarray | None = None


def _scaled_with_powers(a: ndarray, sign: int) -> tuple[ndarray, ndarray, tuple[ndarray, ndarray, ndarray], ndarray]:
    """Matrices scaled as their norms ask for, by which powers of two, their powers, and by how many too far."""
    norm = column_norm(a)
    exponent = ufuncs["ceil"](ufuncs["log2"](ufuncs["maximum"](norm / _REACH, norm.dtype.type(1))))
    exponent = _core.where(ufuncs["isfinite"](exponent), exponent, exponent.dtype.type(0))
    a = _scaled(a, exponent, -1)
    powers = _powers(a, sign)
    # What the norm asks for is what is needed, but for matrices that are far from normal or badly scaled.
    doubt = _within(column_norm(powers[1]) ** 0.25, column_norm(powers[2]) ** (1 / 6))
    return a, exponent, powers, ufuncs["fmin"](doubt, exponent)


def _similar(a: ndarray, balance: ndarray) -> ndarray:
    """`inv(d) @ a @ d` for the diagonal matrix `d` of these powers of two, in two steps: a factor may be infinite."""
    power = balance[..., None, :] - balance[..., :, None]
    half = ufuncs["floor"](power / 2)
    return a * ufuncs["exp2"](half) * ufuncs["exp2"](power - half)


def _approximant(a: ndarray, sign: int = 1) -> _Approximant:
    """Odd and even part of the numerator of the Pade approximant of the exponential.

    With the sign -1 the parts are those of `exp(1j * a)`, the odd one without its factor 1j.
    """
    original, triangles, balance = a, (None, None), None
    a, exponent, powers, doubt = _scaled_with_powers(a, sign)
    most, largest = stack([exponent.max(), doubt.max()]).tolist()
    doubtful = largest >= 3
    if doubtful:
        # Rows and columns of unlike lengths misguide the norms and the pivots: no rounding of a product sees them.
        balance = balancing(_core.where((doubt >= 3)[..., None, None], original, a.dtype.type(0)))
        balance = balance.astype(a.real.dtype, copy=False)
        a, exponent, powers, _ = _scaled_with_powers(_similar(original, balance), sign)
    if doubtful or most >= 8:
        spare = _spare(a, powers, exponent) if doubtful else zeros_like(exponent)
        exponent = exponent - spare
        upper, lower = ((part == 0).all((-2, -1)) for part in (tril(a, -1), triu(a, 1)))
        lower = lower & ~upper
        facts = [exponent.max(), spare.max(), *(flags.any().astype(exponent.dtype) for flags in (upper, lower))]
        most, largest, *some = stack(facts).tolist()
        triangles = tuple(flags if found else None for flags, found in zip((upper, lower), some, strict=True))
    if doubtful:
        a = _scaled(a, spare)
        # Powers of a matrix that was scaled far down have lost small elements.
        powers = (
            _powers(a, sign)
            if largest > 8
            else tuple(_scaled(m, spare, n) for m, n in zip(powers, (2, 4, 6), strict=True))
        )
    square, fourth, sixth = powers
    eye = identity(a)
    # Scaled by the first coefficient, so that float32 holds them all.
    c = [a.real.dtype.type(number / _PADE[0]) for number in _PADE]
    odd = _core.matmul(sixth, c[13] * sixth + c[11] * fourth + c[9] * square)
    odd = _core.matmul(a, odd + c[7] * sixth + c[5] * fourth + c[3] * square + c[1] * eye)
    even = _core.matmul(sixth, c[12] * sixth + c[10] * fourth + c[8] * square)
    even = even + c[6] * sixth + c[4] * fourth + c[2] * square + eye
    return _Approximant(odd, even, a, exponent, int(most), triangles, doubtful, balance)


def _known_diagonals(result: ndarray, a: ndarray) -> ndarray:
    """`result`, the exponentials of upper triangular matrices, with the two diagonals that are known exactly."""
    values = a.diagonal(0, -2, -1)
    exact = ufuncs["exp"](values)
    index = counting(a.shape[-1])
    result = triu(result)
    result[..., index, index] = exact
    first, last = values[..., :-1], values[..., 1:]
    half = (first - last) / 2
    near = ufuncs["absolute"](half) < 1
    one = half.dtype.type(1)
    inner = _core.where(near & (half != 0), half, one)
    quotient = _core.where(half == 0, one, ufuncs["sinh"](inner) / inner) * ufuncs["exp"](last + half)
    apart = (exact[..., :-1] - exact[..., 1:]) / _core.where(near, one, first - last)
    above = a.diagonal(1, -2, -1)
    # No product with 0, which an infinite exponential would make NaN.
    result[..., index[:-1], index[1:]] = _core.where(above == 0, above, above * _core.where(near, quotient, apart))
    return result


def expm(A: ArrayLike) -> ndarray:
    """The exponentials of square matrices, by scaling, a Pade approximant and squaring.

    Norms of powers decide how far a matrix is scaled, so that badly scaled ones keep their digits. Reads one or two
    numbers on the host, among them the most squarings. Each of them doubles the error: from norms of about 1e14
    (float32: 2e5) on, elements are NaN with a `RuntimeWarning`, but zeros of exponentials that decay and infinities
    of matrices without negative elements. Triangular matrices keep their digits at every norm.
    See `scipy.linalg.expm`.

    >>> cp.scipy.linalg.expm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[2.7183, 0.    ],
           [0.    , 2.7183]])
    """
    result, lost = exponentials(matrices(A, square=True))
    warn_of_lost(lost)
    return result


def exponentials(a: ndarray) -> tuple[ndarray, bool]:
    """What `expm` returns, and whether it has elements that are NaN since no digits are left."""
    result, error, lost = judged_exponentials(a)
    if error is None:
        return result, lost
    result, also_lost = _unless_lost(result, error, _largest(result))
    return result, lost or also_lost


def judged_exponentials(a: ndarray) -> tuple[ndarray, ndarray | None, bool]:
    """Exponentials, the estimated size of their errors, and whether many squarings left elements without digits.

    The errors are None unless there is a matrix whose powers are far below the powers of its norm: there squaring may
    magnify them far beyond what the number of squarings says.
    """
    if a.size == 0:
        return a.copy(), None, False
    if a.shape[-1] == 1:
        return ufuncs["exp"](a), None, False
    odd, even, scaled, exponent, most, (upper, lower), doubtful, balance = _approximant(a)
    result = _numpy.solve(even - odd, even + odd)
    if not most and balance is None:
        return result, None, False
    off = float(np.finfo(result.dtype).eps) ** 0.75
    if doubtful:
        # The same squarings, each off by a share of what is added up in it, measure how errors are magnified.
        pattern = ufuncs["cos"](arange(a.shape[-1] ** 2, dtype=result.real.dtype).reshape(a.shape[-2:]))
        pattern = pattern * pattern.dtype.type(off)
        result = stack([result, result + result * pattern])
    squarings, halfway = _most_squarings(result.dtype), result
    # Two diagonals of the exponential of a triangle are known; squaring would spoil the small ones beside the large.
    for step in range(-1, most):
        if step >= 0:
            squared = _core.matmul(result, result)
            if doubtful:
                sizes = ufuncs["absolute"](result[1])
                squared[1] += _core.matmul(sizes, sizes) * pattern
            again = (exponent > step)[..., None, None]
            result = squared if a.ndim == 2 else _core.where(again, squared, result)
            scaled = _core.where(again, scaled + scaled, scaled)
        if upper is not None:
            result = _core.where(upper[..., None, None], _known_diagonals(result, scaled), result)
        if lower is not None:
            turned = transposed(_known_diagonals(transposed(result), transposed(scaled)))
            result = _core.where(lower[..., None, None], turned, result)
        if step == squarings // 2:
            halfway = result
    error = None
    if balance is not None:
        result = _similar(result, -balance)
    if doubtful:
        result, other, halfway = result[0], result[1], halfway[0]
        error = _largest(other - result) * result.real.dtype.type(_MAGNIFIED * np.finfo(result.dtype).eps / off)
        # The other squarings may have left the range: beside a finite result that is any error.
        error = _core.where(error == error, error, error.dtype.type(np.inf))
    if most < squarings:
        return result, error, False
    lost = exponent >= squarings
    for known in (upper, lower):
        lost = lost if known is None else lost & ~known
    result, some = _without_lost(a, halfway, result, lost[..., None, None])
    return result, error, some


def _largest(a: ndarray) -> ndarray:
    """The largest absolute value in each matrix."""
    return ufuncs["absolute"](a).max((-2, -1))[..., None, None]


def _unless_lost(result: ndarray, error: ndarray, size: ndarray) -> tuple[ndarray, bool]:
    """Matrices of this size, NaN where errors leave less than a quarter of the digits, and whether any are."""
    lost = error > size * size.dtype.type(np.finfo(size.dtype).eps ** 0.25)
    nan = complex(np.nan, np.nan) if is_complex(result.dtype) else np.nan
    return _core.where(lost, result.dtype.type(nan), result), bool(lost.any())


def warn_of_lost(lost: bool, stacklevel: int = 3) -> None:
    """Warns of exponentials without digits, by default at the caller of the function that calls this."""
    if lost:
        message = "the exponential of a matrix of this norm has no digits left"
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel)


def _most_squarings(dtype: np.dtype[Any]) -> int:
    """How many squarings leave some digits: each of them doubles the error."""
    return int(np.finfo(dtype).nmant) - 8


def _without_lost(a: ndarray, halfway: ndarray, result: ndarray, lost: ndarray) -> tuple[ndarray, bool]:
    """Exponentials with NaN for what has no digits left, and whether there is such.

    After half of the squarings there were digits: where the norm was small then, the exponential is 0, and its zeros
    stay. Squaring what has no negative elements cancels nothing, so that infinities are true.
    """
    decays = ufuncs["absolute"](halfway).sum(-1).max(-1)[..., None, None] < 0.5
    lost = lost & ~((result == 0) & (decays | (halfway == 0)))
    if not is_complex(a.dtype):
        lost = lost & ~((a >= 0).all((-2, -1))[..., None, None] & ufuncs["isinf"](result))
    nan = complex(np.nan, np.nan) if is_complex(result.dtype) else np.nan
    return _core.where(lost, result.dtype.type(nan), result), bool(lost.any())


# Trigonometric and hyperbolic functions, from both parts of one approximant.


def _parts(A: ArrayLike, sign: int, stacklevel: int = 4) -> tuple[ndarray, ndarray]:
    """Hyperbolic sine and cosine of square matrices, with the sign -1 sine and cosine.

    They are half the sum and the difference of two exponentials. The difference loses the digits of small matrices,
    for which `2 u v / (v**2 - u**2)` keeps them, with the even part v and the odd part u of a numerator.
    """
    a = matrices(A, square=True)
    if a.size == 0:
        return a.copy(), a.copy()
    if a.shape[-1] == 1:
        names = ("sinh", "cosh") if sign > 0 else ("sin", "cos")
        return ufuncs[names[0]](a), ufuncs[names[1]](a)
    large = column_norm(a) > _SEPARATE
    some, every = stack([large.any(), large.all()]).tolist()
    if some:
        if sign < 0 and not is_complex(a.dtype):
            turned, error, lost = judged_exponentials(1j * a.astype(np.result_type(a.dtype, np.complex64)))
            sine, cosine = turned.imag.copy(), turned.real.copy()
        else:
            factor = 1 if sign > 0 else 1j
            (forward, error, lost), (back, other, also_lost) = (
                judged_exponentials(factor * a),
                judged_exponentials(-factor * a),
            )
            lost = lost or also_lost
            sine, cosine = (forward - back) / (2 * factor), (forward + back) / 2
            error = error if error is None or other is None else ufuncs["maximum"](error, other)
        if error is not None:
            # Exponentials that cancel each other leave their errors.
            (sine, no_sine), (cosine, no_cosine) = (
                _unless_lost(part, error, _largest(part)) for part in (sine, cosine)
            )
            lost = lost or no_sine or no_cosine
        warn_of_lost(lost, stacklevel)
        if every:
            return sine, cosine
        a = _core.where(large[..., None, None], a.dtype.type(0), a)
    odd, even = _approximant(a, sign)[:2]
    square, other = _core.matmul(even, even), sign * _core.matmul(odd, odd)
    right = concatenate([2 * _core.matmul(odd, even), square + other], axis=-1)
    both, n = _numpy.solve(square - other, right), a.shape[-1]
    if not some:
        return both[..., :n].copy(), both[..., n:].copy()
    large = large[..., None, None]
    return _core.where(large, sine, both[..., :n]), _core.where(large, cosine, both[..., n:])


def _quotient(A: ArrayLike, sign: int) -> ndarray:
    sine, cosine = _parts(A, sign, 5)
    finite(cosine, True)
    return sine if sine.size == 0 else _numpy.solve(cosine, sine)


def cosm(A: ArrayLike) -> ndarray:
    """The cosines of square matrices. See `scipy.linalg.cosm`.

    >>> cp.scipy.linalg.cosm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.5403, 0.    ],
           [0.    , 0.5403]])
    """
    return _parts(A, -1)[1]


def sinm(A: ArrayLike) -> ndarray:
    """The sines of square matrices. See `scipy.linalg.sinm`.

    >>> cp.scipy.linalg.sinm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.8415, 0.    ],
           [0.    , 0.8415]])
    """
    return _parts(A, -1)[0]


def tanm(A: ArrayLike) -> ndarray:
    """The tangents of square matrices, `ValueError` where they are not finite. See `scipy.linalg.tanm`.

    >>> cp.scipy.linalg.tanm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.5574, 0.    ],
           [0.    , 1.5574]])
    """
    return _quotient(A, -1)


def coshm(A: ArrayLike) -> ndarray:
    """The hyperbolic cosines of square matrices. See `scipy.linalg.coshm`.

    >>> cp.scipy.linalg.coshm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.5431, 0.    ],
           [0.    , 1.5431]])
    """
    return _parts(A, 1)[1]


def sinhm(A: ArrayLike) -> ndarray:
    """The hyperbolic sines of square matrices. See `scipy.linalg.sinhm`.

    >>> cp.scipy.linalg.sinhm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.1752, 0.    ],
           [0.    , 1.1752]])
    """
    return _parts(A, 1)[0]


def tanhm(A: ArrayLike) -> ndarray:
    """The hyperbolic tangents of square matrices, `ValueError` where they are not finite. See `scipy.linalg.tanhm`.

    >>> cp.scipy.linalg.tanhm(cp.asarray([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[0.7616, 0.    ],
           [0.    , 0.7616]])
    """
    return _quotient(A, 1)


def expm_frechet(
    A: ArrayLike, E: ArrayLike, method: str | None = None, compute_expm: bool = True, check_finite: bool = True
) -> ndarray | tuple[ndarray, ndarray]:
    """The exponential and its derivative in the direction `E`, from the exponential of a matrix of blocks.

    `method` is checked and otherwise ignored.

    Parameters
    ----------
    E : array_like
        The direction.
    compute_expm : bool
        Whether the exponential is returned too.

    >>> cp.scipy.linalg.expm_frechet(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.eye(2))[0].shape
    (2, 2)
    """
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    a, direction = matrices(A, check_finite, square=True), matrices(E, check_finite, square=True, name="E")
    if a.shape[-2:] != direction.shape[-2:]:
        raise ValueError("expected A and E to be the same shape")
    return _with_derivative(a, direction, compute_expm)


def _with_derivative(a: ndarray, direction: ndarray, compute_expm: bool) -> Any:
    """What `expm_frechet` returns; a warning is that of the caller's caller."""
    n = a.shape[-1]
    outer = _core.broadcast_shapes(a.shape[:-2], direction.shape[:-2])
    dtype = np.result_type(a.dtype, direction.dtype)
    if a.size == 0 or direction.size == 0:
        empty = _core.zeros((*outer, n, n), dtype)
        return ((empty.real if a.dtype.kind == "f" else empty).copy(), empty) if compute_expm else empty
    if n == 1:
        # A number times the exponential, which may be infinite: powers of blocks would be infinite less infinite.
        exponential, _ = exponentials(a)
        derivative = exponential * direction
        exponential = _core.broadcast_to(exponential, (*outer, 1, 1)).copy()
        return (exponential, derivative) if compute_expm else derivative
    # The derivative is linear: a small direction does not decide how the blocks are scaled.
    norm = column_norm(a)
    size = _core.where((norm > 0) & (norm < 1), norm, norm.dtype.type(1)) / column_norm(direction)
    unit = (ufuncs["floor"](ufuncs["log2"](size)) - 20).astype(dtype.type(0).real.dtype)
    unit = _core.where(ufuncs["isfinite"](unit), unit, unit.dtype.type(0))
    blocks = _core.zeros((*outer, 2 * n, 2 * n), dtype)
    blocks[..., :n, :n] = blocks[..., n:, n:] = a
    # In two steps, since the whole factor may be infinite.
    half = ufuncs["floor"](unit / 2)
    blocks[..., :n, n:] = _scaled(_scaled(direction, half), unit - half)
    whole, lost = exponentials(blocks)
    warn_of_lost(lost, 4)
    derivative = _scaled(_scaled(whole[..., :n, n:], half, -1), unit - half, -1)
    if not compute_expm:
        return derivative
    # Of a real matrix the exponential is real, whatever the direction.
    exponential = whole[..., :n, :n]
    return (exponential.real if a.dtype.kind == "f" else exponential).copy(), derivative


def expm_cond(A: ArrayLike, check_finite: bool = True) -> ndarray:
    """The condition number of the exponential in the Frobenius norm, from its derivative in every direction.

    Computed in double precision.

    Takes memory like the fourth power of the size.

    >>> cp.scipy.linalg.expm_cond(cp.asarray([[2.0, 1.0], [1.0, 3.0]])) > 1
    array(True)
    """
    a = matrices(A, check_finite, square=True)
    n = a.shape[-1]
    if n == 0:
        raise ValueError("expm_cond is not defined for empty matrices")
    a = a.astype(np.result_type(a.dtype, np.float64), copy=False)
    directions = identity(_core.empty((n * n, n * n), a.dtype)).reshape(n * n, n, n)
    value, derivatives = _with_derivative(a[..., None, :, :], directions, True)
    kernel = derivatives.reshape(*derivatives.shape[:-2], n * n)
    largest = _numpy.svdvals(kernel)[..., 0]
    norm_a, norm_x = (_core.reduce("norm", m, (-2, -1)) for m in (a, value[..., 0, :, :]))
    return largest * norm_a / norm_x


__all__ = [
    "coshm",
    "cosm",
    "expm",
    "expm_cond",
    "expm_frechet",
    "sinhm",
    "sinm",
    "tanhm",
    "tanm",
]
