"""Shares a Monte Carlo integral and a matrix product over all devices of the machine.

Each device gets its own seed and its own rows; the host joins the results. Work is queued on all devices before
anything waits. Processes of their own for each device, with collective operations between them, are in
examples/cluster.
"""

import math
import sys

import numpy
from harness import Target, parser, report, targets


def shares(total: int, count: int) -> list[slice]:
    """Parts of a range, as even as they can be."""
    bounds = [total * part // count for part in range(count + 1)]
    return [slice(low, high) for low, high in zip(bounds, bounds[1:], strict=False)]


def volume(devices: list[Target], points: int) -> tuple[float, float]:
    """The volume of the ball in five dimensions, by points in a cube, with its standard error."""
    counts = []
    for number, (target, part) in enumerate(zip(devices, shares(points, len(devices)), strict=True)):
        with target.active():
            random = target.xp.random.default_rng([17, number])
            place = random.random((part.stop - part.start, 5)) * 2 - 1
            counts.append(((place**2).sum(axis=1) <= 1).sum())
    inside = sum(int(count) for count in counts) / points
    return 32 * inside, 32 * math.sqrt(inside * (1 - inside) / points)


def product(devices: list[Target], a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """The product of two matrices, some rows of the first on each device, all of the second on every device."""
    parts = []
    for target, rows in zip(devices, shares(len(a), len(devices)), strict=True):
        with target.active():
            parts.append(target.xp.asarray(a[rows]) @ target.xp.asarray(b))
    return numpy.concatenate([target.to_host(part) for target, part in zip(devices, parts, strict=True)])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=1_000_000)
    options.add_argument("--rows", type=int, default=600)
    arguments = options.parse_args()
    if arguments.backend == "numpy":
        sys.exit("NumPy has no devices")
    devices = targets(arguments)
    if len(devices) == 1:
        print(f"{devices[0].name} is the only device here: it gets two parts.")
        devices *= 2
    found, error = volume(devices, arguments.points)
    exact = 8 * math.pi**2 / 15
    print(f"{arguments.points} points on {len(devices)} devices: {found:.4f} +- {error:.4f}, exactly {exact:.4f}")
    report("the volume is within four standard errors", abs(found - exact) < 4 * error)
    random = numpy.random.default_rng(0)
    a, b = random.random((arguments.rows, 300)), random.random((300, 200))
    difference = float(abs(product(devices, a, b) - a @ b).max())
    report(f"rows of {len(devices)} devices are those of one to {difference:.1e}", difference < 1e-10)


if __name__ == "__main__":
    main()
