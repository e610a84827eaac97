from __future__ import annotations
from ._conjugate import bicg, bicgstab, cg, cgs
from ._least_squares import lsmr, lsqr
from ._operators import LinearOperator, aslinearoperator
from ._quasi_minimal import minres, qmr, tfqmr
from ._residuals import gcrotmk, gmres, lgmres
