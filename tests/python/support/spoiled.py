"""Sparse arrays whose index arrays a program has spoiled, and what is then done with them.

An operation on spoiled arrays must raise `ValueError` or `IndexError`; one on arrays that are still valid must give
what it gives for a new array of the same parts. `python spoiled.py FIRST COUNT` runs cases by their seeds in this
process; its exit status says whether the process died. SciPy is never given such arrays.
"""

import faulthandler
import io
import pickle
import random
import sys
import warnings

import cuproxide as cp
import numpy as np
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import csgraph, linalg

COMPRESSED = ("csr", "csc", "bsr")
FORMATS = (*COMPRESSED, "coo", "dia", "lil", "dok")
DRAWN = ("csr", "csr", "csr", "csc", "csc", "bsr", "bsr", "coo", "coo", "dia", "lil", "dok")
BAD = (-1, -2, -7, 1, 2, 3, 99, 10**6, 2**31 - 1, -(2**31))
WIDE = (2**31, 2**40, -(2**40), 2**62, 2**63 - 1, -(2**63))


def drawn_array(draw, format):
    """A small array of a format, with sorted or unsorted rows."""
    rows = draw.choice((1, 2, 3, 4, 6, 8, 17))
    columns = rows if draw.random() < 0.6 else draw.choice((1, 2, 3, 4, 6, 12))
    host = np.random.default_rng(draw.randrange(2**32))
    dense = np.where(
        host.random((rows, columns)) < draw.choice((0.1, 0.4, 0.9)), host.integers(1, 9, (rows, columns)), 0
    )
    dtype = draw.choice(("f8", "f8", "f4", "c16", "i8", "?"))
    kind = getattr(sparse, f"{format}_{draw.choice(('array', 'matrix'))}")
    made = kind(cp.asarray(dense.astype(dtype)))
    if format in ("csr", "csc", "coo") and draw.random() < 0.2 and kind.__name__.endswith("array"):
        parts = ("coords",) if format == "coo" else ("indices", "indptr")
        found = [getattr(made, name) for name in parts]
        wide = tuple(part.astype("i8") for part in found[0]) if format == "coo" else [p.astype("i8") for p in found]
        made = kind((made.data, wide) if format == "coo" else (made.data, *wide), shape=made.shape)
    return made


# -------------------------------------------------------------------------------------------- how arrays are spoiled


def _bad_number(draw, dtype):
    return draw.choice(BAD + WIDE if np.dtype(dtype).itemsize == 8 else BAD)


def _by_index(draw, part):
    part[draw.randrange(part.size)] = _bad_number(draw, part.dtype)


def _by_slice(draw, part):
    part[draw.randrange(part.size) :] = _bad_number(draw, part.dtype)


def _by_operator(draw, part):
    part += draw.choice((1, -1, 50, 0))


def _by_ufunc(draw, part):
    cp.multiply(part, draw.choice((-1, 2, 7)), out=part)


def _by_view(draw, part):
    part[::-1][: max(1, part.size // 2)] = _bad_number(draw, part.dtype)


def _by_put(draw, part):
    cp.put(part, [draw.randrange(part.size)], [_bad_number(draw, part.dtype)])


def _by_fill(draw, part):
    part.fill(_bad_number(draw, part.dtype))


def _by_sort(draw, part):
    part[:] = cp.sort(part)[:: draw.choice((1, -1))]


def _by_bytes(draw, part):
    part.data.memset(draw.choice((0, 1, 255)), part.nbytes)


def _by_other_library(draw, part):
    if part.device.backend == "cpu":
        np.from_dlpack(part)[draw.randrange(part.size)] = _bad_number(draw, part.dtype)
    else:
        cp.from_dlpack(part)[draw.randrange(part.size)] = _bad_number(draw, part.dtype)


def _by_size(draw, part):
    part.resize(max(0, part.size + draw.choice((-1, 1, 3))))


def _by_shape(draw, part):
    part.shape = (part.size, 1)


WRITES = (
    *(_by_index, _by_slice, _by_operator, _by_ufunc, _by_view, _by_put, _by_fill, _by_sort, _by_bytes),
    *(_by_other_library, _by_size, _by_shape),
)


def _replacement(draw, part, name):
    """Something else in the place of an array; no numbers so large that functions of elements take forever."""
    host = cp.asnumpy(part)
    choices = [
        lambda: part[:-1].copy(),
        lambda: cp.concatenate((part, part[:1])),
        lambda: part[:, None] if part.ndim == 1 else part.reshape(-1),
        lambda: part.astype("f8"),
        lambda: part.astype("f8") + draw.choice((np.nan, 0.5) if name == "data" else (np.nan, np.inf, 0.5, 1e300)),
        lambda: part.astype(draw.choice(("i1", "u1", "u2", "i8", "u8", "?"))),
        lambda: part.astype("u8") + np.uint64(2**63 if name != "data" else 1),
        lambda: host,
        lambda: host.tolist(),
        lambda: host + (draw.choice(BAD) if name != "data" else 1),
        lambda: cp.empty(0, part.dtype),
        lambda: cp.asarray(draw.choice(BAD)),
        lambda: None,
        lambda: "rows",
        lambda: part[::-1],
        lambda: cp.random.default_rng(1).permutation(part),
    ]
    return draw.choice(choices)()


def spoil(draw, a):
    """Changes parts of an array, once or twice."""
    for _ in range(draw.choice((1, 1, 2))):
        if a.format in ("lil", "dok"):
            _spoil_on_host(draw, a)
            continue
        names = {"coo": ("coords",), "dia": ("offsets",)}.get(a.format, ("indices", "indptr"))
        name = draw.choice((*names, *names, "data"))
        part = getattr(a, name)
        if name == "coords":
            axis = draw.randrange(len(part)) if part else 0
            if draw.random() < 0.2 or not part:
                new = list(part)
                if new and draw.random() < 0.8:
                    new[axis] = _replacement(draw, new[axis], name) if isinstance(new[axis], cp.ndarray) else 3
                else:
                    new = new[:-1] if draw.random() < 0.5 else new + new
                a.coords = tuple(new)
                continue
            part = part[axis]
        if name == "data" or draw.random() < 0.2 or not isinstance(part, cp.ndarray) or not part.size:
            if isinstance(part, cp.ndarray):
                setattr(a, name, _replacement(draw, part, name))
            continue
        if draw.random() < 0.3 and a.format in ("csr", "csc"):
            # Through another sparse array that shares the memory.
            part = getattr(draw.choice((lambda: a.T, lambda: a.astype(a.dtype, copy=False)))(), name)
        draw.choice(WRITES)(draw, part)
    if draw.random() < 0.1 and a.format in COMPRESSED:
        # A promise that does not hold.
        a.has_sorted_indices = True
        a.has_canonical_format = True
    elif draw.random() < 0.1 and a.format == "coo":
        a.has_canonical_format = True


def _spoil_on_host(draw, a):
    place = (draw.choice((*BAD, *WIDE, 0)), draw.choice((*BAD, 0)))
    if a.format == "dok":
        draw.choice(
            (
                lambda: a.setdefault(place, 1),
                lambda: a._dict.update({place: 1}),
                lambda: a._dict.update({draw.choice((3, "x", (1,), (1, 2, 3), (0.5, 1), None)): 1}),
            )
        )()
        return
    row = draw.randrange(a.shape[0])
    draw.choice(
        (
            lambda: a.rows[row].append(place[0]),
            lambda: (a.rows[row].append(place[0]), a.data[row].append(1)),
            lambda: a.rows[row].reverse(),
            lambda: a.data[row].append(1),
            lambda: setattr(a, "rows", a.rows[:-1]),
            lambda: a.rows.__setitem__(row, [draw.choice(("x", None, 1.5))]),
            lambda: a.data.__setitem__(row, ["x"] * len(a.rows[row])),
        )
    )()


# ---------------------------------------------------------------------------------------------------- what is valid


def _numbers(part):
    """An index array on the host; none if a program put something else there."""
    if not isinstance(part, (cp.ndarray, np.ndarray)) or part.dtype.kind not in "iu" or part.ndim != 1:
        return None
    return [int(number) for number in cp.asnumpy(part)]


def verdict(a):
    """Whether an array is "valid", "invalid", or of parts that may be "either", by loops over numbers on the host."""
    if a.format in ("lil", "dok"):
        return "either"
    shape, data = a.shape, a.data
    if not isinstance(data, (cp.ndarray, np.ndarray)):
        return "either"
    if a.format == "coo":
        if not isinstance(a.coords, tuple):
            return "either"
        coords = [_numbers(part) for part in a.coords]
        if any(part is None for part in coords):
            return "either"
        good = data.ndim == 1 and len(coords) == len(shape) and all(len(part) == data.size for part in coords)
        inside = good and all(0 <= i < n for part, n in zip(coords, shape, strict=True) for i in part)
        return "valid" if inside else "invalid"
    if a.format == "dia":
        offsets = _numbers(a.offsets)
        if offsets is None:
            return "either"
        good = data.ndim == 2 and len(offsets) == data.shape[0] and len(set(offsets)) == len(offsets)
        return ("valid" if all(abs(k) < 2**31 for k in offsets) else "either") if good else "invalid"
    indices, indptr = _numbers(a.indices), _numbers(a.indptr)
    if indices is None or indptr is None:
        return "either"
    majors, minors = (shape if a.format != "csc" else shape[::-1]) if len(shape) == 2 else (1, shape[0])
    if a.format == "bsr":
        if data.ndim != 3 or 0 in data.shape[1:] or majors % data.shape[1] or minors % data.shape[2]:
            return "invalid"
        majors, minors = majors // data.shape[1], minors // data.shape[2]
    elif data.ndim != 1:
        return "invalid"
    good = len(indptr) == majors + 1 and indptr[0] == 0 and indptr == sorted(indptr) and len(indices) == len(data)
    good = good and indptr[-1] <= len(indices) and all(0 <= i < minors for i in indices[: indptr[-1]])
    return "valid" if good else "invalid"


def rebuilt(a):
    """A new array of copies of the parts that the array had when this was called."""
    kind, shape = type(a), a.shape
    data = cp.array(a.data)
    if a.format == "coo":
        return kind((data, tuple(cp.array(part) for part in a.coords)), shape=shape)
    if a.format == "dia":
        return kind((data, cp.array(a.offsets)), shape=shape)
    return kind((data, cp.array(a.indices), cp.array(a.indptr)), shape=shape)


# ---------------------------------------------------------------------------------------------------- what is done


def _vector(a):
    return cp.arange(a.shape[-1], dtype="f8")


def _saved(a):
    file = io.BytesIO()
    sparse.save_npz(file, a)
    file.seek(0)
    return sparse.load_npz(file)


def _in_place(name, *args):
    def run(a):
        getattr(a, name)(*args)
        return a

    return run


def _assigned(key, value):
    def run(a):
        a[key] = value
        return a

    return run


def _start(a):
    return cp.ones(a.shape[0])


OPERATIONS = {
    **{f"to{format}": (lambda a, format=format: getattr(a, f"to{format}")()) for format in FORMATS},
    **{
        name: (lambda a, name=name: getattr(a, name)())
        for name in (
            *(
                "toarray",
                "todense",
                "copy",
                "transpose",
                "conj",
                "sqrt",
                "sin",
                "sign",
                "nonzero",
                "count_nonzero",
                "sum",
            ),
            *(
                "mean",
                "max",
                "min",
                "argmax",
                "argmin",
                "nanmax",
                "nanmin",
                "diagonal",
                "trace",
                "sorted_indices",
                "__neg__",
            ),
            *("__abs__", "__round__", "__str__", "asfptype", "getnnz", "getH"),
        )
    },
    **{
        f"{name} {axis}": (lambda a, name=name, axis=axis: getattr(a, name)(axis=axis))
        for axis in (0, 1)
        for name in (*("sum", "mean", "max", "min", "argmax", "argmin", "count_nonzero", "getnnz"),)
    },
    **{
        name: _in_place(name, *args)
        for name, args in {
            "sum_duplicates": (),
            "sort_indices": (),
            "eliminate_zeros": (),
            "prune": (),
            "resize": (3, 5),
            "setdiag": (7,),
            "check_format": (),
        }.items()
    },
    "blocks": lambda a: a.tobsr(blocksize=(1, 1)),
    "astype": lambda a: a.astype("c16"),
    "shares": lambda a: a.astype(a.dtype, copy=False),
    "diagonal 1": lambda a: a.diagonal(1),
    "reshape": lambda a: a.reshape(1, -1),
    "power": lambda a: a.power(2),
    "scaled": lambda a: a * 2,
    "halved": lambda a: a / 2,
    "compare": lambda a: a > 1,
    "not equal": lambda a: a != a.copy(),
    "add": lambda a: a + a,
    "subtract": lambda a: a - a.tocsr(),
    "multiply": lambda a: a.multiply(a),
    "multiply dense": lambda a: a.multiply(cp.ones(a.shape)),
    "multiply row": lambda a: a.multiply(cp.arange(a.shape[-1])),
    "divide": lambda a: a / a,
    "maximum": lambda a: a.maximum(a.T.T),
    "minimum": lambda a: a.minimum(0),
    "add dense": lambda a: a + cp.ones(a.shape),
    "from the left": lambda a: cp.ones(a.shape) + a,
    "times vector": lambda a: a @ _vector(a),
    "vector times": lambda a: _start(a) @ a,
    "times columns": lambda a: a @ cp.ones((a.shape[1], 5)),
    "columns times": lambda a: cp.ones((3, a.shape[0])) @ a,
    "times itself": lambda a: a @ a,
    "times transpose": lambda a: a @ a.T,
    "transposed times": lambda a: a.T @ _start(a),
    "dot": lambda a: a.dot(a.T),
    "matrix power": lambda a: linalg.matrix_power(a, 3),
    "element": lambda a: a[0, 0],
    "last element": lambda a: a[-1, -1],
    "row": lambda a: a[0],
    "column": lambda a: a[:, 0],
    "rows": lambda a: a[0:2],
    "columns": lambda a: a[:, 0:2],
    "steps": lambda a: a[::-1, ::2],
    "fancy rows": lambda a: a[[0, -1, 0]],
    "fancy columns": lambda a: a[:, [0, -1, 0]],
    "fancy": lambda a: a[[0, -1], [0, -1]],
    "outer": lambda a: a[[[0], [-1]], [0, -1]],
    "mask": lambda a: a[cp.eye(*a.shape, dtype=bool)],
    "getrow": lambda a: a.getrow(0),
    "getcol": lambda a: a.getcol(0),
    "rows one by one": lambda a: [row.sum() for row in a],
    "set element": _assigned((0, 0), 3),
    "set row": _assigned(0, 3),
    "set column": _assigned((slice(None), 0), 3),
    "set fancy": _assigned(([0, -1], [-1, 0]), 3),
    "get": lambda a: a.get().toarray() if a.format != "dok" else a.get(),
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
    "save": _saved,
    "hstack": lambda a: sparse.hstack([a, a]),
    "hstack mixed": lambda a: sparse.hstack([cp.ones((a.shape[0], 1)), a]),
    "vstack": lambda a: sparse.vstack([a, sparse.csr_array(a.shape), a]),
    "block_array": lambda a: sparse.block_array([[None, a], [a, None]]),
    "block_diag": lambda a: sparse.block_diag([5, a]),
    "kron": lambda a: sparse.kron(a, a),
    "kron dense": lambda a: sparse.kron(cp.eye(2), a),
    "kronsum": lambda a: sparse.kronsum(a, a),
    "find": sparse.find,
    "tril": sparse.tril,
    "triu": lambda a: sparse.triu(a, 1),
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "sampled": lambda a: sparse.sampled_addmm(a, cp.ones((a.shape[0], 2)), cp.ones((2, a.shape[1]))),
    "norm": linalg.norm,
    "norm 1": lambda a: linalg.norm(a, 1),
    "norm rows": lambda a: linalg.norm(a, axis=1),
    "spsolve": lambda a: linalg.spsolve(a, _start(a)),
    "spsolve sparse": lambda a: linalg.spsolve(a, a),
    "splu": lambda a: linalg.splu(a).solve(_start(a)),
    "spilu": lambda a: linalg.spilu(a).solve(_start(a)),
    "factorized": lambda a: linalg.factorized(a)(_start(a)),
    "inv": linalg.inv,
    "triangular": lambda a: linalg.spsolve_triangular(a, _start(a), unit_diagonal=True),
    "is triangular": linalg.is_sptriangular,
    "bandwidth": linalg.spbandwidth,
    "expm": linalg.expm,
    "expm_multiply": lambda a: linalg.expm_multiply(a, _start(a)),
    "onenormest": linalg.onenormest,
    "eigsh": lambda a: linalg.eigsh(a, k=1)[0],
    "svds": lambda a: linalg.svds(a, k=1)[1],
    "cg": lambda a: linalg.cg(a, _start(a), maxiter=2)[0],
    "gmres": lambda a: linalg.gmres(a, _start(a), maxiter=1)[0],
    "lsqr": lambda a: linalg.lsqr(a, _start(a), iter_lim=2)[0],
    "operator": lambda a: linalg.aslinearoperator(a) @ _vector(a),
    **{
        name: getattr(csgraph, name)
        for name in (
            *(
                "connected_components",
                "dijkstra",
                "bellman_ford",
                "johnson",
                "floyd_warshall",
                "shortest_path",
                "laplacian",
            ),
            *("minimum_spanning_tree", "reverse_cuthill_mckee", "structural_rank", "maximum_bipartite_matching"),
            *("min_weight_full_bipartite_matching", "csgraph_to_dense", "csgraph_to_masked"),
        )
    },
    "breadth first": lambda a: csgraph.breadth_first_order(a, 0),
    "depth first": lambda a: csgraph.depth_first_tree(a, 0, directed=False),
    "maximum_flow": lambda a: csgraph.maximum_flow(sparse.csr_array(a).astype("i4"), 0, a.shape[0] - 1).flow,
    "yen": lambda a: csgraph.yen(a, 0, a.shape[0] - 1, 2),
    "weak components": lambda a: csgraph.connected_components(a, connection="strong"),
}

# What is random, or looks at nothing but lengths.
UNCOMPARED = {"eigsh", "svds", "pickle", "save", "onenormest", "todok"}
EXPECTED = (ValueError, LookupError, TypeError, NotImplementedError, AttributeError, ArithmeticError, RuntimeError)
CHECKS = (ValueError, IndexError)
# Of parts of other kinds, as SciPy's.
CONVERSIONS = (ValueError, IndexError, TypeError, AttributeError, OverflowError, NotImplementedError)


def plain(x):
    """A result as arrays and numbers on the host."""
    if isinstance(x, sparse.sparray | sparse.spmatrix):
        return x.toarray().get()
    if isinstance(x, cp.ndarray):
        return cp.asnumpy(x)
    if isinstance(x, (tuple, list)):
        return [plain(part) for part in x]
    if hasattr(x, "toarray"):
        return x.toarray()
    return x


def same(x, y):
    if isinstance(x, list) and isinstance(y, list):
        return len(x) == len(y) and all(same(a, b) for a, b in zip(x, y, strict=True))
    if isinstance(x, np.ma.MaskedArray):
        x, y = x.filled(-5), y.filled(-5)
    if isinstance(x, np.ndarray) or isinstance(x, (int, float, complex)):
        x, y = np.asarray(x), np.asarray(y)
        return x.shape == y.shape and np.allclose(
            x.astype("c16"), y.astype("c16"), rtol=1e-5, atol=1e-5, equal_nan=True
        )
    return type(x) is type(y)


def outcome(operation, a):
    """The result on the host, or the exception."""
    try:
        return plain(operation(a))
    except EXPECTED as error:
        assert "internal error" not in str(error), error
        return error


def check(seed):
    """One case; returns what happened."""
    draw = random.Random(seed)
    a = drawn_array(draw, draw.choice(DRAWN))
    try:
        if draw.random() < 0.3:
            # What is known of the array before it is spoiled.
            draw.choice(list(OPERATIONS.values()))(a)
    except EXPECTED:
        pass
    name = draw.choice(list(OPERATIONS))
    try:
        spoil(draw, a)
    except CONVERSIONS:
        return "cannot be spoiled so"
    told = verdict(a)
    fresh = rebuilt(a) if told == "valid" else None
    where = (seed, a.format, type(a).__name__, a.shape, name, told)
    got = outcome(OPERATIONS[name], a)
    if told == "invalid":
        # Some operations find another reason first: there is no such method, or no such matrix.
        assert isinstance(got, Exception), (*where, got)
        reasons = (AttributeError, TypeError, NotImplementedError)
        assert isinstance(got, (*CHECKS, *reasons)), (*where, got)
        return "refused"
    if told == "valid":
        want = outcome(OPERATIONS[name], fresh)
        if isinstance(want, Exception) or isinstance(got, Exception):
            assert type(want) is type(got), (*where, want, got)
            return "both refused"
        assert name in UNCOMPARED or same(got, want), (*where, want, got)
        return "agreed"
    return "refused, too" if isinstance(got, Exception) else "taken"


def main(first, count):
    """Runs cases, and prints the seed before each, so that one that ends the process is known."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    found = {}
    for seed in range(first, first + count):
        print(f"case {seed}", file=sys.stderr, flush=True)
        told = check(seed)
        found[told] = found.get(told, 0) + 1
    print(found)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
