"""How far long work is: shown on terminals only, by tqdm where it is installed."""

import io
import sys

import pytest
from cuproxide import _progress
from cuproxide._progress import progress


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
