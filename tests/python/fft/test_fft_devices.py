"""Transforms over several devices: those of the machine, or one processor that counts as three."""

import os
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest

CASES = [
    ((12,), -1, None),
    ((16,), 0, 24),
    ((24,), 0, 16),
    ((7,), 0, None),
    ((1000,), 0, None),
    ((5, 12), 1, None),
    ((5, 12), 0, None),
    ((1, 30), 1, None),
    ((2, 3, 8), 1, 6),
    ((1,), 0, None),
    ((0, 4), 1, None),
]


def compare_all():
    """Every transform is that of one device, on the array's device; run by the test below, where there are devices."""
    config, count = cp.fft.config, cp.cuda.runtime.getDeviceCount()
    rng = np.random.default_rng(0)
    for gpus in (2, count, list(range(count))[::-1]):
        config.set_cufft_gpus(gpus)
        for dtype in (np.complex64, np.complex128, np.float32, np.float16, np.int32):
            for shape, axis, n in CASES:
                x = rng.standard_normal(shape) * 5
                x = x + 1j * x[::-1] if np.dtype(dtype).kind == "c" else x
                x = x.astype(dtype)
                for norm in (None, "ortho", "forward", "backward"):
                    for name in ("fft", "ifft"):
                        config.use_multi_gpus = False
                        expected = getattr(cp.fft, name)(cp.array(x), n, axis, norm)
                        config.use_multi_gpus = True
                        actual = getattr(cp.fft, name)(cp.array(x), n, axis, norm)
                        assert actual.dtype == expected.dtype
                        assert actual.device == expected.device
                        size = max(float(abs(expected).max()), 1.0) if expected.size else 1.0
                        tolerance = 30 * np.finfo(expected.dtype).eps * size
                        np.testing.assert_allclose(cp.asnumpy(actual), cp.asnumpy(expected), rtol=0, atol=tolerance)
    # Arrays of another device than the first stay there; real transforms use their own.
    elsewhere = cp.array(np.arange(12.0)).to_device(cp.cuda.Device(1))
    assert cp.fft.fft(elsewhere).device == elsewhere.device
    np.testing.assert_allclose(cp.asnumpy(cp.fft.rfft(elsewhere)), np.fft.rfft(np.arange(12.0)), atol=1e-12)
    out = cp.empty(12, np.complex128)
    assert cp.fft.fft(cp.ones(12), out=out) is out
    # Callbacks run where the array is, before and after all devices.
    weights = np.arange(12.0)
    code = """
    __device__ cufftDoubleComplex weighted(void* data, size_t offset, void* info, void* shared) {
        const double weight = ((double*)info)[offset];
        return make_cuDoubleComplex(weight * ((cufftDoubleComplex*)data)[offset].x, 0);
    }
    __device__ cufftCallbackLoadZ d_loadCallbackPtr = weighted;
    """
    with config.set_cufft_callbacks(code, cb_load_aux_arr=cp.array(weights).to_device(elsewhere.device)):
        result = cp.fft.fft(elsewhere)
        assert result.device == elsewhere.device
        np.testing.assert_allclose(cp.asnumpy(result), np.fft.fft(weights**2), atol=1e-11)
        with pytest.raises(ValueError, match="cuproxide_load"):
            cp.fft.fft(cp.ones(12))
    with pytest.raises(ValueError, match="norm"):
        cp.fft.fft(cp.ones(12), norm="odd")
    config.set_cufft_gpus([0, 1000])
    with pytest.raises(cp.DeviceError, match="1000"):
        cp.fft.fft(cp.ones(12))


def test_transforms_over_several_devices():
    several = cp.cuda.runtime.getDeviceCount() > 1
    more = {} if several else {"CUPROXIDE_BACKEND": "cpu", "CUPROXIDE_CPU_DEVICES": "3"}
    done = subprocess.run(
        [sys.executable, "-c", "import test_fft_devices; test_fft_devices.compare_all()"],
        env={**os.environ, **more},
        cwd=os.path.dirname(__file__),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_devices_have_to_be_set():
    config = cp.fft.config
    assert config.use_multi_gpus is False
    before = config._several
    try:
        config._several = ()
        config.use_multi_gpus = True
        with pytest.raises(RuntimeError, match="set_cufft_gpus"):
            cp.fft.fft(cp.ones(8))
    finally:
        config.use_multi_gpus, config._several = False, before
