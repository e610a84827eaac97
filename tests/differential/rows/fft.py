"""Rows of scipy.fft and scipy.fftpack."""

from ..draws import alone, array, axis, integer, number, one, row

side = one(True, False)
one_axis = one(array("n", kinds="dDflF?e"), array("n m", kinds="dDflF"), array("n m k", kinds="dD"))
two_axes = one(array("n m", kinds="dDflF?e"), array("n m k", kinds="dDfF"))
real = one(array("n", kinds="dfl?e"), array("n m", kinds="dfl"), array("n m k", kinds="d"))
real2 = one(array("n m", kinds="dfl?e"), array("n m k", kinds="df"))
norm = one(None, "ortho", "forward", "backward")
length = one(None, integer(1, 20))
lengths = one(None, (integer(1, 9), integer(1, 9)))
axes = one((-2, -1), (0, 1), (1, 0))

line = {"n": length, "axis": axis(1), "norm": norm}
plane = {"s": lengths, "axes": axes, "norm": norm}
row("fft.fft ifft hfft irfft", one_axis, **line)
row("fft.rfft ihfft", real, **line)
row("fft.fft2 ifft2 hfft2 irfft2 fftn ifftn hfftn irfftn", two_axes, **plane)
row("fft.rfft2 ihfft2 rfftn ihfftn", real2, **plane)
kind = {"type": integer(1, 4), "norm": norm}
row("fft.dct idct dst idst", one_axis, n=length, axis=axis(1), orthogonalize=one(None, True, False), **kind)
row("fft.dctn idctn dstn idstn", two_axes, s=lengths, axes=axes, orthogonalize=one(None, True, False), **kind)
row("fft.fftfreq rfftfreq", integer(0, 20), number(0.1, 3))
row("fft.fftshift ifftshift", two_axes, axes=one(None, 0, (0, 1), -1))
row(
    "fft.fht ifht",
    array("n+1", kinds="df"),
    number(0.01, 0.5),
    number(0, 2),
    offset=number(-1, 1),
    bias=number(-0.5, 0.5),
    _bound=1e-6,
)
row("fft.fhtoffset", number(0.01, 0.5), number(0, 2), initial=number(-1, 1), bias=number(-0.5, 0.5))
row("fft.next_fast_len prev_fast_len", integer(1, 5000), one(True, False))
alone("fft.get_workers set_workers", "the host's threads")
alone("fft.register_backend set_backend set_global_backend skip_backend", "a setting of the process")
alone("fft.get_fft_plan", "CuPy's")

row("fftpack.fft ifft", one_axis, n=length, axis=axis(1))
row("fftpack.rfft irfft", real, n=length, axis=axis(1))
row("fftpack.fft2 ifft2 fftn ifftn", two_axes, shape=lengths, axes=axes)
old = {"type": integer(1, 4), "norm": one(None, "ortho")}
row("fftpack.dct idct dst idst", one_axis, n=length, axis=axis(1), **old)
row("fftpack.dctn idctn dstn idstn", two_axes, shape=lengths, axes=axes, **old)
row("fftpack.fftfreq rfftfreq", integer(0, 20), number(0.1, 3))
row("fftpack.fftshift ifftshift", two_axes, axes=one(None, 0, (0, 1)))
row("fftpack.next_fast_len", integer(1, 5000))
periodic = array("n", kinds="dDfl")
row(
    "fftpack.cc_diff cs_diff sc_diff ss_diff",
    periodic,
    number(0.2, 1),
    number(1, 2),
    period=one(None, 3.0),
    _bound=1e-6,
)
row("fftpack.diff", periodic, integer(-2, 3), period=one(None, 3.0), _bound=1e-6)
row("fftpack.hilbert ihilbert", periodic)
row("fftpack.tilbert itilbert", periodic, number(0.2, 2), period=one(None, 3.0), _bound=1e-6)
row("fftpack.shift", periodic, number(-2, 2), period=one(None, 3.0))
alone("fftpack.get_fft_plan", "CuPy's")
alone("get_array_module", "CuPy's")
