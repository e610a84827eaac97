"""Predicted operations: programs that repeat themselves, and programs that deviate from the prediction."""

import gc
import sysconfig
import threading
import weakref

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import _cuproxide

pytestmark = pytest.mark.skipif(cp.fusion.is_eager(), reason="nothing is deferred")
predicts = pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="free-threaded builds do not predict operations"
)

A = np.linspace(0.5, 2.0, 40).reshape(5, 8)
B = np.linspace(-1.0, 1.0, 40).reshape(5, 8)


def expected_during(program, *arguments):
    """How many operations of a call of `program` matched the prediction, and its result on the host."""
    before = cp.fusion.cache_info().expected
    made = program(*arguments).get()
    return cp.fusion.cache_info().expected - before, made


def learnt(program, *arguments):
    """`expected_during` the third call of `program`."""
    for _ in range(2):
        program(*arguments).get()
        cp.fusion.wait()
    return expected_during(program, *arguments)


def chain(a, b):
    """Fourteen operations of arrays, numbers and functions."""
    x = a * b + 0.25
    y = cp.sqrt(abs(x)) - b
    mask = y < 0.5
    z = cp.where(mask, x * 2.0, y / 3.0)
    return (z + a) * (y - 1.0) - x


@predicts
def test_a_repeated_program_is_predicted():
    count, made = learnt(chain, cp.asarray(A), cp.asarray(B))
    # All but the first two.
    assert count >= 9
    np.testing.assert_array_equal(made, chain(cp.asarray(A.tolist()), cp.asarray(B.tolist())).get())
    np.testing.assert_allclose(made, chain_of_numpy(A, B), rtol=1e-15)


def chain_of_numpy(a, b):
    """`chain` with NumPy."""
    x = a * b + 0.25
    y = np.sqrt(abs(x)) - b
    z = np.where(y < 0.5, x * 2.0, y / 3.0)
    return (z + a) * (y - 1.0) - x


@predicts
def test_other_values_and_shapes_follow_the_same_script():
    learnt(chain, cp.asarray(A), cp.asarray(B))
    for a, b in ((A[:2] + 1, B[:2]), (A.ravel(), B.ravel() * 3), (A.reshape(2, 4, 5), B.reshape(2, 4, 5))):
        count, made = expected_during(chain, cp.asarray(a), cp.asarray(b))
        assert count >= 9
        np.testing.assert_allclose(made, chain_of_numpy(a, b), rtol=1e-15)


@predicts
def test_an_operation_that_differs_is_recorded_as_usual():
    def program(a, b, at=None, instead=None):
        x = a
        for step in range(12):
            x = instead(x, a, b) if step == at else x * b + 0.5
        return x

    a, b = cp.asarray(A), cp.asarray(B)
    learnt(program, a, b)
    others = {
        "operator": lambda x, a, b: x / b,
        "order": lambda x, a, b: b * x + 0.5,
        "operand": lambda x, a, b: x * a + 0.5,
        "number": lambda x, a, b: x * b + 3,
        "complex": lambda x, a, b: x * b + 1j,
        "dtype": lambda x, a, b: (x * b).astype("f4") + 0.5,
        "view": lambda x, a, b: x * b[::-1] + 0.5,
        "stretched": lambda x, a, b: x * b[:1] + 0.5,
        "copy": lambda x, a, b: x.copy() * b,
        "sum": lambda x, a, b: x * b + x.sum(),
        "read": lambda x, a, b: x * float(x[0, 0]),
    }
    for instead in others.values():
        for at in (1, 5, 11):
            _, made = expected_during(program, a, b, at, instead)
            with cp.fusion.eager():
                wanted = program(a, b, at, instead).get()
            np.testing.assert_array_equal(made, wanted)
    count, _ = learnt(program, a, b)
    assert count >= 20


def test_results_keep_the_order_of_their_inputs():
    def program(a, b):
        return ((a + b) * 2.0 - a) * b

    straight, turned = (cp.asarray(A), cp.asarray(B)), (cp.asarray(A.T), cp.asarray(B.T))
    learnt(program, *straight)
    for a, b in (
        (turned[0].T, turned[1].T),
        (straight[0].T, straight[1].T),
        (straight[0][:, ::2], straight[1][:, ::2]),
    ):
        made = program(a, b)
        wanted = program(*(cp.asnumpy(each, order="K") for each in (a, b)))
        assert made.flags.c_contiguous == wanted.flags.c_contiguous
        assert made.strides == wanted.strides
        np.testing.assert_array_equal(made.get(), wanted)


def test_slices_are_predicted_too():
    def program(u):
        flux = (u[1:] - u[:-1]) * 0.5
        return (flux[1:] - flux[:-1]) * u[1:-1] + u[1:-1, :1] * 2.0

    for u in (A, A[:, 1:-1], np.ascontiguousarray(A.T)):
        _, made = learnt(program, cp.asarray(u)[...])
        np.testing.assert_array_equal(made, program(u))


def test_integers_keep_their_types_and_errors():
    def program(a, number):
        x = a + 1
        x = x * 3
        return (x - number) * x

    a = cp.arange(10, dtype="i2")
    learnt(program, a, 7)
    np.testing.assert_array_equal(program(a, 9).get(), program(a.get(), 9))
    assert program(a, 2.5).dtype == program(a.get(), 2.5).dtype
    with pytest.raises(OverflowError):
        program(a, 70_000)
    np.testing.assert_array_equal(program(a, 7).get(), program(a.get(), 7))


def test_in_place_operators_make_no_new_results():
    def program(a, b, in_place):
        x = a * b
        y = x + 1.0
        if in_place:
            y += b
            y *= 2.0
        else:
            y = y + b
            y = y * 2.0
        return x * y

    a, b = cp.asarray(A), cp.asarray(B)
    for in_place in (True, False, True, True, False, False):
        kept = b.copy()
        made = program(a, kept, in_place)
        np.testing.assert_array_equal(made.get(), program(A, B, in_place))
        np.testing.assert_array_equal(kept.get(), B)


@predicts
def test_in_place_operators_on_results_are_predicted():
    def program(a, b):
        x = a * b
        for _ in range(8):
            x += b
            x *= 0.5
        return x

    count, made = learnt(program, cp.asarray(A), cp.asarray(B))
    assert count >= 12
    np.testing.assert_array_equal(made, program(A, B))
    view = cp.asarray(A) * 2.0
    other = view[1:]
    for _ in range(4):
        view += 1.0
        view *= 2.0
    np.testing.assert_array_equal(other.get(), ((((A * 2 + 1) * 2 + 1) * 2 + 1) * 2 + 1)[1:] * 2)
    fixed = cp.asarray(A) * 2.0
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fixed += 1.0
    narrow = cp.asarray(A.astype("f4")) * cp.float32(2)
    with pytest.raises(TypeError):
        narrow += 1j
    np.testing.assert_array_equal(narrow.get(), A.astype("f4") * np.float32(2))


def test_in_place_operators_obey_the_casting_rule():
    def program(a, cast):
        x = a * 2
        y = x + 1
        z = y * x
        if cast:
            cp.add(z, 0.5, out=z, casting="unsafe")
        else:
            z += 0.5
        return z - x

    a = cp.arange(6, dtype="i4")
    for _ in range(4):
        program(a, cast=True).get()
        cp.fusion.wait()
    with pytest.raises(TypeError, match="same_kind"):
        program(a, cast=False)


def test_a_reduction_ends_a_script():
    def program(a, b, fold):
        x = a * b + 1.0
        x = x * 2.0
        if fold:
            x = x - x.max(axis=1, keepdims=True)
        return (x + b) * a

    for fold in (False, False, False, True, True, False, True):
        np.testing.assert_array_equal(program(cp.asarray(A), cp.asarray(B), fold).get(), program(A, B, fold))


def test_groups_of_two_shapes_take_turns():
    def program(a, b):
        return ((a * b + 1.0) * b - a) * 0.5

    for _ in range(5):
        for a, b in ((A, B), (A[:2], B[:2]), (A[0], B[0])):
            np.testing.assert_array_equal(program(cp.asarray(a), cp.asarray(b)).get(), program(a, b))


def test_a_written_array_is_read_anew():
    a, b = cp.asarray(A), cp.asarray(B)
    for turn in range(6):
        x = (a * b + 1.0) * b
        b[...] = B + turn
        y = (a * b + 1.0) * b
        np.testing.assert_array_equal(y.get(), (A * (B + turn) + 1.0) * (B + turn))
        np.testing.assert_array_equal(x.get(), (A * (B + max(turn - 1, 0)) + 1.0) * (B + max(turn - 1, 0)))


def test_errors_in_between_lose_nothing():
    def program(a, b, fail):
        x = a * b
        y = x + 1.0
        if fail:
            with pytest.raises(ValueError, match="broadcast"):
                y + cp.ones(3)
            with pytest.raises(TypeError):
                y + object()
        return (y - a) * x

    a, b = cp.asarray(A), cp.asarray(B)
    for fail in (False, False, False, True, False, True):
        np.testing.assert_array_equal(program(a, b, fail).get(), program_without_errors(A, B))


def program_without_errors(a, b):
    """The results of the program above."""
    x = a * b
    return (x + 1.0 - a) * x


def test_threads_follow_scripts_of_their_own():
    failures = []

    def work(seed):
        a, b = cp.asarray(A + seed), cp.asarray(B)
        wanted = chain_of_numpy(A + seed, B)
        for _ in range(60):
            try:
                np.testing.assert_allclose(chain(a, b).get(), wanted, rtol=1e-14)
            except AssertionError as failure:
                failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_facts_about_a_dropped_result_are_forgotten():
    x, shape, data = cp.arange(8), (100, 100), cp.ones(8)
    y = x.copy()
    for _ in range(4):
        row = x * 2
        kept = x * 3
        known = _cuproxide.Contents.of(shape, data, row)
        assert known.hold(shape, data, row)
        del row
        kept.get()
        assert not known.hold(shape, data, y + 1000)


class Plain(cp.ndarray):
    """A class that adds nothing."""


def test_the_free_list_has_no_objects_of_subclasses():
    gone = []
    for _ in range(3):
        made = [cp.asarray(A) + number for number in range(700)]
        gone.extend(weakref.ref(each) for each in made[:10])
        del made
        gc.collect()
    assert all(each() is None for each in gone)
    own = cp.asarray(A).view(Plain)
    for _ in range(4):
        made = (own * 2.0 + 1.0) * own
        assert type(made) is Plain
        np.testing.assert_array_equal(made.get(), (A * 2.0 + 1.0) * A)
    fresh = cp.ndarray((3,), "f8")
    fresh.fill(2)
    assert float((fresh + 1.0).sum()) == 9.0


def test_operators_follow_the_rules_of_python():
    a = cp.asarray(A)
    assert a.__add__(object()) is NotImplemented
    np.testing.assert_array_equal(a.__radd__(1.0).get(), 1.0 + A)
    np.testing.assert_array_equal((2.0 - a).get(), 2.0 - A)
    np.testing.assert_array_equal((7 // a).get(), 7 // A)

    class Other:
        __array_ufunc__ = None

        def __rmul__(self, left):
            return "mine"

    assert a * Other() == "mine"
    with pytest.raises(TypeError):
        a + object()
    same = a
    same += 1.0
    assert same is a
