"""`cuproxide.compat`: `import cupy` resolves to this package."""

import operator
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import cuproxide
import numpy as np
import pytest

PROGRAMS = Path(__file__).parents[3] / "examples" / "compat"


def python(*arguments, cwd=None):
    """Runs Python with this environment; returns what it prints."""
    result = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=cwd, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def under_compat(code):
    return python("-m", "cuproxide.compat", "-c", textwrap.dedent(code))


def words(text):
    """The output of a program, its numbers as numbers, without what tells times."""
    lines = [line for line in text.splitlines() if not re.search(r"\d (s|sec)$", line)]
    return [re.split(r"[\s:]+", line) for line in lines]


def is_number(word):
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[-+]?inf|nan", word) is not None


@pytest.mark.parametrize("program", sorted(path.name for path in PROGRAMS.glob("*.py")))
def test_programs_run_unmodified(program):
    """With arrays on the device they print what they print with NumPy."""
    source = (PROGRAMS / program).read_text()
    assert "cuproxide" not in source and len(source.splitlines()) > 100
    ours, theirs = (words(python("-m", "cuproxide.compat", PROGRAMS / program, *more)) for more in ((), ("--cpu",)))
    assert len(theirs) >= 5
    for line, other in zip(ours, theirs, strict=True):
        for word, expected in zip(line, other, strict=True):
            if is_number(expected):
                assert float(word) == pytest.approx(float(expected), rel=2e-4, abs=2e-3), (line, other)
            else:
                assert word == expected, (line, other)


def test_modules_are_those_of_this_package():
    under_compat("""
        import importlib, sys
        import cupy, cupyx, cuproxide
        import cupy.cuda.runtime
        import cupyx.scipy
        from cupy import linalg, random as rnd
        from cupy.fft import fft
        from cupyx import rsqrt, scatter_add
        from cupyx.scipy import get_array_module

        assert cupy.ndarray is cuproxide.ndarray and cupy.sin is cuproxide.sin
        for name in ("cuda", "cuda.runtime", "testing", "polynomial.polynomial"):
            module = importlib.import_module("cupy." + name)
            real = importlib.import_module("cuproxide." + name)
            assert module is real is sys.modules["cupy." + name], name
            assert real.__spec__.name == real.__name__ == "cuproxide." + name, name
        assert fft is cuproxide.fft.fft
        for module, real in ((linalg, cuproxide.linalg), (rnd, cuproxide.random)):
            name = module.__name__
            assert name == "cupy." + real.__name__.rpartition(".")[2] and real.__spec__.name == real.__name__
            assert importlib.import_module(name) is module is getattr(cupy, name.partition(".")[2]) is sys.modules[name]
            assert module.__all__ == real.__all__ and dir(module) == dir(real)
        assert linalg.svd is cuproxide.linalg.svd and rnd.RandomState is cuproxide.random.RandomState
        assert cupyx.scipy.stats is cuproxide.scipy.stats and cupyx.scipy.special is cuproxide.scipy.special
        assert cupyx.scipy.ndimage.label.__wrapped__ is cuproxide.scipy.ndimage.label
        assert get_array_module is cupyx.scipy.get_array_module and get_array_module(cupy.ones(2)) is cupyx.scipy
        assert cupyx.scatter_add is cuproxide.scatter_add is scatter_add
        assert rsqrt(cupy.asarray([4.0, 0.25])).tolist() == [0.5, 2.0]
        assert importlib.util.find_spec("cupy.cuda") and importlib.util.find_spec("cupy.nothing") is None
        assert importlib.import_module("cupy") is cupy and "sin" in dir(cupy) and "sin" in cupy.__all__
        names = {}
        exec("from cupy import *", names)
        assert names["arange"] is cuproxide.arange
        assert cupy.get_array_module(cupy.ones(2)) is cupy
        assert cupy.get_array_module(1).__name__ == "numpy"
    """)


def test_modules_and_functions_are_pickled_by_name():
    """For processes that import them."""
    under_compat("""
        import pickle
        import cupy, cupyx, cupy.linalg, cupyx.scipy.ndimage
        modules = (cupy, cupyx, cupy.linalg, cupyx.scipy, cupyx.scipy.ndimage)
        functions = (
            cupy.sum, cupy.asarray, cupy.concat, cupy.concatenate, cupy.get_array_module, cupy.linalg.norm,
            cupy.random.shuffle, cupyx.scipy.get_array_module, cupyx.scipy.ndimage.label,
            cupyx.scipy.ndimage.median_filter,
        )
        for thing in modules + functions:
            assert pickle.loads(pickle.dumps(thing)) is thing, thing
    """)


def test_distributed():
    under_compat("""
        import cupy
        from cupyx import distributed
        from cupyx.distributed import NCCLBackend, init_process_group
        from cupyx.distributed.array import DistributedArray, distributed_array, make_2d_index_map, matmul

        x = distributed_array(cupy.ones((4, 4)), make_2d_index_map([0, 2, 4], [0, 4], [[{0}], [{0}]]))
        assert isinstance(x, DistributedArray) and float(matmul(x, x).sum()) == 64
        group = init_process_group(1, 0, backend="store")
        y = cupy.arange(3)
        group.all_reduce(y, y)
        assert y.tolist() == [0, 1, 2]
        group.stop()
    """)


def test_what_libraries_probe():
    under_compat("""
        import cupy
        major, minor, patch = map(int, cupy.__version__.split("."))
        assert major >= 13
        assert type(cupy.ones(2)).__module__ == "cupy" and repr(cupy.ndarray) == "<class 'cupy.ndarray'>"
        assert cupy.is_available() and cupy.cuda.runtime.getDeviceCount() >= 1
        assert hasattr(cupy.ndarray, "__array_function__") and not hasattr(cupy, "array_api")
        assert cupy.__array_api_version__ and cupy.__name__ == "cupy" and cupy.__spec__.name == "cupy"
        import pickle
        assert pickle.loads(pickle.dumps(cupy.arange(3))).tolist() == [0, 1, 2]
    """)


@pytest.mark.parametrize(
    "name",
    [
        "cupy.array_api",
        "cupy._creation",
        "cupy._core.nothing",
        "cupy.nothing",
        "cupy.cuda.nothing",
        "cupy.scipy",
        "cupyx.sin",
        "cupyx.x.y",
    ],
)
def test_what_is_not_there(name):
    under_compat(f"""
        import importlib
        try:
            importlib.import_module({name!r})
        except ModuleNotFoundError as error:
            assert error.name and {name!r}.startswith(error.name)
        else:
            raise SystemExit("imported")
        import cupy, cupyx
        for call in (lambda: cupy.nothing, lambda: cupyx.sin, lambda: cupy.doctor, lambda: cupy._cuproxide):
            try:
                call()
            except AttributeError as error:
                assert "has no attribute" in str(error)
            else:
                raise SystemExit("found")
    """)


def test_private_names():
    """What published programs take from `cupy._core` and `cupy._util`."""
    under_compat("""
        import cupy
        assert cupy._core.core.ndarray is cupy._core.ndarray is cupy.ndarray
        assert isinstance(cupy.ones(2), cupy._core.core.ndarray)
        import cupy._core.internal
        from cupy._core import _accelerator, internal
        from cupy._core._kernel import ElementwiseKernel
        from cupy._core._reduction import ReductionKernel
        from cupy._core._routines_indexing import _ndarray_argwhere
        from cupy._core._scalar import get_typename
        assert ElementwiseKernel is cupy.ElementwiseKernel and ReductionKernel is cupy.ReductionKernel
        assert _ndarray_argwhere(cupy.array([[0, 3], [4, 0]])).tolist() == [[0, 1], [1, 0]]
        assert [get_typename(c) for c in "?bhlQefD"] == [
            "bool", "signed char", "short", "long long", "unsigned long long", "float16", "float", "complex<double>",
        ]
        for name in ("?bBhHiIlLqQefdFD"):
            body = f"y = ({get_typename(name)})x"
            cast = cupy.ElementwiseKernel("T x", "T y", body, f"cast_{ord(name)}")
            assert cast(cupy.ones(3, name)).tolist() == [1] * 3
        assert internal._normalize_axis_indices((-1, 0), 3) == (0, 2)
        assert internal._normalize_axis_index(-3, 3) == 0 and internal.prod((2, 5)) == 10 and internal.clp2(9) == 16
        for call in (lambda: internal._normalize_axis_index(3, 3), lambda: internal._normalize_axis_indices(2, 2)):
            try:
                call()
            except cupy.exceptions.AxisError:
                pass
            else:
                raise SystemExit("no error")

        assert cupy._core.elementwise_copy(cupy.array([1.5, 2.5]), cupy.zeros((2, 2), int)).tolist() == [[1, 2]] * 2
        calls = []

        @cupy._util.memoize(for_each_device=True)
        def once(x):
            calls.append(x)
            return x

        assert once(3) == once(3) == 3 and calls == [3]

        from cuproxide._lib import contraction
        assert not contraction.enabled and cupy._core.get_routine_accelerators() == []
        cupy._core.set_routine_accelerators(["cub", "cutensor"])
        assert contraction.enabled and cupy._core.get_routine_accelerators() == [1, 2]
        assert cupy._core.get_routine_accelerators() == [
            _accelerator.ACCELERATOR_CUB, _accelerator.ACCELERATOR_CUTENSOR
        ]
        cupy._core.set_routine_accelerators([])
        assert not contraction.enabled
        cupy._core.set_reduction_accelerators(["cub"])
        try:
            cupy._core.set_reduction_accelerators(["nothing"])
        except ValueError as error:
            assert str(error) == "Unknown accelerator: nothing"
        assert cupy._core.get_reduction_accelerators() == [1]
    """)


def test_arrays_that_cupy_pickled():
    """Their pickles call `cupy._core.core.array` with an array of NumPy's."""
    under_compat("""
        import pickle, cupy, numpy
        made = b"ccupy._core.core\\narray\\n" + pickle.dumps((numpy.arange(3),), protocol=0)[:-1] + b"R."
        assert type(pickle.loads(made)) is cupy.ndarray and pickle.loads(made).tolist() == [0, 1, 2]
    """)


def test_indices_wrap_around():
    """What CuPy documents of arrays of indices out of bounds; lone integers are checked there too."""
    under_compat("""
        import cupy
        x = cupy.arange(5)
        index = cupy.asarray([5, -6, 12, 1])
        assert x[index].tolist() == [0, 4, 2, 1] == x.take(index).tolist() == cupy.take(x, index).tolist()
        x[cupy.asarray([7])] = 9
        assert x.tolist() == [0, 1, 9, 3, 4]
        import cupyx
        cupyx.scatter_add(x, cupy.asarray([5, 10]), 1)
        assert x.tolist() == [2, 1, 9, 3, 4]
        assert x.take(index, mode="clip").tolist() == [4, 2, 4, 1]
        try:
            x[5]
        except IndexError:
            pass
        else:
            raise SystemExit("no error")
    """)
    code = "import cupy; print(cupy.arange(3)[[4]])"
    result = subprocess.run(
        [sys.executable, "-m", "cuproxide.compat", "--index-errors", "-c", code], capture_output=True, text=True
    )
    assert result.returncode == 1 and "IndexError" in result.stderr


def test_writes_that_numpy_refuses():
    """CuPy's diagonals can be written to, and its arrays of one element be assigned to elements."""
    code = """
        import cupy
        x = cupy.zeros((2, 2))
        x.diagonal()[:] = 5
        cupy.diagonal(x, 1)[:] = 3
        x[1, 0] = cupy.asarray([2.0])
        assert x.tolist() == [[5, 3], [2, 5]], x
        for value in (cupy.asarray([2.0, 3.0]), [2.0]):
            try:
                x[1, 0] = value
            except ValueError:
                continue
            raise SystemExit("no error")
        """
    under_compat(code)
    x = cuproxide.zeros((2, 2))
    with pytest.raises(ValueError, match="read-only"):
        x.diagonal()[:] = 5
    with pytest.raises(ValueError, match="with a sequence"):
        x[1, 0] = cuproxide.asarray([2.0])


def test_install_and_uninstall(run_python):
    code = """
import sys
import cuproxide
from cuproxide import compat
assert not compat.is_installed() and "cupy" not in sys.modules
assert cuproxide.arange(3).__class__.__module__ == "cuproxide"
compat.install()
compat.install()
assert compat.is_installed() and sum(type(f).__name__ == "Finder" for f in sys.meta_path) == 1
import cupy
assert cupy.arange(3)[[4]].tolist() == [1]
compat.install(wrap_indices=False)
try:
    cupy.arange(3)[[4]]
    cupy.cuda.Device().synchronize()
except IndexError:
    pass
else:
    raise SystemExit("no error")
compat.uninstall()
compat.uninstall()
assert "cupy" not in sys.modules and cuproxide.ndarray.__module__ == "cuproxide"
try:
    import cupy
except ImportError:
    pass
else:
    # Where the real one is installed, that is found again.
    assert cupy.__file__ and cupy.ndarray is not cuproxide.ndarray
sys.modules["cupy"] = sys
try:
    compat.install()
except ImportError as error:
    print("refused")
assert not compat.is_installed()
"""
    result = run_python(code)
    assert result.stdout.strip() == "refused", result.stderr


def test_running(tmp_path):
    (tmp_path / "helper.py").write_text("import cupy\nanswer = cupy.arange(3).sum()\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, helper, cupy\nprint(__name__, sys.argv[1:], int(helper.answer), __file__)\nsys.exit(0)\n"
    )
    assert python("-m", "cuproxide.compat", script, "-a", "b").split() == [
        "__main__", "['-a',", "'b']", "3", str(script)
    ]  # fmt: skip
    assert "__main__ ['x'] 3" in python("-m", "cuproxide.compat", "-m", "script", "x", cwd=tmp_path)
    assert python("-m", "cuproxide.compat", "-c", "import sys; print(sys.argv)", "1").strip() == "['-c', '1']"
    assert "usage" in python("-m", "cuproxide.compat", "--help")
    for wrong in ([], ["-m"], ["-x"]):
        result = subprocess.run([sys.executable, "-m", "cuproxide.compat", *wrong], capture_output=True, text=True)
        assert result.returncode == 2 and "usage" in result.stderr
    script.write_text("import cupy\nraise SystemExit(7)\n")
    assert subprocess.run([sys.executable, "-m", "cuproxide.compat", script], check=False).returncode == 7


def test_names_of_arguments():
    """Where CuPy calls an argument otherwise than NumPy, `cupy` takes its name too."""
    under_compat("""
        import cupy as cp

        a, v = cp.arange(6.0).reshape(2, 3), cp.asarray([3.0, 1.0, 2.0])
        assert cp.array(obj=[1, 2], blocking=True).tolist() == [1, 2] == cp.asarray([1, 2], blocking=False).tolist()
        assert cp.concatenate(tup=[v, v]).shape == (6,) and cp.stack(tup=[v, v]).shape == (2, 3)
        assert cp.percentile(v, 50, interpolation="lower") == 2 == cp.quantile(v, 0.5, interpolation="higher")
        assert cp.reshape(a, newshape=(3, 2)).shape == (3, 2) and cp.flip(a=v).tolist() == [2, 1, 3]
        assert cp.where(condition=v > 1, x=v, y=0).tolist() == [3, 0, 2] == cp.where(v > 1, x=v, y=0).tolist()
        assert [int(i) for i in cp.unravel_index(4, dims=(2, 3))] == [1, 1]
        assert cp.corrcoef(a=a, bias=None, ddof=None).shape == (2, 2) == cp.cov(a=a).shape
        assert cp.inner(a=v, b=v) == cp.vdot(a=v, b=v) == 14 and cp.histogram(x=v, bins=2)[0].tolist() == [1, 2]
        assert cp.intersect1d(arr1=v, arr2=v).size == 3 == cp.union1d(arr1=v, arr2=v).size
        assert cp.reshape(a=a, newshape=6).size == 6 and cp.shares_memory(a=v, b=v) and cp.shares_memory(v, b=v)
        bits = cp.packbits(a=v > 1)
        assert bits.tolist() == [160] and cp.unpackbits(a=bits, bitorder="little").tolist() == [0, 0, 0, 0, 0, 1, 0, 1]
        cp.putmask(a=v, mask=v > 2, values=v * 3)
        assert v.tolist() == [9, 1, 2] and cp.min_scalar_type(a=3) == "u1"
        i = cp.asarray([0, 2, 2])
        assert cp.bincount(x=i, weights=None, minlength=None).tolist() == [1, 0, 2]
        assert cp.percentile(v, 50, interpolation=None) == 2 == cp.quantile(v, 0.5, interpolation=None)
        assert cp.nanargmax(v, dtype="i4").dtype == "i4" == cp.nanargmin(v, dtype="i4").dtype
        assert cp.from_dlpack(array=v).size == 3 == cp.fromDlpack(dltensor=v.toDlpack()).size
        m = cp.asarray([[4.0, 2.0], [2.0, 5.0]])
        assert cp.linalg.matrix_power(M=m, n=2).tolist() == (m @ m).tolist() and cp.linalg.matrix_rank(M=m) == 2
        assert cp.linalg.cholesky(a=m).tolist() == [[2, 0], [1, 2]]
        assert cp.linalg.matrix_transpose(a=a).shape == (3, 2)
        cp.random.shuffle(a=v)
        assert v.sum() == 12 == 2 * cp.random.permutation(a=4).sum()
        for wrong in (lambda: cp.concatenate(nothing=[v]), lambda: cp.linalg.matrix_power(m, 2, M=m)):
            try:
                wrong()
            except TypeError:
                pass
            else:
                raise AssertionError
    """)


def test_places_of_arguments():
    """Where CuPy has another argument at a place than NumPy."""
    under_compat("""
        import cupy as cp

        a, v, i = cp.arange(6.0).reshape(2, 3), cp.asarray([3.0, 1.0, 2.0]), cp.asarray([0, 2, 2])
        for name in ("argmax", "argmin", "nanargmax", "nanargmin"):
            out = cp.zeros((2, 1), "i4")
            assert getattr(cp, name)(a, 1, "i4", out, True) is out and getattr(cp, name)(a, 1).dtype == "i8"
        assert cp.bincount(i, None, None).size == 3 and cp.bincount(i, v, 5).tolist() == [3, 0, 3, 0, 0]
        assert cp.corrcoef(a, None, True, None, None).shape == (2, 2)
        assert cp.unpackbits(cp.asarray([5], dtype="u1"), None, "little").tolist() == [1, 0, 1, 0, 0, 0, 0, 0]
        assert cp.histogram2d(v, v, 2, None, v)[0].sum() == 6 == cp.histogramdd(v[:, None], 2, None, v)[0].sum()
        assert cp.histogram2d(v, v, 2, None, None, True)[0].sum() == 1
        for wrong in (lambda: cp.argmax(a, 1, "i4", dtype="i8"), lambda: cp.argmax(a, 1, None, None, True, 0)):
            try:
                wrong()
            except TypeError:
                pass
            else:
                raise AssertionError
    """)


def test_blocking_copies():
    """`blocking=True` waits, so page-locked memory can be written to again."""
    under_compat("""
        import cupy, cupyx

        host = cupyx.zeros_pinned(1000, "q")
        for make in (cupy.array, cupy.asarray, cupy.asanyarray):
            host[:] = 7
            x = make(host, blocking=True)
            host[:] = 0
            assert (x == 7).all()
    """)


def test_paired_tests_get_cupy(tmp_path):
    """Decorated tests that ask `xp is cupy` are answered."""
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent("""
            import cupy, cupyx.scipy, numpy, pytest, scipy
            from cupy import testing

            seen = []

            @testing.numpy_cupy_array_equal(scipy_name="scp")
            def test_modules(xp, scp):
                assert (xp is cupy and scp is cupyx.scipy) or (xp is numpy and scp is scipy)
                seen.append(xp.__name__)
                return xp.arange(3)

            def test_both():
                assert sorted(seen) == ["cupy", "numpy"]

            @testing.for_dtypes("id")
            def test_skip(dtype):
                if dtype is numpy.int32:
                    pytest.skip("no integers")
                seen.append(dtype)

            def test_the_others_run():
                assert seen[-1] is numpy.float64

            @testing.slow
            def test_slow():
                pass
        """)
    )
    run = ("-m", "pytest", "-q", "-p", "cuproxide.compat.pytest_plugin", "-p", "no:cacheprovider", "-m", "not slow")
    assert "4 passed, 1 deselected" in python(*run, tmp_path, cwd=tmp_path)


def test_pytest_plugin(tmp_path):
    (tmp_path / "conftest.py").write_text("import cupy\n")
    (tmp_path / "test_it.py").write_text("import cupy\ndef test():\n    assert cupy.arange(3).sum() == 3\n")
    out = python("-m", "pytest", "-q", "-p", "cuproxide.compat.pytest_plugin", tmp_path, cwd=tmp_path)
    assert "1 passed" in out


def test_nothing_is_installed_here():
    """Importing the modules of the package changes nothing in the process."""
    before = sys.modules.get("cupy")
    import cuproxide.compat.__main__
    import cuproxide.compat.pytest_plugin

    assert not cuproxide.compat.is_installed() and cuproxide.ndarray.__module__ == "cuproxide"
    assert sys.modules.get("cupy") is before


def test_rsqrt():
    for dtype in ("float16", "float32", "float64", "complex64"):
        host = np.array([0.25, 1, 2, 9], dtype)
        x = cuproxide.rsqrt(cuproxide.asarray(host))
        assert x.dtype == host.dtype
        np.testing.assert_allclose(x.get(), 1 / np.sqrt(host), rtol=4 * np.finfo(dtype).eps)
    special = cuproxide.rsqrt(cuproxide.asarray([0.0, -0.0, np.inf, -1.0, np.nan])).get()
    np.testing.assert_array_equal(special, [np.inf, -np.inf, 0, np.nan, np.nan])
    out = cuproxide.zeros(2)
    assert cuproxide.rsqrt(cuproxide.ones(2), out=out) is out and out.tolist() == [1, 1]


def test_spellings_name_what_is_there():
    """Each argument that a name of CuPy's stands for is one of the function."""
    import inspect

    from cuproxide.compat._spellings import _IDLE, _OPTIONAL, _PLACES, _SPELLINGS

    def parameters_of(name):
        function = operator.attrgetter(name.removeprefix("cupyx."))(cuproxide)
        return list(inspect.signature(function).parameters.values())

    for name, pairs in _SPELLINGS.items():
        parameters = parameters_of(name)
        for theirs, ours in pairs.items():
            if ours.isdigit():
                assert parameters[int(ours)].kind is inspect.Parameter.POSITIONAL_ONLY or name == "array", (
                    name,
                    theirs,
                )
            else:
                by_name = {p.name for p in parameters if p.kind is not inspect.Parameter.POSITIONAL_ONLY}
                assert ours in by_name and theirs not in by_name, (name, theirs)
    for name, idle in _IDLE.items():
        assert not set(idle) & {p.name for p in parameters_of(name)}, name
    for name, (first, names) in _PLACES.items():
        known = [p.name for p in parameters_of(name)]
        theirs = {*_IDLE.get(name, ()), *_OPTIONAL.get(name, ()), *_SPELLINGS.get(name, ())}
        assert first < len(known) and set(names) <= {*known, *theirs}, name


def test_copies_are_on_the_current_device(run_python):
    code = """
        import cuproxide
        from cuproxide import compat
        x = cuproxide.arange(6.0)
        with cuproxide.cuda.Device(1):
            assert [y.device.id for y in (cuproxide.asarray(x), cuproxide.array(x), x.copy())] == [0, 0, 0]
            compat.install()
            import cupy
            made = cupy.asarray(x), cupy.array(x), cupy.asanyarray(x), cupy.copy(x), x.copy(), cupy.asarray(a=x)
            assert [y.device.id for y in made] == [1] * 6 and all(y.tolist() == x.tolist() for y in made)
            part = x[::2].copy("F")
            assert part.device.id == 1 and part.tolist() == [0, 2, 4]
            assert cupy.asarray(x, device=x.device) is x and cupy.asarray(x, "f4").device.id == 1
        assert cupy.asarray(x) is x
    """
    result = run_python(textwrap.dedent(code), CUPROXIDE_CPU_DEVICES="2", CUPROXIDE_BACKEND="cpu")
    assert result.returncode == 0, result.stderr
