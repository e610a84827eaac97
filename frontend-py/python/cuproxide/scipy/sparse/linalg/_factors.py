"""Factors of sparse matrices: by the device's library, whose solutions are checked, or on the host."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

import cuproxide as cp

from .... import _cuproxide as _core
from ...._lib.kept import Kept
from ...._lib.routes import way
from ._scaling import Scaled, near_one
from ._triangular import Substitution

BOUND = 64
"""Multiples of the rounding unit: the backward error up to which a solution of the library is taken."""

STEPS = 5
"""Steps of refinement before the host takes over."""


class SingularError(RuntimeError):
    """A matrix is singular."""

    def __init__(self) -> None:
        super().__init__("Factor is exactly singular")


def _parts(A: Any) -> tuple[Any, Any, Any]:
    return A.data, A.indices, A.indptr


def _columns(A: Any) -> Any:
    columns = A.tocsc()
    if not columns.has_sorted_indices:
        columns.sort_indices()
    return columns


def on_host(A: Any, definite: bool) -> Any:
    """Factors on the host, by Cholesky if they are to be and can be; none of a singular matrix."""
    columns = _columns(A)
    for cholesky in (True, False) if definite else (False,):
        factors = _core.sparse_factor(columns.indptr, columns.indices, columns.data, cholesky)
        if factors is not None:
            return HostFactors(A, factors, definite)
    return None


def is_definite(A: Any) -> bool:
    """Whether a matrix in canonical compressed form is Hermitian with a positive diagonal: one read."""
    other = A.T.asformat(A.format)
    if other.nnz != A.nnz:
        return False
    if not other.has_sorted_indices:
        other.sort_indices()
    diagonal = A.diagonal()
    same = (other.indptr == A.indptr).all() & (other.indices == A.indices).all() & (other.data.conj() == A.data).all()
    return bool(same & (diagonal.real > 0).all())


class _Analysis:
    """A pattern that the library has analysed, with the factors of one matrix at a time."""

    def __init__(self, A: Any, cholesky: bool) -> None:
        # The program may change its arrays.
        self.pattern = A.indices.copy(), A.indptr.copy()
        self.kind = A.format, A.dtype
        self.cholesky = cholesky
        self.found: Any = _core.sparse_direct_factor(_parts(A), cholesky)
        self.bytes = 0 if self.found is None else self.found.bytes

    def suits(self, A: Any) -> bool:
        """Whether a matrix has this pattern: one read at most."""
        return self.kind == (A.format, A.dtype) and _is_pattern(self.pattern, A)


def _is_pattern(pattern: tuple[Any, Any], A: Any) -> bool:
    indices, indptr = pattern
    if indices.shape != A.indices.shape or indptr.shape != A.indptr.shape or indices.dtype != A.indices.dtype:
        return False
    return bool((indices == A.indices).all() & (indptr == A.indptr).all())


MOST_KEPT = 1 << 29
"""Bytes of factors up to which an analysis is kept for the next matrix with its pattern."""

_KEPT: dict[Any, _Analysis] = Kept()
"""The analysis of each device that nobody uses."""

_SEEN: dict[Any, tuple[Any, ...]] = {}
"""The fingerprint of the pattern of each device that was factored on the host last."""


def _keep(device: Any, analysis: _Analysis) -> None:
    """Keeps an analysis that nobody uses any more, in place of an older one."""
    if analysis.bytes <= MOST_KEPT:
        _KEPT[device] = analysis


_ODD = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD)))
"""Multipliers without a pattern in their bits, as hash functions have them."""


def _mixed(numbers: Any) -> Any:
    """A sum of 64 bits in which each number and its place count, on the device."""
    bits = numbers.astype(np.uint64) * _ODD[0] ^ cp.arange(1, numbers.size + 1, dtype=np.uint64) * _ODD[1]
    bits = (bits ^ (bits >> 31)) * _ODD[2]
    return (bits ^ (bits >> 29)).sum()


def _fingerprint(A: Any) -> tuple[Any, ...]:
    """What tells a pattern from nearly all others: one read, and no memory that stays."""
    return A.format, A.dtype, A.shape, A.nnz, int(_mixed(A.indices) * _ODD[0] + _mixed(A.indptr))


def _comes_again(A: Any) -> bool:
    """Whether a matrix very likely has the pattern of the last one on the host: it decides only who factors."""
    device, found = A.data.device, _fingerprint(A)
    if _SEEN.get(device) == found:
        return True
    _SEEN[device] = found
    return False


def factors_of(A: Any, positive: bool = True) -> Any:
    """Factors of a matrix in canonical compressed rows or columns, with `solve(b, form)`; None if it is singular.

    Parameters
    ----------
    A : sparse array
        The matrix, in a type that solvers compute in.
    positive : bool
        Whether the host may use Cholesky's factors.
    """
    A, exponent = near_one(A)
    factors = _factors_of(A, positive)
    return Scaled(factors, exponent) if exponent and factors is not None else factors


def _factors_of(A: Any, positive: bool) -> Any:
    if not A.shape[0] or not _core.sparse_direct_takes(_parts(A), True):
        return on_host(A, positive and bool(A.shape[0]) and is_definite(A))
    device = A.data.device
    kept = _KEPT.get(device)
    failed = False
    if kept is not None and kept.suits(A) and _KEPT.pop(device, None) is kept:
        # LU serves positive matrices too.
        if (not kept.cholesky or is_definite(A)) and kept.found.refactor(A.data):
            return LibraryFactors(A, kept)
        failed = kept.cholesky
    elif not _core.sparse_direct_takes(_parts(A), False) and not _comes_again(A):
        return on_host(A, positive and is_definite(A))
    # What is analysed anew gets the memory.
    _KEPT.pop(device, None)
    del kept
    definite = is_definite(A)
    for cholesky in (True, False) if definite and not failed else (False,):
        analysis = _Analysis(A, cholesky)
        if analysis.found is not None:
            return LibraryFactors(A, analysis)
    return on_host(A, positive and definite)


class Checked:
    """Factors in device memory whose solutions are checked.

    A solution whose backward error is above `BOUND` rounding units is refined. The error is that of Arioli, Demmel and
    Duff 1989: the residual of each equation beside the sizes of its terms, or beside its norm and that of the solution
    where all terms are tiny.
    """

    def __init__(self, A: Any, hermitian: bool) -> None:
        self._matrix, self._hermitian = A, hermitian
        self._operators: dict[str, tuple[Any, Any, Any]] = {}

    def _substitute(self, b: Any, form: str) -> Any:
        """What the factors give for columns."""
        raise NotImplementedError

    def _checked(self, b: Any, form: str) -> Any:
        """Solutions for columns of the type of the result, refined; none if they do not become good."""
        unit = float(np.finfo(b.dtype).eps)
        x = self._substitute(b, form)
        last = np.inf
        for step in range(STEPS + 1):
            residual, error = self._error(b, x, form)
            if error <= BOUND * unit:
                return x
            # Not a number, or no progress.
            if not error <= last / 2 or step == STEPS:
                break
            last = error
            x = x + self._substitute(residual, form)
        # Right-hand sides that are not finite have no solution that could be better.
        return None if bool(cp.isfinite(b).all()) else x

    def _operator(self, form: str) -> tuple[Any, Any, Any]:
        """The matrix of a form in compressed rows, that of its absolute values, and the sums of their rows."""
        if form not in self._operators:
            A = self._matrix
            # The adjoint of compressed columns needs no conversion.
            adjoint = form == "H" or (form == "N" and self._hermitian and A.format == "csc")
            rows = (A.conj().T if adjoint else A.T if form == "T" else A).tocsr()
            sizes = abs(rows)
            self._operators[form] = rows, sizes, cp.asarray(sizes.sum(axis=1)).reshape(-1, 1)
        return self._operators[form]

    def _error(self, b: Any, x: Any, form: str) -> tuple[Any, float]:
        """The residual, and the greatest backward error of an equation: one read."""
        rows, sizes, norms = self._operator(form)
        residual = b - rows @ x
        terms = sizes @ abs(x)
        right, greatest = abs(b), abs(x).max(axis=0)
        unit = np.finfo(b.dtype).eps
        # Below this, terms may be sums of nothing but rounding errors.
        tiny = 1000 * x.shape[0] * unit * (norms * greatest + right)
        against = cp.where(terms + right > tiny, terms + right, terms + norms * greatest)
        errors = cp.where(residual == 0, 0, abs(residual) / against)
        return residual, float(errors.max()) if errors.size else 0.0


class DeviceFactors(Checked):
    """Explicit factors on the device, in double precision as they are on the host."""

    def __init__(self, A: Any, substitution: Substitution) -> None:
        super().__init__(A, False)
        self._substitution = substitution

    def solve(self, b: Any, form: str) -> Any:
        """Solutions for columns; none if they do not become good."""
        return self._checked(b.astype(np.result_type(self._substitution.dtype, b.dtype), copy=False), form)

    def _substitute(self, b: Any, form: str) -> Any:
        return self._substitution.solve(b, form)


WIDE = 16
"""Right-hand sides in one call from which levels of explicit factors, a launch each, cost less than the host."""

MANY = 128
"""Right-hand sides from which explicit factors, without supernodes, pay; for large matrices the root of the order."""

LEVEL = 8192
"""Elements of factors that the host takes for one right-hand side while a GPU launches a level."""


class HostFactors:
    """Factors on the host. A GPU gets explicit ones when many right-hand sides have been solved for.

    Parameters
    ----------
    A : sparse array
        The matrix, in canonical compressed form.
    factors : object
        Its factors on the host.
    definite : bool
        Whether elements on the diagonal can be pivots.
    """

    def __init__(self, A: Any, factors: Any, definite: bool) -> None:
        self._factors, self._definite = factors, definite
        # The matrix, as long as it may be factored on the device: a CPU has no use for it.
        self._matrix = A if way("factors on the device") else None
        self._solved = 0
        self._on_device: DeviceFactors | None = None

    def solve(self, b: Any, form: str) -> Any:
        """Solutions for the matrix ('N'), its transpose ('T') or its conjugate transpose ('H')."""
        width = b.shape[1] if b.ndim > 1 else 1
        self._solved += width
        matrix = self._matrix
        if matrix is not None and width >= WIDE and self._solved >= max(MANY, math.isqrt(matrix.shape[0])):
            x = self._by_device(matrix, b, form)
            if x is not None:
                return x
            self._matrix = self._on_device = None
        return self._factors.solve(b, form)

    def _by_device(self, A: Any, b: Any, form: str) -> Any:
        """Solutions by factors on the device; none if there are none, or they are not good."""
        factors = self._on_device
        if factors is None:
            columns = _columns(A)
            wide = np.result_type(columns.dtype, np.float64)
            options = ("symmetric", 0.1) if self._definite else ("columns", 1.0)
            parts = _core.sparse_explicit_lu(columns.indptr, columns.indices, columns.data, *options, 0.0, np.inf)
            if parts is None:
                return None
            substitution = Substitution(parts, columns.shape[0], wide)
            stored = parts[1].shape[0] + parts[4].shape[0]
            if not substitution.is_shallow(form, WIDE * stored // LEVEL):
                return None
            self._on_device = factors = DeviceFactors(A, substitution)
        return factors.solve(b, form)


class LibraryFactors(Checked):
    """Factors by the device's library; if refinement does not help, the host's factors solve from then on."""

    def __init__(self, A: Any, analysis: _Analysis) -> None:
        super().__init__(A, analysis.cholesky)
        self._analysis: Any = analysis
        self._host: Any = None
        self._keeps = weakref.finalize(self, _keep, A.data.device, analysis)
        self._keeps.atexit = False

    def solve(self, b: Any, form: str) -> Any:
        """Solutions for the matrix ('N'), its transpose ('T') or its conjugate transpose ('H')."""
        if self._host is not None:
            return self._host.solve(b, form)
        kind = np.result_type(self._matrix.dtype, b.dtype)
        columns = b[:, None] if b.ndim == 1 else b
        if kind.kind == "c" and self._matrix.dtype.kind == "f":
            # Real factors: real and imaginary parts are right-hand sides of their own.
            parts = cp.concatenate([columns.real, columns.imag], axis=1)
            both = self._checked(parts.astype(np.result_type(self._matrix.dtype, parts.dtype), copy=False), form)
            if both is None:
                return self._by_host(b, form)
            x = cp.empty(columns.shape, kind)
            x.real, x.imag = both[:, : columns.shape[1]], both[:, columns.shape[1] :]
            return x.reshape(b.shape)
        x = self._checked(columns.astype(kind, copy=False), form)
        return self._by_host(b, form) if x is None else x.reshape(b.shape)

    def _by_host(self, b: Any, form: str) -> Any:
        """Solutions by factors of the host, which are kept in place of the library's."""
        self._host = on_host(self._matrix, False)
        self._keeps.detach()
        self._analysis = None
        self._operators = {}
        if self._host is None:
            raise SingularError
        return self._host.solve(b, form)

    def _substitute(self, b: Any, form: str) -> Any:
        """What the library's factors give for columns."""
        by_rows = self._matrix.format == "csr"
        # The library knows compressed columns as the rows of the transpose, and a Hermitian matrix as its own adjoint.
        if self._hermitian:
            form, conjugated = "N", by_rows == (form == "T")
        elif by_rows:
            conjugated = False
        else:
            form, conjugated = {"N": "T", "T": "N", "H": "N"}[form], form == "H"
        conjugated = conjugated and self._matrix.dtype.kind == "c"
        right = (b.conj() if conjugated else b).T.astype(self._matrix.dtype, order="C")
        x = self._analysis.found.solve(right, form).T
        return x.conj() if conjugated else x
