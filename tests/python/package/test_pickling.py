"""Every public class of objects can be pickled and copied, or says why not."""

import copy
import importlib
import inspect
import pickle
import pkgutil

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def decay(t, y):
    return -y


def decay_jacobian(t, y):
    return -cp.eye(2)


def squares(x):
    return x * x


def doubled(x):
    return 2 * x


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def oscillator(x, y):
    return cp.stack([y[1], -y[0]])


def ends(a, b):
    return cp.stack([a[0], b[0] - 1])


@jit.rawkernel()
def twice(x, y):
    y[jit.threadIdx.x] = 2 * x[jit.threadIdx.x]


class Description:
    """What `make_distribution` takes."""

    __make_distribution_version__ = "1.16.0"
    parameters = {}
    support = {"endpoints": (0, 1), "inclusive": (True, True)}

    def pdf(self, x):
        return 0 * x + 1.0


def launched(kernel):
    """What a kernel that doubles makes of some numbers."""
    x = cp.arange(4, dtype="float32")
    y = cp.empty_like(x)
    kernel((1,), (4,), (x, y))
    return y


TEXT = 'extern "C" __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }'
X = cp.arange(5.0)
Y = cp.asarray([1.0, 3.0, 2.0, 5.0, 4.0])
GRID = cp.arange(16.0).reshape(4, 4) % 5
POINTS = cp.asarray([[0.0, 0], [1, 0], [0, 1], [1, 1], [0.4, 0.3]])
CUBE = cp.asarray([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) / np.sqrt(3)
MATRIX = cp.asarray([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
ANGLES = cp.linspace(0.5, 2.5, 6)
SPHERE = (cp.repeat(ANGLES, 6), cp.tile(cp.linspace(0.2, 6.0, 6), 6))

i, o, s, t, g = "scipy.interpolate.", "scipy.optimize.", "scipy.stats.", "scipy.spatial.", "scipy.signal."
l, e = "scipy.sparse.linalg.", "scipy.integrate."  # noqa: E741
CURVES = (
    "AAA Akima1DInterpolator BarycentricInterpolator CubicSpline FloaterHormannInterpolator "
    "InterpolatedUnivariateSpline KroghInterpolator PchipInterpolator Rbf UnivariateSpline interp1d"
)
# Class: an expression that makes an object, with the module of the name as `m`; and what is compared of it.
OBJECTS = {
    "ElementwiseKernel": ("cp.ElementwiseKernel('T x', 'T y', 'y = 2 * x', 'twice')", "k(X)"),
    "ReductionKernel": ("cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'total')", "k(X)"),
    "RawKernel": ("cp.RawKernel(TEXT, 'twice')", "launched(k)"),
    "RawModule": ("cp.RawModule(code=TEXT)", "launched(k.get_function('twice'))"),
    "RawKernel of a module": ("cp.RawModule(code=TEXT).get_function('twice')", "launched(k)"),
    "a kernel of jit": ("twice", "launched(k)"),
    "GeneralizedUFunc": ("m.GeneralizedUFunc(squares, '(i)->(i)')", "k(X)"),
    "vectorize": ("cp.vectorize(squares)", "k(X)"),
    "ndenumerate": ("cp.ndenumerate(X[:2])", "[index for index, _ in k]"),
    "ufunc": ("cp.add", "k(X, 1)"),
    "ndarray": ("X[::2]", "k"),
    "poly1d": ("cp.poly1d([1.0, 2, 3])", "k(X)"),
    "errstate": ("cp.errstate(linalg='ignore')", "type(k)"),
    "dtypes.finfo": ("cp.finfo('float32')", "k.eps"),
    "dtypes.iinfo": ("cp.iinfo('int32')", "k.max"),
    "cuda.Device": ("cp.cuda.Device(0)", "k.id"),
    "fusion.CacheInfo": ("cp.fusion.cache_info()", "k"),
    "scipy.cluster.hierarchy.ClusterNode": ("m.to_tree(m.linkage(POINTS))", "k.pre_order()"),
    "scipy.cluster.hierarchy.DisjointSet": ("m.DisjointSet([1, 2, 3])", "sorted(map(sorted, k.subsets()))"),
    **{
        f"polynomial.{name}": (f"m.{name}([1.0, 2.0, 3.0])", "k(X)")
        for name in "Chebyshev Hermite HermiteE Laguerre Legendre Polynomial".split()
    },
    **{
        f"random.{name}": (f"cp.random.Generator(m.{name}(3))", "k.random(5)")
        for name in "MRG32k3a MT19937 PCG64 PCG64DXSM Philox Philox4x3210 SFC64 XORWOW".split()
        if hasattr(cp.random, name)
    },
    "random.Generator": ("cp.random.default_rng(1)", "k.normal(size=3)"),
    "random.RandomState": ("cp.random.RandomState(1)", "k.normal(size=3)"),
    **{
        f"{e}{name}": (f"m.{name}(decay, 0.0, [1.0, 2.0], 1.0)", "(k.step(), k.y, k.nfev)[1:]")
        for name in ("RK23", "RK45", "DOP853", "Radau", "BDF")
    },
    e + "LSODA": ("m.LSODA(decay, 0.0, [1.0, 2.0], 1.0)", "(k.step(), k.y)[1]"),
    "Radau with a Jacobian": (
        "cp.scipy.integrate.Radau(decay, 0.0, [1.0, 2.0], 1.0, jac=decay_jacobian)",
        "(k.step(), k.y)[1]",
    ),
    e + "OdeSolution": ("m.solve_ivp(decay, (0, 1), [1.0], dense_output=True).sol", "k(0.3)"),
    e + "DenseOutput": ("m.solve_ivp(decay, (0, 1), [1.0], dense_output=True).sol.interpolants[0]", "k(0.01)"),
    "an ode that has begun": (
        "(lambda k: (k.integrate(0.2), k)[1])(cp.scipy.integrate.ode(decay).set_initial_value([1.0], 0.0))",
        "k.integrate(0.5)",
    ),
    e + "ode": ("m.ode(decay).set_initial_value([1.0], 0.0)", "k.integrate(0.5)"),
    e + "complex_ode": ("m.complex_ode(decay).set_initial_value([1.0], 0.0)", "k.integrate(0.5)"),
    e + "solve_ivp": ("m.solve_ivp(decay, (0, 1), [1.0])", "k.y"),
    e + "solve_bvp": ("m.solve_bvp(oscillator, ends, cp.linspace(0, 1, 5), cp.zeros((2, 5)))", "(k.y, k.sol(0.5))"),
    **{f"{i}{name}": (f"m.{name}(X, Y)", "k(0.5)") for name in CURVES.split()},
    i + "BPoly": ("m.BPoly([[1.0], [2]], [0.0, 1])", "k(0.5)"),
    i + "PPoly": ("m.PPoly([[1.0], [2]], [0.0, 1])", "k(0.5)"),
    i + "NdPPoly": ("m.NdPPoly(cp.ones((2, 2, 1, 1)), ([0.0, 1], [0.0, 1]))", "k([[0.5, 0.2]])"),
    i + "BSpline": ("m.make_interp_spline(X, Y)", "k(0.5)"),
    i + "NdBSpline": ("m.NdBSpline((cp.asarray([0.0, 0, 1, 1]),) * 2, cp.ones((2, 2)), 1)", "k([0.5, 0.2])"),
    i + "CubicHermiteSpline": ("m.CubicHermiteSpline(X, Y, Y)", "k(0.5)"),
    i + "LSQUnivariateSpline": ("m.LSQUnivariateSpline(X, Y, [2.0])", "k(0.5)"),
    i + "CloughTocher2DInterpolator": ("m.CloughTocher2DInterpolator(POINTS, Y)", "k(0.2, 0.3)"),
    i + "LinearNDInterpolator": ("m.LinearNDInterpolator(POINTS, Y)", "k(0.2, 0.3)"),
    i + "NearestNDInterpolator": ("m.NearestNDInterpolator(POINTS, Y)", "k(0.2, 0.3)"),
    i + "RBFInterpolator": ("m.RBFInterpolator(POINTS, Y)", "k(POINTS + 0.1)"),
    i + "RegularGridInterpolator": ("m.RegularGridInterpolator((X[:4], X[:4]), GRID)", "k([1.5, 0.3])"),
    i + "RectBivariateSpline": ("m.RectBivariateSpline(X[:4], X[:4], GRID)", "k(1.5, 0.3)"),
    i + "SmoothBivariateSpline": (
        "m.SmoothBivariateSpline(cp.repeat(X[:4], 4), cp.tile(X[:4], 4), GRID.ravel())",
        "k(1.5, 0.3)",
    ),
    i + "LSQBivariateSpline": (
        "m.LSQBivariateSpline(cp.repeat(X[:4], 4), cp.tile(X[:4], 4), GRID.ravel(), [], [])",
        "k(1.5, 0.3)",
    ),
    i + "RectSphereBivariateSpline": (
        "m.RectSphereBivariateSpline(ANGLES, cp.linspace(0.2, 6.0, 6), cp.ones((6, 6)))",
        "k(1.0, 0.3)",
    ),
    i + "SmoothSphereBivariateSpline": (
        "m.SmoothSphereBivariateSpline(*SPHERE, cp.cos(SPHERE[0]), s=5.0)",
        "k(1.0, 0.3)",
    ),
    i + "LSQSphereBivariateSpline": (
        "m.LSQSphereBivariateSpline(*SPHERE, cp.cos(SPHERE[0]), [1.5], [2.0, 4.0])",
        "k(1.0, 0.3)",
    ),
    o + "BFGS": ("(lambda k: (k.initialize(2, 'hess'), k)[1])(m.BFGS())", "k.get_matrix()"),
    o + "SR1": ("(lambda k: (k.initialize(2, 'hess'), k)[1])(m.SR1())", "k.get_matrix()"),
    o + "Bounds": ("m.Bounds([0.0, 1], [1.0, 2])", "(k.lb, k.ub)"),
    o + "LinearConstraint": ("m.LinearConstraint(MATRIX, 0, 1)", "(k.A, k.lb)"),
    o + "NonlinearConstraint": ("m.NonlinearConstraint(squares, 0, 1)", "k.fun(X)"),
    o + "OptimizeResult": ("m.minimize(rosenbrock, [0.5, 0.5], method='BFGS')", "(k.x, k.nfev, k.message)"),
    o + "LbfgsInvHessProduct": ("m.minimize(rosenbrock, [0.5, 0.5], method='L-BFGS-B').hess_inv", "k.todense()"),
    o + "RootResults": ("m.root_scalar(doubled, bracket=[-1, 2])", "(k.root, k.flag)"),
    o + "least_squares": ("m.least_squares(squares, [1.0])", "(k.x, k.cost)"),
    o + "linprog": ("m.linprog([-1.0], [[1.0]], [2.0])", "(k.x, k.fun)"),
    o + "root": ("m.root(squares, [1.0])", "k.x"),
    g + "CZT": ("m.CZT(5)", "k(X)"),
    g + "ZoomFFT": ("m.ZoomFFT(5, 0.5)", "k(X)"),
    g + "ShortTimeFFT": ("m.ShortTimeFFT(cp.ones(4), 2, 1.0)", "k.stft(cp.arange(16.0))"),
    g + "StateSpace": ("m.StateSpace([[-1.0]], [[1.0]], [[1.0]], [[0.0]])", "k.A"),
    g + "TransferFunction": ("m.TransferFunction([1.0], [1.0, 2])", "k.den"),
    g + "ZerosPolesGain": ("m.ZerosPolesGain([1.0], [2.0], 3.0)", "k.poles"),
    g + "lti": ("m.lti([1.0], [1.0, 2])", "k.den"),
    g + "dlti": ("m.dlti([1.0], [1.0, 2])", "k.den"),
    **{
        f"scipy.sparse.{form}_{kind}": (f"m.{form}_{kind}(MATRIX)", "(k.toarray(), k.format, k.dtype)")
        for form in "bsr coo csc csr dia dok lil".split()
        for kind in ("array", "matrix")
    },
    l + "LaplacianNd": ("m.LaplacianNd((3, 3))", "k @ cp.arange(9.0)"),
    l + "LinearOperator": ("m.LinearOperator((5, 5), matvec=doubled, rmatvec=doubled, dtype=float)", "k @ X"),
    "a preconditioner": (
        "cp.scipy.sparse.linalg.jacobi(cp.scipy.sparse.csc_array(cp.asarray([[4.0, 1, 0], [1, 4, 1], [0, 2, 5]])))",
        "(k @ X[:3], k.H @ X[:3])",
    ),
    "a sum of operators": ("(lambda A: 2 * A.T + A @ A)(cp.scipy.sparse.linalg.aslinearoperator(MATRIX))", "k @ X[:3]"),
    t + "ConvexHull": ("m.ConvexHull(POINTS)", "(k.vertices, k.volume)"),
    t + "Delaunay": ("m.Delaunay(POINTS)", "k.find_simplex(POINTS + 0.01)"),
    t + "HalfspaceIntersection": (
        "m.HalfspaceIntersection(cp.asarray([[-1.0, 0, 0], [0, -1, 0], [1, 1, -1]]), POINTS[4] / 2)",
        "k.intersections",
    ),
    t + "KDTree": ("m.KDTree(POINTS)", "k.query([0.3, 0.2])"),
    t + "cKDTree": ("m.cKDTree(POINTS)", "k.query([0.3, 0.2])"),
    t + "Rectangle": ("m.Rectangle([1.0, 2], [0.0, 0])", "k.volume()"),
    t + "SphericalVoronoi": ("m.SphericalVoronoi(CUBE)", "k.vertices"),
    t + "Voronoi": ("m.Voronoi(POINTS)", "k.vertices"),
    t + "transform.Rotation": ("m.Rotation.from_euler('xyz', [[0.1, 0.2, 0.3], [1, 2, 3]])", "k.as_quat()"),
    t + "transform.RigidTransform": ("m.RigidTransform.from_translation([1.0, 2, 3])", "k.as_matrix()"),
    t + "transform.RotationSpline": (
        "m.RotationSpline([0, 1, 2], m.Rotation.from_euler('z', [[0.0], [1], [2]]))",
        "k(0.5).as_quat()",
    ),
    t + "transform.Slerp": ("m.Slerp([0, 1], m.Rotation.from_euler('z', [[0.0], [1]]))", "k(0.5).as_quat()"),
    "scipy.special.orthopoly1d": ("m.jacobi(3, 0.5, 1.5)", "(k(X), k.weights, k.weight_func(X / 10), k.c)"),
    "a monic polynomial": ("cp.scipy.special.chebyt(4, monic=True)", "(k(X), k.weights)"),
    s + "Normal": ("m.Normal(mu=1.0, sigma=2.0)", "(k.pdf(0.5), repr(k))"),
    s + "Uniform": ("m.Uniform(a=1.0, b=2.0)", "(k.cdf(1.5), repr(k))"),
    s + "Logistic": ("m.Logistic()", "(k.cdf(1.5), repr(k))"),
    s + "Binomial": ("m.Binomial(n=5, p=0.3)", "(k.pmf(2), repr(k))"),
    s + "Mixture": (
        "m.Mixture([m.Normal(mu=0.0, sigma=1.0), m.Normal(mu=1.0, sigma=2.0)], weights=[0.2, 0.8])",
        "k.pdf(0.5)",
    ),
    "a made distribution": (
        "cp.scipy.stats.make_distribution(cp.scipy.stats.gamma)(a=3.0)",
        "(k.pdf(0.5), k.mean(), repr(k))",
    ),
    "a described distribution": ("cp.scipy.stats.make_distribution(Description())()", "(k.pdf(0.5), repr(k))"),
    **{
        f"{name} of a variable": (f"cp.scipy.stats.{call}", "(k.cdf(0.5), repr(k))")
        for name, call in {
            "exp": "exp(cp.scipy.stats.Normal(mu=0.0, sigma=1.0))",
            "log": "log(cp.scipy.stats.Uniform(a=1.0, b=2.0))",
            "a square": "Normal(mu=0.0, sigma=1.0) ** 2",
            "a cube": "Normal(mu=0.0, sigma=1.0) ** 3",
            "a reciprocal": "Uniform(a=1.0, b=2.0).__rtruediv__(3.0)",
            "a power": "Uniform(a=1.0, b=2.0).__rpow__(2.0)",
            "abs": "abs(cp.scipy.stats.Normal(mu=0.0, sigma=1.0))",
            "truncate": "truncate(cp.scipy.stats.Normal(mu=0.0, sigma=1.0), lb=0.1)",
            "order_statistic": "order_statistic(cp.scipy.stats.Uniform(a=0.0, b=2.0), r=1, n=3)",
            "a shift": "Normal(mu=0.0, sigma=1.0) * 2 + 1",
        }.items()
    },
    s + "BootstrapMethod": ("m.BootstrapMethod(n_resamples=9)", "k.n_resamples"),
    s + "MonteCarloMethod": ("m.MonteCarloMethod(n_resamples=9)", "k.n_resamples"),
    s + "PermutationMethod": ("m.PermutationMethod(n_resamples=9)", "k.n_resamples"),
    s + "CensoredData": ("m.CensoredData([1.0, 2], right=[3.0])", "repr(k)"),
    s + "Covariance": ("m.Covariance.from_diagonal([1.0, 2])", "k.covariance"),
    s + "gaussian_kde": ("m.gaussian_kde(Y)", "k(X)"),
    s + "rv_continuous": ("m.gamma", "k.pdf(X, 2.0)"),
    s + "rv_discrete": ("m.rv_discrete(values=([0, 1], [0.2, 0.8]))", "k.pmf([0, 1])"),
    s + "rv_histogram": ("m.rv_histogram(cp.histogram(Y, bins=3))", "k.pdf(X)"),
    "a frozen distribution": ("cp.scipy.stats.beta(2.0, 3.0, loc=1)", "k.pdf(1.5)"),
    "a frozen multivariate distribution": (
        "cp.scipy.stats.multivariate_normal([0.0, 1], [[2.0, 0], [0, 1]])",
        "k.pdf([0.5, 0.5])",
    ),
    **{
        f"{s}qmc.{name}": (f"m.{name}({args})", "k.random(4)")
        for name, args in {
            "Halton": "2, seed=1",
            "LatinHypercube": "2, seed=1",
            "Sobol": "2, seed=1",
            "PoissonDisk": "2, radius=0.2, seed=1",
            "MultinomialQMC": "[0.2, 0.8], 5, seed=1",
            "MultivariateNormalQMC": "[0.0, 1], seed=1",
        }.items()
    },
    s + "fit": ("m.fit(m.norm, X, {'loc': (-9, 9), 'scale': (0.1, 9)})", "(k.params, k.success, k.nllf())"),
    s + "ecdf": ("m.ecdf(Y)", "(k.cdf.evaluate(X), k.sf.quantiles)"),
    s + "ttest_1samp": ("m.ttest_1samp(Y, 1.0)", "(k, k.df, k.confidence_interval())"),
    s + "linregress": ("m.linregress(X, Y)", "(k, k.intercept_stderr)"),
    s + "pearsonr": ("m.pearsonr(X, Y)", "(k, k.confidence_interval())"),
    s + "ks_1samp": ("m.ks_1samp(Y, m.norm.cdf)", "(k, k.statistic_location)"),
    s + "bootstrap": (
        "m.bootstrap((Y,), cp.mean, n_resamples=9, rng=1)",
        "(k.confidence_interval, k.bootstrap_distribution)",
    ),
    s + "tukey_hsd": ("m.tukey_hsd(X, Y, X + 1)", "(k.statistic, k.pvalue, k.confidence_interval())"),
    s + "dunnett": ("m.dunnett(X, control=Y, rng=1)", "(k.statistic, k.confidence_interval())"),
    s + "binomtest": ("m.binomtest(3, 9)", "(k.pvalue, k.proportion_ci())"),
    s + "odds_ratio": (
        "m.contingency.odds_ratio(np.array([[3, 4], [5, 6]]))",
        "(k.statistic, k.confidence_interval())",
    ),
    s + "relative_risk": ("m.contingency.relative_risk(3, 9, 4, 9)", "(k.relative_risk, k.confidence_interval())"),
    s + "chi2_contingency": ("m.chi2_contingency(np.array([[3, 4], [5, 6]]))", "tuple(k)"),
    s + "somersd": ("m.somersd(X, Y)", "(k.statistic, k.table)"),
    s + "monte_carlo_test": (
        "m.monte_carlo_test(Y, cp.random.default_rng(1).normal, cp.mean, n_resamples=9)",
        "(k.pvalue, k.null_distribution)",
    ),
    s + "anderson": ("m.anderson(Y)", "(k.statistic, k.fit_result.params)"),
}

# Class: an expression, and what its TypeError says.
REFUSED = {
    "broadcast": ("cp.broadcast(X, X[:, None])", "flatiter"),
    "flatiter": ("X.flat", "flatiter"),
    l + "SuperLU": ("m.splu(cp.scipy.sparse.csc_matrix(MATRIX))", "factor it again"),
    "cuda.cufft.Plan1d": ("m.Plan1d(8, m.CUFFT_C2C, 2)", "get_fft_plan"),
    "cuda.cufft.PlanNd": ("m.PlanNd((4, 4), None, 1, 0, None, 1, 0, m.CUFFT_C2C, 2, 'C', 1, None)", "get_fft_plan"),
    "cuda.Event": ("m.Event()", "Event"),
    "cuda.Stream": ("m.Stream()", "Stream"),
    "cuda.ExternalStream": ("m.ExternalStream(m.Stream().ptr)", "Stream"),
    "cuda.MemoryPointer": ("m.alloc(8)", ""),
    "cuda.Memory": ("m.Memory(8)", "Memory"),
    "cuda.PinnedMemory": ("m.PinnedMemory(8)", "PinnedMemory"),
    "cuda.PinnedMemoryPointer": ("m.alloc_pinned_memory(8)", "PinnedMemory"),
    "cuda.MemoryPool": ("m.MemoryPool()", "MemoryPool"),
    "cuda.PinnedMemoryPool": ("m.PinnedMemoryPool()", "PinnedMemoryPool"),
    "cuda.UnownedMemory": ("m.UnownedMemory(X.data.ptr, 8, X)", "UnownedMemory"),
    "cuda.Graph": ("graph()", "Graph"),
    "cuda.Module": ("cp.RawModule(code=TEXT).module", ""),
}

# What is abstract, belongs to a library or a group of processes, or is watched by a context.
OTHERS = """
    cuda.memory. cuda.memory_hook. cuda.CFunctionAllocator cuda.ManagedMemory cuda.MemoryAsync cuda.MemoryAsyncPool
    cuda.MemoryHook cuda.PythonFunctionAllocator cuda.cusparselt. cuda.memory_hooks. cuda.nccl. cuda.runtime.
    cuda.texture. cudnn. cutensor. distributed. fft.config. profiler. compat.private. polynomial.chebyshev.
    polynomial.hermite. polynomial.hermite_e. polynomial.laguerre. polynomial.legendre. polynomial.polynomial.
    random.BitGenerator scipy.integrate.OdeSolver scipy.interpolate.BivariateSpline scipy.interpolate.interp2d
    scipy.optimize.BroydenFirst scipy.optimize.HessianUpdateStrategy scipy.optimize.InverseJacobian
    scipy.optimize.KrylovJacobian scipy.sparse.sparray scipy.sparse.spmatrix scipy.special.errstate
    scipy.stats.qmc.QMCEngine
""".split()


def graph():
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        return stream.end_capture()


def made(name, expression):
    """The object of a row."""
    module = cp
    for part in name.split(".")[:-1]:
        module = getattr(module, part, None) or importlib.import_module(f"{module.__name__}.{part}")
    if name == "GeneralizedUFunc":
        module = importlib.import_module("cuproxide._routines.gufuncs")
    return eval(expression, {**globals(), "m": module})


def alike(mine, theirs):
    """Whether values are equal, arrays bit by bit."""
    if isinstance(theirs, (tuple, list)):
        return len(mine) == len(theirs) and all(map(alike, mine, theirs))
    if isinstance(theirs, (cp.ndarray, np.ndarray, np.generic, float)):
        mine, theirs = (cp.asnumpy(value) for value in (mine, theirs))
        return mine.dtype == theirs.dtype and np.array_equal(mine, theirs, equal_nan=theirs.dtype.kind in "fc")
    return type(mine) is type(theirs) and mine == theirs


def copies(thing):
    """An object's copies, by the way in which they are made."""
    for protocol in PROTOCOLS:
        yield f"protocol {protocol}", lambda protocol=protocol: pickle.loads(pickle.dumps(thing, protocol))
    yield "copy", lambda: copy.copy(thing)
    yield "deepcopy", lambda: copy.deepcopy(thing)


@pytest.mark.parametrize("name", OBJECTS)
def test_copies_do_what_the_object_does(name):
    expression, compared = OBJECTS[name]
    thing = made(name, expression)
    kept = [(way, make()) for way, make in copies(thing)]
    if name.startswith((e, "random.", f"{s}qmc", "nd")):
        # A shallow copy shares what changes with the use of the object.
        kept[-2] = "copy", copy.copy(made(name, expression))
    want = eval(compared, {**globals(), "k": thing})
    for way, other in kept:
        assert type(other).__name__ == type(thing).__name__, way
        got = eval(compared, {**globals(), "k": other})
        assert alike(got, want), (way, got, want)


@pytest.mark.parametrize("name", REFUSED)
def test_what_belongs_to_a_process_says_so(name):
    expression, told = REFUSED[name]
    thing = made(name, expression)
    for way, make in copies(thing):
        if "copy" not in way:
            with pytest.raises(TypeError, match=told):
                make()


def modules():
    for found in pkgutil.walk_packages(cp.__path__, "cuproxide."):
        if found.name.rpartition(".")[2] not in ("_cuproxide", "__main__") and "._integrations." not in found.name:
            yield importlib.import_module(found.name)


def test_every_public_class_is_among_these():
    known = [*OBJECTS, *REFUSED]
    missing = []
    for module in (cp, *modules()):
        path = module.__name__.partition(".")[2]
        if any(part.startswith("_") for part in path.split(".")):
            continue
        for name in getattr(module, "__all__", ()):
            kind = getattr(module, name, None)
            if not isinstance(kind, type) or not (kind.__module__ or "").startswith("cuproxide"):
                continue
            whole = f"{path}.{name}".lstrip(".")
            if not (issubclass(kind, BaseException) or whole in known or whole.startswith(tuple(OTHERS))):
                missing.append((whole, kind))
    names = {name.rpartition(".")[2] for name in known}
    assert not [
        whole for whole, kind in missing if kind.__name__ not in names and whole.rpartition(".")[2] not in names
    ]


def test_functions_are_pickled_by_name():
    for module in (cp, *modules()):
        if any(part.startswith("_") for part in module.__name__.split(".")):
            continue
        for name in getattr(module, "__all__", ()):
            function = getattr(module, name)
            if inspect.isroutine(function) and not inspect.ismethod(function):
                assert pickle.loads(pickle.dumps(function)) is function, f"{module.__name__}.{name}"


def results():
    """Every class of named tuples, of which results are made."""
    for module in modules():
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
                if kind.__module__.startswith("cuproxide"):
                    yield f"{kind.__module__}.{kind.__qualname__}", kind


RESULTS = dict(results())


@pytest.mark.parametrize("name", RESULTS)
def test_results_with_names_are_copied(name):
    kind = RESULTS[name]
    count = len(kind._fields)
    thing = kind(*(cp.arange(3.0) + place for place in range(count)))
    if hasattr(thing, "__dict__"):
        thing.more = cp.arange(2.0)
    for way, make in copies(thing):
        other = make()
        assert type(other) is kind and alike(tuple(other), tuple(thing)), way
        assert not hasattr(thing, "__dict__") or alike(other.more, thing.more), way


def test_copies_of_a_solver_count_for_themselves():
    solver = cp.scipy.integrate.RK45(decay, 0.0, [1.0], 1.0)
    other, before = copy.deepcopy(solver), solver.nfev
    other.step()
    assert solver.nfev == before < other.nfev


def test_attributes_that_were_set_are_kept():
    kernel = cp.RawKernel(TEXT, "twice")
    kernel.max_dynamic_shared_size_bytes = 1024
    other = pickle.loads(pickle.dumps(kernel))
    assert other.max_dynamic_shared_size_bytes == kernel.max_dynamic_shared_size_bytes
    assert inspect.signature(type(other)) == inspect.signature(cp.RawKernel)
