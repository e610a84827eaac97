"""Rows of scipy.ndimage."""

import numpy as np

from ..draws import (
    ANY,
    LABELS,
    always,
    array,
    axis,
    between,
    function,
    integer,
    integers,
    maybe,
    number,
    one,
    positive,
    row,
    truth,
)

modes = one("reflect", "constant", "nearest", "mirror", "wrap", "grid-constant", "grid-wrap", "grid-mirror")
image = one(array("n m", kinds=ANY), array("N", kinds=ANY), array("n m k", kinds="dfB"))
plane = array("n m", kinds=ANY)
real_image = one(array("n m", kinds="dflBe?"), array("N", kinds="dflB"))
EDGE = {"mode": modes, "cval": number(-2, 2)}
output = one(None, np.float32, np.float64, np.int32, "complex64")
OUT = {"output": output}
side = one(True, False)
axes = one(None, 0, (0,), -1)
where = one(0, 1, -1)
footprint = array("2 3", truth, "?dl", finite=True)


def _with_centre(values):
    values[tuple(length // 2 for length in values.shape)] = 1
    return values


sigma = one(0.5, 1.0, 2.5, 0.0, number(0.1, 3))

row("ndimage.convolve correlate", plane, array("2 3", kinds="dfl"), origin=where, **EDGE, **OUT)
row(
    "ndimage.convolve correlate",
    array("n m k", kinds="dfB"),
    array("3 2", kinds="dl"),
    axes=always(one((0, 1), (1, 2))),
)
row("ndimage.convolve1d correlate1d", image, array("3", kinds="dfl"), axis=axis(1), origin=where, **EDGE, **OUT)
row(
    "ndimage.gaussian_filter",
    image,
    sigma,
    order=one(0, 1, 2),
    truncate=number(2, 5),
    radius=one(None, 2),
    axes=axes,
    **EDGE,
    **OUT,
)
row("ndimage.gaussian_filter1d", image, sigma, axis=axis(1), order=one(0, 1, 2, 3), **EDGE, **OUT)
row("ndimage.gaussian_gradient_magnitude gaussian_laplace", image, one(0.5, 1.5), axes=axes, **EDGE)
row("ndimage.laplace", image, axes=axes, **EDGE, **OUT)
row("ndimage.prewitt sobel", image, axis=axis(1), **EDGE, **OUT)
row("ndimage.uniform_filter", image, integer(1, 5), origin=where, axes=axes, **EDGE, **OUT)
row("ndimage.uniform_filter1d", image, integer(1, 5), axis=axis(1), origin=where, **EDGE, **OUT)
row(
    "ndimage.maximum_filter minimum_filter median_filter",
    real_image,
    integer(1, 4),
    origin=where,
    axes=axes,
    **EDGE,
    _most=100,
)
row("ndimage.maximum_filter minimum_filter median_filter", plane, footprint=always(footprint), **EDGE, **OUT)
row("ndimage.maximum_filter1d minimum_filter1d", real_image, integer(1, 5), axis=axis(1), origin=where, **EDGE)
row("ndimage.percentile_filter", real_image, one(0, 30, 50.0, 100, -20), integer(1, 4), **EDGE, _most=100)
row("ndimage.rank_filter", real_image, integer(-2, 2), integer(1, 4), **EDGE, _most=100)
row(
    "ndimage.generic_filter",
    plane,
    function(lambda xp: lambda window: window.max(), "max"),
    size=always(3),
    **EDGE,
    _hostile=False,
)
row("ndimage.generic_filter1d", array("n m", kinds="df"), function(lambda xp: _halve(xp), "halve"), 3, _hostile=False)
row(
    "ndimage.vectorized_filter",
    array("n m", kinds="df"),
    function(lambda xp: xp.mean, "mean"),
    size=always(3),
    mode=modes,
)
row("ndimage.generic_gradient_magnitude", plane, function(lambda xp: _part(xp, "sobel"), "sobel"), **EDGE)
row("ndimage.generic_laplace", plane, function(lambda xp: _part(xp, "correlate1d"), "second difference"), **EDGE)
row("ndimage.black_tophat grey_closing grey_dilation grey_erosion grey_opening morphological_gradient morphological_laplace white_tophat",
    real_image, size=always(integer(1, 4)), **EDGE)  # fmt: skip
row("ndimage.black_tophat grey_closing grey_dilation grey_erosion grey_opening morphological_gradient morphological_laplace white_tophat",
    array("n m", kinds="dflB"), footprint=always(array("2 3", truth, "?dl", finite=True, then=_with_centre)),
    structure=array("2 3"), **EDGE, **OUT, _filled=True)  # fmt: skip
mask = one(array("n m", truth, "?dlB"), array("N", truth, "?"))
plane_mask = array("n m", truth, "?dlB")
structure = array("3 3", truth, "?l", finite=True)
binary = {"iterations": integer(0, 3), "border_value": one(0, 1), "origin": where, "axes": axes}
row("ndimage.binary_closing binary_dilation binary_erosion binary_opening", mask, brute_force=side, **binary)
row(
    "ndimage.binary_closing binary_dilation binary_erosion binary_opening",
    plane_mask,
    structure,
    mask=plane_mask,
    **binary,
)
centred = array("3 3", truth, "?l", finite=True, then=_with_centre)
row("ndimage.binary_fill_holes binary_propagation", plane_mask, maybe(centred))
row("ndimage.binary_hit_or_miss", plane_mask, maybe(structure), maybe(structure), origin1=where)
row("ndimage.generate_binary_structure", integer(0, 4), integer(-1, 5))
row("ndimage.iterate_structure", structure, integer(0, 4), origin=one(None, 0))
row(
    "ndimage.distance_transform_bf",
    mask,
    metric=one("euclidean", "taxicab", "chessboard", "cityblock"),
    return_indices=side,
)
row(
    "ndimage.distance_transform_cdt",
    mask,
    metric=one("taxicab", "chessboard", "cityblock"),
    return_distances=always(True),
)
row("ndimage.distance_transform_edt", mask, sampling=one(None, 2.0), return_distances=always(True))
spectrum = array("n m", kinds="DdFf")
row(
    "ndimage.fourier_ellipsoid fourier_gaussian fourier_uniform",
    spectrum,
    one(number(0.5, 3), (1.0, 2.0)),
    n=one(-1, 8),
    axis=axis(2),
)
row("ndimage.fourier_shift", spectrum, one(number(-2, 2), (1.0, 2.0)), n=one(-1, 8), axis=axis(2))
spline = {"order": integer(0, 5), "prefilter": side}
row(
    "ndimage.affine_transform",
    plane,
    array("2 2", between(-1, 1)),
    offset=number(-1, 1),
    output_shape=one(None, (4, 3)),
    **spline,
    **EDGE,
)
row("ndimage.affine_transform", plane, array("2", between(0.5, 2)), **spline, **EDGE, _finite=True)
row(
    "ndimage.geometric_transform",
    array("n m", kinds="df"),
    function(lambda xp: lambda place: (place[0] - 0.5, place[1] + 0.25)),
    **spline,
    _hostile=False,
)
row("ndimage.map_coordinates", plane, array("2 k", between(-2, 6)), **spline, **EDGE, **OUT)
row(
    "ndimage.rotate", plane, one(0, 45, 90, number(-180, 180)), reshape=side, axes=one((1, 0), (0, 1)), **spline, **EDGE
)
row("ndimage.shift", plane, one(number(-2, 2), (1.5, -0.5)), **spline, **EDGE, **OUT)
row("ndimage.zoom", plane, one(0.5, 2, 1.7, (1.5, 0.6)), grid_mode=side, **spline, **EDGE)
row("ndimage.spline_filter", plane, order=integer(0, 5), mode=one("mirror", "reflect", "grid-wrap"))
row("ndimage.spline_filter1d", image, order=integer(0, 5), axis=axis(1), mode=one("mirror", "reflect", "grid-wrap"))

labels = array("n m", integers(0, 3), LABELS, finite=True)
index = one(None, 1, [1, 2], np.array([0, 3, 7]))
row("ndimage.label", plane_mask, maybe(structure))
row("ndimage.find_objects", labels, maybe(integer(0, 4)))
row("ndimage.value_indices", array("n m", integers(0, 3), "liB", finite=True), ignore_value=one(None, 0))
measured = array("n m", kinds="dflDBh")
row(
    "ndimage.mean median minimum maximum standard_deviation sum sum_labels variance",
    measured,
    maybe(labels),
    maybe(index),
    _bound=1e-6,
)
row("ndimage.extrema maximum_position minimum_position", array("n m", kinds="dflB"), maybe(labels), maybe(index))
row("ndimage.center_of_mass", array("n m", positive, "dflB"), maybe(labels), maybe(index))
row("ndimage.histogram", array("n m", kinds="dflB"), -2, 2, integer(1, 6), maybe(labels), maybe(index))
row(
    "ndimage.labeled_comprehension",
    array("n m", kinds="dfl"),
    labels,
    index,
    function(lambda xp: xp.max, "max"),
    float,
    0,
    _hostile=False,
)
row(
    "ndimage.watershed_ift",
    array("n m", integers(0, 9), "BH", finite=True),
    array("n m", integers(-1, 2), "lh", finite=True),
)


def _halve(xp):
    def halve(line, result):
        result[...] = line[: result.shape[0]] * 0.5

    return halve


def _part(xp, name):
    import scipy.ndimage

    module = scipy.ndimage if xp is np else xp.scipy.ndimage
    if name == "sobel":
        return lambda image, axis, output, mode, cval: module.sobel(image, axis, output, mode, cval)
    return lambda image, axis, output, mode, cval: module.correlate1d(image, [1, -2, 1], axis, output, mode, cval, 0)
