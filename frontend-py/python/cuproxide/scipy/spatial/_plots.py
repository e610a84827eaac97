"""Pictures of triangulations, hulls and diagrams in two dimensions, by matplotlib."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

import cuproxide as cp

from ._triangulations import ConvexHull, Delaunay
from ._voronoi import Voronoi


def _axes(ax: Any) -> Any:
    if ax is None:
        ax = importlib.import_module("matplotlib.pyplot").figure().gca()
    return ax


def _lines(lines: Any, **style: Any) -> Any:
    return importlib.import_module("matplotlib.collections").LineCollection(lines, **style)


def _adjust(ax: Any, points: Any) -> None:
    margin = 0.1 * np.ptp(points, axis=0)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])


def _two_dimensional(what: str, points: Any) -> Any:
    if points.shape[1] != 2:
        raise ValueError(f"{what} is not 2-D")
    return cp.asnumpy(points)


def delaunay_plot_2d(tri: Delaunay, ax: Any = None) -> Any:
    """Draws a triangulation and returns the figure.

    >>> tri = cp.scipy.spatial.Delaunay(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> figure = cp.scipy.spatial.delaunay_plot_2d(tri)  # doctest: +SKIP
    """
    points = _two_dimensional("Delaunay triangulation", tri.points)
    ax = _axes(ax)
    ax.plot(points[:, 0], points[:, 1], "o")
    ax.triplot(points[:, 0], points[:, 1], cp.asnumpy(tri.simplices))
    _adjust(ax, points)
    return ax.figure


def convex_hull_plot_2d(hull: ConvexHull, ax: Any = None) -> Any:
    """Draws a hull and returns the figure.

    Parameters
    ----------
    hull : ConvexHull
        The hull.

    >>> hull = cp.scipy.spatial.ConvexHull(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> figure = cp.scipy.spatial.convex_hull_plot_2d(hull)  # doctest: +SKIP
    """
    points = _two_dimensional("Convex hull", hull.points)
    ax = _axes(ax)
    ax.plot(points[:, 0], points[:, 1], "o")
    lines = points[cp.asnumpy(hull.simplices)]
    ax.add_collection(_lines(lines, colors="k", linestyle="solid"))
    _adjust(ax, points)
    return ax.figure


def voronoi_plot_2d(
    vor: Voronoi,
    ax: Any = None,
    *,
    show_points: bool = True,
    point_size: float | None = None,
    show_vertices: bool = True,
    line_colors: Any = "k",
    line_width: float = 1.0,
    line_alpha: float = 1.0,
) -> Any:
    """Draws a diagram and returns the figure.

    Parameters
    ----------
    vor : Voronoi
        The diagram.
    show_points : bool
        Whether the points are drawn.
    point_size : float, optional
        Their size.
    show_vertices : bool
        Whether vertices are drawn.
    line_colors : str, optional
        The color of lines.
    line_width : float, optional
        The width of lines.
    line_alpha : float, optional
        The opacity of lines.

    >>> vor = cp.scipy.spatial.Voronoi(cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> figure = cp.scipy.spatial.voronoi_plot_2d(vor)  # doctest: +SKIP
    """
    points = _two_dimensional("Voronoi diagram", vor.points)
    vertices = cp.asnumpy(vor.vertices)
    ax = _axes(ax)
    if show_points:
        ax.plot(points[:, 0], points[:, 1], ".", markersize=point_size)
    if show_vertices:
        ax.plot(vertices[:, 0], vertices[:, 1], "o")
    centre, extent = points.mean(axis=0), np.ptp(points, axis=0)
    # Long enough to leave the picture also where one axis has a much larger scale.
    reach = extent.max() * abs(extent.max() / extent.min())
    finite, infinite = [], []
    for pair, (first, second) in zip(cp.asnumpy(vor.ridge_points), vor.ridge_vertices, strict=True):
        if first >= 0:
            finite.append(vertices[[first, second]])
            continue
        along = points[pair[1]] - points[pair[0]]
        outward = np.array([-along[1], along[0]]) / np.hypot(*along)
        if (points[pair].mean(axis=0) - centre) @ outward < 0:
            outward = -outward
        infinite.append([vertices[second], vertices[second] + outward * reach])
    style = {"colors": line_colors, "lw": line_width, "alpha": line_alpha}
    ax.add_collection(_lines(finite, linestyle="solid", **style))
    ax.add_collection(_lines(infinite, linestyle="dashed", **style))
    _adjust(ax, points)
    return ax.figure


__all__ = ["convex_hull_plot_2d", "delaunay_plot_2d", "voronoi_plot_2d"]
