"""What `cuproxide.signal` has beyond SciPy, beside its definitions."""

import cuproxide as cp
import numpy as np
import pytest

RANDOM = np.random.default_rng(8)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
def test_channels(dtype):
    x, h = ((RANDOM.normal(size=n) * 5 + (1j * RANDOM.normal(size=n) if dtype[0] == "c" else 0)).astype(dtype)
            for n in (67, 26))  # fmt: skip
    found = cp.signal.channelize_poly(cp.asarray(x), cp.asarray(h), 8)
    sums = np.zeros((8, 8), complex)
    for point in range(8):
        for channel in range(8):
            for tap in range(min(3, point + 1)):
                sums[point, channel] += np.conj(h[tap * 8 + channel]) * np.conj(x[(point - tap) * 8 + 7 - channel])
    expected = np.conj(np.fft.fft(sums)).T
    assert found.dtype == np.result_type(dtype, np.complex64) and found.shape == (8, 8)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-4, atol=1e-4 * abs(expected).max())


def test_bad_channels():
    with pytest.raises(ValueError, match="one axis"):
        cp.signal.channelize_poly(cp.ones((2, 8)), cp.ones(8), 4)
    with pytest.raises(ValueError, match="n_chans"):
        cp.signal.channelize_poly(cp.ones(8), cp.ones(3), 4)


def test_shift():
    x = RANDOM.normal(size=50) + 1j * RANDOM.normal(size=50)
    expected = x * np.exp(-2j * np.pi * 3.0 / 20.0 * np.arange(50))
    np.testing.assert_allclose(cp.signal.freq_shift(cp.asarray(x), 3.0, 20.0).get(), expected, atol=1e-13)


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 1), (5, 2, 2)])
def test_third_order(shape):
    for dtype in ("f8", "i4", "c16"):
        x, h = (RANDOM.integers(-4, 5, n).astype(dtype) for n in (20, shape))
        longest = max(shape)
        padded = {"valid": x, "full": np.pad(x, longest - 1), "same": np.pad(x, (longest // 2, (longest - 1) // 2))}
        for mode, values in padded.items():
            expected = [
                sum(
                    values[i + shape[0] - 1 - a]
                    * values[i + shape[1] - 1 - b]
                    * values[i + shape[2] - 1 - c]
                    * h[a, b, c]
                    for a, b, c in np.ndindex(shape)
                )
                for i in range(len(values) - longest + 1)
            ]
            found = cp.signal.convolve1d3o(cp.asarray(x), cp.asarray(h), mode)
            np.testing.assert_array_equal(found.get(), np.array(expected, dtype))
    for x, h in ((np.ones((2, 2)), np.ones(shape)), (np.ones(9), np.ones(3)), (np.ones(3), np.ones((9, 1, 1)))):
        with pytest.raises(ValueError):
            cp.signal.convolve1d3o(cp.asarray(x), cp.asarray(h))


def test_pulses():
    x = RANDOM.normal(size=(4, 32)) + 1j * RANDOM.normal(size=(4, 32))
    template = RANDOM.normal(size=8)
    window = np.hamming(8)
    scaled = template * window / np.linalg.norm(template * window)
    expected = np.fft.ifft(np.fft.fft(x, 64) * np.fft.fft(scaled, 64).conj())
    for chosen in ("hamming", cp.asarray(window), lambda f: cp.asarray(window)):
        found = cp.signal.pulse_compression(cp.asarray(x), cp.asarray(template), True, chosen, 64)
        np.testing.assert_allclose(found.get(), expected, atol=1e-12)
    expected = np.fft.fft(x * np.hamming(4)[:, None], 8, axis=0)
    np.testing.assert_allclose(cp.signal.pulse_doppler(cp.asarray(x), "hamming", 8).get(), expected, atol=1e-12)
    with pytest.raises(ValueError, match="same length"):
        cp.signal.pulse_doppler(cp.asarray(x), cp.ones(3))
    with pytest.raises(ValueError, match="axes"):
        cp.signal.pulse_compression(cp.ones(4), cp.ones(2))


def test_false_alarms():
    x = RANDOM.random(40).astype("f4")
    found, detected = cp.signal.ca_cfar(cp.asarray(x), 1, 3, 0.01)
    expected = np.zeros(40, "f4")
    for i in range(4, 36):
        around = np.concatenate((x[i - 4 : i - 1], x[i + 2 : i + 5]))
        expected[i] = around.mean() * cp.signal.cfar_alpha(0.01, 6)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5)
    np.testing.assert_array_equal(detected.get(), x - expected > 0)
    x = RANDOM.random((20, 30))
    found = cp.signal.ca_cfar(cp.asarray(x), (1, 2), (2, 3))[0].get()
    outer, inner = x[8 - 3 : 8 + 4, 12 - 5 : 12 + 6], x[8 - 1 : 8 + 2, 12 - 2 : 12 + 3]
    cells = outer.size - inner.size
    assert abs(found[8, 12] - (outer.sum() - inner.sum()) / cells * cp.signal.cfar_alpha(1e-3, cells)) < 1e-5
    assert not found[:3].any() and not found[:, -5:].any() and found[3:-3, 5:-5].all()
    for array, guards, references, error in (
        (np.ones((2, 2, 2)), 1, 1, TypeError), (np.ones(5), 1, 2, ValueError),
        (np.ones((9, 9)), (1,), (1, 1), TypeError),
        (np.ones((5, 9)), (1, 1), (2, 2), ValueError), (np.ones((9, 5)), (1, 1), (2, 2), ValueError),
    ):  # fmt: skip
        with pytest.raises(error):
            cp.signal.ca_cfar(cp.asarray(array), guards, references)
