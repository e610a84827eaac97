"""What public modules list, and modules that programs import before they compute anything."""

import importlib

import cuproxide as cp
import modules
import numpy as np
import pytest

MODULES = ["lib", "lib.array_utils", "lib.scimath", "lib.stride_tricks", "polynomial"]
MODULES += [
    f"polynomial.{name}"
    for name in ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils")
]
MODULES += [name for name in modules.SCIPY if name not in ("scipy", "scipy.linalg.interpolative")]


@pytest.mark.parametrize("name", MODULES)
def test_no_helper_is_listed(name):
    module = importlib.import_module(f"cuproxide.{name}")
    assert set(dir(module)) == set(module.__all__)
    assert not {"Any", "annotations", "ArrayLike", "as_array", "ndarray", "np"} & set(dir(module))
    assert all(hasattr(module, listed) for listed in dir(module))


def test_scipy_lists_its_modules():
    direct = {name.split(".")[1] for name in modules.SCIPY if "." in name}
    assert set(dir(cp.scipy)) == {"get_array_module"} | direct and "fftpack" in direct


def test_special_of_the_namespace():
    assert cp.special is cp.scipy.special and "special" in dir(cp)


def test_issparse():
    sparse = pytest.importorskip("scipy.sparse")
    tests = [name for name in dir(cp.scipy.sparse) if name.startswith("issp")]
    assert {"issparse", "isspmatrix", "isspmatrix_csr"} <= set(tests)
    for name in tests:
        for value in (cp.eye(2), np.eye(2), sparse.eye(2), None):
            assert getattr(cp.scipy.sparse, name)(value) is False


def test_versions_and_attributes_answer_everywhere():
    runtime = cp.cuda.runtime
    assert runtime.runtimeGetVersion() >= 11000 and runtime.driverGetVersion() >= 0
    assert cp.cuda.get_local_runtime_version() == runtime.runtimeGetVersion()
    device = cp.cuda.Device()
    capability = int(device.compute_capability)
    major = runtime.deviceGetAttribute(runtime.cudaDevAttrComputeCapabilityMajor, device.id)
    assert major == capability // 10
    properties = runtime.getDeviceProperties(device.id)
    assert (properties["major"], properties["minor"]) == divmod(capability, 10)
    for name in (name for name in runtime.__all__ if name.startswith("cudaDevAttr")):
        assert runtime.deviceGetAttribute(getattr(runtime, name), device.id) >= 0
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceGetAttribute(-1, device.id)


def test_names_of_cuda():
    cuda, runtime = cp.cuda, cp.cuda.runtime
    assert cuda.stream.get_default_stream_ptr() == cuda.Stream.null.ptr
    x = cp.ones(3)
    try:
        expected = runtime.pointerGetAttributes(x.data.ptr).type
    except cp.UnsupportedError:
        with pytest.raises(cp.UnsupportedError):
            runtime.pointerGetMemoryType(x.data.ptr)
    else:
        assert runtime.pointerGetMemoryType(x.data.ptr) == expected
    with pytest.raises(ValueError, match="load"):
        cuda.function.Module().get_function("f")
    with pytest.raises(KeyError), cuda.profile():
        raise KeyError


def test_types_for_annotations():
    typing = importlib.import_module("cuproxide.typing")
    assert typing is cp.typing and dir(typing) == ["ArrayLike", "DTypeLike", "NDArray"]
    array = typing.NDArray[np.float32]
    assert array.__origin__ is cp.ndarray and array.__args__[1] == np.dtype[np.float32]
    assert len(typing.NDArray.__parameters__) == 1


@pytest.mark.parametrize("axis", [0, 1])
def test_functions_of_numpy_on_records(axis):
    """What libraries do with chunks of records."""
    dtype = [("vals", "f8"), ("arg", "i8")]
    host = np.empty((2, 3), dtype)
    host["vals"], host["arg"] = np.arange(6.0).reshape(2, 3), 7
    ours = cp.empty_like(cp.ones((2, 3)), dtype=dtype)
    ours["vals"], ours["arg"] = cp.arange(6.0).reshape(2, 3), 7
    for function in (
        lambda a: np.concatenate([a, a[::-1]], axis=axis),
        lambda a: np.stack([a, a], axis=axis),
        lambda a: np.expand_dims(a, axis),
        lambda a: np.squeeze(a[:1]),
    ):
        np.testing.assert_array_equal(function(ours).get(), function(host))
    with pytest.raises(TypeError):
        np.concatenate([ours, host])
