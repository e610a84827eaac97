"""What notebooks show, and `python -m cuproxide`."""

import re
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest


@pytest.fixture(scope="module")
def ipython(tmp_path_factory):
    """IPython's own shell, which leaves nothing behind: no folder, no other main module."""
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    from traitlets.config import Config

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        patch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        patch.setattr(sys, "displayhook", sys.displayhook)
        yield interactiveshell.InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
        interactiveshell.InteractiveShell.clear_instance()


@pytest.fixture
def shell(ipython):
    """A shell in which `%load_ext cuproxide` has run."""
    ipython.reset(new_session=False)
    ipython.run_line_magic("load_ext", "cuproxide")
    ipython.user_ns["cp"] = cp
    return ipython


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
    shell.run_cell("total = %gpu_time cp.arange(1000.0).sum()").raise_error()
    assert float(shell.user_ns["total"]) == 499500.0
    text = capsys.readouterr().out
    for word in ("host ", "device ", " launch", " moved at "):
        assert word in text, text


def test_time_of_statements(shell, capsys):
    shell.run_cell("%gpu_time x = cp.arange(10.0) * 3").raise_error()
    assert float(shell.user_ns["x"][-1]) == 27.0
    assert " 0 launches" not in capsys.readouterr().out


def test_time_of_a_cell(shell, capsys):
    done = shell.run_cell("%%gpu_time\nx = cp.arange(10.0)\ny = %precision\n(x * x).sum()\n")
    done.raise_error()
    assert float(done.result) == 285.0 and shell.user_ns["y"] is not None
    assert " launch" in capsys.readouterr().out


def test_a_semicolon_silences_a_result(shell):
    assert shell.run_cell("%gpu_time cp.arange(10.0).sum();").result is None
    assert shell.run_cell("%%gpu_time\nx = cp.arange(10.0)\nx.sum();\n").result is None


def test_braces_and_local_names(shell):
    text = "def f(count):\n    total = %gpu_time cp.arange(sum({count, 1})).sum()\n    return int(total)\nf(5)"
    done = shell.run_cell(text)
    done.raise_error()
    assert done.result == 15


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("%gpu_time undefined_name + 1", NameError),
        ("%gpu_time x = = 1", SyntaxError),
        ("%%gpu_time x\ny = 1", "UsageError"),
    ],
)
def test_errors_are_those_of_the_code(shell, capsys, text, error):
    raised = shell.run_cell(text).error_in_exec
    assert type(raised).__name__ == getattr(error, "__name__", error)
    assert raised.__context__ is None


def test_traceback_shows_the_line(shell, capsys):
    shell.run_cell("%%gpu_time\nx = 1\nraise ValueError('wanted')")
    assert "----> 2 raise ValueError('wanted')" in re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)


def test_trace_of_a_line(shell):
    report = shell.run_cell("%gpu_trace (cp.arange(1000.0) ** 2).sum()").result
    data, _ = shell.display_formatter.format(report)
    assert data["image/svg+xml"].startswith("<svg") and "kernel" in data["text/plain"]
    assert any(span.kind == "kernel" for span in report.spans)


def test_arrays_are_shown_as_tables(shell):
    data, _ = shell.display_formatter.format(cp.arange(3))
    assert "<table>" in data["text/html"] and data["text/plain"] == "array([0, 1, 2])"


def test_command():
    result = subprocess.run([sys.executable, "-m", "cuproxide"], capture_output=True, text=True, check=True)
    for word in (cp.__version__, str(cp.Device()), "cuproxide.doctor", "cuproxide.compat"):
        assert word in result.stdout, word
