"""The names of CuPy for a while, whether or not CuPy itself was imported before, by SciPy for instance."""

import sys
from contextlib import contextmanager

from cuproxide import compat


@contextmanager
def compat_installed():
    """Within it `import cupy` finds this package; yields that module."""
    real = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in ("cupy", "cupyx")}
    compat.install()
    try:
        yield __import__("cupy")
    finally:
        compat.uninstall()
        sys.modules.update(real)
