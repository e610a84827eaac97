//! The special functions of SciPy as rows of the table: one row, one body, one source.
//!
//! Bodies are straight where all of their regions are cheap, so that CPUs compute them in vectors, and branch where a
//! region costs a loop. What has a loop or is long, and what is used more than once, is called: [`called`]. Coefficients
//! come from [`tables`], which `ci/special_tables.py` writes.

/// The rows of functions of one number with a body for real numbers and one for complex ones.
macro_rules! analytic {
    ($name:literal, $loops:expr, $doc:literal, $real:path, $complex:path) => {
        unary($name, $loops, $doc, |x| if x.dtype().is_complex() { $complex(x) } else { $real(x) })
    };
}

mod airy;
mod airy_complex;
mod approximation;
pub(super) mod bessel;
mod bessel_complex;
mod bessel_first;
mod bessel_integrals;
mod bessel_order;
mod beta;
mod called;
mod carlson;
mod chebyshev;
mod continuation;
mod degenerate;
mod double_double;
mod elementary;
mod ellipsoidal;
mod elliptic;
mod error;
mod faddeeva;
mod gamma;
mod gamma_complex;
mod gauss;
mod hypergeometric;
mod incomplete_beta;
mod incomplete_gamma;
mod integrals;
mod integrals_complex;
mod inverses;
mod jacobi;
mod kelvin;
mod kummer;
mod logarithm;
mod mathieu;
mod noncentral;
mod orthogonal;
mod parabolic;
mod parameters;
mod recurrences;
mod roots;
mod smirnov;
mod spheroidal;
mod struve;
mod tables;
mod tridiagonal;
mod wright;
mod zeta;
mod zeta_complex;

use cuproxide_hal::DType;

use super::Ufunc;
use super::table::{binary, ternary, unary};

/// Loops of functions of real numbers, by the number of inputs. SciPy lists either type first, and the first one that
/// takes integers and narrow floats computes them.
const WIDE: [&str; 4] = ["", "d->d, f->f", "dd->d, ff->f", "ddd->d, fff->f"];
const NARROW: [&str; 4] = ["", "f->f, d->d", "ff->f, dd->d", "fff->f, ddd->d"];
/// The types of loops that compute in double precision and round once: of short functions, which wait for memory.
const REAL: &[DType] = &[DType::F32];
const COMPLEX: &[DType] = &[DType::C64];
const BOTH: &[DType] = &[DType::F32, DType::C64];
/// Loops of functions of one number, real or complex.
const ANALYTIC: &str = "d->d, f->f, D->D, F->F";
/// The same in the order of the gamma family.
const BETWEEN: &str = "d->d, D->D, f->f, F->F";
/// Loops of functions that complex numbers have, too.
const COMPLEX2: &str = "dd->d, ff->f, DD->D, FF->F";

/// The rows of real functions of one number.
fn real(name: &'static str, doc: &'static str, body: for<'b> fn(super::Var<'b>) -> super::Var<'b>) -> Ufunc {
    unary(name, WIDE[1], doc, body)
}

/// The rows of real functions of two numbers.
fn real2(
    name: &'static str,
    doc: &'static str,
    body: for<'b> fn(super::Var<'b>, super::Var<'b>) -> super::Var<'b>,
) -> Ufunc {
    binary(name, NARROW[2], doc, body)
}

pub(super) fn rows() -> Vec<Ufunc> {
    let families = [
        (gamma_family(), "DLMF 5: recurrence to [1, 2], Stirling's series, reflection; tables of ci/special/gamma.py"),
        (error_family(), "DLMF 7: tables of ci/special/error.py; Shepherd and Laframboise (1981), Giles (2012)"),
        (bessel_family(), "DLMF 10.25 to 10.31: tables of ci/special/bessel01.py"),
        (
            distributions(),
            "DLMF 8: series, continued fractions, Temme's uniform expansion; DiDonato and Morris, ACM TOMS 12 (1986) and \
             708 (1992)",
        ),
        (
            integrals::rows(),
            "DLMF 6, 7, 8.19 and 25.12: tables of ci/special/integrals.py, series, continued fractions",
        ),
        (
            zeta::rows(),
            "DLMF 25.2.4, 25.2.9, 25.4.1: Euler and Maclaurin's formula, tables of ci/special/zeta.py; Halley's and Newton's rules; \
             Lawrence, Corless and Jeffrey, ACM TOMS 38 (2012)",
        ),
        (combinations(), "elementary functions, arranged so that nothing cancels"),
    ];
    let families =
        families.into_iter().flat_map(|(rows, source)| rows.into_iter().map(|row| row.source(source).special()));
    families
        .chain(bessel_first::rows())
        .chain(bessel_complex::rows())
        .chain(bessel_integrals::rows())
        .chain(bessel_order::rows())
        .chain(kelvin::rows())
        .chain(mathieu::rows())
        .chain(spheroidal::rows())
        .chain(struve::rows())
        .chain(airy::rows())
        .chain(ellipsoidal::rows())
        .chain(elliptic::rows())
        .chain(carlson::rows())
        .chain(faddeeva::rows())
        .chain(inverses::rows())
        .chain(orthogonal::rows())
        .chain(parabolic::rows())
        .chain(parameters::rows())
        .chain(hypergeometric::rows())
        .chain(noncentral::rows())
        .chain(smirnov::rows())
        .chain(wright::rows())
        .collect()
}

fn gamma_family() -> Vec<Ufunc> {
    vec![
        analytic!("gamma", BETWEEN, "Gamma function.", gamma::gamma, gamma_complex::gamma),
        real("gammaln", "Logarithm of the absolute value of the gamma function.", gamma::gammaln),
        analytic!(
            "loggamma",
            BETWEEN,
            "Principal branch of the logarithm of the gamma function.",
            gamma::loggamma,
            gamma_complex::loggamma
        ),
        analytic!("rgamma", BETWEEN, "Reciprocal of the gamma function.", gamma::rgamma, gamma_complex::rgamma),
        real("gammasgn", "Sign of the gamma function.", gamma::gammasgn),
        analytic!(
            "digamma",
            BETWEEN,
            "Derivative of the logarithm of the gamma function.",
            gamma::digamma,
            gamma_complex::digamma
        )
        .aliases(&["psi"]),
    ]
}

/// Functions of three real numbers.
fn real3(
    name: &'static str,
    doc: &'static str,
    body: for<'b> fn(super::Var<'b>, super::Var<'b>, super::Var<'b>) -> super::Var<'b>,
) -> Ufunc {
    ternary(name, NARROW[3], doc, body)
}

fn distributions() -> Vec<Ufunc> {
    use incomplete_beta::*;
    use incomplete_gamma::*;
    vec![
        binary("beta", WIDE[2], "Beta function.", beta::beta),
        binary("betaln", WIDE[2], "Logarithm of the absolute value of the beta function.", beta::betaln),
        real2("binom", "Binomial coefficient of real numbers.", beta::binom),
        real2("poch", "Pochhammer symbol, gamma(x + m) / gamma(x).", beta::poch),
        binary("gammainc", WIDE[2], "Regularized lower incomplete gamma function.", gammainc),
        binary("gammaincc", WIDE[2], "Regularized upper incomplete gamma function.", gammaincc),
        binary("gammaincinv", WIDE[2], "Inverse of gammainc in its second argument.", gammaincinv),
        binary("gammainccinv", WIDE[2], "Inverse of gammaincc in its second argument.", gammainccinv),
        real2("pdtr", "Cumulative distribution of the Poisson distribution.", pdtr),
        real2("pdtrc", "Survival function of the Poisson distribution.", pdtrc),
        binary("pdtri", "ld->d, ff->f, dd->d", "Inverse of pdtr in the mean.", pdtri),
        real2("chdtr", "Cumulative distribution of the chi square distribution.", chdtr),
        real2("chdtrc", "Survival function of the chi square distribution.", chdtrc),
        real2("chdtri", "Inverse of chdtrc in x.", chdtri),
        real3("gdtr", "Cumulative distribution of the gamma distribution.", gdtr),
        real3("gdtrc", "Survival function of the gamma distribution.", gdtrc),
        real3("gdtrix", "Inverse of gdtr in x.", gdtrix),
        real3("gdtria", "Inverse of gdtr in the rate.", gdtria),
        real3("betainc", "Regularized incomplete beta function.", betainc).aliases(&["btdtr"]),
        real3("betaincc", "Complement of the regularized incomplete beta function.", betaincc),
        real3("betaincinv", "Inverse of betainc in its last argument.", betaincinv).aliases(&["btdtri"]),
        real3("betainccinv", "Inverse of betaincc in its last argument.", betainccinv),
        ternary("bdtr", "fff->f, dld->d, ddd->d", "Cumulative distribution of the binomial distribution.", bdtr),
        ternary("bdtrc", "fff->f, dld->d, ddd->d", "Survival function of the binomial distribution.", bdtrc),
        ternary("bdtri", "fff->f, dld->d, ddd->d", "Inverse of bdtr in the probability of success.", bdtri),
        ternary(
            "nbdtr",
            "lld->d, fff->f, ddd->d",
            "Cumulative distribution of the negative binomial distribution.",
            nbdtr,
        ),
        ternary("nbdtrc", "lld->d, fff->f, ddd->d", "Survival function of the negative binomial distribution.", nbdtrc),
        ternary("nbdtri", "lld->d, fff->f, ddd->d", "Inverse of nbdtr in the probability of success.", nbdtri),
        real3("fdtr", "Cumulative distribution of the F distribution.", fdtr),
        real3("fdtrc", "Survival function of the F distribution.", fdtrc),
        real3("fdtri", "Inverse of fdtr in x.", fdtri),
        real2("stdtr", "Cumulative distribution of Student's t distribution.", stdtr),
        real2("stdtrit", "Inverse of stdtr in t.", stdtrit),
    ]
}

fn error_family() -> Vec<Ufunc> {
    vec![
        analytic!("erf", ANALYTIC, "Error function.", error::erf, faddeeva::erf).in_double(REAL),
        analytic!("erfc", ANALYTIC, "Complementary error function, 1 - erf(x).", error::erfc, faddeeva::erfc)
            .in_double(REAL),
        analytic!(
            "erfcx",
            ANALYTIC,
            "Scaled complementary error function, exp(x**2) * erfc(x).",
            error::erfcx,
            faddeeva::erfcx
        )
        .in_double(REAL),
        analytic!("erfi", ANALYTIC, "Imaginary error function, -i erf(i x).", error::erfi, faddeeva::erfi)
            .in_double(REAL),
        analytic!("dawsn", ANALYTIC, "Dawson's integral.", error::dawsn, faddeeva::dawsn).in_double(REAL),
        unary("erfinv", NARROW[1], "Inverse of the error function.", error::erfinv).in_double(REAL),
        unary("erfcinv", NARROW[1], "Inverse of the complementary error function.", error::erfcinv).in_double(REAL),
        analytic!(
            "ndtr",
            ANALYTIC,
            "Cumulative distribution of the standard normal distribution.",
            error::ndtr,
            faddeeva::ndtr
        )
        .in_double(REAL),
        analytic!(
            "log_ndtr",
            ANALYTIC,
            "Logarithm of the cumulative distribution of the standard normal distribution.",
            error::log_ndtr,
            faddeeva::log_ndtr
        )
        .in_double(REAL),
        unary("ndtri", NARROW[1], "Inverse of ndtr.", error::ndtri).in_double(REAL),
    ]
}

fn bessel_family() -> Vec<Ufunc> {
    vec![
        real("i0", "Modified Bessel function of the first kind, order 0.", bessel::i0).in_double(REAL),
        real("i0e", "Exponentially scaled i0.", bessel::i0e).in_double(REAL),
        real("i1", "Modified Bessel function of the first kind, order 1.", bessel::i1).in_double(REAL),
        real("i1e", "Exponentially scaled i1.", bessel::i1e).in_double(REAL),
        real("k0", "Modified Bessel function of the second kind, order 0.", bessel::k0).in_double(REAL),
        real("k0e", "Exponentially scaled k0.", bessel::k0e).in_double(REAL),
        real("k1", "Modified Bessel function of the second kind, order 1.", bessel::k1).in_double(REAL),
        real("k1e", "Exponentially scaled k1.", bessel::k1e).in_double(REAL),
    ]
}

#[expect(clippy::redundant_closure_for_method_calls, reason = "a row takes its body for every lifetime")]
fn combinations() -> Vec<Ufunc> {
    use elementary::*;
    vec![
        real("expit", "Logistic function, 1 / (1 + exp(-x)).", expit),
        real("logit", "Inverse of expit, log(x / (1 - x)).", logit),
        real("log_expit", "Logarithm of the logistic function.", log_expit),
        binary("xlogy", COMPLEX2, "x * log(y), and 0 where x is 0.", xlogy).in_double(BOTH),
        binary("xlog1py", COMPLEX2, "x * log1p(y), and 0 where x is 0.", xlog1py).in_double(BOTH),
        unary("entr", NARROW[1], "Elementwise entropy, -x * log(x).", entr).in_double(REAL),
        real2("rel_entr", "Elementwise relative entropy, x * log(x / y).", rel_entr).in_double(REAL),
        real2("kl_div", "Elementwise Kullback-Leibler divergence, x * log(x / y) - x + y.", kl_div).in_double(REAL),
        real2("huber", "Huber loss.", huber),
        real2("pseudo_huber", "Pseudo-Huber loss.", pseudo_huber).in_double(REAL),
        real2("boxcox", "Box-Cox transformation.", boxcox).in_double(REAL),
        real2("boxcox1p", "Box-Cox transformation of 1 + x.", boxcox1p).in_double(REAL),
        real2("inv_boxcox", "Inverse of the Box-Cox transformation.", inv_boxcox).in_double(REAL),
        real2("inv_boxcox1p", "Inverse of the Box-Cox transformation of 1 + x.", inv_boxcox1p).in_double(REAL),
        real("exprel", "Relative error exponential, (exp(x) - 1) / x.", exprel).in_double(REAL),
        real("cosm1", "cos(x) - 1, precise near 0.", cosm1).in_double(REAL),
        real("_cot_pi", "Cotangent of pi * x.", cot_pi).in_double(REAL),
        real2("_exp_product", "exp(x * y), precise where the product is large.", exp_product),
        real2("_log1p_product", "log(1 + x * y), precise where the sum is near 0.", log1p_product),
        real2("powm1", "x**y - 1, precise near 0.", powm1),
        real("sindg", "Sine of an angle in degrees.", sindg),
        real("cosdg", "Cosine of an angle in degrees.", cosdg),
        real("tandg", "Tangent of an angle in degrees.", tandg).in_double(REAL),
        real("cotdg", "Cotangent of an angle in degrees.", cotdg),
        ternary("radian", WIDE[3], "Degrees, minutes and seconds in radians.", radian),
        real("exp10", "10**x.", exp10),
        // NumPy's functions with SciPy's loops, in which integers and float16 are float64.
        real("exp2", "2**x.", |x| x.exp2()),
        real("cbrt", "Cube root.", |x| x.cbrt()),
        unary("expm1", ANALYTIC, "exp(x) - 1, precise near 0.", |x| x.expm1()).in_double(COMPLEX),
        unary("log1p", ANALYTIC, "log(1 + x), precise near 0.", |x| x.log1p()).in_double(COMPLEX),
        unary("round", NARROW[1], "Nearest whole number, ties to even.", |x| x.rint()),
    ]
}
