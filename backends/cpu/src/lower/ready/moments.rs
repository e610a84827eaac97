//! Numbers, sums and sums of squares around an origin, of which variances are made: the parts of a row side by side, in the
//! order in which compiled code takes them.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::{self, Body, Builder, Fold, Kernel, LegalizeOptions, Mode, Op, Stmt, Var};

use super::loops::{Loop, apart, entry, row};
use crate::lower::{Entry, Span};

/// Parts of a row, and the fewest elements of one: those of compiled folds of float64.
const LANES: usize = 8;
const WORTH: usize = 16;

/// Number of elements, squares around the origin, origin, sum around the origin.
type Moments = [f64; 4];

/// Moments of both.
#[inline(always)]
fn join(earlier: Moments, later: Moments) -> Moments {
    let origin = if earlier[0] == 0.0 { later[2] } else { earlier[2] };
    let distance = later[2] - origin;
    let moved = later[0] * distance;
    let stays = later[0] > 1.0 && later[1] >= f64::INFINITY;
    let squares = if stays { later[1] } else { later[1] + distance * (later[3] + later[3] + moved) };
    [earlier[0] + later[0], earlier[1] + squares, origin, earlier[3] + (later[3] + moved)]
}

/// Moments of one element.
#[inline(always)]
fn moments(x: f64) -> Moments {
    let same = x;
    [1.0, x - same, x, -0.0]
}

/// An element type.
trait Number: Copy {
    /// As float64.
    fn number(self) -> f64;
}

macro_rules! numbers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            #[inline(always)]
            fn number(self) -> f64 {
                self as f64
            }
        })*
    };
}

numbers!(f32 f64 i8 u8 i16 u16 i32 u32 i64 u64);

/// Moments of the parts of `length` elements that a row begins with.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "of these loops the compiler makes vectors")]
fn of_parts<T: Number>(elements: &[T], length: usize) -> [Moments; LANES] {
    let parts: [&[T]; LANES] = std::array::from_fn(|lane| &elements[lane * length..][..length]);
    let mut origins = [0.0; LANES];
    for lane in 0..LANES {
        origins[lane] = parts[lane][0].number();
    }
    let (mut squares, mut sums) = ([-0.0; LANES], [-0.0; LANES]);
    let whole = length / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        // Loads of whole vectors, and then from rows to columns.
        let mut square = [[0.0; LANES]; LANES];
        for lane in 0..LANES {
            let chunk = &parts[lane][start..start + LANES];
            for place in 0..LANES {
                square[lane][place] = chunk[place].number();
            }
        }
        for place in 0..LANES {
            for lane in 0..LANES {
                add(square[lane][place], origins[lane], &mut squares[lane], &mut sums[lane]);
            }
        }
    }
    for place in whole..length {
        for lane in 0..LANES {
            add(parts[lane][place].number(), origins[lane], &mut squares[lane], &mut sums[lane]);
        }
    }
    (squares, sums) = apart((squares, sums));
    let mut found = [[0.0; 4]; LANES];
    for lane in 0..LANES {
        found[lane] = [length as f64, squares[lane], origins[lane], sums[lane]];
    }
    found
}

/// Adds an element. What is not finite makes the squares NaN.
#[inline(always)]
fn add(x: f64, origin: f64, squares: &mut f64, sum: &mut f64) {
    let same = x;
    let distance = x - origin;
    *squares += (x - same) + distance * distance;
    *sum += distance;
}

/// Extends accumulators by moments.
struct Spread<T>(PhantomData<T>);

impl<T: Number> Loop for Spread<T> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for column in 0..span.counts[0] {
            // SAFETY: the span has four arrays of accumulators with one for each column.
            let place = |which: usize| unsafe { span.accumulators.cast::<f64>().add(which * span.capacity + column) };
            // SAFETY: as above.
            let mut total: Moments = unsafe { [place(0).read(), place(1).read(), place(2).read(), place(3).read()] };
            for number in 0..span.counts[2] {
                // SAFETY: the span has dense rows.
                let elements: &[T] = unsafe { row(span, column, number) };
                let length = elements.len() / LANES;
                let mut rest = elements;
                if length >= WORTH {
                    for part in of_parts(elements, length) {
                        total = join(total, part);
                    }
                    rest = &elements[length * LANES..];
                }
                for &x in rest {
                    total = join(total, moments(x.number()));
                }
            }
            for (which, &value) in total.iter().enumerate() {
                // SAFETY: as above.
                unsafe { place(which).write(value) };
            }
        }
    }
}

/// Rows that are taken at once, so that accumulators move to registers and back less often.
const TOGETHER: usize = 4;

/// Extends accumulators of neighbouring columns by moments, one row after the other.
struct SpreadColumns<T>(PhantomData<T>);

impl<T: Number> Loop for SpreadColumns<T> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        let [columns, length, rows] = span.counts;
        let accumulators = span.accumulators.cast::<f64>();
        // SAFETY: the span has four arrays of accumulators with one for each column, which do not overlap.
        let [counts, squares, origins, sums] = [0, 1, 2, 3]
            .map(|which| unsafe { std::slice::from_raw_parts_mut(accumulators.add(which * span.capacity), columns) });
        for row in 0..rows {
            for position in (0..length).step_by(TOGETHER) {
                let at = |next: usize| {
                    let distance = span.strides[1][0] * (position + next) as isize + span.strides[2][0] * row as isize;
                    let start = span.pointers[0].wrapping_add_signed(distance as i64);
                    // SAFETY: elements of neighbouring columns are neighbours.
                    unsafe { std::slice::from_raw_parts(start as *const T, columns) }
                };
                if position + TOGETHER <= length {
                    extend(counts, squares, origins, sums, [at(0), at(1), at(2), at(3)]);
                } else {
                    for next in 0..length - position {
                        extend(counts, squares, origins, sums, [at(next)]);
                    }
                }
            }
        }
    }
}

/// Extends all accumulators by rows of elements, one row after the other.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "of these loops the compiler makes vectors")]
fn extend<T: Number, const ROWS: usize>(
    counts: &mut [f64],
    squares: &mut [f64],
    origins: &mut [f64],
    sums: &mut [f64],
    mut rows: [&[T]; ROWS],
) {
    let columns = counts.len();
    let (squares, origins, sums) = (&mut squares[..columns], &mut origins[..columns], &mut sums[..columns]);
    for row in &mut rows {
        *row = &row[..columns];
    }
    for column in 0..columns {
        let mut total = [counts[column], squares[column], origins[column], sums[column]];
        for row in &rows {
            total = join(total, moments(row[column].number()));
        }
        [counts[column], squares[column], origins[column], sums[column]] = total;
    }
}

/// The fold that the loops stand for, of elements of a type.
#[allow(clippy::eq_op, reason = "an infinity minus itself is NaN")]
fn pattern(dtype: DType) -> Kernel {
    const F64: DType = DType::F64;
    let b = Builder::new("moments");
    let input = b.operand(dtype, Mode::Read);
    let identity = b.lambda(&[], |_| [0.0, -0.0, 0.0, -0.0].map(|x| b.real(F64, x)).to_vec());
    let map = b.lambda(&[], |_| {
        let x = b.load(input).cast(F64);
        vec![x.like(1.0), x - x, x, x.like(-0.0)]
    });
    let combine = b.lambda(&[F64; 8], |p: &[Var<'_>]| {
        let (earlier, later) = p.split_at(4);
        let origin = later[2].when(earlier[0].eq(earlier[0].like(0.0)), earlier[2]);
        let stays = later[0].gt(later[0].like(1.0)) & later[1].ge(later[1].like(f64::INFINITY));
        let distance = later[2] - origin;
        let moved = later[0] * distance;
        let squares = later[1].when(stays, later[1] + distance * (later[3] + later[3] + moved));
        vec![earlier[0] + later[0], earlier[1] + squares, origin, earlier[3] + (later[3] + moved)]
    });
    let finish = b.lambda(&[F64; 4], |_| vec![]);
    let options = LegalizeOptions { native_half: false, total_casts: true, inline: LegalizeOptions::SHORT };
    ir::legalize(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })), options)
}

/// A value of a lambda of a kernel.
#[derive(Clone, Copy)]
struct Term<'k>(&'k Kernel, &'k ir::Lambda, ir::Value);

impl Term<'_> {
    fn operation(self) -> Option<Op> {
        self.1.body.iter().find_map(|statement| match *statement {
            Stmt::Let(value, op) if value == self.2 => Some(op),
            _ => None,
        })
    }

    /// Whether both are computed in the same way from the same parameters and elements.
    fn is(self, other: Term<'_>) -> bool {
        if self.0.dtype(self.2) != other.0.dtype(other.2) {
            return false;
        }
        let all = |pairs: &[(ir::Value, ir::Value)]| {
            pairs.iter().all(|&(x, y)| Term(self.0, self.1, x).is(Term(other.0, other.1, y)))
        };
        match (self.operation(), other.operation()) {
            (None, None) => {
                let parameter = |term: Term<'_>| term.1.params.iter().position(|&value| value == term.2);
                parameter(self).is_some() && parameter(self) == parameter(other)
            }
            (Some(one), Some(two)) => match (one, two) {
                (Op::Const(x), Op::Const(y)) => x == y,
                (Op::Load { operand: 0, offset: None, lane: 0 }, Op::Load { operand: 0, offset: None, lane: 0 }) => {
                    self.0.operands[0].dtype == other.0.operands[0].dtype
                }
                (Op::Cast(x), Op::Cast(y)) => all(&[(x, y)]),
                (Op::Binary(f, a, b), Op::Binary(g, c, d)) => f == g && all(&[(a, c), (b, d)]),
                (Op::Compare(f, a, b), Op::Compare(g, c, d)) => f == g && all(&[(a, c), (b, d)]),
                (Op::Select(a, b, c), Op::Select(d, e, f)) => all(&[(a, d), (b, e), (c, f)]),
                _ => false,
            },
            _ => false,
        }
    }
}

/// The loop for a fold that is this one, along rows or along `columns`.
pub fn find(kernel: &Kernel, fold: &Fold, columns: bool) -> Option<Entry> {
    if fold.identity.results.len() != 4 {
        return None;
    }
    let dtype = kernel.operands[0].dtype;
    macro_rules! loops {
        ($($variant:ident $type:ty;)*) => {
            match dtype {
                $(DType::$variant if columns => entry::<SpreadColumns<$type>>(),
                DType::$variant => entry::<Spread<$type>>(),)*
                _ => return None,
            }
        };
    }
    let found = loops! {
        F32 f32; F64 f64; I8 i8; U8 u8; I16 i16; U16 u16; I32 i32; U32 u32; I64 i64; U64 u64;
    };
    let pattern = pattern(dtype);
    let Body::Reduce(wanted) = &pattern.body else { return None };
    let same = |one: &ir::Lambda, two: &ir::Lambda| {
        one.results.len() == two.results.len()
            && one.results.iter().zip(&two.results).all(|(&x, &y)| Term(kernel, one, x).is(Term(&pattern, two, y)))
    };
    let all =
        same(&fold.identity, &wanted.identity) && same(&fold.map, &wanted.map) && same(&fold.combine, &wanted.combine);
    all.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_fold_is_recognised() {
        for dtype in [DType::F32, DType::F64, DType::I16] {
            let kernel = pattern(dtype);
            let Body::Reduce(fold) = &kernel.body else { unreachable!("the kernel is a reduction") };
            for columns in [false, true] {
                assert!(find(&kernel, fold, columns).is_some());
                for change in [
                    |fold: &mut Fold| fold.combine.results.swap(1, 3),
                    |fold: &mut Fold| fold.combine.params.swap(1, 5),
                    |fold: &mut Fold| fold.map.results.swap(0, 1),
                    |fold: &mut Fold| fold.identity.results.swap(0, 1),
                ] {
                    let mut other = fold.clone();
                    change(&mut other);
                    assert!(find(&kernel, &other, columns).is_none());
                }
            }
        }
        assert!(find(&pattern(DType::F16), &fold_of(DType::F32), false).is_none());
    }

    fn fold_of(dtype: DType) -> Fold {
        let Body::Reduce(fold) = pattern(dtype).body else { unreachable!("the kernel is a reduction") };
        fold
    }
}
