"""Every loop of every ufunc of SciPy is taken, and gives the same types."""

import cuproxide as cp
import numpy as np
import pytest

special = pytest.importorskip("scipy.special")
from scipy.special import _ufuncs  # noqa: E402

UFUNCS = {name: f for name in dir(special) if isinstance(f := getattr(special, name), np.ufunc)}
# Functions of Python around a ufunc that is SciPy's own affair.
UFUNCS |= {"zeta": getattr(_ufuncs, "_riemann_zeta", None)}
# SciPy 1.17 has dropped it.
UFUNCS.pop("sph_harm", None)
# Loops that we leave out, and why.
EXCEPTIONS: dict[str, str] = {}


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_every_loop(name):
    if UFUNCS[name] is None:
        pytest.skip("this SciPy has zeta in another place")
    ours, wrong = getattr(cp.scipy.special, name), []
    for loop in UFUNCS[name].types:
        inputs, outputs = loop.split("->")
        # There is no long double on a device.
        if set(inputs) & set("gG") or f"{name} {loop}" in EXCEPTIONS:
            continue
        numbers = [np.array([0.5 if letter in "fdFD" else 1]).astype(letter) for letter in inputs]
        try:
            found = ours(*map(cp.asarray, numbers))
        except TypeError as error:
            wrong.append(f"{loop}: {error}")
            continue
        found = found if isinstance(found, tuple) else (found,)
        letters = "".join(result.dtype.char for result in found)
        if [np.dtype(letter) for letter in letters] != [np.dtype(letter) for letter in outputs]:
            wrong.append(f"{loop} gives {letters}")
    assert not wrong
