"""The calls of `refused.toml`, which have to be refused or warned of, and what the names in them stand for."""

import importlib
import importlib.util
import inspect
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np

TABLE = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())
# The calls of which a release of SciPy says something else than the table.
RELEASES = TABLE.pop("releases")

# The modules that calls of a package name beside its own functions.
BELOW = {
    "linalg": ("interpolative",),
    "optimize": ("elementwise",),
    "stats": ("sampling",),
}
# What NumPy says of single operations on the host, and what it says of arguments that will change.
ARITHMETIC = (
    "encountered in",
    "overflow encountered",
    "invalid value",
    "divide by zero",
    "Mean of empty",
    "Degrees of",
)


def names(package, root, xp):
    """What the calls of a package see: its public names, arrays of `xp`, functions; of ours or of SciPy."""
    module = importlib.import_module(f"{root}.{package}")
    sparse = importlib.import_module(f"{root}.sparse")
    grid, side, steps = np.linspace(0, 1, 8), np.linspace(0.1, 1, 7), np.arange(20.0)
    across, down = np.meshgrid(side, side)
    square = xp.asarray([[4.0, 1, 0], [2, 5, 1], [0, 1, 6]])
    points = np.random.default_rng(0).random((6, 3))
    found = {name: getattr(xp, name) for name in ("array", "ones", "zeros", "eye", "arange")}
    found |= {name: getattr(sparse, name) for name in ("csr_array", "csc_array")}
    public = {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}
    # SciPy has deprecated modules of such names.
    found |= {name: value for name, value in public.items() if not (name in found and inspect.ismodule(value))}
    for name in BELOW.get(package, ()):
        # Older releases of SciPy lack the package.
        if importlib.util.find_spec(f"{root}.{package}.{name}"):
            found[name] = importlib.import_module(f"{root}.{package}.{name}")
    return found | {
        "np": np,
        "xp": xp,
        "nan": np.nan,
        "inf": np.inf,
        # Matrices: of no structure, symmetric, sparse, an operator, one of 9 rows; a vector, 8 samples.
        "A": square,
        "S": xp.asarray([[4.0, 1, 0], [1, 5, 1], [0, 1, 6]]),
        "C": sparse.csr_array(square),
        "L": sparse.linalg.aslinearoperator(sparse.csr_array(square)),
        "N9": xp.asarray(np.add.outer(np.arange(9.0), np.arange(9.0) ** 2) + 20 * np.eye(9)),
        "b": xp.asarray([1.0, 2, 3]),
        "x": xp.asarray(grid),
        "y": xp.asarray(grid**2),
        # Knots of a cubic spline, scattered points of a surface, values on a grid.
        "T": xp.asarray(np.array([0, 0, 0, 0, 0.5, 1, 1, 1, 1])),
        "X": xp.asarray(across.ravel()),
        "Y": xp.asarray(down.ravel()),
        "Z": xp.asarray((across * down).ravel()),
        "G": xp.asarray(np.outer(grid, grid + 1)),
        # Samples of 20, one of them positive; six points of space and their clusters; an image and its labels.
        "sample": xp.asarray(np.sin(steps) * 3 + steps % 3),
        "other": xp.asarray(np.cos(steps * 1.3)),
        "positive": xp.asarray(np.random.default_rng(5).random(20) + 0.1),
        "points": xp.asarray(points),
        "links": importlib.import_module(f"{root}.cluster.hierarchy").linkage(xp.asarray(points), "ward"),
        "image": xp.asarray(np.random.default_rng(1).random((5, 6))),
        "labels": xp.asarray(np.arange(30).reshape(5, 6) % 4),
        # An objective with its slopes, a function with a root, residuals, models.
        "one": lambda v: xp.sum((v - 1) ** 2),
        "grad": lambda v: 2 * (v - 1),
        "hess": lambda v: 2 * xp.eye(3),
        "f": lambda v: v * v - 2,
        "resid": lambda v: (v - 1) ** 3,
        "line": lambda x, p, q: p * x + q,
        "line2": lambda x, p, q: xp.exp(p * x) * q + p,
        "cubic": lambda x, p, q, r: p * x * x + q * x + r,
    }


def outcome(call, given):
    """The exception of a call, or the names of its warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            eval(call, {**given})
        except Exception as error:
            return error
    said = {
        warning.category.__name__
        for warning in caught
        if not issubclass(warning.category, (DeprecationWarning, ResourceWarning))
        and not (warning.category is RuntimeWarning and any(text in str(warning.message) for text in ARITHMETIC))
        # SciPy says so where an earlier test of the process has seeded NumPy.
        and "global RNG" not in str(warning.message)
    }
    return " ".join(sorted(said - {"ComplexWarning", "VisibleDeprecationWarning"}))


def warns(kind):
    """Whether the table's entry names warnings, not an exception."""
    return "Warning" in kind or kind == "BadCoefficients"


def fits(found, kind):
    """Whether an outcome is what the table says."""
    if warns(kind):
        return isinstance(found, str) and found == kind
    return isinstance(found, Exception) and any(base.__name__ == kind for base in type(found).__mro__)


def lacking(found):
    """Whether an outcome says that a release lacks the function, the method or the argument."""
    return isinstance(found, NameError) or re.search("unexpected keyword|has no attribute", str(found)) is not None
