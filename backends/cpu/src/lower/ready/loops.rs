//! What the loops are made of: their rows, what they recognise a fold by, and the instructions that they are compiled for.

use cuproxide_hal::ir::{self, Fold, Kernel, Op, Stmt};

use crate::lower::{Entry, Span};

/// A loop over the elements of operand 0 of a span, or over what another description says, such as a strip of values.
pub(super) trait Loop<S = Span> {
    /// Extends the accumulators of a span. If `FUSED`, the processor multiplies and adds in one operation.
    ///
    /// # Safety
    /// The span belongs to a fold that the loop was found for.
    unsafe fn run<const FUSED: bool>(span: &S);
}

/// What a value is bound to in a block.
pub fn defined(block: &[Stmt], value: ir::Value) -> Option<Op> {
    block.iter().find_map(|statement| match statement {
        Stmt::Let(found, op) if *found == value => Some(*op),
        _ => None,
    })
}

/// Whether a value is the element as it is in memory.
pub(super) fn is_element(kernel: &Kernel, block: &[Stmt], value: ir::Value) -> bool {
    matches!(defined(block, value), Some(Op::Load { .. })) && kernel.operands[0].dtype == kernel.dtype(value)
}

/// The constant that an accumulator starts from.
pub fn neutral(fold: &Fold, accumulator: usize) -> Option<ir::Literal> {
    match defined(&fold.identity.body, fold.identity.results[accumulator]) {
        Some(Op::Const(literal)) => Some(literal),
        _ => None,
    }
}

/// A row of the elements of operand 0.
///
/// # Safety
/// The span describes dense rows of it.
#[inline(always)]
pub(super) unsafe fn row<'a, T>(span: &Span, column: usize, row: usize) -> &'a [T] {
    let distance = span.strides[0][0] * column as isize + span.strides[2][0] * row as isize;
    let start = span.pointers[0].wrapping_add_signed(distance as i64);
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start as *const T, span.counts[1]) }
}

/// The rows of a column, from first to last.
///
/// # Safety
/// The span describes dense rows of operand 0.
#[inline(always)]
pub(super) unsafe fn rows<'a, T: 'a>(span: &'a Span, column: usize) -> impl Iterator<Item = &'a [T]> + Clone {
    // SAFETY: the caller's promise.
    (0..span.counts[2]).map(move |number| unsafe { row(span, column, number) })
}

/// Lanes that have been in memory: what is done with each of them afterwards, such as joining them in pairs, does not keep
/// the compiler from vectors for what made them.
#[inline(always)]
pub(super) fn apart<T>(lanes: T) -> T {
    std::hint::black_box(lanes)
}

macro_rules! instructions {
    ($name:ident, $fused:literal $(, $features:literal)?) => {
        mod $name {
            /// A loop for one instruction set.
            $(#[target_feature(enable = $features)])?
            pub unsafe extern "C" fn run<L: super::Loop<S>, S>(span: *const S) {
                // SAFETY: the caller's promise.
                unsafe { L::run::<$fused>(&*span) }
            }
        }
    };
}

instructions!(plain, false);
#[cfg(target_arch = "x86_64")]
instructions!(avx2, true, "avx2,fma");
#[cfg(target_arch = "x86_64")]
instructions!(avx512, true, "avx512f,avx512vl,avx512bw,avx512dq");

/// A loop over spans for the best instructions that the processor has.
pub(super) fn entry<L: Loop>() -> Entry {
    entry_for::<L, Span>()
}

/// The same for a loop over what another description says.
pub(super) fn entry_for<L: Loop<S>, S>() -> Entry<S> {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        if wide {
            return avx512::run::<L, S>;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return avx2::run::<L, S>;
        }
    }
    plain::run::<L, S>
}
