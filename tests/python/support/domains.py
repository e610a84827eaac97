"""Arguments for ufuncs, drawn from the domains that their rows name."""

import numpy as np
from cuproxide import _cuproxide as core


def arguments(ufunc, count, seed=0):
    """An array of float64 for each input: numbers of all sizes within its domain, and its ends or what is next to."""
    random = np.random.default_rng(seed)
    return [_points(random, *domain, count) for domain in core.ufunc_facts(ufunc)[0]]


def _points(random, low, high, closed, count):
    near = [end for end in (low, high) if np.isfinite(end)]
    if len(near) == 2:
        drawn = random.uniform(low, high, count)
        # As many close to the ends.
        away = (high - low) * 10.0 ** random.uniform(-12, -1, count)
        drawn = np.where(
            random.random(count) < 0.5, drawn, np.where(random.random(count) < 0.5, low + away, high - away)
        )
    else:
        drawn = 10.0 ** random.uniform(-8, 2, count)
        if not near:
            drawn *= random.choice([-1, 1], count)
        elif np.isfinite(low):
            drawn = low + drawn
        else:
            drawn = high - drawn
    edges = [end if closed else np.nextafter(end, {low: high, high: low}[end]) for end in near]
    return np.concatenate([edges, drawn])[:count]
