"""K-means clustering with k-means++ seeding.

python kmeans.py --n-clusters 5 --num 2000
python kmeans.py --cpu
"""

import argparse
import contextlib
import time

import cupy
import cupyx
import numpy as np


@contextlib.contextmanager
def timer(message):
    cupy.cuda.Stream.null.synchronize()
    start = time.time()
    yield
    cupy.cuda.Stream.null.synchronize()
    end = time.time()
    print("%s:  %f sec" % (message, end - start))


def blobs(num, n_clusters, dim, seed):
    """Points around random centres, and the number of the centre of each."""
    rng = np.random.RandomState(seed)
    centers = rng.uniform(-10, 10, (n_clusters, dim))
    truth = rng.randint(0, n_clusters, num)
    points = centers[truth] + rng.normal(scale=1.8, size=(num, dim))
    return points.astype(np.float32), truth


def squared_distances(X, centers):
    """All squared distances between points and centres, without a three-dimensional intermediate."""
    xp = cupy.get_array_module(X)
    cross = X.dot(centers.T)
    norms = xp.einsum("ij,ij->i", X, X)
    return xp.maximum(norms[:, None] - 2 * cross + (centers**2).sum(axis=1)[None, :], 0)


def seed_centers(X, n_clusters, draws):
    """k-means++: each centre is drawn in proportion to the squared distance from those before."""
    xp = cupy.get_array_module(X)
    centers = xp.empty((n_clusters, X.shape[1]), dtype=X.dtype)
    centers[0] = X[int(draws[0] * len(X))]
    nearest = squared_distances(X, centers[:1])[:, 0]
    for k in range(1, n_clusters):
        cumulative = xp.cumsum(nearest.astype(np.float64))
        pick = int(xp.searchsorted(cumulative, draws[k] * cumulative[-1]))
        centers[k] = X[min(pick, len(X) - 1)]
        nearest = xp.minimum(nearest, squared_distances(X, centers[k : k + 1])[:, 0])
    return centers


def new_centers(X, labels, centers):
    """The mean of each cluster; an empty cluster keeps its centre."""
    xp = cupy.get_array_module(X)
    sums = xp.zeros(centers.shape, dtype=X.dtype)
    if xp is np:
        np.add.at(sums, labels, X)
    else:
        cupyx.scatter_add(sums, labels, X)
    counts = xp.bincount(labels, minlength=len(centers))
    filled = counts > 0
    result = centers.copy()
    result[filled] = sums[filled] / counts[filled][:, None].astype(X.dtype)
    return result


def fit(X, n_clusters, max_iter, draws):
    xp = cupy.get_array_module(X)
    assert X.ndim == 2
    centers = seed_centers(X, n_clusters, draws)
    pred = xp.full(len(X), -1, dtype=np.int64)
    for iteration in range(1, max_iter + 1):
        distances = squared_distances(X, centers)
        new_pred = xp.argmin(distances, axis=1)
        if xp.all(new_pred == pred):
            break
        pred = new_pred
        centers = new_centers(X, pred, centers)
    inertia = squared_distances(X, centers)[xp.arange(len(X)), pred].sum()
    return centers, pred, float(inertia), iteration


def purity(pred, truth, n_clusters):
    """Fraction of points whose cluster is mostly of their blob."""
    xp = cupy.get_array_module(pred)
    table = xp.zeros((n_clusters, n_clusters), dtype=np.int64)
    flat = xp.bincount(pred * n_clusters + truth, minlength=n_clusters**2)
    table[...] = flat.reshape(n_clusters, n_clusters)
    return float(table.max(axis=1).sum() / len(pred))


def run(gpuid, n_clusters, num, max_iter, use_cpu, seed):
    points, truth = blobs(num, n_clusters, 3, seed)
    draws = np.random.RandomState(seed + 1).uniform(size=n_clusters)
    if use_cpu:
        centers, pred, inertia, iterations = fit(points, n_clusters, max_iter, draws)
    else:
        with cupy.cuda.Device(gpuid):
            X = cupy.asarray(points)
            truth = cupy.asarray(truth)
            with timer("fit"):
                centers, pred, inertia, iterations = fit(X, n_clusters, max_iter, draws)
    order = centers[:, 0].argsort()
    print("iterations", iterations)
    print("inertia %.4f" % inertia)
    print("purity %.4f" % purity(pred, truth, n_clusters))
    for row in cupy.asnumpy(centers[order]):
        print("center", " ".join("%.4f" % value for value in row))
    print("used bytes", cupy.get_default_memory_pool().used_bytes() >= 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu-id", "-g", default=0, type=int, help="ID of GPU.")
    parser.add_argument("--n-clusters", "-k", default=5, type=int, help="number of clusters")
    parser.add_argument("--num", default=2000, type=int, help="number of samples")
    parser.add_argument("--max-iter", "-m", default=20, type=int, help="number of iterations")
    parser.add_argument("--seed", default=3, type=int)
    parser.add_argument("--cpu", action="store_true", help="use NumPy")
    args = parser.parse_args()
    run(args.gpu_id, args.n_clusters, args.num, args.max_iter, args.cpu, args.seed)
