//! Largest and smallest elements of dense rows, and where they are: loops that the Rust compiler makes vectors of, as
//! wide as the processor has them, in place of compiled code, whose vectors have 128 bits.

use cuproxide_hal::ir::{self, Binary, Compare, Fold, Kernel, Op, Stmt, Unary};
use cuproxide_hal::{Access, DType};

use super::{Entry, Span};

/// Bytes of the vectors that the loops of floats keep.
const WIDTH: usize = 128;

/// An element type.
trait Number: Copy + PartialOrd {
    /// The extremum of no elements: of a search for the smallest (`MAX` false) or the largest one.
    fn none<const MAX: bool>() -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// The extremum of `first` and the elements of all rows, which are equally long.
    fn extremum<'a, const MAX: bool>(first: Self, rows: impl Iterator<Item = &'a [Self]> + Clone) -> Self
    where
        Self: 'a;
}

/// Whether `x` comes before `y` in the search.
#[inline(always)]
fn better<T: PartialOrd, const MAX: bool>(x: T, y: T) -> bool {
    if MAX { x > y } else { x < y }
}

/// The better of two; either if they are equal, and NaN if one is.
#[inline(always)]
fn choose<T: Number, const MAX: bool>(x: T, y: T) -> T {
    let chosen = if better::<T, MAX>(x, y) { x } else { y };
    if x.is_nan() { x } else { chosen }
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl Number for $type {
            #[inline(always)]
            fn none<const MAX: bool>() -> $type {
                if MAX { <$type>::MIN } else { <$type>::MAX }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn extremum<'a, const MAX: bool>(first: $type, rows: impl Iterator<Item = &'a [$type]> + Clone) -> $type {
                rows.fold(first, |found, row| row.iter().fold(found, |x, &y| if MAX { x.max(y) } else { x.min(y) }))
            }
        })*
    };
}

macro_rules! floats {
    ($($type:ty)*) => {
        $(impl Number for $type {
            #[inline(always)]
            fn none<const MAX: bool>() -> $type {
                if MAX { <$type>::NEG_INFINITY } else { <$type>::INFINITY }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            /// Lanes take turns. Zeros of both signs are equal to them: where a zero is the extremum, a second pass
            /// looks for the one that wins.
            #[inline(always)]
            fn extremum<'a, const MAX: bool>(first: $type, rows: impl Iterator<Item = &'a [$type]> + Clone) -> $type {
                const LANES: usize = WIDTH / size_of::<$type>();
                let mut found = first;
                let mut lanes = [Self::none::<MAX>(); LANES];
                for row in rows.clone() {
                    let (groups, rest) = row.as_chunks::<LANES>();
                    for group in groups {
                        for (lane, &element) in lanes.iter_mut().zip(group) {
                            *lane = choose::<$type, MAX>(*lane, element);
                        }
                    }
                    for &element in rest {
                        found = choose::<$type, MAX>(found, element);
                    }
                }
                let mut width = LANES;
                while width > 1 {
                    width /= 2;
                    for lane in 0..width {
                        lanes[lane] = choose::<$type, MAX>(lanes[lane], lanes[lane + width]);
                    }
                }
                found = choose::<$type, MAX>(found, lanes[0]);
                if found == 0.0 {
                    let zero: $type = if MAX { 0.0 } else { -0.0 };
                    let is = |x: &$type| x.to_bits() == zero.to_bits();
                    let has = |row: &[$type]| row.iter().fold(false, |any, x| any | is(x));
                    found = if is(&first) || rows.clone().any(has) { zero } else { -zero };
                }
                found
            }
        })*
    };
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64);
floats!(f32 f64);

/// The place of the first element that equals `wanted`, or is NaN as it is.
#[inline(always)]
fn locate<T: Number>(elements: &[T], wanted: T) -> usize {
    const BLOCK: usize = 64;
    // Without branches, for the sake of vectors.
    let nan = wanted.is_nan();
    let is = |x: T| (x == wanted) | (nan & x.is_nan());
    for (number, block) in elements.chunks(BLOCK).enumerate() {
        if block.iter().fold(false, |found, &x| found | is(x)) {
            return number * BLOCK + block.iter().position(|&x| is(x)).unwrap_or(0);
        }
    }
    elements.len()
}

/// A row of the elements of operand 0.
///
/// # Safety
/// The span describes dense rows of it.
#[inline(always)]
unsafe fn row<'a, T>(span: &Span, column: usize, row: usize) -> &'a [T] {
    let distance = span.strides[0][0] * column as isize + span.strides[2][0] * row as isize;
    let start = span.pointers[0].wrapping_add_signed(distance as i64);
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(start as *const T, span.counts[1]) }
}

/// Extends accumulators by extrema.
///
/// # Safety
/// The span belongs to a fold of one accumulator and dense rows of operand 0.
#[inline(always)]
unsafe fn extrema<T: Number, const MAX: bool>(span: *const Span) {
    // SAFETY: the caller's promise.
    let span = unsafe { &*span };
    for column in 0..span.counts[0] {
        // SAFETY: the span has an accumulator for each column, and its rows.
        let (best, rows) = unsafe {
            let best = &mut *span.accumulators.cast::<T>().add(column);
            (best, (0..span.counts[2]).map(|number| row(span, column, number)))
        };
        *best = T::extremum::<MAX>(*best, rows);
    }
}

/// Extends accumulators by the first extrema with their positions; NaN is the most extreme.
///
/// # Safety
/// The span belongs to a fold of an element and its position, and of dense rows of operand 0.
#[inline(always)]
unsafe fn positions<T: Number, const MAX: bool>(span: *const Span) {
    // SAFETY: the caller's promise.
    let span = unsafe { &*span };
    for column in 0..span.counts[0] {
        // SAFETY: the span has both accumulators for each column, those of positions behind those of elements.
        let (best, place) = unsafe {
            let places = span.accumulators.add(span.capacity * size_of::<T>());
            (&mut *span.accumulators.cast::<T>().add(column), &mut *places.cast::<i64>().add(column))
        };
        for number in 0..span.counts[2] {
            // SAFETY: the caller's promise.
            let elements: &[T] = unsafe { row(span, column, number) };
            let first = span.index + span.index_step * number as i64;
            let Some(&start) = elements.first() else { continue };
            let found = T::extremum::<MAX>(start, std::iter::once(elements));
            let ties = found == *best || (found.is_nan() && best.is_nan());
            let wins = better::<T, MAX>(found, *best) || (found.is_nan() && !best.is_nan());
            if wins || (ties && first < *place) {
                let position = first + locate(elements, found) as i64;
                if wins || position < *place {
                    (*best, *place) = (found, position);
                }
            }
        }
    }
}

macro_rules! entries {
    ($name:ident $(, $features:literal)?) => {
        /// The loops for one instruction set.
        mod $name {
            use super::{Entry, Number, Span};

            $(#[target_feature(enable = $features)])?
            unsafe extern "C" fn extrema<T: Number, const MAX: bool>(span: *const Span) {
                // SAFETY: the caller's promise.
                unsafe { super::extrema::<T, MAX>(span) }
            }

            $(#[target_feature(enable = $features)])?
            unsafe extern "C" fn positions<T: Number, const MAX: bool>(span: *const Span) {
                // SAFETY: the caller's promise.
                unsafe { super::positions::<T, MAX>(span) }
            }

            pub fn find<T: Number>(max: bool, located: bool) -> Entry {
                match (max, located) {
                    (false, false) => extrema::<T, false>,
                    (false, true) => positions::<T, false>,
                    (true, false) => extrema::<T, true>,
                    (true, true) => positions::<T, true>,
                }
            }
        }
    };
}

entries!(plain);
#[cfg(target_arch = "x86_64")]
entries!(avx2, "avx2");
#[cfg(target_arch = "x86_64")]
entries!(avx512, "avx512f,avx512vl,avx512bw,avx512dq");

fn entry<T: Number>(max: bool, located: bool) -> Entry {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        if wide {
            return avx512::find::<T>(max, located);
        }
        if is_x86_feature_detected!("avx2") {
            return avx2::find::<T>(max, located);
        }
    }
    plain::find::<T>(max, located)
}

/// The loop that extends the accumulators of a legalised fold, if it searches the elements of operand 0 as they are in
/// memory, in rows without gaps, for an extremum (or, if `located`, for the first one with its position).
pub fn find(kernel: &Kernel, fold: &Fold, inner: &[Access], located: bool) -> Option<Entry> {
    let element = fold.map.results[0];
    let dtype = kernel.dtype(element);
    let defined = |block: &[Stmt], value: ir::Value| {
        block.iter().find_map(|statement| match statement {
            Stmt::Let(found, op) if *found == value => Some(*op),
            _ => None,
        })
    };
    let direct = matches!(defined(&fold.map.body, element), Some(Op::Load { operand: 0, offset: None, lane: 0 }));
    let others = fold.map.body.iter().any(|statement| match statement {
        Stmt::Let(value, Op::Load { .. }) => *value != element,
        Stmt::Let(..) => false,
        _ => true,
    });
    if !direct || others || inner[0] != Access::Unit || kernel.operands[0].dtype != dtype {
        return None;
    }
    let max = if located { order(kernel, fold)? } else { extreme(fold, &defined)? };
    let Some(Op::Const(neutral)) = defined(&fold.identity.body, fold.identity.results[0]) else { return None };
    macro_rules! matching {
        ($($variant:ident $type:ty;)*) => {
            match dtype {
                $(DType::$variant => {
                    let none = if max { <$type>::none::<true>() } else { <$type>::none::<false>() };
                    let same = neutral.bytes[..size_of::<$type>()] == none.to_le_bytes();
                    same.then(|| entry::<$type>(max, located))
                })*
                _ => None,
            }
        };
    }
    matching! {
        I8 i8; U8 u8; I16 i16; U16 u16; I32 i32; U32 u32; I64 i64; U64 u64; F32 f32; F64 f64;
    }
}

/// Whether a fold of one accumulator keeps the largest element (or the smallest one).
fn extreme(fold: &Fold, defined: &dyn Fn(&[Stmt], ir::Value) -> Option<Op>) -> Option<bool> {
    let [result] = fold.combine.results[..] else { return None };
    match defined(&fold.combine.body, result)? {
        Op::Binary(Binary::Max, x, y) if [x, y] == fold.combine.params[..] => Some(true),
        Op::Binary(Binary::Min, x, y) if [x, y] == fold.combine.params[..] => Some(false),
        _ => None,
    }
}

/// What a name of a fold stands for while its choice is tried out.
#[derive(Clone, Copy, Debug)]
enum Trial {
    Truth(bool),
    Number(f64),
}

/// Whether a fold that picks an element with its position keeps the first largest one (or the first smallest one): it
/// only compares and chooses, so a few elements tell.
fn order(kernel: &Kernel, fold: &Fold) -> Option<bool> {
    let numbers: &[f64] =
        if kernel.dtype(fold.map.results[0]).is_float() { &[1.0, 2.0, f64::NAN] } else { &[1.0, 2.0] };
    let expected = |max: bool| {
        numbers.iter().all(|&x| {
            numbers.iter().all(|&y| {
                [(3.0, 5.0), (5.0, 3.0)].into_iter().all(|(i, j)| {
                    let before = if max { y > x } else { y < x } || (y.is_nan() && !x.is_nan());
                    let tied = y == x || (y.is_nan() && x.is_nan());
                    let chosen = if before || (tied && j < i) { (y, j) } else { (x, i) };
                    attempt(fold, [x, i, y, j]).is_some_and(|(value, place)| {
                        place == chosen.1 && (value == chosen.0 || (value.is_nan() && chosen.0.is_nan()))
                    })
                })
            })
        })
    };
    [true, false].into_iter().find(|&max| expected(max))
}

/// Evaluates the combination of an earlier element with its position and a later one.
fn attempt(fold: &Fold, arguments: [f64; 4]) -> Option<(f64, f64)> {
    let given = fold.combine.params.iter().zip(arguments);
    let mut known: Vec<(ir::Value, Trial)> = given.map(|(&param, number)| (param, Trial::Number(number))).collect();
    fn find(known: &[(ir::Value, Trial)], value: ir::Value) -> Option<Trial> {
        known.iter().find(|(name, _)| *name == value).map(|&(_, trial)| trial)
    }
    for statement in &fold.combine.body {
        let Stmt::Let(value, op) = statement else { return None };
        let get = |value| find(&known, value);
        let trial = match *op {
            Op::Const(literal) if literal.dtype == DType::Bool => Trial::Truth(literal.bytes[0] != 0),
            Op::Compare(op, x, y) => {
                let (Trial::Number(x), Trial::Number(y)) = (get(x)?, get(y)?) else { return None };
                Trial::Truth(match op {
                    Compare::Eq => x == y,
                    Compare::Ne => x != y,
                    Compare::Lt => x < y,
                    Compare::Le => x <= y,
                    Compare::Gt => x > y,
                    Compare::Ge => x >= y,
                })
            }
            Op::Unary(Unary::Not, x) => {
                let Trial::Truth(x) = get(x)? else { return None };
                Trial::Truth(!x)
            }
            Op::Binary(op, x, y) => {
                let (Trial::Truth(x), Trial::Truth(y)) = (get(x)?, get(y)?) else { return None };
                Trial::Truth(match op {
                    Binary::And => x & y,
                    Binary::Or => x | y,
                    Binary::Xor => x ^ y,
                    _ => return None,
                })
            }
            Op::Select(cond, yes, no) => {
                let Trial::Truth(cond) = get(cond)? else { return None };
                get(if cond { yes } else { no })?
            }
            _ => return None,
        };
        known.push((*value, trial));
    }
    let [value, place] = fold.combine.results[..] else { return None };
    match (find(&known, value)?, find(&known, place)?) {
        (Trial::Number(value), Trial::Number(place)) => Some((value, place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::ir::{Body, Builder, LegalizeOptions, Mode, Var, legalize};

    use super::*;

    type Combine = for<'b> fn(&[Var<'b>]) -> Vec<Var<'b>>;

    /// Whether there is a loop for the fold of dense float32 by `combine`, from `start` on.
    fn found(start: f64, located: bool, combine: Combine) -> bool {
        let b = Builder::new("fold");
        let (input, output) = (b.operand(DType::F32, Mode::Read), b.operand(DType::F32, Mode::Write));
        let types: &[DType] = if located { &[DType::F32, DType::I64] } else { &[DType::F32] };
        fn pair<'b>(value: Var<'b>, place: Option<Var<'b>>) -> Vec<Var<'b>> {
            std::iter::once(value).chain(place).collect()
        }
        let identity =
            b.lambda(&[], |_| pair(b.real(DType::F32, start), located.then(|| b.integer(DType::I64, i64::MAX.into()))));
        let map = b.lambda(&[], |_| pair(b.load(input), located.then(|| b.index())));
        let combine = b.lambda(&[types, types].concat(), combine);
        let finish = b.lambda(types, |values| {
            b.store(output, values[0]);
            vec![]
        });
        let kernel =
            legalize(&b.finish(Body::Reduce(Fold { identity, map, combine, finish })), LegalizeOptions::default());
        let Body::Reduce(fold) = &kernel.body else { unreachable!("the kernel is a reduction") };
        find(&kernel, fold, &[Access::Unit, Access::Broadcast], located).is_some()
    }

    fn first_largest<'b>(p: &[Var<'b>]) -> Vec<Var<'b>> {
        let tied = (p[2].eq(p[0]) | (p[2].is_nan() & p[0].is_nan())) & p[3].lt(p[1]);
        let take = p[2].gt(p[0]) | tied | (p[2].is_nan() & !p[0].is_nan());
        vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
    }

    #[test]
    fn extrema_are_recognised() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert!(found(low, false, |p| vec![p[0].max(p[1])]));
        assert!(found(high, false, |p| vec![p[0].min(p[1])]));
        assert!(found(low, true, first_largest));
    }

    #[test]
    fn other_folds_are_not() {
        let low = f64::NEG_INFINITY;
        assert!(!found(0.0, false, |p| vec![p[0] + p[1]]));
        // Not from the identity of the operator.
        assert!(!found(0.0, false, |p| vec![p[0].max(p[1])]));
        assert!(!found(0.0, true, first_largest));
        // The last of equals, and NaN as any other number.
        assert!(!found(low, true, |p| {
            let take = p[2].ge(p[0]) | (p[2].is_nan() & !p[0].is_nan());
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }));
        assert!(!found(low, true, |p| {
            let take = p[2].gt(p[0]) | (p[2].eq(p[0]) & p[3].lt(p[1]));
            vec![p[2].when(take, p[0]), p[3].when(take, p[1])]
        }));
    }
}
