//! Copies of elements that lie apart, side by side.

use std::marker::PhantomData;

use super::loops::{Loop, entry_for};

/// Elements that lie apart, and where they go.
#[repr(C)]
pub struct Apart {
    pub from: *const u8,
    /// Bytes from one to the next.
    pub stride: isize,
    pub into: *mut u8,
    pub points: usize,
}

/// A copy of elements `DISTANCE` elements apart. With distances that it knows, the compiler makes vectors of the loop.
struct Known<T, const DISTANCE: isize>(PhantomData<T>);

impl<T: Copy, const DISTANCE: isize> Loop<Apart> for Known<T, DISTANCE> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(apart: &Apart) {
        let (from, into) = (apart.from.cast::<T>(), apart.into.cast::<T>());
        for point in 0..apart.points {
            // SAFETY: the caller's promise.
            unsafe { into.add(point).write_unaligned(from.offset(DISTANCE * point as isize).read_unaligned()) };
        }
    }
}

/// Copies elements of so many bytes.
///
/// # Safety
/// They are readable, and there is room for them.
pub unsafe fn pack(apart: &Apart, size: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => pack_of::<u8>(apart),
            2 => pack_of::<u16>(apart),
            4 => pack_of::<u32>(apart),
            _ => pack_of::<u64>(apart),
        }
    }
}

/// # Safety
/// As for [`pack`].
unsafe fn pack_of<T: Copy>(apart: &Apart) {
    let size = size_of::<T>() as isize;
    // SAFETY: the caller's promise.
    unsafe {
        match apart.stride {
            stride if stride == -size => entry_for::<Known<T, -1>, Apart>()(apart),
            stride if stride == 2 * size => entry_for::<Known<T, 2>, Apart>()(apart),
            stride => {
                for point in 0..apart.points {
                    let element = apart.from.wrapping_offset(stride.wrapping_mul(point as isize)).cast::<T>();
                    apart.into.cast::<T>().add(point).write_unaligned(element.read_unaligned());
                }
            }
        }
    }
}
