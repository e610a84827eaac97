//! Folds of values that wide vectors left in memory, strip by strip, in the order in which compiled code folds them: in lanes, of which
//! each takes a bounded number of values before it moves to a total.

use std::marker::PhantomData;

use cuproxide_hal::DType;
use cuproxide_hal::ir::Binary;

use super::lanes::{LANES, extend, joined};
use super::loops::{Loop, apart, entry_for};
use crate::lower::Entry;
use crate::math::extrema;

/// A strip of values and the accumulator that they extend.
#[repr(C)]
pub struct Piece {
    pub values: *const u8,
    pub points: usize,
    /// Memory for the lanes.
    pub total: *mut u8,
    /// Where the values after the last whole group go, and at last all others.
    pub single: *mut u8,
    /// What lanes start from.
    pub neutral: [u8; 8],
    /// Whether lanes start here.
    pub first: bool,
    /// Whether lanes are joined after this strip.
    pub last: bool,
}

trait Operator<T> {
    fn apply(x: T, y: T) -> T;
}

macro_rules! operator {
    ($name:ident: $($type:ty => $apply:expr),*) => {
        struct $name;
        $(impl Operator<$type> for $name {
            #[inline(always)]
            fn apply(x: $type, y: $type) -> $type {
                let apply: fn($type, $type) -> $type = $apply;
                apply(x, y)
            }
        })*
    };
}

operator!(Add: f64 => |x, y| x + y, f32 => |x, y| x + y, u64 => |x, y| x.wrapping_add(y), u32 => |x, y| x.wrapping_add(y));
operator!(Mul: f64 => |x, y| x * y, f32 => |x, y| x * y, u64 => |x, y| x.wrapping_mul(y), u32 => |x, y| x.wrapping_mul(y));
operator!(Min: f64 => extrema::smaller_double, f32 => extrema::smaller_single,
    u64 => |x, y| x.min(y), i64 => |x, y| x.min(y), u32 => |x, y| x.min(y), i32 => |x, y| x.min(y));
operator!(Max: f64 => extrema::larger_double, f32 => extrema::larger_single,
    u64 => |x, y| x.max(y), i64 => |x, y| x.max(y), u32 => |x, y| x.max(y), i32 => |x, y| x.max(y));
operator!(And: u64 => |x, y| x & y, u32 => |x, y| x & y, u8 => |x, y| x & y);
operator!(Or: u64 => |x, y| x | y, u32 => |x, y| x | y, u8 => |x, y| x | y);
operator!(Xor: u64 => |x, y| x ^ y, u32 => |x, y| x ^ y, u8 => |x, y| x ^ y);

/// The fold of integers or truth values, which may be grouped at will.
struct Any<T, O>(PhantomData<(T, O)>);

impl<T: Copy, O: Operator<T>> Loop<Piece> for Any<T, O> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(piece: &Piece) {
        // SAFETY: the piece has a value of the type at each of these places.
        let (values, single) = unsafe {
            (std::slice::from_raw_parts(piece.values.cast::<T>(), piece.points), &mut *piece.single.cast::<T>())
        };
        *single = values.iter().fold(*single, |single, &value| O::apply(single, value));
    }
}

/// The fold of floats.
struct Strips<T, O, const COUNT: usize>(PhantomData<(T, O)>);

impl<T: Copy, O: Operator<T>, const COUNT: usize> Loop<Piece> for Strips<T, O, COUNT> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(piece: &Piece) {
        // SAFETY: the piece has a value of the type at each of these places, and the lanes fill the total's memory.
        let (values, memory, single, neutral) = unsafe {
            (
                std::slice::from_raw_parts(piece.values.cast::<T>(), piece.points),
                &mut *piece.total.cast::<[T; COUNT]>(),
                &mut *piece.single.cast::<T>(),
                piece.neutral.as_ptr().cast::<T>().read_unaligned(),
            )
        };
        let mut total = if piece.first { [neutral; COUNT] } else { *memory };
        extend(values, neutral, (&mut total, single), O::apply, O::apply);
        if piece.last {
            *single = O::apply(*single, joined(apart(total), O::apply));
        } else {
            *memory = total;
        }
    }
}

/// The loop for an accumulator of this type.
pub fn find(op: Binary, dtype: DType) -> Option<Entry<Piece>> {
    macro_rules! loops {
        ($($dtype:ident $type:ty: $($op:ident)|+ => $operator:ident),* $(,)?) => {
            match (dtype, op) {
                $((DType::$dtype, $(Binary::$op)|+) => Some(entry_for::<Any<$type, $operator>, Piece>()),)*
                (DType::F64, op) => floats!(f64, op),
                (DType::F32, op) => floats!(f32, op),
                _ => None,
            }
        };
    }
    macro_rules! floats {
        ($type:ty, $op:ident) => {
            match $op {
                Binary::Add => Some(entry_for::<Strips<$type, Add, { LANES / size_of::<$type>() }>, Piece>()),
                Binary::Mul => Some(entry_for::<Strips<$type, Mul, { LANES / size_of::<$type>() }>, Piece>()),
                Binary::Min => Some(entry_for::<Strips<$type, Min, { LANES / size_of::<$type>() }>, Piece>()),
                Binary::Max => Some(entry_for::<Strips<$type, Max, { LANES / size_of::<$type>() }>, Piece>()),
                _ => None,
            }
        };
    }
    loops! {
        I64 i64: Min => Min, I64 i64: Max => Max, I32 i32: Min => Min, I32 i32: Max => Max,
        I64 u64: Add => Add, I64 u64: Mul => Mul, I64 u64: And => And, I64 u64: Or => Or, I64 u64: Xor => Xor,
        U64 u64: Add => Add, U64 u64: Mul => Mul, U64 u64: And => And, U64 u64: Or => Or, U64 u64: Xor => Xor,
        I32 u32: Add => Add, I32 u32: Mul => Mul, I32 u32: And => And, I32 u32: Or => Or, I32 u32: Xor => Xor,
        U32 u32: Add => Add, U32 u32: Mul => Mul, U32 u32: And => And, U32 u32: Or => Or, U32 u32: Xor => Xor,
        U64 u64: Min => Min, U64 u64: Max => Max, U32 u32: Min => Min, U32 u32: Max => Max,
        Bool u8: And | Min | Mul => And, Bool u8: Or | Max | Add => Or, Bool u8: Xor => Xor,
    }
}
