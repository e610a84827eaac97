"""Importing, names, documentation and the tools around the arrays."""

import importlib
import inspect
import json
import pathlib
import pkgutil
import re
import subprocess
import sys
import threading

import cuproxide as cp
import modules
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from cuproxide import _routines
from versions import NUMPY_2_5

FUNCTIONS = sorted(name for name in cp.__all__ if inspect.isfunction(getattr(cp, name)))
# Arguments of NumPy that have no meaning here, or that this release lacks.
LACKING = {"subok", "einsum_call"}
SUBMODULES = (
    "cuda",
    "fft",
    "jit",
    "jit.cg",
    "linalg",
    "random",
    "testing",
    "doctor",
    "precompile",
    "lib",
    "exceptions",
    "lib.array_utils",
    "lib.scimath",
    "lib.stride_tricks",
    "polynomial",
    "polynomial.chebyshev",
    "polynomial.hermite",
    "polynomial.hermite_e",
    "polynomial.laguerre",
    "polynomial.legendre",
    "polynomial.polynomial",
    "polynomial.polyutils",
    *modules.SCIPY,
)
# The version whose signatures are followed; a newer one may have added arguments.
# Arguments that NumPy 2.5 asks for and 2.4 does not.
CHANGED_IN_2_5 = {("fromstring", "sep")}
# Arguments of this library beyond NumPy's.
OWN = {"device", "copy", "out", "descending", "identity", "linalg", "_full"}
# What CuPy has in certain functions.
OWN_OF = dict.fromkeys(("argmax", "argmin", "nanargmax", "nanargmin"), {"dtype"})
# Arguments that NumPy takes by name too, though their signature says otherwise.
ALSO_BY_NAME = {("empty_like", "prototype")}


def test_topics_are_complete():
    """Every module of routines that offers names is a topic, and its names are the package's."""
    modules = {found.name: f"{_routines.__name__}.{found.name}" for found in pkgutil.iter_modules(_routines.__path__)}
    offering = {topic for topic, name in modules.items() if hasattr(importlib.import_module(name), "__all__")}
    assert offering == set(_routines.TOPICS)
    for topic in offering:
        module = importlib.import_module(modules[topic])
        assert all(getattr(cp, name) is getattr(module, name) for name in module.__all__), topic


def test_names_of_kernels_are_those_of_their_package():
    assert set(cp._KERNELS) == set(importlib.import_module("cuproxide._kernels").__all__) <= set(cp.__all__)


def test_import_is_light(run_python):
    """Opens no driver, starts no thread, and leaves what is rarely needed for later."""
    code = """
import sys, threading
import numpy
before = set(sys.modules)
import cuproxide
new = {name for name in set(sys.modules) - before}
for name in ("cuda", "fft", "jit", "linalg", "testing", "doctor", "polynomial", "random", "scipy", "_kernels"):
    assert f"cuproxide.{name}" not in new, name
for name in ("ml_dtypes", "scipy", "pathlib", "string"):
    assert name not in new, name
assert threading.active_count() == 1
maps = open("/proc/self/maps").read() if sys.platform == "linux" else ""
for library in ("libcuda.", "libcublas", "libnvrtc", "libamdhip64"):
    assert library not in maps, library
from cuproxide import *
assert RawKernel is cuproxide.RawKernel and cuproxide.linalg.norm and cuproxide.cuda.Stream and cuproxide.bfloat16
print("light")
"""
    result = run_python(code)
    assert result.stdout.strip() == "light", result.stderr


def test_names():
    assert set(cp.__all__) <= set(dir(cp))
    for name in cp.__all__:
        assert getattr(cp, name) is not None or name in ("newaxis",)
    assert len(cp.__all__) == len(set(cp.__all__)), sorted(n for n in cp.__all__ if cp.__all__.count(n) > 1)
    with pytest.raises(AttributeError):
        cp.no_such_name  # noqa: B018
    assert cp.pi == np.pi and cp.newaxis is None and np.isnan(cp.nan)
    assert re.match(r"\d+\.\d+", cp.__version__)


def test_everything_is_documented():
    modules = [
        cp,
        *(importlib.import_module(f"cuproxide.{name}") for name in SUBMODULES),
    ]
    for module in modules:
        assert module.__doc__
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                assert inspect.getdoc(thing), f"{module.__name__}.{name}"
    for found in pkgutil.walk_packages(cp.__path__, "cuproxide."):
        # Integrations import the libraries that they are for, which may be missing.
        if found.name != "cuproxide._cuproxide" and "._integrations." not in found.name:
            assert importlib.import_module(found.name).__doc__, found.name


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if inspect.isfunction(getattr(np, name, None)) or name in np.__all__]
)
def test_signatures_are_those_of_numpy(name):
    if isinstance(getattr(np, name), np.ufunc) or name == "einsum":
        pytest.skip("NumPy leaves the arguments open")
    try:
        theirs = inspect.signature(getattr(np, name)).parameters
    except (TypeError, ValueError):
        pytest.skip("NumPy does not tell")
    ours = inspect.signature(getattr(cp, name)).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in ours.values()):
        # Reading and writing text passes its many options on.
        return
    for parameter in theirs.values():
        if parameter.name in LACKING or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if NUMPY_2_5 and parameter.name not in ours:
            continue
        assert parameter.name in ours, parameter.name
        mine = ours[parameter.name]
        assert mine.kind is parameter.kind or (name, parameter.name) in ALSO_BY_NAME, (parameter.name, mine.kind)
        default = parameter.default
        if NUMPY_2_5 and (name, parameter.name) in CHANGED_IN_2_5:
            continue
        if default is parameter.empty:
            assert mine.default is mine.empty, parameter.name
        elif default is not np._NoValue:
            assert mine.default == default or (mine.default is None and default is float), (
                parameter.name,
                mine.default,
            )
    mine = [p for p in ours if p not in LACKING | OWN | OWN_OF.get(name, set())]
    assert mine == [p for p in theirs if p in mine]


def test_functions_are_annotated():
    signatures = {name: inspect.signature(getattr(cp, name)) for name in FUNCTIONS}
    own = {name: found for name, found in signatures.items() if getattr(cp, name).__module__.startswith("cuproxide")}
    assert len(own) > 200
    assert [name for name, found in own.items() if found.return_annotation is found.empty] == []
    parameters = [(name, parameter) for name, found in own.items() for parameter in found.parameters.values()]
    assert [(name, found.name) for name, found in parameters if found.annotation is found.empty] == []


def test_nothing_goes_by_way_of_the_host():
    """Routines compute on the device; only what NumPy's contract makes host data is read back."""
    a = cp.arange(60.0).reshape(6, 10) % 7
    mask, index = a > 3, cp.asarray([1, 0, 5])
    cp.Device().synchronize()

    # Devices that compute at once look at the results of this one, for NumPy's warnings.
    nanmean = cp.nanmean if cp.Device().asynchronous else cp.mean

    def run():
        b = cp.sin(a) * 2 + a.T.reshape(6, 10)
        b = cp.concatenate([b, cp.flip(b, 0)], axis=1)
        b = cp.where(b > 0, b, -b) @ b.T
        b += cp.pad(b[:-2, :-2], 1, "edge")
        b = cp.sort(b, axis=0)[index].cumsum(axis=1)
        b[0] = 3
        b = cp.tile(cp.roll(b, 2, axis=1), 2) / b.max()
        c = cp.einsum("ij,kj->ik", b, b) + cp.tensordot(b, b, ((1,), (1,)))
        c = cp.take_along_axis(c, cp.argsort(c, axis=1), axis=1)
        d = cp.searchsorted(a[0].copy(), a) + cp.linspace(0, 1, 10) + cp.eye(10)[:6] + cp.arange(10)
        e = cp.median(a, axis=1) + cp.quantile(a, 0.25, axis=1) + nanmean(a, axis=1) + cp.interp(a[:, 0], a[0], a[1])
        f = (
            cp.gradient(a, axis=0)
            + cp.diff(a, axis=0, prepend=0)
            + cp.clip(a, 1, 3)
            + cp.nan_to_num(a)
            + cp.round(a, 1)
        )
        g = cp.isin(a, index) & cp.isclose(a, 3) & mask | (cp.tril(a) > 0)
        return c, d, e, f, g, cp.cov(a), cp.kron(a, a), cp.std(a, axis=0, ddof=1), cp.meshgrid(a[0], a[1])

    run()
    before = core.host_transfers()
    run()
    after = core.host_transfers()
    assert after == before, "something was read back"


def test_packages_of_scipy_take_no_routines_but_public_ones():
    folder = pathlib.Path(cp.__file__).parent / "scipy"
    found = [
        f"{path.relative_to(folder)}: {line}"
        for path in folder.rglob("*.py")
        for line in path.read_text().splitlines()
        if re.match(r"\s*from \.+_routines", line)
    ]
    assert not found, "take what is shared from _lib, the rest by its public name"


def test_doctor():
    result = subprocess.run([sys.executable, "-m", "cuproxide.doctor"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for word in (
        "cuproxide",
        "numpy",
        "backend cpu",
        "default device",
        "computes correctly: yes",
        "verdict: works on ",
    ):
        assert word in result.stdout, word
    result = subprocess.run(
        [sys.executable, "-m", "cuproxide.doctor", "--json"], capture_output=True, text=True, check=True
    )
    found = json.loads(result.stdout)
    assert {report["backend"] for report in found["backends"]} >= {"cpu", "cuda"}
    for report in found["backends"]:
        if report["error"]:
            assert report["libraries"] or report["error"]


def test_doctor_shows_no_secret(run_python):
    for arguments in ([], ["--verbose"], ["--json"]):
        program = f"import cuproxide.doctor as d; d.main({arguments})"
        result = run_python(program, CUPROXIDE_DISTRIBUTED_TOKEN="s3cret", CUPROXIDE_SEED="7654321")
        assert "CUPROXIDE_DISTRIBUTED_TOKEN" in result.stdout and "CUPROXIDE_SEED" in result.stdout
        assert "s3cret" not in result.stdout and "7654321" in result.stdout


def test_doctor_gives_one_hint_for_a_driver_that_is_missing():
    from cuproxide import doctor

    tried = [["libdriver.so", "libdriver.so: cannot open shared object file"]]
    libraries = [
        {"name": name, "path": None, "error": "missing", "attempts": tried, "hint": f"install {name}"}
        for name in ("driver", "first", "second")
    ]
    report = {"backend": "new", "error": "no driver", "devices": [], "libraries": libraries, "facts": []}
    found = {"versions": {}, "environment": {}, "default": {"device": "cpu:0"}, "backends": [report], "check": {}}
    short, long = doctor.describe(found), doctor.describe(found, verbose=True)
    assert "hint: install driver" in short and "hint: install first" not in short
    assert "other libraries of this backend: all 2 missing" in short
    assert "hint: install second" in long and "tried libdriver.so" in long
    libraries[0]["error"] = None
    assert "hint: install first" in doctor.describe(found)


def test_show_config(capsys):
    cp.show_config()
    assert "default device" in capsys.readouterr().out
    assert cp.show_config("dicts")["versions"]["cuproxide"] == cp.__version__


def test_doctor_with_a_backend_that_cannot_work(run_python):
    result = run_python("import cuproxide.doctor as d, sys; sys.exit(d.main([]))", CUPROXIDE_BACKEND="nonsense")
    assert "nonsense" in result.stdout


def test_what_fuse_knows_is_learned_by_one_thread_at_a_time():
    from cuproxide._kernels._trusted import _Known

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            known, found, start = _Known(), [], threading.Barrier(4)

            def learn(known=known, found=found, start=start):
                start.wait()
                known.refresh()
                found.append((len(known.objects), known.hidden))

            threads = [threading.Thread(target=learn) for _ in range(4)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
            assert len(found) == 4 and len(set(found)) == 1
    finally:
        sys.setswitchinterval(interval)
