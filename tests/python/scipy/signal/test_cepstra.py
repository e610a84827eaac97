"""`cuproxide.signal`'s cepstra and convolutions of second order, beside their definitions."""

import cuproxide as cp
import numpy as np
import pytest

RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("n", [None, 5, 8, 21])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_real(n, dtype):
    x = (RANDOM.normal(size=(3, 9)) * 5).astype(dtype)
    for axis in (0, -1):
        found = cp.signal.real_cepstrum(cp.asarray(x), n, axis)
        expected = np.fft.ifft(np.log(np.abs(np.fft.fft(x, n, axis))), n, axis).real
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-5)


@pytest.mark.parametrize("length", [2, 3, 8, 9, 64])
def test_complex_ones_give_the_signal_back(length):
    """Of a signal with a positive sum, delayed if its length is even: other imaginary parts are dropped."""
    x = RANDOM.normal(size=(4, length))
    x[:, 0] += 2 * length
    x = np.roll(x, 1 - length % 2, axis=1)
    cepstrum, delay = cp.signal.complex_cepstrum(cp.asarray(x))
    assert delay.shape == x.shape and delay.dtype == np.float64
    assert (delay == delay[:, :1]).all()
    found = cp.signal.inverse_complex_cepstrum(cepstrum, delay)
    np.testing.assert_allclose(found.get(), x, atol=1e-10 * length)
    down, delays = cp.signal.complex_cepstrum(cp.asarray(x.T.copy()), axis=0)
    np.testing.assert_allclose(down.T.get(), cepstrum.get(), atol=1e-12)
    np.testing.assert_allclose(delays.T.get(), delay.get())
    one, number = cp.signal.complex_cepstrum(cp.asarray(x[1]))
    found = cp.signal.inverse_complex_cepstrum(one, int(number[0]))
    np.testing.assert_allclose(found.get(), x[1], atol=1e-10 * length)


def test_complex_of_a_known_response():
    """The cepstrum of a pole at `r` is r**k / k."""
    r, n = 0.5, 256
    found, delay = cp.signal.complex_cepstrum(cp.asarray(r ** np.arange(n)))
    k = np.arange(1, 20)
    np.testing.assert_allclose(found[1:20].get(), r**k / k, atol=1e-12)
    assert not delay.any()


@pytest.mark.parametrize("length", [1, 2, 7, 8])
def test_minimum_phase(length):
    x = RANDOM.normal(size=length)
    found = cp.signal.minimum_phase(cp.asarray(x)).get()
    np.testing.assert_allclose(abs(np.fft.fft(found)), abs(np.fft.fft(x)), rtol=1e-10)
    # Its energy comes earlier than that of any delay of it.
    early = np.roll(0.5 ** np.arange(64), 9)
    np.testing.assert_allclose(cp.signal.minimum_phase(cp.asarray(early)).get(), 0.5 ** np.arange(64), atol=1e-10)


def test_bad_lengths():
    for function in (cp.signal.real_cepstrum, cp.signal.complex_cepstrum, cp.signal.minimum_phase):
        with pytest.raises(ValueError, match="n=0"):
            function(cp.ones(4), 0)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (4, 2)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_second_order(shape, dtype):
    x, h = ((RANDOM.normal(size=size) * 4).astype(dtype) for size in ((11,), shape))
    for mode in ("valid", "same", "full"):
        longest = max(shape)
        pads = {"valid": (0, 0), "same": (longest // 2, (longest - 1) // 2), "full": (longest - 1, longest - 1)}[mode]
        long = np.pad(x, pads)
        expected = [
            sum(
                long[i + shape[0] - 1 - a] * long[i + shape[1] - 1 - b] * h[a, b]
                for a in range(shape[0])
                for b in range(shape[1])
            )
            for i in range(long.size - longest + 1)
        ]
        found = cp.signal.convolve1d2o(cp.asarray(x), cp.asarray(h), mode)
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-3 if dtype == "f4" else 1e-11, atol=1e-4)
    with pytest.raises(ValueError, match="in2 should have two dimensions"):
        cp.signal.convolve1d2o(cp.ones(3), cp.ones(3))
