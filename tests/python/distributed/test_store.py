"""The store in which processes meet, with threads as ranks."""

import importlib
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import cuproxide as cp
import pytest
from cuproxide import distributed
from cuproxide.distributed import DistributedError, PeerLostError, RendezvousError, Store, StoreServer

HOST, TOKEN = "127.0.0.1", b"secret"


@pytest.fixture
def server():
    server = StoreServer(HOST, 0, 3, TOKEN)
    yield server
    server.close(0)


def join(server, rank, size=3, token=TOKEN, timeout=5.0):
    return Store(HOST, server.port, rank, size, token, timeout)


@pytest.fixture
def stores(server):
    with ThreadPoolExecutor(3) as pool:
        stores = list(pool.map(lambda rank: join(server, rank), range(3)))
    yield stores
    for store in stores:
        store.stop()


def in_threads(*calls):
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(20) for future in [pool.submit(call) for call in calls]]


def test_values_arrive_whole(stores):
    large = os.urandom(3 << 20)
    got = in_threads(lambda: stores[1].get("x"), lambda: stores[0].set("x", large), lambda: stores[2].get("x"))
    assert got[0] == got[2] == large
    assert stores[0].get("x", once=True) == large
    with pytest.raises(PeerLostError, match="no sign of rank 0 within 0.2 s"):
        stores[0].get("x", timeout=0.2)


def test_gathering(stores):
    for turn in range(20):
        results = in_threads(
            *(lambda store=store: store.gather("k", b"%d" % store.rank, (0, 1, 2)) for store in stores)
        )
        assert results == [[b"0", b"1", b"2"]] * 3, turn
    results = in_threads(
        *(lambda store=store: store.gather("pair", b"%d" % store.rank, (2, 0)) for store in stores[::2])
    )
    assert results == [[b"2", b"0"]] * 2


def test_who_is_missing_is_named(stores):
    with pytest.raises(PeerLostError, match=r"rank 0 in all_reduce: no sign of ranks 1, 2 within 0.3 s"):
        stores[0].gather("k", b"", range(3), timeout=0.3, what="all_reduce")


def test_a_rank_that_is_gone_ends_the_wait_at_once(stores):
    told = threading.Event()
    stores[2].on_loss.append(told.set)
    begin = time.monotonic()
    threading.Timer(0.2, lambda: stores[1].stop("it ended with ValueError: x")).start()
    with pytest.raises(PeerLostError, match=r"rank 1 will not come \(rank 1: it ended with ValueError: x\)"):
        stores[0].gather("k", b"", (0, 1), timeout=60)
    assert time.monotonic() - begin < 30
    assert told.wait(10)
    assert stores[2].lost == {1: "it ended with ValueError: x"}


def test_a_closed_connection_is_a_loss(stores):
    told = threading.Event()
    stores[0].on_loss.append(told.set)
    # As the system does it for a process that is killed.
    stores[2]._stopped = True
    stores[2]._watching.shutdown(socket.SHUT_RDWR)
    assert told.wait(10)
    assert "its process ended" in stores[0].lost[2]


def test_goodbye_is_none(stores):
    stores[1].stop()
    with pytest.raises(PeerLostError, match="rank 1 will not come .*it left"):
        stores[0].gather("k", b"", (0, 1))
    deadline = time.monotonic() + 10
    while not stores[0].left and time.monotonic() < deadline:
        time.sleep(0.01)
    assert stores[0].lost == {} and stores[0].left == {1}
    with pytest.raises(DistributedError, match="was stopped"):
        stores[1].set("x", b"")


def test_rank_0_is_gone(server, stores):
    told = threading.Event()
    stores[1].on_loss.append(told.set)
    stores[0].stop("it was killed")
    assert told.wait(10) and 0 in stores[1].lost
    server.close(0)
    time.sleep(0.1)
    for store in stores[1:]:
        store._connection.shutdown(socket.SHUT_RDWR)
        with pytest.raises(PeerLostError, match="rank 0, which has the store, is gone"):
            store.set("x", b"")


def test_two_with_one_number(server):
    first = join(server, 1)
    with pytest.raises(RendezvousError, match=r"two processes have rank 1: process \d+ of .* and process \d+"):
        join(server, 1)
    first.stop()


def test_another_size(server):
    with pytest.raises(RendezvousError, match=r"rank 1 .* was told that there are 4 processes, rank 0 that .* 3"):
        join(server, 1, size=4)


def test_another_version_is_one_loss(server, monkeypatch):
    first, told = join(server, 0), []
    tell = server._tell_all
    monkeypatch.setattr(server, "_tell_all", lambda head: (told.append(head), tell(head)))
    heard = threading.Event()
    first.on_loss.append(heard.set)
    with monkeypatch.context() as patch:
        patch.setattr(importlib.import_module("cuproxide.distributed._store"), "VERSION", "0.0.1")
        with pytest.raises(RendezvousError, match="rank 1 .* has cuproxide 0.0.1, rank 0 has"):
            join(server, 1)
    assert heard.wait(20) and list(first.lost) == [1]
    # Its second connection is refused too, and is no second loss.
    join(server, 2).stop()
    first.stop()
    assert sum("lost" in head for head in told) == 1


def test_another_token(server):
    with pytest.raises(RendezvousError, match="another token"):
        join(server, 1, token=b"guessed")
    # A stranger who says nothing, or something else, keeps nobody out.
    with socket.create_connection((HOST, server.port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n" + bytes(64))
        join(server, 1).stop()


def test_nobody_listens():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    with pytest.raises(RendezvousError, match=rf"rank 1: rank 0 does not answer at {HOST}:{port} within 0.3 s"):
        Store(HOST, port, 1, 2, TOKEN, 0.3)


def test_a_port_in_use(server):
    with pytest.raises(RendezvousError, match=f"cannot listen at {HOST}:{server.port}: the port is in use"):
        StoreServer(HOST, server.port, 3, TOKEN)


def test_no_address_of_this_machine():
    with pytest.raises(RendezvousError, match="no address of this machine"):
        StoreServer("192.0.2.1", 0, 2, TOKEN)


def test_one_group_after_another_at_one_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]

    def rank(number):
        options = {"backend": "store", "host": HOST, "port": port, "timeout": 10}
        with distributed.init_process_group(2, number, **options) as group:
            total = cp.zeros(3, int)
            group.all_reduce(cp.full(3, number + 1), total)
            return total.tolist()

    for _ in range(3):
        assert in_threads(lambda: rank(0), lambda: rank(1)) == [[3, 3, 3]] * 2


def test_a_rank_that_stops_is_missed():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    options = {"backend": "store", "host": HOST, "port": port, "timeout": 30}
    first, second = in_threads(*(lambda n=n: distributed.init_process_group(2, n, **options) for n in range(2)))
    second.stop()
    with pytest.raises(PeerLostError, match="rank 0 in barrier: rank 1 will not come .*it left"):
        first.barrier()
    first.stop()


def test_another_version(server, monkeypatch):
    # The others do not wait for it until their time is over.
    waiting = join(server, 0)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(waiting.gather, "start", b"", range(2), timeout=60, what="start")
        monkeypatch.setattr("cuproxide.distributed._store.VERSION", "0.0.1")
        with pytest.raises(RendezvousError, match=rf"rank 1 .* has cuproxide 0\.0\.1, rank 0 has {cp.__version__}"):
            join(server, 1)
        with pytest.raises(PeerLostError, match=r"rank 1 will not come .*has cuproxide 0\.0\.1"):
            future.result(20)
    waiting.stop()


def test_a_rank_that_gives_up_ends_the_wait_of_all(stores):
    with ThreadPoolExecutor(1) as pool:
        patient = pool.submit(stores[0].gather, "k", b"", range(3), timeout=60)
        with pytest.raises(PeerLostError, match="no sign of rank 2 within 0.3 s"):
            stores[1].gather("k", b"", range(3), timeout=0.3)
        with pytest.raises(PeerLostError, match="no sign of rank 2 within 0.3 s"):
            patient.result(20)
    # The last one does not wait for those who no longer do.
    with pytest.raises(PeerLostError, match="no sign of rank 2"):
        stores[2].gather("k", b"", range(3), timeout=60)


def test_a_lost_rank_is_told_with_what_it_did(stores):
    told = threading.Event()
    stores[0].on_loss.append(told.set)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(stores[2].gather, "k", b"", range(3), what="all_gather")
        stores[1].set("x", b"", what="send")
        time.sleep(0.2)
        # As the system does it for a process that is killed.
        stores[2]._stopped = True
        stores[2]._watching.shutdown(socket.SHUT_RDWR)
        assert told.wait(10) and "it was in all_gather" in stores[0].lost[2]
        stores[0].stop("it ended")
        with pytest.raises(PeerLostError):
            future.result(20)


def test_a_server_that_stands_still(server, monkeypatch):
    store = join(server, 1)
    monkeypatch.setattr("cuproxide.distributed._store.IDLE", 0)
    monkeypatch.setattr("cuproxide.distributed._store.PROBES", 0)
    resume = threading.Event()
    server._loop.call_soon_threadsafe(resume.wait, 20)
    try:
        with pytest.raises(PeerLostError, match="rank 0, which has the store, is gone: timed out"):
            store.gather("k", b"", (0, 1), timeout=0.3)
    finally:
        resume.set()
    store.stop()


@pytest.mark.parametrize("count", [64])
def test_many_ranks_wait_without_a_thread_each(count):
    server = StoreServer(HOST, 0, count, TOKEN)
    before = threading.active_count()
    with ThreadPoolExecutor(count) as pool:
        stores = list(pool.map(lambda rank: join(server, rank, size=count, timeout=60), range(count)))
        # The pool's threads, and one of each rank.
        assert threading.active_count() - before <= 2 * count
        answers = list(pool.map(lambda store: store.gather("k", b"%d" % store.rank, range(count)), stores))
    assert answers == [[b"%d" % rank for rank in range(count)]] * count
    for store in stores:
        store.stop()
    server.close(10)


def test_a_lost_rank_is_named_and_not_those_that_leave_because_of_it(stores):
    # Rank 1 has given its value; rank 2 leaves before it comes.
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(stores[0].gather, "k", b"", range(3), timeout=60)
        gone = pool.submit(stores[1].gather, "k", b"", range(3), timeout=60)
        time.sleep(0.2)
        stores[1]._stopped = True
        stores[1]._watching.shutdown(socket.SHUT_RDWR)
        with pytest.raises(PeerLostError, match="rank 1 will not come .*its process ended"):
            waiting.result(20)
        with pytest.raises(PeerLostError):
            gone.result(20)
    stores[2].stop()
    with pytest.raises(PeerLostError, match="rank 1 will not come .*its process ended"):
        stores[0].gather("l", b"", range(3), timeout=60)


@pytest.mark.parametrize("timeout", [1e7, float("inf")])
def test_waiting_without_end(timeout):
    group = distributed.init_process_group(timeout=timeout)
    group.barrier()
    group.stop()


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_port_that_is_none(port):
    with pytest.raises(ValueError, match=f"port={port} is not from 1 to 65535"):
        distributed.init_process_group(2, 1, port=port, timeout=0.2)


def test_a_name_of_a_machine_that_cannot_be_one():
    with pytest.raises(RendezvousError, match="the address of rank 0, 'a+', is unknown"):
        Store("a" * 70, 1, 1, 2, TOKEN, 0.2)


FORKED = """
import os, select, socket, sys
from cuproxide.distributed import PeerLostError, Store, StoreServer

server = StoreServer("127.0.0.1", 0, 2, b"secret")
store = Store("127.0.0.1", server.port, 0, 2, b"secret", 60.0)
told, tell = os.pipe()
ended, end = os.pipe()
rank = os.fork()
if rank == 0:
    os.close(end)
    peer = Store("127.0.0.1", server.port, 1, 2, b"secret", 60.0)
    child = os.fork()
    if child == 0:
        # Says nothing for the rank that it was forked from, and outlives it.
        peer.stop("a child is no rank")
        os.write(tell, b"x")
        os.read(ended, 1)
        os._exit(0)
    os.read(told, 1)
    peer.gather("k", b"1", (0, 1))
    os._exit(0)
assert store.gather("k", b"0", (0, 1)) == [b"0", b"1"]
os.waitpid(rank, 0)
try:
    store.gather("l", b"0", (0, 1), timeout=30.0)
except PeerLostError as error:
    print(error)
os.close(end)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_process_that_a_rank_forked_is_no_rank():
    result = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert "rank 1: its process ended" in result.stdout
