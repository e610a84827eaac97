"""Lets an ensemble of Lorenz systems evolve and writes a picture of where they come from and where they are.

All systems advance together, each with steps of its own: `solve_ivp(..., batch=True)`.
"""

from pathlib import Path

import numpy
from harness import Target, parser, report, targets, timed, write

SIZE = 512


def lorenz(xp):
    """The derivative of states of shape `(3, ...)`."""
    return lambda t, y: xp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def starts(count: int) -> numpy.ndarray:
    """States close to each other."""
    return numpy.array([[1.0], [1.0], [20.0]]) + 1e-3 * numpy.random.default_rng(0).standard_normal((3, count))


def run(target: Target, states: numpy.ndarray, times: numpy.ndarray) -> tuple[numpy.ndarray, float]:
    """The states at some times, of shape `(3, systems, times)`, and the seconds that they took."""
    from cuproxide.scipy import integrate

    with target.active():
        options = {"t_eval": times, "rtol": 1e-6, "batch": True}
        y0 = target.xp.array(states)
        found, seconds = timed(target, lambda: integrate.solve_ivp(lorenz(target.xp), (0, times[-1]), y0, **options))
        return target.to_host(found.y), seconds


def picture(states: numpy.ndarray) -> numpy.ndarray:
    """x and z of all systems as brightness, the colour from the time."""
    image = numpy.zeros((SIZE, SIZE, 3))
    for index in range(states.shape[2]):
        column = numpy.clip((states[0, :, index] + 22) / 44 * SIZE, 0, SIZE - 1).astype(int)
        row = numpy.clip((1 - states[2, :, index] / 52) * SIZE, 0, SIZE - 1).astype(int)
        share = index / max(1, states.shape[2] - 1)
        numpy.add.at(image, (row, column), [1 - 0.8 * share, 0.3 + 0.4 * share, 0.2 + 0.8 * share])
    bright = 1 - numpy.exp(-image)
    return (255 * bright / bright.max()).astype(numpy.uint8)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--systems", type=int, default=2000, help="how many (default 2000)")
    options.add_argument("--output", type=Path, default=Path("lorenz_ensemble.png"))
    arguments = options.parse_args()
    if arguments.systems < 1:
        options.error("at least one system")
    times, states = numpy.linspace(0, 15, 31), starts(arguments.systems)
    if arguments.backend == "numpy":
        options.error("NumPy has no batches of systems")
    for target in targets(arguments):
        found, seconds = run(target, states, times)
        print(f"{target.name}: {arguments.systems} systems to t = {times[-1]:g} in {seconds:.3f} s")
        # Where all start together they stay together for a while, and an ensemble is no other than its members.
        alone, _ = run(target, states[:, :1], times)
        report(
            "a system in the ensemble is the system alone",
            numpy.allclose(found[:, :1, :10], alone[:, :, :10], rtol=1e-9),
        )
        spread = found[0].std(axis=0)
        report("neighbours part", spread[0] < 2e-3 and spread[-1] > 1)
        write(picture(found), arguments.output)


if __name__ == "__main__":
    main()
