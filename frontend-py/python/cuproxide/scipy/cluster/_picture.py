"""Dendrograms by matplotlib."""

from __future__ import annotations

import importlib
from typing import Any


def _step(value: int, steps: dict[float, int]) -> int:
    """What belongs to the first bound that is not exceeded."""
    return next(result for bound, result in steps.items() if value <= bound)


def plot_dendrogram(
    drawing: Any, highest: float, orientation: str, no_labels: bool, font_size: float | None, rotation: float | None,
    ax: Any,
) -> None:  # fmt: skip
    """Draws what was collected."""
    try:
        collections, patches = (importlib.import_module(f"matplotlib.{name}") for name in ("collections", "patches"))
        if ax is None:
            ax = importlib.import_module("matplotlib.pyplot").gca()
    except ImportError as error:
        raise ImportError(
            "You must install the matplotlib library to plot the dendrogram. Use no_plot=True to calculate the "
            "dendrogram without plotting."
        ) from error
    names = drawing.labels_found
    count, top = len(names), highest * 1.05
    ticks = [] if no_labels else [10 * i + 5 for i in range(count)]
    names = [] if no_labels else names
    size = font_size or _step(count, {20: 12, 30: 10, 50: 8, 85: 6, float("inf"): 5})
    upright = orientation in ("top", "bottom")
    heights = [0, top] if orientation in ("top", "right") else [top, 0]
    if upright:
        ax.set_xlim([0, 10 * count])
        ax.set_ylim(heights)
        ax.set_xticks(ticks)
        turned = _step(count, {20: 0, 40: 45, float("inf"): 90}) if rotation is None else rotation
        ax.set_xticklabels(names, rotation=turned, size=size)
        ax.xaxis.set_ticks_position("bottom" if orientation == "top" else "top")
    else:
        ax.set_ylim([0, 10 * count])
        ax.set_xlim(heights)
        ax.set_yticks(ticks)
        ax.set_yticklabels(names, size=size, **({} if rotation is None else {"rotation": rotation}))
        ax.yaxis.set_ticks_position("right" if orientation == "left" else "left")
    across, along = (drawing.icoord, drawing.dcoord) if upright else (drawing.dcoord, drawing.icoord)
    # Links above the threshold lie on those below.
    above = drawing.above_threshold_color
    for color in sorted(dict.fromkeys(drawing.colors), key=lambda one: one == above):
        lines = [
            list(zip(xs, ys, strict=True))
            for xs, ys, own in zip(across, along, drawing.colors, strict=True)
            if own == color
        ]
        ax.add_collection(collections.LineCollection(lines, colors=(color,)))
    for x, y in drawing.marks:
        place, width, height = ((x, y), 1.0, top / 100) if upright else ((y, x), top / 100, 1.0)
        mark = patches.Ellipse(place, width=width, height=height, alpha=0.5, facecolor="k")
        ax.add_artist(mark)
