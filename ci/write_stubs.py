"""Writes the stubs of names that exist at run time only: the ufuncs of each home, and the functions of `random`.

Run it with the package installed after a ufunc or a method of `RandomState` was added;
`tests/python/package/test_stubs.py` fails until then.
"""

from pathlib import Path

import cuproxide
from cuproxide import _cuproxide
from cuproxide.random import RandomState

PACKAGE = Path(__file__).resolve().parent.parent / "frontend-py" / "python" / "cuproxide"

UFUNCS = '''"""The ufuncs of the package by name, which the compiled module lists at run time only."""

from ._cuproxide import ufunc

'''
SPECIAL = '''"""The ufuncs of the module by name, which the compiled module lists at run time only."""

from ..._cuproxide import ufunc

'''
RANDOM = '''"""The functions of the module by name, which are the methods of the state of the thread."""

from .._cuproxide import ndarray
from .._typing import DTypeLike, ShapeLike
from ._legacy import RandomState

_state: RandomState

'''
ALIASES = """
def ranf(size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray: ...
def sample(size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray: ...
"""


def main() -> None:
    names = sorted(cuproxide._ufuncs)
    (PACKAGE / "_ufuncs.pyi").write_text(UFUNCS + "".join(f"{name}: ufunc\n" for name in names))
    names = sorted(_cuproxide.ufuncs("special"))
    (PACKAGE / "scipy" / "special" / "_ufuncs.pyi").write_text(SPECIAL + "".join(f"{name}: ufunc\n" for name in names))
    methods = sorted(name for name in dir(RandomState) if not name.startswith("_"))
    functions = "".join(f"{name} = _state.{name}\n" for name in methods)
    (PACKAGE / "random" / "_functions.pyi").write_text(RANDOM + functions + ALIASES)


if __name__ == "__main__":
    main()
