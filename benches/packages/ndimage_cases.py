"""Filters, morphology, measurements and geometry of images."""

from __future__ import annotations

import numpy
from suite import Case


def cases(large: bool) -> list[Case]:
    size = 4096 if large else 1024
    cube = 384 if large else 152
    points = 2**22 if large else 2**18

    def grey(random):
        return ((random.random((size, size)) * 255).astype("f4"),)

    def bytes_(random):
        return ((random.random((size, size)) * 255).astype("u1"),)

    def volume(random):
        return (random.random((cube, cube, cube)).astype("f4"),)

    def blobs(random):
        """Smooth noise, of which about half is above its middle."""
        coarse = random.random((size // 16 + 3, size // 16 + 3)).astype("f4")
        smooth = numpy.kron(coarse, numpy.ones((16, 16), "f4"))[:size, :size]
        return (smooth + 0.3 * random.random((size, size)).astype("f4") > 0.65,)

    def solid(random):
        return (random.random((cube, cube, cube)) < 0.999,)

    def labelled(count):
        def make(random):
            edge = round(count**0.5)
            y, x = numpy.mgrid[:size, :size] * edge // size
            return (random.random((size, size)).astype("f4"), (y * edge + x + 1).astype("i4"))

        return make

    def mapped(random):
        return (*grey(random), random.random((2, points)) * size)

    weights = numpy.random.default_rng(0).random((11, 11))
    matrix = numpy.eye(3) + 0.1 * numpy.random.default_rng(1).random((3, 3))

    def affine(xp, sp, a):
        return sp.ndimage.affine_transform(a, xp.asarray(matrix), order=1)

    def index(xp, count):
        return xp.arange(1, count + 1)

    rows = [
        Case("gaussian_filter sigma 3", grey, lambda xp, sp, a: sp.ndimage.gaussian_filter(a, 3)),
        Case("gaussian_filter 3-d sigma 2", volume, lambda xp, sp, a: sp.ndimage.gaussian_filter(a, 2)),
        Case("uniform_filter 15", grey, lambda xp, sp, a: sp.ndimage.uniform_filter(a, 15)),
        Case("maximum_filter 15", grey, lambda xp, sp, a: sp.ndimage.maximum_filter(a, 15)),
        Case("sobel", grey, lambda xp, sp, a: sp.ndimage.sobel(a)),
        Case("laplace", grey, lambda xp, sp, a: sp.ndimage.laplace(a)),
        Case("median_filter 5", grey, lambda xp, sp, a: sp.ndimage.median_filter(a, 5)),
        Case("median_filter 15 uint8", bytes_, lambda xp, sp, a: sp.ndimage.median_filter(a, 15)),
        Case("median_filter 51 uint8", bytes_, lambda xp, sp, a: sp.ndimage.median_filter(a, 51)),
        Case("percentile_filter 7", grey, lambda xp, sp, a: sp.ndimage.percentile_filter(a, 20, 7)),
        Case("grey_opening 9", grey, lambda xp, sp, a: sp.ndimage.grey_opening(a, 9)),
        Case("convolve 11 x 11", grey, lambda xp, sp, a: sp.ndimage.convolve(a, xp.asarray(weights))),
        Case("binary_erosion 10 times", blobs, lambda xp, sp, a: sp.ndimage.binary_erosion(a, iterations=10)),
        Case("binary_fill_holes", blobs, lambda xp, sp, a: sp.ndimage.binary_fill_holes(a)),
        Case("label", blobs, lambda xp, sp, a: sp.ndimage.label(a)),
        Case("distance_transform_edt", blobs, lambda xp, sp, a: sp.ndimage.distance_transform_edt(a)),
        Case("distance_transform_edt 3-d", solid, lambda xp, sp, a: sp.ndimage.distance_transform_edt(a)),
        Case("spline_filter", grey, lambda xp, sp, a: sp.ndimage.spline_filter(a)),
        Case("zoom 1.5", grey, lambda xp, sp, a: sp.ndimage.zoom(a, 1.5)),
        Case("zoom 1.5 order 1", grey, lambda xp, sp, a: sp.ndimage.zoom(a, 1.5, order=1)),
        Case("rotate 30", grey, lambda xp, sp, a: sp.ndimage.rotate(a, 30)),
        Case("shift 1.3", grey, lambda xp, sp, a: sp.ndimage.shift(a, 1.3)),
        Case("map_coordinates", mapped, lambda xp, sp, a, c: sp.ndimage.map_coordinates(a, c)),
        Case("affine_transform 3-d order 1", volume, affine),
    ]
    # CuPy has no iterations of an erosion on a GPU.
    rows[12] = Case(rows[12].name, blobs, rows[12].call, without=("cupy",))
    for name, count in (("sum_labels", 1000), ("median", 20), ("center_of_mass", 1000)):

        def call(xp, sp, a, labels, name=name, count=count):
            return getattr(sp.ndimage, name)(a, labels, index(xp, count))

        rows.append(Case(f"{name} of {count} labels", labelled(count), call))
    return rows
