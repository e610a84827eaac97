"""Orthonormal vectors that grow by one a step, without a word to the host.

Classical Gram-Schmidt, twice where it has to be: each pass reads the vectors for their inner products with the new one,
and again to take its parts along them away. The norm of what is left follows from the inner products (Pythagoras), so
no step waits for a further sum. How many vectors there are is a number on the device: one captured step serves all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from ...._lib.routes import way
from ._systems import CapturedStep, Progress


@k.function
def _square(x):
    return x.real * x.real + x.imag * x.imag


_FAR = 4
"""Elements that a position of an inner product adds up, far apart: no load waits for another."""
_ROWS = 8
"""Rows whose elements are loaded at once where all are run through."""


@k.segments("add")
def _inner(p, V: k.Array[1], own: k.Array[1], x: k.Array[1], number: k.Each, count: k.Each, share: int, *, wide: Any):
    """The inner products of rows with `x`; row `count` is `own`, whether it is stored already or not."""
    total = k.value(0, wide)
    for turn in range(_FAR):
        place = p + turn * share
        inside = k.minimum(place, x.shape[0] - 1)
        product = k.where(number == count, own[inside], V[inside]).conj().astype(wide) * x[inside].astype(wide)
        total += k.where(place < x.shape[0], product, 0)
    return total


@k.function
def _along(s, V, i, count, wide):
    """The element of the combination of the first rows with the coefficients `s`."""
    total, whole = k.value(0, wide), count // _ROWS
    for turn in k.steps(whole):
        j = turn * _ROWS
        parts = tuple(s[j + row].astype(wide) * V[j + row, i].astype(wide) for row in range(_ROWS))
        for row in range(_ROWS):
            total += parts[row]
    for j in k.steps(whole * _ROWS, count):
        total += s[j].astype(wide) * V[j, i].astype(wide)
    return total


@k.function
def _left(s, count):
    """The square of what the parts leave of the vector whose own square is the last one."""
    total, whole = s[count].real, count // _ROWS
    for turn in k.steps(whole):
        squares = tuple(_square(s[turn * _ROWS + row]) for row in range(_ROWS))
        for row in range(_ROWS):
            total -= squares[row]
    for j in k.steps(whole * _ROWS, count):
        total -= _square(s[j])
    return total


@k.function
def _loss(s, count, left, loss, eps):
    """How far from orthonormal rows can be after one pass: what they lack grows with what the new one loses."""
    return k.where(left > 0.0, (loss[0] + eps) * (s[count].real / left), float("inf"))


@k.kernel
def _remove(
    V: k.Out[2], x: k.Array[1], s: k.Array[1], v: k.Out[1], before: k.Array[1], at: k.Out[1], ends: k.Out[1],
    loss: k.Array[1], length: int, eps: float, bearable: float, *, wide: Any,
):  # fmt: skip
    """Takes the parts away. Either what is left is made a unit vector, or the ranges of a second pass are not empty."""
    i = k.index()
    count = before[0]
    left = _left(s, count)
    again = not (_loss(s, count, left, loss, eps) < bearable)
    if i == 0:
        at[0] = count
    if i < ends.shape[0]:
        ends[i] = k.where(again & (i <= count), length, 0)
    if i < x.shape[0]:
        total = x[i].astype(wide) - _along(s, V, i, count, wide)
        if not again:
            total = total / k.sqrt(left)
        V[count, i] = total.astype(V.dtype)
        if i < v.shape[0]:
            v[i] = total.astype(V.dtype)


@k.kernel
def _finish(
    V: k.Out[2], s: k.Array[1], more: k.Array[1], v: k.Out[1], H: k.Out[2], at: k.Array[1], following: k.Out[1],
    second: k.Array[1], ends: k.Out[1], loss: k.Out[1], length: int, eps: float, tiny: float, *, wide: Any,
):  # fmt: skip
    """The second pass, if there is one, and the record of the step: the parts, and what is left."""
    i = k.index()
    count = at[0]
    again = second[0] > 0
    if i < ends.shape[0]:
        ends[i] = k.where(i <= count + 1, length, 0)
    if i < count:
        H[count - 1, i] = s[i] + more[i]
    # Most points have nothing to do without a second pass.
    if again or i == count:
        left = _left(s, count)
        if again:
            left = _left(more, count)
            # Rounding alone is left of what the second pass takes away all but whole.
            if not (left > 1e-14 * more[count].real) and left == left:
                left = 0.0
        else:
            loss[0] = k.maximum(loss[0], _loss(s, count, left, loss, eps))
        left = k.sqrt(left)
        if i == count:
            following[0] = count + 1
            H[count - 1, i] = left.astype(H.dtype)
        if again and i < V.shape[1]:
            total = V[count, i].astype(wide) - _along(more, V, i, count, wide)
            # Zeros and no NaN: products may be solvers that do not end.
            if left > tiny:
                total = total / left
            elif left == left:
                total = k.value(0, wide)
            V[count, i] = total.astype(V.dtype)
            if i < v.shape[0]:
                v[i] = total.astype(V.dtype)


@k.kernel
def _combine(V: k.Array[2], y: k.Array[1], *, wide: Any):
    return _along(y, V, k.index(), y.shape[0], wide).astype(V.dtype)


def times_vector(basis: Any, x: Any) -> Any:
    """The products of the conjugates of rows with a vector; the rows themselves are read as they are."""
    return (basis @ x.conj()).conj() if x.dtype.kind == "c" else basis @ x


class Panel:
    """`most + 1` orthonormal rows `V`, of which the first is given, and the record `H` of how they were made.

    Row `j` of `H` has the parts of the vector of step `j` along rows 0 to `j`, and then the norm of what was left. Rows
    are orthonormal in the inner product of `weigh`, if that is given. If it `follows`, the newest row is kept at an
    address that stays. Steps get no second pass as long as inner products of rows are sure to stay below `bearable`.
    """

    def __init__(
        self,
        first: Any,
        most: int,
        weigh: Callable[[Any], Any] | None = None,
        bearable: float = 0.0,
        follows: bool = False,
    ) -> None:
        self.weigh, self.bearable = weigh, 0.0 if weigh is not None else bearable
        self.on_device = bool(way("basis on the device"))
        count = first.shape[0]
        dtype = first.dtype
        self.wide = np.result_type(dtype, np.float64)
        self.tiny, self.eps = float(np.finfo(dtype).tiny), float(np.finfo(dtype).eps)
        self.V = cp.zeros((most + 1, count), dtype)
        self.H = cp.zeros((most, most + 1), self.wide)
        self.made = 0
        self._share = -(-count // _FAR)
        self.v = cp.zeros(count if follows and self.on_device else 0, dtype)
        if self.on_device:
            self._numbers, self._begins = cp.arange(most + 1), cp.zeros(most + 1, np.int64)
            self._ends, self._second = cp.zeros(most + 1, np.int64), cp.zeros(most + 1, np.int64)
            self._following, self._at = cp.zeros(1, np.int64), cp.zeros(1, np.int64)
            self._loss = cp.zeros(1)
        self.begin(first)

    def begin(self, first: Any) -> None:
        """Restarts from another first row."""
        self.V[0] = first
        if self.on_device:
            self._loss[...] = 0
        self.seek(0)

    def seek(self, made: int) -> None:
        """Goes on after `made` steps, whose rows and one more there are."""
        self.made = made
        if self.v.size:
            self.v[...] = self.V[made]
        if self.on_device:
            self._following[...] = made + 1
            self._ends[...] = cp.where(self._numbers <= made + 1, self._share, 0)

    @property
    def newest(self) -> Any:
        """The newest row."""
        return self.v if self.v.size else self.V[self.made]

    def settle(self) -> None:
        """Runs what is deferred: a captured step would repeat it."""
        cp.evaluate(self.V, self.H, self.v)
        if self.on_device:
            cp.evaluate(self._numbers, self._begins, self._ends, self._second, self._following, self._at, self._loss)

    def add(self, w: Any) -> None:
        """Takes a vector in: its part that is orthogonal to all rows becomes the next row."""
        j = self.made
        self.made = j + 1
        if self.on_device:
            self._add_on_device(w)
            return
        w, parts = self.orthogonal(w, j + 1)
        left = self.norm(w)
        self.V[j + 1] = w / cp.maximum(left, self.tiny)
        self.H[j, : j + 1] = parts
        self.H[j, j + 1] = left

    def _add_on_device(self, w: Any) -> None:
        count = self.V.shape[1]
        choice = {"wide": self.wide, "shape": (max(count, self.V.shape[0]),)}
        s = self._products(w, w, self._ends)
        rows = (self.V, w, s, self.v)
        _remove(
            *rows, self._following, self._at, self._second, self._loss, self._share, self.eps, self.bearable, **choice
        )
        # A captured step does not know which row it makes.
        more = self._products(self.newest, self.newest, self._second)
        rows = (self.V, s, more, self.v, self.H)
        ends = (self._following, self._second, self._ends)
        _finish(*rows, self._at, *ends, self._loss, self._share, self.eps, self.tiny, **choice)

    def _products(self, own: Any, x: Any, ends: Any) -> Any:
        if self.weigh is not None:
            x = self.weigh(x)
        rows = (self._begins, ends, self.V)
        # As many positions as all rows have: a launch is planned by their average.
        over = self._share * self.V.shape[0]
        return _inner(*rows, own, x, self._numbers, self._following, self._share, over=over, wide=self.wide)

    def orthogonal(self, w: Any, count: int) -> tuple[Any, Any]:
        """`w` without its parts along the first rows, and these parts."""
        basis = self.V[:count]
        parts = self._parts(basis, w)
        w = w - parts @ basis
        more = self._parts(basis, w)
        return w - more @ basis, parts + more

    def _parts(self, basis: Any, w: Any) -> Any:
        return times_vector(basis, w if self.weigh is None else self.weigh(w))

    def norm(self, w: Any) -> Any:
        """The length of a vector, on the device."""
        if self.weigh is not None:
            return cp.sqrt(cp.maximum((w.conj() * self.weigh(w)).sum().real, 0))
        squares = w.real * w.real + w.imag * w.imag if w.dtype.kind == "c" else w * w
        return cp.sqrt(squares.sum())

    def combined(self, y: np.ndarray) -> Any:
        """The combination of the first rows with the coefficients `y`."""
        rows = self.V[: len(y)]
        if self.on_device and len(y):
            return _combine(rows, cp.asarray(y.astype(self.wide)), wide=self.wide, shape=(self.V.shape[1],))
        return cp.asarray(y.astype(self.V.dtype, copy=False)) @ rows


CAPTURE_AT = (4, 128)
"""Steps before which one is captured; the second time, fused kernels of a product have been compiled."""


class Steps:
    """Steps of a panel that take in a product with the newest row, from `CAPTURE_AT` on as launches of a graph.

    They are launched one by one on a CPU, and if one of the `operators` cannot be captured; nothing for operators means
    that products consist of more than these.
    """

    def __init__(self, panel: Panel, product: Callable[[Any], Any], operators: Iterable[Any] | None) -> None:
        self.panel, self._product = panel, product
        # While a stream captures, another thread that waited for the whole device would fail.
        self._captures = panel.on_device and threading.active_count() == 1
        self._captures = self._captures and operators is not None and all(each.is_capturable for each in operators)
        self._taken, self.captured = 0, None

    def _step(self, _: int = 0) -> None:
        self.panel.add(self._product(self.panel.newest).astype(self.panel.V.dtype, copy=False))

    def take(self, count: int) -> None:
        """Takes so many steps."""
        captured = self.captured
        if captured is not None:
            self.panel.settle()
            captured.stream.wait_event(cp.cuda.get_current_stream().record())
        for _ in range(count):
            if self._captures and self._taken in CAPTURE_AT:
                if captured is not None:
                    captured.leave()
                captured = self._capture()
            self._taken += 1
            if captured is None:
                self._step()
            else:
                captured.launch()
                self.panel.made += 1
        if captured is not None:
            captured.leave()
        self.captured = captured

    def _capture(self) -> CapturedStep | None:
        made = self.panel.made
        self.panel.settle()
        try:
            return CapturedStep(self._step, 0, Progress(), None)
        except RuntimeError:
            # Something in a product cannot be captured: steps are launched one by one.
            self._captures = False
            return None
        finally:
            self.panel.made = made
