"""How far long work is: shown on terminals only, by tqdm where it is installed."""

import io
import sys

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._tools import progress as _progress
from cuproxide._tools.progress import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Each look at the clock is half a second later."""
    seconds = iter(range(10_000))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(seconds) / 2)


@pytest.fixture
def no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


def test_a_log_gets_nothing(clock, no_tqdm):
    log = io.StringIO()
    assert list(progress(range(10), 10, "work", log)) == list(range(10))
    assert log.getvalue() == ""


def test_a_line_of_the_terminal(clock, no_tqdm):
    terminal = Terminal()
    assert list(progress(iter("abcdef"), 6, "work", terminal)) == list("abcdef")
    first, *_, last = terminal.getvalue().split("\r")[1:]
    # The first second says nothing.
    assert first.startswith("work: 3/6, 2 s left") and last == "work: 6/6, 0 s left \n"


def test_short_work_says_nothing(no_tqdm):
    terminal = Terminal()
    assert sum(progress(range(4), 4, "work", terminal)) == 6
    assert terminal.getvalue() == ""


def test_work_that_fails_ends_its_line(clock, no_tqdm):
    terminal = Terminal()
    with pytest.raises(ZeroDivisionError):
        for step in progress(range(9, -1, -1), 10, "work", terminal):
            1 // step
    assert terminal.getvalue().endswith("\n")


def test_tqdm(monkeypatch):
    pytest.importorskip("tqdm")
    terminal = Terminal()
    monkeypatch.setattr(_progress, "_SILENT", 0)
    assert list(progress(range(5), 5, "work", terminal)) == list(range(5))
    assert "work" in terminal.getvalue() and "5/5" in terminal.getvalue()


@pytest.fixture
def long(monkeypatch):
    """Copies of 64 MiB, the least that is asked about, are long and shown from the beginning."""
    monkeypatch.setattr(_progress, "_LONG", (1 << 26) - 1)
    monkeypatch.setattr(_progress, "_PIECE", 10_000_000)
    monkeypatch.setattr(_progress, "_SILENT", -1.0)
    monkeypatch.setattr(_progress, "_PAUSE", 0.0)


@pytest.mark.parametrize("into", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_long_copies_to_the_host_are_shown(long, no_tqdm, monkeypatch, into, order):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    numbers = np.arange(1 << 23).reshape(1 << 10, -1).copy(order)
    out = np.empty_like(numbers) if into else None
    host = cp.asarray(numbers).get(out=out, order=order)
    assert (host is out) == into and host.flags.f_contiguous == (order == "F")
    np.testing.assert_array_equal(host, numbers)
    assert "copying to the host: 7/7" in terminal.getvalue()


def test_long_copies_to_a_log_are_whole(long, capsys):
    x = cp.arange(1 << 23)
    with cp.profiler.trace():
        x.get()
    copies = [span.bytes for span in cp.profiler.report().spans if span.name == "device to host"]
    assert copies == [x.nbytes] and capsys.readouterr().err == ""
