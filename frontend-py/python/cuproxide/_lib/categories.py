"""Categories of warnings that filters on SciPy's classes of the same names catch, too."""

from __future__ import annotations

import functools
import sys


def category(own: type[Warning]) -> type[Warning]:
    """The class to warn with: `own`, and a subclass of it and of SciPy's class of that name where SciPy is loaded.

    It is looked for at the moment of the warning: a filter that names SciPy's class has imported SciPy by then, and
    nothing here imports it.

    >>> from cuproxide._lib.categories import category
    >>> issubclass(category(cp.scipy.optimize.OptimizeWarning), cp.scipy.optimize.OptimizeWarning)
    True
    """
    parts = own.__module__.split(".")
    start = parts.index("scipy")
    theirs = getattr(sys.modules.get(".".join(parts[start : start + 2])), own.__name__, None)
    if not isinstance(theirs, type) or not issubclass(theirs, Warning) or issubclass(own, theirs):
        return own
    return _joined(own, theirs)


@functools.cache
def _joined(own: type[Warning], theirs: type[Warning]) -> type[Warning]:
    return type(own.__name__, (own, theirs), {"__module__": own.__module__, "__doc__": own.__doc__})
