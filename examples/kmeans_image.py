"""Segments a photograph by k-means and writes it beside the original.

Every pixel is a point in a space of colour and, with less weight, position. The clustering is written against NumPy's
interface: the same function runs with NumPy and, on every device that is present, with Cuproxide.
"""

import math
from pathlib import Path

import numpy
from harness import NUMPY, Target, parser, progress, report, targets, timed, write
from sklearn.datasets import load_sample_image


def pixels(photo: numpy.ndarray, position_weight: float) -> numpy.ndarray:
    """One row for each pixel: red, green, blue, y, x, all between 0 and 1 before the weight."""
    height, width, _ = photo.shape
    y, x = numpy.mgrid[:height, :width].astype(numpy.float32)
    place = numpy.stack([y / height, x / width], axis=-1) * position_weight
    return numpy.concatenate([photo.astype(numpy.float32) / 255, place], axis=-1).reshape(-1, 5)


def initial_centres(xp, points, clusters):
    """Points spread evenly over the range of brightness: no randomness, so that every library starts alike."""
    brightness = xp.rint(255 * points[:, :3].sum(axis=1))
    order = xp.argsort(brightness, kind="stable")
    chosen = (2 * xp.arange(clusters) + 1) * len(points) // (2 * clusters)
    return points[order[chosen]]


def assign(xp, points, centres):
    """The nearest centre of every point: |p - c|^2 without the part that all centres share."""
    distances = (centres * centres).sum(axis=1) - 2 * (points @ centres.T)
    return distances.argmin(axis=1)


def update(xp, points, labels, centres):
    """The mean of every cluster; an empty one stays where it is."""
    members = (labels[:, None] == xp.arange(len(centres))).astype(points.dtype)
    counts = members.sum(axis=0)[:, None]
    return xp.where(counts > 0, (members.T @ points) / xp.maximum(counts, 1), centres)


def kmeans(xp, points, clusters, steps):
    """Lloyd's algorithm; returns the label of every point and the centres."""
    centres = initial_centres(xp, points, clusters)
    for _ in steps:
        centres = update(xp, points, assign(xp, points, centres), centres)
    return assign(xp, points, centres), centres


def segment(target: Target, photo: numpy.ndarray, arguments) -> tuple[numpy.ndarray, float, float]:
    """The photograph in the mean colours of its segments, the mean squared distance, and seconds per iteration."""
    xp = target.xp
    with target.active():
        points = xp.asarray(pixels(photo, arguments.position_weight))
        kmeans(xp, points, arguments.clusters, range(1))  # compiles
        steps = progress(target.name, range(arguments.iterations), arguments.iterations)
        (labels, centres), seconds = timed(target, lambda: kmeans(xp, points, arguments.clusters, steps))
        error = float(((points - centres[labels]) ** 2).sum(axis=1).mean())
        colours = (xp.clip(centres[labels][:, :3], 0, 1) * 255 + 0.5).astype(xp.uint8)
        return target.to_host(colours).reshape(photo.shape), error, seconds / arguments.iterations


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--clusters", type=int, default=16)
    options.add_argument("--iterations", type=int, default=50)
    options.add_argument("--position-weight", type=float, default=0.3, help="0 looks at colour only (default 0.3)")
    options.add_argument("--output", type=Path, default=Path("kmeans_image.png"))
    arguments = options.parse_args()
    if arguments.clusters < 1 or arguments.iterations < 1:
        options.error("--clusters and --iterations must be positive")

    photo = load_sample_image("china.jpg")
    height, width, _ = photo.shape
    print(f"{height} x {width} pixels, {arguments.clusters} clusters, {arguments.iterations} iterations\n")
    print(f"{'':24} {'ms/iteration':>12} {'mean error':>12}")

    def show(target: Target) -> tuple[numpy.ndarray, float]:
        picture, error, seconds = segment(target, photo, arguments)
        print(f"{target.name:24} {seconds * 1e3:12.2f} {error:12.6f}", flush=True)
        return picture, error

    first = show(NUMPY)
    others = [show(target) for target in targets(arguments) if target is not NUMPY]
    picture, _ = [first, *others][-1]
    white = numpy.full((height, 8, 3), 255, numpy.uint8)
    write(numpy.concatenate([photo, white, picture], axis=1), arguments.output)
    if others:
        close = all(math.isclose(error, first[1], rel_tol=1e-3) for _, error in others)
        report("mean error as NumPy's to 0.1 %", close)


if __name__ == "__main__":
    main()
