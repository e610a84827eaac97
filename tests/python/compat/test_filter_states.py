"""States of filters under the names of CuPy: the last inputs and outputs, oldest first."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.signal

RANDOM = np.random.default_rng(7)
FILTERS = [([1.0, 0.5, 0.2], [1.0]), ([1.0, 0.5], [2.0, -0.3, 0.2]), ([1.0], [1.0, -0.9]), ([1.0, 2, 3, 4], [1, 0.1])]


@pytest.mark.parametrize(("b", "a"), FILTERS)
def test_blocks_are_filtered_as_one_signal(cupy, b, a):
    from cupyx.scipy import signal

    x = RANDOM.standard_normal((3, 20))
    expected, taps, poles = scipy.signal.lfilter(b, a, x), len(b) - 1, len(a) - 1
    for cuts in ([11], [1, 2, 3, 9], []):
        state, parts = cupy.zeros((3, taps + poles)), []
        for block in np.split(x, cuts, axis=1):
            y, state = signal.lfilter(cupy.asarray(b), cupy.asarray(a), cupy.asarray(block), zi=state)
            parts.append(y.get())
        np.testing.assert_allclose(np.hstack(parts), expected, atol=1e-12)
        ends = np.hstack([x[:, 20 - taps :], expected[:, 20 - poles :]])
        np.testing.assert_allclose(state.get(), ends, atol=1e-12)


@pytest.mark.parametrize(("b", "a"), FILTERS)
def test_states_that_are_made(cupy, b, a):
    from cupyx.scipy import signal

    taps, poles = len(b) - 1, len(a) - 1
    ones, _ = signal.lfilter(cupy.asarray(b), cupy.asarray(a), cupy.ones(5), zi=signal.lfilter_zi(b, a))
    np.testing.assert_allclose(ones.get(), sum(b) / sum(a))
    x, inputs, outputs = RANDOM.standard_normal(9), RANDOM.standard_normal(taps + 1), RANDOM.standard_normal(poles + 1)
    for before in (inputs, inputs[:1], None):
        state = signal.lfiltic(cupy.asarray(b), cupy.asarray(a), outputs, before)
        latest = np.zeros(taps) if before is None else np.pad(before[:taps], (0, taps - len(before[:taps])))
        assert state.tolist() == [*latest[::-1], *outputs[:poles][::-1]]
        # Older SciPy does not divide by the first coefficient here.
        normal = np.array(b) / a[0], np.array(a) / a[0]
        expected, _ = scipy.signal.lfilter(*normal, x, zi=scipy.signal.lfiltic(*normal, outputs, before))
        found, _ = signal.lfilter(cupy.asarray(b), cupy.asarray(a), cupy.asarray(x), zi=state)
        np.testing.assert_allclose(found.get(), expected, atol=1e-12)


def test_sections(cupy):
    from cupyx.scipy import signal

    sos, x = scipy.signal.butter(5, 0.2, output="sos"), RANDOM.standard_normal((20, 3))
    state, parts = cupy.zeros((3, 4, 3)), []
    for block in np.split(x, [1, 4], axis=0):
        y, state = signal.sosfilt(cupy.asarray(sos), cupy.asarray(block), axis=0, zi=state)
        parts.append(y.get())
    np.testing.assert_allclose(np.vstack(parts), scipy.signal.sosfilt(sos, x, axis=0), atol=1e-12)
    steady = signal.sosfilt_zi(cupy.asarray(sos))
    assert steady.shape == (3, 4)
    for given, shape in ((steady, (3, 4)), (scipy.signal.sosfilt_zi(sos), (3, 2))):
        y, end = signal.sosfilt(cupy.asarray(sos), cupy.ones(9), zi=cupy.asarray(given))
        assert end.shape == shape
        np.testing.assert_allclose(y.get(), 1.0, rtol=1e-12)


def test_other_lengths_are_an_error(cupy):
    """Where SciPy's form has another length; where it has the same, it is taken for a history, as in CuPy."""
    from cupyx.scipy import signal

    with pytest.raises(ValueError, match="last 1 inputs and then the last 2 outputs"):
        signal.lfilter([1.0, 0.5], [1.0, -0.3, 0.2], cupy.ones(9), zi=cupy.zeros(2))
    with pytest.raises(ValueError, match="zi must hold"):
        signal.lfilter([1.0, 0.5], [1.0, -0.3], cupy.ones((2, 9)), zi=cupy.zeros(2))


def test_functions_with_states_of_their_own(cupy):
    """Those are of SciPy's form, whatever the names."""
    from cupyx.scipy import signal

    x = RANDOM.standard_normal((2, 60))
    b, a = scipy.signal.butter(3, 0.3)
    sos = scipy.signal.butter(4, 0.3, output="sos")
    for found, expected in (
        (signal.filtfilt(cupy.asarray(b), cupy.asarray(a), cupy.asarray(x)), scipy.signal.filtfilt(b, a, x)),
        (signal.sosfiltfilt(cupy.asarray(sos), cupy.asarray(x)), scipy.signal.sosfiltfilt(sos, x)),
    ):
        np.testing.assert_allclose(found.get(), expected, atol=1e-10)


def test_finite_responses(cupy):
    import cupyx

    b, x = RANDOM.standard_normal(4), RANDOM.standard_normal((2, 30))
    y, end = cupyx.signal.firfilter(cupy.asarray(b), cupy.asarray(x[:, :9]), zi=cupy.zeros((2, 3)))
    assert end.tolist() == x[:, 6:9].tolist()
    more, _ = cupyx.signal.firfilter(cupy.asarray(b), cupy.asarray(x[:, 9:]), zi=end)
    np.testing.assert_allclose(np.hstack([y.get(), more.get()]), scipy.signal.lfilter(b, 1, x), atol=1e-12)
    level, _ = cupyx.signal.firfilter(cupy.asarray(b), cupy.ones(5), zi=cupyx.signal.firfilter_zi(cupy.asarray(b)))
    np.testing.assert_allclose(level.get(), b.sum())
    found = cupyx.signal.firfilter2(cupy.asarray(b), cupy.asarray(x))
    np.testing.assert_allclose(found.get(), scipy.signal.filtfilt(b, 1, x), atol=1e-10)


def test_scipy_states_without_compat():
    b, a = [1.0, 0.5, 0.2], [1.0, -0.3]
    np.testing.assert_allclose(cp.scipy.signal.lfilter_zi(b, a).get(), scipy.signal.lfilter_zi(b, a))
    assert cp.scipy.signal.sosfilt_zi(np.array([[1.0, 0, 0, 1, 0, 0]])).shape == (1, 2)
    np.testing.assert_allclose(cp.signal.firfilter_zi(b).get(), scipy.signal.lfilter_zi(b, 1))
