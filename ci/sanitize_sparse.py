"""Runs every sparse kernel on small hostile inputs, and holds the results to SciPy's.

For tools that watch a device's memory, under which the test suite takes hours:

    CUPROXIDE_BACKEND=cuda CUPROXIDE_SPARSE=own compute-sanitizer --tool memcheck python ci/sanitize_sparse.py
    CUPROXIDE_BACKEND=cuda CUPROXIDE_SPARSE=own compute-sanitizer --tool racecheck python ci/sanitize_sparse.py

Limits that choose between kernels are lowered, so that small matrices go every way. With `--ways gpu` a CPU takes the
kernels that a GPU takes. At the end it names the kernels that did not run: those of the other kind of device.
`--parts operations --share 2/8` makes one of eight that run beside each other.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import cuproxide as cp
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
from cuproxide._lib import routes

sparse = cp.scipy.sparse
linalg, csgraph = sparse.linalg, sparse.csgraph

DTYPES = "?bBhHiIqQfdFD"
LOWERED = {
    "routes": {"SKEWED": 64, "PIECE": 16, "RANKED": 24, "SHORT": 12, "SHARED": 64, "FEW_SOURCES": 4, "LOOKED_AT": 8},
    "_structure": {"_BUCKETS": 8, "HOLLOW": 8},
}
"""Limits that choose between kernels."""


def modules() -> list[Any]:
    """All modules of the sparse packages."""
    found = pkgutil.walk_packages(sparse.__path__, sparse.__name__ + ".")
    return [importlib.import_module(module.name) for module in found]


class Counted:
    """A kernel that says that it ran."""

    def __init__(self, kernel: Any, name: str, ran: set[str]) -> None:
        self._kernel, self._name, self._ran = kernel, name, ran

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._ran.add(self._name)
        return self._kernel(*args, **kwargs)


def prepared(ways: str) -> tuple[set[str], set[str], Callable[[], None]]:
    """The names of all kernels, those that ran so far, and what puts everything back."""
    everything: set[str] = set()
    ran: set[str] = set()
    kernel = type(sparse._structure._count)
    before: list[tuple[Any, str, Any]] = []
    # Modules that import a kernel run the same one.
    labels: dict[int, str] = {}

    def put(module: Any, name: str, value: Any) -> None:
        before.append((module, name, getattr(module, name)))
        setattr(module, name, value)

    for module in (*modules(), routes):
        short = module.__name__.rpartition(".")[2]
        for name, value in list(vars(module).items()):
            if isinstance(value, kernel):
                label = labels.setdefault(id(value), f"{short}.{name}")
                everything.add(label)
                put(module, name, Counted(value, label, ran))
        for name, value in LOWERED.get(short, {}).items():
            put(module, name, value)
    if ways == "gpu":
        table = routes.ROUTES.items()
        put(routes, "ROUTES", {work: route._replace(host=route.beside) for work, route in table})

    def back() -> None:
        for module, name, value in reversed(before):
            setattr(module, name, value)

    return everything, ran, back


# ------------------------------------------------------------------------------------------------------------- matrices


def elements(random: np.random.Generator, count: int, dtype: str) -> np.ndarray:
    """Small whole numbers, zeros among them: sums are exact, so that their order does not matter."""
    values = random.integers(0 if dtype in "?BHIQ" else -3, 4, count)
    return (values * (1 + 1j) if dtype in "FD" else values).astype(dtype)


def compressed(lengths: Any, columns: int, dtype: str, index: str, seed: int) -> scipy.sparse.csr_array:
    """Rows of these lengths, with columns in no order, which repeat."""
    random = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = random.integers(0, max(columns, 1), int(indptr[-1]))
    found = scipy.sparse.csr_array((len(lengths), columns), dtype=dtype)
    found.data, found.indices = elements(random, int(indptr[-1]), dtype), indices.astype(index)
    found.indptr = indptr
    return found


def matrices(dtype: str, index: str, seed: int) -> Iterator[tuple[str, scipy.sparse.csr_array]]:
    """Hostile matrices by name."""
    random = np.random.default_rng(seed)
    yield "empty rows", compressed(random.integers(0, 3, 37) * (np.arange(37) % 3 == 0), 29, dtype, index, seed)
    yield "one row", compressed([17], 40, dtype, index, seed)
    yield "one column", compressed(random.integers(0, 2, 41), 1, dtype, index, seed)
    long = random.integers(0, 3, 33)
    long[20] = 300
    yield "a long row", compressed(long, 90, dtype, index, seed)
    yield "short rows", compressed(random.integers(0, 8, 64), 33, dtype, index, seed)
    yield "full rows", compressed([18] * 12, 20, dtype, index, seed)
    yield "a hollow axis", compressed([0, 1, 0, 0, 2, 0], 400, dtype, index, seed)
    yield "nothing stored", compressed([0] * 5, 4, dtype, index, seed)
    yield "no rows", compressed([], 4, dtype, index, seed)
    yield "no columns", compressed([0] * 3, 0, dtype, index, seed)


def on_device(host: scipy.sparse.csr_array, kind: str = "csr") -> Any:
    """A matrix of SciPy's with its own parts, as they are."""
    made = getattr(sparse, f"{kind}_array")
    parts = (cp.asarray(host.data), cp.asarray(host.indices), cp.asarray(host.indptr))
    return made(parts, shape=host.shape if kind == "csr" else host.shape[::-1])


def same(found: Any, wanted: Any, what: Any) -> None:
    """Fails unless two results are the same."""
    if isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            same(one, other, what)
        return
    found = found.toarray() if sparse.issparse(found) else found
    found = found.get() if isinstance(found, cp.ndarray) else np.asarray(found)
    wanted = np.asarray(wanted.toarray() if scipy.sparse.issparse(wanted) else wanted)
    tolerance = 1e-4 if wanted.dtype.char in "fF" else 1e-9
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=str(what))


# ----------------------------------------------------------------------------------------------------------- operations

Call = Callable[[Any, Any], Any]


def canonical(x: Any) -> Any:
    x = x.copy()
    x.sum_duplicates()
    return x


def by_index(xp: Any, numbers: Any) -> Any:
    return xp.asarray(np.asarray(numbers))


def set_elements(x: Any, xp: Any) -> Any:
    x = x.copy()
    if min(x.shape):
        x[by_index(xp, [0, -1]), by_index(xp, [-1, 0])] = by_index(xp, [2, 3]).astype(x.dtype)
    return x


UNARY: dict[str, Call] = {
    "vector": lambda x, xp: x @ xp.asarray(np.arange(x.shape[1]).astype(x.dtype)),
    "columns": lambda x, xp: x @ xp.asarray(np.arange(x.shape[1] * 7).reshape(-1, 7).astype(x.dtype)),
    "vector from left": lambda x, xp: xp.asarray(np.arange(x.shape[0]).astype(x.dtype)) @ x,
    "columns from left": lambda x, xp: x.T @ xp.asarray(np.arange(x.shape[0] * 3).reshape(-1, 3).astype(x.dtype)),
    "other way": lambda x, xp: x.tocsc(),
    "coordinates": lambda x, xp: x.tocoo().tocsr(),
    "sorted coordinates": lambda x, xp: x.sorted_indices().tocoo().tocsr(),
    "sorted": lambda x, xp: canonical(x),
    "dense": lambda x, xp: x.toarray(),
    "blocks": lambda x, xp: x.tobsr() if min(x.shape) else x,
    "block product": lambda x, xp: (
        x[: x.shape[0] // 2 * 2, : x.shape[1] // 2 * 2].tobsr((2, 2))
        @ xp.asarray(np.arange(x.shape[1] // 2 * 2 * 3).reshape(-1, 3).astype(x.dtype))
        if min(x.shape) > 1
        else x
    ),
    "rows of blocks": lambda x, xp: x.tobsr().tocsr() if min(x.shape) else x,
    "diagonals": lambda x, xp: x.todia(),
    "diagonals by vector": lambda x, xp: x.todia() @ xp.asarray(np.arange(x.shape[1]).astype(x.dtype)),
    "diagonals by columns": lambda x, xp: x.todia() @ xp.asarray(np.arange(x.shape[1] * 2).reshape(-1, 2).astype("d")),
    "diagonals turned": lambda x, xp: x.todia().T.tocsr(),
    "sum of columns": lambda x, xp: x.sum(axis=0),
    "sum of rows": lambda x, xp: x.sum(axis=1),
    "greatest": lambda x, xp: x.max(axis=1) if min(x.shape) else x,
    "least": lambda x, xp: x.min(axis=0) if min(x.shape) else x,
    "where": lambda x, xp: canonical(x).argmax(axis=1) if min(x.shape) else x,
    "backwards": lambda x, xp: x[::-1, ::-1],
    "by rows": lambda x, xp: x[by_index(xp, np.arange(x.shape[0]).repeat(2))],
    "by columns": lambda x, xp: x[:, by_index(xp, [-1, 0, x.shape[1] // 2, 0])] if x.shape[1] else x,
    "by mask": lambda x, xp: x[by_index(xp, np.arange(x.shape[0]) % 2 == 0)],
    "single elements": lambda x, xp: x[by_index(xp, [0, -1]), by_index(xp, [-1, 0])] if min(x.shape) else x,
    "assigned": set_elements,
    "reshaped": lambda x, xp: x.reshape(x.shape[1], x.shape[0]),
    "diagonal": lambda x, xp: x.diagonal(),
}
REAL = {"greatest", "least", "where"}

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x.maximum(y) if x.dtype.kind == "b" else x - y,
    "product": lambda x, y: x.multiply(y),
    "less": lambda x, y: x != y,
    "matrix product": lambda x, y: x @ y.T,
    "other matrix product": lambda x, y: x.T @ y,
    "canonical product": lambda x, y: canonical(x) @ canonical(y.T.tocsr()),
}


def cases(dtypes: str) -> Iterator[tuple[str, str, str, str, int]]:
    """Types of elements and indices, matrices and formats to be tried, and seeds."""
    for number, dtype in enumerate(dtypes):
        for index in ("i4", "i8"):
            # All of them for some types; the others differ in arithmetic only.
            whole = dtype in "dFB" or (dtype == "?" and index == "i4")
            for name, _ in matrices(dtype, index, number):
                if whole or name in ("a long row", "short rows"):
                    for kind in ("csr", "csc") if whole else ("csr",):
                        yield dtype, index, name, kind, number


def run_operations(dtypes: str, share: tuple[int, int]) -> int:
    """Products, arithmetic, conversions, selections; returns how many."""
    count = 0
    for dtype, index, name, kind, seed in list(cases(dtypes))[share[0] - 1 :: share[1]]:
        host, other = (dict(matrices(dtype, index, number))[name] for number in (seed, seed + 50))
        x, their_x = on_device(host, kind), host if kind == "csr" else host.T
        y, their_y = on_device(other, kind), other if kind == "csr" else other.T
        for call, function in UNARY.items():
            if not (call in REAL and dtype in "FD"):
                same(function(x, cp), function(their_x.copy(), np), (call, name, dtype, index, kind))
                count += 1
        for call, binary in BINARY.items():
            same(binary(x, y), binary(their_x.copy(), their_y.copy()), (call, name, dtype, index, kind))
            count += 1
    return count


def run_products_by_tables() -> int:
    """Products of two matrices by hash tables, which are for results above limits."""
    count, before = 0, routes.EXPANDED
    routes.EXPANDED = 0
    try:
        for dtype in "?ldF":
            for name, host in matrices(dtype, "i4", 3):
                x = on_device(host)
                same(x @ x.T, host @ host.T, ("product by tables", name, dtype))
                count += 1
    finally:
        routes.EXPANDED = before
    return count


def run_more_operations() -> int:
    """What takes other operands: sampled products, sums of diagonals, checks of indices."""
    random = np.random.default_rng(4)
    host = canonical(compressed(random.integers(0, 9, 30), 25, "d", "i4", 4))
    left, right = random.integers(-3, 4, (30, 6)).astype("d"), random.integers(-3, 4, (6, 25)).astype("d")
    places = scipy.sparse.csr_array((np.ones_like(host.data), host.indices, host.indptr), shape=host.shape)
    found = sparse.sampled_addmm(on_device(host), cp.asarray(left), cp.asarray(right))
    same(found, host + places.multiply(left @ right), "sampled product")
    band = scipy.sparse.diags_array([np.arange(1.0, 25), np.ones(25), np.ones(22)], offsets=[-1, 0, 3])
    ours = sparse.dia_array(band)
    same(ours @ ours, (band @ band).toarray(), "product of diagonals")
    same(ours + ours.T, (band + band.T).toarray(), "sum of diagonals")
    for wrong in ([0, 25], [-1, 3]):
        try:
            sparse.coo_array((cp.ones(2), (cp.asarray([0, 1]), cp.asarray(wrong))), shape=(30, 25))
        except ValueError:
            continue
        raise AssertionError(f"indices {wrong} were taken")
    return 5


# -------------------------------------------------------------------------------------------------------------- solvers


def grid(side: int, dtype: str) -> scipy.sparse.csr_array:
    """A diagonally dominant matrix of a grid, positive definite."""
    line = scipy.sparse.diags_array([-np.ones(side - 1), 2.2 * np.ones(side), -np.ones(side - 1)], offsets=[-1, 0, 1])
    eye = scipy.sparse.eye_array(side)
    return scipy.sparse.csr_array(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).astype(dtype)


def run_solvers() -> int:
    """Iterative solvers with preconditioners, eigenvalues, triangular systems."""
    count = 0
    for dtype in "dF":
        host = grid(9, dtype)
        a, b = sparse.csr_array(host), cp.ones(81, dtype)
        tight = 1e-9 if dtype == "d" else 1e-4
        for name in ("cg", "gmres", "bicgstab", "minres", "lgmres", "lsqr", "lsmr"):
            options = {"atol": tight, "btol": tight} if name.startswith("ls") else {"rtol": tight}
            x = getattr(linalg, name)(a, b, **options)[0]
            assert np.abs(host @ x.get() - 1).max() < 1e-2, name
            count += 1
        for M in (linalg.ilu0(a), linalg.ic0(a), linalg.ilu0(a, sweeps=3), linalg.jacobi(a), linalg.spilu(a.tocsc())):
            operator = M if hasattr(M, "matvec") else linalg.LinearOperator((81, 81), matvec=M.solve)
            x = linalg.gmres(a, b, M=operator, rtol=tight)[0]
            assert np.abs(host @ x.get() - 1).max() < 1e-2
            count += 1
        for lower in (True, False):
            part = scipy.sparse.csr_array(scipy.sparse.tril(host) if lower else scipy.sparse.triu(host))
            for right in (np.ones(81, dtype), np.ones((81, 3), dtype)):
                x = linalg.spsolve_triangular(sparse.csr_array(part), cp.asarray(right), lower=lower)
                assert np.abs(part @ x.get() - right).max() < 1e-4
                count += 1
            rows = on_device(part)
            triangle = linalg._triangular.Triangle(rows.indptr, rows.indices, rows.data, lower=lower, unit=False)
            x = triangle.solve(cp.ones((81, 2), dtype), by_levels=True)
            assert np.abs(part @ x.get() - 1).max() < 1e-4
        values = np.sort(linalg.eigsh(a, k=3, return_eigenvectors=False).get())
        same(values, np.sort(np.linalg.eigvalsh(host.toarray()))[-3:].astype(values.dtype), "eigenvalues")
        # Balancing multiplies by powers of two only.
        powers = linalg._balance.balance(a).get()
        factor = np.exp2(powers).astype(b.dtype.type(0).real.dtype)
        wanted = host.toarray() * factor / factor[:, None]
        same(linalg._balance.similar(a, cp.asarray(powers)).toarray(), wanted, "a similar matrix")
        x = linalg.spsolve(a, b).get()
        assert np.abs(host @ x - 1).max() < 1e-3
        count += 2
    return count


# --------------------------------------------------------------------------------------------------------------- graphs


def graphs() -> Iterator[tuple[str, scipy.sparse.csr_array]]:
    """Weighted graphs by name."""
    random = np.random.default_rng(6)
    dense = np.where(random.random((23, 23)) < 0.12, random.integers(1, 9, (23, 23)), 0).astype("d")
    np.fill_diagonal(dense, 0)
    yield "directed", scipy.sparse.csr_array(dense)
    yield "no edges", scipy.sparse.csr_array((6, 6))
    yield "one node", scipy.sparse.csr_array((1, 1))
    dense[7:15, :] = dense[:, 7:15] = 0
    yield "parts", scipy.sparse.csr_array(dense)
    star = np.zeros((40, 40))
    star[0, 1:] = star[1:, 0] = np.arange(1, 40)
    yield "star", scipy.sparse.csr_array(star)


def run_graphs() -> int:
    """Algorithms on graphs."""
    count = 0
    theirs = scipy.sparse.csgraph
    for name, host in graphs():
        graph = sparse.csr_array(host)
        for call in (
            lambda module, a: module.connected_components(a, connection="weak")[0],
            lambda module, a: module.connected_components(a, connection="strong")[0],
            lambda module, a: module.shortest_path(a, method="D"),
            lambda module, a: module.shortest_path(a, method="FW"),
            lambda module, a: module.shortest_path(a, method="BF"),
            lambda module, a: module.shortest_path(a, method="J", return_predecessors=True)[0],
            lambda module, a: module.dijkstra(a, unweighted=True),
            lambda module, a: module.dijkstra(a, indices=[0], min_only=True),
            lambda module, a: module.breadth_first_order(a, 0)[0],
            lambda module, a: module.depth_first_order(a, 0)[0],
            lambda module, a: module.breadth_first_tree(a, 0),
            lambda module, a: module.minimum_spanning_tree(a + a.T).sum(),
            lambda module, a: module.laplacian(a),
            lambda module, a: module.construct_dist_matrix(
                a, module.shortest_path(a, method="D", return_predecessors=True)[1]
            ),
            lambda module, a: (
                module.maximum_flow((a * 2).astype("i4"), 0, a.shape[0] - 1).flow_value if a.shape[0] > 1 else 0
            ),
            lambda module, a: (module.maximum_bipartite_matching(a) >= 0).sum(),
            lambda module, a: np.sort(cp.asnumpy(module.reverse_cuthill_mckee(a + a.T, symmetric_mode=True))),
            lambda module, a: module.yen(a, 0, a.shape[0] - 1, 3) if a.shape[0] > 1 else 0,
        ):
            same(call(csgraph, graph), call(theirs, host), (name, call.__code__.co_firstlineno))
            count += 1
    random = np.random.default_rng(8)
    costs = scipy.sparse.csr_array(random.integers(1, 20, (9, 9)).astype("d"))
    rows, columns = csgraph.min_weight_full_bipartite_matching(sparse.csr_array(costs))
    best = theirs.min_weight_full_bipartite_matching(costs)
    same(costs.toarray()[rows.get(), columns.get()].sum(), costs.toarray()[best].sum(), "assignment")
    return count + 1


PARTS: dict[str, Callable[[str, tuple[int, int]], int]] = {
    "operations": run_operations,
    "tables": lambda dtypes, share: run_products_by_tables(),
    "others": lambda dtypes, share: run_more_operations(),
    "solvers": lambda dtypes, share: run_solvers(),
    "graphs": lambda dtypes, share: run_graphs(),
}


def run(
    ways: str, dtypes: str = DTYPES, parts: Iterable[str] = tuple(PARTS), share: tuple[int, int] = (1, 1)
) -> tuple[int, set[str], set[str]]:
    """Those parts: how many calls, which kernels ran, and which did not."""
    everything, ran, back = prepared(ways)
    count = 0
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for part in parts:
                start, found = time.perf_counter(), PARTS[part](dtypes, share)
                cp.cuda.Device().synchronize()
                print(f"{part}: {found} calls, {time.perf_counter() - start:.0f} s", flush=True)
                count += found
    finally:
        back()
    return count, ran, everything - ran


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ways", choices=("own", "gpu"), default="own", help="whose kernels are taken")
    parser.add_argument("--dtypes", default=DTYPES, help="the types of elements, as NumPy's letters")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is run")
    parser.add_argument("--share", default="1/1", metavar="K/N", help="every N-th case of operations, from the K-th")
    arguments = parser.parse_args()
    first, step = map(int, arguments.share.split("/"))
    count, ran, others = run(arguments.ways, arguments.dtypes, arguments.parts, (first, step))
    print(f"{count} calls agree with SciPy, {len(ran)} kernels ran; not: {', '.join(sorted(others))}")


if __name__ == "__main__":
    main()
