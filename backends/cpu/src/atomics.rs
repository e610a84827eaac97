//! Indivisible updates of memory, called by compiled code: one function for each operation and element type.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use cuproxide_hal::DType;
use cuproxide_hal::ir::Atomic;

use crate::elements::{by_number, narrow_types};
use crate::truth::Truth;

/// An element that can be updated through an atomic word of its size. `Value` is what compiled code passes.
trait Element: Copy {
    type Value;
    fn accept(value: Self::Value) -> Self;
    fn add(self, other: Self) -> Self;
    /// Whether it is smaller than the other one, where -0 is smaller than 0.
    fn less(self, other: Self) -> bool;
    fn is_nan(self) -> bool;
    /// Replaces the element at `address` by `change` of it.
    ///
    /// # Safety
    /// `address` is valid for reads and writes and aligned to the element's size.
    unsafe fn update(address: *mut u8, change: impl Fn(Self) -> Self);
}

macro_rules! element {
    ($type:ty, $value:ty, $atomic:ty, $accept:expr, $add:expr, $order:expr, $nan:expr, $from:expr, $into:expr) => {
        impl Element for $type {
            type Value = $value;
            fn accept(value: $value) -> $type {
                $accept(value)
            }
            fn add(self, other: $type) -> $type {
                $add(self, other)
            }
            fn less(self, other: $type) -> bool {
                $order(&self, &other).is_lt()
            }
            fn is_nan(self) -> bool {
                $nan(self)
            }
            unsafe fn update(address: *mut u8, change: impl Fn($type) -> $type) {
                // SAFETY: the caller's promise.
                let word = unsafe { &*address.cast::<$atomic>() };
                let _ =
                    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bits| Some($into(change($from(bits)))));
            }
        }
    };
}

macro_rules! integers {
    ($($type:ty as $word:ty, $atomic:ty;)*) => {
        $(element!($type, $type, $atomic, |x| x, <$type>::wrapping_add, <$type>::cmp, |_| false, |bits: $word| bits as $type,
            |x: $type| x as $word);)*
    };
}

integers! {
    i8 as u8, AtomicU8; u8 as u8, AtomicU8; i16 as u16, AtomicU16; u16 as u16, AtomicU16;
    i32 as u32, AtomicU32; u32 as u32, AtomicU32; i64 as u64, AtomicU64; u64 as u64, AtomicU64;
}
element!(f32, f32, AtomicU32, |x| x, |x, y| x + y, f32::total_cmp, f32::is_nan, f32::from_bits, f32::to_bits);
element!(f64, f64, AtomicU64, |x| x, |x, y| x + y, f64::total_cmp, f64::is_nan, f64::from_bits, f64::to_bits);

macro_rules! narrow {
    ($($type:ty: $bits:ty, $atomic:ty;)*) => {
        $(element!($type, f32, $atomic, <$type>::from_f32, |x: $type, y: $type| <$type>::from_f32(x.to_f32() + y.to_f32()),
            <$type>::total_cmp, <$type>::is_nan, <$type>::from_bits, <$type>::to_bits);)*
    };
}

narrow_types!(narrow);

// Bools as they are computed with: what is written is 0 or 1.
element!(
    bool,
    u8,
    AtomicU8,
    |byte| Truth::from_byte(byte).holds(),
    |x: bool, y: bool| x | y,
    bool::cmp,
    |_| false,
    |byte| Truth::from_byte(byte).holds(),
    u8::from
);

unsafe extern "C" fn add<T: Element>(address: *mut u8, value: T::Value) {
    let value = T::accept(value);
    // SAFETY: compiled code passes addresses of operands.
    unsafe { T::update(address, |old| old.add(value)) }
}

unsafe extern "C" fn min<T: Element>(address: *mut u8, value: T::Value) {
    let value = T::accept(value);
    let change = |old: T| if old.is_nan() || (!value.is_nan() && !value.less(old)) { old } else { value };
    // SAFETY: compiled code passes addresses of operands.
    unsafe { T::update(address, change) }
}

unsafe extern "C" fn max<T: Element>(address: *mut u8, value: T::Value) {
    let value = T::accept(value);
    let change = |old: T| if old.is_nan() || (!value.is_nan() && !old.less(value)) { old } else { value };
    // SAFETY: compiled code passes addresses of operands.
    unsafe { T::update(address, change) }
}

/// The address of the function for `op` on elements of `dtype`; a complex element is updated part by part.
pub fn routine(op: Atomic, dtype: DType) -> usize {
    macro_rules! of {
        ($type:ty) => {
            match op {
                Atomic::Add => add::<$type> as unsafe extern "C" fn(_, _) as usize,
                Atomic::Min => min::<$type> as unsafe extern "C" fn(_, _) as usize,
                Atomic::Max => max::<$type> as unsafe extern "C" fn(_, _) as usize,
            }
        };
    }
    by_number!(dtype, of, bool, DType::C64 => of!(f32), DType::C128 => of!(f64),)
}
