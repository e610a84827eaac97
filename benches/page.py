"""Writes `docs/benchmarks.md` and its plots from files of results. Needs matplotlib; measures nothing.

python benches/page.py

A section takes the first of its files that is there, so a new result of `peers.py` replaces older tables by lying in
`benches/results`.
"""

from __future__ import annotations

import fnmatch
import statistics
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import results

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
PLOTS = PAGE.with_suffix("")
SCIPY = sorted(path.stem.removesuffix("_cases") for path in (HERE / "packages").glob("*_cases.py"))

#: By section: why rows are behind, by patterns of their names.
REASONS = tomllib.loads((HERE / "reasons.toml").read_text())

COLOURS = {
    "numpy": "#4d77cf",
    "scipy": "#4d77cf",
    "numba": "#1b998b",
    "numexpr": "#8a6d3b",
    "cupy": "#2e9e5b",
    "torch": "#e4572e",
    "torch compiled": "#b5179e",
    "jax": "#7b2cbf",
    "fuse": "#111111",
    "graph": "#888888",
    "contracted": "#c9a227",
}

HEAD = """# Benchmarks

This page shows what is faster with Cuproxide than with NumPy, SciPy, CuPy, PyTorch and JAX, and what is slower. Tables
and plots show every row that was measured.

A ratio is the time of the fastest other library divided by that of Cuproxide: above 1, Cuproxide is faster. Cuproxide
runs the program as it is written, without a decorator, and launches it at the end of each call. In the plots a point is
one library in one row; points in the shaded half are faster than Cuproxide. `torch compiled` is `torch.compile`; JAX
runs under `jax.jit`.

`make bench-peers` measures everything in one run, `make bench-page` writes this page and its plots from the files in
[benches/results](../benches/results), which name the machine, the versions and the command.
"""


@dataclass(frozen=True)
class Section:
    """A part of the page: some groups of the first file that is there."""

    title: str
    slug: str
    text: str
    sources: tuple[tuple[str, tuple[str, ...]], ...]
    #: A row of the plot is a case, or else a whole group.
    by_case: bool = True


def on_gpu(title: str, slug: str, text: str, groups: tuple[str, ...], **options: Any) -> Section:
    """Rows of `peers.py` on a GPU."""
    return Section(title, slug, text, (("peers_h200.json", groups),), **options)


def on_cpu(title: str, slug: str, text: str, groups: tuple[str, ...], older: str, **options: Any) -> Section:
    """Rows of `peers.py` on a CPU, or of the table of an earlier command."""
    return Section(title, slug, text, (("peers_cpu.json", groups), (older, ())), **options)


SECTIONS = [
    on_gpu(
        "Programs on a GPU",
        "gpu_chains",
        "Functions of up to 300 operations. `fuse` is the same function decorated, `graph` is captured once and "
        "launched. With few elements Python takes the time: it records the operations again at each call unless the "
        "function is decorated or captured, where compiled PyTorch and JAX trace once. With many elements those two "
        "contract products and sums; Cuproxide does so when asked (`CUPROXIDE_CONTRACT=1`).",
        ("chains",),
    ),
    on_gpu(
        "Single operations on a GPU",
        "gpu_elementwise",
        "One operation a call, on few elements (what a call costs) and on 1 GiB (what the memory allows).",
        ("call", "elementwise"),
    ),
    on_gpu(
        "Sorting, scans, selections, reductions on a GPU",
        "gpu_core",
        "Mostly 2^26 elements.",
        ("core",),
    ),
    on_gpu(
        "Linear algebra, Fourier transforms and random numbers on a GPU",
        "gpu_areas",
        "Large products and transforms run in the vendor's libraries, in all packages; stacks of small matrices run "
        "in kernels of this package.",
        ("linalg", "fft", "random", "transfers"),
    ),
    on_gpu(
        "SciPy's packages on a GPU",
        "gpu_scipy",
        "Beside CuPy's `cupyx.scipy`, where it has the function. A point of the plot is a function.",
        tuple(SCIPY),
        by_case=False,
    ),
    on_cpu(
        "Programs on a CPU",
        "cpu_chains",
        "NumPy runs on one core, the others on all.",
        ("chains",),
        "chains_cpu.md",
    ),
    on_cpu(
        "Single operations on a CPU",
        "cpu_elementwise",
        "A call on few elements costs more than in NumPy: the operation is first recorded, then launched.",
        ("call", "elementwise"),
        "cpu.md",
    ),
    on_cpu(
        "Linear algebra, Fourier transforms and random numbers on a CPU",
        "cpu_areas",
        "",
        ("linalg", "fft", "random"),
        "areas_cpu.md",
    ),
    on_cpu(
        "SciPy's packages on a CPU",
        "cpu_scipy",
        "Beside SciPy. A point of the plot is a function.",
        tuple(SCIPY),
        "packages_cpu.md",
        by_case=False,
    ),
]


def source(section: Section) -> tuple[Path, list[results.Group]]:
    """The first file that has rows of the section."""
    for name, wanted in section.sources:
        path = RESULTS / name
        if path.exists():
            found = [group for group in results.read(path) if not wanted or group.name in wanted]
            # Of a file with several machines the first.
            seen: set[str] = set()
            for group in found:
                group.rows = [row for row in group.rows if row.case not in seen]
                seen |= {row.case for row in group.rows}
            if seen:
                return path, [group for group in found if group.rows or group.ended_by]
    raise SystemExit(f"no results for {section.title}")


def points(row: results.Row) -> dict[str, float]:
    """The ratio of each column to this package as programs are written."""
    own = row.seconds["cuproxide"]
    return {name: seconds / own for name, seconds in row.seconds.items() if name in COLOURS}


def plot(section: Section, groups: list[results.Group], path: Path) -> None:
    """Ratios, one line a case or a group, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # Text as text, and the same bytes from the same numbers.
    pyplot.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "cuproxide", "font.family": "sans-serif"}
    if section.by_case:
        lines = [(row.case, [points(row)]) for group in groups for row in group.rows if len(points(row)) > 0]
    else:
        lines = [(group.name, [points(row) for row in group.rows if points(row)]) for group in groups]
        lines = [(name, rows) for name, rows in lines if rows]
    figure, axes = pyplot.subplots(figsize=(8, 0.9 + 0.17 * len(lines)))
    axes.axvspan(1e-9, 1, color="#f6e3df", zorder=0)
    axes.axvline(1, color="#222222", linewidth=1, zorder=1)
    shown = [name for name in results.ORDER if name in COLOURS and any(name in p for _, rows in lines for p in rows)]
    smallest, largest = 0.5, 2.0
    for name in shown:
        across = [(p[name], place) for place, (_, rows) in enumerate(lines) for p in rows if name in p]
        values, places = [value for value, _ in across], [place for _, place in across]
        smallest, largest = min(smallest, *values), max(largest, *values)
        own = name in results.OWN
        marker = {"marker": "|" if own else "o", "s": 40 if own else 18, "alpha": 0.85, "linewidths": 1.2 if own else 0}
        axes.scatter(values, places, color=COLOURS[name], label=name, zorder=3, **marker)
    axes.set_xscale("log")
    axes.set_xlim(smallest / 1.3, min(largest * 1.3, 300.0))
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [name for name, _ in lines], fontsize=7)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_xlabel("time of the other / time of Cuproxide (right of the line: Cuproxide is faster)", fontsize=8)
    axes.legend(fontsize=7, ncols=len(shown), loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def reason(slug: str, case: str) -> str:
    """What `reasons.toml` says of a row that is behind."""
    texts = REASONS.get(slug, {}).items()
    return next((text for pattern, text in texts if fnmatch.fnmatchcase(case, pattern)), "")


def behind(rows: list[results.Row], slug: str) -> list[str]:
    """A table of the rows in which another library is faster by more than 2 %, and why."""
    slower = []
    for row in rows:
        ratio, peer = row.ratio(), row.peer()
        if ratio is not None and peer is not None and ratio < 0.98:
            slower.append((ratio, row, peer))
    slower.sort(key=lambda entry: entry[0])
    if not slower:
        return ["No row is behind."]
    titles, cells = ["behind", "ours", "best other", "ratio", "with `fuse` or as a graph", "why"], []
    for ratio, row, (seconds, name) in slower:
        best, way = row.own() or (0.0, "")
        other = f"{seconds / best:.2f} ({way})" if way != "cuproxide" else ""
        ours = results.time_text(row.seconds["cuproxide"])
        times = [ours, f"{results.time_text(seconds)} ({name})", f"{ratio:.2f}"]
        cells.append([row.case, *times, other, reason(slug, row.case)])
    # Columns that have something to say.
    shown = [place for place in range(len(titles)) if any(line[place] for line in cells)]
    lines = ["| " + " | ".join(titles[place] for place in shown) + " |"]
    lines += ["| " + " | ".join("---" if titles[place] in ("behind", "why") else "---:" for place in shown) + " |"]
    return lines + ["| " + " | ".join(line[place] for place in shown) + " |" for line in cells]


def ahead(rows: list[results.Row], count: int = 5) -> str:
    """The rows with the largest ratios, in a sentence."""
    best = sorted(((row.ratio() or 0.0, row.case) for row in rows if row.ratio()), reverse=True)[:count]
    named = [f"{case} ({ratio:.3g}x)" for ratio, case in best if ratio > 1.02]
    return f"Furthest ahead: {', '.join(named)}." if named else ""


def main() -> None:
    """Writes the page and its plots."""
    PLOTS.mkdir(exist_ok=True)
    summary = ["| | rows | ahead | level | behind | geometric mean |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    body: list[str] = []
    for section in SECTIONS:
        path, groups = source(section)
        rows = [row for group in groups for row in group.rows]
        picture = PLOTS / f"{section.slug}.svg"
        plot(section, groups, picture)
        ratios = [ratio for row in rows if (ratio := row.ratio()) is not None]
        fewer, more = sum(r < 0.98 for r in ratios), sum(r > 1.02 for r in ratios)
        anchor = section.title.lower().replace(",", "").replace("'", "").replace(" ", "-")
        mean = statistics.geometric_mean(ratios)
        counts = [len(ratios), more, len(ratios) - more - fewer, fewer]
        summary.append(f"| [{section.title}](#{anchor}) | {' | '.join(map(str, counts))} | {mean:.2f} |")
        link = f"[{path.name}](../benches/results/{path.name})"
        body += ["", f"## {section.title}", "", *([section.text, ""] if section.text else [])]
        body += [f"From {link}: {'; '.join(results.facts(path))}." if results.facts(path) else f"From {link}."]
        body += [
            *results.circumstances(groups),
            "",
            f"![Ratios: {section.title}](benchmarks/{picture.name})",
            "",
            results.verdict(rows),
        ]
        body += [ahead(rows), "", *behind(rows, section.slug)]
    text = "\n".join([HEAD, *summary, *body]) + "\n"
    PAGE.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n")


if __name__ == "__main__":
    main()
