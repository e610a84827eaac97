"""Grows the patterns of Gray and Scott's reaction by a kernel written in Python, and writes a picture of them.

`jit.rawkernel` compiles the function for every device. One thread handles one point of a grid that is closed to a
torus.
"""

from pathlib import Path

import numpy
from harness import parser, report, targets, timed, write
from PIL import Image

FEED, KILL = 0.037, 0.06


def compiled():
    """The kernel, which needs the package."""
    from cuproxide import jit

    @jit.rawkernel()
    def advance(u, v, next_u, next_v, size):
        i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        if i < size * size:
            row, column = i // size * size, i % size
            up, down = (row + size * (size - 1)) % (size * size), (row + size) % (size * size)
            left, right = (column + size - 1) % size, (column + 1) % size
            spread_u = u[up + column] + u[down + column] + u[row + left] + u[row + right] - 4 * u[i]
            spread_v = v[up + column] + v[down + column] + v[row + left] + v[row + right] - 4 * v[i]
            rate = u[i] * v[i] * v[i]
            next_u[i] = u[i] + 0.2 * spread_u - rate + 0.037 * (1 - u[i])
            next_v[i] = v[i] + 0.1 * spread_v + rate - 0.097 * v[i]

    return advance


def by_arrays(xp, u, v):
    """The same step by functions of arrays."""

    def spread(x):
        return xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) + xp.roll(x, -1, 1) - 4 * x

    rate = u * v * v
    return u + 0.2 * spread(u) - rate + FEED * (1 - u), v + 0.1 * spread(v) + rate - (FEED + KILL) * v


def start(size: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """A calm grid with some drops of the second substance."""
    random = numpy.random.default_rng(5)
    u, v = numpy.ones((size, size), numpy.float32), numpy.zeros((size, size), numpy.float32)
    for y, x in random.integers(0, size - 6, (12, 2)):
        u[y : y + 6, x : x + 6], v[y : y + 6, x : x + 6] = 0.5, 0.3
    return u, v


def run(xp, kernel, u, v, steps, size):
    """The second substance after so many steps."""
    states = (u.ravel().copy(), v.ravel().copy()), (xp.empty(size * size, u.dtype), xp.empty(size * size, v.dtype))
    for step in range(steps):
        kernel(((size * size + 127) // 128,), (128,), (*states[step % 2], *states[(step + 1) % 2], xp.uint32(size)))
    return states[steps % 2][1].reshape(size, size)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--size", type=int, default=96)
    options.add_argument("--steps", type=int, default=1500)
    options.add_argument("--output", type=Path, default=Path("reaction.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy" or arguments.size < 16 or arguments.steps < 1:
        options.error("NumPy compiles no kernels; --size must be at least 16 and --steps 1")
    u, v = start(arguments.size)
    print(f"{arguments.size} x {arguments.size} points, {arguments.steps} steps, float32\n")
    for target in targets(arguments):
        xp, kernel = target.xp, compiled()
        with target.active():
            a, b = xp.asarray(u), xp.asarray(v)
            close = run(xp, kernel, a, b, 20, arguments.size)
            for _ in range(20):
                a, b = by_arrays(xp, a, b)
            difference = float(abs(close - b).max())
            work = lambda xp=xp, kernel=kernel: run(xp, kernel, xp.asarray(u), xp.asarray(v), arguments.steps, len(u))  # noqa: E731
            pattern, seconds = timed(target, work)
            pattern = target.to_host(pattern)
        print(f"{target.name:24} {seconds / arguments.steps * 1e6:8.1f} us/step", flush=True)
        report(f"20 steps are those of arrays to {difference:.1e}", difference < 1e-5)
    levels = (255 * (1 - pattern / pattern.max())).clip(0, 255).astype(numpy.uint8)
    write(Image.fromarray(levels).resize((384, 384)), arguments.output)
    report("a pattern has grown", 0.02 < float((pattern > 0.1).mean()) < 0.98)


if __name__ == "__main__":
    main()
