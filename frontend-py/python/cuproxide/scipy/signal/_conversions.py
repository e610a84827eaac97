"""Conversions between the forms of filters, and between low-pass prototypes and filters, on the host."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ._fir import given_rate, sampling_rate

__all__ = [
    "BadCoefficients",
    "bilinear",
    "bilinear_zpk",
    "lp2bp",
    "lp2bp_zpk",
    "lp2bs",
    "lp2bs_zpk",
    "lp2hp",
    "lp2hp_zpk",
    "lp2lp",
    "lp2lp_zpk",
    "normalize",
    "sos2tf",
    "sos2zpk",
    "tf2sos",
    "tf2zpk",
    "zpk2sos",
    "zpk2tf",
]


class BadCoefficients(UserWarning):
    """Coefficients of a filter lose their meaning by rounding."""


def normalize(b: Any, a: Any) -> Any:
    """A transfer function whose denominator begins with 1.

    Parameters
    ----------
    b, a : array_like
        The coefficients; `b` may hold several numerators as rows.

    Returns
    -------
    tuple of ndarray
        The coefficients, without leading zeros.

    Raises
    ------
    ValueError
        Numbers of axes do not fit, or the denominator is zero.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.normalize([2.0, 4.0], [0.0, 2.0, 1.0])
    (array([1., 2.]), array([1. , 0.5]))
    """
    den = np.atleast_1d(a)
    num = np.atleast_2d(np.asarray(b))
    if den.ndim != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    if num.ndim > 2:
        raise ValueError("Numerator polynomial must be rank-1 or rank-2 array.")
    if (den == 0).all():
        raise ValueError("Denominator must have at least one nonzero element.")
    den = np.trim_zeros(den, "f")
    num, den = num / den[0], den / den[0]
    small = (abs(num) <= 1e-14).all(axis=0)
    leading = num.shape[1] if small.all() else int(np.argmin(small))
    if leading and num.size:
        warnings.warn(
            "Badly conditioned filter coefficients (numerator): the results may be meaningless",
            BadCoefficients,
            stacklevel=3,
        )
        # One coefficient is left of a numerator of zeros.
        num = num[:, min(leading, num.shape[1] - 1) :]
    return num[0] if num.shape[0] == 1 else num, den


def _polynomial(roots: np.ndarray) -> np.ndarray:
    """The coefficients of a polynomial, real where its roots come in pairs."""
    roots = np.asarray(roots)
    roots = roots.astype(np.float64) if roots.dtype.kind in "biu" else roots
    found = np.ones(1, roots.dtype)
    for root in roots:
        found = np.convolve(found, np.array([1, -root], roots.dtype))
    if found.dtype.kind == "c" and np.array_equal(
        np.sort(roots[roots.imag > 0]), np.sort(np.conjugate(roots[roots.imag < 0]))
    ):
        found = found.real
    return found


def zpk2tf(z: Any, p: Any, k: Any) -> Any:
    """Coefficients from zeros, poles and gain; rows of zeros give rows.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.zpk2tf([-1.0], [0.5], 2.0)
    (array([2., 2.]), array([ 1. , -0.5]))
    """
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    k = np.asarray(k)
    k = k.astype(np.result_type(k, np.float32 if z.dtype.char in "fF" else float))
    if k.ndim == 0:
        k = k.item()
    if z.ndim > 1:
        rows = [_polynomial(row) for row in z]
        gains = np.broadcast_to(np.atleast_1d(k), (len(rows),))
        b = np.array([gain * row for gain, row in zip(gains, rows, strict=True)])
    else:
        b = k * _polynomial(z)
    a = np.atleast_1d(_polynomial(p))
    return np.atleast_1d(b), a


def tf2zpk(b: Any, a: Any) -> Any:
    """Zeros, poles and gain from coefficients.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.tf2zpk([2.0, 2.0], [1.0, -0.5])
    (array([-1.]), array([0.5]), 2.0)
    """
    b, a = normalize(b, a)
    dtype = np.result_type(b, a)
    b, a = ((b + 0.0) / a[0]).astype(dtype), ((a + 0.0) / a[0]).astype(dtype)
    k = b[0]
    # A gain in double precision is a number of Python's.
    return np.roots(b / k), np.roots(a), k.item() if k.dtype.char in "dD" else k


def tf2sos(b: Any, a: Any, pairing: str | None = None, *, analog: bool = False) -> Any:
    """Sections of second order from coefficients; arguments are those of `zpk2sos`.

    Parameters
    ----------
    pairing : str, optional
        How poles and zeros are paired.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.tf2sos([1.0, 2.0, 1.0], [1.0, 0.0, 0.25]).shape
    (1, 6)
    """
    z, p, k = tf2zpk(b, a)
    return zpk2sos(z, p, k, pairing=pairing, analog=analog)


def sos2tf(sos: Any) -> Any:
    """Coefficients from sections of second order. See `scipy.signal.sos2tf`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.sos2tf([[1.0, 1.0, 0.0, 1.0, 0.5, 0.0]])
    (array([1., 1., 0.]), array([1. , 0.5, 0. ]))
    """
    sos = np.asarray(sos)
    dtype = sos.dtype if sos.dtype.kind in "fc" else np.dtype(float)
    b = a = np.ones(1, dtype)
    for section in sos:
        b, a = np.polymul(b, section[:3]), np.polymul(a, section[3:])
    # Leading zeros, which the products leave out, and trailing ones stay as many.
    return b, a


def sos2zpk(sos: Any) -> Any:
    """Zeros, poles and gain from sections of second order. See `scipy.signal.sos2zpk`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.sos2zpk([[2.0, 2.0, 0.0, 1.0, 0.5, 0.0]])[2]
    2.0
    """
    sos = np.asarray(sos)
    z, p = (np.zeros(2 * len(sos), complex) for _ in range(2))
    k = 1.0
    for number, section in enumerate(sos):
        zeros, poles, gain = tf2zpk(section[:3], section[3:])
        z[2 * number : 2 * number + len(zeros)] = zeros
        p[2 * number : 2 * number + len(poles)] = poles
        k *= gain
    return z, p, k


def real_and_pairs(values: np.ndarray, tolerance: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """One of each conjugate pair of numbers, with a positive imaginary part, and the real ones.

    Both are in ascending order of real parts.
    """
    values = np.atleast_1d(values)
    if values.size == 0:
        return values, values
    if values.ndim != 1:
        raise ValueError("_cplxreal only accepts 1-D input")
    tolerance = 100 * np.finfo((1.0 * values).dtype).eps if tolerance is None else tolerance
    values = values[np.lexsort((abs(values.imag), values.real))]
    is_real = abs(values.imag) <= tolerance * abs(values)
    reals = values[is_real].real
    if is_real.all():
        return np.array([]), reals
    rest = values[~is_real]
    upper, lower = rest[rest.imag > 0], rest[rest.imag < 0]
    if upper.size != lower.size:
        raise ValueError("Array contains complex value with no matching conjugate.")
    # Equal real parts in the order of imaginary parts.
    same = np.diff(upper.real) <= tolerance * abs(upper[:-1])
    steps = np.flatnonzero(np.diff(np.concatenate(([0], same, [0]))))
    for start, stop in steps.reshape(-1, 2):
        for part in (upper, lower):
            chunk = part[start : stop + 1]
            chunk[...] = chunk[np.lexsort([abs(chunk.imag)])]
    if (abs(upper - lower.conj()) > tolerance * abs(lower)).any():
        raise ValueError("Array contains complex value with no matching conjugate.")
    return (upper + lower.conj()) / 2, reals


def _nearest(values: np.ndarray, to: complex, which: str) -> int:
    order = np.argsort(abs(values - to))
    if which == "any":
        return int(order[0])
    wanted = np.isreal(values[order]) == (which == "real")
    return int(order[np.flatnonzero(wanted)[0]])


def _section(z: list[Any], p: list[Any], k: float) -> np.ndarray:
    section = np.zeros(6)
    b, a = zpk2tf(np.asarray(z), np.asarray(p), k)
    section[3 - len(b) : 3], section[6 - len(a) : 6] = b.real, a.real
    return section


def zpk2sos(z: Any, p: Any, k: Any, pairing: str | None = None, *, analog: bool = False) -> Any:
    """Sections of second order from zeros, poles and gain.

    Poles nearest to the unit circle come last, each pair with the zeros nearest to it.

    Parameters
    ----------
    z, p : array_like
        Zeros and poles, in conjugate pairs.
    pairing : {'nearest', 'keep_odd', 'minimal'}, optional
        Whether filters of odd order get a section of second order, too, for the last pole; "minimal" is for analogue
        filters.

    Returns
    -------
    ndarray
        The sections (n_sections, 6).

    Raises
    ------
    ValueError
        A conjugate is missing, or the arguments do not fit.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.zpk2sos([-1.0, -1.0], [0.5, 0.25], 2.0)
    array([[ 2.   ,  4.   ,  2.   ,  1.   , -0.75 ,  0.125]])
    """
    if pairing is None:
        pairing = "minimal" if analog else "nearest"
    if pairing not in ("nearest", "keep_odd", "minimal"):
        raise ValueError(f"pairing must be one of ['nearest', 'keep_odd', 'minimal'], not {pairing}")
    if analog and pairing != "minimal":
        raise ValueError('for analog zpk2sos conversion, pairing must be "minimal"')
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    if len(z) == len(p) == 0:
        k = float(np.real(k))
        return np.array([[0.0, 0.0, k, 0.0, 0.0, 1.0]]) if analog else np.array([[k, 0.0, 0.0, 1.0, 0.0, 0.0]])
    if pairing != "minimal":
        p = np.concatenate((p, np.zeros(max(len(z) - len(p), 0))))
        z = np.concatenate((z, np.zeros(max(len(p) - len(z), 0))))
        if len(p) % 2 and pairing == "nearest":
            p, z = np.concatenate((p, [0.0])), np.concatenate((z, [0.0]))
    elif len(p) < len(z):
        raise ValueError("for analog zpk2sos conversion, must have len(p)>=len(z)")
    count = (len(p) + 1) // 2
    z, p = (np.concatenate(real_and_pairs(values)) for values in (z, p))
    if not np.isreal(k):
        raise ValueError("k must be real")
    k = float(np.real(k))

    def worst(poles: np.ndarray) -> int:
        return int(np.argmin(abs(poles.real) if analog else abs(1 - abs(poles))))

    def taken(values: np.ndarray, place: int) -> tuple[Any, np.ndarray]:
        return values[place], np.delete(values, place)

    sections = np.zeros((count, 6))
    for number in range(count - 1, -1, -1):
        first, p = taken(p, worst(p))
        if np.isreal(first) and not np.isreal(p).any():
            # The last real pole.
            if pairing != "minimal":
                zero, z = taken(z, _nearest(z, first, "real"))
                sections[number] = _section([zero, 0], [first, 0], 1)
            elif len(z):
                zero, z = taken(z, _nearest(z, first, "real"))
                sections[number] = _section([zero], [first], 1)
            else:
                sections[number] = _section([], [first], 1)
            continue
        if len(p) + 1 == len(z) and not np.isreal(first) and np.isreal(p).sum() == 1 and np.isreal(z).sum() == 1:
            # The real pole and zero that are left go together.
            zero, z = taken(z, _nearest(z, first, "complex"))
            sections[number] = _section([zero, np.conj(zero)], [first, np.conj(first)], 1)
            continue
        if np.isreal(first):
            reals = np.flatnonzero(np.isreal(p))
            second, p = taken(p, int(reals[worst(p[reals])]))
        else:
            second = np.conj(first)
        zeros: list[Any] = []
        if len(z):
            zero, z = taken(z, _nearest(z, first, "any"))
            zeros = [zero]
            if not np.isreal(zero):
                zeros.append(np.conj(zero))
            elif len(z):
                zero, z = taken(z, _nearest(z, first, "real"))
                zeros.append(zero)
        sections[number] = _section(zeros, [first, second], 1)
    sections[0, :3] *= k
    return sections


# ------------------------------------------------------------------------------------------------- changes of frequency


def _frequency(value: Any, name: str) -> float:
    """A frequency or a width, as a number or as an array of one."""
    value = np.asarray(value)
    if value.size != 1 or value.dtype.kind == "c":
        raise ValueError(f"{name} must be one real number, not {value}")
    return float(value.reshape(()))


def _degree(z: np.ndarray, p: np.ndarray) -> int:
    degree = len(p) - len(z)
    if degree < 0:
        raise ValueError("Improper transfer function. Must have at least as many poles as zeros.")
    return degree


def _gain(z: np.ndarray, p: np.ndarray) -> float:
    # Products of integers wrap around.
    return float(np.real(np.prod(-1.0 * z) / np.prod(-1.0 * p)))


def _parts(z: Any, p: Any) -> tuple[np.ndarray, np.ndarray, int]:
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    return z, p, _degree(z, p)


def lp2lp_zpk(z: Any, p: Any, k: Any, wo: float = 1.0) -> Any:
    """A low-pass prototype moved to the frequency `wo`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2lp_zpk([], [-1.0], 1.0, 2.0)[1:]
    (array([-2.]), 2.0)
    """
    z, p, degree = _parts(z, p)
    wo = _frequency(wo, "wo")
    return wo * z, wo * p, k * wo**degree


def lp2hp_zpk(z: Any, p: Any, k: Any, wo: float = 1.0) -> Any:
    """A low-pass prototype turned into a high-pass filter at `wo`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2hp_zpk([], [-1.0], 1.0, 2.0)
    (array([0.]), array([-2.]), 1.0)
    """
    z, p, degree = _parts(z, p)
    wo = _frequency(wo, "wo")
    return np.concatenate((wo / z, np.zeros(degree))), wo / p, k * _gain(z, p)


def _split(values: np.ndarray, wo: float) -> np.ndarray:
    values = values.astype(complex)
    root = np.sqrt(values**2 - wo**2)
    return np.concatenate((values + root, values - root))


def lp2bp_zpk(z: Any, p: Any, k: Any, wo: float = 1.0, bw: float = 1.0) -> Any:
    """A low-pass prototype turned into a band-pass filter around `wo` of the width `bw`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2bp_zpk([], [-1.0], 1.0, 1.0, 2.0)[1].real
    array([-1., -1.])
    """
    z, p, degree = _parts(z, p)
    wo, bw = _frequency(wo, "wo"), _frequency(bw, "bw")
    zeros = np.concatenate((_split(z * bw / 2, wo), np.zeros(degree)))
    return zeros, _split(p * bw / 2, wo), k * bw**degree


def lp2bs_zpk(z: Any, p: Any, k: Any, wo: float = 1.0, bw: float = 1.0) -> Any:
    """A low-pass prototype turned into a band-stop filter around `wo` of the width `bw`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2bs_zpk([], [-1.0], 1.0, 2.0, 1.0)[0].imag
    array([ 2., -2.])
    """
    z, p, degree = _parts(z, p)
    wo, bw = _frequency(wo, "wo"), _frequency(bw, "bw")
    # Together complex, since the sign of a zero decides on which side roots are.
    z, p = (part.astype(np.result_type(z, p)) for part in (z, p))
    ends = np.concatenate((np.full(degree, 1j * wo), np.full(degree, -1j * wo)))
    return np.concatenate((_split((bw / 2) / z, wo), ends)), _split((bw / 2) / p, wo), k * _gain(z, p)


def bilinear_zpk(z: Any, p: Any, k: Any, fs: float) -> Any:
    """The digital filter of an analogue one by the bilinear transform.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.bilinear_zpk([], [-1.0], 1.0, 0.5)[:2]
    (array([-1.]), array([0.]))
    """
    z, p, degree = _parts(z, p)
    double = 2.0 * sampling_rate(given_rate(fs))
    zeros = np.concatenate(((double + z) / (double - z), -np.ones(degree)))
    return zeros, (double + p) / (double - p), k * float(np.real(np.prod(double - z) / np.prod(double - p)))


def _substituted(c: np.ndarray, top: np.ndarray, bottom: np.ndarray, degree: int) -> np.ndarray:
    """The polynomial that c becomes with s = top / bottom, times bottom ** degree."""
    terms = []
    top, bottom = top.astype(c.real.dtype), bottom.astype(c.real.dtype)
    for power, value in enumerate(c[::-1]):
        term = np.array([value], c.dtype)
        for factor, times in ((top, power), (bottom, degree - power)):
            for _ in range(times):
                term = np.convolve(term, factor)
        terms.append(term)
    # Leading zeros stay: `normalize` warns of them.
    total = np.zeros(max(map(len, terms), default=1), c.dtype)
    for term in terms:
        total[len(total) - len(term) :] += term
    return total


def _coefficients(b: Any, a: Any) -> tuple[np.ndarray, np.ndarray, int]:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    dtype = np.result_type(b, a, np.float32 if "f" in (b.dtype.char, a.dtype.char) else float)
    b, a = b.astype(dtype), a.astype(dtype)
    return b, a, max(len(b), len(a)) - 1


def lp2lp(b: Any, a: Any, wo: float = 1.0) -> Any:
    """A low-pass prototype, as coefficients, moved to the frequency `wo`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2lp([1.0], [1.0, 1.0], 2.0)
    (array([2.]), array([1., 2.]))
    """
    b, a, _ = _coefficients(b, a)
    wo = _frequency(wo, "wo")
    powers = wo ** np.arange(max(len(a), len(b)) - 1, -1, -1)
    most, start_a = max(len(a), len(b)), max(len(b) - len(a), 0)
    b, a = b * powers[start_a] / powers[most - len(b) :], a * powers[start_a] / powers[most - len(a) :]
    return normalize(b, a)


def lp2hp(b: Any, a: Any, wo: float = 1.0) -> Any:
    """A low-pass prototype, as coefficients, turned into a high-pass filter at `wo`.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2hp([1.0], [1.0, 1.0], 2.0)
    (array([1., 0.]), array([1., 2.]))
    """
    b, a, degree = _coefficients(b, a)
    wo = _frequency(wo, "wo")

    def turned(c: np.ndarray) -> np.ndarray:
        powers = (wo ** np.arange(len(c))).astype(c.real.dtype)
        found = np.zeros(degree + 1, c.dtype)
        found[: len(c)] = c[::-1] * powers
        return found

    # With s = wo / t, times t ** degree.
    return normalize(turned(b), turned(a))


def lp2bp(b: Any, a: Any, wo: float = 1.0, bw: float = 1.0) -> Any:
    """A low-pass prototype, as coefficients, turned into a band-pass filter.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2bp([1.0], [1.0, 1.0], 1.0, 2.0)
    (array([2., 0.]), array([1., 2., 1.]))
    """
    b, a, degree = _coefficients(b, a)
    top, bottom = np.array([1.0, 0.0, _frequency(wo, "wo") ** 2]), np.array([_frequency(bw, "bw"), 0.0])
    return normalize(*(_substituted(c, top, bottom, degree) for c in (b, a)))


def lp2bs(b: Any, a: Any, wo: float = 1.0, bw: float = 1.0) -> Any:
    """A low-pass prototype, as coefficients, turned into a band-stop filter.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.lp2bs([1.0], [1.0, 1.0], 1.0, 2.0)
    (array([1., 0., 1.]), array([1., 2., 1.]))
    """
    b, a, degree = _coefficients(b, a)
    top, bottom = np.array([_frequency(bw, "bw"), 0.0]), np.array([1.0, 0.0, _frequency(wo, "wo") ** 2])
    return normalize(*(_substituted(c, top, bottom, degree) for c in (b, a)))


def bilinear(b: Any, a: Any, fs: Any = 1.0) -> Any:
    """The digital filter of an analogue one, both as coefficients, by the bilinear transform.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.bilinear([1.0], [1.0, 1.0], 0.5)
    (array([0.5, 0.5]), array([1., 0.]))
    """
    real = np.isrealobj(b), np.isrealobj(a)
    b, a, degree = _coefficients(b, a)
    b, a = (c.real if is_real else c for c, is_real in zip((b, a), real, strict=True))
    for name, values in (("b", b), ("a", a)):
        if values.ndim != 1:
            raise ValueError(f"Parameter {name} is not a 1d array since {name}.shape={values.shape}")
    b, a = np.trim_zeros(b, "f"), np.trim_zeros(a, "f")
    if len(a) == 0:
        raise ValueError("Denominator must have at least one nonzero element.")
    b = b if len(b) else np.zeros(1)
    degree = max(len(a), len(b)) - 1
    double = 2 * sampling_rate(given_rate(fs))
    found = []
    for c in (b, a):
        total = np.zeros(degree + 1, c.dtype)
        for power, value in enumerate(c[::-1]):
            # (2 fs)^power (z - 1)^power (z + 1)^(degree - power).
            minus = np.array([math.comb(power, i) * (-1.0) ** i for i in range(power + 1)])
            plus = np.array([float(math.comb(degree - power, i)) for i in range(degree - power + 1)])
            total = total + value * double**power * np.convolve(minus, plus)
        found.append(total)
    return normalize(*found)
