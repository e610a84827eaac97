"""Fits a mixture of normal distributions by expectation maximisation, and draws the points on its density.

Each step handles all points and all components at once: batches of small Cholesky factorisations and triangular
solves.
"""

import math
from pathlib import Path

import numpy
from harness import NUMPY, Target, parser, report, targets, timed, write
from PIL import Image


def samples(count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Points of three distributions, and the means of those."""
    random = numpy.random.default_rng(3)
    means = numpy.array([[-2.0, 0.0], [2.0, 1.0], [0.0, -2.5]])
    roots = numpy.array([[[0.9, 0.5], [0.0, 0.4]], [[0.5, 0.0], [-0.6, 0.5]], [[1.2, 0.0], [0.1, 0.3]]])
    label = random.choice(3, count, p=[0.5, 0.3, 0.2])
    noise = random.standard_normal((count, 2))
    return means[label] + (noise[:, None, :] @ roots[label])[:, 0], means


def log_densities(xp, points, weights, means, covariances):
    """The logarithm of each component's density at each point, times its weight: an array (components, points)."""
    roots = xp.linalg.cholesky(covariances)
    apart = xp.swapaxes(points[None] - means[:, None], 1, 2)
    scaled = xp.linalg.solve(roots, apart)
    logs = xp.log(xp.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    constant = xp.log(weights) - logs - points.shape[1] / 2 * math.log(2 * math.pi)
    return constant[:, None] - 0.5 * (scaled**2).sum(axis=1)


def fit(xp, points, components, iterations):
    """Weights, means, covariances, and the mean log-likelihood of each iteration."""
    order = xp.argsort(points[:, 0] + 2 * points[:, 1], stable=True)
    chosen = (2 * xp.arange(components) + 1) * len(points) // (2 * components)
    means = points[order[chosen]]
    covariances = xp.broadcast_to(xp.cov(points.T), (components, 2, 2))
    weights, history = xp.full(components, 1 / components), []
    for _ in range(iterations):
        logs = log_densities(xp, points, weights, means, covariances)
        top = logs.max(axis=0)
        total = top + xp.log(xp.exp(logs - top).sum(axis=0))
        history.append(total.mean())
        shares = xp.exp(logs - total)
        counts = shares.sum(axis=1)
        weights, means = counts / len(points), (shares @ points) / counts[:, None]
        apart = points[None] - means[:, None]
        spread = xp.swapaxes(apart * shares[:, :, None], 1, 2) @ apart
        covariances = spread / counts[:, None, None] + 1e-6 * xp.eye(2)
    return weights, means, covariances, xp.stack(history)


def picture(points: numpy.ndarray, weights, means, covariances) -> Image.Image:
    """Points in black over the density in grey."""
    y, x = numpy.mgrid[4:-4.5:240j, -5:5:280j]
    places = numpy.stack([x.ravel(), y.ravel()], axis=1)
    density = numpy.exp(log_densities(numpy, places, weights, means, covariances)).sum(axis=0).reshape(x.shape)
    levels = 255 - 155 * (density / density.max()) ** 0.5
    column, row = (points[:, 0] + 5) / 10 * 279, (4 - points[:, 1]) / 8.5 * 239
    inside = (column > 0) & (column < 279) & (row > 0) & (row < 239)
    levels[row[inside].astype(int)[::8], column[inside].astype(int)[::8]] = 0
    return Image.fromarray(levels.astype(numpy.uint8)).resize((560, 480))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=20_000)
    options.add_argument("--iterations", type=int, default=60)
    options.add_argument("--output", type=Path, default=Path("gaussian_mixture.png"))
    arguments = options.parse_args()
    points, truth = samples(arguments.points)
    print(f"{arguments.points} points, 3 components, {arguments.iterations} iterations, float64\n")

    def show(target: Target) -> list[numpy.ndarray]:
        with target.active():
            place = target.xp.asarray(points)
            fit(target.xp, place, 3, 1)  # compiles
            found, seconds = timed(target, lambda: fit(target.xp, place, 3, arguments.iterations))
            result = [target.to_host(part) for part in found]
        each = seconds / arguments.iterations * 1e3
        print(f"{target.name:24} {each:8.3f} ms/iteration, log-likelihood {result[3][-1]:.6f}", flush=True)
        return result

    results = [show(NUMPY), *(show(target) for target in targets(arguments) if target is not NUMPY)]
    write(picture(points, *results[-1][:3]), arguments.output)
    apart = float(abs(results[-1][1][:, None] - truth).max(axis=2).min(axis=0).max())
    report("every mean is found within 0.1", apart < 0.1)
    report("the likelihood never falls", bool((numpy.diff(results[-1][3]) > -1e-9).all()))
    difference = max(float(abs(one - other).max()) for one, other in zip(results[0], results[-1], strict=True))
    report(f"as with NumPy to {difference:.1e}", difference < 1e-6)


if __name__ == "__main__":
    main()
