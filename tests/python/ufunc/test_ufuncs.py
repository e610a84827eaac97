"""Every ufunc, with every dtype that NumPy gives it, in every layout, at edge values."""

import copy
import itertools
import pickle

import cuproxide as cp
import numpy as np
import pytest
from helpers import (
    BFLOAT16,
    COMPLEX,
    FEW,
    LAYOUTS,
    NUMPY_DTYPES,
    check,
    close,
    compare,
    edge_values,
    epsilon,
    in_layout,
    is_inexact,
    same_error,
    sample,
    to_device,
)

UFUNCS = sorted(
    name
    for name in cp.__all__
    if isinstance(getattr(cp, name), cp.ufunc) and isinstance(getattr(np, name, None), np.ufunc)
)
LETTERS = "?bhilBHILefdFD"

# What the C library leaves to it: units in the last place between good implementations.
ULP = {
    "arccos": 4, "arccosh": 6, "arcsin": 4, "arcsinh": 6, "arctan": 4, "arctan2": 4, "arctanh": 6, "cbrt": 4, "cos": 4,
    "cosh": 6, "exp": 4, "exp2": 4, "expm1": 4, "float_power": 8, "hypot": 4, "log": 4, "log10": 4, "log1p": 4,
    "log2": 4, "logaddexp": 8, "logaddexp2": 8, "power": 8, "sin": 4, "sinh": 6, "tan": 6, "tanh": 6,
    "degrees": 2, "radians": 2, "rad2deg": 2, "deg2rad": 2,
}  # fmt: skip
ALIASES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "pow": "power",
}
# Complex results are compared by their distance, relative to their size; multiplication may round each part.
COMPLEX_ULP = 64
# Through a logarithm, whose error the exponent magnifies.
POWERS = ("float_power", "pow", "power")
# Which of two zeros is chosen is not defined.
SIGNLESS = ("maximum", "minimum", "fmax", "fmin", "nextafter")


def ulp_of(name, dtype):
    name = ALIASES.get(name, name)
    if dtype.kind == "c":
        return COMPLEX_ULP
    return ULP.get(name, 0) * (8 if dtype == np.float16 and ULP.get(name) else 1)


def loops(name):
    """The input dtypes of NumPy's loops for the dtypes of this library."""
    found = []
    for loop in getattr(np, name).types:
        inputs = loop.split("->")[0]
        if all(letter in LETTERS for letter in inputs):
            found.append(tuple(np.dtype(letter) for letter in inputs))
    return list(dict.fromkeys(found))


CASES = [(name, dtypes) for name in UFUNCS for dtypes in loops(name)]


def operands(dtypes):
    """All pairs of edge values, as arrays of one shape."""
    values = [edge_values(dtype) for dtype in dtypes]
    if len(values) == 1:
        return values
    first, second = np.meshgrid(*values, indexing="ij")
    return [np.ascontiguousarray(first.ravel()), np.ascontiguousarray(second.ravel())]


def domain(name, arrays):
    """Removes what is undefined: NumPy's results there differ between machines."""
    keep = np.ones(arrays[0].shape, bool)
    if name in ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift"):
        bits = arrays[1].dtype.itemsize * 8
        keep &= (arrays[1] >= 0) & (arrays[1] < bits)
    if name in ("power", "pow") and arrays[0].dtype.kind in "iu":
        keep &= arrays[1] >= 0
    if name == "reciprocal" and arrays[0].dtype.kind in "iu":
        keep &= arrays[0] != 0
    if name == "ldexp":
        keep &= abs(arrays[1].astype(float)) < 2**31
    if name in ("gcd", "lcm") and arrays[0].dtype.kind == "i":
        low = np.iinfo(arrays[0].dtype).min
        keep &= (arrays[0] != low) & (arrays[1] != low)
    return [array[keep] for array in arrays]


def agree(name, actual, expected, inexact_ulp=0):
    """Asserts agreement, with special complex values compared by what is finite only."""
    expected = expected if isinstance(expected, tuple) else (expected,)
    actual = actual if isinstance(actual, tuple) else (actual,)
    for one, other in zip(actual, expected, strict=True):
        if other.dtype.kind == "c":
            assert one.dtype == other.dtype
            finite = np.isfinite(other)
            host = cp.asnumpy(one)
            wrong = finite & ~close(host, other, COMPLEX_ULP * (16 if name in POWERS else 1))
            assert not wrong.any(), list(zip(host[wrong], other[wrong], strict=True))[:5]
        else:
            loose = name in ("abs", "absolute") and inexact_ulp
            check(one, other, ulp=loose or ulp_of(name, other.dtype), signs=name not in SIGNLESS)


@pytest.mark.parametrize(
    "name, dtypes", CASES, ids=lambda case: case if isinstance(case, str) else "".join(d.char for d in case)
)
def test_edge_values(name, dtypes):
    arrays = domain(name, operands(dtypes))
    if any(dtype.kind == "c" for dtype in dtypes):
        # Rules for infinite complex numbers differ between C libraries.
        keep = np.logical_and.reduce([np.isfinite(array) for array in arrays])
        arrays = [array[keep] for array in arrays]
    # The absolute value of a complex number is a hypotenuse.
    inexact_ulp = 4 if dtypes[0].kind == "c" else 0
    agree(name, getattr(cp, name)(*map(cp.array, arrays)), getattr(np, name)(*arrays), inexact_ulp)


@pytest.mark.parametrize("name", UFUNCS)
def test_layouts(name):
    function = getattr(np, name)
    wanted = {"?": 0, "l": 1, "f": 2, "d": 3, "D": 4}
    chosen = [dtypes for dtypes in loops(name) if all(d.char in wanted for d in dtypes)][:4]
    for dtypes, layout in itertools.product(chosen, LAYOUTS):
        hosts = domain(
            name,
            [np.abs(sample(d, (40,), i, True)) if d.kind != "b" else sample(d, (40,), i) for i, d in enumerate(dtypes)],
        )
        count = min(host.size for host in hosts) // 5 * 5
        if not count:
            continue
        hosts = [in_layout(host[:count].reshape(-1, 5), layout) for host in hosts]
        expected = function(*hosts)
        expected = expected if isinstance(expected, tuple) else np.asarray(expected)
        agree(name, getattr(cp, name)(*map(to_device, hosts)), expected, 4)
        if len(hosts) == 2 and layout in ("C", "strided"):
            mixed = [hosts[0], np.ascontiguousarray(hosts[1][:1])]
            agree(name, getattr(cp, name)(*map(to_device, mixed)), function(*mixed), 4)


@pytest.mark.parametrize("order", "KCFA")
@pytest.mark.parametrize("layouts", [*itertools.product(("C", "F", "strided", "reversed"), repeat=2)], ids="-".join)
def test_order(order, layouts):
    a, b = (in_layout(sample(np.float32, (5, 7), i, True), layout) for i, layout in enumerate(layouts))
    compare(lambda xp, x, y: xp.add(x, y, order=order), a, b, strides=True)
    compare(lambda xp, x: xp.negative(x, order=order), a, strides=True)
    compare(lambda xp, x: xp.negative(x.reshape(5, 7, 1).transpose(2, 0, 1), order=order), a, strides=True)


@pytest.mark.parametrize(
    "shapes",
    [((3, 1), (1, 4)), ((), (2, 3)), ((5,), (2, 5)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((1,) * 9, (2,))],
    ids=str,
)
def test_broadcasting(shapes):
    a, b = (sample(np.float64, shape, i, True) for i, shape in enumerate(shapes))
    compare(lambda xp, x, y: x + y, a, b)
    compare(lambda xp, x, y: xp.less(x, y), a, b)
    compare(lambda xp, x, y: x * np.float64(2), a, b)


@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_out(dtype):
    a, b = sample(dtype, (3, 4), 1, True), sample(dtype, (3, 4), 2, True)
    for layout in ("C", "F", "strided"):
        target = in_layout(np.zeros((3, 4), dtype), layout)
        out = to_device(target)
        assert cp.add(cp.array(a), cp.array(b), out=out) is out
        check(out, np.add(a, b))
        assert cp.add(cp.array(a), cp.array(b), out) is out
        assert cp.add(cp.array(a), cp.array(b), out=(out,)) is out
    wide = cp.empty((2, 3, 4), np.complex128)
    cp.add(cp.array(a), cp.array(b), out=wide)
    check(wide, np.add(a, b, out=np.empty((2, 3, 4), np.complex128)))


def test_out_refuses():
    a = np.ones((2, 3))
    for shape, dtype in [((3, 2), float), ((3,), float), ((2, 3), int), ((2, 3), bool)]:
        same_error(
            lambda s=shape, d=dtype: cp.sin(cp.array(a), out=cp.empty(s, d)),
            lambda s=shape, d=dtype: np.sin(a, out=np.empty(s, d)),
        )
    same_error(lambda: cp.sin(cp.array(a), out=[1]), lambda: np.sin(a, out=[1]))
    same_error(
        lambda: cp.sin(cp.array(a), cp.empty(1), out=cp.empty(1)), lambda: np.sin(a, np.empty(1), out=np.empty(1))
    )
    same_error(lambda: cp.modf(cp.array(a), out=cp.empty((2, 3))), lambda: np.modf(a, out=np.empty((2, 3))))
    with pytest.raises(TypeError):
        cp.sin(cp.array(a), out=np.empty((2, 3)))


def test_outputs_that_overlap_inputs():
    for move in (lambda x: (x[:-1], x[1:]), lambda x: (x[1:], x[:-1]), lambda x: (x[::-1], x), lambda x: (x, x)):
        actual, expected = cp.arange(100.0), np.arange(100.0)
        source, target = move(actual)
        cp.multiply(source, 2, out=target)
        source, target = move(expected)
        np.multiply(source, 2, out=target)
        check(actual, expected)
    square = np.arange(16.0).reshape(4, 4)
    actual, expected = cp.array(square), square.copy()
    actual += actual.T
    expected += expected.T
    check(actual, expected)


@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_where(dtype):
    a, b = sample(dtype, (4, 5), 1, True), sample(dtype, (4, 5), 2, True)
    mask = sample(bool, (4, 5))
    for selected in (mask, mask[0], mask[:, :1], np.array(True), np.array(False)):
        out, expected = cp.array(a), a.copy()
        cp.add(cp.array(a), cp.array(b), out=out, where=cp.array(selected))
        np.add(a, b, out=expected, where=selected)
        check(out, expected)
    result = cp.add(cp.array(a), cp.array(b), where=cp.array(mask))
    check(result[cp.array(mask)], np.add(a, b)[mask])
    same_error(
        lambda: cp.add(cp.array(a), 1, where=cp.ones((2, 2), bool)), lambda: np.add(a, 1, where=np.ones((2, 2), bool))
    )
    same_error(lambda: cp.negative(cp.ones(2), where=cp.ones(2)), lambda: np.negative(np.ones(2), where=np.ones(2)))


def test_dtype_and_casting():
    host = np.array([1, 2, 3], np.int32)
    for dtype in (np.float32, np.int64, np.complex64, np.float64):
        compare(lambda xp, a, t=dtype: xp.add(a, a, dtype=t), host)
    compare(lambda xp, a: xp.add(a, a, dtype=np.int8, casting="unsafe"), host)
    compare(lambda xp, a: xp.sqrt(a, dtype=np.float32), host)
    for rule in ("no", "equiv", "safe", "same_kind", "unsafe"):
        compare(lambda xp, a, r=rule: xp.add(a, 1.5, out=xp.zeros(3, np.int32), casting=r), host)
        compare(lambda xp, a, r=rule: xp.add(a, a, dtype=np.int16, casting=r), host)
        compare(lambda xp, a, r=rule: xp.sin(a, dtype=np.float32, casting=r), host, ulp=2)
    compare(lambda xp, a: xp.add(a, a, casting="bogus"), host)
    compare(lambda xp, a: xp.add(a, a, signature="dd->d"), host)
    compare(lambda xp, a: xp.add(a, a, dtype="U5"), host)
    compare(lambda xp, a: xp.bitwise_and(a, a, dtype=float), host)
    compare(lambda xp, a: xp.invert(a * 1.0), host)
    compare(lambda xp, a: xp.subtract(a > 1, a > 2), host)
    compare(lambda xp, a: xp.negative(a > 1), host)
    compare(lambda xp, a: xp.floor_divide(a * 1j, 2), host)


@pytest.mark.parametrize("name", ["sin", "add", "modf", "divmod", "matmul"])
def test_counts_of_arguments(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    same_error(lambda: ours(), lambda: theirs())
    same_error(lambda: ours(*[cp.ones(2)] * 6), lambda: theirs(*[np.ones(2)] * 6))
    same_error(lambda: ours(cp.ones(2), cp.ones(2), bogus=1), lambda: theirs(np.ones(2), np.ones(2), bogus=1))


def test_several_outputs():
    host = np.array([1.5, -2.25, 0.0, np.inf])
    for name in ("modf", "frexp"):
        compare(lambda xp, a, n=name: getattr(xp, n)(a), host[:3])
        first, second = getattr(cp, name)(
            cp.array(host[:3]), out=(None, out := cp.empty(3, getattr(np, name)(host)[1].dtype))
        )
        assert second is out
    compare(lambda xp, a: divmod(a, 2), host[:3])
    compare(lambda xp, a: xp.divmod(7, a + 10), host[:3])


def test_attributes():
    for name in UFUNCS:
        ours, theirs = getattr(cp, name), getattr(np, name)
        assert (ours.nin, ours.nout, ours.nargs) == (theirs.nin, theirs.nout, theirs.nargs)
        assert ours.__name__ == theirs.__name__
        if name not in ("matmul",):
            assert ours.identity == theirs.identity, name
        assert ours.__doc__
        ours_types = set(ours.types)
        for loop in theirs.types:
            if all(letter in LETTERS + "->" for letter in loop):
                assert loop in ours_types, f"{name} lacks {loop}"
    assert "add" in repr(cp.add)


OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "**": lambda a, b: a**b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_operators(symbol, dtype):
    operate = OPERATORS[symbol]
    a = np.abs(sample(dtype, (3, 4), 1, "positive")) if dtype != np.bool_ else sample(dtype, (3, 4), 1)
    b = (np.abs(sample(dtype, (4,), 2, "positive")) + 1) if dtype != np.bool_ else sample(dtype, (4,), 2)
    ulp = 16 if symbol in ("**", "/") or dtype.kind == "c" else 0
    compare(lambda xp, x, y: operate(x, y), a, b, ulp=ulp)
    compare(lambda xp, x, y: operate(x, 2), a, b, ulp=ulp)
    if symbol not in ("**", "<<"):
        compare(lambda xp, x, y: operate(3, y), a, b, ulp=ulp)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"])
def test_operators_in_place(symbol):
    for dtype, value in itertools.product([np.int32, np.float32, np.uint8], [2, 2.0, np.int64(2), np.float64(2)]):
        a, b = np.array([3, 5, 7], dtype), cp.array([3, 5, 7], dtype)
        program = f"x {symbol}= value"
        theirs, ours = {"x": a, "value": value}, {"x": b, "value": value}
        try:
            exec(program, theirs)
        except TypeError:
            with pytest.raises(TypeError):
                exec(program, ours)
            continue
        exec(program, ours)
        assert ours["x"] is b
        check(b, a)


def test_unary_operators():
    for host in (sample(np.int32, (3, 4)), sample(np.float32, (3, 4)), sample(np.complex64, (3, 4), small=True)):
        compare(lambda xp, a: -a, host)
        compare(lambda xp, a: +a, host)
        compare(lambda xp, a: abs(a), host, ulp=2)
    compare(lambda xp, a: ~a, sample(np.uint8, (3, 4)))
    compare(lambda xp, a: ~a, sample(bool, (3, 4)))
    compare(lambda xp, a: pow(a, 2), sample(np.int32, (3, 4)))


def test_integer_powers():
    compare(lambda xp, a: a**-1, np.array([1, 2]))
    compare(lambda xp, a: xp.power(a, xp.asarray([2, 3])), np.array([-3, 4], np.int8))
    with pytest.raises(ValueError):
        cp.asnumpy(cp.array([1, 2]) ** cp.array([1, -1]))


@pytest.mark.parametrize("dtype", [BFLOAT16], ids=str)
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "multiply",
        "subtract",
        "true_divide",
        "maximum",
        "less",
        "equal",
        "sqrt",
        "exp",
        "sin",
        "floor",
        "abs",
        "isnan",
        "negative",
    ],
)
def test_bfloat16(name, dtype):
    a, b = (np.ascontiguousarray(x.ravel()) for x in np.meshgrid(edge_values(dtype), edge_values(dtype)))
    theirs, ours = getattr(np, name), getattr(cp, name)
    arrays = (a, b)[: ours.nin]
    wide = theirs(*(x.astype(np.float32) for x in arrays))
    expected = wide if wide.dtype == np.bool_ else wide.astype(dtype)
    check(ours(*map(cp.array, arrays)), expected, ulp=1, signs=False)


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_arithmetic(dtype):
    a, b = sample(dtype, (50,), 1, True), sample(dtype, (50,), 2, True)
    for operate in (np.add, np.subtract, np.multiply, np.divide):
        check(getattr(cp, operate.__name__)(cp.array(a), cp.array(b)), operate(a, b), ulp=8, scale=1)
    compare(lambda xp, x: xp.conj(x), a)
    compare(lambda xp, x: xp.abs(x), a, ulp=4)
    compare(lambda xp, x: x == x, a)
    compare(lambda xp, x, y: x < y, np.array([1 + 2j, 1 + 1j, 2], dtype), np.array([1 + 1j, 1 + 2j, 1j], dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize(
    "name",
    [
        "sin",
        "cos",
        "exp",
        "log",
        "sqrt",
        "tanh",
        "arctan",
        "exp2",
        "log1p",
        "expm1",
        "sinh",
        "cbrt",
        "arcsinh",
        "log2",
        "log10",
        "tan",
    ],
)
def test_accuracy(name, dtype):
    """Over a wide range, against the next wider type."""
    random = np.random.default_rng(0)
    values = np.concatenate([random.normal(size=4000) * 10.0**e for e in (-4, -1, 0, 1, 2)]).astype(dtype)
    values = abs(values) if name in ("log", "sqrt", "log2", "log10", "log1p") else values
    values = (
        values[abs(values) < (8 if dtype == np.float16 else 80)] if name in ("exp", "exp2", "expm1", "sinh") else values
    )
    exact = getattr(np, name)(values.astype(np.float64 if dtype != np.float64 else np.longdouble))
    values, exact = (array[np.isfinite(exact) & (abs(exact) < np.finfo(dtype).max)] for array in (values, exact))
    actual = cp.asnumpy(getattr(cp, name)(cp.array(values))).astype(exact.dtype)
    actual, exact = actual[values != 0], exact[values != 0]
    error = abs(actual - exact) / np.maximum(abs(exact), np.finfo(dtype).tiny)
    assert error.max() <= 4 * epsilon(np.dtype(dtype)), values[error.argmax()]


def test_large_arguments_of_sine():
    for dtype in (np.float32, np.float64):
        values = np.array([1e4, 1e5, 1e7, 123456789.0, 1e10, 3e15, 1e20, 1e22], dtype)
        for name in ("sin", "cos", "tan"):
            exact = getattr(np, name)(values.astype(np.float64)).astype(dtype)
            check(getattr(cp, name)(cp.array(values)), exact, ulp=32)


def test_many_dimensions():
    host = np.arange(2**10).reshape((2,) * 10).transpose(9, 1, 3, 5, 7, 0, 2, 4, 6, 8)
    compare(lambda xp, a: a + 1, host)
    compare(lambda xp, a: a.reshape(-1) + a.T.reshape(-1), host)
    assert is_inexact(np.dtype(np.float32))


def test_large_arrays():
    host = sample(np.float32, (1000, 1003), small=True)
    compare(lambda xp, a: a * 2 + a, host)
    compare(lambda xp, a: a[:, ::2] + a[:, :-1:2], host)
    compare(lambda xp, a: a.T + a[:, :1000], host[:, :1000])


def test_pickles_are_the_ufunc_itself():
    for name in ("add", "absolute", "rsqrt", "divmod"):
        assert pickle.loads(pickle.dumps(getattr(cp, name))) is getattr(cp, name)
    assert copy.deepcopy(cp.add) is cp.add
