"""Large copies from pageable memory of the host.

GPU backends stage those of 32 MiB and more through page-locked buffers."""

import threading

import cuproxide as cp
import numpy as np
import pytest

PIECE = 4 << 20
#: Bytes around those at which staging begins, and where the last piece is a whole one or less.
SIZES = [(32 << 20) - 1, 32 << 20, (32 << 20) + 1, 9 * PIECE - 3, 9 * PIECE]


def words(bytes_, seed=0):
    """Bytes that differ from piece to piece."""
    return np.random.default_rng(seed).integers(0, 1 << 63, -(-bytes_ // 8)).view(np.uint8)[:bytes_]


@pytest.mark.parametrize("size", SIZES)
def test_every_byte_arrives(size):
    host = words(size)
    kept = host.copy()
    array = cp.asarray(host)
    # The source may be reused at once.
    host[:] = 0
    assert np.array_equal(cp.asnumpy(array), kept)


def test_on_streams():
    """Also on a thread's own default stream, which other threads cannot name."""
    host = words(SIZES[2]).view(np.uint8)
    streams = [cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True), cp.cuda.Stream.ptds, cp.cuda.Stream.null]
    for stream in streams:
        with stream:
            array = cp.asarray(host)
            doubled = array + array
            assert np.array_equal(cp.asnumpy(doubled), host + host)


def test_work_before_and_after_is_in_order():
    """Memory that is overwritten by a copy was read by what came before."""
    host = words(SIZES[4]).view(np.int64)
    array = cp.zeros(host.size, np.int64)
    before = array + 1
    array.set(host)
    after = array + 1
    array.set(host[::-1].copy())
    assert (cp.asnumpy(before) == 1).all()
    assert np.array_equal(cp.asnumpy(after), host + 1)
    assert np.array_equal(cp.asnumpy(array), host[::-1])


def test_threads_copy_at_once():
    hosts = [words(SIZES[1] + 1000 * number, number) for number in range(3)]
    found = [False] * len(hosts)

    def work(number):
        with cp.cuda.Stream(non_blocking=True):
            found[number] = np.array_equal(cp.asnumpy(cp.asarray(hosts[number])), hosts[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(hosts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found)


def test_page_locked_memory_is_copied_where_it_lies():
    memory = cp.cuda.alloc_pinned_memory(SIZES[2])
    host = np.frombuffer(memory, np.uint8, SIZES[2])
    host[:] = words(SIZES[2])
    assert np.array_equal(cp.asnumpy(cp.asarray(host)), host)


def test_a_copy_is_part_of_a_graph():
    host, other = words(SIZES[2]), words(SIZES[2], 1)
    array = cp.asarray(other)
    kept = host.copy()
    with cp.cuda.Stream(non_blocking=True) as stream:
        cp.Device().synchronize()
        stream.begin_capture()
        array.set(host)
        graph = stream.end_capture()
        # The graph keeps what pageable memory held.
        host[:] = 0
        graph.launch(stream)
        stream.synchronize()
    assert np.array_equal(cp.asnumpy(array), kept)
