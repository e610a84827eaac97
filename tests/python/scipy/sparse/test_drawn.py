"""Pairs of sparse arrays of drawn shapes, densities, types and formats beside SciPy."""

import random

import cuproxide as cp
import effort
import numpy as np
import pytest
import sparse_cases as cases


def host_part(xp, y):
    return xp.asarray(y.toarray())


CALLS = {
    "add": lambda x, y, xp, sp: x + y,
    "subtract": lambda x, y, xp, sp: x - y,
    "multiply": lambda x, y, xp, sp: x.multiply(y),
    "maximum": lambda x, y, xp, sp: x.maximum(y),
    "minimum": lambda x, y, xp, sp: x.minimum(y),
    "less": lambda x, y, xp, sp: x < y,
    "greater or equal": lambda x, y, xp, sp: x >= y,
    "not equal": lambda x, y, xp, sp: x != y,
    "divide": lambda x, y, xp, sp: x / y,
    "product": lambda x, y, xp, sp: x @ y.T,
    "product from left": lambda x, y, xp, sp: x.T @ y,
    "by dense": lambda x, y, xp, sp: x @ host_part(xp, y).T,
    "by vector": lambda x, y, xp, sp: x @ xp.asarray(np.arange(x.shape[1]).astype(y.dtype)),
    "dense by": lambda x, y, xp, sp: host_part(xp, y).T @ x,
    "add dense": lambda x, y, xp, sp: x + host_part(xp, y),
    "multiply dense": lambda x, y, xp, sp: x.multiply(host_part(xp, y)),
    "hstack": lambda x, y, xp, sp: sp.hstack([x, y]),
    "vstack": lambda x, y, xp, sp: sp.vstack([x, y]),
    "kron": lambda x, y, xp, sp: sp.kron(x, y),
    "sum 0": lambda x, y, xp, sp: x.sum(axis=0),
    "sum 1": lambda x, y, xp, sp: x.sum(axis=1),
    "mean 1": lambda x, y, xp, sp: x.mean(axis=1),
    "max 0": lambda x, y, xp, sp: x.max(axis=0),
    "argmax 1": lambda x, y, xp, sp: x.argmax(axis=1),
    "argmin": lambda x, y, xp, sp: x.argmin(),
    "reversed columns": lambda x, y, xp, sp: x.tocsr()[:, ::-1],
    "reshape": lambda x, y, xp, sp: x.reshape(-1, 1),
    "blocks": lambda x, y, xp, sp: x.tobsr(),
    "diagonals": lambda x, y, xp, sp: x.todia(),
    "diagonal": lambda x, y, xp, sp: x.diagonal(-1),
    "assign": cases.assigned((slice(None, None, 2), slice(1, None)), 5),
    "transpose": lambda x, y, xp, sp: x.T.tocsr(),
}
FORMATS = ("csr", "csc", "coo", "bsr", "dia")


def is_odd(name, x, y, wanted):
    """Where SciPy's result depends on how it computes, or is a failure."""
    formats = {x.format, y.format}
    return (
        isinstance(wanted, NotImplementedError)
        or (name == "divide" and "c" in (x.dtype.kind, y.dtype.kind))
        # Types of products without elements, allocations of products without diagonals, types of sums in place.
        or (name == "kron" and not (x.nnz and y.nnz))
        or formats == {"dia"}
        # One row by a vector is a number; one element by an array has another format.
        or (name == "by vector" and x.format == "coo" and x.shape[0] == 1)
        or (name == "multiply dense" and 1 in x.shape)
    )


@pytest.mark.parametrize("name", CALLS)
def test_drawn_pairs(name):
    drawn = random.Random(name)
    for number in range(effort.CASES or (2000 if effort.FULL else effort.drawn(25))):
        shape = drawn.choice([0, 1, 2, 5, 9, 17]), drawn.choice([0, 1, 3, 8, 70])
        first, second = drawn.choice(cases.DTYPES), drawn.choice(cases.DTYPES)
        formats, kind = drawn.choices(FORMATS, k=2), drawn.choice(cases.KINDS)
        density = drawn.choice([0, 0.1, 0.5, 1])
        x, their_x = cases.pair(formats[0], kind, cases.dense(first, shape, number, density))
        y, their_y = cases.pair(formats[1], kind, cases.dense(second, shape, number + 7, density))
        wanted = cases.outcome(CALLS[name], their_x, their_y, np, cases.scipy_sparse)
        if is_odd(name, their_x, their_y, wanted):
            continue
        got = cases.outcome(CALLS[name], x, y, cp, cases.sparse)
        try:
            cases.agree(got, wanted)
        except Exception as error:
            raise AssertionError((shape, first, second, formats, kind, density)) from error
