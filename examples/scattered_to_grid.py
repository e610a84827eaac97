"""Fills a grid with heights that are known at scattered points only, in four ways, and writes a picture of them.

The nearest point, planes on triangles, smooth pieces on triangles (Clough and Tocher), and radial basis functions.
"""

import importlib.util
from functools import partial
from pathlib import Path

import numpy
from harness import NUMPY, Target, parser, report, targets, timed, write

METHODS = ("nearest", "linear", "cubic", "radial")
# Deep and shallow water, beach, meadow, wood, rock, snow: heights from 0 to 1.
PALETTE = "18346e 3a7cb4 e2d39e 78aa54 346e3c 807060 fafafa"


def landscape(xp, x, y):
    """Hills and a bay (Franke's function)."""
    u, v = 9 * x, 9 * y
    hills = 0.75 * xp.exp(-((u - 2) ** 2 + (v - 2) ** 2) / 4) + 0.75 * xp.exp(-((u + 1) ** 2) / 49 - (v + 1) / 10)
    return hills + 0.5 * xp.exp(-((u - 7) ** 2 + (v - 3) ** 2) / 4) - 0.2 * xp.exp(-((u - 4) ** 2) - (v - 7) ** 2)


def survey(points: int) -> numpy.ndarray:
    """Where heights are measured: the corners, and at random."""
    inside = numpy.random.default_rng(7).random((points - 4, 2))
    return numpy.concatenate([[[0, 0], [0, 1], [1, 0], [1, 1]], inside])


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
        grid = tuple(xp.mgrid[0 : 1 : size * 1j, 0 : 1 : size * 1j][::-1])
        for method in METHODS:
            work = partial(fill, interpolate, xp, points, heights, grid, method)
            work()
            result, spent[method] = timed(target, work)
            filled[method] = target.to_host(result)
    return filled, spent


def picture(heights: numpy.ndarray) -> numpy.ndarray:
    """The colours of a map."""
    palette = numpy.array([list(bytes.fromhex(colour)) for colour in PALETTE.split()], float)
    knots = numpy.linspace(-0.15, 1.2, len(palette))
    shade = 1 + 6 * (numpy.gradient(heights, axis=1) + numpy.gradient(heights, axis=0))[..., None].clip(-0.06, 0.06)
    channels = numpy.stack([numpy.interp(heights, knots, palette[:, channel]) for channel in range(3)], axis=-1)
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
    results = []
    for target in chosen:
        filled, spent = run(target, known, arguments.size)
        errors = {method: float(numpy.abs(filled[method] - truth).mean()) for method in METHODS}
        row = "".join(f"{spent[method] * 1e3:10.2f} {errors[method]:7.5f}" for method in METHODS)
        print(f"{target.name:24} {row}", flush=True)
        results.append(filled)

    first, last = results[0], results[-1]
    nearest, linear, cubic, radial = (picture(last[method]) for method in METHODS)
    write(numpy.concatenate([numpy.hstack([nearest, linear]), numpy.hstack([cubic, radial])]), arguments.output)
    report(f"radial basis functions are {errors['radial']:.1e} from the truth on average", errors["radial"] < 5e-3)
    if len(results) > 1:
        difference = max(float(numpy.abs(last[method] - first[method]).max()) for method in METHODS[1:])
        report(f"grids as the first library's to {difference:.1e}", difference < 1e-4)


if __name__ == "__main__":
    main()
