"""Small programs of libraries that know CuPy, run under `cuproxide.compat` beside NumPy, each where it is installed."""

import importlib.util
import subprocess
import sys
import textwrap

import pytest

# By library: a program that is given `xp`, `asarray` and random numbers, and compares what it finds by `same`.
PROGRAMS = {
    "einops": """
        from einops import rearrange, reduce, repeat
        for f in (lambda x: rearrange(x, "a (b c) -> c a b", b=2), lambda x: reduce(x, "a b -> b", "mean"),
                  lambda x: repeat(x, "a b -> a b k", k=3)):
            same(f(asarray(X)), f(X))
    """,
    "opt_einsum": """
        from opt_einsum import contract
        same(contract("ij,kj,kl->il", *map(asarray, (X, X, X))), contract("ij,kj,kl->il", X, X, X))
    """,
    "tensorly": """
        import tensorly as tl
        from tensorly.decomposition import tucker
        tl.set_backend("cupy")
        cube = asarray(np.einsum("i,j,k->ijk", X[0], X[1], X[2]))
        same(tl.tucker_to_tensor(tucker(cube, (2, 2, 2))), host(cube))
    """,
    "himalaya": """
        from himalaya.backend import set_backend
        from himalaya.ridge import RidgeCV
        found = []
        for name in ("numpy", "cupy"):
            backend = set_backend(name)
            x = backend.asarray(X)
            found.append(backend.to_numpy(RidgeCV(alphas=[0.1, 1.0], cv=2).fit(x, x[:, :2]).predict(x)))
        same(*found)
    """,
    "pylops": """
        import pylops
        from pylops.optimization.basic import cgls
        def solve(x, ones):
            operator = pylops.VStack([pylops.MatrixMult(x), pylops.SecondDerivative(x.shape[1])])
            return cgls(operator, operator @ ones, niter=200, tol=0)[0]
        same(solve(asarray(X), xp.ones(8)), solve(X, np.ones(8)))
    """,
    "ot": """
        import ot
        def plan(x):
            ones = ot.backend.get_backend(x).ones(len(x), type_as=x) / len(x)
            return ot.sinkhorn(ones, ones, ot.dist(x, x[::-1]), 1.0)
        same(plan(asarray(X)), plan(X))
    """,
    "dask": """
        import dask.array as da
        def of(f, x):
            return f(da.from_array(x, chunks=(3, 4), asarray=False)).compute(scheduler="synchronous")
        for f in (lambda d: d.sum(0), lambda d: d @ d.T, lambda d: d.argmin(1), lambda d: da.nanargmax(d, axis=0),
                  lambda d: da.unique((4 * d).astype(int)), lambda d: da.histogram(d, np.linspace(0, 1, 5))[0],
                  lambda d: da.linalg.svd(d.rechunk((4, 8)))[1]):
            same(of(f, asarray(X)), of(f, X))
    """,
    "sklearn": """
        import os
        os.environ["SCIPY_ARRAY_API"] = "1"
        import sklearn
        from sklearn.decomposition import PCA
        from sklearn.metrics import r2_score
        from sklearn.preprocessing import StandardScaler
        sklearn.set_config(array_api_dispatch=True)
        same(StandardScaler().fit_transform(asarray(X)), StandardScaler().fit_transform(X))
        ours, theirs = (PCA(2, svd_solver="full").fit(x) for x in (asarray(X), X))
        same(ours.explained_variance_, theirs.explained_variance_)
        same(r2_score(asarray(X[0]), asarray(X[1])), r2_score(X[0], X[1]))
    """,
    "xarray": """
        import xarray as xr
        def table(x):
            return xr.DataArray(x, dims=("t", "x"), coords={"t": range(len(x))})
        for f in (lambda a: a.mean("t"), lambda a: a.idxmax("t"), lambda a: a.quantile(0.3, "t"),
                  lambda a: a.isel(t=xr.DataArray([0, 1], dims="p"), x=xr.DataArray([2, 3], dims="p")),
                  lambda a: a.rolling(x=3).mean()):
            same(f(table(asarray(X))).data, f(table(X)).data)
    """,
    "thinc": """
        from thinc.api import CupyOps, NumpyOps, Relu, Softmax, chain, fix_random_seed, use_ops
        ours, theirs, x = CupyOps(), NumpyOps(), X.astype("f")
        for name in ("relu", "softmax", "mish", "gelu", "sigmoid"):
            same(getattr(ours, name)(asarray(x)), getattr(theirs, name)(x))
        lengths = np.array([2, 4], "i")
        same(ours.reduce_mean(asarray(x), asarray(lengths)), theirs.reduce_mean(x, lengths))
        same(ours.maxout(asarray(x).reshape(6, 4, 2))[0], theirs.maxout(x.reshape(6, 4, 2))[0])
        with use_ops("cupy"):
            model = chain(Relu(nO=4, nI=8), Softmax(nO=3))
            model.initialize(X=asarray(x))
            y, backward = model.begin_update(asarray(x))
            assert backward(y).shape == x.shape
    """,
}

FRAME = """
from cuproxide import compat
compat.install()
import cupy as xp, numpy as np
def asarray(x): return xp.asarray(x)
def host(x): return xp.asnumpy(x) if isinstance(x, xp.ndarray) else np.asarray(x)
def same(ours, theirs): np.testing.assert_allclose(host(ours), host(theirs), rtol=1e-4, atol=1e-4)
X = np.random.default_rng(0).random((6, 8))
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_client(name):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    code = FRAME + textwrap.dedent(PROGRAMS[name])
    command = [sys.executable, "-W", "ignore", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
