"""The differences between two results: values by a bound, dtypes, shapes, structure, exceptions, warnings."""

import numpy as np

from .sides import Failed, Fields, Matrix, Thing

# Relative to the largest number of a result, by the dtype that a call computes in.
BOUNDS = {np.dtype("e"): 2e-2, np.dtype("f"): 5e-4, np.dtype("d"): 1e-8}
# Warnings of SciPy that are about its implementation alone.
QUIET = {"ComplexWarning", "VisibleDeprecationWarning"}


def precision(row, arguments, keywords):
    """The least exact type among the arguments that are arrays of floats."""
    least = np.dtype("d")

    def see(value):
        nonlocal least
        dtype = getattr(value, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "fc":
            real = np.empty(0, dtype).real.dtype
            least = real if real.itemsize < least.itemsize else least
        elif isinstance(value, (tuple, list)):
            for part in value:
                see(part)
        elif hasattr(value, "arguments"):
            see(value.arguments)

    see(arguments)
    see(list(keywords.values()))
    return least


class Comparison:
    """Collects the differences of one draw."""

    def __init__(self, row, arguments, keywords):
        self._row = row
        self._dtype = precision(row, arguments, keywords)
        self.differences: list[tuple[str, str]] = []

    def add(self, kind, detail):
        self.differences.append((kind, detail))

    def results(self, theirs, ours, where=""):
        if isinstance(theirs, Failed) or isinstance(ours, Failed):
            self._failures(theirs, ours)
        elif isinstance(theirs, Matrix) or isinstance(ours, Matrix):
            if type(theirs) is not type(ours) or theirs.kind != ours.kind:
                self.add("structure", f"{where}{_name(ours)} for {_name(theirs)}")
            else:
                self._arrays(theirs.dense, ours.dense, where)
        elif isinstance(theirs, Fields) or isinstance(ours, Fields):
            self._fields(theirs, ours, where)
        elif isinstance(theirs, (tuple, list)) or isinstance(ours, (tuple, list)):
            if type(theirs) is not type(ours):
                self.add("structure", f"{where}{_name(ours)} for {_name(theirs)}")
            elif len(theirs) != len(ours):
                self.add("structure", f"{where}{len(ours)} parts for {len(theirs)}")
            else:
                for place, (left, right) in enumerate(zip(theirs, ours, strict=True)):
                    self.results(left, right, f"{where}[{place}] ")
        elif _numeric(theirs) and _numeric(ours):
            self._arrays(np.asarray(theirs), np.asarray(ours), where)
        elif isinstance(theirs, Thing) and isinstance(ours, Thing):
            if theirs.name != ours.name:
                self.add("structure", f"{where}{ours.name} for {theirs.name}")
        elif _numeric(theirs) != _numeric(ours) or type(theirs) is not type(ours):
            self.add("structure", f"{where}{_name(ours)} for {_name(theirs)}")
        elif theirs != ours and not isinstance(theirs, type) and not self._row.random and "message" not in where:
            self.add("value", f"{where}{ours!r} for {theirs!r}")

    def _failures(self, theirs, ours):
        if not isinstance(theirs, Failed):
            self.add("refused", f"{ours!r}")
        elif not isinstance(ours, Failed):
            self.add("accepted", f"SciPy: {theirs!r}")
        else:
            left, right = type(theirs.error), type(ours.error)
            if not issubclass(right, left) and not any(base.__name__ == left.__name__ for base in right.__mro__):
                self.add("exception", f"{ours!r} for {theirs!r}")

    def _fields(self, theirs, ours, where):
        if isinstance(theirs, Fields) and isinstance(ours, Thing):
            ours = ours.fields(theirs.parts) or ours
        if type(theirs) is not type(ours):
            self.add("structure", f"{where}{_name(ours)} for {_name(theirs)}")
            return
        left, right = list(theirs.parts), list(ours.parts)
        if left != right if theirs.ordered and ours.ordered else set(left) != set(right):
            self.add("structure", f"{where}fields {right} for {left}")
        for key in left:
            if key in right:
                self.results(theirs.parts[key], ours.parts[key], f"{where}{key} ")

    def _arrays(self, theirs, ours, where):
        if theirs.dtype != ours.dtype:
            self.add("dtype", f"{where}{ours.dtype} for {theirs.dtype}")
        if theirs.shape != ours.shape:
            self.add("shape", f"{where}{ours.shape} for {theirs.shape}")
            return
        if self._row.random or theirs.size == 0 or theirs.dtype.kind not in "fciub":
            return
        if self._row.unordered:
            theirs, ours = np.sort(theirs, axis=None), np.sort(ours, axis=None)
        if theirs.dtype.kind not in "fc" and ours.dtype.kind not in "fc":
            if not np.array_equal(theirs, ours):
                self.add("value", f"{where}{_places(theirs != ours, theirs, ours)}")
            return
        missing = np.isnan(theirs) != np.isnan(ours)
        if missing.any():
            self.add("nan", f"{where}{_places(missing, theirs, ours)}")
            return
        with np.errstate(all="ignore"):
            known = ~np.isnan(theirs)
            endless = known & (np.isinf(theirs) | np.isinf(ours))
            wrong = endless & ~_same_infinity(theirs, ours, self._bound(theirs, ours))
            finite = known & ~endless
            sizes = abs(theirs.astype(complex if theirs.dtype.kind == "c" else float))
            scale = sizes if self._row.each else np.max(sizes, initial=0.0, where=finite)
            errors = abs(ours - theirs)
            wrong |= finite & ~(errors <= self._bound(theirs, ours) * (scale + 1e-290))
            # Zero beside what rounding leaves of it.
            zero = (ours == 0) | (theirs == 0) if self._row.each else np.maximum(abs(ours), sizes) < 1e-14
            wrong &= ~(finite & zero & (errors < 1e-14))
            most = np.max(errors / (scale + 1e-290), initial=0.0, where=wrong & finite)
        if wrong.any():
            apart = "inf" if (wrong & endless).any() else f"{most:.1e}"
            self.add("value", f"{where}{_places(wrong, theirs, ours)}, apart by {apart}")

    def _bound(self, theirs, ours):
        dtypes = [np.empty(0, array.dtype).real.dtype for array in (theirs, ours) if array.dtype.kind in "fc"]
        least = min([self._dtype, *dtypes], key=lambda dtype: dtype.itemsize)
        bound = BOUNDS.get(least, BOUNDS[np.dtype("d")])
        if self._row.bound is None:
            return bound
        return max(self._row.bound, bound) if least != np.dtype("d") else self._row.bound

    def warnings(self, theirs, ours):
        for name in sorted((theirs - ours) - QUIET):
            self.add("no warning", name)
        for name in sorted((ours - theirs) - QUIET):
            self.add("warning", name)


def _same_infinity(theirs, ours, bound):
    """Where the infinite parts of numbers are equal and their finite parts are close."""
    same = True
    for left, right in ((theirs.real, ours.real), (theirs.imag, ours.imag)):
        same &= (left == right) | (np.isfinite(left) & (abs(left - right) <= bound * abs(left)))
    return same


def _numeric(value):
    return isinstance(value, (np.ndarray, int, float, complex, bool)) and not isinstance(value, type)


def _name(value):
    if isinstance(value, Matrix):
        return value.kind
    if isinstance(value, np.ndarray):
        return f"array{value.shape}"
    return value.name if isinstance(value, Thing) else type(value).__name__


def _places(wrong, theirs, ours):
    place = tuple(int(index[0]) for index in np.nonzero(wrong)) if wrong.ndim else ()
    return f"{int(wrong.sum())} of {wrong.size} differ, {ours[place]!r} for {theirs[place]!r} at {place}"
