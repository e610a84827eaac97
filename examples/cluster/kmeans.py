"""K-means of generated points on several processes: the same program under every launcher, and under Dask.

    python -m cuproxide.distributed.run --nproc 2 examples/cluster/kmeans.py
    mpirun -n 2 python examples/cluster/kmeans.py
    sbatch examples/cluster/job.slurm examples/cluster/kmeans.py --points 10000000 --blocks 64
    python examples/cluster/kmeans.py --dask 2
    python examples/cluster/kmeans.py --scheduler-file scheduler.json

The points come in blocks, each drawn from a seed of its own, so that the result does not depend on how many processes
share them. A process assigns its points to the nearest centres and adds them up; the sums of all processes, a few
hundred bytes, are all that travels.
"""

import argparse
import contextlib
import functools
import sys
import time

import cuproxide as cp
import numpy
from cuproxide import distributed

COLOURS = ["1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd", "8c564b", "e377c2", "17becf"]
SIDE = 400  # of the picture, in pixels
REACH = 12.0  # of the picture, in units of the points


def true_centres(clusters):
    """Where the points are drawn around: on a circle, each a little off."""
    angle = 2 * numpy.pi * numpy.arange(clusters) / clusters
    radius = 6 + 2 * (numpy.arange(clusters) % 3)
    return numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], axis=1)


def block(number, size, clusters):
    """Points of one block: (size, 2), on the device."""
    rng = cp.random.default_rng(number)
    centres = cp.asarray(true_centres(clusters))
    return centres[rng.integers(0, clusters, size)] + rng.normal(scale=0.9, size=(size, 2))


def labels_of(points, centres):
    """The nearest centre of each point: |p - c|^2 without the part that all centres share."""
    return ((centres * centres).sum(axis=1) - 2 * (points @ centres.T)).argmin(axis=1)


def sums(points, centres):
    """What one block contributes: for each cluster the sum of its points, their number, and their squared distances."""
    labels = labels_of(points, centres)
    members = (labels[:, None] == cp.arange(len(centres))).astype(points.dtype)
    squares = ((points - centres[labels]) ** 2).sum(axis=1)
    return cp.concatenate([members.T @ points, members.sum(axis=0)[:, None], (members.T @ squares)[:, None]], axis=1)


def density(points, centres):
    """How many points of each cluster fall on each pixel."""
    place = cp.clip((points / (2 * REACH) + 0.5) * SIDE, 0, SIDE - 1).astype(int)
    index = (labels_of(points, centres) * SIDE + place[:, 1]) * SIDE + place[:, 0]
    return cp.bincount(index, minlength=len(centres) * SIDE * SIDE)


def first_centres(points, clusters):
    """Points far from each other: each the farthest from those before."""
    points = points[: min(len(points), 2000)]
    chosen = points[:1]
    for _ in range(clusters - 1):
        distances = ((points[:, None] - chosen) ** 2).sum(axis=2).min(axis=1)
        chosen = cp.concatenate([chosen, points[distances.argmax()][None]])
    return chosen


def moved(total, centres):
    """The mean of every cluster; an empty one stays where it is."""
    return cp.where(total[:, 2:3] > 0, total[:, :2] / cp.maximum(total[:, 2:3], 1), centres)


class Processes:
    """Ranks of a group: each has every size-th block."""

    def __init__(self, group, arguments):
        self.group, self.workers = group, group.size
        self.first = group.rank == 0
        mine = range(group.rank, arguments.blocks, group.size)
        self.points = [block(number, arguments.points, arguments.clusters) for number in mine]

    def start(self, clusters):
        centres = first_centres(self.points[0], clusters) if self.first else cp.empty((clusters, 2))
        self.group.broadcast(centres)
        return centres

    def total(self, function, centres):
        """The sum of what a function gives for all blocks."""
        part = functools.reduce(cp.add, (function(points, centres) for points in self.points))
        self.group.all_reduce(part, part)
        return part


class DaskWorkers:
    """Workers of Dask: blocks are futures, which stay where they were made."""

    first = True

    def __init__(self, client, arguments):
        self.client, self.workers = client, len(client.scheduler_info()["workers"])
        numbers = range(arguments.blocks)
        self.points = client.map(block, numbers, size=arguments.points, clusters=arguments.clusters)

    def start(self, clusters):
        return self.client.submit(first_centres, self.points[0], clusters).result()

    def total(self, function, centres):
        parts = self.client.map(function, self.points, centres=centres, pure=False)
        return self.client.submit(functools.reduce, cp.add, parts).result()


def kmeans(workers, arguments, say):
    """Lloyd's algorithm; returns the centres and the mean squared distance before the last step."""
    centres, error = workers.start(arguments.clusters), 0.0
    for iteration in range(1, arguments.iterations + 1):
        begin = time.perf_counter()
        total = workers.total(sums, centres)
        new = moved(total, centres)
        step = float(abs(new - centres).max())
        centres, error = new, float(total[:, 3].sum() / total[:, 2].sum())
        say(
            f"iteration {iteration:2d}: mean squared distance {error:.6f}, step {step:.2e}, "
            f"{1e3 * (time.perf_counter() - begin):.1f} ms"
        )
        if step < 1e-9:
            break
    return centres, error


def picture(counts, clusters):
    """Colours of the clusters, the more points the darker."""
    from PIL import Image

    counts = cp.asnumpy(counts).reshape(clusters, SIDE, SIDE)[:, ::-1].astype(float)
    shades = numpy.log1p(counts) / numpy.log1p(counts.max())
    image = numpy.ones((SIDE, SIDE, 3))
    for number, shade in enumerate(shades):
        colour = numpy.array([int(COLOURS[number % len(COLOURS)][at : at + 2], 16) / 255 for at in (0, 2, 4)])
        image -= shade[..., None] * (1 - colour)
    return Image.fromarray((numpy.clip(image, 0, 1) * 255).astype("uint8"))


def workers_of(arguments, stack):
    """The workers that the program was started with."""
    if arguments.dask is None and arguments.scheduler_file is None:
        return Processes(stack.enter_context(distributed.init_process_group(backend=arguments.backend)), arguments)
    from distributed import Client, LocalCluster

    where = {"scheduler_file": arguments.scheduler_file}
    if arguments.scheduler_file is None:
        options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
        where = {"address": stack.enter_context(LocalCluster(n_workers=arguments.dask, **options))}
    return DaskWorkers(stack.enter_context(Client(**where)), arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, default=50_000, help="points of a block")
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--clusters", type=int, default=6)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--backend", choices=["nccl", "rccl", "mpi", "store"], help="what carries messages")
    parser.add_argument("--dask", type=int, metavar="N", help="start a cluster of N worker processes here")
    parser.add_argument("--scheduler-file", help="of a Dask scheduler that runs")
    parser.add_argument("--output", help="file of the picture")
    arguments = parser.parse_args()

    with contextlib.ExitStack() as stack:
        workers = workers_of(arguments, stack)

        def say(text):
            if workers.first:
                print(text, flush=True)

        say(f"{arguments.blocks * arguments.points} points, {workers.workers} {type(workers).__name__}")
        centres, error = kmeans(workers, arguments, say)
        counts = workers.total(density, centres)
        if not workers.first:
            return
        if arguments.output:
            picture(counts, arguments.clusters).save(arguments.output)
            print(f"wrote {arguments.output}")
        # What one process alone finds.
        blocks = [block(number, arguments.points, arguments.clusters) for number in range(arguments.blocks)]
        whole = cp.concatenate(blocks)
        step = moved(sums(whole, centres), centres)
        found = bool(abs(step - centres).max() < 1e-6) and int(counts.sum()) == len(whole)
        distances = numpy.linalg.norm(true_centres(arguments.clusters)[:, None] - cp.asnumpy(centres), axis=2)
        found = found and distances.min(axis=1).max() < 0.1
        print(f"check: centres are those of one process, near the true ones: {'ok' if found else 'FAILED'}")
        if not found:
            sys.exit(1)


if __name__ == "__main__":
    main()
