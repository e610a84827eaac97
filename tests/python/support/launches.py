"""What a call runs on the device, once everything that it needs has been compiled."""

import cuproxide as cp


def recorded(work):
    """The spans of what some work runs, without what only its first calls and other tests' leavings run.

    Until a fused kernel is compiled its operators run one by one, and a flush takes along what other tests have left
    deferred: of a few recordings the shortest counts.
    """
    work()
    found = []
    for _ in range(3):
        cp.fusion.wait()
        cp.cuda.Device().synchronize()
        with cp.profiler.trace():
            results = work()
            cp.cuda.Device().synchronize()
        del results
        found.append(cp.profiler.report().spans)
    return min(found, key=len)


def kernels(work):
    """The names of the kernels that some work launches."""
    return [span.name for span in recorded(work) if span.kind == "kernel"]


def launches(work, kinds=("kernel",)):
    """How many kernels some work launches, or how many things of other kinds it does."""
    return sum(span.kind in kinds for span in recorded(work))
