"""What notebooks show, and `python -m cuproxide`."""

import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest


class Shell:
    """What the magics use of an IPython shell."""

    def __init__(self):
        self.user_ns = {"cp": cp}
        self.magics = {}

    def register_magic_function(self, function, kind, name):
        assert kind == "line_cell"
        self.magics[name] = function


@pytest.fixture
def shell():
    made = Shell()
    cp.load_ipython_extension(made)
    return made


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.arange(12.0).reshape(3, 4), ["3 x 4", "float64", "96 B", "<td>11</td>"]),
        (np.zeros((1000, 1000), "f4"), ["1000 x 1000", "3.81 MiB", "…", "⋮"]),
        (np.array(7), ["no axes", "int64", "<td>7</td>"]),
        (np.arange(100) > 50, ["bool", "<td>True</td>", "…"]),
        (np.ones((2, 3, 4), "c8"), ["2 x 3 x 4", "complex64"]),
        (np.zeros((0, 3)), ["0 x 3", "0 B"]),
    ],
)
def test_html_of_arrays(array, words):
    text = cp.asarray(array)._repr_html_()
    for word in (*words, str(cp.Device())):
        assert word in text, word
    assert text.count("<td>") <= 4 + 49


def test_html_reads_the_corners_only():
    large = cp.zeros((4096, 4096), "f4")
    cp.Device().synchronize()
    with cp.profiler.trace():
        large._repr_html_()
    moved = [span.bytes for span in cp.profiler.report().spans if span.kind == "copy"]
    assert all(size < 1000 for size in moved), moved


def test_time_of_a_line(shell, capsys):
    result = shell.magics["gpu_time"]("cp.arange(1000.0).sum()")
    assert float(result) == 499500.0
    text = capsys.readouterr().out
    for word in ("host ", "device ", "launches", " moved at "):
        assert word in text, text


def test_time_of_a_cell(shell, capsys):
    assert shell.magics["gpu_time"]("", "x = cp.arange(10.0)\ny = float((x * x).sum())") is None
    assert shell.user_ns["y"] == 285.0
    assert "launches" in capsys.readouterr().out


def test_errors_of_a_line_are_those_of_python(shell):
    with pytest.raises(NameError):
        shell.magics["gpu_time"]("undefined_name + 1")
    with pytest.raises(SyntaxError):
        shell.magics["gpu_time"]("x = = 1")


def test_trace_of_a_line(shell):
    report = shell.magics["gpu_trace"]("(cp.arange(1000.0) ** 2).sum()")
    assert report._repr_svg_().startswith("<svg")
    assert any(span.kind == "kernel" for span in report.spans)


def test_command():
    result = subprocess.run([sys.executable, "-m", "cuproxide"], capture_output=True, text=True, check=True)
    for word in (cp.__version__, str(cp.Device()), "cuproxide.doctor", "cuproxide.compat"):
        assert word in result.stdout, word
