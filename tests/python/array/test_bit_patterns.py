"""What moves elements moves their bits: signalling NaN, payloads and signs of NaN stay, as in NumPy."""

import cuproxide as cp
import ml_dtypes
import numpy as np
import pytest

# Signalling and quiet NaN of both signs with payloads, beside one, both zeros and an infinity.
WORDS = {
    "float16": ("u2", [0x7C01, 0xFC01, 0x7DFF, 0x7E00, 0x7E01, 0xFE55, 0x3C00, 0, 0x8000, 0x7C00]),
    "bfloat16": ("u2", [0x7F81, 0xFF81, 0x7FBF, 0x7FC0, 0x7FC1, 0xFFD5, 0x3F80, 0, 0x8000, 0x7F80]),
    "float32": ("u4", [0x7F800001, 0xFF800001, 0x7FBFFFFF, 0x7FC00001, 0xFFD50000, 0x3F800000, 0, 1 << 31, 1, 2]),
    "float64": ("u8", [(0x7FF << 52) + 1, (0xFFF << 52) + 1, (0x7FF8 << 48) + 1, 0x3FF << 52, 0, 1 << 63, 1, 2, 3, 4]),
}
PLACES = np.array([3, 0, 0, 7, 1])
MASK = np.arange(20).reshape(2, 10) % 3 != 0


def patterns(name):
    word, bits = WORDS[name.replace("complex64", "float32").replace("complex128", "float64")]
    bits = np.array(bits, word)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    if dtype.kind == "c":
        return np.stack([bits, bits[::-1], bits[::-1], bits], -1).ravel().view(dtype).reshape(2, 10)
    return np.stack([bits, bits[::-1]]).view(dtype)


def written(xp, a, write):
    target = xp.zeros(a.shape, a.dtype)
    write(target)
    return target


MOVES = {
    "copy": lambda xp, a, at, mask: a.copy(),
    "transposed": lambda xp, a, at, mask: a.T.copy(),
    "reversed": lambda xp, a, at, mask: a[::-1, ::-1].copy(),
    "strided": lambda xp, a, at, mask: a[:, ::2].copy(),
    "ascontiguousarray": lambda xp, a, at, mask: xp.ascontiguousarray(a.T),
    "asfortranarray": lambda xp, a, at, mask: xp.asfortranarray(a),
    "array": lambda xp, a, at, mask: xp.array(a.T, order="C"),
    "astype": lambda xp, a, at, mask: a.T.astype(a.dtype),
    "ravel": lambda xp, a, at, mask: a.ravel("F"),
    "flatten": lambda xp, a, at, mask: a.T.flatten(),
    "reshape": lambda xp, a, at, mask: a.reshape(-1, 2, order="F"),
    "broadcast_to": lambda xp, a, at, mask: xp.broadcast_to(a, (3, 2, 10)).copy(),
    "concatenate": lambda xp, a, at, mask: xp.concatenate([a, a[:, ::-1]], axis=1),
    "stack": lambda xp, a, at, mask: xp.stack([a, a], axis=-1),
    "block": lambda xp, a, at, mask: xp.block([[a, a], [a, a]]),
    "tile": lambda xp, a, at, mask: xp.tile(a, (2, 2)),
    "repeat": lambda xp, a, at, mask: xp.repeat(a, 3, axis=1),
    "roll": lambda xp, a, at, mask: xp.roll(a, 3, axis=1),
    "flip": lambda xp, a, at, mask: xp.flip(a).copy(),
    "rot90": lambda xp, a, at, mask: xp.rot90(a).copy(),
    "pad": lambda xp, a, at, mask: xp.pad(a, 1, mode="edge"),
    "pad with zeros": lambda xp, a, at, mask: xp.pad(a, 1),
    "resize": lambda xp, a, at, mask: xp.resize(a, (3, 7)),
    "insert": lambda xp, a, at, mask: xp.insert(a, 1, a[0], axis=0),
    "delete": lambda xp, a, at, mask: xp.delete(a, 1, axis=1),
    "diag": lambda xp, a, at, mask: xp.diag(a[0]),
    "tril": lambda xp, a, at, mask: xp.tril(a),
    "meshgrid": lambda xp, a, at, mask: xp.meshgrid(a[0], a[1])[0].copy(),
    "take": lambda xp, a, at, mask: xp.take(a, at, axis=1),
    "take_along_axis": lambda xp, a, at, mask: xp.take_along_axis(a, at[None].repeat(2, 0), axis=1),
    "indices": lambda xp, a, at, mask: a[at % 2, at],
    "mask": lambda xp, a, at, mask: a[mask],
    "compress": lambda xp, a, at, mask: xp.compress(mask[0], a, axis=1),
    "where": lambda xp, a, at, mask: xp.where(mask, a, a[::-1]),
    "where beside a number": lambda xp, a, at, mask: xp.where(mask, a, 0),
    "where beside a result": lambda xp, a, at, mask: xp.where(mask, a, xp.ones_like(a) + xp.ones_like(a)),
    "select": lambda xp, a, at, mask: xp.select([mask], [a], a[::-1]),
    "choose": lambda xp, a, at, mask: xp.choose(mask.astype(int), [a, a[::-1]]),
    "full": lambda xp, a, at, mask: xp.full(7, a[0, 0]),
    "fill": lambda xp, a, at, mask: written(xp, a, lambda to: to.fill(a[0, 0])),
    "set": lambda xp, a, at, mask: written(xp, a, lambda to: to.__setitem__(slice(None, None, -1), a)),
    "set at indices": lambda xp, a, at, mask: written(xp, a, lambda to: to.__setitem__((slice(None), at), a[:, at])),
    "set at a mask": lambda xp, a, at, mask: written(xp, a, lambda to: to.__setitem__(mask, a[mask])),
    "copyto": lambda xp, a, at, mask: written(xp, a, lambda to: xp.copyto(to, a, where=mask)),
    "put": lambda xp, a, at, mask: written(xp, a, lambda to: xp.put(to, at, a.ravel()[at])),
    "putmask": lambda xp, a, at, mask: written(xp, a, lambda to: xp.putmask(to, mask, a)),
    "place": lambda xp, a, at, mask: written(xp, a, lambda to: xp.place(to, mask, a[mask])),
}
# Of real numbers alone: what changes the sign and nothing else.
SIGNS = {
    "positive": lambda xp, a, at, mask: xp.positive(a[:, ::2]),
    "negative": lambda xp, a, at, mask: -a[:, ::2],
    "absolute": lambda xp, a, at, mask: abs(a[:, ::2]),
    "conjugate": lambda xp, a, at, mask: xp.conjugate(a[:, ::2]),
    "copysign": lambda xp, a, at, mask: xp.copysign(a, a[::-1]),
    "real": lambda xp, a, at, mask: a[:, ::2].real.copy(),
}
REAL = ["float16", "bfloat16", "float32", "float64"]


def octets(array):
    return np.ascontiguousarray(array).view("u1")


@pytest.mark.parametrize("dtype", [*REAL, "complex64", "complex128"])
def test_moved_bits(dtype):
    host = patterns(dtype)
    device = [cp.asarray(each) for each in (host, PLACES, MASK)]
    for name, move in MOVES.items():
        found, expected = move(cp, *device).get(), move(np, host, PLACES, MASK)
        assert found.shape == expected.shape and found.dtype == expected.dtype, name
        assert (octets(found) == octets(expected)).all(), name


@pytest.mark.parametrize("dtype", REAL)
def test_signs(dtype):
    host = patterns(dtype)
    device = [cp.asarray(each) for each in (host, PLACES, MASK)]
    for name, change in SIGNS.items():
        found, expected = change(cp, *device).get(), change(np, host, PLACES, MASK)
        if cp.Device().asynchronous:
            # The arithmetic of GPUs gives NaN the bits of its own.
            assert (np.isnan(found) == np.isnan(expected)).all(), name
            found, expected = (each[~np.isnan(each)] for each in (found, expected))
        assert (octets(found) == octets(expected)).all(), name


@pytest.mark.parametrize("dtype", REAL)
def test_scalars_of_the_host(dtype):
    host = patterns(dtype)
    for value in host[0]:
        for made in (cp.full(3, value), cp.asarray(value), cp.where(cp.asarray([True]), value, value)):
            assert (octets(made.get().ravel()) == np.tile(octets(np.array([value])), made.size)).all()
