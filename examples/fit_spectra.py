"""Fits a batch of spectra together and writes a picture of the measured and the fitted ones.

Each spectrum is a Gaussian line on a sloping background with noise: five parameters, `curve_fit(..., batch=True)`.
"""

from pathlib import Path

import numpy
from harness import Target, parser, report, targets, timed, write

POINTS = 128


def line(xp):
    """The model: of parameters of shape `(spectra, 1)` it makes spectra of shape `(spectra, points)`."""
    return lambda x, height, centre, width, level, slope: (
        height * xp.exp(-0.5 * ((x - centre) / width) ** 2) + level + slope * x
    )


def measure(count: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Where was measured, the spectra, and the parameters that they were made with."""
    random = numpy.random.default_rng(0)
    x = numpy.linspace(0, 10, POINTS)
    limits = [(1.0, 3.0), (4.0, 6.0), (0.4, 1.0), (0.5, 1.0), (-0.05, 0.05)]
    truth = numpy.stack([random.uniform(low, high, count) for low, high in limits], axis=1)
    # The lines drift slowly, so that the picture shows it.
    truth[:, 1] = 5 + numpy.sin(numpy.arange(count) * 8 / count)
    clean = line(numpy)(x, *(truth[:, i : i + 1] for i in range(5)))
    return x, clean + 0.05 * random.standard_normal(clean.shape), truth


def run(target: Target, x: numpy.ndarray, spectra: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, float]:
    """Parameters, their standard errors, and the seconds that they took."""
    from cuproxide.scipy import optimize

    with target.active():
        xs, ys = target.xp.array(x), target.xp.array(spectra)
        start = target.xp.array([2.0, 5.0, 0.7, 0.7, 0.0])
        (popt, pcov), seconds = timed(target, lambda: optimize.curve_fit(line(target.xp), xs, ys, start, batch=True))
        # A line of negative width is the same line.
        popt[:, 2] = abs(popt[:, 2])
        errors = target.xp.sqrt(target.xp.diagonal(pcov, axis1=1, axis2=2))
        return target.to_host(popt), target.to_host(errors), seconds


def picture(spectra: numpy.ndarray) -> numpy.ndarray:
    """Spectra as rows of a grey image of 512 rows at most."""
    rows = spectra[:: max(1, len(spectra) // 512)]
    scaled = numpy.clip((rows - 0.2) / 3.5, 0, 1)
    return numpy.repeat((255 * scaled).astype(numpy.uint8), 2, axis=1)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--spectra", type=int, default=5000, help="how many (default 5000)")
    options.add_argument("--output", type=Path, default=Path("fit_spectra.png"))
    arguments = options.parse_args()
    if arguments.spectra < 1:
        options.error("at least one spectrum")
    if arguments.backend == "numpy":
        options.error("NumPy has no batches of fits")
    x, spectra, truth = measure(arguments.spectra)
    for target in targets(arguments):
        found, errors, seconds = run(target, x, spectra)
        print(f"{target.name}: {arguments.spectra} spectra of {POINTS} points in {seconds:.3f} s")
        off = abs(found - truth) / errors
        report(
            "fitted parameters lie within their errors", 0.5 < float((off < 1).mean()) < 0.85 and float(off.max()) < 8
        )
        fitted = line(numpy)(x, *(found[:, i : i + 1] for i in range(5)))
        write(numpy.concatenate([picture(spectra), picture(fitted)], axis=1), arguments.output)


if __name__ == "__main__":
    main()
