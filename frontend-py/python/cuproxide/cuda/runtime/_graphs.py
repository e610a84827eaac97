"""The run-time interface's calls about captures and graphs."""

from __future__ import annotations

import os

from ..._cuproxide import Graph
from ._constants import streamCaptureModeRelaxed
from ._errors import invalid
from ._streams import stream_of

__all__ = [
    "graphDebugDotPrint",
    "graphDestroy",
    "graphExecDestroy",
    "graphInstantiate",
    "graphLaunch",
    "graphUpload",
    "streamBeginCapture",
    "streamEndCapture",
    "streamIsCapturing",
]


_graphs: dict[int, Graph] = {}

_executables: dict[int, Graph] = {}


def _graph(known: dict[int, Graph], handle: int) -> Graph:
    found = known.get(handle)
    if found is None:
        raise invalid(f"{handle:#x} is not a graph that this process made")
    return found


def streamBeginCapture(stream: int, mode: int = streamCaptureModeRelaxed) -> None:
    """Starts to capture what is queued on a stream.

    Parameters
    ----------
    mode : int
        The mode.

    >>> x, stream = cp.zeros(3), cp.cuda.Stream()
    >>> runtime.streamBeginCapture(stream.ptr)
    >>> with stream:
    ...     x += 1
    >>> graph = runtime.streamEndCapture(stream.ptr)
    >>> x  # captured, and not run yet
    array([0., 0., 0.])
    >>> runtime.graphDestroy(graph)
    """
    stream_of(stream).begin_capture(mode)


def streamEndCapture(stream: int) -> int:
    """Ends the capture; the handle of its graph."""
    graph = stream_of(stream).end_capture()
    _graphs[graph.graph] = graph
    return graph.graph


def streamIsCapturing(stream: int) -> bool:
    """Whether a stream takes part in a capture."""
    return stream_of(stream).is_capturing()


def graphInstantiate(graph: int) -> int:
    """The handle of a graph's executable form."""
    found = _graph(_graphs, graph)
    _executables[found.graphExec] = found
    return found.graphExec


def graphLaunch(graphExec: int, stream: int) -> None:
    """Queues the work of a graph.

    >>> x, stream = cp.zeros(3), cp.cuda.Stream()
    >>> runtime.streamBeginCapture(stream.ptr)
    >>> with stream:
    ...     x += 1
    >>> graph = runtime.streamEndCapture(stream.ptr)
    >>> executable = runtime.graphInstantiate(graph)
    >>> for _ in range(5):
    ...     runtime.graphLaunch(executable, stream.ptr)
    >>> stream.synchronize()
    >>> x
    array([5., 5., 5.])
    """
    _graph(_executables, graphExec).launch(stream_of(stream))


def graphUpload(graphExec: int, stream: int) -> None:
    """Moves what a launch needs to the device.

    >>> x, stream = cp.zeros(3), cp.cuda.Stream()
    >>> runtime.streamBeginCapture(stream.ptr)
    >>> with stream:
    ...     x += 1
    >>> graph = runtime.streamEndCapture(stream.ptr)
    >>> executable = runtime.graphInstantiate(graph)
    >>> runtime.graphUpload(executable, stream.ptr)
    >>> runtime.graphLaunch(executable, stream.ptr)
    >>> stream.synchronize()
    >>> x
    array([1., 1., 1.])
    """
    _graph(_executables, graphExec).upload(stream_of(stream))


def graphDestroy(graph: int) -> None:
    """Gives up a graph."""
    _graph(_graphs, graph)
    _graphs.pop(graph, None)


def graphExecDestroy(graphExec: int) -> None:
    """Gives up the executable form of a graph."""
    _graph(_executables, graphExec)
    _executables.pop(graphExec, None)


def graphDebugDotPrint(graph: int, path: str | os.PathLike[str], flags: int = 0) -> None:
    """Writes a graph to a file in the DOT language.

    Parameters
    ----------
    graph : int
        The handle of the graph.
    path : str
        The file.

    >>> x, stream = cp.zeros(3), cp.cuda.Stream()
    >>> runtime.streamBeginCapture(stream.ptr)
    >>> with stream:
    ...     x += 1
    >>> graph = runtime.streamEndCapture(stream.ptr)
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "graph.dot")
    ...     runtime.graphDebugDotPrint(graph, path)
    ...     text = open(path).read()
    >>> text.startswith("digraph")
    True
    """
    with open(path, "w") as file:
        file.write(_graph(_graphs, graph).debug_dot_str(flags))
