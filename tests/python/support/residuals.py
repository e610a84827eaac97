"""Matrices on which decompositions go wrong, and what their factors are measured by.

A residual is in units of `k eps norm(a)`, where k is the shorter side: LAPACK's tests take the longer one, which says
nothing about float32 with a million rows. Everything is measured in double precision, in a unit in which the largest
element of the matrix is about 1.
"""

import numpy as np

DTYPES = ("f4", "f8", "c8", "c16")
SIZES = [(1, 1), (2, 2), (3, 3), (5, 5), (8, 8), (17, 17), (33, 33), (64, 64), (100, 100), (130, 130)]
SIZES += [(1, 7), (7, 1), (4, 32), (32, 4), (40, 20), (20, 40), (200, 3), (3, 200), (300, 45), (1000, 2), (9000, 5)]
LARGE_SIZES = [(200, 200), (257, 257), (400, 150), (150, 400), (513, 513), (20000, 3), (30000, 40)]


def epsilon(dtype):
    return float(np.finfo(dtype).eps)


def _normal(rng, m, n, dtype):
    a = rng.standard_normal((m, n))
    return a + 1j * rng.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else a


def _orthonormal(rng, m, n, dtype):
    return np.linalg.qr(_normal(rng, m, n, dtype))[0]


def _with_values(rng, m, n, dtype, values):
    k = min(m, n)
    right = _orthonormal(rng, n, k, dtype)
    return (_orthonormal(rng, m, k, dtype) * np.asarray(values, "f8")) @ right.conj().T


def _decay(dtype, power=1.0):
    """The exponent of epsilon to some power."""
    return np.log10(epsilon(dtype)) * power


def _scaled(largest):
    def make(rng, m, n, dtype):
        a = _normal(rng, m, n, dtype)
        limits = np.finfo(dtype)
        # The norm and its reciprocal are numbers.
        unit = float(limits.max) / 16 / np.sqrt(m * n) if largest else float(limits.tiny) / epsilon(dtype) ** 0.5
        return a / np.abs(a).max() * unit

    return make


def _dependent(rng, m, n, dtype):
    a = np.ones((m, n)) + np.sqrt(epsilon(dtype)) * np.where(rng.random((m, n)) < 0.5, -1, 1)
    return a * (1 + 1j) if np.dtype(dtype).kind == "c" else a


def _nearly_equal(rng, m, n, dtype):
    a = np.ones((m, n)) + 64 * epsilon(dtype) * np.where(rng.random((m, n)) < 0.5, -1, 1)
    return a * (1 + 1j) if np.dtype(dtype).kind == "c" else a


def _deficient(rng, m, n, dtype):
    rank = max(min(m, n) // 3, 1)
    return _normal(rng, m, rank, dtype) @ _normal(rng, rank, n, dtype)


def _holes(rng, m, n, dtype):
    a = _normal(rng, m, n, dtype)
    a[:, rng.random(n) < 0.4] = 0
    a[rng.random(m) < 0.2] = 0
    return a


def _jordan(rng, m, n, dtype):
    return 0.9 * np.eye(m, n) + np.eye(m, n, 1)


def _nilpotent(rng, m, n, dtype):
    return np.triu(_normal(rng, m, n, dtype), 1)


def _kahan(rng, m, n, dtype):
    sine, k = 0.6, min(m, n)
    factor = np.triu(np.full((k, k), -np.sqrt(1 - sine**2)), 1) + np.eye(k)
    a = np.zeros((m, n))
    a[:k, :k] = sine ** np.minimum(np.arange(k), 600)[:, None] * factor
    return a


def _hilbert(rng, m, n, dtype):
    return 1 / (np.arange(m)[:, None] + np.arange(n) + 1.0)


def _companion(rng, m, n, dtype):
    a = np.eye(m, n, -1)
    a[0] = rng.standard_normal(n)
    return a


def _rotations(rng, m, n, dtype):
    """Conjugate pairs of small eigenvalues in a matrix that is not normal."""
    k = min(m, n)
    core = np.triu(rng.standard_normal((k, k)), 1)
    sizes = np.logspace(0, _decay(dtype, 0.6), k)
    core[np.arange(k), np.arange(k)] = sizes
    for i in range(0, k - 1, 2):
        core[i + 1, i + 1] = core[i, i]
        core[i + 1, i], core[i, i + 1] = -sizes[i] * 0.5, sizes[i]
    return _orthonormal(rng, m, k, dtype) @ core @ _orthonormal(rng, n, k, dtype).conj().T


#: What each type is, as a function of a generator, rows, columns and a dtype.
TYPES = {
    "random": _normal,
    "uniform": lambda rng, m, n, dtype: rng.random((m, n)),
    "ones": lambda rng, m, n, dtype: np.ones((m, n)),
    "zero": lambda rng, m, n, dtype: np.zeros((m, n)),
    "identity": lambda rng, m, n, dtype: np.eye(m, n),
    "graded": lambda rng, m, n, dtype: _with_values(rng, m, n, dtype, np.logspace(0, _decay(dtype, 0.6), min(m, n))),
    "steep": lambda rng, m, n, dtype: _with_values(rng, m, n, dtype, np.logspace(0, _decay(dtype, 1.5), min(m, n))),
    "graded columns": lambda rng, m, n, dtype: _normal(rng, m, n, dtype) * np.logspace(0, _decay(dtype), n),
    "graded rows": lambda rng, m, n, dtype: _normal(rng, m, n, dtype) * np.logspace(0, _decay(dtype), m)[:, None],
    "dependent": _dependent,
    "nearly equal": _nearly_equal,
    "nearly singular": lambda rng, m, n, dtype: _with_values(
        rng, m, n, dtype, np.r_[np.ones(min(m, n) - 1), epsilon(dtype)]
    ),
    "clustered": lambda rng, m, n, dtype: _with_values(
        rng, m, n, dtype, np.r_[1.0, np.full(min(m, n) - 1, 10 * epsilon(dtype))]
    ),
    "repeated": lambda rng, m, n, dtype: _with_values(rng, m, n, dtype, 1.0 + np.arange(min(m, n)) // 4),
    "deficient": _deficient,
    "holes": _holes,
    "huge": _scaled(True),
    "tiny": _scaled(False),
    "jordan": _jordan,
    "nilpotent": _nilpotent,
    "kahan": _kahan,
    "hilbert": _hilbert,
    "companion": _companion,
    "rotations": _rotations,
}

#: Types whose square matrices are regular, but not always to working precision.
SINGULAR = {
    "dependent",
    "ones",
    "zero",
    "deficient",
    "holes",
    "nilpotent",
    "clustered",
    "steep",
    "nearly equal",
    "kahan",
    "hilbert",
}


def matrix(kind, m, n, dtype, seed=0):
    """One of the matrices, in its dtype."""
    rng = np.random.default_rng([seed, m, n, *map(ord, kind)])
    return np.asarray(TYPES[kind](rng, m, n, dtype)).astype(dtype)


def unit(*arrays):
    """A power of two near the largest element."""
    largest = max((float(np.abs(a).max()) for a in arrays if a.size), default=0.0)
    return 2.0 ** np.clip(np.floor(np.log2(largest)), -1020, 1020) if largest else 1.0


def wide(a, scale=1.0):
    a = np.asarray(a)
    return a.astype(np.result_type(a.dtype, np.float64)) / scale


def norm(a):
    return float(np.linalg.norm(a))


def _ratio(error, size, k, dtype):
    """An error in units of `k eps size`; infinite if it is no number."""
    if not np.isfinite(error):
        return np.inf
    return error / (max(k, 1) * epsilon(dtype) * size) if size else (0.0 if error == 0 else np.inf)


def orthogonality(q, dtype):
    q = wide(q)
    return _ratio(norm(q.conj().T @ q - np.eye(q.shape[1])), 1.0, q.shape[1], dtype)


def _of_qr(library, a):
    q, r = library.qr(a)
    s, k = unit(a), min(a.shape)
    return {
        "A - QR": _ratio(norm(wide(a, s) - wide(q) @ wide(r, s)), norm(wide(a, s)), k, a.dtype),
        "QᴴQ - 1": orthogonality(q, a.dtype),
    }


def _of_svd(library, a):
    u, values, vh = library.svd(a)
    s, k = unit(a), min(a.shape)
    size = norm(wide(a, s))
    assert np.all(np.asarray(values)[:-1] >= np.asarray(values)[1:]) and np.all(np.asarray(values) >= 0)
    expected = np.linalg.svd(wide(a, s), compute_uv=False)
    return {
        "A - USVᴴ": _ratio(norm(wide(a, s) - (wide(u) * wide(values, s)) @ wide(vh)), size, k, a.dtype),
        "UᴴU - 1": orthogonality(u, a.dtype),
        "VᴴV - 1": orthogonality(np.asarray(vh).conj().T, a.dtype),
        "values": _ratio(float(np.abs(wide(values, s) - expected).max(initial=0)), size, k, a.dtype),
    }


def _hermitian(a):
    s = unit(a)
    a = wide(a, s)
    return (a / 2 + a.conj().T / 2) * s


def _of_eigh(library, a):
    a = _hermitian(a).astype(a.dtype)
    values, v = library.eigh(a)
    s, k = unit(a), len(a)
    size, expected = norm(wide(a, s)), np.linalg.eigvalsh(wide(a, s))
    v, values = wide(v), wide(values, s)
    return {
        "AV - VW": _ratio(norm(wide(a, s) @ v - v * values), size, k, a.dtype),
        "VᴴV - 1": orthogonality(v, a.dtype),
        "values": _ratio(float(np.abs(values - expected).max(initial=0)), size, k, a.dtype),
    }


def _of_eig(library, a):
    values, v = library.eig(a)
    s, k = unit(a), len(a)
    size = np.linalg.norm(wide(a, s), 2) if a.size else 0.0
    v, values = wide(v), wide(values, s)
    errors = np.linalg.norm(wide(a, s) @ v - v * values, axis=0)
    lengths = np.abs(np.linalg.norm(v, axis=0) - 1)
    return {
        "Av - λv": _ratio(float(errors.max(initial=0)), size, k, a.dtype),
        "|v| - 1": _ratio(float(lengths.max(initial=0)), 1.0, 1, a.dtype),
    }


def _of_eigvals(library, a):
    s, k = unit(a), len(a)
    scaled = wide(a, s)
    values = wide(library.eigvals(a), s)
    # The distance to the nearest matrix that has the eigenvalue.
    shifted = scaled - values[:, None, None] * np.eye(k)
    least = np.linalg.svd(shifted, compute_uv=False)[:, -1]
    return {"σ(A - λ)": _ratio(float(least.max(initial=0)), np.linalg.norm(scaled, 2), k, a.dtype)}


def _positive(a):
    s = unit(a)
    product = wide(a, s) @ wide(a, s).conj().T
    product += np.eye(len(a)) * max(norm(product), 1e-3) * 4 * len(a) * epsilon(a.dtype)
    return product.astype(a.dtype)


def _of_cholesky(library, a):
    a = _positive(a)
    lower = wide(library.cholesky(a))
    return {"A - LLᴴ": _ratio(norm(wide(a) - lower @ lower.conj().T), norm(wide(a)), len(a), a.dtype)}


def _of_lu(library, a):
    p, lower, upper = library.lu(a)
    s, k = unit(a), min(a.shape)
    size = norm(np.abs(wide(lower)) @ np.abs(wide(upper, s)))
    error = norm(wide(a, s) - wide(p) @ wide(lower) @ wide(upper, s))
    return {"A - PLU": _ratio(error, size, k, a.dtype)}


def _right(a, columns=3):
    rng = np.random.default_rng(len(a))
    return (_normal(rng, len(a), columns, a.dtype) * unit(a)).astype(a.dtype)


def _of_solve(library, a):
    b = _right(a)
    x = library.solve(a, b)
    s = unit(a)
    size = norm(wide(a, s)) * norm(wide(x)) + norm(wide(b, s))
    return {"B - AX": _ratio(norm(wide(b, s) - wide(a, s) @ wide(x)), size, len(a), a.dtype)}


def _of_inv(library, a):
    x, s = library.inv(a), unit(a)
    t = unit(x)
    scaled, x = wide(a, s), wide(x, t)
    one = np.eye(len(a)) / s / t
    error = min(norm(scaled @ x - one), norm(x @ scaled - one))
    return {"AX - 1": _ratio(error, norm(scaled) * norm(x), len(a), a.dtype)}


def _of_lstsq(library, a):
    b = _right(a, 2)
    x, _, rank, _ = library.lstsq(a, b)
    s, k = unit(a), min(a.shape)
    scaled, rest = wide(a, s), wide(b, s) - wide(a, s) @ wide(x)
    size = norm(scaled) * (norm(scaled) * norm(wide(x)) + norm(wide(b, s)))
    expected = np.linalg.lstsq(wide(a), wide(b), rcond=None)[2]
    return {
        "Aᴴ(B - AX)": _ratio(norm(scaled.conj().T @ rest), size, k, a.dtype),
        "rank": 0.0 if abs(int(rank) - int(expected)) <= 1 else np.inf,
    }


def _of_pinv(library, a):
    x, s = library.pinv(a), unit(a)
    scaled, x = wide(a, s), wide(x) * s
    error = norm(scaled @ x @ scaled - scaled)
    return {"AXA - A": _ratio(error, norm(scaled) ** 2 * max(norm(x), 1.0), min(a.shape), a.dtype)}


def _of_form(name):
    def measure(library, a):
        t, z = getattr(library, name)(a)
        s = unit(a)
        t, z = wide(t, s), wide(z)
        below = np.tril(t, -2) if np.iscomplexobj(a) is False or name == "hessenberg" else np.tril(t, -1)
        assert not below.any()
        error = norm(wide(a, s) - z @ t @ z.conj().T)
        return {
            "A - ZTZᴴ": _ratio(error, norm(wide(a, s)), len(a), a.dtype),
            "ZᴴZ - 1": orthogonality(z, a.dtype),
        }

    return measure


#: How each decomposition is measured, and whether it takes square matrices only.
MEASURES = {
    "qr": (_of_qr, False),
    "svd": (_of_svd, False),
    "eigh": (_of_eigh, True),
    "eig": (_of_eig, True),
    "eigvals": (_of_eigvals, True),
    "cholesky": (_of_cholesky, True),
    "lu": (_of_lu, False),
    "solve": (_of_solve, True),
    "inv": (_of_inv, True),
    "lstsq": (_of_lstsq, False),
    "pinv": (_of_pinv, False),
    "schur": (_of_form("schur"), True),
    "hessenberg": (_of_form("hessenberg"), True),
}

#: The longest side where measuring costs more than computing.
LIMITS = {"eigvals": 64, "lu": 600}

#: Those that need a regular matrix.
REGULAR = {"solve", "inv"}


def cases(name, large=False):
    """Every type and size that a decomposition is tested with."""
    sizes = SIZES + (LARGE_SIZES if large else [])
    for kind in TYPES:
        if name in REGULAR and kind in SINGULAR:
            continue
        for m, n in sizes:
            if (m == n or not MEASURES[name][1]) and max(m, n) <= LIMITS.get(name, m + n):
                yield kind, m, n


class Theirs:
    """NumPy and SciPy; in the precision of the matrix where SciPy does not widen it."""

    def __getattr__(self, name):
        import scipy.linalg

        def call(a, *more):
            if name == "qr":
                return scipy.linalg.qr(a, mode="economic")
            if name == "svd":
                return scipy.linalg.svd(a, full_matrices=False)
            if name == "hessenberg":
                return scipy.linalg.hessenberg(a, calc_q=True)
            if name == "cholesky":
                return scipy.linalg.cholesky(a, lower=True)
            source = np.linalg if name in ("lstsq", "pinv", "eigh", "inv", "solve") else scipy.linalg
            return getattr(source, name)(a, *more)

        return call


class Ours:
    """The functions of this package, with results on the host."""

    def __getattr__(self, name):
        import cuproxide as cp
        import cuproxide.scipy.linalg as more_of_them

        source = more_of_them if name in ("lu", "schur", "hessenberg") else cp.linalg
        options = {"svd": {"full_matrices": False}, "hessenberg": {"calc_q": True}}.get(name, {})

        def call(*arrays):
            result = getattr(source, name)(*map(cp.asarray, arrays), **options)
            return tuple(map(cp.asnumpy, result)) if isinstance(result, tuple) else cp.asnumpy(result)

        return call
