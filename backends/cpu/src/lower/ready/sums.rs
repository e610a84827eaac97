//! Sums in float64 of numbers or of their squares, in the order in which compiled code adds them: in lanes, of which each
//! takes a bounded number of terms before it moves to a total.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Fold, Kernel, Op};

use super::lanes::{self, extend};
use super::loops::{Loop, apart, defined, entry, is_element, neutral, row, rows};
use crate::lower::{CHUNK, Entry, Span};

/// Lanes of compiled folds of float64.
const LANES: usize = lanes::LANES / size_of::<f64>();

trait Number: Copy {
    /// Whether its square is a number without rounding, so that fused operations compute the same sums.
    const EXACT_SQUARE: bool;
    fn number(self) -> f64;
}

impl Number for f32 {
    const EXACT_SQUARE: bool = true;
    #[inline(always)]
    fn number(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    const EXACT_SQUARE: bool = false;
    #[inline(always)]
    fn number(self) -> f64 {
        self
    }
}

/// Extends accumulators by the sum of elements, or of their squares.
struct Sum<T, const SQUARES: bool>(PhantomData<T>);

impl<T: Number, const SQUARES: bool> Sum<T, SQUARES> {
    #[inline(always)]
    fn with_term<const FUSED: bool>(sum: f64, element: T) -> f64 {
        let number = element.number();
        match (SQUARES, FUSED && T::EXACT_SQUARE) {
            (false, _) => sum + number,
            (true, false) => sum + number * number,
            (true, true) => number.mul_add(number, sum),
        }
    }

    /// Adds a row to the total in lanes, and what fills no group to a single sum.
    #[inline(always)]
    fn add_row<const FUSED: bool>(total: &mut [f64; LANES], single: &mut f64, row: &[T]) {
        extend(row, 0.0, (total, single), Self::with_term::<FUSED>, |total, part| total + part);
    }

    /// The sum of all lanes.
    #[inline(always)]
    fn joined(total: [f64; LANES]) -> f64 {
        lanes::joined(apart(total), |earlier, later| earlier + later)
    }
}

impl<T: Number, const SQUARES: bool> Loop for Sum<T, SQUARES> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for column in 0..span.counts[0] {
            // SAFETY: the span has an accumulator for each column.
            let single = unsafe { &mut *span.accumulators.cast::<f64>().add(column) };
            let mut total = [0.0; LANES];
            // SAFETY: the span has dense rows.
            for row in unsafe { rows::<T>(span, column) } {
                Sum::<T, SQUARES>::add_row::<FUSED>(&mut total, single, row);
            }
            if span.counts[1] >= LANES {
                *single += Sum::<T, SQUARES>::joined(total);
            }
        }
    }
}

/// Sets the accumulator to the sum of one line, in chunks that it joins in a tree.
struct Tree<T, const SQUARES: bool>(PhantomData<T>);

impl<T: Number, const SQUARES: bool> Loop for Tree<T, SQUARES> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        // SAFETY: the span has a dense row.
        let line: &[T] = unsafe { row(span, 0, 0) };
        // A subtree for each set bit of the number of chunks so far.
        let mut subtrees = [0.0; usize::BITS as usize];
        for (finished, chunk) in line.chunks(CHUNK).enumerate() {
            let (mut total, mut sum) = ([0.0; LANES], 0.0);
            Sum::<T, SQUARES>::add_row::<FUSED>(&mut total, &mut sum, chunk);
            if chunk.len() >= LANES {
                sum += Sum::<T, SQUARES>::joined(total);
            }
            let level = finished.trailing_ones() as usize;
            subtrees[level] = subtrees[..level].iter().fold(sum, |later, earlier| earlier + later);
        }
        let count = line.len().div_ceil(CHUNK);
        let whole = (0..subtrees.len()).filter(|level| count >> level & 1 == 1).map(|level| subtrees[level]);
        let sum = whole.reduce(|later, earlier| earlier + later).unwrap_or_default();
        // SAFETY: the span has an accumulator.
        unsafe { *span.accumulators.cast::<f64>() = sum };
    }
}

/// The loop for a fold that adds up elements, or their squares, from 0 on; and the one that joins chunks too.
pub fn find(kernel: &Kernel, fold: &Fold) -> Option<(Entry, Entry)> {
    let ([value], [result]) = (&fold.map.results[..], &fold.combine.results[..]) else { return None };
    let adds = match defined(&fold.combine.body, *result)? {
        Op::Binary(Binary::Add, x, y) => [x, y] == fold.combine.params[..],
        _ => false,
    };
    if !adds || kernel.dtype(*value) != DType::F64 || neutral(fold, 0)?.bytes != [0; 16] {
        return None;
    }
    let map = &fold.map.body;
    let (term, squares) = match defined(map, *value)? {
        Op::Binary(Binary::Mul, x, y) if x == y && kernel.dtype(x) == DType::F64 => (x, true),
        _ => (*value, false),
    };
    let element = match defined(map, term)? {
        Op::Cast(element) => element,
        _ => term,
    };
    if !is_element(kernel, map, element) {
        return None;
    }
    match (kernel.dtype(element), squares) {
        (DType::F32, false) => Some((entry::<Sum<f32, false>>(), entry::<Tree<f32, false>>())),
        (DType::F32, true) => Some((entry::<Sum<f32, true>>(), entry::<Tree<f32, true>>())),
        (DType::F64, false) => Some((entry::<Sum<f64, false>>(), entry::<Tree<f64, false>>())),
        (DType::F64, true) => Some((entry::<Sum<f64, true>>(), entry::<Tree<f64, true>>())),
        _ => None,
    }
}
