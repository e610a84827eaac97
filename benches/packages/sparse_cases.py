"""Sparse arrays: products, arithmetic, conversions."""

import numpy
from suite import Case


def cases(large):
    """Matrices with 16 elements a row, as many with a power law, and the 5-point operator of Poisson's equation."""
    rows = 1 << (20 if large else 16)
    side = 1024 if large else 256
    dense = 8192 if large else 2048

    def regular(random):
        columns = random.integers(0, rows, 16 * rows)
        return random.random(16 * rows), columns.astype("i4"), numpy.arange(0, 16 * rows + 1, 16).astype("i4")

    def power_law(random):
        weights = 1 / numpy.arange(1, rows + 1) ** 0.7
        lengths = numpy.maximum(1, (weights * (16 * rows / weights.sum())).astype("i8"))
        random.shuffle(lengths)
        indptr = numpy.concatenate(([0], numpy.cumsum(lengths))).astype("i4")
        return random.random(indptr[-1]), random.integers(0, rows, indptr[-1]).astype("i4"), indptr

    def poisson(random):
        del random
        number = numpy.arange(side * side).reshape(side, side)
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

    def csr(xp, sp, data, indices, indptr):
        del xp
        count = indptr.size - 1
        matrix = sp.sparse.csr_matrix((data, indices, indptr), shape=(count, count))
        matrix.sum_duplicates()
        return matrix

    def with_vector(xp, sp, *parts):
        matrix = csr(xp, sp, *parts)
        return matrix, xp.asarray(numpy.random.default_rng(1).random(matrix.shape[0]))

    def with_columns(xp, sp, *parts):
        matrix = csr(xp, sp, *parts)
        return matrix, xp.asarray(numpy.random.default_rng(1).random((matrix.shape[0], 32)))

    def with_other(xp, sp, data, indices, indptr):
        first = csr(xp, sp, data, indices, indptr)
        return first, csr(xp, sp, data, xp.flip(indices), indptr)

    def alone(xp, sp, *parts):
        return (csr(xp, sp, *parts),)

    def coordinates(xp, sp, *parts):
        coo = csr(xp, sp, *parts).tocoo()
        order = xp.asarray(numpy.random.default_rng(2).permutation(coo.data.size))
        return coo.data[order], coo.row[order], coo.col[order]

    def in_order(xp, sp, *parts):
        coo = csr(xp, sp, *parts).tocoo()
        return coo.data, coo.row, coo.col

    def small(xp, sp, *parts):
        return (csr(xp, sp, *parts)[:dense, :dense],)

    def product(xp, sp, matrix, x):
        del xp, sp
        return matrix @ x

    def transposed(xp, sp, matrix, x):
        del xp, sp
        return matrix.T @ x

    def parts_of(result):
        return result.data, result.indices, result.indptr

    def to_csr(xp, sp, data, row, column):
        del xp
        return parts_of(sp.sparse.coo_matrix((data, (row, column)), shape=(rows, rows)).tocsr())

    made = [
        Case(f"A @ x, {name}", operands, product, with_vector)
        for name, operands in (("regular", regular), ("power law", power_law), ("Poisson", poisson))
    ]
    return [
        *made,
        Case("A @ X, 32 columns", regular, product, with_columns),
        Case("A.T @ x", regular, transposed, with_vector),
        Case("A @ A, Poisson", poisson, lambda xp, sp, a: parts_of(a @ a), alone),
        Case("A @ A, regular", regular, lambda xp, sp, a: parts_of(a[: rows // 16] @ a), alone),
        Case("A + B", regular, lambda xp, sp, a, b: parts_of(a + b), with_other),
        Case("A.multiply(B)", regular, lambda xp, sp, a, b: parts_of(a.multiply(b).tocsr()), with_other),
        Case("coo to csr", regular, to_csr, coordinates),
        Case("coo to csr, in order", regular, to_csr, in_order),
        Case("csr to csc", regular, lambda xp, sp, a: parts_of(a.tocsc()), alone),
        Case("sum over axis 0", regular, lambda xp, sp, a: a.sum(axis=0), alone),
        Case("sum over axis 1", regular, lambda xp, sp, a: a.sum(axis=1), alone),
        Case(f"toarray {dense}", regular, lambda xp, sp, a: a.toarray(), small),
        Case("rows by slice", regular, lambda xp, sp, a: parts_of(a[rows // 4 : 3 * rows // 4]), alone),
        Case("rows by index", regular, lambda xp, sp, a: parts_of(a[rows // 2 :: -1]), alone),
    ]
