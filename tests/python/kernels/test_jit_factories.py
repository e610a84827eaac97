"""Device functions that are made while a kernel is compiled, and the members of cooperative groups."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit
from cuproxide.jit import _compile


def level(depth):
    """A device function that calls the one below, which it makes itself."""

    @jit.rawkernel(device=True)
    def add(x):
        if depth == 0:
            return x + 1
        return level(depth - 1)(x) + depth

    return add


def both(depth):
    """Makes the one below twice."""

    @jit.rawkernel(device=True)
    def add(x):
        return x + 1 if depth == 0 else both(depth - 1)(x) + both(depth - 1)(x) * 0

    return add


class Levels:
    """Makes device functions as attributes and as items."""

    def __init__(self, depth):
        self.depth = depth

    @property
    def function(self):
        return self[0]

    def __getitem__(self, _):
        below = Levels(self.depth - 1)

        @jit.rawkernel(device=True)
        def add(x):
            if below.depth < 0:
                return x + 1
            return below.function(x) + below[1](x) * 0

        return add


@pytest.fixture
def compiled(monkeypatch):
    """The functions that are compiled, and how often each is gone over."""
    functions, passes = [], []
    compile, block = _compile.Function.compile, _compile.Function._block

    def counted(self, name):
        functions.append(self)
        return compile(self, name)

    def counted_block(self, statements):
        if statements is self.source.tree.body:
            passes.append(self)
        return block(self, statements)

    monkeypatch.setattr(_compile.Function, "compile", counted)
    monkeypatch.setattr(_compile.Function, "_block", counted_block)
    return functions, passes


@pytest.mark.parametrize("depth", [1, 9, 30])
def test_functions_that_are_made_are_compiled_once(depth, compiled):
    @jit.rawkernel()
    def kernel(x):
        x[0] = level(depth)(x[0])

    x = cp.zeros(1, int)
    kernel[1, 1](x)
    functions, passes = compiled
    assert int(x[0]) == 1 + depth * (depth + 1) // 2
    assert len(functions) == depth + 2 and len(passes) <= 4 * (depth + 2)


def test_functions_that_are_made_twice_are_compiled_once(compiled):
    @jit.rawkernel()
    def kernel(x):
        x[0] = both(8)(x[0])

    x = cp.zeros(1, int)
    kernel[1, 1](x)
    assert int(x[0]) == 1 and len(compiled[0]) == 10


def test_functions_that_attributes_and_items_make_are_compiled_once(compiled):
    levels = Levels(4)

    @jit.rawkernel()
    def kernel(x):
        x[0] = levels.function(x[0])

    x = cp.zeros(1, int)
    kernel[1, 1](x)
    # Two of each level but the first: one by the attribute, one by the item; below both there are two again.
    assert int(x[0]) == 1 and len(compiled[0]) <= 1 + 2**5


def test_what_is_made_for_equal_arguments_of_other_types_differs():
    def maker(number):
        kind = type(number).__name__

        @jit.rawkernel(device=True)
        def function(x):
            return x + (1 if kind == "int" else 2 if kind == "float" else 3)

        return function

    @jit.rawkernel()
    def kernel(x):
        x[0] = maker(1)(x[0])
        x[1] = maker(1.0)(x[1])
        x[2] = maker(True)(x[2])

    x = cp.zeros(3, int)
    kernel[1, 1](x)
    assert x.tolist() == [1, 2, 3]


def test_members_of_a_block():
    @jit.rawkernel()
    def kernel(out):
        block = jit.cg.this_thread_block()
        at = block.thread_index()
        place = block.group_index()
        i = ((place.z * 2 + place.y) * 3 + place.x) * block.size() + block.thread_rank()
        out[i, 0] = at.x
        out[i, 1] = at.y
        out[i, 2] = block.thread_index().z
        out[i, 3] = block.group_index().x
        out[i, 4] = place.y
        out[i, 5] = place.z
        out[i, 6] = block.group_dim().x * 100 + block.group_dim().y * 10 + block.group_dim().z
        out[i, 7] = block.dim_threads().x * 100 + block.dim_threads().y * 10 + block.dim_threads().z
        out[i, 8] = block.num_threads()
        # As a tuple, too.
        x, y, z = block.thread_index()
        out[i, 9] = x + 10 * y + 100 * z
        out[i, 10] = block.group_dim()[1]
        block.sync()

    grid, block = (3, 2, 2), (4, 3, 2)
    out = cp.zeros((12 * 24, 11), int)
    kernel[grid, block](out)
    rows = out.get().tolist()
    for i, row in enumerate(rows):
        rank, group = i % 24, i // 24
        x, y, z = rank % 4, rank // 4 % 3, rank // 12
        want = [x, y, z, group % 3, group // 3 % 2, group // 6, 432, 432, 24, x + 10 * y + 100 * z, 3]
        assert row == want


def test_members_of_a_grid():
    @jit.rawkernel()
    def kernel(out):
        grid = jit.cg.this_grid()
        i = grid.thread_rank()
        out[i, 0] = grid.block_rank()
        out[i, 1] = grid.num_threads()
        out[i, 2] = grid.num_blocks()
        out[i, 3] = grid.size()
        out[i, 4] = grid.block_index().x + 10 * grid.block_index().y + 100 * grid.block_index().z
        out[i, 5] = grid.group_dim().x + 10 * grid.group_dim().y + 100 * grid.group_dim().z
        dims = grid.dim_blocks()
        out[i, 6] = dims.x + 10 * dims.y + 100 * dims.z
        out[i, 7] = grid.is_valid()
        grid.sync()

    out = cp.zeros((6 * 8, 8), int)
    kernel[(3, 2), 8](out)
    for i, row in enumerate(out.get().tolist()):
        block = i // 8
        assert row == [block, 48, 6, 48, block % 3 + 10 * (block // 3), 123, 123, 1]


def test_a_dim3_has_three_names():
    @jit.rawkernel()
    def kernel(out):
        out[0] = jit.cg.this_thread_block().group_index().w

    with pytest.raises(AttributeError, match="dim3 has x, y and z, but no w"):
        kernel[1, 1](cp.zeros(1, np.int32))
