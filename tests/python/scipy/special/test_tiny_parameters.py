"""Functions of tiny numbers, whose halves or products are 0 or reciprocals infinite, and roundings off whole ones."""

import cuproxide as cp
import pytest
from cuproxide.scipy import special

LEAST = 5e-324

# Values of mpmath.
POINTS = [
    ("hyperu", (1e-310, 0.5, 1.06), 1.0),
    ("hyperu", (-1e-310, 0.5, 1.06), 1.0),
    ("hyperu", (1e-310, 3.0, 1e-3), 1.0),
    ("hyperu", (LEAST, 1.0, 2.0), 1.0),
    ("hyperu", (1e-310, 3.0, 1e-157), 10001.0),
    ("hyperu", (-12.784987182281036, -9.0, 0.02440059308271207), -344756.11979481846),
    ("hyp1f1", (LEAST, 0.5, 100.0), 1.0),
    ("hyp1f1", (1e-30, 0.5, 100.0), 4788753000994.948),
    ("hyp1f1", (1e-60, 0.5, 100.0), 1.0),
    ("eval_laguerre", (-LEAST, 0.5), 1.0),
    ("eval_laguerre", (-LEAST, 100.0), 1.0),
    ("eval_genlaguerre", (-LEAST, 0.5, 100.0), 1.0),
    ("binom", (-LEAST, -LEAST), 1.0),
    ("binom", (-LEAST, LEAST), 1.0),
    ("binom", (0.3, LEAST), 1.0),
    ("binom", (-0.7, -0.7), 1.0),
    ("binom", (LEAST, 0.5), 0.6366197723675814),
    ("poch", (LEAST, LEAST), 0.5),
    ("poch", (1e-310, 2e-310), 1 / 3),
    ("poch", (0.5, LEAST), 1.0),
    ("eval_jacobi", (4.0, -1 + 2.0**-53, 1.25, -0.5), -0.5579166412353516),
    ("eval_jacobi", (4.0, -1 + 2.0**-52, 1.25, -0.5), -0.5579166412353517),
    ("eval_jacobi", (4.0, -1 + 3 * 2.0**-53, 1.25, -0.5), -0.5579166412353517),
    ("jv", (0.5, 1e-310), 7.978845608028641e-156),
    ("kv", (0.5, 1e-310), 1.253314137315502e155),
    ("yv", (0.5, 1e-310), -7.978845608028666e154),
    ("iv", (0.46, 1e-310), 2.0619895859968863e-143),
    ("jve", (0.46, 1e-310), 2.0619895859968863e-143),
    ("kve", (0.46, 1e-310), 5.271396757387755e142),
    ("jv", (-0.5, 1e-310), 7.978845608028666e154),
    ("iv", (-0.5, 1e-310), 7.978845608028666e154),
    ("yv", (-0.75, 1e-310), 1.466869307943068e232),
    ("jv", (0.46, 3e-320), 8.585389850740236e-148),
    ("yve", (0.46, 3e-320), -8.059948650827552e146),
    ("kv", (-0.75, 3e-320), 4.520526107086023e239),
    ("jv", (1 / 3, 2.5e-308), 2.5989335552929377e-103),
    ("ive", (1 / 3, LEAST), 1.5138286694595054e-108),
    ("jv", (-0.3, LEAST), 9.308514850722813e96),
    ("kv", (0.0, LEAST), 744.5560034370396),
    ("yv", (0.0, LEAST), -473.9990734230043),
    ("kn", (0, 1e-310), 713.9173103438126),
    ("kn", (1, 1e-308), 1e308),
    ("hankel1", (0.5, (1e-310 + 0j)), (7.978845608028641e-156 - 7.978845608028666e154j)),
    ("yv", (0.5, 1e-310j), (-5.641895835477572e154 + 5.641895835477572e154j)),
    ("kve", (0.5, (1e-310 + 2e-310j)), (7.12965896261194e154 - 4.406371567089494e154j)),
    ("iv", (-0.5, 1e-310j), (5.641895835477572e154 - 5.641895835477572e154j)),
    ("modstruve", (-0.6, 1e-310), 8.002325753930936e-125),
    ("struve", (-0.5, 3e-320), 1.3819689052174313e-160),
    ("fdtr", (LEAST, 1.0, 0.5), 1.0),
    ("fdtr", (LEAST, LEAST, 2.0), 0.5),
    ("fdtr", (0.001, 2.0, LEAST), 0.6865882666336237),
    ("fdtr", (2.0, 0.001, 1e308), 0.3012054889326813),
    ("fdtrc", (2.0, 0.001, 1e308), 0.6987945110673187),
    ("fdtrc", (0.001, 1000.0, 1e-310), 0.3026119209426159),
    ("fdtr", (1000.0, 2.0, 1e305), 1.0),
    ("chdtr", (0.001, LEAST), 0.689162485827154),
    ("chdtrc", (0.001, 1e-320), 0.3082092764852745),
    ("gdtr", (1e-200, 0.001, 1e-200), 0.3983367031222318),
    ("gdtrc", (1e-200, 0.001, 1e-200), 0.6016632968777682),
    ("stdtr", (0.001, -1e200), 0.31417321248611507),
    ("stdtr", (1e-310, -3.0), 0.5),
    ("stdtr", (0.3, -1e160), 3.495007233838574e-49),
    ("nctdtr", (1e-310, 0.3, 0.4), 0.3820885778110474),
    ("nctdtr", (LEAST, 0.7, 0.4), 0.24196365222307303),
    ("wright_bessel", (1.0, 1e-310, 0.5), 0.6358617281560686),
    ("log_wright_bessel", (1.0, LEAST, 0.5), -0.45277414783832237),
    ("log_wright_bessel", (400.0, 1e-310, 0.5), -713.8013788281542),
    ("eval_sh_legendre", (0.5, 1e-310), -226.81933850849805),
    ("eval_sh_legendre", (30.2, LEAST), -136.97677237200537),
    ("eval_sh_legendre", (0.5, 1e-299), -218.75704692082434),
    ("chdtriv", (0.5, LEAST), 0.0018619055245630892),
    ("gdtrib", (0.5, 0.5, LEAST), 0.0009309527622815446),
    ("gdtrib", (1e-200, 0.5, 1e-200), 0.0007530464201167519),
    ("chndtridf", (LEAST, 0.5, 1.0), 0.0005188249757641908),
    ("chndtr", (LEAST, 0.001, 1.0), 0.41799817717794213),
    ("ncfdtridfn", (0.4, 2.0, 0.7, LEAST), 0.0015068318315749054),
    ("ncfdtr", (LEAST, 2.0, 0.7, 0.4), 0.7046880897187134),
    ("ncfdtrinc", (LEAST, 2.0, 0.2, 1.0), 3.2188758248682006),
    ("nctdtrinc", (LEAST, 0.7, 0.4), -0.5244005127080407),
    # Beyond 1 the imaginary part is 3e-35.
    ("hyp2f1", (-5.000000000000001, -1.9, 9.5, 1.1903406298571568), 2.4308522351552772),
    ("hyp2f1", (-5.0000001, -1.9, 9.5, 1.1903406298571568), float("inf")),
]


@pytest.mark.parametrize(("name", "arguments", "value"), POINTS)
def test_value(name, arguments, value):
    found = getattr(special, name)(*(cp.asarray(argument) for argument in arguments)).item()
    assert found == pytest.approx(value, rel=1e-11, abs=0)


# The share, or the product, of these is below the smallest number, or rounded to few digits.
SMALL_PROBABILITIES = [
    ("fdtrc", (LEAST, 1.0, 0.5), 1.85e-321, 0.01),
    ("fdtr", (1.0, LEAST, 2.0), 1.85e-321, 0.01),
    ("fdtrc", (1e-310, 3.0, 2.0), 3.5679656914869004e-308, 1e-11),
    # Terms below 1e-290 do not count.
    ("ncfdtr", (1.5, 1e-310, 0.7, 1e10), 3.69e-308, 0.5),
]


@pytest.mark.parametrize(("name", "arguments", "value", "error"), SMALL_PROBABILITIES)
def test_small_probability(name, arguments, value, error):
    found = getattr(special, name)(*(cp.asarray(argument) for argument in arguments)).item()
    assert abs(found - value) <= error * value


# Values of mpmath.
SPHERICAL = [
    ("spherical_jn", 0, 1e-310, 1.0),
    ("spherical_jn", 1, 1e-310, 1e-310 / 3),
    ("spherical_jn", 1, 1e-250, 1e-250 / 3),
    ("spherical_jn", 3, 1e-90, 9.523809523809523e-273),
    ("spherical_in", 0, 1e-310, 1.0),
    ("spherical_in", 1, 1e-250, 1e-250 / 3),
    ("spherical_in", 2, 9.9e-10, 6.534e-20),
    ("spherical_kn", 0, 1e-308, 1.5707963267948966e308),
    ("spherical_yn", 0, 1e-308, -1e308),
]


@pytest.mark.parametrize(("name", "order", "point", "value"), SPHERICAL)
def test_spherical(name, order, point, value):
    found = float(getattr(special, name)(order, cp.asarray(point)))
    assert found == pytest.approx(value, rel=1e-13, abs=0)
