"""xarray around arrays of this package, beside xarray around NumPy's."""

import cuproxide as cp
import numpy as np
import pytest

xr = pytest.importorskip("xarray")

A = np.random.default_rng(0).normal(size=(4, 5))
CASES = {
    "arithmetic": lambda x: (x + 1) * x.isel(x=0, drop=True) - 2 / x,
    "sum": lambda x: x.sum("x"),
    "mean": lambda x: x.mean(),
    "std": lambda x: x.std("y"),
    "median": lambda x: x.median("y"),
    "argmax": lambda x: x.argmax("y"),
    "cumsum": lambda x: x.cumsum("x"),
    "where": lambda x: x.where(x > 0, 0),
    "missing": lambda x: x.where(x > 0).sum("y"),
    "fillna": lambda x: x.where(x > 0).fillna(7),
    "isel": lambda x: x.isel(y=slice(1, 3)),
    "isel of a list": lambda x: x.isel(y=[0, 2]),
    "sel": lambda x: x.sel(x=2),
    "transpose": lambda x: x.T,
    "concat": lambda x: xr.concat([x, x], "x"),
    "stack": lambda x: x.stack(z=("x", "y")),
    "ufunc of NumPy": np.sin,
    "roll": lambda x: x.roll(y=1),
    "shift": lambda x: x.shift(y=1),
    "rolling": lambda x: x.rolling(y=2).mean(),
    "coarsen": lambda x: x.coarsen(x=2).mean(),
    "dot": lambda x: xr.dot(x, x, dim="x"),
    "clip": lambda x: x.clip(0, 1),
    "groupby": lambda x: x.groupby(xr.DataArray([0, 0, 1, 1], dims="x", name="g")).mean(),
    "diff": lambda x: x.diff("y"),
    "pad": lambda x: x.pad(y=1, constant_values=0),
    "sortby": lambda x: x.sortby("x", ascending=False),
    "astype": lambda x: x.astype("f4"),
    "apply_ufunc": lambda x: xr.apply_ufunc(lambda v: v.mean(-1), x, input_core_dims=[["y"]]),
    "dataset": lambda x: (xr.Dataset({"a": x}) * 2)["a"],
}


def wrapped(values):
    return xr.DataArray(values, dims=("x", "y"), coords={"x": [0, 1, 2, 3]})


@pytest.mark.parametrize("name", CASES)
def test_beside_numpy(name):
    got, wanted = CASES[name](wrapped(cp.asarray(A))), CASES[name](wrapped(A))
    assert isinstance(got.data, cp.ndarray), type(got.data)
    assert got.dims == wanted.dims and got.dtype == wanted.dtype
    assert all((got.coords[key] == wanted.coords[key]).all() for key in wanted.coords)
    np.testing.assert_allclose(cp.asnumpy(got.data), wanted.data, rtol=1e-12)


def test_ufuncs_of_this_package_keep_the_wrapper():
    got = cp.sin(wrapped(cp.asarray(A)))
    assert isinstance(got, xr.DataArray) and isinstance(got.data, cp.ndarray) and got.dims == ("x", "y")
    np.testing.assert_allclose(cp.asnumpy(got.data), np.sin(A), rtol=1e-14)


def test_nothing_is_copied_in_passing():
    x = wrapped(cp.asarray(A))
    with pytest.raises(TypeError, match="Implicit conversion"):
        _ = x.values
    assert "DataArray" in repr(x)
