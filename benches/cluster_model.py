"""How long all_reduce and the product of distributed matrices take, by a model of links, and how well it fits.

    python benches/cluster_model.py                              # predictions for machines by their data sheets
    mpirun -n 4 python benches/cluster_model.py --measure        # the model beside stand-in links on this machine
    python benches/cluster_model.py --rendezvous 1000            # so many processes of this machine meet in one store

A stand-in link is a pause after each exchange of messages: as long as the bytes of this process would take, in the
direction that has more of them. So processes of one machine show what the model leaves out (waiting for each other,
copies, the program itself), as far as the pauses are long beside that. It is no measurement of any network.
"""

import argparse
import gc
import math
import os
import resource
import struct
import sys
import tempfile
import time
from dataclasses import dataclass

import cuproxide as cp
import numpy as np


@dataclass(frozen=True)
class Link:
    """What a process sends and receives over, both ways at once: seconds for a message, and bytes per second."""

    latency: float
    bandwidth: float

    def time(self, messages, size):
        """Seconds for messages of so many bytes together."""
        return messages * self.latency + size / self.bandwidth


@dataclass(frozen=True)
class StoreCost:
    """Seconds of the server of the store: for a rank that joins, for a request, and for an entry of an answer."""

    join: float
    request: float
    entry: float


def ring_all_reduce(size, ranks, link):
    """Seconds to add `size` bytes of each rank: every rank passes on all but one of `ranks` shares, twice."""
    steps = 2 * (ranks - 1)
    return link.time(steps, steps * size / ranks)


def tree_all_reduce(size, ranks, link):
    """Seconds to add `size` bytes of each rank along a binary tree and to send the sum back."""
    steps = 2 * math.ceil(math.log2(ranks)) if ranks > 1 else 0
    return link.time(steps, steps * size)


def halo_exchange(rows, columns, itemsize, ranks, link):
    """Seconds in which a rank of a square grid swaps the edges of its part with all neighbours at once.

    It does not grow with the number of ranks, once a rank has four neighbours.
    """
    across = math.isqrt(ranks)
    sides = min(2, across - 1), min(2, -(-ranks // across) - 1)
    return link.time(sum(sides), (sides[0] * rows + sides[1] * columns) * itemsize)


def rendezvous(ranks, store):
    """Seconds until all ranks have met: two connections of each to the store, and one answer to each."""
    return ranks * store.join


def store_barrier(ranks, store):
    """Seconds for a barrier through the store: a value of each rank, and an answer as long as the number of ranks."""
    return ranks * (store.request + ranks * store.entry)


def two_level_all_reduce(size, machines, each, inside, outside):
    """Seconds where `each` ranks of a machine add up first, by fast links; then those of all machines, a share each."""
    return ring_all_reduce(size, each, inside) + ring_all_reduce(size / each, machines, outside)


def summa(rows, inner, columns, grid, itemsize, link, flops):
    """Seconds for a product of matrices in `grid` blocks, as `distributed.array.matmul` computes it.

    In each panel, the process that holds the panel of a block row sends it to the others of that row, one after the
    other, and so for columns. Messages and products do not overlap.
    """
    p, q = grid
    panels = math.lcm(p, q)
    width = inner / panels
    of_rows, of_columns = rows / p * width * itemsize, width * columns / q * itemsize
    # A place may have to send both its panels; others receive one of each at most.
    out = link.time(p + q - 2, (q - 1) * of_rows + (p - 1) * of_columns)
    into = link.time((q > 1) + (p > 1), of_rows * (q > 1) + of_columns * (p > 1))
    return panels * (max(out, into) + 2 * (rows / p) * width * (columns / q) / flops)


class SlowGroup:
    """A group whose exchanges take as long as over a link."""

    def __init__(self, group, link):
        self._group, self._link = group, link
        self.rank, self.size = group.rank, group.size

    def exchange(self, sends, receives, stream=None):
        sends, receives = list(sends), list(receives)
        begin = time.perf_counter()
        self._group.exchange(sends, receives, stream)
        out, into = (sum(array.nbytes for _, array in messages) for messages in (sends, receives))
        pause = max(self._link.time(len(sends), out), self._link.time(len(receives), into))
        time.sleep(max(0.0, begin + pause - time.perf_counter()))


def ring(group, array):
    """All_reduce by messages around a ring, for links that only messages have."""
    n, shares = group.size, cp.array_split(array.copy(), group.size)
    right, left = (group.rank + 1) % n, (group.rank - 1) % n
    for step in range(2 * (n - 1)):
        give, take = (group.rank - step) % n, (group.rank - step - 1) % n
        arrived = cp.empty_like(shares[take])
        group.exchange([(right, shares[give])], [(left, arrived)])
        # First every share is added up on its way round, then it is passed on.
        shares[take] = shares[take] + arrived if step < n - 1 else arrived
    return cp.concatenate(shares)


def halos(group, rows, columns):
    """Swaps the edges of this rank's part with all neighbours in a grid of the ranks, as `halo_exchange` counts."""
    across = math.isqrt(group.size)
    down, right = divmod(group.rank, group.size // across)
    sends, receives = [], []
    for step, length in (((-1, 0), columns), ((1, 0), columns), ((0, -1), rows), ((0, 1), rows)):
        row, column = down + step[0], right + step[1]
        if 0 <= row < across and 0 <= column < group.size // across:
            peer = row * (group.size // across) + column
            sends.append((peer, cp.full(length, group.rank + 1.0)))
            receives.append((peer, cp.empty(length)))
    group.exchange(sends, receives)
    return receives


def best(work, repeat=3):
    """The shortest of some times, and the last result."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = work()
        cp.cuda.get_current_stream().synchronize()
        times.append(time.perf_counter() - begin)
    return min(times), result


def measure():
    """Prints the model beside stand-in links, for several sizes."""
    from cuproxide import distributed
    from cuproxide.distributed.array import distributed_array, make_2d_index_map

    with distributed.init_process_group() as group:
        n, link = group.size, Link(latency=2e-3, bandwidth=50e6)
        slow = SlowGroup(group, link)

        def say(text):
            if group.rank == 0:
                print(text, flush=True)

        say(f"{n} ranks, stand-in links of {link.latency * 1e3:g} ms and {link.bandwidth / 1e6:g} MB/s")
        for count in (1000, 100_000, 1_000_000):
            group.barrier()
            seconds, result = best(lambda count=count: ring(slow, cp.full(count, group.rank + 1.0)))
            assert (result == n * (n + 1) / 2).all()
            predicted = ring_all_reduce(8 * count, n, link)
            say(
                f"all_reduce {8 * count / 1e6:7.3f} MB: model {1e3 * predicted:8.1f} ms, here {1e3 * seconds:8.1f} ms, "
                f"ratio {seconds / predicted:.2f}"
            )
        for side in (1000, 30_000, 300_000):
            group.barrier()
            seconds, received = best(lambda side=side: halos(slow, side, side))
            assert all((array == peer + 1).all() for peer, array in received)
            # The slowest rank has the most neighbours.
            slowest = cp.full(1, seconds)
            group.all_reduce(slowest, slowest, op="max")
            seconds = float(slowest[0])
            predicted = halo_exchange(side, side, 8, n, link)
            say(
                f"halo {side:6d}^2: model {1e3 * predicted:8.1f} ms, here {1e3 * seconds:8.1f} ms, "
                f"ratio {seconds / predicted:.2f}"
            )
        p = int(math.sqrt(n))
        p, q = (p, n // p) if p * (n // p) == n else (1, n)
        owners = [[row * q + column for column in range(q)] for row in range(p)]
        for side in (240, 480, 960):
            a = np.random.default_rng(0).normal(size=(side, side))
            blocks = make_2d_index_map(
                [side * i // p for i in range(p + 1)], [side * j // q for j in range(q + 1)], owners
            )
            x = distributed_array(a, blocks, group=slow)
            local = cp.asarray(a[: side // p, : side // q]), cp.asarray(a[: side // q, : side // q])
            once, _ = best(lambda local=local: local[0] @ local[1])
            group.barrier()
            seconds, product = best(lambda x=x: x @ x)
            own = product.all_chunks()[group.rank][0]
            place = product.index_map[group.rank][0]
            assert np.allclose(own.get(), (a @ a)[place])
            flops = 2 * (side / p) * (side / q) ** 2 / once
            predicted = summa(side, side, side, (p, q), 8, link, flops)
            say(
                f"summa {side:4d}^3 on {p} x {q}: model {1e3 * predicted:8.1f} ms, here {1e3 * seconds:8.1f} ms, "
                f"ratio {seconds / predicted:.2f}"
            )


# Per GPU and direction, from data sheets and not measured here: NVLink 4 (450 GB/s), a port of 400 Gbit/s.
NVLINK, PORT = Link(5e-6, 450e9), Link(8e-6, 50e9)


def predict():
    """Prints what the model says of machines with 8 GPUs each; nothing of this was run."""
    print("8 GPUs a machine, NVLink inside, a port of 400 Gbit/s for each GPU outside; milliseconds by the model")
    print("| machines | GPUs | all_reduce of 1 MB | of 100 MB | of 10 GB | product 65536^3, float32 at 50 TFLOP/s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for machines in (1, 2, 8, 32, 128):
        ranks = 8 * machines
        times = [two_level_all_reduce(size, machines, 8, NVLINK, PORT) for size in (1e6, 100e6, 10e9)]
        p = 2 ** (int(math.log2(ranks)) // 2)
        times.append(summa(65536, 65536, 65536, (p, ranks // p), 4, NVLINK if machines == 1 else PORT, 50e12))
        print(f"| {machines} | {ranks} | " + " | ".join(f"{1e3 * seconds:.3g}" for seconds in times) + " |")


# On a core of the machine of docs/cluster.md, by --rendezvous 64 to 1000.
STORE = StoreCost(join=0.8e-3, request=0.2e-3, entry=10e-9)


def predict_ranks():
    """Prints what the model says of many ranks, one for each GPU."""
    print("one rank for each GPU, a port of 400 Gbit/s each; milliseconds by the model")
    print(
        "| ranks | start | barrier by the store | ring, 8 kB | tree, 8 kB | ring, 100 MB | tree, 100 MB | halo 4096^2 |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for ranks in (2, 4, 64, 256, 1024):
        times = [rendezvous(ranks, STORE), store_barrier(ranks, STORE)]
        times += [way(size, ranks, PORT) for size in (8e3, 100e6) for way in (ring_all_reduce, tree_all_reduce)]
        times.append(halo_exchange(4096, 4096, 8, ranks, PORT))
        print(f"| {ranks} | " + " | ".join(f"{1e3 * seconds:.3g}" for seconds in times) + " |")


# A client's seconds: when it began, when it had met all others, when all had passed a barrier; and of its processor.
REPORT = struct.Struct("4d")


def meet(ranks):
    """Has so many processes meet in a store of this one, and prints how long that takes."""
    from cuproxide.distributed import Store, StoreServer

    # Collecting garbage would copy the memory that children share with this process.
    gc.collect()
    gc.freeze()
    start, go = os.pipe()
    results, report = os.pipe()
    with tempfile.NamedTemporaryFile("w+") as where:
        children = []
        for rank in range(ranks):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    os.close(go)
                    while os.read(start, 1):
                        pass
                    begin = time.monotonic()
                    with open(where.name) as file:
                        port = int(file.read())
                    store = Store("127.0.0.1", port, rank, ranks, b"secret", 120)
                    store.gather("start", b"", range(ranks), what="start")
                    met = time.monotonic()
                    store.gather("barrier", b"", range(ranks), what="barrier")
                    passed = time.monotonic()
                    store.stop()
                    usage = resource.getrusage(resource.RUSAGE_SELF)
                    os.write(report, REPORT.pack(begin, met, passed, usage.ru_utime + usage.ru_stime))
                    status = 0
                finally:
                    os._exit(status)
            children.append(child)
        os.close(start)
        os.close(report)
        # Threads begin after the last fork.
        server = StoreServer("127.0.0.1", 0, ranks, b"secret")
        where.write(str(server.port))
        where.flush()
        begin, work = time.monotonic(), time.process_time()
        os.close(go)
        content = b""
        while part := os.read(results, 1 << 16):
            content += part
        work = time.process_time() - work
        rows = list(REPORT.iter_unpack(content))
        for child in children:
            os.waitpid(child, 0)
        server.close(5)
    met, passed = (max(row[index] for row in rows) for index in (1, 2))
    print(
        f"{len(rows)} of {ranks} clients met in {met - begin:.2f} s, and passed a barrier {passed - met:.2f} s later; "
        f"processor time: server {work:.2f} s (model: {rendezvous(ranks, STORE) + store_barrier(ranks, STORE):.2f} s), "
        f"clients {sum(row[3] for row in rows):.2f} s"
    )
    return len(rows) == ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--measure", action="store_true", help="beside stand-in links, under a launcher")
    parser.add_argument("--rendezvous", type=int, metavar="N", help="have N processes of this machine meet in a store")
    arguments = parser.parse_args()
    if arguments.rendezvous:
        sys.exit(not meet(arguments.rendezvous))
    if arguments.measure:
        measure()
    else:
        predict()
        predict_ranks()


if __name__ == "__main__":
    main()
