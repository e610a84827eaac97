"""SciPy's own functions on arrays of this package, with `SCIPY_ARRAY_API=1`, by themselves and under `compat`.

SciPy reads the variable when it is imported, so the calls of scipy_array_api.txt run in processes of their own: each
once with NumPy's arrays and once with ours. What comes back must be ours, with NumPy's values. Marks of lines and the
tables below say which calls do not work, and why; a call that starts to work must lose its mark.
"""

import importlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

CALLS = Path(__file__).with_name("scipy_array_api.txt")
# SciPy hands arrays of libraries that it does not know to compiled code, and converts them by `numpy.asarray`, which
# arrays of a device refuse. `cuproxide.scipy` has these functions. Of CuPy's arrays SciPy knows that `cupyx.scipy` has
# some of them: those that are "delegated" work under `compat`, those that are "refused" do not.
DELEGATED, REFUSED = "delegated", "refused"
REASONS = {
    "stats.ttest_ind(s, s[:9] + 1, equal_var=False, trim=0.1)": "SciPy takes `trim` for NumPy's arrays only",
    "interpolate.make_splprep((s, s + 1), u=v)[0](x)": "SciPy makes a NumPy array of the tuple",
}
ALONE = {"signal.group_delay((x, y))": "SciPy mixes arrays of NumPy with the library's"}
UNDER_COMPAT = {
    "ndimage.center_of_mass(i)": "numbers of the host, not arrays",
    "ndimage.extrema(i)": "numbers of the host, not arrays",
    "ndimage.maximum_position(i)": "numbers of the host, not arrays",
    "ndimage.minimum_position(i)": "numbers of the host, not arrays",
    "signal.lfiltic(x, y, s)": "the last inputs and outputs, as CuPy has them",
    "signal.cspline2d(xp.concat([s, s])[:, None] * xp.concat([s, s]), precision=0.1)": "exact, not to a precision",
}


def arrays(xp):
    import numpy as np

    host = np.random.default_rng(1)
    made = {
        "x": np.array([0.1, 0.5, 0.9]),
        "y": np.array([1.5, 2.0, 3.5]),
        "z": np.array([-0.5 + 0.2j, -0.5 - 0.2j, -0.3 + 0j]),
        "n": np.array([1, 2, 3]),
        "q": np.array([0.1, 0.2, 0.3, 0.9]),
        "m": host.random((6, 5)) + 0.1,
        "s": host.normal(size=16),
        "v": np.arange(16.0),
        "i": host.random((8, 8)),
        "b": host.random((8, 8)) > 0.3,
    }
    from scipy.cluster.hierarchy import linkage

    made["Z"] = linkage(made["m"])
    return {name: xp.asarray(value) for name, value in made.items()}


# Modules that are attributes of others once they are imported.
MODULES = (
    "cluster.hierarchy", "cluster.vq", "constants", "differentiate", "fft", "integrate", "interpolate", "linalg",
    "ndimage", "optimize.elementwise", "signal", "spatial.transform", "special", "stats",
)  # fmt: skip


def names(xp):
    for module in MODULES:
        importlib.import_module(f"scipy.{module}")
    return {"xp": xp} | {name: getattr(sys.modules["scipy"], name) for name in {m.split(".")[0] for m in MODULES}}


def leaves(value):
    """The parts of a result: fields of tuples and objects."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves(part)]
    if type(value).__module__.startswith("scipy") and hasattr(value, "__dict__"):
        return [leaf for key in sorted(vars(value)) if key[0] != "_" for leaf in leaves(vars(value)[key])]
    return [value]


def difference(line, host, device, host_names, device_names):
    """What is wrong with a call, or an empty text."""
    import cuproxide as cp
    import numpy as np

    try:
        expected = leaves(eval(line, {**host_names, **host}))
    except Exception as error:
        return f"NumPy's arrays do not work: {type(error).__name__}: {error}"
    try:
        actual = leaves(eval(line, {**device_names, **device}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if len(actual) != len(expected):
        return f"{len(actual)} parts, NumPy has {len(expected)}"
    for got, wanted in zip(actual, expected, strict=True):
        if not isinstance(wanted, (np.ndarray, np.generic, float, int, complex, bool)):
            continue
        if isinstance(wanted, np.ndarray) and not isinstance(got, cp.ndarray):
            return f"{type(got).__name__} in place of an array"
        got = got.get() if isinstance(got, cp.ndarray) else np.asarray(got)
        if got.shape != np.shape(wanted):
            return f"shape {got.shape}, NumPy has {np.shape(wanted)}"
        if np.asarray(wanted).dtype.kind not in "biufc":
            continue
        if not np.allclose(got, wanted, rtol=1e-6, atol=1e-9, equal_nan=True):
            return f"{got}, NumPy has {wanted}"
    return ""


def lines():
    """The calls, and their marks."""
    found = {}
    for line in CALLS.read_text().splitlines():
        mark, _, call = line.partition(": ")
        if mark in (DELEGATED, REFUSED):
            found[call] = mark
        elif line and line[0] != "#":
            found[line] = ""
    return found


def main():
    import numpy as np

    library = importlib.import_module(sys.argv[1])
    warnings.simplefilter("ignore")
    host, device = arrays(np), arrays(library)
    host_names, device_names = names(np), names(library)
    print(json.dumps({line: difference(line, host, device, host_names, device_names) for line in lines()}))


@pytest.mark.parametrize("library", ["cuproxide", "cupy"])
def test_functions_of_scipy_take_arrays(library):
    from versions import SCIPY_1_18

    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    by = ["-m", "cuproxide.compat"] if library == "cupy" else []
    done = subprocess.run(
        [sys.executable, *by, __file__, library], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    reasons = REASONS | (ALONE if library == "cuproxide" else UNDER_COMPAT)
    marks = (DELEGATED, REFUSED) if library == "cuproxide" else (REFUSED,)
    on_host = {line for line, mark in lines().items() if mark in marks}
    known = on_host | set(reasons)
    assert known <= set(found)
    assert not {line: text for line, text in found.items() if text and line not in known}
    if not SCIPY_1_18:  # for which the lists were made; newer versions take more
        assert not [line for line in known if not found[line]], "these work now"
    refused = "Implicit conversion to a NumPy array is not allowed"
    wrong = {line: found[line] for line in on_host - set(reasons) if found[line]}
    assert not {line: text for line, text in wrong.items() if refused not in text}
    # Most of what SciPy lists as independent of the library.
    assert sum(not text for text in found.values()) > (290 if library == "cuproxide" else 370)


if __name__ == "__main__":
    main()
