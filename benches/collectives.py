"""Collectives, products of distributed matrices and k-means on several GPUs, beside PyTorch in the same run.

    python -m cuproxide.distributed.run --nproc 2 benches/collectives.py --markdown benches/results/collectives.md
    python benches/collectives.py --scaling 1 2 4        # k-means and SUMMA on 1, 2 and 4 GPUs

Bandwidth is that of the bus, as NCCL's own tests count it: the bytes that each GPU has to send by the best algorithm,
a second. Times are the best of several rounds, each of many calls in a row; the libraries take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

import cuproxide as cp
import machine
from cuproxide import distributed

SIZES = [1 << power for power in range(10, 31, 2)]
OPERATIONS = ["all_reduce", "all_gather", "all_to_all"]


def bus_share(operation, size):
    """What each GPU sends, in units of the whole message."""
    return {"all_reduce": 2 * (size - 1) / size, "all_gather": (size - 1) / size, "all_to_all": (size - 1) / size}[
        operation
    ]


def ours(group, operation, nbytes):
    """A call of ours for a message of so many bytes (of all ranks together but for all_reduce)."""
    count = nbytes // 4
    if operation == "all_reduce":
        x = cp.ones(count, "f4")
        return lambda: group.all_reduce(x, x)
    whole = cp.ones((group.size, count // group.size), "f4")
    if operation == "all_gather":
        part = cp.ones(count // group.size, "f4")
        return lambda: group.all_gather(part, whole, part.size)
    result = cp.empty_like(whole)
    return lambda: group.all_to_all(whole, result)


def theirs(torch, operation, nbytes, size):
    """The same call of PyTorch."""
    dist, count = torch.distributed, nbytes // 4
    if operation == "all_reduce":
        x = torch.ones(count, device="cuda")
        return lambda: dist.all_reduce(x)
    whole = torch.ones(count // size * size, device="cuda")
    if operation == "all_gather":
        part = torch.ones(count // size, device="cuda")
        return lambda: dist.all_gather_into_tensor(whole, part)
    result = torch.empty_like(whole)
    return lambda: dist.all_to_all_single(result, whole)


def timed(call, wait, repeats):
    """Seconds a call, for calls in a row."""
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    wait()
    return (time.perf_counter() - begin) / repeats


def collectives(group, rounds):
    """Rows of times: operation, bytes, ours, PyTorch's or None."""
    torch = None
    try:
        import torch
    except ImportError:
        pass
    if torch is not None:
        torch.cuda.set_device(cp.cuda.Device().id)
        port = os.environ.get("BENCH_PORT", "29677")
        where = f"tcp://{os.environ.get('MASTER_ADDR', '127.0.0.1')}:{port}"
        torch.distributed.init_process_group("nccl", init_method=where, rank=group.rank, world_size=group.size)
    wait = cp.cuda.Device().synchronize
    for operation in OPERATIONS:
        for nbytes in SIZES:
            calls = {"ours": ours(group, operation, nbytes)}
            if torch is not None:
                calls["torch"] = theirs(torch, operation, nbytes, group.size)
            repeats = max(5, min(200, (1 << 30) // nbytes))
            times = {name: [] for name in calls}
            for call in calls.values():
                timed(call, wait, 3)
            for _ in range(rounds):
                for name, call in calls.items():
                    group.barrier()
                    times[name].append(timed(call, wait, repeats))
            best = cp.array([min(times[name]) for name in calls])
            group.all_reduce(best, best, op="max")
            found = dict(zip(calls, best.tolist(), strict=True))
            yield operation, nbytes, found["ours"], found.get("torch")
    if torch is not None:
        torch.distributed.destroy_process_group()


def table(rows, size):
    """The rows in Markdown."""
    lines = [
        "| operation | message | Cuproxide | GB/s | PyTorch | GB/s | PyTorch / Cuproxide |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for operation, nbytes, mine, other in rows:
        rate = bus_share(operation, size) * nbytes / 1e9
        unit = f"{nbytes >> 10} KiB" if nbytes < 1 << 20 else f"{nbytes >> 20} MiB"
        peer = f"{1e6 * other:.1f} us | {rate / other:.1f} | {other / mine:.2f}" if other else " | | "
        lines.append(f"| {operation} | {unit} | {1e6 * mine:.1f} us | {rate / mine:.1f} | {peer} |")
    return "\n".join(lines)


def kmeans(group, points, clusters=8, iterations=10):
    """Seconds an iteration of Lloyd's algorithm on points that the ranks share, 2-d float32."""
    mine = points // group.size
    rng = cp.random.default_rng(group.rank)
    x = rng.normal(size=(mine, 2)).astype("f4")
    centres = cp.asarray(cp.random.default_rng(99).normal(size=(clusters, 2)).astype("f4"))

    def step():
        nonlocal centres
        labels = ((centres * centres).sum(axis=1) - 2 * (x @ centres.T)).argmin(axis=1)
        sums = cp.stack(
            [
                cp.bincount(labels, minlength=clusters).astype("f8"),
                cp.bincount(labels, weights=x[:, 0], minlength=clusters),
                cp.bincount(labels, weights=x[:, 1], minlength=clusters),
            ]
        )
        group.all_reduce(sums, sums)
        centres = (sums[1:] / cp.maximum(sums[0], 1)).T.astype("f4")

    for _ in range(2):
        step()
    centres.sum().item()
    found = []
    for _ in range(3):
        group.barrier()
        begin = time.perf_counter()
        for _ in range(iterations):
            step()
        centres.sum().item()
        found.append((time.perf_counter() - begin) / iterations)
    return min(found)


def summa(group, rows):
    """Seconds for a product of float32 matrices in blocks over the ranks."""
    from cuproxide.distributed.array import distributed_array

    size = group.size
    shares = {rank: [(slice(rows * rank // size, rows * (rank + 1) // size), slice(0, rows))] for rank in range(size)}
    columns = {rank: [(slice(0, rows), slice(rows * rank // size, rows * (rank + 1) // size))] for rank in range(size)}
    a = cp.random.default_rng(0).normal(size=(rows, rows)).astype("f4")
    x, y = distributed_array(a, shares, group=group), distributed_array(a, columns, group=group)
    found = []
    for _ in range(4):
        group.barrier()
        begin = time.perf_counter()
        product = x @ y
        for parts in product.all_chunks().values():
            for part in parts:
                cp.evaluate(part)
        cp.cuda.Device().synchronize()
        found.append(time.perf_counter() - begin)
        del product
    return statistics.median(found[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--markdown", help="file for the table")
    parser.add_argument("--scaling", type=int, nargs="+", help="numbers of GPUs for k-means and SUMMA")
    parser.add_argument("--programs", action="store_true", help="k-means and SUMMA only, in this group")
    parser.add_argument("--points", type=int, default=1 << 27)
    parser.add_argument("--rows", type=int, default=16384)
    arguments = parser.parse_args()

    if arguments.scaling:
        for count in arguments.scaling:
            command = [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", str(count), __file__]
            sizes = ["--points", str(arguments.points), "--rows", str(arguments.rows)]
            subprocess.run([*command, "--programs", *sizes], check=True)
        return
    with distributed.init_process_group() as group:
        if arguments.programs:
            seconds, product = kmeans(group, arguments.points), summa(group, arguments.rows)
            if group.rank == 0:
                flops = 2 * arguments.rows**3 / product / 1e12
                print(
                    f"{group.size} GPUs: k-means of {arguments.points} points {1e3 * seconds:.2f} ms an iteration, "
                    f"product of {arguments.rows} rows {1e3 * product:.2f} ms ({flops:.1f} TFLOP/s)",
                    flush=True,
                )
            return
        rows = list(collectives(group, arguments.rounds))
        if group.rank == 0:
            text = table(rows, group.size)
            facts = "\n".join(f"- {name}: {value}" for name, value in machine.facts().items())
            print(text, flush=True)
            if arguments.markdown:
                with open(arguments.markdown, "w") as file:
                    file.write(f"# Collectives of {group.size} GPUs\n\n{facts}\n\n{text}\n")


if __name__ == "__main__":
    main()
