"""One rank of the scaling run: measures the rates of the machine, runs programs, and writes a line of JSON for each.

`measure.py` starts it; by hand:

    python -m cuproxide.distributed.run --nproc 2 benches/scaling/rank.py plan.json rows.jsonl
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import Any

# Instead of this folder, whose files are parts of a package.
sys.path[0] = str(Path(__file__).resolve().parents[1])

import cuproxide as cp  # noqa: E402
from cuproxide import distributed, profiler  # noqa: E402
from scaling import collective_calls, limits  # noqa: E402
from scaling.program import Program, Rates, timed, wait  # noqa: E402
from scaling.programs import PROGRAMS  # noqa: E402

WORTH_A_TIMELINE = 0.85


class Writer:
    """Rank 0's file of rows."""

    def __init__(self, path: str, group: Any) -> None:
        self.path = path if group.rank == 0 else None

    def __call__(self, row: dict[str, Any]) -> None:
        if self.path is not None:
            with open(self.path, "a") as file:
                file.write(json.dumps(row) + "\n")


def timeline(group: Any, program: Program, path: Path) -> str:
    """Records one step of rank 0, and says where its time went."""
    group.barrier()
    with contextlib.nullcontext() if group.rank else profiler.trace(path):
        program.step()
        wait()
    if group.rank:
        return ""
    report = profiler.report()
    rows = [f"{name} ({row.count}) {row.time / 1e3:.3g} ms" for (_, name, _), row in report.rows[:6]]
    # Streams work at the same time, and the host is done before them.
    ends = [(begin, begin + time) for _, begin, time in (span.on_device for span in report.spans if span.on_device)]
    span = max(end for _, end in ends) - min(begin for begin, _ in ends) if ends else report.span
    return f"{report.time / 1e3:.3g} ms of work in {span / 1e3:.3g} ms: {', '.join(rows)}"


def run(group: Any, task: dict[str, Any], rates: Rates, plan: dict[str, Any]) -> dict[str, Any]:
    """One program at one size: its row."""
    kind = PROGRAMS[task["program"]]
    shape = tuple(task["shape"])
    begin = time.perf_counter()
    program = kind(group, shape)
    prepared = time.perf_counter() - begin
    seconds, repeats = timed(group, program.step, plan["seconds_each"])
    check = program.check()
    limit = kind.limit(shape, group.size, rates)
    rate = kind.work(shape) / seconds / group.size
    row = {
        "program": kind.name,
        "modes": task["modes"],
        "count": group.size,
        "shape": shape,
        "work": kind.work(shape),
        "seconds": seconds,
        "repeats": repeats,
        "prepared": prepared,
        "limit_seconds": limit,
        "share_of_limit": limit / seconds,
        "check": check,
    }
    # All ranks have the same numbers, and so come to the same decision.
    alone = plan["alone"].get(kind.name, {})
    found = {mode: rate / alone[mode] for mode in task["modes"] if mode in alone}
    if min(found.values(), default=limit / seconds) < WORTH_A_TIMELINE:
        name = f"{kind.name}_{'_'.join(task['modes'])}_{group.size}.json"
        row["timeline"] = timeline(group, program, Path(plan["timelines"], name))
        row["timeline_file"] = name
    return row


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    with distributed.init_process_group(backend=plan["backend"]) as group:
        write = Writer(sys.argv[2], group)
        end = time.monotonic() + plan["seconds"]
        rates = limits.measured(group, cp.Device().backend == "cpu")
        write({"program": "rates", "count": group.size, "backend": group.name, **dataclasses.asdict(rates)})
        for task in plan["tasks"]:
            # The clock of rank 0 counts for all.
            left = cp.asarray([end - time.monotonic()])
            group.broadcast(left)
            begun = {**task, "count": group.size}
            if left.item() < plan["seconds_each"]:
                write(begun | {"skipped": "no time was left"})
                continue
            write(begun | {"begun": True})
            if task["program"] == "collectives":
                for row in collective_calls.measured(group, task["largest"], min(plan["collectives"], left.item())):
                    write(row)
            else:
                write(run(group, task, rates, plan))
            cp.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main()
