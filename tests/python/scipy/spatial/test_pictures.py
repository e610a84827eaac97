"""What is drawn, with a stand-in of matplotlib that notes the calls."""

import sys
from unittest import mock

import cuproxide as cp
import cuproxide.scipy.cluster.hierarchy as ch
import cuproxide.scipy.spatial as cs
import numpy as np
import pytest


@pytest.fixture
def drawn(monkeypatch):
    """The arguments of the collections of lines that are made."""
    found = []
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches"):
        monkeypatch.setitem(sys.modules, name, mock.MagicMock())
    collections = mock.MagicMock()
    collections.LineCollection = lambda lines, **style: found.append((lines, style))
    monkeypatch.setitem(sys.modules, "matplotlib.collections", collections)
    return found


def test_shapes(drawn):
    x = cp.asarray(np.random.default_rng(0).random((9, 2)))
    vor = cs.Voronoi(x)
    cs.voronoi_plot_2d(vor, line_width=2.0)
    finite, infinite = (lines for lines, _ in drawn)
    assert len(finite) == sum(-1 not in row for row in vor.ridge_vertices)
    assert len(infinite) == sum(-1 in row for row in vor.ridge_vertices)
    assert drawn[0][1]["lw"] == 2.0
    # Rays go away from the points.
    middle = cp.asnumpy(x).mean(axis=0)
    assert all(np.linalg.norm(end - middle) > 0.5 for _, end in infinite)
    hull = cs.ConvexHull(x)
    axes = mock.MagicMock()
    assert cs.convex_hull_plot_2d(hull, axes) is axes.figure
    assert drawn[2][0].shape == (hull.nsimplex, 2, 2)
    cs.delaunay_plot_2d(cs.Delaunay(x), axes)
    assert axes.triplot.call_args.args[2].shape == cs.Delaunay(x).simplices.shape
    for plot, solid in ((cs.delaunay_plot_2d, cs.Delaunay), (cs.voronoi_plot_2d, cs.Voronoi)):
        with pytest.raises(ValueError, match="2-D"):
            plot(solid(cp.asarray(np.random.default_rng(0).random((9, 3)))))


def test_rays_leave_pictures_of_unequal_scales(drawn):
    x = np.random.default_rng(0).random((9, 2)) * [1.0, 100.0]
    cs.voronoi_plot_2d(cs.Voronoi(cp.asarray(x)))
    rays = np.array(drawn[1][0])
    extent = np.ptp(x, axis=0)
    lengths = np.linalg.norm(rays[:, 1] - rays[:, 0], axis=1)
    np.testing.assert_allclose(lengths, extent.max() ** 2 / extent.min(), rtol=1e-9)


@pytest.mark.parametrize("orientation", ["top", "left", "bottom", "right"])
def test_dendrograms(drawn, orientation):
    z = ch.linkage(cp.asarray(np.random.default_rng(1).random((9, 2))))
    axes = mock.MagicMock()
    result = ch.dendrogram(z, orientation=orientation, ax=axes)
    assert sum(len(lines) for lines, _ in drawn) == 8
    assert {style["colors"][0] for _, style in drawn} == set(result["color_list"])
    names = axes.set_xticklabels if orientation in ("top", "bottom") else axes.set_yticklabels
    assert names.call_args.args[0] == result["ivl"]
    ch.dendrogram(z, p=3, truncate_mode="lastp", show_contracted=True, ax=axes)
    # Six merges are hidden, two of them are the leaves that are shown.
    assert axes.add_artist.call_count == 4


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.collections", None)
    with pytest.raises(ImportError, match="no_plot=True"):
        ch.dendrogram(cp.asarray([[0.0, 1.0, 1.0, 2.0]]))
