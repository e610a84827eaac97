"""Matrix equations: Sylvester's, Lyapunov's and Riccati's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import concatenate, errstate, stack
from ... import linalg as _numpy
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._typing import ArrayLike
from ._common import (
    LinAlgError,
    adjoint,
    complain,
    computed,
    epsilon,
    identity,
    is_complex,
    matrices,
    transposed,
    triangular,
    ufuncs,
    unstack,
)
from ._orthogonal import qr, svd
from ._pencils import ordqz
from ._schur import schur, solve_sylvester
from ._signs import newton_sign


def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> ndarray:
    """`x` of `a @ x + x @ a.conj().T = q`.

    >>> cp.scipy.linalg.solve_continuous_lyapunov(cp.asarray([[2.0, 1.0], [1.0, 3.0]]), cp.eye(2)).shape
    (2, 2)
    """
    a, q = _pair(a, q)
    return solve_sylvester(a, adjoint(a), q)


solve_lyapunov = solve_continuous_lyapunov


def _pair(a: ArrayLike, q: ArrayLike) -> tuple[ndarray, ndarray]:
    a, q = matrices(a, True, square=True), matrices(q, True, square=True, name="q")
    if a.shape[-1] != q.shape[-1]:
        raise ValueError("Matrix a and q should have the same shape.")
    return a, q


def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike, method: str | None = None) -> ndarray:
    """`x` of `a @ x @ a.conj().T - x + q = 0`, "direct" by a system of all elements or "bilinear".

    By default direct for fewer than ten rows.

    >>> cp.scipy.linalg.solve_discrete_lyapunov(0.5 * cp.eye(2), cp.eye(2)).round(6)
    array([[1.333333, 0.      ],
           [0.      , 1.333333]])
    """
    a, q = _pair(a, q)
    if method is None:
        method = "bilinear" if a.shape[-1] >= 10 else "direct"
    method = method.lower()
    if method == "direct":
        n = a.shape[-1]
        conjugate = a.conj() if is_complex(a.dtype) else a
        product = (a[..., :, None, :, None] * conjugate[..., None, :, None, :]).reshape(*a.shape[:-2], n * n, n * n)
        system = identity(product) - product
        flat = q.reshape(*q.shape[:-2], n * n, 1)
        return _numpy.solve(system, flat).reshape(*_core.broadcast_shapes(a.shape, q.shape))
    if method != "bilinear":
        raise ValueError(f"Unknown solver {method}")
    eye = identity(a)
    mirrored = adjoint(a)
    inverse = _numpy.inv(mirrored + eye)
    b = _core.matmul(mirrored - eye, inverse)
    c = 2 * _core.matmul(_core.matmul(_numpy.inv(a + eye), q), inverse)
    return solve_sylvester(adjoint(b), b, -c)


def _riccati(
    a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike, e: ArrayLike | None, s: ArrayLike | None, regular: str
) -> tuple[ndarray, ndarray, ndarray, ndarray, Any, Any]:
    """The matrices in one dtype, checked; those that `regular` names must not be singular."""
    # Numbers and rows are matrices here.
    a, q, r = (matrices(_matrix(m), True, square=True, name=n) for m, n in ((a, "a"), (q, "q"), (r, "r")))
    b = matrices(_matrix(b), True, name="b")
    n, m = b.shape[-2:]
    if a.shape[-1] != n or q.shape[-1] != n or r.shape[-1] != m:
        raise ValueError(f"the shapes of a {a.shape}, b {b.shape}, q {q.shape} and r {r.shape} do not fit together")
    parts = [a, b, q, r]
    e = None if e is None else matrices(_matrix(e), True, square=True, name="e")
    s = None if s is None else matrices(_matrix(s), True, name="s")
    if e is not None and e.shape[-1] != n or s is not None and s.shape[-2:] != (n, m):
        raise ValueError("e must have the shape of a, and s that of b")
    dtype = computed(*parts, *(p for p in (e, s) if p is not None))
    a, b, q, r = (p.astype(dtype, copy=False) for p in parts)
    for name, part in (("q", q), ("r", r)):
        size = _core.reduce("norm", part, (-2, -1))
        if bool((_core.reduce("norm", part - adjoint(part), (-2, -1)) > 100 * epsilon(part) * size).any()):
            raise ValueError(f"Matrix {name} should be symmetric/hermitian.")
    e, s = (None if p is None else p.astype(dtype, copy=False) for p in (e, s))
    for name, part in (("r", r), ("e", e)):
        if name in regular and part is not None and _singular(part, epsilon(part)):
            raise ValueError(f"Matrix {name} is numerically singular.")
    return a, b, q, r, e, s


def _matrix(value: ArrayLike) -> ndarray:
    a = as_array(value)
    return a.reshape((1,) * (2 - a.ndim) + a.shape) if a.ndim < 2 else a


def _singular(a: ndarray, limit: float) -> bool:
    """Whether a matrix has a singular value below the limit times its largest one."""
    values: ndarray = svd(a, compute_uv=False, check_finite=False)
    return a.size > 0 and not bool((values.min(-1) > limit * values.max(-1)).all())


def solve_continuous_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> ndarray:
    """The stabilising `x` of `a' x + x a - x b inv(r) b' x + q = 0`, with `'` for the adjoint.

    With `e` and `s` of `e' x a + a' x e - (e' x b + s) inv(r) (b' x e + s') + q = 0`. By the stable subspace of the
    Hamiltonian matrix, for stacks by its sign; `balanced` changes nothing. `ValueError` if `r` or `e` is singular,
    `LinAlgError` if there is no such `x`.

    >>> cp.scipy.linalg.solve_continuous_are(cp.eye(2), cp.eye(2), cp.eye(2), cp.eye(2)).round(3)
    array([[2.414, 0.   ],
           [0.   , 2.414]])
    """
    a, b, q, r, factor, mixed = _riccati(a, b, q, r, e, s, "re")
    if factor is not None:
        inverse = _numpy.inv(factor)
        a, q = _core.matmul(a, inverse), _core.matmul(_core.matmul(adjoint(inverse), q), inverse)
        mixed = None if mixed is None else _core.matmul(adjoint(inverse), mixed)
    if mixed is not None:
        weight = _numpy.solve(r, adjoint(mixed))
        a, q = a - _core.matmul(b, weight), q - _core.matmul(mixed, weight)
    gain = _core.matmul(b, _numpy.solve(r, adjoint(b)))
    if any(m.ndim > 2 for m in (a, gain, q)):
        return _by_sign(a, gain, q)
    n = a.shape[-1]
    top, bottom = concatenate([a, -gain], axis=1), concatenate([-q, -adjoint(a)], axis=1)
    _, z, stable = schur(concatenate([top, bottom], axis=0), sort="lhp", check_finite=False)
    # The subspace of a stable half is isotropic: this product is Hermitian.
    product = _core.matmul(adjoint(z[:n, :n]), z[n:, :n])
    skew = _core.reduce("norm", product - adjoint(product))
    if stable != n or bool(skew > 0.1 * _core.reduce("norm", product) + 1000 * epsilon(a)):
        raise LinAlgError("The associated Hamiltonian pencil has eigenvalues too close to the imaginary axis")
    if bool(_numpy.cond(z[:n, :n]) > 1 / epsilon(a)):
        raise LinAlgError("Failed to find a finite solution.")
    x = transposed(_numpy.solve(transposed(z[:n, :n]), transposed(z[n:, :n])))
    return (x + adjoint(x)) / 2


def _by_sign(a: ndarray, gain: ndarray, q: ndarray) -> ndarray:
    """Solutions of stacks of continuous Riccati equations by the signs of the Hamiltonian matrices (Roberts, 1980).

    One step of Newton's method (Kleinman, 1968) takes off what the inverses of the iteration have left.
    """
    outer, n = _core.broadcast_shapes(*(m.shape[:-2] for m in (a, gain, q))), a.shape[-1]
    a, gain, q = (_core.broadcast_to(m, (*outer, n, n)) for m in (a, gain, q))
    if a.size == 0:
        return a.copy()
    sign, sure = newton_sign(
        concatenate([concatenate([a, -gain], axis=-1), concatenate([-q, -adjoint(a)], axis=-1)], axis=-2)
    )
    if not sure:
        raise LinAlgError("The associated Hamiltonian pencil has eigenvalues too close to the imaginary axis")
    # The stable subspace [1; x] is in the null space of sign + 1.
    eye = identity(a)
    left = concatenate([sign[..., :n, n:], sign[..., n:, n:] + eye], axis=-2)
    right = -concatenate([sign[..., :n, :n] + eye, sign[..., n:, :n]], axis=-2)
    unitary, triangle = qr(left, mode="economic", check_finite=False)
    x = triangular(triangle, _core.matmul(adjoint(unitary), right), False)
    complain(~ufuncs["isfinite"](x), "Failed to find a finite solution.")
    x = (x + adjoint(x)) / 2
    closed = a - _core.matmul(gain, x)
    x = solve_continuous_lyapunov(adjoint(closed), -(q + _core.matmul(_core.matmul(x, gain), x)))
    return (x + adjoint(x)) / 2


def solve_discrete_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
) -> ndarray:
    """The stabilising `x` of `a' x a - x - (a' x b) inv(r + b' x b) (b' x a) + q = 0`, with `'` for the adjoint.

    With `e` and `s` of `a' x a - e' x e - (a' x b + s) inv(r + b' x b) (b' x a + s') + q = 0`. By doubling (Chu, Fan,
    Lin and Wang, 2004); if `r` is nearly singular, or that does not converge to a stable loop, by the stable subspace
    of the symplectic pencil (Van Dooren, 1981), one matrix at a time. `balanced` changes nothing. `ValueError` if `e`
    is singular, `LinAlgError` if there is no such `x`.

    Parameters
    ----------
    a : array_like
        The matrix.

    >>> cp.scipy.linalg.solve_discrete_are(cp.eye(2), cp.eye(2), cp.eye(2), cp.eye(2)).round(3)
    array([[1.618, 0.   ],
           [0.   , 1.618]])
    """
    parts = _riccati(a, b, q, r, e, s, "e")
    x = None if _singular(parts[3], epsilon(parts[3]) ** 0.5) else _by_doubling(*parts)
    if x is not None:
        return x
    present = [part for part in parts if part is not None]
    shape = _core.broadcast_shapes(*(part.shape[:-2] for part in present))
    if not shape:
        return _by_pencil(*parts)
    stacks = [None if p is None else unstack(_core.broadcast_to(p, (*shape, *p.shape[-2:]))) for p in parts]
    count = len(stacks[0])
    found = [_by_pencil(*(None if p is None else p[i] for p in stacks)) for i in range(count)]
    return stack(found).reshape(*shape, *found[0].shape) if found else parts[0]


def _by_doubling(
    a: ndarray, b: ndarray, q: ndarray, r: ndarray, e: ndarray | None, s: ndarray | None
) -> ndarray | None:
    """The solution, or None without convergence to a stable closed loop."""
    if e is not None:
        inverse = _numpy.inv(e)
        # With y = e' x e and a inv(e) in place of a.
        a, q = _core.matmul(a, inverse), _core.matmul(_core.matmul(adjoint(inverse), q), inverse)
        s = None if s is None else _core.matmul(adjoint(inverse), s)
    if s is not None:
        weight = _numpy.solve(r, adjoint(s))
        a, q = a - _core.matmul(b, weight), q - _core.matmul(s, weight)
    gain = _core.matmul(b, _numpy.solve(r, adjoint(b)))
    eye = identity(a)
    x, limit = q, 10 * epsilon(a)
    for _ in range(60):
        inner = eye + _core.matmul(gain, x)
        with errstate(linalg="ignore"):
            moved, spread = _numpy.solve(inner, a), _numpy.solve(inner, gain)
        step = _core.matmul(_core.matmul(adjoint(a), x), moved)
        gain = gain + _core.matmul(_core.matmul(a, spread), adjoint(a))
        a, x = _core.matmul(a, moved), x + step
        sizes = [_core.reduce("norm", part, (-2, -1)) for part in (step, x, a)]
        # `a` becomes a power of the closed loop: below 1, that is stable.
        if bool(((sizes[0] <= limit * sizes[1]) & (sizes[2] < 1)).all()):
            return (x + adjoint(x)) / 2
        if not bool(((sizes[1] < np.inf) & (sizes[2] < np.inf)).all()):
            break
    return None


def _by_pencil(a: ndarray, b: ndarray, q: ndarray, r: ndarray, e: ndarray | None, s: ndarray | None) -> ndarray:
    """The solution from the vectors `(v, x e v, u)` that the pencil of states, costates and inputs keeps stable."""
    n, m = b.shape
    e = identity(a) if e is None else e
    s = _core.zeros((n, m), a.dtype) if s is None else s
    left, right = (_core.zeros((2 * n + m, 2 * n + m), a.dtype) for _ in range(2))
    states, costates, inputs = slice(0, n), slice(n, 2 * n), slice(2 * n, 2 * n + m)
    left[states, states], left[states, inputs] = a, b
    left[costates, states], left[costates, costates], left[costates, inputs] = -q, adjoint(e), -s
    left[inputs, states], left[inputs, inputs] = adjoint(s), r
    right[states, states], right[costates, costates], right[inputs, costates] = e, adjoint(a), -adjoint(b)
    # The inputs have no successors: what is orthogonal to their columns is a pencil without them.
    free = adjoint(qr(left[:, inputs], mode="full", check_finite=False)[0][:, m:])
    left, right = (_core.matmul(free, part[:, : 2 * n]) for part in (left, right))
    _, _, alpha, beta, _, z = ordqz(left, right, "iuc", check_finite=False)
    top, bottom = z[:n, :n], z[n:, :n]
    product = _core.matmul(adjoint(top), _core.matmul(adjoint(e), bottom))
    skew, size = (_core.reduce("norm", part) for part in (product - adjoint(product), product))
    # A double value on the circle comes out as two, about the root of epsilon from it.
    inside = 1 - 4 * epsilon(a) ** 0.5
    stable = int((ufuncs["absolute"](alpha) < inside * ufuncs["absolute"](beta)).sum())
    if stable != n or bool(skew > 0.1 * size + 1000 * epsilon(a)):
        raise LinAlgError("The associated symplectic pencil has eigenvalues too close to the unit circle")
    top = _core.matmul(e, top)
    if bool(_numpy.cond(top) > 1 / epsilon(a)):
        raise LinAlgError("Failed to find a finite solution.")
    x = transposed(_numpy.solve(transposed(top), transposed(bottom)))
    return (x + adjoint(x)) / 2


__all__ = [
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
]
