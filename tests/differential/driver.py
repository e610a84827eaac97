"""Many draws in worker processes, which are restarted when they die or stop: counts for each name, and differences."""

import json
import os
import resource
import selectors
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .known import Drawn, read_known, unexplained

ROOT = Path(__file__).resolve().parent.parent.parent
# A worker that says nothing for so long is stopped: what it runs holds no Python code that an alarm could interrupt.
# On a busy machine the ten seconds of the processor that a call may take are minutes.
SILENCE = 600.0


@dataclass
class Tally:
    """What came of the draws of a name."""

    draws: int = 0
    agreed: int = 0
    raised: int = 0
    known: int = 0
    unexplained: int = 0

    def add(self, other):
        for key, value in vars(other).items():
            setattr(self, key, getattr(self, key) + value)


@dataclass
class Report:
    """The outcome of a run."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    findings: list[dict] = field(default_factory=list)
    # Draws that SciPy took too long for, or died of: the generator has to avoid them.
    theirs: list[tuple[str, int]] = field(default_factory=list)
    broken: list[tuple[str, int, str]] = field(default_factory=list)
    # Seconds of the processor that the workers used.
    used: float = 0.0

    @property
    def total(self):
        total = Tally()
        for tally in self.tallies.values():
            total.add(tally)
        return total


COMMAND = (sys.executable, "-m", "tests.differential", "work")


class Worker:
    """A process that draws for some of the names."""

    def __init__(self, names, seed, environment, command=COMMAND):
        self.names, self.environment, self.command = names, environment, command
        self.last = {"place": -1, "seed": seed, "side": "none"}
        self.start(seed, 0)

    def start(self, seed, place):
        if place >= len(self.names):
            seed, place = seed + 1, 0
        self.process = subprocess.Popen(
            [*self.command, "--seed", str(seed), "--place", str(place), *self.names],
            cwd=ROOT,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        os.set_blocking(self.process.stdout.fileno(), False)
        self.rest = b""
        # The start of a process takes as long as a few hundred draws.
        self.heard = time.monotonic() + 60

    def read(self):
        """The reports that have arrived; None when the process is gone."""
        data = self.process.stdout.read()
        if data == b"":
            return None
        self.heard = time.monotonic()
        *lines, self.rest = (self.rest + (data or b"")).split(b"\n")
        return [json.loads(line) for line in lines]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def run(names, seconds, seed=0, workers=2, eager=False, rounds=None, log=None, command=COMMAND):
    """Draws round after round over the names, for some seconds or rounds."""
    environment = {"CUPROXIDE_EAGER": "1"} if eager else {}
    known, report = read_known(), Report()
    report.tallies = {name: Tally() for name in names}
    slices = [names[place::workers] for place in range(workers)]
    running = {Worker(part, seed, environment, command) for part in slices if part}
    selector = selectors.DefaultSelector()
    for worker in running:
        selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def restart(worker, what):
        selector.unregister(worker.process.stdout)
        worker.stop()
        last = worker.last
        if last["place"] >= 0:
            name = worker.names[last["place"]]
            # Generators call SciPy too.
            if last["side"] != "ours":
                report.theirs.append((name, last["seed"]))
            else:
                finish({"name": name, "seed": last["seed"], "differences": [[what, ""]], "raised": False, "kind": ""})
        worker.start(last["seed"], last["place"] + 1)
        selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def finish(outcome):
        name, draw = outcome["name"], outcome["seed"]
        if "broken" in outcome:
            report.broken.append((name, draw, outcome["broken"]))
            return
        if outcome.get("late", "ours") != "ours":
            report.theirs.append((name, draw))
            return
        differences = outcome.get("differences", [["late", "took too long"]])
        drawn = Drawn(name, outcome.get("kind", ""), outcome.get("given", ""), tuple(outcome.get("steps", ())))
        left = unexplained(known, drawn, [tuple(each) for each in differences])
        tally = report.tallies[name]
        tally.draws += 1
        tally.raised += bool(outcome.get("raised")) and not differences
        tally.agreed += not differences
        tally.known += bool(differences) and not left
        tally.unexplained += bool(left)
        if left:
            report.findings.append({"name": name, "seed": draw, "kind": drawn.kind, "differences": left})
            if log:
                log.write(json.dumps(report.findings[-1]) + "\n")
                log.flush()

    before, end = _used(), time.monotonic() + seconds
    while running and time.monotonic() < end:
        for key, _ in selector.select(timeout=1.0):
            worker = key.data
            lines = worker.read()
            if lines is None:
                restart(worker, "died")
                continue
            for line in lines:
                worker.last = {"place": line["place"], "seed": line["seed"], "side": line.get("side", "none")}
                if line.get("done"):
                    finish(line)
                if rounds is not None and line["seed"] >= seed + rounds and worker in running:
                    running.discard(worker)
                    selector.unregister(worker.process.stdout)
                    worker.stop()
                    break
        for worker in list(running):
            if time.monotonic() - worker.heard > SILENCE:
                restart(worker, "hung")
    for worker in running:
        worker.stop()
    report.used = _used() - before
    return report


def _used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
