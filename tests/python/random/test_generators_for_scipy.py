"""Seeds and generators that the functions of `cuproxide.scipy` take."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._lib.generators import device_generator, host_generator
from cuproxide.scipy import cluster, interpolate, linalg, optimize, spatial, stats

GIVEN = {
    "seed": lambda: 3, "host generator": lambda: np.random.default_rng(3),
    "host state": lambda: np.random.RandomState(3), "generator": lambda: cp.random.default_rng(3),
    "state": lambda: cp.random.RandomState(3), "bits": lambda: cp.random.Philox4x3210(3),
    "host bits": lambda: np.random.PCG64(3), "number on the device": lambda: cp.asarray(3),
}  # fmt: skip
POINTS = np.random.default_rng(0).normal(size=(30, 2))


def _annealed(rng):
    return optimize.dual_annealing(lambda x: cp.sum(x**2), [(-2, 2)] * 2, rng=rng, maxiter=3, no_local_search=True).x


CALLS = {
    "rvs": lambda rng: stats.norm.rvs(size=5, random_state=rng),
    "qmc": lambda rng: stats.qmc.Halton(2, rng=rng).random(4),
    "bootstrap": lambda rng: (
        stats.bootstrap((cp.arange(9.0),), cp.mean, n_resamples=20, rng=rng).bootstrap_distribution
    ),
    "annealing": _annealed,
    "evolution": lambda rng: (
        optimize.differential_evolution(lambda x: cp.sum(x**2), [(-2, 2)], rng=rng, maxiter=2, polish=False).x
    ),
    "rotation": lambda rng: spatial.transform.Rotation.random(3, rng=rng).as_quat(),
    "sketch": lambda rng: linalg.clarkson_woodruff_transform(cp.arange(40.0).reshape(20, 2), 4, rng=rng),
    "kmeans2": lambda rng: cluster.vq.kmeans2(cp.asarray(POINTS), 3, minit="random", rng=rng)[0],
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("given", GIVEN)
def test_every_kind_decides_the_draws(call, given):
    one, two = (CALLS[call](GIVEN[given]()).get() for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("given", ["host generator", "generator", "state"])
def test_generators_move_on(given):
    rng = GIVEN[given]()
    one, two = (stats.norm.rvs(size=5, random_state=rng).get() for _ in range(2))
    assert not np.array_equal(one, two)


def test_kinds_of_generators():
    own = cp.random.default_rng(1)
    assert device_generator(own) is own
    assert isinstance(device_generator(3, legacy=True), cp.random.RandomState)
    assert device_generator(None, legacy=True) is cp.random.get_random_state()
    assert device_generator(cp.random, legacy=True) is cp.random.get_random_state()
    assert device_generator(np.random, legacy=True) is cp.random.get_random_state()
    theirs = np.random.default_rng(1)
    assert host_generator(theirs) is theirs
    assert isinstance(host_generator(own), np.random.Generator)
    with pytest.raises(ValueError, match="cannot be used to seed"):
        device_generator("seed", legacy=True)
    with pytest.raises(TypeError, match="not a seed"):
        device_generator(True)


def test_older_names():
    # What SciPy decorates takes both names, but not together.
    x = [0.0, 1.0, 2.0]
    for name in ("rng", "random_state"):
        assert interpolate.BarycentricInterpolator(x, x, **{name: 1})(0.5).item() == pytest.approx(0.5)
    with pytest.raises(TypeError, match="multiple values"):
        interpolate.BarycentricInterpolator(x, x, rng=1, random_state=1)
    data = cp.asarray(POINTS[:, 0])
    one = stats.goodness_of_fit(stats.norm, data, n_mc_samples=9, random_state=1)
    two = stats.goodness_of_fit(stats.norm, data, n_mc_samples=9, rng=1)
    assert one.pvalue.item() == two.pvalue.item()
    assert stats.ks_2samp(x, x, mode="exact").pvalue.item() == stats.ks_2samp(x, x, method="exact").pvalue.item()
    assert stats.moment(x, moment=2).item() == stats.moment(x, order=2).item()
    with pytest.raises(TypeError, match="multiple values"):
        stats.moment(x, order=2, moment=2)
