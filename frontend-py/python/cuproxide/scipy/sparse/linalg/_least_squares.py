"""Least squares by Golub-Kahan bidiagonalisation. The recurrences of scalars are one small kernel a step."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib import kernel as k
from .._devices import own_device
from . import _shown
from ._operators import as_matrix_operator
from ._scaling import OutOfRange, exponent_of, matrix_near_one, near_one, side_near_one, times_power
from ._systems import CHECK_EVERY, Progress, iterate, norm

__all__ = ["lsmr", "lsqr"]


@k.function
def _rotation(a, b):
    """Cosine, sine and length of a plane rotation that takes (a, b) to (r, 0)."""
    c, s, r = (0.0, 0.0, 0.0)
    if b == 0.0:
        c, s, r = (k.sign(a), 0.0, abs(a))
    elif a == 0.0:
        c, s, r = (0.0, k.sign(b), abs(b))
    elif abs(b) > abs(a):
        tau = a / b
        s = k.sign(b) / k.sqrt(1.0 + tau * tau)
        c, r = (s * tau, b / s)
    else:
        tau = b / a
        c = k.sign(a) / k.sqrt(1.0 + tau * tau)
        s, r = (c * tau, a / c)
    return c, s, r


@k.function
def _verdict(test1, test2, test3, t1, rtol, atol, ctol, last):
    """Why to stop: 0 to go on, else a number from 1 to 7; the smaller ones count more."""
    istop = 0.0
    if last:
        istop = 7.0
    if 1.0 + test3 <= 1.0:
        istop = 6.0
    if 1.0 + test2 <= 1.0:
        istop = 5.0
    if 1.0 + t1 <= 1.0:
        istop = 4.0
    if test3 <= ctol:
        istop = 3.0
    if test2 <= atol:
        istop = 2.0
    if test1 <= rtol:
        istop = 1.0
    return istop


# The places of the numbers in the state of `lsqr`.
_STOP, _ITN, _R1, _R2, _ANORM, _ACOND, _ARNORM, _XNORM = range(8)
_DD, _RES2, _XX, _Z, _CS2, _SN2, _RHOBAR, _PHIBAR, _BNORM, _T1, _T2, _RHO, _GOES, _ALFA = range(8, 22)


@k.kernel
def _lsqr_step(
    s: k.Out, alfa: k.Each, beta: k.Each, wnorm: k.Each, damp: float, atol: float, btol: float, ctol: float, most: int
):
    eps = float(np.finfo(np.float64).eps)
    goes = s[_STOP] == 0.0
    s[_GOES] = goes.astype(np.float64)
    if goes:
        itn = s[_ITN] + 1.0
        anorm = s[_ANORM]
        if beta > 0.0:
            anorm = k.sqrt(anorm * anorm + s[_ALFA] * s[_ALFA] + beta * beta + damp * damp)
        rhobar1, psi, phibar = (s[_RHOBAR], 0.0, s[_PHIBAR])
        if damp > 0.0:
            rhobar1 = k.sqrt(s[_RHOBAR] * s[_RHOBAR] + damp * damp)
            psi = damp / rhobar1 * phibar
            phibar = s[_RHOBAR] / rhobar1 * phibar
        cs, sn, rho = _rotation(rhobar1, beta)
        theta = sn * alfa
        phi = cs * phibar
        phibar = sn * phibar
        tau = sn * phi
        ddnorm = s[_DD] + (wnorm / rho) * (wnorm / rho)
        delta = s[_SN2] * rho
        gambar = -s[_CS2] * rho
        rhs = phi - delta * s[_Z]
        zbar = rhs / gambar
        xnorm = k.sqrt(s[_XX] + zbar * zbar)
        gamma = k.sqrt(gambar * gambar + theta * theta)
        z = rhs / gamma
        xxnorm = s[_XX] + z * z
        acond = anorm * k.sqrt(ddnorm)
        res2 = s[_RES2] + psi * psi
        rnorm = k.sqrt(phibar * phibar + res2)
        arnorm = alfa * abs(tau)
        r1norm = rnorm
        if damp > 0.0:
            square = rnorm * rnorm - damp * damp * xxnorm
            r1norm = k.where(square < 0.0, -k.sqrt(abs(square)), k.sqrt(abs(square)))
        test1 = rnorm / s[_BNORM]
        # Without SciPy's summand eps, by which systems in small units end at once.
        product = anorm * rnorm
        test2 = k.where(product != 0.0, arnorm / product, 0.0)
        test3 = 1.0 / (acond + eps)
        size = anorm * xnorm / s[_BNORM]
        s[_STOP] = _verdict(test1, test2, test3, test1 / (1.0 + size), btol + atol * size, atol, ctol, itn >= most)
        s[_ITN] = itn
        s[_R1] = r1norm
        s[_R2] = rnorm
        s[_ANORM] = anorm
        s[_ACOND] = acond
        s[_ARNORM] = arnorm
        s[_XNORM] = xnorm
        s[_DD] = ddnorm
        s[_RES2] = res2
        s[_XX] = xxnorm
        s[_Z] = z
        s[_CS2] = gambar / gamma
        s[_SN2] = theta / gamma
        s[_RHOBAR] = -cs * alfa
        s[_PHIBAR] = phibar
        s[_T1] = phi / rho
        s[_T2] = -theta / rho
        s[_RHO] = rho
        s[_ALFA] = alfa


def _start(A: Any, b: Any, x0: Any) -> Any:
    """The operator, the right-hand side as a vector, the first solution, u, v and the norms that come first."""
    A = as_matrix_operator(A)
    b = cp.atleast_1d(cp.asarray(b))
    b = b.squeeze() if b.ndim > 1 else b
    if b.shape != (A.shape[0],):
        raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
    given = () if x0 is None else (cp.asarray(x0),)
    kind = np.result_type(np.float64, b.dtype, *(() if A.dtype is None else (A.dtype,)), *(x.dtype for x in given))
    b = b.astype(kind, copy=False)
    x = given[0].astype(kind).reshape(A.shape[1]) if given else cp.zeros(A.shape[1], kind)
    u = b - A.matvec(x) if given else b
    return A, b, x, u


def _result_type(x: Any, *parts: Any) -> Any:
    """The type of a solution that was computed in double precision: that of the first guess, and of other parts."""
    given = [part.dtype for part in parts if part is not None and part.dtype is not None]
    kind = np.result_type(*given)
    kind = kind if kind.kind in "fc" else np.result_type(kind, np.float64)
    return kind if (x.dtype.kind == "c") <= (kind.kind == "c") else x.dtype


def _unit(v: Any) -> tuple[Any, Any]:
    """A vector of length 1, or 0, and the length it had."""
    size = norm(v)
    return v / cp.where(size > 0, size, 1), size


def _require_range(A: Any, b: Any, damp: float, bnorm: float, alfa: float) -> None:
    """`OutOfRange` where lengths of a right-hand side or of products with its matrix are no numbers near 1."""
    of_side, of_matrix = (not 2.0**-340 < size < 2.0**340 for size in (bnorm, alfa))
    if of_side and exponent_of(b) or (of_side or of_matrix) and near_one(A, beside=damp)[1]:
        raise OutOfRange


def _within_range(units: tuple[tuple[int, int], ...]) -> Callable[[Any], Any]:
    """A solver that starts again, without powers of two, where squares are out of range.

    `units` has for each result behind the number of iterations the powers of the units of `A` and `b` in it.
    """

    def decorate(solver: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(solver)

        @functools.wraps(solver)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return solver(*args, **kwargs)
            except OutOfRange:
                pass
            options = signature.bind(*args, **kwargs).arguments
            options["A"], of_matrix = matrix_near_one(options, "damp")
            of_side = side_near_one(options, of_matrix, "damp")
            x, istop, itn, *others = solver(**options)
            scaled = []
            with np.errstate(over="ignore"):
                for value, (of_A, of_b) in zip(others, units, strict=True):
                    power = of_A * of_matrix + of_b * of_side
                    is_number = isinstance(value, float)
                    result = times_power(np.float64(value) if is_number else value, power)
                    scaled.append(float(result) if is_number else result)
            return times_power(x, of_side - of_matrix), istop, itn, *scaled

        return call

    return decorate


class _Numbers(Progress):
    """The state of a recurrence, whose kernels change it in place, as the status."""

    def __init__(self, numbers: Any) -> None:
        self.status = numbers

    def over(self, number: int, last: int, every: int = CHECK_EVERY) -> int:
        """Why to stop, read after each `every` steps."""
        return int(self.status[_STOP]) if (number + 1) % every == 0 else 0


def _bidiagonalise(A: Any, run: Any) -> Any:
    """A step of Golub and Kahan: the next `u`, `v` and `alfa`; returns beta."""
    run.u, beta = _unit(A.matvec(run.v) - run.alfa * run.u)
    following, alfa = _unit(A.rmatvec(run.u) - beta * run.v)
    # Without a further u there is no further v.
    run.v, run.alfa = cp.where(beta > 0, following, run.v), cp.where(beta > 0, alfa, run.alfa)
    return beta


@own_device
@_within_range(((0, 1), (0, 1), (1, 0), (0, 0), (1, 1), (-1, 1), (-2, 0)))
def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Minimises `norm(b - A x)^2 + damp^2 norm(x - x0)^2` by Golub-Kahan bidiagonalisation.

    Vectors and scalars stay on the device; whether it is over is read once every 8 iterations.

    Parameters
    ----------
    atol, btol : float
        Relative errors of `A` and `b`: it stops when the residual is as small as they allow.
    iter_lim : int, optional
        Most iterations, by default 2 N.
    calc_var : bool
        Whether to estimate the diagonal of the inverse of `A' A + damp^2 I`.

    Returns
    -------
    x : array
        The solution.
    istop : int
        Why it stopped: 1, a solution; 2, a least-squares solution; 3, `conlim`; 4 to 6, as 1 to 3 to the precision of
        numbers; 7, `iter_lim`; 0, the first guess is the solution.
    itn : int
        Iterations.
    r1norm, r2norm, anorm, acond, arnorm, xnorm : float
        Norms of the residual, without and with damping, of the matrix, its condition, norms of `A' r` and `x`.
    var : array
        The diagonal of the inverse of `A' A + damp^2 I` if `calc_var`, else zeros.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Notes
    -----
    Source: Paige and Saunders 1982; `scipy.sparse.linalg.lsqr`.

    >>> A = cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, *_ = cp.scipy.sparse.linalg.lsqr(A, cp.array([1.0, 0.0, -1.0]))
    >>> bool(cp.allclose(x, cp.array([1.0, -1.0]))), istop
    (True, 1)
    """
    guess = None if x0 is None else cp.asarray(x0)
    right = b = cp.asarray(b)
    A, b, x, u = _start(A, b, guess)
    kind = x.dtype if guess is None else _result_type(x, guess, A, right)
    iter_lim = 2 * A.shape[1] if iter_lim is None else iter_lim
    bnorm = norm(b)
    u, beta = _unit(u)
    v, alfa = _unit(A.rmatvec(u))
    var = cp.zeros(A.shape[1])
    w = v
    first = [0, 0, beta, beta, 0, 0, alfa * beta, 0, 0, 0, 0, 0, -1, 0, alfa, beta, bnorm, 0, 0, 1, 0, alfa]
    state = cp.stack([cp.asarray(value, dtype=np.float64) for value in first])
    numbers = cp.asnumpy(state)
    _require_range(A, b, damp, numbers[_BNORM], numbers[_ALFA])
    table = _shown.Lsqr(A.shape, iter_lim, damp, atol, btol, conlim) if show else None
    if table is not None:
        table.head(calc_var)
        table.start(x, numbers[_R1], numbers[_ALFA] / numbers[_R1] if numbers[_R1] else 0.0)
    if numbers[_ARNORM] == 0:
        return x.astype(kind, copy=False), 0, 0, *(float(number) for number in numbers[2:8]), var
    ctol = 1 / conlim if conlim > 0 else 0.0
    progress = _Numbers(state)
    run = SimpleNamespace(u=u, v=v, alfa=alfa, w=w, x=x, var=var)

    def step(_: int) -> None:
        numbers = progress.status
        beta = _bidiagonalise(A, run)
        _lsqr_step(
            numbers, run.alfa, beta, norm(run.w), float(damp), float(atol), float(btol), ctol, iter_lim, shape=()
        )
        goes = numbers[_GOES] > 0
        if calc_var:
            run.var = cp.where(goes, run.var + (run.w.conj() * run.w).real / numbers[_RHO] ** 2, run.var)
        run.x = cp.where(goes, run.x + numbers[_T1] * run.w, run.x)
        run.w = run.v + numbers[_T2] * run.w

    def shown(x: Any) -> Any:
        numbers = cp.asnumpy(progress.status)
        if table is not None and numbers[_ITN]:
            table.row(x, numbers[: _XNORM + 1], numbers[_BNORM])
        return numbers

    iterate(step, progress, run, iter_lim, shown if show else None, (A,))
    # The last step is not seen before.
    x, var, numbers = run.x, run.var, shown(run.x)
    if table is not None:
        table.end(numbers[: _XNORM + 1])
    return (
        x.astype(kind, copy=False),
        int(numbers[_STOP]),
        int(numbers[_ITN]),
        *(float(number) for number in numbers[2:8]),
        var,
    )


# The places of the numbers in the state of `lsmr`.
_NORMR, _NORMAR, _NORMA, _CONDA, _NORMX = range(2, 7)
_ZETABAR, _ALPHABAR, _LRHO, _RHOBAR2, _CBAR, _SBAR, _BETADD, _BETAD, _RHODOLD, _TAUTILDE = range(7, 17)
_THETATILDE, _ZETA, _D, _NORMA2, _MAXRBAR, _MINRBAR, _NORMB, _CH, _CX, _CN, _LGOES, _RHOTEMP = range(17, 29)


@k.kernel
def _lsmr_step(s: k.Out, alpha: k.Each, beta: k.Each, damp: float):
    goes = s[_STOP] == 0.0
    s[_LGOES] = goes.astype(np.float64)
    if goes:
        chat, shat, alphahat = _rotation(s[_ALPHABAR], damp)
        rhoold = s[_LRHO]
        c, sn, rho = _rotation(alphahat, beta)
        thetanew = sn * alpha
        alphabar = c * alpha
        rhobarold = s[_RHOBAR2]
        zetaold = s[_ZETA]
        thetabar = s[_SBAR] * rho
        rhotemp = s[_CBAR] * rho
        cbar, sbar, rhobar = _rotation(rhotemp, thetanew)
        zeta = cbar * s[_ZETABAR]
        zetabar = -sbar * s[_ZETABAR]
        s[_CH] = -(thetabar * rho / (rhoold * rhobarold))
        s[_CX] = zeta / (rho * rhobar)
        s[_CN] = -(thetanew / rho)
        betaacute = chat * s[_BETADD]
        betacheck = -shat * s[_BETADD]
        betahat = c * betaacute
        betadd = -sn * betaacute
        ctilde, stilde, rhotilde = _rotation(s[_RHODOLD], thetabar)
        tautilde = (zetaold - s[_THETATILDE] * s[_TAUTILDE]) / rhotilde
        thetatilde = stilde * rhobar
        rhodold = ctilde * rhobar
        betad = -stilde * s[_BETAD] + ctilde * betahat
        taud = (zeta - thetatilde * tautilde) / rhodold
        d = s[_D] + betacheck * betacheck
        square = s[_NORMA2] + beta * beta
        s[_NORMR] = k.sqrt(d + (betad - taud) * (betad - taud) + betadd * betadd)
        s[_NORMA] = k.sqrt(square)
        s[_NORMA2] = square + alpha * alpha
        maxrbar, minrbar = s[_MAXRBAR], s[_MINRBAR]
        # The first one is 1 in any unit, and no part of the matrix.
        if s[_ITN] > 0.0:
            maxrbar = max(maxrbar, rhobarold)
            minrbar = min(minrbar, rhobarold)
        s[_CONDA] = max(maxrbar, rhotemp) / min(minrbar, rhotemp)
        s[_NORMAR] = abs(zetabar)
        s[_MAXRBAR] = maxrbar
        s[_MINRBAR] = minrbar
        s[_ITN] += 1.0
        s[_ZETABAR] = zetabar
        s[_ALPHABAR] = alphabar
        s[_LRHO] = rho
        s[_RHOBAR2] = rhobar
        s[_CBAR] = cbar
        s[_SBAR] = sbar
        s[_BETADD] = betadd
        s[_BETAD] = betad
        s[_RHODOLD] = rhodold
        s[_TAUTILDE] = tautilde
        s[_THETATILDE] = thetatilde
        s[_ZETA] = zeta
        s[_D] = d


@k.kernel
def _lsmr_test(s: k.Out, normx: k.Each, atol: float, btol: float, ctol: float, most: int):
    if s[_STOP] == 0.0:
        test1 = s[_NORMR] / s[_NORMB]
        product = s[_NORMA] * s[_NORMR]
        test2 = k.where(product != 0.0, s[_NORMAR] / product, float("inf"))
        test3 = 1.0 / s[_CONDA]
        size = s[_NORMA] * normx / s[_NORMB]
        s[_NORMX] = normx
        s[_STOP] = _verdict(test1, test2, test3, test1 / (1.0 + size), btol + atol * size, atol, ctol, s[_ITN] >= most)


@own_device
@_within_range(((0, 1), (1, 1), (1, 0), (0, 0), (-1, 1)))
def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: Any = None,
) -> tuple[Any, ...]:
    """Minimises `norm(b - A x)^2 + damp^2 norm(x - x0)^2`, with a norm of `A' r` that only falls.

    Vectors and scalars stay on the device; whether it is over is read once every 8 iterations.

    Parameters
    ----------
    atol, btol : float
        Relative errors of `A` and `b`: it stops when the residual is as small as they allow.
    maxiter : int, optional
        Most iterations, by default the smaller of M and N.

    Returns
    -------
    x : array
        The solution.
    istop : int
        Why it stopped, as for `lsqr`.
    itn : int
        Iterations.
    normr, normar, norma, conda, normx : float
        Norms of the residual `r`, of `A' r`, of the matrix, its condition, the norm of `x`.

    Raises
    ------
    ValueError
        For shapes that do not fit.

    Notes
    -----
    Source: Fong and Saunders 2011; `scipy.sparse.linalg.lsmr`.

    >>> A = cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> x, istop, *_ = cp.scipy.sparse.linalg.lsmr(A, cp.array([1.0, 0.0, -1.0]))
    >>> bool(cp.allclose(x, cp.array([1.0, -1.0]))), istop
    (True, 1)
    """
    guess = None if x0 is None else cp.asarray(x0)
    A, b, x, u = _start(A, b, guess)
    # SciPy's recurrence changes the first guess in place.
    kind = x.dtype if guess is None else _result_type(x, guess)
    maxiter = min(A.shape) if maxiter is None else maxiter
    normb = norm(b)
    u, beta = _unit(u)
    v, alpha = _unit(A.rmatvec(u))
    h, hbar = v, cp.zeros_like(v)
    first = [0, 0, beta, alpha * beta, alpha, 1, 0, alpha * beta, alpha, 1, 1, 1, 0, beta, 0, 1, 0]
    first += [0, 0, 0, alpha * alpha, 0, np.inf, normb, 0, 0, 0, 0, 0]
    state = cp.stack([cp.asarray(value, dtype=np.float64) for value in first])
    start = cp.asnumpy(state)
    _require_range(A, b, damp, start[_NORMB], start[_ALPHABAR])
    table = _shown.Lsmr(A.shape, maxiter, damp, atol, btol, conlim) if show else None
    if table is not None:
        table.head()
        table.start(x, start[_NORMR], start[_NORMAR], start[_ALPHABAR] / start[_NORMR] if start[_NORMR] else 0.0)
    if start[_NORMAR] == 0 or start[_NORMB] == 0:
        x = (x if start[_NORMAR] == 0 else cp.zeros_like(x)).astype(kind, copy=False)
        return x, 0, 0, *(float(number) for number in start[2:7])
    ctol = 1 / conlim if conlim > 0 else 0.0
    progress = _Numbers(state)
    run = SimpleNamespace(u=u, v=v, alfa=alpha, h=h, hbar=hbar, x=x)

    def step(_: int) -> None:
        numbers = progress.status
        beta = _bidiagonalise(A, run)
        _lsmr_step(numbers, run.alfa, beta, float(damp), shape=())
        run.hbar = run.h + numbers[_CH] * run.hbar
        run.x = cp.where(numbers[_LGOES] > 0, run.x + numbers[_CX] * run.hbar, run.x)
        run.h = run.v + numbers[_CN] * run.h
        _lsmr_test(numbers, norm(run.x), float(atol), float(btol), ctol, maxiter, shape=())

    def shown(x: Any) -> Any:
        numbers = cp.asnumpy(progress.status)
        if table is not None and numbers[_ITN]:
            table.row(x, numbers[: _NORMX + 1], numbers[_NORMB])
        return numbers

    iterate(step, progress, run, maxiter, shown if show else None, (A,))
    x, numbers = run.x, shown(run.x)
    if table is not None:
        table.end(numbers[: _NORMX + 1])
    return (
        x.astype(kind, copy=False),
        int(numbers[_STOP]),
        int(numbers[_ITN]),
        *(float(number) for number in numbers[2:7]),
    )
