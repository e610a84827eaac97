"""Environment variables: what each one does, in a process of its own."""

from __future__ import annotations

import pathlib

import cuproxide as cp
import pytest

ON_CUDA = cp.Device().backend == "cuda"
KERNEL = """
import cuproxide as cp
kernel = cp.RawKernel('extern "C" __global__ void f(int* x) { x[0] = VALUE; }', "f", ("-DVALUE=5",))
x = cp.zeros(1, "i4")
kernel((1,), (1,), (x,))
print(int(x[0]))
"""
BOTH = pytest.mark.parametrize("prefix", ["CUPROXIDE_", "CUPY_"])


@BOTH
def test_the_cache_lies_where_it_is_told(run_python, tmp_path, prefix):
    done = run_python(KERNEL, **{"CUPROXIDE_CACHE_DIR": "", prefix + "CACHE_DIR": tmp_path})
    assert done.stdout.strip() == "5", done.stderr
    files = [path.suffix for path in tmp_path.iterdir()]
    assert ".bin" in files and ".cu" not in files


@BOTH
def test_texts_are_kept_beside_machine_code(run_python, tmp_path, prefix):
    done = run_python(KERNEL, **{"CUPROXIDE_CACHE_DIR": tmp_path, prefix + "CACHE_SAVE_CUDA_SOURCE": "1"})
    assert done.stdout.strip() == "5", done.stderr
    texts = [path for path in tmp_path.glob("*.cu") if "x[0] = VALUE" in path.read_text()]
    assert len(texts) == 1 and texts[0].with_suffix(".bin").exists()


@BOTH
def test_the_cache_may_be_in_memory_only(run_python, tmp_path, prefix):
    variables = {
        "CUPROXIDE_CACHE_DIR": tmp_path,
        prefix + "CACHE_IN_MEMORY": "1",
        "CUPROXIDE_CACHE_SAVE_CUDA_SOURCE": "1",
    }
    done = run_python(KERNEL, **variables)
    assert done.stdout.strip() == "5", done.stderr
    assert not list(tmp_path.iterdir())


@BOTH
@pytest.mark.parametrize("value, shown", [("1", True), ("0", False), ("", False)])
def test_texts_that_do_not_compile_are_printed(run_python, prefix, value, shown):
    code = (
        "import cuproxide as cp\n"
        "try:\n"
        "    cp.RawKernel('extern \"C\" __global__ void f() { mistake; }', 'f').compile()\n"
        "except cp.CompileError:\n    print('caught')"
    )
    done = run_python(code, **{prefix + "DUMP_CUDA_SOURCE_ON_ERROR": value})
    assert done.stdout.strip() == "caught"
    assert ("1 | extern" in done.stderr and "mistake" in done.stderr) == shown


@BOTH
@pytest.mark.parametrize("name", ["CUDA_COMPILE_WITH_DEBUG", "COMPILE_WITH_PTX", "NVRTC_USE_PCH"])
def test_ways_of_compiling_give_the_same_result(run_python, tmp_path, prefix, name):
    done = run_python(KERNEL, **{"CUPROXIDE_CACHE_DIR": tmp_path, prefix + name: "1"})
    assert done.stdout.strip() == "5", done.stderr
    images = [path.read_bytes()[40:] for path in tmp_path.glob("*.bin")]
    if name == "CUDA_COMPILE_WITH_DEBUG":
        assert any(b".debug_info" in image for image in images)
    if name == "COMPILE_WITH_PTX" and ON_CUDA:
        assert any(b".version" in image and b".target" in image for image in images)


@BOTH
def test_threads_may_start_on_streams_of_their_own(run_python, prefix):
    code = "import cuproxide as cp; print(cp.cuda.get_current_stream() == cp.cuda.Stream.ptds)"
    assert run_python(code, **{prefix + "CUDA_PER_THREAD_DEFAULT_STREAM": "1"}).stdout.strip() == "True"


@pytest.mark.parametrize(
    "name, value",
    [
        ("CUPY_ACCELERATORS", "cub,cutensor"),
        ("CUPY_DISABLE_JITIFY_CACHE", "1"),
        ("CUPY_USE_CUDA_PYTHON", "1"),
        ("CUPY_INSTALL_USE_HIP", "1"),
        ("CUPY_NVCC_GENERATE_CODE", "current"),
        ("CUPY_NUM_BUILD_JOBS", "4"),
        ("CUPY_NUM_NVCC_THREADS", "2"),
        ("NVCC", "/nowhere/nvcc"),
        ("CUDA_PATH", "/nowhere"),
        ("CUTENSOR_PATH", "/nowhere"),
    ],
)
def test_variables_without_an_effect_do_no_harm(run_python, name, value):
    done = run_python(KERNEL + "print(float(cp.ones(1000).sum()))", **{name: value})
    assert done.stdout.split() == ["5", "1000.0"], done.stderr


@BOTH
def test_host_arrays_are_assigned_to_slices_when_asked(run_python, prefix):
    code = "import cuproxide as cp, numpy as np\na = cp.zeros(3)\na[:] = np.arange(3.0)\nprint(a.tolist())"
    done = run_python(code, **{prefix + "EXPERIMENTAL_SLICE_COPY": "1"})
    assert done.stdout.strip() == "[0.0, 1.0, 2.0]", done.stderr


def test_every_variable_is_documented():
    page = pathlib.Path(__file__).parents[3] / "docs" / "environment.md"
    if not page.exists():
        pytest.skip("the documentation is not beside the tests")
    text = page.read_text()
    for name in (
        "ACCELERATORS CACHE_DIR CACHE_IN_MEMORY CACHE_SAVE_CUDA_SOURCE COMPILE_WITH_PTX CUDA_ARRAY_INTERFACE_SYNC "
        "CUDA_ARRAY_INTERFACE_EXPORT_VERSION CUDA_COMPILE_WITH_DEBUG CUDA_PER_THREAD_DEFAULT_STREAM "
        "DISABLE_JITIFY_CACHE DLPACK_EXPORT_VERSION DUMP_CUDA_SOURCE_ON_ERROR EXPERIMENTAL_SLICE_COPY "
        "GPU_MEMORY_LIMIT INSTALL_USE_HIP NUM_BUILD_JOBS NUM_NVCC_THREADS NVCC_GENERATE_CODE NVRTC_USE_PCH SEED TF32 "
        "USE_CUDA_PYTHON CUTENSOR_PATH CUDA_PATH NVCC"
    ).split():
        assert name in text, name
