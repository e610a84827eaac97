"""How much of the suite runs: all of it, a small part for slow devices, or more drawn cases than usual.

`CUPROXIDE_TEST_SMALL=2` keeps every test function, of each at most two of its sets of parameters, which lie evenly in
their order, and few drawn cases. `CUPROXIDE_TEST_CASES=5000` draws that many. `CUPROXIDE_TEST_FULL=1` runs exhaustive
sets of parameters whole, of which a seeded sample runs otherwise.
"""

import os
import random

SMALL = int(os.environ.get("CUPROXIDE_TEST_SMALL", "0"))
CASES = int(os.environ.get("CUPROXIDE_TEST_CASES", "0"))
FULL = os.environ.get("CUPROXIDE_TEST_FULL", "0") != "0"


def drawn(usual):
    """How many cases a test draws that usually draws so many."""
    return min(usual, 4) if SMALL else usual


def spread(count, most=SMALL):
    """The positions kept of so many: at most `most`, evenly apart from the first on; twice as many contain them."""
    return {position * count // most for position in range(most)} if most else set(range(count))


def sample(cases, count, seed=0):
    """Of a list of cases so many, drawn by a seed and in their order; all of them where the suite runs whole."""
    cases = list(cases)
    if FULL or len(cases) <= count:
        return cases
    return [cases[position] for position in sorted(random.Random(seed).sample(range(len(cases)), count))]


def marks_to_skip():
    """The marks of tests that are left out: where operations are eager from the start, unless the suite runs whole."""
    return {"deferred_only"} if os.environ.get("CUPROXIDE_EAGER", "0") != "0" and not FULL else set()
