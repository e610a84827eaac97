"""The functions, classes and modules that a traced function may use without being looked into.

Their results depend on their arguments alone, and they change nothing but these. Everything is here by being the very
object that a module has under a listed name: what only looks like it, or has its name, is not.
"""

from __future__ import annotations

import builtins
import cmath
import collections.abc
import functools
import itertools
import math
import numbers
import operator
import sys
import threading
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

from .._lib.element_types import EXTENSIONS

__all__ = ["is_attribute_of_data", "is_constant", "is_known", "is_known_module", "may_take_numbers", "refresh"]

_PACKAGE = __name__.partition(".")[0]
_BUILTINS = (
    "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset hash "
    "hex int isinstance issubclass iter len list map max min next oct ord pow range repr reversed round set slice "
    "sorted str sum tuple type zip getattr hasattr Ellipsis NotImplemented"
).split()
_NUMPY = (
    "prod ndim shape size isscalar broadcast_shapes result_type promote_types can_cast issubdtype isdtype dtype "
    "finfo iinfo min_scalar_type common_type ndarray generic number integer signedinteger unsignedinteger inexact "
    "floating complexfloating bool bool_ int_ uint intc uintc intp uintp longlong ulonglong byte ubyte short ushort "
    "half single double csingle cdouble longdouble clongdouble asarray array index_exp s_"
).split()
_TOPICS = (
    "binary coordinates creation differences einsum functional gufuncs histograms index_tricks indexing joining "
    "logic padding polynomials products quantiles ranges rearranging rounding sequences sets shapes sorting "
    "statistics sums windows"
).split()
_PARTS = (
    "linalg fft signal scipy scipy.fft scipy.linalg scipy.special scipy.ndimage scipy.signal scipy.integrate "
    "scipy.interpolate scipy.signal.windows scipy.stats scipy.spatial scipy.spatial.distance scipy.sparse"
).split()
"""Modules of this package; a part is known once it is imported."""

_SETTINGS = frozenset(
    (
        "config errstate get_compute_type get_workers geterr register_backend set_backend set_compute_type "
        "set_global_backend set_workers seterr skip_backend"
    ).split()
)
"""Names of what reads or changes how other calls are done."""

_CONSTANTS = frozenset(
    {"pi", "e", "tau", "inf", "nan", "infj", "nanj", "newaxis", "euler_gamma", "True_", "False_", "__name__"}
)

_EXACT = frozenset("type hash sum getattr hasattr callable prod sumprod isscalar".split())
"""Names of functions that may tell a number of a trace from a float."""


class _Known:
    """What is known, by identity."""

    def __init__(self) -> None:
        self.objects: dict[int, Any] = {}
        self.exact: set[int] = set()
        self.modules: dict[int, ModuleType] = {}
        self.parts: set[str] = set()
        self.hidden: frozenset[str] = frozenset()
        self.lock = threading.Lock()

    def add(self, module: Any, names: Any, *, exact: bool = False) -> None:
        for name in names:
            found = vars(module).get(name)
            if found is not None and not isinstance(found, (ModuleType, bool, int, float, complex, str)):
                self.objects[id(found)] = found
                if exact or name in _EXACT:
                    self.exact.add(id(found))

    def begin(self) -> None:
        """Learns what is there from the start."""
        # Not with the package, for whose import it is not needed.
        import ml_dtypes

        for module in (math, cmath, operator, functools, itertools, np, np.linalg, np.fft):
            self.modules[id(module)] = module
        self.add(builtins, _BUILTINS)
        exceptions = [
            name
            for name, value in list(vars(builtins).items())
            if isinstance(value, type) and issubclass(value, BaseException)
        ]
        self.add(builtins, exceptions)
        self.add(math, dir(math))
        self.add(cmath, dir(cmath))
        # Attributes by a name that is computed, and identities.
        self.add(operator, set(operator.__all__) - {"attrgetter", "methodcaller", "is_", "is_not"})
        self.add(functools, ("reduce", "partial", "cmp_to_key"))
        self.add(itertools, dir(itertools))
        self.add(numbers, numbers.__all__)
        self.add(collections.abc, collections.abc.__all__)
        self.add(np, _NUMPY, exact=True)
        self.add(np, [name for name, value in list(vars(np).items()) if isinstance(value, np.ufunc)], exact=True)
        scalars = [
            name for name, value in list(vars(np).items()) if isinstance(value, type) and issubclass(value, np.generic)
        ]
        for name in (*scalars, "prod"):
            self.add(np, [name])
            self.exact.discard(id(vars(np)[name]))
        self.add(ml_dtypes, [name for name, value in list(vars(ml_dtypes).items()) if isinstance(value, type)])
        package = sys.modules[_PACKAGE]
        self.modules[id(package)] = package
        self.add(package, ("ndarray", "get_array_module", *package._ufuncs))
        for topic in _TOPICS:
            module = sys.modules[f"{package.__name__}._routines.{topic}"]
            self.add(module, module.__all__)
            # What has one name in both packages computes, and does nothing else.
            self.add(np, module.__all__, exact=True)
        for module in (np.linalg, np.fft):
            self.add(module, module.__all__, exact=True)
        dtypes = sys.modules[f"{package.__name__}.dtypes"]
        self.add(dtypes, set(dtypes.__all__) - set(scalars), exact=True)

    def refresh(self) -> None:
        """Learns the parts of this package that were imported since; one thread at a time."""
        with self.lock:
            if not self.objects:
                self.begin()
            there = {part: sys.modules.get(f"{_PACKAGE}.{part}") for part in _PARTS if part not in self.parts}
            # Another thread may be importing a part right now.
            new = {part: module for part, module in there.items() if module and "__all__" in vars(module)}
            for part, module in new.items():
                self.parts.add(part)
                self.modules[id(module)] = module
                self.add(module, set(module.__all__) - _SETTINGS)
            if new or not self.hidden:
                self.hidden = self.find_hidden()

    def find_hidden(self) -> frozenset[str]:
        """Names that some of the modules have for something that is not known, unless data have it, too."""
        package = sys.modules[_PACKAGE]
        data = (package.ndarray, np.ndarray, np.generic, np.dtype, np.float64, np.complex128, np.int64, np.datetime64)
        plain = (str, bytes, int, float, complex, list, tuple, dict, set, slice, range, MappingProxyType)
        names = {name for kind in (*data, *plain) for name in dir(kind)}
        # Those that only the modules have that stand for CuPy's.
        found = set("cublas lapack _core _util cuda core".split())
        for module in self.modules.values():
            for name in dir(module):
                value = vars(module).get(name)
                if name not in names and name not in _CONSTANTS and not self.has(value):
                    found.add(name)
        return frozenset(found - {part.rpartition(".")[2] for part in _PARTS} - EXTENSIONS - {"get_array_module"})

    def has(self, value: Any) -> bool:
        return id(value) in self.objects or id(value) in self.modules


_known = _Known()


def refresh() -> None:
    """Learns what was imported since the last time."""
    _known.refresh()


def is_known(value: Any) -> bool:
    """Whether an object may be called or handed on without being looked into.

    Parameters
    ----------
    value : object
        A function, a class or anything else.

    Returns
    -------
    bool
        Whether it is.
    """
    return id(value) in _known.objects or id(_original(value)) in _known.objects


def is_known_module(value: Any) -> bool:
    """Whether an object is a module whose functions are listed.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    bool
        Whether it is.
    """
    return id(value) in _known.modules or _stands_for_known(value)


def is_constant(name: str) -> bool:
    """Whether modules have a number under a name that nobody changes.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    bool
        Whether they have.
    """
    return name in _CONSTANTS


def may_take_numbers(value: Any) -> bool:
    """Whether a known function does with a number of a trace what it does with a float.

    Parameters
    ----------
    value : callable
        The function.

    Returns
    -------
    bool
        Whether it does.
    """
    return id(value if id(value) in _known.objects else _original(value)) not in _known.exact


def _original(function: Any) -> Any:
    """The function of this package that is called under another spelling of its arguments, as programs for CuPy do."""
    own = [sys.modules.get(f"{_PACKAGE}.compat.{name}") for name in ("_spellings", "_hosts")]
    while type(function) is FunctionType and any(
        module is not None and function.__globals__ is vars(module) for module in own
    ):
        function = function.__wrapped__  # type: ignore[attr-defined]
    return function


def _stands_for_known(value: Any) -> bool:
    """Whether a module is one that stands for a known one under CuPy's name."""
    own = sys.modules.get(f"{_PACKAGE}.compat._modules")
    if own is None:
        return False
    if type(value) is own.Respelled:
        return id(value._real) in _known.modules
    return type(value) is own.Facade and value.__name__ in {"cupy", "cupyx"}


def is_attribute_of_data(name: str) -> bool:
    """Whether code may read an attribute of data: one by which it reads nothing but data.

    Parameters
    ----------
    name : str
        The attribute.

    Returns
    -------
    bool
        Whether it may.
    """
    if name.startswith("__"):
        return name in _OPERATORS
    return name not in _known.hidden and not name.startswith(_FRAMES)


_FRAMES = ("gi_", "cr_", "ag_", "tb_", "f_")
"""How names of attributes of frames, generators and tracebacks begin."""

# What operators are called, without underscores.
_PLAIN = {*dir(operator), *(text[2:] for text in dir(operator)), "divmod", "round"}
_OPERATORS = frozenset(
    {"__name__", "__qualname__", "__class__", "__doc__", "__len__", "__contains__", "__iter__", "__next__", "__call__"}
) | frozenset(
    name
    for kind in (float, int, list, dict, set)
    for name in dir(kind)
    if name.startswith("__") and name.strip("_") in _PLAIN
)
