"""Random points that keep their distance."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.stats as theirs
from cuproxide.scipy.stats import qmc


def least_distance(x):
    apart = np.sqrt(((x[:, None] - x) ** 2).sum(axis=-1))
    return apart[~np.eye(len(x), dtype=bool)].min()


@pytest.mark.parametrize("hypersphere", ["volume", "surface"])
@pytest.mark.parametrize(("d", "radius"), [(1, 0.02), (2, 0.05), (3, 0.2), (4, 0.45), (5, 0.5)])
def test_points_fill_the_space(d, radius, hypersphere):
    engine = qmc.PoissonDisk(d, radius=radius, hypersphere=hypersphere, rng=1)
    x = engine.fill_space().get()
    assert x.min() >= 0
    assert x.max() <= 1
    assert least_distance(x) >= radius
    other = theirs.qmc.PoissonDisk(d, radius=radius, hypersphere=hypersphere, rng=1).fill_space()
    # As dense as SciPy's, but for chance.
    assert len(x) > 0.85 * len(other)
    assert engine.num_generated == len(x)
    assert engine.fill_space().shape == (0, d)


def test_points_come_in_parts():
    engine = qmc.PoissonDisk(2, radius=0.1, rng=3, l_bounds=[-1, 2], u_bounds=[1, 3])
    first, second = engine.random(5), engine.random(40)
    assert (first.shape, second.shape, engine.num_generated) == ((5, 2), (40, 2), 45)
    x = cp.concatenate([first, second]).get()
    assert least_distance(x) >= 0.1
    assert (x >= [-1, 2]).all()
    assert (x <= [1, 3]).all()
    engine.reset()
    cp.testing.assert_array_equal(engine.random(5), first)
    assert qmc.PoissonDisk(2, rng=1).random(0).shape == (0, 2)
    assert qmc.PoissonDisk(2, radius=0.3, rng=1).random(1000).shape[0] < 30


def test_errors():
    for options in ({"hypersphere": "edge"}, {"radius": 0.0}, {"l_bounds": [1, 1]}, {"optimization": "best"}):
        with pytest.raises(ValueError, match="."):
            qmc.PoissonDisk(2, **options)
