"""Windows beside SciPy's."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.signal.windows
from signals import ours, same

MODULES = (ours.windows, scipy.signal.windows)
PARAMETERS = {
    "kaiser": (4.0,), "kaiser_bessel_derived": (4.0,), "gaussian": (3.0,), "general_gaussian": (1.5, 2.0),
    "general_cosine": ([0.3, 0.5, 0.2],), "general_hamming": (0.6,), "chebwin": (60,), "dpss": (2.5,),
}  # fmt: skip
NAMES = sorted(set(scipy.signal.windows.__all__) - {"get_window"})


@pytest.mark.parametrize("name", NAMES)
def test_window(name):
    for length in (0, 1, 2, 3, 7, 8, 33, 64, -1, 2.5):
        for symmetric in (True, False):
            same(name, length, *PARAMETERS.get(name, ()), module=MODULES, sym=symmetric, tolerance=1e-12)
    host = getattr(ours.windows, name)(8, *PARAMETERS.get(name, ()), xp=np)
    assert isinstance(host, np.ndarray)


@pytest.mark.parametrize("options", [
    {"Kmax": 3}, {"Kmax": 4, "norm": "subsample"}, {"norm": "subsample"}, {"Kmax": 4, "norm": "approximate"},
    {"Kmax": 4, "return_ratios": True}, {"return_ratios": True}, {"Kmax": 5, "sym": False}, {"norm": "none"},
    {"Kmax": 0},
])  # fmt: skip
def test_slepian_windows(options):
    for length in (31, 64, 500):
        same("dpss", length, 3.0, module=MODULES, **options)
    same("dpss", 8, 5.0, module=MODULES)
    same("dpss", 8, -1.0, module=MODULES)


def test_parameters():
    same("tukey", 20, 0.0, module=MODULES)
    same("tukey", 20, 1.5, module=MODULES)
    same("exponential", 20, 3, 2.0, False, module=MODULES)
    same("exponential", 20, 3, module=MODULES)
    same("taylor", 20, 6, 40, False, module=MODULES)
    same("chebwin", 20, 30, module=MODULES)


@pytest.mark.parametrize("window", [
    "hann", "hann_periodic", "hann_symmetric", "none", ("kaiser", 3.0), 3.5, ("tukey", 0.3), "tukey", "kaiser",
    ("dpss", 2.0), ("none", 1), "taylor", ("taylor", 4, 30), ("exponential", None, 2.0), None, [1, 2], "boxcar", "sinc",
    "triang", "bart", "gauss", "poisson", (1, 2),
])  # fmt: skip
def test_get_window(window):
    for symmetric in (True, False):
        same("get_window", window, 10, not symmetric)


def test_device_argument():
    assert ours.windows.hann(4, device=cp.Device()).shape == (4,)
