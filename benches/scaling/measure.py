"""Strong and weak scaling of programs of several devices, beside what bandwidth and operations allow, in one run.

    python benches/scaling/measure.py --markdown benches/results/scaling_h200.md    # all GPUs, ten minutes
    CUPROXIDE_BACKEND=cpu python benches/scaling/measure.py --counts 1 2         # processes of a CPU, tiny sizes
    python benches/scaling/measure.py --scale 1/8 --programs kmeans jacobi --seconds 100

Runs k-means, Jacobi's iteration, a product, an FFT, a sample sort and a sparse product on 1, 2, 4, ... devices, and
collectives beside PyTorch's. Each program checks its result. Sizes that do not fit are halved until they do, unless
`--exact` is given. Where a step is less than 0.85 as efficient as on one device, one step is recorded as a timeline.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Instead of this folder, whose files are parts of a package.
sys.path[0] = str(HERE.parent)

import machine  # noqa: E402
from scaling import report  # noqa: E402
from scaling.program import Program  # noqa: E402
from scaling.programs import PROGRAMS  # noqa: E402

# NVLink multicast is switched off in every library that would use it, unless the caller has decided otherwise.
WITHOUT_MULTICAST = {
    "NCCL_NVLS_ENABLE": "0",
    "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1",
    "NVSHMEM_DISABLE_NVLS": "1",
}
FREE = 0.9  # of the free memory, that programs may count on
PROBE = """
import importlib.metadata, json, cuproxide as cp
device = cp.Device()
facts = {"backend": device.backend, "devices": cp.cuda.device_count(), "free": device.mem_info[0]}
for name in ("cuproxide", "torch", "distributed"):
    try:
        facts[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
facts["cuproxide"] = cp.__version__
if device.backend != "cpu":
    facts["nccl"] = cp.cuda.nccl.get_version()
print(json.dumps(facts))
"""


def probed(environ: dict[str, str]) -> dict[str, Any]:
    """The devices, by a process that ends again: this one leaves their memory alone."""
    answer = subprocess.run([sys.executable, "-c", PROBE], env=environ, capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(f"the devices cannot be read:\n{answer.stderr}")
    return json.loads(answer.stdout)


def powers(devices: int) -> list[int]:
    """1, 2, 4, ... up to the number of devices."""
    return [1 << power for power in range(devices.bit_length())]


def plans(kind: type[Program], scale: Fraction, counts: list[int]) -> list[dict[str, Any]]:
    """The runs of a program: equal work in all for strong scaling, equal work a device for weak scaling."""
    found: list[dict[str, Any]] = []
    for count in counts:
        shapes: dict[tuple[int, ...], list[str]] = {}
        for mode, share in (("strong", Fraction(1)), ("weak", Fraction(count, counts[-1]))):
            shapes.setdefault(kind.sizes(scale, share, counts[-1]), []).append(mode)
        found += [
            {"program": kind.name, "count": count, "shape": shape, "modes": modes} for shape, modes in shapes.items()
        ]
    return found


def fitting(
    kind: type[Program], scale: Fraction, counts: list[int], free: float, shared: bool, exact: bool
) -> tuple[Fraction, list[dict[str, Any]]]:
    """The largest scale, halved from the one that is asked for, that fits the memory, with its runs.

    Raises
    ------
    SystemExit
        With `exact`, if the scale that is asked for does not fit; and if nothing does.
    """
    asked = scale
    while True:
        tasks = plans(kind, scale, counts)
        # Processes of a CPU have one memory together.
        worst, task = max(
            ((kind.need(task["shape"], task["count"]) * (task["count"] if shared else 1), task) for task in tasks),
            key=lambda pair: pair[0],
        )
        if worst <= FREE * free:
            return scale, tasks
        if exact or scale < asked / (1 << 20):
            raise SystemExit(
                f"{kind.title} of {' x '.join(map(str, task['shape']))} on {task['count']} devices needs "
                f"{worst / 1e9:.1f} GB of {'the machine' if shared else 'each'}, which has {FREE * free / 1e9:.1f} GB "
                "to give: start at more devices (--counts), choose a smaller --scale, or leave --exact out"
            )
        scale /= 2


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows that rank 0 wrote; a line that it could not finish is left out."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return found


def limited(command: list[str], environ: dict[str, str], seconds: float) -> str:
    """Runs a command with its children for some seconds at most; the reason if it failed."""
    process = subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        return f"ended after {seconds:.0f} s\n{out[-2000:]}"
    finally:
        # Also where this process is interrupted.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return f"status {process.returncode}\n{out[-2000:]}" if process.returncode else ""


class Session:
    """All runs of one command, and what they found."""

    def __init__(self, options: argparse.Namespace, environ: dict[str, str], facts: dict[str, Any]) -> None:
        self.options, self.environ, self.facts = options, environ, facts
        self.end = time.monotonic() + options.seconds
        self.rows: list[dict[str, Any]] = []
        self.alone: dict[str, dict[str, float]] = {}

    def run(self, count: int, tasks: list[dict[str, Any]], seconds: float) -> None:
        """The tasks of a number of devices; what follows one that fails runs in a group of its own."""
        end = time.monotonic() + seconds
        cpu = self.facts["backend"] == "cpu"
        while tasks:
            left = end - time.monotonic()
            if left < 2:
                self.add([{**task, "skipped": "no time was left"} for task in tasks])
                return
            with tempfile.TemporaryDirectory() as folder:
                plan, rows = Path(folder, "plan.json"), Path(folder, "rows.jsonl")
                content = {
                    "backend": self.options.backend,
                    "tasks": tasks,
                    "alone": self.alone,
                    "seconds": left,
                    "seconds_each": min(self.options.seconds_each, 0.3 * left / len(tasks)),
                    "collectives": min(60.0, 0.25 * seconds),
                    "timelines": str(self.options.timelines),
                }
                plan.write_text(json.dumps(content))
                start = self.options.start.format(n=count, python=sys.executable)
                threads = {"CUPROXIDE_NUM_THREADS": str(max(1, machine.cores() // self.most()))} if cpu else {}
                failure = limited(
                    [*shlex.split(start), str(HERE / "rank.py"), str(plan), str(rows)],
                    self.environ | threads,
                    min(left + 20, self.end - time.monotonic() + 5),
                )
                found = rows_of(rows)
            self.add([row for row in found if "begun" not in row])
            if not failure:
                return
            begun = sum("begun" in row or "skipped" in row for row in found)
            # The last one that began is the one that failed; if none began, the group did not stand.
            broken = tasks[: max(1, begun)] if begun else tasks
            self.add([{**broken[-1], "failed": failure}])
            print(f"{broken[-1]['program']} on {count} failed: {failure}", file=sys.stderr, flush=True)
            tasks = tasks[len(broken) :]

    def most(self) -> int:
        return self.options.counts[-1]

    def add(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            self.rows.append(row)
            if row.get("count") == 1 and "seconds" in row:
                for mode in row.get("modes", ()):
                    self.alone.setdefault(row["program"], {})[mode] = row["work"] / row["seconds"]
            if line := report.line(row, self.alone):
                print(line, flush=True)

    def dask(self, count: int, shape: tuple[int, ...], modes: list[str]) -> None:
        """K-means by Dask, with a worker for each device."""
        task = {"program": "dask", "count": count, "shape": shape, "modes": modes}
        if "distributed" not in self.facts:
            self.add([{**task, "skipped": "dask and distributed are not installed"}])
            return
        left = self.end - time.monotonic()
        if left < 5:
            self.add([{**task, "skipped": "no time was left"}])
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.jsonl")
            command = [sys.executable, str(HERE / "dask_workers.py"), json.dumps(task), str(path)]
            failure = limited(command, self.environ, min(60.0, left))
            # A cluster that is slow to end has its result.
            self.add(rows_of(path) or [{**task, "failed": failure}])


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--counts", type=int, nargs="+", help="numbers of devices, each a divisor of the last")
    parser.add_argument("--programs", nargs="+", choices=[*PROGRAMS, "collectives", "dask"], help="only these")
    parser.add_argument("--scale", type=Fraction, default=Fraction(1), help="the part of the full work, such as 1/8")
    parser.add_argument("--exact", action="store_true", help="an error where sizes do not fit, instead of halves")
    parser.add_argument("--largest", type=int, help="bytes of the largest message of collectives; 1 GiB on GPUs")
    parser.add_argument("--seconds", type=float, default=540.0, help="for all runs together")
    parser.add_argument("--seconds-each", type=float, default=4.0, help="for the timed steps of a program, at most")
    parser.add_argument("--backend", choices=["nccl", "rccl", "mpi", "store"], help="what carries messages")
    parser.add_argument(
        "--start",
        default="{python} -m cuproxide.distributed.run --nproc {n}",
        help="what starts n processes, such as 'mpiexec -n {n} {python}'",
    )
    parser.add_argument(
        "--timelines",
        type=Path,
        default=HERE.parents[1] / "target/scaling",
        help="a folder for timelines of inefficient steps",
    )
    parser.add_argument("--note", default="", help="a sentence for the page: what else the machine did")
    parser.add_argument("--json", type=Path, help="a file for all numbers")
    parser.add_argument("--markdown", type=Path, help="a file for the tables")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Runs everything; 1 if anything failed or gave a wrong result."""
    options = options_of(arguments)
    # As an interruption, so that no process is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    environ = {**WITHOUT_MULTICAST, **os.environ}
    facts = probed(environ)
    cpu = facts["backend"] == "cpu"
    options.counts = sorted(options.counts or (powers(2) if cpu else powers(facts["devices"])))
    if any(count < 1 or options.counts[-1] % count for count in options.counts):
        raise SystemExit(f"--counts {options.counts}: each must divide the largest")
    if not cpu and options.counts[-1] > facts["devices"]:
        raise SystemExit(f"--counts {options.counts}: there are {facts['devices']} devices")
    options.timelines.mkdir(parents=True, exist_ok=True)
    largest = options.largest or (1 << 16 if cpu else 1 << 30)

    chosen = options.programs or [*PROGRAMS, "collectives", "dask"]
    tasks, scales = [], {}
    for name, kind in PROGRAMS.items():
        if name in chosen or (name == "kmeans" and "dask" in chosen):
            asked = options.scale * (kind.tiny if cpu else 1)
            scale, found = fitting(kind, asked, options.counts, facts["free"], cpu, options.exact)
            scales[name] = {"asked": str(asked), "run": str(scale)}
            tasks += found
    session = Session(options, environ, facts)
    for number, count in enumerate(options.counts):
        mine = [task for task in tasks if task["count"] == count and task["program"] in chosen]
        # A group of one is of interest where there is no other.
        if "collectives" in chosen and (count > 1 or len(options.counts) == 1):
            mine.append({"program": "collectives", "modes": [], "count": count, "largest": largest})
        left = session.end - time.monotonic()
        # More devices get more time: their groups take longer to start, and they have collectives.
        share = left * (count + 3) / sum(other + 3 for other in options.counts[number:])
        session.run(count, mine, 0.85 * share if "dask" in chosen else share)
        if "dask" in chosen:
            for task in tasks:
                if task["count"] == count and task["program"] == "kmeans":
                    session.dask(count, task["shape"], task["modes"])
    content = {
        "command": shlex.join(["python", "benches/scaling/measure.py", *(arguments or sys.argv[1:])]),
        "note": options.note,
        "facts": {**machine.facts(), **facts},
        "counts": options.counts,
        "scales": scales,
        "rows": session.rows,
    }
    if options.json:
        options.json.write_text(json.dumps(content, indent=1) + "\n")
    page = report.page(content)
    print(page)
    if options.markdown:
        options.markdown.write_text(page)
    return int(any("failed" in row for row in session.rows))


if __name__ == "__main__":
    sys.exit(main())
