"""A draw on either side: arguments passed to SciPy as they are, to this package on its device; results on the host."""

import contextlib
import copy
import importlib
import inspect
import sys
import warnings
from pathlib import Path

import cuproxide as cp
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "support"))

from helpers import to_device  # noqa: E402

from . import draws  # noqa: E402

# What NumPy says of single operations on the host is about its own arithmetic.
ARITHMETIC = (
    "encountered in",
    "overflow encountered",
    "invalid value encountered",
    "divide by zero encountered",
    "Mean of empty slice",
    "Degrees of freedom <= 0",
    "All-NaN",
)


class Failed:
    """An exception in place of a result."""

    def __init__(self, error):
        self.error = error

    def __repr__(self):
        return f"{type(self.error).__name__}: {str(self.error)[:160]}"


class Side:
    """One of the two libraries."""

    def __init__(self, root, namespace, convert):
        self.root, self.namespace, self._convert = root, namespace, convert

    def find(self, path):
        module, _, name = path.rpartition(".")
        if module.rpartition(".")[2][:1].isupper():
            return getattr(self.find(module), name)
        return getattr(importlib.import_module(f"{self.root}.{module}" if module else self.root), name)

    def has(self, path):
        try:
            return self.find(path) is not None
        except (ImportError, AttributeError):
            return False

    def argument(self, value):
        """A drawn value as this side takes it."""
        if isinstance(value, draws.Callback):
            return value.make(self.namespace)
        if isinstance(value, draws.Made):
            return self.find(value.name)(
                *(self.argument(part) for part in value.arguments),
                **{key: self.argument(part) for key, part in value.keywords.items()},
            )
        if isinstance(value, draws.Named):
            return self.find(value.name)
        if type(value) in (tuple, list):
            return type(value)(self.argument(part) for part in value)
        if type(value) is dict:
            return {key: self.argument(part) for key, part in value.items()}
        return self._convert(value)

    def run(self, call):
        """The result of a call, or how it failed, and the categories of its warnings."""
        row, arguments, keywords, steps, _ = call
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                target = self.find(row.name)
                passed = [self.argument(value) for value in arguments]
                result = target(*passed, **{key: self.argument(value) for key, value in keywords.items()})
                if steps:
                    found = []
                    for step in steps:
                        done = getattr(result, step.method)
                        if step.keywords is not None:
                            done = done(
                                *(self.argument(value) for value in step.arguments),
                                **{key: self.argument(value) for key, value in step.keywords.items()},
                            )
                        found.append(to_host(done))
                    result = found
                elif row.fields:
                    result = [to_host(getattr(result, field)) for field in row.fields]
                result = to_host(result)
                if row.form:
                    result = row.form(result)
            except Exception as error:
                result = Failed(error)
        said = set()
        for warning in caught:
            text = str(warning.message)
            if issubclass(warning.category, (DeprecationWarning, PendingDeprecationWarning, ResourceWarning)):
                continue
            if warning.category is RuntimeWarning and any(part in text for part in ARITHMETIC):
                continue
            said.add(warning.category.__name__)
        return result, said


def settle():
    """Waits for what a failed call has left on the device, so that its faults are not those of the next draw."""
    with contextlib.suppress(Exception):
        cp.Device().synchronize()


def is_ours(value):
    return isinstance(value, cp.ndarray)


class Thing:
    """An object without a value of its own: compared by its type's name, or by the attributes that the other names."""

    def __init__(self, original):
        self.name = type(original).__name__.lstrip("_")
        self._original = original

    def fields(self, names):
        missing = [name for name in names if not hasattr(self._original, name)]
        if missing:
            return None
        return Fields({name: to_host(getattr(self._original, name)) for name in names}, False)

    def __repr__(self):
        return f"<{self.name}>"


class Fields:
    """Named parts: a named tuple, or the mapping of an optimiser's result."""

    def __init__(self, parts, ordered):
        self.parts, self.ordered = parts, ordered

    def __repr__(self):
        return f"({', '.join(f'{key}={value!r}' for key, value in self.parts.items())})"


class Matrix:
    """A sparse array."""

    def __init__(self, kind, dense):
        self.kind, self.dense = kind, dense

    def __repr__(self):
        return f"{self.kind}({self.dense!r})"


PLAIN = (str, bytes, int, float, complex, bool, type(None), slice, np.dtype, type)


def to_host(value):
    """Results as NumPy arrays, plain values and containers."""
    if isinstance(value, (Fields, Matrix, Thing, Failed)):
        return value
    if is_ours(value):
        return np.array(value.get())
    if isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, np.ma.MaskedArray):
            return Fields({"data": np.asarray(value.filled(0)), "mask": np.ma.getmaskarray(value)}, True)
        array = np.asarray(value)
        if array.dtype == object:
            return [to_host(part) for part in array.ravel()]
        return np.array(array)
    if isinstance(value, PLAIN):
        return value
    if hasattr(value, "toarray") and hasattr(value, "format"):
        return Matrix(type(value).__name__, to_host(value.toarray()))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Fields({field: to_host(getattr(value, field)) for field in value._fields}, True)
    if isinstance(value, dict):
        parts = {str(key): to_host(part) for key, part in value.items() if not callable(part)}
        return Fields({key: part for key, part in parts.items() if key[0] != "_"}, False)
    if isinstance(value, (tuple, list)):
        return type(value)(to_host(part) for part in value) if type(value) in (tuple, list) else [*map(to_host, value)]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if inspect.isgenerator(value) or isinstance(value, (range, map, zip)):
        return [to_host(part) for part in value]
    if isinstance(value, np.poly1d) or type(value).__name__ in ("poly1d", "orthopoly1d"):
        return to_host(value.coeffs)
    if hasattr(value, "__array__") and hasattr(value, "dtype"):
        return to_host(np.asarray(value))
    if hasattr(value, "__dataclass_fields__"):
        names = [field for field in value.__dataclass_fields__ if not field.startswith("_")]
        return Fields({name: to_host(getattr(value, name)) for name in names}, True)
    return Thing(value)


def _to_ours(value):
    if isinstance(value, np.ndarray):
        return to_device(value)
    if hasattr(value, "toarray"):
        return getattr(cp.scipy.sparse, type(value).__name__)(value)
    return copy.copy(value)


THEIRS = Side("scipy", np, lambda value: value)
OURS = Side("cuproxide.scipy", cp, _to_ours)
