"""Rows of scipy.sparse, scipy.sparse.linalg and scipy.sparse.csgraph."""

import numpy as np

from ..draws import (
    Callback,
    alone,
    always,
    array,
    call,
    computed,
    counts,
    dominant,
    function,
    integer,
    mapped,
    number,
    one,
    positive,
    read,
    row,
    several,
    sparse,
    symmetric,
    whole,
)

FORMATS = ("csr", "csc", "coo", "dia", "bsr", "dok", "lil")
TYPES = "dfDl?hF"
side = one(True, False)
any_sparse = sparse("n m", TYPES, FORMATS, values=whole)
square = sparse("n n", TYPES, FORMATS, values=whole)
form = one(None, "csr", "csc", "coo", "dia", "bsr", "lil", "dok")
dtype = one(None, "float32", "float64", "complex128", "int64")
ANY_FORMAT = {"format": form}
dense = array("n m", whole, TYPES)

members = [
    call("sum", axis=one(None, 0, 1, -1)),
    call("mean", axis=one(None, 0, 1)),
    call("toarray"), call("todense"), call("transpose"), call("copy"), call("conj"), call("count_nonzero"),
    call("tocsr"), call("tocsc"), call("tocoo"), call("todia"), call("tolil"), call("todok"), call("tobsr"),
    call("asformat", form), call("astype", one("float32", "complex64", "int32", "float64")),
    call("diagonal", k=integer(-2, 2)), call("trace", offset=integer(-1, 1)), call("power", one(2, 3)),
    call("dot", array("m", whole, "dfl")), call("dot", array("m k", whole, "dfl")),
    call("multiply", dense), call("multiply", number(-3, 3)), call("multiply", array("m", whole, "dl")),
    call("__add__", any_sparse), call("__sub__", any_sparse), call("__mul__", number(-3, 3)), call("__neg__"),
    call("__matmul__", sparse("m k", TYPES, FORMATS, values=whole)), call("__abs__"),
    call("maximum", any_sparse), call("minimum", any_sparse), call("__truediv__", number(1, 3)),
    call("__eq__", any_sparse), call("__ne__", any_sparse), call("__lt__", any_sparse), call("__ge__", any_sparse),
    call("reshape", one((-1, 1), (1, -1))),
    read("shape"), read("nnz"), read("dtype"), read("format"), read("ndim"), read("T"), read("real"), read("imag"),
]  # fmt: skip
some_row = integer(-2, 1)
picks = [
    call("__getitem__", (some_row, some_row)), call("__getitem__", some_row), call("__getitem__", (slice(None), some_row)),
    call("__getitem__", (slice(None, None, 2), slice(1, None))), call("__getitem__", ([0, 1, 0], [1, 0, 1])),
    call("__getitem__", (slice(None), [1, 0])), call("__getitem__", ([1, 0, -1], slice(None))),
    call("__getitem__", (slice(None, None, -1), slice(None))), call("__getitem__", mapped(lambda v: v > 0, dense)),
    call("__getitem__", (None, 0)), call("__getitem__", (Ellipsis, 1)),
]  # fmt: skip
extremes = [call(name, axis=one(None, 0, 1), explicit=one(True, False)) for name in "max min argmax argmin".split()]
extremes += [call(name, axis=one(None, 0, 1)) for name in ("nanmax", "nanmin")]
functions = [
    call(name) for name in "sin tan arcsin arctan sinh tanh arcsinh sqrt expm1 log1p sign floor ceil rint trunc".split()
]
for format in FORMATS:
    names = f"sparse.{format}_array {format}_matrix"
    steps = members + (picks if format in ("csr", "csc", "lil", "dok") else [])
    steps += extremes + functions if format in ("csr", "csc", "coo", "bsr") else []
    row(names, dense, dtype=dtype, _steps=tuple(steps))
    row(names, any_sparse, _steps=tuple(steps))
    row(names, (integer(0, 4), integer(0, 4)), dtype=dtype, _steps=(call("toarray"), *read("shape", "nnz", "dtype")))
positions = (integer(0, 3), integer(0, 3), integer(0, 3))
row(
    "sparse.coo_array coo_matrix csr_array csr_matrix csc_array csc_matrix",
    (array("5", whole, TYPES, finite=True), (several(integer(0, 3), 5, 5), several(integer(0, 3), 5, 5))),
    shape=always(one((4, 4), (5, 6))), _steps=(call("toarray"), call("sum"), *read("nnz", "has_canonical_format")),
)  # fmt: skip
row(
    "sparse.coo_array", array("n", whole, TYPES),
    _steps=(call("toarray"), call("sum"), call("reshape", one((-1, 1), (1, -1))), *read("nnz", "shape", "ndim")),
)  # fmt: skip
row("sparse.csr_array", array("n", whole, TYPES), _steps=(call("toarray"), call("sum"), *read("nnz", "shape")))

grid = one([[any_sparse, None], [None, any_sparse]], [[any_sparse, any_sparse]], [[any_sparse], [any_sparse]])
row("sparse.block_array", grid, **ANY_FORMAT)
row("sparse.bmat", grid, form, dtype)
row("sparse.block_diag", several(one(any_sparse, dense)), form, dtype)
row("sparse.hstack vstack", several(any_sparse), form, dtype)
row("sparse.diags", array("n", whole, TYPES), integer(-2, 2), format=form)
row(
    "sparse.diags",
    [array("n+1", whole, TYPES), array("n", whole, TYPES)],
    always([0, 1]),
    format=form,
    dtype=always(dtype),
)
row(
    "sparse.diags_array",
    [array("n+1", whole, TYPES), array("n", whole, TYPES)],
    offsets=always([0, one(1, -1)]),
    format=form,
)
row(
    "sparse.spdiags",
    array("3 n", whole, TYPES),
    mapped(lambda v: v, [0, 1, -2]),
    integer(1, 6),
    integer(1, 6),
    format=form,
)
row("sparse.expand_dims", sparse("n m", TYPES, both=False), axis=integer(-3, 2))
row("sparse.permute_dims", sparse("n m", TYPES, both=False), axes=one((1, 0), (0, 1), None), copy=side)
row("sparse.swapaxes", sparse("n m", TYPES, both=False), integer(-2, 1), integer(-2, 1))
row(
    "sparse.eye eye_array",
    integer(0, 6),
    integer(0, 6),
    k=integer(-2, 2),
    dtype=one(int, float, "complex64"),
    format=form,
)
row("sparse.identity", integer(0, 6), dtype=one("d", "f", int), format=form)
row("sparse.find", any_sparse)
row("sparse.get_index_dtype", (), one(None, 5, 2**33))
row("sparse.issparse isspmatrix", one(any_sparse, dense, 3))
row(
    "sparse.isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia isspmatrix_dok isspmatrix_lil",
    one(any_sparse, dense, 3),
)
row("sparse.kron", any_sparse, any_sparse, form)
row("sparse.kronsum", square, square, form)
row(
    "sparse.rand random",
    integer(0, 7),
    integer(0, 7),
    number(0, 1),
    format=form,
    dtype=one(None, "float32"),
    _random=True,
)
row(
    "sparse.random_array",
    (integer(0, 7), integer(0, 7)),
    density=number(0, 1),
    format=form,
    _steps=tuple(read("shape", "nnz", "dtype")),
)
row("sparse.safely_cast_index_arrays", sparse("n m", "d", ("csr", "csc", "coo")), one(np.int32, np.int64))
row("sparse.tril triu", any_sparse, integer(-2, 2), form)
alone("sparse.SparseEfficiencyWarning SparseWarning", "a warning")
alone("sparse.load_npz save_npz", "reads or writes files; tests of the package exchange them with SciPy")
alone("sparse.sparray spmatrix", "a base class: its members are drawn with the classes above")
alone("sparse.matrix_transpose sampled_addmm", "CuPy's, or of this package")

# sparse.linalg
system = sparse("n n", "dfD", ("csr", "csc", "coo"), then=dominant)
spd = sparse("n n", "df", ("csr", "csc"), then=lambda v: dominant(symmetric(v)))
either = one(system, array("n n", then=dominant, kinds="dfD"))
right = array("n", kinds="dfDl")
solver = {"rtol": one(1e-10, 1e-6), "maxiter": integer(20, 200), "x0": array("n"), "_bound": 1e-3}
row(
    "sparse.linalg.bicg bicgstab cgs gmres lgmres gcrotmk qmr tfqmr",
    either,
    right,
    rtol=always(1e-9),
    maxiter=integer(30, 90),
    x0=array("n"),
    _bound=1e-5,
)
row(
    "sparse.linalg.cg minres",
    spd,
    array("n", kinds="dfl"),
    rtol=always(1e-9),
    maxiter=integer(30, 90),
    x0=array("n", kinds="df"),
    _bound=1e-5,
)
row(
    "sparse.linalg.lsqr",
    one(any_sparse, dense),
    array("n", kinds="df"),
    damp=number(0.1, 1),
    _form=lambda r: r[:2],
    _bound=1e-3,
)
row(
    "sparse.linalg.lsmr",
    one(any_sparse, dense),
    array("n", kinds="df"),
    damp=number(0.1, 1),
    _form=lambda r: r[:2],
    _bound=1e-3,
)
big = sparse("12 12", "dfD", ("csr", "csc"), then=dominant)
big_symmetric = sparse("12 12", "df", ("csr", "csc"), then=lambda v: symmetric(v) + np.diag(np.arange(12.0)))


def moduli(result):
    return np.sort(abs(np.asarray(result)))


row(
    "sparse.linalg.eigs",
    big,
    k=integer(1, 4),
    which=one("LM", "LR"),
    return_eigenvectors=always(False),
    _form=moduli,
    _bound=1e-5,
)
row(
    "sparse.linalg.eigsh",
    big_symmetric,
    k=integer(1, 5),
    which=one("LM", "LA", "SA"),
    return_eigenvectors=always(False),
    _form=moduli,
    _bound=1e-5,
)
row(
    "sparse.linalg.svds",
    sparse("9 7", "dfD", ("csr", "csc")),
    k=integer(1, 3),
    return_singular_vectors=always(False),
    which=one("LM", "SM"),
    solver=one("arpack", "lobpcg", "propack"),
    _form=moduli,
    _bound=1e-5,
)
row(
    "sparse.linalg.lobpcg",
    sparse("12 12", "d", ("csr",), then=lambda v: symmetric(v) + np.diag(np.arange(12.0) * 9)),
    array("12 2", kinds="d", finite=True),
    largest=side,
    maxiter=always(200),
    tol=always(1e-7),
    _form=lambda r: np.sort(r[0]),
    _bound=1e-4,
)
row("sparse.linalg.expm", sparse("n n", "dD", ("csr", "csc")), _bound=1e-7)
row(
    "sparse.linalg.expm_multiply",
    sparse("n n", "dD", ("csr", "csc")),
    one(array("n"), array("n k")),
    traceA=number(-1, 1),
    _bound=1e-7,
)
row("sparse.linalg.inv", sparse("n n", "dfD", ("csc", "csr"), then=dominant))
row("sparse.linalg.matrix_power", sparse("n n", "dl", ("csr", "csc"), values=whole), integer(0, 4))
row("sparse.linalg.norm", any_sparse, one(None, "fro", 1, np.inf, -1, -np.inf, 0), one(None, 0, 1))
row("sparse.linalg.is_sptriangular spbandwidth", sparse("n n", TYPES, ("csr", "csc", "coo", "dia", "dok", "lil"), 0.2))
row("sparse.linalg.onenormest", sparse("n n", "df", ("csr", "csc")), _bound=1e-6)
row(
    "sparse.linalg.spsolve",
    sparse("n n", "dfD", ("csc", "csr"), then=dominant),
    one(right, array("n k"), sparse("n k", "d", ("csc", "csr"))),
)
row(
    "sparse.linalg.spsolve_triangular",
    sparse("n n", "dfD", ("csr", "csc"), then=lambda v: np.tril(dominant(v))),
    one(right, array("n k")),
    lower=always(True),
    unit_diagonal=side,
)
row(
    "sparse.linalg.factorized",
    sparse("n n", "df", ("csc",), then=dominant),
    _steps=(call("__call__", array("n", kinds="d")),),
)
row(
    "sparse.linalg.splu",
    sparse("n n", "dfD", ("csc", "csr"), then=dominant),
    permc_spec=one("NATURAL", "COLAMD", "MMD_ATA"),
    _steps=(call("solve", array("n", kinds="dfD"), trans=one("N", "T", "H")), *read("shape")),
)
row(
    "sparse.linalg.spilu",
    sparse("n n", "dfD", ("csc",), then=dominant),
    drop_tol=always(0.0),
    fill_factor=always(20),
    _steps=(call("solve", array("n", kinds="dfD")),),
    _bound=1e-5,
)
row(
    "sparse.linalg.aslinearoperator",
    either,
    _steps=(
        call("matvec", array("n")),
        call("rmatvec", array("n")),
        call("matmat", array("n k")),
        *read("shape", "dtype"),
    ),
)
row(
    "sparse.linalg.LinearOperator",
    (4, 4),
    function(lambda xp: lambda v: 2 * v),
    dtype=always(one("d", "D")),
    _steps=(call("matvec", array("4")), call("dot", array("4 k")), *read("shape", "dtype")),
)
row(
    "sparse.linalg.LaplacianNd",
    one((4,), (3, 4), (2, 2, 3)),
    boundary_conditions=one("neumann", "dirichlet", "periodic"),
    dtype=one("int8", "float64"),
    _steps=(call("toarray"), call("eigenvalues"), *read("shape"), call("tosparse")),
)
row(
    "sparse.linalg.funm_multiply_krylov",
    computed(
        lambda d: Callback(
            lambda xp: __import__("scipy.linalg", fromlist=["expm"]).expm if xp is np else xp.scipy.linalg.expm
        )
    ),
    sparse("12 12", "d", ("csr",)),
    array("12", kinds="d"),
    _bound=1e-4,
)
alone("sparse.linalg.ArpackError ArpackNoConvergence MatrixRankWarning", "an exception or a warning")
alone("sparse.linalg.SuperLU", "made by splu and spilu, whose rows call its members")
alone("sparse.linalg.use_solver", "a setting")
alone("sparse.linalg.ic0 ilu0 jacobi", "of this package")

# csgraph
weights = sparse("n+2 n+2", "dl", ("csr", "csc", "coo"), 0.5, values=positive)
graph = one(weights, array("n+2 n+2", counts, "dl", finite=True))
directed = {"directed": side, "unweighted": side}
row(
    "sparse.csgraph.bellman_ford dijkstra johnson",
    graph,
    indices=one(None, 0, [0, 1]),
    return_predecessors=always(False),
    **directed,
)
row("sparse.csgraph.dijkstra", graph, limit=number(0.5, 9), indices=one(None, 0))
row("sparse.csgraph.floyd_warshall shortest_path", graph, **directed)
row("sparse.csgraph.shortest_path", graph, method=one("auto", "FW", "D", "BF", "J"), directed=side)
row(
    "sparse.csgraph.breadth_first_order depth_first_order",
    weights,
    integer(0, 1),
    directed=side,
    return_predecessors=side,
    _hostile=False,
)
row("sparse.csgraph.breadth_first_tree depth_first_tree", weights, integer(0, 1), directed=side, _hostile=False)


def numbered(result):
    """Components by the order of their first nodes: their numbers are those of a search."""
    if not isinstance(result, tuple):
        return result
    count, labels = result
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return count, np.argsort(np.argsort(first))[place].astype(labels.dtype)


row(
    "sparse.csgraph.connected_components",
    graph,
    directed=side,
    connection=one("weak", "strong"),
    return_labels=side,
    _form=numbered,
)
row(
    "sparse.csgraph.csgraph_from_dense csgraph_masked_from_dense",
    array("n n", whole, "dlf"),
    null_value=one(0, np.inf),
    nan_null=side,
    infinity_null=side,
)
row("sparse.csgraph.csgraph_to_dense", sparse("n n", "dl", ("csr", "csc", "lil"), values=positive), one(0, np.inf))
row("sparse.csgraph.csgraph_to_masked", weights)
alone("sparse.csgraph.csgraph_from_masked", "takes NumPy's masked arrays")
row(
    "sparse.csgraph.laplacian",
    graph,
    normed=side,
    return_diag=side,
    use_out_degree=side,
    symmetrized=side,
    dtype=one(None, "float32"),
)
row(
    "sparse.csgraph.maximum_bipartite_matching",
    sparse("n m", "dl", ("csr",)),
    perm_type=one("row", "column"),
    _form=lambda r: np.sort(r) >= 0,
)
row(
    "sparse.csgraph.maximum_flow",
    sparse("n+2 n+2", "i", ("csr",), values=counts),
    0,
    one(1, -1),
    method=one("dinic", "edmonds_karp"),
    _fields=("flow_value",),
)
row(
    "sparse.csgraph.min_weight_full_bipartite_matching",
    sparse("n n", "dl", ("csr",), 1.0, values=positive),
    maximize=side,
    _bound=1e-9,
)
row("sparse.csgraph.minimum_spanning_tree", weights)
row("sparse.csgraph.reverse_cuthill_mckee", sparse("n n", "dl", ("csr", "csc")), symmetric_mode=side)
row("sparse.csgraph.structural_rank", sparse("n m", "dl", ("csr", "csc")))
row("sparse.csgraph.yen", sparse("n+2 n+2", "d", ("csr",), 0.6, values=positive), 0, 1, integer(1, 4), directed=side)
tree = computed(lambda d: np.array([[-9999, 0, 0], [1, -9999, 1], [2, 0, -9999]], np.int32))
row("sparse.csgraph.construct_dist_matrix", array("3 3", positive, "d"), tree, directed=side)
predecessors = np.array([-9999, 0, 0], np.int32)
row("sparse.csgraph.reconstruct_path", array("3 3", positive, "d"), predecessors, directed=side, _hostile=False)
alone("sparse.csgraph.NegativeCycleError", "an exception")
