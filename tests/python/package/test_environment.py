"""Environment variables: what each one does, in a process of its own."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import cuproxide as cp
import pytest
from cuproxide import _cuproxide

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


TRUE, FALSE = ("1", "true", "YES", "On", " 1 "), ("0", "False", "no", "OFF", "", " ")


@pytest.mark.parametrize("text", TRUE + FALSE)
def test_flags_have_eight_spellings(run_python, text):
    code = "import cuproxide as cp; print(cp.fusion.is_eager(), cp.ones(3).sum())"
    done = run_python(code, CUPROXIDE_EAGER=text)
    assert done.stdout.split() == [str(text in TRUE), "3.0"], done.stderr


@pytest.mark.parametrize(
    "name, value",
    [
        ("CUPROXIDE_EAGER", "maybe"),
        ("CUPROXIDE_EAGER", "2"),
        ("CUPROXIDE_CONTRACT", "x"),
        ("CUPROXIDE_DETERMINISTIC", "-1"),
        ("CUPROXIDE_NUM_THREADS", "abc"),
        ("CUPROXIDE_NUM_THREADS", "0"),
        ("CUPROXIDE_NUM_THREADS", "-1"),
        ("CUPROXIDE_NUM_THREADS", "10000"),
        ("CUPROXIDE_NUM_THREADS", "1.5"),
        ("CUPROXIDE_CPU_DEVICES", "65"),
        ("CUPROXIDE_CPU_DEVICES", "0"),
        ("CUPROXIDE_CPU_VECTORS", "64"),
        ("CUPROXIDE_CACHE_IN_MEMORY", "perhaps"),
        ("CUPY_CACHE_SAVE_CUDA_SOURCE", "perhaps"),
        ("CUPROXIDE_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", "4"),
        ("CUPY_DLPACK_EXPORT_VERSION", "one"),
        ("CUPROXIDE_SEED", "1e3"),
        ("CUPROXIDE_TEST_FULL_COMBINATION", "some"),
    ],
)
def test_values_without_a_meaning_are_errors(run_python, name, value):
    done = run_python("import cuproxide", **{name: value})
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith(f'ValueError: {name}="{value}"') and "expected" in last, done.stderr


SINES = "x = cp.arange(3e5); print(float((cp.sin(x) ** 2 + cp.cos(x) ** 2).sum()) / 3e5)\n"


def test_the_most_threads_start(run_python):
    done = run_python("import cuproxide as cp; " + SINES, CUPROXIDE_BACKEND="cpu", CUPROXIDE_NUM_THREADS="1024")
    assert abs(float(done.stdout) - 1) < 1e-12, done.stderr


def test_a_system_that_starts_fewer_threads(run_python):
    code = (
        "import os, resource\n"
        "import cuproxide as cp\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 2**30,) * 2)\n"
        + SINES
        + "print(len(os.listdir('/proc/self/task')))"
    )
    done = run_python(code, CUPROXIDE_BACKEND="cpu", CUPROXIDE_NUM_THREADS="1024")
    assert done.returncode == 0, done.stderr
    value, count = done.stdout.split()
    assert abs(float(value) - 1) < 1e-12 and int(count) < 1000


ROOT = pathlib.Path(__file__).parents[3]
TABLE = {row[2]: row for row in _cuproxide.settings_table()}
NAME = re.compile(r"\bCUPROXIDE_[A-Z0-9_]*[A-Z0-9]\b")


def sources():
    """The texts of the repository that may read a variable, by their path."""
    if not (ROOT / "hal/src/settings.rs").exists():
        pytest.skip("the sources are not beside the tests")
    folders = "hal core backends kernels-cuda kernels-hip frontend-py tests examples benches ci .ci .github".split()
    found = {}
    for folder in folders:
        for file in (ROOT / folder).rglob("*"):
            generated = {"target", "__pycache__", ".venv", "node_modules"} & set(file.parts)
            if file.is_file() and not generated and file.suffix in ("", ".rs", ".py", ".pyi", ".sh", ".yml", ".toml"):
                found[file.relative_to(ROOT)] = file.read_text(errors="ignore")
    return found


def test_every_name_in_the_sources_is_in_the_table():
    known = TABLE.keys() | {row[3] for row in TABLE.values()}
    own = pathlib.Path(__file__).relative_to(ROOT)
    unknown = {(str(path), name) for path, text in sources().items() if path != own for name in NAME.findall(text)}
    assert {(path, name) for path, name in unknown if name not in known} == set()


def test_every_variable_of_the_table_is_read():
    """By its row's name in Rust, or by its own elsewhere, below the folder that the table gives."""
    texts = sources()
    table = texts.pop(pathlib.Path("hal/src/settings.rs"))
    rows = dict(re.findall(r'^ +([A-Z0-9_]+): "([A-Z0-9_]+)"', table, re.M))
    assert set(rows.values()) == set(TABLE)
    for row, name in rows.items():
        reader = TABLE[name][6]
        if not reader:
            continue
        below = [text for path, text in texts.items() if str(path).startswith(reader + "/")]
        wanted = re.compile(rf'settings::{row}\b|"{name}"')
        assert any(wanted.search(text) for text in below), (name, reader)


def test_the_page_is_written_from_the_table():
    script = ROOT / "ci/environment.py"
    if not script.exists():
        pytest.skip("the documentation is not beside the tests")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = (ROOT / "docs/environment.md").read_text()
    assert all(f"`{name}`" in text for name in TABLE)
