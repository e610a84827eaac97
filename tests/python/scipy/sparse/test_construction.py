"""Constructors, functions that make sparse arrays, files, SciPy's arrays in and out, and printing."""

import copy
import io
import pickle

import cuproxide as cp
import numpy as np
import pytest
import sparse_cases as cases
from helpers import LAYOUTS, in_layout, to_device

sparse, scipy_sparse = cases.sparse, cases.scipy_sparse
CLASSES = [f"{format}_{kind}" for format in cases.FORMATS for kind in cases.KINDS]
DATA, ROWS, COLUMNS = [1, 2, 3], [0, 1, 1], [2, 0, 0]
PARTS = ([1, 2, 3], [0, 2, 1], [0, 2, 3])


def arrays(xp, *parts):
    return tuple(xp.asarray(np.array(part)) for part in parts)


def coordinates(rows=ROWS, columns=COLUMNS, data=DATA, **rest):
    return lambda xp, sp, make: make((*arrays(xp, data), arrays(xp, rows, columns)), **rest)


def parts(data=PARTS[0], indices=PARTS[1], indptr=PARTS[2], **rest):
    return lambda xp, sp, make: make(arrays(xp, data, indices, indptr), **rest)


ANY = {
    "shape": lambda xp, sp, make: make((3, 4)),
    "shape and type": lambda xp, sp, make: make((3, 4), dtype=np.int8),
    "no rows": lambda xp, sp, make: make((0, 4)),
    "negative shape": lambda xp, sp, make: make((-1, 4)),
    "list": lambda xp, sp, make: make([[1, 0], [2, 3]]),
    "list and type": lambda xp, sp, make: make([[1, 0], [2, 3]], dtype=np.float32),
    "text": lambda xp, sp, make: make("abc"),
    "type S3": lambda xp, sp, make: make((2, 2), dtype="S3"),
    "type object": lambda xp, sp, make: make((2, 2), dtype=object),
    "of csr": lambda xp, sp, make: make(sp.csr_array([[1, 0], [0, 2]])),
    "of repeated coo": lambda xp, sp, make: make(sp.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(2, 2))),
    "of csr and type": lambda xp, sp, make: make(sp.csr_array([[1, 0], [0, 2]]), dtype=complex),
    "of matrix": lambda xp, sp, make: make(sp.coo_matrix([[1, 0], [0, 2]])),
    "of unsorted": lambda xp, sp, make: make(
        sp.csr_array(arrays(xp, [1, 2, 3, 4], [2, 0, 1, 1], [0, 2, 4]), shape=(2, 3))
    ),
    "nothing": lambda xp, sp, make: make([[]]),
    "nan": lambda xp, sp, make: make(xp.asarray(np.array([[np.nan, 0], [-0.0, np.inf]]))),
    "strided": lambda xp, sp, make: make(xp.arange(24.0).reshape(4, 6)[::-1, ::2]),
    "printed": lambda xp, sp, make: repr(make([[1, 0], [2, 3.0]])),
    "printed whole": lambda xp, sp, make: str(make([[1, 0], [2, 3.0]])),
    "printed long": lambda xp, sp, make: str(make(np.arange(1, 122).reshape(11, 11))),
    "printed short": lambda xp, sp, make: str(make(np.arange(1, 122).reshape(11, 11), maxprint=5)),
}
COORDINATES = {
    "repeated": coordinates(shape=(2, 3)),
    "inferred": coordinates(),
    "negative": coordinates(rows=[0, -1, 1], shape=(2, 3)),
    "too large": coordinates(rows=[0, 1, 5], shape=(2, 3)),
    "lengths": coordinates(data=[1, 2], shape=(2, 3)),
    "empty": coordinates([], [], []),
    **{f"no shape, {dtype}": coordinates(np.array(ROWS, dtype)) for dtype in ("f2", "f4", "f8", "?", "c8", "c16")},
    "no shape, columns of floats": coordinates(columns=np.array(COLUMNS, "f4")),
    "no shape, lists of floats": lambda xp, sp, make: make((DATA, ([0.0, 1.0, 1.0], COLUMNS))),
    "no shape, lists of bools": lambda xp, sp, make: make((DATA, (ROWS, [True, False, True]))),
    "lists of complex numbers": lambda xp, sp, make: make((DATA, (ROWS, [2j, 0, 1])), shape=(2, 3)),
    "no shape, lists of complex numbers": lambda xp, sp, make: make((DATA, (ROWS, [2j, 0, 1]))),
    "bools": coordinates(np.array([0, 1, 1], bool), np.array([0, 1, 0], bool), shape=(2, 2)),
    "lists": lambda xp, sp, make: make(([1, 2, 3], ([0, 1, 1], [2, 0, 1])), shape=(2, 3)),
    "types": lambda xp, sp, make: make(
        (xp.asarray(DATA), (xp.asarray(ROWS, dtype="int8"), xp.asarray(COLUMNS, dtype="uint64"))),
        shape=(2, 3),
        dtype="f4",
    ),
}
COMPRESSED = {
    "parts": parts(),
    "shape": parts(shape=(2, 3)),
    "wide": lambda xp, sp, make: make(
        (xp.asarray([1, 2, 3.0]), xp.asarray([0, 2, 1], dtype="int64"), xp.asarray([0, 2, 3], dtype="int64"))
    ),
    "bools": parts(indices=np.array([0, 1, 1], bool), indptr=np.array([False, True]), data=[1], shape=(1, 2)),
    "lists of complex indices": lambda xp, sp, make: make((PARTS[0], [0, 2j, 1], PARTS[2]), shape=(2, 3)),
    "lists of complex offsets": lambda xp, sp, make: make((*PARTS[:2], [0, 2, 3j])),
    "offsets too few": parts(shape=(4, 4)),
    "first offset": parts(indptr=[1, 2, 3]),
    "last offset": parts(indptr=[0, 2, 9]),
    "elements behind": parts(indices=[0, 1, 9], indptr=[0, 1, 2], shape=(2, 2)),
    "lengths": parts(data=[1, 2]),
    "two axes": parts(data=[[1, 2, 3]]),
    "four parts": lambda xp, sp, make: make((1, 2, 3, 4)),
    "repeated": parts([1, 2, 3, 4], [1, 1, 1, 0], [0, 3, 4], shape=(2, 2)),
    "unsorted": parts([1, 2, 3, 4], [2, 0, 1, 1], [0, 2, 4]),
}
DIAGONALS = {
    "diagonals": lambda xp, sp, make: make(arrays(xp, [[1, 2, 3], [4, 5, 6.0]], [0, -1]), shape=(3, 3)),
    "wide": lambda xp, sp, make: make(arrays(xp, [[1, 2, 3, 9, 9], [4, 5, 6.0, 8, 8]], [0, 2]), shape=(3, 4)),
    "no shape": lambda xp, sp, make: make(arrays(xp, [[1, 2, 3], [4, 5, 6.0]], [0, -1])),
    "repeated": lambda xp, sp, make: make(arrays(xp, [[1, 2, 3], [4, 5, 6.0]], [0, 0]), shape=(3, 3)),
    "offsets": lambda xp, sp, make: make(arrays(xp, [[1, 2, 3], [4, 5, 6.0]], [0, 1, 2]), shape=(3, 3)),
}
BLOCKS = {
    "blocks": parts(np.arange(12).reshape(3, 2, 2), shape=(4, 6)),
    "size": lambda xp, sp, make: make(np.kron(np.eye(3), np.ones((2, 3))), blocksize=(2, 3)),
    "wrong size": lambda xp, sp, make: make(np.ones((4, 4)), blocksize=(3, 3)),
    "mismatch": lambda xp, sp, make: make(
        arrays(xp, np.arange(12).reshape(3, 2, 2), PARTS[1], PARTS[2]), blocksize=(2, 3)
    ),
    **{
        f"fitting {size}": lambda xp, sp, make, size=size: make(np.kron(np.eye(12 // size), np.ones((size, size)))).data
        for size in (1, 2, 3, 4, 6)
    },
}


def compare(call, *rest, **options):
    wanted = cases.outcome(call, np, scipy_sparse, *(getattr(scipy_sparse, name) for name in rest))
    got = cases.outcome(call, cp, sparse, *(getattr(sparse, name) for name in rest))
    if isinstance(wanted, str):
        assert got == wanted
    else:
        cases.agree(got, wanted, **options)


@pytest.mark.parametrize("name", ANY)
@pytest.mark.parametrize("made", CLASSES)
def test_any_class(made, name):
    compare(ANY[name], made)


@pytest.mark.parametrize("made", [name for name in CLASSES if name[:3] in ("csr", "csc", "coo", "bsr")])
def test_coordinates(made):
    for call in COORDINATES.values():
        compare(call, made)


@pytest.mark.parametrize("made", [name for name in CLASSES if name[:3] in ("csr", "csc")])
def test_compressed(made):
    for call in COMPRESSED.values():
        compare(call, made)


@pytest.mark.parametrize("kind", cases.KINDS)
def test_diagonals_and_blocks(kind):
    for call in DIAGONALS.values():
        compare(call, f"dia_{kind}")
    for call in BLOCKS.values():
        compare(call, f"bsr_{kind}")


@pytest.mark.parametrize(
    ("indices", "indptr", "message"),
    [
        ([0, 2, 3], [0, 2, 3], "indices must be < 3"),
        ([0, -2, 1], [0, 2, 3], "indices must be >= 0"),
        ([0, 2, 1], [0, 4, 3], "non-decreasing"),
        ([0, 2, 1], [0, 1, -1], "non-decreasing"),
    ],
)
@pytest.mark.parametrize("made", ["csr_array", "csc_matrix"])
def test_wrong_indices_are_found_at_construction(made, indices, indptr, message):
    # SciPy finds these when check_format is called, or not at all.
    shape = (2, 3) if made[:3] == "csr" else (3, 2)
    given = (cp.ones(3), cp.asarray(indices), cp.asarray(indptr))
    with pytest.raises(ValueError, match=message):
        getattr(sparse, made)(given, shape=shape)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bool", "complex64", "complex128"])
@pytest.mark.parametrize("made", [name for name in CLASSES if name[:3] in ("coo", "csr", "csc", "bsr")])
def test_shapes_are_inferred_from_integers_only(made, dtype):
    for call in coordinates(np.array(ROWS, dtype)), coordinates(columns=np.array(COLUMNS, dtype)):
        texts = []
        for xp, space in ((cp, sparse), (np, scipy_sparse)):
            with pytest.raises(TypeError, match="object cannot be interpreted as an integer") as caught:
                call(xp, space, getattr(space, made))
            texts.append(str(caught.value))
        # NumPy 1 calls the type `bool_`.
        assert texts[0] == texts[1].replace("bool_", "bool")


def test_types_that_are_not_held():
    with pytest.raises(ValueError, match="sparse arrays hold"):
        sparse.csr_array((2, 2), dtype="datetime64[s]")
    assert sparse.csr_array((2, 2), dtype=np.float16).dtype == np.float16


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "scalar"])
def test_layouts(layout):
    values = in_layout(cases.dense("float64", (6, 8), 5), layout)
    for format in cases.FORMATS:
        made = getattr(sparse, f"{format}_array")(to_device(values))
        np.testing.assert_array_equal(made.toarray().get(), values)
        wanted = getattr(scipy_sparse, f"{format}_array")(values)
        assert made.nnz == wanted.nnz


def cast_place(sp, column):
    return sp.safely_cast_index_arrays(sp.coo_array(([1], ([0], [column])), shape=(2, 400)), np.int8)


def ones(size):
    return np.ones(size)


FUNCTIONS = {
    "eye": lambda xp, sp: sp.eye(3, 4, 1),
    "eye csr": lambda xp, sp: sp.eye_array(3, format="csr", dtype=int),
    "eye outside": lambda xp, sp: sp.eye_array(3, k=-5),
    "identity": lambda xp, sp: sp.identity(3),
    "diags": lambda xp, sp: sp.diags([[1.0, 2], [3.0, 4, 5]], [1, 0]),
    "diags of integers": lambda xp, sp: sp.diags([[1, 2, 3]], [0]),
    "diags repeated": lambda xp, sp: sp.diags_array([1.0, -2.0], offsets=[0, 1], shape=(4, 4)),
    "diags of one": lambda xp, sp: sp.diags_array([1.0, 2, 3]),
    "diags and shape": lambda xp, sp: sp.diags_array([[1.0, 2, 3]], offsets=[1], shape=(3, 5)),
    "diags and offsets": lambda xp, sp: sp.diags_array([[1.0, 2, 3]], offsets=[0, 1]),
    "diags too short": lambda xp, sp: sp.diags_array([[1.0, 2]], offsets=[0], shape=(4, 4)),
    "diags outside": lambda xp, sp: sp.diags_array([[1.0, 2]], offsets=[9], shape=(4, 4)),
    "diags of their type": lambda xp, sp: sp.diags_array([[1, 2]], offsets=[0], dtype=None),
    "diags of arrays": lambda xp, sp: sp.diags_array([xp.arange(4.0), xp.arange(3.0)], offsets=xp.asarray([0, -1])),
    "spdiags": lambda xp, sp: sp.spdiags(np.array([[1, 2, 3, 4]] * 3), np.array([0, -1, 2]), 4, 4),
    "spdiags pair": lambda xp, sp: sp.spdiags([[1, 2, 3.0]], [0], (3, 4)),
    "spdiags square": lambda xp, sp: sp.spdiags([[1, 2, 3.0]], [0]),
    "block_diag": lambda xp, sp: sp.block_diag([sp.csr_array([[1]]), np.ones((2, 2)), [[1, 2]]], format="csr"),
    "block_diag of none": lambda xp, sp: sp.block_diag([]),
    "blocks of zeros": lambda xp, sp: sp.bmat([[None, None]]),
    "kron of lists": lambda xp, sp: sp.kron([[1, 2]], [[3, 4]]),
    "kron sparse": lambda xp, sp: sp.kron(sp.eye_array(2), sp.coo_array([[0, 0, 1], [0, 0, 0]])),
    "kronsum wrong": lambda xp, sp: sp.kronsum(np.ones((2, 3)), np.ones((2, 2))),
    "find dense": lambda xp, sp: sp.find(np.array([[0, 1], [2, 0]])),
    "tril dense": lambda xp, sp: sp.tril(np.ones((3, 3))),
    "permute_dims repeated": lambda xp, sp: sp.permute_dims(sp.coo_array((2, 3)), (0, 0)),
    "permute_dims short": lambda xp, sp: sp.permute_dims(sp.coo_array((2, 3)), (0,)),
    "swapaxes wrong": lambda xp, sp: sp.swapaxes(sp.coo_array((2, 3)), 0, 5),
    "expand_dims wrong": lambda xp, sp: sp.expand_dims(sp.coo_array((2, 3)), axis=5),
    "too dense": lambda xp, sp: sp.random_array((2, 3), density=2),
    "drawn": lambda xp, sp: sp.random_array((20, 30), density=0.25, rng=1).nnz,
    "drawn three": lambda xp, sp: sp.random_array((3, 4, 5), density=0.5).shape,
    "drawn by sampler": lambda xp, sp: sp.random_array(
        (4, 4), density=0.5, data_sampler=lambda size: np.ones(size)
    ).sum(),
    "drawn by data_rvs": lambda xp, sp: sp.random(4, 4, 0.5, data_rvs=np.ones).sum(),
    "cast": lambda xp, sp: sp.safely_cast_index_arrays(sp.csr_array([[1, 2], [0, 3]]), np.int8),
    "cast too large": lambda xp, sp: sp.safely_cast_index_arrays(
        sp.coo_array(([1], ([0], [300])), shape=(2, 400)), "i1"
    ),
    "cast that fits": lambda xp, sp: sp.safely_cast_index_arrays(
        sp.coo_array(([1], ([0], [100])), shape=(2, 400)), "i1"
    ),
    "cast of dok": lambda xp, sp: sp.safely_cast_index_arrays(sp.dok_array((2, 2))),
    "cast of offsets": lambda xp, sp: sp.safely_cast_index_arrays(sp.dia_array(np.eye(3))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    compare(FUNCTIONS[name])


def test_index_types():
    calls = [
        lambda xp, sp: sp.get_index_dtype(maxval=2**31),
        lambda xp, sp: sp.get_index_dtype(xp.asarray([1, 2])),
        lambda xp, sp: sp.get_index_dtype((xp.asarray([1, 2]),), check_contents=True),
        lambda xp, sp: sp.get_index_dtype((xp.asarray([1, 2**40]),), check_contents=True),
        lambda xp, sp: sp.get_index_dtype(xp.asarray([1, 2], dtype=np.uint32)),
    ]
    for call in calls:
        assert call(cp, sparse) == call(np, scipy_sparse)
    wide = sparse.coo_array((cp.ones(2), (cp.asarray([0, 1]), cp.asarray([5, 2**40]))), shape=(2, 2**41))
    assert wide.col.dtype == np.int64
    assert wide.tocsr().indices.dtype == np.int64
    # Numbers above 2**31 in products of two lengths, in sorts and in products with vectors.
    long = sparse.csr_array((cp.ones(2), (cp.asarray([2**20, 3]), cp.asarray([2**33, 7]))), shape=(2**21, 2**34))
    np.testing.assert_array_equal(long.nonzero()[1].get(), [7, 2**33])
    wanted = np.zeros(2**21)
    wanted[[3, 2**20]] = 1
    np.testing.assert_array_equal(long.sum(axis=1).get(), wanted)
    assert int(long.tocoo().argmax()) == 3 * 2**34 + 7


def test_tests_for_classes():
    for format in cases.FORMATS:
        array, matrix = (getattr(sparse, f"{format}_{kind}")((2, 2)) for kind in cases.KINDS)
        test = getattr(sparse, f"isspmatrix_{format}")
        assert sparse.issparse(array)
        assert sparse.issparse(matrix)
        assert test(matrix)
        assert not test(array)
        assert sparse.isspmatrix(matrix)
        assert not sparse.isspmatrix(array)
        assert isinstance(array, sparse.sparray)
        assert not sparse.issparse(array.get())


@pytest.mark.parametrize("made", CLASSES)
def test_pickle_and_scipy_and_back(made):
    format, kind = made.split("_")
    ours, theirs = cases.pair(format, kind, cases.dense("complex64", (6, 8), 6))
    back = pickle.loads(pickle.dumps(ours))
    assert type(back) is type(ours)
    cases.agree(back, theirs)
    host = ours.get()
    assert type(host) is type(theirs)
    np.testing.assert_array_equal(host.toarray(), theirs.toarray())
    cases.agree(getattr(sparse, made)(theirs), theirs)
    # Of SciPy's arrays, operators make ours.
    if kind == "array":
        np.testing.assert_array_equal((ours + theirs).toarray().get(), 2 * theirs.toarray())


class Described:
    """What a program puts in front of a class: arguments of its own."""

    def __init__(self, label, values):
        super().__init__(values)
        self.label = label


SUBCLASSES = {}
for space in (sparse, scipy_sparse):
    for name in CLASSES:
        # Pickles name a class by its module.
        title = f"Described_{space.__name__.split('.')[0]}_{name}"
        globals()[title] = SUBCLASSES[space, name] = type(
            title, (Described, getattr(space, name)), {"__module__": __name__}
        )


@pytest.mark.parametrize("made", CLASSES)
def test_copies_keep_subclasses_and_attributes(made):
    copies = {
        "shallow": copy.copy,
        "deep": copy.deepcopy,
        **{
            f"pickle {n}": lambda x, n=n: pickle.loads(pickle.dumps(x, n))
            for n in range(2, pickle.HIGHEST_PROTOCOL + 1)
        },
    }
    values = cases.dense("float64", (4, 6), 6)
    for name, copied in copies.items():
        ours, theirs = (copied(SUBCLASSES[space, made](["a"], values)) for space in (sparse, scipy_sparse))
        assert type(ours) is SUBCLASSES[sparse, made], name
        assert ours.label == theirs.label == ["a"]
        cases.agree(ours, theirs)
    ours, theirs = (SUBCLASSES[space, made](["a"], values) for space in (sparse, scipy_sparse))
    for name in set(theirs.__dict__) & {"data", "indices", "rows", "_dict", "label"}:
        for same, copied in ((True, copy.copy), (False, copy.deepcopy)):
            assert (getattr(copied(ours), name) is getattr(ours, name)) is same
            assert (getattr(copied(theirs), name) is getattr(theirs, name)) is same


def test_copies_know_that_indices_have_changed():
    ours = sparse.csr_array((cp.ones(4), cp.asarray([0, 1, 0, 1]), cp.asarray([0, 2, 4])), shape=(2, 2))
    shared = copy.copy(ours)
    assert shared.has_sorted_indices
    ours.indices[...] = cp.asarray([1, 0, 1, 0])
    for found in (shared, copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert not found.has_sorted_indices
    ours.indices[...] = 2
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ValueError, match="indices must be < 2"):
            copied(ours)


class Restored(sparse.csr_array):
    """A class that unpickles itself."""

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.is_restored = True


def test_subclasses_may_have_a_state_of_their_own():
    ours = Restored(np.eye(3))
    for copied in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        found = copied(ours)
        assert type(found) is Restored and found.is_restored
        np.testing.assert_array_equal(found.toarray().get(), np.eye(3))


@pytest.mark.parametrize("format", ["dok", "lil"])
def test_results_are_of_the_package_where_constructors_differ(format):
    """As in SciPy, whose formats of dictionaries and lists do not call the class of the program."""
    results = {
        "copy": lambda x: x.copy(),
        "transpose": lambda x: x.T,
        "cast": lambda x: x.astype("f4"),
        "product": lambda x: x * 2,
        "rows": lambda x: x[1:],
    }
    ours, theirs = (SUBCLASSES[space, f"{format}_array"]("a", np.eye(3)) for space in (sparse, scipy_sparse))
    for name, call in results.items():
        found, wanted = call(ours), call(theirs)
        assert type(found).__name__ == type(wanted).__name__, name
        cases.agree(found, wanted)


def test_work_in_place_does_not_construct_anew():
    values = cases.dense("float64", (4, 4), 6)
    ours, theirs = (SUBCLASSES[space, "lil_array"]("a", values) for space in (sparse, scipy_sparse))
    for x in (ours, theirs):
        label = x.label = ["another"]
        x += x
        x -= x * 0.25
        x *= 3
        x /= 2
        x.setdiag(np.arange(4.0))
        x.resize(3, 5)
        assert x.label is label
    cases.agree(ours, theirs)


@pytest.mark.parametrize("kind", cases.KINDS)
def test_arithmetic_of_blocks_keeps_subclasses(kind):
    class Blocks(getattr(sparse, f"bsr_{kind}")):
        pass

    ours = Blocks(np.kron(np.eye(3), np.ones((2, 2))), blocksize=(2, 2))
    for found in (ours + ours, ours - ours, ours.multiply(ours), ours * 2, -ours, ours.T):
        assert type(found) is Blocks
    assert (ours + ours).blocksize == (2, 2)


@pytest.mark.parametrize("made", [name for name in CLASSES if name[:3] not in ("dok", "lil")])
def test_files(made):
    format, kind = made.split("_")
    ours, theirs = cases.pair(format, kind, cases.dense("float32", (6, 8), 7))
    for compressed in (True, False):
        file = io.BytesIO()
        sparse.save_npz(file, ours, compressed=compressed)
        file.seek(0)
        read = scipy_sparse.load_npz(file)
        assert type(read) is type(theirs)
        np.testing.assert_array_equal(read.toarray(), theirs.toarray())
        file = io.BytesIO()
        scipy_sparse.save_npz(file, theirs, compressed=compressed)
        file.seek(0)
        cases.agree(sparse.load_npz(file), theirs)


def test_wrong_files():
    file = io.BytesIO()
    np.savez(file, x=np.ones(2))
    file.seek(0)
    with pytest.raises(ValueError, match="does not contain a sparse array"):
        sparse.load_npz(file)
    with pytest.raises(NotImplementedError):
        sparse.save_npz(io.BytesIO(), sparse.dok_array((2, 2)))
    three = sparse.coo_array(cp.ones((2, 3, 4)))
    file = io.BytesIO()
    sparse.save_npz(file, three)
    file.seek(0)
    assert sparse.load_npz(file).shape == (2, 3, 4)


@pytest.mark.parametrize("density", [0, 0.01, 0.2, 0.3, 1])
def test_random_places_differ_and_fill_the_shape(density):
    drawn = sparse.random_array((100, 100), density=density, rng=3)
    assert drawn.nnz == round(density * 10000)
    drawn.sum_duplicates()
    assert drawn.nnz == round(density * 10000)
    if density >= 0.2:
        # Each quarter gets its part: a fixed seed, ten standard deviations.
        counts = [int((drawn.tocsr()[i : i + 50, j : j + 50]).nnz) for i in (0, 50) for j in (0, 50)]
        assert max(abs(count - density * 2500) for count in counts) < 10 * (2500 * density) ** 0.5
    again = sparse.random_array((100, 100), density=density, rng=3)
    assert (again != drawn).nnz == 0


@pytest.mark.parametrize("dtype", ["int8", "uint16", "bool", "complex64", "float32"])
def test_random_types(dtype):
    drawn = sparse.random_array((40, 50), density=0.3, rng=np.random.default_rng(1), dtype=dtype, format="csr")
    assert drawn.dtype == dtype
    assert drawn.format == "csr"
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        values = drawn.data.get().astype(float)
        assert values.max() > info.min + 0.9 * (info.max - info.min)
        assert values.min() < info.min + 0.1 * (info.max - info.min)


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_repeated_places_add_up_in_their_type(dtype):
    random = np.random.default_rng(4)
    # Short rows are sorted by insertion, long ones by keys; narrow integers wrap around.
    for shape, count in (((30, 40), 400), ((3, 50), 900), ((900,), 700)):
        data = (random.integers(0, 100, count)).astype(dtype)
        coords = tuple(random.integers(0, length, count) for length in shape)
        ours = sparse.coo_array((cp.asarray(data), tuple(map(cp.asarray, coords))), shape=shape)
        for format in ("coo", "csr", "csc", "dok") if len(shape) == 2 else ("coo", "csr", "dok"):
            # SciPy sorts and adds up in the arrays that it was given.
            theirs = scipy_sparse.coo_array((data.copy(), [index.copy() for index in coords]), shape=shape)
            cases.agree(ours.asformat(format), theirs.asformat(format))
        theirs = scipy_sparse.coo_array((data.copy(), coords), shape=shape)
        theirs.sum_duplicates()
        ours.sum_duplicates()
        assert ours.nnz == theirs.nnz
        cases.agree(ours, theirs)


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize(("rows", "columns"), [(3000, 70_000), (200_000, 3), (1, 300_000), (1500, 1100)])
def test_many_elements_change_their_order(rows, columns, index):
    """Enough for threads to share the work."""
    random = np.random.default_rng(5)
    row, column = (random.integers(0, bound, 150_000).astype(index) for bound in (rows, columns))
    row[:20_000] = 0
    data = random.integers(-9, 9, row.size)
    host = cases.scipy_sparse.coo_array((data, (row, column)), shape=(rows, columns))
    ours = cases.sparse.coo_array((cp.asarray(data), (cp.asarray(row), cp.asarray(column))), shape=(rows, columns))
    host, ours = host.tocsr(), ours.tocsr()
    for found, wanted in ((ours, host), (ours.tocsc(), host.tocsc())):
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part).get(), getattr(wanted, part))
