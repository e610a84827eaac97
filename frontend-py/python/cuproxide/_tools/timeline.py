"""What a recording of the process holds: as a file for viewers, and as a report with a picture."""

from __future__ import annotations

import html
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._cuproxide import Device, available_devices, empty

__all__ = ["Report", "Span", "chrome_trace", "peak_bandwidth"]


@dataclass(frozen=True)
class Span:
    """Something that was done. Times are microseconds from the beginning of the recording."""

    kind: str
    name: str
    device: str
    bytes: int
    thread: int
    start: float
    duration: float
    on_device: tuple[int, float, float] | None

    @property
    def work(self) -> float:
        """How long the work itself took: on the device where that has a clock of its own."""
        return self.duration if self.on_device is None else self.on_device[2]


def chrome_trace(spans: Iterable[Span]) -> dict[str, Any]:
    """The spans in the trace event format that Perfetto and Chrome read.

    Threads of the host are the tracks of one process, the streams of each device those of another one.
    """
    host = os.getpid()
    events: list[dict[str, Any]] = [_named("process_name", host, 0, "host")]
    processes: dict[str, int] = {}
    tracks: set[tuple[int, int]] = set()
    for span in spans:
        details: dict[str, Any] = {"bytes": span.bytes} if span.bytes else {}
        if span.device:
            details["device"] = span.device
        if (host, span.thread) not in tracks:
            tracks.add((host, span.thread))
            events.append(_named("thread_name", host, span.thread, f"thread {span.thread}"))
        shown = {"name": span.name, "cat": span.kind, "ph": "X", "args": details}
        events.append(shown | {"ts": span.start, "dur": span.duration, "pid": host, "tid": span.thread})
        if span.on_device is not None:
            stream, start, duration = span.on_device
            process = processes.setdefault(span.device, host + 1 + len(processes))
            if (process, stream) not in tracks:
                if not any(known == process for known, _ in tracks):
                    events.append(_named("process_name", process, 0, span.device))
                tracks.add((process, stream))
                events.append(_named("thread_name", process, stream, f"stream {stream:#x}"))
            if span.bytes and duration > 0:
                shown["args"] = details | {"GB/s": round(span.bytes / duration * 1e-3, 3)}
            events.append(shown | {"ts": start, "dur": duration, "pid": process, "tid": stream})
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def _named(what: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


_peaks: dict[str, float] = {}


def peak_bandwidth(name: str) -> float:
    """Bytes per second that the memory of a device moves: by what its vendor says of it, else as a copy measures it."""
    if name not in _peaks:
        device = next(device for device in available_devices() if str(device) == name)
        facts = {key.lower(): value for key, value in device.attributes.items()}
        clock, width = facts.get("memoryclockrate", 0), facts.get("globalmemorybuswidth", 0)
        # Data moves at both edges of the clock, which is given in kHz.
        _peaks[name] = clock * 1e3 * 2 * width / 8 if clock and width else _measured(device)
    return _peaks[name]


def _measured(device: Device) -> float:
    import time

    size = min(1 << 26, device.mem_info[0] // 8)
    best = float("inf")
    with device:
        source, target = empty(size, "uint8"), empty(size, "uint8")
        for _ in range(5):
            device.synchronize()
            begin = time.perf_counter()
            target.data.copy_from_device(source.data, size)
            device.synchronize()
            best = min(best, time.perf_counter() - begin)
    return 2 * size / best


@dataclass
class _Row:
    count: int = 0
    time: float = 0.0
    bytes: int = 0
    device: str = ""


_SHOWN_AS_WORK = ("kernel", "library", "copy")
# What a picture shows, wide spans behind: others are the host's own.
_COLOURS = {"kernel": "#3c6eb4", "library": "#7d5aa8", "copy": "#c9822f", "compile": "#b8433f", "range": "#e3e3e3"}
_OTHER = "#b5b5b5"


def _rectangle(x: float, y: float, width: float, colour: str, title: str = "") -> str:
    """A bar in a line of a picture."""
    return f'<rect x="{x:.2f}" y="{y + 3}" width="{width:.2f}" height="16" fill="{colour}">{title}</rect>'


_BAR = 24
_BLOCKS = " ▏▎▍▌▋▊▉"


def _bar(part: float) -> str:
    """A bar of text of up to 24 characters."""
    eighths = round(max(0.0, min(part, 1.0)) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(_BAR)


class Report:
    """A report of where the time of a recording went: `print` it, or let a notebook show it as a picture.

    For each kernel, library and copy: how often it ran, its time, its part of the time of all, and the bytes per second
    that it moved beside what the device's memory can move. Elements that are read twice count once.

    Parameters
    ----------
    spans : sequence of Span
        What was recorded.
    rows : int
        How many lines are shown at most, those that took the longest time.

    See Also
    --------
    cuproxide.profiler.trace : Records.
    cuproxide.profiler.report : Makes a report of a block.
    """

    def __init__(self, spans: Sequence[Span], rows: int = 12) -> None:
        """The report on a recording, with so many rows at most."""
        self.spans = list(spans)
        self._shown = rows
        table: dict[tuple[str, str, str], _Row] = defaultdict(_Row)
        self.other: dict[str, _Row] = defaultdict(_Row)
        for span in self.spans:
            shown = span.kind in _SHOWN_AS_WORK
            place = table[span.kind, span.name, span.device] if shown else self.other[span.kind]
            place.device = span.device
            place.count += 1
            place.time += span.work
            place.bytes += span.bytes
        self.rows = sorted(table.items(), key=lambda item: -item[1].time)
        self.time = sum(row.time for row in table.values())
        self.span = max((span.start + span.duration for span in self.spans), default=0.0) - min(
            (span.start for span in self.spans), default=0.0
        )

    def _lines(self) -> list[tuple[str, str, _Row, float, float | None, float | None]]:
        """Kind, name, row, part of the time, bytes per second, part of what the memory can move."""
        lines = []
        for (kind, name, device), row in self.rows[: self._shown]:
            rate = row.bytes / row.time * 1e6 if row.bytes and row.time > 0 else None
            peak = rate / peak_bandwidth(device) if rate is not None and device else None
            lines.append((kind, name, row, row.time / self.time if self.time else 0.0, rate, peak))
        return lines

    def __str__(self) -> str:
        busy = f"{self.time:.1f} us of work within {self.span:.1f} us"
        text = [f"{busy}, {sum(row.count for _, row in self.rows)} launches and calls"]
        width = max([len(line[1]) for line in self._lines()] + [6])
        width = min(width, 48)
        head = f"{'kind':8}{'name':{width}} {'count':>7} {'time':>12} {'of all':>7} {'':{_BAR}}"
        text.append(f"{head} {'GB/s':>9} {'of peak':>8}")
        for kind, name, row, part, rate, peak in self._lines():
            speed = "" if rate is None else f"{rate * 1e-9:9.1f}"
            limit = "" if peak is None else f"{peak:8.1%}"
            shown = name if len(name) <= width else name[: width - 1] + "…"
            line = f"{kind:8}{shown:{width}} {row.count:7} {row.time:9.1f} us {part:7.1%} {_bar(part)} {speed} {limit}"
            text.append(line.rstrip())
        hidden = len(self.rows) - self._shown
        if hidden > 0:
            text.append(f"... and {hidden} more")
        for kind, row in sorted(self.other.items()):
            size = f", {row.bytes} bytes" if row.bytes else ""
            text.append(f"{kind}: {row.count} in {row.time:.1f} us of the host{size}")
        return "\n".join(text)

    def __repr__(self) -> str:
        return str(self)

    def _lanes(self) -> dict[str, list[tuple[float, float, str, str]]]:
        """Begin, duration, kind and name of what each thread of the host and each stream of a device did."""
        lanes: dict[str, list[tuple[float, float, str, str]]] = defaultdict(list)
        for span in self.spans:
            lanes[f"thread {span.thread}"].append((span.start, span.duration, span.kind, span.name))
            if span.on_device is not None:
                stream, start, duration = span.on_device
                lanes[f"{span.device}, stream {stream:#x}"].append((start, duration, span.kind, span.name))
        return lanes

    def _timeline(self, left: int, wide: int, height: int) -> tuple[list[str], int]:
        """The lanes as a picture, and where it ends. What is shorter than a pixel is added up pixel by pixel."""
        lanes = self._lanes()
        begin = min((start for lane in lanes.values() for start, *_ in lane), default=0.0)
        end = max((start + duration for lane in lanes.values() for start, duration, *_ in lane), default=0.0)
        scale = wide / (end - begin) if end > begin else 0.0
        out, y = [], height
        for name, spans in lanes.items():
            out.append(f'<text x="4" y="{y + 15}">{html.escape(name)}</text>')
            short: dict[tuple[int, str], float] = defaultdict(float)
            for start, duration, kind, what in sorted(spans, key=lambda span: -span[1]):
                x, long = (start - begin) * scale, duration * scale
                if long >= 1:
                    title = f"<title>{html.escape(f'{kind} {what}: {duration:.1f} us')}</title>"
                    out.append(_rectangle(left + x, y, long, _COLOURS.get(kind, _OTHER), title))
                elif kind in _COLOURS:
                    short[int(x), kind] += long
            full: dict[int, float] = defaultdict(float)
            for (x, kind), long in short.items():
                out.append(_rectangle(left + x + full[x], y, min(long, 1 - full[x]), _COLOURS[kind]))
                full[x] = min(full[x] + long, 1)
            y += height
        return out, y

    def svg(self) -> str:
        """The picture as SVG.

        Above, what each thread of the host and each stream of a device did when; below, the time of each kernel,
        library and copy as bars, and in each bar the part of the memory's speed that was reached.
        """
        lines = self._lines()
        height, left, wide = 22, 320, 420
        out, below = self._timeline(left, wide + 210, height)
        x = left
        for kind, colour in [*_COLOURS.items(), ("other", _OTHER)] if self.spans else []:
            out.append(f'<rect x="{x}" y="{below + 7}" width="10" height="10" fill="{colour}"/>')
            out.append(f'<text x="{x + 14}" y="{below + 16}">{kind}</text>')
            x += 90
        most = max((line[3] for line in lines), default=1.0) or 1.0
        for place, (kind, name, row, part, rate, peak) in enumerate(lines):
            y = below + height * (place + 2)
            long = wide * part / most
            shown = name if len(name) <= 36 else name[:35] + "…"
            out.append(f'<text x="4" y="{y + 15}">{html.escape(f"{kind} {shown}")}</text>')
            out.append(_rectangle(left, y, long, "#c9d7ea"))
            if peak is not None:
                reached = long * min(peak, 1.0)
                out.append(_rectangle(left, y, reached, "#3c6eb4"))
            label = f"{row.time:.1f} us, {row.count}x"
            if rate is not None:
                label += f", {rate * 1e-9:.1f} GB/s" + ("" if peak is None else f" ({peak:.0%})")
            out.append(f'<text x="{left + long + 6:.1f}" y="{y + 15}">{html.escape(label)}</text>')
        head = f"{self.time:.1f} us of work within {self.span:.1f} us"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 220}" '
            f'height="{below + height * (len(lines) + 2) + 8}" font-family="monospace" font-size="12">'
            f'<rect width="100%" height="100%" fill="#fff"/><text x="4" y="16">{head}</text>{"".join(out)}</svg>'
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def write(path: str | os.PathLike[str], spans: Iterable[Span]) -> None:
    """Writes the spans to a file that Perfetto and Chrome read."""
    with open(path, "w") as file:
        json.dump(chrome_trace(spans), file)
