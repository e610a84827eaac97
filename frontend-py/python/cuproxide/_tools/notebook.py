"""What notebooks show: an array as a table, and the magics `%gpu_time` and `%gpu_trace`.

    %load_ext cuproxide
    %gpu_time (x @ x).sum()

The magics need IPython, the table does not.
"""

from __future__ import annotations

import ast
import html
import math
import time
from types import CodeType
from typing import Any, NamedTuple

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .timeline import Report, peak_bandwidth

# Elements at both ends of an axis that a table shows, and the longest axis that it shows whole.
_EDGE = 3
_WHOLE = 2 * _EDGE + 1
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def _bytes(size: float) -> str:
    """A number of bytes as people read it."""
    unit = min(int(math.log2(size) // 10), len(_UNITS) - 1) if size > 0 else 0
    return f"{size / 1024**unit:.{0 if unit == 0 else 2}f} {_UNITS[unit]}"


def _corner(array: ndarray) -> ndarray:
    """The elements that a table shows: of the last two axes both ends, of the others the first."""
    while array.ndim > 2:
        array = array[0]
    for axis in range(array.ndim):
        if array.shape[axis] > _WHOLE:
            ends = [(slice(None),) * axis + (part,) for part in (slice(_EDGE), slice(-_EDGE, None))]
            array = _core.concatenate([array[end] for end in ends], axis)
    return array


def _cells(array: ndarray) -> str:
    """The rows of a table of elements, with an ellipsis where some are left out."""
    shown = _corner(array)
    values = shown.get().reshape((1,) * (2 - shown.ndim) + shown.shape)
    gaps = [length > _WHOLE for length in (1, 1, *array.shape)[-2:]]
    rows = [
        [f"<td>{html.escape(f'{value:.6g}' if shown.dtype.kind == 'f' else str(value))}</td>" for value in row]
        for row in values
    ]
    if gaps[1]:
        rows = [[*row[:_EDGE], "<td>…</td>", *row[_EDGE:]] for row in rows]
    if gaps[0]:
        rows.insert(_EDGE, ["<td>⋮</td>" for _ in rows[0]])
    return "".join(f"<tr>{''.join(row)}</tr>" for row in rows)


def array_html(array: ndarray) -> str:
    """An array as HTML: shape, dtype, device, size, and the elements at its corners, which are read from the device.

    Parameters
    ----------
    array : ndarray
        Any array. At most 36 of its elements are read.

    Returns
    -------
    str
        A table.
    """
    shape = " x ".join(str(length) for length in array.shape) or "no axes"
    facts = {"shape": shape, "dtype": str(array.dtype), "device": str(array.device), "size": _bytes(array.nbytes)}
    head = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in facts.items())
    out = f'<div style="display:inline-block;vertical-align:top;margin-right:1em"><table>{head}</table></div>'
    if array.size and array.dtype.names is None:
        out += f'<div style="display:inline-block"><table>{_cells(array)}</table></div>'
    return out


class _Code(NamedTuple):
    """What a line or cell does, and the expression that ends it: its value is the result."""

    statements: CodeType
    value: CodeType | None


def _compiled(shell: Any, text: str) -> _Code:
    """The code of a line or cell, which may hold syntax of IPython's own. Tracebacks show its lines."""
    source = shell.transform_cell(text)
    name = shell.compile.cache(source, raw_code=text)
    tree = shell.transform_ast(shell.compile.ast_parse(source, name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = last and shell.compile(ast.Expression(last.value), name, "eval")
    return _Code(shell.compile(tree, name, "exec"), value)


def _run(code: _Code, user: dict[str, Any], local: Any) -> Any:
    """The result of a line or cell in the namespaces of its caller. Waits for the devices."""
    exec(code.statements, user, local)
    result = code.value and eval(code.value, user, local)
    if isinstance(result, ndarray):
        _core.evaluate(result)
    for device in _core.available_devices():
        device.synchronize()
    return result


def _traced(shell: Any, line: str, cell: str | None, local: Any) -> tuple[Any, Report, float]:
    """The result of a line or cell, the report on it, and its seconds. A first run compiles what has to be compiled."""
    from .. import fusion, profiler

    if cell is not None and line:
        from IPython.core.error import UsageError

        raise UsageError("the line of a cell magic must be empty: its code goes below")
    code = _compiled(shell, line if cell is None else cell)
    local = shell.user_ns if local is None else local
    _run(code, shell.user_ns, local)
    fusion.wait()
    with profiler.trace():
        start = time.perf_counter()
        result = _run(code, shell.user_ns, local)
        seconds = time.perf_counter() - start
    return result, profiler.report(), seconds


def _summary(report: Report, seconds: float) -> str:
    """One line: times of the host and of devices, launches, bytes, and which part of the memory's speed was reached."""
    work = [(name, row) for (kind, name, _), row in report.rows]
    moved, busy = sum(row.bytes for _, row in work), report.time
    count = sum(row.count for _, row in work)
    text = f"host {seconds * 1e3:.3f} ms, device {busy * 1e-3:.3f} ms, {count} launch{'' if count == 1 else 'es'}"
    devices = {row.device for _, row in work if row.device}
    if moved and busy:
        rate = moved / busy * 1e6
        text += f", {_bytes(moved)} moved at {rate * 1e-9:.1f} GB/s"
        if len(devices) == 1:
            text += f" ({rate / peak_bandwidth(devices.pop()):.0%} of what the memory can move)"
    return text


def load(shell: Any) -> None:
    """Registers the magics with an IPython shell: what `%load_ext cuproxide` calls."""
    from IPython.core import magic

    def gpu_time(line: str, cell: str | None = None, local_ns: Any = None) -> Any:
        """Times a line, or a cell: on the host and on devices, with launches, bytes and bandwidth.

        The code runs twice, first to compile its kernels, then to be timed. Its last expression is the result:

            %gpu_time (x @ x).sum()

            %%gpu_time
            y = x - x.mean(axis=0)
            (y.T @ y) / len(y)
        """
        result, report, seconds = _traced(shell, line, cell, local_ns)
        print(_summary(report, seconds))
        return result

    def gpu_trace(line: str, cell: str | None = None, local_ns: Any = None) -> Report:
        """Shows what took the time of a line, or a cell, as a picture.

        The code runs twice, first to compile its kernels, then to be recorded. The result is a
        `cuproxide.profiler.Report`, not that of the code:

            %gpu_trace cp.linalg.svd(x)
        """
        return _traced(shell, line, cell, local_ns)[1]

    for function in (gpu_time, gpu_trace):
        # Braces and dollars are Python here, and a name may be that of a function which calls the magic.
        magic.no_var_expand(magic.needs_local_scope(function))
        # IPython 7 has no such decorator.
        getattr(magic, "output_can_be_silenced", lambda function: function)(function)
        shell.register_magic_function(function, "line_cell", function.__name__)
