"""Operations of groups beside NumPy: the program checks every dtype, layout and operator."""

import os
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import distributed
from processes import started, started_by_mpi


@pytest.mark.parametrize("count", [1, 2, 4])
def test_over_mpi(count):
    result = started_by_mpi(count, "collectives.py", "mpi", seconds=150)
    assert result.status == 0, result.err
    assert result.out.count("MPIBackend") == count


def test_over_mpi_through_the_host():
    result = started_by_mpi(2, "staged.py", seconds=150)
    assert result.status == 0, result.err
    assert result.out.count("MPIBackend") == 2


def test_over_the_store():
    result = started(3, "collectives.py", "store", seconds=150)
    assert result.status == 0, result.err
    assert result.out.count("StoreBackend") == 3


def test_over_the_library_of_the_device(device):
    if device.backend == "cpu":
        pytest.skip("the CPU has no such library")
    result = started(1, "collectives.py", "nccl", seconds=300, CUPROXIDE_DISTRIBUTED_CHECK=1)
    assert result.status == 0, result.err
    assert "NCCLBackend" in result.out


def test_over_a_stand_in_for_the_library():
    result = started(1, "library_of_one.py", seconds=100, CUPROXIDE_BACKEND="cpu")
    assert result.status == 0, result.err
    assert "NCCLBackend" in result.out and result.out.count("ok") == 2


def test_checks_change_nothing():
    result = started(2, "collectives.py", "store", seconds=150, CUPROXIDE_DISTRIBUTED_CHECK=1)
    assert result.status == 0, result.err


def test_alone():
    with distributed.init_process_group(backend="store") as group:
        x = cp.arange(3)
        group.all_reduce(x, x)
        assert x.tolist() == [0, 1, 2]
        assert (group.rank, group.size) == (0, 1)
        with pytest.raises(TypeError, match="belong to the process"):
            __import__("pickle").dumps(group)
    with pytest.raises(distributed.DistributedError, match="was stopped"):
        group.barrier()


def test_what_is_no_array_is_refused():
    from cuproxide.scipy import sparse

    one = cp.ones(1)
    with distributed.init_process_group(backend="store") as group:
        for thing in ([1.0], np.ones(1), 1.0, None, sparse.csr_matrix(cp.eye(2))):
            for call in (
                lambda: group.all_reduce(thing, one),  # noqa: B023
                lambda: group.all_reduce(one, thing),  # noqa: B023
                lambda: group.reduce(thing, one),  # noqa: B023
                lambda: group.reduce(one, thing),  # noqa: B023
                lambda: group.reduce_scatter(thing, one, 1),  # noqa: B023
                lambda: group.all_gather(thing, one, 1),  # noqa: B023
                lambda: group.gather(one, thing),  # noqa: B023
                lambda: group.scatter(thing, one),  # noqa: B023
                lambda: group.all_to_all(thing, one),  # noqa: B023
                lambda: group.broadcast(thing),  # noqa: B023
                lambda: group.send_recv(thing, one, 0),  # noqa: B023
                lambda: group.all_to_allv([thing], [one]),  # noqa: B023
                lambda: group.all_to_allv([thing]),  # noqa: B023
            ):
                with pytest.raises(TypeError, match=f"are needed, not {type(thing).__name__}"):
                    call()


def test_arrays_for_all_ranks():
    one, three = cp.ones(1), cp.arange(3)
    with distributed.init_process_group(backend="store") as group:
        (found,) = group.all_to_allv([three])
        assert found.tolist() == [0, 1, 2] and not cp.may_share_memory(found, three)
        for arguments, name in ((([one, one],), "in_arrays"), (([one], []), "out_arrays")):
            with pytest.raises(
                ValueError, match=f"all_to_allv: {name} has {2 if name == 'in_arrays' else 0} arrays for 1"
            ):
                group.all_to_allv(*arguments)
        # As on more ranks.
        group.size = 2
        with pytest.raises(TypeError, match="in_arrays are of float64 and int64, not of one dtype"):
            group.all_to_allv([one, three])
        group.size = 1


class InOrder(distributed.StoreBackend):
    """Takes what the libraries of devices take: receives in arrays themselves where it may."""

    in_order = True

    def _exchange(self, sends, receives):
        self.received = [array for _, array in receives]
        super()._exchange(sends, receives)


def test_what_is_received_lands_in_arrays_that_nothing_else_has():
    whole, matrix = cp.arange(12.0), cp.zeros((3, 4))
    halves = whole[:6], whole[6:]
    cases = [
        # sends, receives, whether each receives in its own memory
        ([cp.ones(3)], [whole[:3]], [True]),
        ([whole[3:6]], [whole[:3]], [True]),
        ([whole[2:5]], [whole[:3]], [False]),
        ([whole], [whole], [False]),
        # A copy of what does not lie in one piece is made before.
        ([whole[::2]], [whole[:6]], [True]),
        ([cp.ones(6), cp.zeros(6)], [*halves], [True, True]),
        ([cp.ones(6), cp.zeros(6)], [whole[:6], whole[5:11]], [False, False]),
        ([cp.ones(12), cp.zeros(2), cp.ones(2)], [whole, whole[1:3], whole[8:10]], [False] * 3),
        ([cp.ones(2), cp.ones(2), cp.zeros(12)], [whole[8:10], whole[1:3], whole.copy()], [True] * 3),
        ([cp.ones(6), whole[4:]], [whole[:6], cp.empty(8)], [False, True]),
        ([cp.ones(0), cp.ones(3)], [whole[5:5], whole[4:7]], [True, True]),
        ([cp.ones(3)], [matrix[:, 1]], [False]),
        ([cp.ones(4)], [matrix[1]], [True]),
    ]
    with distributed.init_process_group(backend="store") as outer:
        group = InOrder(outer._store, [0], 30, "own")
        for sends, receives, own in cases:
            wanted = [array.get() for array in sends]
            group.exchange([(0, array) for array in sends], [(0, array) for array in receives])
            found = [
                cp.may_share_memory(landed, array) or not array.size
                for landed, array in zip(group.received, receives, strict=True)
            ]
            assert found == own
            # The last one that is written wins where they lie over each other.
            np.testing.assert_array_equal(receives[-1].get(), wanted[-1])
            if all(own):
                for array, values in zip(receives, wanted, strict=True):
                    np.testing.assert_array_equal(array.get(), values)


def test_many_arrays_are_compared_in_order(monkeypatch):
    """The work of an exchange with many ranks grows with their number, not with its square."""
    from cuproxide.distributed import _backend

    count = 0

    def counted(array):
        nonlocal count
        count += 1
        return settled(array)

    settled = _backend.settled_pointer
    monkeypatch.setattr(_backend, "settled_pointer", counted)
    monkeypatch.setattr(cp, "may_share_memory", lambda *arrays: pytest.fail("pairs are compared"))
    parts, whole = cp.arange(300.0).reshape(100, 3), cp.zeros((100, 3))
    with distributed.init_process_group(backend="store") as outer:
        group = InOrder(outer._store, [0], 30, "own")
        targets = group._landings(list(whole), list(parts))
        assert count == 200 and all(target is not None for target in targets)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"backend": "smoke signals"}, ValueError, "is none of nccl, rccl, mpi, store"),
        ({"n_devices": 2}, ValueError, "together"),
        ({"n_devices": 2, "rank": 2}, ValueError, "rank=2 is not below n_devices=2"),
        ({"n_devices": 0, "rank": 0}, ValueError, "n_devices=0 is not positive"),
        ({"timeout": 0}, ValueError, "timeout=0 is not positive"),
        ({"n_devices": 2, "rank": 1, "port": 9, "timeout": 0.2}, distributed.RendezvousError, "rank 0 does not answer"),
    ],
)
def test_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        distributed.init_process_group(**arguments)


def test_the_timeline_shows_them(tmp_path):
    with distributed.init_process_group(backend="store") as group, cp.profiler.trace(tmp_path / "trace.json"):
        group.barrier()
    assert "store barrier" in (tmp_path / "trace.json").read_text()


def test_importing_opens_no_mpi():
    program = "import sys, cuproxide.distributed; print('mpi4py' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], env=os.environ, capture_output=True, text=True).stdout
        == "False\n"
    )
