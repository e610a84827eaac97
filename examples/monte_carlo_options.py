"""Prices a call and an Asian option by Monte Carlo, and writes a picture of the simulated prices.

Every path is drawn on the device from a seed. Variates are used with both signs, and the price of the option on the
geometric mean, which has a formula, takes most of the variance from that on the arithmetic mean.
"""

import math
from pathlib import Path

import numpy
from harness import parser, report, targets, timed, write
from PIL import Image

START, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0


def normal_cdf(x: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def call(mean: float, deviation: float) -> float:
    """The price of a call on something log-normal at the end, by the formula of Black and Scholes."""
    high = (mean - math.log(STRIKE)) / deviation + deviation
    forward = math.exp(mean + deviation**2 / 2)
    return math.exp(-RATE * YEARS) * (forward * normal_cdf(high) - STRIKE * normal_cdf(high - deviation))


def paths(xp, count, steps, seed):
    """Prices at the steps, one path a row; the second half mirrors the first."""
    step = YEARS / steps
    draws = xp.random.default_rng(seed).standard_normal((count // 2, steps), dtype=xp.float32)
    draws = xp.concatenate([draws, -draws])
    moves = (RATE - VOLATILITY**2 / 2) * step + VOLATILITY * math.sqrt(step) * draws
    return START * xp.exp(moves.cumsum(axis=1))


def prices(xp, simulated, exact_geometric):
    """Both prices with their standard errors."""
    discount = math.exp(-RATE * YEARS)
    european = discount * xp.maximum(simulated[:, -1] - STRIKE, 0).astype(float)
    arithmetic = discount * xp.maximum(simulated.mean(axis=1) - STRIKE, 0).astype(float)
    geometric = discount * xp.maximum(xp.exp(xp.log(simulated).mean(axis=1)) - STRIKE, 0).astype(float)
    asian = arithmetic - (geometric - exact_geometric)
    pairs = [(x[: len(x) // 2] + x[len(x) // 2 :]) / 2 for x in (european, asian)]
    return [(float(x.mean()), float(x.std()) / math.sqrt(len(x))) for x in pairs]


def picture(simulated: numpy.ndarray) -> Image.Image:
    """How many paths are where, from left to right in time."""
    columns = [numpy.histogram(column, bins=240, range=(40, 220))[0] for column in simulated.T]
    levels = numpy.log1p(numpy.array(columns).T[::-1])
    grey = (255 * (1 - levels / levels.max())).astype(numpy.uint8)
    return Image.fromarray(grey).resize((640, 320))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--paths", type=int, default=100_000)
    options.add_argument("--steps", type=int, default=64)
    options.add_argument("--output", type=Path, default=Path("monte_carlo_options.png"))
    arguments = options.parse_args()
    if arguments.backend == "numpy" or arguments.paths < 1000 or arguments.steps < 2:
        options.error("--paths must be at least 1000 and --steps 2; the paths are drawn on devices")
    n = arguments.steps
    exact = call(math.log(START) + (RATE - VOLATILITY**2 / 2) * YEARS, VOLATILITY * math.sqrt(YEARS))
    deviation = VOLATILITY * math.sqrt(YEARS * (n + 1) * (2 * n + 1) / (6 * n**2))
    geometric = call(math.log(START) + (RATE - VOLATILITY**2 / 2) * YEARS * (n + 1) / (2 * n), deviation)
    print(f"{arguments.paths} paths of {n} steps; the formula gives {exact:.4f} for the call\n")
    for target in targets(arguments):
        xp = target.xp
        with target.active():
            run = lambda xp=xp: prices(xp, paths(xp, arguments.paths, n, 7), geometric)  # noqa: E731
            run()  # compiles
            (european, asian), seconds = timed(target, run)
            shown = target.to_host(paths(xp, 4000, n, 7))
        line = f"call {european[0]:.4f} +- {european[1]:.4f}, Asian {asian[0]:.4f} +- {asian[1]:.4f}"
        print(f"{target.name:24} {seconds * 1e3:8.2f} ms, {line}", flush=True)
        report("the call is within four standard errors", abs(european[0] - exact) < 4 * european[1])
        report("the control takes most of the variance", asian[1] < european[1] / 10)
    write(picture(shown), arguments.output)


if __name__ == "__main__":
    main()
