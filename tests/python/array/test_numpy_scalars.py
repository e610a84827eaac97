"""Axes, indices, lengths and counts given as NumPy's scalars: integers count, floats are what NumPy makes of them."""

import warnings

import cuproxide as cp
import numpy as np
import pytest

HOSTS = {
    "v": np.array([3.0, 1, 2, 5]),
    "m": np.arange(6.0).reshape(2, 3),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "s": np.array([[2.0, 1], [1, 3]]),
    "bits": np.array([7, 200], np.uint8),
}
# `#` is the scalar, which is 1 or 2 here.
CALLS = """
    xp.transpose(m, (#, 0)) | m.transpose(#, 0) | m.transpose((#, 0)) | xp.permute_dims(m, (#, 0))
    xp.moveaxis(t, 0, #)
    xp.moveaxis(t, (0, #), (#, 0)) | xp.swapaxes(m, 0, #) | m.swapaxes(#, 0) | xp.rollaxis(t, #)
    xp.rollaxis(t, #, 0)
    xp.expand_dims(m, #) | xp.expand_dims(m, (0, #)) | xp.squeeze(m[:, :1], #) | xp.flip(m, #) | xp.roll(m, #)
    xp.roll(m, #, 0)
    xp.roll(m, (#, 0), (0, 1)) | xp.rot90(m, #) | xp.tile(v, #) | xp.tile(v, (2, #)) | xp.repeat(m, #)
    xp.repeat(m, #, 0)
    xp.reshape(v, (2, #))[:0] if # == 1 else xp.reshape(v, (2, #)) | xp.resize(v, (2, #))
    xp.broadcast_to(v[:1], (2, #))
    xp.zeros(#) | xp.zeros((#, 2)) | xp.ones(#) | xp.full((2, #), 7) | xp.empty(#).shape | xp.eye(#) | xp.eye(3, #)
    xp.eye(3, k=#)
    xp.identity(#) | xp.tri(#) | xp.tri(3, #) | xp.tri(3, 3, #) | xp.tril(m, #) | xp.triu(m, #) | xp.diag(v, #)
    xp.diagflat(v, #) | xp.diagonal(t, #) | xp.diagonal(t, 0, #, 0) | xp.trace(m, #) | m.diagonal(#) | m.trace(#)
    xp.tril_indices(#) | xp.triu_indices(3, #) | xp.tril_indices(3, 0, #) | xp.indices((2, #)) | xp.diag_indices(#)
    xp.linspace(0, 1, #) | xp.logspace(0, 1, #) | xp.geomspace(1, 8, #)
    xp.linspace(m, m, 3, axis=#) | xp.vander(v, #) | xp.split(v, # * 2) | xp.array_split(v, #)
    xp.hsplit(m[:, :2], #)
    xp.stack((m, m), #) | xp.concatenate((m, m), #) | xp.unstack(m, axis=#) | xp.delete(v, #) | xp.insert(v, #, 9)
    xp.append(m, m, #)
    xp.take(v, #) | v.take(#) | xp.take(m, #, 1) | xp.take(m, 0, #) | xp.compress([1], m, #)
    xp.take_along_axis(m, m.astype(int) % 2, #)
    v[#] | m[#:] | m[0, #] | v[[#]] | v[#,] | v.item(#)
    xp.sum(t, #) | xp.sum(t, (0, #)) | xp.max(t, axis=#, keepdims=True) | xp.argmax(t, #) | xp.cumsum(t, #)
    xp.median(t, #)
    xp.var(v, ddof=#) | xp.std(t, (#, 0), ddof=#) | xp.cov(m, ddof=#) | xp.percentile(v, #) | xp.quantile(t, 0.5, #)
    xp.sort(t, #) | xp.argsort(t, #) | xp.partition(v, #)[#] | xp.partition(t, 0, #).shape
    xp.unique(m, axis=#) | xp.diff(v, #) | xp.diff(m, axis=#) | xp.gradient(v, #) | xp.gradient(m, axis=#)
    xp.trapezoid(m, axis=#)
    xp.around(v / 3, #) | xp.bincount(xp.asarray([0, 1]), minlength=#) | xp.histogram(v, #)
    xp.histogram_bin_edges(v, #)
    xp.packbits(m > 1, #) | xp.unpackbits(bits, count=#) | xp.pad(v, #) | xp.pad(v, (#, #))
    xp.apply_along_axis(xp.sum, #, m)
    xp.ravel_multi_index((#, 1), (3, 3)) | xp.unravel_index(#, (2, #)) | xp.unravel_index(xp.asarray([1]), (#, 2))
    xp.tensordot(m, m.T, #) if # == 1 else m | xp.linalg.matrix_power(s, #) | xp.linalg.norm(v, #)
    xp.linalg.norm(t, axis=#)
    xp.fft.fft(v, #) | xp.fft.fft(m, axis=#) | xp.fft.fftn(t, axes=(0, #)) | xp.fft.fftshift(m, #) | xp.fft.fftfreq(#)
    xp.polyder(v, #) | xp.polyint(v, #) | xp.poly1d([1, 2]) ** # | xp.polynomial.polynomial.polyder(v, #)
    xp.hanning(# + #)
    xp.lib.stride_tricks.sliding_window_view(v, #) | xp.array(v, ndmin=#) | xp.count_nonzero(t, #) | xp.nanmean(t, #)
"""
ORDERS = """
    ravel_multi_index((1, 1), (2, 3), order=$) | xp.unravel_index(3, (2, 3), order=$) | m.ravel($) | m.flatten($)
    xp.ravel(m, $)
    xp.reshape(m, 6, order=$) | xp.array(m, order=$).strides | xp.zeros((2, 3), order=$).strides | m.copy($).strides
"""


def calls(text):
    return [call.strip() for line in text.strip().splitlines() for call in line.split(" | ")]


def outcome(call, xp):
    names = {name: xp.asarray(value) for name, value in HOSTS.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(call, {"xp": xp, "np": np, **names})
        except Exception as error:
            return error


def alike(call, wanted=None):
    """Compares a call with the same one of NumPy, or with the call `wanted`."""
    wanted, given = outcome(wanted or call, np), outcome(call, cp)
    if isinstance(wanted, Exception) or isinstance(given, Exception):
        assert isinstance(given, type(wanted)) or isinstance(wanted, type(given)), (call, wanted, given)
        return
    wanted, given = (value if isinstance(value, (tuple, list)) else [value] for value in (wanted, given))
    assert len(wanted) == len(given)
    for one, other in zip(wanted, given, strict=True):
        one = np.asarray(one.coeffs if isinstance(one, np.poly1d) else one)
        other = other.coeffs if isinstance(other, cp.poly1d) else other
        other = cp.asnumpy(other) if isinstance(other, cp.ndarray) else np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), call
        np.testing.assert_allclose(other, one, 1e-12, 1e-12, err_msg=call)


@pytest.mark.parametrize("call", calls(CALLS))
def test_integers_count_in_every_type(call):
    # As Python's do: NumPy computes with some of them in their own types, where they wrap around.
    for kind in ("int8", "uint8", "int64", "uint64"):
        for number in (1, 2):
            alike(call.replace("#", f"np.{kind}({number})"), call.replace("#", str(number)))


def test_ranges_have_the_dtypes_of_their_ends():
    for kind in (np.int8, np.uint8, np.int64, np.uint64):
        for ends in ((kind(3),), (kind(1), kind(7)), (kind(1), kind(7), kind(2))):
            wanted, given = np.arange(*ends), cp.arange(*ends)
            assert wanted.dtype == given.dtype
            np.testing.assert_array_equal(cp.asnumpy(given), wanted)


# NumPy gives what it makes of a float where it computes with it before it counts, and takes one for an index.
TAKEN = (
    "xp.diag_indices(",
    "xp.take(",
    "v.take(",
    "xp.repeat(",
    "xp.around(",
    "xp.tri",
    "xp.eye(",
    "xp.diag(",
    "xp.diagflat(",
    "xp.vander(",
)


@pytest.mark.parametrize("call", [call for call in calls(CALLS) if not call.startswith(TAKEN)])
def test_floats_count_where_they_do_in_numpy(call):
    alike(call.replace("#", "np.float64(1.0)"))


@pytest.mark.parametrize("call", calls(ORDERS.replace("    ravel_multi", "    xp.ravel_multi")))
def test_orders_in_every_form(call):
    for order in ("None", "'C'", "'c'", "'F'", "'f'", "'x'", "1"):
        alike(call.replace("$", order))


def test_places_of_ufunc_at():
    for index in (
        np.int64(1),
        np.uint8(1),
        (np.int8(1),),
        [np.int64(1)],
        np.bool_(True),
        np.float64(1.0),
        [np.float64(1)],
    ):
        results = []
        for xp in (np, cp):
            a = xp.zeros(3)
            try:
                xp.add.at(a, index, 2)
                results.append(a.tolist())
            except Exception as error:
                results.append(type(error))
        wanted, given = results
        assert wanted == given or issubclass(given, wanted) or issubclass(wanted, given), index
