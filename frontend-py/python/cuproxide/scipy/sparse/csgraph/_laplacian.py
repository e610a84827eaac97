"""Laplacians of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from .. import coo_array, coo_matrix, issparse, isspmatrix
from .._devices import own_device
from .._foreign import taken

__all__ = ["laplacian"]


@own_device
def laplacian(
    csgraph: Any,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: Any = None,
    symmetrized: bool = False,
) -> Any:
    """The Laplacian of a graph: degrees on the diagonal, less the adjacency matrix.

    Parameters
    ----------
    csgraph : (N, N) array or sparse array
        The weights of edges, of any numbers.
    normed : bool
        Whether to divide by the roots of the degrees on both sides.
    return_diag : bool
        Whether to return the diagonal: degrees, or their roots if `normed`.
    use_out_degree : bool
        Whether to count the edges that leave a node, not those that enter it.
    copy : bool
        Not used: the graph is never changed.
    form : {'array', 'function', 'lo'}
        The form of the result: an array, a function that multiplies by it, or a `LinearOperator`.
    dtype : dtype, optional
        Of the result; that of the graph without it.
    symmetrized : bool
        Whether the graph and its conjugate transpose are added first.

    Returns
    -------
    lap : array, sparse array, function or LinearOperator
        The Laplacian: in COO format for a sparse graph; in DIA format for one in DIA format, if not `normed`.
    diag : (N,) array
        The diagonal, 1 for nodes without edges if `normed`. Only with `return_diag`.

    Raises
    ------
    OverflowError
        If the result would be of unsigned integers, which its negative elements are not.
    ValueError
        For graphs that are no square matrices and other forms.

    Notes
    -----
    Source: `scipy.sparse.csgraph.laplacian`.

    >>> cp.scipy.sparse.csgraph.laplacian(cp.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]]))
    array([[ 1, -1,  0],
           [-1,  3, -2],
           [ 0, -2,  2]])
    """
    del copy
    csgraph = taken(csgraph)
    graph = csgraph if issparse(csgraph) else cp.asarray(csgraph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f"csgraph must be a square matrix or array, got the shape {graph.shape}")
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    if normed and np.dtype(graph.dtype).kind in "iu":
        graph = graph.astype(np.float64)
    axis = 1 if use_out_degree else 0
    kind = np.dtype(graph.dtype if dtype is None else dtype)
    if kind.kind == "u" and form == "array":
        raise OverflowError(f"a Laplacian has negative elements, which {kind} does not hold: give dtype=")
    # Degrees may not fit the dtype of the weights, and nothing negative fits an unsigned one.
    wide = np.promote_types(graph.dtype, kind)
    graph = graph.astype(np.promote_types(wide, np.int8) if wide.kind == "u" else wide, copy=False)
    if form == "array":
        result, degrees = (_sparse if issparse(graph) else _dense)(graph, normed, axis, kind, symmetrized)
    else:
        result, degrees = _function(graph, normed, axis, kind, symmetrized)
        if form == "lo":
            from ..linalg._operators import FunctionOperator

            result = FunctionOperator(graph.shape, matvec=result, matmat=result, dtype=kind)
    return (result, degrees) if return_diag else result


def _roots(degrees: Any, normed: bool) -> tuple[Any, Any]:
    """What a row is divided by, and what is on the diagonal."""
    if not normed:
        return degrees, degrees
    lonely = degrees == 0
    return cp.where(lonely, 1, cp.sqrt(cp.where(lonely, 1, degrees))), (~lonely).astype(degrees.dtype)


def _sum(graph: Any, axis: int) -> Any:
    return cp.asarray(graph.sum(axis=axis)).reshape(-1)


def _dense(graph: Any, normed: bool, axis: int, dtype: Any, symmetrized: bool) -> tuple[Any, Any]:
    if symmetrized:
        graph = graph + graph.T.conj()
    own = cp.eye(graph.shape[0], dtype=bool)
    graph = cp.where(own, 0, graph).astype(graph.dtype, copy=False)
    degrees, diagonal = _roots(graph.sum(axis=axis), normed)
    if normed:
        graph = graph / degrees / degrees[:, None]
    result = cp.where(own, diagonal, -graph)
    return result.astype(dtype, copy=False), degrees.astype(dtype, copy=False)


def _sparse(graph: Any, normed: bool, axis: int, dtype: Any, symmetrized: bool) -> tuple[Any, Any]:
    if symmetrized:
        graph = graph + graph.T.conj()
    degrees, diagonal = _roots(_sum(graph, axis) - graph.diagonal(), normed)
    if graph.format == "dia" and not normed:
        matrix = -graph
        matrix.setdiag(diagonal)
        return matrix.astype(dtype, copy=False), degrees.astype(dtype, copy=False)
    matrix = graph.tocoo()
    rows, columns = matrix.row, matrix.col
    values = -(matrix.data / degrees[rows] / degrees[columns] if normed else matrix.data)
    # Elements on the diagonal give way to the degrees.
    away = cp.nonzero(rows != columns)[0]
    places = cp.arange(graph.shape[0], dtype=rows.dtype)
    values = cp.concatenate([values[away], diagonal.astype(values.dtype, copy=False)]).astype(dtype, copy=False)
    rows, columns = (cp.concatenate([part[away], places]) for part in (rows, columns))
    kind = coo_matrix if isspmatrix(graph) else coo_array
    return kind((values, (rows, columns)), shape=graph.shape), degrees.astype(dtype, copy=False)


def _function(graph: Any, normed: bool, axis: int, dtype: Any, symmetrized: bool) -> tuple[Any, Any]:
    degrees, own = _sum(graph, axis), graph.diagonal()
    others = degrees - own
    adjoint = graph.T.conj() if symmetrized else None
    if symmetrized:
        degrees = degrees + _sum(graph, 1 - axis)
        others = degrees - own - own
    roots, _ = _roots(others, normed)

    def laplace(v: Any) -> Any:
        # A vector becomes a row, and so a matrix, by the product with the column of degrees: as in SciPy.
        result = v * degrees[:, None] - graph @ v
        return result if adjoint is None else result - adjoint @ v

    def scaled(v: Any) -> Any:
        return laplace(v / roots[:, None]) / roots[:, None]

    return scaled if normed else laplace, roots.astype(dtype, copy=False)
