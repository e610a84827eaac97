"""What `memory.py` measures: for each case its input, made with NumPy, and a call of `sp` on arrays of `xp`.

`host` is NumPy; `array` brings an array of it to the library that is measured.
"""

# name: (statements that make NumPy arrays and numbers, statements that make inputs of the library, the call).
CASES: dict[str, tuple[str, str, str]] = {}


def _case(name: str, made: str, given: str, call: str) -> None:
    CASES[name] = (made, given, call)


_RANDOM = "r = host.random.default_rng(0)"
_IMAGE = f"{_RANDOM}; a = r.random((3000, 3000))"
_SPARSE = (
    f"{_RANDOM}; n = 300_000; i = r.integers(0, n, 3_000_000); j = r.integers(0, n, 3_000_000); v = r.random(3_000_000)"
)
_COO = "m = sp.sparse.coo_array((array(v), (array(i), array(j))), shape=(n, n))"
_LINE = f"{_RANDOM}; a = r.random(4_000_000)"

# The calls that were found to take more.
_case(
    "cdist jensenshannon",
    f"{_RANDOM}; a = r.random((2500, 20))",
    "x = array(a)",
    "sp.spatial.distance.cdist(x, x, 'jensenshannon')",
)
_case("median_filter 5x5", _IMAGE, "x = array(a)", "sp.ndimage.median_filter(x, 5)")
_case(
    "median_filter uint8 11x11",
    f"{_RANDOM}; a = r.integers(0, 256, (1500, 1500)).astype('u1')",
    "x = array(a)",
    "sp.ndimage.median_filter(x, 11)",
)
_case("coo.tocsr with duplicates", f"{_SPARSE}; i //= 300; j //= 300; n = 1000", _COO, "m.tocsr()")
_case("coo.tocsr", _SPARSE, _COO, "m.tocsr()")
_case(
    "query_ball_point",
    f"{_RANDOM}; a = r.random((60_000, 3))",
    "t = sp.spatial.KDTree(array(a))",
    "t.query_ball_point(array(a), 0.06)",
)
_case(
    "theilslopes",
    f"{_RANDOM}; a = r.random(3000); b = r.random(3000)",
    "x, y = array(a), array(b)",
    "sp.stats.theilslopes(y, x)",
)

# Other calls of all packages.
_case("fft", _LINE, "x = array(a)", "sp.fft.fft(x)")
_case("rfft2", _IMAGE, "x = array(a)", "sp.fft.rfft2(x)")
_case("dct", _LINE, "x = array(a)", "sp.fft.dct(x)")
_case("fftconvolve", f"{_LINE}; b = r.random(100_000)", "x, y = array(a), array(b)", "sp.signal.fftconvolve(x, y)")
_case(
    "convolve2d",
    f"{_RANDOM}; a = r.random((2000, 2000)); b = r.random((7, 7))",
    "x, y = array(a), array(b)",
    "sp.signal.convolve2d(x, y)",
)
_case("stft", _LINE, "x = array(a)", "sp.signal.stft(x, nperseg=1024)")
_case("welch", _LINE, "x = array(a)", "sp.signal.welch(x, nperseg=4096)")
_case(
    "sosfilt",
    f"{_LINE}; s = host.array([[0.1, 0.2, 0.1, 1.0, -0.9, 0.3]])",
    "x, s = array(a), array(s)",
    "sp.signal.sosfilt(s, x)",
)
_case("resample_poly", _LINE, "x = array(a)", "sp.signal.resample_poly(x, 3, 2)")
_case("savgol_filter", _LINE, "x = array(a)", "sp.signal.savgol_filter(x, 11, 3)")
_case("find_peaks", _LINE, "x = array(a)", "sp.signal.find_peaks(x, height=0.5)")
_case("gaussian_filter", _IMAGE, "x = array(a)", "sp.ndimage.gaussian_filter(x, 3)")
_case("uniform_filter", _IMAGE, "x = array(a)", "sp.ndimage.uniform_filter(x, 9)")
_case("maximum_filter", _IMAGE, "x = array(a)", "sp.ndimage.maximum_filter(x, 9)")
_case("label", f"{_IMAGE}; a = a > 0.5", "x = array(a)", "sp.ndimage.label(x)")
_case("zoom", f"{_RANDOM}; a = r.random((1500, 1500))", "x = array(a)", "sp.ndimage.zoom(x, 2)")
_case("rotate", _IMAGE, "x = array(a)", "sp.ndimage.rotate(x, 30, reshape=False)")
_case("distance_transform_edt", f"{_IMAGE}; a = a > 0.01", "x = array(a)", "sp.ndimage.distance_transform_edt(x)")
_case("binary_dilation", f"{_IMAGE}; a = a > 0.9", "x = array(a)", "sp.ndimage.binary_dilation(x, iterations=3)")
_case("cdist euclidean", f"{_RANDOM}; a = r.random((3000, 8))", "x = array(a)", "sp.spatial.distance.cdist(x, x)")
_case(
    "cdist correlation",
    f"{_RANDOM}; a = r.random((3000, 8))",
    "x = array(a)",
    "sp.spatial.distance.cdist(x, x, 'correlation')",
)
_case(
    "pdist cityblock",
    f"{_RANDOM}; a = r.random((4000, 8))",
    "x = array(a)",
    "sp.spatial.distance.pdist(x, 'cityblock')",
)
_case(
    "KDTree.query", f"{_RANDOM}; a = r.random((200_000, 3))", "t = sp.spatial.KDTree(array(a))", "t.query(array(a), 8)"
)
_case("Delaunay", f"{_RANDOM}; a = r.random((100_000, 2))", "x = array(a)", "sp.spatial.Delaunay(x)")
_case("linkage", f"{_RANDOM}; a = r.random((3000, 3))", "x = array(a)", "sp.cluster.hierarchy.linkage(x, 'average')")
_case(
    "kmeans2",
    f"{_RANDOM}; a = r.random((300_000, 4))",
    "x = array(a)",
    "sp.cluster.vq.kmeans2(x, 8, minit='points', seed=1)",
)
_case("csr @ csr", _SPARSE.replace("3_000_000", "1_000_000"), f"{_COO}; m = m.tocsr()", "m @ m")
_case("csr @ dense", f"{_SPARSE}; b = r.random((n, 16))", f"{_COO}; m = m.tocsr(); y = array(b)", "m @ y")
_case("csr.T.tocsr", _SPARSE, f"{_COO}; m = m.tocsr()", "m.T.tocsr()")
_case("csr + csr", _SPARSE, f"{_COO}; m = m.tocsr()", "m + m")
_case(
    "spsolve",
    "n = 90_000",
    "m = sp.sparse.diags_array([-1.0, -1.0, 4.2, -1.0, -1.0], offsets=[-300, -1, 0, 1, 300], shape=(n, n)).tocsc(); "
    "y = array(host.ones(n))",
    "sp.sparse.linalg.spsolve(m, y)",
)
_case("connected_components", _SPARSE, f"{_COO}; m = m.tocsr()", "sp.sparse.csgraph.connected_components(m)")
_case("svd", f"{_RANDOM}; a = r.random((1500, 1500))", "x = array(a)", "sp.linalg.svd(x)")
_case("eigh", f"{_RANDOM}; a = r.random((1500, 1500)); a = a + a.T", "x = array(a)", "sp.linalg.eigh(x)")
_case(
    "solve",
    f"{_RANDOM}; a = r.random((3000, 3000)); b = r.random(3000)",
    "x, y = array(a), array(b)",
    "sp.linalg.solve(x, y)",
)
_case("expm", f"{_RANDOM}; a = r.random((1000, 1000)) / 1000", "x = array(a)", "sp.linalg.expm(x)")
_case(
    "CubicSpline",
    f"{_RANDOM}; a = host.arange(1e6); b = r.random(1_000_000)",
    "x, y = array(a), array(b)",
    "sp.interpolate.CubicSpline(x, y)(x)",
)
_case(
    "griddata",
    f"{_RANDOM}; a = r.random((50_000, 2)); b = r.random(50_000); q = r.random((500_000, 2))",
    "x, y, z = array(a), array(b), array(q)",
    "sp.interpolate.griddata(x, y, z)",
)
_case(
    "RegularGridInterpolator",
    f"{_RANDOM}; g = host.linspace(0, 1, 100); b = r.random((100, 100, 100)); q = r.random((10**6, 3))",
    "g, y, z = array(g), array(b), array(q)",
    "sp.interpolate.RegularGridInterpolator((g, g, g), y)(z)",
)
_case(
    "bootstrap",
    f"{_RANDOM}; a = r.random(1000)",
    "x = array(a)",
    "sp.stats.bootstrap((x,), xp.mean, n_resamples=9999, vectorized=True)",
)
_case("rankdata", _LINE, "x = array(a)", "sp.stats.rankdata(x)")
_case(
    "spearmanr",
    f"{_RANDOM}; a = r.random(1_000_000); b = r.random(1_000_000)",
    "x, y = array(a), array(b)",
    "sp.stats.spearmanr(x, y)",
)
_case(
    "gaussian_kde",
    f"{_RANDOM}; a = r.random(2000); q = r.random(5000)",
    "x, z = array(a), array(q)",
    "sp.stats.gaussian_kde(x)(z)",
)
_case("norm.ppf", _LINE, "x = array(a)", "sp.stats.norm.ppf(x)")
_case(
    "kendalltau",
    f"{_RANDOM}; a = r.random(300_000); b = r.random(300_000)",
    "x, y = array(a), array(b)",
    "sp.stats.kendalltau(x, y)",
)
_case("gammainc", _LINE, "x = array(a)", "sp.special.gammainc(2.5, x)")
_case("cumulative_simpson", _LINE, "x = array(a)", "sp.integrate.cumulative_simpson(x)")
_case(
    "linear_sum_assignment",
    f"{_RANDOM}; a = r.random((1000, 1000))",
    "x = array(a)",
    "sp.optimize.linear_sum_assignment(x)",
)
