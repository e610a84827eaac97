"""Plans as CuPy has them: what they tell of themselves, and transforms by their own method."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import cufft

RANDOM = np.random.default_rng(6)


def complex_array(*shape):
    return RANDOM.normal(size=shape) + 1j * RANDOM.normal(size=shape)


@pytest.mark.parametrize("single", [False, True])
def test_attributes(single):
    pair, real = ("c8", "f4") if single else ("c16", "f8")
    plan = cp.scipy.fft.get_fft_plan(cp.ones((4, 8), pair), axes=1)
    assert isinstance(plan, cufft.Plan1d)
    assert (plan.nx, plan.batch) == (8, 4)
    assert plan.fft_type == (cufft.CUFFT_C2C if single else cufft.CUFFT_Z2Z)
    plan = cp.scipy.fft.get_fft_plan(cp.ones((4, 8), real), axes=0, value_type="R2C")
    assert (plan.nx, plan.batch) == (4, 8) and plan.fft_type == (cufft.CUFFT_R2C if single else cufft.CUFFT_D2Z)
    plan = cp.scipy.fft.get_fft_plan(cp.ones((3, 4, 5), pair), shape=(4, 8), axes=(1, 2), value_type="C2R")
    assert isinstance(plan, cufft.PlanNd)
    assert (plan.shape, plan.batch, plan.last_axis, plan.last_size, plan.order) == ((4, 8), 3, 2, 8, "C")
    assert plan.fft_type == (cufft.CUFFT_C2R if single else cufft.CUFFT_Z2D)


@pytest.mark.parametrize("made", ["from array", "by numbers"])
def test_rows(made):
    x = complex_array(4, 8)
    plan = cp.scipy.fft.get_fft_plan(cp.asarray(x), axes=1) if made == "from array" else cufft.Plan1d(8, 0x69, 4)
    a = cp.asarray(x)
    out = plan.get_output_array(a)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.get(), np.fft.fft(x), atol=1e-12)
    plan.fft(out, out, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(out.get(), 8 * x, atol=1e-12)
    flat = cp.empty(32, complex)
    plan.fft(a.reshape(2, 2, 8), flat, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(flat.get(), np.fft.fft(x).ravel(), atol=1e-12)


def test_rows_of_real_numbers():
    x = RANDOM.normal(size=(3, 9)).astype("f4")
    there, back = cufft.Plan1d(9, cufft.CUFFT_R2C, 3), cufft.Plan1d(9, cufft.CUFFT_C2R, 3)
    spectrum = there.get_output_array(cp.asarray(x))
    assert spectrum.shape == (3, 5) and spectrum.dtype == np.complex64
    there.fft(cp.asarray(x), spectrum, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(spectrum.get(), np.fft.rfft(x), rtol=1e-4, atol=1e-4)
    again = cp.empty((3, 9), np.float32)
    back.fft(spectrum, again, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(again.get(), 9 * x, rtol=1e-4, atol=1e-4)


def test_columns_lie_as_rows():
    """As in CuPy: a plan for the first axis takes arrays whose transforms lie in memory one after another."""
    x = complex_array(4, 8)
    plan = cp.scipy.fft.get_fft_plan(cp.asarray(x), axes=0)
    rows = cp.asarray(x.T.copy())
    out = plan.get_output_array(rows)
    plan.fft(rows, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.T.get(), np.fft.fft(x, axis=0), atol=1e-12)


@pytest.mark.parametrize("axes", [None, (1, 2), (0, 1)])
def test_several_axes(axes):
    x = complex_array(3, 4, 5)
    plan = cp.scipy.fft.get_fft_plan(cp.asarray(x), axes=axes)
    out = plan.get_output_array(cp.asarray(x))
    plan.fft(cp.asarray(x), out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.get(), np.fft.fftn(x, axes=axes), atol=1e-11)
    if axes == (1, 2):
        other = cufft.PlanNd((4, 5), None, 1, 20, None, 1, 20, cufft.CUFFT_Z2Z, 3)
        again = other.get_output_array(cp.asarray(x))
        other.fft(cp.asarray(x), again, cufft.CUFFT_FORWARD)
        np.testing.assert_array_equal(again.get(), out.get())
        with cp.scipy.fft.get_fft_plan(cp.asarray(x), axes=axes):
            np.testing.assert_allclose(cp.fft.fft2(cp.asarray(x)).get(), out.get(), atol=1e-11)


def test_what_does_not_fit():
    plan, x = cufft.Plan1d(8, cufft.CUFFT_Z2Z, 4), cp.ones((4, 8), complex)
    for a, out, words in (
        (x, cp.ones((4, 7), complex), "out has 28 elements"),
        (cp.ones((5, 8), complex), x, "a has 40 elements"),
        (x.astype("c8"), x, "a must be of complex128"),
        (x, x.real.copy(), "out must be of complex128"),
        (x.T.copy().T, x, "a must be C-contiguous"),
    ):
        with pytest.raises(ValueError, match=words):
            plan.fft(a, out, cufft.CUFFT_FORWARD)
    with pytest.raises(ValueError, match="direction"):
        plan.fft(x, x, 2)
    with pytest.raises(ValueError, match="fft_type"):
        cufft.Plan1d(8, 1, 4)
    with pytest.raises(ValueError, match="one device"):
        cufft.Plan1d(8, cufft.CUFFT_C2C, 4, devices=(0, 1))
    with pytest.raises(ValueError, match="C-contiguous"):
        cufft.PlanNd((4, 5), (4, 6), 1, 24, None, 1, 20, cufft.CUFFT_C2C, 1)
    with plan, pytest.raises(ValueError, match="plan"):
        cp.fft.fft(cp.ones((5, 8), complex))


def test_under_the_names_of_cupy(cupy):
    from cupy.cuda.cufft import CUFFT_FORWARD, Plan1d

    assert cupy.cuda.cufft.CUFFT_FORWARD == CUFFT_FORWARD == -1 and Plan1d is cufft.Plan1d
    assert cupy.cuda.cufft.CUFFT_C2C == 41 and cupy.cuda.cufft.CUFFT_Z2D == 108


def test_a_plan_for_the_first_axis_takes_any_layout():
    x = complex_array(4, 40)
    plan = cp.scipy.fft.get_fft_plan(cp.asarray(x), axes=0)
    for array in (cp.asarray(x), cp.asarray(np.asfortranarray(x)), cp.asarray(np.repeat(x, 2, axis=1))[:, ::2]):
        np.testing.assert_allclose(cp.scipy.fft.fft(array, axis=0, plan=plan).get(), np.fft.fft(x, axis=0), atol=1e-12)
