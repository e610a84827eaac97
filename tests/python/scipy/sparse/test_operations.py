"""Operations of sparse arrays beside SciPy: every format, array and matrix, with partners of other formats."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
import sparse_cases as cases

TABLES = {
    "arithmetic": cases.ARITHMETIC,
    "comparisons": cases.COMPARISONS,
    "products": cases.PRODUCTS,
    "reductions": cases.REDUCTIONS,
    "shapes": cases.SHAPES,
    "reads": cases.READS,
    "writes": cases.WRITES,
    "constructions": cases.CONSTRUCTIONS,
    "broadcast": cases.BROADCAST,
}
SHAPE = (6, 8)
# SciPy chooses the format of these results by how it computes them.
ANY_FORMAT = {"broadcast"}
# Types that SciPy lets pass without a rule: what is assigned to a diagonal, counts as int32 or int64, means of float32.
ANY_TYPE = {"set diagonal -2", "set diagonal 3", "count", "element"}


def partners(format):
    return ("csr" if format != "csr" else "coo", format)


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("format", cases.FORMATS)
@pytest.mark.parametrize("table", TABLES)
def test_beside_scipy(table, format, kind):
    run(table, format, kind, ("float64", "int32", "complex64"))


@pytest.mark.parametrize("table", ["arithmetic", "comparisons", "products", "reductions", "reads", "writes"])
@pytest.mark.parametrize("dtype", [dtype for dtype in cases.DTYPES if dtype.char not in "dF"], ids=str)
def test_types(table, dtype):
    # Each type with formats in turn, so that all pairs are seen in few calls.
    formats = itertools.cycle(["csr", "csc", "coo"])
    for _ in range(cases.DTYPES.index(dtype) % 3 + 1):
        format = next(formats)
    run(table, format, "array", (dtype,))


def run(table, format, kind, dtypes):
    failures = []
    for number, (dtype, partner) in enumerate(itertools.product(dtypes, partners(format))):
        ours, theirs = cases.pair(format, kind, cases.dense(dtype, SHAPE, number))
        other, other_theirs = cases.pair(partner, kind, cases.dense(dtype, SHAPE, number + 10))
        for name, call in TABLES[table].items():
            if format in cases.LEFT_OUT.get(name, ()):
                continue
            wanted = cases.outcome(call, theirs, other_theirs, np, cases.scipy_sparse)
            if isinstance(wanted, NotImplementedError) or is_odd(name, wanted, np.dtype(dtype), format, kind):
                continue
            got = cases.outcome(call, ours, other, cp, cases.sparse)
            try:
                cases.agree(got, wanted, format=table not in ANY_FORMAT, dtype=name not in ANY_TYPE)
            except Exception as error:
                failures.append(f"{name} of {dtype} with {partner}: {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


def is_odd(name, wanted, dtype, format, kind):
    """Cases in which SciPy refuses what is well defined, or has a type that we widen."""
    if isinstance(wanted, ValueError) and "does not support dtype float16" in str(wanted):
        return True
    if isinstance(wanted, TypeError) and dtype.kind == "b":
        # Negative and subtracted truths: NumPy's refusal is not SciPy's.
        return True
    if name == "divide" and dtype.kind == "c":
        # SciPy's own division of complex numbers gives nan where NumPy's gives infinity.
        return True
    if name == "expand_dims" and kind == "matrix":
        # A matrix with three axes; ours is an array.
        return True
    if name == "sparse mask" and getattr(wanted, "shape", None) == (0,):
        # Nothing chosen is a sparse array, something a dense one.
        return True
    return isinstance(wanted, TypeError) and kind == "matrix" and format == "coo" and "subscriptable" in str(wanted)
