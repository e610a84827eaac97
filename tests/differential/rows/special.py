"""Rows of scipy.special: one rule for all elementwise functions, one for zeros, one for orthogonal polynomials."""

import numpy as np

from ..draws import (
    EXTREMES,
    Gen,
    alone,
    always,
    array,
    between,
    draw_value,
    integer,
    integers,
    lay_out,
    maybe,
    number,
    one,
    row,
)

side = one(True, False)

# The argument of each place: (o)rder, whole; (n)atural order, (i)nteger type, (p)ositive; (u)nit interval; (r)eal; (c)omplex; (z) either.
POOLS = {
    "o": lambda random, shape: random.integers(-4, 9, shape).astype(float),
    "n": lambda random, shape: random.integers(0, 9, shape).astype(float),
    "i": lambda random, shape: random.integers(0, 9, shape).astype(float),
    "v": lambda random, shape: random.choice([0.5, 1.0, 2.0, 3.5, 0.0, -0.5, 4.25], shape),
    "p": lambda random, shape: np.exp(1.3 * random.normal(size=shape)),
    "u": lambda random, shape: random.uniform(0.001, 0.999, shape),
    "s": lambda random, shape: random.uniform(-0.999, 0.999, shape),
    "r": lambda random, shape: random.choice([0.3, 1, 4], shape) * random.normal(size=shape),
    "z": lambda random, shape: random.choice([0.3, 1, 4], shape) * random.normal(size=shape),
    "q": lambda random, shape: random.uniform(0.1, 4, shape),
    "c": lambda random, shape: random.uniform(1.01, 4, shape),
}


def points(pool, place):
    """An array for one place of a ufunc: shapes of one draw broadcast."""

    def of(draw):
        shape = (
            draw.pick([(), ("n",), ("n",), ("n",), ("m", "n")]) if place == 0 else draw.pick([("n",), ("n",), (), (1,)])
        )
        lengths = tuple(1 if name == 1 else draw.size(name) for name in shape)
        numbers = np.asarray(POOLS[pool](draw.random, lengths), float)
        codes = "li" if pool == "i" else "dfli" if pool in "on" else "dfD" if pool == "z" else "df"
        if draw.kind == "typed":
            codes += "eFD" if pool == "z" else "" if pool == "i" else "e"
        code = codes[0] if draw.kind in ("edge", "invalid") or draw.chance(0.6) else draw.pick(codes)
        if draw.kind == "edge" and pool != "i" and numbers.size and draw.chance(0.6):
            numbers = numbers.reshape(-1)
            extreme, spot = draw.pick((*EXTREMES[:-2], 1.0, -1.0)), draw.random.integers(numbers.size)
            if np.isfinite(extreme) or not draw.finite:
                numbers[spot] = extreme
            numbers = numbers.reshape(lengths)
        if code in "DF":
            numbers = numbers + 1j * draw.random.normal(size=numbers.shape)
        with np.errstate(all="ignore"):
            numbers = np.asarray(numbers).astype(code)
        return lay_out(numbers, draw) if draw.kind == "typed" else numbers

    return Gen(of)


def elementwise(pools, names, bound=1e-8, finite=False):
    """Ufuncs whose places draw from the same pools."""
    places = (points(pool, place) for place, pool in enumerate(pools))
    row(f"special.{names}", *places, _each=True, _bound=bound, _finite=finite)


elementwise("z", "gamma loggamma rgamma psi digamma erf erfc erfcx erfi dawsn wofz expm1 log1p exp1 expi spence", 1e-9)
elementwise("z", "fresnel shichi sici wrightomega airy airye log_ndtr ndtr")
elementwise(
    "r",
    "gammaln gammasgn exp10 exp2 cbrt round cosm1 exprel expit log_expit sindg cosdg tandg cotdg zetac sinc softplus",
)
elementwise("r", "i0 i0e i1 i1e j0 j1 itj0y0 iti0k0 itairy itstruve0 itmodstruve0 modfresnelp modfresnelm", 1e-7)
elementwise(
    "p",
    "k0 k0e k1 k1e y0 y1 it2j0y0 it2i0k0 it2struve0 ber bei berp beip ker kei kerp keip kelvin kolmogorov entr",
    1e-7,
)
elementwise("u", "ndtri erfcinv ellipk ellipkm1 ellipe kolmogi logit", 1e-9)
elementwise("s", "erfinv")
row("special.ndtri_exp", points("r", 0), _each=True)
elementwise(
    "pp",
    "beta betaln gammainc gammaincc agm xlogy xlog1py rel_entr kl_div huber pseudo_huber chdtr chdtrc stdtr owens_t",
)
elementwise("rr", "binom poch powm1 inv_boxcox inv_boxcox1p", 1e-7)
elementwise("pr", "boxcox boxcox1p tklmbda")
elementwise("pu", "gammaincinv gammainccinv chdtri stdtrit pdtri stdtridf chdtriv", 1e-6)
elementwise("np", "pdtr pdtrc expn kn yn")
elementwise("oz", "hankel1 hankel1e hankel2 hankel2e jv jve iv ive kv kve", 1e-7)
elementwise("vz", "hankel1 hankel1e hankel2 hankel2e jv jve yv yve iv ive kv kve hyp0f1", 1e-7)
elementwise("or", "jn", 1e-7)
elementwise("np", "mathieu_a mathieu_b", 1e-6)
elementwise(
    "npr", "mathieu_cem mathieu_sem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2", 1e-5, True
)
elementwise("vp", "struve modstruve", 1e-7)
elementwise("ru", "ellipkinc ellipeinc ellipj")
elementwise("pp", "elliprc")
elementwise("ppp", "elliprd elliprf elliprg gdtr gdtrc", 1e-8)
elementwise("pppp", "elliprj", 1e-7)
elementwise("ppu", "betainc betaincc betaincinv betainccinv btdtria gdtrix gdtria gdtrib fdtri", 1e-6)
elementwise("pup", "btdtrib", 1e-6)
elementwise("ppp", "fdtr fdtrc chndtr hyp1f1 hyperu radian")
elementwise("nnu", "bdtr bdtrc bdtri bdtrik bdtrin nbdtr nbdtrc nbdtri nbdtrik nbdtrin", 1e-6)
elementwise("up", "pdtrik", 1e-6)
elementwise("uru", "nrdtrimn", 1e-7)
elementwise("rur", "nrdtrisd", 1e-7)
elementwise("rrs", "hyp1f1", 1e-6)
elementwise("ppps", "hyp2f1", 1e-7)
elementwise("rpp", "voigt_profile", 1e-7)
elementwise("upp", "chndtrix chndtridf chndtrinc", 1e-5)
elementwise("ppp", "nctdtr fdtridfd", 1e-6)
elementwise("ppup", "ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc", 1e-4)
elementwise("pppp", "ncfdtr", 1e-6)
elementwise("ppu", "nctdtrit nctdtrinc", 1e-5)
elementwise("pur", "nctdtridf", 1e-4)
elementwise("nu", "smirnov smirnovi", 1e-7)
elementwise("ppp", "wright_bessel log_wright_bessel", 1e-6)
elementwise("pvn", "besselpoly", 1e-7)
elementwise("vr", "pbdv pbvv pbwa", 1e-6)
elementwise(
    "ns",
    "eval_chebyt eval_chebyu eval_chebyc eval_chebys eval_legendre eval_sh_chebyt eval_sh_chebyu eval_sh_legendre",
    1e-7,
)
elementwise("ir", "eval_hermite eval_hermitenorm", 1e-7)
elementwise("nr", "eval_laguerre", 1e-7)
elementwise("npr", "eval_genlaguerre eval_gegenbauer", 1e-7)
elementwise("npps", "eval_jacobi", 1e-6)
elementwise("npqu", "eval_sh_jacobi", 1e-6)
elementwise("vs", "eval_chebyt eval_legendre", 1e-7)
elementwise("nns", "lpmv", 1e-7)
# Spheroidal functions take 0 <= m <= n.
spheroid = [array("n", values, "d", finite=True) for values in (integers(0, 3), integers(3, 6), between(0.1, 4))]
row("special.pro_cv obl_cv", *spheroid, _each=True, _bound=1e-6, _hostile=False)
row("special.pro_ang1 obl_ang1", *spheroid, array("n", between(-0.99, 0.99), "d"), _bound=1e-5, _hostile=False)
row("special.pro_rad1 pro_rad2", *spheroid, array("n", between(1.1, 3), "d"), _bound=1e-5, _hostile=False)
row("special.obl_rad1 obl_rad2", *spheroid, array("n", between(0.1, 3), "d"), _bound=1e-5, _hostile=False)


def characteristic(kind, low, high):
    """Whole m and n, a number c, the characteristic value of the three, and an argument."""

    def of(draw):
        import scipy.special

        m, n, c = (draw_value(part, draw) for part in spheroid)
        value = getattr(scipy.special, f"{kind}_cv")(m, n, c)
        return [m, n, c, value, draw.random.uniform(low, high, m.shape)]

    return Gen(of)


row("special.pro_ang1_cv", characteristic("pro", -0.99, 0.99), _star=True, _bound=1e-5, _hostile=False)
row("special.obl_ang1_cv", characteristic("obl", -0.99, 0.99), _star=True, _bound=1e-5, _hostile=False)
row("special.pro_rad1_cv pro_rad2_cv", characteristic("pro", 1.1, 3), _star=True, _bound=1e-5, _hostile=False)
row("special.obl_rad1_cv obl_rad2_cv", characteristic("obl", 0.1, 3), _star=True, _bound=1e-5, _hostile=False)

# Sequences, zeros, numbers.
order, count = integer(0, 6), integer(1, 8)
row("special.jvp yvp ivp kvp h1vp h2vp", one(order, 0.5), points("p", 0), integer(0, 3), _bound=1e-7)
row("special.lmbda", one(number(1, 4), integer(1, 4)), number(0.1, 5), _bound=1e-6)
row("special.riccati_jn riccati_yn", integer(0, 6), number(0.1, 9), _bound=1e-7)
row(
    "special.spherical_jn spherical_yn spherical_in spherical_kn",
    integer(0, 6),
    points("p", 0),
    derivative=side,
    _each=True,
    _bound=1e-7,
)
row("special.ai_zeros bi_zeros", count, _bound=1e-6)
row("special.jn_zeros jnp_zeros jnyn_zeros yn_zeros ynp_zeros", integer(0, 5), count, _bound=1e-7)
# A negative number of zeros corrupts SciPy's memory.
row("special.jnjnp_zeros", count, _bound=1e-6, _hostile=False)
row(
    "special.y0_zeros y1_zeros y1p_zeros kelvin_zeros ber_zeros bei_zeros ker_zeros kei_zeros berp_zeros beip_zeros kerp_zeros keip_zeros erf_zeros fresnel_zeros fresnelc_zeros fresnels_zeros",
    count,
    _bound=1e-6,
)
row(
    "special.comb",
    one(integer(0, 30), array("n", integers(0, 20), "ld")),
    one(integer(0, 9), array("n", integers(0, 9), "ld")),
    repetition=side,
    _each=True,
)
row("special.comb", integer(0, 40), integer(0, 12), exact=always(True), repetition=side)
row("special.perm", one(integer(0, 30), array("n", integers(0, 20), "ld")), integer(0, 6), _each=True)
row("special.perm", integer(0, 30), integer(0, 6), exact=always(True))
row(
    "special.factorial factorial2",
    one(integer(-1, 20), array("n", integers(0, 12), "lid")),
    exact=side,
    extend=one("zero", "complex"),
    _each=True,
)
row("special.factorialk", one(integer(0, 20), array("n", integers(0, 12), "li")), integer(1, 4), exact=side, _each=True)
row(
    "special.stirling2",
    one(integer(0, 12), array("n", integers(0, 12), "l")),
    one(integer(0, 6), array("n", integers(0, 6), "l")),
    exact=side,
    _each=True,
)
row(
    "special.ellip_harm",
    number(1, 2),
    number(3, 5),
    integer(0, 3),
    integer(1, 3),
    number(0.2, 6),
    signm=one(1, -1),
    _bound=1e-6,
)
row("special.ellip_harm_2", number(1, 2), number(3, 5), integer(0, 2), integer(1, 2), number(4, 8), _bound=1e-5)
row("special.ellip_normal", number(1, 2), number(3, 5), integer(0, 2), integer(1, 2), _bound=1e-5)
angles = array("n", between(0, 3), "d")
row("special.sph_harm_y", integer(0, 4), integer(-4, 4), angles, angles, diff_n=integer(0, 2), _bound=1e-7)
row("special.sph_harm_y_all", integer(0, 4), integer(0, 4), number(0, 3), number(0, 3), _bound=1e-7)
row(
    "special.assoc_legendre_p sph_legendre_p",
    integer(0, 5),
    integer(-5, 5),
    array("n", between(-0.99, 0.99), "d"),
    diff_n=integer(0, 2),
    _bound=1e-7,
)
row(
    "special.assoc_legendre_p_all sph_legendre_p_all",
    integer(0, 5),
    integer(0, 5),
    number(-0.99, 0.99),
    diff_n=integer(0, 2),
    _bound=1e-7,
)
row(
    "special.legendre_p legendre_p_all",
    integer(0, 6),
    array("n", between(-2, 2), "dD"),
    diff_n=integer(0, 2),
    _bound=1e-7,
)
row("special.lqmn", integer(0, 4), integer(0, 4), one(number(-0.9, 0.9), number(1.1, 3)), _bound=1e-6)
row(
    "special.lqn",
    integer(0, 4),
    one(number(-0.9, 0.9), number(1.1, 3), array("n", between(-0.9, 0.9), "d")),
    _bound=1e-6,
)
table = array("...", kinds="dflD")
row("special.log_softmax softmax", array("...", kinds="dfle"), axis=one(None, -1, 0))
row("special.logsumexp", table, axis=one(None, -1, 0), keepdims=side, return_sign=side, b=one(None, 2.0, -1.0))
row("special.mathieu_even_coef mathieu_odd_coef", integer(0, 6), number(0, 20), _bound=1e-6)
row("special.pbdn_seq", integer(1, 6), one(number(-3, 3), 1 + 0.5j), _bound=1e-6)
row("special.pbdv_seq pbvv_seq", one(integer(1, 6), number(1, 6)), number(-3, 3), _bound=1e-6)
row("special.assoc_laguerre", points("r", 0), integer(0, 6), one(0.0, number(0, 3)), _bound=1e-7)
polynomial = (integer(0, 9),)
row(
    "special.legendre chebyt chebyu chebyc chebys laguerre hermite hermitenorm sh_legendre sh_chebyt sh_chebyu",
    integer(0, 9),
    monic=side,
    _bound=1e-7,
)
row("special.genlaguerre gegenbauer", integer(0, 7), number(0.2, 3), monic=side, _bound=1e-7, _most=12)
row("special.jacobi", integer(0, 7), number(-0.5, 3), number(-0.5, 3), monic=side, _bound=1e-7, _most=12)
row("special.sh_jacobi", integer(0, 7), number(2, 4), number(0.5, 2), monic=side, _bound=1e-7, _most=12)
simple = (
    "roots_legendre roots_chebyt roots_chebyu roots_chebyc roots_chebys roots_laguerre roots_hermite roots_hermitenorm"
)
simple += " roots_sh_legendre roots_sh_chebyt roots_sh_chebyu p_roots t_roots u_roots c_roots s_roots l_roots h_roots he_roots ps_roots ts_roots us_roots"
row(f"special.{simple}", integer(0, 20), mu=side, _bound=1e-8, _most=40)
row("special.roots_jacobi j_roots", integer(1, 20), number(-0.5, 3), number(-0.5, 3), mu=side, _bound=1e-7, _most=40)
row(
    "special.roots_genlaguerre roots_gegenbauer la_roots cg_roots",
    integer(1, 20),
    number(0.2, 3),
    mu=side,
    _bound=1e-7,
    _most=40,
)
row("special.roots_sh_jacobi js_roots", integer(1, 12), number(2, 4), number(0.5, 2), mu=side, _bound=1e-7, _most=20)
row("special.obl_cv_seq pro_cv_seq", integer(0, 3), integer(3, 8), number(0.1, 5), _bound=1e-6, _most=12)
row("special.bernoulli euler", integer(0, 20), _bound=1e-8)
row("special.diric", points("r", 0), integer(1, 8), _bound=1e-7)
row("special.lambertw", points("z", 0), integer(-2, 2), _each=True)
row("special.multigammaln", array("n", between(4, 9), "df"), integer(1, 4))
row("special.polygamma", integer(0, 4), points("p", 0), _each=True)
row("special.zeta", points("c", 0), maybe(points("p", 1)), _each=True)
row("special.zeta", points("z", 0), _each=True, _bound=1e-7)
alone("special.btdtr btdtri", "SciPy has removed it")
alone("special.orthopoly1d", "the class of polynomials, drawn with the functions that make them")
alone(
    "special.SpecialFunctionError SpecialFunctionWarning errstate geterr seterr",
    "errors of special functions, and their settings",
)
