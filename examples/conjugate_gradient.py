"""Fits a curve through noisy points by kernel ridge regression, solved with conjugate gradients.

Builds a dense positive definite matrix by broadcasting and then multiplies it with vectors. The scalars of the
iteration stay on the device; the host looks at the residual every ten steps only.
"""

import numpy
from harness import NUMPY, Target, parser, report, targets, timed


def gaussian(xp, a, b, width):
    """The kernel between every point of `a` and every point of `b`."""
    return xp.exp(-0.5 * ((a[:, None] - b[None, :]) / width) ** 2)


def conjugate_gradient(xp, matrix, right_side, tolerance, limit):
    """Solves a positive definite system; returns the solution and the number of iterations."""
    solution = xp.zeros_like(right_side)
    residual = right_side.copy()
    direction = residual.copy()
    squared = residual @ residual
    target = tolerance**2 * float(squared)
    for iteration in range(1, limit + 1):
        product = matrix @ direction
        step = squared / (direction @ product)
        solution += step * direction
        residual -= step * product
        previous, squared = squared, residual @ residual
        if iteration % 10 == 0 and float(squared) <= target:
            return solution, iteration
        direction = residual + (squared / previous) * direction
    return solution, limit


def samples(count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Noisy values of a smooth function at random places."""
    random = numpy.random.default_rng(0)
    x = random.uniform(0, 10, count)
    return x, numpy.sin(x) + 0.3 * numpy.cos(3 * x) + 0.2 * random.standard_normal(count)


def run(target: Target, x: numpy.ndarray, y: numpy.ndarray, ridge: float) -> tuple[numpy.ndarray, int, float]:
    """The fitted values on the host, the iterations, and the seconds of the solution."""
    xp = target.xp
    with target.active():
        place, value = xp.asarray(x), xp.asarray(y)
        matrix = gaussian(xp, place, place, width=0.5)
        system = matrix + ridge * xp.eye(len(x))
        conjugate_gradient(xp, system, value, tolerance=1e-8, limit=10)  # compiles
        solve = lambda: conjugate_gradient(xp, system, value, tolerance=1e-8, limit=1000)  # noqa: E731
        (weights, iterations), seconds = timed(target, solve)
        return target.to_host(matrix @ weights), iterations, seconds


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--points", type=int, default=2000)
    options.add_argument("--ridge", type=float, default=1.0)
    arguments = options.parse_args()
    if arguments.points < 1 or arguments.ridge <= 0:
        options.error("--points and --ridge must be positive")
    x, y = samples(arguments.points)
    truth = numpy.sin(x) + 0.3 * numpy.cos(3 * x)
    print(f"{arguments.points} points, a {arguments.points} x {arguments.points} matrix, float64\n")
    print(f"{'':24} {'iterations':>10} {'ms/iteration':>12} {'rms error':>10}")

    def show(target: Target) -> numpy.ndarray:
        fitted, iterations, seconds = run(target, x, y, arguments.ridge)
        error = numpy.sqrt(((fitted - truth) ** 2).mean())
        print(f"{target.name:24} {iterations:10} {seconds / iterations * 1e3:12.3f} {error:10.5f}", flush=True)
        return fitted

    results = [show(NUMPY), *(show(target) for target in targets(arguments) if target is not NUMPY)]
    kernel = gaussian(numpy, x, x, width=0.5)
    exact = kernel @ numpy.linalg.solve(kernel + arguments.ridge * numpy.eye(len(x)), y)
    difference = max(float(numpy.abs(result - exact).max()) for result in results)
    print()
    report(f"fits as the direct solution to {difference:.1e}", difference < 1e-6)


if __name__ == "__main__":
    main()
