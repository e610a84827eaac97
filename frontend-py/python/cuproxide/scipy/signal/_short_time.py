"""Short-time Fourier transforms with any window, and their inverses by dual windows."""

from __future__ import annotations

import functools
from types import GenericAlias
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, is_integer, to_host
from ._overlap import added, segments
from ._trends import detrended
from ._windows import host_window

__all__ = ["ShortTimeFFT", "closest_STFT_dual_window"]

_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDINGS = ("zeros", "edge", "even", "odd")


def _power(win: np.ndarray) -> np.ndarray:
    return win.real**2 + win.imag**2


def _overlapped(values: np.ndarray, hop: int) -> np.ndarray:
    """At each place of a window the sum of the values of all windows that overlap there."""
    padded = np.pad(values, (0, -len(values) % hop))
    return np.tile(padded.reshape(-1, hop).sum(0), -(-len(values) // hop))[: len(values)]


def _dual(win: np.ndarray, hop: int) -> np.ndarray:
    """The canonical dual window, the one with the least energy."""
    if hop > len(win):
        raise ValueError(f"hop={hop!r} is larger than window length of {len(win)} => STFT not invertible!")
    if win.dtype.kind in "iu":
        raise ValueError(
            f"Parameter 'win' cannot be of integer type, but win.dtype={win.dtype!r} => STFT not invertible!"
        )
    total = _overlapped(_power(win), hop)
    if not (total >= np.finfo(win.dtype).resolution * total.max()).all():
        raise ValueError("Short-time Fourier Transform not invertible!")
    return win / total


def closest_STFT_dual_window(
    win: Any, hop: int, desired_dual: Any = None, *, scaled: bool = True
) -> tuple[ndarray, float | complex]:
    """The dual window that is nearest to a desired one.

    Parameters
    ----------
    desired_dual : array_like, optional
        The desired window, by default ones.
    scaled : bool
        Whether a multiple of the desired window may be meant.

    Returns
    -------
    tuple
        The dual window, and the factor.

    Raises
    ------
    ValueError
        Windows differ in length or are not finite, or the transform has no inverse.

    >>> cp.scipy.signal.closest_STFT_dual_window(cp.ones(4), 2)[0]
    array([0.5, 0.5, 0.5, 0.5])
    """
    win = to_host(win)
    desired = np.ones_like(win) if desired_dual is None else to_host(desired_dual)
    if not (win.ndim == 1 and win.shape == desired.shape):
        raise ValueError(
            "Parameters `win` and `desired_dual` are not 1d arrays of equal length "
            f"(win.shape={win.shape!r}, desired_dual.shape={desired.shape!r})!"
        )
    for name, values in (("win", win), ("desired_dual", desired)):
        if not np.isfinite(values).all():
            raise ValueError(f"Parameter {name} must have finite entries!")
    if not (is_integer(hop) and 1 <= hop <= len(win)):
        raise ValueError(f"Parameter hop={hop!r} is not an integer between 1 and len(win)={len(win)!r}!")
    hop = int(hop)
    dual = _dual(win, hop)
    projected = dual * _overlapped(win.conj() * desired, hop)
    if not scaled:
        return cp.asarray(dual + desired - projected), 1.0
    numerator, denominator = np.vdot(projected, dual), np.sum(_power(projected))
    if not (abs(numerator) > 0 and denominator > np.finfo(dual.dtype).resolution):
        raise ValueError(
            "Unable to calculate scaled closest dual window due to numerically unstable scaling factor! Try setting "
            "parameter `scaled` to False."
        )
    factor = numerator / denominator
    return cp.asarray(dual + factor * (desired - projected)), factor.item()


class ShortTimeFFT:
    """The short-time Fourier transform with a window and a hop, and its inverse.

    Parameters
    ----------
    fs : float
        The sampling frequency.
    dual_win : array_like, optional
        The dual window, by default the canonical one.

    Raises
    ------
    ValueError
        An argument is unknown or out of range.

    See Also
    --------
    scipy.signal.ShortTimeFFT : The class that this one follows; Groechenig 2001.

    >>> sft = cp.scipy.signal.ShortTimeFFT(cp.ones(4), hop=2, fs=1.0)
    >>> sft.stft(cp.ones(16)).shape
    (3, 9)
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self,
        win: Any,
        hop: int,
        fs: float,
        *,
        fft_mode: str = "onesided",
        mfft: int | None = None,
        dual_win: Any = None,
        scale_to: str | None = None,
        phase_shift: int | None = 0,
    ) -> None:
        win = to_host(win)
        if not (win.ndim == 1 and win.size > 0):
            raise ValueError(f"Parameter win must be 1d, but win.shape={win.shape!r}!")
        if not np.isfinite(win).all():
            raise ValueError("Parameter win must have finite entries!")
        if not (is_integer(hop) and hop >= 1):
            raise ValueError(f"Parameter hop={hop!r} is not an integer >= 1!")
        # Borders are worked out on the host, signals on the device.
        self._win, self._hop = win, int(hop)
        self._dual: np.ndarray | None = None
        self._scaling: str | None = None
        self.fs = fs
        self.mfft = len(win) if mfft is None else mfft
        if dual_win is not None:
            dual = to_host(dual_win)
            if dual.shape != win.shape:
                raise ValueError(f"dual_win.shape={dual.shape!r} must equal win.shape={win.shape!r}!")
            if not np.isfinite(dual).all():
                raise ValueError("Parameter dual_win must be a finite array!")
            self._dual = dual
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode = fft_mode
        self.phase_shift = phase_shift

    @classmethod
    def from_dual(
        cls, dual_win: Any, hop: int, fs: float, *, fft_mode: str = "onesided", mfft: int | None = None,
        scale_to: str | None = None, phase_shift: int | None = 0,
    ) -> ShortTimeFFT:  # fmt: skip
        """The transform whose inverse has a dual window; the other arguments are those of the class.

        Parameters
        ----------
        dual_win : array_like
            The dual window.
        hop : int
            The distance of segments.
        """
        dual = to_host(dual_win)
        return cls(
            _dual(dual, hop), hop, fs, dual_win=dual, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to,
            phase_shift=phase_shift,
        )  # fmt: skip

    @classmethod
    def from_window(
        cls, win_param: Any, fs: float, nperseg: int, noverlap: int, *, symmetric_win: bool = False,
        fft_mode: str = "onesided", mfft: int | None = None, scale_to: str | None = None, phase_shift: int | None = 0,
    ) -> ShortTimeFFT:  # fmt: skip
        """The transform with a window by its name (`get_window`) and as many points that neighbours share.

        Parameters
        ----------
        win_param : str or tuple
            The window, as `get_window` takes it.
        symmetric_win : bool
            Whether the window is symmetric.
        """
        win = host_window(win_param, nperseg, fftbins=not symmetric_win)
        hop = nperseg - noverlap
        return cls(win, hop, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to, phase_shift=phase_shift)

    @classmethod
    def from_win_equals_dual(
        cls, desired_win: Any, hop: int, fs: float, *, fft_mode: str = "onesided", mfft: int | None = None,
        scale_to: str | None = None, phase_shift: int | None = 0,
    ) -> ShortTimeFFT:  # fmt: skip
        """The transform whose window is its own dual up to a factor, and nearest to a desired one.

        Parameters
        ----------
        desired_win : array_like
            The window to be near to.
        hop : int
            The distance of segments.
        scale_to : {'magnitude', 'psd', 'unitary'}, optional
            How the window is scaled.
        """
        desired = to_host(desired_win)
        if not (desired.ndim == 1 and desired.size > 0):
            raise ValueError(f"Parameter desired_win is not 1d, but desired_win.shape={desired.shape!r}!")
        if desired.dtype.kind in "iu":
            raise ValueError(f"Parameter desired_win cannot be of integer type, but desired_win.dtype={desired.dtype!r}"
                             " => cast to float | complex ")  # fmt: skip
        if not np.isfinite(desired).all():
            raise ValueError("Parameter desired_win must have finite entries!")
        if not (is_integer(hop) and 1 <= hop <= len(desired)):
            raise ValueError(
                f"Parameter hop={hop!r} is not an integer between 1 and len(desired_win)={len(desired)!r}!"
            )
        if scale_to not in ("magnitude", "psd", "unitary", None):
            raise ValueError(f"Parameter scale_to={scale_to!r} not in ['magnitude', 'psd', 'unitary', None]!")
        mfft = len(desired) if mfft is None else mfft
        norm = np.sqrt(_overlapped(_power(desired), hop))
        if not (norm > np.finfo(desired.dtype).resolution * max(desired)).all():
            raise ValueError(f"Parameter desired_win does not have valid STFT dual window for hop={hop!r}!")
        factor = np.sqrt(mfft) if scale_to == "unitary" else 1
        win = desired / norm
        made = cls(
            win / factor, hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=win * factor,
            scale_to=None if scale_to == "unitary" else scale_to, phase_shift=phase_shift,
        )  # fmt: skip
        if scale_to == "unitary":
            made._scaling = scale_to
        return made

    # ------------------------------------------------------------------------------------------------------ properties

    @property
    def win(self) -> ndarray:
        """The window."""
        return cp.asarray(self._win)

    @property
    def dual_win(self) -> ndarray:
        """The dual window; `ValueError` if there is none."""
        return cp.asarray(self._host_dual())

    def _host_dual(self) -> np.ndarray:
        if self._dual is None:
            self._dual = _dual(self._win, self._hop)
        return self._dual

    @property
    def invertible(self) -> bool:
        """Whether there is a dual window."""
        try:
            return len(self._host_dual()) > 0
        except ValueError:
            return False

    @property
    def hop(self) -> int:
        """By how many points windows are apart."""
        return self._hop

    @property
    def T(self) -> float:
        """The sampling interval."""
        return 1 / self._fs

    @T.setter
    def T(self, v: float) -> None:
        if not v > 0:
            raise ValueError(f"Sampling interval T={v} must be positive!")
        self._fs = 1 / v

    @property
    def fs(self) -> float:
        """The sampling frequency."""
        return self._fs

    @fs.setter
    def fs(self, v: float) -> None:
        if not v > 0:
            raise ValueError(f"Sampling frequency fs={v} must be positive!")
        self._fs = v

    @property
    def fft_mode(self) -> str:
        """Which frequencies transforms have."""
        return self._fft_mode

    @fft_mode.setter
    def fft_mode(self, t: str) -> None:
        if t not in _MODES:
            raise ValueError(f"fft_mode='{t}' not in {_MODES}!")
        if t.startswith("onesided") and self._win.dtype.kind == "c":
            raise ValueError(f"One-sided spectra, i.e., fft_mode='{t}', are not allowed for complex-valued windows!")
        if t == "onesided2X" and self._scaling is None:
            raise ValueError(
                f"For scaling is None, fft_mode='{t}' is invalid! Do scale_to('psd') or scale_to('magnitude')!"
            )
        self._fft_mode = t

    @property
    def onesided_fft(self) -> bool:
        """Whether transforms have positive frequencies only."""
        return self._fft_mode.startswith("onesided")

    @property
    def mfft(self) -> int:
        """The length of transforms."""
        return self._mfft

    @mfft.setter
    def mfft(self, n_: int) -> None:
        if not n_ >= self.m_num:
            raise ValueError(f"Attribute mfft={n_} needs to be at least the window length m_num={self.m_num}!")
        self._mfft = n_

    @property
    def phase_shift(self) -> int | None:
        """Where phases are zero."""
        return self._phase_shift

    @phase_shift.setter
    def phase_shift(self, v: int | None) -> None:
        if v is not None:
            if not is_integer(v):
                raise ValueError(
                    f"phase_shift={v} has the unit samples. Hence it needs to be an int or it may be None!"
                )
            if not -self.mfft < v < self.mfft:
                raise ValueError(f"-mfft < phase_shift < mfft does not hold for mfft={self.mfft}, phase_shift={v}!")
        self._phase_shift = v

    @property
    def scaling(self) -> str | None:
        """How the window is scaled."""
        return self._scaling

    def scale_to(self, scaling: str) -> None:
        """Scales the window, so that transforms are magnitudes or roots of power per hertz."""
        if scaling not in ("magnitude", "psd"):
            raise ValueError(f"scaling={scaling!r} not in {{'magnitude', 'psd'}}!")
        if self._scaling == scaling:
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win = self._win * factor
        if self._dual is not None:
            self._dual = self._dual / factor
        self._scaling = scaling

    @property
    def fac_magnitude(self) -> float:
        """The factor that makes transforms magnitudes."""
        return 1 if self._scaling == "magnitude" else float(1 / abs(self._win.sum()))

    @property
    def fac_psd(self) -> float:
        """The factor that makes squares of transforms power per hertz."""
        return 1 if self._scaling == "psd" else float(1 / np.sqrt(_power(self._win).sum() / self.T))

    @property
    def m_num(self) -> int:
        """The length of the window."""
        return len(self._win)

    @property
    def m_num_mid(self) -> int:
        """The middle of the window."""
        return self.m_num // 2

    @property
    def delta_t(self) -> float:
        """The time between windows."""
        return self.T * self._hop

    @property
    def delta_f(self) -> float:
        """The width of frequencies."""
        return 1 / (self._mfft * self.T)

    @property
    def f_pts(self) -> int:
        """The number of frequencies."""
        return self._mfft // 2 + 1 if self.onesided_fft else self._mfft

    @property
    def f(self) -> ndarray:
        """The frequencies."""
        if self.onesided_fft:
            return cp.fft.rfftfreq(self._mfft, self.T)
        values = cp.fft.fftfreq(self._mfft, self.T)
        return cp.fft.fftshift(values) if self._fft_mode == "centered" else values

    # --------------------------------------------------------------------------------------------------------- borders

    @functools.cached_property
    def _first(self) -> tuple[int, int]:
        """Where the first window begins that touches a signal, and its number."""
        power = _power(self._win)
        start = -self.m_num_mid
        number = 0
        while start - self._hop + self.m_num > 0 and (power[start - self._hop :] != 0).any():
            start, number = start - self._hop, number - 1
        return start, number

    @property
    def k_min(self) -> int:
        """The first place that a window touches."""
        return self._first[0]

    @property
    def p_min(self) -> int:
        """The number of the first window."""
        return self._first[1]

    def _check_length(self, n: int) -> None:
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise ValueError(f"Parameter n must be >= ceil(m_num/2) = {least}!")

    def _last(self, n: int) -> tuple[int, int]:
        self._check_length(n)
        power = _power(self._win)
        number = n // self._hop
        start = number * self._hop - self.m_num_mid
        while start + self._hop < n and (power[: n - start - self._hop] != 0).any():
            start, number = start + self._hop, number + 1
        return start + self.m_num, number + 1

    def k_max(self, n: int) -> int:
        """The place after the last one that a window touches, for a signal of `n` points."""
        return self._last(n)[0]

    def p_max(self, n: int) -> int:
        """The number after that of the last window, for a signal of `n` points."""
        return self._last(n)[1]

    def p_num(self, n: int) -> int:
        """The number of windows, for a signal of `n` points."""
        return self.p_max(n) - self.p_min

    @property
    def lower_border_end(self) -> tuple[int, int]:
        """The place and the number of the window from which on the start of a signal has no influence."""
        start = -self.m_num_mid + int(np.flatnonzero(_power(self._win))[0])
        number = 0
        while start <= self._hop:
            if start + self._hop >= 0:
                return start + self.m_num, number + 1
            start, number = start + self._hop, number + 1
        return 0, max(self.p_min, 0)

    def upper_border_begin(self, n: int) -> tuple[int, int]:
        """The place and the number of the window from which on the end of a signal has an influence."""
        self._check_length(n)
        power = _power(self._win)
        least = max((n - self.m_num) // self._hop - 1, -1)
        for number in range(n // self._hop + 1, least, -1):
            end = number * self._hop + self.m_num - self.m_num_mid
            if end <= n or (power[n - end :] == 0).all():
                return (number + 1) * self._hop - self.m_num_mid, number + 1
        raise RuntimeError("no window ends within the signal")

    def p_range(self, n: int, p0: int | None = None, p1: int | None = None) -> tuple[int, int]:
        """The numbers of the first window and after the last one, checked.

        Returns
        -------
        tuple[int, int]
        """
        last = self.p_max(n)
        first = self.p_min if p0 is None else p0
        end = last if p1 is None else p1
        if not self.p_min <= first < end <= last:
            raise ValueError(
                f"Invalid Parameter p0={p0!r}, p1={p1!r}, i.e., self.p_min={self.p_min!r} <= p0 < p1 <= p_max={last!r} "
                f"does not hold for signal length n={n!r}!"
            )
        return first, end

    def t(self, n: int, p0: int | None = None, p1: int | None = None, k_offset: int = 0) -> ndarray:
        """The times of the middles of windows, for a signal of `n` points."""
        if not (is_integer(n) and n > 0):
            raise ValueError(f"Parameter n={n!r} is not a positive integer!")
        p0, p1 = self.p_range(n, p0, p1)
        return cp.arange(p0, p1) * self.delta_t + k_offset * self.T

    def nearest_k_p(self, k: int, left: bool = True) -> int:
        """The nearest place of a window's middle, on the left or on the right.

        Parameters
        ----------
        k : int
            The element.
        left : bool
            Whether to look to the left.
        """
        number, rest = divmod(k, self._hop)
        return k if rest == 0 else (number + (not left)) * self._hop

    def extent(self, n: int, axes_seq: str = "tf", center_bins: bool = False) -> tuple[float, float, float, float]:
        """The ends of times and frequencies, for pictures.

        Parameters
        ----------
        axes_seq : {'tf', 'ft'}
            The order of the axes.
        center_bins : bool
            Whether bins are centred.

        Returns
        -------
        tuple[float, float, float, float]
        """
        if axes_seq not in ("tf", "ft"):
            raise ValueError(f"Parameter axes_seq={axes_seq!r} not in ['tf', 'ft']!")
        if self.onesided_fft:
            low, high = 0, self.f_pts
        elif self._fft_mode == "centered":
            low, high = -(self._mfft // 2), -(-self._mfft // 2)
        else:
            raise ValueError(f"Attribute fft_mode={self._fft_mode} must be in ['centered', 'onesided', 'onesided2X']")
        shift = 0.5 if center_bins else 0
        t0, t1 = (self.delta_t * (p - shift) for p in (self.p_min, self.p_max(n)))
        f0, f1 = (self.delta_f * (q - shift) for q in (low, high))
        return (t0, t1, f0, f1) if axes_seq == "tf" else (f0, f1, t0, t1)

    # ------------------------------------------------------------------------------------------------------ transforms

    def _turn(self) -> int:
        assert self._phase_shift is not None
        return (self._phase_shift + self.m_num_mid) % self.m_num

    def _doubling(self) -> ndarray:
        weights = np.full(self.f_pts, np.sqrt(2) if self._scaling == "psd" else 2.0)
        weights[0] = 1
        if self._mfft % 2 == 0:
            weights[-1] = 1
        return cp.asarray(weights)

    def _forward(self, x: ndarray) -> ndarray:
        if self._phase_shift is not None:
            if x.shape[-1] < self._mfft:
                x = cp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, self._mfft - x.shape[-1])])
            x = cp.roll(x, -self._turn(), axis=-1)
        if self._fft_mode == "twosided":
            return cp.fft.fft(x, self._mfft)
        if self._fft_mode == "centered":
            return cp.fft.fftshift(cp.fft.fft(x, self._mfft), axes=-1)
        found = cp.fft.rfft(x, self._mfft)
        return found * self._doubling() if self._fft_mode == "onesided2X" else found

    def _backward(self, S: ndarray) -> ndarray:
        if self._fft_mode == "twosided":
            x = cp.fft.ifft(S, self._mfft)
        elif self._fft_mode == "centered":
            x = cp.fft.ifft(cp.fft.ifftshift(S, axes=-1), self._mfft)
        else:
            x = cp.fft.irfft(S / self._doubling() if self._fft_mode == "onesided2X" else S, self._mfft)
        if self._phase_shift is not None:
            x = cp.roll(x, self._turn(), axis=-1)
        return x[..., : self.m_num]

    def stft(
        self, x: Any, p0: int | None = None, p1: int | None = None, *, k_offset: int = 0, padding: str = "zeros",
        axis: int = -1,
    ) -> ndarray:  # fmt: skip
        """The transform of a signal: frequencies in the place of `axis`, and windows last.

        `padding` says how the signal is continued: "zeros", "edge", "even" or "odd".
        """
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(
        self, x: Any, detr: Any, p0: int | None = None, p1: int | None = None, *, k_offset: int = 0,
        padding: str = "zeros", axis: int = -1,
    ) -> ndarray:  # fmt: skip
        """The transform of a signal, with a trend taken out of each segment."""
        x = as_device(x)
        if self.onesided_fft and x.dtype.kind == "c":
            raise ValueError(
                f"Complex-valued `x` not allowed for self.fft_mode={self._fft_mode!r}'! Set property `fft_mode` to "
                "'twosided' or 'centered'."
            )
        if not (detr is None or isinstance(detr, str) or callable(detr)):
            raise ValueError(f"Parameter detr={detr!r} is not a str, function or None!")
        n = x.shape[axis]
        least = self.m_num - self.m_num_mid
        if not n >= least:
            what = f"len(x)={n!r}" if x.ndim == 1 else f"of axis={axis!r} of {x.shape}"
            raise ValueError(f"{what} must be >= ceil(m_num/2) = {least}!")
        if padding not in _PADDINGS:
            raise ValueError(f"Parameter padding={padding!r} not in {_PADDINGS}!")
        rows = cp.moveaxis(x, axis, -1)
        p0, p1 = self.p_range(n, p0, p1)
        start = p0 * self._hop - self.m_num_mid + k_offset
        stop = start + (p1 - p0) * self._hop + self.m_num
        rows = rows[..., max(start, 0) : min(stop, n)]
        if rows.dtype.kind not in "fc" or rows.dtype.itemsize < 8:
            rows = rows.astype(np.float64)
        pads = [(0, 0)] * (x.ndim - 1) + [(max(-start, 0), max(stop - n, 0))]
        options = {
            "zeros": {"mode": "constant"},
            "edge": {"mode": "edge"},
            "even": {"mode": "reflect", "reflect_type": "even"},
            "odd": {"mode": "reflect", "reflect_type": "odd"},
        }[padding]
        parts = segments(cp.pad(rows, pads, **options), self.m_num, self._hop, p1 - p0)
        if isinstance(detr, str):
            from ._trends import check_trend

            parts = detrended(parts, check_trend(detr))
        elif detr is not None:
            parts = as_device(detr(parts))
        found = self._forward(parts * cp.asarray(self._win.conj())).astype(np.complex128, copy=False)
        found = cp.moveaxis(found, -1, -2)
        return cp.moveaxis(found, -2, axis if axis >= 0 else axis - 1) if x.ndim > 1 else found

    def spectrogram(
        self, x: Any, y: Any = None, detr: Any = None, *, p0: int | None = None, p1: int | None = None,
        k_offset: int = 0, padding: str = "zeros", axis: int = -1,
    ) -> ndarray:  # fmt: skip
        """The squares of the transform, or the transform of `x` times the conjugate of that of `y`."""
        options = {"k_offset": k_offset, "padding": padding, "axis": axis}
        first = self.stft_detrend(x, detr, p0, p1, **options)
        if y is None or y is x:
            return first.real**2 + first.imag**2
        return first * self.stft_detrend(y, detr, p0, p1, **options).conj()

    def istft(self, S: Any, k0: int = 0, k1: int | None = None, *, f_axis: int = -2, t_axis: int = -1) -> ndarray:
        """The signal from place `k0` to `k1` of a transform.

        Parameters
        ----------
        S : array_like
            The transform.
        k0 : int
            The first element.
        k1 : int, optional
            The element after the last.
        f_axis : int
            The axis of frequencies.
        t_axis : int
            The axis of times.
        """
        S = as_device(S)
        if f_axis == t_axis:
            raise ValueError(f"f_axis={f_axis!r} may not be equal to t_axis={t_axis!r}!")
        if S.shape[f_axis] != self.f_pts:
            raise ValueError(
                f"S.shape[f_axis]={S.shape[f_axis]!r} must be equal to self.f_pts={self.f_pts!r} (S.shape={S.shape!r})!"
            )
        least = self.m_num - self.m_num_mid
        if not S.shape[t_axis] >= (count := self.p_num(least)):
            raise ValueError(
                f"S.shape[t_axis]={S.shape[t_axis]!r} needs to have at least {count} slices (S.shape={S.shape!r})!"
            )
        if t_axis != S.ndim - 1 or f_axis != S.ndim - 2:
            t_axis, f_axis = t_axis % S.ndim, f_axis % S.ndim
        pieces = cp.moveaxis(S, (t_axis, f_axis), (-2, -1))
        q_max = S.shape[t_axis] + self.p_min
        k_max = (q_max - 1) * self._hop + self.m_num - self.m_num_mid
        k1 = k_max if k1 is None else k1
        if not self.k_min <= k0 < k1 <= k_max:
            raise ValueError(f"(self.k_min={self.k_min!r}) <= (k0={k0!r}) < (k1={k1!r}) <= (k_max={k_max!r}) is false!")
        if not k1 - k0 >= least:
            raise ValueError(
                f"(k1={k1!r}) - (k0={k0!r}) = {k1 - k0} has to be at least the half the window length {least}!"
            )
        first = k0 // self._hop + self.p_min if k0 >= 0 else k0 // self._hop
        first, last = max(first, self.p_min), min(self.p_max(k1), q_max)
        pieces = self._backward(pieces[..., first - self.p_min : last - self.p_min, :]) * cp.asarray(self._host_dual())
        start = first * self._hop - self.m_num_mid
        x = added(pieces[..., None, :, :], cp.arange(k0, k1), self._hop, start)
        if x.ndim > 1:
            x = cp.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis)
        return x
