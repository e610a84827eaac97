"""Large systems of equations by approximations of the inverse Jacobian."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_floating
from ..._lib.lending import shielded, shielded_if
from ._differences import as_values

__all__ = [
    "BroydenFirst",
    "InverseJacobian",
    "KrylovJacobian",
    "NoConvergence",
    "anderson",
    "broyden1",
    "broyden2",
    "diagbroyden",
    "excitingmixing",
    "linearmixing",
    "newton_krylov",
]


class NoConvergence(Exception):
    """The iterations did not converge; the argument is the last point."""


def _size(v: ndarray) -> float:
    return math.sqrt(float(cp.sum(abs(v) ** 2)))


def _largest(v: Any) -> float:
    return float(cp.max(abs(v))) if v.size else 0.0


class _Jacobian:
    """An approximation: `setup`, `update`, `solve` with the inverse and `matvec`."""

    def __init__(self, alpha: float | None = None) -> None:
        self.alpha = alpha

    def setup(self, x: ndarray, f: ndarray, func: Callable[[ndarray], ndarray]) -> None:
        """Begins at a point."""
        self.func, self.shape, self.dtype = func, (f.size, x.size), f.dtype
        self.last_x, self.last_f = x, f
        if self.alpha is None:
            norm = _size(f)
            self.alpha = 0.5 * max(_size(x), 1) / norm if norm else 1.0

    def update(self, x: ndarray, f: ndarray) -> None:
        """Takes in a step.

        Parameters
        ----------
        f : array_like
            The residual there.
        """
        dx, df = x - self.last_x, f - self.last_f
        xx, ff = cp.stack([cp.sum(abs(dx) ** 2), cp.sum(abs(df) ** 2)]).tolist()
        if xx:
            self._update(x, f, dx, df, math.sqrt(xx), math.sqrt(ff))
        else:
            # The step was lost in rounding: the approximation leads nowhere.
            self._restart()
        self.last_x, self.last_f = x, f

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        pass

    def _restart(self) -> None:
        """Forgets the steps that were taken in."""

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector."""
        raise NotImplementedError

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        raise NotImplementedError

    def aspreconditioner(self) -> InverseJacobian:
        """The inverse as an operator."""
        return InverseJacobian(self)


class _LowRank:
    """`alpha I + sum of c d^H`, whose vectors are rows of two arrays, or a matrix once they are more than its rows."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.c: list[ndarray] = []
        self.d: list[ndarray] = []
        # A sum of more vectors than rows takes more time than the matrix, and cancels.
        self.matrix: ndarray | None = None

    def append(self, c: ndarray, d: ndarray) -> None:
        """Adds `c d^H`."""
        if self.matrix is not None:
            self.matrix = self.matrix + c[:, None] * cp.conj(d)
            return
        self.c.append(c)
        self.d.append(d)
        if len(self.c) > c.size:
            self.matrix = self.dense(c.size)

    def product(self, v: ndarray, adjoint: bool = False) -> ndarray:
        if self.matrix is not None:
            return (cp.conj(self.matrix.T) if adjoint else self.matrix) @ v
        c, d = (self.d, self.c) if adjoint else (self.c, self.d)
        alpha = np.conj(self.alpha) if adjoint else self.alpha
        if not c:
            return alpha * v
        return alpha * v + (cp.conj(cp.stack(d)) @ v) @ cp.stack(c)

    def inverse(self, v: ndarray, adjoint: bool = False) -> ndarray:
        """By the formula of Sherman, Morrison and Woodbury."""
        if self.matrix is not None:
            return cp.linalg.solve(cp.conj(self.matrix.T) if adjoint else self.matrix, v)
        alpha = np.conj(self.alpha) if adjoint else self.alpha
        if not self.c:
            return v / alpha
        left, right = (self.d, self.c) if adjoint else (self.c, self.d)
        c, d = cp.stack(left), cp.conj(cp.stack(right))
        small = alpha * cp.eye(c.shape[0], dtype=c.dtype) + d @ c.T
        return v / alpha - (cp.linalg.solve(small, d @ v) @ c) / alpha

    def dense(self, n: int) -> ndarray:
        if self.matrix is not None:
            return self.matrix
        unit = self.alpha * cp.eye(n, dtype=self.c[0].dtype if self.c else None)
        return unit + cp.stack(self.c).T @ cp.conj(cp.stack(self.d)) if self.c else unit

    def reduce(self, most: int, method: str, keep: int) -> None:
        if self.matrix is not None or len(self.c) < most:
            return
        if method == "restart":
            self.c, self.d = [], []
        elif method == "simple":
            del self.c[: len(self.c) - most + 1], self.d[: len(self.d) - most + 1]
        else:
            c, d = cp.stack(self.c, axis=1), cp.stack(self.d, axis=1)
            d, r = cp.linalg.qr(d)
            u, s, vh = cp.linalg.svd(c @ cp.conj(r.T), full_matrices=False)
            c, d = u * s, d @ cp.conj(vh.T)
            keep = max(0, min(keep, most - 1))
            self.c, self.d = [c[:, i] for i in range(keep)], [d[:, i] for i in range(keep)]


class BroydenFirst(_Jacobian):
    """Broyden's first approximation, which is kept as its inverse. See `scipy.optimize.BroydenFirst`.

    Parameters
    ----------
    alpha : float, optional
        The first Jacobian is `-1 / alpha` times the identity.
    reduction_method : str or tuple, optional
        'restart', 'simple' or 'svd', with its arguments.
    max_rank : int, optional
        How many vectors are kept.
    """

    def __init__(self, alpha: float | None = None, reduction_method: Any = "restart", max_rank: Any = None) -> None:
        super().__init__(alpha)
        arguments = ()
        if not isinstance(reduction_method, str):
            arguments, reduction_method = reduction_method[1:], reduction_method[0]
        if reduction_method not in ("restart", "simple", "svd"):
            raise ValueError(f"Unknown rank reduction method '{reduction_method}'")
        self.max_rank = math.inf if max_rank is None else max_rank
        self.reduction, self.keep = reduction_method, arguments[0] if arguments else None

    def setup(self, x: ndarray, F: ndarray, func: Callable[[ndarray], ndarray]) -> None:  # noqa: N803
        """Begins at a point.

        Parameters
        ----------
        F : array_like
            The residual there.
        """
        super().setup(x, F, func)
        self._restart()

    def _restart(self) -> None:
        self.inverse = _LowRank(-self.alpha)

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector.

        Parameters
        ----------
        f : ndarray
            The right side.
        """
        r = self.inverse.product(f)
        if not bool(cp.all(cp.isfinite(r))):
            self._restart()
            return self.inverse.product(f)
        return r

    def matvec(self, f: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        return self.inverse.inverse(f)

    def rsolve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The adjoint of the inverse times a vector.

        Parameters
        ----------
        f : ndarray
            The right side.
        """
        return self.inverse.product(f, adjoint=True)

    def rmatvec(self, f: ndarray) -> ndarray:
        """The adjoint of the Jacobian times a vector."""
        return self.inverse.inverse(f, adjoint=True)

    def todense(self) -> ndarray:
        """The Jacobian as a matrix."""
        return cp.linalg.inv(self.inverse.dense(self.shape[0]))

    def _reduce(self) -> None:
        if math.isfinite(self.max_rank):
            keep = self.max_rank - 2 if self.keep is None else self.keep
            self.inverse.reduce(self.max_rank, self.reduction, keep)

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        self._reduce()
        v = self.inverse.product(dx, adjoint=True)
        c = dx - self.inverse.product(df)
        self.inverse.append(c, v / cp.conj(cp.sum(cp.conj(df) * v)))


class BroydenSecond(BroydenFirst):
    """Broyden's second approximation."""

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        self._reduce()
        self.inverse.append(dx - self.inverse.product(df), df / (df_norm * df_norm))


class Anderson(_Jacobian):
    """Mixing of the last steps (Eyert's extended form of Anderson's method)."""

    def __init__(self, alpha: float | None = None, w0: float = 0.01, M: int = 5) -> None:
        super().__init__(alpha)
        self.w0, self.M = w0, M
        self._restart()

    def _restart(self) -> None:
        self.dx: list[ndarray] = []
        self.df: list[ndarray] = []

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector."""
        result = -self.alpha * f
        if not self.dx:
            return result
        df = cp.stack(self.df)
        gram = cp.conj(df) @ df.T
        gram = gram + cp.diag(cp.diagonal(gram)) * self.w0**2
        try:
            gamma = cp.linalg.solve(gram, cp.conj(df) @ f)
        except np.linalg.LinAlgError:
            self._restart()
            return result
        return result + gamma @ (cp.stack(self.dx) + self.alpha * df)

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        result = -v / self.alpha
        if not self.dx:
            return result
        dx, df = cp.stack(self.dx), cp.stack(self.df)
        gram = cp.conj(df) @ (df + dx / self.alpha).T
        gram = gram - cp.diag(cp.diagonal(cp.conj(df) @ df.T)) * (self.w0**2 * self.alpha) / self.alpha
        return result + cp.linalg.solve(gram, cp.conj(df) @ v) @ (df + dx / self.alpha)

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        if self.M:
            self.dx, self.df = [*self.dx, dx][-self.M :], [*self.df, df][-self.M :]


class DiagBroyden(_Jacobian):
    """Broyden's first approximation with a diagonal only."""

    def setup(self, x: ndarray, f: ndarray, func: Callable[[ndarray], ndarray]) -> None:
        """Begins at a point."""
        super().setup(x, f, func)
        self._restart()

    def _restart(self) -> None:
        self.d = cp.full(self.shape[0], 1 / self.alpha, self.dtype)

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector."""
        return -f / self.d

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        return -v * self.d

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        self.d = self.d - (df + self.d * dx) * dx / (dx_norm * dx_norm)


class LinearMixing(_Jacobian):
    """A multiple of the identity."""

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector."""
        return -f * self.alpha

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        return -v / self.alpha


class ExcitingMixing(_Jacobian):
    """A diagonal that grows where values keep their sign."""

    def __init__(self, alpha: float | None = None, alphamax: float = 1.0) -> None:
        super().__init__(alpha)
        self.alphamax = alphamax

    def setup(self, x: ndarray, f: ndarray, func: Callable[[ndarray], ndarray]) -> None:
        """Begins at a point."""
        super().setup(x, f, func)
        self.beta = cp.full(self.shape[0], self.alpha, self.dtype)

    def solve(self, f: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector."""
        return -f * self.beta

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        return -v / self.beta

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray, dx_norm: float, df_norm: float) -> None:
        same = f * self.last_f > 0
        self.beta = cp.clip(cp.where(same, self.beta + self.alpha, self.alpha), 0, self.alphamax)


class KrylovJacobian(_Jacobian):
    """The inverse by a Krylov method with products by differences. See `scipy.optimize.KrylovJacobian`.

    Parameters
    ----------
    rdiff : float, optional
        The relative step.
    method : str, optional
        'lgmres' or 'gmres': restarted GMRES that keeps its last corrections, or without.
    inner_maxiter : int, optional
        The most products between restarts.
    inner_M : callable, optional
        A preconditioner: an approximate inverse, a matrix, or an object with `matvec`.
    outer_k : int, optional
        How many corrections are kept.
    """

    def __init__(
        self, rdiff: float | None = None, method: Any = "lgmres", inner_maxiter: int = 20, inner_M: Any = None,
        outer_k: int = 10, **kw: Any,
    ) -> None:  # fmt: skip
        super().__init__(1.0)
        if isinstance(method, str) and method not in ("lgmres", "gmres", "bicgstab", "cgs", "minres", "tfqmr"):
            raise ValueError(f"unknown Krylov method {method!r}")
        self.rdiff, self.preconditioner, self.inner = rdiff, inner_M, inner_maxiter
        self.keep = outer_k if method == "lgmres" else 0
        self.restarts = int(kw.pop("inner_restarts", 1)) if "inner_restarts" in kw else 1
        self.corrections: list[ndarray] = []
        for key in kw:
            if not key.startswith("inner_"):
                raise ValueError(f"Unknown parameter {key}")

    def setup(self, x: ndarray, f: ndarray, func: Callable[[ndarray], ndarray]) -> None:
        """Begins at a point.

        Parameters
        ----------
        f : array_like
            The residual there.
        """
        super().setup(x, f, func)
        if self.rdiff is None:
            self.rdiff = float(np.finfo(x.dtype).eps) ** 0.5
        self._step()
        if hasattr(self.preconditioner, "setup"):
            self.preconditioner.setup(x, f, func)

    def _step(self) -> None:
        x, f = _largest(self.last_x), _largest(self.last_f)
        self.omega = self.rdiff * max(1, x) / max(1, f)

    def matvec(self, v: ndarray) -> ndarray:
        """The Jacobian times a vector."""
        norm = _size(v)
        if norm == 0:
            return 0 * v
        scale = self.omega / norm
        r = (self.func(self.last_x + scale * v) - self.last_f) / scale
        if not bool(cp.all(cp.isfinite(r))):
            raise ValueError("Function returned non-finite results")
        return r

    def _precondition(self, v: ndarray) -> ndarray:
        m = self.preconditioner
        if m is None:
            return v
        return m.matvec(v) if hasattr(m, "matvec") else m.solve(v) if hasattr(m, "solve") else m @ v

    def solve(self, rhs: ndarray, tol: float = 0) -> ndarray:
        """The inverse times a vector, to a relative tolerance.

        Parameters
        ----------
        rhs : array_like
            The right side.
        """
        target = max(tol, 1e-12) * _size(rhs)
        x, r = cp.zeros_like(rhs), rhs
        for _ in range(self.restarts):
            beta = _size(r)
            if beta <= target or beta == 0:
                break
            basis, directions = [r / beta], []
            hessenberg = np.zeros((self.inner + len(self.corrections) + 1, self.inner + len(self.corrections)), complex)
            count = 0
            y: Any = None
            for j in range(self.inner + len(self.corrections)):
                z = self._precondition(basis[-1]) if j < self.inner else self.corrections[j - self.inner]
                directions.append(z)
                w = self.matvec(z)
                rows = cp.stack(basis)
                one = cp.conj(rows) @ w
                w = w - one @ rows
                two = cp.conj(rows) @ w
                w = w - two @ rows
                read = cp.concatenate([one + two, cp.sqrt(cp.sum(abs(w) ** 2)).reshape(1)]).get()
                hessenberg[: j + 2, j] = read
                count = j + 1
                right = np.zeros(count + 1, complex)
                right[0] = beta
                y, *_ = np.linalg.lstsq(hessenberg[: count + 1, :count], right, rcond=None)
                rest = np.linalg.norm(hessenberg[: count + 1, :count] @ y - right)
                if rest <= target or abs(read[-1]) <= 1e-14 * beta:
                    break
                basis.append(w / float(abs(read[-1])))
            coefficients = cp.asarray(y if rhs.dtype.kind == "c" else y.real, dtype=rhs.dtype)
            correction = coefficients @ cp.stack(directions)
            x = x + correction
            norm = _size(correction)
            if self.keep and norm:
                self.corrections = [*self.corrections, correction / norm][-self.keep :]
            if self.restarts > 1:
                r = rhs - self.matvec(x)
        return x

    def update(self, x: ndarray, f: ndarray) -> None:
        """Takes in a step.

        Parameters
        ----------
        f : array_like
            The residual there.
        """
        self.last_x, self.last_f = x, f
        self._step()
        if hasattr(self.preconditioner, "update"):
            self.preconditioner.update(x, f)


class InverseJacobian:
    """The inverse of an approximation as an operator. See `scipy.optimize.InverseJacobian`.

    Parameters
    ----------
    jacobian : object
        What has `solve`, such as `BroydenFirst`.
    """

    def __init__(self, jacobian: Any) -> None:
        self.jacobian = jacobian
        self.matvec = jacobian.solve
        self.update = jacobian.update
        if hasattr(jacobian, "rsolve"):
            self.rmatvec = jacobian.rsolve
        if hasattr(jacobian, "setup"):
            self.setup = jacobian.setup

    @property
    def shape(self) -> tuple[int, int]:
        """The shape."""
        return self.jacobian.shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self.jacobian.dtype


KINDS: dict[str, Any] = {
    "broyden1": BroydenFirst, "broyden2": BroydenSecond, "anderson": Anderson, "linearmixing": LinearMixing,
    "diagbroyden": DiagBroyden, "excitingmixing": ExcitingMixing, "krylov": KrylovJacobian,
}  # fmt: skip


def solve(
    F: Callable[..., Any],
    x0: Any,
    jacobian: Any,
    iter: int | None = None,
    verbose: bool = False,
    maxiter: int | None = None,
    f_tol: float | None = None,
    f_rtol: float | None = None,
    x_tol: float | None = None,
    x_rtol: float | None = None,
    tol_norm: Any = None,
    line_search: Any = "armijo",
    callback: Any = None,
    raise_exception: bool = True,
) -> tuple[ndarray, dict[str, Any]]:
    """The iteration of all methods: a step with the inverse, a line search, an update."""
    start, F, callback = as_floating(x0), shielded(F), shielded_if(callback, 2)
    shape = start.shape
    calls = 0

    def func(z: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        return as_floating(as_values(F(z.reshape(shape)))).reshape(-1)

    measure = _largest if tol_norm is None else (lambda v: float(tol_norm(v)))
    f_tol = float(np.finfo(np.float64).eps) ** (1 / 3) if f_tol is None else f_tol
    f_rtol, x_tol, x_rtol = (math.inf if v is None else v for v in (f_rtol, x_tol, x_rtol))
    line_search = (
        {True: "armijo", False: None}.get(line_search, line_search) if isinstance(line_search, bool) else line_search
    )
    if line_search not in (None, "armijo", "wolfe"):
        raise ValueError("Invalid line search")
    x = start.reshape(-1)
    f = func(x)
    norm = _size(f)
    jacobian.setup(x, f, func)
    if maxiter is None:
        maxiter = iter + 1 if iter is not None else 100 * (x.size + 1)
    eta, first, dx_size, count, status = 1e-3, None, math.inf, 0, 0
    for n in range(maxiter):
        count += 1
        size = measure(f)
        first = size if first is None else first
        if size == 0:
            status = 1
        elif iter is not None:
            status = 2 if count > iter else 0
        elif size <= f_tol and size / f_rtol <= first and dx_size <= x_tol and dx_size / x_rtol <= measure(x):
            status = 1
        if status:
            break
        if not math.isfinite(norm):
            status = 2
            break
        dx = -jacobian.solve(f, tol=min(eta, eta * norm))
        length = _size(dx)
        if length == 0:
            raise ValueError(
                "Jacobian inversion yielded zero vector. This indicates a bug in the Jacobian approximation."
            )
        tried: dict[float, tuple[ndarray, ndarray, float]] = {}

        def squared(step: float) -> float:
            new = x + step * dx  # noqa: B023
            value = func(new)
            tried[step] = new, value, _size(value)  # noqa: B023
            return tried[step][2] ** 2  # noqa: B023

        # Where no short step helps, the full one changes the approximation most.
        step = (_armijo(squared, norm * norm) if line_search else None) or 1.0
        if step not in tried:
            squared(step)
        new, f_new, norm_new = tried[step]
        dx_size = measure(step * dx) if math.isfinite(x_tol) or math.isfinite(x_rtol) else length
        x, f = new, f_new
        jacobian.update(x, f)
        if callback:
            callback(x.reshape(shape), f.reshape(shape))
        adapted = 0.9 * (norm_new / norm) * (norm_new / norm)
        eta = min(0.9999, adapted) if 0.9 * eta**2 < 0.1 else min(0.9999, max(adapted, 0.9 * eta**2))
        norm = norm_new
        if verbose:
            print(f"{n}:  |F(x)| = {measure(f):g}; step {step:g}")
    else:
        status = 2
        if raise_exception:
            raise NoConvergence(x.reshape(shape))
    if status == 2 and raise_exception and iter is None:
        raise NoConvergence(x.reshape(shape))
    message = {
        1: "A solution was found at the specified tolerance.",
        2: "The maximum number of iterations allowed has been reached.",
    }[status]
    return x.reshape(shape), {
        "nit": count,
        "fun": f.reshape(shape),
        "status": status,
        "success": status == 1,
        "message": message,
        "nfev": calls,
    }


def _armijo(squared: Callable[[float], float], start: float, least: float = 1e-2) -> float | None:
    """A step with which the squared residual falls enough, by a parabola first and then by cubics, or None.

    The slope along a full Newton step is taken for minus the residual at its start. As in SciPy, the step is halved
    after the minimum of a cubic that did not do, and the next cubic takes the value there for that of the half.
    """

    def falls(step: float, value: float) -> bool:
        return value <= start * (1 - 1e-4 * step)

    first, step = (1.0, squared(1.0)), 1.0
    if falls(*first):
        return step
    step = start / (2 * first[1]) if math.isfinite(first[1]) else 0.5
    second = step, squared(step)
    if falls(*second):
        return step
    while step > least:
        trial = 0.5 * step
        if math.isfinite(first[1]) and math.isfinite(second[1]):
            found = _cubic_step(start, first, second)
            trial = found if math.isfinite(found) else trial
        value = squared(trial)
        if falls(trial, value):
            return trial
        step *= 0.5
        first, second = second, (step, value)
    return None


def _cubic_step(start: float, first: tuple[float, float], second: tuple[float, float]) -> float:
    """The minimum of the cubic through two points whose value at 0 is `start`, with the slope `-start`."""
    (p, fp), (q, fq) = first, second
    rest_p, rest_q = (fp - start * (1 - p)) / (p * p), (fq - start * (1 - q)) / (q * q)
    a = (rest_q - rest_p) / (q - p)
    b = rest_q - a * q
    if a == 0:
        return start / (2 * b) if b > 0 else math.nan
    return (math.sqrt(abs(b * b + 3 * a * start)) - b) / (3 * a)


_DOC = """A root of a function of many variables by {what}.

    Parameters
    ----------
    F : callable
        The function, whose values have the shape of its argument.
    xin : array_like
        Where to begin.
    iter : int, optional
        How many iterations to make, whatever the values.
    {options}
    verbose : bool, optional
        Whether to print a line an iteration.
    maxiter : int, optional
        The most iterations.
    f_tol, f_rtol, x_tol, x_rtol : float, optional
        Absolute and relative tolerances of values and variables.
    tol_norm : callable, optional
        The norm of the tolerances, by default the largest absolute value.
    line_search : {{None, 'armijo', 'wolfe'}}, optional
        How the length of a step is chosen.
    callback : callable, optional
        `callback(x, f)` after each iteration.

    Returns
    -------
    ndarray
        The root.

    Raises
    ------
    NoConvergence
        If the iterations do not converge.

    See Also
    --------
    scipy.optimize.{name} : the function of SciPy.

    Examples
    --------
    >>> from cuproxide.scipy import optimize
    >>> optimize.{name}(lambda x: 0.1 * cp.cos(x[::-1]) - x, cp.zeros(2){more}, f_tol=1e-8).round(4)
    array([0.0995, 0.0995])
    """


def _signature(kind: Any, names: tuple[str, ...]) -> inspect.Signature:
    """The parameters of a method and those of all of them, with their defaults."""
    own, common = inspect.signature(kind).parameters, inspect.signature(solve).parameters
    one = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [
            common["F"], inspect.Parameter("xin", one), common["iter"],
            *(own[name].replace(kind=one) for name in names), *(common[name] for name in _COMMON),
            inspect.Parameter("kw", inspect.Parameter.VAR_KEYWORD),
        ]
    )  # fmt: skip


_COMMON = ("verbose", "maxiter", "f_tol", "f_rtol", "x_tol", "x_rtol", "tol_norm", "line_search", "callback")


def _function(name: str, kind: Any, what: str, options: str, names: tuple[str, ...]) -> Any:
    def run(F: Callable[..., Any], xin: Any, iter: int | None = None, *args: Any, **keywords: Any) -> ndarray:
        keywords |= dict(zip((*names, *_COMMON), args, strict=False))
        own = {key: keywords.pop(key) for key in list(keywords) if key not in _COMMON}
        return solve(F, xin, kind(**own), iter, **keywords)[0]

    run.__name__ = run.__qualname__ = name
    run.__signature__ = _signature(kind, names)  # type: ignore[attr-defined]
    more = ", alpha=0.9" if "mixing" in name else ""
    run.__doc__ = _DOC.format(what=what, options=options, name=name, more=more)
    return run


_ALPHA = "alpha : float, optional\n        The first Jacobian is `-1 / alpha` times the identity."
_RANK = _ALPHA + "\n    reduction_method : str or tuple, optional\n        'restart', 'simple' or 'svd'."
_RANK += "\n    max_rank : int, optional\n        How many vectors are kept."
broyden1 = _function(
    "broyden1", BroydenFirst, "Broyden's first approximation", _RANK, ("alpha", "reduction_method", "max_rank")
)
broyden2 = _function(
    "broyden2", BroydenSecond, "Broyden's second approximation", _RANK, ("alpha", "reduction_method", "max_rank")
)
anderson = _function(
    "anderson",
    Anderson,
    "Anderson's mixing",
    _ALPHA
    + "\n    w0 : float, optional\n        A regularisation.\n    M : int, optional\n        How many steps are mixed.",
    ("alpha", "w0", "M"),
)
linearmixing = _function("linearmixing", LinearMixing, "a fixed multiple of the values", _ALPHA, ("alpha",))
diagbroyden = _function("diagbroyden", DiagBroyden, "Broyden's approximation with a diagonal", _ALPHA, ("alpha",))
excitingmixing = _function(
    "excitingmixing", ExcitingMixing, "a diagonal that adapts",
    _ALPHA + "\n    alphamax : float, optional\n        The largest element.", ("alpha", "alphamax"),
)  # fmt: skip
newton_krylov = _function(
    "newton_krylov", KrylovJacobian, "Newton's method with Krylov spaces",
    "rdiff, method, inner_maxiter, inner_M, outer_k : optional\n        Options of `KrylovJacobian`.",
    ("rdiff", "method", "inner_maxiter", "inner_M", "outer_k"),
)  # fmt: skip
