"""Points at which tails, ends and quantiles of distributions had lost their digits."""

import cuproxide as cp
import mpmath
import numpy as np
import pytest

# Values of python-flint.
POINTS = [
    ("alpha.ppf", (0.9999999999999821, 2.16618766769502), 2169542647293.3936),
    ("anglit.logsf", (-0.7853981633911272,), -3.9956120720986687e-23),
    ("chi.ppf", (3.214076019336661e-284, 1.6258023943457405), 5.773378801600411e-175),
    ("chi.ppf", (2.7709975744627054e-122, 0.5204458114164093), 3.182014538455986e-234),
    ("cosine.cdf", (-3.141592653588994,), 1.353233487426755e-38),
    ("cosine.cdf", (-3.1415926533391425,), 4.177109139180131e-31),
    ("cosine.logpdf", (3.1415876603381148,), -26.945870689875747),
    ("cosine.logsf", (-3.1415926535795435,), -2.856291485240301e-35),
    ("cosine.pdf", (-3.141592380942122,), 5.9155308169724386e-15),
    ("cosine.pdf", (-3.1415926535896213,), 2.3538090123129443e-27),
    ("crystalball.ppf", (0.999999999999791, 0.5499531352603864, 1.3605587718607997), 7.096426222458561),
    ("crystalball.ppf", (0.9999999999998713, 1.7462569564745098, 4.53776807456227), 7.311909192588905),
    ("genextreme.cdf", (-0.35047809273713615, -2.853245315235273), 1.0398190778930348e-204),
    ("genextreme.logsf", (-0.31568053434288046, -3.1677594550296027), -1.9490358954303822e-224),
    ("genextreme.logsf", (-0.22914457704093436, -4.3640570198417), -1.5579860779084906e-163),
    ("genextreme.pdf", (-0.2915810568955105, -3.4295779305391534), 1.5080505924568943e-52),
    ("genextreme.sf", (0.05818350977838188, 17.18700029970837), 0.18018831284092776),
    ("gengamma.isf", (0.8976705423316375, 0.001866217944273022, 9.690249568468477), 1.6985056182667243e-55),
    ("genhalflogistic.isf", (0.9999999999999983, 0.5504298157765112), 3.3306690738754665e-15),
    ("genhalflogistic.logpdf", (0.43075490266894534, 2.321505788567971), 19.019803480252005),
    ("genhalflogistic.pdf", (0.015389282585291878, 64.980287057418), 46993989267468.375),
    ("genhalflogistic.sf", (0.0537282904822941, 18.61216858052721), 0.29500465801775655),
    ("gennorm.isf", (0.2826105803028276, 1705.980351972565), 0.4346318803596249),
    ("gennorm.isf", (0.5817547626577524, 906.0460024586783), -0.16340555493239586),
    ("gennorm.ppf", (0.43580328488813314, 4783.984331250362), -0.12837794435365277),
    ("genpareto.logsf", (0.09099659674044847, -10.989421976431945), -3.332942869174402),
    ("genpareto.logsf", (0.04385543960033106, -22.802188488204617), -1.2874070480383908),
    ("genpareto.sf", (1.5190272235532791, -0.6583160488990916), 5.70308629885513e-17),
    ("halfcauchy.ppf", (0.9999999999999937,), 100599318231976.47),
    ("halfcauchy.ppf", (0.9999999999895901,), 61155252967.26524),
    ("halfgennorm.isf", (0.8069544086296195, 6291.723668014677), 0.19302788579349792),
    ("halfgennorm.ppf", (3.585452344354369e-177, 8.245481613780923), 3.381491366514364e-177),
    ("halfgennorm.ppf", (0.4196241333743841, 845.5143134686045), 0.41933824431466776),
    ("kappa3.isf", (0.26473046526738353, 2309.335611210607), 0.7377395145722011),
    ("kappa3.isf", (0.9215812610834749, 783.9918387588914), 0.07908818632720467),
    ("kappa3.ppf", (1.290037933253126e-160, 4.31997689603792), 1.8101120064352713e-160),
    ("kappa3.ppf", (4.130562053661149e-195, 7.619650481939198), 5.392050710569289e-195),
    ("kappa4.cdf", (0.18113613681025062, 35.01522260802555, 5.520709531890869), 0.8427180323087953),
    ("ksone.logpdf", (3.709305637907581e-234, 5.0), 2.967444510326065e-233),
    ("ksone.logpdf", (1.3732572800595904e-172, 34.0), 9.063498048393297e-171),
    ("loguniform.cdf", (0.19371733178091521, 0.1937173317809152, 21.28470819198693), 3.048909342901043e-17),
    ("loguniform.cdf", (0.027358147217312553, 0.027358147217312546, 0.04616861648575537), 4.846905287182909e-16),
    ("loguniform.logsf", (6.575742962302089, 0.7007938945937301, 6.57574296230209), -36.653597053183226),
    ("loguniform.logsf", (0.04091508717232756, 0.04091508717232755, 0.06564765156916726), -3.58696042769738e-16),
    ("loguniform.sf", (3.767584181660334, 0.04925696561637534, 3.7675841816603355), 8.153146045643447e-17),
    ("mielke.isf", (0.5212942125243519, 0.09936499707928254, 279.0750932032783), 0.0006028943561405717),
    ("mielke.ppf", (0.06184783485940115, 1.277246751413273, 4754.611033175349), 0.11315839256476691),
    ("nakagami.ppf", (1.1566034288605087e-207, 0.4939327285816804), 4.180542349155898e-210),
    (
        "ncf.pdf",
        (1.3689877717174e-310, 1.2765786020008316, 4.536211338739922, 2.386628767263963),
        1.854865042450648e111,
    ),
    ("ncx2.logsf", (1274.034483636585, 3.792898201719539, 8.721200887771927), -536.8984318789504),
    ("reciprocal.cdf", (0.08582990569587806, 0.08582990569587805, 0.3687238268503808), 1.1092240676297645e-16),
    ("reciprocal.cdf", (0.0859128277267189, 0.08591282772671889, 15.06060628730571), 3.1265502148491503e-17),
    ("reciprocal.logsf", (0.03152827688878883, 0.03152827688878882, 1.4313544149897435), -5.768189370103364e-17),
    ("reciprocal.logsf", (0.07462399145134742, 0.0746239914513474, 0.09176168890704518), -8.99564557286533e-16),
    ("reciprocal.sf", (0.29922269638950877, 0.13778585792782283, 0.2992226963895088), 2.392274276658431e-16),
    ("rel_breitwigner.isf", (2.600555314013007e-245, 2.2949982004600495), 3.579215471732505e81),
    ("rel_breitwigner.isf", (3.496512962845381e-286, 2.99152504050668), 1.7811265295554752e95),
    ("truncnorm.logcdf", (-39.9999999985, -40.0, -38.5), -75.54147004313),
    ("truncnorm.logcdf", (40.00000002, 40.0, np.inf), -14.038030400102944),
    ("truncnorm.logsf", (40.00000002, 40.0, np.inf), -8.004994433776362e-07),
    ("truncnorm.logsf", (-1.024645391323917, -1.0246453913239173, 4.472425525144054), -6.185374937930822e-17),
    ("truncnorm.logsf", (2.208685370806619, 2.2086853708066183, 7.426151915478075), -2.2731039354287947e-15),
    ("truncpareto.sf", (83.95408801615592, 0.40197691004426533, 83.95408801615623), 3.033300068451627e-16),
    ("truncpareto.sf", (16.35948900926644, 1.5987365853888562, 16.359489009266444), 4.027900552408657e-18),
    (
        "truncweibull_min.logsf",
        (1.3071442329294685, 0.3720552930616566, 1.3071442329294682, 1.5939259645972426),
        -8.605846628498252e-16,
    ),
    (
        "truncweibull_min.sf",
        (0.6332716522972028, 1.6731877480557158, 0.2223112148418669, 0.633271652297203),
        2.9099580726557116e-16,
    ),
    (
        "truncweibull_min.sf",
        (2.951373136170445, 1.1225179125488567, 1.0931000014896766, 2.9513731361704503),
        7.915508482786729e-16,
    ),
    ("tukeylambda.logsf", (0.7456586253192543, 1.3410962684901155), -25.098589385259),
    ("vonmises.cdf", (-3.1415926535897913, 0.565871506320055), 1.5865544923330885e-16),
    ("vonmises.cdf", (-3.1415926535897927, 1.033493510418672), 2.4956610847202164e-17),
    ("vonmises.logsf", (-3.1415926535897896, 1.5203957501474985), -7.671421567040624e-17),
    ("vonmises.logsf", (-3.141592653134016, 2.84501864165973), -9.786421255168742e-13),
    ("vonmises_line.cdf", (-3.1415926535897745, 2.0945237192933504), 1.5098404045542173e-16),
    ("vonmises_line.logsf", (-3.141592653589787, 3.0098654041757933), -1.011019541881125e-17),
    ("wrapcauchy.cdf", (6.28318530717958, 0.9999999999999977), 0.6102154021243288),
    ("wrapcauchy.isf", (0.9999999999999964, 0.288648398891158), 1.2322248173328607e-14),
]


@pytest.mark.parametrize(("name", "arguments", "value"), POINTS, ids=lambda item: item if isinstance(item, str) else "")
def test_value(name, arguments, value):
    distribution, method = name.split(".")
    found = getattr(getattr(cp.scipy.stats, distribution), method)(*map(cp.asarray, arguments))
    np.testing.assert_allclose(found.get(), value, rtol=1e-10, atol=0)


# Values of python-flint at which rounded exponents or cancelled sums had cost some hundred units of the last place.
SHARP = [
    ("beta.sf", (0.999999999989503, 1.7661283813010804, 9.029873309555947), 4.568599726270798e-99),
    ("burr.logpdf", (1.0635897466901814, 135.23820401820078, 2636.346443627759), 3.753847976980138),
    ("cauchy.logsf", (-0.6491777374040707,), -0.38084781680472357),
    ("cosine.cdf", (-2.347014704734558,), 0.012893136127192695),
    ("f.cdf", (5.3358611635264624e-67, 4.287027505050071, 7.93556122477295), 2.578353294270526e-142),
    ("ksone.sf", (0.9999999156429635, 28.0), 8.538799143829585e-199),
    ("t.sf", (2.1118179786662943e64, 1.5164772258714994), 1.0787437876271703e-98),
    ("triang.cdf", (0.0033067183327554206, 2.269672288755824e-34), 0.0066025022793786605),
    ("truncexpon.isf", (0.34361357394866976, 246.2582409437784), 1.0682375845630823),
]


@pytest.mark.parametrize(("name", "arguments", "value"), SHARP, ids=lambda item: item if isinstance(item, str) else "")
def test_last_digits(name, arguments, value):
    distribution, method = name.split(".")
    found = getattr(getattr(cp.scipy.stats, distribution), method)(*map(cp.asarray, arguments))
    np.testing.assert_allclose(found.get(), value, rtol=4e-15, atol=0)


def noncentral_chi_square(x, df, nc, upper):
    """The mixture of central distributions by its definition."""
    with mpmath.workdps(30):
        x, a, mean = mpmath.mpf(x) / 2, mpmath.mpf(df) / 2, mpmath.mpf(nc) / 2
        ends = (x, mpmath.inf) if upper else (0, x)
        parts = (mean**j / mpmath.factorial(j) * mpmath.gammainc(a + j, *ends, regularized=True) for j in range(400))
        return float(mpmath.exp(-mean) * mpmath.fsum(parts))


@pytest.mark.parametrize(
    ("x", "df", "nc", "upper"),
    [(1274.03, 3.79, 8.72, True), (962.19, 10, 100, True), (2.5e-145, 2, 0.0225, False), (0.3, 5.0, 60.0, False)],
)
def test_far_tails_of_noncentral_chi_square(x, df, nc, upper):
    found = getattr(cp.scipy.stats.ncx2, "sf" if upper else "cdf")(cp.asarray(x), df, nc)
    np.testing.assert_allclose(found.get(), noncentral_chi_square(x, df, nc, upper), rtol=1e-12, atol=0)


def test_moments_with_heavy_tails():
    # By mpmath.
    assert float(cp.scipy.stats.crystalball.std(0.58142115, 3.07406629)) == pytest.approx(19.44993729375941, rel=1e-13)
    assert float(cp.scipy.stats.crystalball.std(1.0, 3.01)) == pytest.approx(23.27396815183241, rel=1e-13)
    mean, variance = (float(v) for v in cp.scipy.stats.kappa4.stats(-0.588, 1e4))
    assert mean == -float("inf") and variance == float("inf")
    assert float(cp.scipy.stats.kappa4.var(0.785, -0.781)) == float("inf")


@pytest.mark.parametrize(
    ("name", "shapes", "moments"),
    [
        ("zipfian", (3.04, 1), (1.0, 0.0, np.nan, np.nan)),
        ("zipfian", (20.0, 5), (1.0000009542497709, 9.5482803696385311e-7, 1024.6268459573294, 1051152.4859601272)),
        ("zipfian", (60.0, 10), (1.0, 8.6736173808276285e-19, 1073741824.0584056, 1.1529215048576971e18)),
        ("zipf", (20.0,), (1.000000954249772, 9.548280443015583e-7, 1024.626874064946, 1051152.677868646)),
        ("zipf", (8.0,), (1.004254573771243, 0.004684587482917369, 18.04355187827757, 416.8561399596729)),
        ("zipf", (4.5,), (1.0682903609016706, 0.130660231475124, 17.76302788675194, np.inf)),
        ("zipf", (np.inf,), (1.0, 0.0, np.nan, np.nan)),
        ("logser", (1e-18,), (1.0, 5e-19, 1414213562.373095, 2e18)),
        ("logser", (1e-6,), (1.000000500000417, 5.000008333344583e-7, 1414.214740884751, 2000006.666670389)),
        ("logser", (0.099,), (1.053984565005932, 0.05891072652496373, 4.877161327051985, 27.25999914156988)),
        ("logser", (0.9999,), (1085.62763113776, 9677688.957889014, 6.122174392925068, 57.25022066884298)),
        ("boltzmann", (1e-12, 2), (0.49999999999975, 0.25, 1e-12, -2.0)),
        ("boltzmann", (1e-9, 1000), (499.49991666675, 83333.24999999583, 3.464106811293193e-7, -1.200002400002234)),
        ("boltzmann", (0.99, 2), (0.2709120776506935, 0.1975187238336781, 1.030927331760735, -0.937188836628692)),
        ("boltzmann", (0.5, 4000), (1.541494082536798, 3.917698089032764, 2.062826199759146, 6.255251930412762)),
        ("boltzmann", (20.0, 5), (2.061153626686912e-9, 2.061153630935266e-9, 22026.46584020665, 485165199.4097903)),
        ("boltzmann", (0.1, 1), (0.0, 0.0, np.nan, np.nan)),
    ],
)
def test_moments_of_steep_and_of_flat_discrete_laws(name, shapes, moments):
    # By mpmath. The moments about 0 differ from those of one value, or of equal ones, by less than their rounding.
    distribution = getattr(cp.scipy.stats, name)
    for arguments in (shapes, [cp.asarray([value, value]) for value in shapes]):
        found = distribution.stats(*arguments, moments="mvsk")
        np.testing.assert_allclose([float(v.ravel()[0]) for v in found], moments, rtol=1e-12)


def test_density_of_a_small_power_of_the_normal_tail():
    points = [89.86, 1e160, 1e200, np.inf]
    for c in (0.5, 0.8756649333915336, 1.0):
        assert cp.scipy.stats.powernorm.pdf(cp.asarray(points[1:]), c).get().tolist() == [0.0] * 3
        assert cp.scipy.stats.powernorm.logpdf(cp.asarray(points[1:]), c).get().tolist() == [-np.inf] * 3
        with mpmath.workdps(40):
            exact = mpmath.log(c * mpmath.npdf(points[0])) + (c - 1) * mpmath.log(mpmath.ncdf(-points[0]))
        assert float(cp.scipy.stats.powernorm.logpdf(points[0], c)) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(
    ("name", "shapes", "moments"),
    [
        ("bradford", (1e-3,), (0.4999167083069632, 0.08333333194583209, 0.0003462370694831464, -1.199999868702738)),
        ("bradford", (0.3,), (0.4781613533750682, 0.08323788557583009, 0.09084349660776605, -1.190961224164015)),
        ("fisk", (50.0,), (1.000658276803446, 0.001319764466514989, 0.1746087079514788, 1.275303820429701)),
        ("fisk", (1e6,), (1.000000000001645, 3.289868133720264e-12, 8.706236948384531e-6, 1.200000000186789)),
        ("burr", (1e6, 2.0), (1.000001000001645, 2.289874713453242e-12, 0.5771908110884767, 1.33269281841032)),
    ],
)
def test_moments_of_narrow_laws(name, shapes, moments):
    # By mpmath. Raw moments and closed forms in powers of the shape cancel.
    found = getattr(cp.scipy.stats, name).stats(*shapes, moments="mvsk")
    np.testing.assert_allclose([float(v) for v in found[:2]], moments[:2], rtol=1e-8)
    np.testing.assert_allclose([float(v) for v in found[2:]], moments[2:], rtol=1e-8, atol=1e-9)


def test_moments_of_a_folded_law_far_from_its_fold():
    # By mpmath; beyond, the law is normal.
    found = cp.scipy.stats.foldnorm.stats(6.0, moments="mvsk")
    expected = (6.000000000312714, 0.9999999962474325, 3.287904461290895e-8, -2.487273466461528e-7)
    np.testing.assert_allclose([float(v) for v in found], expected, rtol=1e-12)
    assert [float(v) for v in cp.scipy.stats.foldnorm.stats(1e8, moments="mvsk")] == [1e8, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ["chi", "nakagami"])
@pytest.mark.parametrize(("df", "skewness"), [(3.0, 0.4856928280495908), (1e4, 0.00707150975304685), (1e12, 7.07e-7)])
def test_skewness_of_many_degrees_of_freedom(name, df, skewness):
    # By mpmath.
    shape = df if name == "chi" else df / 2
    variance, found, kurtosis = (float(v) for v in getattr(cp.scipy.stats, name).stats(shape, moments="vsk"))
    assert found == pytest.approx(skewness, rel=1e-9, abs=1e-9)
    assert variance * (1 if name == "chi" else df) == pytest.approx(0.5, rel=0.1)
    assert kurtosis == pytest.approx(0.1081638428162941 if df == 3 else 0.0, rel=1e-9, abs=1e-8)
