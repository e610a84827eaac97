"""IIR filters beside SciPy's: rows, long rows in chunks, states, and accuracy near and beyond the unit circle."""

from fractions import Fraction

import cuproxide as cp
import numpy as np
import pytest
import scipy.signal
from cuproxide.scipy.signal import _filter_runs, _recurrence
from helpers import in_layout, to_device
from signals import ours, same
from ways import take_ways

RANDOM = np.random.default_rng(2)
FILTERS = {
    "butter4": scipy.signal.butter(4, 0.2),
    "narrow": scipy.signal.butter(2, 0.01),
    "ellip6": scipy.signal.ellip(6, 0.1, 60, 0.3),
    "fir": ([1.0, 2, 3], [1.0]),
    "long numerator": ([1.0, 2, 3, 4], [1, 0.5]),
    "not normalised": ([1.0, 2], [2, 0.5, 0.25]),
    "on the circle": ([1.0], [1, -1.0]),
    "unstable": ([1.0], [1, -1.01]),
    "complex taps": (np.asarray(scipy.signal.butter(4, 0.2)[0]) * 1j, scipy.signal.butter(4, 0.2)[1]),
    "complex poles": ([1, 0.5], [1, -0.99 * np.exp(0.3j)]),
    "order 20": scipy.signal.butter(20, 0.5),
}
SHAPES = [((50,), -1), ((3, 2500), 1), ((2500, 3), 0), ((2, 9, 5), 1), ((20000,), 0)]


@pytest.fixture(params=["in loops", "by powers", "by powers of many levels"])
def starts(request, monkeypatch):
    """How the states at the starts of chunks are found, as on processors or on devices with many threads."""
    if request.param == "in loops":
        yield
        return
    take_ways(monkeypatch, True, "states by powers", "pairs of points")
    plans = _recurrence.direct_plan, _recurrence.section_plan, _filter_runs.direct_filter, _filter_runs.cascade_filter
    if request.param == "by powers of many levels":
        for limit in ("_FEW_CHUNKS", "_FEW_GROUPS"):
            monkeypatch.setattr(_recurrence, limit, 2)
        monkeypatch.setattr(_filter_runs, "_LARGE", 0)
        for plan in plans:
            plan.cache_clear()
    yield
    for plan in plans:
        plan.cache_clear()


@pytest.mark.parametrize("name", FILTERS)
def test_lfilter(name, starts):
    b, a = (np.asarray(part) for part in FILTERS[name])
    order = max(len(b), len(a)) - 1
    for shape, axis in SHAPES:
        x = RANDOM.normal(size=shape)
        same("lfilter", b, a, x, axis)
        state = list(shape)
        state[axis] = order
        same("lfilter", b, a, x, axis, zi=RANDOM.normal(size=state))
        state = [1] * len(shape)
        state[axis] = order
        same("lfilter", b, a, x * (1 + 2j), axis, zi=RANDOM.normal(size=state))


def test_dtypes_and_layouts():
    b, a = FILTERS["butter4"]
    values = RANDOM.normal(size=(4, 60)) * 9
    for layout in ("C", "F", "strided", "reversed", "broadcast"):
        x = in_layout(values, layout)
        for axis in (0, 1):
            np.testing.assert_allclose(
                ours.lfilter(b, a, to_device(x), axis).get(), scipy.signal.lfilter(b, a, x, axis), 1e-9, 1e-9
            )
    b4, a4 = b.astype("f4"), a.astype("f4")
    for dtype in ("f4", "i2", "c8"):
        same("lfilter", b4, a4, values.astype(dtype), tolerance=1e-4)
    same("lfilter", b4, a4, RANDOM.normal(size=20000).astype("f4"), tolerance=1e-4)
    # SciPy refuses integers and float16, which compute in float64 and float32 here.
    x = cp.asarray([1, 2, 3])
    assert ours.lfilter([1], [1, 1], x).dtype == np.float64
    assert ours.lfilter([1], [1, 1], x.astype(np.float16)).dtype == np.float64


def test_empty_rows_keep_their_state():
    y, state = ours.lfilter([1.0], [1.0, -0.5], cp.zeros((3, 0)), zi=cp.ones((3, 1)))
    assert y.shape == (3, 0) and (state == 1).all()
    assert ours.lfilter([1.0], [1.0, -0.5], cp.zeros((0, 5))).shape == (0, 5)
    y, state = ours.sosfilt(np.array([[1.0, 0, 0, 1, -0.5, 0]]), cp.zeros(0), zi=cp.ones((1, 2)))
    assert y.shape == (0,) and (state == 1).all()


@pytest.mark.parametrize("b, a, x, zi", [
    (np.ones(2), np.zeros(2), np.ones(4), None),
    (np.ones(2), np.ones(2), np.ones(4), np.ones(3)),
    (np.ones(2), np.ones(2), np.ones((2, 4)), np.ones((3, 1))),
    (np.ones(0), np.ones(2), np.ones(4), None),
    (np.ones(2), np.ones(2), np.float64(3), None),
    (np.ones((2, 2)), np.ones(2), np.ones(4), None),
])  # fmt: skip
def test_bad_arguments(b, a, x, zi):
    same("lfilter", b, a, x, zi=zi)


def exactly(b, a, x):
    """The filter in rational arithmetic, rounded at the end."""
    b, a = [Fraction(float(value)) for value in b], [Fraction(float(value)) for value in a]
    state, found = [Fraction(0)] * (len(a) - 1), []
    bits = 400
    for value in x:
        value = Fraction(float(value))
        y = b[0] * value + state[0]
        for i in range(len(state)):
            state[i] = (state[i + 1] if i + 1 < len(state) else 0) + b[i + 1] * value - a[i + 1] * y
            # Enough bits that their loss does not show.
            state[i] = Fraction(int(state[i] * 2**bits), 2**bits)
        found.append(float(y))
    return np.array(found)


@pytest.mark.parametrize("poles", [
    [0.999, 0.998], [0.9999 * np.exp(0.01j), 0.9999 * np.exp(-0.01j)], [1.0, 1.0], [1.0, -1.0], [1.002, 0.5],
    [1.0005 * np.exp(0.3j), 1.0005 * np.exp(-0.3j)], [0.99, 0.99, 0.99, 0.98],
])  # fmt: skip
def test_accuracy_near_the_unit_circle(poles, starts):
    """Chunks lose no more than one row does, within a small factor."""
    a = np.real(np.poly(poles))
    b = np.array([1.0] + [0.0] * (len(a) - 1))
    x = RANDOM.normal(size=3000)
    truth = exactly(b, a, x)
    found, reference = ours.lfilter(b, a, cp.asarray(x)).get(), scipy.signal.lfilter(b, a, x)
    scale = abs(truth).max()
    assert abs(found - truth).max() <= 8 * abs(reference - truth).max() + 1e-14 * scale


def test_chunks_are_used_and_independent_of_other_rows(starts):
    b, a = FILTERS["butter4"]
    x = cp.asarray(RANDOM.normal(size=(3, 30000)))
    assert _recurrence.in_chunks(x, 4)
    whole = ours.lfilter(b, a, x)
    for row in range(3):
        assert (whole[row] == ours.lfilter(b, a, x[row])).all()


@pytest.mark.parametrize("length", [20000, 20001, 20002])
def test_chunks_of_single_precision(length, starts):
    x = RANDOM.normal(size=(2, length)).astype("f4")
    b, a = (part.astype("f4") for part in FILTERS["butter4"])
    same("lfilter", b, a, x, tolerance=1e-4)
    same("lfilter", b, a, x, zi=RANDOM.normal(size=(2, 4)).astype("f4"), tolerance=1e-4)
    same("sosfilt", scipy.signal.butter(8, 0.2, output="sos").astype("f4"), x, tolerance=1e-4)


def test_chunks_pass_on_what_is_no_number(starts):
    b, a = FILTERS["butter4"]
    x = RANDOM.normal(size=20000)
    for value in (np.nan, np.inf):
        x[9000] = value
        found = ours.lfilter(b, a, cp.asarray(x)).get()
        np.testing.assert_array_equal(np.isfinite(found), np.isfinite(scipy.signal.lfilter(b, a, x)))
        np.testing.assert_allclose(found[:9000], scipy.signal.lfilter(b, a, x)[:9000], 1e-9, 1e-9)


def test_coefficients_without_enough_bits(starts):
    """Gains far below one and coefficients that are no numbers: such rows are not cut."""
    x = RANDOM.normal(size=5000)
    for gain in (1e-60, 1e-100, 1e-300, 1e200):
        same("lfilter", np.array([gain, gain / 2]), np.array([1.0, -0.5, 0.2]), x)
        sos = scipy.signal.butter(8, 0.2, output="sos")
        sos[:, :3] *= gain if gain > 1e-70 and gain < 1 else 1.0
        sos[0, :3] *= gain
        same("sosfilt", sos, x)
    for bad in (np.nan, np.inf):
        for b, a in (([1.0, bad], [1.0, -0.5]), ([1.0, 0.5], [1.0, bad])):
            found = ours.lfilter(b, a, cp.asarray(x)).get()
            np.testing.assert_array_equal(np.isnan(found), np.isnan(scipy.signal.lfilter(b, a, x)))


def test_growth_beyond_all_numbers():
    # The powers of the filter overflow, so the row is not cut.
    same("lfilter", np.ones(1), np.array([1.0, -1e4]), np.concatenate((np.zeros(4000), np.ones(60))))


@pytest.mark.parametrize("name", ["butter4", "narrow", "ellip6", "fir", "long numerator", "order 20"])
def test_filtfilt(name):
    b, a = (np.asarray(part) for part in FILTERS[name])
    x = RANDOM.normal(size=(3, 3000))
    for padtype in ("odd", "even", "constant", None, "none"):
        same("filtfilt", b, a, x, padtype=padtype, tolerance=1e-7)
    same("filtfilt", b, a, x.T, axis=0, padlen=5, tolerance=1e-7)
    same("filtfilt", b, a, x[:, :9])
    same("filtfilt", b, a, x, method="none")
    if name != "order 20":
        same("filtfilt", b, a, x[:, :200], method="gust", tolerance=1e-6)
        same("filtfilt", b, a, x[0, :300], method="gust", irlen=80, tolerance=1e-6)


@pytest.mark.parametrize("sos", [
    scipy.signal.butter(8, 0.2, output="sos"),
    scipy.signal.butter(3, 0.1, output="sos"),
    scipy.signal.ellip(13, 0.1, 60, 0.3, output="sos"),
    scipy.signal.butter(2, [0.001, 0.002], btype="band", output="sos"),
], ids=["butter8", "butter3", "ellip13", "narrow"])  # fmt: skip
def test_sections(sos):
    for shape, axis in [((50,), -1), ((3, 2500), 1), ((2500, 3), 0), ((20000,), 0)]:
        x = RANDOM.normal(size=shape)
        same("sosfilt", sos, x, axis)
        state = list(shape)
        state[axis] = 2
        same("sosfilt", sos, x, axis, zi=RANDOM.normal(size=[len(sos), *state]))
        same("sosfiltfilt", sos, x, axis, tolerance=1e-7)
    same("sosfilt", sos.astype("f4"), RANDOM.normal(size=5000).astype("f4"), tolerance=1e-3)
    same("sosfilt", sos, RANDOM.normal(size=5000) * 1j)
    same("sosfilt_zi", sos)


@pytest.mark.parametrize("sos, zi", [
    (np.ones((2, 5)), None), (np.ones((2, 6)) * 2, None), (np.ones((2, 6)), np.ones((2, 3))),
    (np.ones((1, 2, 6)), None),
])  # fmt: skip
def test_bad_sections(sos, zi):
    same("sosfilt", sos, np.ones(4), zi=zi)


def test_states():
    for b, a in FILTERS.values():
        if np.sum(a) == 0:
            with pytest.raises(ValueError, match="pole at z = 1"):
                ours.lfilter_zi(b, a)
            continue
        b, a = np.asarray(b), np.asarray(a)
        same("lfilter_zi", b, a)
        same("lfiltic", b, a, RANDOM.normal(size=3), RANDOM.normal(size=5))
        same("lfiltic", b, a, RANDOM.normal(size=1))
    for leading in ([0.0, 0.0], [0.0, 1.0, 0.5], []):
        with pytest.raises(ValueError, match="must be non-zero"):
            ours.lfilter_zi(np.ones(2), leading)
    same("lfilter_zi", np.ones((2, 2)), np.ones(2))
    same("lfiltic", np.ones(2), np.zeros(2), np.ones(2))


def test_mirrored_filters():
    for length in (30, 200):
        x = RANDOM.normal(size=length)
        same("symiirorder1", x, 0.3, 0.4)
        same("symiirorder1", np.stack([x, x * 2]), 0.3, -0.4)
        same("symiirorder1", x, 0.3, 0.99)
        same("symiirorder1", x, 0.3, 1.0)
        # SciPy's sums at the ends stop at a precision, in single precision at a low one.
        same("symiirorder2", x, 0.5, 0.3, tolerance=1e-5)
        found, expected = (ours.symiirorder2(cp.asarray(x.astype(dtype)), 0.5, 0.3, 1e-6) for dtype in ("f4", "f8"))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.get(), expected.get(), 1e-5, 1e-5 * float(abs(expected).max()))
        same("symiirorder2", x, 1.0, 0.3)


def test_deconvolve():
    x = RANDOM.normal(size=30)
    for divisor in (np.array([1, 0.5, 0.2]), np.array([2.0]), x, np.ones(40), np.ones((2, 2)), np.array([0.0, 1.0])):
        same("deconvolve", x, divisor, tolerance=1e-6)
