"""Actors of Ray on two hosts that exchange arrays through the object store."""

import pickle
import socket
import sys

import cuproxide as cp
import ray

ray.init(address=sys.argv[1], log_to_driver=False)


@ray.remote(num_cpus=1, scheduling_strategy="SPREAD")
class Holder:
    def __init__(self, number):
        self.part = cp.full((200, 100), float(number))

    def host(self):
        return socket.gethostname()

    def give(self):
        return self.part

    def add(self, other):
        assert isinstance(other, cp.ndarray)
        self.part += other
        return float(self.part.sum())


holders = [Holder.remote(number) for number in (1, 2)]
hosts = ray.get([holder.host.remote() for holder in holders], timeout=60)
# From one actor to the other, not through this process.
total = ray.get(holders[0].add.remote(holders[1].give.remote()), timeout=60)
assert total == 3.0 * 200 * 100, total
part = ray.get(holders[0].give.remote(), timeout=60)
assert isinstance(part, cp.ndarray) and part.shape == (200, 100) and float(part[0, 0]) == 3.0
# Elements travel beside the pickle.
buffers = []
assert len(pickle.dumps(part, protocol=5, buffer_callback=buffers.append)) < 1000
assert [buffer.raw().nbytes for buffer in buffers] == [part.nbytes]
print("ray", *sorted(hosts), flush=True)
ray.shutdown()
