"""The HIP backend without a device of AMD's: which backend is chosen, what the errors and the diagnosis say."""

import json
import os
import subprocess
import sys

import cuproxide as cp
import pytest
from cuproxide.cuda import nvrtc, runtime

# A runtime that opens and finds no device, as AMD's own does.
RUNTIME = """
int hipInit(unsigned flags) { return 100; }
int hipGetDeviceCount(int* count) { *count = 0; return 100; }
int hipModuleLaunchKernel(void) { return 100; }
int hipRuntimeGetVersion(int* version) { *version = 60443484; return 0; }
const char* hipGetErrorName(int code) { return "hipErrorNoDevice"; }
const char* hipGetErrorString(int code) { return "no ROCm-capable device is detected"; }
"""
REPORT = """
import json
import cuproxide as cp
import cuproxide.doctor as doctor
try:
    cp.arange(3)
    error = None
except Exception as raised:
    error = [type(raised).__name__, isinstance(raised, cp.cuda.runtime.CUDARuntimeError), str(raised)]
found = doctor.examine()
hip = next(report for report in found["backends"] if report["backend"] == "hip")
print(json.dumps({"error": error, "default": found["default"], "hip": hip, "text": doctor.describe(found)}))
"""


@pytest.fixture(scope="module")
def rocm(tmp_path_factory):
    """The root of a ROCm whose runtime is there, and nothing else."""
    root = tmp_path_factory.mktemp("rocm")
    (root / "lib").mkdir()
    source = root / "runtime.c"
    source.write_text(RUNTIME)
    library = root / "lib" / "libamdhip64.so.6"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libamdhip64.so.6", "-o", library, source], check=True)
    return root


def report(**variables):
    """What a process says with these environment variables."""
    hidden = {"CUPROXIDE_LIBRARY_PATH", "CUPROXIDE_ROCM_PATH", "CUPROXIDE_BACKEND", "ROCM_PATH", "HIP_PATH"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    process = subprocess.run(
        [sys.executable, "-c", REPORT], env=environment | variables, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_a_runtime_without_a_device_is_passed_over(rocm):
    found = report(CUPROXIDE_ROCM_PATH=str(rocm))
    assert found["error"] is None
    assert not found["default"]["device"].startswith("hip")
    assert found["hip"]["error"] is None and found["hip"]["devices"] == []


def test_the_backend_that_is_named_says_why_it_cannot_be_used(rocm):
    found = report(CUPROXIDE_ROCM_PATH=str(rocm), CUPROXIDE_BACKEND="hip")
    kind, is_runtime_error, message = found["error"]
    assert kind == "DeviceError" and is_runtime_error
    assert message.startswith("hipInit failed with code 100 (hipErrorNoDevice): no ROCm-capable device is detected; ")
    assert "/dev/kfd" in message, "what to do about it"
    assert found["default"] == {"device": None, "error": message}


def test_the_diagnosis_covers_rocm(rocm):
    found = report(CUPROXIDE_ROCM_PATH=str(rocm), HIP_VISIBLE_DEVICES="0")
    libraries = {library["name"]: library for library in found["hip"]["libraries"]}
    assert libraries["HIP runtime"]["version"] == "6.4.43484"
    assert libraries["HIP runtime"]["path"] == str(rocm / "lib" / "libamdhip64.so.6")
    assert set(libraries) >= {"hiprtc", "hipBLAS", "hipSOLVER", "hipFFT", "RCCL"}
    assert any(path.endswith("lib/libhipblas.so.2") for path, _ in libraries["hipBLAS"]["attempts"]), "of the same ROCm"
    facts = dict(found["hip"]["facts"])
    assert {"amdgpu kernel driver", "/dev/kfd", "groups of this process", "gfx targets"} <= set(facts)
    assert facts["HIP_VISIBLE_DEVICES"] == "0"
    assert "HIP runtime 6.4.43484" in found["text"] and "hint: install the package hipblas" in found["text"]


def test_a_missing_runtime_lists_every_place(tmp_path):
    found = report(CUPROXIDE_LIBRARY_PATH=str(tmp_path), CUPROXIDE_BACKEND="hip")
    if found["hip"]["error"] is None:
        pytest.skip("ROCm is installed on this machine")
    kind, _, message = found["error"]
    assert kind == "MissingLibraryError"
    assert message.startswith("HIP runtime could not be loaded; tried\n") and "ROCM_PATH" in message
    assert f"{tmp_path}/libamdhip64.so.7" in message and f"{tmp_path}/libamdhip64.so.6" in message


@pytest.mark.parametrize("backend", ["cuda", "hip"])
def test_which_backend_it_is_where_it_has_no_device(tmp_path, run_python, backend):
    program = "import cuproxide as cp; print(cp.cuda.runtime.is_hip)"
    found = run_python(program, CUPROXIDE_BACKEND=backend, HIP_VISIBLE_DEVICES="", CUDA_VISIBLE_DEVICES="")
    assert found.stdout.strip() == str(backend == "hip"), found.stderr


def test_which_backend_it_is():
    on_hip = cp.Device().backend == "hip"
    assert runtime.is_hip is on_hip
    from cuproxide.cuda.runtime import is_hip

    assert is_hip is on_hip
    with pytest.raises(AttributeError, match="is_hop"):
        _ = runtime.is_hop
    assert ("gcnArchName" in runtime.getDeviceProperties(0)) is on_hip
    if on_hip:
        assert nvrtc.getVersion()[0] == runtime.runtimeGetVersion() // 10**7
