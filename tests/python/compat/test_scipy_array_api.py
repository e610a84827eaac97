"""SciPy's own functions on arrays of this package, with `SCIPY_ARRAY_API=1`.

SciPy reads the variable when it is imported, so the calls of scipy_array_api.txt run in a process of their own: each
once with NumPy's arrays and once with ours. What comes back must be ours, with NumPy's values. The sets below say
which calls do not work, and why; a call that starts to work must leave them.
"""

import importlib
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

CALLS = Path(__file__).with_name("scipy_array_api.txt")
# Marks calls that SciPy hands to compiled code. It converts arrays of libraries that it does not know by
# `numpy.asarray`, which arrays of a device refuse. `cuproxide.scipy` has these functions.
HOST = "host: "
REASONS = {
    "stats.ttest_ind(s, s[:9] + 1, equal_var=False, trim=0.1)": "SciPy takes `trim` for NumPy's arrays only",
    "interpolate.make_splprep((s, s + 1), u=v)[0](x)": "SciPy makes a NumPy array of the tuple",
    "signal.group_delay((x, y))": "SciPy mixes arrays of NumPy with the library's",
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
    """The calls, and which of them run on the host."""
    listed = [line for line in CALLS.read_text().splitlines() if line and line[0] != "#"]
    return [line.removeprefix(HOST) for line in listed], {line.removeprefix(HOST) for line in listed if HOST in line}


def main():
    import cuproxide as cp
    import numpy as np

    warnings.simplefilter("ignore")
    host, device = arrays(np), arrays(cp)
    host_names, device_names = names(np), names(cp)
    print(json.dumps({line: difference(line, host, device, host_names, device_names) for line in lines()[0]}))


def test_functions_of_scipy_take_arrays():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    on_host = lines()[1]
    known = on_host | set(REASONS)
    assert known <= set(found)
    wrong = {line: text for line, text in found.items() if text and line not in known}
    assert not wrong
    assert not [line for line in known if not found[line]], "these work now"
    refused = "Implicit conversion to a NumPy array is not allowed"
    assert not {line: found[line] for line in on_host if refused not in found[line]}
    # Most of what SciPy lists as independent of the library.
    assert sum(not text for text in found.values()) > 250


if __name__ == "__main__":
    main()
