"""What client libraries of CuPy and of NumPy's protocols rest on, without the libraries."""

import importlib

import cuproxide as cp
import numpy as np
import pytest
from cupy_stand_in import compat_installed

HOST = np.arange(12.0).reshape(3, 4)


def test_modules_of_libraries(cupy):
    """thinc asks for `cupy.cublas` before it believes that there is CuPy."""
    for name in ("cupy.cublas", "cupyx.lapack", "cupyx.linalg", "cupyx.linalg.sparse", "cupy.cuda.cublas"):
        module = importlib.import_module(name)
        assert module.__all__ and all(hasattr(module, item) for item in module.__all__), name
    cupyx = importlib.import_module("cupyx")
    assert cupy.cublas.nrm2(cupy.ones(4)) == 2 and "cublas" in dir(cupy) and "linalg" in dir(cupyx)
    assert cupyx.linalg.invh(cupy.eye(2)).tolist() == [[1, 0], [0, 1]]
    for absent in ("cupy.cublas.nothing", "cupyx.linalg.svd", "cupy.lapack"):
        assert importlib.util.find_spec(absent) is None
    with pytest.raises(AttributeError):
        cupyx.linalg.svd  # noqa: B018


def test_host_edges_and_quantiles(cupy):
    """Dask and xarray call NumPy's functions with arrays of a device and parameters of the host."""
    x, q, edges = cupy.asarray(HOST), np.array([0.25, 0.5]), np.linspace(0, 12, 5)
    for name in ("quantile", "percentile", "nanquantile", "nanpercentile"):
        function, asked = getattr(np, name), q * 100 if "percentile" in name else q
        for ours in (function(x, asked, axis=0), getattr(cupy, name)(x, asked, axis=0), function(x, q=asked, axis=0)):
            assert isinstance(ours, cp.ndarray)
            np.testing.assert_allclose(ours.get(), function(HOST, asked, axis=0))
    for ours in (np.histogram(x, edges), cupy.histogram(x, bins=edges)):
        assert ours[0].get().tolist() == np.histogram(HOST, edges)[0].tolist()
    assert np.digitize(x, edges).get().tolist() == np.digitize(HOST, edges).tolist()
    pairs = HOST[:, :2]
    ours = np.histogramdd(cupy.asarray(pairs), [edges, edges])[0]
    assert ours.get().tolist() == np.histogramdd(pairs, [edges, edges])[0].tolist()
    ours = cupy.histogram2d(x[0], x[1], [edges, 3])[0]
    assert ours.get().tolist() == np.histogram2d(HOST[0], HOST[1], [edges, 3])[0].tolist()
    # The data itself stays where it is.
    for call in (lambda: np.quantile(HOST, cupy.asarray(q)), lambda: np.concatenate([x, HOST])):
        with pytest.raises(TypeError):
            call()
    shifted = cupy.fft.fftshift(HOST)
    assert isinstance(shifted, cp.ndarray) and (shifted.get() == np.fft.fftshift(HOST)).all()


def test_host_parameters_without_compat():
    for call in (lambda: np.quantile(cp.asarray(HOST), np.array([0.5])), lambda: np.histogram(cp.ones(3), np.ones(3))):
        with pytest.raises(TypeError, match="copies neither"):
            call()


def test_records_are_no_model_of_numbers():
    """Dask's `unique` asks whether this raises, and else writes into an array of NumPy."""
    fields = [("a", int), ("b", float)]
    for function in (np.empty_like, np.zeros_like, np.ones_like):
        with pytest.raises(TypeError, match="records"):
            function(cp.ones(3), dtype=fields)
    with pytest.raises(TypeError, match="records"):
        np.full_like(cp.ones(3), 1, dtype=fields)
    assert np.empty_like(cp.ones(3), dtype="f4").dtype == np.float32
    assert np.full_like(cp.ones(2), 7, dtype=int).tolist() == [7, 7]
    records = cp.empty_like(cp.ones(3), dtype=fields)
    assert records.dtype == np.dtype(fields)
    assert np.zeros_like(records).dtype == np.dtype(fields)


def test_namespaces_are_announced_as_in_cupy():
    """xarray refuses to index arrays that have `__array_namespace__` by arrays along two axes."""
    assert cp.ones(2).__array_namespace__() is cp
    with compat_installed():
        assert not hasattr(cp.ones(2), "__array_namespace__") and hasattr(cp.ones(2), "__array_function__")
    assert cp.ones(2).__array_namespace__() is cp


def test_plans_are_made_of_shapes():
    plan = cp.scipy.fft.get_fft_plan(HOST + 0j, axes=1)
    x = cp.asarray(HOST + 0j)
    np.testing.assert_allclose(cp.scipy.fft.fft(x, axis=1, plan=plan).get(), np.fft.fft(HOST, axis=1), atol=1e-12)
    with plan:
        np.testing.assert_allclose(cp.fft.fft(x, axis=1).get(), np.fft.fft(HOST, axis=1), atol=1e-12)
        with pytest.raises(RuntimeError, match="one of them"):
            cp.scipy.fft.fft(x, axis=1, plan=plan)


def test_handles_of_libraries():
    device = cp.cuda.device
    for name in ("cublas", "cusolver", "cusolver_sp", "cusparse"):
        outcomes = []
        for ask in (getattr(device, f"get_{name}_handle"), lambda name=name: getattr(cp.Device(), f"{name}_handle")):
            try:
                outcomes.append(ask())
            except (NotImplementedError, ImportError) as error:
                outcomes.append(type(error))
        assert outcomes[0] == outcomes[1]
    assert cp.cuda.get_cublas_handle is device.get_cublas_handle
