"""Densities of large parameters, and logarithms of tails below all numbers: values of mpmath."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.stats as theirs

ours = cp.scipy.stats

# The distribution, the method, the shapes, the point and the value.
VALUES = [
    ("gamma", "pdf", (10000000000.0,), 10000100000.0, 2.419691113903898e-06),
    ("chi2", "pdf", (10000000000.0,), 10000100000.0, 2.1969381394902695e-06),
    ("chi", "pdf", (10000000000.0,), 100000.1, 0.5585752466711799),
    ("nakagami", "pdf", (10000000000.0,), 1.00001, 10798.157308346978),
    ("invgamma", "pdf", (10000000000.0,), 1.00001e-10, 241969917943510.44),
    ("loggamma", "pdf", (10000000000.0,), 23.02586, 26440.594734047518),
    ("gengamma", "pdf", (10000000000.0, 2.0), 100001.0, 0.10798157308629941),
    ("beta", "pdf", (10000000000.0, 10000000000.0), 0.500003, 78724.34317323634),
    ("betaprime", "pdf", (10000000000.0, 10000000000.0), 1.00001, 21969.399702541767),
    ("f", "pdf", (10000000000.0, 10000000000.0), 1.00001, 17603.112310527096),
    ("pearson3", "pdf", (0.0001,), 1.5, 0.129515167161231),
    ("jf_skew_t", "pdf", (10000000000.0, 10000000000.0), 0.5, 0.3520653267579733),
    ("exponnorm", "pdf", (1e-06,), 0.5, 0.3520655027966988),
    ("dpareto_lognorm", "pdf", (3.0, 1.2, 1000000.0, 2.0), 20.0, 0.014620480268424638),
    ("rdist", "pdf", (10000000000.0,), 1e-05, 24197.072453124187),
    ("poisson", "pmf", (10000000000.0,), 10000100000.0, 2.4196991795342232e-06),
    ("binom", "pmf", (10000000000.0, 0.3), 3000010000.0, 8.500797416651682e-06),
    ("nbinom", "pmf", (10000000000.0, 0.3), 23333300000.0, 1.4203020763085789e-06),
    ("hypergeom", "pmf", (1000000000000.0, 300000000000.0, 10000000000.0), 3000030000.0, 7.046584034122747e-06),
    ("crystalball", "logpdf", (2.0, 3.0), 80.0, -3200.9365260549816),
    ("crystalball", "logsf", (2.0, 3.0), 80.0, -3205.318708878667),
    ("dpareto_lognorm", "logcdf", (3.0, 1.2, 1.5, 2.0), 1e-198, -915.7909946860293),
    ("dpareto_lognorm", "logsf", (3.0, 1.2, 1.5, 2.0), 1e230, -788.8314728708812),
    ("jf_skew_t", "logpdf", (8.0, 4.0), 3e200, -4142.267694636483),
    ("jf_skew_t", "logsf", (8.0, 4.0), 1e100, -1831.8745325861037),
    ("jf_skew_t", "logcdf", (8.0, 4.0), -1e100, -3670.2413050072278),
    ("gamma", "logsf", (1.99,), 3000.0, -2992.0691706344746),
    ("gamma", "logcdf", (1.99,), 1e-200, -917.1128061212778),
    ("gamma", "logcdf", (500.0,), 60.0, -624.030652954382),
    ("gamma", "logsf", (500.0,), 2500.0, -1200.6943717304725),
    ("chi2", "logsf", (55.0,), 3000.0, -1369.0868381743871),
    ("chi", "logcdf", (78.0,), 1e-20, -3725.697245373193),
    ("maxwell", "logsf", (), 60.0, -1796.1311691282929),
    ("nakagami", "logsf", (5.0,), 20.0, -1972.772442992514),
    ("invgamma", "logcdf", (4.0,), 0.0001, -9974.160438338302),
    ("gengamma", "logsf", (4.5, 3.0), 20.0, -7970.998110157516),
    ("loggamma", "logsf", (0.5,), 8.0, -2985.5305196456907),
    ("loggamma", "logcdf", (0.5,), -5000.0, -2499.8792177623645),
    ("dgamma", "logcdf", (1.1,), -3000.0, -2999.8426046597506),
    ("gennorm", "logsf", (1.3,), 300.0, -1663.158979346176),
    ("poisson", "logsf", (0.6,), 300.0, -1574.9694842452761),
    ("pearson3", "logsf", (0.1,), 80.0, -961.526788742673),
    ("beta", "logcdf", (5.0, 6.0), 1e-90, -1030.633862759809),
    ("betaprime", "logsf", (5.0, 6.0), 1e70, -961.7386315267818),
    ("f", "logcdf", (29.0, 18.0), 1e-40, -1315.6919781800786),
    ("nbinom", "logsf", (5.0, 0.5), 3000.0, -2054.053864584607),
    ("binom", "logcdf", (5000.0, 0.4), 100.0, -2107.660245204103),
    ("exponnorm", "logcdf", (1.5,), -50.0, -1259.1628775265197),
    ("exponnorm", "logsf", (1.5,), 4000.0, -2666.4444444444443),
    ("halfnorm", "logsf", (), 60.0, -1804.3204135000071),
    ("foldnorm", "logsf", (2.0,), 70.0, -2317.138662384557),
    ("foldnorm", "logpdf", (2.0,), 70.0, -2312.9189385332047),
    ("moyal", "logcdf", (), -15.0, -1634516.4120277138),
    ("moyal", "logsf", (), 4000.0, -2000.2257913526448),
    ("kstwobign", "logpdf", (), 25.0, -1244.701682633452),
    ("kstwobign", "logsf", (), 25.0, -1249.30685281944),
    ("kstwobign", "logcdf", (), 0.01, -12331.481392642505),
    ("kstwobign", "logpdf", (), 0.01, -12316.762757203256),
    ("gumbel_r", "logsf", (), 900.0, -900.0),
    ("gumbel_l", "logcdf", (), -900.0, -900.0),
    ("genlogistic", "logsf", (0.41,), 900.0, -900.8915981192838),
    ("halflogistic", "logsf", (), 900.0, -899.3068528194401),
    ("hypsecant", "logsf", (), 900.0, -900.4515827052894),
    ("laplace_asymmetric", "logsf", (2.0,), 900.0, -1801.609437912434),
    ("dweibull", "logsf", (2.0,), 40.0, -1600.69314718056),
    ("weibull_min", "logcdf", (1.8,), 1e-200, -828.9306334778564),
    ("rayleigh", "logcdf", (), 1e-200, -921.7271843781782),
    ("exponweib", "logsf", (2.9, 2.0), 40.0, -1598.9352892630075),
    ("burr", "logsf", (10.5, 4.3), 1e100, -2416.2557326210485),
    ("burr12", "logcdf", (10.0, 4.0), 1e-100, -2301.198798632926),
    ("mielke", "logsf", (10.4, 4.6), 1e100, -1058.3733932746086),
    ("invweibull", "logsf", (10.6,), 1e100, -2440.7401985736883),
    ("genextreme", "logsf", (-0.1,), 1e100, -2279.559242064105),
    ("loglaplace", "logsf", (3.25,), 1e100, -749.0333024036248),
    ("powernorm", "logcdf", (4.4,), -60.0, -1803.531956139643),
    ("powerlognorm", "logcdf", (2.1, 0.4), 1e-10, -1661.073370534468),
    ("levy", "logcdf", (), 0.0001, -5004.831061513645),
    ("rel_breitwigner", "logsf", (36.5,), 1e120, -823.28592258632),
    ("geom", "logsf", (0.5,), 3000.0, -2079.441541679836),
    ("planck", "logsf", (0.51,), 4000.0, -2040.51),
    ("dlaplace", "logsf", (0.8,), 4000.0, -3201.171100665948),
    ("dlaplace", "logcdf", (0.8,), -4000.0, -3200.371100665948),
    ("landau", "pdf", (), 8e20, 9.947183943243459e-43),
    ("landau", "sf", (), 300000.0, 2.122120797122065e-06),
    ("landau", "pdf", (), 30000000.0, 7.073557917922571e-16),
    ("levy_stable", "pdf", (1.0, 0.5), 1000000.0, 4.774687482163897e-13),
    ("levy_stable", "cdf", (1.0, 0.5), -1000000.0, 1.5915426461113234e-07),
    ("levy_stable", "sf", (1.0, -0.25), 1e30, 2.38732414637843e-31),
    ("alpha", "sf", (3.57,), 0.2, 0.9236278587528844),
    ("alpha", "sf", (3.57,), 1e-20, 1.0),
    ("alpha", "sf", (9.0,), 0.9, 1.5243312351596858e-15),
    ("alpha", "logsf", (3.57,), 1e305, -709.5796633898434),
]


@pytest.mark.parametrize(("name", "method", "shapes", "x", "value"), VALUES)
def test_value(name, method, shapes, x, value):
    found = getattr(getattr(ours, name), method)(np.float64(x), *shapes).item()
    # Densities at some deviations from the mode depend on the last digits of the point.
    np.testing.assert_allclose(found, value, rtol=1e-10 if "pdf" in method else 1e-12)


@pytest.mark.parametrize(
    ("order", "a", "b", "value"),
    [
        (1, 8.0, 4.0, 1.4247801402401357),
        (2, 1e10, 1e10, 1.0000000001),
        (3, 1e6, 3e6, -1539609185.6587524),
        (4, 1e12, 1e12, 3.000000000009),
        (7, 50.0, 40.0, 354.27373649466216),
    ],
)
def test_moments_of_jf_skew_t(order, a, b, value):
    np.testing.assert_allclose(ours.jf_skew_t.moment(order, a, b).item(), value, rtol=1e-12)


# Shapes on both sides of where the forms for large parameters begin.
MODERATE = [
    ("gamma", (990.0,), (1010.0,)),
    ("chi2", (1990.0,), (2010.0,)),
    ("chi", (1990.0,), (2010.0,)),
    ("nakagami", (990.0,), (1010.0,)),
    ("invgamma", (990.0,), (1010.0,)),
    ("gengamma", (990.0, -2.0), (1010.0, 2.0)),
    ("loggamma", (990.0,), (1010.0,)),
    ("beta", (990.0, 1500.0), (1010.0, 1500.0)),
    ("betaprime", (990.0, 1500.0), (1010.0, 1500.0)),
    ("f", (1990.0, 2500.0), (2010.0, 2500.0)),
    ("rdist", (1990.0,), (2010.0,)),
    ("pearson3", (0.064,), (0.0625,)),
    ("binom", (1990.0, 0.5), (2300.0, 0.5)),
    ("nbinom", (990.0, 0.5), (1100.0, 0.5)),
    ("poisson", (400.0,), (1100.0,)),
    ("hypergeom", (9000.0, 4000.0, 1900.0), (9000.0, 4500.0, 4500.0)),
]


@pytest.mark.parametrize(("name", "few", "many"), MODERATE)
def test_forms_for_large_parameters_continue_the_others(name, few, many):
    kind = "logpmf" if hasattr(getattr(theirs, name), "logpmf") else "logpdf"
    for shapes in few, many:
        frozen = getattr(theirs, name)(*shapes)
        x = frozen.ppf(np.linspace(1e-6, 1 - 1e-6, 41))
        expected = getattr(frozen, kind)(x)
        found = getattr(getattr(ours, name), kind)(cp.asarray(x), *shapes).get()
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-10, err_msg=f"{name}{shapes}")
    # Shapes in arrays take both forms in one kernel.
    pair = [cp.asarray([[first], [second]]) for first, second in zip(few, many, strict=True)]
    together = getattr(getattr(ours, name), kind)(cp.asarray(x), *pair).get()
    np.testing.assert_allclose(together[1], found, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", ["gamma", "chi", "nakagami", "beta", "betaprime", "f", "jf_skew_t", "poisson"])
def test_ends_of_the_support(name):
    shapes = {
        "beta": (1300.0, 1400.0),
        "betaprime": (1300.0, 1400.0),
        "f": (2600.0, 2800.0),
        "jf_skew_t": (1300.0, 1400.0),
    }
    d = getattr(ours, name)(*shapes.get(name, (1500.0,)))
    log = d.logpmf if name == "poisson" else d.logpdf
    low, high = d.support()
    for end in float(low), float(high):
        # The density of counts at 0 is finite.
        assert log(end).item() == (-1500.0 if name == "poisson" and end == 0 else -np.inf)
    assert [d.logcdf(high).item(), d.logsf(high).item()] == [0.0, -np.inf]
    assert np.isnan(log(np.nan).item()) and np.isnan(d.logsf(np.nan).item())
