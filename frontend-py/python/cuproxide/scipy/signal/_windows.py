"""Window functions. Each is computed with the array module that is asked for, by default on the device."""

from __future__ import annotations

import numbers
import operator
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host

__all__ = [
    "barthann",
    "bartlett",
    "blackman",
    "blackmanharris",
    "bohman",
    "boxcar",
    "chebwin",
    "cosine",
    "dpss",
    "exponential",
    "flattop",
    "gaussian",
    "general_cosine",
    "general_gaussian",
    "general_hamming",
    "get_window",
    "hamming",
    "hann",
    "kaiser",
    "kaiser_bessel_derived",
    "lanczos",
    "nuttall",
    "parzen",
    "taylor",
    "triang",
    "tukey",
]


def _built(M: Any, sym: bool, xp: Any, device: Any, formula: Callable[[Any, int], Any]) -> Any:
    """The window of a formula in the module and the length: a periodic one is a longer one without its last point."""
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    M, xp = int(M), cp if xp is None else xp
    if xp is cp and device is not None:
        with cp.Device(device):
            return _built(M, sym, cp, None, formula)
    if M <= 1:
        return xp.ones(M)
    return formula(xp, M)[:M] if sym else formula(xp, M + 1)[:M]


class Window(Protocol):
    """A window without parameters."""

    def __call__(self, M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any: ...


def _window(example: str) -> Callable[[Callable[[Any, int], Any]], Window]:
    """Makes a formula in the module and the length a window, with the formula's name and text."""

    def made(formula: Callable[[Any, int], Any]) -> Window:
        def window(M: int, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
            return _built(M, sym, xp, device, formula)

        name = formula.__name__
        window.__name__ = window.__qualname__ = name
        shown = f">>> import cuproxide as cp\n>>> cp.scipy.signal.windows.{name}{example}"
        window.__doc__ = f"{formula.__doc__}\n\nReturns\n-------\nndarray\n\nExamples\n--------\n{shown}\n"
        return window

    return made


def _cosines(xp: Any, n: int, weights: Any) -> Any:
    angle = xp.linspace(-np.pi, np.pi, n)
    total = xp.zeros(n)
    for order, weight in enumerate(weights):
        total = total + weight * xp.cos(order * angle)
    return total


@_window("(3)\narray([1., 1., 1.])")
def boxcar(xp: Any, n: int) -> Any:
    """The window of ones."""
    return xp.ones(n)


@_window("(3)\narray([0.5, 1. , 0.5])")
def triang(xp: Any, n: int) -> Any:
    """The triangle that is not zero at its ends."""
    m = xp.arange(n)
    m = xp.minimum(m, n - 1 - m)
    return 2 * (m + 1) / (n + 1.0) if n % 2 else (2 * m + 1.0) / n


@_window("(3).round(4)\narray([0.0741, 1.    , 0.0741])")
def parzen(xp: Any, n: int) -> Any:
    """Parzen's window, of pieces of cubics."""
    m = abs(xp.arange(n) - (n - 1) / 2.0)
    u = m / (n / 2.0)
    return xp.where(m <= (n - 1) / 4.0, 1 - 6 * u**2.0 + 6 * u**3.0, 2 * (1 - u) ** 3.0)


@_window("(3)\narray([0., 1., 0.])")
def bohman(xp: Any, n: int) -> Any:
    """Bohman's window, zero at its ends."""
    u = abs(xp.linspace(-1, 1, n))
    return xp.where(u < 1, (1 - u) * xp.cos(np.pi * u) + xp.sin(np.pi * u) / np.pi, 0.0)


def general_cosine(M: int, a: Any, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """The sum of cosines with weights `a`.

    Parameters
    ----------
    a : array_like
        The weights of the cosines.

    >>> cp.scipy.signal.windows.general_cosine(3, [0.5, 0.5])
    array([0., 1., 0.])
    """
    given = to_host(a)
    if given.ndim > 1:
        raise ValueError(f"a must have at most one axis, got the shape {given.shape}")
    weights = [float(weight) for weight in given.ravel()]
    return _built(M, sym, xp, device, lambda xp, n: _cosines(xp, n, weights))


def _sum_of_cosines(name: str, weights: list[float], text: str, example: str) -> Window:
    """The window of a row of the table of weights."""

    def formula(xp: Any, n: int) -> Any:
        return _cosines(xp, n, weights)

    formula.__name__, formula.__doc__ = name, text
    return _window(example)(formula)


blackman = _sum_of_cosines(
    "blackman", [0.42, 0.50, 0.08], "Blackman's window.", "(5).round(2)\narray([-0.  ,  0.34,  1.  ,  0.34, -0.  ])"
)
nuttall = _sum_of_cosines(
    "nuttall",
    [0.3635819, 0.4891775, 0.1365995, 0.0106411],
    "Nuttall's window with the least side lobes of four terms.",
    "(5).round(4)\narray([4.00e-04, 2.27e-01, 1.00e+00, 2.27e-01, 4.00e-04])",
)
blackmanharris = _sum_of_cosines(
    "blackmanharris",
    [0.35875, 0.48829, 0.14128, 0.01168],
    "The window of Blackman and Harris of four terms.",
    "(5).round(4)\narray([1.000e-04, 2.175e-01, 1.000e+00, 2.175e-01, 1.000e-04])",
)
flattop = _sum_of_cosines(
    "flattop",
    [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368],
    "The window for measuring amplitudes, flat around its peak in frequency.",
    "(5).round(4)\narray([-4.00e-04, -5.47e-02,  1.00e+00, -5.47e-02, -4.00e-04])",
)


@_window("(5)\narray([0. , 0.5, 1. , 0.5, 0. ])")
def bartlett(xp: Any, n: int) -> Any:
    """The triangle that is zero at its ends."""
    m = xp.arange(n)
    return xp.where(m <= (n - 1) / 2.0, 2.0 * m / (n - 1), 2.0 - 2.0 * m / (n - 1))


@_window("(5).round(4)\narray([0. , 0.5, 1. , 0.5, 0. ])")
def barthann(xp: Any, n: int) -> Any:
    """A mixture of Bartlett's and Hann's windows."""
    u = abs(xp.arange(n) / (n - 1.0) - 0.5)
    return 0.62 - 0.48 * u + 0.38 * xp.cos(2 * np.pi * u)


def general_hamming(M: int, alpha: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """A constant `alpha` and a cosine.

    Parameters
    ----------
    alpha : float
        The weight of the constant.

    >>> cp.scipy.signal.windows.general_hamming(3, 0.75)
    array([0.5, 1. , 0.5])
    """
    return general_cosine(M, [alpha, 1.0 - alpha], sym, xp=xp, device=device)


hamming = _sum_of_cosines("hamming", [0.54, 1.0 - 0.54], "Hamming's window.", "(3)\narray([0.08, 1.  , 0.08])")


hann = _sum_of_cosines(
    "hann", [0.5, 0.5], "Hann's window, a raised cosine.", "(4, sym=False)\narray([0. , 0.5, 1. , 0.5])"
)


def tukey(M: int, alpha: float = 0.5, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """Ones between halves of Hann's window, which take the part `alpha`.

    Parameters
    ----------
    alpha : float
        The part of the window that is tapered.

    >>> cp.scipy.signal.windows.tukey(5, 0.5)
    array([0., 1., 1., 1., 0.])
    """
    if alpha <= 0:
        return boxcar(M, sym, xp=xp, device=device)
    if alpha >= 1.0:
        return hann(M, sym, xp=xp, device=device)

    def formula(xp: Any, n: int) -> Any:
        m = xp.arange(n)
        width = int(np.floor(alpha * (n - 1) / 2.0))
        rising = 0.5 * (1 + xp.cos(np.pi * (-1 + 2.0 * m / alpha / (n - 1))))
        falling = 0.5 * (1 + xp.cos(np.pi * (-2.0 / alpha + 1 + 2.0 * m / alpha / (n - 1))))
        return xp.where(m <= width, rising, xp.where(m >= n - width - 1, falling, 1.0))

    return _built(M, sym, xp, device, formula)


def kaiser(M: int, beta: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """Kaiser's window with the shape `beta`.

    >>> cp.scipy.signal.windows.kaiser(3, 2.0).round(4)
    array([0.4387, 1.    , 0.4387])
    """

    def formula(xp: Any, n: int) -> Any:
        half = (n - 1) / 2.0
        return xp.i0(beta * xp.sqrt(1 - ((xp.arange(n) - half) / half) ** 2.0)) / float(np.i0(float(beta)))

    return _built(M, sym, xp, device, formula)


def kaiser_bessel_derived(M: int, beta: float, *, sym: bool = True, xp: Any = None, device: Any = None) -> Any:
    """The window of an even length that the sums of Kaiser's give.

    Raises
    ------
    ValueError
        The length is odd, or a periodic window is asked for.

    >>> cp.scipy.signal.windows.kaiser_bessel_derived(4, 2.0).round(4)
    array([0.4834, 0.8754, 0.8754, 0.4834])
    """
    if not sym:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for symmetric shapes")
    if M < 1:
        return (xp or cp).asarray([])
    if M % 2:
        raise ValueError("Kaiser-Bessel Derived windows are only defined for even number of points")
    xp = cp if xp is None else xp
    sums = xp.cumsum(kaiser(M // 2 + 1, beta, xp=xp, device=device))
    half = xp.sqrt(sums[:-1] / sums[-1])
    return xp.concatenate((half, half[::-1]))


def gaussian(M: int, std: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """The Gaussian with the deviation `std`.

    Parameters
    ----------
    std : float
        The deviation.

    >>> cp.scipy.signal.windows.gaussian(3, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """

    def formula(xp: Any, n: int) -> Any:
        m = xp.arange(n) - (n - 1.0) / 2.0
        return xp.exp(-(m**2) / (2 * std * std))

    return _built(M, sym, xp, device, formula)


def general_gaussian(M: int, p: float, sig: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """The Gaussian with another power: 1 is the Gaussian, 1/2 that of Laplace.

    Parameters
    ----------
    p : float
        The exponent.
    sig : float
        The deviation.

    >>> cp.scipy.signal.windows.general_gaussian(3, 0.5, 1.0).round(4)
    array([0.6065, 1.    , 0.6065])
    """

    def formula(xp: Any, n: int) -> Any:
        m = xp.arange(n) - (n - 1.0) / 2.0
        return xp.exp(-0.5 * abs(m / sig) ** (2.0 * p))

    return _built(M, sym, xp, device, formula)


def chebwin(M: int, at: float, sym: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """Dolph's and Chebyshev's window with side lobes at -`at` dB.

    Parameters
    ----------
    at : float
        The attenuation of the side lobes in decibels.

    >>> cp.scipy.signal.windows.chebwin(3, 60.0).round(4)
    array([0.501, 1.   , 0.501])
    """
    if abs(at) < 45:
        warnings.warn(
            "This window is not suitable for spectral analysis for attenuation values lower than about 45dB because "
            "the equivalent noise bandwidth of a Chebyshev window does not grow monotonically with increasing sidelobe "
            "attenuation when the attenuation is smaller than about 45 dB.",
            stacklevel=2,
        )

    def formula(xp: Any, n: int) -> Any:
        order = n - 1.0
        beta = np.cosh(1.0 / order * np.arccosh(10 ** (abs(at) / 20.0)))
        places = xp.arange(n) * 1.0
        x = beta * xp.cos(np.pi * places / n)
        outside = xp.cosh(order * xp.arccosh(xp.maximum(abs(x), 1.0)))
        p = xp.where(
            x > 1,
            outside,
            xp.where(x < -1, (2 * (n % 2) - 1) * outside, xp.cos(order * xp.arccos(xp.clip(x, -1.0, 1.0)))),
        )
        if n % 2:
            w = xp.real(xp.fft.fft(p))
            half = (n + 1) // 2
            w = xp.concatenate((w[half - 1 : 0 : -1], w[:half]))
        else:
            w = xp.real(xp.fft.fft(p * xp.exp(1j * np.pi / n * places)))
            half = n // 2 + 1
            w = xp.concatenate((w[half - 1 : 0 : -1], w[1:half]))
        return w / xp.max(w)

    return _built(M, sym, xp, device, formula)


@_window("(3).round(4)\narray([0.5, 1. , 0.5])")
def cosine(xp: Any, n: int) -> Any:
    """The half of a sine."""
    return xp.sin(np.pi / n * (xp.arange(n) + 0.5))


def exponential(
    M: int, center: float | None = None, tau: float = 1.0, sym: bool = True, *, xp: Any = None, device: Any = None
) -> Any:
    """Poisson's window, which decays with `tau` from `center`.

    Parameters
    ----------
    center : float, optional
        The centre, by default the middle.
    tau : float
        The constant of decay.

    Raises
    ------
    ValueError
        A symmetric window has another centre than its middle.

    >>> cp.scipy.signal.windows.exponential(3).round(4)
    array([0.3679, 1.    , 0.3679])
    """
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")

    def formula(xp: Any, n: int) -> Any:
        return xp.exp(-abs(xp.arange(n) - ((n - 1) / 2 if center is None else center)) / tau)

    return _built(M, sym, xp, device, formula)


def taylor(
    M: int, nbar: int = 4, sll: float = 30, norm: bool = True, sym: bool = True, *, xp: Any = None, device: Any = None
) -> Any:
    """Taylor's window with `nbar` side lobes at -`sll` dB.

    Parameters
    ----------
    nbar : int
        The number of side lobes of nearly one height.
    sll : float
        The height of the side lobes in decibels below the main one.
    norm : bool
        Whether the greatest value is 1.

    >>> cp.scipy.signal.windows.taylor(3).round(4)
    array([0.4669, 1.    , 0.4669])
    """

    nbar = operator.index(nbar)
    if nbar < 1:
        raise ValueError(f"nbar must be a positive integer, got {nbar}")

    def formula(xp: Any, n: int) -> Any:
        a = np.arccosh(10 ** (sll / 20)) / np.pi
        ratio = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
        m = np.arange(1, nbar, dtype=float)
        terms = []
        for order in range(len(m)):
            above = (-1.0) ** order * np.prod(1 - m[order] ** 2 / ratio / (a**2 + (m - 0.5) ** 2))
            others = np.delete(m, order)
            terms.append(above / (2 * np.prod(1 - m[order] ** 2 / others**2)))

        def at(place: Any, module: Any) -> Any:
            total = 1.0
            for order, term in zip(m, terms, strict=True):
                total = total + 2 * term * module.cos(2 * np.pi * order * (place - n / 2.0 + 0.5) / n)
            return total + 0 * place

        w = at(xp.arange(n) * 1.0, xp)
        return w / float(at((n - 1) / 2, np)) if norm else w

    return _built(M, sym, xp, device, formula)


def dpss(
    M: int,
    NW: float,
    Kmax: int | None = None,
    sym: bool = True,
    norm: Any = None,
    return_ratios: bool = False,
    *,
    xp: Any = None,
    device: Any = None,
) -> Any:
    """Slepian's windows: sequences of finite length with most of their energy in a band.

    Parameters
    ----------
    M : int
        The length.
    NW : float
        Half of the bandwidth in units of 1 / `M`.
    Kmax : int, optional
        How many windows; without it one window is returned, not an array of them.
    sym : bool
        Whether windows are symmetric, or periodic.
    norm : {2, 'approximate', 'subsample'}, optional
        Norms of 1, or peaks of 1 up to a correction for even lengths.
    return_ratios : bool
        Whether the concentrations are returned, too.

    Returns
    -------
    ndarray, or a tuple with the ratios
        The windows, (`Kmax`, `M`) or (`M`,).

    Raises
    ------
    ValueError
        An argument is out of its range.

    See Also
    --------
    scipy.signal.windows.dpss : The function that this one follows; Percival and Walden 1993.

    >>> cp.scipy.signal.windows.dpss(5, 1.0).round(3)
    array([0.443, 0.831, 1.   , 0.831, 0.443])
    """
    xp = cp if xp is None else xp
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    M = int(M)
    if norm is None:
        norm = "approximate" if Kmax is None else 2
    if norm not in (2, "approximate", "subsample"):
        raise ValueError(f'norm must be one of (2, "approximate", "subsample"), got {norm}')
    if M <= 1:
        w = xp.ones(M)
        return (w, xp.ones(() if Kmax is None else 1)) if return_ratios else w
    single = Kmax is None
    count = 1 if single else operator.index(Kmax)
    n = M if sym else M + 1
    if not 0 < count <= n:
        raise ValueError("Kmax must be greater than 0 and less than M")
    if NW >= n / 2.0:
        raise ValueError("NW must be less than M/2.")
    if NW <= 0:
        raise ValueError("NW must be positive")
    from ..linalg import eigh_tridiagonal

    width = float(NW) / n
    places = cp.arange(n)
    diagonal = ((n - 1 - 2 * places) / 2.0) ** 2 * np.cos(2 * np.pi * width)
    beside = places[1:] * (n - places[1:]) / 2.0
    _, vectors = eigh_tridiagonal(diagonal, beside, select="i", select_range=(n - count, n - 1))
    found = vectors[:, ::-1].T
    # The symmetric ones have a positive sum, the others begin with a positive lobe.
    threshold = max(1e-7, 1.0 / n)
    odd = (cp.arange(count) % 2 == 1)[:, None]
    first = cp.argmax(found * found > threshold, axis=1, keepdims=True)
    lead = cp.where(odd, cp.take_along_axis(found, first, axis=1), found.sum(axis=1, keepdims=True))
    found = cp.where(lead < 0, -found, found)
    if return_ratios:
        size = 1 << (2 * n - 2).bit_length()
        spectrum = cp.fft.rfft(found, size)
        auto = cp.fft.irfft(abs(spectrum) ** 2, size)[:, :n]
        kernel = cp.where(places == 0, 2 * width, 4 * width * cp.sinc(2 * width * places))
        ratios = auto @ kernel
    if norm != 2:
        found = found / found.max()
        if n % 2 == 0:
            if norm == "approximate":
                found = found * (n**2 / float(n**2 + NW))
            else:
                s = cp.fft.rfft(found[0])
                shift = -(1 - 1.0 / n) * cp.arange(1, n // 2 + 1)
                found = found * (n / (s[0].real + (2 * s[1:] * cp.exp(-1j * np.pi * shift)).real.sum()))
    found = found[:, :M]
    if single:
        found = found[0]
    if xp is np:
        found = found.get()
    if not return_ratios:
        return found
    ratios = ratios[0] if single else ratios
    return found, (ratios.get() if xp is np else ratios)


def lanczos(M: int, *, sym: bool = True, xp: Any = None, device: Any = None) -> Any:
    """The main lobe of a sinc.

    >>> cp.scipy.signal.windows.lanczos(5).round(4)
    array([0.    , 0.6366, 1.    , 0.6366, 0.    ])
    """

    def formula(xp: Any, n: int) -> Any:
        m = xp.arange(n)
        # From the end that is nearer, so that both halves are the same.
        return xp.sinc(2.0 * xp.maximum(m, n - 1 - m) / (n - 1) - 1.0)

    return _built(M, sym, xp, device, formula)


_ALIASES = {
    barthann: ("barthann", "brthan", "bth"),
    bartlett: ("bartlett", "bart", "brt"),
    blackman: ("blackman", "black", "blk"),
    blackmanharris: ("blackmanharris", "blackharr", "bkh"),
    bohman: ("bohman", "bman", "bmn"),
    boxcar: ("boxcar", "box", "ones", "rect", "rectangular"),
    chebwin: ("chebwin", "cheb"),
    cosine: ("cosine", "halfcosine"),
    dpss: ("dpss",),
    exponential: ("exponential", "poisson"),
    flattop: ("flattop", "flat", "flt"),
    gaussian: ("gaussian", "gauss", "gss"),
    general_cosine: ("general cosine", "general_cosine"),
    general_gaussian: ("general gaussian", "general_gaussian", "general gauss", "general_gauss", "ggs"),
    general_hamming: ("general hamming", "general_hamming"),
    hamming: ("hamming", "hamm", "ham"),
    hann: ("hann", "han"),
    kaiser: ("kaiser", "ksr"),
    kaiser_bessel_derived: ("kaiser bessel derived", "kaiser_bessel_derived", "kbd"),
    lanczos: ("lanczos", "sinc"),
    nuttall: ("nuttall", "nutl", "nut"),
    parzen: ("parzen", "parz", "par"),
    taylor: ("taylor", "taylorwin"),
    triang: ("triangle", "triang", "tri"),
    tukey: ("tukey", "tuk"),
}
_BY_NAME = {name: function for function, names in _ALIASES.items() for name in names}
_NEED_PARAMETERS = (chebwin, dpss, gaussian, general_cosine, general_gaussian, general_hamming, kaiser)
_NEED_PARAMETERS += (kaiser_bessel_derived,)
_PLAIN = (
    barthann,
    bartlett,
    blackman,
    blackmanharris,
    bohman,
    boxcar,
    cosine,
    flattop,
    hamming,
    hann,
    lanczos,
    nuttall,
)
_PLAIN += (parzen, triang)


def _positive_length(Nx: Any) -> int:
    """The length of a window that `get_window` makes."""
    given = Nx.item() if isinstance(Nx, ndarray) and Nx.ndim == 0 else Nx
    try:
        length = operator.index(given)
    except TypeError:
        length = 0
    if length < 1:
        raise ValueError(f"Parameter Nx={given!r} is not a positive integer")
    return length


def get_window(window: Any, Nx: int, fftbins: bool = True, *, xp: Any = None, device: Any = None) -> Any:
    """A window by its name.

    Parameters
    ----------
    window : str, float or tuple
        A name, with "_periodic" or "_symmetric" at its end if `fftbins` is not to decide; a tuple of a name and the
        parameters; or the `beta` of a Kaiser window.
    Nx : int
        The length.
    fftbins : bool
        Whether the window is periodic, for transforms, or symmetric, for filters.

    Returns
    -------
    ndarray
        The window.

    Raises
    ------
    ValueError
        The name is unknown, parameters are missing or too many, or the length is no positive integer.

    >>> cp.scipy.signal.get_window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    if not isinstance(Nx, numbers.Integral) or Nx <= 0:
        raise ValueError(f"Parameter {Nx=} is not a positive integer")
    if not isinstance(fftbins, (bool, np.bool_)):
        raise ValueError(f"Parameter {fftbins=} is not of type bool!")
    symmetric = not fftbins
    Nx = _positive_length(Nx)
    if isinstance(window, (ndarray, np.ndarray)) and window.ndim == 0:
        window = window.item()
    if not isinstance(window, (str, tuple)):
        try:
            beta = float(window)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{type(window)} as window type is not supported.") from error
        return kaiser(Nx, beta, symmetric, xp=xp, device=device)
    name, parameters = (window, ()) if isinstance(window, str) else (window[0], tuple(window[1:]))
    if not isinstance(name, str):
        raise ValueError(f"First tuple entry of parameter window must be str, not {type(name)}!")
    plain = name
    for suffix, wanted in (("_periodic", False), ("_symmetric", True)):
        if name.endswith(suffix):
            plain, symmetric = name.removesuffix(suffix), wanted
    function = _BY_NAME.get(plain)
    if function is None:
        raise ValueError(f"Unknown window type: {name!r}!" if isinstance(window, str) else "Unknown window type.")
    if function in _NEED_PARAMETERS and not parameters:
        raise ValueError(f"The '{name}' window needs one or more parameters -- pass a tuple.")
    if parameters and function in _PLAIN:
        raise ValueError(f"{name!r} does not allow parameters, but window={window!r}!")
    if function is dpss:
        parameters = (*parameters[:1], None)
    return function(Nx, *parameters, sym=symmetric, xp=xp, device=device)


def window_on_device(window: Any, length: int, fftbins: bool = True) -> ndarray:
    """The window that an argument of another function names."""
    return get_window(window, length, fftbins)


def host_window(window: Any, length: int, fftbins: bool = True) -> np.ndarray:
    """The same on the host, for the design of filters."""
    return get_window(window, length, fftbins, xp=np)
