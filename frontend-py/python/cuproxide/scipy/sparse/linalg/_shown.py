"""What solvers print of their iterations if `show` is true, in SciPy's words.

The host reads numbers after each step. Of a system whose squares are out of range they are those of the scaled system.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_MESSAGES = (
    "The exact solution is x = 0, or x = x0, if x0 was given",
    "Ax - b is small enough, given atol, btol",
    "The least-squares solution is good enough, given atol",
    "The estimate of cond(Abar) has exceeded conlim",
    "Ax - b is small enough for this machine",
    "The least-squares solution is good enough for this machine",
    "Cond(Abar) seems to be too large for this machine",
    "The iteration limit has been reached",
)
_MINRES = (
    "beta2 = 0.  If M = I, b and x are eigenvectors",
    "beta1 = 0.  The exact solution is x0",
    "A solution to Ax = b was found, given rtol",
    "A least-squares solution was found, given rtol",
    "Reasonable accuracy achieved, given eps",
    "x has converged to an eigenvector",
    "acond has exceeded 0.1/eps",
    "The iteration limit was reached",
)


class _LeastSquares:
    """The table of a solver of least squares, whose numbers are those that it returns."""

    near = (1.1, 1.1)
    """A row is printed if the condition, or another test, is within this factor of its limit."""
    every: float = 10
    exact = math.inf
    """The second test where there is no residual."""

    def __init__(self, shape: Any, most: int, damp: float, atol: float, btol: float, conlim: float) -> None:
        self.shape, self.most, self.damp, self.atol, self.btol, self.conlim = shape, most, damp, atol, btol, conlim

    def _tests(self, istop: int, itn: int, residual: float, normal: float, matrix: Any, cond: Any, ratio: Any) -> Any:
        """The tests of both residuals, and whether they are printed; `ratio` is of the solution and the right side."""
        first = residual / ratio[1]
        second = normal / (matrix * residual) if matrix * residual else self.exact
        limit = self.btol + self.atol * matrix * ratio[0] / ratio[1]
        shown = self.shape[1] <= 40 or itn <= 10 or itn >= self.most - 10 or itn % self.every == 0 or istop != 0
        shown = shown or (self.conlim > 0 and cond >= self.conlim / self.near[0])
        return first, second, shown or second <= self.near[1] * self.atol or first <= self.near[1] * limit


class Lsqr(_LeastSquares):
    """The table of `lsqr`."""

    near = (2.0, 10.0)
    every = math.inf
    exact = 0.0

    def head(self, calc_var: bool) -> None:
        print(" \nLSQR            Least-squares solution of  Ax = b")
        print(f"The matrix A has {self.shape[0]} rows and {self.shape[1]} columns")
        print(f"damp = {self.damp:20.14e}   calc_var = {calc_var:8g}")
        print(f"atol = {self.atol:8.2e}                 conlim = {self.conlim:8.2e}")
        print(f"btol = {self.btol:8.2e}               iter_lim = {self.most:8g}")

    def start(self, x: Any, residual: float, test2: float) -> None:
        if not residual or not test2:
            print(f"{'The exact solution is  x = 0':<58}")
            return
        print(" \n   Itn      x[0]       r1norm     r2norm   Compatible    LS      Norm A   Cond A")
        print(f"{0:6g} {x[0].item():12.5e}  {residual:10.3e} {residual:10.3e}   {1:8.1e} {test2:8.1e}")

    def row(self, x: Any, numbers: Any, bnorm: float) -> None:
        istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm = numbers
        test1, test2, shown = self._tests(istop, itn, r2norm, arnorm, anorm, acond, (xnorm, bnorm))
        if shown:
            tests = f"  {test1:8.1e} {test2:8.1e}  {anorm:8.1e} {acond:8.1e}"
            print(f"{itn:6g} {x[0].item():12.5e}  {r1norm:10.3e} {r2norm:10.3e} {tests}")

    def end(self, numbers: Any) -> None:
        istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm = numbers
        print(f" \nLSQR finished\n{_MESSAGES[int(istop)]:<58}\n ")
        print(f"istop ={istop:8g}   r1norm ={r1norm:8.1e}   anorm ={anorm:8.1e}   arnorm ={arnorm:8.1e}")
        print(f"itn   ={itn:8g}   r2norm ={r2norm:8.1e}   acond ={acond:8.1e}   xnorm  ={xnorm:8.1e}\n ")


class Lsmr(_LeastSquares):
    """The table of `lsmr`."""

    rows = 0
    last = ("", "")

    def head(self) -> None:
        print(" \nLSMR            Least-squares solution of  Ax = b\n")
        print(f"The matrix A has {self.shape[0]} rows and {self.shape[1]} columns\ndamp = {self.damp:20.14e}\n")
        print(f"atol = {self.atol:8.2e}                 conlim = {self.conlim:8.2e}\n")
        print(f"btol = {self.btol:8.2e}             maxiter = {self.most:8g}\n")

    @staticmethod
    def _title() -> None:
        print(" \n   itn      x(1)       norm r    norm Ar  compatible   LS      norm A   cond A")

    def start(self, x: Any, normr: float, normar: float, test2: float) -> None:
        if not normar:
            print(f"{_MESSAGES[0]:<57}")
            return
        self._title()
        print(f"{0:6g} {x[0].item():12.5e} {normr:10.3e} {normar:10.3e}  {1:8.1e} {test2:8.1e}")

    def row(self, x: Any, numbers: Any, normb: float) -> None:
        istop, itn, normr, normar, norma, conda, normx = numbers
        test1, test2, shown = self._tests(istop, itn, normr, normar, norma, conda, (normx, normb))
        if shown:
            # The title comes again every 20 rows.
            if self.rows and self.rows % 20 == 0:
                self._title()
            self.rows += 1
            of_x, of_r = f"{itn:6g} {x[0].item():12.5e}", f" {normr:10.3e} {normar:10.3e}"
            tests, estimates = f"  {test1:8.1e} {test2:8.1e}", f" {norma:8.1e} {conda:8.1e}"
            print(of_x + of_r + tests + estimates)
            self.last = (f"{of_x} {of_r}", f"{tests} {estimates}")

    def end(self, numbers: Any) -> None:
        istop, itn, normr, normar, norma, conda, normx = numbers
        print(f" \nLSMR finished\n{_MESSAGES[int(istop)]:<58}\nistop ={istop:8g}    normr ={normr:8.1e}")
        print(f"    normA ={norma:8.1e}    normAr ={normar:8.1e}\nitn   ={itn:8g}    condA ={conda:8.1e}")
        print(f"    normx ={normx:8.1e}", *self.last, sep="\n")


class Minres:
    """The table of `minres`."""

    def __init__(self, count: int, shift: float, most: int, rtol: float, eps: float, beta1: float) -> None:
        self.count, self.most, self.rtol, self.eps, self.beta1 = count, most, rtol, eps, beta1
        self.numbers: tuple[float, ...] = ()
        self.itn = self.istop = 0
        print("Enter minres.   Solution of symmetric Ax = b")
        print(f"Enter minres.   n      =  {count:3g}     shift  =  {shift:23.14e}")
        print(f"Enter minres.   itnlim =  {most:3g}     rtol   =  {rtol:11.2e}\n\n")
        print("\n   Itn     x(1)     Compatible    LS       norm(A)  cond(A) gbar/|A|")

    def row(
        self, x: Any, anorm: float, acond: float, residuals: Any, root: float, gbar: float, size: float, lucky: bool
    ) -> None:
        """An iteration: norms of the matrix, its condition, the residuals before and after it."""
        before, residual = residuals
        self.itn += 1
        product = anorm * size
        test1 = residual / product if product else math.inf
        test2 = root / anorm if anorm else math.inf
        self.istop = self._verdict(test1, test2, acond, product, lucky)
        few = self.count <= 40 or self.itn <= 10 or self.itn >= self.most - 10 or self.itn % 10 == 0
        near = residual <= 10 * product * max(self.eps, self.rtol) or acond <= 1e-2 / self.eps
        if few or near or self.istop:
            share = gbar / anorm if anorm else math.nan
            print(f"{self.itn:6g} {x[0].item():12.5e} {test1:10.3e} {test2:10.3e}", end="")
            print(f" {anorm:8.1e} {acond:8.1e} {share:8.1e}")
            if self.itn % 10 == 0:
                print()
        self.numbers = (anorm, acond, residual, size, before * root)

    def _verdict(self, test1: float, test2: float, acond: float, product: float, lucky: bool) -> int:
        """Why it stops, 0 if it does not: later tests count more."""
        if lucky:
            return -1
        found = 0
        for code, holds in (
            (2, 1 + test2 <= 1),
            (1, 1 + test1 <= 1),
            (6, self.itn >= self.most),
            (4, acond >= 0.1 / self.eps),
            (3, product * self.eps >= self.beta1),
            (2, test2 <= self.rtol),
            (1, test1 <= self.rtol),
        ):
            found = code if holds else found
        return found

    def end(self) -> None:
        last = "Exit  minres.   "
        anorm, acond, rnorm, ynorm, arnorm = self.numbers or (0.0,) * 5
        print(f"\n{last} istop   =  {self.istop:3g}               itn   ={self.itn:5g}")
        print(f"{last} Anorm   =  {anorm:12.4e}      Acond =  {acond:12.4e}")
        print(f"{last} rnorm   =  {rnorm:12.4e}      ynorm =  {ynorm:12.4e}\n{last} Arnorm  =  {arnorm:12.4e}")
        print(f"{last} {_MINRES[self.istop + 1]:<50}")


class Lobpcg:
    """What `lobpcg` prints of its eigenvalues."""

    def __init__(self, count: int, width: int, constraints: int, is_general: bool, is_improved: bool) -> None:
        kinds = "generalized" if is_general else "standard", "with" if is_improved else "without"
        print("Solving {} eigenvalue problem {} preconditioning\n".format(*kinds))
        print(f"matrix size {count}\nblock size {width}\n")
        print("No constraints\n\n" if not constraints else f"{constraints} constraint{'s' * (constraints > 1)}\n\n")

    def row(self, number: int, width: int, values: Any, norms: Any) -> None:
        print(f"iteration {number}\ncurrent block size: {width}")
        print(f"eigenvalue(s):\n{values}\nresidual norm(s):\n{norms}")

    def end(self, values: Any, norms: Any) -> None:
        print(f"Final iterative eigenvalue(s):\n{np.asarray(values)}\nFinal iterative residual norm(s):\n{norms}")
