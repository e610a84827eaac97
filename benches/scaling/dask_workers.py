"""K-means by Dask with one worker for each device: blocks of points are futures, which stay where they were made.

`measure.py` starts it; it writes one line of JSON.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

# Instead of this folder, whose files are parts of a package.
sys.path[0] = str(Path(__file__).resolve().parents[1])

import cuproxide as cp  # noqa: E402
from scaling.program import made, require  # noqa: E402
from scaling.programs import kmeans  # noqa: E402

BLOCKS = 4  # of a worker


def block(number: int, count: int) -> Any:
    """Points of a block: two arrays of the worker's device."""
    x, y = kmeans.points(cp.random.default_rng(number), count)
    cp.evaluate(x, y)
    return x, y


def sums(points: Any, centres: Any) -> Any:
    return made(kmeans.sums(*points, cp.asarray(centres))).get()


def cluster_of(count: int, on_cpu: bool) -> Any:
    """A scheduler and workers of this machine, each of which sees one device."""
    from distributed import Nanny, Scheduler, SpecCluster

    def worker(number: int) -> dict[str, Any]:
        device = {"CUPROXIDE_NUM_THREADS": "1"} if on_cpu else {"CUDA_VISIBLE_DEVICES": visible(number)}
        path = os.pathsep.join([sys.path[0], *filter(None, [os.environ.get("PYTHONPATH")])])
        options = {"nthreads": 1, "host": "127.0.0.1", "dashboard_address": None, "env": {**device, "PYTHONPATH": path}}
        # The limit is a share of the host's memory. Blocks on the device count all the same: a worker would write them
        # to the disk.
        return {"cls": Nanny, "options": options | {"memory_limit": 0}}

    scheduler = {"cls": Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard_address": None}}
    return SpecCluster({number: worker(number) for number in range(count)}, scheduler, asynchronous=False)


def visible(number: int) -> str:
    """The name of a device: that of the list that this process sees, where there is one."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return listed.split(",")[number] if listed else str(number)


def main() -> None:
    from distributed import Client, wait

    task = json.loads(sys.argv[1])
    count, (points,) = task["count"], task["shape"]
    on_cpu = os.environ.get("CUPROXIDE_BACKEND") == "cpu" or cp.Device().backend == "cpu"
    with cluster_of(count, on_cpu) as cluster, Client(cluster) as client:
        client.wait_for_workers(count)
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        each = points // (count * BLOCKS) // kmeans.CLUSTERS * kmeans.CLUSTERS
        blocks = [
            client.submit(block, number, each, workers=[workers[number % count]]) for number in range(count * BLOCKS)
        ]
        wait(blocks)
        centres = (cp.asarray(kmeans.true_centres(), "float32") + 0.1).get()
        found, best = None, float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            # Each block is summed where it lies, and the host adds what few numbers come back.
            parts = client.gather(client.map(sums, blocks, centres=centres, pure=False))
            found = functools.reduce(lambda one, other: one + other, parts)
            centres = (found[1:] / found[0]).T.astype("float32")
            best = min(best, time.perf_counter() - begin)
        wanted = each * BLOCKS * count / kmeans.CLUSTERS
        require(found[0].tolist() == [wanted] * kmeans.CLUSTERS, f"clusters have {found[0]} points, not {wanted} each")
        worst = float(abs(centres - (cp.asarray(kmeans.true_centres(), "float32")).get()).max())
        bound = 6 * (12 * wanted) ** -0.5 + 1e-5
        require(worst <= bound, f"a centre is {worst:.2e} off, more than {bound:.2e}")
        done = {
            "work": each * BLOCKS * count,
            "seconds": best,
            "check": f"counts exact, centres within {worst:.1e} of those drawn from (bound {bound:.1e})",
        }
        Path(sys.argv[2]).write_text(json.dumps({**task, **done}) + "\n")


if __name__ == "__main__":
    main()
