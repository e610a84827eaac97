//! Maps of one operation on numbers that lie side by side: what an operator of whole arrays is. The bits are those of compiled code.

use std::marker::PhantomData;

use cuproxide_hal::ir::{Binary, Compare, Kernel, Op, Stmt, Unary};
use cuproxide_hal::{Access, DType, ir};

use super::loops::{Loop, entry};
use crate::lower::{Entry, Span};
use crate::math::extrema;

/// Points that are computed at a time: some registers, so that counting costs little. The compiler takes shorter loops apart before
/// it makes vectors of them.
const BLOCK: usize = 64;

/// A number of the machine.
trait Number: Copy + Default + PartialOrd {
    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
    fn negative(self) -> Self;
    fn magnitude(self) -> Self;
}

macro_rules! floats {
    ($($type:ty: $smaller:ident, $larger:ident;)*) => {
        $(impl Number for $type {
            #[inline(always)]
            fn sum(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn difference(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn product(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self { extrema::$smaller(self, other) }
            #[inline(always)]
            fn larger(self, other: Self) -> Self { extrema::$larger(self, other) }
            #[inline(always)]
            fn negative(self) -> Self { -self }
            #[inline(always)]
            fn magnitude(self) -> Self { self.abs() }
        })*
    };
}

floats! {
    f32: smaller_single, larger_single;
    f64: smaller_double, larger_double;
}

macro_rules! integers {
    ($($type:ty: |$value:ident| $magnitude:expr;)*) => {
        $(impl Number for $type {
            #[inline(always)]
            fn sum(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn difference(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn product(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self { self.min(other) }
            #[inline(always)]
            fn larger(self, other: Self) -> Self { self.max(other) }
            #[inline(always)]
            fn negative(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn magnitude(self) -> Self {
                let $value = self;
                $magnitude
            }
        })*
    };
}

integers! {
    i8: |x| x.wrapping_abs();
    i16: |x| x.wrapping_abs();
    i32: |x| x.wrapping_abs();
    i64: |x| x.wrapping_abs();
    u8: |x| x;
    u16: |x| x;
    u32: |x| x;
    u64: |x| x;
}

/// An operation on `INPUTS` numbers.
trait Operation<T, const INPUTS: usize> {
    type Result: Copy + Default;

    fn of(inputs: [T; INPUTS]) -> Self::Result;
}

macro_rules! operations {
    ($($name:ident($($input:ident),*) $bound:ident -> $result:ty: $value:expr;)*) => {
        $(
            struct $name;

            impl<T: $bound> Operation<T, { [$(stringify!($input)),*].len() }> for $name {
                type Result = $result;

                #[inline(always)]
                fn of([$($input),*]: [T; [$(stringify!($input)),*].len()]) -> $result {
                    $value
                }
            }
        )*
    };
}

operations! {
    Sum(x, y) Number -> T: x.sum(y);
    Difference(x, y) Number -> T: x.difference(y);
    Product(x, y) Number -> T: x.product(y);
    Smaller(x, y) Number -> T: x.smaller(y);
    Larger(x, y) Number -> T: x.larger(y);
    Negative(x) Number -> T: x.negative();
    Magnitude(x) Number -> T: x.magnitude();
    Equal(x, y) Number -> u8: u8::from(x == y);
    Unequal(x, y) Number -> u8: u8::from(x != y);
    Less(x, y) Number -> u8: u8::from(x < y);
    LessOrEqual(x, y) Number -> u8: u8::from(x <= y);
    Greater(x, y) Number -> u8: u8::from(x > y);
    GreaterOrEqual(x, y) Number -> u8: u8::from(x >= y);
}

/// Integers divide by rules of their own.
struct Quotient;

macro_rules! quotients {
    ($($type:ty)*) => {
        $(impl Operation<$type, 2> for Quotient {
            type Result = $type;

            #[inline(always)]
            fn of([x, y]: [$type; 2]) -> $type {
                x / y
            }
        })*
    };
}

quotients!(f32 f64);

/// The operation on the first operands at each point, into the one after them.
struct Map<T, O, const INPUTS: usize>(PhantomData<(T, O)>);

impl<T: Number, O: Operation<T, INPUTS>, const INPUTS: usize> Map<T, O, INPUTS> {
    /// As many results as a block has. All are computed before the first is written: it may lie where an input does.
    ///
    /// # Safety
    /// So many elements may be read and written.
    #[inline(always)]
    unsafe fn block<const POINTS: usize>(inputs: [*const T; INPUTS], out: *mut O::Result) {
        let mut made = [O::Result::default(); POINTS];
        for (point, made) in made.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *made = O::of(inputs.map(|input| unsafe { input.add(point).read_unaligned() }));
        }
        // SAFETY: the caller's promise.
        unsafe { out.cast::<[O::Result; POINTS]>().write_unaligned(made) };
    }

    /// # Safety
    /// As for [`Map::block`], for `points` elements.
    #[inline(always)]
    unsafe fn line<const POINTS: usize>(inputs: [*const T; INPUTS], out: *mut O::Result, points: usize) {
        let whole = points - points % POINTS;
        let mut point = 0;
        // SAFETY: the caller's promise.
        unsafe {
            while point < whole {
                Self::block::<POINTS>(inputs.map(|input| input.add(point)), out.add(point));
                point += POINTS;
            }
            while point < points {
                Self::block::<1>(inputs.map(|input| input.add(point)), out.add(point));
                point += 1;
            }
        }
    }
}

impl<T: Number, O: Operation<T, INPUTS>, const INPUTS: usize> Loop for Map<T, O, INPUTS> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        for row in 0..span.counts[1] {
            let at = |operand: usize| {
                let distance = span.strides[1][operand].wrapping_mul(row as isize);
                span.pointers[operand].wrapping_add_signed(distance as i64)
            };
            let inputs = std::array::from_fn(|input| at(input) as *const T);
            let (out, points) = (at(INPUTS) as *mut O::Result, span.counts[0]);
            // SAFETY: the span describes lines without gaps.
            unsafe {
                match size_of::<T>() {
                    1 => Self::line::<{ 4 * BLOCK }>(inputs, out, points),
                    2 => Self::line::<{ 2 * BLOCK }>(inputs, out, points),
                    _ => Self::line::<BLOCK>(inputs, out, points),
                }
            }
        }
    }
}

fn pair<T: Number, O: Operation<T, 2>>() -> Option<Entry> {
    Some(entry::<Map<T, O, 2>>())
}

fn unary<T: Number>(op: Unary) -> Option<Entry> {
    match op {
        Unary::Neg => Some(entry::<Map<T, Negative, 1>>()),
        Unary::Abs => Some(entry::<Map<T, Magnitude, 1>>()),
        _ => None,
    }
}

fn binary<T: Number>(op: Binary) -> Option<Entry> {
    match op {
        Binary::Add => pair::<T, Sum>(),
        Binary::Sub => pair::<T, Difference>(),
        Binary::Mul => pair::<T, Product>(),
        Binary::Min => pair::<T, Smaller>(),
        Binary::Max => pair::<T, Larger>(),
        _ => None,
    }
}

fn comparison<T: Number>(op: Compare) -> Option<Entry> {
    match op {
        Compare::Eq => pair::<T, Equal>(),
        Compare::Ne => pair::<T, Unequal>(),
        Compare::Lt => pair::<T, Less>(),
        Compare::Le => pair::<T, LessOrEqual>(),
        Compare::Gt => pair::<T, Greater>(),
        Compare::Ge => pair::<T, GreaterOrEqual>(),
    }
}

fn of_type<T: Number>(op: Op) -> Option<Entry> {
    match op {
        Op::Unary(op, _) => unary::<T>(op),
        Op::Binary(op, ..) => binary::<T>(op),
        Op::Compare(op, ..) => comparison::<T>(op),
        _ => None,
    }
}

/// The loop for a legalised map, if there is one: it applies an operation to an element of each operand but the last one, which it
/// writes. All operands lie in lines without gaps.
pub fn find(kernel: &Kernel, block: &[Stmt], access: &[Access]) -> Option<Entry> {
    let [made @ .., Stmt::Store { operand: out, offset: None, lane: 0, value }] = block else { return None };
    // A truth value is stored as a byte.
    let (made, value) = match made {
        [made @ .., Stmt::Let(byte, Op::Cast(truth))] if byte == value && kernel.dtype(*truth) == DType::Bool => {
            (made, truth)
        }
        _ => (made, value),
    };
    let [loads @ .., Stmt::Let(result, op)] = made else { return None };
    let inputs: &[ir::Value] = match op {
        Op::Unary(_, x) => &[*x],
        Op::Binary(_, x, y) | Op::Compare(_, x, y) => &[*x, *y],
        _ => return None,
    };
    let reads = |(number, statement): (usize, &Stmt)| {
        let Stmt::Let(loaded, Op::Load { operand, offset: None, lane: 0 }) = *statement else { return false };
        usize::from(operand) == number && loaded == inputs[number]
    };
    let dtype = kernel.dtype(inputs[0]);
    let fits = value == result
        && loads.len() == inputs.len()
        && loads.iter().enumerate().all(reads)
        && usize::from(*out) == inputs.len()
        && kernel.operands.len() == inputs.len() + 1
        && kernel.operands[..inputs.len()].iter().all(|operand| operand.dtype == dtype)
        && kernel.operands[inputs.len()].dtype == kernel.dtype(*result)
        && access.iter().all(|&access| access == Access::Unit)
        && !kernel.ordered;
    if !fits {
        return None;
    }
    match (dtype, op) {
        (DType::F32, Op::Binary(Binary::Div, ..)) => pair::<f32, Quotient>(),
        (DType::F64, Op::Binary(Binary::Div, ..)) => pair::<f64, Quotient>(),
        (DType::F32, _) => of_type::<f32>(*op),
        (DType::F64, _) => of_type::<f64>(*op),
        (DType::I8, _) => of_type::<i8>(*op),
        (DType::I16, _) => of_type::<i16>(*op),
        (DType::I32, _) => of_type::<i32>(*op),
        (DType::I64, _) => of_type::<i64>(*op),
        (DType::U8, _) => of_type::<u8>(*op),
        (DType::U16, _) => of_type::<u16>(*op),
        (DType::U32, _) => of_type::<u32>(*op),
        (DType::U64, _) => of_type::<u64>(*op),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use cuproxide_hal::ir::{Body, Builder, LegalizeOptions, Mode, Var, legalize};

    use super::*;

    type Work = for<'b> fn(&[Var<'b>]) -> Var<'b>;

    /// Whether there is a loop for what `work` makes of elements of these types.
    fn found(inputs: &[DType], out: DType, access: &[Access], work: Work) -> bool {
        let b = Builder::new("map");
        let operands: Vec<_> = inputs.iter().map(|&dtype| b.operand(dtype, Mode::Read)).collect();
        let elements: Vec<_> = operands.iter().map(|&operand| b.load(operand)).collect();
        b.output(out, work(&elements));
        let kernel = legalize(&b.finish_map(), LegalizeOptions::default());
        let Body::Map(block) = &kernel.body else { unreachable!("the kernel is a map") };
        find(&kernel, block, access).is_some()
    }

    #[test]
    fn operations_on_whole_arrays_are_recognised() {
        let dense = [Access::Unit; 3];
        for dtype in [DType::F32, DType::F64, DType::I8, DType::U16, DType::I32, DType::U64] {
            let two = [dtype, dtype];
            assert!(found(&two, dtype, &dense, |p| p[0] + p[1]), "{dtype}");
            assert!(found(&two, dtype, &dense, |p| p[0] - p[1]), "{dtype}");
            assert!(found(&two, dtype, &dense, |p| p[0] * p[1]), "{dtype}");
            assert!(found(&two, dtype, &dense, |p| p[0].min(p[1])), "{dtype}");
            assert!(found(&two, dtype, &dense, |p| p[0].max(p[1])), "{dtype}");
            assert!(found(&two, DType::Bool, &dense, |p| p[0].lt(p[1])), "{dtype}");
            assert!(found(&two[..1], dtype, &dense[..2], |p| -p[0]), "{dtype}");
            assert_eq!(found(&two, dtype, &dense, |p| p[0] / p[1]), dtype.is_float(), "{dtype}");
        }
    }

    #[test]
    fn other_maps_are_not() {
        let (dense, two) = ([Access::Unit; 3], [DType::F64; 2]);
        assert!(!found(&two, DType::F64, &[Access::Unit, Access::Broadcast, Access::Unit], |p| p[0] + p[1]));
        assert!(!found(&two, DType::F64, &[Access::Unit, Access::Unit, Access::Strided], |p| p[0] + p[1]));
        assert!(!found(&two, DType::F32, &dense, |p| p[0] + p[1]));
        assert!(!found(&two, DType::I32, &dense, |p| p[0].lt(p[1])));
        assert!(!found(&two, DType::F64, &dense, |p| p[1] - p[0]));
        assert!(!found(&two, DType::F64, &dense, |p| p[0] + p[1] + p[1]));
        assert!(!found(&two[..1], DType::F64, &dense[..2], |p| p[0] + p[0]));
        assert!(!found(&two[..1], DType::F64, &dense[..2], |p| p[0].sqrt()));
        assert!(!found(&[DType::Bool; 2], DType::Bool, &dense, |p| p[0] | p[1]));
        assert!(!found(&[DType::C64; 2], DType::C64, &dense, |p| p[0] + p[1]));
        assert!(!found(&[DType::F16; 2], DType::F16, &dense, |p| p[0] + p[1]));
    }
}
