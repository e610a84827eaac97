"""Matched filters, Doppler spectra and detection at a constant rate of false alarms."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from .._cuproxide import ndarray

__all__ = ["ca_cfar", "cfar_alpha", "pulse_compression", "pulse_doppler"]


def _weights(window: Any, length: int) -> ndarray:
    """A window as an array, from a function of frequencies, an array, or what `get_window` takes."""
    if callable(window):
        return cp.asarray(window(cp.fft.fftfreq(length)))
    if isinstance(window, (ndarray, np.ndarray)):
        if window.shape != (length,):
            raise ValueError("window must have the same length as data")
        return cp.asarray(window)
    from ..scipy.signal import get_window

    return get_window(window, length, False)


def pulse_compression(
    x: Any, template: Any, normalize: bool = False, window: Any = None, nfft: int | None = None
) -> ndarray:
    """Received pulses filtered by what was sent, by transforms.

    Parameters
    ----------
    template : array_like
        The pulse that was sent.
    normalize : bool
        Whether the template is scaled to a norm of 1.
    window : array_like, callable, str, float or tuple, optional
        What the template is multiplied by.
    nfft : int, optional
        The length of transforms, by default the number of samples.

    Returns
    -------
    ndarray
        The compressed pulses.

    Raises
    ------
    ValueError
        `x` has not two axes, or the window has another length.

    See Also
    --------
    cupyx.signal.pulse_compression : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.pulse_compression(cp.eye(2, 4), cp.ones(1)).real.round(6)
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]])
    """
    x, template = cp.asarray(x), cp.asarray(template)
    if x.ndim != 2:
        raise ValueError(f"x must have the axes of pulses and samples, not {x.ndim} axes")
    nfft = x.shape[1] if nfft is None else nfft
    if window is not None:
        template = template * _weights(window, template.shape[0])
    if normalize:
        template = template / cp.linalg.norm(template)
    return cp.fft.ifft(cp.fft.fft(x, nfft) * cp.fft.fft(template, nfft).conj(), nfft)


def pulse_doppler(x: Any, window: Any = None, nfft: int | None = None) -> ndarray:
    """The spectra over pulses of each sample, which tell the speeds of targets.

    Parameters
    ----------
    window : array_like, callable, str, float or tuple, optional
        What the pulses are multiplied by.
    nfft : int, optional
        The length of transforms, by default the number of pulses.

    Returns
    -------
    ndarray
        The spectra (`nfft`, samples).

    Raises
    ------
    ValueError
        `x` has not two axes, or the window has another length.

    See Also
    --------
    cupyx.signal.pulse_doppler : The function that this one follows.

    >>> import cuproxide as cp
    >>> cp.signal.pulse_doppler(cp.ones((4, 2))).real[:, 0]
    array([4., 0., 0., 0.])
    """
    x = cp.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"x must have the axes of pulses and samples, not {x.ndim} axes")
    if window is not None:
        x = x * _weights(window, x.shape[0])[:, None]
    return cp.fft.fft(x, x.shape[0] if nfft is None else nfft, axis=0)


def cfar_alpha(pfa: float, N: int) -> float:
    """The factor between the mean of `N` reference cells and the threshold, for a rate `pfa` of false alarms.

    See `cupyx.signal.cfar_alpha`.

    Parameters
    ----------
    N : int
        The number of cells.

    >>> import cuproxide as cp
    >>> round(cp.signal.cfar_alpha(1e-3, 16), 4)
    8.6388
    """
    return N * (pfa ** (-1.0 / N) - 1)


def ca_cfar(array: Any, guard_cells: Any, reference_cells: Any, pfa: float = 1e-3) -> tuple[ndarray, ndarray]:
    """Detection against the mean of the cells around, less the guard cells next to each.

    Parameters
    ----------
    array : array_like
        Cells of one or two axes.
    guard_cells, reference_cells : int, or two of them for two axes
        How many cells on each side are guards, and how many beyond are reference.

    Returns
    -------
    tuple of ndarray
        Thresholds (float32, zero near the edges), and where cells are above them.

    Raises
    ------
    TypeError
        There are more axes, or not two numbers for two axes.
    ValueError
        The array is too small.

    See Also
    --------
    cupyx.signal.ca_cfar : The function that this one follows.

    >>> import cuproxide as cp
    >>> x = cp.ones(9)
    >>> x[4] = 50.0
    >>> cp.signal.ca_cfar(x, 1, 2)[1][3:6]
    array([False,  True, False])
    """
    array = cp.asarray(array)
    if array.ndim not in (1, 2):
        raise TypeError("Only 1D and 2D arrays are currently supported.")
    if array.ndim == 1:
        guards, references = (int(guard_cells),), (int(reference_cells),)
    else:
        guards, references = tuple(guard_cells), tuple(reference_cells)
        if len(guards) != 2 or len(references) != 2:
            raise TypeError("Guard and reference cells must be two dimensional.")
    reach = [guard + reference for guard, reference in zip(guards, references, strict=True)]
    for length, far, name in zip(array.shape, reach, ("first", "second"), strict=False):
        if length - 2 * far <= 0:
            what = "Array" if array.ndim == 1 else f"Array {name} dimension"
            raise ValueError(f"{what} too small for given parameters.")
    sums = array.astype(np.float64)
    for axis in range(array.ndim):
        sums = cp.cumsum(sums, axis=axis)
    sums = cp.pad(sums, [(1, 0)] * array.ndim)

    def box(half: list[int] | tuple[int, ...]) -> ndarray:
        """The sums of boxes around all cells that are not near the edges."""
        found = sums
        for axis, (length, far, near) in enumerate(zip(array.shape, reach, half, strict=True)):
            count = length - 2 * far
            high, low = far + near + 1, far - near
            before = (slice(None),) * axis
            found = found[(*before, slice(high, high + count))] - found[(*before, slice(low, low + count))]
        return found

    cells = int(np.prod([2 * far + 1 for far in reach]) - np.prod([2 * guard + 1 for guard in guards]))
    inner = (box(reach) - box(guards)) * (cfar_alpha(pfa, cells) / cells)
    threshold = cp.pad(inner.astype(np.float32), [(far, far) for far in reach])
    return threshold, array - threshold > 0
