//! Elements of an array at given places: what `take` and indices of one axis are.
//!
//! The time is that of memory, of which the processor reads as many places at once as its window has instructions for: so there
//! are few of them. Blocks of places in vectors, prefetched or not, took longer.

use std::marker::PhantomData;

use cuproxide_hal::ir::{Builder, Kernel, LegalizeOptions, Mode, legalize};
use cuproxide_hal::{Access, DType, Fault};

use super::loops::{Loop, entry};
use crate::fault::record_fault;
use crate::lower::{Entry, Span};

/// An element of `T` for each index of type `I`.
struct Gather<T, I>(PhantomData<(T, I)>);

/// Takes element 0 in place of one outside. A call, so that the processor guesses that there is none and reads on.
#[cold]
#[inline(never)]
fn outside() -> i64 {
    record_fault(Fault::IndexOutOfBounds as u32);
    0
}

impl<T: Copy, I: Copy + Into<i64>> Gather<T, I> {
    /// Gathers a line from the `length` elements of an axis, `stride` bytes apart, or side by side if `DENSE`. Compiled apart from
    /// [`Loop::run`] without wide vectors, whose gathers take longer.
    ///
    /// # Safety
    /// So many indices may be read and elements written, and the elements of the axis read.
    #[inline(never)]
    unsafe fn line<const DENSE: bool>(
        indices: *const I,
        (source, stride, length): (*const T, i64, i64),
        out: *mut T,
        points: usize,
    ) {
        for point in 0..points {
            // SAFETY: the caller's promise, and `place` lies within the axis.
            unsafe {
                let index: i64 = indices.add(point).read_unaligned().into();
                let wrapped = if index < 0 { index.wrapping_add(length) } else { index };
                // What is still negative is large as an unsigned number.
                let place = if (wrapped as u64) < length as u64 { wrapped } else { outside() };
                let element = if DENSE {
                    source.wrapping_offset(place as isize)
                } else {
                    source.wrapping_byte_offset(place.wrapping_mul(stride) as isize)
                };
                out.add(point).write_unaligned(element.read_unaligned());
            }
        }
    }
}

impl<T: Copy, I: Copy + Into<i64>> Loop for Gather<T, I> {
    #[inline(always)]
    unsafe fn run<const FUSED: bool>(span: &Span) {
        // SAFETY: the span has the scalars of the kernel.
        let scalars = unsafe { std::slice::from_raw_parts(span.scalars, 2) };
        let [length, stride] =
            [0, 1].map(|n: usize| i64::from_le_bytes(*scalars[n].bytes.first_chunk().expect("8 of 16 bytes")));
        for row in 0..span.counts[1] {
            let [indices, source, out] = std::array::from_fn(|operand| {
                let distance = span.strides[1][operand].wrapping_mul(row as isize);
                span.pointers[operand].wrapping_add_signed(distance as i64)
            });
            let (axis, points) = ((source as *const T, stride, length), span.counts[0]);
            // SAFETY: the span describes lines without gaps.
            unsafe {
                if stride == size_of::<T>() as i64 {
                    Self::line::<true>(indices as *const I, axis, out as *mut T, points);
                } else {
                    Self::line::<false>(indices as *const I, axis, out as *mut T, points);
                }
            }
        }
    }
}

/// The kernel that the loops are for, built as `core/src/ops/gather.rs` builds it: indices, the array, the result; the length of the axis and
/// its stride in bytes. Negative indices count from the end, others out of bounds are a fault.
fn gather(index: DType, element: DType) -> Kernel {
    let b = Builder::new("gather");
    let start = b.integer(DType::I64, 0);
    let index = b.input(index).cast(DType::I64);
    let (length, stride) = (b.scalar(DType::I64), b.scalar(DType::I64));
    let zero = b.integer(DType::I64, 0);
    let wrapped = (index + length).when(index.lt(zero), index);
    let inside = wrapped.cast(DType::U64).lt(length.cast(DType::U64));
    b.require(inside, Fault::IndexOutOfBounds);
    let offset = start + wrapped.when(inside, zero) * stride;
    let source = b.operand(element, Mode::Read);
    b.output(element, b.load_at(source, offset));
    legalize(&b.finish_map(), LegalizeOptions::default())
}

/// The loop for a legalised map that gathers elements of one axis along lines without gaps, if it is one.
pub fn find(kernel: &Kernel, access: &[Access]) -> Option<Entry> {
    let [indices, source, out] = &kernel.operands[..] else { return None };
    let fits = matches!(indices.dtype, DType::I32 | DType::I64)
        && access == [Access::Unit, Access::Broadcast, Access::Unit]
        && source.dtype == out.dtype
        && *kernel == Kernel { name: kernel.name.clone(), ..gather(indices.dtype, source.dtype) };
    if !fits {
        return None;
    }
    macro_rules! matching {
        ($($index:ident $number:ty;)*) => {
            match (indices.dtype, source.dtype) {
                $(
                    (DType::$index, DType::I8 | DType::U8) => Some(entry::<Gather<u8, $number>>()),
                    (DType::$index, DType::I16 | DType::U16) => Some(entry::<Gather<u16, $number>>()),
                    (DType::$index, DType::I32 | DType::U32 | DType::F32) => Some(entry::<Gather<u32, $number>>()),
                    (DType::$index, DType::I64 | DType::U64 | DType::F64) => Some(entry::<Gather<u64, $number>>()),
                )*
                _ => None,
            }
        };
    }
    matching! { I64 i64; I32 i32; }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENSE: [Access; 3] = [Access::Unit, Access::Broadcast, Access::Unit];

    #[test]
    fn gathers_of_whole_lines_are_recognised() {
        for index in [DType::I32, DType::I64] {
            for element in [DType::I8, DType::U16, DType::I32, DType::F32, DType::U64, DType::F64] {
                assert!(find(&gather(index, element), &DENSE).is_some(), "{index} {element}");
            }
        }
    }

    #[test]
    fn others_are_not() {
        let kernel = gather(DType::I64, DType::F64);
        assert!(find(&kernel, &[Access::Strided, Access::Broadcast, Access::Unit]).is_none());
        assert!(find(&kernel, &[Access::Unit, Access::Unit, Access::Unit]).is_none());
        assert!(find(&kernel, &[Access::Unit, Access::Broadcast, Access::Strided]).is_none());
        assert!(find(&Kernel { ordered: true, ..kernel }, &DENSE).is_none());
        for (index, element) in [(DType::U8, DType::F64), (DType::I64, DType::Bool), (DType::I64, DType::C128)] {
            assert!(find(&gather(index, element), &DENSE).is_none(), "{index} {element}");
        }
        let b = Builder::new("clip");
        let (index, length, stride) = (b.input(DType::I64), b.scalar(DType::I64), b.scalar(DType::I64));
        let place = index.max(b.integer(DType::I64, 0)).min(length - b.integer(DType::I64, 1));
        let source = b.operand(DType::F64, Mode::Read);
        b.output(DType::F64, b.load_at(source, place * stride));
        assert!(find(&legalize(&b.finish_map(), LegalizeOptions::default()), &DENSE).is_none());
    }
}
