"""Python functions of numbers: `vectorize`, `frompyfunc`, and generalised ufuncs."""

import math

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide as core
from helpers import check, compare, same_error


def branches(x, y):
    """Takes several ways."""
    if x > y:
        return x - y
    if x == y or y > 3:
        return y * 10
    return max(x, y) + 1


def collatz(n):
    steps = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps + 0 * n


def in_place(x):
    y = x
    x += 1
    return x * y


FUNCTIONS = {
    "branches": (branches, (np.arange(12.0).reshape(3, 4), np.arange(4.0))),
    "branches of integers": (branches, (np.arange(12, dtype=np.int8).reshape(3, 4), 5)),
    "loop": (collatz, (np.arange(30),)),
    "in place": (in_place, (np.arange(5.0),)),
    "several results": (lambda x: (x + 1, x > 2), (np.arange(5, dtype=np.uint8),)),
    "types by branch": (lambda x: 0 if x < 2 else x / 2, (np.arange(5),)),
    "types by branch, float first": (lambda x: 0.5 if x < 2 else 3, (np.arange(5),)),
    "constant": (lambda x: 7, (np.arange(5),)),
    "float32": (lambda x: x * 0.1, (np.arange(5, dtype=np.float32),)),
    "complex": (lambda x: x * 1j if x else 1j, (np.arange(3),)),
    "bool": (lambda x: not x, (np.array([True, False]),)),
    "and": (lambda x, y: x and y, (np.arange(3), np.arange(3)[::-1])),
    "math": (lambda x: math.floor(x) + 1, (np.linspace(0, 3, 5),)),
    "chain": (lambda x: 1 < x <= 3, (np.arange(6),)),
    "text": (lambda x: len(str(x)), (np.array([1, 22, 333]),)),
    "lookup": (lambda x: {0: 5, 1: 6, 2: 7}[x], (np.array([0, 2, 1]),)),
    "scalar": (lambda x: x + 1, (3,)),
    "0-d": (lambda x: x + 1, (np.array(3.0),)),
    "abs": (lambda x: abs(x) ** 2, (np.array([-1.0, 2.0]),)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vectorize(name):
    function, hosts = FUNCTIONS[name]
    devices = [cp.asarray(host) if isinstance(host, np.ndarray) else host for host in hosts]
    check(cp.vectorize(function)(*devices), np.vectorize(function)(*hosts))


def test_arithmetic_stays_on_the_device():
    a = cp.arange(100.0)
    function = cp.vectorize(lambda x: cp.sin(x) if x > 50 else x * 2)
    before = core.host_transfers()
    function(a)
    assert core.host_transfers() - before < 20


def test_vectorize_calls_once_for_each_way():
    seen = []

    def function(x):
        seen.append(1)
        return x if x > 500 else -x

    found = cp.vectorize(function)(cp.arange(1000))
    # Once more for the type of the results.
    assert sum(seen) == 3
    check(found, np.vectorize(function)(np.arange(1000)))


def test_vectorize_options():
    for call in (
        lambda xp: xp.vectorize(lambda x: x + 1, otypes="f")(xp.arange(3)),
        lambda xp: xp.vectorize(lambda x: (x, x), otypes=[np.int8, float])(xp.arange(3)),
        lambda xp: xp.vectorize(lambda x: x, otypes=[float])(xp.zeros((0, 3))),
        lambda xp: xp.vectorize(lambda x: x)(xp.zeros((0, 3))),
        lambda xp: xp.vectorize(lambda x: x, otypes="?!")(xp.zeros(3)),
        lambda xp: xp.vectorize(lambda x, p: x * p[1], excluded=[1])(xp.arange(3), [1, 2, 3]),
        lambda xp: xp.vectorize(lambda x, p: x * p[1], excluded={"p"})(x=xp.arange(3), p=[1, 2, 3]),
        lambda xp: xp.vectorize(lambda x, y: x - y)(xp.arange(3), y=xp.arange(3)[:, None]),
        lambda xp: xp.vectorize(lambda x: x.sum(), signature="(n)->()")(xp.arange(6).reshape(2, 3)),
        lambda xp: xp.vectorize(lambda x, y: (x @ y, x), signature="(n),(n)->(),(n)", otypes="fd")(
            xp.arange(6).reshape(2, 3), xp.ones(3)
        ),
        lambda xp: xp.vectorize(lambda x: x, signature="(n->n")(xp.ones(3)),
        lambda xp: xp.vectorize(otypes=[float])(lambda x: x)(xp.arange(3)),
        lambda xp: xp.vectorize("x"),
        lambda xp: xp.vectorize(lambda x: x, doc="text")(xp.arange(3)),
        lambda xp: xp.vectorize(lambda x: 1 // 0)(xp.arange(3)),
        lambda xp: xp.vectorize(lambda x: x.nothing)(xp.arange(3)),
        lambda xp: xp.vectorize(lambda x, y: x)(xp.arange(3), xp.arange(4)),
    ):
        compare(lambda xp, _, call=call: call(xp), np.zeros(1))

    @cp.vectorize
    def documented(x):
        """Text."""
        return x

    assert documented.__doc__ == "Text."
    assert documented.__name__ == "documented"
    assert cp.vectorize(abs, doc="other").__doc__ == "other"


def as_numbers(result):
    """NumPy's objects as numbers."""
    return np.asarray(np.asarray(result).tolist())


def test_frompyfunc():
    ours, theirs = cp.frompyfunc(branches, 2, 1), np.frompyfunc(branches, 2, 1)
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    check(ours(cp.asarray(a), cp.asarray(b)), as_numbers(theirs(a, b)))
    check(ours.outer(cp.asarray(b), cp.asarray(b)), as_numbers(theirs.outer(b, b)))
    check(ours.reduce(cp.asarray(a)), as_numbers(theirs.reduce(a)))
    check(ours.reduce(cp.asarray(a), axis=1), as_numbers(theirs.reduce(a, axis=1)))
    check(ours.accumulate(cp.asarray(a), axis=1), as_numbers(theirs.accumulate(a, axis=1)))
    assert (ours.nin, ours.nout, ours.nargs, ours.identity) == (theirs.nin, theirs.nout, theirs.nargs, theirs.identity)
    assert repr(ours) == repr(theirs)
    one, two = cp.frompyfunc(lambda x: (x, -x), 1, 2)(cp.arange(3))
    check(one, np.arange(3))
    check(two, -np.arange(3))
    same_error(lambda: cp.frompyfunc(3, 1, 1), lambda: np.frompyfunc(3, 1, 1))
    same_error(lambda: cp.frompyfunc(abs, 60, 10), lambda: np.frompyfunc(abs, 60, 10))
    same_error(lambda: ours(cp.ones(2)), lambda: theirs(np.ones(2)))
    same_error(lambda: ours.reduce(cp.ones(0)), lambda: theirs.reduce(np.ones(0)))
    out = cp.zeros((3, 4))
    assert ours(cp.asarray(a), cp.asarray(b), out=out) is out


A = np.arange(24.0).reshape(2, 3, 4) - 7
B = np.arange(12).reshape(3, 4) % 5


GUFUNCS = {
    "vecdot": lambda xp, a, b: xp.vecdot(a, b),
    "vecdot axis": lambda xp, a, b: xp.vecdot(a, a, axis=1),
    "vecdot axes": lambda xp, a, b: xp.vecdot(a, b, axes=[2, 1]),
    "vecdot axes ()": lambda xp, a, b: xp.vecdot(a, b, axes=[2, 1, ()]),
    "vecdot keepdims": lambda xp, a, b: xp.vecdot(a, b, keepdims=True),
    "vecdot keepdims axis": lambda xp, a, b: xp.vecdot(a, a, axis=1, keepdims=True),
    "vecdot out": lambda xp, a, b: xp.vecdot(a, b, out=xp.zeros((2, 3))),
    "vecdot out position": lambda xp, a, b: xp.vecdot(a, b, xp.zeros((2, 3))),
    "vecdot out tuple": lambda xp, a, b: xp.vecdot(a, b, out=(xp.zeros((2, 3)),)),
    "vecdot out type": lambda xp, a, b: xp.vecdot(a, b, out=xp.zeros((2, 3), int)),
    "vecdot out unsafe": lambda xp, a, b: xp.vecdot(a, b, out=xp.zeros((2, 3), int), casting="unsafe"),
    "vecdot out twice": lambda xp, a, b: xp.vecdot(a, b, xp.zeros((2, 3)), out=xp.zeros((2, 3))),
    "vecdot out shape": lambda xp, a, b: xp.vecdot(a, b, out=xp.zeros((3, 2))),
    "vecdot dtype": lambda xp, a, b: xp.vecdot(a, b, dtype="f4"),
    "vecdot dtype cast": lambda xp, a, b: xp.vecdot(a, b, dtype="i4"),
    "vecdot signature": lambda xp, a, b: xp.vecdot(a, b, signature="ff->f"),
    "vecdot signature and dtype": lambda xp, a, b: xp.vecdot(a, b, signature="ff->f", dtype="f4"),
    "vecdot complex": lambda xp, a, b: xp.vecdot(a * 1j, b),
    "vecdot sizes": lambda xp, a, b: xp.vecdot(a, b[:, :2]),
    "vecdot scalar": lambda xp, a, b: xp.vecdot(a, 3),
    "vecdot broadcast": lambda xp, a, b: xp.vecdot(a, b[:2]),
    "vecdot axis and axes": lambda xp, a, b: xp.vecdot(a, b, axis=0, axes=[0, 0]),
    "vecdot bad axis": lambda xp, a, b: xp.vecdot(a, b, axis=5),
    "vecdot bad axes": lambda xp, a, b: xp.vecdot(a, b, axes=[0]),
    "vecdot bad axes type": lambda xp, a, b: xp.vecdot(a, b, axes=3),
    "vecdot one": lambda xp, a, b: xp.vecdot(a),
    "matvec": lambda xp, a, b: xp.matvec(a, b[0]),
    "matvec stack": lambda xp, a, b: xp.matvec(a, b[:2]),
    "matvec axes": lambda xp, a, b: xp.matvec(a, b, axes=[(0, 2), -1, 0]),
    "matvec axis": lambda xp, a, b: xp.matvec(a, b[0], axis=0),
    "matvec keepdims": lambda xp, a, b: xp.matvec(a, b[0], keepdims=True),
    "matvec out": lambda xp, a, b: xp.matvec(a, b[0], out=xp.zeros((2, 3))),
    "vecmat": lambda xp, a, b: xp.vecmat(b[:, 0] * 1j, a),
    "vecmat dtype": lambda xp, a, b: xp.vecmat(b[:, 0], a, dtype=complex),
    "vecmat axes": lambda xp, a, b: xp.vecmat(b, a, axes=[0, (1, 2), 0]),
    "vecmat sizes": lambda xp, a, b: xp.vecmat(b, a),
}


@pytest.mark.parametrize("name", GUFUNCS)
def test_products(name):
    compare(GUFUNCS[name], A, B, ulp=4, scale=100.0)


def test_generalized_ufunc():
    def spread(x, y):
        return x.sum() - y, x * 2

    made = cp.GeneralizedUFunc(spread, "(n),()->(),(n)", name="spread")
    a, b = cp.asarray(A), cp.asarray([1.0, 2.0, 3.0])
    total, double = made(a, b)
    check(total, A.sum(-1) - np.array([1.0, 2.0, 3.0]))
    check(double, A * 2)
    assert repr(made) == "<gufunc 'spread'>"
    batched = cp.GeneralizedUFunc(
        lambda x, out=None: cp.sum(x, axis=-1, out=out), "(n)->()", supports_batched=True, supports_out=True
    )
    out = cp.zeros((2, 3))
    assert batched(a, out=out) is out
    check(out, A.sum(-1))
    typed = cp.GeneralizedUFunc(lambda x: x.sum(), "(i)->()", signatures=["f->f", "d->d"])
    assert typed(cp.ones((2, 3), "f2")).dtype == np.float32
    assert typed(cp.ones((2, 3), "i8")).dtype == np.float64
    with pytest.raises(TypeError):
        typed(cp.ones((2, 3), "c16"))
    for bad in ("(n)", "n->()", "(n)->", "(n)->(m", 3):
        with pytest.raises(ValueError, match="signature"):
            cp.GeneralizedUFunc(abs, bad)
