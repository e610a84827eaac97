"""`profiler`: recordings of what the process does, and reports on them."""

from __future__ import annotations

import json
import threading

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import profiler
from cuproxide._tools import timeline


@pytest.fixture
def recorded(tmp_path):
    """Spans of a step that does a bit of everything, and the file with them."""
    path = tmp_path / "out.json"
    increment = cp.RawKernel(
        'extern "C" __global__ void increment_all(float* x) { x[threadIdx.x] += 1; }', "increment_all"
    )
    # What earlier tests left deferred is not to run within.
    cp.Device().synchronize()
    with profiler.trace(path):
        x = cp.asarray(np.arange(30_000, dtype=np.float32))
        with profiler.time_range("a range"):
            y = cp.sqrt(x * 2 + 1)
            total = float(y.sum())
        increment((1,), (32,), (x,))
        square = cp.ones((64, 64))
        product = square @ square
        cp.sort(x)
        product.get()
    assert total > 0
    return profiler.report().spans, path


def test_spans_of_everything_that_was_done(recorded):
    spans, _ = recorded
    kinds = {kind: [span for span in spans if span.kind == kind] for kind in {span.kind for span in spans}}
    assert {"kernel", "library", "copy", "range", "compile"} <= kinds.keys()
    assert ("flush" in kinds) == (not cp.fusion.is_eager())
    assert {"host to device", "device to host"} <= {span.name for span in kinds["copy"]}
    uploaded = next(span for span in kinds["copy"] if span.name == "host to device")
    assert uploaded.bytes == 120_000 and uploaded.device == str(cp.Device())
    assert {"matrix product", "sort"} <= {span.name for span in kinds["library"]}
    assert "increment_all" in {span.name for span in kinds["kernel"]}
    assert "increment_all" in {span.name for span in kinds["compile"]}
    fused = [span for span in kinds["kernel"] if span.name != "increment_all" and span.bytes >= 120_000]
    assert fused, kinds["kernel"]
    for span in spans:
        assert span.start >= 0 and span.duration >= 0 and span.work >= 0
        if cp.Device().asynchronous and span.kind in ("kernel", "library"):
            assert span.on_device is not None
            _, start, duration = span.on_device
            assert duration > 0 and start >= 0
        elif not cp.Device().asynchronous:
            assert span.on_device is None
    assert [span.start for span in spans] == sorted(span.start for span in spans)


def test_ranges_contain_what_ran_in_them(recorded):
    spans, _ = recorded
    marked = next(span for span in spans if span.kind == "range")
    assert marked.name == "a range" and marked.device == ""
    inside = [s for s in spans if marked.start <= s.start and s.start + s.duration <= marked.start + marked.duration]
    assert any(span.kind == "kernel" for span in inside)


def test_the_file_is_a_trace_of_events(recorded):
    spans, path = recorded
    trace = json.loads(path.read_text())
    events = trace["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X"}
    for event in events:
        assert {"name", "pid", "tid"} <= event.keys()
        if event["ph"] == "X":
            assert event["dur"] >= 0 and isinstance(event["ts"], float) and event["cat"]
    timed = sum(span.on_device is not None for span in spans)
    assert sum(event["ph"] == "X" for event in events) == len(spans) + timed
    named = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert "host" in named and any(name.startswith("thread") for name in named)
    assert (str(cp.Device()) in named) == bool(timed)


def test_reports_show_where_the_time_went(recorded):
    spans, _ = recorded
    report = profiler.report(rows=3)
    text = str(report).splitlines()
    assert "us of work within" in text[0]
    busy = sum(span.work for span in spans if span.kind in ("kernel", "library", "copy"))
    assert report.time == pytest.approx(busy)
    times = [row.time for _, row in report.rows]
    assert times == sorted(times, reverse=True) and sum(times) == pytest.approx(busy)
    kind, name, _ = report.rows[0][0]
    assert text[2].startswith(f"{kind:8}{name[:20]}") and "█" in text[2]
    hidden = len(report.rows) - 3
    assert any(line == f"... and {hidden} more" for line in text)
    assert any(line.startswith("flush: ") for line in text) == (not cp.fusion.is_eager())
    assert not any(line.startswith(("kernel: ", "library: ", "copy: ")) for line in text)
    assert repr(report) == str(report)
    rated = [line for line in text[2:5] if "%" in line]
    assert rated


def test_reports_are_pictures_too(recorded):
    from xml.etree import ElementTree

    report = profiler.report()
    root = ElementTree.fromstring(report.svg())
    assert root.tag.endswith("svg") and report._repr_svg_() == report.svg()
    _, *bars = [element for element in root if element.tag.endswith("rect")]
    assert len(bars) >= min(len(report.rows), 12)
    assert all(float(bar.get("x")) + float(bar.get("width")) <= int(root.get("width")) for bar in bars)


def test_pictures_show_what_was_done_when():
    from xml.etree import ElementTree

    def span(kind, name, start, duration, on_device=None):
        return timeline.Span(kind, name, "", 0, 1, start, duration, on_device)

    spans = [
        span("range", "all <of> it", 100.0, 630.0),
        span("kernel", "first", 100.0, 5.0, (7, 200.0, 63.0)),
        span("compile", "second", 300.0, 100.0),
        *(span("copy", "many", 500.0 + place / 10, 0.05) for place in range(100)),
    ]
    root = ElementTree.fromstring(timeline.Report(spans).svg())
    texts = [element.text for element in root if element.tag.endswith("text")]
    assert "thread 1" in texts and any(text.endswith("stream 0x7") for text in texts)
    titled = {
        bar[0].text: (float(bar.get("x")), float(bar.get("width")))
        for bar in root
        if len(bar) and bar.tag.endswith("rect")
    }
    # 630 points for 630 microseconds.
    assert titled == {
        "range all <of> it: 630.0 us": (320.0, 630.0),
        "kernel first: 5.0 us": (320.0, 5.0),
        "kernel first: 63.0 us": (420.0, 63.0),
        "compile second: 100.0 us": (520.0, 100.0),
    }
    copies = [bar for bar in root if bar.get("fill") == timeline._COLOURS["copy"] and bar.get("height") == "16"]
    assert len(copies) == 10
    assert sum(float(bar.get("width")) for bar in copies) == pytest.approx(5.0, abs=0.1)


def test_the_limit_of_the_memory_is_plausible():
    peak = timeline.peak_bandwidth(str(cp.Device()))
    assert 1e8 < peak < 1e14
    assert timeline.peak_bandwidth(str(cp.Device())) == peak


def test_nothing_is_recorded_outside_of_a_trace(recorded):
    before = profiler.report().spans
    cp.arange(10.0).sum().get()
    assert profiler.report().spans == before
    with profiler.trace():
        pass
    assert [span for span in profiler.report().spans if span.kind == "kernel"] == []


def test_only_one_trace_at_a_time(tmp_path):
    with profiler.trace():
        with pytest.raises(ValueError, match="already"), profiler.trace():
            pass
        cp.arange(10.0).sum().get()
    assert any(span.kind == "kernel" for span in profiler.report().spans)


def test_traces_end_with_the_block_that_raises(tmp_path):
    path = tmp_path / "out.json"
    with pytest.raises(KeyError), profiler.trace(path):
        cp.arange(10.0).sum().get()
        raise KeyError
    assert not path.exists() and any(span.kind == "kernel" for span in profiler.report().spans)
    with profiler.trace(path):
        pass
    assert path.exists()


def test_threads_have_tracks_of_their_own():
    def work():
        cp.arange(1000.0).sum().get()

    with profiler.trace():
        threads = [threading.Thread(target=work) for _ in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    assert len({span.thread for span in profiler.report().spans if span.kind == "kernel"}) == 3


def test_fused_functions_have_the_name_that_the_program_gave(run_python):
    # In a process of its own: `wait` waits for every kernel that earlier tests have queued for compilation.
    code = """
import cuproxide as cp
from cuproxide import profiler
from cuproxide._tools import timeline

@cp.fuse(kernel_name="my_step")
def step(x, y):
    return cp.sqrt(x * x + y) - 1

x = cp.arange(1000.0)
step(x, 2.0).get()
cp.fusion.wait()
with profiler.trace():
    step(x, 2.0).get()
print([span.name for span in profiler.report().spans if span.kind == "kernel"])
"""
    done = run_python(code)
    assert done.stdout.strip() == "['my_step']", done.stderr


def test_a_report_needs_a_trace(run_python):
    done = run_python(
        "import cuproxide as cp\ntry:\n    cp.profiler.report()\nexcept RuntimeError as error:\n    print(error)"
    )
    assert "nothing has been traced" in done.stdout, done.stderr


def test_libraries_that_are_there():
    """Programs ask before they call."""
    from cuproxide.cuda import nccl, nvtx

    assert nvtx.available is (nvtx._library() is not None)
    assert type(nccl.available) is bool
    try:
        there = nccl.get_version() > 0
    except (cp.cuda.runtime.CUDARuntimeError, ImportError):
        there = False
    assert nccl.available is there
    for module in (nccl, nvtx):
        with pytest.raises(AttributeError, match="no attribute 'missing'"):
            _ = module.missing
