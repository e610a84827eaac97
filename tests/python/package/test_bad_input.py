"""Bad input: wrong axes, dtypes, shapes, modes and sizes raise what NumPy raises.

`a` is a matrix of floats, `v` a vector, `i` integers, `e` empty, `z` without axes, `c` complex.
"""

import cuproxide as cp
import numpy as np
import pytest
from helpers import same_error

HOSTS = {
    "a": np.arange(6.0).reshape(2, 3),
    "v": np.arange(4.0),
    "i": np.arange(4),
    "e": np.empty((0, 3)),
    "z": np.array(2.5),
    "c": np.array([1 + 2j, 3j]),
    "s": np.eye(3),
}

AXIS = """
    sum prod max min mean std var any all argmax argmin cumsum cumprod sort argsort median nansum nanmax nanmin nanmean
    nanstd nanvar nanmedian nanprod nancumsum nancumprod nanargmax nanargmin ptp count_nonzero flip diff unique
    trapezoid squeeze expand_dims cumulative_sum cumulative_prod packbits gradient average
""".split()
INDEX = """
    xp.take(a, [0], axis=2) | xp.take(a, [0], mode="no") | xp.put(a, [99], 1)
    xp.put(a, [0], 1, mode="no") | xp.choose([5], [v, v]) | xp.choose([0, 1], [v[:2], v[:3]])
    xp.compress([1], a, axis=4)
    xp.take_along_axis(a, i, axis=0) | xp.take_along_axis(a, v[None], axis=1) | xp.put_along_axis(a, i, 1, axis=0)
    xp.put_along_axis(a, v[None], 1, 1) | xp.diagonal(v) | xp.diagonal(a, axis1=0, axis2=0)
    xp.diag(xp.ones((2, 2, 2)))
    xp.fill_diagonal(v, 1) | xp.unravel_index(99, (2, 3)) | xp.ravel_multi_index((5, 0), (2, 3))
    xp.ravel_multi_index((0, 0), (2, 3), mode="no") | xp.unravel_index([0.5], (2,)) | xp.select([], [])
    xp.select([v > 1], [v, v]) | xp.select([v], [v]) | xp.place(a, xp.ones(3) > 0, [1])
    xp.putmask(a, xp.ones(3) > 0, 1) | xp.ix_(a) | xp.tril_indices_from(v) | xp.diag_indices_from(a) | a[5]
    a[0, 0, 0]
    a[0.5] | a["x"] | a[[5]] | a[v] | a[v > 1] | a[..., ...] | a[0, ::0] | z[0] | a[None, 9] | a[2:, 0, 3]
    xp.searchsorted(a, v) | xp.searchsorted(v, v, side="no") | xp.nonzero(z) | xp.indices((-1,))
    xp.where(v > 1, v, xp.ones(3)) | xp.where(v, v) | xp.mask_indices(-1, xp.triu)
"""
SHAPES = """
    xp.reshape(a, 5) | xp.reshape(a, (-1, -1)) | xp.reshape(a, (-1, 4)) | xp.reshape(a, 6, order="no")
    xp.ravel(a, order="no") | xp.transpose(a, (0, 0)) | xp.transpose(a, (0,)) | xp.transpose(a, (0, 5))
    xp.swapaxes(a, 0, 3)
    xp.moveaxis(a, 0, 4) | xp.moveaxis(a, (0, 1), 0) | xp.moveaxis(a, (0, 0), (0, 1)) | xp.rollaxis(a, 3)
    xp.rollaxis(a, 0, 9)
    xp.broadcast_to(a, (3, 3)) | xp.broadcast_to(a, (3,)) | xp.broadcast_to(a, (-1, 3))
    xp.broadcast_arrays(v, xp.ones(3))
    xp.broadcast_shapes((2,), (3,)) | xp.expand_dims(a, (0, 0)) | xp.squeeze(a, 0) | xp.concatenate([])
    xp.concatenate([a, v])
    xp.concatenate([a, a], axis=2) | xp.concatenate([a, a.T]) | xp.concatenate([a], dtype="i4", casting="safe")
    xp.concatenate([a], casting="no!") | xp.concatenate([z, z]) | xp.stack([]) | xp.stack([a, v])
    xp.stack([a, a], axis=4)
    xp.vstack([v, xp.ones(3)]) | xp.hstack([a, v]) | xp.dstack([a, v]) | xp.column_stack([v, xp.ones(3)])
    xp.split(v, 3)
    xp.split(v, 0) | xp.array_split(v, 0) | xp.hsplit(z, 2) | xp.vsplit(v, 2) | xp.dsplit(a, 2)
    xp.split(v, 2, axis=1)
    xp.tile(v, -1) | xp.repeat(v, -1) | xp.repeat(v, [1, 2]) | xp.repeat(a, 2, axis=3) | xp.roll(a, 1, axis=2)
    xp.roll(a, (1, 2), axis=(0, 5)) | xp.rot90(v) | xp.rot90(a, axes=(0, 0)) | xp.rot90(a, axes=(0, 5))
    xp.fliplr(v)
    xp.flipud(z) | xp.delete(v, 9) | xp.delete(a, 0, axis=2) | xp.insert(v, 9, 1) | xp.insert(a, 0, 1, axis=3)
    xp.append(a, v, axis=0) | xp.resize(v, (-1,)) | xp.pad(a, 1, "no") | xp.pad(a, -1) | xp.pad(a, (1, 2, 3))
    xp.pad(a, 1.5)
    xp.pad(e, 1, "reflect") | xp.pad(a, 1, "constant", nothing=1) | xp.atleast_1d([[1], [1, 2]])
    xp.trim_zeros(v, "x")
    xp.unstack(z) | xp.unstack(a, axis=3) | xp.block([]) | xp.block([[v, v], [v]]) | xp.matrix_transpose(v)
    xp.copyto(v, a)
    xp.copyto(i, v) | xp.copyto(v, i, casting="no") | xp.require(v, requirements="X") | xp.rollaxis(a, -3) | v.mT
    xp.lib.stride_tricks.sliding_window_view(v, 9) | xp.lib.stride_tricks.sliding_window_view(a, 2) | a.view("i3")
    a.T.view("f4")
    xp.lib.stride_tricks.sliding_window_view(v, -1) | a.astype("i4", casting="safe") | a.astype("no")
    a.flatten("no") | xp.tril(z)
    a.resize((-1,)) | xp.permute_dims(a, (1,)) | a.swapaxes(0, 2) | a.item(9) | a.item()
"""
CREATION = """
    xp.zeros(-1) | xp.zeros((2, -1)) | xp.zeros("a") | xp.zeros(2, dtype="no") | xp.zeros(2, order="K")
    xp.ones(1.5)
    xp.full(-1, 0) | xp.full((2,), [1, 2, 3]) | xp.empty((2, 2.5)) | xp.eye(-1) | xp.eye(2.5) | xp.identity(-1)
    xp.arange()
    xp.arange(0, 1, 0) | xp.arange("a") | xp.linspace(0, 1, -1) | xp.linspace(0, 1, 2.5) | xp.logspace(0, 1, -1)
    xp.geomspace(0, 1) | xp.geomspace(1, 0) | xp.linspace(0, 1, axis=3) | xp.vander(a) | xp.vander(v, -1)
    xp.meshgrid(v, indexing="no") | xp.meshgrid(v, nothing=1) | xp.fromfunction(lambda x: x, 3)
    xp.frombuffer(b"abc")
    xp.frombuffer(b"12345678", offset=9) | xp.frombuffer(b"12345678", count=3) | xp.fromiter([1, 2], int, 5)
    xp.fromstring("1 x", sep=" ", dtype=int) | xp.array([[1], [2, 3]]) | xp.array("a", dtype=float)
    xp.array(v, order="no")
    xp.asarray(v, dtype="no") | xp.diagflat(1, k="a") | xp.diag(v, k=0.5) | xp.zeros_like(v, shape=(-1,))
    xp.full_like(v, [1, 2]) | xp.asarray_chkfinite([xp.nan]) | xp.array([1, 2], copy=False)
    xp.asarray([1], copy=False)
    xp.fromfile("/no/such/file") | xp.load("/no/such/file") | xp.loadtxt("/no/such/file")
    xp.ascontiguousarray(v, dtype="no")
"""
NUMBERS = """
    xp.add(v, a) | xp.add(v, i, out=i) | xp.add(v, v, out=a) | xp.add(v) | xp.add(v, v, v, v)
    xp.add(v, v, casting="no!")
    xp.add(v, v, dtype="no") | xp.add(v, v, order="no") | xp.add.reduce(z, axis=1) | xp.sin("a")
    xp.add.reduce(v, axis=1) | xp.subtract.reduce(a, axis=(0, 1)) | xp.add.accumulate(z)
    xp.add.accumulate(v, axis=1)
    xp.add.reduce(v, keepdims=...) | xp.add.reduce(v, keepdims="") | xp.add.reduce(v, keepdims=[1])
    xp.add.reduce(v, keepdims=2.5) | xp.maximum.reduce(v, 0, None, None, "no") | xp.add(v, v, subok=...)
    xp.sin(v, subok=1) | xp.add.outer(v, v, subok=None) | xp.matmul(s, s, subok=0) | xp.vecdot(v, v, subok=...)
    xp.vecdot(v, v, keepdims=1) | xp.matvec(s, s, order="no") | xp.matmul(s, s, order=1) | xp.vecdot(v, v, casting=None)
    xp.add.reduceat(v, 1) | xp.add.reduceat(v, None) | xp.add.reduceat(v, ...) | xp.add.reduceat(v, "1")
    xp.add.reduceat(v, ["x"]) | xp.add.reduceat(v, [None]) | xp.add.reduceat(v, [[0]]) | xp.add.reduceat(v, s > 1)
    xp.add.reduceat(v, v) | xp.add.reduceat(v, [xp.nan]) | xp.add.reduceat(v, z > 1) | xp.add.reduceat(v, [0], out=1)
    xp.add.reduceat(v, [0], out=[v]) | xp.add.reduceat(a, [0, 1], out=xp.empty((2, 2, 3)))
    xp.add.reduceat(v, xp.asarray([0], dtype='u8'))
    xp.add.reduceat(v, [9]) | xp.add.reduceat(z, [0]) | xp.sin.reduce(v) | xp.sin.outer(v, v)
    xp.add.at(v, [9], 1) | xp.add.at(v, [0.5], 1) | xp.divmod.reduce(v) | xp.bitwise_and(v, v) | xp.invert(v)
    xp.gcd(v, v)
    xp.left_shift(v, 1) | xp.logical_not(v, out=a) | xp.maximum(v, a) | xp.negative(v > 1)
    xp.subtract(v > 1, v > 1)
    xp.floor_divide(c, c) | xp.remainder(c, c) | xp.fmod(c, c) | xp.floor(c) | xp.heaviside(c, c)
    xp.arctan2(c, c)
    xp.ldexp(v, v) | xp.bitwise_count(v) | xp.power(i, -1) | xp.matmul(a, a) | xp.matmul(z, a) | xp.matmul(v, a)
    xp.dot(a, a)
    xp.dot(a, v) | xp.vdot(a, v) | xp.inner(a, v) | xp.tensordot(a, a, 2.5) | xp.tensordot(a, a, ((0,), (1,)))
    xp.einsum("ij,jk", a, a) | xp.einsum("i", a) | xp.einsum("ij->k", a) | xp.einsum("ij")
    xp.einsum("ij->ii", a) | xp.cross(v, v)
    xp.cross(a, v) | xp.trace(v) | xp.convolve(a, v) | xp.convolve(v, e[0:0, 0]) | xp.convolve(v, v, "no")
    xp.correlate(a, v) | xp.correlate(v, e[:, 0]) | xp.interp(v, v, v[:3]) | xp.interp(v, e[:, 0], e[:, 0])
    xp.interp(v, c, c)
    xp.clip(v, a, 1) | xp.round(c, 0.5) | xp.diff(v, -1) | xp.diff(z) | xp.gradient(v[:1]) | xp.gradient(v, v[:2])
    xp.gradient(a, 1, 2, 3) | xp.gradient(v, edge_order=3) | xp.ediff1d(i, to_end=0.5)
    xp.i0(c) | xp.angle("a") | xp.prod(v, axis="a") | xp.sum(v, dtype="no")
    xp.max(e, axis=0) | xp.min(e) | xp.argmax(e, axis=0) | xp.argmin(e) | xp.max(v, where=v > 1) | xp.ptp(e)
    xp.sum(v, where=a)
    xp.nanmax(e, axis=0) | xp.nanargmax([xp.nan]) | xp.nanmin(e) | xp.nanargmin(e) | xp.cumulative_sum(a)
"""
STATISTICS = """
    xp.average(a, weights=v) | xp.average(a, axis=0, weights=v) | xp.average(v, weights=[0, 0, 0, 0])
    xp.percentile(v, 101)
    xp.percentile(v, -1) | xp.quantile(v, 1.5) | xp.quantile(v, 0.5, method="no") | xp.quantile(c, 0.5)
    xp.percentile(v, 50, axis=3) | xp.quantile(v, 0.5, weights=v)
    xp.quantile(v, 0.5, weights=v[:2], method="inverted_cdf")
    xp.cov(xp.ones((2, 2, 2))) | xp.cov(a, ddof=0.5) | xp.cov(a, fweights=[0.5, 1, 1])
    xp.cov(a, aweights=[-1, 1, 1])
    xp.cov(a, fweights=[1, 1]) | xp.corrcoef(a, xp.ones((3, 4))) | xp.histogram(v, bins=0)
    xp.histogram(v, bins=[3, 1])
    xp.histogram(v, bins=a) | xp.histogram(v, range=(2, 1)) | xp.histogram(v, range=(0, xp.inf))
    xp.histogram(v, weights=v[:2])
    xp.histogram(v, bins="no") | xp.histogram(v, bins=2.5) | xp.histogram2d(v, v[:2])
    xp.histogramdd(a, bins=(2,))
    xp.histogramdd(a, range=((0, 1),)) | xp.bincount(v) | xp.bincount([-1]) | xp.bincount(a)
    xp.bincount(i, v[:2])
    xp.bincount(i, minlength=-1) | xp.digitize(v, a) | xp.digitize(v, [0, 2, 1]) | xp.digitize(c, v)
    xp.median("a")
    xp.var(v, ddof=1, correction=1) | xp.std(v, axis=2) | xp.histogram_bin_edges(v, bins=-1)
    xp.digitize(v, xp.asarray(c))
    xp.lexsort(z) | xp.lexsort((v, v[:2])) | xp.partition(v, 9) | xp.partition(v, 0.5) | xp.argpartition(v, -9)
    xp.sort(z)
    xp.sort(v, kind="no") | xp.sort(v, order="x") | xp.argsort(v, kind="no")
    xp.sort(v, kind="quicksort", stable=True)
    xp.partition(a, 0, axis=3) | xp.unique(v, axis=2) | xp.unique(z, axis=0) | xp.isin(v, v, kind="no")
    xp.isin(v, v, kind="table")
    xp.apply_along_axis(xp.sum, 3, a) | xp.apply_along_axis(xp.sum, 0, z) | xp.apply_over_axes(xp.sum, a, 5)
    xp.piecewise(v, [v > 1], [1, 2, 3]) | xp.vectorize(1) | xp.packbits(v)
    xp.unpackbits(i) | xp.packbits([1], bitorder="no") | xp.unpackbits(xp.zeros(1, "u1"), count=-99)
    xp.base_repr(1, 99)
    xp.binary_repr(1.5) | xp.can_cast("no", "i4") | xp.can_cast(1, "i4") | xp.promote_types("f4", "no")
    xp.result_type()
    xp.finfo("i4") | xp.iinfo("f4") | xp.isdtype("f4", "no") | xp.min_scalar_type() | xp.allclose(v, xp.ones(3))
    xp.isclose(v, a)
    xp.polyfit(v, v[:2], 1) | xp.polyfit(v, v, -1) | xp.polyfit(a, v, 1) | xp.roots(a) | xp.poly(xp.ones((2, 3)))
    xp.polyder(v, -1) | xp.polyint(v, -1) | xp.poly1d(a)
"""
LIBRARIES = """
    xp.linalg.inv(a) | xp.linalg.inv(v) | xp.linalg.inv(xp.zeros((2, 2))) | xp.linalg.det(a)
    xp.linalg.solve(s, v)
    xp.linalg.solve(a, a) | xp.linalg.solve(xp.zeros((2, 2)), xp.ones(2)) | xp.linalg.cholesky(a)
    xp.linalg.cholesky(-s)
    xp.linalg.qr(v) | xp.linalg.qr(a, mode="no") | xp.linalg.svd(v) | xp.linalg.eigh(a)
    xp.linalg.eigh(s, UPLO="X")
    xp.linalg.eig(a) | xp.linalg.eigvals(v) | xp.linalg.eigvalsh(a) | xp.linalg.norm(a, ord="no")
    xp.linalg.norm(v, "fro")
    xp.linalg.norm(xp.ones((2, 2, 2)), 2) | xp.linalg.norm(a, axis=(0, 0)) | xp.linalg.norm(a, axis=5)
    xp.linalg.cond(v)
    xp.linalg.norm(a, 3) | xp.linalg.matrix_power(a, 2) | xp.linalg.matrix_power(s, 0.5)
    xp.linalg.matrix_rank(a, tol=1, rtol=1)
    xp.linalg.multi_dot([a]) | xp.linalg.multi_dot([a, a]) | xp.linalg.lstsq(a, v) | xp.linalg.lstsq(v, v)
    xp.linalg.pinv(v)
    xp.linalg.tensorinv(a) | xp.linalg.tensorinv(s, ind=0) | xp.linalg.tensorsolve(a, v) | xp.linalg.slogdet(a)
    xp.linalg.cross(v, v)
    xp.linalg.trace(v) | xp.linalg.outer(a, v) | xp.linalg.diagonal(v) | xp.linalg.vecdot(v, a)
    xp.linalg.matrix_norm(v) | xp.linalg.matmul(a, a.T, s) | xp.linalg.matmul(a, a.T, out=s)
    xp.linalg.tensordot(a, a, 1) | xp.linalg.vecdot(a, a, axis=None) | xp.linalg.matmul(a, 1)
    xp.linalg.vector_norm(a, axis=4) | xp.linalg.svdvals(v) | xp.linalg.matrix_transpose(v)
    xp.fft.fft(v, 0) | xp.fft.fft(v, -1) | xp.fft.fft(v, axis=3) | xp.fft.fft(v, norm="no") | xp.fft.fft(z)
    xp.fft.rfft(c)
    xp.fft.fft2(v) | xp.fft.fftn(a, s=(1, 2, 3)) | xp.fft.fftn(a, axes=(0, 5)) | xp.fft.irfft(v, 0)
    xp.fft.hfft(v, -1)
    xp.fft.fftfreq(0.5) | xp.fft.fftshift(v, axes=3) | xp.fft.rfftn(c) | xp.fft.ifftn(a, s=(2,), axes=(0, 1))
    xp.fft.fft(v, 2.5) | xp.fft.rfftfreq("a") | xp.fft.fft2(a, s=(0, 1)) | xp.fft.ihfft(c)
    xp.random.default_rng(-1) | xp.random.default_rng("a") | xp.random.default_rng(1).random(-1)
    xp.random.default_rng(1).random("a")
    xp.random.default_rng(1).integers(0) | xp.random.default_rng(1).integers(3, 2)
    xp.random.default_rng(1).integers(300, dtype="u1")
    xp.random.default_rng(1).integers(3, dtype="f4") | xp.random.default_rng(1).normal(0, -1)
    xp.random.default_rng(1).gamma(-1)
    xp.random.default_rng(1).beta(0, 1) | xp.random.default_rng(1).binomial(-1, 0.5)
    xp.random.default_rng(1).binomial(1, 1.5)
    xp.random.default_rng(1).poisson(-1) | xp.random.default_rng(1).choice(0)
    xp.random.default_rng(1).choice(3, 5, replace=False)
    xp.random.default_rng(1).choice(3, p=[1, 2]) | xp.random.default_rng(1).choice(3, p=[0.5, 0.5, 0.5])
    xp.random.RandomState(-1)
    xp.random.default_rng(1).multinomial(3, [2, 3]) | xp.random.default_rng(1).random(2, dtype="i4")
    xp.random.default_rng(1).uniform(0, xp.inf)
    xp.random.default_rng(1).geometric(0) | xp.random.default_rng(1).zipf(1)
    xp.random.default_rng(1).hypergeometric(1, 1, 5)
    xp.random.default_rng(1).logseries(1) | xp.random.default_rng(1).vonmises(0, -1)
    xp.random.default_rng(1).wald(0, 1)
    xp.random.default_rng(1).triangular(2, 1, 3) | xp.random.default_rng(1).triangular(1, 1, 1)
    xp.random.default_rng(1).pareto(0)
    xp.random.default_rng(1).negative_binomial(0, 0.5) | xp.random.default_rng(1).standard_t(0)
    xp.random.default_rng(1).chisquare(0)
    xp.random.default_rng(1).normal(size=(2,), loc=[1, 2, 3]) | xp.random.default_rng(1).permuted(3, axis=1)
    xp.random.randint(0)
    xp.random.default_rng(1).multivariate_normal(v, s) | xp.random.default_rng(1).permutation(a, axis=5)
    xp.random.rand(-1)
"""
TABLES = {
    "axis": "\n".join(f"xp.{name}(a, axis=5) | xp.{name}(a, axis=-3)" for name in AXIS if name != "expand_dims"),
    "index": INDEX,
    "shapes": SHAPES,
    "creation": CREATION,
    "numbers": NUMBERS,
    "statistics": STATISTICS,
    "libraries": LIBRARIES,
}
LINES = [line for table in TABLES.values() for line in table.strip().splitlines()]
CALLS = [call.strip() for line in LINES for call in line.split(" | ")]


def run(xp, call):
    arrays = {name: xp.asarray(host.copy()) for name, host in HOSTS.items()}
    return eval(call, {"xp": xp}, arrays)


@pytest.mark.parametrize("call", CALLS)
def test_bad_input(call):
    same_error(lambda: run(cp, call), lambda: run(np, call))
