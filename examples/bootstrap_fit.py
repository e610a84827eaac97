"""Bootstraps the curve of a noisy decay and writes a picture of the data, the curves of resamples and their interval.

Each resample fits a parabola to the logarithm by weighted sums, so all of them are a few array operations.
"""

from pathlib import Path

import numpy
from harness import Target, parser, report, targets, timed, write
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 720, 480


def measure(count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Times and counts of a decay that slows down."""
    random = numpy.random.default_rng(3)
    t = numpy.sort(random.uniform(0, 4, count))
    return t, numpy.exp(3 - 0.9 * t + 0.06 * t**2 + 0.5 * random.standard_normal(count))


def coefficients(xp, t, y, axis=-1):
    """The parabola through logarithms by least squares: its three coefficients along a new first axis."""
    logs = xp.log(y)
    powers = [(t**n).mean(axis=axis) for n in range(5)]
    right = [(t**n * logs).mean(axis=axis) for n in range(3)]
    matrix = xp.stack([xp.stack([powers[i + j] for j in range(3)], axis=-1) for i in range(3)], axis=-2)
    solution = xp.linalg.solve(matrix, xp.stack(right, axis=-1)[..., None])[..., 0]
    return xp.moveaxis(solution, -1, 0)


def run(target: Target, t: numpy.ndarray, y: numpy.ndarray, grid: numpy.ndarray, resamples: int):
    """The limits of the curve at each time of a grid, some of the curves, and the seconds that they took."""
    from cuproxide.scipy import stats

    xp = target.xp
    with target.active():
        ts, ys, at = (xp.array(v) for v in (t, y, grid))

        def curve(ts, ys, axis=-1):
            a, b, c = (v[None] for v in coefficients(xp, ts, ys, axis))
            column = at.reshape(-1, *(1,) * (a.ndim - 1))
            return xp.exp(a + b * column + c * column**2)

        def bootstrapped():
            return stats.bootstrap(
                (ts, ys), curve, n_resamples=resamples, paired=True, vectorized=True, method="percentile", rng=1
            )

        result, seconds = timed(target, bootstrapped)
        low, high = (target.to_host(v) for v in result.confidence_interval)
        return low, high, target.to_host(result.bootstrap_distribution[:, :60].copy()), seconds


def picture(t, y, grid, low, high, curves) -> Image.Image:
    """Points of the data, thin lines of single resamples, and the band between the limits."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image, "RGBA")

    def place(x, z):
        across = 30 + numpy.asarray(x) / 4 * (WIDTH - 60)
        down = HEIGHT - 30 - (numpy.log(z) + 1) / 5.5 * (HEIGHT - 60)
        return list(zip(across.tolist(), down.tolist(), strict=True))

    draw.polygon(place(grid, low) + place(grid, high)[::-1], fill=(70, 130, 200, 90))
    for curve in curves.T:
        draw.line(place(grid, curve), fill=(30, 60, 120, 40))
    for x, z in place(t, y)[:: max(1, len(t) // 400)]:
        draw.ellipse((x - 2, z - 2, x + 2, z + 2), fill=(200, 60, 40, 160))
    return image


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=120, help="how many measurements (default 120)")
    options.add_argument("--resamples", type=int, default=2000, help="how many (default 2000)")
    options.add_argument("--output", type=Path, default=Path("bootstrap_fit.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy":
        options.error("NumPy has no bootstrap")
    t, y = measure(arguments.points)
    grid = numpy.linspace(0, 4, 80)
    for target in targets(arguments):
        low, high, curves, seconds = run(target, t, y, grid, arguments.resamples)
        print(f"{target.name}: {arguments.resamples} resamples of {arguments.points} points in {seconds:.3f} s")
        truth = numpy.exp(3 - 0.9 * grid + 0.06 * grid**2)
        report("the interval holds the curve", float(((low < truth) & (truth < high)).mean()) > 0.8)
        write(picture(t, y, grid, low, high, curves), arguments.output)


if __name__ == "__main__":
    main()
