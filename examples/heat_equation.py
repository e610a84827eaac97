"""Lets heat spread over a plate and writes a picture of the plate before and after.

The explicit five-point scheme: slices of one array, added and written back into its interior.
"""

from pathlib import Path

import numpy
from harness import NUMPY, Target, parser, progress, report, targets, timed, write

# Black, purple, red, yellow, white: temperatures from 0 to 1.
PALETTE = numpy.array([[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]], float)


def plate(size: int) -> numpy.ndarray:
    """A cold plate with a hot ring, a hot bar and a warm edge."""
    y, x = numpy.mgrid[:size, :size] / size
    radius = numpy.hypot(y - 0.45, x - 0.4)
    temperature = numpy.zeros((size, size), numpy.float32)
    temperature[(radius > 0.15) & (radius < 0.22)] = 1
    temperature[(abs(y - x) < 0.02) & (x > 0.6) & (x < 0.9)] = 1
    temperature[-1] = 0.6
    return temperature


def diffuse(xp, temperature, steps, ratio=0.24):
    """Advances the plate in place; `ratio` is diffusivity times time step over squared spacing, stable below 1/4."""
    inner = temperature[1:-1, 1:-1]
    for _ in steps:
        neighbours = temperature[2:, 1:-1] + temperature[:-2, 1:-1] + temperature[1:-1, 2:] + temperature[1:-1, :-2]
        inner += xp.float32(ratio) * (neighbours - 4 * inner)
    return temperature


def run(target: Target, start: numpy.ndarray, iterations: int) -> tuple[numpy.ndarray, float]:
    """The plate afterwards, on the host, and seconds per step."""
    xp = target.xp
    with target.active():
        diffuse(xp, xp.array(start), range(1))
        temperature = xp.array(start)
        steps = progress(target.name, range(iterations), iterations)
        result, seconds = timed(target, lambda: diffuse(xp, temperature, steps))
        return target.to_host(result), seconds / iterations


def picture(temperature: numpy.ndarray) -> numpy.ndarray:
    """The colours of a plate."""
    knots = numpy.linspace(0, 1, len(PALETTE))
    channels = [numpy.interp(temperature, knots, PALETTE[:, channel]) for channel in range(3)]
    return numpy.stack(channels, axis=-1).astype(numpy.uint8)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--size", type=int, default=512, help="points along an edge (default 512)")
    options.add_argument("--steps", type=int, default=2000)
    options.add_argument("--output", type=Path, default=Path("heat_equation.png"))
    arguments = options.parse_args()
    if arguments.size < 3 or arguments.steps < 1:
        options.error("--size must be at least 3 and --steps at least 1")
    start = plate(arguments.size)
    print(f"{arguments.size} x {arguments.size} points, {arguments.steps} steps, float32\n")
    print(f"{'':24} {'us/step':>10} {'mean':>10} {'highest':>10}")

    def show(target: Target) -> numpy.ndarray:
        result, seconds = run(target, start, arguments.steps)
        print(f"{target.name:24} {seconds * 1e6:10.1f} {result.mean():10.6f} {result.max():10.6f}", flush=True)
        return result

    reference = result = show(NUMPY)
    difference = 0.0
    for target in targets(arguments):
        if target is not NUMPY:
            result = show(target)
            difference = max(difference, float(numpy.abs(result - reference).max()))

    write(numpy.concatenate([picture(start), picture(result)], axis=1), arguments.output)
    if result is not reference:
        report(f"temperatures as NumPy's to {difference:.1e}", difference < 1e-5)


if __name__ == "__main__":
    main()
