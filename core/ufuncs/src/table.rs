//! The rows: NumPy's ufuncs in the order of its manual, those that other functions are made of, and SciPy's.
#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method of one lifetime is not a function of all lifetimes"
)]

use cuproxide_hal::ir::{Compare, Var};
use cuproxide_hal::{DType, Fault};
use smallvec::smallvec;

pub(crate) use crate::build::{binary, general, ternary, unary};
use crate::row::{Domain, Identity, Neutral, Promotion, Ufunc};
use crate::{complex, floating, integer, special};

/// `body` is the comparison of two elements of one type; int64 with uint64 is exact.
fn compare(name: &'static str, comparison: Compare, doc: &'static str) -> Ufunc {
    const LOOPS: &str = "truthy: xx->?, lL->?, Ll->?, inexact: xx->?";
    let body: for<'b> fn(Var<'b>, Var<'b>) -> Var<'b> = match comparison {
        Compare::Eq => |a, b| integer::compare(Compare::Eq, a, b),
        Compare::Ne => |a, b| integer::compare(Compare::Ne, a, b),
        Compare::Lt => |a, b| integer::compare(Compare::Lt, a, b),
        Compare::Le => |a, b| integer::compare(Compare::Le, a, b),
        Compare::Gt => |a, b| integer::compare(Compare::Gt, a, b),
        Compare::Ge => |a, b| integer::compare(Compare::Ge, a, b),
    };
    Ufunc { comparison: Some(comparison), ..binary(name, LOOPS, doc, body) }
}

fn truth(a: Var<'_>) -> Var<'_> {
    a.cast(DType::Bool)
}

const NO_NEGATIVE: &str = "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the \
                           logical_not function instead.";

/// NumPy's advice on the difference of bools.
pub const NO_SUBTRACT: &str = "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, \
                                      the `^` operator, or the logical_xor function instead.";

pub(crate) fn rows() -> Vec<Ufunc> {
    [arithmetic(), transcendental(), bits_and_logic(), floating_point(), internal(), special::rows()]
        .into_iter()
        .flatten()
        .collect()
}

/// Complex loops of single precision that compute in double precision and round once.
const COMPLEX: &[DType] = &[DType::C64];
/// Real ones.
const REAL: &[DType] = &[DType::F32];
const POSITIVE: &[Domain] = &[Domain::open(0.0, f64::INFINITY)];
const NOT_NEGATIVE: &[Domain] = &[Domain::closed(0.0, f64::INFINITY)];
const ABOVE_MINUS_ONE: &[Domain] = &[Domain::open(-1.0, f64::INFINITY)];
const FROM_ONE: &[Domain] = &[Domain::closed(1.0, f64::INFINITY)];
const UNIT: &[Domain] = &[Domain::closed(-1.0, 1.0)];
const INSIDE_UNIT: &[Domain] = &[Domain::open(-1.0, 1.0)];
/// A base and an exponent.
const POSITIVE_BASE: &[Domain] = &[Domain::open(0.0, f64::INFINITY), Domain::ALL];

fn arithmetic() -> Vec<Ufunc> {
    use Identity::Int;
    vec![
        binary("add", "any: xx->x", "Sum.", |a, b| a + b).identity(Int(0)),
        binary("subtract", "number: xx->x", "Difference.", |a, b| a - b)
            .promotion(Promotion::NotBoolBecause(NO_SUBTRACT)),
        binary("multiply", "any: xx->x", "Product.", |a, b| a * b).identity(Int(1)),
        binary("divide", "inexact: xx->x", "Quotient; of integers, in float64.", |a, b| a / b)
            .aliases(&["true_divide"])
            .promotion(Promotion::Division),
        binary("floor_divide", "real: xx->x", "Largest integer not above the quotient.", |a, b| {
            integer::floor_divide(a, b)
        }),
        binary("remainder", "real: xx->x", "Remainder with the sign of the divisor.", integer::remainder)
            .aliases(&["mod"]),
        general("divmod", (2, 2), "real: xx->xx", "Floor quotient and remainder together.", |x| {
            integer::divmod(x[0], x[1])
        }),
        binary("fmod", "real: xx->x", "Remainder with the sign of the dividend.", |a, b| a % b),
        binary("power", "int: xx->x, inexact: xx->x", "First operand to the power of the second.", |a, b| {
            integer::power(a, b)
        })
        .aliases(&["pow"])
        .domains(POSITIVE_BASE)
        .refuses(1, Fault::NegativeIntegerPower),
        binary("float_power", "dd->d, DD->D", "Power in double precision.", integer::power).domains(POSITIVE_BASE),
        unary("negative", "number: x->x", "Negation.", |a| -a)
            .promotion(Promotion::NotBoolBecause(NO_NEGATIVE))
            .narrow(),
        unary("positive", "number: x->x", "The operand itself.", |a| a).promotion(Promotion::NotBool).narrow(),
        unary("absolute", "truthy: x->x, float: x->x, complex: x->r", "Absolute value, or modulus.", |a| {
            integer::absolute(a)
        })
        .aliases(&["abs"])
        .narrow(),
        unary("fabs", "float: x->x", "Absolute value in floating point.", |a| a.abs()).narrow(),
        unary("sign", "number: x->x", "-1, 0 or 1; of a complex number, its direction.", floating::sign)
            .promotion(Promotion::NotBool),
        binary("heaviside", "float: xx->x", "Unit step of the first operand; the second at 0.", |x, h| {
            floating::heaviside(x, h)
        }),
        unary("conjugate", "number: x->x", "Complex conjugate.", complex::conjugate).aliases(&["conj"]).narrow(),
        unary("square", "number: x->x", "The operand times itself.", complex::square),
        unary("reciprocal", "number: x->x", "One divided by the operand.", integer::reciprocal),
        binary("gcd", "int: xx->x", "Greatest common divisor.", integer::gcd)
            .identity(Int(0))
            .promotion(Promotion::NotBool),
        binary("lcm", "int: xx->x", "Least common multiple.", integer::lcm).promotion(Promotion::NotBool),
    ]
}

fn transcendental() -> Vec<Ufunc> {
    use Identity::{Int, NegativeInfinity};
    vec![
        unary("exp", "inexact: x->x", "e to the power of the operand.", |a| a.exp()),
        unary("exp2", "inexact: x->x", "2 to the power of the operand.", |a| a.exp2()),
        unary("expm1", "inexact: x->x", "exp(x) - 1, precise near 0.", |a| a.expm1()),
        unary("log", "inexact: x->x", "Natural logarithm.", |a| a.log()).domains(POSITIVE),
        unary("log2", "inexact: x->x", "Logarithm to base 2.", |a| a.log2()).in_double(COMPLEX).domains(POSITIVE),
        unary("log10", "inexact: x->x", "Logarithm to base 10.", |a| a.log10()).domains(POSITIVE),
        unary("log1p", "inexact: x->x", "log(1 + x), precise near 0.", |a| a.log1p()).domains(ABOVE_MINUS_ONE),
        binary("logaddexp", "float: xx->x", "log(exp(a) + exp(b)) without overflow.", floating::logaddexp)
            .in_double(REAL)
            .identity(NegativeInfinity),
        binary("logaddexp2", "float: xx->x", "log2(2**a + 2**b) without overflow.", floating::logaddexp2)
            .in_double(REAL)
            .identity(NegativeInfinity),
        unary("sqrt", "inexact: x->x", "Square root.", |a| a.sqrt()).domains(NOT_NEGATIVE),
        unary("rsqrt", "inexact: x->x", "Reciprocal of the square root.", |a| integer::reciprocal(a.sqrt()))
            .domains(POSITIVE),
        unary("cbrt", "float: x->x", "Cube root.", |a| a.cbrt()),
        unary("sin", "inexact: x->x", "Sine.", |a| a.sin()),
        unary("cos", "inexact: x->x", "Cosine.", |a| a.cos()),
        unary("tan", "inexact: x->x", "Tangent.", |a| a.tan()).in_double(COMPLEX),
        unary("arcsin", "inexact: x->x", "Inverse sine.", |a| a.asin()).aliases(&["asin"]).domains(UNIT),
        unary("arccos", "inexact: x->x", "Inverse cosine.", |a| a.acos())
            .in_double(COMPLEX)
            .aliases(&["acos"])
            .domains(UNIT),
        unary("arctan", "inexact: x->x", "Inverse tangent.", |a| a.atan()).in_double(COMPLEX).aliases(&["atan"]),
        binary("arctan2", "float: xx->x", "Angle of the point (second, first).", |y, x| y.atan2(x)).aliases(&["atan2"]),
        binary("hypot", "float: xx->x", "Length of the hypotenuse.", |a, b| a.hypot(b)).identity(Int(0)),
        unary("sinh", "inexact: x->x", "Hyperbolic sine.", |a| a.sinh()),
        unary("cosh", "inexact: x->x", "Hyperbolic cosine.", |a| a.cosh()).in_double(COMPLEX),
        unary("tanh", "inexact: x->x", "Hyperbolic tangent.", |a| a.tanh()),
        unary("arcsinh", "inexact: x->x", "Inverse hyperbolic sine.", |a| a.asinh())
            .in_double(COMPLEX)
            .aliases(&["asinh"]),
        unary("arccosh", "inexact: x->x", "Inverse hyperbolic cosine.", |a| a.acosh())
            .aliases(&["acosh"])
            .domains(FROM_ONE),
        unary("arctanh", "inexact: x->x", "Inverse hyperbolic tangent.", |a| a.atanh())
            .aliases(&["atanh"])
            .domains(INSIDE_UNIT),
        unary("degrees", "float: x->x", "Radians to degrees.", floating::degrees),
        unary("rad2deg", "float: x->x", "Radians to degrees.", floating::degrees),
        unary("radians", "float: x->x", "Degrees to radians.", floating::radians),
        unary("deg2rad", "float: x->x", "Degrees to radians.", floating::radians),
    ]
}

fn bits_and_logic() -> Vec<Ufunc> {
    use Identity::{Bool, Int};
    use Promotion::Truth;
    vec![
        binary("bitwise_and", "truthy: xx->x", "Bitwise and.", |a, b| a & b).identity(Int(-1)),
        binary("bitwise_or", "truthy: xx->x", "Bitwise or.", |a, b| a | b).identity(Int(0)),
        binary("bitwise_xor", "truthy: xx->x", "Bitwise exclusive or.", |a, b| a ^ b).identity(Int(0)),
        unary("invert", "truthy: x->x", "Bitwise not.", |a| !a).aliases(&["bitwise_not", "bitwise_invert"]),
        binary("left_shift", "int: xx->x", "Bits moved to the left.", |a, b| a << b).aliases(&["bitwise_left_shift"]),
        binary("right_shift", "int: xx->x", "Bits moved to the right.", |a, b| a >> b)
            .aliases(&["bitwise_right_shift"]),
        unary("bitwise_count", "int: x->B", "Number of set bits of the magnitude.", integer::bit_count),
        compare("greater", Compare::Gt, "Whether the first operand is greater."),
        compare("greater_equal", Compare::Ge, "Whether the first operand is not less."),
        compare("less", Compare::Lt, "Whether the first operand is less."),
        compare("less_equal", Compare::Le, "Whether the first operand is not greater."),
        compare("not_equal", Compare::Ne, "Whether the operands differ."),
        compare("equal", Compare::Eq, "Whether the operands are equal."),
        binary("logical_and", "any: xx->?", "Whether both are true.", |a, b| truth(a) & truth(b))
            .identity(Bool(true))
            .promotion(Truth),
        binary("logical_or", "any: xx->?", "Whether either is true.", |a, b| truth(a) | truth(b))
            .identity(Bool(false))
            .promotion(Truth),
        binary("logical_xor", "any: xx->?", "Whether one but not the other is true.", |a, b| truth(a) ^ truth(b))
            .identity(Bool(false))
            .promotion(Truth),
        unary("logical_not", "any: x->?", "Whether the operand is false.", |a| !truth(a)),
        binary("maximum", "any: xx->x", "Larger operand; NaN wins.", |a, b| a.max(b)).neutral(Neutral::Lowest),
        binary("minimum", "any: xx->x", "Smaller operand; NaN wins.", |a, b| a.min(b)).neutral(Neutral::Highest),
        binary("fmax", "any: xx->x", "Larger operand; NaN loses.", floating::fmax).neutral(Neutral::NanOrLowest),
        binary("fmin", "any: xx->x", "Smaller operand; NaN loses.", floating::fmin).neutral(Neutral::NanOrHighest),
        ternary("clip", "any: xxx->x", "The operand within limits.", |a, low, high| a.max(low).min(high)),
    ]
}

fn floating_point() -> Vec<Ufunc> {
    vec![
        unary("isfinite", "any: x->?", "Whether neither infinite nor NaN.", floating::is_finite),
        unary("isinf", "any: x->?", "Whether infinite.", floating::is_infinite),
        unary("isnan", "any: x->?", "Whether NaN.", |a| a.is_nan()),
        unary("signbit", "float: x->?", "Whether the sign bit is set.", floating::sign_bit),
        binary("copysign", "float: xx->x", "First operand with the sign of the second.", |a, b| a.copysign(b)).narrow(),
        binary("nextafter", "float: xx->x", "Next number towards the second operand.", |a, b| a.nextafter(b)).narrow(),
        unary("spacing", "float: x->x", "Distance to the next number away from 0.", floating::spacing).narrow(),
        general("modf", (1, 2), "float: x->xx", "Fractional and whole part.", |x| floating::modf(x[0])),
        binary("ldexp", LDEXP, "First operand times 2 to the power of the second.", floating::ldexp),
        general("frexp", (1, 2), "float: x->xi", "Mantissa in [0.5, 1) and exponent of 2.", |x| floating::frexp(x[0])),
        unary("floor", "truthy: x->x, float: x->x", "Largest whole number not above.", |a| {
            floating::whole(a, Var::floor)
        }),
        unary("ceil", "truthy: x->x, float: x->x", "Smallest whole number not below.", |a| {
            floating::whole(a, Var::ceil)
        }),
        unary("trunc", "truthy: x->x, float: x->x", "Whole part.", |a| floating::whole(a, Var::trunc)),
        unary("rint", "inexact: x->x", "Nearest whole number, ties to even.", |a| complex::by_parts(a, Var::rint)),
    ]
}

const LDEXP: &str = "ei->e, Ei->E, fi->f, el->e, El->E, fl->f, di->d, dl->d";

fn internal() -> Vec<Ufunc> {
    let rows = vec![
        unary("copy", "any: x->x", "The operand itself; casts where types differ.", |a| a).narrow(),
        ternary("where", "any: ?xx->x", "Second operand where the first is true, else the third.", |c, a, b| {
            a.when(c, b)
        })
        .narrow(),
        unary("real", "truthy: x->x, float: x->x, complex: x->r", "Real part.", complex::real).narrow(),
        unary("imag", "truthy: x->x, float: x->x, complex: x->r", "Imaginary part.", complex::imag),
        unary("angle", "float: x->x, complex: x->r", "Argument in radians.", |a| {
            complex::imag(a).atan2(complex::real(a))
        }),
        unary("square_modulus", "int: x->x, float: x->x, complex: x->r", "Squared absolute value.", |a| {
            complex::square_modulus(a)
        }),
        unary("isposinf", "float: x->?", "Whether plus infinity.", |a| a.eq(a.like(f64::INFINITY))),
        unary("isneginf", "float: x->?", "Whether minus infinity.", |a| a.eq(a.like(f64::NEG_INFINITY))),
        general(
            "nan_to_num",
            (4, 1),
            "float: xxxx->x, complex: xrrr->x",
            "Operand with NaN, inf and -inf replaced.",
            |x| smallvec![complex::nan_to_num(x[0], [x[1], x[2], x[3]])],
        ),
        binary("round_scaled", "inexact: xr->x", "rint(a * b) / b: rounds to decimals.", |a, b| {
            complex::by_parts_with(a, b, |a, b| (a * b).rint() / b)
        }),
        binary("round_shrunk", "int: xd->x, inexact: xr->x", "rint(a / b) * b: rounds to tens.", |a, b| {
            complex::by_parts_with(a.cast(floating::at_least(a, b)), b, |a, b| (a / b).rint() * b)
        }),
        unary("sinc", "inexact: x->x", "sin(pi x) / (pi x).", floating::sinc),
        unary("i0", "float: x->x", "Modified Bessel function of the first kind, order 0.", special::bessel::numpy_i0),
    ];
    rows.into_iter().map(Ufunc::internal).collect()
}
