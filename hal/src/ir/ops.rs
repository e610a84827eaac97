//! The operators of the IR and their exact meaning.

/// Operators with one operand. The result has the operand's type unless stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Negation; integers wrap.
    Neg,
    /// Absolute value; signed integers wrap (`MIN` stays `MIN`); a complex operand gives its modulus as a real number.
    Abs,
    /// Logical not of bool, bitwise not of integers.
    Not,
    /// Number of set bits of an unsigned integer.
    Popcount,
    /// Square root.
    Sqrt,
    /// Square root of a number that is known to be at least 2^-100 and finite: fewer instructions on some devices. Of other
    /// numbers the result is unspecified.
    SqrtNormal,
    /// Cube root (real).
    Cbrt,
    /// e to the power x.
    Exp,
    /// 2 to the power x.
    Exp2,
    /// exp(x) - 1 without cancellation.
    Expm1,
    /// Natural logarithm.
    Log,
    /// Logarithm to base 2.
    Log2,
    /// Logarithm to base 10.
    Log10,
    /// log(1 + x) without cancellation.
    Log1p,
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// Tangent of radians.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Inverse hyperbolic cosine.
    Acosh,
    /// Inverse hyperbolic tangent.
    Atanh,
    /// Round towards negative infinity (real).
    Floor,
    /// Round towards positive infinity (real).
    Ceil,
    /// Round towards zero (real).
    Trunc,
    /// Round to nearest, ties to even (real).
    Rint,
    /// Complex conjugate.
    Conj,
    /// Real part of a complex number, as a real number.
    Real,
    /// Imaginary part of a complex number, as a real number.
    Imag,
    /// float32 value of a float16 whose bits are a uint16. Appears only after legalisation.
    HalfToFloat,
    /// uint16 bits of the float16 nearest to a float32, ties to even. Appears only after legalisation.
    FloatToHalf,
}

/// Operators with two operands of one type; the result has that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Sum; integers wrap; of bools, logical or.
    Add,
    /// Difference; integers wrap.
    Sub,
    /// Product; integers wrap; of bools, logical and.
    Mul,
    /// Quotient. Integers truncate; by zero gives 0 and `MIN / -1` gives `MIN`.
    Div,
    /// Remainder with the sign of the dividend (C's `fmod` and `%`). Integers modulo 0 or -1 give 0.
    Rem,
    /// Power of real or complex floating point numbers.
    Pow,
    /// Angle of the point (second operand, first operand), real.
    Atan2,
    /// Length of the hypotenuse without overflow, real.
    Hypot,
    /// Magnitude of the first operand with the sign of the second, real.
    Copysign,
    /// Next representable number after the first operand towards the second, real.
    Nextafter,
    /// Smaller operand, where -0 is smaller than 0; a NaN operand is the result. Complex numbers compare
    /// lexicographically, zeros of both signs alike, and the first of equals is the result.
    Min,
    /// Larger operand, by the rules of [`Binary::Min`].
    Max,
    /// Bitwise and of integers, logical and of bools.
    And,
    /// Bitwise or of integers, logical or of bools.
    Or,
    /// Bitwise exclusive or of integers, logical exclusive or of bools.
    Xor,
    /// Left shift of an integer; a count outside 0..bits gives 0.
    Shl,
    /// Right shift of an integer, arithmetic when signed; a count outside 0..bits gives 0, or -1 for a negative operand.
    Shr,
    /// Upper half of the double-width product of unsigned 32- or 64-bit integers.
    MulHigh,
}

/// Comparisons of two operands of one type; the result is bool. Comparisons with NaN are false, except `Ne`. Complex
/// numbers compare lexicographically, as NumPy orders them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

/// Read-modify-write operations on memory that are atomic on the device. Floating sums of several threads come in
/// no fixed order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atomic {
    /// Add; of bools, logical or.
    Add,
    /// Keep the smaller, where -0 is smaller than 0; a NaN wins.
    Min,
    /// Keep the larger, where -0 is smaller than 0; a NaN wins.
    Max,
}

impl Unary {
    /// Whether the operator is a mathematical function that is defined on floating point types only.
    pub const fn is_math(self) -> bool {
        use Unary::*;
        matches!(
            self,
            Sqrt | SqrtNormal
                | Cbrt
                | Exp
                | Exp2
                | Expm1
                | Log
                | Log2
                | Log10
                | Log1p
                | Sin
                | Cos
                | Tan
                | Asin
                | Acos
                | Atan
                | Sinh
                | Cosh
                | Tanh
                | Asinh
                | Acosh
                | Atanh
                | Floor
                | Ceil
                | Trunc
                | Rint
        )
    }
}
