"""The commands: run many draws, show one, write the page."""

import argparse
import fnmatch
import sys
from pathlib import Path

from . import driver


def drawn_names(patterns):
    """The names with rows that fit one of the patterns, without those that this release of SciPy does not have."""
    from . import draws, rows, sides  # noqa: F401

    names = [name for name in sorted(draws.ROWS) if sides.THEIRS.has(name)]
    return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def show(name, seed):
    """Prints a draw: its arguments, both results, the differences."""
    from . import rows, worker  # noqa: F401

    outcome = worker.run_draw(name, seed)
    arguments, keywords, steps = outcome["arguments"]
    print(f"{name}, seed {seed}, {outcome['kind']}: {outcome['given']}")
    for value in arguments:
        print(f"  {value!r}" + (f"  {value.dtype} {value.strides}" if hasattr(value, "strides") else ""))
    for key, value in keywords.items():
        print(f"  {key}={value!r}")
    for step in steps:
        passed = "" if step.keywords is None else f"(*{step.arguments!r}, **{step.keywords!r})"
        print(f"  .{step.method}{passed}")
    for side, result in zip(("SciPy", "here "), outcome["results"], strict=True):
        print(f"{side}: {result!r}")
    for kind, detail in outcome["differences"]:
        print(f"difference: {kind}: {detail}")


def run(options):
    names = drawn_names(options.names or ["*"])
    log = open(options.log, "a") if options.log else None
    report = driver.run(names, options.seconds, options.seed, options.workers, options.eager, options.rounds, log)
    total = report.total
    for finding in report.findings:
        if not options.quiet:
            words = "; ".join(f"{kind}: {detail}" for kind, detail in finding["differences"][:2])
            print(f"{finding['name']} {finding['seed']} ({finding['kind']}): {words[:300]}")
    for name, seed in report.theirs:
        print(f"SciPy took too long or died: {name} {seed}")
    for name, seed, text in report.broken:
        print(f"the row fails: {name} {seed}: {text}")
    print(
        f"{total.draws} draws of {len(names)} names: {total.agreed} agree ({total.raised} of them raise), "
        f"{total.known} differ as known, {total.unexplained} unexplained; {report.used:.0f} s of the processor"
    )
    print("one of them: python -m tests.differential show NAME SEED")
    if options.record:
        from . import page

        page.record(Path(options.record), report, options.eager)
    return 1 if report.findings or report.broken else 0


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="draw over all names, or those that fit the patterns")
    running.add_argument("names", nargs="*")
    running.add_argument("--seconds", type=float, default=600)
    running.add_argument("--rounds", type=int, help="stop after so many draws of each name")
    running.add_argument("--seed", type=int, default=0, help="the first seed")
    running.add_argument("--workers", type=int, default=2)
    running.add_argument("--eager", action="store_true", help="launch every operation at once")
    running.add_argument("--log", help="a file that gets a line of JSON for each difference")
    running.add_argument("--record", help="a file of counts that this run is added to")
    running.add_argument("--quiet", action="store_true", help="print sums only")
    showing = commands.add_parser("show", help="run one draw and print it")
    showing.add_argument("name")
    showing.add_argument("seed", type=int)
    commands.add_parser("page", help="write docs/differential.md from the recorded counts").add_argument(
        "--check", action="store_true", help="only fail if it is stale"
    )
    working = commands.add_parser("work", help="what the driver starts")
    working.add_argument("names", nargs="*")
    working.add_argument("--seed", type=int, default=0)
    working.add_argument("--place", type=int, default=0)
    options = parser.parse_args()
    if options.command == "run":
        return run(options)
    if options.command == "show":
        show(options.name, options.seed)
    elif options.command == "page":
        from . import page

        return page.main(options.check)
    else:
        from . import rows, worker  # noqa: F401

        worker.main(options.names, options.seed, options.place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
