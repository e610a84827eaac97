//! Sums in float64 of numbers or of their squares, in the order in which compiled code adds them: in lanes, of which each
//! takes a bounded number of terms before it moves to a total.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{Binary, Fold, Kernel, Op};

use super::loops::{Loop, apart, defined, entry, is_element, neutral, row, rows};
use crate::lower::{CHUNK, Entry, Span};

/// Lanes of compiled folds of float64, and the terms that one takes.
const LANES: usize = 16;
const DEPTH: usize = 16;
/// Lanes of a register of compiled code, which are joined last.
const REGISTER: usize = 2;

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

    #[inline(always)]
    fn add<const FUSED: bool>(sums: &mut [f64; LANES], group: &[T; LANES]) {
        for (sum, &element) in sums.iter_mut().zip(group) {
            *sum = Self::with_term::<FUSED>(*sum, element);
        }
    }

    #[inline(always)]
    fn add_part(total: &mut [f64; LANES], part: &[f64; LANES]) {
        for (total, part) in total.iter_mut().zip(part) {
            *total += part;
        }
    }

    /// Adds a row to the total in lanes, and what fills no group to a single sum.
    #[inline(always)]
    fn add_row<const FUSED: bool>(total: &mut [f64; LANES], single: &mut f64, row: &[T]) {
        let (groups, rest) = row.as_chunks::<LANES>();
        let (pairs, left) = groups.as_chunks::<{ 2 * DEPTH }>();
        for pair in pairs {
            // Two parts at a time, whose sums need not wait for each other.
            let (one, other) = pair.split_at(DEPTH);
            let mut parts = [[0.0; LANES]; 2];
            for (one, other) in one.iter().zip(other) {
                Self::add::<FUSED>(&mut parts[0], one);
                Self::add::<FUSED>(&mut parts[1], other);
            }
            parts.iter().for_each(|part| Self::add_part(total, part));
        }
        for groups in left.chunks(DEPTH) {
            let mut part = [0.0; LANES];
            groups.iter().for_each(|group| Self::add::<FUSED>(&mut part, group));
            Self::add_part(total, &part);
        }
        for &element in rest {
            *single = Self::with_term::<FUSED>(*single, element);
        }
    }
}

/// The sum of all lanes: registers in pairs of neighbours, then the lanes of the last one.
#[inline(always)]
fn joined(lanes: &[f64; LANES]) -> f64 {
    let mut sums = *lanes;
    let mut registers = LANES / REGISTER;
    while registers > 1 {
        registers /= 2;
        for register in 0..registers {
            for lane in 0..REGISTER {
                sums[register * REGISTER + lane] =
                    sums[2 * register * REGISTER + lane] + sums[(2 * register + 1) * REGISTER + lane];
            }
        }
    }
    sums[0] + sums[1]
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
                *single += joined(&apart(total));
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
                sum += joined(&apart(total));
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
