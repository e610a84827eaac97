"""Rows of scipy.interpolate."""

import numpy as np

from ..draws import (
    alone,
    always,
    array,
    between,
    call,
    function,
    integer,
    made,
    mapped,
    maybe,
    number,
    one,
    positive,
    read,
    rising,
    row,
    unit,
)

side = one(True, False)
extrapolate = one(None, True, False)
x, y = array("n+4", rising, "df", finite=True), one(array("n+4", kinds="dfD"), array("n+4 2", kinds="df"))
real = array("n+4", kinds="df")
here = one(array("k", between(-2, 5), "df"), number(-1, 3), array("2 k", between(-1, 3), "d"))

piecewise = (
    call("__call__", here, nu=integer(0, 4)), call("__call__", here, extrapolate=extrapolate),
    [call("derivative", integer(0, 5)), ], call("integrate", number(-1, 0.5), number(0, 3)), *read("c", "x", "axis", "extrapolate"),
    call("antiderivative", integer(0, 2)), call("roots", extrapolate=always(False)),
)  # fmt: skip
piecewise = tuple(step for step in piecewise if not isinstance(step, list))
row(
    "interpolate.CubicSpline",
    x,
    y,
    bc_type=one("not-a-knot", "natural", "clamped", ((1, 0.0), (2, 0.0))),
    extrapolate=extrapolate,
    _steps=piecewise,
    _bound=1e-6,
)
row(
    "interpolate.Akima1DInterpolator",
    x,
    real,
    method=one("akima", "makima"),
    extrapolate=extrapolate,
    _steps=piecewise,
    _bound=1e-6,
)
row("interpolate.PchipInterpolator", x, real, extrapolate=extrapolate, _steps=piecewise, _bound=1e-6)
row("interpolate.CubicHermiteSpline", x, real, real, extrapolate=extrapolate, _steps=piecewise, _bound=1e-6)
row(
    "interpolate.PPoly BPoly",
    array("4 n+1", kinds="dfD"),
    array("n+2", rising, "df", finite=True),
    extrapolate=one(True, False, "periodic"),
    _steps=piecewise,
    _bound=1e-6,
)
row(
    "interpolate.NdPPoly",
    array("2 3 2 3", kinds="dD"),
    ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0]),
    extrapolate=side,
    _steps=(
        call("__call__", array("k 2", between(-1, 3), "d"), nu=one(None, (0, 1), (1, 3))),
        call("integrate", [(0.0, 1.0), (0.5, 2.0)]),
        *read("extrapolate"),
    ),
    _bound=1e-6,
)
knots = mapped(lambda v: np.sort(v), array("9", kinds="d", finite=True))
row(
    "interpolate.BSpline",
    knots,
    array("5", kinds="dD"),
    3,
    extrapolate=one(True, False, "periodic"),
    _steps=(
        call("__call__", here, nu=integer(0, 4)),
        call("integrate", -0.5, number(0, 1)),
        [call("derivative", 1)][0],
        *read("tck", "k"),
    ),
    _bound=1e-6,
)
row(
    "interpolate.NdBSpline",
    (np.arange(8.0), np.arange(8.0)),
    array("4 4", kinds="dD"),
    one(3, (3, 3)),
    extrapolate=extrapolate,
    _steps=(call("__call__", array("k 2", between(2, 5), "d"), nu=one(None, (1, 0))),),
    _bound=1e-6,
)
row(
    "interpolate.make_interp_spline",
    x,
    y,
    k=integer(0, 5),
    bc_type=one(None, "natural", "clamped"),
    _steps=(call("__call__", here), *read("t", "c", "k")),
    _bound=1e-6,
)
row(
    "interpolate.make_lsq_spline",
    array("14", rising, "d", finite=True),
    array("14", kinds="dD"),
    np.array([-1.5] * 4 + [1.0] + [9.0] * 4),
    method=one("qr", "norm-eq"),
    w=one(None, array("14", positive, "d")),
    _steps=(read("c"), read("t")),
    _bound=1e-5,
)
row(
    "interpolate.make_smoothing_spline",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="d"),
    lam=one(None, 0.1, 1.0),
    w=one(None, array("n+6", positive, "d")),
    _steps=(call("__call__", here),),
    _bound=1e-3,
)
tck = made("interpolate.splrep", array("n+6", rising, "d", finite=True), array("n+6", kinds="d", finite=True))
row(
    "interpolate.splrep",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="df"),
    k=integer(1, 5),
    s=one(None, 0, 0.5),
    w=one(None, array("n+6", positive, "d")),
    per=one(0),
    _bound=1e-5,
)
row("interpolate.splev", here, tck, der=integer(0, 3), ext=integer(0, 3), _bound=1e-6)
row("interpolate.splint", number(-1, 0), number(0, 2), tck, _bound=1e-6)
row("interpolate.sproot", tck, _bound=1e-5, _unordered=True)
row("interpolate.spalde", array("k", between(-0.5, 1), "d", finite=True), tck, _bound=1e-6)
row("interpolate.splder splantider", tck, integer(0, 3), _bound=1e-6, _most=12)
row("interpolate.insert", number(-0.2, 1), tck, integer(0, 2), _bound=1e-6)
row(
    "interpolate.splprep",
    [array("n+6", kinds="d", finite=True), array("n+6", kinds="d", finite=True)],
    k=integer(1, 5),
    s=always(one(0, 0.5)),
    _bound=1e-5,
)
row(
    "interpolate.make_splprep",
    [array("n+6", kinds="d", finite=True), array("n+6", kinds="d", finite=True)],
    k=integer(1, 5),
    s=always(one(0, 0.5)),
    _form=lambda r: r[1],
    _bound=1e-5,
)
row(
    "interpolate.make_splrep",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="d"),
    k=integer(1, 5),
    s=always(one(0, 0.5)),
    _steps=(read("c"), read("t")),
    _bound=1e-4,
)
row(
    "interpolate.generate_knots",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="d"),
    k=integer(1, 4),
    s=one(0, 0.5),
    _form=lambda r: r,
)
row(
    "interpolate.interp1d",
    x,
    y,
    kind=one("linear", "nearest", "zero", "slinear", "quadratic", "cubic", "previous", "next", "nearest-up"),
    axis=one(0),
    bounds_error=always(False),
    fill_value=one(0.0, "extrapolate", (1.0, 2.0)),
    _steps=(call("__call__", here),),
    _bound=1e-6,
)
alone("interpolate.interp2d", "raises always, as SciPy's")
alone("interpolate.BivariateSpline", "a base class: its members are drawn with the classes of splines")
row(
    "interpolate.BarycentricInterpolator",
    array("n+1", rising, "d", finite=True),
    array("n+1", kinds="d"),
    rng=always(1),
    _steps=(call("__call__", here), call("derivative", number(0, 1)), [call("derivatives", number(0, 1), 3)][0]),
    _bound=1e-4,
)
row(
    "interpolate.KroghInterpolator",
    array("n+1", rising, "d", finite=True),
    array("n+1", kinds="d"),
    _steps=(call("__call__", number(0, 2)), call("derivative", number(0, 1)), call("derivatives", number(0, 1))),
    _bound=1e-4,
)
row(
    "interpolate.barycentric_interpolate krogh_interpolate",
    array("n+1", rising, "d", finite=True),
    array("n+1", kinds="d"),
    one(number(0, 2), array("k", unit, "d")),
    der=one(0, 1),
    _bound=1e-4,
)
row("interpolate.pchip_interpolate", x, real, array("k", unit, "d"), der=integer(0, 3), _bound=1e-6)
row(
    "interpolate.approximate_taylor_polynomial",
    function(lambda xp: xp.exp, "exp"),
    number(0, 1),
    integer(1, 4),
    0.5,
    order=always(8),
    _bound=1e-4,
)
row("interpolate.lagrange", array("5", rising, "d", finite=True), array("5", kinds="d"), _bound=1e-5)
row("interpolate.pade", array("7", kinds="d"), integer(1, 3), maybe(integer(1, 3)), _bound=1e-5)
row(
    "interpolate.AAA",
    np.linspace(0.1, 1, 30),
    mapped(lambda a: 1 / (np.linspace(0.1, 1, 30) + a), number(0.1, 2)),
    _steps=(call("__call__", array("k", unit, "d")),),
    _bound=1e-6,
)
row(
    "interpolate.FloaterHormannInterpolator",
    array("n+4", rising, "d", finite=True),
    array("n+4", kinds="dD"),
    d=integer(0, 4),
    _steps=(call("__call__", array("k", unit, "d")), *read("weights")),
    _bound=1e-6,
)
cloud, heights = array("N 2", kinds="d", finite=True), array("N", kinds="d")
query = array("k 2", between(-1, 1), "d", finite=True)
row(
    "interpolate.RBFInterpolator",
    cloud,
    one(heights, array("N 2", kinds="d")),
    kernel=one("linear", "thin_plate_spline", "cubic", "quintic"),
    smoothing=one(0.0, 0.5),
    neighbors=one(None, 8),
    _steps=(call("__call__", query),),
    _bound=1e-4,
)
row(
    "interpolate.RBFInterpolator",
    cloud,
    heights,
    kernel=always(one("multiquadric", "inverse_multiquadric", "inverse_quadratic", "gaussian")),
    epsilon=always(1.0),
    degree=one(None, -1, 0),
    _steps=(call("__call__", query),),
    _bound=1e-3,
)
row(
    "interpolate.Rbf",
    array("N", kinds="d", finite=True),
    array("N", kinds="d", finite=True),
    heights,
    function=one("multiquadric", "inverse", "linear", "cubic", "quintic", "thin_plate"),
    smooth=one(0, 0.1),
    _steps=(call("__call__", array("k", unit, "d", finite=True), array("k", unit, "d", finite=True)),),
    _bound=1e-3,
)
axes = ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
grid = one(array("5 6", kinds="dfDl"), array("5 6 2", kinds="d"))
methods = one("linear", "nearest", "slinear", "cubic", "quintic", "pchip")
row(
    "interpolate.RegularGridInterpolator",
    axes,
    grid,
    method=one("linear", "nearest", "slinear", "cubic", "pchip"),
    bounds_error=always(False),
    fill_value=one(None, 0.0),
    _steps=(call("__call__", array("k 2", between(-0.5, 4.5), "d")),),
    _bound=1e-4,
)
row(
    "interpolate.interpn",
    axes,
    grid,
    array("k 2", between(-0.5, 4.5), "d"),
    method=one("linear", "nearest", "slinear", "cubic", "pchip", "splinef2d"),
    bounds_error=always(False),
    fill_value=one(0.0),
    _bound=1e-4,
)
row(
    "interpolate.LinearNDInterpolator NearestNDInterpolator CloughTocher2DInterpolator",
    cloud,
    heights,
    _steps=(call("__call__", query),),
    _bound=1e-3,
)
row(
    "interpolate.griddata",
    cloud,
    heights,
    query,
    method=one("linear", "nearest", "cubic"),
    fill_value=one(0.0),
    rescale=side,
    _bound=1e-3,
)
surface = (np.arange(6.0), np.arange(7.0), array("6 7", kinds="d", finite=True))
bivariate = (
    call("__call__", [0.5, 1.5], [0.3, 2.2, 4.0], dx=one(0, 1), dy=one(0, 1)),
    call("ev", [0.5, 1.5], [0.3, 2.2]),
    call("integral", 0.5, 2.0, 0.0, 3.0),
    call("get_knots"),
    call("get_coeffs"),
    call("get_residual"),
)
row(
    "interpolate.RectBivariateSpline",
    *surface,
    kx=integer(1, 4),
    ky=integer(1, 4),
    s=one(0, 0.5),
    _steps=bivariate,
    _bound=1e-4,
)
scattered = (
    array("60", between(0, 5), "d", finite=True),
    array("60", between(0, 5), "d", finite=True),
    array("60", kinds="d", finite=True),
)
row(
    "interpolate.SmoothBivariateSpline",
    *scattered,
    s=always(one(60.0, 200.0)),
    kx=integer(1, 3),
    ky=integer(1, 3),
    _steps=(call("ev", [0.5, 1.5], [0.3, 2.2]), call("get_residual")),
    _bound=1e-3,
)
row(
    "interpolate.LSQBivariateSpline",
    *scattered,
    [2.0],
    [2.5],
    _steps=(call("ev", [0.5, 1.5], [0.3, 2.2]), call("get_residual")),
    _bound=1e-3,
    _finite=True,
)
row("interpolate.bisplrep", *scattered, s=always(60.0), _bound=1e-3)
row(
    "interpolate.bisplev",
    [0.5, 1.5],
    [0.3, 2.2, 4.0],
    made("interpolate.bisplrep", *scattered, s=60.0),
    dx=one(0, 1),
    dy=one(0, 1),
    _bound=1e-3,
)
theta, phi = np.linspace(0.3, 2.8, 7), np.linspace(0.2, 6.0, 8)
row(
    "interpolate.RectSphereBivariateSpline",
    theta,
    phi,
    array("7 8", kinds="d", finite=True),
    s=one(0.0, 1.0),
    _steps=(call("ev", [0.5, 1.5], [0.3, 2.2]), call("get_residual")),
    _bound=1e-3,
)
ball = (
    array("60", between(0.1, 3), "d", finite=True),
    array("60", between(0.1, 6), "d", finite=True),
    array("60", positive, "d", finite=True),
)
row(
    "interpolate.SmoothSphereBivariateSpline",
    *ball,
    s=always(100.0),
    _steps=(call("ev", [0.5, 1.5], [0.3, 2.2]),),
    _bound=1e-3,
)
row(
    "interpolate.LSQSphereBivariateSpline",
    *ball,
    [1.0, 2.0],
    [2.0, 4.0],
    _steps=(call("ev", [0.5, 1.5], [0.3, 2.2]),),
    _bound=1e-3,
)
univariate = (
    call("__call__", here, nu=one(0, 1), ext=one(None, 1, 2, 3)),
    call("integral", 0.0, 1.0),
    call("derivatives", 0.3),
    call("get_knots"),
    call("get_coeffs"),
    call("get_residual"),
    call("roots"),
)
row(
    "interpolate.UnivariateSpline",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="d"),
    k=integer(1, 5),
    s=one(None, 0, 0.5),
    ext=integer(0, 3),
    _steps=univariate,
    _bound=1e-5,
)
row(
    "interpolate.InterpolatedUnivariateSpline",
    array("n+6", rising, "d", finite=True),
    array("n+6", kinds="d"),
    k=integer(1, 5),
    ext=integer(0, 3),
    _steps=univariate,
    _bound=1e-5,
)
row(
    "interpolate.LSQUnivariateSpline",
    array("14", rising, "d", finite=True),
    array("14", kinds="d"),
    [0.5, 1.5],
    k=integer(1, 4),
    _steps=univariate,
    _bound=1e-5,
)
