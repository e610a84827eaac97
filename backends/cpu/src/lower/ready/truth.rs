//! How many elements are true, and whether any is or all are.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Binary, Compare, Fold, Kernel, Op};

use super::extrema::{Number, loop_for, starts_from_none};
use super::loops::{Loop, defined, entry, neutral, rows};
use super::trial::Search;
use crate::lower::{Entry, Span};
use crate::truth::{Truth, count};

/// Elements that are looked at before it is asked whether they decide.
const BLOCK: usize = 256;

/// Adds the number of bytes that are not zero.
struct Count;

impl Loop for Count {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for column in 0..span.counts[0] {
            // SAFETY: the span has dense rows of bytes.
            let total: i64 = unsafe { rows(span, column) }.map(|row| count(row) as i64).sum();
            // SAFETY: the span has an accumulator for each column.
            unsafe { *span.accumulators.cast::<i64>().add(column) += total };
        }
    }
}

/// Looks for an element that is zero, where `ALL` must not be, or for one that is not.
struct Decides<T, const ALL: bool>(PhantomData<T>);

impl<T: Copy + Default + PartialEq, const ALL: bool> Loop for Decides<T, ALL> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for column in 0..span.counts[0] {
            // SAFETY: the span has a truth value for each column.
            let truth = unsafe { &mut *span.accumulators.add(column) };
            let decides = |block: &[T]| block.iter().fold(false, |found, &x| found | ((x == T::default()) == ALL));
            // SAFETY: the span has dense rows.
            let found = (*truth == 0) == ALL || unsafe { rows(span, column) }.any(|row| row.chunks(BLOCK).any(decides));
            *truth = u8::from(found != ALL);
        }
    }
}

impl Number for Truth {
    const HAS_NAN: bool = false;
    #[inline(always)]
    fn none<const MAX: bool>() -> Truth {
        Truth::from(!MAX)
    }
    #[inline(always)]
    fn nan<const MAX: bool>() -> Truth {
        Self::none::<MAX>()
    }
    fn of_bytes(bytes: [u8; 16]) -> Truth {
        Truth::from_byte(bytes[0])
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        false
    }
    #[inline(always)]
    fn better_of<const MAX: bool, const SKIP: bool>(found: Truth, later: Truth) -> Truth {
        let decides = (found.holds() == MAX) | (later.holds() == MAX);
        Truth::from(decides == MAX)
    }
    /// Ends at the first element that decides.
    #[inline(always)]
    fn extremum<'a, const MAX: bool, const SKIP: bool>(
        first: Truth,
        mut rows: impl Iterator<Item = &'a [Truth]> + Clone,
    ) -> Truth {
        let decides = |block: &[Truth]| block.iter().fold(false, |found, &x| found | (x.holds() == MAX));
        let found = decides(&[first]) || rows.any(|row| row.chunks(BLOCK).any(decides));
        Truth::from(found == MAX)
    }
}

/// The search for the first element that is true, or that is not, if a fold is one.
fn search(kernel: &Kernel, fold: &Fold) -> Option<Search> {
    let [truth, position] = fold.map.results[..] else { return None };
    let bytes = kernel.dtype(truth) == DType::Bool && kernel.dtype(element_of(fold, truth)?).size() == 1;
    let index = matches!(defined(&fold.map.body, position), Some(Op::Index));
    let search = Search::of(kernel, fold).filter(|search| search.located && bytes && index)?;
    starts_from_none::<Truth>(fold, search).then_some(search)
}

/// What element a fold looks for, if it finds the first that is true, or that is not.
pub fn ends_at(kernel: &Kernel, fold: &Fold) -> Option<bool> {
    search(kernel, fold).map(|search| search.max)
}

/// The loop for a fold that adds up the truth of elements as 64-bit integers, asks whether any or all are true, or finds
/// the first that decides.
pub fn find(kernel: &Kernel, fold: &Fold) -> Option<Entry> {
    if fold.map.results.len() == 2 {
        let search = search(kernel, fold)?;
        return Some(if search.max { loop_for::<Truth, true>(search) } else { loop_for::<Truth, false>(search) });
    }
    let ([value], [result]) = (&fold.map.results[..], &fold.combine.results[..]) else { return None };
    let truth = match defined(&fold.map.body, *value)? {
        Op::Cast(truth) => truth,
        _ => *value,
    };
    let element = element_of(fold, truth)?;
    let operator = match defined(&fold.combine.body, *result)? {
        Op::Binary(operator, x, y) if [x, y] == fold.combine.params[..] => operator,
        _ => return None,
    };
    match (operator, kernel.dtype(*value), neutral(fold, 0)?.bytes[0]) {
        (Binary::Add, DType::I64 | DType::U64, 0) => (kernel.dtype(element).size() == 1).then(entry::<Count>),
        (Binary::Or, DType::Bool, 0) => decides::<false>(kernel.dtype(element)),
        (Binary::And, DType::Bool, 1) => decides::<true>(kernel.dtype(element)),
        _ => None,
    }
}

/// The element that a truth value is of: it is not zero. Truth values are bytes in memory.
fn element_of(fold: &Fold, truth: ir::Value) -> Option<ir::Value> {
    let map = &fold.map.body;
    let Op::Compare(Compare::Ne, element, zero) = defined(map, truth)? else { return None };
    let is_zero = matches!(defined(map, zero)?, Op::Const(literal) if literal.bytes == [0; 16]);
    (is_zero && matches!(defined(map, element)?, Op::Load { .. })).then_some(element)
}

fn decides<const ALL: bool>(dtype: DType) -> Option<Entry> {
    macro_rules! matching {
        ($($variant:ident $type:ty;)*) => {
            match dtype {
                $(DType::$variant => Some(entry::<Decides<$type, ALL>>()),)*
                _ => None,
            }
        };
    }
    matching! {
        Bool u8; I8 u8; U8 u8; I16 u16; U16 u16; I32 u32; U32 u32; I64 u64; U64 u64; F32 f32; F64 f64;
    }
}
