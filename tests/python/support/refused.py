"""The calls of `refused.toml`, which have to be refused, and what their names stand for."""

import importlib
import tomllib
from pathlib import Path

import cuproxide as cp
import numpy as np

TABLE = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())


def names(package):
    """What the calls of a package see: its public names, packages below it, arrays, functions."""
    module = importlib.import_module(f"cuproxide.scipy.{package}")
    sparse = cp.scipy.sparse
    grid, side = np.linspace(0, 1, 8), np.linspace(0.1, 1, 7)
    across, down = np.meshgrid(side, side)
    square = cp.asarray([[4.0, 1, 0], [2, 5, 1], [0, 1, 6]])
    found = {name: getattr(cp, name) for name in ("array", "ones", "zeros", "eye", "arange")}
    found |= {name: getattr(sparse, name) for name in ("csr_array", "csc_array")}
    found |= {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}
    for below in ("csgraph", "interpolative", "elementwise"):
        if (package, below) in (("linalg", "interpolative"), ("optimize", "elementwise")):
            found[below] = importlib.import_module(f"{module.__name__}.{below}")
    return found | {
        "nan": np.nan,
        "inf": np.inf,
        # Matrices: of no structure, symmetric, sparse, an operator, one of 9 rows; a vector, 8 samples.
        "A": square,
        "S": cp.asarray([[4.0, 1, 0], [1, 5, 1], [0, 1, 6]]),
        "C": sparse.csr_array(square),
        "L": sparse.linalg.aslinearoperator(sparse.csr_array(square)),
        "N9": cp.asarray(np.add.outer(np.arange(9.0), np.arange(9.0) ** 2) + 20 * np.eye(9)),
        "b": cp.asarray([1.0, 2, 3]),
        "x": cp.asarray(grid),
        "y": cp.asarray(grid**2),
        # Knots of a cubic spline, scattered points of a surface, values on a grid.
        "T": cp.asarray(np.array([0, 0, 0, 0, 0.5, 1, 1, 1, 1])),
        "X": cp.asarray(across.ravel()),
        "Y": cp.asarray(down.ravel()),
        "Z": cp.asarray((across * down).ravel()),
        "G": cp.asarray(np.outer(grid, grid + 1)),
        # An objective with its slopes, a function with a root, residuals, models.
        "one": lambda v: cp.sum((v - 1) ** 2),
        "grad": lambda v: 2 * (v - 1),
        "hess": lambda v: 2 * cp.eye(3),
        "f": lambda v: v * v - 2,
        "resid": lambda v: (v - 1) ** 3,
        "line": lambda x, p, q: p * x + q,
        "line2": lambda x, p, q: cp.exp(p * x) * q + p,
        "cubic": lambda x, p, q, r: p * x * x + q * x + r,
    }


def raised(call, given):
    """The names of the classes of what a call raises; none where it has a result."""
    try:
        eval(call, dict(given))
    except Exception as error:
        return [base.__name__ for base in type(error).__mro__]
    return []
