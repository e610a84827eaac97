"""Compiling ahead of time: the operations that ship precompiled, the command, and machine code that is of no use."""

import hashlib
import os
import sys
from pathlib import Path

import cuproxide as cp
import pytest
from cuproxide import _cuproxide as core
from cuproxide import precompile
from cuproxide._tools import catalogue

NOTHING = (1 << 30, (1 << 30) + 1)  # of so many parts the last one is empty


def without_compiler():
    try:
        return core.precompile(["sm_90"], part=NOTHING)["wanted"] != 0
    except cp.MissingLibraryError:
        return True


needs_compiler = pytest.mark.skipif(
    without_compiler(), reason="no run-time compiler here; ci/check_precompile brings one"
)
# With these, only the disk has machine code that was compiled earlier.
NO_PACK = {"CUPROXIDE_KERNEL_PACK": "/nonexistent", "CUPROXIDE_CACHE_IN_MEMORY": ""}


def test_every_operation_of_the_catalogue_runs(recwarn):
    # Where the command runs it: a GPU would compile every kernel first.
    with cp.Device("cpu"):
        everything = catalogue.run()
        assert everything > 1500
        assert 0 < catalogue.run(("?",)) < catalogue.run(("f4", "f8")) < everything
    assert [str(warning.message) for warning in recwarn] == []


def test_used_kernels_have_a_version_for_each_layout(run_python):
    code = """
import cuproxide as cp
from cuproxide import _cuproxide as core
before = core.used_kernels()
a = cp.ones((64, 64))
cp.evaluate(a)
cp.asnumpy(a + a)
cp.asnumpy(a[:, 1:] + a[:, :-1])
cp.asnumpy(a[::2, ::2] + 1.0)
cp.asnumpy(a + a)
used = set(core.used_kernels()) - set(before)
print(before == [], sorted(name for name, version in used if name.startswith("add")))
"""
    add = ["add_float64_float64"] * 2 + ["add_float64_float64s"]
    assert run_python(code).stdout.strip() == f"True {add}"


def test_the_first_results_of_a_typical_program_need_common_kernels_only(run_python):
    """Those that `benches/startup.py` times."""
    code = """
import sys
import cuproxide as cp
from cuproxide import _cuproxide as core
from cuproxide._tools import catalogue
with cp.Device("cpu"):
    catalogue.run()
    common = set(core.used_kernels())
    from startup import numpy_like
    # Fused, and step by step as programs run while their own fused kernels are being compiled.
    for eager in (False, True):
        with cp.fusion.eager(eager):
            results = [cp.asnumpy(kind()) for kind in numpy_like(cp).values()]
print(len(results), sorted(set(core.used_kernels()) - common))
"""
    benches = Path(__file__).parents[3] / "benches"
    result = run_python(code, PYTHONPATH=os.pathsep.join([str(benches), os.environ.get("PYTHONPATH", "")]))
    assert result.stdout.strip() == "20 []", result.stderr


def test_architectures_that_nothing_compiles_for():
    for name in ("x86_64", "noop", "sm_", "sm_ninety", ""):
        with pytest.raises(cp.UnsupportedError, match=f"ahead of time for {name}"):
            core.precompile([name])


def test_a_missing_compiler_is_an_error_that_says_what_to_install():
    try:
        done = core.precompile(["sm_90"], part=NOTHING)
    except cp.MissingLibraryError as error:
        assert "pip install" in str(error)
    else:
        assert done == {"wanted": 0, "compiled": 0, "bytes": 0}


def test_a_program_runs_as_if_it_was_called(tmp_path):
    program = tmp_path / "program.py"
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    program.write_text(
        "import sys, beside, cuproxide\n"
        "assert __name__ == '__main__'\n"
        "print(sys.argv[1:], beside.VALUE, cuproxide.arange(3).sum())\n"
        "sys.exit(3)\n"
    )
    before = list(sys.argv), list(sys.path)
    # It runs before anybody asks for a compiler.
    with pytest.raises(cp.UnsupportedError, match="for x86_64"):
        precompile.kernels_of(str(program), ["--steps", "3"], architectures=["x86_64"])
    assert (sys.argv, sys.path) == before


def test_the_output_and_the_end_of_a_program_are_shown(tmp_path, capfd):
    program = tmp_path / "program.py"
    program.write_text("import sys\nprint(sys.argv[1:])\nsys.exit('enough')\n")
    with pytest.raises(cp.UnsupportedError):
        precompile.main(["--architecture", "x86_64", str(program), "--steps", "3"])
    shown = capfd.readouterr()
    assert shown.out.strip() == "['--steps', '3']"
    assert "ended with 'enough'" in shown.err


def test_an_exception_of_a_program_is_raised(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("raise KeyError('mine')\n")
    before = list(sys.argv), list(sys.path)
    with pytest.raises(KeyError, match="mine"):
        precompile.kernels_of(str(program), architectures=["x86_64"])
    assert (sys.argv, sys.path) == before


@pytest.mark.skipif(
    any(device.backend != "cpu" for device in cp.available_devices()),
    reason="this machine's device has an architecture to compile for",
)
def test_the_architecture_must_be_named_without_a_device(run_python):
    result = run_python("from cuproxide.precompile import main; main([])")
    assert result.returncode == 2
    assert "name the architectures" in result.stderr


@needs_compiler
def test_the_command_fills_the_cache_and_writes_a_pack(run_python, tmp_path):
    pack = tmp_path / "kernels.pack"
    arguments = ["--architecture=sm_90", "--dtypes=?", "--jobs=2", f"--pack={pack}"]
    common = f"from cuproxide.precompile import main; main({arguments})"
    variables = NO_PACK | {"CUPROXIDE_CACHE_DIR": tmp_path / "cache"}
    first = run_python(common, **variables)
    assert first.returncode == 0, first.stderr
    assert ": 0 compiled" not in first.stdout
    second = run_python(common, **variables)
    assert ": 0 compiled" in second.stdout, second.stdout + second.stderr
    doctor = "from cuproxide.doctor import main; main([])"
    assert f"for sm_90, in {pack}" in run_python(doctor, **variables | {"CUPROXIDE_KERNEL_PACK": pack}).stdout
    pack.write_bytes(pack.read_bytes()[:-1])
    assert "precompiled kernels: none" in run_python(doctor, **variables | {"CUPROXIDE_KERNEL_PACK": pack}).stdout


@pytest.mark.skipif(cp.Device().backend not in ("cuda", "hip"), reason="only compiled GPU kernels are kept on disk")
def test_machine_code_that_the_driver_refuses_is_compiled_again(run_python, tmp_path):
    code = "import cuproxide as cp; print(float((cp.arange(7.0) * 3).sum()))"
    variables = NO_PACK | {"CUPROXIDE_CACHE_DIR": tmp_path}
    assert run_python(code, **variables).stdout.strip() == "63.0"
    good = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert good
    nonsense = b"\x7fELF no machine code" + bytes(100)
    for file, content in good.items():
        file.write_bytes(content[:8] + hashlib.sha256(nonsense).digest() + nonsense)
    result = run_python(code, **variables)
    assert result.stdout.strip() == "63.0", result.stderr
    assert all(os.path.getsize(file) > len(nonsense) + 40 for file in good)


def test_a_process_may_end_while_a_kernel_is_being_compiled(run_python, tmp_path):
    code = """
import cuproxide as cp
a = cp.ones(100)
b = a * 3.25 + a - 7.0
c = cp.exp(a - a) * 2.0 - a
print(float(b[0]), float(c[0]))
"""
    result = run_python(code, **NO_PACK, CUPROXIDE_CACHE_DIR=tmp_path)
    assert (result.returncode, result.stdout.strip()) == (0, "-2.75 1.0"), result.stderr
