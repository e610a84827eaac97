"""Lists, tuples and ranges as operands: arrays, as in NumPy."""

import operator
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import asnumpy as host

SEQUENCES = [[1, 2, 3], (1.5, 2.0, -1.0), range(3), [True, False, True], [[1, 2, 3], [4, 5, 6]], [1, 2.5, 3j], [0.5]]
OPERATORS = ["add", "sub", "mul", "truediv", "pow", "eq", "ne"]


def same(ours, theirs):
    assert isinstance(ours, cp.ndarray)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(host(ours), theirs, rtol=1e-6)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, dtype, sequence):
    array = np.array([1, 2, 4], dtype)
    ours, function = cp.asarray(array), getattr(operator, name)
    same(function(ours, sequence), function(array, sequence))
    same(function(sequence, ours), function(sequence, array))


def test_products_comparisons_and_division():
    array = np.arange(6.0).reshape(2, 3) + 1
    ours = cp.asarray(array)
    same(ours @ [1, 2, 3], array @ [1, 2, 3])
    same([1, 2] @ ours, [1, 2] @ array)
    same(ours <= [2, 2, 9], array <= [2, 2, 9])
    same((1, 2, 3) // ours, (1, 2, 3) // array)
    for mine, theirs in zip(divmod(ours, [2, 3, 4]), divmod(array, [2, 3, 4]), strict=True):
        same(mine, theirs)
    assert host(ours == [1, 2, 3]).tolist() == (array == [1, 2, 3]).tolist()


def test_in_place():
    array = np.arange(3.0)
    ours = cp.asarray(array)
    ours += [1, 2, 3]
    ours *= (2, 2, 2)
    assert ours.tolist() == [2.0, 6.0, 10.0]
    matrix = cp.eye(2)
    matrix @= [[1, 2], [3, 4]]
    assert matrix.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(np._core._exceptions.UFuncTypeError):
        cp.arange(3).__iadd__([0.5, 1, 2])


@pytest.mark.parametrize("sequence", SEQUENCES, ids=str)
def test_functions(sequence):
    same(cp.sin(sequence), np.sin(sequence))
    same(cp.add(sequence, 1), np.add(sequence, 1))
    same(cp.multiply(2.5, sequence), np.multiply(2.5, sequence))
    out = cp.empty(np.shape(sequence), complex)
    assert cp.add(sequence, sequence, out=out) is out
    same(out, np.add(sequence, sequence, out=np.empty(np.shape(sequence), complex)))
    same(cp.add(sequence, 1, where=[True]), np.add(sequence, 1, where=[True]))


def test_methods_of_functions():
    same(cp.add.reduce([2, 3, 5]), np.asarray(np.add.reduce([2, 3, 5])))
    same(cp.gcd.reduce([15, 25, 35]), np.asarray(np.gcd.reduce([15, 25, 35])))
    same(cp.multiply.accumulate([2, 3, 5]), np.multiply.accumulate([2, 3, 5]))
    same(cp.multiply.outer([1, 2, 3], (4, 5)), np.multiply.outer([1, 2, 3], (4, 5)))
    same(cp.add.outer(cp.arange(2), [[1.5]]), np.add.outer(np.arange(2), [[1.5]]))
    same(cp.add.reduceat(range(8), [0, 4, 1, 5]), np.add.reduceat(range(8), [0, 4, 1, 5]))
    target = cp.zeros(3)
    cp.add.at(target, [0, 0, 2], [1, 2, 3])
    assert target.tolist() == [3.0, 0.0, 3.0]


def test_arrays_within_sequences():
    parts = [cp.arange(3), cp.ones(3)]
    same(cp.sqrt(parts), np.sqrt([host(part) for part in parts]))
    same(cp.arange(3) + [cp.asarray(1), 2, 3], np.arange(3) + [1, 2, 3])


@pytest.mark.parametrize("bad", [["a"], [None], [[1], [2, 3]]], ids=str)
def test_what_is_no_array(bad):
    with pytest.raises((TypeError, ValueError)):
        cp.sin(bad)
    with pytest.raises((TypeError, ValueError)):
        cp.arange(3) + bad
    for other in ({1, 2}, {1: 2}, "text", np.arange(3)):
        with pytest.raises(TypeError, match="(?i)unsupported"):
            cp.arange(3) + other


@pytest.mark.parametrize("expression", ["cupy.sin([1, 2])", "cupy.arange(2) + [1, 2]", "(1, 2) * cupy.arange(2)"])
def test_cupy_refuses_them(expression):
    program = f"import cupy\ntry: {expression}\nexcept TypeError as error: print(error)"
    command = [sys.executable, "-m", "cuproxide.compat", "-c", program]
    assert "Unsupported type" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("value", [2.5, 3.5, -1.25, np.float32(1.75), np.int8(7)])
def test_round_of_an_array_without_axes(value):
    array = cp.asarray(value)
    whole = round(array)
    assert isinstance(whole, int)
    assert whole == round(value if not isinstance(value, np.generic) else value.item())
    same(round(array, 1), np.asarray(np.round(np.asarray(value), 1)))


def test_round_of_others():
    for array in (cp.ones(1), cp.asarray(1j)):
        with pytest.raises(TypeError, match="__round__"):
            round(array)


def test_bounds_of_clip():
    array = np.array([[1, 5, 9], [2, 4, 6]])
    ours = cp.asarray(array)
    same(ours.clip([2, 3, 4], [4.5, 4.5, 7.5]), array.clip([2, 3, 4], [4.5, 4.5, 7.5]))
    same(cp.clip(ours, (2, 3, 4), None), np.clip(array, (2, 3, 4), None))
