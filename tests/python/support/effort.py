"""How much of the suite runs: all of it, a small part for slow devices, or more drawn cases than usual.

`CUPROXIDE_TEST_SMALL=2` keeps every test function, of each at most two of its sets of parameters, which lie evenly in
their order, and few drawn cases. `CUPROXIDE_TEST_CASES=5000` draws that many.
"""

import os

SMALL = int(os.environ.get("CUPROXIDE_TEST_SMALL", "0"))
CASES = int(os.environ.get("CUPROXIDE_TEST_CASES", "0"))


def drawn(usual):
    """How many cases a test draws that usually draws so many."""
    return min(usual, 4) if SMALL else usual


def spread(count, most=SMALL):
    """The positions kept of so many: at most `most`, evenly apart from the first on; twice as many contain them."""
    return {position * count // most for position in range(most)} if most else set(range(count))
