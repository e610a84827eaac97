"""The numbers of a scaling run as tables."""

from __future__ import annotations

import math
from typing import Any

from .programs import PROGRAMS

GOAL = 0.97  # of PyTorch's time, that collectives should reach


def time_text(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.2g} us"


def bytes_text(count: int) -> str:
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << power:
            return f"{count / (1 << power):.4g} {unit}"
    return f"{count} B"


def rate_text(value: float) -> str:
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}"
    return f"{value:.3g} "


def shape_text(shape: Any) -> str:
    return " x ".join(f"{length:,}" for length in shape)


def efficiency(row: dict[str, Any], alone: dict[str, dict[str, float]], mode: str) -> float | None:
    """Work a second and device, in units of that on one device; None without one."""
    one = alone.get(row["program"], {}).get(mode)
    return None if one is None or "seconds" not in row else row["work"] / row["seconds"] / row["count"] / one


def allowed(row: dict[str, Any], alone: dict[str, dict[str, float]], mode: str) -> float | None:
    """The efficiency of a step that takes no longer than its limit, where the limit is slower than one device was."""
    if "limit_seconds" not in row:
        return None
    share = efficiency({**row, "seconds": row["limit_seconds"]}, alone, mode)
    return None if share is None else min(1.0, share)


def alone_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The rates on one device, by program and mode."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.get("count") == 1 and "seconds" in row:
            for mode in row["modes"]:
                found.setdefault(row["program"], {})[mode] = row["work"] / row["seconds"]
    return found


def line(row: dict[str, Any], alone: dict[str, dict[str, float]]) -> str:
    """A row as it is found, for someone who watches."""
    where = f"{row['program']} on {row['count']}"
    for reason in ("skipped", "failed"):
        if reason in row:
            return f"{where} {'/'.join(row.get('modes', []))}: {reason}: {row[reason].splitlines()[0]}"
    if row["program"] == "rates":
        return (
            f"{where}: memory {row['memory'] / 1e9:.0f} GB/s, link {row['link'] / 1e9:.1f} GB/s, "
            f"latency {1e6 * row['latency']:.1f} us, product {row['product'] / 1e12:.2f} TFLOP/s ({row['backend']})"
        )
    if row["program"] == "collectives":
        return ""
    shares = [f"{mode} {efficiency(row, alone, mode) or math.nan:.2f}" for mode in row["modes"]]
    limit = f", {row['share_of_limit']:.2f} of the limit" if "share_of_limit" in row else ""
    return (
        f"{where}, {shape_text(row['shape'])}: {time_text(row['seconds'])}{limit}, {', '.join(shares)}; {row['check']}"
    )


def outcome(row: dict[str, Any]) -> str:
    """Why a row has no numbers."""
    return f"not run: {row['skipped']}" if "skipped" in row else f"FAILED: {row['failed'].splitlines()[0]}"


def title_of(name: str) -> str:
    return PROGRAMS[name].title if name in PROGRAMS else "k-means by Dask"


def share_text(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


def rates_table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| devices | memory | link | smallest exchange | product | messages by |",
        "| ---: |" + " ---: |" * 4 + " --- |",
    ]
    seen = set()
    for row in rows:
        if row["program"] == "rates" and row["count"] not in seen:
            seen.add(row["count"])
            link = "" if row["count"] == 1 else f"{row['link'] / 1e9:.4g} GB/s"
            latency = "" if row["count"] == 1 else time_text(row["latency"])
            lines.append(
                f"| {row['count']} | {row['memory'] / 1e9:.4g} GB/s | {link} | {latency} | "
                f"{row['product'] / 1e12:.3g} TFLOP/s | {row['backend']} |"
            )
    return lines


def programs_table(rows: list[dict[str, Any]], mode: str) -> list[str]:
    alone = alone_of(rows)
    lines = [
        "| program | devices | size | a step | a second and device | efficiency | at most | limit | of it | check |",
        "| --- |" + " ---: |" * 8 + " --- |",
    ]
    for name in [*PROGRAMS, "dask"]:
        for row in sorted((row for row in rows if row["program"] == name), key=lambda row: row["count"]):
            if mode not in row.get("modes", ()):
                continue
            title = title_of(name)
            unit = PROGRAMS[name if name in PROGRAMS else "kmeans"].unit
            cells = [title, str(row["count"]), shape_text(row["shape"])]
            if "seconds" in row:
                share = efficiency(row, alone, mode)
                limited = "limit_seconds" in row
                cells += [
                    time_text(row["seconds"]),
                    f"{rate_text(row['work'] / row['seconds'] / row['count'])}{unit}",
                    share_text(share),
                    share_text(allowed(row, alone, mode)),
                    time_text(row["limit_seconds"]) if limited else "",
                    f"{row['share_of_limit']:.2f}" if limited else "",
                    row["check"],
                ]
            else:
                cells += ["", "", "", "", "", "", outcome(row)]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def short_table(rows: list[dict[str, Any]], counts: list[int]) -> list[str]:
    """A line for each program: its steps, and what they say about the most devices."""
    alone = alone_of(rows)
    numbers = ", ".join(map(str, counts))
    lines = [
        f"| program | a step on {numbers} | strong efficiency | weak efficiency | at most | of the limit |",
        "| --- |" + " ---: |" * 5,
    ]
    for name in [*PROGRAMS, "dask"]:
        mine = [row for row in rows if row["program"] == name and "modes" in row]
        steps = {row["count"]: row.get("seconds") for row in mine if "strong" in row["modes"]}
        most = {mode: row for row in mine if row["count"] == counts[-1] for mode in row["modes"]}
        if not mine:
            continue
        shares = [efficiency(most[mode], alone, mode) if mode in most else None for mode in ("strong", "weak")]
        weak = most.get("weak", {"program": name})
        cells = [title_of(name), ", ".join(time_text(time) if (time := steps.get(count)) else "-" for count in counts)]
        cells += [share_text(share) for share in (*shares, allowed(weak, alone, "weak"), weak.get("share_of_limit"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def collectives_table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| collective | devices | message | Cuproxide | GB/s | PyTorch | GB/s | PyTorch / Cuproxide |",
        "| --- |" + " ---: |" * 7,
    ]
    ratios = []
    for row in rows:
        if row["program"] != "collectives" or "kind" not in row:
            continue
        mine, other = row["cuproxide_seconds"], row.get("torch_seconds")
        cells = [row["kind"], str(row["count"]), bytes_text(row["bytes"]), time_text(mine)]
        cells.append(f"{row['sent'] / mine / 1e9:.3g}")
        if other:
            ratios.append(other / mine)
            cells += [time_text(other), f"{row['sent'] / other / 1e9:.3g}", f"{other / mine:.2f}"]
        else:
            cells += ["", "", ""]
        lines.append("| " + " | ".join(cells) + " |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        below = sum(ratio < GOAL for ratio in ratios)
        lines += ["", f"Geometric mean {mean:.2f}, least {min(ratios):.2f}; {below} of {len(ratios)} below {GOAL}."]
    return lines


def page(content: dict[str, Any]) -> str:
    """All tables, with the machine, the versions and the command."""
    rows, facts = content["rows"], content["facts"]
    most, cpu = content["counts"][-1], facts["backend"] == "cpu"
    kind = "processes of a CPU" if cpu else "devices"
    lines = [
        f"# Scaling over {most} {kind}" if most > 1 else f"# Programs on one {'CPU' if cpu else 'device'}",
        "",
        f"`{content['command']}`",
        "",
    ]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    if content["note"]:
        lines += ["", content["note"]]
    smaller = [name for name, scale in content["scales"].items() if scale["asked"] != scale["run"]]
    if smaller:
        lines += ["", f"Sizes were halved until they fit the memory: {', '.join(smaller)}."]
    if any(scale["asked"] != "1" for scale in content["scales"].values()):
        scales = ", ".join(f"{name} {scale['run']}" for name, scale in content["scales"].items())
        lines += ["", f"Parts of the full work: {scales}."]
    lines += ["", "What one device does at best, measured in the same groups:", "", *rates_table(rows)]
    if most > 1:
        lines += ["", "## In short", "", *short_table(rows, content["counts"])]
    for mode, meaning in (("strong", "the same work on all numbers of devices"), ("weak", "the same work a device")):
        lines += ["", f"## {mode.capitalize()} scaling: {meaning}", "", *programs_table(rows, mode)]
    lines += [
        "",
        "Efficiency is work a second and device in units of that on one device. The limit is what the rates above",
        "allow: each file of `benches/scaling/programs` has the formula and its reason. A step that took its limit",
        "would have the efficiency *at most*, which is below 1 where links take longer than one device for its work.",
    ]
    if any(row["program"] == "collectives" for row in rows):
        lines += ["", "## Collectives", "", *collectives_table(rows)]
        for row in rows:
            if row["program"] == "collectives" and "kind" not in row:
                lines += ["", f"On {row['count']} {kind}: {outcome(row)}."]
    shown = [row for row in rows if row.get("timeline")]
    if shown:
        lines += [
            "",
            "## Timelines",
            "",
            "One step of rank 0 where efficiency is below 0.85 (on one device: the share of the limit). Work of",
            "several streams is added up.",
            "",
        ]
        for row in shown:
            where = f"{PROGRAMS[row['program']].title}, {'/'.join(row['modes'])}, {row['count']}"
            lines.append(f"- {where}: {row['timeline']} (`{row['timeline_file']}`)")
    return "\n".join(lines) + "\n"
