"""The arrays, conditions and parametrised classes of `cuproxide.testing`."""

import inspect
import random
import sys
import unittest

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import testing
from helpers import check

KINDS = ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64")


@testing.parameterize(*testing.product({"shape": [(), (3,), (2, 3), (0, 2)], "order": ["C", "F"]}))
class TestParameterized:
    """Runs once for each case."""

    @testing.for_dtypes(KINDS)
    @testing.numpy_cuproxide_array_equal(strides_check=True)
    def test_arange(self, xp, dtype):
        a = testing.shaped_arange(self.shape, xp, dtype, self.order)
        assert a.dtype == dtype and a.shape == self.shape
        assert a.flags.f_contiguous if self.order == "F" else a.flags.c_contiguous
        return a

    @testing.for_dtypes(KINDS)
    @testing.numpy_cuproxide_array_equal()
    def test_others(self, xp, dtype):
        return [
            testing.shaped_reverse_arange(self.shape, xp, dtype, self.order),
            testing.shaped_linspace(0, 5, self.shape, xp, dtype, self.order),
            testing.shaped_random(self.shape, xp, dtype, order=self.order),
        ]


def test_every_case_runs(tmp_path, run_python):
    (tmp_path / "test_cases.py").write_text(
        "from cuproxide import testing\n"
        "@testing.parameterize(*testing.product({'shape': [(), (3,), (0, 2)], 'order': ['C', 'F']}))\n"
        "class TestCases:\n"
        "    def test_case(self):\n"
        "        print('ran', self.shape, self.order)\n"
    )
    done = run_python(f"import pytest; pytest.main(['-s', '-p', 'no:cacheprovider', {str(tmp_path)!r}])")
    ran = {line[line.index("ran ") :] for line in done.stdout.splitlines() if "ran " in line}
    assert ran == {f"ran {shape} {order}" for shape in [(), (3,), (0, 2)] for order in "CF"}, done.stdout


@testing.parameterize({"length": 2}, {"length": 3})
class TestSetUp:
    """Methods that prepare a test find the values of its case."""

    def setup_method(self, method):
        assert method.__name__ == "test_prepared"
        self.prepared = cp.arange(self.length)

    def test_prepared(self):
        assert self.prepared.size == self.length


@testing.parameterize({"number": 1}, {"number": 2})
class TestCases(unittest.TestCase):
    def test_number(self):
        assert type(self).__name__ == f"TestCases_param_{self.number - 1}"


def test_cases_of_unittest():
    module = sys.modules[__name__]
    classes = [module.TestCases_param_0, module.TestCases_param_1]
    assert [case.number for case in classes] == [1, 2] and module.TestCases is None
    for case in classes:
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
        assert result.testsRun == 1 and result.wasSuccessful()


def test_products():
    assert testing.product({"b": [3, 4], "a": [1, 2]}) == [
        {"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}
    ]  # fmt: skip
    assert testing.product([[1, 2], [3]]) == [[1, 3], [2, 3]]
    pairs = testing.product_dict([{"a": 1, "b": 1}, {"a": 2}], [{"b": 5}])
    assert pairs == [{"a": 1, "b": 5}, {"a": 2, "b": 5}]
    with pytest.raises(TypeError):
        testing.parameterize(1)
    with pytest.raises(TypeError):
        testing.parameterize({"a": 1})(lambda: None)


def test_values():
    check(testing.shaped_arange((2, 2)), np.array([[1, 2], [3, 4]], np.float32))
    check(testing.shaped_arange((3,), cp, bool), np.array([False, True, False]))
    check(testing.shaped_arange((2,), dtype="F"), np.array([1 + 1j, 2 + 2j], np.complex64))
    check(testing.shaped_reverse_arange((3,), dtype="i4"), np.array([3, 2, 1], np.int32))
    check(testing.shaped_linspace(0, 1, 3, dtype="f8"), np.array([0, 0.5, 1]))
    check(testing.shaped_linspace(0, 1, (2, 3), dtype="f8"), np.array([[0, 0.5, 1]] * 2))
    a, b = testing.shaped_random((50,), scale=3, seed=1), testing.shaped_random((50,), scale=3, seed=2)
    assert float(a.max()) <= 3 and float(a.min()) >= 0 and bool((a != b).any())


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5, 3), (0, 2, 2)])
def test_matrices(shape, dtype):
    values = np.linspace(1, 2, min(shape[-2:]))
    for xp in (np, cp):
        a = testing.generate_matrix(shape, xp, dtype)
        assert type(a).__module__.startswith(xp.__name__) and a.dtype == dtype and a.shape == shape
        found = np.sort(np.linalg.svd(cp.asnumpy(a), compute_uv=False), axis=-1)
        np.testing.assert_allclose(found, np.broadcast_to(values, found.shape), rtol=1e-5)
    singular = testing.generate_matrix((3, 3), np, dtype, singular_values=[5, 1, 0])
    assert np.linalg.matrix_rank(singular, tol=1e-3) == 2
    for wrong in (lambda: testing.generate_matrix((3,)), lambda: testing.generate_matrix((3, 3), dtype="i4")):
        with pytest.raises(ValueError):
            wrong()


def test_places_of_tolerances():
    """What NumPy's assertion takes without names."""
    nan = [np.nan, 1.0]
    testing.assert_allclose(cp.asarray(nan), np.asarray(nan), 1e-7, 0, True, "a message")
    with pytest.raises(AssertionError, match="a message"):
        testing.assert_allclose(cp.asarray(nan), np.asarray(nan), 1e-7, 0, False, "a message", False)


def test_requirements():
    assert testing.installed("numpy", "numpy>=2, <99", "pytest!=0.1") and not testing.installed("no-such-package")
    assert not testing.installed("numpy<2") and not testing.installed("numpy>=2", "numpy==1.0")
    assert testing.numpy_satisfies(">=2") and not testing.numpy_satisfies("<2.0.0") and testing.numpy_satisfies("")
    assert testing.numpy_satisfies(f"=={'.'.join(np.__version__.split('.')[:3])}")
    for wrong in ("numpy~2", "numpy>=x", "!!"):
        with pytest.raises(ValueError):
            testing.installed(wrong)
    for decorator in (testing.with_requires("numpy<1"), testing.multi_gpu(1000)):
        with pytest.raises(unittest.SkipTest, match="requires"):
            decorator(lambda: None)()
    ran = []
    testing.with_requires("numpy>1")(lambda: ran.append(1))()
    testing.multi_gpu(1)(lambda: ran.append(2))()
    assert ran == [1, 2]


@pytest.mark.parametrize(
    ("decorator", "outcomes", "runs"),
    [
        (testing.repeat(3), [True, True, True], 3),
        (testing.repeat(3), [True, False], None),
        (testing.retry(3), [False, False, True], 3),
        (testing.retry(3), [False, False, False], None),
        (testing.repeat_with_success_at_least(4, 2), [False, True, False, True], 4),
        (testing.repeat_with_success_at_least(4, 2), [False, True, False, False], None),
        (testing.repeat_with_success_at_least(4, 0), [], 0),
    ],
)
def test_repetition(decorator, outcomes, runs):
    remaining = iter(outcomes)
    count = []

    @decorator
    def test():
        """What it does."""
        count.append(1)
        assert next(remaining)

    assert test.__doc__ == "What it does."
    if runs is None:
        with pytest.raises(AssertionError, match="runs passed"):
            test()
        assert len(count) == len(outcomes)
    else:
        test()
        assert len(count) == runs


def test_other_errors_are_not_repeated():
    with pytest.raises(ZeroDivisionError):
        testing.retry(5)(lambda: 1 / 0)()
    with pytest.raises(ValueError):
        testing.repeat_with_success_at_least(2, 3)


def test_fixed_random():
    def draw():
        return random.random(), np.random.rand(), float(cp.random.rand())

    state = np.random.get_state()[1].copy()
    first, second = testing.fix_random()(draw)(), testing.fix_random()(draw)()
    assert first == second != testing.fix_random(1)(draw)()
    assert (np.random.get_state()[1] == state).all()

    @testing.fix_random(3)
    class Tests:
        def test_a(self):
            return draw()

        def other(self):
            return draw()

    assert Tests().test_a() == Tests().test_a() and Tests().other() != Tests().other()


def test_both_names():
    names = [name for name in testing.__all__ if name.startswith("numpy_cupy_")]
    assert len(names) == 8
    for name in names:
        assert getattr(testing, name.replace("cupy", "cuproxide")) is getattr(testing, name)
    for name in testing.__all__:
        assert inspect.getdoc(getattr(testing, name)), name


def test_assertions_on_nested_things():
    a, n = cp.arange(3), np.arange(3)
    testing.assert_equal({"x": [a, (n, 1)], "y": cp.float32(2)}, {"x": [n, (a, 1)], "y": 2})
    testing.assert_equal(cp.linalg.eigh(cp.eye(2)), np.linalg.eigh(np.eye(2)))
    testing.assert_almost_equal(a + 1e-9, n)
    testing.assert_approx_equal(cp.asarray(1.00000001), 1.0)
    for call in (
        lambda: testing.assert_equal([a], [n + 1]),
        lambda: testing.assert_equal({"x": a}, {"y": a}),
        lambda: testing.assert_equal(a, n.astype(float), strict=True),
        lambda: testing.assert_allclose(a, n.astype(float), strict=True),
        lambda: testing.assert_allclose(a * cp.nan, n * np.nan, equal_nan=False),
        lambda: testing.assert_array_less(a, n + 1.0, strict=True),
        lambda: testing.assert_almost_equal(a + 1e-3, n),
        lambda: testing.assert_approx_equal(cp.asarray(1.01), 1.0),
        lambda: testing.assert_raises(ValueError, lambda: None),
    ):
        with pytest.raises(AssertionError):
            call()
    testing.assert_raises(TypeError, lambda: a + n)
    with testing.assert_raises_regex(TypeError, "asarray"):
        a + n
