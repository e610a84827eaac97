"""Functions of arrays with core dimensions, which loop over all others: generalised ufuncs."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import UFuncTypeError, as_array, check_casting, check_flags, deliver, named_out
from .._typing import ArrayLike, Axes, DTypeLike
from .joining import stack
from .shapes import broadcast_to

__all__ = ["GeneralizedUFunc"]

_DIMENSION = r"\w+(?:\?|\|1)?"
_GROUP = rf"\(\s*(?:{_DIMENSION}\s*(?:,\s*{_DIMENSION}\s*)*)?\)"
_SIGNATURE = re.compile(rf"\s*{_GROUP}\s*(?:,\s*{_GROUP}\s*)*->\s*{_GROUP}\s*(?:,\s*{_GROUP}\s*)*")

Dimensions = list[tuple[str, ...]]


def parse_signature(signature: str) -> tuple[Dimensions, Dimensions]:
    """The core dimensions of inputs and outputs in a text such as `(m,n),(n)->(m)`, their marks left out."""
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    left, right = (
        [tuple(re.findall(r"(?<!\|)\b\w+", group)) for group in re.findall(_GROUP, part)]
        for part in signature.split("->")
    )
    return left, right


def marked(signature: str, mark: str) -> frozenset[str]:
    """The core dimensions that have a mark: `?` may be missing, `|1` may have the length 1 instead."""
    return frozenset(re.findall(rf"(\w+){re.escape(mark)}", signature))


class GeneralizedUFunc:
    """A function of arrays whose last axes are its core dimensions; all axes before them broadcast.

    `signature` names the core dimensions: `(m,n),(n)->(m)`. Those with a `?` may be missing: if an input has too few
    axes, `func` gets them with the length 1, and the results do not have them. Those with `|1` may have the length 1 in
    some inputs, which are broadcast. `func` is called for each combination of the other axes, or
    once with whole stacks if `supports_batched`. With `supports_out` it takes `out=` itself. Calls take the arguments
    of NumPy's generalised ufuncs.

    Parameters
    ----------
    signature : str
        The axes of operands and results, such as "(m,n),(n)->(m)".
    name : str, optional
        The name, by default that of the function.
    supports_batched : bool
        Whether the function takes further axes itself.
    supports_out : bool
        Whether the function takes `out`.
    signatures : sequence, optional
        The types of operands and results.

    >>> row_sum = cp.GeneralizedUFunc(lambda a: a.sum(-1), "(i)->()")
    >>> row_sum(cp.ones((2, 3)))
    array([3., 3.])
    """

    def __init__(
        self,
        func: Callable[..., Any],
        signature: str,
        *,
        name: str | None = None,
        doc: str | None = None,
        supports_batched: bool = False,
        supports_out: bool = False,
        signatures: Sequence[Any] = (),
    ) -> None:
        self._function = func
        self.signature = signature
        self._inputs, self._outputs = parse_signature(signature)
        self._optional, self._stretched = marked(signature, "?"), marked(signature, "|1")
        self.nin, self.nout = len(self._inputs), len(self._outputs)
        self.nargs = self.nin + self.nout
        self.__name__ = func.__name__ if name is None else name
        self.__doc__ = inspect.getdoc(func) if doc is None else doc
        self._batched, self._fills_out = supports_batched, supports_out
        self._loops = [self._types_of(loop) for loop in signatures]

    def __repr__(self) -> str:
        return f"<gufunc '{self.__name__}'>"

    def __call__(
        self,
        *args: ArrayLike,
        out: Any = None,
        axes: Sequence[Axes] | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        casting: str = "same_kind",
        order: str = "K",
        dtype: DTypeLike = None,
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        """Applies the function; the arguments are those of NumPy's generalised ufuncs."""
        if not self.nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but {len(args)} were "
                "given"
            )
        check_casting(casting, order)
        check_flags(subok=subok, keepdims=keepdims)
        out = named_out(out)
        given = (
            args[self.nin :] if len(args) > self.nin else out if isinstance(out, tuple) else (out,) * (self.nout == 1)
        )
        if len(args) > self.nin and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        targets: list[Any] = [*given, *(None,) * (self.nout - len(given))]
        if len(targets) != self.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        for target in targets:
            if target is not None and not isinstance(target, ndarray):
                raise TypeError("return arrays must be of ArrayType")
        operands = [as_array(arg) for arg in args[: self.nin]]
        operands, result_types = self._cast(operands, dtype, signature, casting)
        missing = self._missing(operands)
        places = self._places(axes, axis, keepdims, operands, missing)
        operands = [
            _core.moveaxis(operand, place, tuple(range(-len(place), 0))) if place else operand
            for operand, place in zip(operands, places[: self.nin], strict=True)
        ]
        if missing:
            operands = [self._with_missing(i, operand, missing) for i, operand in enumerate(operands)]
        sizes = self.core_sizes(operands)
        if self._stretched:
            operands = [self._stretch(i, operand, sizes) for i, operand in enumerate(operands)]
        outer = self.outer_shape(operands)
        direct = targets[0] if self._fills_out and self.nout == 1 and not (places[self.nin] or missing) else None
        results = self._apply(operands, outer, direct)
        finished = []
        for i, (result, target) in enumerate(zip(results, targets, strict=True)):
            if result_types[i] is not None:
                result = result.astype(result_types[i], copy=False)
            if missing:
                result = result[(..., *(0 if name in missing else slice(None) for name in self._outputs[i]))]
            place = places[self.nin + i]
            if keepdims:
                result = _core.expand_dims(result, place) if place else result
            elif place:
                result = _core.moveaxis(result, tuple(range(-len(place), 0)), place)
            if target is None:
                finished.append(result.copy(order="F") if order == "F" else result)
                continue
            if not _core.can_cast(result.dtype, target.dtype, casting):
                raise UFuncTypeError(
                    f"Cannot cast ufunc '{self.__name__}' output from {result.dtype!r} to {target.dtype!r} with "
                    f"casting rule '{casting}'"
                )
            finished.append(target if target is direct else deliver(result.astype(target.dtype, copy=False), target))
        return finished[0] if self.nout == 1 else tuple(finished)

    # Types.

    def _types_of(self, loop: Any) -> list[np.dtype[Any] | None]:
        """The dtypes of a loop written as `dd->d` or as a tuple."""
        if isinstance(loop, str):
            loop = tuple("".join(loop.split("->")))
        types = [None if item is None else _core.dtype(item) for item in loop]
        if len(types) != self.nargs:
            raise ValueError(
                f"a type-tuple must be specified of length {self.nargs} for ufunc '{self.__name__}' (got {len(types)})"
            )
        return types

    def _cast(
        self, operands: list[ndarray], dtype: DTypeLike, signature: Any, casting: str
    ) -> tuple[list[ndarray], list[np.dtype[Any] | None]]:
        """The operands in the dtypes to compute in, and the dtypes of the results where they are fixed."""
        if dtype is not None and signature is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        if dtype is not None:
            types: list[Any] = [_core.dtype(dtype)] * self.nargs
        elif signature is not None:
            types = self._types_of(signature)
        elif self._loops:
            for types in self._loops:
                pairs = zip(operands, types[: self.nin], strict=True)
                if all(to is None or _core.can_cast(operand.dtype, to, "safe") for operand, to in pairs):
                    break
            else:
                raise TypeError(f"ufunc '{self.__name__}' not supported for the input types")
        else:
            return operands, [None] * self.nout
        cast = []
        for i, (operand, to) in enumerate(zip(operands, types[: self.nin], strict=True)):
            if to is not None and not _core.can_cast(operand.dtype, to, casting):
                raise UFuncTypeError(
                    f"Cannot cast ufunc '{self.__name__}' input {i} from {operand.dtype!r} to {to!r} with casting rule "
                    f"'{casting}'"
                )
            cast.append(operand if to is None else operand.astype(to, copy=False))
        return cast, types[self.nin :]

    # Axes.

    def _missing(self, operands: list[ndarray]) -> set[str]:
        """The core dimensions that some input has no axes for and that may be missing."""
        short = [group for operand, group in zip(operands, self._inputs, strict=True) if operand.ndim < len(group)]
        return self._optional.intersection(name for group in short for name in group)  # type: ignore[return-value]

    def _with_missing(self, i: int, operand: ndarray, missing: set[str]) -> ndarray:
        """An input with axes of length 1 for its core dimensions that are missing."""
        group = self._inputs[i]
        if operand.ndim < sum(name not in missing for name in group):
            return operand
        return operand[(..., *(None if name in missing else slice(None) for name in group))]

    def _stretch(self, i: int, operand: ndarray, sizes: dict[str, int]) -> ndarray:
        """An input whose core dimensions have the lengths of all."""
        group = self._inputs[i]
        shape = self._outer(i, operand) + tuple(sizes[name] for name in group)
        return operand if operand.shape == shape else broadcast_to(operand, shape)

    def _places(
        self,
        axes: Sequence[Axes] | None,
        axis: int | None,
        keepdims: bool,
        operands: list[ndarray],
        missing: set[str],
    ) -> list[tuple[int, ...]]:
        """Which axes of each operand and result are core dimensions; nothing for the last ones."""
        inputs, outputs = (
            [tuple(name for name in group if name not in missing) for group in side]
            for side in (self._inputs, self._outputs)
        )
        groups = [*inputs, *outputs]
        if keepdims and (any(outputs) or len({len(group) for group in inputs}) != 1):
            raise TypeError(
                f"{self.__name__} does not support keepdims: its signature {self.signature} requires either that all "
                "inputs have the same number of core dimensions or outputs none"
            )
        lasts = [tuple(range(-len(group), 0)) for group in inputs]
        if axis is not None:
            if axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if len({group for group in groups if group}) != 1 or max(map(len, groups)) != 1:
                raise TypeError(
                    f"{self.__name__}: axis can only be used with a single shared core dimension, not with the "
                    f"signature {self.signature}."
                )
            axes = [(axis,) if group or (keepdims and i >= self.nin) else () for i, group in enumerate(groups)]
        if axes is None:
            kept = lasts[0] if keepdims else ()
            return [*[()] * self.nin, *[kept] * self.nout]
        if not isinstance(axes, list):
            raise TypeError("axes should be a list.")
        wanted = [tuple(entry) if isinstance(entry, (tuple, list)) else (entry,) for entry in axes]
        if len(wanted) == self.nin and not any(outputs):
            wanted += [wanted[0] if keepdims else ()] * self.nout
        if len(wanted) != self.nargs:
            raise ValueError("axes should be a list with an entry for all inputs and outputs")
        for i, (entry, group) in enumerate(zip(wanted, groups, strict=True)):
            if len(entry) != len(group) and not (keepdims and i >= self.nin):
                if i < self.nin and len(group) == 1:
                    raise TypeError(
                        f"{self.__name__}: axes item {i} should be a tuple with a single element, or an integer"
                    )
                raise ValueError(f"{self.__name__}: axes item {i} should be a tuple with {len(group)} elements")
        for i, (entry, operand) in enumerate(zip(wanted, operands, strict=False)):
            self._check_dimensions(i, operand, len(groups[i]))
            for place in entry:
                normalize_axis_index(place, operand.ndim)
        return wanted

    def _check_dimensions(self, i: int, operand: ndarray, wanted: int) -> None:
        if operand.ndim < wanted:
            raise ValueError(
                f"{self.__name__}: Input operand {i} does not have enough dimensions (has {operand.ndim}, gufunc "
                f"core with signature {self.signature} requires {wanted})"
            )

    def core_sizes(self, operands: list[ndarray]) -> dict[str, int]:
        """The lengths of the core dimensions of the inputs; `ValueError` if they differ or are missing."""
        sizes: dict[str, int] = {}
        for i, (operand, group) in enumerate(zip(operands, self._inputs, strict=True)):
            self._check_dimensions(i, operand, len(group))
            for j, (name, length) in enumerate(zip(group, operand.shape[operand.ndim - len(group) :], strict=True)):
                if name in self._stretched and 1 in (length, sizes.get(name, length)):
                    sizes[name] = length if sizes.get(name, 1) == 1 else sizes[name]
                elif sizes.setdefault(name, length) != length:
                    raise ValueError(
                        f"{self.__name__}: Input operand {i} has a mismatch in its core dimension {j}, with gufunc "
                        f"signature {self.signature} (size {length} is different from {sizes[name]})"
                    )
        return sizes

    @property
    def core_outputs(self) -> list[tuple[str, ...]]:
        """The names of the core dimensions of each result."""
        return list(self._outputs)

    def outer_shape(self, operands: list[ndarray]) -> tuple[int, ...]:
        """The common shape of what is not core dimensions."""
        return np.broadcast_shapes(*(self._outer(i, operand) for i, operand in enumerate(operands)))

    def _outer(self, i: int, operand: ndarray) -> tuple[int, ...]:
        return operand.shape[: operand.ndim - len(self._inputs[i])]

    def _apply(self, operands: list[ndarray], outer: tuple[int, ...], out: ndarray | None) -> list[ndarray]:
        if self._batched:
            result = self._function(*operands) if out is None else self._function(*operands, out=out)
            return list(result) if self.nout > 1 else [result]
        if math.prod(outer) == 0:
            raise ValueError("cannot call a function that takes no stacks on arrays with no elements")
        spread = [
            broadcast_to(operand, outer + operand.shape[operand.ndim - len(group) :])
            for operand, group in zip(operands, self._inputs, strict=True)
        ]
        made: list[list[ndarray]] = [[] for _ in self._outputs]
        for index in np.ndindex(outer):
            result = self._function(*(operand[index] for operand in spread))
            for results, one in zip(made, result if self.nout > 1 else (result,), strict=True):
                results.append(as_array(one))
        return [stack(results).reshape(outer + results[0].shape) for results in made]
