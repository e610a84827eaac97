"""What the installed package must run on any machine: it computes, compiles kernels and reads results. Few seconds."""

import sys

import cuproxide as cp
from cuproxide.scipy import ndimage, signal, sparse, special

x = cp.linspace(0, 1, 100_001)
assert abs(float(cp.exp(-x).mean()) - 0.6321205588285577) < 1e-5
assert float(special.gamma(cp.asarray([5.0]))[0]) == 24.0
assert cp.allclose(cp.linalg.inv(cp.eye(8) * 2), cp.eye(8) / 2)
a = cp.random.default_rng(1).standard_normal((120, 80))
u, s, v = cp.linalg.svd(a, full_matrices=False)
assert cp.allclose((u * s) @ v, a)
assert cp.allclose(cp.fft.ifft(cp.fft.fft(x)).real, x)
assert (cp.diff(cp.sort(a.ravel())) >= 0).all()
for dtype in ("f2", "f4", "f8", "i1", "i8", "c8"):
    ones = cp.ones(1000, dtype)
    assert complex((ones * 2 + ones).sum()) == 3000
assert float(ndimage.gaussian_filter(cp.ones((20, 20)), 2.0).min()) > 0.999
assert signal.fftconvolve(cp.ones(100), cp.ones(5)).shape == (104,)
assert (sparse.eye(50, format="csr") @ cp.ones(50)).sum() == 50
print(f"cuproxide {cp.__version__} computes with Python {sys.version.split()[0]}")
