"""Sparse linear algebra and graphs: iterative and direct solvers, eigenvalues, components, paths."""

import numpy
from suite import Case


def cases(large):
    """The 5-point operator of Poisson's equation on two grids, matrices of random elements, and a grid graph."""
    side = 1024 if large else 256
    direct = 192 if large else 96
    values = 192 if large else 48
    rows = 16384 if large else 4096
    nodes = 4096 if large else 1024

    def poisson(size):
        def operands(random):
            del random
            number = numpy.arange(size * size).reshape(size, size)
            pairs = [(number, number, 4.0)]
            for axis in (0, 1):
                a, b = numpy.delete(number, 0, axis), numpy.delete(number, -1, axis)
                pairs += [(a, b, -1.0), (b, a, -1.0)]
            row = numpy.concatenate([a.ravel() for a, _, _ in pairs])
            column = numpy.concatenate([b.ravel() for _, b, _ in pairs])
            data = numpy.concatenate([numpy.full(a.size, value) for a, _, value in pairs])
            order = numpy.lexsort((column, row))
            indptr = numpy.concatenate(([0], numpy.cumsum(numpy.bincount(row)))).astype("i4")
            return data[order], column[order].astype("i4"), indptr

        return operands

    def regular(count, columns, each):
        def operands(random):
            indices = random.integers(0, columns, each * count)
            return (
                random.random(each * count),
                indices.astype("i4"),
                numpy.arange(0, each * count + 1, each).astype("i4"),
            )

        return operands

    def csr(columns=None):
        def prepare(xp, sp, data, indices, indptr):
            count = indptr.size - 1
            matrix = sp.sparse.csr_matrix((data, indices, indptr), shape=(count, columns or count))
            matrix.sum_duplicates()
            return matrix, xp.ones(count)

        return prepare

    def csc(xp, sp, *parts):
        matrix, b = csr()(xp, sp, *parts)
        return matrix.tocsc(), b

    def factors(xp, sp, *parts):
        matrix, b = csc(xp, sp, *parts)
        return sp.sparse.linalg.splu(matrix), b

    def lower(xp, sp, *parts):
        matrix, b = csr()(xp, sp, *parts)
        return sp.sparse.tril(matrix).tocsr(), b

    def iterations(name, count, **options):
        def call(xp, sp, matrix, b):
            limits = {"iter_lim" if name == "lsqr" else "maxiter": count}
            if name == "gmres":
                # CuPy counts steps, SciPy and this package restarts.
                limits = {"restart": count // 3, "maxiter": count if xp.__name__ == "cupy" else 3}
            if name == "minres":
                # Other tolerances end CuPy's and SciPy's after 18 steps on the large grid.
                limits["tol" if xp.__name__ == "cupy" else "rtol"] = 0
            return getattr(sp.sparse.linalg, name)(matrix, b, **limits, **options)[0]

        return call

    def linalg(name, *arguments, pick=None, **options):
        def call(xp, sp, matrix, b):
            del xp, b
            result = getattr(sp.sparse.linalg, name)(matrix, *arguments, **options)
            return result if pick is None else result[pick]

        return call

    def graph(name, *arguments, pick=None, **options):
        def call(xp, sp, matrix, b):
            del xp, b
            result = getattr(sp.sparse.csgraph, name)(matrix, *arguments, **options)
            return result if pick is None else result[pick]

        return call

    grid, small = poisson(side), poisson(direct)
    none = ("cupy",)
    exact = {"atol": 0, "btol": 0}
    return [
        Case("cg, 200 iterations", grid, iterations("cg", 200), csr()),
        Case("bicgstab, 100 iterations", grid, iterations("bicgstab", 100), csr(), none),
        Case("gmres, 60 iterations", grid, iterations("gmres", 60), csr()),
        Case("minres, 100 iterations", grid, iterations("minres", 100), csr()),
        Case("lsqr, 100 iterations", grid, iterations("lsqr", 100, **exact), csr(), none),
        Case(f"spsolve, Poisson {direct}", small, lambda xp, sp, a, b: sp.sparse.linalg.spsolve(a, b), csr()),
        Case(f"splu and solve, Poisson {direct}", small, lambda xp, sp, a, b: sp.sparse.linalg.splu(a).solve(b), csc),
        Case(f"solve by factors, Poisson {direct}", small, lambda xp, sp, lu, b: lu.solve(b), factors),
        Case("spsolve_triangular", small, lambda xp, sp, a, b: sp.sparse.linalg.spsolve_triangular(a, b), lower),
        Case(f"eigsh 6 LA, Poisson {values}", poisson(values), linalg("eigsh", 6, which="LA", pick=0), csr()),
        Case(f"eigsh 6 near 0, Poisson {direct}", small, linalg("eigsh", 6, sigma=0, pick=0), csc, none),
        Case("eigs 6 LM", regular(nodes, nodes, 8), linalg("eigs", 6, pick=0), csr(), none),
        Case(f"svds 6, {rows} rows", regular(rows, rows // 2, 8), linalg("svds", 6, pick=1), csr(rows // 2)),
        Case("connected components, grid", grid, graph("connected_components", pick=1), csr(), none),
        Case("minimum spanning tree", regular(nodes, nodes, 8), graph("minimum_spanning_tree"), csr(), none),
        Case("dijkstra, all nodes", regular(nodes, nodes, 8), graph("dijkstra"), csr(), none),
        Case(
            "bellman_ford, 4 nodes", regular(nodes, nodes, 8), graph("bellman_ford", indices=[0, 1, 2, 3]), csr(), none
        ),
        Case("breadth-first order", grid, graph("breadth_first_order", 0, pick=0), csr(), none),
    ]
