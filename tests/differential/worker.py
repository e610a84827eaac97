"""Runs draws one after another and reports each on a line of JSON: what the driver starts, and restarts."""

import json
import os
import signal
import time

# A call that takes longer is given up: time of the processor, so that a busy machine makes none late. What takes SciPy
# long shows nothing and only costs time.
SECONDS = {"theirs": 4, "ours": 10}
# A name has so much of the processor's time for each round, and sits out rounds until it is within that: the few names
# whose draws take seconds on either side would take most of a run.
SHARE = 0.1


class Late(BaseException):
    """A call that took too long."""


def _ring(number, frame):
    raise Late


def run_draw(name, seed, told=lambda side: None):
    """The outcome of a draw: its kind, whether both sides raised, and the differences."""
    from . import compare, draws, sides

    mine, others = draws.draw_call(name, seed), draws.draw_call(name, seed)
    told("theirs")
    theirs, said = sides.THEIRS.run(others)
    told("ours")
    ours, ours_said = sides.OURS.run(mine)
    if isinstance(ours, sides.Failed):
        sides.settle()
    comparison = compare.Comparison(mine[0], *draws.draw_call(name, seed)[1:3])
    comparison.results(theirs, ours)
    if not isinstance(theirs, sides.Failed) and not isinstance(ours, sides.Failed):
        comparison.warnings(said, ours_said)
    return {
        "kind": mine[4],
        "raised": isinstance(theirs, sides.Failed),
        "differences": comparison.differences,
        "results": (theirs, ours),
        "arguments": mine[1:4],
        **texts(name, seed),
    }


def texts(name, seed):
    """What the rows of known differences look at of the arguments, which the call may have changed since."""
    from . import draws

    call = draws.draw_call(name, seed)
    return {"given": draws.described(*call[1:4]), "steps": [draws.described((), {}, [step]) for step in call[3]]}


def described(name, seed):
    """What the rows of known differences look at, of a draw that has no outcome."""
    from . import draws

    return {"kind": draws.draw_call(name, seed)[4], **texts(name, seed)}


def main(names, first, position):
    """Draws round after round; the driver ends the process."""
    signal.signal(signal.SIGPROF, _ring)
    out = os.fdopen(os.dup(1), "w")
    # What the libraries print is no part of the report, whether Python or C prints it.
    os.dup2(2, 1)
    seed, spent = first, dict.fromkeys(names, 0.0)
    while True:
        for place in range(position, len(names)):
            name = names[place]
            if spent[name] > SHARE * (seed - first):
                continue
            began = time.process_time()
            report = {"name": name, "seed": seed, "place": place}
            side = ["none"]

            def told(which, report=report, side=side):
                side[0] = which
                out.write(json.dumps({**report, "side": which}) + "\n")
                out.flush()
                signal.setitimer(signal.ITIMER_PROF, SECONDS[which])

            try:
                outcome = run_draw(name, seed, told)
                report |= {key: outcome[key] for key in ("kind", "raised", "differences", "given", "steps")}
            except Late:
                report |= {"late": side[0]}
            except Exception as error:
                report |= {"broken": f"{type(error).__name__}: {error}"}
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                took = time.process_time() - began
                # What the first round imports and compiles serves all others.
                spent[name] += took if seed > first or took > 1 else 0.0
            if report.get("late") == "ours":
                report |= described(name, seed)
            out.write(json.dumps({**report, "done": True}) + "\n")
            out.flush()
        position, seed = 0, seed + 1
