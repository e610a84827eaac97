"""Interpolation: splines through points, and evaluations of every kind."""

import numpy
from suite import Case


def _curve(count):
    """Points at about even distances, and values."""

    def operands(random):
        x = numpy.arange(count) + 0.8 * random.random(count)
        return x, numpy.sin(x * 0.01) + 0.1 * random.random(count)

    return operands


def _curve_and_points(knots, points):
    def operands(random):
        x, y = _curve(knots)(random)
        return x, y, random.uniform(x[0], x[-1], points)

    return operands


def _evaluated(name, **options):
    """An interpolator of a curve, of which the evaluation is measured."""

    def prepare(xp, sp, x, y, points):
        return getattr(sp.interpolate, name)(x, y, **options), points

    return {"prepare": prepare, "call": lambda xp, sp, function, points: function(points)}


def _grid(size, points):
    def operands(random):
        return numpy.linspace(0, 1, size), random.random((size,) * 3), random.random((points, 3))

    return operands


def _on_grid(method):
    def prepare(xp, sp, line, values, points):
        return sp.interpolate.RegularGridInterpolator((line,) * 3, values, method), points

    return {"prepare": prepare, "call": lambda xp, sp, function, points: function(points)}


def _scattered(centres, points):
    return lambda random: (random.random((centres, 2)), random.random(centres), random.random((points, 2)))


def cases(large):
    """The rows; on a CPU at a quarter to a sixteenth of the size."""
    part = 1 if large else 16
    many, few = (1 << 23) // part, 4096 // (1 if large else 4)
    # CuPy takes 80 us a point.
    through, grid, points = 1 << (14 if large else 12), 64 if large else 32, (1 << 22) // part
    centres, radial = 2000 // (1 if large else 4), (1 << 16) // (1 if large else 4)
    made = [
        Case(
            f"make_interp_spline k={k} {through}",
            _curve(through),
            lambda xp, sp, x, y, k=k: sp.interpolate.make_interp_spline(x, y, k=k).c,
        )
        for k in (3, 5)
    ]
    made += [
        Case(f"CubicSpline {few}", _curve(few), lambda xp, sp, x, y: sp.interpolate.CubicSpline(x, y).c),
        Case(f"make_lsq_spline {through}", _curve(through), _least_squares),
        Case(f"make_splrep s {few}", _curve(few), _smoothed, without=("cupy",)),
    ]
    for name, options in (
        ("CubicSpline", {}),
        ("Akima1DInterpolator", {}),
        ("PchipInterpolator", {}),
        ("make_interp_spline", {}),
        ("interp1d", {}),
    ):
        made.append(Case(f"{name} at {many}", _curve_and_points(few, many), **_evaluated(name, **options)))
    for method in ("linear", "nearest", "cubic", "pchip"):
        count = points if method in ("linear", "nearest") else points // 16
        without = ("numpy", "cupy") if method == "pchip" else ()
        made.append(
            Case(f"RegularGrid {method} {grid}^3 at {count}", _grid(grid, count), without=without, **_on_grid(method))
        )
        made.append(Case(f"RegularGrid {method} {grid}^3 at 1", _grid(grid, 1), without=without, **_on_grid(method)))
    made.append(Case("make_interp_spline at 1", _curve_and_points(few, 1), **_evaluated("make_interp_spline")))

    for kernel in ("", " local"):
        count = radial if not kernel else radial // 64

        def prepare(xp, sp, y, d, x, kernel=kernel):
            return sp.interpolate.RBFInterpolator(y, d, neighbors=20 if kernel else None), x

        made.append(
            Case(
                f"RBF{kernel} {centres} centres at {count}",
                _scattered(centres, count),
                lambda xp, sp, function, x: function(x),
                prepare=prepare,
                without=("cupy",) if kernel else (),
            )
        )
    for method in ("nearest", "linear", "cubic"):
        made.append(
            Case(
                f"griddata {method} {centres} to {radial}",
                _scattered(centres, radial),
                lambda xp, sp, points, values, x, method=method: _interpolators(sp)[method](points, values)(x),
            )
        )
    return made


def _least_squares(xp, sp, x, y):
    inner = x[64:-64:64]
    t = xp.concatenate([xp.full(4, float(x[0])), inner, xp.full(4, float(x[-1]))])
    return sp.interpolate.make_lsq_spline(x, y, t).c


def _smoothed(xp, sp, x, y):
    return sp.interpolate.make_splrep(x, y, s=len(x) * 1e-3).c


def _interpolators(sp):
    names = {"nearest": "Nearest", "linear": "Linear", "cubic": "CloughTocher2D"}
    kinds = {key: f"{name}{'ND' if key != 'cubic' else ''}Interpolator" for key, name in names.items()}
    return {key: getattr(sp.interpolate, name) for key, name in kinds.items()}
