"""Fills a grid with heights that are known at scattered points only, in four ways, and writes a picture of them.

The nearest point, planes on triangles, smooth pieces on triangles (Clough and Tocher), and radial basis functions.
"""

import importlib
import importlib.util
from pathlib import Path

import numpy
from harness import NUMPY, Target, parser, report, targets, timed
from PIL import Image

METHODS = ("nearest", "linear", "cubic", "radial")
# Deep and shallow water, beach, meadow, wood, rock, snow: heights from 0 to 1.
PALETTE = numpy.array(
    [[24, 52, 110], [58, 124, 180], [226, 211, 158], [120, 170, 84], [52, 110, 60], [128, 112, 96], [250, 250, 250]],
    float,
)


def landscape(xp, x, y):
    """Hills and a bay (Franke's function)."""
    u, v = 9 * x, 9 * y
    hills = 0.75 * xp.exp(-((u - 2) ** 2 + (v - 2) ** 2) / 4) + 0.75 * xp.exp(-((u + 1) ** 2) / 49 - (v + 1) / 10)
    return hills + 0.5 * xp.exp(-((u - 7) ** 2 + (v - 3) ** 2) / 4) - 0.2 * xp.exp(-((u - 4) ** 2) - (v - 7) ** 2)


def survey(points: int) -> numpy.ndarray:
    """Where heights are measured: the corners, and at random."""
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    return numpy.concatenate([corners, numpy.random.default_rng(7).random((points - 4, 2))])


def fill(interpolate, xp, points, heights, grid, method):
    """The heights on a grid."""
    if method == "radial":
        rows = xp.stack([part.ravel() for part in grid], axis=1)
        return interpolate.RBFInterpolator(points, heights)(rows).reshape(grid[0].shape)
    return interpolate.griddata(points, heights, grid, method)


def run(target: Target, survey: numpy.ndarray, size: int) -> tuple[dict[str, numpy.ndarray], dict[str, float]]:
    """The filled grids on the host, and the seconds that each took."""
    interpolate = importlib.import_module("scipy.interpolate" if target is NUMPY else "cuproxide.scipy.interpolate")
    xp, filled, spent = target.xp, {}, {}
    with target.active():
        points = xp.asarray(survey)
        heights = landscape(xp, points[:, 0], points[:, 1])
        line = xp.linspace(0, 1, size)
        grid = tuple(xp.meshgrid(line, line))
        for method in METHODS:
            work = lambda method=method: fill(interpolate, xp, points, heights, grid, method)  # noqa: E731
            work()
            result, spent[method] = timed(target, work)
            filled[method] = target.to_host(result)
    return filled, spent


def picture(heights: numpy.ndarray) -> numpy.ndarray:
    """The colours of a map."""
    knots = numpy.linspace(-0.15, 1.2, len(PALETTE))
    shade = 1 + 6 * (numpy.gradient(heights, axis=1) + numpy.gradient(heights, axis=0))[..., None].clip(-0.06, 0.06)
    channels = numpy.stack([numpy.interp(heights, knots, PALETTE[:, channel]) for channel in range(3)], axis=-1)
    return (channels * shade).clip(0, 255).astype(numpy.uint8)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=400, help="where heights are known (default 400)")
    options.add_argument("--size", type=int, default=384, help="points along an edge of the grid (default 384)")
    options.add_argument("--output", type=Path, default=Path("scattered_to_grid.png"))
    arguments = options.parse_args()
    if arguments.points < 20 or arguments.size < 2:
        options.error("--points must be at least 20 and --size at least 2")
    known = survey(arguments.points)
    line = numpy.linspace(0, 1, arguments.size)
    truth = landscape(numpy, *numpy.meshgrid(line, line))
    print(f"{arguments.points} points, {arguments.size} x {arguments.size} grid, float64: ms, and mean error\n")
    print(f"{'':24} " + "".join(f"{method:>18}" for method in METHODS))

    chosen = targets(arguments)
    if NUMPY not in chosen and importlib.util.find_spec("scipy"):
        chosen = [NUMPY, *chosen]
    results = {}
    for target in chosen:
        filled, spent = run(target, known, arguments.size)
        errors = {method: float(numpy.abs(filled[method] - truth).mean()) for method in METHODS}
        row = "".join(f"{spent[method] * 1e3:10.2f} {errors[method]:7.5f}" for method in METHODS)
        print(f"{target.name:24} {row}", flush=True)
        results[target.name] = filled

    *_, last = results.values()
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    halves = [
        numpy.concatenate([picture(last[method]) for method in pair], axis=1) for pair in (METHODS[:2], METHODS[2:])
    ]
    Image.fromarray(numpy.concatenate(halves)).save(arguments.output)
    print(f"\nwrote {arguments.output}")
    error = float(numpy.abs(last["radial"] - truth).mean())
    report(f"radial basis functions are {error:.1e} from the truth on average", error < 5e-3)
    if len(results) > 1:
        reference = next(iter(results.values()))
        difference = max(
            float(numpy.abs(last[method] - reference[method]).max()) for method in ("linear", "cubic", "radial")
        )
        report(f"grids as the first library's to {difference:.1e}", difference < 1e-4)


if __name__ == "__main__":
    main()
