//! Quotients and remainders of integers of up to 32 bits, for which processors have no vector instructions.

use cranelift_codegen::ir::{InstBuilder, Type, Value};
use cranelift_frontend::FunctionBuilder;
use cuproxide_hal::ir::Binary;
use cuproxide_hal::{DType, Scalar};

use super::convert::{cast, resize};
use super::group::{Regs, integer_vector, vector_type};
use super::simd::{constant, recast};

/// Divides lanes whose divisors are not zero; `None` for what is no such division.
///
/// They are divided as floats with at least 8 bits more than they have, in which every product of a quotient is exact.
/// A quotient of `x` that is no integer is at least `1 / x` of itself away from one, so that no rounding reaches it.
pub fn divide(b: &mut FunctionBuilder<'_>, op: Binary, dtype: DType, lanes: usize, x: &Regs, y: &Regs) -> Option<Regs> {
    if !matches!(op, Binary::Div | Binary::Rem) || !dtype.is_integer() || dtype.size() > 4 {
        return None;
    }
    let float = if dtype.size() == 4 { DType::F64 } else { DType::F32 };
    let (x, y) = (cast(b, x, lanes, dtype, float)?, cast(b, y, lanes, dtype, float)?);
    let bits = integer_vector(float.size());
    let divided: Regs = x
        .iter()
        .zip(&y)
        .map(|(&x, &y)| {
            let quotient = b.ins().fdiv(x, y);
            let quotient = b.ins().trunc(quotient);
            let result = if op == Binary::Div {
                quotient
            } else {
                let product = b.ins().fmul(quotient, y);
                b.ins().fsub(x, product)
            };
            integer(b, float, bits, result)
        })
        .collect();
    Some(resize(b, &divided, lanes, float.size(), dtype.size(), true))
}

/// Floats that hold integers, as these in the lower bits: they are those of the sum with a number so large that its last
/// bit is worth one.
fn integer(b: &mut FunctionBuilder<'_>, float: DType, bits: Type, value: Value) -> Value {
    let large = Scalar::real(float, if float == DType::F64 { 1.5 * 2f64.powi(52) } else { 1.5 * 2f64.powi(23) });
    let large = constant(b, vector_type(float), std::array::from_fn(|byte| large.bytes[byte % float.size()]));
    let sum = b.ins().fadd(value, large);
    recast(b, bits, sum)
}
