"""Quasi-Newton updates of dense Hessians."""

from __future__ import annotations

import math
import warnings
from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..sparse.linalg import LinearOperator

FLAT = (
    "delta_grad == 0.0. Check if the approximated function is linear. If the function is linear better results can be "
    "obtained by defining the Hessian as zero instead of using quasi-Newton approximations."
)

__all__ = ["BFGS", "SR1", "HessianUpdateStrategy", "LbfgsInvHessProduct"]


class HessianUpdateStrategy:
    """The base of updates: `initialize`, `update`, `dot`, `get_matrix`. See `scipy.optimize.HessianUpdateStrategy`."""

    def initialize(self, n: int, approx_type: str) -> None:
        """Sets the number of variables and whether the Hessian ('hess') or its inverse ('inv_hess') is kept."""
        raise NotImplementedError("The method ``initialize(n, approx_type)`` is not implemented.")

    def update(self, delta_x: Any, delta_grad: Any) -> None:
        """Takes in a step and the change of the gradient."""
        raise NotImplementedError("The method ``update(delta_x, delta_grad)`` is not implemented.")

    def dot(self, p: Any) -> ndarray:
        """The matrix times a vector."""
        raise NotImplementedError("The method ``dot(p)`` is not implemented.")

    def get_matrix(self) -> ndarray:
        """The matrix."""
        raise NotImplementedError("The method ``get_matrix(p)`` is not implemented.")

    def __matmul__(self, p: Any) -> ndarray:
        return self.dot(p)


class _Full(HessianUpdateStrategy):
    def __init__(self, init_scale: Any = "auto") -> None:
        self.init_scale = init_scale
        self.first_iteration: bool | None = None
        self.approx_type: str | None = None
        self.B: Any = None
        self.H: Any = None

    def initialize(self, n: int, approx_type: str) -> None:
        """Sets the number of variables and whether the Hessian ('hess') or its inverse ('inv_hess') is kept."""
        if approx_type not in ("hess", "inv_hess"):
            raise ValueError("`approx_type` must be 'hess' or 'inv_hess'.")
        self.first_iteration, self.n, self.approx_type = True, n, approx_type
        self._matrix = cp.eye(n)

    @property
    def _matrix(self) -> ndarray:
        return self.B if self.approx_type == "hess" else self.H

    @_matrix.setter
    def _matrix(self, value: ndarray) -> None:
        if self.approx_type == "hess":
            self.B = value
        else:
            self.H = value

    def update(self, delta_x: Any, delta_grad: Any) -> None:
        """Takes in a step and the change of the gradient."""
        s, y = as_device(delta_x), as_device(delta_grad)
        still, flat, ss, yy, sy = cp.stack(
            [cp.all(s == 0) * 1.0, cp.all(y == 0) * 1.0, cp.sum(s * s), cp.sum(y * y), cp.sum(s * y)]
        ).tolist()
        if still:
            return
        if flat:
            warnings.warn(FLAT, UserWarning, stacklevel=2)
            return
        if self.first_iteration:
            scale: Any = self.init_scale
            if isinstance(scale, str):
                scale = (
                    1.0
                    if ss == 0 or yy == 0 or sy == 0
                    else (yy / abs(sy) if self.approx_type == "hess" else abs(sy) / yy)
                )
            scale = as_device(scale)
            self._matrix = scale * self._matrix if scale.ndim == 0 else scale.astype(float)
            self.first_iteration = False
        self._implementation(s, y)

    def _implementation(self, s: ndarray, y: ndarray) -> None:
        raise NotImplementedError

    def dot(self, p: Any) -> ndarray:
        """The matrix times a vector."""
        return self._matrix @ as_device(p)

    def get_matrix(self) -> ndarray:
        """The matrix."""
        return self._matrix.copy()


class BFGS(_Full):
    """The update of Broyden, Fletcher, Goldfarb and Shanno. See `scipy.optimize.BFGS`.

    Parameters
    ----------
    exception_strategy : {'skip_update', 'damp_update'}, optional
        What happens where the curvature is too small.
    min_curvature : float, optional
        The smallest curvature.
    """

    def __init__(
        self, exception_strategy: str = "skip_update", min_curvature: float | None = None, init_scale: Any = "auto"
    ) -> None:
        if exception_strategy not in ("skip_update", "damp_update"):
            raise ValueError("`exception_strategy` must be 'skip_update' or 'damp_update'.")
        default = 1e-8 if exception_strategy == "skip_update" else 0.2
        self.min_curvature = default if min_curvature is None else min_curvature
        super().__init__(init_scale)
        self.exception_strategy = exception_strategy

    def _implementation(self, s: ndarray, y: ndarray) -> None:
        w, z = (s, y) if self.approx_type == "hess" else (y, s)
        mw = self._matrix @ w
        wz, wmw = cp.stack([cp.sum(w * z), cp.sum(w * mw)]).tolist()
        if wmw <= 0:
            scale = abs(float(cp.sum(y * y)) / wz) if self.approx_type == "hess" else abs(wz / float(cp.sum(y * y)))
            self._matrix = scale * cp.eye(self.n)
            mw = self._matrix @ w
            wmw = float(cp.sum(w * mw))
        if wz <= self.min_curvature * wmw:
            if self.exception_strategy == "skip_update":
                return
            factor = (1 - self.min_curvature) / (1 - wz / wmw)
            z = factor * z + (1 - factor) * mw
            wz = float(cp.sum(w * z))
        m = self._matrix
        if self.approx_type == "hess":
            self._matrix = m + z[:, None] * z[None, :] / wz - mw[:, None] * mw[None, :] / wmw
        else:
            rho = 1 / wz
            cross = mw[:, None] * z[None, :]
            self._matrix = m - rho * (cross + cross.T) + (rho * rho * wmw + rho) * z[:, None] * z[None, :]


class SR1(_Full):
    """The symmetric update of rank one. See `scipy.optimize.SR1`.

    Parameters
    ----------
    min_denominator : float, optional
        How small a denominator may be, relatively.
    """

    def __init__(self, min_denominator: float = 1e-8, init_scale: Any = "auto") -> None:
        self.min_denominator = min_denominator
        super().__init__(init_scale)

    def _implementation(self, s: ndarray, y: ndarray) -> None:
        w, z = (s, y) if self.approx_type == "hess" else (y, s)
        rest = z - self._matrix @ w
        bottom, ww, rr = cp.stack([cp.sum(w * rest), cp.sum(w * w), cp.sum(rest * rest)]).tolist()
        if abs(bottom) <= self.min_denominator * math.sqrt(ww) * math.sqrt(rr):
            return
        self._matrix = self._matrix + rest[:, None] * rest[None, :] / bottom


class LbfgsInvHessProduct(LinearOperator):
    """The inverse Hessian that L-BFGS has, as an operator. See `scipy.optimize.LbfgsInvHessProduct`.

    Parameters
    ----------
    sk, yk : array_like
        Steps and changes of the gradient, one a row.
    """

    def __init__(self, sk: Any, yk: Any) -> None:
        self.sk, self.yk = as_device(sk), as_device(yk)
        if self.sk.shape != self.yk.shape or self.sk.ndim != 2:
            raise ValueError("sk and yk must have matching shape, (n_corrs, n)")
        self.n_corrs, n = self.sk.shape
        super().__init__(self.sk.dtype, (n, n))
        self.rho = 1 / cp.einsum("ij,ij->i", self.sk, self.yk)

    def _matvec(self, x: ndarray) -> ndarray:
        q = x.astype(self.dtype).reshape(-1)
        alphas = []
        for i in reversed(range(self.n_corrs)):
            alphas.append(self.rho[i] * cp.sum(self.sk[i] * q))
            q = q - alphas[-1] * self.yk[i]
        for i in range(self.n_corrs):
            beta = self.rho[i] * cp.sum(self.yk[i] * q)
            q = q + self.sk[i] * (alphas[self.n_corrs - 1 - i] - beta)
        return q

    # The matrix is symmetric.
    _rmatvec = _matvec

    def todense(self) -> ndarray:
        """The operator as a matrix."""
        n = self.shape[0]
        unit = cp.eye(n, dtype=self.dtype)
        h = unit
        for i in range(self.n_corrs):
            v = unit - self.rho[i] * self.sk[i][:, None] * self.yk[i][None, :]
            h = v @ h @ v.T + self.rho[i] * self.sk[i][:, None] * self.sk[i][None, :]
        return h
