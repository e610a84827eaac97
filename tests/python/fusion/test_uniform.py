"""Steps with one value at all points: special functions of parameters are computed once, by a kernel of one point, with
the bits that every point would compute."""

import os
import subprocess
import sys

import cuproxide as cp
import launches
import numpy as np
import pytest
from cuproxide import fusion
from cuproxide.scipy import special, stats

pytestmark = pytest.mark.usefixtures("deferring")


def assert_same_bits(found, wanted):
    found, wanted = found.get(), wanted.get()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_array_equal(found.reshape(-1).view(np.uint8), wanted.reshape(-1).view(np.uint8))


def check(work, *arguments):
    """Compares the results of `work` with those of running every operation at once, cold, compiled and planned."""
    with fusion.eager():
        wanted = work(*arguments)
    for _ in range(3):
        found = work(*arguments)
        cp.evaluate(*found)
        fusion.wait()
        for one, other in zip(found, wanted, strict=True):
            assert_same_bits(one, other)


def field(dtype, shape=(7, 33)):
    count = int(np.prod(shape))
    values = np.linspace(0.25, 4, count) if np.dtype(dtype).kind in "fc" else np.arange(count) % 5 + 1
    return cp.asarray(values.astype(dtype).reshape(shape))


# A parameter as programs give it: the shape says which points read it.
PARAMETERS = {
    "number": lambda dtype: 2.5,
    "numpy's number": lambda dtype: np.dtype(dtype).type(2),
    "0-d": lambda dtype: cp.asarray(2.5).astype(dtype),
    "0-d, deferred": lambda dtype: cp.asarray(2.5).astype(dtype) + 1,
    "one element": lambda dtype: cp.asarray([2.5]).astype(dtype),
    "stretched": lambda dtype: cp.broadcast_to(cp.asarray([[2.5]]).astype(dtype), (7, 33)),
    "a view": lambda dtype: cp.asarray([1.5, 2.5, 3.5]).astype(dtype)[1],
}


@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "bool", "complex64", "complex128"])
def test_a_function_of_a_parameter(dtype, parameter):
    x, a = field(dtype), PARAMETERS[parameter](dtype)
    function = special.loggamma if dtype.startswith("complex") else special.gammaln

    def work(x, a):
        constant = function(a)
        y = x * constant - constant * 2
        return y, y + function(a * 2) / x

    check(work, x, a)


def test_a_stretched_parameter_alone():
    a = cp.broadcast_to(cp.asarray(2.5), (300, 70))
    check(lambda a: [special.gammaln(a)], a)
    check(lambda a: [special.gammaln(a), special.gammaln(a) + 1], a)
    check(lambda a: [special.gammaln(a).sum(), special.gammaln(a).max(axis=0)], a)


def test_elements_decide_and_not_the_form_of_the_group():
    """The same steps over operands of the same types, which differ in how they lie."""
    x = field("float64")
    one = cp.broadcast_to(cp.asarray(1.5), x.shape)
    row = cp.broadcast_to(x[0].copy(), x.shape)
    work = lambda x, a: [x * special.gammaln(a) + 1]  # noqa: E731
    for a in (x, one, row, one, x, row):
        check(work, x, a)


def test_reductions_in_the_group():
    x = field("float64", (40, 50))

    def work(x):
        constant = special.gammaln(2.5)
        y = x * constant + special.betaln(1.5, 2.5)
        rows = y.sum(axis=1)
        soft = cp.exp(y - y.max(axis=1, keepdims=True))
        return y, rows, rows * constant, soft / soft.sum(axis=1, keepdims=True), (y * y).mean()

    check(work, x)


def test_the_reduction_alone():
    x = field("float64", (40, 50))
    check(lambda x: [(x * special.gammaln(2.5)).sum(), (x * special.gammaln(2.5)).sum(axis=1)], x)


def test_a_sum_of_one_value():
    """Its terms are grouped as those of an array are."""
    a = cp.broadcast_to(cp.asarray(0.1), (1000, 30))
    check(lambda a: [special.gammaln(a).sum(), special.gammaln(a).sum(axis=1), special.gammaln(a) * 3], a)


def test_functions_with_several_results():
    x = field("float64")
    check(lambda x: [x + part for part in special.airy(0.5)], x)
    check(lambda x: [x * part for part in special.airy(cp.asarray(0.5))[:2]], x)


def test_results_in_place():
    constant = cp.asarray(2.5)

    def work(start):
        x = start.copy()
        x += special.gammaln(constant)
        x[1:] *= special.gammaln(constant + 1)
        cp.add(x, special.gammaln(3.5), out=x, where=x > 0.5)
        special.gammaln(4.5, out=x[:, 3])
        special.gammaln(cp.broadcast_to(constant, 7), out=x[:, 5])
        return [x]

    check(work, field("float64"))


def test_a_parameter_that_is_updated():
    """What is computed once reads what the parameter was."""
    x, a = field("float64"), cp.asarray([2.5])

    def work(x):
        a[...] = 2.5
        y = x * special.gammaln(a)
        a[...] = 3.5
        z = x * special.gammaln(a)
        return y, z

    check(work, x)


def test_many_values():
    x = field("float64")
    check(lambda x: [sum(x * special.gammaln(0.5 + n) for n in range(20))], x)


@pytest.mark.parametrize("law", ["t", "gamma", "chi2", "beta"])
def test_densities(law):
    x = cp.linspace(-1, 5, 1001)
    shapes = (1.5, 2.5) if law == "beta" else (2.5,)
    check(lambda x: [getattr(stats, law).pdf(x, *shapes), getattr(stats, law).logpdf(x, *shapes)], x)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("length", [2, 17, 1023, 1025, 5000])
def test_quick_functions_of_a_parameter(dtype, length):
    """They stay in the kernel, where a CPU computes them before the loop."""
    x, p = field(dtype, (length,)), cp.asarray([2.5]).astype(dtype)
    check(lambda x, p: [x * p**2.5, x + cp.sin(p) * cp.log(p), (x - cp.exp(p)) * x], x, p)
    check(lambda x, p: [x[::2] * cp.sin(p), cp.where(x == p, cp.cos(p), cp.sqrt(p))], x, p)
    columns = cp.broadcast_to(x, (3, length)).T
    check(lambda x, p: [columns * cp.sin(p), columns[1:] + cp.sin(x[:1])], x, p)


def test_traced_functions():
    x = field("float64")

    def work(x, a):
        return cp.sqrt(x) * special.gammaln(a) - special.gammaln(x)

    fused = cp.fuse(work)
    for a in (2.5, 3.5, 2.5, 4.5):
        for form in (a, cp.asarray(a)):
            with fusion.eager():
                wanted = work(x, form)
            assert_same_bits(fused(x, form), wanted)


def test_captured_work():
    """A graph that is launched again reads the parameter anew."""
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        x, a = field("float64"), cp.asarray([2.5])
        work = lambda: x * special.gammaln(a) + special.gammaln(a + 1)  # noqa: E731
        cp.evaluate(work())
        stream.begin_capture()
        found = work()
        graph = stream.end_capture()
        for value in (2.5, 3.5, 0.5):
            a.fill(value)
            stream.synchronize()
            graph.launch(stream)
            stream.synchronize()
            with fusion.eager():
                assert_same_bits(found, work())


def test_launches_do_not_depend_on_elements():
    def count(shape, work):
        x = field("float64", shape)
        run = lambda: cp.evaluate(work(x))  # noqa: E731
        run()
        fusion.wait()
        return launches.launches(run)

    costly = lambda x: x * special.jv(2.5, 1.5) + special.gammaln(3.5)  # noqa: E731
    assert {count(shape, costly) for shape in [(2,), (10,), (30_000,), (300, 400)]} == {2}
    # Of a line a CPU computes straight functions before its loop.
    straight = lambda x: x * special.gammaln(2.5) + special.gammaln(3.5)  # noqa: E731
    assert {count(shape, straight) for shape in [(2, 1), (300, 400)]} == {2}
    assert {count(shape, straight) for shape in [(2,), (10,), (30_000,)]} == {1 + cp.zeros(1).device.asynchronous}
    # Functions whose kernels call others, too, are costly.
    assert count((10,), lambda x: x * special.stdtrit(3.5, 0.25)) == 2
    # What is quickly computed again stays in the kernel.
    one = cp.asarray(2.5)
    assert count((300, 400), lambda x: x * cp.sin(one) + 1) == 1
    # One point is its own kernel.
    assert count((1,), costly) == 1


CONTRACTED = """
import cuproxide as cp
from cuproxide.scipy import special
x = cp.linspace(-0.3, 0.3, 997)
a, factor = cp.asarray(2.6), cp.asarray(1 / 3)
known = special.gammaln(a)
cp.evaluate(known, a, factor)
for _ in range(2):
    wanted, found = x + known * factor, x + special.gammaln(a) * factor
    cp.evaluate(wanted)
    cp.evaluate(found)
    cp.fusion.wait()
    assert wanted.tobytes() == found.tobytes()
plain = known.get() * factor.get() + x.get()
assert plain.tobytes() != found.tobytes()
"""


def test_products_stay_with_their_sums_in_contracted_programs():
    environment = {**os.environ, "CUPROXIDE_CONTRACT": "1", "CUPROXIDE_EAGER": "0"}
    subprocess.run([sys.executable, "-c", CONTRACTED], check=True, env=environment, timeout=300)
