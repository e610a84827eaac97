"""Finds the cells in a noisy image that it makes, measures them and writes a picture.

Median filter, threshold, filled holes, opening, labels, and statistics of each label: functions of `scipy.ndimage`.
"""

from pathlib import Path
from typing import Any

import numpy
from harness import NUMPY, Target, parser, report, targets, timed, write


def image(size: int, cells: int, seed: int = 1) -> numpy.ndarray:
    """Bright discs of different sizes with dark middles on an uneven ground, with noise and dead pixels."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:size, :size].astype(numpy.float32)
    picture = 40 + 20 * x / size + 10 * y / size
    for _ in range(cells):
        row, column = random.uniform(0, size, 2)
        radius = random.uniform(0.012, 0.03) * size
        distance = numpy.hypot(y - row, x - column) / radius
        picture = numpy.where(distance < 1, 130 + 60 * random.random() - 70 * (distance < 0.3), picture)
    picture += random.normal(scale=18, size=picture.shape)
    picture[random.random(picture.shape) < 0.02] = 255
    return picture.clip(0, 255).astype(numpy.uint8)


def segment(xp: Any, ndimage: Any, picture: Any) -> tuple[Any, int, Any]:
    """The label of each pixel, the number of cells, and rows of their area, brightness and place."""
    smooth = ndimage.median_filter(picture, 5).astype(xp.float32)
    ground = ndimage.gaussian_filter(ndimage.minimum_filter(smooth, 31), 15)
    cells = ndimage.binary_fill_holes(smooth - ground > 45)
    cells = ndimage.binary_opening(cells, iterations=2)
    labels, count = ndimage.label(cells)
    index = xp.arange(1, count + 1)
    area = ndimage.sum_labels(cells, labels, index)
    brightness = ndimage.mean(picture, labels, index)
    place = xp.asarray(numpy.array(ndimage.center_of_mass(cells, labels, index), float).reshape(count, 2).T)
    return labels, count, xp.stack([area, brightness, place[0], place[1]])


def run(target: Target, start: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, float]:
    """Labels and measurements on the host, and the seconds that they took."""
    if target is NUMPY:
        import scipy.ndimage as ndimage
    else:
        ndimage = target.xp.scipy.ndimage
    with target.active():
        picture = target.xp.array(start)
        segment(target.xp, ndimage, picture)
        (labels, _, measured), seconds = timed(target, lambda: segment(target.xp, ndimage, picture))
        return target.to_host(labels), target.to_host(measured), seconds


def coloured(picture: numpy.ndarray, labels: numpy.ndarray) -> numpy.ndarray:
    """The image beside its cells, each in a colour of its own."""
    colours = numpy.random.default_rng(0).integers(60, 256, (labels.max() + 1, 3))
    colours[0] = 0
    grey = numpy.repeat(picture[..., None], 3, axis=2)
    return numpy.concatenate([grey, colours[labels].astype(numpy.uint8)], axis=1)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--size", type=int, default=768, help="pixels along an edge (default 768)")
    options.add_argument("--cells", type=int, default=120)
    options.add_argument("--output", type=Path, default=Path("segment_image.png"))
    arguments = options.parse_args()
    if arguments.size < 64 or arguments.cells < 1:
        options.error("--size must be at least 64 and --cells at least 1")
    start = image(arguments.size, arguments.cells)
    print(f"{arguments.size} x {arguments.size} pixels, {arguments.cells} cells, some of which touch\n")
    print(f"{'':24} {'ms':>8} {'found':>8} {'mean area':>10} {'brightness':>11}")

    def show(target: Target) -> tuple[numpy.ndarray, numpy.ndarray]:
        labels, measured, seconds = run(target, start)
        area, brightness = measured[:2].mean(1)
        print(
            f"{target.name:24} {seconds * 1e3:8.1f} {measured.shape[1]:8} {area:10.1f} {brightness:11.1f}", flush=True
        )
        return labels, measured

    reference = result = show(NUMPY)
    same = True
    for target in targets(arguments):
        if target is not NUMPY:
            result = show(target)
            same = same and bool((result[0] == reference[0]).all()) and numpy.allclose(result[1], reference[1])

    write(coloured(start, result[0]), arguments.output)
    if result is not reference:
        report("labels and measurements as SciPy's", same)


if __name__ == "__main__":
    main()
