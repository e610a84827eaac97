"""PageRank of a random web with communities, on a dense matrix, three ways.

python pagerank.py --pages 300
python pagerank.py --cpu
"""

import argparse
import sys

import cupy
import numpy as np


def web(pages, communities, seed):
    """Links as two arrays of page numbers; more within a community, and some pages without any."""
    rng = np.random.RandomState(seed)
    community = rng.randint(0, communities, pages)
    source, target = [], []
    for page in range(pages):
        if rng.uniform() < 0.05:
            continue
        near = np.flatnonzero(community == community[page])
        count = rng.randint(2, 12)
        links = np.where(rng.uniform(size=count) < 0.8, rng.choice(near, count), rng.randint(0, pages, count))
        links = np.unique(links[links != page])
        source.extend([page] * len(links))
        target.extend(links.tolist())
    return np.array(source), np.array(target), community


def adjacency(source, target, pages, xp):
    a = xp.zeros((pages, pages), dtype=np.float64)
    a[xp.asarray(source), xp.asarray(target)] = 1
    return a


def transition(a):
    """The column-stochastic matrix: a page without links leads anywhere."""
    xp = cupy.get_array_module(a)
    degree = a.sum(axis=1)
    dangling = degree == 0
    p = xp.where(dangling[:, None], 1.0 / a.shape[0], a / xp.maximum(degree, 1)[:, None])
    assert xp.allclose(p.sum(axis=1), 1)
    return xp.ascontiguousarray(p.T)


def power_iteration(p, damping, tol, max_iter=1000):
    xp = cupy.get_array_module(p)
    n = p.shape[0]
    rank = xp.full(n, 1.0 / n)
    for iteration in range(1, max_iter + 1):
        new = damping * xp.matmul(p, rank) + (1 - damping) / n
        change = xp.abs(new - rank).sum()
        rank = new
        if change < tol:
            return rank, iteration
    raise RuntimeError("did not converge")


def by_solving(p, damping):
    """The ranks as the solution of a linear system."""
    xp = cupy.get_array_module(p)
    n = p.shape[0]
    b = xp.ones(n) * (1 - damping) / n
    return xp.linalg.solve(xp.eye(n) - damping * p, b)


def by_squaring(p, damping, times=7):
    """The ranks from a high power of the matrix."""
    xp = cupy.get_array_module(p)
    n = p.shape[0]
    google = damping * p + (1 - damping) / n
    power = xp.linalg.matrix_power(google, 2**times)
    return power.mean(axis=1)


def personalised(p, damping, seeds, rounds=60):
    """Ranks for several sets of start pages at once, one column each."""
    xp = cupy.get_array_module(p)
    start = xp.zeros((p.shape[0], len(seeds)))
    for column, members in enumerate(seeds):
        start[xp.asarray(members), column] = 1.0 / len(members)
    rank = start.copy()
    for _ in range(rounds):
        rank = damping * p @ rank + (1 - damping) * start
    return rank


def report(name, rank, top=5):
    order = cupy.asnumpy((-rank).argsort(kind="stable")[:top])
    values = cupy.asnumpy(rank)[order]
    print(name, " ".join("%d:%.8f" % pair for pair in zip(order, values, strict=True)))


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", default=200, type=int)
    parser.add_argument("--communities", default=4, type=int)
    parser.add_argument("--damping", default=0.85, type=float)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args(argv)
    if not args.cpu and cupy.cuda.runtime.getDeviceCount() == 0:
        sys.exit("no device")

    xp = np if args.cpu else cupy
    source, target, community = web(args.pages, args.communities, args.seed)
    a = adjacency(source, target, args.pages, xp)
    p = transition(a)
    rank, iterations = power_iteration(p, args.damping, 1e-12)
    report("power", rank)
    print("iterations", iterations)
    for name, other in (("solve", by_solving(p, args.damping)), ("square", by_squaring(p, args.damping))):
        report(name, other)
        xp.testing.assert_allclose(rank, other, rtol=1e-8)
    print("sum %.10f" % rank.sum().item())

    seeds = [np.flatnonzero(community == c)[:3] for c in range(args.communities)]
    ranks = personalised(p, args.damping, seeds)
    inside = [float(ranks[xp.asarray(np.flatnonzero(community == c)), c].sum()) for c in range(args.communities)]
    print("inside", " ".join("%.6f" % value for value in inside))
    correlation = xp.corrcoef(a.sum(axis=0), rank)[0, 1]
    print("correlation %.8f" % float(correlation))
    quantiles = xp.percentile(rank, xp.asarray([10, 50, 90]) if xp is cupy else [10, 50, 90])
    print("quantiles", " ".join("%.8f" % value for value in quantiles.tolist()))


if __name__ == "__main__":
    main()
